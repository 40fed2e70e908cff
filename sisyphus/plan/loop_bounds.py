"""Bounds and guards: what the loops of a nest must do to run each statement on exactly its domain.

for i0: for j0: for i2, j2: S(4*i0 + i2, 4*j0 + j2)   over the triangle j <= i becomes
for i0: for j0 in 0..floor((4*i0 + 3)/4): for i2, j2: if (4*i0 + i2 - 4*j0 - j2 >= 0) S(…)
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from sisyphus.algebra import EXACT, Algebra, Condition, Value
from sisyphus.ir import StmtId
from sisyphus.plan.levels import Copies, Levels
from sisyphus.plan.tree import Bound, Quotient, limits_of
from sisyphus.poly import (
    Affine,
    LinearBounds,
    Set,
    const,
    dim_names,
    extend,
    largest_extent,
    loop_bounds,
    make_set,
    plain_shadow,
    project_onto,
    pull_back,
    remaining_conditions,
    union_of,
    var,
)
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Range:
    """The bounds of a loop and the most iterations it has; `regular`: it has so many wherever bounds are not known."""

    lower: Bound
    upper: Bound
    trip_count: Value
    regular: Condition = True

    @staticmethod
    def upto(trip_count: Value) -> Range:
        return Range(Bound.constant(0), Bound.constant(trip_count - 1), trip_count)


@dataclass(frozen=True, eq=False)
class Scan:
    """How the loops of a nest visit its statements.

    `entry` are the conditions on the outer loops under which anything runs. `guards` has, per statement, one list of
    conditions per run of it; `instances` are the loop values at which each statement runs, `context` those that the
    loops visit and `around` those of the outer loops at which the outermost one starts, all None where the statements
    fill a box and nothing asks for them.
    """

    ranges: Mapping[str, Range]
    entry: tuple[Affine, ...]
    guards: Mapping[StmtId, list[list[Affine]]]
    instances: Mapping[StmtId, Set] | None = None
    context: Set | None = None
    around: Set | None = None

    def split_guard(self, statement: StmtId, inner: Sequence[str]) -> tuple[list[Affine], list[Affine]] | None:
        """Conditions outside the `inner` loops under which some iteration of them runs, and those left inside.

        None where these are not plain conjunctions.
        """
        if self.instances is None or self.context is None:
            if len(self.guards[statement]) != 1:
                return None
            conditions = self.guards[statement][0]
            kept = [c for c in conditions if c.names & set(inner)]
            return [c for c in conditions if c not in kept], kept
        points = self.instances[statement]
        outside = [name for name in dim_names(points) if name not in inner]
        shadow = plain_shadow(points, outside)
        before = remaining_conditions(shadow, project_onto(self.context, outside))
        within = self.context.intersect(_around(shadow, dim_names(points)))
        after = remaining_conditions(points, within)
        return (before[0], after[0]) if len(before) == len(after) == 1 else None


@dataclass(frozen=True)
class Visited:
    """The outer loops around a nest that fills a box: the conditions on them to enter it, and to run each statement."""

    entry: tuple[Affine, ...]
    guards: Mapping[StmtId, list[list[Affine]]]


def scan(
    levels: Levels,
    domains: Mapping[StmtId, Set],
    outside: Set,
    hosts: Collection[str],
    visited: dict[Hashable, Visited] | None = None,
) -> Scan | None:
    """Ranges of all copies and guards of all statements; None where nothing ever runs.

    `outside` are the values of the outer loops, over their names; `hosts` the loops under whose level-0 copies there
    are transfers; `visited` what is known of the outer loops from other tilings.
    """
    if any(copies.loop.trip_count < 1 for copies in levels.copies):
        return None
    if all(copies.loop.is_constant for copies in levels.copies) and not levels.split:
        return _scan_box(levels, domains, outside, hosts, {} if visited is None else visited)
    region = make_set("", levels.dims, at_least_zero=levels.box).intersect(extend(outside, levels.dims))
    instances = {s: pull_back(d, levels.dims, levels.values).intersect(region) for s, d in domains.items()}
    everything = union_of(list(instances.values()))
    if everything.is_empty():
        return None
    entry, entered = _entry(plain_shadow(everything, levels.outer), outside)
    ranges = _inner_ranges(levels)
    known, context = list(levels.outer), entered
    for name, copies in levels.level0:
        known.append(name)
        ranges[name] = _tile_range(project_onto(everything, known), name, copies.tile.level0, context)
        context = restrict(extend(context, known), name, ranges[name])
    if _stands_alone(levels, ranges, hosts):
        for name, copies in levels.level1:
            known.append(name)
            limits = _tile_range(project_onto(everything, known), name, copies.tile.level1, context)
            ranges[name] = replace(limits, trip_count=copies.tile.level1)
            context = restrict(extend(context, known), name, ranges[name])
    inner = make_set("", levels.dims, at_least_zero=levels.inner_box)
    context = inner.intersect(extend(context, levels.dims))
    entry = entry if _needs_entry(levels, ranges, entered, outside) else ()
    guards = {s: remaining_conditions(points, context) for s, points in instances.items()}
    return Scan(ranges, entry, guards, instances, context, entered if entry else outside)


def _scan_box(
    levels: Levels,
    domains: Mapping[StmtId, Set],
    outside: Set,
    hosts: Collection[str],
    visited: dict[Hashable, Visited],
) -> Scan:
    """The nest visits a box: only a last tile that hangs over, and the outer loops, leave something to guard."""
    ranges = {name: Range.upto(c.groups) for name, c in levels.level0} | _inner_ranges(levels)
    ranges |= {name: Range.upto(c.unroll) for name, c in levels.beside}
    ragged = [c for c in levels.copies if not c.fits]
    if _stands_alone(levels, ranges, hosts):
        for name, copies in levels.level1:
            if not copies.fits:
                ranges[name] = _up_to_the_last(copies)
        bounded = {copies.loop.iterator for _, copies in levels.level1}
        ragged = [c for c in ragged if c.loop.iterator not in bounded or c.loop.trip_count % c.tile.level2]
    hangs_over = [c.last - c.value for c in ragged]
    if not levels.outer:
        return Scan(ranges, (), {s: [hangs_over] for s in domains})
    key = (levels.nest.id, levels.outer)
    if key not in visited:
        visited[key] = _visited(levels.outer, domains, outside)
    guards = {s: [[*part, *hangs_over] for part in parts] for s, parts in visited[key].guards.items()}
    return Scan(ranges, visited[key].entry, guards)


def _visited(outer: tuple[str, ...], domains: Mapping[StmtId, Set], outside: Set) -> Visited:
    shadows = {s: extend(shadow_on(d, len(outer)), outer) for s, d in domains.items()}
    entry, entered = _entry(union_of(list(shadows.values())), outside)
    return Visited(entry, {s: remaining_conditions(shadow, entered) for s, shadow in shadows.items()})


def _stands_alone(levels: Levels, ranges: Mapping[str, Range], hosts: Collection[str]) -> bool:
    """Whether the pipelined loop starts anew in each iteration of the tile loops, so that its bounds may follow them.

    Where it does not, all of them have constant bounds and become one loop (docs/model.md).
    """
    if levels.pipeline is None or levels.depth or levels.listed:  # copies, and starts of listed tiles, all do the same
        return False
    bounds = ((copies.loop.iterator, ranges[name].lower, ranges[name].upper) for name, copies in levels.level0)
    apart = (loop in hosts or lower.value is None or upper.value is None for loop, lower, upper in bounds)
    return bool(starts_anew(EXACT, ((True, is_apart) for is_apart in apart)))


def starts_anew(alg: Algebra, loops: Iterable[tuple[Condition, Condition]]) -> Condition:
    """Whether the innermost of some tile loops, outermost first, is apart from what is inside of it, or there is none.

    Each comes with whether it is there, and whether it has transfers or bounds that change.
    """
    found: Condition = True
    for exists, apart in loops:
        found = alg.either(alg.both(exists, apart), alg.both(alg.negation(exists), found))
    return found


def _up_to_the_last(copies: Copies) -> Range:
    """The level-1 copy of a ragged loop, without what lies behind the last iteration."""
    full, left = const(copies.tile.level1 - 1), copies.last - copies.start
    upper = Bound((Quotient(full), Quotient(left, copies.tile.level2)))
    if left.is_constant:
        upper = Bound.constant(min(full.constant, left.constant // copies.tile.level2))
    return Range(Bound.constant(0), upper, copies.tile.level1)


def _inner_ranges(levels: Levels) -> dict[str, Range]:
    """Pipelined and unrolled loops that run in full."""
    ranges = {name: Range.upto(c.tile.level1) for name, c in levels.level1}
    return ranges | {name: Range.upto(c.tile.level2) for name, c in levels.level2}


def _entry(wanted: Set, outside: Set) -> tuple[tuple[Affine, ...], Set]:
    """Conditions on the outer loops under which a nest has anything to do, and the values that are left then."""
    parts = remaining_conditions(wanted, outside)
    if len(parts) != 1:
        return (), outside
    return tuple(parts[0]), outside.intersect(make_set("", dim_names(outside), at_least_zero=parts[0]))


def _needs_entry(levels: Levels, ranges: Mapping[str, Range], entered: Set, outside: Set) -> bool:
    """Would the outermost loop of the nest have iterations for values of the outer loops outside of `entered`?"""
    if not levels.level0 or entered.is_equal(outside):
        return True
    name, _ = levels.level0[0]
    dims = (*levels.outer, name)
    return not restrict(extend(outside, dims), name, ranges[name]).is_subset(extend(entered, dims))


def _tile_range(shadow: Set, name: str, trip_count: int, context: Set) -> Range:
    """Bounds of a level-0 loop by the loops around it, within its trip count wherever those are.

    Bounds that would never leave anything out are constants: such a loop is flattened with its neighbours.
    """
    bounds = loop_bounds(shadow, name, context)
    box = make_set("", dim_names(shadow), at_least_zero=[var(name), trip_count - 1 - var(name)])
    around = extend(context, dim_names(shadow))
    limits = _range(bounds, around, name)
    visited = restrict(around, name, limits)
    if visited.is_subset(box):
        moves = limits.lower.value is None or limits.upper.value is None
        return Range.upto(trip_count) if moves and around.intersect(box).is_subset(visited) else limits
    lower = Bound((*limits.lower.terms, Quotient(const(0))))
    upper = Bound((*limits.upper.terms, Quotient(const(trip_count - 1))))
    return Range(lower, upper, largest_extent(visited.intersect(box), name))


def shadow_on(points: Set, depth: int) -> Set:
    """The values of the first `depth` dimensions, nameless."""
    names = [f"x__{at}" for at in range(len(dim_names(points)))]
    return project_onto(pull_back(points, names, [var(n) for n in names]), names[:depth])


def outer_range(points: Set, name: str, context: Set) -> Range:
    """Bounds of an outer loop, the last dimension of `points`, by those around it."""
    return _range(loop_bounds(points, name, context), extend(context, dim_names(points)), name)


def restrict(points: Set, name: str, limits: Range) -> Set:
    """The points whose dimension `name` lies within a loop's bounds."""
    inside = limits_of(name, limits.lower, limits.upper)
    return points.intersect(make_set("", dim_names(points), at_least_zero=inside))


def _range(bounds: LinearBounds, around: Set, name: str) -> Range:
    """A loop with such bounds inside of others; it visits holes of what it is for, too."""
    lower = Bound(tuple(Quotient(e, d) for e, d in bounds.lower))
    upper = Bound(tuple(Quotient(e, d) for e, d in bounds.upper))
    if lower.value is not None and upper.value is not None:
        return Range(lower, upper, upper.value - lower.value + 1)
    limits = Range(lower, upper, 0)
    return replace(limits, trip_count=largest_extent(restrict(around, name, limits), name))


def _around(points: Set, dims: Sequence[str]) -> Set:
    """`points`, which lack some of `dims`, with those added free."""
    have = dim_names(points)
    missing = [name for name in dims if name not in have]
    widened = extend(points, [*have, *missing])
    return pull_back(widened, dims, [var(name) for name in (*have, *missing)])
