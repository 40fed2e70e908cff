"""The design space of a kernel: every knob with its explicit legal values; knows neither cost nor solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sisyphus.analysis import Dependences, Distribution, Live, LoopKind, Nest
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId, Scop
from sisyphus.space.point import Tile
from sisyphus.target import Target

Reuse = Literal["optimistic", "pessimistic"]


@dataclass(frozen=True)
class Options:
    """What the user decides about the space as a whole, beside budgets and fixed knobs."""

    tree_reduction: bool = False
    reuse: Reuse = "optimistic"


@dataclass(frozen=True)
class LoopSpace:
    """A loop of a nest's band and its legal strip-minings, smallest first.

    `lower` is the first value of the iterator over the whole domain, `trip_count` the extent of the hull.
    """

    iterator: str
    lower: int
    trip_count: int
    kind: LoopKind
    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class DimUse:
    """How a nest covers one dimension of an array.

    While some loops are fixed and each other loop l ranges over size_l consecutive iterations, the elements touched
    lie in `min(extent, constant + sum(coefficient_l * size_l))` consecutive places; `coefficients` is None where no
    such form exists, and the whole dimension counts. `loops` are the loops of the band in any subscript of it.
    """

    extent: int
    constant: int
    coefficients: tuple[tuple[str, int], ...] | None
    loops: tuple[str, ...]

    def span(self, sizes: Mapping[str, int]) -> int:
        """Places covered when loop l runs over `sizes[l]` iterations (1: fixed)."""
        if self.coefficients is None:
            return self.extent
        return min(self.extent, self.constant + sum(c * sizes[loop] for loop, c in self.coefficients))


@dataclass(frozen=True)
class ArrayUse:
    """What a nest does with one array, and where its tile may be transferred: `kernel` or a loop of the band."""

    array: ArrayId
    dims: tuple[DimUse, ...]
    reads: bool
    writes: bool
    places: tuple[str, ...]

    def footprint(self, sizes: Mapping[str, int]) -> int:
        """Elements of the bounding box touched when loop l runs over `sizes[l]` iterations."""
        total = 1
        for dim in self.dims:
            total *= dim.span(sizes)
        return total


@dataclass(frozen=True, eq=False)
class NestSpace:
    """The knobs of one nest.

    `pipelines` are the loops whose level-1 copy may be pipelined, with None for a nest that runs sequentially; `order`
    is set when the user fixed it; `outer_trips` is how often the outer sequential loops run the nest.
    """

    nest: Nest
    loops: tuple[LoopSpace, ...]
    arrays: tuple[ArrayUse, ...]
    pipelines: tuple[str | None, ...]
    order: tuple[str, ...] | None
    outer_trips: int

    @property
    def id(self) -> str:
        return self.nest.id

    @cached_property
    def _loops(self) -> dict[str, LoopSpace]:
        return {loop.iterator: loop for loop in self.loops}

    def loop(self, iterator: str) -> LoopSpace:
        if iterator not in self._loops:
            raise InternalError(f"nest `{self.id}` has no loop `{iterator}`")
        return self._loops[iterator]

    @property
    def reduction_loops(self) -> tuple[str, ...]:
        return tuple(loop.iterator for loop in self.loops if loop.kind is LoopKind.REDUCTION)

    def use(self, array: ArrayId) -> ArrayUse | None:
        return next((u for u in self.arrays if u.array == array), None)


@dataclass(frozen=True, eq=False)
class Space:
    """Everything that can be chosen for a kernel on a target.

    `partitions` has, per array and dimension, the legal cyclic factors; `pinned` those that the user fixed for the
    buffer of one nest; `widths`, per array, the legal elements per beat. `together` lists groups of nests in which an
    array is resident in all or in none (those under one outermost sequential loop).
    """

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    live: Mapping[ArrayId, Live]
    target: Target
    options: Options
    nests: tuple[NestSpace, ...]
    partitions: Mapping[ArrayId, tuple[tuple[int, ...], ...]]
    widths: Mapping[ArrayId, tuple[int, ...]]
    together: tuple[tuple[str, ...], ...]
    pinned: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def nest(self, nest_id: str) -> NestSpace:
        found = next((n for n in self.nests if n.id == nest_id), None)
        if found is None:
            raise InternalError(f"no nest `{nest_id}` in the space of `{self.scop.name}`")
        return found

    def users(self, array: ArrayId) -> Iterator[NestSpace]:
        """Nests that use an array, in order of execution."""
        return (n for n in self.nests if n.use(array) is not None)

    @property
    def used_arrays(self) -> tuple[ArrayId, ...]:
        """Arrays that some nest uses, in the order of their declaration."""
        return tuple(a.id for a in self.scop.arrays if any(n.use(a.id) for n in self.nests))
