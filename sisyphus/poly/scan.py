"""What loops must do to visit a set: bounds, guards and largest trip counts; knows no kernel and no tile."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from sisyphus.errors import InternalError
from sisyphus.poly.affine import Affine
from sisyphus.poly.sets import (
    CONTEXT,
    Set,
    constraints,
    dim_names,
    make_set,
    position,
    project_onto,
    renamed,
    sample,
    whole,
    with_dims,
)
from sisyphus.values import dataclass

SET = isl.dim_type.set
#: Convex pieces that a set with holes may be cut into.
MOST_QUOTIENTS = 64


@dataclass(frozen=True)
class LinearBounds:
    """`divisor * name >= numerator` for each of `lower`, `divisor * name <= numerator` for each of `upper`."""

    lower: tuple[tuple[Affine, int], ...]
    upper: tuple[tuple[Affine, int], ...]


def pull_back(points: Set, dims: Sequence[str], values: Sequence[Affine]) -> Set:
    """`{ [dims] : values in points }`, as a nameless set; dimension d of `points` takes the d-th value."""
    text = f"{{ [{', '.join(dims)}] -> [{', '.join(f'({v})' for v in values)}] }}"
    return points.reset_tuple_id().preimage_multi_aff(isl.MultiAff.read_from_str(CONTEXT, text))


def union_of(sets: Sequence[Set]) -> Set:
    """All points of sets in one space."""
    whole = sets[0]
    for part in sets[1:]:
        whole = whole.union(part)
    return whole.coalesce()


def box_around(sets: Sequence[Set], *outer: str) -> Set:
    """For all values of the `outer` dimensions, a box around all points of sets in one nameless space."""
    whole = union_of(sets)
    box = isl.Set.universe(whole.get_space())
    for name in dim_names(whole):
        shadow = whole
        for at, other in enumerate(dim_names(whole)):
            if other not in (name, *outer):
                shadow = shadow.eliminate(SET, at, 1)
        box = box.intersect(isl.Set.from_basic_set(shadow.remove_divs().simple_hull()))
    return box


def convex_parts(points: Set) -> list[Set]:
    """Convex sets without a point in common that make up the points."""
    return [isl.Set.from_basic_set(part) for part in points.coalesce().make_disjoint().coalesce().get_basic_sets()]


def extend(points: Set, dims: Sequence[str]) -> Set:
    """The same points with free dimensions behind, so that the names are `dims`."""
    have = points.dim(SET)
    return with_dims(points.add_dims(SET, len(dims) - have), SET, dims)


def loop_bounds(points: Set, name: str, context: Set) -> LinearBounds:
    """Bounds of the last dimension by the dimensions before it, which lie in `context`; exact for convex sets.

    A set that is not convex, or has holes, is enclosed.
    """
    if dim_names(points)[-1] != name:
        points = project_onto(points, [*dim_names(context), name])
    hull = points.remove_divs().coalesce()
    whole = isl.Set.from_basic_set(hull.simple_hull() if hull.n_basic_set() > 1 else hull.unshifted_simple_hull())
    around = extend(context, dim_names(whole))
    [(at_least, equal)] = constraints(whole.gist(around)) or [([], [])]
    lower: list[tuple[Affine, int]] = []
    upper: list[tuple[Affine, int]] = []
    for condition in [*at_least, *equal, *(-e for e in equal)]:
        factor = condition.coefficient(name)
        rest = condition - Affine.of({name: factor})
        if factor > 0:
            lower.append((-rest, factor))
        elif factor < 0:
            upper.append((rest, -factor))
    return LinearBounds(tuple(lower), tuple(upper))


def remaining_conditions(points: Set, context: Set) -> list[list[Affine]]:
    """Per disjoint convex part of `points`, the conditions (each >= 0) that `context` does not imply.

    One part without a condition: all of `context` lies in `points`. No part: none of it does.
    """
    inside = points.intersect(context).coalesce()
    if inside.is_empty():
        return []
    if context.is_subset(inside):
        return [[]]
    if inside.n_basic_set() > 1:
        inside = inside.make_disjoint()
    parts = []
    for part in (convex for found in inside.get_basic_sets() for convex in _by_quotients(found)):
        simple = isl.Set.from_basic_set(part).gist(context)
        if has_quotients(simple):  # isl found a modulus that stands for several conditions
            parts.append(_not_implied(part, context))
            continue
        [(at_least, equal)] = constraints(simple) or [([], [])]
        parts.append([*at_least, *equal, *(-e for e in equal)])
    return sorted(parts, key=lambda part: [str(c) for c in part])


def has_quotients(points: Set) -> bool:
    """Whether points are told with the help of quotients, as those of a stride are."""
    return any(part.dim(isl.dim_type.div) for part in points.get_basic_sets())


def _by_quotients(part: isl.BasicSet) -> list[isl.BasicSet]:
    """A convex set with holes as convex sets without: one for each value of every quotient (`l mod 3 = 0`: each l / 3).

    isl makes such a set of a union of lines that are equally far apart.
    """
    count, depth = part.dim(isl.dim_type.div), part.dim(SET)
    if not count:
        return [part]
    names = dim_names(isl.Set.from_basic_set(part))
    pieces = [part.lift().flatten().to_set()]
    for _ in range(count):
        values = [(piece, piece.dim_min_val(depth), piece.dim_max_val(depth)) for piece in pieces]
        if sum(whole(high - low) + 1 for _, low, high in values) > MOST_QUOTIENTS:
            raise InternalError(f"too many holes in {part}")
        pieces = [
            piece.fix_val(SET, depth, isl.Val(value)).project_out(SET, depth, 1)
            for piece, low, high in values
            for value in range(whole(low), whole(high) + 1)
        ]
    found = [renamed(piece.reset_tuple_id(), "", names).reset_tuple_id() for piece in pieces if not piece.is_empty()]
    return [convex for piece in found for convex in piece.get_basic_sets()]


def _not_implied(part: isl.BasicSet, context: Set) -> list[Affine]:
    """The conditions of a convex set, each >= 0, that some point of `context` breaks."""
    points = isl.Set.from_basic_set(part)
    [(at_least, equal)] = constraints(points)
    dims = dim_names(points)
    every = [*at_least, *equal, *(-e for e in equal)]
    return [c for c in every if not context.intersect(make_set("", dims, at_least_zero=[-c - 1])).is_empty()]


def largest_extent(points: Set, name: str) -> int:
    """The most integers between the smallest and the largest value of a dimension, all others fixed; 0 if empty."""
    if points.is_empty():
        return 0
    at = position(points, name)
    rest = [at_dim for at_dim in range(points.dim(SET)) if at_dim != at]
    pairs = isl.Map.from_domain_and_range(points, points)
    for dim in rest:
        pairs = pairs.equate(isl.dim_type.in_, dim, isl.dim_type.out, dim)
    gap = pairs.deltas().dim_max_val(at)
    return whole(gap) + 1


def relation_on(points: Set, values: Sequence[Affine]) -> isl.Map:
    """`{ [dims] -> [values] : dims in points }` by the names of the points' dimensions, nameless spaces."""
    dims = ", ".join(dim_names(points))
    text = f"{{ [{dims}] -> [{', '.join(f'({v})' for v in values)}] }}"
    return isl.Map.read_from_str(CONTEXT, text).intersect_domain(points.reset_tuple_id())


