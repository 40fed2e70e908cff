"""Which write gives each read its value, by isl's dataflow analysis; knows no kernel."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from sisyphus.poly.scan import union_of
from sisyphus.poly.sets import Map, Set, with_dims

#: Steps of a chain that are taken one by one.
MOST_STEPS = 64


def last_writers(
    reads: Sequence[Map], writes: Sequence[Map], schedules: Sequence[Map]
) -> tuple[tuple[str, str, Map], ...]:
    """(writer, reader, relation from the instance that wrote a value to the one that reads it), sorted by names.

    `reads` and `writes` go from instances to elements; `schedules` has one map per statement, all to one time space.
    An instance reads before it writes. Dimension names are lost.
    """
    access = isl.UnionAccessInfo.from_sink(_together(reads)).set_must_source(_together(writes))
    flow = access.set_schedule_map(_together(schedules)).compute_flow()
    return _apart(flow.get_must_dependence())


def last_before(time: Set, cell: Set, writes: Sequence[tuple[str, Map, Map]]) -> tuple[str, Set] | None:
    """(writer, its instance) that wrote one cell last before one time; None where nothing did.

    `writes` are (name, instances to cells, instances to times). No dataflow analysis is asked, which is wrong about
    some writes with strides.
    """
    earlier = isl.Map.lex_lt(time.get_space()).intersect_range(time).domain()
    found = []
    for name, to_cells, schedule in writes:
        instances = cell.apply(to_cells.reverse())
        last = _latest(instances.apply(schedule).intersect(earlier))
        if not last.is_empty():
            found.append((name, instances, schedule, last))
    if not found:
        return None
    latest = _latest(union_of([last for *_, last in found]))
    name, instances, schedule, _ = next(entry for entry in found if not entry[-1].intersect(latest).is_empty())
    return name, instances.intersect(latest.apply(schedule.reverse()))


def followed(first: Sequence[Map], steps: Sequence[Map]) -> tuple[tuple[str, Map], ...] | None:
    """(name, pairs) of where chains end that begin with one of `first` and go on by `steps` until none leads further.

    Dimension names are lost. None where a chain is longer than `MOST_STEPS` and isl's transitive closure is not exact.
    """
    reached = _together(first)
    if not steps:
        return tuple((name, pairs) for _, name, pairs in _apart(reached))
    onward = _together(steps)
    closure, is_exact = onward.transitive_closure()
    if is_exact:
        reached = reached.union(reached.apply_range(closure))
    else:
        last, left = reached, MOST_STEPS
        while not (last := last.apply_range(onward).coalesce()).is_empty():
            reached, left = reached.union(last).coalesce(), left - 1
            if not left:
                return None
    return tuple((name, pairs) for _, name, pairs in _apart(reached.subtract_range(onward.domain())))


def _latest(times: Set) -> Set:
    """The last of some times, if there is any; `lexmax` is wrong about some with strides, which emptiness is not."""
    last = times.lexmax()
    while not (later := times.intersect(last.apply(isl.Map.lex_lt(times.get_space())))).is_empty():
        last = later.lexmax()
    return last


def _together(maps: Sequence[Map]) -> isl.UnionMap:
    whole = maps[0].to_union_map()
    for one in maps[1:]:
        whole = whole.union(one.to_union_map())
    return whole


def _apart(maps: isl.UnionMap) -> tuple[tuple[str, str, Map], ...]:
    listed = maps.get_map_list()
    found = [listed.get_at(at) for at in range(maps.n_map())]
    named = [(m.get_tuple_name(isl.dim_type.in_) or "", m.get_tuple_name(isl.dim_type.out) or "", m) for m in found]
    return tuple(sorted(named, key=lambda entry: entry[:2]))


def last_write_times(writes: Sequence[Map], schedules: Sequence[Map]) -> Set:
    """The times at which some element gets its final value; each write relation goes with its statement's schedule."""
    times = [w.reverse().apply_range(s) for w, s in zip(writes, schedules, strict=True)]
    whole = times[0]
    for one in times[1:]:
        whole = whole.union(one)
    last = whole.lexmax().range()
    return with_dims(last, isl.dim_type.set, (f"t{at}" for at in range(last.dim(isl.dim_type.set))))
