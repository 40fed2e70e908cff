"""Rows of a table that update one element: how far apart they lie, what keeps its order, which faults are seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.plan.test_tile_list import plans, promised
from unit.verify.test_promises import gaps

from sisyphus.algebra import EXACT
from sisyphus.backends.hls import project
from sisyphus.plan import Plan, Task, TileList, rows_apart, tables_in
from sisyphus.plan.interleaved import interleaved
from sisyphus.verification.promises import check_promises
from sisyphus.verification.sites import Tree
from sisyphus.verification.tile_rows import check_tile_rows, nearest_rows

Row = tuple[int, int]


def gap(found: list[Row] | tuple[Row, ...]) -> int:
    """How far apart two rows of a chain are at least."""
    last, nearest = dict[int, int](), len(found)
    for place, (chain, _) in enumerate(found):
        nearest = min(nearest, place - last.get(chain, -len(found)))
        last[chain] = place
    return nearest


@given(st.lists(st.integers(1, 12), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_rows_of_a_chain_keep_their_order_and_lie_as_far_apart_as_any_order_has_them(
    lengths: list[int], rng: Random
) -> None:
    rows = [(chain, at) for at in range(max(lengths)) for chain, length in enumerate(lengths) if at < length]
    found, apart = interleaved(rows, [chain for chain, _ in rows])
    assert sorted(found) == sorted(rows)
    for chain in range(len(lengths)):
        own = [at for other, at in found if other == chain]
        assert own == sorted(own)
    assert gap(found) >= apart >= 1
    # the longest chains alone leave no order with more
    longest = max(lengths)
    assert longest == 1 or (longest - 1) * (apart + 1) + lengths.count(longest) > len(rows)
    # what is known before the rows are: no fewer chains, none longer
    more, longer = rng.randint(0, 4), rng.randint(0, 4)
    assert longest == 1 or rows_apart(EXACT, len(rows), len(lengths) + more, longest + longer) <= apart


def test_rows_of_an_order_that_is_as_good_are_no_further_apart() -> None:
    """No shuffle of rows had any further apart."""
    rows = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]
    assert interleaved(rows, [0, 0, 0, 1, 1, 2]) == (((0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (2, 0)), 2)


def tables(count: int) -> Iterator[tuple[Plan, TileList]]:
    """Tables over `B[i][j] += A[k][i] * D[k][j]` for k > i whose rows do not stand as the loops visit them."""
    for _, _, plan in plans("upper triangle", count):
        for table in (t for task in plan.called for t in tables_in(plan, task) if t.apart):
            if any(later < row for row, later in pairwise(table.rows)):
                yield plan, table


def test_designs_of_a_triangular_sum_have_such_tables() -> None:
    found = [table for _, table in tables(30)]
    assert len(found) > 3
    for table in found:
        picking = [at for at, loop in enumerate(table.loops) if loop.source in "ij"]
        nearest = nearest_rows(table, picking)
        assert nearest is not None and nearest >= table.apart


@pytest.mark.parametrize("name", ["upper triangle", "triangle"])
def test_a_distance_too_large_by_one_is_refused(name: str) -> None:
    """Between rows of one pass, and between passes that a loop around makes over all of them."""
    seen = 0
    for _, _, plan in plans(name, 12):
        text = project(plan, None).files["kernel.cpp"]
        for task in plan.called:
            said = promised(text, task.name)
            if said:
                apart = gaps(plan, task.name)
                assert min(apart, default=said) >= said
                if said in apart:
                    seen += 1
                    wrong = text.replace(f"distance={said} true", f"distance={said + 1} true")
                    assert not all(check.passed for check in check_promises(plan, wrong))
        assert all(check.passed for check in check_promises(plan, text))
    assert seen > 2


def test_rows_that_share_an_element_in_another_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right, seen = tables_in, 0

    def swapped(plan: Plan, task: Task) -> Iterator[TileList]:
        for table in right(plan, task):
            picking = [at for at, loop in enumerate(table.loops) if loop.source in "ij"]
            first = {tuple(row[at] for at in picking): place for place, row in reversed([*enumerate(table.rows)])}
            last = {tuple(row[at] for at in picking): place for place, row in enumerate(table.rows)}
            one, other = next((first[chain], last[chain]) for chain in first if first[chain] != last[chain])
            rows = list(table.rows)
            rows[one], rows[other] = rows[other], rows[one]
            yield replace(table, rows=tuple(rows))

    for plan, _ in tables(30):
        assert all(check.passed for check in check_tile_rows(plan, Tree.of(plan)))
        with monkeypatch.context() as patched:
            patched.setattr("sisyphus.verification.tile_rows.tables_in", swapped)
            [wrong] = check_tile_rows(plan, Tree.of(plan))
        assert not wrong.passed and "which may touch an element that it writes" in wrong.detail
        seen += 1
    assert seen > 3
