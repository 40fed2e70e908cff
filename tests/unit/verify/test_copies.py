"""Coarse-grained copies: random ones are proved and run bit for bit, planted bugs are caught, one is printed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import spoil
from coarse_kernels import KERNELS, built, copied_point, plain_point
from straight_c import with_source

from sisyphus.analysis import Dependences, dependences, distribute, liveness
from sisyphus.backends.hls import Project, project
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.lint import lint_text
from sisyphus.plan import Copy, For, LoopRole, Plan, Run, Together, build_plan
from sisyphus.poly import const
from sisyphus.space import DesignPoint, Tile, illegal
from sisyphus.verification import prove, run, verify

PROVED = 4

INTEGERS = """
void f(int X[6][4], int Y[6][4], int A[3]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++) {
      X[i][j + 1] = Y[i][j] * A[j];
      Y[i][j + 1] = X[i][j] - 3;
    }
}"""


@pytest.mark.parametrize("name", KERNELS)
def test_random_copies_are_proved_and_run(name: str) -> None:
    rng, scop = random.Random(name), with_source(built(name))
    found, live = dependences(scop), liveness(scop)
    distribution = distribute(scop, found)
    for number in range(PROVED):
        point = copied_point(rng, scop, distribution.nests[0])
        assert DesignPoint.from_json(point.to_json()) == point
        assert illegal(found, distribution, point) is None
        plan = build_plan(scop, distribution, live, point)
        verdict = prove(plan, found, live)
        assert verdict.passed, (point, verdict.failures)
        if number == 0:
            verdict = run(project(plan), plan, sanitize=True)
            assert verdict.passed and verdict.worst_error == 0, (point, verdict.failures)


def rows(place: str = "i") -> tuple[Scop, Dependences, Plan]:
    """Three of six tiles of the rows side by side."""
    scop = with_source(built("rows"))
    found = dependences(scop)
    distribution = distribute(scop, found)
    tiles = {"i": Tile(6, 2, 1), "j": Tile(6, 1, 1)}
    point = plain_point(scop, distribution.nests[0], tiles, {"i": 3}, place)
    return scop, found, build_plan(scop, distribution, liveness(scop), point)


def one_copy_less(plan: Plan) -> Plan:
    def change(node: object) -> tuple[For] | None:
        is_work = (
            isinstance(node, For) and node.role is LoopRole.COPIES and not isinstance(node.body[0], Copy | Together)
        )
        return (spoil.moved_bound(node, upper=-1),) if is_work else None  # type: ignore[arg-type]

    return spoil.everywhere(plan, change)


def same_tile_for_all(plan: Plan) -> Plan:
    """Every copy computes what the first one does."""

    def change(node: object) -> tuple[Run] | None:
        if not isinstance(node, Run):
            return None
        first = {"ic": const(0)}
        return (replace(node, values=tuple((name, value.substitute(first)) for name, value in node.values)),)

    return spoil.everywhere(plan, change)


def one_array_for_all(plan: Plan) -> Plan:
    return replace(plan, buffers=tuple(replace(b, beside=()) for b in plan.buffers))


@pytest.mark.parametrize(
    ("spoilt", "sees"),
    [
        (one_copy_less, "instances of S0"),
        (same_tile_for_all, "instances of S0"),
        (one_array_for_all, "data of X"),
    ],
)
def test_wrong_copies_are_caught_by_the_proof(spoilt: Callable[[Plan], Plan], sees: str) -> None:
    _, found, plan = rows()
    assert prove(plan, found).passed
    assert sees in [check.name for check in prove(spoilt(plan), found).failures]


def test_a_copy_printed_with_a_wrong_index_is_caught_by_running() -> None:
    _, _, plan = rows()
    good = project(plan)
    text = good.files["kernel.cpp"]
    wrong = text.replace("task0_copy(buf_X_S0_S1[ic], ", "task0_copy(buf_X_S0_S1[0], ")
    assert wrong != text
    spoilt: Project = replace(good, files={**good.files, "kernel.cpp": wrong})
    assert not run(spoilt, plan).passed


def test_copies_of_integers(tmp_path: Path, expect) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "f.c").write_text(INTEGERS)
    scop = read(tmp_path / "f.c")
    found, live = dependences(scop), liveness(scop)
    distribution = distribute(scop, found)
    point = plain_point(scop, distribution.nests[0], {"i": Tile(6, 1, 1), "j": Tile(1, 3, 1)}, {"i": 2}, "i")
    plan = build_plan(scop, distribution, live, point)
    text = project(plan).files["kernel.cpp"]
    expect(text[text.index("static void task") : text.index('extern "C"')], ".cpp")
    assert lint_text(project(plan).files["kernel.cpp"]) == ()
    verdict = verify(plan, project(plan), found, live=live, sanitize=True)
    assert verdict.passed and verdict.worst_error == 0, verdict.failures
