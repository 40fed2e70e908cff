"""Rows and columns that change in the middle of a step, in arrays of their own before and after it; knows no cost.

for k: for i: for j: A[i][j] = f(A[i][j], A[i][k], A[k][j])   becomes
for k: { for j: r[j] = A[k][j]   for i: c[i] = A[i][k]   d = A[k][k]   d' = f(d, d, d)
         for j: r'[j] = f(r[j], k < j ? d' : d, r[j])   for i: c'[i] = f(c[i], c[i], k < i ? d' : d)
         for i: for j: A[i][j] = f(A[i][j], k < j ? c'[i] : c[i], k < i ? r'[j] : r[j]) }

An instance reads a pivot as it was before the step, unless the one that writes it runs earlier: then as it is after it.
So no instance of the last nest waits for another one. Values are those of the source, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from sisyphus.analysis.rewrite import fresh_name, names_of
from sisyphus.ir import (
    INT32,
    Array,
    ArrayId,
    Binary,
    Expr,
    Index,
    Read,
    Ref,
    Role,
    Scop,
    Select,
    Statement,
    StmtId,
    rebuild,
    substitute,
)
from sisyphus.poly import Affine, make_map, make_set, shadow_over, var
from sisyphus.values import dataclass, replace

#: Loops of a step that stand still at the pivot.
Pinned = frozenset[str]


def with_pivots(scop: Scop) -> Scop | None:
    """The kernel with such arrays for each statement that is alone in its loops and has pivots; None where none is."""
    taken = names_of(scop) | {s.id for s in scop.statements}
    arrays, statements = [*scop.arrays], list[Statement]()
    for statement in scop.statements:
        step = _step_of(scop, statement)
        if step is None:
            statements.append(statement)
        else:
            made = _Rewriting(scop, step, taken)
            statements += made.statements()
            arrays += made.arrays
    return replace(scop, arrays=tuple(arrays), statements=tuple(statements)) if len(arrays) > len(scop.arrays) else None


@dataclass(frozen=True, eq=False)
class _Step:
    """A statement whose loops inside of the outer `depth` ones write each element of its array once.

    `at`: where a loop of them stands at a pivot; `pivots`: which of them stand still in each read of the array.
    """

    statement: Statement
    depth: int
    at: Mapping[str, Affine]
    pivots: Mapping[Ref, Pinned]

    @property
    def inside(self) -> tuple[str, ...]:
        return self.statement.iterators[self.depth :]

    def instance(self, pinned: Pinned) -> dict[str, Affine]:
        """The iterators of the instance that writes a pivot."""
        return {loop: self.at[loop] if loop in pinned else var(loop) for loop in self.statement.iterators}

    @cached_property
    def needed(self) -> tuple[Pinned, ...]:
        """All kinds of pivots that are read, those first that others are computed from."""
        found, waiting = set[Pinned](), [Pinned()]
        while waiting:
            pinned = waiting.pop()
            others = {pinned | other for other in self.pivots.values()} - found - {pinned}
            found |= others
            waiting += others
        return tuple(sorted(found, key=lambda pinned: (-len(pinned), sorted(pinned))))


def _step_of(scop: Scop, statement: Statement) -> _Step | None:
    """The step of a statement; None where it shares loops, or where some pivot is not written in each step."""
    index, array = statement.write.index, statement.write.array
    depth = len(statement.iterators) - len(index)
    shares = any(statement.shared_loops(other) for other in scop.statements if other is not statement)
    inside = statement.iterators[depth:]
    if shares or depth < 1 or array in scop.looked_up or sorted(map(str, index)) != sorted(inside):
        return None
    at, pivots = dict[str, Affine](), dict[Ref, Pinned]()
    for ref in (ref for ref in statement.reads if ref.array == array):
        pairs = zip(map(str, index), ref.index, strict=True)
        places = {loop: place for loop, place in pairs if place != var(loop)}
        if any(place.names & {*inside} or at.setdefault(loop, place) != place for loop, place in places.items()):
            return None
        pivots[ref] = Pinned(places)
    step = _Step(statement, depth, at, pivots)
    return step if step.needed and all(_is_written(step, pinned) for pinned in step.needed) else None


def _is_written(step: _Step, pinned: Pinned) -> bool:
    """Whether each instance has one of its own step that writes such a pivot."""
    statement, values = step.statement, step.instance(pinned)
    ends = [f"o{at}" for at in range(len(values))]
    moved = make_map(statement.id, statement.iterators, statement.id, ends, tuple(values.values()))
    return bool(moved.intersect_domain(statement.domain).range().is_subset(statement.domain))


class _Rewriting:
    """The arrays and statements that stand for one statement."""

    def __init__(self, scop: Scop, step: _Step, taken: set[str]) -> None:
        self._step, self._taken = step, taken
        self._array = scop.array(step.statement.write.array)
        self._before = {pinned: self._kept(pinned) for pinned in step.needed}
        self._after = {pinned: self._kept(pinned) for pinned in step.needed}

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (*self._before.values(), *self._after.values())

    def statements(self) -> Iterator[Statement]:
        """Pivots before the step, then after it, then all elements."""
        step, whole = self._step, self._step.statement
        found: list[tuple[Pinned, Ref, Expr]] = []
        for pinned in step.needed:
            pivot = whole.write.substitute(step.instance(pinned))
            found.append((pinned, self._element(self._before, pinned), self._read(pivot)))
        found += ((pinned, self._element(self._after, pinned), self._value(pinned)) for pinned in step.needed)
        for place, (pinned, write, value) in enumerate(found):
            iterators = tuple(loop for loop in whole.iterators if loop not in pinned)
            name = StmtId(self._fresh(whole.id))
            stands = [step.at[loop] - var(loop) for loop in sorted(pinned)]
            points = whole.domain.intersect(make_set(whole.id, whole.iterators, zero=stands))
            yield replace(
                whole,
                id=name,
                iterators=iterators,
                domain=shadow_over(points, name, iterators),
                position=(*whole.position[: step.depth], place, *(0 for _ in iterators[step.depth :])),
                write=write,
                rhs=value,
            )
        position = (*whole.position[: step.depth], len(found), *whole.position[step.depth + 1 :])
        yield replace(whole, position=position, rhs=self._value(Pinned()))

    def _kept(self, pinned: Pinned) -> Array:
        """A local array for the dimensions that no pivot of the kind has in common."""
        loops = map(str, self._step.statement.write.index)
        extents = tuple(e for loop, e in zip(loops, self._array.extents, strict=True) if loop not in pinned)
        return replace(self._array, id=ArrayId(self._fresh(self._array.id)), extents=extents, role=Role.LOCAL)

    def _fresh(self, name: str) -> str:
        found = fresh_name(name, self._taken)
        self._taken.add(found)
        return found

    def _element(self, kept: Mapping[Pinned, Array], pinned: Pinned) -> Ref:
        written = self._step.statement.write.index
        return Ref(kept[pinned].id, tuple(index for index in written if str(index) not in pinned))

    def _read(self, ref: Ref) -> Read:
        return Read(ref, self._array.type)

    def _value(self, pinned: Pinned) -> Expr:
        """What the instance computes that writes such a pivot, or the one of all elements where nothing is pinned."""
        step = self._step
        values = step.instance(pinned)

        def leaf(expr: Expr) -> Expr:
            if not isinstance(expr, Read) or expr.ref.array != self._array.id:
                return substitute(expr, values)
            both = pinned | step.pivots[expr.ref]
            if both == pinned:
                return self._read(self._element(self._before, pinned)) if pinned else expr
            before, after = (self._read(self._element(kept, both)) for kept in (self._before, self._after))
            earlier = _is_earlier(step.at, [loop for loop in step.inside if loop in both - pinned])
            return Select(earlier, after, before, expr.type)

        return rebuild(step.statement.rhs, leaf)


def _is_earlier(at: Mapping[str, Affine], loops: Sequence[str]) -> Expr:
    """Whether an instance comes after the one in which these loops, outermost first, stand at the pivot."""
    first, *rest = loops
    pivot, own = Index(at[first], INT32), Index(var(first), INT32)
    less = Binary("<", pivot, own, INT32)
    if not rest:
        return less
    return Binary("||", less, Binary("&&", Binary("==", pivot, own, INT32), _is_earlier(at, rest), INT32), INT32)
