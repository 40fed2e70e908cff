"""What a search chooses, and the DesignPoint that follows from it, in one canonical form; knows no solver.

A solver may return any of many equal answers: an order is rebuilt from the nested sets of loops, and partition factors
are the smallest that serve, so that equal choices give equal points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import lcm, prod

from sisyphus.analysis import LoopKind
from sisyphus.ir import ArrayId
from sisyphus.space.ahead import loaded_ahead
from sisyphus.space.point import COLUMNS, KERNEL_PLACE, PACKED, BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.space.precedence import in_order, level0_pairs
from sisyphus.space.space import NestSpace, Space
from sisyphus.space.widths import beat_factor, form_for, layout_for, needs_packing, tile_elements, tile_widths
from sisyphus.values import dataclass, field, replace


class NotADesign(ValueError):  # noqa: N818 - an answer about values, not a fault of anybody
    """No design has these values: something is not chosen, or what is chosen cannot be had together."""


@dataclass(frozen=True)
class NestChoices:
    """What is chosen in one nest.

    `copies` are coarse-grained factors, `outside` has per array the level-0 loops outside of its transfers, `interval`
    is what the tool is asked for, `residents` are arrays on chip for the whole kernel, `shared` has per array the outer
    loop under which nests share a buffer; `split` and `ahead` say whether full tiles run apart and tiles load ahead.
    """

    nest: str
    tiles: Mapping[str, Tile]
    copies: Mapping[str, int]
    outside: Mapping[ArrayId, frozenset[str]]
    interval: int = 0
    residents: frozenset[ArrayId] = frozenset()
    shared: Mapping[ArrayId, str] = field(default_factory=dict)
    split: bool = False
    ahead: bool = False


@dataclass(frozen=True)
class Places:
    """Where a nest transfers its tiled arrays: `outside` and `ahead` of its choices."""

    outside: Mapping[ArrayId, frozenset[str]] = field(default_factory=dict)
    ahead: bool = False

    def chosen(self, nest: str, tiles: Mapping[str, Tile], copies: Mapping[str, int], interval: int) -> NestChoices:
        """These places for these tiles."""
        return NestChoices(nest, tiles, copies, self.outside, interval, ahead=self.ahead)


@dataclass(frozen=True)
class Choices:
    """What is chosen for a kernel: in each nest, the widest beat of each array, and which arrays lie in registers.

    `storages` is what banks of arrays on chip are asked to be in, where it is not what all others are.
    """

    nests: Mapping[str, NestChoices]
    widths: Mapping[ArrayId, int]
    registers: frozenset[ArrayId] = frozenset()
    storages: Mapping[ArrayId, str] = field(default_factory=dict)

    def with_nest(self, nest: NestChoices) -> Choices:
        """The same with other choices in this nest."""
        return replace(self, nests={**self.nests, nest.nest: nest})

    def keeps(self, array: ArrayId, nest: NestSpace) -> bool:
        """Whether an array is on chip for the whole kernel, as far as a nest is concerned."""
        return array in self.nests[nest.id].residents


def decode(space: Space, choices: Choices) -> DesignPoint:
    """The design point that follows from what is chosen; `NotADesign` where none does."""
    nests = tuple(_nest_point(space, nest, choices.nests[nest.id]) for nest in space.nests)
    chosen = {point.id: point for point in nests}
    buffers = tuple(b for array in space.used_arrays for b in _buffers(space, chosen, array, choices))
    widths = {array: _width(space, chosen, array, buffers, choices) for array in space.used_arrays}
    buffers = tuple(_with_banks(space, chosen, b, widths[b.array]) for b in buffers)
    for nest in (nest for nest in space.nests if choices.nests[nest.id].ahead):
        buffers = loaded_ahead(nest.id, nest.early, chosen[nest.id], buffers)
    transfers = tuple(_transfer(space, chosen, b, widths[b.array]) for b in buffers if b.partition)
    return DesignPoint(
        kernel=space.scop.name,
        nests=nests,
        buffers=buffers,
        transfers=transfers,
        tree_reduction=space.options.tree_reduction,
        adders=space.options.adders,
    )


def _with_banks(space: Space, chosen: Mapping[str, NestPoint], buffer: BufferPoint, width: int) -> BufferPoint:
    """A tile with banks for its beats (`beat_factor`): one of several nests where no loop of these runs along rows."""
    if buffer.place == KERNEL_PLACE or not buffer.partition or buffer.id in space.pinned:
        return buffer
    *others, last = buffer.partition
    found = []
    for nest in map(space.nest, buffer.nests):
        words = tile_elements(nest, chosen[nest.id], buffer) // prod(buffer.partition) if len(buffer.nests) == 1 else 0
        found.append(beat_factor(space, nest, buffer.array, prod(others), width, own=last, words=words))
    own = [factor for factor in found if factor is not None]
    return replace(buffer, partition=(*others, max(own))) if len(own) == len(found) else buffer


def _transfer(space: Space, chosen: Mapping[str, NestPoint], buffer: BufferPoint, width: int) -> TransferPoint:
    ports, layout = space.port_names(buffer.array, width), _layout(space, chosen, buffer, width)
    return TransferPoint(buffer.id, width, ports, layout, form_for(space, buffer.array, width))


def _layout(space: Space, chosen: Mapping[str, NestPoint], buffer: BufferPoint, width: int) -> str:
    if space.lies_as(buffer.array) == COLUMNS:
        return COLUMNS
    is_packed = needs_packing(space, space.nest(buffer.nests[0]), chosen[buffer.nests[0]], buffer)
    return PACKED if is_packed else layout_for(space.scop.array(buffer.array).extents, width)


def _nest_point(space: Space, nest: NestSpace, choice: NestChoices) -> NestPoint:
    tiles = tuple((loop.iterator, choice.tiles[loop.iterator]) for loop in nest.loops)
    pipelined = [name for name, tile in tiles if tile.level1 > 1]
    if len(pipelined) > 1:
        raise NotADesign(f"nest `{nest.id}`: {pipelined} are all pipelined")
    active = [name for name, tile in tiles if tile.level0 > 1]
    unroll = tuple((name, factor) for name, tile in tiles if (factor := _copies(nest, name, tile, choice)) > 1)
    pipeline = pipelined[0] if pipelined else None
    interval = choice.interval if choice.interval in intervals(nest, pipeline) else 0
    order = nest.order or level0_order(space, nest, active, choice.outside, ahead=choice.ahead)
    found = NestPoint(nest.nest.statements, order, tiles, pipeline, unroll, split=choice.split, interval=interval)
    return replace(found, listed=nest.listed and pipeline is not None)


def intervals(nest: NestSpace, pipeline: str | None) -> tuple[int, ...]:
    """Intervals (cycles, 0 for none) to ask for where this loop is pipelined: where it adds up, or as fixed."""
    may_ask = pipeline is not None and (len(nest.intervals) == 1 or nest.loop(pipeline).kind is LoopKind.REDUCTION)
    return nest.intervals if may_ask else (0,)


def _chosen_width(space: Space, array: ArrayId, choices: Choices) -> int:
    if choices.widths.get(array) not in space.widths[array]:
        raise NotADesign(f"no width of `{array}` is chosen")
    return choices.widths[array]


def _resident_width(space: Space, array: ArrayId, choices: Choices) -> int:
    """What was chosen for an array, or for another view of the same memory that is resident, if that is less."""
    home = space.scop.home(array)
    others = (a for a in space.used_arrays if a != array and space.scop.home(a) == home)
    beside = [a for a in others if any(choices.keeps(a, nest) for nest in space.users(a))]
    return min(_chosen_width(space, a, choices) for a in (array, *beside))


def _copies(nest: NestSpace, loop: str, tile: Tile, choice: NestChoices) -> int:
    """The coarse-grained factor of a loop; the smallest legal one where nothing was chosen."""
    legal = nest.loop(loop).unroll
    factor = choice.copies.get(loop, legal[0])
    factor = factor if factor in legal else legal[0]
    if tile.level0 % factor:
        raise NotADesign(f"nest `{nest.id}`: {factor} copies of `{loop}` do not divide its {tile.level0} tiles")
    return factor


def level0_order(
    space: Space, nest: NestSpace, active: Collection[str], outside: Mapping[ArrayId, frozenset[str]], *, ahead: bool
) -> tuple[str, ...]:
    """Loops outside of most transfers first; among equals those whose bounds move, reductions, then as in the source.

    A reduction outside leaves the most other work between two additions into one element; but where bounds move, the
    pipelined loop is one with loops of constant bounds inside of those, unless their tiles are listed. `active` are the
    loops with several iterations at level 0, which alone must keep their precedence; `outside` those of the transfers
    of each array. Where tiles are loaded `ahead`, a loop is inside of others if it may do that for all that it moves.
    """
    last = {u.places[0] for u in nest.arrays if len(u.places) == 1 and u.places[0] != KERNEL_PLACE}
    moving = [loop.iterator for loop in nest.nest.band if loop.iterator in active and not loop.is_constant]
    moving = [] if nest.listed or len(moving) + len(nest.nest.outer) < 2 else moving

    def rank(loop: str) -> tuple[int, bool, bool, bool, bool]:
        is_inner, adds = loop not in moving, nest.loop(loop).kind is LoopKind.REDUCTION
        moved = [array for array, loops in outside.items() if loop in loops]
        loads = ahead and all(loop in nest.early[array] for array in moved if array in nest.early)
        return -len(moved), loop in last, loads, is_inner, is_inner != adds

    return in_order((s.iterator for s in nest.loops), level0_pairs(space, nest, active), rank)


def _buffers(space: Space, chosen: Mapping[str, NestPoint], array: ArrayId, choices: Choices) -> Iterable[BufferPoint]:
    """One buffer for all nests in which the array is resident or that share it, one for each other nest."""
    users, storage = list(space.users(array)), space.target.memories.storage
    resident = [nest for nest in users if choices.keeps(array, nest)]
    if resident:
        width, extents = _resident_width(space, array, choices), space.scop.array(array).extents
        factors = extents if array in choices.registers else _partition(space, chosen, array, resident, width)
        own = choices.storages.get(array, storage)
        yield BufferPoint(array, tuple(n.id for n in resident), KERNEL_PLACE, factors, storage=own)
    for place, nests in _shares(space, chosen, array, choices):
        factors = _partition(space, chosen, array, nests, space.width_served(array))
        tile = BufferPoint(array, tuple(n.id for n in nests), place, factors, storage=storage)
        yield replace(tile, partition=space.pinned.get(tile.id, tile.partition))


def _shares(
    space: Space, chosen: Mapping[str, NestPoint], array: ArrayId, choices: Choices
) -> Iterable[tuple[str, list[NestSpace]]]:
    """The place of each buffer that is not resident, and the nests that it is for."""
    waiting = [nest for nest in space.users(array) if not choices.keeps(array, nest)]
    loops = _shared_loops(space, waiting, array, choices)
    while waiting:
        first = waiting.pop(0)
        shared = loops[first.id]
        if shared is None:
            point, outside = chosen[first.id], choices.nests[first.id].outside.get(array, frozenset())
            turns = {loop for loop, tile in point.tiles if tile.level0 > 1}
            yield innermost_outside(first, point.order, outside, turns.__contains__), [first]
            continue
        inside = space.under(first.id, shared)
        beside = [n for n in waiting if n.id in inside and loops[n.id] == shared]
        waiting = [n for n in waiting if n not in beside]
        yield shared, [first, *beside]


def _shared_loops(space: Space, nests: Sequence[NestSpace], array: ArrayId, choices: Choices) -> dict[str, str | None]:
    """Per nest the outer loop under which it shares a buffer, if any; one that has no other place joins in."""
    found = {nest.id: _shared_loop(nest, array, choices.nests[nest.id]) for nest in nests}
    for nest in nests:
        use, inner = nest.use(array), nest.nest.outer[-1:]
        if use is not None and inner and use.places == inner and found[nest.id] is None:
            others = space.under(nest.id, inner[0])
            found[nest.id] = inner[0] if any(found.get(other) == inner[0] for other in others) else None
    return found


def _shared_loop(nest: NestSpace, array: ArrayId, choice: NestChoices) -> str | None:
    """The outer loop under which a nest shares a buffer with others: as chosen, or the only one that is legal."""
    use = nest.use(array)
    if use is None or choice.outside.get(array):
        return None
    legal = [place for place in nest.nest.outer if place in use.places]
    if choice.shared.get(array) in legal:
        return choice.shared[array]
    return legal[0] if legal and not nest.may_own(use) else None


def innermost_outside(
    nest: NestSpace, order: Sequence[str], outside: frozenset[str], is_active: Callable[[str], bool]
) -> str:
    """The innermost loop outside of a transfer; loops of one tile do not count unless there is no other.

    `NotADesign` where no loop is outside of it.
    """
    prefix = [loop for loop in order if loop in outside]
    while len(prefix) > 1 and not is_active(prefix[-1]):
        prefix.pop()
    if prefix:
        return prefix[-1]
    if nest.around is None:
        raise NotADesign(f"nest `{nest.id}`: no loop is outside of a transfer")
    return nest.around


def _partition(
    space: Space, chosen: Mapping[str, NestPoint], array: ArrayId, nests: Iterable[NestSpace], width: int
) -> tuple[int, ...]:
    """Per dimension the smallest factor that serves; `NotADesign` where these make too many banks."""
    pairs = [(nest, chosen[nest.id]) for nest in nests]
    found = tuple(serving_factor(space, array, at, pairs, width) for at in range(len(space.partitions[array])))
    if prod(found) > space.target.max_partition:
        raise NotADesign(f"`{array}` would need {prod(found)} banks, more than {space.target.max_partition}")
    return found


def serving_factor(
    space: Space, array: ArrayId, at: int, nests: Iterable[tuple[NestSpace, NestPoint]], width: int
) -> int:
    """The smallest legal factor of a dimension that serves every unroll factor, and in the last one the beat.

    `NotADesign` where none does.
    """
    beat = width if at == len(space.partitions[array]) - 1 else 1
    uses = ((point, use) for nest, point in nests if (use := nest.use(array)) is not None)
    copies = lcm(*(point.tile(loop).level2 for point, use in uses for loop in use.dims[at].banked))
    factor = space.factors(array, at).smallest(copies=copies, width=beat)
    if factor is None:
        raise NotADesign(f"no partition factor of `{array}` dimension {at} serves {copies} copies")
    return factor


def _width(
    space: Space,
    chosen: Mapping[str, NestPoint],
    array: ArrayId,
    buffers: Iterable[BufferPoint],
    choices: Choices,
) -> int:
    """Elements per beat of the array's port: the widest that its tiles allow and, of arrays that are resident, what was
    chosen at most; the same for all views of the same memory.

    `NotADesign` where they allow none. In the paper tiles move one element at a time, whatever else is asked for.
    """
    legal = set(space.widths[array])
    for buffer in buffers:
        if space.scop.home(buffer.array) != space.scop.home(array):
            continue
        if buffer.place == KERNEL_PLACE:
            most = _resident_width(space, array, choices)
            legal = {width for width in legal if width <= most}
        else:
            legal &= _legal_widths(space, chosen, buffer)
    if not legal and not space.options.whole_beats:
        raise NotADesign(f"no beat of {list(space.widths[array])} elements suits all tiles of `{array}`")
    return max(legal, default=1)


def _legal_widths(space: Space, chosen: Mapping[str, NestPoint], buffer: BufferPoint) -> set[int]:
    """Beats of a tile; of a part that several nests share what suits each of them, as it grows to whole beats."""
    found = [set(tile_widths(space, space.nest(n), chosen[n], buffer)) for n in buffer.nests]
    return set.intersection(*found)


def choices(space: Space, point: DesignPoint) -> Choices:
    """What was chosen for a point that lies in the space, the inverse of `decode`; `NotADesign` where it does not."""
    widths = {array: _width_in(space, point, array) for array in space.used_arrays}
    whole = [b for b in point.buffers if b.place == KERNEL_PLACE and b.partition]
    registers = frozenset(b.array for b in whole if b.partition == space.scop.array(b.array).extents)
    storages = {b.array: b.storage for b in whole if b.storage != space.target.memories.storage}
    return Choices({nest.id: _nest_choices(nest, point) for nest in space.nests}, widths, registers, storages)


def _nest_choices(nest: NestSpace, point: DesignPoint) -> NestChoices:
    own, outer = point.nest(nest.id), nest.nest.outer
    for loop in nest.loops:
        if own.tile(loop.iterator) not in loop.tiles:
            raise NotADesign(f"nest `{nest.id}`: {own.tile(loop.iterator)} is no tile of `{loop.iterator}`")
    buffers = {use.array: point.buffer_of(use.array, nest.id) for use in nest.arrays}
    places = {use.array: buffers[use.array].place for use in nest.arrays if use.can_be_tiled}
    prefixes = {a: own.outside(place) for a, place in places.items() if place in own.order}
    return NestChoices(
        nest=nest.id,
        tiles=dict(own.tiles),
        copies={loop: 1 for loop, _ in own.tiles} | dict(own.unroll),
        outside={array: frozenset(loops) for array, loops in prefixes.items()},
        interval=own.interval,
        residents=frozenset(a for a, b in buffers.items() if b.place == KERNEL_PLACE),
        shared={
            a: b.place for a, b in buffers.items() if b.place in outer and (b.place != nest.around or len(b.nests) > 1)
        },
        split=own.split,
        ahead=any(b.copies > 1 for b in buffers.values()),
    )


def _width_in(space: Space, point: DesignPoint, array: ArrayId) -> int:
    """Of the resident buffer, or the next narrower one of the space; the narrowest where there is none."""
    resident = (b for b in point.buffers if b.array == array and b.place == KERNEL_PLACE)
    most = max((point.transfer_of(b.id).width for b in resident), default=0)
    return max((width for width in space.widths[array] if width <= most), default=min(space.widths[array]))
