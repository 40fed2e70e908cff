"""Tiles in a table: what the table has, what designs with one cost, how far apart their starts are, what is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from builders import scop as build_scop
from model_candidates import Kernel, candidates_of, figures_of, kernel_of
from model_kernels import built
from point_files import case
from random_kernels import random_point
from unit.search.measured_designs import KERNELS, Full, every_design, measured_space
from unit.verify.test_promises import gaps

from sisyphus.analysis import LoopKind
from sisyphus.backends.hls import project
from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.model import NestModel, estimate
from sisyphus.plan import For, LoopRole, Plan, Task, TileList, build_plan, tables_in, walk
from sisyphus.search import MeasuredCosts, search
from sisyphus.solve import Limits, Stop
from sisyphus.space import (
    KERNEL_PLACE,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Options,
    Space,
    Tile,
    build_space,
    may_be_listed,
)
from sisyphus.target import load_device, make_target
from sisyphus.verification import prove, run
from sisyphus.verification.promises import check_promises
from sisyphus.verification.sites import Tree
from sisyphus.verification.tile_rows import check_tile_rows

TARGET = make_target(load_device("u200"), budget="chip")
#: Cycles that ports of memories may take; a wait for a value of another start would be at least that of an addition.
MOST_PORTS = 5
#: Kernels over triangles, whose tile loops have moving bounds, and how many of their designs are looked at.
TRIANGLES = {"triangle": 3, "upper triangle": 8, "elimination": 5, "waves": 5}
#: Those whose tables begin anew in each iteration of a loop around: an outer one, the sequential one of the nest.
IN_RUNS = {
    "elimination": (
        """
        for k in range(13):
            for j in range(k + 1, 14):
                R[j] = A[k, j]
            for i in range(k + 1, 14):
                for j in range(k + 1, 14):
                    A[i, j] -= L[i, k] * R[j]
        """,
        {"A": (14, 14), "L": (14, 14), "R": (14,)},
    ),
    "waves": (
        """
        for w in range(11):
            for i in range(w + 1):
                for j in range(w - i + 1):
                    A[i + 1, j + 1, w - i - j + 1] = A[i, j + 1, w - i - j + 1] + A[i + 1, j, w - i - j + 1]
        """,
        {"A": (13, 13, 13)},
    ),
    "two eliminations": (
        """
        for k in range(13):
            for j in range(k + 1, 14):
                R[j] = A[k, j]
            for i in range(k + 1, 14):
                for j in range(k + 1, 14):
                    A[i, j] -= L[i, k] * R[j]
        for k in range(4):
            for j in range(k + 1, 14):
                R[j] = L[k, j]
            for i in range(k + 1, 14):
                for j in range(k + 1, 14):
                    A[i, j] -= L[i, k] * R[j]
        """,
        {"A": (14, 14), "L": (14, 14), "R": (14,)},
    ),
}


def made(name: str) -> Scop:
    return build_scop(IN_RUNS[name][0], **IN_RUNS[name][1]) if name in IN_RUNS else built(name)


def listed_space(kernel: Kernel) -> Space:
    space = kernel.space
    options = replace(space.options, listed=True)
    return build_space(space.scop, space.dependences, space.distribution, space.live, space.target, options)


def points(name: str, count: int) -> tuple[Kernel, list[DesignPoint]]:
    """Random points with every nest listed that may be, all arrays on chip for the whole kernel."""
    rng, scop = random.Random(name), made(name)
    kernel = kernel_of(scop, TARGET)
    return kernel, [
        listed(kernel, random_point(rng, scop, kernel.distribution, ragged=n % 2 == 0)) for n in range(count)
    ]


def listed(kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """The point with all that may be listed, and a pipelined loop that turns where its tiles allow it."""
    nests = []
    for nest, own in zip(kernel.distribution.nests, point.nests, strict=True):
        around = tuple(loop.iterator for loop in nest.band if loop.kind is LoopKind.SEQUENTIAL)
        is_listed = may_be_listed(kernel.scop, nest) and own.pipeline not in (None, *around)
        tiles = tuple((loop, _turning(tile) if loop == own.pipeline else tile) for loop, tile in own.tiles)
        order = (*around, *(loop for loop in own.order if loop not in around)) if is_listed else own.order
        nests.append(replace(own, unroll=(), tiles=tiles, order=order, listed=is_listed))
    whole = {b.array: b for b in reversed(point.buffers)}
    users = {a: tuple(n for b in point.buffers if b.array == a for n in b.nests) for a in whole}
    order = [nest.id for nest in point.nests]
    buffers = tuple(
        replace(b, place=KERNEL_PLACE, copies=1, nests=tuple(sorted(users[a], key=order.index)))
        for a, b in whole.items()
    )
    return replace(point, nests=tuple(nests), buffers=buffers, transfers=())


def _turning(tile: Tile) -> Tile:
    """Some tiles of level 0 as iterations of level 1."""
    turns = next((n for n in (3, 2, 5, 4, 7) if tile.level0 % n == 0), 1)
    return tile if tile.level1 > 1 else Tile(tile.level0 // turns, turns, tile.level2)


def plans(name: str, count: int) -> Iterator[tuple[Kernel, DesignPoint, Plan]]:
    kernel, found = points(name, count)
    return ((kernel, point, build_plan(kernel.scop, kernel.distribution, kernel.space.live, point)) for point in found)


@pytest.mark.parametrize("name", TRIANGLES)
def test_designs_are_proved_and_their_promises_are_those_of_the_plan_when_it_runs(name: str) -> None:
    tables = 0
    for kernel, point, plan in plans(name, TRIANGLES[name]):
        assert prove(plan, kernel.dependences).passed, point
        text = project(plan, None).files["kernel.cpp"]
        for check in check_promises(plan, text):
            assert check.passed, f"{check.detail} of {point}"
        for task in plan.called:
            said = promised(text, task.name)
            if said is not None:
                tables += 1
                assert min(gaps(plan, task.name), default=said) >= said, point
    assert tables


def promised(text: str, task: str) -> int | None:
    """The distance that the pipelined loop of a task is said to have; None where it has no table."""
    body = text[text.index(f"static void {task}(") :].split("\n}\n")[0]
    found = re.search(r"inter (?:distance=(\d+) true|false)", body)
    return None if found is None else int(found[1] or 0)


def test_a_start_too_far_is_refused() -> None:
    [(_, point, plan)] = [found for found in plans("upper triangle", 40) if promised_by(found[2]) > 1][:1]
    text, said = project(plan, None).files["kernel.cpp"], promised_by(plan)
    # how much further apart starts really are depends on the bounds: a whole run of all loops is always too far
    wrong = text.replace(f"distance={said} true", f"distance={1 << 20} true")
    assert wrong != text
    assert not all(check.passed for check in check_promises(plan, wrong)), point


def promised_by(plan: Plan) -> int:
    text = project(plan, None).files["kernel.cpp"]
    return max((promised(text, task.name) or 0 for task in plan.called), default=0)


@pytest.mark.parametrize("name", TRIANGLES)
def test_candidates_cost_what_their_plans_cost(name: str) -> None:
    kernel, found = points(name, 40)
    space = listed_space(kernel)
    listing = [at for at, nest in enumerate(space.nests) if nest.listed]
    kept = [point for point in found if all(point.nests[at].listed for at in listing)]
    made = [kernel.plan(point) for point in kept]
    assert len(kept) > 10
    for nest in space.nests:
        costs = NestModel(kernel.scop, nest, TARGET).costs(candidates_of(kernel, nest, kept, made))
        for at, plan in enumerate(made):
            wanted = figures_of(plan, TARGET, nest)
            assert wanted is not None
            assert (costs.cycles[at], costs.interval[at]) == (wanted.cycles, wanted.interval), kept[at]


def test_a_table_has_the_tiles_that_the_loops_visit_in_their_order() -> None:
    seen = 0
    for _, _, plan in plans("triangle", 20):
        for task in plan.called:
            for table in tables_in(plan, task):
                seen += 1
                rows = sorted(table.rows) if table.apart else list(table.rows)
                assert rows == sorted(set(table.rows))
                first, *_, last = table.loops
                assert len(table.rows) < first.trip_count * last.trip_count * 1000
                assert not any(
                    isinstance(n, For) and n.role is LoopRole.TILE and not n.is_constant for n in walk(table.body)
                )
    assert seen > 3


@pytest.mark.parametrize("name", IN_RUNS)
def test_a_run_of_a_table_has_the_tiles_that_its_loops_visit_then(name: str) -> None:
    seen = 0
    for _, _, plan in plans(name, 30):
        for table in (table for task in plan.called for table in tables_in(plan, task)):
            seen += 1
            assert table.around is not None and table.around.lower.value == 0
            assert len(table.begins) == table.around.trip_count + 1 and table.begins[-1] == len(table.rows)
            for value, (first, end) in enumerate(pairwise(table.begins)):
                own = [*visited(table.loops, {table.around.iterator: value})]
                assert own == [*table.rows[first:end]]
                assert table.fewest <= len(own) <= table.most
    assert seen > 2


def test_runs_of_a_table_are_those_of_the_loop_around_its_own_task() -> None:
    """Two loops of a kernel may have one name, as these over steps, of which one has 13 and the other 4."""
    found = {
        (task.statements, len(table.begins) - 1)
        for _, _, plan in plans("two eliminations", 40)
        for task in plan.called
        for table in tables_in(plan, task)
    }
    assert found == {(("S1",), 13), (("S3",), 4)}


@pytest.mark.parametrize("name", ["triangle", "upper triangle", *IN_RUNS])
def test_a_table_with_other_rows_than_its_loops_visit_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other check reads the table, so that iterations went missing and all was proved."""
    right = tables_in

    def of_another(plan: Plan, task: Task) -> Iterator[TileList]:
        for table in right(plan, task):
            begins = tuple(min(begin, table.begins[-1] - 1) for begin in table.begins)
            yield replace(table, begins=begins) if begins else replace(table, rows=table.rows[::-1])

    seen = 0
    for _, _, plan in plans(name, 30):
        told = [*check_tile_rows(plan, Tree.of(plan))]
        assert all(check.passed for check in told)
        with monkeypatch.context() as patched:
            patched.setattr("sisyphus.verification.tile_rows.tables_in", of_another)
            faults = [*check_tile_rows(plan, Tree.of(plan))]
        assert not any(check.passed for check, one in zip(faults, told, strict=True) if " 1 tiles" not in one.detail)
        seen += len(told)
    assert seen > 2


