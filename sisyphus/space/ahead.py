"""Tiles that travel while others are computed with, through two copies of their buffer; knows no cost.

While a tile is computed with, the next one is loaded (docs/model.md, "Tiles loaded ahead"). So the next one must be
known: loops run through a box. No other transfer may need its port, and nothing in the nest may write what is loaded:
where tiles are updated, each has elements of its own, and the one before is stored first, from the copy that the next
one is loaded into. Then loops may run through another box for each value of those outside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sisyphus.analysis import Nest, refs_to
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.space.narrowing import YES_NO, Fix, Knob
from sisyphus.space.point import BufferPoint, DesignPoint, NestPoint
from sisyphus.space.space import NestSpace, Space
from sisyphus.values import replace

#: Arrays whose tiles may be loaded ahead, with the loops under which they may.
Early: TypeAlias = Mapping[ArrayId, Collection[str]]


def may_load_ahead(scop: Scop, nest: Nest, *, updated: bool = True) -> dict[ArrayId, frozenset[str]]:
    """The arrays of a nest whose tiles may be loaded ahead, as they are declared, with the loops under which they may.

    Of an array that the nest writes, which is among them if `updated` ones are asked for, those are loops that move
    from row to row: tiles side by side in a row may share beats.
    """
    statements = [scop.statement(s) for s in nest.statements]
    used = {array for s in statements for array in s.touched}
    written = {scop.home(s.write.array) for s in statements}
    ports = [scop.array(array).port for array in used]
    alone = [a for a in scop.arrays if a.id in used and a.role is not Role.LOCAL and ports.count(a.port) == 1]
    found = {a.id: frozenset(nest.iterators) for a in alone if nest.is_box and a.home not in written}
    late = [a for a in alone if a.home in written and updated]
    if len(late) == 1 and (rows := _moving_rows(scop, nest, late[0].id)):
        found[late[0].id] = rows
    return {a.id: found[a.id] for a in alone if a.id in found}


def _moving_rows(scop: Scop, nest: Nest, array: ArrayId) -> frozenset[str]:
    """Loops of which each iteration has rows of an array of its own, which all references to it name alike."""
    same = [a.id for a in scop.arrays if a.home == scop.home(array)]
    refs = {ref for a in same for ref in refs_to(scop, nest, a)}
    if len(refs) != 1:
        return frozenset()
    [ref] = refs
    used = [name for index in ref.index for name in index.names if name in nest.iterators]
    rows = (index for index in ref.index[:-1] if len(index.terms) == 1 and abs(index.terms[0][1]) == 1)
    return frozenset(name for index in rows for name in index.names if used.count(name) == 1)


def ahead_place(chosen: NestPoint, early: Early, places: Iterable[tuple[ArrayId, str]]) -> str | None:
    """The loop that loads ahead, of those under which such arrays have their tiles: the innermost with several tiles.

    None in a nest with coarse-grained copies.
    """
    legal = (place for array, place in places if place in early.get(array, ()))
    turning = [place for place in legal if place in chosen.order and chosen.tile(place).level0 > 1]
    return None if chosen.unroll else max(turning, key=chosen.order.index, default=None)


def loaded_ahead(nest: str, early: Early, chosen: NestPoint, buffers: Sequence[BufferPoint]) -> tuple[BufferPoint, ...]:
    """The buffers of a kernel with two copies of those of a nest whose tiles are loaded ahead."""
    mine = [b for b in buffers if b.nests == (nest,) and b.place in early.get(b.array, ())]
    place = ahead_place(chosen, early, ((b.array, b.place) for b in mine))
    return tuple(replace(b, copies=2) if b in mine and b.place == place else b for b in buffers)


def _faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """What is wrong with the buffers of a nest that have two copies, a sentence each; none where they can be built."""
    chosen, legal = point.nest(nest.id), may_load_ahead(scop, nest)
    loops, buffers = dict(chosen.tiles), [b for b in point.buffers if b.copies == 2 and nest.id in b.nests]
    for buffer in buffers:
        if buffer.array not in legal or len(buffer.nests) > 1:
            yield f"tiles of `{buffer.array}` cannot be loaded ahead in nest `{nest.id}`"
        elif buffer.place in loops and buffer.place not in legal[buffer.array]:
            yield f"tiles of `{buffer.array}` under `{buffer.place}` share rows, and cannot be loaded ahead"
        elif buffer.place not in loops or loops[buffer.place].level0 < 2:
            yield f"`{buffer.place}` is no loop with several tiles, under which one could be loaded ahead"
    if len({buffer.place for buffer in buffers}) > 1:
        yield f"nest `{nest.id}` can load ahead under one loop"
    if buffers and (chosen.unroll or chosen.split):
        yield f"nest `{nest.id}` has copies or full tiles apart, and so no tiles that are loaded ahead"


def _unmet(space: Space, nest: NestSpace, point: DesignPoint) -> Iterator[str]:
    """Tiles that are loaded ahead where none may be, or not where the user wants them."""
    if any(buffer.copies > 1 and nest.id in buffer.nests for buffer in point.buffers):
        if not may_load_ahead(space.scop, nest.nest):
            yield f"nest `{nest.id}`: its tiles cannot be loaded ahead"
    elif nest.ahead and loaded_ahead(nest.id, nest.early, point.nest(nest.id), point.buffers) != point.buffers:
        yield f"nest `{nest.id}`: its tiles are to be loaded ahead"


def _fix(fix: Fix, space: Space, nest: NestSpace) -> NestSpace:
    early = {} if nest.split else may_load_ahead(space.scop, nest.nest)
    refused = f"tiles of `{nest.id}` cannot be loaded ahead" if fix.value == "yes" else "no answer"
    ahead = YES_NO[fix.one_of(YES_NO if early else ["no"], refused)]
    return replace(nest, ahead=ahead, early=early if ahead else {})


def stores_late(scop: Scop, nests: Iterable[Nest], point: DesignPoint) -> bool:
    """Whether a design has tiles that a nest updates in two copies of their buffer."""
    twice = {(nest, b.array) for b in point.buffers if b.copies > 1 for nest in b.nests}
    return any((nest.id, scop.statement(s).write.array) in twice for nest in nests for s in nest.statements)


AHEAD = Knob(
    "NEST.ahead",
    "`yes`: the next tiles are loaded, and updated ones stored, beside what is computed with these; or `no`",
    _fix,
    off="no",
    faults=_faults,
    unmet=_unmet,
)
