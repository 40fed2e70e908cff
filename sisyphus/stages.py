"""Stages one after another: which one runs, how long each took, and what is left of the time; knows what none does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from sisyphus import allowance
from sisyphus.errors import MemoryUp, TimeUp
from sisyphus.kernel_forms import load_in_turn
from sisyphus.part_search import Choice, Listen
from sisyphus.poly import IslError
from sisyphus.request import FIX_FORM, Kernel, Request
from sisyphus.solve import Limits, Stop
from sisyphus.too_large import without_any_room
from sisyphus.values import replace

T = TypeVar("T")
#: Seconds beyond its limit after which a stage that watches no clock is ended.
SLACK_S = 0.5
#: Share of what is left that is kept, at most, for what comes after a search.
CLOSING = 0.25
#: Share of the time that forms of a kernel may take, and what is said where there are more.
FORMS = 0.25
FEWER_FORMS = "other forms of the kernel were not looked for, as that takes long: raise --time-limit"

IN_MEMORY = "the chip has no room for {}: in memory then, and an argument that the caller gives room and never reads"


class StageClock:
    """Runs stages one after another, says which, and keeps how long each took."""

    def __init__(self, listen: Listen) -> None:
        self.listen, self.created, self.used = listen, time.monotonic(), time.process_time()
        self.begun = self.created - allowance.spent()
        self.seconds: dict[str, float] = {}

    def left(self, limits: Limits, closing: float = 0.0) -> Limits:
        """The time for what comes next after all that came before it; at least a second of it.

        `closing` seconds of the processor are kept, which on a busy machine are more of time.
        """
        if limits.seconds is None:
            return limits
        left = limits.seconds - (time.monotonic() - self.begun)
        used = time.process_time() - self.used
        busy = max((time.monotonic() - self.created) / used, 1.0) if used > 0 else 1.0
        left -= min(closing * busy, CLOSING * left)
        return replace(limits, seconds=max(left, min(1.0, limits.seconds)))

    def run(self, stage: str, work: Callable[[], T], most: float | None = None) -> T:
        """A stage; `TimeUp` or `MemoryUp` where it takes more than `most` seconds, or than the memory there is."""
        return self.timed(stage, work, most)[0]

    def forms(self, request: Request) -> tuple[Request, list[Kernel], tuple[str, ...]]:
        """The request, the forms of its kernel, and what is to be said of them.

        Local arrays for which the chip has no room in any form are asked to lie in memory.
        """
        found, told = self._forms(request)
        if request.model == "paper":
            return request, found, told
        large = self.run("analysis", lambda: without_any_room(found, request.target), self.left(request.limits).seconds)
        return self.in_memory(request, large) if large else (request, found, told)

    def in_memory(self, request: Request, large: Sequence[str]) -> tuple[Request, list[Kernel], tuple[str, ...]]:
        """The same where some local arrays lie in memory."""
        names = ", ".join(f"`{name}`" for name in large)
        request = replace(request, source=replace(request.source, temporaries=(*request.source.temporaries, *large)))
        found, told = self._forms(request)
        return request, found, (*told, IN_MEMORY.format(names))

    def _forms(self, request: Request) -> tuple[list[Kernel], tuple[str, ...]]:
        """The forms of a kernel, and a word for the user where there was not time for all of them.

        Beside the first one they take no more than a share of the time; all of it where one is asked for by its name.
        """
        in_turn, limits = load_in_turn(request.source), request.limits
        found = [self.run("analysis", lambda: next(in_turn), self.left(limits).seconds)]
        left = self.left(limits).seconds
        is_asked_for = any(fix.startswith(FIX_FORM) for fix in request.fixes)
        most = left if left is None or is_asked_for else FORMS * left
        try:
            self.run("analysis", lambda: found.extend(in_turn), most)  # what came before time is over stays
        except TimeUp:
            if is_asked_for:
                raise
            return found, (FEWER_FORMS,)
        return found, ()

    def search(self, stage: str, work: Callable[[], Choice], most: float | None) -> Choice:
        """A stage that time ends with what it has by then."""
        choice, rang = self.timed(stage, work, most)
        if rang and choice.outcome is not None and choice.was_interrupted:
            return replace(choice, outcome=replace(choice.outcome, stop=Stop.TIME))
        return choice

    def within(self, stage: str, work: Callable[[], T], most: float | None) -> T | None:
        """A stage of which nothing is left where time ends it."""
        try:
            result, rang = self.timed(stage, work, most)
        except TimeUp:
            return None
        return None if rang else result

    def timed(self, stage: str, work: Callable[[], T], most: float | None) -> tuple[T, bool]:
        self.listen(stage)
        started = time.monotonic()
        try:
            with allowance.seconds(None if most is None else most + SLACK_S) as alarm:
                return work(), alarm.rang
        except KeyboardInterrupt as over:
            if alarm.rang:
                raise TimeUp(f"time ran out in the {stage}", hint="raise --time-limit") from over
            raise
        except (MemoryError, IslError) as full:
            if isinstance(full, IslError) and not allowance.is_short_of_memory():
                raise
            raise MemoryUp(f"memory ran out in the {stage}", hint="raise --memory-limit") from full
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - started
