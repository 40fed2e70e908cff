"""What the statements of a nest refer to, in the names that the nest has for its loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sisyphus.analysis.distribution import Nest
from sisyphus.ir import ArrayId, Ref, Scop, Statement
from sisyphus.poly import Affine, var


def loops_in(nest: Nest, statement: Statement) -> dict[str, Affine]:
    """The loops around a statement of a nest as the nest calls them, by the names that the statement has."""
    return dict(zip(statement.iterators, map(var, (*nest.outer, *nest.iterators)), strict=True))


def refs_of(scop: Scop, nest: Nest) -> Iterator[Ref]:
    """Every reference, of each statement what it writes first."""
    for statement in map(scop.statement, nest.statements):
        loops = loops_in(nest, statement)
        yield from (ref.substitute(loops) for ref in (statement.write, *statement.reads))


def refs_to(scop: Scop, nest: Nest, array: ArrayId) -> tuple[Ref, ...]:
    """Every reference to one array, each once."""
    return tuple(dict.fromkeys(ref for ref in refs_of(scop, nest) if ref.array == array))


def elements_updated(statements: Iterable[Statement]) -> tuple[Ref, ...] | None:
    """What statements write, a reference for each array, where no iteration touches another element of these arrays.

    None where one has several references, or subscripts of several loops: else iterations touch one element where the
    loops in its subscripts stand alike, and no others do.
    """
    given = tuple(statements)
    written = {s.write.array for s in given}
    touched = dict.fromkeys(ref for s in given for ref in (s.write, *s.reads) if ref.array in written)
    is_picked = all(len(index.terms) <= 1 for ref in touched for index in ref.index)
    return tuple(touched) if is_picked and len(touched) == len(written) else None
