"""Which part of an array a buffer holds, and how memory has it: over the algebra; knows no partition and no cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sisyphus.algebra import EXACT, Algebra, Condition, Value, at_least, product
from sisyphus.ir import Ref
from sisyphus.plan.levels import Copies, Levels
from sisyphus.poly import Affine, const, var
from sisyphus.space import DimUse, in_beats
from sisyphus.values import dataclass, field


@dataclass(frozen=True)
class Window:
    """What an iterator ranges over while a buffer lives: `size` values from `start`; a fixed loop's start moves."""

    start: Affine
    size: Value


@dataclass(frozen=True)
class Box:
    """Element x of the box is element origin + x of the array."""

    origin: tuple[Affine, ...]
    extents: tuple[Value, ...]


@dataclass(frozen=True)
class References:
    """References to one array by statements with the same loops around them; `rows`: other windows along rows."""

    refs: tuple[Ref, ...]
    windows: Mapping[str, Window]
    rows: Mapping[str, Window] = field(default_factory=dict)


def whole(extents: Sequence[int]) -> Box:
    """The box that is the array."""
    return Box(tuple(const(0) for _ in extents), tuple(extents))


def along_rows(
    alg: Algebra, refs: Sequence[Ref], outer: Mapping[str, str], quotient: Callable[[str], str], width: Value
) -> dict[str, Window]:
    """Windows of the outer loops that move a row by less than a beat: all values that share one.

    `quotient` is the name of an iterator divided by the width.
    """
    found: dict[str, Window] = {}
    for source, name in outer.items():
        step = abs(refs[0].index[-1].coefficient(source)) if refs and refs[0].index else 0
        parts = alg.exceeds(width, step & -step) if step else False
        if parts is not False:
            terms = ((name, alg.select(parts, 0, 1)), (quotient(source), alg.select(parts, width, 0)))
            found[source] = Window(Affine.of(terms), alg.select(parts, width, 1))
    return found


def tile_of(
    alg: Algebra,
    levels: Levels,
    refs: Sequence[Ref],
    extents: Sequence[int],
    fixed: Callable[[str], Condition],
    rows: Mapping[str, Window],
) -> tuple[Box, tuple[tuple[str, Value], ...]]:
    """What a nest touches while the outer loops and the tile loops of those that are `fixed` stand still.

    And how many coarse-grained copies have such a tile each, by the names of the loops over them. `rows`: as
    `along_rows`.
    """
    windows = {source: Window(var(name), 1) for source, name in zip(levels.nest.outer, levels.outer, strict=True)}
    windows |= {c.loop.iterator: _window(alg, c, fixed(c.loop.iterator)) for c in levels.copies}
    own = ((name, alg.select(fixed(c.loop.iterator), c.unroll, 1)) for name, c in levels.beside)
    return box_of([References(tuple(refs), windows, rows)], extents, alg), tuple(
        (n, count) for n, count in own if count != 1
    )


def _window(alg: Algebra, copies: Copies, fixed: Condition) -> Window:
    """The values of a loop: those of one tile where its tile loops stand still, else all."""
    loop, tiles = copies.loop, copies.start
    starts = ((name, alg.select(alg.both(fixed, copies.turns(alg, name)), step, 0)) for name, step in tiles.terms)
    size = alg.select(fixed, alg.minimum(copies.tile.size, loop.trip_count), loop.trip_count)
    return Window(Affine.of(starts, tiles.constant), size)


def box_of(uses: Sequence[References], extents: Sequence[int], alg: Algebra = EXACT) -> Box:
    """The bounding box of all elements touched while each iterator stays in its window, clipped to the array.

    Where references of one nest run through a dimension in different ways, the box is the whole dimension.
    """
    spans = []
    for at, extent in enumerate(extents):
        windows = [{**u.windows, **u.rows} if at == len(extents) - 1 else u.windows for u in uses]
        parts = [([r.index[at] for r in u.refs], own) for u, own in zip(uses, windows, strict=True)]
        spans.append(_span(alg, parts, extent))
    return Box(tuple(origin for origin, _ in spans), tuple(extent for _, extent in spans))


