"""From a design point to the plan of it: outer loops, calls, and what travels between them; chooses nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sisyphus.algebra import EXACT
from sisyphus.analysis import Distribution, Live, Loop, Nest, OuterLoop, elements_touched, paths, refs_to
from sisyphus.errors import KernelError
from sisyphus.ir import Array, ArrayId, Scop
from sisyphus.plan.checks import check_point
from sisyphus.plan.known import KnownPlans
from sisyphus.plan.loop_bounds import Range, outer_range, restrict, shadow_on
from sisyphus.plan.packed import common_tile
from sisyphus.plan.parts import Parts
from sisyphus.plan.plan import Direction, Plan, Port, Transfer
from sisyphus.plan.ranges import loop_range
from sisyphus.plan.residency import Resident, Usage, merged, transfers_around
from sisyphus.plan.task import Around, build_task
from sisyphus.plan.tiles import Box, References, Window, box_of, grown, whole
from sisyphus.plan.tree import Call, Copy, For, LoopRole, Node
from sisyphus.plan.walks import check_packed
from sisyphus.poly import Set, const, extend, make_box, make_set, union_of, var
from sisyphus.space import COLUMNS, KERNEL_PLACE, NEST_PLACE, PACKED, PLAIN, BufferPoint, DesignPoint


def build_plan(
    scop: Scop,
    distribution: Distribution,
    live: Mapping[ArrayId, Live],
    point: DesignPoint,
    known: KnownPlans | None = None,
) -> Plan:
    """The plan of a design point; `KernelError` where the point does not fit the kernel.

    `known` is what other points of the same kernel have found out, nothing at first; what this one shares with them is
    not built again.
    """
    check_point(scop, distribution, point)
    parts = Parts.of(scop, distribution, point)
    outside = Around((), {}, make_set("", []), parts.names, known or KnownPlans())
    body = _body(parts, live, distribution.body, (KERNEL_PLACE, NEST_PLACE), outside)
    plan = Plan(
        scop=scop,
        ports=_ports(parts),
        buffers=parts.made_buffers(),
        transfers=parts.made_transfers(),
        tasks=tuple(parts.tasks),
        body=body,
        tree_reduction=point.tree_reduction,
        adders=point.adders,
    )
    check_packed(plan)
    return plan


def _body(
    parts: Parts,
    live: Mapping[ArrayId, Live],
    entries: Sequence[OuterLoop | Nest],
    places: Collection[str],
    around: Around,
) -> tuple[Node, ...]:
    """Loops, calls and copies for a part of the distribution; buffers of these places live inside of it."""
    inside = {nest.id for _, nest in paths(entries)}
    here = [c for c in parts.choices if c.place in places and inside.issuperset(c.nests)]
    for choice in here:
        parts.add_buffer(choice, _outer_box(parts, choice, entries, around))
    nodes = [_node(parts, live, entry, around) for entry in entries]
    residents = [_resident(parts, around.known, live, choice, entries, here) for choice in here]
    by_id = {choice.id: choice for choice in here}
    body: list[Node] = []
    for at, moved in enumerate(transfers_around(residents, len(entries))):
        loaded = {buffer for direction, buffer in moved if direction is Direction.LOAD}
        for direction, buffer in moved:
            choice = by_id[buffer]
            joins = parts.joined(choice, loaded) if direction is Direction.LOAD else ""
            body.append(Copy(parts.transfer(choice, direction, joins)))
        body += nodes[at] if at < len(nodes) else ()
    return tuple(body)


def _node(parts: Parts, live: Mapping[ArrayId, Live], entry: OuterLoop | Nest, around: Around) -> tuple[Node, ...]:
    """The call of a nest or the loop around several; nothing where nothing ever runs."""
    if isinstance(entry, Nest):
        task = build_task(parts, entry, around)
        return (Call(task.name),) if task else ()
    entered = _inside(parts, entry, around)
    if entered is None:
        return ()
    inner, name, limits = entered
    own = tuple((quotient, by) for (source, by), quotient in inner.quotients.items() if source == entry.iterator)
    body = _body(parts, live, entry.body, (entry.iterator,), inner)
    loop = For(name, entry.iterator, limits.lower, limits.upper, limits.trip_count, LoopRole.OUTER, body, quotients=own)
    return (loop,) if body else ()


def _values_of(scop: Scop, loop: OuterLoop, around: Around) -> Set | None:
    """The values of the loops around and of this loop for which some statement inside runs, dimensions unnamed."""
    depth = len(around.loops) + 1
    domains = [scop.statement(s).domain for nest in loop.nests for s in nest.statements]
    shadows = [shadow_on(d, depth) for d in domains if not d.is_empty()]
    return union_of(shadows) if shadows else None


def _inside(parts: Parts, loop: OuterLoop, around: Around) -> tuple[Around, str, Range] | None:
    """One more loop around, its name and bounds; None where it has no iteration."""
    taken = around.taken.child()
    name = taken.take(loop.iterator)
    names = {**around.names, loop.iterator: name}
    key = (loop.nests[0].id, tuple(names.values()))
    if key not in around.known.loops:
        around.known.loops[key] = _values_inside(parts.scop, loop, around, name)
    found = around.known.loops[key]
    if found is None:
        return None
    region, limits = found
    low, high = loop_range(limits, around.ranges)
    own = {by: taken.take(f"{loop.iterator}_by{by}") for by in _divisors(parts, loop)}
    ranges = {**around.ranges, name: (low, high), **{own[by]: (low // by, high // by) for by in own}}
    quotients = {**around.quotients, **{(loop.iterator, by): own[by] for by in own}}
    return Around((*around.loops, loop), names, region, taken, around.known, ranges, quotients), name, limits


def _divisors(parts: Parts, loop: OuterLoop) -> list[int]:
    """The beats of tiles that a loop moves along rows by less than one."""
    found = set[int]()
    for nest in loop.nests:
        for choice in (c for c in parts.choices if nest.id in c.nests and c.place != KERNEL_PLACE):
            width = parts.shared_beat(choice)
            refs = [ref for ref in refs_to(parts.scop, nest, choice.array) if ref.index]
            found |= {width for ref in refs if ref.index[-1].coefficient(loop.iterator) % width}
    return sorted(found)


def _values_inside(scop: Scop, loop: OuterLoop, around: Around, name: str) -> tuple[Set, Range] | None:
    """The values of the loops around and of this loop, and its bounds."""
    points = _values_of(scop, loop, around)
    if points is None:
        return None
    dims = [*around.names.values(), name]
    shadow = extend(points, dims)
    limits = outer_range(shadow, name, around.region)
    return restrict(extend(around.region, dims), name, limits), limits


def _outer_box(parts: Parts, choice: BufferPoint, entries: Sequence[OuterLoop | Nest], around: Around) -> Box:
    """What the nests of a buffer touch of its array while the loops around its place stand still."""
    extents = parts.scop.array(choice.array).extents
    if choice.place == KERNEL_PLACE:
        return whole(extents)
    uses, width = [], parts.shared_beat(choice)
    for path, nest in paths(entries):
        if nest.id in choice.nests:
            windows = {source: Window(var(name), 1) for source, name in around.names.items()}
            ranging: list[OuterLoop | Loop] = [*path, *nest.band]
            windows |= {loop.iterator: Window(const(loop.lower), loop.trip_count) for loop in ranging}
            refs = refs_to(parts.scop, nest, choice.array)
            uses.append(References(refs, windows, around.rows(refs, width)))
    return grown(EXACT, box_of(uses, extents), extents, width)


def _resident(
    parts: Parts,
    known: KnownPlans,
    live: Mapping[ArrayId, Live],
    choice: BufferPoint,
    entries: Sequence[OuterLoop | Nest],
    beside: Sequence[BufferPoint],
) -> Resident:
    whole_kernel, needs = choice.place == KERNEL_PLACE, live[choice.array]
    return Resident(
        buffer=choice.id,
        usages=[_usage(parts, known, choice, entry) for entry in entries],
        load_first=needs.load or not whole_kernel or _leaves_gaps(parts, choice, entries),
        store_last=needs.store or not whole_kernel,
        store_early=any(parts.same_memory(other.array, choice.array) for other in beside if other is not choice),
    )


def _leaves_gaps(parts: Parts, choice: BufferPoint, entries: Sequence[OuterLoop | Nest]) -> bool:
    """Whether its own nests write a part of a buffer that is stored whole, as other buffers hold the array, too."""
    if not any(other.array == choice.array for other in parts.choices if other is not choice):
        return False
    array = parts.scop.array(choice.array)
    own = [s for _, nest in paths(entries) if nest.id in choice.nests for s in parts.statements(nest)]
    written = elements_touched(own, array, reads=False)
    return not written.is_empty() and not make_box(array.id, array.extents).is_subset(written)


def _usage(parts: Parts, known: KnownPlans, choice: BufferPoint, entry: OuterLoop | Nest) -> Usage | None:
    if isinstance(entry, OuterLoop):
        return merged([_usage(parts, known, choice, child) for child in entry.body], choice.array, entry.iterator)
    resident, use_of = entry.id in choice.nests, known.uses(parts.scop, entry).items()
    same = [use for a, use in use_of if a == choice.array or (not resident and parts.same_memory(a, choice.array))]
    copied = resident and any(a != choice.array and parts.same_memory(a, choice.array) for a, _ in use_of)
    return Usage(resident, any(use.reads for use in same), any(use.writes for use in same), copied) if same else None


def _ports(parts: Parts) -> tuple[Port, ...]:
    """One per argument that stays in the signature, and one behind it for each copy that is given the same data."""
    ports, moved = [], parts.made_transfers()
    for argument in parts.scop.arguments:
        if argument.kind == "scalar":
            ports.append(Port(argument.name, "scalar", argument.type.stored))
        elif argument.kind == "array":
            array = parts.scop.array(ArrayId(argument.name))
            ports.append(_array_port(parts, array, moved))
            joining = {parts.buffers[c.id].array for c in parts.choices if _joins(parts, c)}
            copies = [a for a in parts.scop.arrays if a.own_port and a.home == array.id and a.id not in joining]
            ports += [replace(_array_port(parts, a, moved), copies=array.id) for a in copies]
    return tuple(ports)


def _joins(parts: Parts, choice: BufferPoint) -> bool:
    """Whether another load fills a buffer."""
    load = parts.transfers.get((choice.id, Direction.LOAD))
    return load is not None and bool(load.joins)


def _array_port(parts: Parts, array: Array, transfers: Sequence[Transfer]) -> Port:
    """The argument that an array arrives by, as all transfers of it use it."""
    moved = [t for t in transfers if t.array == array.home]
    widths, layouts = {t.width for t in moved} or {1}, parts.layouts(array.home) or {PLAIN}
    if len(widths) > 1:
        raise KernelError(
            f"`{array.id}` is transferred with {' and '.join(map(str, sorted(widths)))} elements per beat",
            hint="a port has one width",
        )
    if len(layouts) > 1:
        raise KernelError(
            f"`{array.id}` is transferred in layouts {' and '.join(sorted(layouts))}", hint="a port has one layout"
        )
    directions = {t.direction for t in moved if t.port == array.id}
    direction = "inout" if len(directions) > 1 else "out" if Direction.STORE in directions else "in"
    [width], [layout] = widths, layouts
    stripes = parts.point.stripes_of(array.id)
    found = Port(array.id, "array", array.type.stored, array.extents, width, array.id, direction, layout)
    held = {t.buffer for t in moved}
    tile: tuple[int, ...] = ()
    if layout == PACKED:
        tile = common_tile(array.id, [b for b in parts.made_buffers() if b.id in held])
    elif layout == COLUMNS:
        tile = (*array.extents[:-1], width)
    return replace(found, stripes=stripes, tile=tile)
