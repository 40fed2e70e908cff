"""The design space of a kernel: every knob with its explicit legal values; knows neither cost nor solver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from sisyphus.algebra import EXACT, Algebra, Value, product
from sisyphus.analysis import Dependences, Distribution, Live, LoopKind, Nest, paths
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId, Scop
from sisyphus.poly import Affine
from sisyphus.space.factors import Factors
from sisyphus.space.point import DIRECT, KERNEL_PLACE, NEST_PLACE, PACKED, PLAIN, STREAM, Tile
from sisyphus.space.ports import port_names, port_width
from sisyphus.target import Adders, Target
from sisyphus.values import dataclass, field, replace

#: Cycles of the synthesis report, or in RTL.
Objective = Literal["report", "rtl"]
Reuse = Literal["optimistic", "pessimistic"]
Trust = Literal["any", "measured"]
#: May tiles divide no loop? For first searches `few` has as many sizes of such as divisors would make, and `fewest` has
#: not all divisors either (`tilings.py`).
Tiles = Literal["auto", "divisors", "ragged", "few", "fewest"]


#: Beats of up to so many bits take a cycle each in RTL, wherever they are loaded. Wider ones took two where a loop
#: outside of a dataflow region loaded them into a buffer, and one through a FIFO (hardware emulation of a board with
#: HBM; docs/model.md).
DIRECT_BITS = 256


#: Whole beats of all tiles together take no more than this part of the memory on chip.
GROWN_SHARE = 4


@dataclass(frozen=True)
class Options:
    """What the user decides about the space as a whole, beside budgets and fixed knobs.

    `tiles`: may the last tile of a loop be ragged? `auto`: where the divisors of its trip count leave a wide hole.
    `padding`: may rows of an array be padded in memory to whole beats? `whole_beats`: must a beat divide the factor
    of the last dimension (the paper), or need it only take one cycle? `outer_places`: may an array be transferred under
    a sequential loop that several nests share? `direct`: does every load move straight into its buffer (the paper)?
    `objective`: which clock counts? `asks`: may the tool be asked for an initiation interval (not in the paper)?
    `ahead`: may tiles be loaded ahead (not in the paper)? `late`: may those that are updated be, too, and stored late?
    `dealt` are arrays that may have several ports of the board,
    `striped` those that have so many, with all of their tiles, `columns` those that lie in memory in columns of beats.
    `cut`: are banks of large tiles cut for their beats?
    `listed`: do tiles in moving bounds stand in tables? `adders`: what do additions of floating point run on?
    """

    tree_reduction: bool = False
    reuse: Reuse = "optimistic"
    tiles: Tiles = "auto"
    padding: bool = True
    whole_beats: bool = False
    outer_places: bool = True
    trust: Trust = "any"
    direct: bool = False
    objective: Objective = "report"
    asks: bool = True
    ahead: bool = True
    late: bool = False
    dealt: tuple[ArrayId, ...] = ()
    striped: tuple[tuple[ArrayId, int], ...] = ()
    columns: tuple[ArrayId, ...] = ()
    cut: bool = False
    listed: bool = False
    adders: Adders = "dsp"

    @property
    def packs(self) -> bool:
        """May tiles lie in memory one after another, with rows of whole beats (not in the paper)?"""
        return self.padding and not self.whole_beats

    def as_in_paper(self) -> Options:
        """The same with the paper's rules: tiles divide loops, beats rows and partitions; direct tiles of nests."""
        alike = replace(self, tiles="divisors", padding=False, whole_beats=True, outer_places=False)
        return replace(alike, direct=True, asks=False, ahead=False)


@dataclass(frozen=True)
class LoopSpace:
    """A loop of a nest's band and its legal strip-minings, smallest first.

    `lower` is the first value of the iterator over the whole domain, `trip_count` the extent of the hull. `unroll` are
    the legal coarse-grained factors, of which one goes with a tile if it divides its level 0.
    """

    iterator: str
    lower: int
    trip_count: int
    kind: LoopKind
    tiles: tuple[Tile, ...]
    unroll: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class DimUse:
    """How a nest covers one dimension of an array.

    While some loops are fixed and each other loop l ranges over size_l consecutive iterations, the elements touched
    lie in `min(extent, constant + sum(coefficient_l * size_l))` consecutive places; `coefficients` is None where no
    such form exists, and the whole dimension counts. `loops` are the loops of the band in any subscript of it, and
    `banked` those of them whose unrolled copies ask for banks of it.
    """

    extent: int
    constant: int
    coefficients: tuple[tuple[str, int], ...] | None
    loops: tuple[str, ...]
    banked: tuple[str, ...]

    @staticmethod
    def of(extent: int, subscripts: Sequence[Affine], loops: Iterable[str], banked: Collection[str] = ()) -> DimUse:
        """By subscripts in terms of these loops and of others, which are fixed; all of it if only data say where."""
        used = tuple(name for name in loops if any(e.coefficient(name) for e in subscripts))
        asking = tuple(name for name in used if name in banked)
        if len({e.terms for e in subscripts}) != 1:
            return DimUse(extent, extent, None, used, asking)
        coefficients = tuple((name, abs(subscripts[0].coefficient(name))) for name in used)
        spread = max(e.constant for e in subscripts) - min(e.constant for e in subscripts)
        return DimUse(extent, 1 + spread - sum(c for _, c in coefficients), coefficients, used, asking)

    def span(self, sizes: Mapping[str, Value], alg: Algebra = EXACT) -> Value:
        """Places covered when loop l runs over `sizes[l]` iterations (1: fixed)."""
        return alg.minimum(self.extent, self.reach(sizes))

    def reach(self, sizes: Mapping[str, Value]) -> Value:
        """The same, not cut at the ends of the array."""
        if self.coefficients is None:
            return self.extent
        total: Value = self.constant
        for loop, step in self.coefficients:
            total = total + step * sizes[loop]
        return total