def _span(
    alg: Algebra, uses: Sequence[tuple[Sequence[Affine], Mapping[str, Window]]], extent: int
) -> tuple[Affine, Value]:
    """Origin and extent of one dimension."""
    lows, lengths = list[Affine](), list[Value]()
    for subscripts, windows in uses:
        use = DimUse.of(extent, subscripts, windows)
        if use.coefficients is None:
            return const(0), extent
        lows.append(_low(Affine(subscripts[0].terms, min(e.constant for e in subscripts)), windows))
        lengths.append(use.reach({name: windows[name].size for name in use.loops}))
    if len({low.terms for low in lows}) > 1:
        return const(0), extent
    first, length = lows[0].constant, lengths[0]
    if len(uses) > 1:
        first = alg.minimum(*(low.constant for low in lows))
        ends = (low.constant + reach for low, reach in zip(lows, lengths, strict=True))
        length = alg.maximum(*ends) - first
    if not lows[0].terms:
        start = alg.maximum(first, 0)
        return const(start), alg.maximum(alg.minimum(first + length, extent) - start, 1)
    cut = alg.exceeds(extent, length)
    moving = Affine.of(((name, alg.select(cut, step, 0)) for name, step in lows[0].terms), alg.select(cut, first, 0))
    return moving, alg.select(cut, length, extent)


def grown(alg: Algebra, box: Box, array: Sequence[int], width: Value) -> Box:
    """The box with rows of whole beats: what it holds beside, a store leaves as it was loaded."""
    if not array:
        return box
    origin, moves = box.origin[-1], _moves(alg, box.origin[-1])
    first, length = in_beats(alg, origin.constant, box.extents[-1], width=width, extent=array[-1], moves=moves)
    return Box((*box.origin[:-1], Affine.of(origin.terms, first)), (*box.extents[:-1], length))


def _moves(alg: Algebra, origin: Affine) -> Condition:
    return alg.either(*(alg.exceeds(abs(step), 0) for _, step in origin.terms))


def _low(subscript: Affine, windows: Mapping[str, Window]) -> Affine:
    """The smallest value while all iterators stay in their windows."""
    total = const(subscript.constant)
    for name, factor in subscript.terms:
        window = windows[name]
        total = total + window.start * factor
        if factor < 0:
            total = Affine(total.terms, total.constant + (window.size - 1) * factor)
    return total


def beats_of(alg: Algebra, extents: Sequence[Value], width: Value) -> Value:
    """Beats that move a box: whole beats per row."""
    if not extents:
        return 1
    return product(extents[:-1]) * alg.ceil_div(extents[-1], width)


def bursts_of(alg: Algebra, extents: Sequence[Value], array: Sequence[Value]) -> Value:
    """Contiguous runs of memory that hold a box: dimensions held whole, and the one outside them, make one."""
    runs: Value = 1
    rest: Condition = True
    for at in reversed(range(1, len(array))):
        rest = alg.both(rest, at_least(alg, extents[at], array[at]))
        runs = runs * alg.select(rest, 1, extents[at - 1])
    return runs


def strides_of(alg: Algebra, origin: Sequence[Affine], array: Sequence[Value], width: Value) -> tuple[Value, ...]:
    """Beats that one step of each loop around moves a box on, in memory whose rows are whole beats."""
    steps: dict[str, Value] = {}
    inside: Value = 1
    for at in reversed(range(len(array))):
        for name, step in origin[at].terms:
            steps[name] = steps.get(name, 0) + abs(step) * inside
        inside = inside * (alg.ceil_div(array[at], width) * width if at == len(array) - 1 else array[at])
    return tuple(alg.ceil_div(step, width) for step in steps.values())
