"""Steps that each make a line of an array and update all later ones, in blocks of lines that stay on chip; no target.

for k: { for i: Q[i][k] = f(A[i][k])   for j > k: { for i: r[j] += Q[i][k] * A[i][j]
                                                    for i: A[i][j] -= Q[i][k] * r[j] } }   becomes, by 64 lines,
for kb: {
    for i: for j < 64: A_1[i][j] = A[i][64 kb + j]
    for k < 64: { for i: Q_1[i][k] = f(A_1[i][k])   for k < j < 64: { … A_1[i][j] -= Q_1[i][k] * r[64 kb + j] } }
    for i: for j < 64: A[i][64 kb + j] = A_1[i][j]
    for jb > kb: {
        for i: for j < 64: A_1[i][j] = A[i][64 jb + j]
        for k < 64: for j < 64: { … A_1[i][j] -= Q_1[i][k] * r[64 jb + j] }
        for i: for j < 64: A[i][64 jb + j] = A_1[i][j] }
    for i: for k < 64: Q[i][64 kb + k] = Q_1[i][k] }

Where the array does not fit on chip, each step would move all of it. A block of lines passes once per block of steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from sisyphus.analysis import Dependences
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.building import Cut, Names, named, over
from sisyphus.forms.lines import Line, window_of, with_windows
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.windows import Window
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement
from sisyphus.poly import Affine, var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Making:
    """The statements of a loop of steps that make lines of `updated` arrays, and those of `made` ones, of their step.

    `inner`: places of the loops inside of a step that run through lines.
    """

    statements: tuple[Statement, ...]
    updated: tuple[Line, ...]
    made: tuple[Line, ...]
    inner: frozenset[tuple[int, ...]]

    @cached_property
    def values(self) -> range:
        """The numbers of all lines."""
        ranges = [range_of([s], 0) for s in self.statements]
        ranges += [range_of([s], 1) for s in self.statements if s.position[:2] in self.inner]
        return range(min(0, *(r.start for r in ranges)), max(r.stop for r in ranges))

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self.updated, *self.made)


def making_lines(scop: Scop) -> Making | None:
    """The first loop of such steps; None without one."""
    for place in dict.fromkeys(s.position[0] for s in scop.statements):
        group = tuple(s for s in scop.statements if s.position[0] == place and s.iterators)
        arrays = [a for a in scop.arrays if len(a.extents) > 1 and any(s.write.array == a.id for s in group)]
        every = [(a.id, d) for a in arrays if _is_outside(scop, a) for d in range(len(a.extents))]
        running = {line: _running(group, line) for line in every}
        updated = tuple(line for line in every if running[line] and _are_lines(group, line, running[line]))
        inner = frozenset(place for line in updated for place in running[line])
        if updated and all(running[line] == inner for line in updated):
            made = (line for line in every if not running[line] and _are_lines(group, line, inner))
            return Making(group, updated, tuple(made), inner)
    return None


def _is_outside(scop: Scop, array: Array) -> bool:
    return array.role is not Role.LOCAL and array.id not in scop.looked_up


def _running(group: Sequence[Statement], line: Line) -> frozenset[tuple[int, ...]]:
    """The places of loops inside of a step that run through lines of an array."""
    return frozenset(s.position[:2] for s, ref in _uses(group, line[0]) if _depth(s, ref.index[line[1]]) == 1)


def _are_lines(group: Sequence[Statement], line: Line, inner: frozenset[tuple[int, ...]]) -> bool:
    """Whether each statement touches one line of an array: in the places `inner` that of their loop, else of its step.

    Of an array that is made, only the line of the step. No other subscript has the step or that loop, and some
    statement touches the line of the step.
    """
    array, dim = line
    runs, uses = bool(_running(group, line)), list(_uses(group, array))
    depths = [(_depth(s, ref.index[dim]), int(runs and s.position[:2] in inner)) for s, ref in uses]
    moving = [({*s.iterators[: 1 + (s.position[:2] in inner)]}, ref) for s, ref in uses]
    others = any(e.names & names for names, ref in moving for at, e in enumerate(ref.index) if at != dim)
    return not others and all(depth == wanted for depth, wanted in depths) and any(depth == 0 for depth, _ in depths)


def _uses(group: Sequence[Statement], array: ArrayId) -> Iterator[tuple[Statement, Ref]]:
    return ((s, access.ref) for s in group for access in s.accesses if access.array == array)


def _depth(statement: Statement, subscript: Affine) -> int | None:
    """Which of the two outermost loops a subscript is the iterator of; None where it is something else."""
    return next((at for at, name in enumerate(statement.iterators[:2]) if subscript == var(name)), None)


def in_line_blocks(found: Dependences, size: int) -> Scop | None:
    """The kernel in blocks of so many lines; None without such steps, or where it is not proved the same program."""
    scop = found.scop
    making = making_lines(scop)
    if making is None or len(making.values) <= size:
        return None
    names = Names(scop)
    build = _Blocks(scop, making, size, names)
    blocks = ordered(scop, build.moved())
    return build.windowed(blocks.scop) if next(faults(found, blocks), None) is None else None


class _Blocks:
    """The loops over blocks of steps and of later lines, then windows in them."""

    def __init__(self, scop: Scop, making: Making, size: int, names: Names) -> None:
        self.scop, self.making, self.names = scop, making, names
        first = making.statements[0]
        inner = next(s for s in making.statements if s.position[:2] in making.inner)
        self.steps = Cut(names.wanted(f"{first.iterators[0]}_block"), making.values.start, size)
        self.later = Cut(names.wanted(f"{inner.iterators[1]}_block"), making.values.start, size)
        self.place = first.position[0]

    def moved(self) -> Iterator[Moved]:
        """Steps of a block with its own lines, then with those of each later block."""
        for old in self.scop.statements:
            if old not in self.making.statements:
                yield old, old, {}
            elif old.position[:2] not in self.making.inner:
                yield self._moved(old, None)
            else:
                both = self._moved(old, self.steps), self._moved(old, self.later)
                yield from (one for one in both if not one[1].domain.is_empty())

    def _moved(self, old: Statement, lines: Cut | None) -> Moved:
        """A statement over its new loops, with lines of a block if it runs through lines."""
        step, is_later = old.iterators[0], lines is self.later
        loops = (self.steps.name, *((self.later.name,) if is_later else ()), *old.iterators)
        given, inside = {step: self.steps.value(step)}, self.steps.inside(var(step))
        if lines is not None:
            line = old.iterators[1]
            given[line] = lines.value(line)
            inside += lines.inside(var(line))
        if is_later:
            inside.append(var(self.later.name) - var(self.steps.name) - 1)
        where = (self.place, 1, 0) if is_later else (self.place, 0)
        new = replace(over(old, loops, given, inside), position=(*where, *old.position[1:]))
        return old, named(new, self.names.statement(old.id)) if is_later else new, given

    def windowed(self, scop: Scop) -> Scop:
        """Windows of updated lines in each block of them, and of the lines that the steps of a block make."""
        own = {line: self.names.array(line[0]) for line in self.making.lines}
        groups = [[s for s in scop.statements if s.position[:2] == (self.place, at)] for at in (0, 1)]
        blocks = (self.steps.name,), (self.steps.name, self.later.name)
        of_steps = [self._window(line, own, blocks[0], self.steps) for line in self.making.updated]
        first = with_windows(scop, groups[0], of_steps, (self.place,), self.names)
        behind = 1 + max(s.position[1] for s in first)
        rest = [replace(s, position=(self.place, behind, *s.position[2:])) for s in groups[1]]
        of_later = [self._window(line, own, blocks[1], self.later) for line in self.making.updated]
        rest = with_windows(scop, rest, of_later, (self.place, behind), self.names)
        of_made = [self._window(line, own, blocks[0], self.steps) for line in self.making.made]
        both = with_windows(scop, [*first, *rest], of_made, (self.place,), self.names)
        others = [s for s in scop.statements if s.position[0] != self.place]
        windows = (window.kept for window in (*of_steps, *of_made))
        statements = tuple(sorted([*others, *both], key=lambda s: s.position))
        return replace(scop, arrays=(*self.scop.arrays, *windows), statements=statements)

    def _window(self, line: Line, own: dict[Line, ArrayId], around: tuple[str, ...], cut: Cut) -> Window:
        return window_of(self.scop.array(line[0]), line, own[line], around, cut, first=False)