@dataclass(frozen=True)
class ArrayUse:
    """What a nest does with one array, and where its tile may be transferred.

    `places` are `kernel`, the outer loops and the loops of the band, or `nest` where there are neither. Under the
    innermost outer loop the nest may have a buffer of its own; under any outer loop all its nests that use the array
    may share one. A view is transferred around one run of the nest or in the nest, where the loops `still` must lie
    outside of its transfers. `layout`: PACKED or COLUMNS where it lies so in memory, else PLAIN; `stripes`: its tiles
    travel through so many ports.
    """

    array: ArrayId
    dims: tuple[DimUse, ...]
    reads: bool
    writes: bool
    places: tuple[str, ...]
    still: tuple[str, ...] = ()
    layout: str = PLAIN
    stripes: int = 1

    @property
    def can_be_tiled(self) -> bool:
        """May the array be anywhere but resident?"""
        return any(place != KERNEL_PLACE for place in self.places)

    @property
    def packed(self) -> bool:
        """Do its tiles lie in memory one after another?"""
        return self.layout == PACKED

    def footprint(self, sizes: Mapping[str, Value], alg: Algebra = EXACT) -> Value:
        """Elements of the bounding box touched when loop l runs over `sizes[l]` iterations."""
        return product(dim.span(sizes, alg) for dim in self.dims)


def places_around(nest: Nest) -> tuple[str, ...]:
    """Places outside of all loops of a nest; under a loop of one tile is as good where there is a loop."""
    return nest.outer or (() if nest.band else (NEST_PLACE,))


@dataclass(frozen=True, eq=False)
class NestSpace:
    """The knobs of one nest.

    `pipelines` are the loops whose level-1 copy may be pipelined, with None for a nest that runs sequentially; `order`
    is set when the user fixed it, and so are `split` (full tiles apart from the others) and `ahead` (tiles loaded one
    iteration ahead), which those of the arrays `early` may be under some loops; `intervals` are what the tool may be
    asked for, 0 for nothing; `outer_trips` is how often the outer sequential loops run the nest; `listed`: tiles in
    moving bounds stand in a table.
    """

    nest: Nest
    loops: tuple[LoopSpace, ...]
    arrays: tuple[ArrayUse, ...]
    pipelines: tuple[str | None, ...]
    order: tuple[str, ...] | None
    outer_trips: int
    split: bool | None = None
    intervals: tuple[int, ...] = (0,)
    ahead: bool | None = None
    early: Mapping[ArrayId, frozenset[str]] = field(default_factory=dict)
    listed: bool = False

    @property
    def id(self) -> str:
        return self.nest.id

    def updated_ahead(self, loop: str) -> tuple[ArrayId, ...]:
        """The arrays that the nest writes whose tiles may be loaded ahead and stored late under a loop: one at most."""
        return tuple(u.array for u in self.arrays if u.writes and loop in self.early.get(u.array, ()))

    @cached_property
    def _loops(self) -> dict[str, LoopSpace]:
        return {loop.iterator: loop for loop in self.loops}

    def loop(self, iterator: str) -> LoopSpace:
        if iterator not in self._loops:
            raise InternalError(f"nest `{self.id}` has no loop `{iterator}`")
        return self._loops[iterator]

    @property
    def around(self) -> str | None:
        """The place around one run of the nest: the innermost outer loop, or the nest itself where there is no loop."""
        places = places_around(self.nest)
        return places[-1] if places else None

    def can_move_around(self, use: ArrayUse) -> bool:
        """May the array be transferred outside of all loops of the nest, but not of the outer ones?"""
        return any(place in places_around(self.nest) for place in use.places)

    def may_own(self, use: ArrayUse) -> bool:
        """May the nest have a buffer of its own around each of its runs?"""
        return self.around is not None and self.around in use.places

    def band_places(self, use: ArrayUse) -> tuple[str, ...]:
        """The loops of the band under which the array may be transferred."""
        return tuple(place for place in use.places if place in self._loops)

    def use(self, array: ArrayId) -> ArrayUse | None:
        return next((u for u in self.arrays if u.array == array), None)


