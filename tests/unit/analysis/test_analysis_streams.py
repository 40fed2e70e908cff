"""Streams between units: a deadlock is found just where some order of sending and receiving has one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.analysis import Stream, deadlock

#: What each unit does, one after another.
Orders = Mapping[int, Sequence[Stream]]


def orders_of(streams: Sequence[Stream]) -> Iterator[Orders]:
    units = sorted({unit for s in streams for unit in (s.source, s.sink)})
    own = [list(permutations([s for s in streams if unit in (s.source, s.sink)])) for unit in units]
    for chosen in product(*own):
        yield dict(zip(units, chosen, strict=True))


def ends(streams: Sequence[Stream], orders: Orders) -> bool:
    """Beat by beat: whether all units come to their end."""
    left = {unit: deque((s, s.beats) for s in order) for unit, order in orders.items()}
    held = {s.array: 0 for s in streams}
    moved = True
    while moved:
        moved = False
        for unit, todo in left.items():
            if not todo:
                continue
            stream, beats = todo[0]
            sends = unit == stream.source
            if held[stream.array] < stream.depth if sends else held[stream.array] > 0:
                held[stream.array] += 1 if sends else -1
                todo[0] = (stream, beats - 1)
                moved = True
                if beats == 1:
                    todo.popleft()
    return not any(left.values())


@st.composite
def some_streams(draw: st.DrawFn) -> list[Stream]:
    """Up to four units and four streams, all of which go on to later units."""
    found = list[Stream]()
    for number in range(draw(st.integers(1, 4))):
        source = draw(st.integers(0, 2))
        beats = draw(st.integers(1, 3))
        sink, depth = draw(st.integers(source + 1, 3)), draw(st.integers(1, 3))
        found.append(Stream(f"A{number}", source, sink, beats, depth))
    return found


@given(some_streams())
@settings(max_examples=80, deadline=None)
def test_a_deadlock_is_found_just_where_some_order_has_one(streams: list[Stream]) -> None:
    found = deadlock(streams)
    assert (found == ()) == all(ends(streams, orders) for orders in orders_of(streams))
    assert all(not s.holds_all for s in found) or len(found) > 1


def test_a_tree_of_units_needs_no_depth_and_two_streams_between_two_units_do() -> None:
    e, f = Stream("E", 0, 2, 100, 1), Stream("F", 1, 2, 100, 1)
    assert deadlock([e, f]) == () and e.holds_all is False
    beside = Stream("F", 0, 2, 100, 1)
    assert {s.array for s in deadlock([e, beside])} == {"E", "F"}
    deep = [Stream("E", 0, 2, 100, 100), Stream("F", 0, 2, 100, 1)]
    assert deadlock(deep), "a unit may wait to send F while the other one waits for E"
    assert deadlock([deep[0], Stream("F", 0, 2, 100, 128)]) == ()
