"""Reads that may be of an element that the same body writes, as the tool sees subscripts; knows no interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from sisyphus.algebra import Algebra, Condition, Value, product
from sisyphus.ir import Ref
from sisyphus.model.facts.task_facts import BufferAccess, Dim, Pipe
from sisyphus.plan import FAR
from sisyphus.values import dataclass

#: Of each subscript the loops in it with their factors.
Moving: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]


@dataclass(frozen=True)
class AliasPair:
    """A write, by its place in the body, and a read of the same buffer through other subscripts, before or in it."""

    writer: int
    reader: int
    ref: Ref
    write: BufferAccess
    read: BufferAccess

    @property
    def buffer(self) -> str:
        return self.write.buffer


def alias_pairs(pipe: Pipe) -> tuple[AliasPair, ...]:
    """Reads that the tool cannot tell from a write: subscripts that differ in more than constants.

    Those that differ in constants alone are told apart (70 of 73 loops), and wait for values that really pass.
    """
    found, before = list[AliasPair](), defaultdict[str, list[tuple[int, Ref, BufferAccess, Moving]]](list)
    for at, work in enumerate(pipe.works):
        for ref, read in work.reads.items():
            before[read.buffer].append((at, ref, read, _linear(read)))
        write, mine = work.write, _linear(work.write)
        found += (AliasPair(at, by, ref, write, read) for by, ref, read, its in before[write.buffer] if its != mine)
    return tuple(found)


def _linear(access: BufferAccess) -> Moving:
    """The parts of the subscripts that move."""
    return tuple(index.terms for index in access.element)


def copies_in_turn(alg: Algebra, pipe: Pipe, pair: AliasPair) -> Value:
    """Unrolled copies of which each may read what the one before wrote, so that they follow each other.

    Copies along a loop that moves both subscripts alike differ in constants and are told apart. Two of two loops with
    ten updates of an element beside such reads took 200 cycles, 20 for each: the product by a scalar, the product, the
    sum, read and write.
    """
    loops = dict.fromkeys(loop for by in (pair.writer, pair.reader) for loop in pipe.works[by].unrolled)
    return product([alg.select(_moves_alike(alg, pair, loop), 1, pipe.trips[loop]) for loop in loops])


def told_apart(alg: Algebra, pipe: Pipe, pair: AliasPair) -> Condition:
    """No value passes, and in some dimension the read goes with the pipelined loop and the write with another."""
    if any((flow.writer, flow.reader, flow.buffer) == (pair.writer, pair.reader, pair.buffer) for flow in pipe.flows):
        return False
    found = (
        alg.both(single, too)
        for write, read in zip(pair.write.dims, pair.read.dims, strict=True)
        for mine, single in _single_loops(alg, pipe, write)
        for other, too in _single_loops(alg, pipe, read)
        if mine != other == pipe.loop
    )
    return alg.both(alg.either(*found), alg.negation(alg.exceeds(copies_in_turn(alg, pipe, pair), 1)))


def _single_loops(alg: Algebra, pipe: Pipe, dim: Dim) -> Iterator[tuple[str, Condition]]:
    """Loops that are a subscript all by themselves, each with the condition that it is."""
    unrolled = {loop for work in pipe.works for loop in work.unrolled}
    moved = {
        loop: alg.both(alg.exceeds(pipe.trips[loop], 1), alg.exceeds(step, 0))
        for loop, step in dim.strides.items()
        if loop in pipe.trips
    }
    for loop in moved:
        if loop not in unrolled:
            alone: Condition = alg.both(moved[loop], alg.negation(alg.exceeds(dim.strides[loop], 1)))
            for other in moved:
                if other != loop:
                    alone = alg.both(alone, alg.negation(moved[other]))
            yield loop, alone


def alias_distance(alg: Algebra, pipe: Pipe, pair: AliasPair) -> Value:
    """Starts within which both may be one element: those of the loops, innermost first, that move both alike."""
    distance: Value = 1
    open_: Condition = True
    for loop in inner_first(pipe):
        alike = alg.either(alg.negation(alg.exceeds(pipe.trips[loop], 1)), _moves_alike(alg, pair, loop))
        open_ = alg.both(open_, alike)
        distance = distance * alg.select(open_, pipe.between(loop), 1)
    return alg.select(open_, FAR, distance)


def _moves_alike(alg: Algebra, pair: AliasPair, loop: str) -> Condition:
    """Whether some dimension has one moving part in the write and in the read, and the loop is of it."""
    dims = zip(pair.write.dims, _linear(pair.write), _linear(pair.read), strict=True)
    alike = (dim for dim, mine, other in dims if mine == other and loop in dim.strides)
    return alg.either(*(alg.exceeds(dim.strides[loop], 0) for dim in alike))


def inner_first(pipe: Pipe) -> tuple[str, ...]:
    """The loops of a body that are not unrolled."""
    return pipe.loops[::-1]
