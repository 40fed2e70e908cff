"""Locals of which copies alone are read before they are written, as those of line buffers; knows no syntax.

They are filled with zeros. isl's dataflow analysis shows that nothing but copies ever sees these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, islice

from sisyphus.frontend.c.c_types import convert, integer_expression
from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.frontend.c.initialised import Unset, report
from sisyphus.frontend.c.questions import leashed
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import Access, ArrayId, Read, Ref, Statement, StmtId
from sisyphus.ir.types import INT32
from sisyphus.poly import IslError, Map, followed, last_writers, make_box, original_schedule, renamed, var
from sisyphus.values import replace


def begun(
    statements: Sequence[Statement], unset: Sequence[Unset], variables: Sequence[Variable], collector: Collector
) -> tuple[tuple[Statement, ...], list[str]]:
    """The statements behind zeros for what is unset, and a note of it; a fault where anything but copies sees these."""
    if not unset:
        return (*statements,), []
    whole = filled(statements, [one.variable for one in unset])
    fills = {s.id: one for s, one in zip(whole, unset, strict=False)}
    for name in sorted(seen(whole, fills, {v.id for v in variables if not v.is_argument})):
        report(fills[name], collector)
    names = ", ".join(f"`{one.variable.name}`" for one in unset)
    return whole, [f"filled with zeros, of which copies are made that nothing else reads: {names}"]


def filled(statements: Sequence[Statement], variables: Sequence[Variable]) -> tuple[Statement, ...]:
    """The statements behind others that write zeros to these variables, in the same order."""
    taken = {iterator for s in statements for iterator in s.iterators}
    first = [_fill(variable, StmtId(f"S{len(statements) + at}"), at, taken) for at, variable in enumerate(variables)]
    later = (replace(s, position=(s.position[0] + len(first), *s.position[1:])) for s in statements)
    return (*first, *later)


def _fill(variable: Variable, name: StmtId, place: int, taken: Collection[str]) -> Statement:
    fresh = (iterator for at in count() if (iterator := f"z{at}") not in taken)
    iterators = tuple(islice(fresh, len(variable.extents)))
    return Statement(
        id=name,
        iterators=iterators,
        domain=renamed(make_box(name, variable.extents), name, iterators),
        position=(place, *(0 for _ in iterators)),
        write=Ref(variable.id, tuple(map(var, iterators))),
        write_type=variable.type,
        rhs=convert(integer_expression(0, INT32), variable.type),
        span=variable.span,
    )


def seen(statements: Sequence[Statement], fills: Collection[StmtId], local: Collection[ArrayId]) -> set[StmtId]:
    """Those of the `fills` whose values may reach more than copies; all where isl gives up."""
    copies = {s.id for s in statements if _is_copy(s, local)}
    length = 2 * max(len(s.iterators) for s in statements) + 1
    times = {s.id: original_schedule(s.id, s.iterators, s.position, length) for s in statements}
    passed = {s.write.array for s in statements if s.id in copies or s.id in fills}
    try:
        with leashed():
            steps = [one for s in statements if s.id in copies for one in _sources(statements, s, passed, times)]
            firsts = [[*_sources(statements, s, passed, times)] for s in statements if s.id not in copies]
            ends = [followed(first, steps) for first in firsts if first]
    except IslError:
        return {*fills}
    if any(found is None for found in ends):
        return {*fills}
    return {StmtId(name) for found in ends for name, _ in found or ()} & {*fills}


def _is_copy(statement: Statement, local: Collection[ArrayId]) -> bool:
    """Whether it passes an element on to a local, as it is."""
    value = statement.rhs
    return isinstance(value, Read) and value.type == statement.write_type and statement.write.array in local


def _sources(
    statements: Sequence[Statement], reader: Statement, arrays: Collection[ArrayId], times: Mapping[StmtId, Map]
) -> Iterator[Map]:
    """From each instance of a statement to those that wrote what it reads of some arrays."""
    for read in reader.accesses[1:]:
        if read.array in arrays:
            yield from _writers(statements, reader, read, times)


def _writers(
    statements: Sequence[Statement], reader: Statement, read: Access, times: Mapping[StmtId, Map]
) -> Iterator[Map]:
    writers = [s for s in statements if s.write.array == read.array]
    users = dict.fromkeys([*writers, reader])
    flow = last_writers([read.relation], [w.accesses[0].relation for w in writers], [times[u.id] for u in users])
    for _, _, pairs in flow:
        yield pairs.reverse()
