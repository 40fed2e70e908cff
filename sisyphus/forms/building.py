"""What forms of a kernel are made of: new names, arrays, and statements made of others; decides and proves nothing.

A form that gives values other places has an array for them (`local`), statements that fill it or write it back
(`copying`), and statements that use it (`with_elements`); one that runs instances elsewhere has them over other loops
(`over`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis.rewrite import fresh_name, names_of, with_refs
from sisyphus.ir import Array, ArrayId, Read, Ref, Role, ScalarType, Scop, Statement, StmtId, substitute
from sisyphus.poly import Affine, Set, pull_back, renamed, var
from sisyphus.source import Span
from sisyphus.values import replace


class Names:
    """The names that a kernel has for arrays, arguments, statements and loops; gives each new one once."""

    def __init__(self, scop: Scop) -> None:
        self._taken = names_of(scop) | {name for s in scop.statements for name in (*s.iterators, s.id)}

    def wanted(self, name: str) -> str:
        """This name if nothing has it, else one like it."""
        found = str(fresh_name(name, self._taken)) if name in self._taken else name
        self._taken.add(found)
        return found

    def like(self, name: str) -> str:
        """One like this name."""
        return self.wanted(fresh_name(name, self._taken))

    def array(self, like: ArrayId) -> ArrayId:
        return ArrayId(self.like(like))

    def statement(self, like: StmtId) -> StmtId:
        return StmtId(self.like(like))


def local(array: Array, name: ArrayId, extents: Sequence[int]) -> Array:
    """An array of the kernel alone for values of another one."""
    return replace(array, id=name, extents=tuple(extents), role=Role.LOCAL)


def copying(
    name: StmtId,
    span: Span,
    loops: Sequence[str],
    points: Set,
    place: Sequence[int],
    kind: ScalarType,
    moved: tuple[Ref, Ref],
) -> Statement:
    """A statement that, at points of its loops, moves a value of a type to the first of two elements from the second.

    `span` is what it stands for in the source, `place` where it is in the kernel (`placed`).
    """
    to, origin = moved
    domain = renamed(points, name, loops)
    return placed(Statement(name, tuple(loops), domain, (), to, kind, Read(origin, kind), span), place)


def placed(statement: Statement, first: Sequence[int]) -> Statement:
    """The statement at a place whose loops inside it shares with none."""
    left = len(statement.iterators) + 1 - len(first)
    return replace(statement, position=(*first, *(0 for _ in range(left))))


def with_elements(statement: Statement, instead: Mapping[Ref, Ref]) -> Statement:
    """The statement with some references replaced by others."""
    return with_refs(statement, lambda ref: instead.get(ref, ref))


def named(statement: Statement, name: StmtId) -> Statement:
    """The same statement by another name."""
    return replace(statement, id=name, domain=renamed(statement.domain, name, statement.iterators))


def over(old: Statement, loops: Sequence[str], given: Mapping[str, Affine], inside: Set | None = None) -> Statement:
    """The instances of a statement over other loops in which its iterators have the `given` values.

    Iterators that are not given stay. `inside` are the points of the new loops that are kept, all if it is None.
    """
    points = pull_back(old.domain, loops, [given.get(iterator, var(iterator)) for iterator in old.iterators])
    return replace(
        old,
        iterators=tuple(loops),
        domain=renamed(points if inside is None else points.intersect(inside), old.id, loops),
        write=old.write.substitute(given),
        rhs=substitute(old.rhs, given),
    )