def visited(loops: Sequence[For], around: dict[str, int]) -> Iterator[tuple[int, ...]]:
    """What loops visit, by trying all that is within their trip counts and their first values."""
    if not loops:
        yield ()
        return
    first, *rest = loops
    for value in range(-50, 50):
        above = all(value * q.divisor >= q.numerator.evaluate(around) for q in first.lower.terms)
        if above and all(value * q.divisor <= q.numerator.evaluate(around) for q in first.upper.terms):
            for row in visited(rest, {**around, first.iterator: value}):
                yield (value, *row)


def test_a_run_begins_once_all_starts_of_the_one_before_are_done() -> None:
    """What the wavefront before wrote is read by the next one, which waits for nothing within its own starts."""
    for kernel, point, plan in plans("waves", 12):
        text = project(plan, None).files["kernel.cpp"]
        [task] = plan.called
        if promised(text, task.name) is not None:
            assert "type=inter false" in text and promised(text, task.name) == 0
            assert prove(plan, kernel.dependences).passed, point
            assert max(estimate(plan, TARGET).intervals[task.name]) <= MOST_PORTS, point


#: Few enough designs that all are costed, of a nest that comes back to what it updates and of one that does not.
SMALL = {
    "triangle": KERNELS["triangle"],
    "rows": (KERNELS["rows"][0].replace("6", "4"), {"Y": (4,), "A": (4, 4), "X": (4,)}),
}


