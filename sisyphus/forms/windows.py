"""Windows of arrays that stay on chip in the loops around them, filled before what they are for and written back after.

for jb: { for i: for j < 64: A_1[i][j] = A[i][64 jb + j]   … A_1[i][j] = f(A_1[i][j]) …
          for i: for j < 64: A[i][64 jb + j] = A_1[i][j] }

Knows no form, and not which elements a window needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from sisyphus.analysis.rewrite import with_refs
from sisyphus.forms.building import Names, copying, local
from sisyphus.ir import Array, ArrayId, Ref, Statement
from sisyphus.poly import Affine, Set, const, make_set, var
from sisyphus.values import dataclass, replace

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Window:
    """Elements of `array` in the array `own`, whose extents differ in the dimensions of `first`.

    There it begins with the element `first`, by the loops `around`; the copies are in these, with loops of their own.
    `order` has the dimensions of the array in the order of those of `own`, where they differ; of one that is not there,
    `own` has the element `first` alone. `extents` are by those of the array.
    """

    array: Array
    own: ArrayId
    around: tuple[str, ...]
    first: Mapping[int, Affine]
    extents: tuple[int, ...]
    order: tuple[int, ...] = ()

    @property
    def kept(self) -> Array:
        """The array that the window is."""
        return local(self.array, self.own, self._in_order(self.extents))

    @property
    def places(self) -> tuple[str, ...]:
        """The loops of a copy through the window, one for each of its dimensions in the order of the array."""
        return tuple(f"{self.around[-1]}_{at}" for at in range(len(self.dims)))

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions of the array that the window has, too."""
        return tuple(sorted(self.order or range(len(self.extents))))

    @property
    def loops(self) -> tuple[str, ...]:
        """All loops of a copy."""
        return (*self.around, *self.places)

    @property
    def there(self) -> tuple[Affine, ...]:
        """The subscripts of the element of the array that a copy moves."""
        moving, nothing = self._moving, Affine()
        return tuple(moving.get(at, nothing) + self.first.get(at, nothing) for at in range(len(self.extents)))

    @property
    def _moving(self) -> dict[int, Affine]:
        """The loop of a copy through each dimension of the array that the window has."""
        return dict(zip(self.dims, map(var, self.places), strict=True))

    def existing(self, points: Set) -> Set:
        """Those of some points of the loops of a copy whose elements the window and the array have."""
        own = ((at, self.extents[dim]) for dim, at in self._moving.items())
        every = [*own, *zip(self.there, self.array.extents, strict=True)]
        ends = [e for at, extent in every for e in (at, extent - 1 - at)]
        return points.intersect(make_set("", self.loops, at_least_zero=ends)).remove_redundancies()

    def inside(self, ref: Ref) -> Ref:
        """The element of the window that stands for one of the array."""
        return Ref(self.own, self._in_order([e - self.first.get(at, Affine()) for at, e in enumerate(ref.index)]))

    def _in_order(self, by_dimension: Sequence[T]) -> tuple[T, ...]:
        return tuple(by_dimension[at] for at in self.order or range(len(by_dimension)))

    def slid(self, rows: int, dim: int = 0) -> Window:
        """The window as one of itself, some rows further on: a copy to it moves rows towards the first one."""
        extents = tuple(self.extents[own] for own in self.dims)
        return Window(self.kept, self.own, self.around, {self.dims.index(dim): const(rows)}, extents)

    def copy(
        self, names: Names, group: Sequence[Statement], points: Set, place: Sequence[int], *, to_window: bool
    ) -> Statement:
        """A statement that fills the window or writes it back at such points of its loops."""
        moving = self._moving
        here = Ref(self.own, tuple(moving[dim] for dim in self.order or self.dims))
        there = Ref(self.array.id, self.there)
        like = next((s for s in group if self.array.id in s.touched), group[0])
        moved = (here, there) if to_window else (there, here)
        return copying(names.statement(like.id), like.span, self.loops, points, place, self.array.type, moved)


#: A window, points of its loops, and whether it is filled there (True), written back (False), or both.
Copied = tuple[Window, Set, tuple[bool, ...]]


def with_copies(
    group: Sequence[Statement],
    copied: Sequence[Copied],
    place: tuple[int, ...],
    names: Names,
    instead: Callable[[Statement, Ref], Ref],
) -> list[Statement]:
    """A group of statements, all at this place behind each other, with copies before and behind them.

    `place` is where the loops around the windows are: the group's next numbers move up behind what is filled. `instead`
    is what stands for a reference of a statement.
    """
    depth = len(place)
    last = max((s.position[depth] for s in group), default=0)
    made = []
    for old in group:
        moved = (*place, old.position[depth] + len(copied), *old.position[depth + 1 :])
        made.append(replace(with_refs(old, partial(instead, old)), position=moved))
    for at, (window, points, ways) in enumerate(copied):
        for to_window in ways:
            where = (*place, at if to_window else len(copied) + last + 1 + at)
            made.append(window.copy(names, group, points, where, to_window=to_window))
    return made
