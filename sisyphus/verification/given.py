"""Does the source read nothing that it wrote before through copies of what the kernel was given."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sisyphus.analysis import in_order
from sisyphus.ir import Array, Ref, Scop, Statement
from sisyphus.poly import Map, first_pair, make_map, through
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.verdict import Check


def check_given(scop: Scop) -> Iterator[Check]:
    """One check per copy that is filled before anything is stored: each read through it is of a first value."""
    for copy in (array for array in scop.arrays if array.given):
        yield on_leash(f"copy {copy.id}", "every read is of what the kernel was given", partial(_fault, scop, copy))


def _fault(scop: Scop, copy: Array) -> str | None:
    for writer in (s for s in scop.statements if scop.home(s.write.array) == copy.home):
        if writer.write.array == copy.id:
            return f"{writer.id} writes `{copy.id}`"
        for reader, ref in ((s, ref) for s in scop.statements for ref in s.reads if ref.array == copy.id):
            write, read = (_elements(s, each) for s, each in ((writer, writer.write), (reader, ref)))
            pairs = through(write, read, writer.iterators, reader.iterators)
            late = (first_pair(part) for _, part in in_order(writer, reader, pairs))
            for pair in (pair for pair in late if pair is not None):
                first, second = (", ".join(map(str, values)) for values in pair)
                return f"{reader.id}[{second}] reads `{ref}`, which {writer.id}[{first}] writes before"
    return None


def _elements(statement: Statement, ref: Ref) -> Map:
    """The element that each instance touches, whatever its array is called."""
    dims = [f"d{at}" for at in range(len(ref.index))]
    return make_map(statement.id, statement.iterators, "element", dims, ref.index).intersect_domain(statement.domain)