@pytest.mark.parametrize("name", SMALL)
def test_nothing_that_was_enumerated_is_better(name: str) -> None:
    """The search counts designs with listed tiles as the full model does, and its bound is none of theirs."""
    text, extents = SMALL[name]
    space = measured_space(text, extents)
    space = build_space(
        space.scop,
        space.dependences,
        space.distribution,
        space.live,
        space.target,
        Options(tiles="divisors", listed=True),
    )
    assert [nest.listed for nest in space.nests] == [True]
    full = Full(space)
    best = min(full(point).cycles for point in every_design(space, MeasuredCosts(space).in_registers()))
    found = search(space, MeasuredCosts, "exact", Limits(), full.judge)
    assert found.outcome.stop is Stop.PROVED
    assert found.outcome.objective == best


def test_a_sequential_loop_stays_outside_of_a_table() -> None:
    kernel, found = points("waves", 12)
    point = next(p for p in found if p.nests[0].listed and p.nests[0].tile("i").level0 > 1)
    order = point.nests[0].order
    turned = replace(point, nests=(replace(point.nests[0], order=(order[1], order[0], *order[2:])),))
    with pytest.raises(KernelError, match=r"stand inside of loop `w`, which is sequential|order"):
        kernel.plan(turned)
    [nest] = listed_space(kernel).nests
    assert nest.listed and {("w", "i"), ("w", "j")} <= nest.nest.precedence and "w" not in nest.pipelines


