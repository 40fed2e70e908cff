"""What forms of a kernel are made of: new names, arrays, and statements made of others; decides and proves nothing.

A form that gives values other places has an array for them (`local`), statements that fill it or write it back
(`copying`), and statements that use it (`with_elements`); one that runs instances elsewhere has them over other loops
(`over`), as where a loop is cut into blocks (`Cut`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sisyphus.analysis.rewrite import fresh_name, names_of, with_refs
from sisyphus.ir import Array, ArrayId, Read, Ref, Role, ScalarType, Scop, Statement, StmtId, reads, substitute
from sisyphus.poly import Affine, Set, const, dim_range, make_set, pull_back, renamed, var
from sisyphus.source import Span
from sisyphus.values import dataclass, replace

#: Copies of a statement in place of those inside of a loop, which has so many around it, each with when it comes.
Copies = Callable[[Statement, int], Iterable[tuple[tuple[int, ...], Statement]]]


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


def without_unused(scop: Scop) -> Scop:
    """The kernel without local arrays that no statement touches."""
    touched = {array for s in scop.statements for array in s.touched}
    return replace(scop, arrays=tuple(a for a in scop.arrays if a.role is not Role.LOCAL or a.id in touched))


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


def in_array(statement: Statement, old: ArrayId, new: ArrayId) -> Statement:
    """The statement with elements of one array in place of those of another."""
    return with_refs(statement, lambda ref: replace(ref, array=new) if ref.array == old else ref)


def named(statement: Statement, name: StmtId) -> Statement:
    """The same statement by another name."""
    return replace(statement, id=name, domain=renamed(statement.domain, name, statement.iterators))


def every_ref(statement: Statement) -> tuple[Ref, ...]:
    """What a statement writes, then each of its reads, repeats included."""
    return (statement.write, *reads(statement.rhs))


def loops_of(statements: Sequence[Statement]) -> dict[tuple[int, ...], list[Statement]]:
    """Each loop by its place, as long as the loop is deep, with the statements in it; in the order of the text."""
    found = dict[tuple[int, ...], list[Statement]]()
    for statement in statements:
        for depth in range(1, len(statement.iterators) + 1):
            found.setdefault(statement.position[:depth], []).append(statement)
    return found


def runs_of(statement: Statement) -> dict[str, range]:
    """What the loops around a statement run through at most, outermost first."""
    ends = {name: dim_range(statement.domain, name) for name in statement.iterators}
    return {name: range(low, high + 1) for name, (low, high) in ends.items()}


def lengths_of(
    statements: Sequence[Statement], runs: Mapping[StmtId, Mapping[str, range]]
) -> dict[tuple[int, ...], int]:
    """Iterations of each loop, by its place: from the first to the last that some statement has."""
    found = dict[tuple[int, ...], int]()
    for place, inside in loops_of(statements).items():
        some = [run for s in inside if (run := runs[s.id][s.iterators[len(place) - 1]])]
        found[place] = max((run.stop for run in some), default=0) - min((run.start for run in some), default=0)
    return found


def in_iteration(old: Statement, depth: int, value: int) -> Statement:
    """A statement in one iteration of its loop inside of so many, without that loop; it lies where the loop did."""
    loops = (*old.iterators[:depth], *old.iterators[depth + 1 :])
    copy = over(old, loops, {old.iterators[depth]: const(value)})
    return replace(copy, position=(*old.position[: depth + 1], *old.position[depth + 2 :]))


def instead_of_loop(scop: Scop, place: tuple[int, ...], copies: Copies) -> Scop:
    """The kernel with copies of what a loop has inside, which lie where it did, in the order in which they come."""
    around, names, taken = place[:-1], Names(scop), set[StmtId]()
    written = list[tuple[tuple[int, ...], Statement]]()
    for old in scop.statements:
        for when, copy in copies(old, len(around)) if old.position[: len(place)] == place else [((), old)]:
            copy = named(copy, names.statement(copy.id)) if copy.id in taken else copy
            taken.add(copy.id)
            written.append(((*copy.position[len(around) : len(place)], *when), copy))
    siblings = sorted({key for key, copy in written if copy.position[: len(around)] == around})
    moved = [
        copy if copy.position[: len(around)] != around else _at(copy, len(around), siblings.index(key))
        for key, copy in written
    ]
    return replace(scop, statements=tuple(sorted(moved, key=lambda copy: copy.position)))


def _at(statement: Statement, depth: int, place: int) -> Statement:
    """The statement at a place among what lies inside of so many loops."""
    return replace(statement, position=(*statement.position[:depth], place, *statement.position[depth + 1 :]))


def values_of(old: Statement, given: Mapping[str, Affine]) -> tuple[Affine, ...]:
    """The iterators of a statement where some of them have the `given` values; others stay."""
    return tuple(given.get(iterator, var(iterator)) for iterator in old.iterators)


def over(
    old: Statement,
    loops: Sequence[str],
    given: Mapping[str, Affine],
    inside: Sequence[Affine] = (),
    zero: Sequence[Affine] = (),
) -> Statement:
    """The instances of a statement over other loops in which its iterators have the `given` values (`values_of`).

    Those points of the new loops are kept at which what is `inside` is at least zero, and what is `zero` is so.
    """
    points = pull_back(old.domain, loops, values_of(old, given))
    kept = make_set("", loops, at_least_zero=inside, zero=zero)
    return replace(
        old,
        iterators=tuple(loops),
        domain=renamed(points.intersect(kept), old.id, loops),
        write=old.write.substitute(given),
        rhs=substitute(old.rhs, given),
    )


@dataclass(frozen=True)
class Cut:
    """A loop from `low` in blocks of `size` iterations, which the new loop `name` counts."""

    name: str
    low: int
    size: int

    @property
    def first(self) -> Affine:
        """The old iterator at the beginning of a block."""
        return var(self.name) * self.size + self.low

    def value(self, iterator: str) -> Affine:
        """The old iterator, whose name the loop inside of a block has now."""
        return self.first + var(iterator)

    def inside(self, step: Affine) -> list[Affine]:
        """What is at least zero where this is the number of a step in its block."""
        return [step, self.size - 1 - step]

    def at(self, old: Statement, depth: int, inside: Sequence[Affine] = ()) -> tuple[Statement, dict[str, Affine]]:
        """A statement with its loop inside of `depth` others cut, and what this is; at points `inside` (`over`)."""
        own, loops = old.iterators[depth], (*old.iterators[:depth], self.name, *old.iterators[depth:])
        given = {own: self.value(own)}
        return over(old, loops, given, [*self.inside(var(own)), *inside]), given
