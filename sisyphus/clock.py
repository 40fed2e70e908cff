"""The clock that searches keep their limits by: seconds of the wall, or work that is counted; knows no search.

Work is the same on every machine, however much else it has to do, and so is what a search finds with so much of it.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sisyphus.values import dataclass, field

#: Work, in choices whose cost is counted, that one of `--effort` stands for: about a second's.
WORK_OF_ONE = 180_000
#: The same of the full model's word about a design, and of arithmetic on arrays however short.
JUDGED, CALL = 1800, 150
#: So many entries of arrays that are only added up or compared are as much as one choice.
ENTRIES = 7


@dataclass
class _Work:
    done: int = 0
    known: set[Hashable] = field(default_factory=set)


_COUNTED: ContextVar[_Work | None] = ContextVar("work", default=None)


def now() -> float:
    """What limits are compared with: seconds of time.monotonic, or work in units of `--effort` while it is counted."""
    counted = _COUNTED.get()
    return time.monotonic() if counted is None else counted.done / WORK_OF_ONE


def did(work: int) -> None:
    """So much was done; of no account where seconds are."""
    counted = _COUNTED.get()
    if counted is not None:
        counted.done += work


def did_once(thing: Hashable, work: int) -> None:
    """So much was done for a thing, the first time that it is asked for in a block, whoever made it before."""
    counted = _COUNTED.get()
    if counted is not None and thing not in counted.known:
        counted.known.add(thing)
        counted.done += work


def added_up(entries: int) -> None:
    """Sums and comparisons of so many entries were done."""
    did(CALL + entries // ENTRIES)


def is_counted() -> bool:
    """Whether it is work that limits are compared with."""
    return _COUNTED.get() is not None


def what() -> str:
    """What it is that runs out."""
    return "effort" if is_counted() else "time"


def raised() -> str:
    """The option that gives a search more of it."""
    return "--effort" if is_counted() else "--time-limit"


@contextmanager
def counting(*, work: bool = True) -> Iterator[None]:
    """In the block the clock counts `work`, from nothing; without, it is the one that there is."""
    before = _COUNTED.set(_Work() if work else _COUNTED.get())
    try:
        yield
    finally:
        _COUNTED.reset(before)
