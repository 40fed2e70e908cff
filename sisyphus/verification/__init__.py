"""Is the emitted code the same program: isl check of the Plan, compile and differential run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from sisyphus.analysis import Dependences, Live
from sisyphus.backends.hls import Project
from sisyphus.ir import ArrayId
from sisyphus.plan import Plan
from sisyphus.verification.differential_run import VERY_MANY_OPERATIONS, Ran, require_compiler, run, run_files, work
from sisyphus.verification.promises import check_promises
from sisyphus.verification.proof import prove
from sisyphus.verification.reduced import Reduced, reduced
from sisyphus.verification.verdict import Check, Verdict

__all__ = ["Check", "Ran", "Reduced", "Verdict", "prove", "reduced", "require_compiler", "run", "run_files", "verify"]


def verify(
    plan: Plan,
    project: Project,
    dependences: Dependences,
    *,
    live: Mapping[ArrayId, Live] | None = None,
    seed: int = 0,
    full: bool = False,
    sanitize: bool = False,
    workdir: Path | None = None,
    smaller: Callable[[], Reduced | str] | None = None,
    listen: Callable[[str], None] = lambda stage: None,
) -> Verdict:
    """The proof of the plan, then the differential run of its project, which happens even if the proof failed.

    `live` says which arrays are wanted afterwards (without it, all that are written). The files and logs of the run
    stay in `workdir` where one is given. `full` runs all data whatever it costs. `smaller` makes the same design at
    smaller sizes, which is proved and run in place of a very large kernel, whose own code is then only compiled; or it
    says why there is none, and nothing is run. `listen` is told what begins.
    """
    listen("verify: proof")
    proved = prove(plan, dependences, live)
    promised = Verdict(tuple(check_promises(plan, project.files["kernel.cpp"])))
    proved = promised.joined(proved)
    listen("verify: compiling and running")
    if smaller is None or full or work(plan) <= VERY_MANY_OPERATIONS:
        ran = run(project, plan, seed=seed, full=full, sanitize=sanitize, workdir=workdir)
        return proved.joined(Verdict(ran.checks, ran.compiler, seed, ran.worst_error))
    compiled = run(project, plan, sets=(), sanitize=sanitize, workdir=workdir)
    return proved.joined(Verdict(compiled.checks, compiled.compiler)).joined(_run_smaller(smaller(), seed, sanitize))


def _run_smaller(small: Reduced | str, seed: int, sanitize: bool) -> Verdict:
    """What stands in for the run of a very large kernel, under names that say so."""
    if isinstance(small, str):
        return Verdict((Check("size of the run", True, f"NOTHING WAS RUN, too many operations: {small}"),))
    proved = prove(small.plan, small.dependences, small.live)
    ran = run(small.project, small.plan, seed=seed, sanitize=sanitize)
    wrong = tuple(replace(c, name=f"smaller {c.name}") for c in proved.failures)
    held = Check("smaller proof", True, f"{len(proved.checks)} checks hold at these sizes, too")
    told = Check("size of the run", True, f"proved and compiled at full size, run at {small}")
    runs = tuple(c if c.name != "compile" else replace(c, name="smaller compile") for c in ran.checks)
    return Verdict((told, *(wrong or (held,)), *runs), ran.compiler, seed, ran.worst_error)
