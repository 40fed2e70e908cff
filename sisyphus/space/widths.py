"""Elements per beat that a buffer's tile allows; knows no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, prod

from sisyphus.algebra import EXACT, Algebra, Condition, Value
from sisyphus.ir import ArrayId
from sisyphus.poly import Affine
from sisyphus.space.point import DIRECT, KERNEL_PLACE, PACKED, STREAM, BufferPoint, NestPoint
from sisyphus.space.space import NestSpace, Space
from sisyphus.space.stripes import last_subscripts
from sisyphus.values import dataclass

#: Words of 32 bits in a block memory: a bank of no more takes all of one.
WORDS_OF_A_BLOCK = 512


def layout_for(extents: Sequence[int], width: int) -> str:
    """How an array of these extents must lie in memory, `plain` or `padded`, for beats of `width` elements."""
    return "padded" if extents and extents[-1] % width else "plain"


def form_for(space: Space, array: ArrayId, width: int) -> str:
    """How loads of an array reach its buffers with beats of `width` elements: `direct`, or as a `stream`."""
    return DIRECT if width <= space.direct_width(array) else STREAM


@dataclass(frozen=True)
class RowPart:
    """What the first tile of a buffer holds of a row of `extent` elements: its first place and its length.

    `step` is the largest number that divides how far any tile lies from the first one while outer loops stand still, 0
    where none moves; `outer` are the steps of the outer loops.
    """

    first: int
    length: int
    step: int
    extent: int
    outer: tuple[int, ...] = ()

    @property
    def moves(self) -> bool:
        return bool(self.step or self.outer)

    def is_in_beats(self, width: int) -> bool:
        """Whether every tile begins and ends with a whole beat; at the end of a row, padding is the rest of one."""
        ends = self.length % width == 0 or (not self.moves and self.first + self.length >= self.extent)
        return not any(number % width for number in (self.first, self.step, *self.outer)) and ends

    def grown(self, width: int) -> int:
        """The length in whole beats: those that it is in, whichever iteration of the outer loops shares them."""
        parts = [step * (width - 1) for step in self.outer if step % width]
        first, length = self.first + sum(min(part, 0) for part in parts), self.length + sum(map(abs, parts))
        if self.moves and length >= self.extent:
            return self.extent
        return int(in_beats(EXACT, first, length, width=width, extent=self.extent, moves=self.moves)[1])


def in_beats(
    alg: Algebra, first: Value, length: Value, *, width: Value, extent: int, moves: Condition
) -> tuple[Value, Value]:
    """The first place and the length of a part of a row, in elements, grown to whole beats of `width`.

    A part that does not move ends with the row.
    """
    start = alg.ceil_div(first + 1 - width, width) * width
    end = alg.ceil_div(first + length, width) * width
    return start, alg.select(moves, end, alg.minimum(end, extent)) - start


def most_added(space: Space, nest: NestSpace, array: ArrayId, width: int) -> int:
    """Elements that whole beats add to a row of any tile at most: at both ends, and where outer loops move it.

    None where memory has tiles one after another, with rows of whole beats.
    """
    if space.is_packed(array):
        return 0
    steps = {name: abs(f) for s in last_subscripts(space.scop, nest.nest, array) for name, f in s.terms}
    return (width - 1) * (2 + sum(step for name, step in steps.items() if name in nest.nest.outer))


def tile_widths(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> tuple[int, ...]:
    """The elements per beat of `space.widths` that divide how far tiles lie apart in rows: tiles grow to whole beats.

    Where beats must be whole, and where copies beside each other store tiles that would overlap, none grows. A beat is
    no longer than a row of a packed tile, which is none of its array's.
    """
    part, resident = row_part(space, nest, chosen, buffer), buffer.place == KERNEL_PLACE
    use = nest.use(buffer.array)
    stripes = 1 if use is None else use.stripes
    widths = tuple(w for w in space.widths[buffer.array] if resident or space.ports(buffer.array, w) == stripes)
    if part is None:
        row = None if resident else _packed_row(nest, chosen, buffer)
        return widths if row is None else tuple(w for w in widths if w <= row)
    most = space.widest_growth if _may_grow(space, nest, chosen, buffer) else 1
    return tuple(w for w in widths if part.is_in_beats(w) or (part.step % w == 0 and w <= most))


def _may_grow(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> bool:
    use = nest.use(buffer.array)
    copied = use is not None and any(loop in use.dims[-1].loops for loop, factor in chosen.unroll if factor > 1)
    return not space.options.whole_beats and not (copied and use is not None and use.writes)


def beat_factor(
    space: Space, nest: NestSpace, array: ArrayId, others: int, width: int, *, own: int = 1, words: int = 0
) -> int | None:
    """Banks (the partition factor) of rows of a tile, for beats of `width`; None where its `own` factor decides.

    `others` are the factors of all other dimensions together. Where no loop of a nest runs along rows, banks take a
    beat in each cycle. Else unrolled loops ask for `own` banks, of so many `words`: a space may cut these further,
    for all of a beat or half or a quarter of it, where each part still fills a block memory: it takes no more of these.
    """
    use = nest.use(array)
    if use is None or not use.dims or space.options.whole_beats:
        return None
    words = words if space.options.cut else 0
    along, factors = bool(use.dims[-1].banked), space.factors(array, len(use.dims) - 1)
    for part in (width, width // 2, width // 4) if along else (width,):
        factor = factors.smallest(copies=own if along else 1, width=max(part, 1))
        fits = factor is not None and others * factor <= space.target.max_partition
        if factor is not None and fits and not (along and words // WORDS_OF_A_BLOCK < factor // own):
            return factor
    return None


def tile_elements(nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> int:
    """Elements of a tile, before it grows to whole beats."""
    use, sizes = nest.use(buffer.array), _sizes(nest, chosen, buffer)[1]
    return prod(int(dim.span(sizes)) for dim in use.dims) if use is not None else 0


def row_part(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> RowPart | None:
    """What the tiles of a buffer hold of a row, before they grow; None where it is all of it, or they are packed."""
    use = nest.use(buffer.array)
    last = len(buffer.partition) - 1
    if buffer.place == KERNEL_PLACE or last < 0 or use is None or use.dims[last].coefficients is None or use.packed:
        return None
    outside, sizes = _sizes(nest, chosen, buffer)
    subscripts = last_subscripts(space.scop, nest.nest, buffer.array)
    first = min(_first_place(nest, subscript, sizes) for subscript in subscripts)
    extent, length = use.dims[last].extent, use.dims[last].reach(sizes)
    steps = [factor * chosen.tile(name).size for name, factor in subscripts[0].terms if name in outside]
    outer = tuple(factor for name, factor in subscripts[0].terms if name not in sizes)
    if steps or outer:
        return None if length >= extent else RowPart(first, length, gcd(*steps), extent, outer)
    start = max(first, 0)
    return RowPart(start, min(first + length, extent) - start, 0, extent)


def _sizes(nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> tuple[tuple[str, ...], dict[str, int]]:
    """The loops outside of the transfers of a buffer, and how many iterations of each loop it holds."""
    outside = chosen.outside(buffer.place)
    return outside, {
        s.iterator: min(chosen.tile(s.iterator).size, s.trip_count) if s.iterator in outside else s.trip_count
        for s in nest.loops
    }


def _packed_row(nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> int | None:
    """The elements of a row of packed tiles; None where that is a row of the array."""
    use = nest.use(buffer.array)
    if use is None or not use.packed:
        return None
    length = int(use.dims[-1].span(_sizes(nest, chosen, buffer)[1]))
    return None if length >= use.dims[-1].extent else length


def needs_packing(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> bool:
    """Whether tiles of a buffer are packed: not where they are of whole rows, which lie one after another in any case.

    Unless the user asks for it.
    """
    use = nest.use(buffer.array)
    if use is None or not use.packed or buffer.place == KERNEL_PLACE:
        return False
    _, sizes = _sizes(nest, chosen, buffer)
    in_rows = all(int(dim.span(sizes)) >= dim.extent for dim in use.dims[1:])
    return not in_rows or space.layouts.get(space.scop.home(buffer.array)) == PACKED


def _first_place(nest: NestSpace, subscript: Affine, sizes: Mapping[str, int]) -> int:
    """The least value of a subscript in the first tile, outer loops left out."""
    total = subscript.constant
    for name, factor in subscript.terms:
        if name in sizes:
            total += factor * (nest.loop(name).lower + (sizes[name] - 1 if factor < 0 else 0))
    return total
