"""What the statements of a nest refer to, in the names that the nest has for its loops."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.analysis.distribution import Nest
from sisyphus.ir import ArrayId, Ref, Scop
from sisyphus.poly import var


def refs_of(scop: Scop, nest: Nest) -> Iterator[Ref]:
    """Every reference, of each statement what it writes first."""
    names = (*nest.outer, *nest.iterators)
    for statement in map(scop.statement, nest.statements):
        renaming = {own: var(name) for own, name in zip(statement.iterators, names, strict=True)}
        yield from (ref.substitute(renaming) for ref in (statement.write, *statement.reads))


def refs_to(scop: Scop, nest: Nest, array: ArrayId) -> tuple[Ref, ...]:
    """Every reference to one array, each once."""
    return tuple(dict.fromkeys(ref for ref in refs_of(scop, nest) if ref.array == array))