@dataclass(frozen=True, eq=False)
class Space:
    """Everything that can be chosen for a kernel on a target.

    `partitions` has, per array and dimension, the legal cyclic factors; `pinned` those that the user fixed for the
    buffer of one nest; `widths`, per array, the legal elements per beat. `together` lists groups of nests in which an
    array is resident in all or in none (those under one outermost sequential loop). `forms` are those of transfers
    that the user fixed, `layouts` those of arrays, not of their views.
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
    forms: Mapping[ArrayId, str] = field(default_factory=dict)
    layouts: Mapping[ArrayId, str] = field(default_factory=dict)

    @cached_property
    def widest_growth(self) -> int:
        """Elements of the widest beats that tiles may grow to: one for each tile takes but a part of the memory."""
        tiled = (self.scop.array(use.array) for nest in self.nests for use in nest.arrays if use.can_be_tiled)
        beats = sum(array.type.bytes for array in tiled if array.extents)
        return self.target.budget.onchip_bytes // max(GROWN_SHARE * beats, 1)

    def direct_width(self, array: ArrayId) -> int:
        """The widest beat, in elements, that a load moves straight into a buffer; wider ones go through a FIFO."""
        declared = self.scop.array(array)
        if self.forms.get(array) == DIRECT or not declared.extents or self.options.direct:
            return max(self.widths[array])
        return 0 if self.forms.get(array) == STREAM else DIRECT_BITS // declared.type.stored.bits

    def port_width(self, array: ArrayId) -> int:
        """Elements in the widest beat of one port of an array; wider ones are dealt over several ports."""
        return port_width(self.scop.array(array).type.stored.bits, self.target.port_bits)

    def ports(self, array: ArrayId, width: int) -> int:
        """Over how many ports beats of so many elements are dealt."""
        return -(-width // self.port_width(array))

    def width_served(self, array: ArrayId) -> int:
        """Elements of a beat that banks of the tiles of an array are for, beside what is unrolled: of several ports."""
        return max(self.widths[array]) if array in self._striped else 1

    @cached_property
    def _striped(self) -> frozenset[ArrayId]:
        return frozenset(use.array for nest in self.nests for use in nest.arrays if use.stripes > 1)

    def arrives_with_another(self, array: ArrayId) -> bool:
        """Whether the load of another array with several ports fills it: a copy, where reports need not show that."""
        declared = self.scop.array(array)
        return declared.own_port and self.live[declared.home].load and self.options.trust == "any"

    def port_names(self, array: ArrayId, width: int) -> tuple[str, ...]:
        """The ports of an array with beats of so many elements; those of another one where it arrives with that."""
        owner = self.scop.home(array) if self.arrives_with_another(array) else array
        return port_names(owner, self.ports(array, width))

    def is_packed(self, array: ArrayId) -> bool:
        """Whether tiles of an array, and of its views, lie in memory one after another."""
        return self.lies_as(array) == PACKED

    def lies_as(self, array: ArrayId) -> str:
        """PACKED or COLUMNS where an array, and its views, lie so in memory as far as they are tiled; else PLAIN."""
        return self._lying.get(self.scop.home(array), PLAIN)

    @cached_property
    def _lying(self) -> Mapping[ArrayId, str]:
        uses = [use for nest in self.nests for use in nest.arrays if use.layout != PLAIN]
        return {self.scop.home(use.array): use.layout for use in uses}

    def nest(self, nest_id: str) -> NestSpace:
        found = self._nests.get(nest_id)
        if found is None:
            raise InternalError(f"no nest `{nest_id}` in the space of `{self.scop.name}`")
        return found

    @cached_property
    def _nests(self) -> dict[str, NestSpace]:
        return {nest.id: nest for nest in self.nests}

    def factors(self, array: ArrayId, at: int) -> Factors:
        """The legal partition factors of a dimension of an array, and which of them serve what."""
        extent = self.scop.array(array).extents[at]
        return Factors(self.partitions[array][at], extent, self.options.whole_beats, self.port_width(array))

    def users(self, array: ArrayId) -> Iterator[NestSpace]:
        """Nests that use an array, in order of execution."""
        return (n for n in self.nests if n.use(array) is not None)

    def under(self, nest_id: str, iterator: str) -> tuple[str, ...]:
        """The nests under the same outer loop `iterator` as a nest, in order of execution."""
        for loops, nest in paths(self.distribution.body):
            if nest.id == nest_id:
                for loop in loops:
                    if loop.iterator == iterator:
                        return tuple(inside.id for inside in loop.nests)
        raise InternalError(f"no loop `{iterator}` around nest `{nest_id}`")

    @cached_property
    def used_arrays(self) -> tuple[ArrayId, ...]:
        """Arrays that some nest uses, in the order of their declaration."""
        return tuple(a.id for a in self.scop.arrays if any(n.use(a.id) for n in self.nests))
