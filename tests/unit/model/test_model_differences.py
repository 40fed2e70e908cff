"""Tiles of loops that bound each other are counted as if every point were listed."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.model.counting.differences import differences
from sisyphus.poly import Affine, var

LOOPS = ("i", "j", "k", "l")
#: Many of one iteration, as such loops are added up in pairs.
TILE = st.sampled_from((1, 1, 1, 2, 3, 5))


@st.composite
def bounded(draw: st.DrawFn, *, flipped: frozenset[str] | None = None) -> list[Affine]:
    """Conditions on some loops in a small box; loops that run backwards are tied by their sums."""
    if flipped is None:
        flipped = draw(st.frozensets(st.sampled_from(LOOPS)))
    found = []
    for name in LOOPS:
        low = draw(st.integers(-3, 3))
        found += [var(name) - low, low + draw(st.integers(0, 7)) - var(name)]
    pairs = st.tuples(st.sampled_from(LOOPS), st.sampled_from(LOOPS), st.integers(-4, 6), st.integers(1, 2))
    for one, other, slack, factor in draw(st.lists(pairs, max_size=4)):
        if one != other:
            signs = {name: -1 if name in flipped else 1 for name in LOOPS}
            found.append((var(one) * signs[one] - var(other) * signs[other]) * factor + slack)
    return found


BOX = np.array(list(product(range(-3, 11), repeat=4)))


def points_of(conditions: list[Affine]) -> list[tuple[int, ...]]:
    inside = np.ones(len(BOX), bool)
    for c in conditions:
        inside &= BOX @ np.array([c.coefficient(name) for name in LOOPS]) + c.constant >= 0
    return [tuple(row) for row in BOX[inside].tolist()]


@given(bounded(), st.frozensets(st.sampled_from(LOOPS)), st.lists(st.tuples(*[TILE] * 4), min_size=1))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_tiles_hold_a_point_each(
    conditions: list[Affine], tiled: frozenset[str], sizes: list[tuple[int, int, int, int]]
) -> None:
    found = differences(LOOPS, [conditions])
    assert found is not None
    points, lower = points_of(conditions), dict.fromkeys(LOOPS, -3)
    columns = {name: np.array([s[at] for s in sizes]) for at, name in enumerate(LOOPS) if name in tiled}
    expected = [
        len({tuple((p[LOOPS.index(name)] + 3) // int(column[at]) for name, column in columns.items()) for p in points})
        for at in range(len(sizes))
    ]
    assert found[0].tiles(lower, columns).tolist() == (expected if tiled else expected[:1])


@given(st.data())
@settings(max_examples=20, derandomize=True, deadline=None)
def test_sets_meet_and_cover_each_other(data: st.DataObject) -> None:
    flipped = data.draw(st.frozensets(st.sampled_from(LOOPS)))
    conditions = [data.draw(bounded(flipped=flipped)) for _ in range(2)]
    found = differences(LOOPS, conditions)
    assert found is not None
    one, other = (set(points_of(c)) for c in conditions)
    ones = dict.fromkeys(LOOPS, np.ones(1, np.int64))
    assert found[0].meet(found[1]).tiles(dict.fromkeys(LOOPS, 0), ones).tolist() == [len(one & other)]
    assert found[0].covers(found[1]) == (other <= one)


def test_what_is_no_difference_is_left_to_others() -> None:
    i, j, k = var("i"), var("j"), var("k")
    assert differences(LOOPS, [[i * 2 - j]]) is None
    assert differences(LOOPS, [[i + j + k]]) is None
    assert differences(LOOPS, [[i - j, i + j]]) is None
    assert differences(LOOPS, [[i - j], [i + j]]) is None