def test_rows_of_a_table_follow_one_loop_around_at_most() -> None:
    text = """
    for s in range(3):
        for k in range(13):
            for j in range(k + 1, 14):
                R[j] = A[k, j]
            for i in range(k + 1, 14):
                for j in range(k + 1, 14):
                    A[i, j] -= L[i, k] * R[j]
    """
    kernel = kernel_of(build_scop(text, **IN_RUNS["elimination"][1]), TARGET)
    assert [nest.outer for nest in kernel.distribution.nests] == [("s", "k")] * 2
    assert not any(may_be_listed(kernel.scop, nest) for nest in kernel.distribution.nests)


def test_what_cannot_be_listed_is_refused() -> None:
    kernel, [point, *_] = points("upper triangle", 30)
    place = point.nests[0].order[0]
    moved = replace(point, buffers=tuple(replace(b, place=place) for b in point.buffers))
    with pytest.raises(KernelError, match=r"is transferred between the tiles of nest|unrolled|partition"):
        kernel.plan(moved)
    box = kernel_of(built("gemm"), TARGET)
    plain = random_point(random.Random(1), box.scop, box.distribution)
    with pytest.raises(KernelError, match="cannot be listed"):
        box.plan(replace(plain, nests=tuple(replace(nest, listed=True) for nest in plain.nests)))


#: Faults of a table and of what is read of it, which no proof of the loops sees.
WRONG = {
    "nothing": ("", ""),
    "a row too few": (r"tile < (\d+)", lambda found: f"tile < {int(found[1]) - 1}"),
    "a row of another tile": (r"(_j0_of\[\d+\] =[^{]*\{\s*0, 0, )1", r"\g<1>0"),
    "another column": (r"int j0 = (\w+)_j0_of\[tile\]", r"int j0 = \1_i0_of[tile]"),
}


WAVES = """
void waves(float A[13][13][13])
{
    for (int w = 0; w < 11; w++)
        for (int i = 0; i <= w; i++)
            for (int j = 0; j <= w - i; j++)
                A[i + 1][j + 1][w - i - j + 1] = A[i][j + 1][w - i - j + 1] + A[i + 1][j][w - i - j + 1];
}
"""
#: Faults of where the rows of a run begin.
WRONG_RUNS = {
    "nothing": ("", ""),
    "a run that begins too late": (r"(_begins\[\d+\] =[^{]*\{\s*0, )1", r"\g<1>2"),
    "rows of the next run": (r"_begins\[(\w+)\];", r"_begins[\1 + 1];"),
}


