"""Does every read of a buffer, and the end of the kernel, see the last value written, by isl's dataflow analysis.

All copies of an array, in memory and in its buffers, are followed element by element in the order of the plan. A copy
may move a value that is out of date, as long as nobody uses it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial

from sisyphus.ir import Array, ArrayId, Statement
from sisyphus.plan import Plan, Run
from sisyphus.plan.loop_bounds import shadow_on
from sisyphus.poly import Map, Set, first_point, fix, last_before, last_writers, one_of, union_of
from sisyphus.values import dataclass
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.memory_events import Event, Kind, events_of
from sisyphus.verification.sites import Tree, instances
from sisyphus.verification.verdict import TOO_COMPLEX, Check

#: How often a value that is out of date is followed from copy to copy.
ROUNDS = 8

#: reader -> writer -> pairs (writer instance, reader instance).
Flow = Mapping[str, Mapping[str, Map]]


def check_movement(plan: Plan, tree: Tree, needed: Collection[ArrayId]) -> Iterator[Check]:
    """One check per array that some statement touches; `needed` are the arrays whose last values memory must hold."""
    for array in plan.scop.arrays:
        if array.view_of is not None:
            continue  # it is part of what happens to the array that it is a view of
        events = events_of(plan, tree, array, needed=array.id in needed)
        if any(e.kind in (Kind.READ, Kind.WRITE) for e in events):
            find = partial(_fault, plan, array, events, _given(plan, array))
            check = on_leash(f"data of {array.id}", "every read sees the last value written", find)
            yield check


def _given(plan: Plan, array: Array) -> frozenset[str]:
    """The buffers of copies of what the kernel was given, whatever is written to the array meanwhile."""
    copies = {a.id for a in plan.scop.arrays if a.given and a.home == array.id}
    return frozenset(buffer.id for buffer in plan.buffers if buffer.array in copies)


def _fault(plan: Plan, array: Array, events: Sequence[Event], given: frozenset[str]) -> str | None:
    """The first read of a statement, or element of memory at the end, that has not the last value written.

    What reads from a buffer that is `given`, or fills it, has to have the first value.
    """
    judge = _Judge(tuple(events), given)
    stale = judge.stale()
    if stale is None:
        return f"{TOO_COMPLEX}: values out of date travel further than {ROUNDS} copies"
    for event in events:
        if event.kind in (Kind.READ, Kind.END) and event.name in stale:
            if not judge.confirms(event, stale[event.name]):
                return f"{TOO_COMPLEX}: isl's analysis of strided writes is wrong about some reads"
            return _witness(plan, array, event, stale[event.name], judge)
    return None


def _witness(plan: Plan, array: Array, event: Event, where: Set, judge: _Judge) -> str:
    wrong = event.to_element.intersect_domain(where).range()
    element = first_point(wrong) or {}
    name = array.id + "".join(f"[{value}]" for value in element.values())
    if event.site is None or not isinstance(event.site.node, Run) or event.source is None:
        return f"at the end memory does not hold the last value of `{name}`"
    statement: Statement = plan.scop.statement(event.site.node.statement)
    at_element = event.to_element.intersect_range(fix(wrong, element)).domain()
    loops = shadow_on(at_element.intersect(where), len(event.site.dims)).set_tuple_name(event.site.name)
    point = first_point(instances(event.site, statement).intersect_domain(loops).range()) or {}
    why = "holds another value than the last one written" if judge.is_filled(event, where) else "was never given it"
    instance = ", ".join(f"{i}: {v}" for i, v in zip(statement.iterators, point.values(), strict=True))
    return f"{statement.id}: instance {{{instance}}} reads `{name}`, but `{event.source[0]}` {why}"


@dataclass(frozen=True, eq=False)
class _Judge:
    """The events of one array, and where the value that each of them reads comes from."""

    events: tuple[Event, ...]
    given: frozenset[str]

    @cached_property
    def readers(self) -> tuple[Event, ...]:
        return tuple(e for e in self.events if e.source is not None)

    @cached_property
    def schedules(self) -> tuple[Map, ...]:
        length = max(len(e.times) for e in self.events)
        return tuple(e.schedule(length) for e in self.events)

    @cached_property
    def last(self) -> Flow:
        """For each reader the statement instance (or first value) that wrote its array element last."""
        found: dict[str, Mapping[str, Map]] = {}
        for kinds in ((Kind.START,), (Kind.START, Kind.WRITE)):
            origins = [e for e in self.events if e.kind in kinds]
            readers = [e for e in self.readers if self._kinds_for(e) == kinds]
            found |= self._last_of(origins, readers) if readers else {}
        return found

    def _last_of(self, origins: Sequence[Event], readers: Sequence[Event]) -> Flow:
        if len(origins) == 1:
            [only] = origins
            return {e.name: {only.name: only.to_element.apply_range(e.to_element.reverse())} for e in readers}
        reads, writes = [e.to_element for e in readers], [e.to_element for e in origins]
        return _by_reader(last_writers(reads, writes, self.schedules))

    def _kinds_for(self, reader: Event) -> tuple[Kind, ...]:
        """What a reader may have to see: a copy of what the kernel was given has first values alone."""
        ends = {end[0] for end in (reader.source, reader.target) if end is not None}
        return (Kind.START,) if ends & self.given else (Kind.START, Kind.WRITE)

    @cached_property
    def filled(self) -> Flow:
        """For each reader the event that wrote the location it reads last."""
        reads = [e.reads for e in self.readers if e.reads is not None]
        writes = [e.writes for e in self.events if e.writes is not None]
        return _by_reader(last_writers(reads, writes, self.schedules))

    @cached_property
    def start(self) -> str:
        return next(e.name for e in self.events if e.kind is Kind.START)

    @cached_property
    def first_values(self) -> Set:
        """The elements of which somebody reads the value from before the kernel; of others it may be anything."""
        start = next(e for e in self.events if e.kind is Kind.START)
        users = (e.name for e in self.readers if e.kind is not Kind.COPY)
        read = [self.last[name][self.start].domain() for name in users if self.start in self.last.get(name, {})]
        return union_of(read) if read else start.points.subtract(start.points)

    def stale(self) -> dict[str, Set] | None:
        """Per reader the instances that read something else than the last value; None where that is not found out.

        At first every copy is taken to move a good value; what reads from a copy that does not is then stale too.
        """
        found: dict[str, Set] = {}
        for _ in range(ROUNDS):
            now = {e.name: self._stale_reads(e, found) for e in self.readers}
            now = {name: where for name, where in now.items() if not where.is_empty()}
            copies = {e.name for e in self.readers if e.kind is Kind.COPY}
            if all(now[n].is_subset(found[n]) if n in found else False for n in now.keys() & copies):
                return now
            found = {name: where for name, where in now.items() if name in copies}
        return None

    def _stale_reads(self, reader: Event, stale: Mapping[str, Set]) -> Set:
        right = self.last.get(reader.name, {})
        good = reader.points.subtract(reader.points)
        if reader.kind is Kind.COPY and self.start in right:
            good = right[self.start].subtract_domain(self.first_values).range()
        for origin, moved in self._origins(reader, stale):
            if origin in right:
                good = good.union(moved.intersect(right[origin]).range())
        return reader.points.subtract(good)

    def _origins(self, reader: Event, stale: Mapping[str, Set]) -> Iterator[tuple[str, Map]]:
        """(origin, pairs of it and the reader): whose value a reader gets, through one copy or none."""
        kinds = {e.name: e.kind for e in self.events}
        for writer, moved in self.filled.get(reader.name, {}).items():
            if kinds[writer] in (Kind.WRITE, Kind.START):
                yield writer, moved
            elif kinds[writer] is Kind.COPY:
                good = moved.subtract_domain(stale[writer]) if writer in stale else moved
                for origin, before in self.last.get(writer, {}).items():
                    yield origin, before.apply_range(good)

    def confirms(self, reader: Event, where: Set) -> bool:
        """Whether one of these reads gets another value than the last one written, followed step by step.

        isl's dataflow analysis is wrong for some writes with strides: no design is refused on its word alone.
        """
        read, schedules = one_of(where), {e.name: s for e, s in zip(self.events, self.schedules, strict=True)}
        kinds = self._kinds_for(reader)
        known = [(e.name, e.to_element, schedules[e.name]) for e in self.events if e.kind in kinds]
        right = last_before(read.apply(schedules[reader.name]), read.apply(reader.to_element), known)
        while reader.reads is not None and reader.source is not None:
            place = reader.source[0]
            fillers = [e for e in self.events if e.target is not None and e.target[0] == place]
            known = [(e.name, e.writes, schedules[e.name]) for e in fillers if e.writes is not None]
            found = last_before(read.apply(schedules[reader.name]), read.apply(reader.reads), known)
            if found is None or right is None:
                return True
            name, read = found
            reader = next(e for e in fillers if e.name == name)
            if reader.kind is not Kind.COPY:
                return name != right[0] or read.intersect(right[1]).is_empty()
        return True

    def is_filled(self, reader: Event, where: Set) -> bool:
        """Was something put where one of these instances reads?"""
        kinds = {e.name: e.kind for e in self.events}
        sources = self.filled.get(reader.name, {}).items()
        return any(kinds[w] is not Kind.LOST and not m.intersect_range(where).is_empty() for w, m in sources)


def _by_reader(found: Sequence[tuple[str, str, Map]]) -> Flow:
    flow: dict[str, dict[str, Map]] = defaultdict(dict)
    for writer, reader, relation in found:
        flow[reader][writer] = relation
    return flow
