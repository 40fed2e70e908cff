"""Designs side by side: each differs from every other one in more than one tile."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from unit.search.measured_designs import Full, a_point, kernel_space

from sisyphus.search import MeasuredCosts, SearchWithin, are_alike, varied
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint, Tile


def with_tiles(point: DesignPoint, tiles: dict[str, Tile]) -> DesignPoint:
    """The point with other tiles of its last nest."""
    *others, last = point.nests
    changed = replace(last, tiles=tuple((loop, tiles.get(loop, tile)) for loop, tile in last.tiles))
    return replace(point, nests=(*others, changed))


def test_one_tile_makes_no_difference_where_there_are_more() -> None:
    point = a_point(kernel_space("rows"), {"S0.i": (6, 1, 1), "S0.j": (1, 6, 1)})
    first, second, *_ = (loop for loop, _ in point.nests[-1].tiles)
    one = with_tiles(point, {first: Tile(1, 2, 3)})
    two = with_tiles(one, {second: Tile(3, 2, 1)})
    assert are_alike(point, one) and are_alike(one, two) and not are_alike(point, two)
    *others, last = point.nests
    turned = replace(point, nests=(*others, replace(last, order=last.order[::-1])))
    assert not are_alike(point, turned)
    assert varied([point, one, turned, two], lambda p: p, 3) == [point, turned, two]


def test_one_loop_differs_by_its_tile() -> None:
    space = kernel_space("scale")
    one, other = (a_point(space, {"S0.i": tile}) for tile in ((6, 1, 1), (3, 1, 2)))
    assert not are_alike(one, other) and are_alike(one, replace(one, tree_reduction=True))


def test_a_search_keeps_designs_that_differ() -> None:
    space = kernel_space("copy")
    found = SearchWithin(space, MeasuredCosts, "exact", Full(space).judge, improve=False, top=4).run(Limits())
    assert found.point is not None
    designs = [found.point, *found.others]
    assert len(designs) == 4
    assert not any(are_alike(one, other) for one, other in combinations(designs, 2))
