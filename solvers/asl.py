"""Any solver that speaks the AMPL interface: it is given a .nl file and leaves a .sol file."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from sisyphus.solve import Limits, NlFile, SolveOutcome, SolveRequest, Stop, ToolError, find_tool, run_tool, write_nl

#: Seconds that a solver may take beyond its limit before it is killed.
GRACE_S = 5.0


class AslAdapter:
    """`asl:/path/to/exe`; nothing is known of it, so that its answer counts as a design but not as a proof."""

    base = "asl"
    #: Does it look for the best of all points, or only of those around?
    is_global = False

    def __init__(self, executable: str = "") -> None:
        self.executable = executable
        self.name = f"{self.base}:{executable}" if executable else self.base

    def missing(self) -> str | None:
        if not self.executable:
            return "no program was named (say `asl:/path/to/exe`)"
        if find_tool(self.executable) is None:
            return f"`{self.executable}` is no program that can run"
        return None

    def version(self) -> str:
        """What it prints with -v, if it does so."""
        try:
            said = run_tool([self.executable, "-v"], cwd=Path.cwd(), timeout_s=10, accept=range(256))
        except ToolError:
            return "unknown"
        return (said.output.strip().splitlines() or ["unknown"])[0][:60]

    def options(self, limits: Limits) -> Mapping[str, object]:
        """Options of the command line, by the solver's names for them."""
        return {}

    def environment(self, limits: Limits) -> Mapping[str, str]:
        """More variables of the environment."""
        return {}

    def solve(self, request: SolveRequest) -> SolveOutcome:
        import os

        started = time.monotonic()
        limits = request.limits
        with tempfile.TemporaryDirectory(prefix="sisy-asl-") as folder:
            place = Path(folder)
            file = write_nl(request.model, place)
            options = [f"{name}={value}" for name, value in self.options(limits).items()]
            try:
                said = run_tool(
                    [str(shutil.which(self.executable)), str(file.path.with_suffix("")), "-AMPL", *options],
                    cwd=place,
                    timeout_s=None if limits.seconds is None else limits.seconds + GRACE_S,
                    accept=range(256),
                    env={**os.environ, **self.environment(limits)},
                )
                log = said.output + said.errors
            except ToolError as broken:
                return self._outcome(Stop.FAILED, started, message=broken.message)
            return self._read(request, file, started, log)

    def _read(self, request: SolveRequest, file: NlFile, started: float, log: str) -> SolveOutcome:
        path = file.path.with_suffix(".sol")
        if not path.exists():
            tail = " / ".join(log.strip().splitlines()[-3:])
            return self._outcome(Stop.FAILED, started, log=log, message=f"it left no .sol file; it said: {tail}")
        code, values, message = read_sol(path)
        stop = stop_of(code)
        if len(values) != len(file.columns):
            values = []
        if stop is Stop.PROVED and not values:
            return self._outcome(Stop.FAILED, started, log=log, message="it left no value of any variable")
        if stop in (Stop.INFEASIBLE, Stop.FAILED):
            return self._outcome(stop, started, log=log, message=message)
        return self._answered(request, file, values, self._outcome(stop, started, log=log, message=message))

    def _answered(
        self, request: SolveRequest, file: NlFile, values: list[float], outcome: SolveOutcome
    ) -> SolveOutcome:
        from dataclasses import replace

        objective = file.objective(values) if values else None
        proves = outcome.stop is Stop.PROVED and (self.is_global or (request.is_convex and self.base == "bonmin"))
        return replace(
            outcome,
            stop=Stop.UNPROVED if outcome.stop is Stop.PROVED and not proves else outcome.stop,
            values=file.binaries(values) if values else None,
            objective=objective,
            bound=objective if proves else None,
        )

    def _outcome(self, stop: Stop, started: float, *, log: str = "", message: str = "") -> SolveOutcome:
        version = self.version() if self.missing() is None else ""
        return SolveOutcome(
            stop, None, None, None, self.name, version, time.monotonic() - started, log=log, message=message
        )


def read_sol(path: Path) -> tuple[int | None, list[float], str]:
    """Solve code, values of the columns and message of a .sol file."""
    from pyomo.contrib.solver.solvers.asl_sol_reader import parse_asl_sol_file

    with path.open(encoding="utf-8", errors="replace") as stream:
        data = parse_asl_sol_file(stream)
    return data.solve_code, [float(v) for v in data.primals or ()], str(data.message or "").strip()


def stop_of(code: int | None) -> Stop:
    """The hundreds of an AMPL solve code."""
    hundreds = {0: Stop.PROVED, 2: Stop.INFEASIBLE, 4: Stop.TIME}
    return Stop.FAILED if code is None else hundreds.get(code // 100, Stop.FAILED)
