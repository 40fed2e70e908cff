"""Bounds on what this process takes: seconds of a block, bytes of memory; knows no stage and no command."""

from __future__ import annotations

import ctypes
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sisyphus.interrupts import may_raise

#: Seconds between two reminders, for a block that took the first one for the user's and went on.
REMINDER_S = 1.0
#: Seconds until the next one where Python had to drop an exception.
AGAIN_S = 0.01
#: So much of the bound on memory is as good as all of it, where an allocation fails.
NEARLY = 0.75
#: Options of `mallopt` (malloc.h of glibc): what is larger than the first comes from the system each time it is asked,
#: and freed memory of more than the second goes back to it.
MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
#: The most that glibc takes for the first, and more than any search has free.
LARGEST_MMAP_THRESHOLD, NEVER = 32 << 20, (1 << 31) - 1


class TimePassed(KeyboardInterrupt):
    """The time of a block is over; it ends a search as Ctrl-C does, with the best design so far."""


class Alarm:
    """Whether the time of a block was over before it ended."""

    rang = False
    held = 0

    def ring(self, _number: int, frame: FrameType | None) -> None:
        """A signal handler."""
        self.rang = True
        if self.held:
            return
        if may_raise(frame):
            raise TimePassed
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, REMINDER_S)


_ALARMS: list[Alarm] = []
_BEGUN: list[float] = []


def begin() -> None:
    """A command begins: what passes until its first stage, as libraries are loaded, is part of what it may take."""
    _BEGUN[:] = [time.monotonic()]


def end() -> None:
    """The command is over, whether any stage asked or not: what follows in this process is no part of it."""
    _BEGUN.clear()


def spent() -> float:
    """Seconds since the command began, for the first who asks; for others, and where no command did, 0."""
    return time.monotonic() - _BEGUN.pop() if _BEGUN else 0.0


@contextmanager
def _heard_later() -> Iterator[None]:
    """What rings in a destructor or a callback of the collector, where Python only reports it, rings again."""
    before = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, TimePassed):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S, REMINDER_S)
        else:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def held() -> Iterator[None]:
    """What is short and has to come to its end is not ended; the next reminder after it is heard."""
    alarms = tuple(_ALARMS)
    for alarm in alarms:
        alarm.held += 1
    try:
        yield
    finally:
        for alarm in alarms:
            alarm.held -= 1


@contextmanager
def seconds(most: float | None) -> Iterator[Alarm]:
    """Raises `TimePassed` in the block once it has run for so long; only in the main thread, and not nested.

    It comes between two steps of Python: calls into isl end by themselves, since each is on a leash.
    """
    alarm = Alarm()
    if most is None or threading.current_thread() is not threading.main_thread():
        yield alarm
        return
    before = signal.signal(signal.SIGALRM, alarm.ring)
    signal.setitimer(signal.ITIMER_REAL, max(most, 1e-3), REMINDER_S)
    _ALARMS.append(alarm)
    try:
        try:
            with _heard_later():
                yield alarm
        finally:
            alarm.held += 1  # whatever rings from here on would leave the timer running
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _ALARMS.remove(alarm)
        signal.signal(signal.SIGALRM, before)


def memory_bound() -> tuple[int, int]:
    """The bound of this process now, to be given back to `resource.setrlimit` by `unbound`."""
    return resource.getrlimit(resource.RLIMIT_DATA)


def unbound(before: tuple[int, int]) -> None:
    """Takes back what `memory` did since `memory_bound` was asked."""
    resource.setrlimit(resource.RLIMIT_DATA, before)


def memory(most: int) -> None:
    """No more than so many bytes for this process, and for each that it starts; then a `MemoryError` is raised.

    It bounds written pages (RLIMIT_DATA), not addresses (RLIMIT_AS), of which libraries reserve gigabytes that they
    never use. An own lower limit of the user's stays.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def keep_freed() -> None:
    """What this process frees it keeps for itself: a search asks for arrays of megabytes all the time.

    A page that the system gives anew is filled with zeros first, a sixth of the time of a search of nussinov. Nothing
    happens where the library of C has no such options.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, LARGEST_MMAP_THRESHOLD)
        mallopt(TRIM_THRESHOLD, NEVER)


def is_short_of_memory(share: float = NEARLY) -> bool:
    """Has this process come near its bound? Libraries in C then fail in words of their own, not by a `MemoryError`.

    Near is what takes so large a `share` of it.
    """
    bound, _ = memory_bound()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return bound != resource.RLIM_INFINITY and most >= share * bound