def largest_value(points: Set, value: Affine) -> int:
    """The largest value of an expression of the dimensions; raises `InternalError` on an empty or unbounded set."""
    most = relation_on(points, [value]).range().dim_max_val(0)
    if not most.is_int():
        raise InternalError(f"`{value}` has no largest value in {points}")
    return whole(most)


def each_preceded(reads: isl.Map, writes: Sequence[tuple[isl.Map, bool]]) -> bool:
    """Has every read (time -> place, one place per time) an earlier write to that place?

    The flag of a write says whether it comes before the read in one time.
    """
    covered = isl.Set.empty(reads.domain().get_space())
    for write, wins_tie in writes:
        same_place = reads.apply_range(write.reverse())
        space = same_place.get_space().domain()
        later = isl.Map.lex_ge(space) if wins_tie else isl.Map.lex_gt(space)
        covered = covered.union(same_place.intersect(later).domain())
    return bool(reads.domain().is_subset(covered))


def first_point(points: Set) -> dict[str, int] | None:
    """The lexicographically smallest point of a bounded set by name, or None when it is empty."""
    return None if points.is_empty() else sample(points.lexmin())


def first_pair(relation: isl.Map) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The lexicographically smallest pair of a bounded relation by position, or None when it is empty."""
    if relation.is_empty():
        return None
    point = relation.wrap().lexmin().sample_point()
    split, total = relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.in_) + relation.dim(isl.dim_type.out)
    values = tuple(whole(point.get_coordinate_val(SET, at)) for at in range(total))
    return values[:split], values[split:]
