"""Does a table of tiles have what its loops visit, in an order that is as good; knows the loops from the tree alone.

All other checks read the loops that a table stands for, and what is printed is the table. Where it has rows in another
order, all rows of which one writes what another touches have to keep theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import pairwise, product, zip_longest

from sisyphus.ir import ArrayId
from sisyphus.plan import MOST_TILES, For, Plan, TileList, tables_in
from sisyphus.poly import each_point, make_map, make_set, var
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.sites import Spot, Tree
from sisyphus.verification.touches import Meeting, touches_in
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
            shown += ", and those that share an element in their order" * bool(table.apart)
            places = list(zip(outside, inside, strict=True))
            yield on_leash(f"table of {task.name}", shown, partial(_fault, plan, tree, table, places))


def _fault(plan: Plan, tree: Tree, table: TileList, places: Sequence[tuple[Spot, Spot]]) -> str | None:
    """Where rows and visits differ first; `places` are those outside and inside of the loops, a pair for each call."""
    for outside, inside in places:
        loops = [*([table.around] if table.around else []), *table.loops]
        printed, visited = _printed(table, outside), _values(inside, loops)
        both = zip_longest(sorted(printed) if table.apart else printed, visited)
        fault = next(((row, visit) for row, visit in both if row != visit), None)
        if fault is not None:
            row, visit = (None if values is None else _named(loops, values) for values in fault)
            return f"has {row or 'no row more'} where its loops come to {visit or 'their end'}"
        for chain in chains_of(table, alike_in(plan, tree, table.loops, inside)).values() if table.apart else ():
            wrong = next(((late, soon) for (_, late), (_, soon) in pairwise(chain) if late > soon), None)
            if wrong is not None:
                late, soon = (_named(loops, row) for row in wrong)
                return f"has {late} before {soon}, which may touch an element that it writes"
    return None


def chains_of(table: TileList, columns: Sequence[int]) -> dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]]:
    """The rows of a table that have the same values in some columns, each with its number, as they stand."""
    found = defaultdict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]](list)
    for number, row in enumerate(table.rows):
        found[tuple(row[at] for at in columns)].append((number, row))
    return found


def nearest_rows(table: TileList, columns: Sequence[int]) -> int | None:
    """How far apart two rows are at least that have the same values in some columns; None where none have."""
    chains = chains_of(table, columns).values()
    return min((later - number for chain in chains for (number, _), (later, _) in pairwise(chain)), default=None)


def alike_in(
    plan: Plan, tree: Tree, loops: Sequence[For], inside: Spot, arrays: Collection[ArrayId] | None = None
) -> tuple[int, ...]:
    """Which of the innermost loops around a place have the same value in any two of their iterations that touch one
    element, of some arrays or any, which one of them writes; shown by isl.
    """
    touches = [touch for touch in touches_in(plan, tree, inside) if arrays is None or touch.ref.array in arrays]
    pairs = [
        (one, other)
        for one, other in product(touches, touches)
        if (one.writes or other.writes) and one.ref.array == other.ref.array
    ]
    outside = inside.loops - len(loops)
    meetings = [Meeting(one, other, outside) for one, other in pairs]
    return tuple(at for at in range(len(loops)) if not any(_differ(meeting, outside + at) for meeting in meetings))


def _differ(meeting: Meeting, level: int) -> bool:
    """Whether both touches may be where the loop at a level does not stand alike."""
    more = [*meeting.at_least_zero, var(f"s{level}") - var(f"t{level}") - 1]
    return not make_set("", meeting.dims, at_least_zero=more, zero=meeting.zero).is_empty()


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
