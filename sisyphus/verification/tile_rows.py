"""Does a table of tiles have what its loops visit, in their order; knows the loops from the tree alone.

All other checks read the loops that a table stands for, and what is printed is the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from sisyphus.plan import MOST_TILES, For, Plan, TileList, tables_in
from sisyphus.poly import each_point, make_map, make_set, var
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.sites import Spot, Tree
from sisyphus.verification.verdict import Check

#: Values of the loop around a table, if there is one, and of the loops that it stands for.
Rows = list[tuple[int, ...]]


def check_tile_rows(plan: Plan, tree: Tree) -> Iterator[Check]:
    """One check per table: in each iteration of the loop around, its rows are the tiles that the loops visit then."""
    for task in plan.called:
        for table in tables_in(plan, task):
            outside = [place for place, node in tree.nodes if place.task is task and node is table.loops[0]]
            inside = [place for place, loop in tree.loops if place.task is task and loop is table.loops[-1]]
            shown = f"has the {len(table.rows):,} tiles that its loops visit"
            yield on_leash(
                f"table of {task.name}", shown, partial(_fault, table, list(zip(outside, inside, strict=True)))
            )


def _fault(table: TileList, places: Sequence[tuple[Spot, Spot]]) -> str | None:
    """Where rows and visits differ first; `places` are those outside and inside of the loops, a pair for each call."""
    for outside, inside in places:
        loops = [*([table.around] if table.around else []), *table.loops]
        printed, visited = _printed(table, outside), _values(inside, loops)
        both = zip_longest(printed, visited)
        fault = next(((row, visit) for row, visit in both if row != visit), None)
        if fault is not None:
            row, visit = (None if values is None else _named(loops, values) for values in fault)
            return f"has {row or 'no row more'} where its loops come to {visit or 'their end'}"
    return None


def _printed(table: TileList, outside: Spot) -> Rows:
    """The rows as they run, each behind the value of the loop around, which counts from its first one."""
    if table.around is None:
        return list(table.rows)
    found, first = Rows(), table.around.lower.value or 0
    for (value,) in _values(outside, [table.around]):
        begin, end = table.begins[value - first], table.begins[value - first + 1]
        found += [(value, *row) for row in table.rows[begin:end]]
    return found


def _values(place: Spot, loops: Sequence[For]) -> Rows:
    """The values that some loops around a place come to, in their order."""
    points = make_set("loops", place.dims, at_least_zero=place.conditions)
    values = [place.value(var(loop.iterator)) for loop in loops]
    relation = make_map("loops", place.dims, "row", [f"v{at}" for at in range(len(values))], values)
    found = each_point(relation.intersect_domain(points).range(), MOST_TILES)
    return sorted(tuple(point.values()) for point in found)


def _named(loops: Sequence[For], row: tuple[int, ...]) -> str:
    return "{" + ", ".join(f"{loop.iterator}: {value}" for loop, value in zip(loops, row, strict=True)) + "}"
