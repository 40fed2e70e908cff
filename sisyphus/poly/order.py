"""Orders of instances: 2d+1 schedules, tiled schedules, and which pairs of instances run backwards; knows no kernel."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import islpy as isl

from sisyphus.errors import InternalError
from sisyphus.poly.affine import Affine, const, var
from sisyphus.poly.sets import CONTEXT, IN, OUT, Map, Set, dim_names, whole, with_dims
from sisyphus.values import dataclass


@dataclass(frozen=True)
class TileNumber:
    """`floor(value / divisor)`: the number of a tile."""

    value: Affine
    divisor: int


@dataclass(frozen=True)
class Remainder:
    """`value mod divisor`, of `value` divided by `inner` first: the place of a tile inside a larger one."""

    value: Affine
    divisor: int
    inner: int = 1


Piece = Affine | TileNumber | Remainder
Key = TypeVar("Key", bound=Hashable)


def schedule(name: str, dims: Sequence[str], pieces: Sequence[Piece]) -> Map:
    """`{ name[dims] -> [pieces] }`: when each instance runs, in a nameless time space."""
    space = with_dims(isl.Space.alloc(CONTEXT, 0, len(dims), len(pieces)).set_tuple_name(IN, name), IN, dims)
    places = {dim: at for at, dim in enumerate(dims)}
    zero = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space.domain()))
    times = isl.AffList.alloc(CONTEXT, len(pieces))
    for piece in pieces:  # isl takes up to eight times as long to read the same as text
        times = times.add(_time(piece, zero, places))
    return isl.Map.from_multi_aff(isl.MultiAff.from_aff_list(space, times))


def _time(piece: Piece, zero: isl.Aff, places: Mapping[str, int]) -> isl.Aff:
    """A piece as a function of the dimensions at these places."""
    if isinstance(piece, Affine):
        found = zero.set_constant_val(piece.constant)
        for dim, factor in piece.terms:
            found = found.set_coefficient_val(IN, places[dim], factor)
        return found
    value = _time(piece.value, zero, places)
    if isinstance(piece, TileNumber):
        return value.scale_down_val(piece.divisor).floor()
    return value.mod_val(piece.divisor).scale_down_val(piece.inner).floor()


def original_schedule(name: str, dims: Sequence[str], position: Sequence[int], length: int) -> Map:
    """`name[i, j] -> [p0, i, p1, j, p2, 0…]`: the order of the source, padded with zeros to `length`."""
    if len(position) != len(dims) + 1 or length < 2 * len(dims) + 1:
        raise InternalError(f"position {tuple(position)} does not fit the loops of `{name}`")
    times: list[Piece] = []
    for place, dim in zip(position, dims, strict=False):
        times += [const(place), var(dim)]
    times.append(const(position[-1]))
    times += [const(0)] * (length - len(times))
    return schedule(name, dims, times)


def split_loop(name: str, lower: int, inner: Sequence[int]) -> tuple[Piece, ...]:
    """The copies of a loop that starts at `lower`, strip-mined by the trip counts `inner` of all but the outermost.

    for i in lower..: S(i)   with inner (4, 2) becomes
    for i0: for i1 in 0..4: for i2 in 0..2: S(lower + 8*i0 + 2*i1 + i2)
    """
    place, step = var(name) - lower, 1
    pieces: list[Piece] = []
    for trip in reversed(inner):
        pieces.append(Remainder(place, step * trip, step) if trip > 1 else const(0))
        step *= trip
    pieces.append(TileNumber(place, step) if step > 1 else place)
    return tuple(reversed(pieces))


def source_dim(relation: Map, name: str) -> int:
    """Where dimension `name` of the source instance is."""
    return _dim(relation, IN, name)


def sink_dim(relation: Map, name: str) -> int:
    """Where dimension `name` of the sink instance is."""
    return _dim(relation, OUT, name)


def _dim(relation: Map, kind: isl.dim_type, name: str) -> int:
    at = relation.find_dim_by_name(kind, name)
    if at < 0:
        raise InternalError(f"no dimension `{name}` in {relation}")
    return int(at)


def compare(relation: Map, source: str, sign: int, sink: str) -> Map:
    """The pairs whose sink dimension minus source dimension has this sign (-1, 0 or 1)."""
    left, right = source_dim(relation, source), sink_dim(relation, sink)
    if sign == 0:
        return relation.equate(IN, left, OUT, right)
    return relation.order_lt(IN, left, OUT, right) if sign > 0 else relation.order_gt(IN, left, OUT, right)


def through(first: Map, second: Map, source_dims: Sequence[str], sink_dims: Sequence[str]) -> Map:
    """Pairs (source, sink) that touch one element: `first` then the reverse of `second`, dimensions named."""
    return name_dims(first.apply_range(second.reverse()), source_dims, sink_dims)


def name_dims(relation: Map, source_dims: Sequence[str], sink_dims: Sequence[str]) -> Map:
    """The relation with its dimensions named, since isl forgets names when it composes."""
    return with_dims(with_dims(relation, IN, source_dims), OUT, sink_dims)


def united(parts: Iterable[tuple[Key, Map]]) -> dict[Key, Map]:
    """By key the pairs of all its relations."""
    found: dict[Key, Map] = {}
    for key, relation in parts:
        found[key] = found[key].union(relation) if key in found else relation
    return found


def all_pairs(source: str, source_dims: Sequence[str], sink: str, sink_dims: Sequence[str]) -> Map:
    """Every pair of integer points of two spaces, whatever their domains."""
    fresh = [f"o__{at}" for at in range(len(sink_dims))]
    text = f"{{ {source}[{', '.join(source_dims)}] -> {sink}[{', '.join(fresh)}] }}"
    return name_dims(isl.Map.read_from_str(CONTEXT, text), source_dims, sink_dims)


def pairs_over(relation: Map, source_dims: Collection[str], sink_dims: Collection[str]) -> Set:
    """The pairs of a relation as points, with these dimensions of their sources and of their sinks alone."""
    return pairs_onto(relation, source_dims, sink_dims).reset_tuple_id(IN).reset_tuple_id(OUT).wrap().flatten()


def pairs_onto(relation: Map, source_dims: Collection[str], sink_dims: Collection[str]) -> Map:
    """The shadow of a relation on these dimensions of its sources and of its sinks."""
    for kind, kept in ((IN, source_dims), (OUT, sink_dims)):
        tuple_name = relation.get_tuple_name(kind)
        for name in _names(relation, kind):
            if name not in kept:
                relation = relation.project_out(kind, _dim(relation, kind, name), 1)
        relation = relation.set_tuple_name(kind, tuple_name) if tuple_name else relation
    return relation


def between_iterations(relation: Map, name: str, dims: Sequence[str]) -> Map:
    """The pairs of a relation as pairs of points `name[dims]`, without those of one point."""
    relation = name_dims(relation.set_tuple_name(IN, name).set_tuple_name(OUT, name), dims, dims)
    return relation.subtract(isl.Map.identity(relation.get_space()))


def later_along(points: Set, name: str) -> Map:
    """Pairs of points of which the second lies further along dimension `name`, at the same place in all others."""
    dims = dim_names(points)
    pairs = all_pairs(points.get_tuple_name(), dims, points.get_tuple_name(), dims).intersect_domain(points)
    pairs = pairs.intersect_range(points)
    for dim in dims:
        pairs = compare(pairs, dim, 1 if dim == name else 0, dim)
    return pairs


def constant_distance(relation: Map, source: str, sink: str) -> int | None:
    """Sink dimension minus source dimension where it is the same for all pairs."""
    left, right = source_dim(relation, source), sink_dim(relation, sink)
    found: int | None = None
    for part in relation.get_basic_maps():
        hull = part.affine_hull()
        if hull.is_empty():
            continue
        gap = _fixed_gap(hull, left, right)
        if gap is None or found not in (None, gap):
            return None
        found = gap
    return found


def least_distance(relation: Map, source: str, sink: str) -> int | None:
    """Sink dimension minus source dimension, where it is least; None where there is no pair, or no least."""
    value = _gaps(relation, source_dim(relation, source), sink_dim(relation, sink)).dim_min_val(0)
    return whole(value) if value.is_int() else None


def _fixed_gap(hull: isl.BasicMap, left: int, right: int) -> int | None:
    """The constant difference of two dimensions of an affine space, or None where it varies."""
    value = _gaps(hull.to_map(), left, right).plain_get_val_if_fixed(isl.dim_type.set, 0)
    return whole(value) if value.is_int() else None


def _gaps(relation: Map, left: int, right: int) -> Set:
    """The differences of two dimensions, sink minus source, over all pairs."""
    pair = relation.reset_tuple_id(IN).reset_tuple_id(OUT)
    for kind, keep in ((IN, left), (OUT, right)):
        pair = pair.project_out(kind, keep + 1, pair.dim(kind) - keep - 1).project_out(kind, 0, keep)
    return pair.deltas()


def backwards(relation: Map, source_time: Map, sink_time: Map) -> tuple[dict[str, int], dict[str, int]] | None:
    """Some pair of the relation whose sink does not run after its source, by dimension name; None if there is none.

    Both schedules lead to time spaces of one dimension count. Ties count as backwards.
    """
    length = sink_time.dim(OUT)
    if source_time.dim(OUT) != length:
        raise InternalError("two schedules differ in their number of dimensions")
    starts, ends = relation.domain_map().apply_range(source_time), relation.range_map().apply_range(sink_time)
    tied = starts.flat_range_product(ends)
    for at in range(length):
        late = tied.order_gt(OUT, at, OUT, length + at)
        if not late.is_empty():
            return _witness(late, relation)
        tied = tied.equate(OUT, at, OUT, length + at)
    return None if tied.is_empty() else _witness(tied, relation)


def _witness(pairs: Map, relation: Map) -> tuple[dict[str, int], dict[str, int]]:
    """One (source, sink) of the wrapped domain of `pairs`, by the dimension names of `relation`."""
    point = pairs.domain().sample_point()
    sides, offset = list[dict[str, int]](), 0
    for kind in (IN, OUT):
        names = _names(relation, kind)
        coordinates = (point.get_coordinate_val(isl.dim_type.set, offset + at) for at in range(len(names)))
        sides.append({name: whole(value) for name, value in zip(names, coordinates, strict=True)})
        offset += len(names)
    return sides[0], sides[1]


def _names(relation: Map, kind: isl.dim_type) -> tuple[str, ...]:
    return tuple(relation.get_dim_name(kind, at) or f"d{at}" for at in range(relation.dim(kind)))


def simultaneous(relation: Map, source_time: Map, sink_time: Map) -> Map:
    """The pairs of the relation of which both ends have the same time."""
    return relation.intersect(source_time.apply_range(sink_time.reverse()))
