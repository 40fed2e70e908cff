"""Index-set splitting: full tiles of a level-0 loop apart from those on a boundary of the domain; knows no statement.

for i0: for k0 in ceil((i0 - 3)/4)..4: tile   over i <= k <= 17, with tiles of 4 k, becomes
for i0: { for k0 in ceil((i0 - 3)/4)..ceil(i0/4) - 1: guarded tile
          for k0 in ceil(i0/4)..3: tile
          for k0 in 4..4: guarded tile }
which visits the same tiles in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sisyphus.errors import InternalError
from sisyphus.plan.levels import Levels
from sisyphus.plan.loop_bounds import Range, Scan, restrict
from sisyphus.plan.tree import Bound, Quotient
from sisyphus.poly import (
    Affine,
    Set,
    const,
    dim_names,
    extend,
    largest_extent,
    make_set,
    project_onto,
    remaining_conditions,
)

#: Conditions (each >= 0) on level-0 loops that are left until a tile is full; None where it never is.
Full = tuple[Affine, ...] | None


def full_tiles(levels: Levels, scan: Scan) -> Full:
    """The conditions under which all iterations of a tile run.

    None where no choice of tiles is full: a loop of one ragged tile, a domain that is not convex. Conditions on outer
    loops alone, which hold for all tiles or for none, are left aside.
    """
    if scan.context is None or any(len(parts) != 1 for parts in scan.guards.values()):
        return None
    tiles = {name for name, _ in levels.level0}
    found: list[Affine] = []
    for condition in dict.fromkeys(c for [conditions] in scan.guards.values() for c in conditions):
        if condition.names <= set(levels.outer):
            continue
        least = condition.substitute(_least(levels, condition))
        if not least.names & tiles:
            return None
        found.append(least)
    dims = [*levels.outer, *(name for name, _ in levels.level0)]
    visited = project_onto(scan.context, dims)
    for condition in tuple(found):
        others = [c for c in found if c is not condition]
        if visited.intersect(make_set("", dims, at_least_zero=others)).is_subset(_where(visited, condition)):
            found = others
    return tuple(found)


def _least(levels: Levels, condition: Affine) -> dict[str, Affine]:
    """The values of the copies of levels 1 and 2 at which a condition is the least."""
    trips = {name: c.tile.level1 for name, c in levels.level1} | {name: c.tile.level2 for name, c in levels.level2}
    return {name: const(0 if condition.coefficient(name) > 0 else trip - 1) for name, trip in trips.items()}


def _where(points: Set, condition: Affine) -> Set:
    return points.intersect(make_set("", dim_names(points), at_least_zero=[condition]))


def pieces(levels: Levels, at: int, scan: Scan, full: Full) -> Iterator[tuple[Scan, Full]]:
    """The `at`-th level-0 loop as loops that follow each other: what each visits, and what is left to settle inside."""
    name, deeper = levels.level0[at][0], {inner for inner, _ in levels.level0[at + 1 :]}
    own = [c for c in full or () if name in c.names and not c.names & deeper]
    low = [c for c in own if c.coefficient(name) > 0]
    high = [c for c in own if c.coefficient(name) < 0]
    if full is None or not own:
        yield scan, full
    elif len(low) > 1 or len(high) > 1:
        yield scan, None
    else:
        left = tuple(c for c in full if c not in own)
        after = [*low, *(-c - 1 for c in high)] if high else []
        for conditions, settled in (([-c - 1 for c in low], None), (own, left), (after, None)):
            piece = _piece(levels, at, scan, conditions) if conditions else None
            if piece is not None:
                yield piece, settled


def _piece(levels: Levels, at: int, scan: Scan, conditions: Sequence[Affine]) -> Scan | None:
    """What is visited under conditions on a level-0 loop; None where there is nothing."""
    if scan.context is None or scan.instances is None:
        return None
    context = scan.context.intersect(make_set("", dim_names(scan.context), at_least_zero=conditions))
    if context.is_empty():
        return None
    ranges = dict(scan.ranges)
    names = [name for name, _ in (*levels.level0, *levels.level1)]
    for place, name in enumerate(names[at:], start=at):
        around = _reached(levels, scan, names[:place], ranges, name)
        ranges[name] = _limits(around, name, _settled(ranges, name), conditions if place == at else ())
    guards = {s: remaining_conditions(points, context) for s, points in scan.instances.items()}
    return replace(scan, ranges=ranges, guards=guards, context=context)


def _reached(levels: Levels, scan: Scan, names: Sequence[str], ranges: Mapping[str, Range], name: str) -> Set:
    """The iterations of the first tile loops, with one more loop free inside of them."""
    if scan.around is None:
        raise InternalError("a nest that was scanned as a box is not split")
    dims, points = list(levels.outer), scan.around
    for outer in names:
        dims.append(outer)
        points = restrict(extend(points, dims), outer, ranges[outer])
    return extend(points, [*dims, name])


def _settled(ranges: Mapping[str, Range], name: str) -> Range:
    """The bounds of a loop with the values of those loops around it that have just one."""
    values = {n: r.lower.value for n, r in ranges.items() if r.lower.value == r.upper.value}
    fixed = {n: const(value) for n, value in values.items() if value is not None}
    whole = ranges[name]
    lower, upper = (
        Bound(tuple(replace(q, numerator=q.numerator.substitute(fixed)) for q in bound.terms))
        for bound in (whole.lower, whole.upper)
    )
    return Range(lower, upper, whole.trip_count)


def _limits(around: Set, name: str, whole: Range, conditions: Sequence[Affine]) -> Range:
    """The bounds of a loop within those of the whole one, as far as the loops around do not imply them."""
    lower, upper = list(whole.lower.terms), list(whole.upper.terms)
    for condition in conditions:
        factor = condition.coefficient(name)
        rest = condition - Affine.of({name: factor})
        (lower if factor > 0 else upper).append(Quotient(-rest if factor > 0 else rest, abs(factor)))
    first = Bound(tuple(_needed([_rounded(q, -1) for q in lower], around, name, -1)))
    last = Bound(tuple(_needed([_rounded(q, 1) for q in upper], around, name, 1)))
    limits = Range(first, last, whole.trip_count)
    if not conditions:
        return limits
    return replace(limits, trip_count=largest_extent(restrict(around, name, limits), name))


def _rounded(term: Quotient, side: int) -> Quotient:
    """A constant without a divisor; `side` is -1 for a lower bound, 1 for an upper one."""
    if not term.numerator.is_constant:
        return term
    return Quotient(const(side * (side * term.numerator.constant // term.divisor)))


def _needed(terms: Sequence[Quotient], around: Set, name: str, side: int) -> list[Quotient]:
    """The terms of a bound that no other one implies wherever the loops around are."""
    kept = list(dict.fromkeys(terms))
    for term in tuple(kept):
        others = [q for q in kept if q is not term]
        if others and _within(around, name, others, side).is_subset(_within(around, name, [term], side)):
            kept = others
    return kept


def _within(around: Set, name: str, terms: Sequence[Quotient], side: int) -> Set:
    conditions = [side * (q.numerator - Affine.of({name: q.divisor})) for q in terms]
    return around.intersect(make_set("", dim_names(around), at_least_zero=conditions))
