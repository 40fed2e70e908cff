"""What a loop keeps of the values of its variables: ranges that hold before it and, where they hold, again at its end.

int k = 0; for (...) { y[i] = table[k]; k += step[c]; if (k < 0) k = 0; if (k > 88) k = 88; }

Where a body refuses a subscript without any such range, it is read again with those that hold before the loop, then
with those that it ends with from there, and so on. Only a body that is then accepted, and ends in the ranges that it
began with, proves them: its first faults stand otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.frontend.c.intervals import Interval, Intervals
from sisyphus.ir import ArrayId, Ref
from sisyphus.source import Diagnostic

#: What a fault is of that a range may mend.
MENDED = "indirect-access"


def with_ranges(
    translate: Callable[[], None],
    again: Callable[[], None],
    changed: Collection[ArrayId],
    intervals: Intervals,
    collector: Collector,
) -> None:
    """Translates the body of a loop, which changes some variables; `again` does so in place of what that left."""
    outer, ranges = dict(intervals.known), {r: v for r, v in intervals.known.items() if r.array in changed}
    faults = collector.state()
    intervals.forget(changed)
    translate()
    refused = collector.since(faults)
    if not ranges or not any(fault.rule == MENDED for fault in refused):
        intervals.forget(changed)
        return
    after, failed = dict(intervals.known), collector.state()
    while ranges and intervals.tries > 0:
        intervals.tries -= 1
        collector.back_to(faults)
        intervals.known = outer
        intervals.forget(changed)
        intervals.known |= ranges
        again()
        found = _ranges(ranges, intervals.known)
        if found == ranges and not collector.since(faults):
            intervals.forget(changed)
            intervals.known |= ranges
            return
        ranges = found if found != ranges else {}
    collector.back_to(failed)
    intervals.known = after
    intervals.forget(changed)


def is_mendable(refused: Collection[Diagnostic]) -> bool:
    """Whether nothing but unknown ranges is wrong with a body, which may then be right for each value alone."""
    return bool(refused) and all(fault.rule == MENDED for fault in refused)


def _ranges(first: Mapping[Ref, Interval], last: Mapping[Ref, Interval]) -> dict[Ref, Interval]:
    """The ranges of what is known in both, wide enough for both."""
    both = [ref for ref in first if ref in last]
    return {ref: (min(first[ref][0], last[ref][0]), max(first[ref][1], last[ref][1])) for ref in both}
