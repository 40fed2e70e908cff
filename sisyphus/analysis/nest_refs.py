"""What the statements of a nest refer to, in the names that the nest has for its loops."""

from __future__ import annotations

from collections.abc import Iterator

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
