"""What happens to one array while a plan runs: reads and writes of its elements, in memory and in buffers, with times.

An event reads or writes array element x at a location: the place of x in memory, or in a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property

from sisyphus.errors import InternalError
from sisyphus.ir import Array
from sisyphus.plan import Buffer, Copy, Direction, Plan, Run
from sisyphus.poly import Affine, Map, Set, const, extend, make_map, make_set, schedule, var
from sisyphus.values import dataclass
from sisyphus.verification.sites import Site, Spot, Tree, touched

MEMORY = "memory"


class Kind(Enum):
    """`READ` and `WRITE` by a statement, `COPY` both, `START` gives first values, `LOST` makes a buffer undefined."""

    READ = "read"
    WRITE = "write"
    COPY = "copy"
    START = "start"
    LOST = "lost"
    END = "end"


@dataclass(frozen=True, eq=False)
class Event:
    """Instances of one event: `points` over `dims`, each with the array element it is about.

    `source` and `target` are the locations read and written, with the index there (a buffer's index is relative to its
    origin); None where it only writes, or only reads.
    """

    name: str
    kind: Kind
    dims: tuple[str, ...]
    points: Set
    times: tuple[Affine, ...]
    element: tuple[Affine, ...]
    source: tuple[str, tuple[Affine, ...]] | None = None
    target: tuple[str, tuple[Affine, ...]] | None = None
    site: Site | None = None

    @cached_property
    def to_element(self) -> Map:
        return self._to("element", self.element)

    @cached_property
    def reads(self) -> Map | None:
        return None if self.source is None else self._to(*self.source)

    @cached_property
    def writes(self) -> Map | None:
        return None if self.target is None else self._to(*self.target)

    def schedule(self, length: int) -> Map:
        return schedule(self.name, self.dims, (*self.times, *(const(0) for _ in range(length - len(self.times)))))

    def _to(self, space: str, index: Sequence[Affine]) -> Map:
        names = [f"d{at}" for at in range(len(index))]
        return make_map(self.name, self.dims, space, names, index).intersect_domain(self.points)


def events_of(plan: Plan, tree: Tree, array: Array, *, needed: bool) -> tuple[Event, ...]:
    """Everything that happens to an array, also through views; `needed`: its last values must reach memory."""
    copies = {b.id: b.copies for b in _buffers(plan, array)}
    found = (
        *(event for site in tree.sites if isinstance(site.node, Run) for event in _run(plan, site, array)),
        *(event for site in tree.sites if isinstance(site.node, Copy) for event in _copy(plan, site, array)),
    )
    return (
        *_start(plan, array),
        *found,
        *(_overwritten(e, copies[e.target[0]]) for e in found if e.target and copies.get(e.target[0], 1) > 1),
        *(event for b in _buffers(plan, array) if b.copies == 1 for event in _lost(tree, b)),
        *(_end(plan, array) if needed else ()),
    )


def _buffers(plan: Plan, array: Array) -> list[Buffer]:
    """Copies of the array's memory, those of views too."""
    return [b for b in plan.buffers if plan.scop.home(b.array) == array.id]


def _box(array: Array) -> tuple[tuple[str, ...], list[Affine], tuple[Affine, ...]]:
    """Names for the elements of an array, the conditions on them, and the element itself."""
    names = tuple(f"x{at}" for at in range(len(array.extents)))
    inside = [c for name, extent in zip(names, array.extents, strict=True) for c in (var(name), extent - 1 - var(name))]
    return names, inside, tuple(var(name) for name in names)


def _start(plan: Plan, array: Array) -> Iterator[Event]:
    """Memory holds first values; an array without a home there starts undefined, which is as good as any value."""
    names, inside, element = _box(array)
    homes = [MEMORY] if any(p.name == array.id for p in plan.ports) else []
    homes = homes or [b.id for b in _buffers(plan, array)]
    for home in homes:
        points = make_set("start", names, at_least_zero=inside)
        yield Event("start", Kind.START, names, points, (const(-2),), element, target=(home, element))


def _end(plan: Plan, array: Array) -> Iterator[Event]:
    names, inside, element = _box(array)
    points = make_set("end", names, at_least_zero=inside)
    yield Event("end", Kind.END, names, points, (const(len(plan.body)),), element, source=(MEMORY, element))


