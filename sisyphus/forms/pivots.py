"""Rows and columns that change in the middle of a step, in arrays of their own before and after it; knows no cost.

for k: for i: for j: A[i][j] = f(A[i][j], A[i][k], A[k][j])   becomes
for k: { for j: r[j] = A[k][j]   for i: c[i] = A[i][k]   d = A[k][k]   d' = f(d, d, d)
         for j: r'[j] = f(r[j], k < j ? d' : d, r[j])   for i: c'[i] = f(c[i], c[i], k < i ? d' : d)
         for i: for j: A[i][j] = f(A[i][j], k < j ? c'[i] : c[i], k < i ? r'[j] : r[j]) }

An instance reads a pivot as it was before the step, unless the one that writes it runs earlier: then as it is after it.
So no instance of the last nest waits for another one. Values are those of the source, bit for bit.

In blocks, the arrays have the pivots of all steps of the block, each brought up to date by the steps before it:
for kb: { for k < 64: for j: r[k][j] = A[64 kb + k][j] (c, d so, too)
          for k < 64: { d'[k], r'[k][j], c'[k][i] as above
                        for k < l < 64: for j: r[l][j] = f(r[l][j], k < j ? c'[k][l] : c[k][l], r'[k][j]) (c, d) }
          for i: for j: for k < 64: A[i][j] = f(A[i][j], k < j ? c'[k][i] : c[k][i], k < i ? …) }
So all elements pass through the chip once per block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.blocks import near
from sisyphus.forms.building import Cut, Names, local, placed
from sisyphus.ir import (
    INT32,
    Array,
    Binary,
    Expr,
    Index,
    Read,
    Ref,
    Scop,
    Select,
    Statement,
    StmtId,
    rebuild,
    substitute,
)
from sisyphus.poly import Affine, Set, dim_names, make_map, make_set, pull_back, renamed, shadow_over, var
from sisyphus.values import dataclass, replace

#: Loops of a step that stand still at the pivot.
Pinned = frozenset[str]
NONE = Pinned()

#: Blocks that the loop over steps makes at least.
FEWEST_BLOCKS = 4
#: Steps of a block, if there are so many: all elements pass through the chip once in each.
STEPS = 128


def with_pivots(scop: Scop, size: int | None = None) -> Scop | None:
    """The kernel with such arrays for each statement that is alone in its loops and has pivots; None where none is.

    With `size`, in blocks of so many steps.
    """
    names = Names(scop)
    arrays, statements = [*scop.arrays], list[Statement]()
    for statement in scop.statements:
        step = _step_of(scop, statement)
        if step is not None and size is not None:
            step = _in_block(step, size, names)
        if step is None:
            statements.append(statement)
        else:
            made = _Rewriting(scop, step, names)
            statements += made.statements()
            arrays += made.arrays
    return replace(scop, arrays=tuple(arrays), statements=tuple(statements)) if len(arrays) > len(scop.arrays) else None


def sizes_of_blocks(scop: Scop) -> tuple[int, ...]:
    """How many steps a block of the longest step loop has best; none where no statement can have blocks."""
    steps = [step for s in scop.statements for step in [_step_of(scop, s)] if step is not None and step.moves]
    longest = max((len(range_of([step.statement], step.depth - 1)) for step in steps), default=0)
    most = longest // FEWEST_BLOCKS
    return (near(longest, most, min(STEPS, most)),) if most else ()


@dataclass(frozen=True, eq=False)
class _Step:
    """A statement whose loops inside of the outer `depth` ones write each element of its array once.

    `at`: where a loop of them stands at a pivot; `pivots`: which of them stand still in each read of the array;
    `block`: how many iterations the innermost of the outer loops has, if it is that of a block.
    """

    statement: Statement
    depth: int
    at: Mapping[str, Affine]
    pivots: Mapping[Ref, Pinned]
    block: int = 0

    @property
    def loop(self) -> str:
        """The innermost of the outer loops, an iteration of which is a step."""
        return self.statement.iterators[self.depth - 1]

    @property
    def moves(self) -> bool:
        """Whether pivots are further on in each step."""
        return all(place.coefficient(self.loop) == 1 for place in self.at.values())

    @property
    def inside(self) -> tuple[str, ...]:
        return self.statement.iterators[self.depth :]

    def instance(self, pinned: Pinned) -> dict[str, Affine]:
        """The iterators of the instance that writes a pivot."""
        return {loop: self.at[loop] if loop in pinned else var(loop) for loop in self.statement.iterators}

    @cached_property
    def needed(self) -> tuple[Pinned, ...]:
        """All kinds of pivots that are read, those first that others are computed from."""
        found, waiting = set[Pinned](), [NONE]
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


def _in_block(step: _Step, size: int, names: Names) -> _Step | None:
    """The step as one of a block of so many; None where pivots of the steps of a block are in one place."""
    if not step.moves:
        return None
    old, before, loop = step.statement, step.depth - 1, step.loop
    cut = Cut(names.like(f"{loop}_block"), range_of([old], before).start, size)
    new, given = cut.at(old, before)
    new = replace(new, position=(*old.position[: step.depth], 0, *old.position[step.depth :]))
    at = {name: place.substitute(given) for name, place in step.at.items()}
    pivots = {ref.substitute(given): pinned for ref, pinned in step.pivots.items()}
    return _Step(new, step.depth + 1, at, pivots, size)


class _Rewriting:
    """The arrays and statements that stand for one statement."""

    def __init__(self, scop: Scop, step: _Step, names: Names) -> None:
        self._step, self._names = step, names
        self._array = scop.array(step.statement.write.array)
        self._before = {pinned: self._kept(pinned) for pinned in step.needed}
        self._after = {pinned: self._kept(pinned) for pinned in step.needed}
        self._own = [var(step.loop)] if step.block else []
        self._later = names.like(step.loop)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (*self._before.values(), *self._after.values())

    def statements(self) -> Iterator[Statement]:
        """Pivots before the step, then after it, and what it makes of later ones of its block; then all elements."""
        step, whole = self._step, self._step.statement
        found: list[tuple[Pinned, Ref, Expr]] = []
        for pinned in step.needed:
            pivot = whole.write.substitute(step.instance(pinned))
            found.append((pinned, self._element(self._before, pinned), self._read(pivot)))
        found += ((p, self._element(self._after, p), self._value(step.instance(p), at_step=p)) for p in step.needed)
        made = [self._of_pivots(*each) for each in found]
        if step.block:
            later = (self._of_later(pinned) for pinned in step.needed)
            made += (statement for statement in later if not statement.domain.is_empty())
        filled, outside = len(step.needed), whole.position[: step.depth - len(self._own)]
        for place, statement in enumerate(made):
            in_step = step.block and place >= filled
            yield placed(statement, (*outside, filled, place) if in_step else (*outside, place))
        value = self._value({loop: var(loop) for loop in whole.iterators})
        yield placed(replace(whole, rhs=value), (*outside, len(made)))

    def _of_pivots(self, pinned: Pinned, write: Ref, value: Expr) -> Statement:
        """A statement of each step for all pivots of a kind."""
        name, domain = self._names.statement(self._step.statement.id), self._instances(pinned)
        iterators = tuple(dim_names(domain))
        return self._like(name, iterators, renamed(domain, name, iterators), write, value)

    def _of_later(self, pinned: Pinned) -> Statement:
        """What a step makes of pivots of a kind before later steps of its block."""
        step, whole, later = self._step, self._step.statement, {self._step.loop: var(self._later)}
        values = {
            loop: value.substitute(later) if loop in pinned else value for loop, value in step.instance(pinned).items()
        }
        own = dim_names(self._instances(pinned))
        iterators = (*own[: step.depth], self._later, *own[step.depth :])
        there = pull_back(self._instances(pinned), iterators, [later.get(loop, var(loop)) for loop in own])
        here = pull_back(whole.domain, iterators, [values[loop] for loop in whole.iterators])
        after = make_set("", iterators, at_least_zero=[var(self._later) - var(step.loop) - 1])
        write = self._element(self._before, pinned).substitute(later)
        name = self._names.statement(whole.id)
        domain = renamed(here.intersect(there).intersect(after), name, iterators)
        return self._like(name, iterators, domain, write, self._value(values, own=write, ahead=pinned))

    def _like(self, name: StmtId, iterators: tuple[str, ...], domain: Set, write: Ref, value: Expr) -> Statement:
        return replace(self._step.statement, id=name, iterators=iterators, domain=domain, write=write, rhs=value)

    def _instances(self, pinned: Pinned) -> Set:
        """For which pivots of a kind there are instances, over the loops that do not stand still."""
        step, whole = self._step, self._step.statement
        stands = [step.at[loop] - var(loop) for loop in sorted(pinned)]
        points = whole.domain.intersect(make_set(whole.id, whole.iterators, zero=stands))
        return shadow_over(points, whole.id, tuple(loop for loop in whole.iterators if loop not in pinned))

    def _kept(self, pinned: Pinned) -> Array:
        """A local array for the steps of a block and the dimensions that no pivot of the kind has in common."""
        loops = map(str, self._step.statement.write.index)
        extents = tuple(e for loop, e in zip(loops, self._array.extents, strict=True) if loop not in pinned)
        if self._step.block:
            extents = (self._step.block, *extents)
        return local(self._array, self._names.array(self._array.id), extents)

    def _element(self, kept: Mapping[Pinned, Array], pinned: Pinned) -> Ref:
        written = self._step.statement.write.index
        return Ref(kept[pinned].id, (*self._own, *(index for index in written if str(index) not in pinned)))

    def _read(self, ref: Ref) -> Read:
        return Read(ref, self._array.type)

    def _value(
        self,
        values: Mapping[str, Affine],
        *,
        at_step: Pinned = NONE,
        own: Ref | None = None,
        ahead: Pinned = NONE,
    ) -> Expr:
        """What the instance with these iterators computes.

        Loops stand at the pivot of the step `at_step`, and of a later step of the block `ahead`; its element is `own`,
        unless that of a pivot or of the array.
        """
        step = self._step
        if at_step:
            own = self._element(self._before, at_step)

        def leaf(expr: Expr) -> Expr:
            if not isinstance(expr, Read) or expr.ref.array != self._array.id:
                return substitute(expr, values)
            both = at_step | step.pivots[expr.ref]
            if both == at_step:
                return expr if own is None else self._read(own)
            elements = (self._element(kept, both).substitute(values) for kept in (self._before, self._after))
            before, after = map(self._read, elements)
            earlier = _is_earlier(step.at, [loop for loop in step.inside if loop in both - at_step], ahead)
            return after if earlier is None else Select(earlier, after, before, expr.type)

        return rebuild(step.statement.rhs, leaf)


def _is_earlier(at: Mapping[str, Affine], loops: Sequence[str], ahead: Pinned) -> Expr | None:
    """Whether an instance comes after the one in which these loops, outermost first, stand at the pivot.

    None where it does in any case, as loops `ahead` are beyond the pivot.
    """
    first, *rest = loops
    if first in ahead:
        return None
    pivot, own = Index(at[first], INT32), Index(var(first), INT32)
    less = Binary("<", pivot, own, INT32)
    if not rest:
        return less
    same, inside = Binary("==", pivot, own, INT32), _is_earlier(at, rest, ahead)
    return Binary("||", less, same if inside is None else Binary("&&", same, inside, INT32), INT32)
