"""Twelve bugs that a code generator may have, each by its name: `verify` catches all, and the proof alone where it can.

A bug in the plan is seen by the proof and, for itself, by the run. A bug of the printer leaves a right plan, which the
proof rightly passes: only the run can see it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import point_files
import pytest
import spoil
from builders import scop
from hand_plans import gemm_resident
from straight_c import with_source

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls import project
from sisyphus.ir import ArrayId, StmtId
from sisyphus.plan import Copy, Direction, Plan, build_plan
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.verification import prove, run, verify


def wavefront() -> Plan:
    """A loop pair that may not be interchanged."""
    kernel = with_source(
        scop("for i in range(1, 6):\n    for j in range(5):\n        A[i, j] = A[i - 1, j + 1]", A=(6, 6))
    )
    point = DesignPoint(
        "built",
        (NestPoint((StmtId("S0"),), ("i", "j"), (("i", Tile(5, 1, 1)), ("j", Tile(5, 1, 1))), None),),
        (BufferPoint(ArrayId("A"), ("S0",), KERNEL_PLACE, (1, 1)),),
    )
    return build_plan(kernel, distribute(kernel, dependences(kernel)), liveness(kernel), point)


def point(name: str) -> Callable[[], Plan]:
    return lambda: point_files.case(name).plan


def without(transfer: str) -> Callable[[Plan], Plan]:
    return lambda plan: spoil.everywhere(plan, lambda n: () if n == Copy(transfer) else None)


@dataclass(frozen=True)
class InPlan:
    """A wrong plan, printed as it is; `sees` is the check of the proof that fails."""

    good: Callable[[], Plan]
    spoilt: Callable[[Plan], Plan]
    sees: str


@dataclass(frozen=True)
class InPrinter:
    """Wrong text printed for a right plan."""

    pattern: str
    replacement: str


LOAD, STORE = Direction.LOAD, Direction.STORE
BUGS: dict[str, tuple[InPlan | InPrinter, ...]] = {
    "dropped last tile": (
        InPlan(point("gemm-tiled"), lambda p: spoil.drop_last_tile(p, "k"), "instances of S1"),
        InPrinter(r"k0 < 10", "k0 < 9"),
    ),
    "swapped carried loops": (InPlan(wavefront, lambda p: spoil.swap_loops(p, "i0"), "order of RAW S0 -> S0 on `A`"),),
    "widened bound": (
        InPlan(point("gemm-tiled"), lambda p: spoil.widen_bound(p, "k"), "instances of S1"),
        InPrinter(r"j1 < 3", "j1 < 4"),
    ),
    "forgotten write-back": (
        InPlan(point("gemm-ragged"), lambda p: spoil.drop_copies(p, "C", STORE), "data of C"),
        InPrinter(r"port\[beat\] = line;", "if (beat < 0) port[beat] = line;"),
    ),
    "wrong bank": (InPrinter(r"\[4\*j1 \+ j2\] \* beta", "[4*j1 + (j2 ^ 1)] * beta"),),
    "missing guard": (InPlan(point("gemm-ragged"), spoil.drop_guards, "instances of S0"),),
    "stale buffer": (
        InPlan(point("2mm-mixed"), without("store_tmp"), "data of tmp"),
        InPrinter(r"    load_C\(C, buf_C\);", "    if (C == nullptr) load_C(C, buf_C);"),
    ),
    "off-by-one burst": (
        InPlan(point("gemm-tiled"), lambda p: spoil.move_origin(p, "buf_A_S1"), "bounds of buf_A_S1"),
        InPrinter(r"beat < 24", "beat < 23"),
        InPrinter(r"port\[beat\]", "port[beat + 1]"),
    ),
    "lost scalar": (InPrinter(r"\(alpha \* buf_A\[i0\]\[k0\]\)", "(((void)alpha, 1.0f) * buf_A[i0][k0])"),),
    "wrong reduction init": (InPrinter(r"= buf_C\[i0\]\[4\*j1 \+ j2\] \+", "= 0 +"),),
    "unstored array": (InPlan(point("gemm-tiled"), lambda p: spoil.drop_last_copy(p, "C", STORE), "data of C"),),
    "duplicated instance": (
        InPlan(point("gemm-tiled"), lambda p: spoil.run_twice(p, "S1"), "instances of S1"),
        InPrinter(r"(    task_S0\(buf_C, beta\);\n)", r"\1\1"),
    ),
}
CASES = [
    pytest.param(bug, id=f"{name}-{type(bug).__name__}-{at}") for name in BUGS for at, bug in enumerate(BUGS[name])
]


def test_the_twelve_bugs_are_there() -> None:
    assert len(BUGS) == 12
    proved = {name for name, bugs in BUGS.items() if any(isinstance(bug, InPlan) for bug in bugs)}
    assert set(BUGS) - proved == {"wrong bank", "lost scalar", "wrong reduction init"}


@pytest.mark.parametrize("bug", CASES)
def test_bug_is_caught(bug: InPlan | InPrinter) -> None:
    good = bug.good() if isinstance(bug, InPlan) else gemm_resident()
    found, live = dependences(good.scop), liveness(good.scop)
    assert prove(good, found, live).passed
    if isinstance(bug, InPrinter):
        wrong = spoil.in_text(project(good), bug.pattern, bug.replacement)
        verdict = verify(good, wrong, found, live=live)
        assert not verdict.passed and {c.name.split()[0] for c in verdict.failures} == {"run"}, verdict.failures
        return
    plan = bug.spoilt(good)
    verdict = prove(plan, found, live)
    assert verdict.refuted and bug.sees in [c.name for c in verdict.failures], verdict.failures
    assert not run(project(plan), plan, sets=["random"]).passed
    assert not verify(plan, project(plan), found, live=live).passed


@pytest.mark.parametrize("good", [wavefront, gemm_resident, *map(point, ("gemm-tiled", "gemm-ragged", "2mm-mixed"))])
def test_without_a_bug_all_is_well(good: Callable[[], Plan]) -> None:
    plan = good()
    assert verify(plan, project(plan), dependences(plan.scop), live=liveness(plan.scop)).passed
