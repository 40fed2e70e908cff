"""Is the emitted code the same program: isl check of the Plan, compile and differential run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sisyphus.analysis import Dependences, Live
from sisyphus.codegen import Project
from sisyphus.ir import ArrayId
from sisyphus.plan import Plan
from sisyphus.verify.proof import prove
from sisyphus.verify.run import VERY_MANY_OPERATIONS, Ran, run, run_files, work
from sisyphus.verify.verdict import Check, Verdict

__all__ = ["Check", "Ran", "Verdict", "prove", "run", "run_files", "verify"]


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
    reduced: tuple[Project, Plan] | None = None,
) -> Verdict:
    """The proof of the plan, then the differential run of its project, which happens even if the proof failed.

    `live` says which arrays are wanted afterwards (without it, all that are written). The files and logs of the run
    stay in `workdir` where one is given. `full` runs all data whatever it costs. `reduced` is the same design with
    fewer level-0 iterations, which is run in place of a very large kernel.
    """
    small = reduced if not full and work(plan) > VERY_MANY_OPERATIONS else None
    ran = run(*(small or (project, plan)), seed=seed, full=full, sanitize=sanitize, workdir=workdir)
    told = (Check("size of the run", True, "the same tiles, with fewer level-0 iterations"),) if small else ()
    return prove(plan, dependences, live).joined(Verdict((*told, *ran.checks), ran.compiler, seed, ran.worst_error))
