"""Need a tile be loaded, or does the nest write all of it before it reads any; knows no transfer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sisyphus.ir import Ref, Statement, StmtId
from sisyphus.plan.levels import Levels
from sisyphus.plan.loop_bounds import Scan
from sisyphus.plan.plan import Buffer
from sisyphus.poly import (
    Affine,
    Set,
    const,
    dim_names,
    each_preceded,
    extend,
    make_set,
    project_onto,
    pull_back,
    relation_on,
    var,
    within,
)

#: isl steps for one tile; a matrix product needs some ten thousand.
LEASH = 500_000


def needs_load(
    buffer: Buffer,
    extents: Sequence[int],
    levels: Levels,
    scan: Scan,
    statements: Sequence[Statement],
    domains: Mapping[StmtId, Set],
    outside: Set,
) -> bool:
    """False only if, in each iteration of the place loop, every element of the tile is written before it is read.

    `outside` are the values of the outer loops. Where isl gives up, the tile is loaded.
    """
    writers = [s for s in statements if s.write.array == buffer.array]
    if any(origin.names - set(levels.dims) for origin in buffer.origin):
        return True  # whole beats around what an outer loop moves by single places
    if not writers or (len(statements) == 1 and writers[0].write in writers[0].reads):
        return True
    if _fills(buffer, levels, scan, statements):
        return False
    check = partial(_written_first, buffer, extents, levels, scan, statements, domains, outside)
    return not within(LEASH, check)


def _fills(buffer: Buffer, levels: Levels, scan: Scan, statements: Sequence[Statement]) -> bool:
    """Whether isl need not be asked: nothing is read, and a nest that fills a box writes one box, which is the tile."""
    if any(ref.array == buffer.array for s in statements for ref in s.reads):
        return False
    writers = [s for s in statements if s.write.array == buffer.array]
    whole = scan.instances is None and not scan.entry and all(copies.fits for copies in levels.copies)
    if len(writers) != 1 or not whole or scan.guards[writers[0].id] != [[]]:
        return False
    [writer] = writers
    fixed = levels.fixed_under(buffer.place)
    starts = dict(zip(writer.iterators, map(var, levels.outer), strict=False))
    sizes: dict[str, int] = {}
    for iterator, copies in zip(writer.iterators[len(levels.outer) :], levels.copies, strict=True):
        moves = copies.loop.iterator in fixed
        starts[iterator] = copies.start if moves else const(copies.loop.lower)
        sizes[iterator] = copies.tile.size if moves else copies.loop.trip_count
    for index, origin, extent in zip(writer.write.index, buffer.origin, buffer.extents, strict=True):
        ranging = [(name, factor) for name, factor in index.terms if name in sizes]
        size = sizes.pop(ranging[0][0]) if ranging else 1  # a loop fills one dimension only
        steady = all(factor == 1 for _, factor in ranging) and len(ranging) <= 1
        if not steady or (index.substitute(starts), size) != (origin, extent):
            return False
    return True


def _written_first(
    buffer: Buffer,
    extents: Sequence[int],
    levels: Levels,
    scan: Scan,
    statements: Sequence[Statement],
    domains: Mapping[StmtId, Set],
    outside: Set,
) -> bool:
    visited = _visited(levels, scan, outside)
    instances = scan.instances or {s: pull_back(d, levels.dims, levels.values) for s, d in domains.items()}
    fixed = _fixed_dims(levels, buffer.place)
    tag = [var(name) for name in fixed]

    def places(statement: Statement, ref: Ref) -> tuple[Set, list[Affine]]:
        values = dict(zip(statement.iterators, levels.values, strict=True))
        return instances[statement.id].intersect(visited), [*tag, *(e.substitute(values) for e in ref.index)]

    writes = [
        (at, relation_on(*places(s, s.write))) for at, s in enumerate(statements) if s.write.array == buffer.array
    ]
    for at, reader in enumerate(statements):
        for ref in (r for r in reader.reads if r.array == buffer.array):
            earlier = [(write, writer < at) for writer, write in writes]
            if not each_preceded(relation_on(*places(reader, ref)), earlier):
                return False
    written = writes[0][1].range()
    for _, write in writes[1:]:
        written = written.union(write.range())
    return bool(_tile(buffer, extents, project_onto(visited, fixed)).is_subset(written))


def _visited(levels: Levels, scan: Scan, outside: Set) -> Set:
    """Every value of the loops of the nest."""
    if scan.context is not None:
        return scan.context
    return make_set("", levels.dims, at_least_zero=levels.box).intersect(extend(outside, levels.dims))


def _fixed_dims(levels: Levels, place: str) -> list[str]:
    """The loops outside of the copies under a level-0 loop, outermost first."""
    fixed = levels.fixed_under(place)
    tiles = [name for name, copies in levels.level0 if copies.loop.iterator in fixed]
    return [*levels.outer, *tiles, *(name for name, _ in levels.copies_under(place))]


def _tile(buffer: Buffer, extents: Sequence[int], iterations: Set) -> Set:
    """(iteration of the place loop, element): the elements of the buffer that lie inside the array."""
    names = [f"e__{at}" for at in range(len(extents))]
    dims = [*dim_names(iterations), *names]
    inside: list[Affine] = []
    for name, extent, origin, size in zip(names, extents, buffer.origin, buffer.extents, strict=True):
        own = var(name)
        inside += [own, const(extent - 1) - own, own - origin, origin + (size - 1) - own]
    return extend(iterations, dims).intersect(make_set("", dims, at_least_zero=inside))