@pytest.mark.parametrize("fault", WRONG_RUNS)
def test_faults_of_where_runs_begin_are_seen(tmp_path: Path, fault: str) -> None:
    (tmp_path / "waves.c").write_text(WAVES)
    kernel = kernel_of(read(tmp_path / "waves.c"), TARGET)
    nest = NestPoint(
        (StmtId("S0"),),
        ("w", "i", "j"),
        (("w", Tile(11, 1, 1)), ("i", Tile(4, 1, 3)), ("j", Tile(3, 2, 2))),
        "j",
        listed=True,
    )
    buffer = BufferPoint(ArrayId("A"), (nest.id,), KERNEL_PLACE, (3, 2, 1))
    plan = kernel.plan(DesignPoint("waves", (nest,), (buffer,), ()))
    good = project(plan)
    text = re.sub(*WRONG_RUNS[fault], good.files["kernel.cpp"], count=1)
    ran = run(replace(good, files=MappingProxyType({**good.files, "kernel.cpp": text})), plan, sets=["random"])
    assert ran.passed == (text == good.files["kernel.cpp"]) == (fault == "nothing"), ran.checks


STRIPS = """
void strips(float A[16][20], const float B[16][20])
{
    for (int t = 0; t < 4; t++)
        for (int i = 4 * t; i < 4 * t + 4; i++)
            for (int j = 0; j < 20; j++)
                A[i][j] = B[i][j] * 2.0f;
}
"""


def test_a_table_has_no_column_that_nothing_reads(tmp_path: Path) -> None:
    (tmp_path / "strips.c").write_text(STRIPS)
    kernel = kernel_of(read(tmp_path / "strips.c"), TARGET)
    tiles = (("t", Tile(4, 1, 1)), ("i", Tile(8, 1, 2)), ("j", Tile(5, 4, 1)))
    nest = NestPoint((StmtId("S0"),), ("t", "i", "j"), tiles, "j", listed=True)
    buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), KERNEL_PLACE, (2, 1)) for a in "AB")
    plan = kernel.plan(DesignPoint("strips", (nest,), buffers, ()))
    emitted = project(plan)
    assert re.findall(r"const int (\w+) = ", emitted.files["kernel.cpp"]) == ["i0"]
    assert run(emitted, plan, sets=["random"]).passed


COLUMNS = """
void columns(float A[12][13], float Q[12], float R[13])
{
    for (int k = 0; k < 12; k++) {
        for (int j = k + 1; j < 13; j++)
            R[j] = A[k][j];
        for (int i = 0; i < 12; i++)
            for (int j = k + 1; j < 13; j++)
                A[i][j] -= Q[i] * R[j];
    }
}
"""


def test_a_table_of_one_loop_runs(tmp_path: Path) -> None:
    """The loop over the rows has a name beside that of the only loop that the rows are of."""
    (tmp_path / "columns.c").write_text(COLUMNS)
    kernel = kernel_of(read(tmp_path / "columns.c"), TARGET)
    nests = (
        NestPoint((StmtId("S0"),), ("j",), (("j", Tile(12, 1, 1)),), "j"),
        NestPoint((StmtId("S1"),), ("j", "i"), (("j", Tile(3, 1, 4)), ("i", Tile(6, 2, 1))), "i", listed=True),
    )
    whole = {"A": (nests, (1, 4)), "Q": (nests[1:], (1,)), "R": (nests, (4,))}
    buffers = tuple(
        BufferPoint(ArrayId(array), tuple(nest.id for nest in users), KERNEL_PLACE, parts)
        for array, (users, parts) in whole.items()
    )
    plan = kernel.plan(DesignPoint("columns", nests, buffers, ()))
    [table] = (table for task in plan.called for table in tables_in(plan, task))
    assert [loop.source for loop in table.loops] == ["j"] and table.around is not None
    assert run(project(plan), plan, sets=["random"]).passed


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_printed_runs_and_faults_of_a_table_are_seen(fault: str) -> None:
    plan = case("syrk-listed").plan
    good = project(plan)
    text = re.sub(*WRONG[fault], good.files["kernel.cpp"], count=1)  # type: ignore[call-overload]
    ran = run(replace(good, files=MappingProxyType({**good.files, "kernel.cpp": text})), plan, sets=["random"])
    assert ran.passed == (text == good.files["kernel.cpp"]) == (fault == "nothing"), ran.checks
