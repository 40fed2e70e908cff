"""Sets and maps of integer points, made and asked by dimension name; knows nothing of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl

from sisyphus.errors import InternalError
from sisyphus.interrupts import unbroken
from sisyphus.poly.affine import Affine, var

Set = isl.Set
Map = isl.Map
IslError = isl.Error

CONTEXT = isl.DEFAULT_CONTEXT
IN, OUT = isl.dim_type.in_, isl.dim_type.out
T = TypeVar("T")
Named = TypeVar("Named", isl.Set, isl.Map, isl.Space)

#: The dimension that counts steps from a point.
RUN = "run__"


def with_dims(thing: Named, kind: isl.dim_type, names: Iterable[str]) -> Named:
    """A set, a relation or a space with these names for its dimensions of a kind, outermost first."""
    for at, name in enumerate(names):
        thing = thing.set_dim_name(kind, at, name)
    return thing


def make_set(
    name: str, dims: Sequence[str], *, at_least_zero: Sequence[Affine] = (), zero: Sequence[Affine] = ()
) -> Set:
    """`{ name[dims] : a >= 0 for each of at_least_zero and a = 0 for each of zero }`."""
    space = with_dims(isl.Space.set_alloc(CONTEXT, 0, len(dims)), isl.dim_type.set, dims)
    places = {dim: at for at, dim in enumerate(dims)}
    local = isl.LocalSpace.from_space(space)
    points = isl.BasicSet.universe(space)
    # built piece by piece: isl takes five times as long to read the same as text
    for make, conditions in ((isl.Constraint.alloc_inequality, at_least_zero), (isl.Constraint.alloc_equality, zero)):
        for condition in conditions:
            constraint = make(local).set_constant_val(condition.constant)
            for dim, factor in condition.terms:
                constraint = constraint.set_coefficient_val(isl.dim_type.set, places[dim], factor)
            points = points.add_constraint(constraint)
    return isl.Set.from_basic_set(points.set_tuple_name(name) if name else points)


def empty_set(name: str, dims: Sequence[str]) -> Set:
    """The set of no point, in the space `name[dims]`."""
    return isl.Set.read_from_str(CONTEXT, f"{{ {name}[{', '.join(dims)}] : false }}")


def make_map(
    name: str, dims: Sequence[str], range_name: str, range_dims: Sequence[str], exprs: Sequence[Affine]
) -> Map:
    """`{ name[dims] -> range_name[range_dims] : each range dimension equals its expression over dims }`."""
    space = isl.Space.alloc(CONTEXT, 0, len(dims), len(range_dims))
    for kind, tuple_name, names in ((IN, name, dims), (OUT, range_name, range_dims)):
        space = with_dims(space, kind, names)
        if tuple_name:
            space = space.set_tuple_name(kind, tuple_name)
    places = {dim: at for at, dim in enumerate(dims)}
    local = isl.LocalSpace.from_space(space)
    pairs = isl.BasicMap.universe(space)
    for at, expr in zip(range(len(range_dims)), exprs, strict=True):
        equation = isl.Constraint.alloc_equality(local).set_constant_val(expr.constant)
        for dim, factor in expr.terms:
            equation = equation.set_coefficient_val(IN, places[dim], factor)
        pairs = pairs.add_constraint(equation.set_coefficient_val(OUT, at, -1))
    return isl.Map.from_basic_map(pairs)


def dim_names(points: Set) -> tuple[str, ...]:
    """Names of the set dimensions, outermost first."""
    count = points.dim(isl.dim_type.set)
    return tuple(points.get_dim_name(isl.dim_type.set, at) or "" for at in range(count))


def position(points: Set, name: str) -> int:
    """Where dimension `name` is; an absent one is our fault."""
    at = points.find_dim_by_name(isl.dim_type.set, name)
    if at < 0:
        raise InternalError(f"no dimension `{name}` in {points}")
    return int(at)


def project_onto(points: Set, names: Sequence[str]) -> Set:
    """The shadow of `points` on `names`, which keep their order in the set."""
    for name in dim_names(points):
        if name not in names:
            points = points.project_out(isl.dim_type.set, position(points, name), 1)
    return points


def wherever(points: Set, names: Sequence[str]) -> Set:
    """The points with any values of the dimensions `names` beside theirs of the others."""
    tuple_name, dims, kind = points.get_tuple_name(), dim_names(points), isl.dim_type.set
    for at in (position(points, name) for name in names):
        points = with_dims(points.project_out(kind, at, 1).insert_dims(kind, at, 1), kind, dims)
    return points.set_tuple_name(tuple_name)


def plain_shadow(points: Set, names: Sequence[str]) -> Set:
    """A shadow without existential variables: of `l = 2*m` on l, every l rather than the even ones."""
    return project_onto(points, names).remove_divs()


def shadow_over(points: Set, name: str, dims: Sequence[str]) -> Set:
    """The plain shadow of a set on some of its dimensions, as points of the space `name[dims]`."""
    return renamed(plain_shadow(points.reset_tuple_id(), dims), name, dims)


def dim_range(points: Set, name: str) -> tuple[int, int]:
    """Smallest and largest value of a dimension; raises `InternalError` on an empty or unbounded set."""
    shadow = project_onto(points, [name])
    low, high = shadow.dim_min_val(0), shadow.dim_max_val(0)
    if not (low.is_int() and high.is_int()):
        raise InternalError(f"dimension `{name}` is empty or unbounded in {points}")
    return whole(low), whole(high)


def make_box(name: str, extents: Sequence[int]) -> Set:
    """All elements of a block of these extents, dimensions named d0, d1, …"""
    dims = [f"d{at}" for at in range(len(extents))]
    inside = [bound for dim, n in zip(dims, extents, strict=True) for bound in (var(dim), n - 1 - var(dim))]
    return make_set(name, dims, at_least_zero=inside)


def renamed(points: Set, name: str, dims: Sequence[str]) -> Set:
    """The same points in the space `name[dims]`."""
    return with_dims(points.set_tuple_name(name), isl.dim_type.set, dims)


def box_of(points: Set) -> tuple[tuple[int, int], ...]:
    """Smallest and largest value of every dimension of a bounded set that is not empty."""
    return tuple(dim_range(points, name) for name in dim_names(points))


def box_in(points: Set, name: str, lower: int, upper: int) -> bool:
    """Does dimension `name` run through `lower..upper` whatever the other dimensions are?"""
    at = position(points, name)
    free = points.project_out(isl.dim_type.set, at, 1).insert_dims(isl.dim_type.set, at, 1)
    free = free.lower_bound_val(isl.dim_type.set, at, isl.Val(lower))
    free = free.upper_bound_val(isl.dim_type.set, at, isl.Val(upper))
    return bool(free.reset_tuple_id().is_equal(points.reset_tuple_id()))


def sides(points: Set) -> tuple[tuple[int, int], ...]:
    """`box_of` a set whose dimensions have no names."""
    count = range(points.dim(isl.dim_type.set))
    return tuple((whole(points.dim_min_val(at)), whole(points.dim_max_val(at))) for at in count)


def clipped(points: Set, box: Sequence[tuple[int, int] | None]) -> Set:
    """The points whose dimensions lie within these sides; None is no bound."""
    for at, side in enumerate(box):
        if side is not None:
            points = points.lower_bound_val(isl.dim_type.set, at, isl.Val(side[0]))
            points = points.upper_bound_val(isl.dim_type.set, at, isl.Val(side[1]))
    return points.coalesce()


def is_product(points: Set, names: Sequence[str]) -> bool:
    """For fixed values of the other dimensions, are the points a box over `names`, without holes?"""
    whole = isl.Set.universe(points.reset_tuple_id().get_space())
    for name in names:
        others = [position(points, n) for n in names if n != name]
        shadow = points
        for at in others:
            shadow = shadow.eliminate(isl.dim_type.set, at, 1)
        shadow = shadow.coalesce()
        if shadow.n_basic_set() > 1 or any(b.dim(isl.dim_type.div) for b in shadow.get_basic_sets()):
            return False
        whole = whole.intersect(shadow.reset_tuple_id())
    return not names or bool(whole.is_equal(points.reset_tuple_id()))


def is_convex(points: Set) -> bool:
    """Are the points all integer points of one convex set?"""
    parts = points.coalesce().get_basic_sets()
    return len(parts) == 1 and not parts[0].dim(isl.dim_type.div)


def hull_of(points: Set) -> Set | None:
    """The points as one convex set, where they are all of its integer points."""
    hull = isl.Set.from_basic_set(points.simple_hull().remove_divs())
    return hull if hull.is_equal(points) else None


def fix(points: Set, values: Mapping[str, int]) -> Set:
    """The points whose named dimensions have the given values (the dimensions stay)."""
    for name, value in values.items():
        points = points.fix_val(isl.dim_type.set, position(points, name), isl.Val(value))
    return points


def sample(points: Set) -> dict[str, int] | None:
    """Some point of the set by name, or None when it is empty."""
    point = points.sample_point()
    if point.is_void():
        return None
    return _point_values(point, dim_names(points))


def one_of(points: Set) -> Set:
    """A set of one point of a set that is not empty."""
    return isl.Set.from_point(points.sample_point())


def _point_values(point: isl.Point, names: Sequence[str]) -> dict[str, int]:
    return {name: whole(point.get_coordinate_val(isl.dim_type.set, at)) for at, name in enumerate(names)}


def each_point(points: Set, limit: int) -> Iterator[dict[str, int]]:
    """Every point, at most `limit` of them; `InternalError` if there are more."""
    names, found = dim_names(points), list[dict[str, int]]()

    @unbroken
    def take(point: isl.Point) -> None:
        if len(found) >= limit:
            raise InternalError(f"more than {limit} points in {points}")
        found.append(_point_values(point, names))

    points.foreach_point(take)
    yield from found


def constraints(points: Set) -> list[tuple[list[Affine], list[Affine]]]:
    """Per convex part, its inequalities (each >= 0) and its equalities (each = 0).

    Raises `InternalError` where a part needs an existential variable (a stride or a modulus).
    """
    names, parts = dim_names(points), list[tuple[list[Affine], list[Affine]]]()
    for part in points.coalesce().get_basic_sets():
        part = part.remove_redundancies()
        if part.dim(isl.dim_type.div):
            raise InternalError(f"existential variable in {part}")
        at_least, equal = list[Affine](), list[Affine]()
        for constraint in part.get_constraints():
            (equal if constraint.is_equality() else at_least).append(_as_affine(constraint, names))
        parts.append((sorted(at_least, key=str), sorted(equal, key=str)))
    return parts


def longest_run(points: Set, step: Mapping[str, int]) -> int | None:
    """The most points that follow one another by `step` (per dimension, 0 where missing) in a convex set; else None."""
    if points.is_empty():
        return 0
    runs = _runs(points, step)
    return None if runs is None else dim_range(runs, RUN)[1] + 1


def longest_line(points: Set, step: Mapping[str, int]) -> Set | None:
    """The most points that follow one another by `step` in a convex set, a nameless one; else None."""
    runs = None if points.is_empty() else _runs(points, step)
    start = None if runs is None else sample(fix(runs, {RUN: dim_range(runs, RUN)[1]}))
    if start is None:
        return None
    at, names = var(RUN), dim_names(points)
    on_line = [var(name) - start[name] - at * step.get(name, 0) for name in names]
    return project_onto(make_set("", (*names, RUN), at_least_zero=[at, start[RUN] - at], zero=on_line), names)


def _runs(points: Set, step: Mapping[str, int]) -> Set | None:
    """Every point of a convex set with how many more may follow it; None where it is not convex or nothing moves."""
    convex = points.coalesce().get_basic_sets()
    if len(convex) != 1 or convex[0].dim(isl.dim_type.div) or not any(step.values()):
        return None
    ((at_least, equal),) = constraints(points)
    names = dim_names(points)
    moved = {name: var(name) + var(RUN) * step.get(name, 0) for name in names}
    return make_set(
        "",
        (*names, RUN),
        at_least_zero=[*at_least, *(e.substitute(moved) for e in at_least), var(RUN)],
        zero=[*equal, *(e.substitute(moved) for e in equal)],
    )


def _as_affine(constraint: isl.Constraint, names: Sequence[str]) -> Affine:
    terms = {name: whole(constraint.get_coefficient_val(isl.dim_type.set, at)) for at, name in enumerate(names)}
    return Affine.of(terms, whole(constraint.get_constant_val()))


def whole(value: isl.Val) -> int:
    """An integer of isl's; `IslError` where isl gives up as it writes it out, of which it says nothing."""
    text: str | None = value.to_str()
    if text is None:
        raise IslError("isl gave up")
    return int(text)


@contextmanager
def leash(operations: int) -> Iterator[None]:
    """Within, isl raises `IslError` after about `operations` elementary steps instead of hanging."""
    CONTEXT.set_max_operations(operations)
    CONTEXT.reset_operations()
    try:
        yield
    finally:
        CONTEXT.set_max_operations(0)
        CONTEXT.reset_operations()


def within(operations: int, work: Callable[[], T]) -> T | None:
    """`work()` on a leash; None where isl gave up."""
    try:
        with leash(operations):
            return work()
    except IslError:
        return None
