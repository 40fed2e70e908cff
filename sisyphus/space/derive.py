"""From a distributed kernel and a target to its design space; knows the template's rules, not their cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import lcm, prod

from sisyphus.analysis import Dependences, Distribution, Live, Loop, Nest, OuterLoop, paths, reduction_of, refs_of
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement
from sisyphus.space.ahead import may_load_ahead
from sisyphus.space.coarse import legal_factors
from sisyphus.space.factors import other_factors
from sisyphus.space.listed import may_be_listed, with_tiles_listed
from sisyphus.space.packed import lying_as, with_packed_tiles
from sisyphus.space.point import COLUMNS, KERNEL_PLACE, BufferPoint, NestPoint, Tile
from sisyphus.space.ports import beat_widths, port_width
from sisyphus.space.space import ArrayUse, DimUse, LoopSpace, NestSpace, Options, Space, places_around
from sisyphus.space.stripes import dealt_over_ports, over_ports
from sisyphus.space.tilings import FEW_ROWS, MOST_POWER, tilings
from sisyphus.space.widths import tile_widths
from sisyphus.target import Target


def build_space(
    scop: Scop,
    dependences: Dependences,
    distribution: Distribution,
    live: Mapping[ArrayId, Live],
    target: Target,
    options: Options,
) -> Space:
    """Every knob of the template with its legal values: tiles in iterations, widths in elements, factors in banks."""
    picked = {dim for nest in distribution.nests for loop in nest.outer for dim in _indexed(scop, nest, loop)}
    nests = tuple(
        _nest_space(scop, nest, prod(loop.trip_count for loop in loops), options, picked)
        for loops, nest in paths(distribution.body)
    )
    if options.trust == "measured":
        nests = _without_turns(scop, nests, target.budget.onchip_bytes)
    nests = _whole_for_readers(scop, nests, live, target.budget.onchip_bytes)
    nests = with_packed_tiles(scop, nests, target.budget.onchip_bytes) if options.packs else nests
    space = Space(
        scop=scop,
        dependences=dependences,
        distribution=distribution,
        live=live,
        target=target.adding_in(options.adders).storing(sum(a.elements * a.type.bytes for a in scop.arrays) // 4),
        options=options,
        nests=nests,
        partitions={
            a.id: tuple((1,) for _ in a.extents)
            if a.id in scop.looked_up
            else _partition_values(nests, a, target, whole_beats=options.whole_beats)
            for a in scop.arrays
        },
        widths={
            a.id: (1,)
            if a.id in scop.looked_up
            else beat_widths(a.extents, a.type.stored.bits, target.port_bits, padding=options.padding)
            for a in scop.arrays
        },
        together=tuple(tuple(n.id for n in part.nests) for part in distribution.body if isinstance(part, OuterLoop)),
    )
    space = replace(space, widths={**space.widths, **dict(_widths_of_views(space))})
    for array in options.dealt:
        space = dealt_over_ports(space, array)
    for array, count in options.striped:
        space = over_ports(space, array, count) or space
    for array in options.columns:
        space = lying_as(space, array, COLUMNS)
    return space


def _without_turns(scop: Scop, nests: Sequence[NestSpace], onchip_bytes: int) -> tuple[NestSpace, ...]:
    """The nests with arrays that several of them use whole on chip where they fit: no report has tiles take turns."""
    ports = Counter(port for nest in nests for port in {scop.array(use.array).port for use in nest.arrays})
    found = []
    for nest in nests:
        uses = []
        for use in nest.arrays:
            array = scop.array(use.array)
            fits = array.elements * array.type.bytes <= onchip_bytes
            uses.append(_kept_whole(use) if fits and ports[array.port] > 1 else use)
        found.append(replace(nest, arrays=tuple(uses)))
    return tuple(found)


def _whole_for_readers(
    scop: Scop, nests: Sequence[NestSpace], live: Mapping[ArrayId, Live], onchip_bytes: int
) -> tuple[NestSpace, ...]:
    """The nests with arrays, and their copies for other readers, whole on chip where all of an array fit."""
    homes = {a.home for a in scop.arrays if a.own_port and not live[a.home].store}
    same = {home: [a for a in scop.arrays if a.home == home] for home in homes}
    whole = {
        array.id
        for arrays in same.values()
        if sum(a.elements * a.type.bytes for a in arrays) <= onchip_bytes
        for array in arrays
    }
    return tuple(
        replace(nest, arrays=tuple(_kept_whole(use) if use.array in whole else use for use in nest.arrays))
        for nest in nests
    )


def _kept_whole(use: ArrayUse) -> ArrayUse:
    """The same where the array is on chip for the whole kernel, if it may be."""
    return replace(use, places=(KERNEL_PLACE,)) if KERNEL_PLACE in use.places else use


def _widths_of_views(space: Space) -> Iterator[tuple[ArrayId, tuple[int, ...]]]:
    """Views share the port of their array: where no tile of one is as wide as a beat, it is no beat of the others."""
    views = [a for a in space.scop.arrays if a.view_of is not None]
    legal = {a.home: space.widths[a.home] for a in views}
    for view in views:
        for nest in space.users(view.id):
            use = nest.use(view.id)
            if use is not None and use.dims and not use.dims[-1].loops:
                tiles = tuple((loop.iterator, loop.tiles[0]) for loop in nest.loops)
                some = NestPoint(nest.nest.statements, nest.nest.iterators, tiles, None)
                buffer = BufferPoint(view.id, (nest.id,), use.places[0], (1,) * len(use.dims))
                fitting = tile_widths(space, nest, some, buffer)
                legal[view.home] = tuple(w for w in legal[view.home] if w in fitting)
    return ((view.id, legal[view.home]) for view in views)


def _indexed(scop: Scop, nest: Nest, loop: str) -> set[tuple[ArrayId, int]]:
    """The dimensions of arrays in whose subscripts a loop of a nest, or one around it, is."""
    return {(ref.array, at) for ref in refs_of(scop, nest) for at, e in enumerate(ref.index) if loop in e.names}


def _nest_space(
    scop: Scop, nest: Nest, outer_trips: int, options: Options, picked: Collection[tuple[ArrayId, int]]
) -> NestSpace:
    """`picked`: dimensions of arrays in which loops around some nest pick banks."""
    statements = [scop.statement(s) for s in nest.statements]
    places = (*places_around(nest), *nest.iterators) if options.outer_places else nest.iterators
    arrays = tuple(dict.fromkeys(array for s in statements for array in s.touched))
    views = [a for a in map(scop.array, arrays) if a.view_of is not None and not a.lasting]
    still = {loop for view in views for loop in view.still}
    updates = all(s.write in s.reads for s in statements)
    meets = [not _indexed(scop, nest, loop).isdisjoint(picked) for loop in nest.iterators]
    loops = tuple(
        _loop_space(scop, nest, loop, options, updates=updates, meets=own)
        for loop, own in zip(nest.band, meets, strict=True)
    )
    if views:  # copies would share a port, and some loops have to stand still
        loops = tuple(replace(s, unroll=(1,), tiles=s.tiles if s.iterator not in still else _single(s)) for s in loops)
    pipelines = tuple(loop.iterator for loop in loops if loop.trip_count > 1 and loop.iterator not in still)
    found = NestSpace(
        nest=nest,
        loops=loops,
        arrays=tuple(_array_use(scop, nest, statements, a, places, options) for a in arrays),
        pipelines=pipelines if pipelines and options.trust == "measured" else (*pipelines, None),
        order=None,
        outer_trips=outer_trips,
        early=may_load_ahead(scop, nest, updated=options.late) if options.ahead else {},
        intervals=(0, 1) if options.asks and options.tree_reduction and _adds_alone(statements) else (0,),
    )
    return with_tiles_listed(found) if options.listed and may_be_listed(scop, nest) else found


def _adds_alone(statements: Sequence[Statement]) -> bool:
    """A nest of one statement that adds floating-point numbers up, of which tools were seen asked for an interval."""
    found = reduction_of(statements[0])
    return len(statements) == 1 and statements[0].rhs.type.is_float and found is not None and found.op == "+"


def _single(loop: LoopSpace) -> tuple[Tile, ...]:
    """A tile for each iteration."""
    return (Tile(max(loop.trip_count, 1), 1, 1),)


def _loop_space(scop: Scop, nest: Nest, loop: Loop, options: Options, *, updates: bool, meets: bool) -> LoopSpace:
    """A loop with its tiles. `meets`: in some dimension it counts what a loop around a nest picks banks of.

    Such a loop has powers of two, and one whose bounds move in a nest with loops around has small ones: as of rows of a
    window, its longest run is no round number.
    Where these are to be measured, ragged ones only of updates that stay in banks of one length (`Buffer.declared`).
    """
    moves = not (nest.rectangular and loop.is_constant)
    powers = MOST_POWER if meets else FEW_ROWS if moves and nest.outer else 0
    tiles = tilings(loop.trip_count, loop.kind, options.tiles, moves=moves, powers=powers)
    end = loop.lower + loop.trip_count
    if options.trust == "measured":
        reached = {tile: loop.lower + tile.level0 * tile.size for tile in tiles}
        allowed = {tile: -(-end // tile.level2) * tile.level2 if updates else end for tile in tiles}
        tiles = tuple(tile for tile in tiles if reached[tile] <= allowed[tile])
    return LoopSpace(
        iterator=loop.iterator,
        lower=loop.lower,
        trip_count=loop.trip_count,
        kind=loop.kind,
        tiles=tiles,
        unroll=legal_factors(scop, nest, loop.iterator, tiles),
    )


def _array_use(
    scop: Scop, nest: Nest, statements: Sequence[Statement], array: ArrayId, places: Sequence[str], options: Options
) -> ArrayUse:
    declared = scop.array(array)
    written = [s.write for s in statements if s.write.array == array]
    read = [ref for s in statements for ref in s.reads if ref.array == array]
    banked = _banked([*written, *read], nest.iterators, everywhere=options.whole_beats)
    dims = tuple(
        DimUse.of(extent, [r.index[at] for r in (*written, *read)], nest.iterators, banked.get(at, ()))
        for at, extent in enumerate(declared.extents)
    )
    if declared.view_of is not None and not declared.lasting:
        around = places_around(nest)[-1:] if not declared.still else ()
        outside = {before for before, after in nest.precedence if after in declared.still}
        inside = (name for name in nest.iterators if name not in outside)
        return ArrayUse(array, dims, bool(read), bool(written), (*around, *inside), declared.still)
    if array in scop.looked_up or declared.given:
        return ArrayUse(array, dims, reads=True, writes=False, places=(KERNEL_PLACE,))
    tiled = places if declared.role is not Role.LOCAL and declared.extents else ()
    return ArrayUse(array, dims, bool(read), bool(written), (KERNEL_PLACE, *tiled))


def _banked(refs: Iterable[Ref], loops: Sequence[str], *, everywhere: bool) -> Mapping[int, Collection[str]]:
    """Per dimension the loops whose copies are kept apart by its banks.

    In A[i][w - i] copies of i are in rows of their own: banks of one dimension that a loop moves are enough, the one in
    which it takes the smallest steps, and the first of these. In the paper they are in banks apart in each of them.
    """
    found = defaultdict[int, set[str]](set)
    for ref, loop in product(refs, loops):
        steps = {at: abs(e.coefficient(loop)) for at, e in enumerate(ref.index) if e.coefficient(loop)}
        for at in steps if everywhere else sorted(steps, key=steps.__getitem__)[:1]:
            found[at].add(loop)
    return found


def _partition_values(
    nests: Iterable[NestSpace], array: Array, target: Target, *, whole_beats: bool
) -> tuple[tuple[int, ...], ...]:
    """Per dimension: common multiples of unroll factors and beat widths, up to the extent and the limit."""
    uses = [(nest, use) for nest in nests if (use := nest.use(array.id)) is not None]
    beat = port_width(array.type.stored.bits, target.port_bits)
    values = []
    for at, extent in enumerate(array.extents):
        loops = [nest.loop(name) for nest, use in uses for name in use.dims[at].banked]
        seeds = {tile.level2 for loop in loops for tile in loop.tiles}
        limit = min(extent, target.max_partition)
        is_last = at == len(array.extents) - 1
        seeds |= other_factors(extent, limit, beat=beat if is_last else 0, whole_beats=whole_beats)
        values.append(tuple(sorted(_closed_under_lcm(seeds | {1}, limit))))
    return tuple(values)


def _closed_under_lcm(seeds: Iterable[int], limit: int) -> set[int]:
    closed = fresh = {s for s in seeds if s <= limit}
    while fresh:
        fresh = {m for a, b in product(fresh, closed) if (m := lcm(a, b)) <= limit} - closed
        closed = closed | fresh
    return closed
