"""What loops pass on in rows of arrays, in blocks of rows that stay on chip; knows no target.

for y: for x: t[y][x] = f(in[y][x])   for y: for x: out[y][x] = g(t[y - 1][x], t[y][x], t[y + 1][x])   becomes,
for yb: {
    for y < 2: for x: t[y][x] = t[y + 64][x]
    for y < 64: for x: t[y + 2][x] = f(in[64 yb + y][x])
    for y < 64: for x: out[64 yb + y - 1][x] = g(t[y][x], t[y + 1][x], t[y + 2][x]) }

A block has the instances of all loops at so many rows (`passing`), in the order in which they were. An array has the
rows of a block and those above them that it touches, which slide to where the next one has them; those of an argument
are stored when they are done, if anybody wants them. Variables have a place for each iteration first. What else the
loops touch passes once per block.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sisyphus.analysis import Dependences, elements_touched, privatised
from sisyphus.forms.building import Cut, Names, over
from sisyphus.forms.order_proof import faults
from sisyphus.forms.passing import Passing, passing_rows
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.windows import Copied, Window, with_copies
from sisyphus.ir import Array, Ref, Role, Scop, Statement
from sisyphus.poly import Affine, box_of, make_set, pull_back, var
from sisyphus.values import replace


@lru_cache(maxsize=8)  # to find a size, and to build it
def rows_passed_on(found: Dependences, dim: int) -> Passing | None:
    """What is passed on in rows by loops that may run in blocks, with a place for each iteration of variables.

    None where there is nothing.
    """
    known = privatised(found, arrays=False)
    every = (passing for passing in passing_rows(known, dim) if passing.fits(passing.whole))
    return next((passing for passing in every if _Blocks(passing, passing.whole).ordered() is not None), None)


def in_local_blocks(found: Dependences, size: int, dim: int) -> Scop | None:
    """The kernel in blocks of so many rows; None where nothing passes rows on, or it would be another program."""
    passing = rows_passed_on(found, dim)
    if passing is None or not passing.fits(size):
        return None
    blocks = _Blocks(passing, size)
    made = blocks.ordered()
    return None if made is None else blocks.windowed(made)


class _Blocks:
    """The loop over blocks around all statements that pass rows on, then windows of the arrays in it."""

    def __init__(self, passing: Passing, size: int) -> None:
        self.passing = passing
        first = next(s for s in passing.statements if passing.walks[s.id].depth is not None)
        self.names = Names(passing.scop)
        name = self.names.wanted(f"{first.iterators[passing.walks[first.id].depth or 0]}_block")
        self.cut = Cut(name, passing.values.start, size)
        self.count, self.place = -(-len(passing.values) // size), passing.statements[0].position[0]

    def ordered(self) -> Scop | None:
        """The statements in blocks, at the place of the first loop; others stay before or after all of them.

        None where it is another program.
        """
        made = ordered(self.passing.scop, [self._moved(old) for old in self.passing.scop.statements])
        return made.scop if next(faults(self.passing.found, made), None) is None else None

    def _moved(self, old: Statement) -> Moved:
        """A statement in the block of the row where it is."""
        if old not in self.passing.statements:
            return old, old, {}
        walk = self.passing.walks[old.id]
        given = dict[str, Affine]()
        if walk.depth is not None:
            own, step = old.iterators[walk.depth], walk.step
            first = (self.cut.low - walk.shift) // step
            given = {own: var(self.cut.name) * (self.cut.size // step) + var(own) + first}
        inside = self.cut.inside(walk.at(old).substitute(given) - self.cut.first)
        new = over(old, (self.cut.name, *old.iterators), given, inside)
        return old, replace(new, position=(self.place, *old.position)), given

    def windowed(self, scop: Scop) -> Scop:
        """Each array with the rows of a block and those above it, which slide there before anything else.

        Rows that are written and wanted in memory are stored behind all.
        """
        windows = {array.id: self._window(array) for array in self.passing.arrays}
        group = [s for s in scop.statements if s.position[0] == self.place and self.cut.name in s.iterators]
        others = [s for s in scop.statements if s not in group]

        def instead(_statement: Statement, ref: Ref) -> Ref:
            return windows[ref.array].inside(ref) if ref.array in windows else ref

        moved = [slide for array in self.passing.arrays for slide in self._slide(array, windows[array.id])]
        moved += [self._stored(array, windows[array.id]) for array in self.passing.stored]
        statements = with_copies(group, moved, (self.place,), self.names, instead)
        kept = [a for a in scop.arrays if a.id not in windows or a.role is not Role.LOCAL]
        statements = sorted([*others, *statements], key=lambda s: s.position)
        arrays = (*kept, *(window.kept for window in windows.values()))
        return replace(scop, statements=tuple(statements), arrays=arrays)

    def _window(self, array: Array) -> Window:
        """The rows of an array in a block and above it: those of a local one are in place of all."""
        dim, rows = self.passing.dim, self.passing.rows_of(array, self.cut.size)
        name = array.id if array.role is Role.LOCAL else self.names.array(array.id)
        extents = tuple(len(rows) if at == dim else n for at, n in enumerate(array.extents))
        first = var(self.cut.name) * self._own(array) + rows.start
        return Window(array, name, (self.cut.name,), {dim: first}, extents)

    def _own(self, array: Array) -> int:
        """How many rows of an array a block has more than those before it."""
        return self.cut.size // self.passing.scale[array.id]

    def _slide(self, array: Array, window: Window) -> Iterator[Copied]:
        """The rows that the next block touches of those that are there, of what is written at all."""
        own, dim = self._own(array), self.passing.dim
        kept = window.extents[dim] - own
        if kept <= 0:
            return
        block, row = var(self.cut.name), var(window.places[dim])
        written = box_of(elements_touched(self.passing.statements, array, reads=False))
        ends = [e for at, (low, high) in zip(window.there, written, strict=True) for e in (at - low, high - at)]
        ends += [block - 1, self.count - 1 - block, row, kept - 1 - row]
        points = make_set("", window.loops, at_least_zero=ends)
        yield window.slid(own, dim), points.remove_redundancies(), (True,)

    def _stored(self, array: Array, window: Window) -> Copied:
        """The rows that nothing writes after a block, of what is written at all."""
        written = elements_touched(self.passing.statements, array, reads=False)
        block, dim = var(self.cut.name), self.passing.dim
        at = window.there[dim] * self.passing.scale[array.id] + self.passing.done(array) - self.cut.first
        points = pull_back(written, window.loops, window.there)
        inside = [*self.cut.inside(at), block, self.count - 1 - block]
        return window, points.intersect(make_set("", window.loops, at_least_zero=inside)), (False,)
