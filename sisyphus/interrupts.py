"""Where an exception that a signal raises may be thrown, and handlers that wait until it may; knows no command.

Not inside of an import: libraries give up in ways of their own there, and isl's aborts the process. Nor in a function
that isl calls back, since isl swallows what it raises.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])
Handler = Callable[[int, FrameType | None], None]

#: Seconds of the processor until a signal that came at a bad moment comes again.
AGAIN_S = 0.005
IMPORTING = "<frozen importlib"

_UNBROKEN: set[CodeType] = set()


def unbroken(function: F) -> F:
    """A decorator: no signal raises anything while the function runs."""
    _UNBROKEN.add(function.__code__)
    return function


def may_raise(frame: FrameType | None) -> bool:
    """Whether an exception from this frame on goes where it should."""
    while frame is not None:
        if frame.f_code in _UNBROKEN or frame.f_code.co_filename.startswith(IMPORTING):
            return False
        frame = frame.f_back
    return True


def heeding(act: Callable[[int], None]) -> Handler:
    """A handler that does `act`, which raises, as soon as that may be."""

    def handler(number: int, frame: FrameType | None) -> None:
        if may_raise(frame):
            act(number)
        else:
            again(number)

    return handler


def again(number: int) -> None:
    """The signal comes once more, a little later."""
    signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_VIRTUAL, AGAIN_S)


def forget() -> None:
    """Nothing that waits comes any more."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
