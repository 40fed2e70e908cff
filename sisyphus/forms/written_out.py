"""Short loops inside of a sequential one written out, so that each of its iterations is one body; knows no cost.

for n: for s < 2: { w = c[s] * z[s] + x[n]   z[s] = w }   becomes
for n: { w = c[0] * z[0] + x[n]   z[0] = w   w = c[1] * z[1] + x[n]   z[1] = w }

A nest is called anew in each iteration of the loops around it. Where all that a sequential loop has inside is a few
instances, they are statements of its own, which one pipeline starts again as soon as values allow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from math import prod

from sisyphus.analysis import Dependences, LoopKind, distribute, innermost
from sisyphus.forms.building import Names, loops_of, named, over
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.poly import const, dim_range
from sisyphus.values import replace

#: Iterations of all loops that are written out around one statement, and statements that come of those of a loop.
MOST_ITERATIONS, MOST_STATEMENTS = 32, 128


def written_out(found: Dependences) -> Scop | None:
    """The kernel with such loops written out, in the order of the source; None where there are none."""
    scop = found.scop
    for place in _places(found):
        scop = _without_loops(scop, place)
    return None if scop is found.scop else scop


def _places(found: Dependences) -> Iterator[tuple[int, ...]]:
    """The sequential loops around few instances, by their place, each once."""
    seen: set[tuple[int, ...]] = set()
    for loop in innermost(distribute(found.scop, found).body):
        if loop.kind is LoopKind.PARALLEL:
            continue
        depth = len(loop.nests[0].outer)
        place = found.scop.statement(loop.nests[0].statements[0]).position[:depth]
        inside = loops_of(found.scop.statements)[place]
        copies = [prod(len(values) for values in _values(s, depth).values()) for s in inside]
        is_short = max(copies) <= min(MOST_ITERATIONS, loop.trip_count - 1) and sum(copies) <= MOST_STATEMENTS
        if place not in seen and is_short and sum(copies) > len(inside):
            seen.add(place)
            yield place


def _values(statement: Statement, depth: int) -> Mapping[str, range]:
    """What the loops inside of so many run through at most."""
    ranges = ((name, dim_range(statement.domain, name)) for name in statement.iterators[depth:])
    return {name: range(low, high + 1) for name, (low, high) in ranges}


def _without_loops(scop: Scop, place: tuple[int, ...]) -> Scop:
    """All instances inside of a loop as statements of its own."""
    inside, names = loops_of(scop.statements)[place], Names(scop)
    ordered = sorted((copy for old in inside for copy in _copies(old, len(place))), key=lambda copy: copy[0])
    taken, written = set[StmtId](), list[Statement]()
    for at, (_, copy) in enumerate(ordered):
        copy = named(copy, names.statement(copy.id)) if copy.id in taken else copy
        taken.add(copy.id)
        written.append(replace(copy, position=(*place, at)))
    first = scop.statements.index(inside[0])
    before, after = scop.statements[:first], scop.statements[first + len(inside) :]
    return replace(scop, statements=(*before, *written, *after))


def _copies(old: Statement, depth: int) -> Iterator[tuple[tuple[int, ...], Statement]]:
    """A statement without its loops inside of so many, for each of their iterations, with when that runs."""
    values = _values(old, depth)
    for chosen in product(*values.values()):
        copy = over(old, old.iterators[:depth], dict(zip(values, map(const, chosen), strict=True)))
        if not copy.domain.is_empty():
            inner = chain.from_iterable(zip(chosen, old.position[depth + 1 :], strict=True))
            yield (old.position[depth], *inner), copy
