"""Any solver that speaks the AMPL interface: it is given a .nl file and leaves a .sol file."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sisyphus.solve import Limits, SolveOutcome, SolveRequest, Stop, ToolError, find_tool, run_tool

if TYPE_CHECKING:
    from sisyphus.solve.models import NlFile

#: Seconds that a solver may take beyond its limit before it is killed.
GRACE_S = 5.0
#: A program may exit with any status: what counts is the .sol file.
ANY_STATUS = range(-64, 256)


class AslAdapter:
    """`asl:/path/to/exe`; nothing is known of it, so that its answer counts as a design but not as a proof."""

    def __init__(self, executable: str = "") -> None:
        self.executable = executable
        self.name = f"asl:{executable}" if executable else "asl"

    def missing(self) -> str | None:
        if not self.executable:
            return "no program was named (as in --solver asl:/path/to/exe)"
        if find_tool(self.executable) is None:
            return f"there is no program `{self.executable}`"
        return None

    def version(self) -> str:
        """The first line that the program prints with -v."""
        try:
            said = run_tool([self.executable, "-v"], cwd=Path.cwd(), timeout_s=10, accept=ANY_STATUS)
        except ToolError:
            return "unknown"
        return (said.output.strip().splitlines() or ["unknown"])[0][:60]

    def arguments(self, limits: Limits) -> Sequence[str]:
        """Options behind `-AMPL`."""
        return ()

    def option_files(self, limits: Limits) -> Mapping[str, str]:
        """Files with options, by name, that the program reads where it runs."""
        return {}

    def proves(self, request: SolveRequest) -> bool:
        """Is what it calls optimal the best of all points?"""
        return False

    def solve(self, request: SolveRequest) -> SolveOutcome:
        from sisyphus.solve.models import write_nl

        started = time.monotonic()
        limits = request.limits
        with tempfile.TemporaryDirectory(prefix="sisy-asl-") as folder:
            place = Path(folder)
            file = write_nl(request.model, place)
            for name, text in self.option_files(limits).items():
                (place / name).write_text(text, encoding="utf-8")
            try:
                said = run_tool(
                    [str(find_tool(self.executable)), str(file.path.with_suffix("")), "-AMPL", *self.arguments(limits)],
                    cwd=place,
                    timeout_s=None if limits.seconds is None else limits.seconds + GRACE_S,
                    accept=ANY_STATUS,
                    env=os.environ,
                )
            except ToolError as broken:
                return self._outcome(Stop.FAILED, started, message=broken.message)
            return self._read(request, file, started, said.output + said.errors)

    def _read(self, request: SolveRequest, file: NlFile, started: float, log: str) -> SolveOutcome:
        path = file.path.with_suffix(".sol")
        if not path.exists():
            tail = " / ".join(log.strip().splitlines()[-3:])
            return self._outcome(Stop.FAILED, started, log=log, message=f"it left no .sol file; it said: {tail}")
        code, values, message = read_sol(path)
        outcome = self._outcome(stop_of(code), started, log=log, message=message)
        if len(values) != len(file.columns) or outcome.stop in (Stop.INFEASIBLE, Stop.FAILED):
            empty = outcome.stop is Stop.PROVED
            return replace(outcome, stop=Stop.FAILED, message="it left no values") if empty else outcome
        objective = file.objective(values)
        if outcome.stop is Stop.PROVED and not self.proves(request):
            outcome = replace(outcome, stop=Stop.UNPROVED)
        bound = objective if outcome.stop is Stop.PROVED else None
        return self.answer(replace(outcome, objective=objective, bound=bound), file, values)

    def answer(self, outcome: SolveOutcome, file: NlFile, values: Sequence[float]) -> SolveOutcome:
        """The outcome with what was found."""
        return replace(outcome, values=file.binaries(values))

    def _outcome(self, stop: Stop, started: float, *, log: str = "", message: str = "") -> SolveOutcome:
        seconds = time.monotonic() - started
        return SolveOutcome(stop, None, None, None, self.name, self.version(), seconds, log=log, message=message)


def read_sol(path: Path) -> tuple[int | None, list[float], str]:
    """Solve code, values of the columns and message of a .sol file."""
    from pyomo.contrib.solver.solvers.asl_sol_reader import parse_asl_sol_file

    with path.open(encoding="utf-8", errors="replace") as stream:
        data = parse_asl_sol_file(stream)
    return data.solve_code, [float(v) for v in data.primals or ()], str(data.message or "").strip()


def stop_of(code: int | None) -> Stop:
    """What an AMPL solve code says; 100 to 199 is a point that may be right."""
    hundreds = {0: Stop.PROVED, 1: Stop.UNPROVED, 2: Stop.INFEASIBLE, 4: Stop.TIME}
    return Stop.FAILED if code is None else hundreds.get(code // 100, Stop.FAILED)