def _run(plan: Plan, site: Site, array: Array) -> Iterator[Event]:
    """A statement's instance reads all its operands, then writes."""
    if not isinstance(site.node, Run) or site.place.task is None:
        return
    statement = plan.scop.statement(site.node.statement)
    for at, ref in enumerate(ref for ref in statement.reads if plan.scop.home(ref.array) == array.id):
        buffer, element = plan.buffer_for(site.place.task, ref.array), touched(site, ref)
        where = (buffer.id, _location(site.place, buffer, element))
        yield _at(site, f"{site.name}_read{at}", Kind.READ, element, source=where)
    if array.id in statement.looked_up:
        yield _looked_up(site, plan.buffer_for(site.place.task, array.id), array)
    if plan.scop.home(statement.write.array) == array.id:
        buffer, element = plan.buffer_for(site.place.task, statement.write.array), touched(site, statement.write)
        where = (buffer.id, _location(site.place, buffer, element))
        yield _at(site, f"{site.name}_write", Kind.WRITE, element, target=where)


def _looked_up(site: Site, buffer: Buffer, array: Array) -> Event:
    """An instance may read any element of the array."""
    names, inside, element = _box(array)
    name, dims = f"{site.name}_any", (*site.dims, *names)
    points = extend(site.points, dims).set_tuple_name(name).intersect(make_set(name, dims, at_least_zero=inside))
    where = (buffer.id, _location(site.place, buffer, element))
    return Event(name, Kind.READ, dims, points, site.place.times, element, source=where, site=site)


def _at(
    site: Site,
    name: str,
    kind: Kind,
    element: tuple[Affine, ...],
    *,
    source: tuple[str, tuple[Affine, ...]] | None = None,
    target: tuple[str, tuple[Affine, ...]] | None = None,
) -> Event:
    points = site.points.set_tuple_name(name)
    return Event(name, kind, site.dims, points, site.place.times, element, source, target, site)


def located(place: Spot, buffer: Buffer, element: Sequence[Affine]) -> tuple[Affine, ...]:
    """Where a buffer holds an array element, seen from a place of the plan."""
    return tuple(x - place.value(origin) for x, origin in zip(element, buffer.origin, strict=True))


def _location(place: Spot, buffer: Buffer, element: Sequence[Affine]) -> tuple[Affine, ...]:
    """Which of the arrays of a buffer is meant, and where in it the element is.

    The arrays are those of coarse-grained copies, and the versions of a buffer of several copies: one for each turn, of
    which `_overwritten` says how long it lasts.
    """
    turn = (place.value(buffer.turn),) if buffer.copies > 1 and buffer.turn is not None else ()
    return (*turn, *(place.value(var(name)) for name, _ in buffer.beside), *located(place, buffer, element))


def _copy(plan: Plan, site: Site, array: Array) -> Iterator[Event]:
    """One instance per element moved: those of the buffer that lie inside the array."""
    if not isinstance(site.node, Copy):
        return
    transfer = plan.transfer(site.node.transfer)
    if transfer.array != array.id:
        return
    buffer = plan.buffer(transfer.buffer)
    names, inside, element = _box(array)
    at = located(site.place, buffer, element)
    inside += [c for x, extent in zip(at, buffer.extents, strict=True) for c in (x, extent - 1 - x)]
    dims = (*site.dims, *names)
    points = make_set(site.name, dims, at_least_zero=[*site.place.conditions, *inside])
    memory, own = (MEMORY, element), (buffer.id, _location(site.place, buffer, element))
    source, target = (memory, own) if transfer.direction is Direction.LOAD else (own, memory)
    yield Event(site.name, Kind.COPY, dims, points, site.place.times, element, source, target, site)


def _overwritten(event: Event, copies: int) -> Event:
    """What is written to a buffer of several copies is lost for all earlier turns that have the same copy."""
    if event.target is None:
        raise InternalError(f"event `{event.name}` writes nothing")
    buffer, (turn, *index) = event.target
    dims, earlier = (*event.dims, "earlier"), turn - copies * var("earlier")
    name, target = f"over_{event.name}", (buffer, (earlier, *index))
    before = make_set(name, dims, at_least_zero=[var("earlier") - 1, earlier])
    points = extend(event.points, dims).set_tuple_name(name).intersect(before)
    return Event(name, Kind.LOST, dims, points, event.times, event.element, target=target)


def _lost(tree: Tree, buffer: Buffer) -> Iterator[Event]:
    """A buffer under a loop is a new one in each iteration of it."""
    extents = (*(count for _, count in buffer.beside), *buffer.extents)
    names = tuple(f"x{at}" for at in range(len(extents)))
    element = tuple(var(name) for name in names)
    box = [c for x, extent in zip(element, extents, strict=True) for c in (x, extent - 1 - x)]
    for number, place in enumerate(tree.bodies(buffer)):
        name, dims = f"lost{number}_{buffer.id}", (*place.dims, *names)
        points = make_set(name, dims, at_least_zero=[*place.conditions, *box])
        times = (*place.times, const(-1))
        yield Event(name, Kind.LOST, dims, points, times, element, target=(buffer.id, element))
