"""The same design at smaller sizes, to be run where the kernel itself would take too long; runs nothing.

Sizes are lowered by multiples of the tiles and beats that depend on them, so that every loop keeps its levels 1 and 2,
a last tile stays ragged by as much as it was, and only level 0 has fewer iterations (a loop of one tile: level 1).
Where that is not small enough, the tiles are cut as well, and beats that no longer fit them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm, prod

from sisyphus.analysis import (
    Dependences,
    Distribution,
    Live,
    dependences,
    distribute,
    expand,
    liveness,
    with_copies,
    with_views,
)
from sisyphus.backends.hls import Project, project
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Plan, build_plan
from sisyphus.space import IN_TILES, DesignPoint, NestPoint, Tile, TransferPoint, layout_for
from sisyphus.values import dataclass, replace
from sisyphus.verification.differential_run import VERY_MANY_OPERATIONS, work
from sisyphus.verification.sizes import SMALL, Dimension, Family, KernelShape, Loop, Size

#: At least so many tiles (if there were as many), iterations of a loop of one tile, of an outer loop.
TILES, LEVEL1, OUTER = 3, 8, 8
#: Iterations that loops are left with where tiles are cut, in the order in which they are tried.
CUTS = (96, 24)
#: How many times as large sizes are tried where the kernel has no such form, or no such design, at these: with blocks
#: that divide them, and with a last one that is smaller; a few times before, as work grows by powers of them.
RAISED = (4, 16, 17)


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller design with what its own proof needs; `sizes` has (here, in the source) by name."""

    plan: Plan
    project: Project
    dependences: Dependences
    live: Mapping[ArrayId, Live]
    sizes: Mapping[str, tuple[int, int]]
    same_tiles: bool

    def __str__(self) -> str:
        told = ", ".join(f"{name}={small} for {full}" for name, (small, full) in sorted(self.sizes.items()))
        return f"{told}; {'the same tiles, fewer of them' if self.same_tiles else 'tiles cut to fit'}"


def reduced(
    scop: Scop, point: DesignPoint, *, params: Mapping[str, int], temporaries: Collection[str] = ()
) -> Reduced | str:
    """The design at sizes at which it can be run in seconds, or why there is none.

    `params` are the values given to integer parameters, `temporaries` the arguments whose final values nobody wants.
    """
    try:
        family = Family.of(scop, params, point.rewrites)
        sizes = family.sizes()
    except KernelError as fault:
        return f"its source cannot be read with other sizes ({fault.message.splitlines()[0]})"
    if not sizes:
        return f"no size above {SMALL} in its source has a name (a macro, `const` or `--param`) to lower it by"
    why = ""
    for cut in (None, *CUTS):
        least = _lowered(sizes, scop, point, cut)
        more = (_raised(sizes, least, times) for times in RAISED)
        for lowered in (least, *more):  # blocks of a form may be larger than all that is left
            try:
                small = _design(family, lowered, point, temporaries, same_beats=cut is None)
            except KernelError as fault:
                why = f"at {_listed(lowered)}: {fault.message}"
                continue
            if work(small[0]) <= VERY_MANY_OPERATIONS:
                told = {s.name: (lowered[s.name], s.value) for s in sizes if lowered[s.name] != s.value}
                return Reduced(small[0], project(small[0], temporaries=temporaries), *small[1:], told, cut is None)
            why = f"at {_listed(lowered)} it still has {work(small[0]):.1e} operations"
            break
    return why


def _raised(sizes: Sequence[Size], least: Mapping[str, int], times: int) -> dict[str, int]:
    """Sizes so many times as large, but none larger than it is."""
    return {size.name: min(size.value, times * least[size.name]) for size in sizes}


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(sizes.items()))


def _lowered(sizes: Sequence[Size], scop: Scop, point: DesignPoint, cut: int | None) -> dict[str, int]:
    """Each size as low as the loops allow, one after another: these keep `cut` iterations, without it their tiles."""
    shape = KernelShape.of(scop)
    left = dict(shape.loops)
    found = {}
    for size in sizes:
        step = _step(size, scop, point, same_tiles=cut is None)
        steps = [
            max(0, left[loop] - _least(shape.loops[loop], _tile(point, loop), _copies(point, loop), cut))
            / (slope * step)
            for loop, slope in size.loops.items()
            if slope > 0
        ]
        lower = step * int(min(steps, default=Fraction(0)))
        found[size.name] = size.value - lower
        for loop, slope in size.loops.items():
            left[loop] -= int(slope * lower)
    return found


def _step(size: Size, scop: Scop, point: DesignPoint, *, same_tiles: bool) -> int:
    """What the size can be lowered by so that tiles and beats stay whole, or as ragged as they are."""
    units = [s.denominator * _unit(point, loop) for loop, s in size.loops.items() if same_tiles]
    widths: dict[Dimension, int] = {
        (scop.home(b.array), len(b.partition) - 1): point.transfer_of(b.id).width for b in point.buffers
    }
    units += [slope.denominator * widths.get(dimension, 1) for dimension, slope in size.extents.items()]
    return lcm(*units, *(s.denominator for s in size.loops.values()))


def _tile(point: DesignPoint, loop: Loop) -> Tile | None:
    """None for an outer loop."""
    return dict(_nest(point, loop).tiles).get(loop[1])


