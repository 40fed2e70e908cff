"""What loops pass on in rows of local arrays, in blocks of rows that stay on chip; knows no target.

for y: for x: t[y][x] = f(in[y][x])   for y: for x: out[y][x] = g(t[y - 1][x], t[y][x], t[y + 1][x])   becomes,
for yb: {
    for y < 2: for x: t[y][x] = t[y + 64][x]
    for y < 64: for x: t[y + 2][x] = f(in[64 yb + y][x])
    for y < 64: for x: out[64 yb + y - 1][x] = g(t[y][x], t[y + 1][x], t[y + 2][x]) }

A block has the instances of all loops at so many rows (`passing`), in the order in which they were. An array has the
rows of a block and those above them that it touches, which slide to where the next one has them. Variables have a place
for each row first where that leaves more. What else the loops touch passes once per block.
"""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.analysis import Dependences, dependences, elements_touched, privatise
from sisyphus.forms.building import Cut, Names, over
from sisyphus.forms.order_proof import faults
from sisyphus.forms.passing import Passing, passing_rows
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.windows import Copied, Window, with_copies
from sisyphus.ir import Array, Ref, Scop, Statement
from sisyphus.poly import Affine, box_of, make_set, var
from sisyphus.values import replace


def rows_passed_on(found: Dependences, dim: int) -> Passing | None:
    """The local arrays that pass rows on, with a place for each iteration of variables; None without any."""
    private = privatise(found.scop, found)
    return passing_rows(found.scop if private is None else private.scop, dim)


def in_local_blocks(found: Dependences, size: int, dim: int) -> Scop | None:
    """The kernel in blocks of so many rows; None where no arrays pass rows on, or it would be another program."""
    passing = rows_passed_on(found, dim)
    if passing is None or not passing.fits(size):
        return None
    scop = passing.scop
    blocks = _Blocks(passing, size)
    places = dict.fromkeys((passing.statements[-1].position[0], passing.statements[0].position[0]))
    known = dependences(scop)
    for place in places:
        made = ordered(scop, [blocks.moved(old, place) for old in scop.statements])
        if next(faults(known, made), None) is None:
            return blocks.windowed(made.scop, place)
    return None


class _Blocks:
    """The loop over blocks around all statements that pass rows on, then windows of the arrays in it."""

    def __init__(self, passing: Passing, size: int) -> None:
        self.passing = passing
        first = next(s for s in passing.statements if passing.walks[s.id].depth is not None)
        self.names = Names(passing.scop)
        name = self.names.wanted(f"{first.iterators[passing.walks[first.id].depth or 0]}_block")
        self.cut = Cut(name, passing.values.start, size)

    def moved(self, old: Statement, place: int) -> Moved:
        """A statement in the block of the row where it is; one that passes nothing on stays before or after all."""
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
        return old, replace(new, position=(place, *old.position)), given

    def windowed(self, scop: Scop, place: int) -> Scop:
        """Each array with the rows of a block and those above it, which slide there before anything else."""
        windows = {array.id: self._window(array) for array in self.passing.arrays}
        group = [s for s in scop.statements if s.position[0] == place and self.cut.name in s.iterators]
        others = [s for s in scop.statements if s not in group]

        def instead(_statement: Statement, ref: Ref) -> Ref:
            return windows[ref.array].inside(ref) if ref.array in windows else ref

        slides = [slide for array in self.passing.arrays for slide in self._slide(array, windows[array.id])]
        statements = with_copies(group, slides, (place,), self.names, instead)
        arrays = (windows[a.id].kept if a.id in windows else a for a in scop.arrays)
        statements = sorted([*others, *statements], key=lambda s: s.position)
        return replace(scop, statements=tuple(statements), arrays=tuple(arrays))

    def _window(self, array: Array) -> Window:
        """The rows of an array in a block and above it, in place of all."""
        dim, rows = self.passing.dim, self.passing.rows(array, self.cut.size)
        extents = tuple(len(rows) if at == dim else n for at, n in enumerate(array.extents))
        return Window(
            array, array.id, (self.cut.name,), {dim: var(self.cut.name) * self._own(array) + rows.start}, extents
        )

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
        ends += [block - 1, -(-len(self.passing.values) // self.cut.size) - 1 - block, row, kept - 1 - row]
        points = make_set("", window.loops, at_least_zero=ends)
        yield window.slid(own, dim), points.remove_redundancies(), (True,)
