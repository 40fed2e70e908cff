"""Which arrays are worth several ports: those whose transfers take much of the cycles of a design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from sisyphus.ir import ArrayId, Role
from sisyphus.model import WAITS_FOR, Estimate, Term, estimate, parts_named
from sisyphus.model.limit import limit_of
from sisyphus.plan import Plan
from sisyphus.request import Kernel, plan_of
from sisyphus.search import fits_whole
from sisyphus.space import DEALT_BEATS, STRIPES, DesignPoint, Space, long_arrays, may_load_ahead, over_ports
from sisyphus.target import Target

#: Share of the cycles of a design from which on transfers of an array are slow, and arrays that are few.
SLOW, FEW = 0.2, 3
#: The share from which on they, or tiles that are updated, are worth a search more after all others.
WORTH_MORE = 0.1
#: Arrays of no more than this share of the memory on chip have no tiles over several ports unasked: they are whole.
LARGE = 0.125


def slow_arrays(space: Space, cost: float, share: float = SLOW) -> tuple[ArrayId, ...]:
    """Arrays to deal over ports: all that may be if they are few, else those whose transfers are slow; none if none is.

    A transfer is slow that takes a `share` of the cycles through one port, loads and stores of an array together;
    `cost` are the cycles of a design. Only whole arrays may have several ports.
    """
    long = long_arrays(space)
    slow = tuple(a for a in long if _beats(space, a) >= share * cost)
    chosen = long if slow and len(long) <= FEW else slow
    return tuple(a for a in chosen if fits_whole(space.scop.array(a), space.target))


def least_cycles(space: Space) -> int:
    """The least cycles that a kernel can take, below which no design is."""
    tree = space.options.tree_reduction
    return limit_of(space.scop, space.dependences, space.live, space.target, tree=tree).cycles


def slow_tiles(space: Space, cost: float) -> tuple[ArrayId, ...]:
    """Arrays of which tiles are worth several ports: large ones whose transfers are slow beside so many cycles."""
    slow = (a for a in _large_arrays(space) if _beats(space, a) >= SLOW * cost)
    return tuple(a for a in slow if over_ports(space, a, min(STRIPES)) is not None)


def slow_in_design(kernel: Kernel, space: Space, point: DesignPoint, share: float = SLOW) -> tuple[ArrayId, ...]:
    """Large arrays whose transfers take a share of the cycles of a design, in which tiles may pass many times.

    Also of those behind computation, which need not be faster than what it waits for. All large ones if one is slow and
    they are few, as of transfers side by side the longest takes the time of all.
    """
    large = _large_arrays(space)
    if not large:
        return ()
    plan = plan_of(kernel, point)
    found = estimate(plan, space.target)
    moved = {transfer.id: transfer.array for transfer in plan.transfers}
    spent = Counter[ArrayId]()
    for name, cycles in _spent(found.terms["cycles"], moved):
        spent[moved[name]] += cycles
    behind = _beats_of_tiles(plan, found, space.target)
    slow = tuple(array for array in large if max(spent[array], behind[array]) >= share * found.cycles)
    return large if slow and len(large) <= FEW else slow


def _beats_of_tiles(plan: Plan, found: Estimate, target: Target) -> Counter[ArrayId]:
    """What the ports of each array move in tiles, in their widest beats."""
    arrays = {transfer.port: (transfer.array, plan.port_of(transfer).stripes) for transfer in plan.transfers}
    beats = Counter[ArrayId]()
    for task in found.study.tasks.values():
        for port, moved in task.bytes_by_port.items():
            array, stripes = arrays[port]
            beats[array] += moved * 8 // (target.port_bits * stripes)
    return beats


def is_held_by_updates(kernel: Kernel, point: DesignPoint, target: Target) -> bool:
    """Whether tiles that nests update, and that could be stored late under loops around them, take much of a design."""
    nests, scop = kernel.distribution.nests, kernel.scop
    legal = {n.id: may_load_ahead(scop, n) for n in nests}
    written = {(n.id, scop.statement(s).write.array) for n in nests for s in n.statements}
    tiled = ((nest, b) for b in point.buffers if b.copies == 1 and len(b.nests) == 1 for nest in b.nests)
    late = {
        (nest, b.array) for nest, b in tiled if {*point.nest(nest).outside(b.place)} & {*legal[nest].get(b.array, ())}
    } & written
    if not late:
        return False
    plan = plan_of(kernel, point)
    held = {b for task in plan.tasks for b in task.buffers if (task.nest, plan.buffer(b).array) in late}
    found, moved = estimate(plan, target), {t.id: t.array for t in plan.transfers if t.buffer in held}
    return sum(cycles for _, cycles in _spent(found.terms["cycles"], moved)) >= WORTH_MORE * found.cycles


def _spent(term: Term, names: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    """The parts of a figure that have such names, with their values: what moves, and what waits for it.

    What waits for several transfers does so for each, once for those of one array.
    """
    moved = {names[name]: name for name in parts_named(term.name) if name in names}
    if moved and (len(moved) == 1 or term.name.startswith(WAITS_FOR)):
        yield from ((name, int(term.value)) for name in moved.values())
    else:
        for child in term.children:
            yield from _spent(child, names)


def _large_arrays(space: Space) -> tuple[ArrayId, ...]:
    """Arrays in memory that take much of the memory on chip, and many beats through one port."""
    most, moved = LARGE * space.target.budget.onchip_bytes, [a for a in space.scop.arrays if a.role is not Role.LOCAL]
    large = (a for a in moved if a.home == a.id and a.elements * a.type.bytes > most)
    return tuple(a.id for a in large if a.elements > DEALT_BEATS * space.port_width(a.id))


def stripes_worth(space: Space, arrays: Collection[ArrayId]) -> Iterator[tuple[tuple[ArrayId, int], ...]]:
    """Of these arrays, as far as they may have several ports in a space, how many: first the most, then fewer."""
    last: tuple[tuple[ArrayId, int], ...] = ()
    for most in sorted(STRIPES, reverse=True):
        counts = [count for count in sorted(STRIPES, reverse=True) if count <= most]
        found = dict[ArrayId, int]()
        for array in arrays:
            count = next((c for c in counts if over_ports(space, array, c) is not None), 1)
            found |= {array: count} if count > 1 else {}
        own = tuple(found.items())
        if own and own != last:
            yield own
        last = own


def has_large_tiles(space: Space) -> bool:
    """Whether some array takes so much of the memory on chip that its tiles are large."""
    return bool(_large_arrays(space))


def _beats(space: Space, array: ArrayId) -> float:
    """What an array moves through one port, in beats: a temporary that is not on chip is stored and loaded again."""
    live, declared = space.live[array], space.scop.array(array)
    ways = live.load + live.store or (0 if fits_whole(declared, space.target) else 2)
    return ways * declared.elements / space.port_width(array)
