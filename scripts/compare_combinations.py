"""Gives the combination problems of our search to HiGHS and CP-SAT, too, and prints the seconds that each takes.

    python scripts/compare_combinations.py [--time-limit 30] [--each 20] [3mm atax cnn symm correlation:EXTRALARGE]

A problem is one entry per table of counted choices, under budgets and couplings, as it is left after entries without
hope are taken out. Ours are processor seconds inside of the branch and bound; the others' are those of `solve` alone,
without starting a process or building the model, on the same cores, each with `--each` seconds a problem. Problems of
at most 10,000 combinations are counted, not given to others. CP-SAT needs `pip install ortools`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, prod
from pathlib import Path
from typing import Any

from pyomo.contrib.solver.common.factory import SolverFactory

from sisyphus.choose import choose
from sisyphus.errors import SisyphusError
from sisyphus.nlp.choice_model import Cuts, choice_model
from sisyphus.pipeline import Request, Source, load_kernels
from sisyphus.report.tables import table
from sisyphus.search import by_exact
from sisyphus.search.combine import branch_and_bound, without_hopeless
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Event, Incumbent
from sisyphus.search.linear import choice_problem
from sisyphus.search.nodes import Problem
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).resolve().parent.parent / "kernels"


@dataclass
class Recorded:
    """A problem that our search had to combine, and the processor seconds that it took for that."""

    entries: int
    seconds: float = 0.0
    problem: Problem | None = None
    upper: float = inf


def recorder(found: list[Recorded]) -> Callable[..., Iterator[Event]]:
    """Our own way to combine, which writes down what is left after hopeless entries are out."""

    def combine(problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
        seen = Recorded(sum(t.count for t in problem.tables))
        found.append(seen)

        def inner(fewer: Problem) -> Iterator[Event]:
            seen.problem, seen.upper = fewer, min(upper, incumbent.cycles)
            return branch_and_bound(fewer, upper, incumbent, may_leave_out=may_leave_out)

        events = without_hopeless(problem, upper, incumbent, inner)
        while True:
            begun = time.process_time()
            event = next(events, None)
            seen.seconds += time.process_time() - begun
            if event is None:
                return
            yield event

    return combine


def by_highs(model: Any, path: Path, limit: float) -> tuple[float, float | None]:
    begun = time.monotonic()
    results = SolverFactory("highs").solve(
        model, load_solutions=False, raise_exception_on_nonoptimal_result=False, time_limit=limit, threads=1
    )
    proved = results.termination_condition.name in ("convergenceCriteriaSatisfied", "provenInfeasible")
    return time.monotonic() - begun, (results.incumbent_objective or inf) if proved else None


#: In a process of its own: HiGHS is part of both packages, in versions that do not go together.
CP_SAT = """
import sys, time
from ortools.linear_solver.python import model_builder
model, solver = model_builder.Model(), model_builder.Solver("sat")
model.import_from_mps_file(sys.argv[1])
solver.set_time_limit_in_seconds(float(sys.argv[2]))
solver.set_solver_specific_parameters("num_workers:1")
begun = time.monotonic()
status = solver.solve(model).name
print(time.monotonic() - begun, solver.objective_value if status == "OPTIMAL" else status)
"""


def by_cp_sat(model: Any, path: Path, limit: float) -> tuple[float, float | None]:
    model.write(str(path))
    done = subprocess.run(
        [sys.executable, "-c", CP_SAT, str(path), str(limit)], capture_output=True, text=True, check=True
    )
    seconds, answer = done.stdout.splitlines()[-1].split()
    if answer.replace(".", "").replace("e", "").replace("+", "").isdigit():
        return float(seconds), float(answer)
    return float(seconds), inf if answer == "INFEASIBLE" else None


def others(seen: Recorded, folder: Path, limit: float) -> list[tuple[float, float | None]]:
    """Seconds and proved cycles of each of the others; None for cycles where the limit ended it."""
    assert seen.problem is not None
    asked = choice_problem(seen.problem)
    if not all(asked.states(array) for array in asked.serves):
        return [(0.0, inf)] * 2  # no state of an array meets the demands of all nests at once
    model, unit = choice_model(asked, seen.upper, Cuts())
    found = []
    for solve in (by_highs, by_cp_sat):
        seconds, value = solve(model, folder / "problem.mps", limit)
        found.append((seconds, None if value is None else value * unit))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", default=["3mm", "atax", "cnn", "symm", "correlation:EXTRALARGE"])
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--each", type=float, default=20.0)
    chosen = parser.parse_args()
    target = make_target(load_device("u200"), budget="chip")
    rows = []
    for name in chosen.kernels:
        kernel, _, size = name.partition(":")
        path = next(KERNELS.glob(f"*/{kernel}.c"))
        sizes = tomllib.loads((path.parent / "sizes.toml").read_text())[kernel][size] if size else {}
        source = Source(str(path), defines=tuple(f"{key}={value}" for key, value in sizes.items()))
        found: list[Recorded] = []
        by_exact.Hunt.__init__.__kwdefaults__["combine"] = recorder(found)
        request = Request(source, target, limits=Limits(seconds=chosen.time_limit), verify=False)
        try:
            choose(load_kernels(source), request)
        except SisyphusError as error:
            print(f"{name}: {error}", flush=True)
        asked = [s for s in found if s.problem and prod(t.count for t in s.problem.tables) > EFFORT.choices_for_ours]
        with tempfile.TemporaryDirectory() as folder:
            answers = [others(seen, Path(folder), chosen.each) for seen in asked]
        row = [name, len(found), len(asked), max((s.entries for s in found), default=0)]
        row += [max((sum(t.count for t in s.problem.tables) for s in asked if s.problem), default=0)]
        row += [f"{sum(s.seconds for s in asked):.2f}"]
        for at in range(2):
            unproved = sum(a[at][1] is None for a in answers)
            row += [f"{sum(a[at][0] for a in answers):.2f}" + (f" ({unproved} not proved)" if unproved else "")]
        rows.append(tuple(map(str, row)))
        print(*rows[-1], flush=True)
    head = ("kernel", "problems", "asked", "entries", "left", "ours, s", "HiGHS, s", "CP-SAT, s")
    print(table(head, rows))


if __name__ == "__main__":
    main()
