"""Windows of some lines (rows or columns) of an array, for the statements inside of a loop over blocks of lines.

for jb: { for i: for j < 64: A_1[i][j] = A[i][64 jb + j]   … A_1[i][j] = f(A_1[i][j]) …
          for i: for j < 64: A[i][64 jb + j] = A_1[i][j] }

What is read before it is written is filled first, what is written is written back. Knows no form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sisyphus.analysis import elements_touched, liveness
from sisyphus.analysis.rewrite import range_of, with_refs
from sisyphus.forms.blocks import BEAT, Cut
from sisyphus.forms.building import Names, copying
from sisyphus.ir import Array, ArrayId, Ref, Scop, Statement
from sisyphus.poly import Affine, Set, convex_parts, make_set, pull_back, var
from sisyphus.values import dataclass, replace

#: An array, and the dimension in which its lines are numbered.
Line = tuple[ArrayId, int]


def in_steps(scop: Scop, group: Sequence[Statement], depth: int, name: ArrayId) -> tuple[Set, Set]:
    """What one iteration of the outer `depth` loops reads of an array before it writes it, and what it writes.

    Both by these loops, then by the subscripts. In an array with a place for every iteration, what one reads first is
    what nothing wrote before.
    """
    around = group[0].iterators[:depth]
    sizes = (range_of(group, at).stop for at in range(depth))
    apart = replace(scop.array(name), extents=(*sizes, *scop.array(name).extents))

    def in_step(ref: Ref) -> Ref:
        return Ref(name, (*map(var, around), *ref.index)) if ref.array == name else ref

    statements = tuple(with_refs(s, in_step) for s in group)
    live = liveness(replace(scop, arrays=(apart,), statements=statements))
    return live[name].upward_exposed, elements_touched(statements, apart, reads=False)


def elements_of(scop: Scop, lines: Collection[Line]) -> int:
    """Elements that windows have for each of the lines of a block."""
    return sum(scop.array(array).elements // scop.array(array).extents[dim] for array, dim in lines)


def size_of_blocks(count: int, most: int) -> int | None:
    """Lines of a block in whole beats, at most so many, that make the fewest blocks of `count` lines.

    None where all of them are one block, or none is a beat long.
    """
    for blocks in range(2, count // BEAT + 1):
        size = -(-count // (blocks * BEAT)) * BEAT
        if size <= most:
            return size
    return None


@dataclass(frozen=True, eq=False)
class Window:
    """Lines of `array`, numbered in dimension `dim`, in an array of their own, for statements in the loops `around`.

    The innermost of these is that of `cut`, over blocks of lines.
    """

    array: Array
    dim: int
    own: ArrayId
    around: tuple[str, ...]
    cut: Cut

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(self.cut.size if at == self.dim else n for at, n in enumerate(self.array.extents))

    @property
    def _loops(self) -> tuple[str, ...]:
        return (*self.around, *(f"{self.cut.name}_{dim}" for dim in range(len(self.array.extents))))

    @property
    def _places(self) -> tuple[str, ...]:
        return self._loops[len(self.around) :]

    def inside(self, ref: Ref) -> Ref:
        """The element of the window that stands for one of the array."""
        first = var(self.cut.name) * self.cut.size + self.cut.low
        return Ref(self.own, tuple(e - first if at == self.dim else e for at, e in enumerate(ref.index)))

    def copies(self, scop: Scop, group: Sequence[Statement]) -> Iterator[tuple[bool, Set]]:
        """What some statements need filled (True) and written back, over the loops of a copy in convex parts."""
        loops, own = self._loops, var(self._places[self.dim])
        inside = make_set("", loops, at_least_zero=[own, self.cut.size - 1 - own])
        exposed, written = in_steps(scop, group, len(self.around), self.array.id)
        for points, to_window in ((exposed, True), (written, False)):
            if not points.is_empty():
                over_loops = pull_back(points, loops, (*map(var, self.around), *self._there))
                for part in convex_parts(over_loops.intersect(inside)):
                    yield to_window, part

    @property
    def _there(self) -> tuple[Affine, ...]:
        """The element of the array that a copy moves."""
        return tuple(self.cut.value(name) if at == self.dim else var(name) for at, name in enumerate(self._places))

    def copy(
        self, names: Names, group: Sequence[Statement], points: Set, place: Sequence[int], *, to_window: bool
    ) -> Statement:
        """A statement that fills the window or writes it back at such points of its loops."""
        there, here = Ref(self.array.id, self._there), Ref(self.own, tuple(map(var, self._places)))
        like = next(s for s in group if self.array.id in s.touched)
        moved = (here, there) if to_window else (there, here)
        return copying(names.statement(like.id), like.span, self._loops, points, place, self.array.type, moved)


def with_windows(
    scop: Scop, group: Sequence[Statement], windows: Sequence[Window], place: tuple[int, ...], names: Names
) -> list[Statement]:
    """A group of statements, all at this place behind each other, with windows, and copies before and behind them.

    `place` is where the loops around the windows are: the group's next numbers move up behind what is filled.
    """
    copies = [(window, *copy) for window in windows for copy in window.copies(scop, group)]
    known, depth = {window.array.id: window for window in windows}, len(place)

    def move(ref: Ref) -> Ref:
        return known[ref.array].inside(ref) if ref.array in known else ref

    last = max((s.position[depth] for s in group), default=0)
    made = [
        replace(with_refs(s, move), position=(*place, s.position[depth] + len(copies), *s.position[depth + 1 :]))
        for s in group
    ]
    for at, (window, to_window, points) in enumerate(copies):
        where = (*place, at if to_window else len(copies) + last + 1 + at)
        made.append(window.copy(names, group, points, where, to_window=to_window))
    return made