def _nest(point: DesignPoint, loop: Loop) -> NestPoint:
    return next(n for n in point.nests if loop[0] in n.statements)


def _unit(point: DesignPoint, loop: Loop) -> int:
    tile = _tile(point, loop)
    if tile is None:
        return 1
    return tile.size * _copies(point, loop) if tile.level0 > 1 else tile.level2


def _copies(point: DesignPoint, loop: Loop) -> int:
    """The coarse-grained factor of a loop."""
    return dict(_nest(point, loop).unroll).get(loop[1], 1)


def _least(trip_count: int, tile: Tile | None, copies: int, cut: int | None) -> int:
    """The fewest iterations with which a loop still is what it was."""
    if cut is not None:
        return min(trip_count, cut)
    if tile is None:
        return min(trip_count, OUTER)
    if tile.level0 > 1:
        last = trip_count - (tile.level0 - 1) * tile.size
        return (min(tile.level0, TILES * copies) - 1) * tile.size + max(last, 1)
    return trip_count if tile.level1 == 1 else min(trip_count, max(LEVEL1, 2 * tile.level2))


def _design(
    family: Family, sizes: Mapping[str, int], point: DesignPoint, temporaries: Collection[str], *, same_beats: bool
) -> tuple[Plan, Dependences, dict[ArrayId, Live]]:
    """The plan of the point fitted to the kernel at these sizes; `KernelError` where the two do not go together."""
    scop = family.at(sizes)
    found = dependences(scop)
    if point.expanded and (expansion := expand(scop, found)) is not None:
        scop = expansion.scop
        found = dependences(scop)
    distribution, live = distribute(scop, found), liveness(scop, temporaries)
    if point.viewed and (viewed := with_views(scop, distribution, point.viewed)) is not None:
        scop, live = viewed.scop, viewed.live(live)
    if point.copied and (copied := with_copies(scop, distribution, point.copied)) is not None:
        scop, live = copied.scop, copied.live(live)
    fitted = _fitted(point, scop, distribution)
    widest = max((t.width for t in point.transfers), default=1)
    for halvings in range(1 if same_beats else widest.bit_length()):
        most = widest >> halvings
        try:
            return build_plan(scop, distribution, live, _narrowed(fitted, scop, most)), found, live
        except KernelError as fault:
            why = fault
    raise why


def _narrowed(point: DesignPoint, scop: Scop, most: int) -> DesignPoint:
    """The point with beats of at most so many elements; over one port where several would have one element each."""
    extents = {b.id: scop.array(b.array).extents for b in point.buffers}
    wide = {t.buffer: t.ports if most > len(t.ports) else () for t in point.transfers if t.width > most}
    transfers = tuple(
        replace(t, width=most, ports=wide[t.buffer], layout=_layout(t, extents[t.buffer], most))
        if t.buffer in wide
        else t
        for t in point.transfers
    )
    return replace(point, transfers=transfers)


def _layout(transfer: TransferPoint, extents: Sequence[int], width: int) -> str:
    return transfer.layout if transfer.layout in IN_TILES else layout_for(extents, width)


def _fitted(point: DesignPoint, scop: Scop, distribution: Distribution) -> DesignPoint:
    """The point with tiles and partitions no larger than what they are of; `KernelError` where arrays differ."""
    ranks = {array.id: len(array.extents) for array in scop.arrays}
    if any(len(b.partition) != ranks.get(b.array) for b in point.buffers):
        raise KernelError("other arrays than the form has at its own size")
    trips = {(n.id, loop.iterator): loop.trip_count for n in distribution.nests for loop in n.band}
    nests = tuple(_fitted_nest(n, dict(_tiles(n, trips))) for n in point.nests)
    buffers = tuple(
        replace(b, partition=tuple(min(f, e) for f, e in zip(b.partition, scop.array(b.array).extents, strict=True)))
        for b in point.buffers
    )
    return replace(point, nests=nests, buffers=buffers)


def _fitted_nest(nest: NestPoint, tiles: Mapping[str, Tile]) -> NestPoint:
    """As many copies of a loop as divide its tiles."""
    unroll = ((loop, gcd(factor, tiles[loop].level0)) for loop, factor in nest.unroll)
    return replace(nest, tiles=tuple(tiles.items()), unroll=tuple((loop, f) for loop, f in unroll if f > 1))


def _tiles(nest: NestPoint, trips: Mapping[tuple[str, str], int]) -> Iterator[tuple[str, Tile]]:
    for iterator, tile in nest.tiles:
        yield iterator, fit(tile, trips.get((nest.id, iterator), prod((tile.level0, tile.size))))


def fit(tile: Tile, trip_count: int) -> Tile:
    """A tile of the same kind for a loop of `trip_count` iterations: which levels have more than one iteration stays.

    Levels 1 and 2 keep their counts where at least two tiles of them are left.
    """
    trip_count = max(trip_count, 1)
    if tile.level0 == tile.level1 == 1:
        return Tile(1, 1, trip_count)
    if tile.level0 == 1:
        inner = min(tile.level2, max(1, trip_count // 2))
        return Tile(1, -(-trip_count // inner), inner)
    if tile.size < trip_count:
        return tile._replace(level0=-(-trip_count // tile.size))
    inner = min(tile.level2, max(2, trip_count // 6))
    middle = min(tile.level1, max(2, trip_count // (3 * inner)))
    return Tile(-(-trip_count // (middle * inner)), middle, inner)
