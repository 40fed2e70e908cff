"""The searches of one command, one after another under one upper bound, and what they found; knows no order of them."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from math import inf

from sisyphus import allowance, clock
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.part_search import Answer, Choice, Listen, PartSearch, cost_of
from sisyphus.parts import Known, Part
from sisyphus.report import Moment
from sisyphus.request import Kernel, Request
from sisyphus.search import OnProgress
from sisyphus.solve import AUTO, EXACT, Stop, solver_list
from sisyphus.target import Adders
from sisyphus.values import dataclass, replace

#: Seconds of the first round of searches, how many times as long each later one is, and how many times its own length
#: the last one may have, which takes all that is left.
FIRST_ROUND, LONGER, LAST = 8.0, 3.0, 1.5
#: Share of the time that is kept for a last look around the best design, where there is one after a first round that
#: costs more than a share above what is proved of all: a proof is near otherwise.
KEPT, NEARLY = 0.2, 0.35
#: Share of the time of a round that has to be left for searches that it ended to go on.
WORTH_IT = 0.1
#: Where so much of the bound on memory was taken, they begin anew, before or after others had their share.
ROOM = 0.4


@dataclass(frozen=True, eq=False)
class Asked:
    """A part to search: in its share of the time, where so many are `waiting`, it included, and in `most` seconds."""

    part: Part
    waiting: float
    most: float = inf


class Course:
    """The searches of one command: each looks only for what costs less than what is known, in its share of the time.

    They come in rounds, each with a time of its own to share out, so that searches with more time begin as those with
    less do. In a later round what time ended goes on, below what is known by then, and what came to its end is not
    searched again.
    """

    def __init__(self, request: Request, listen: Listen, on_progress: OnProgress | None, *, improve: bool) -> None:
        self.request = request
        self.found: list[Answer] = []
        self.heard: list[Moment] = []
        self._asked: list[Part] = []
        self._listen, self._on_progress, self._improve = listen, on_progress, improve
        self._begun = self._round_begun = clock.now()
        self._limit = inf if request.limits.seconds is None else request.limits.seconds
        self._round, self._kept = self._limit, 0.0

    def rounds(self) -> Iterator[bool]:
        """Each round begins here, as long as there is time for one and something to go on with; is it the first?"""
        limit = self._limit
        for number in count():
            length, left = FIRST_ROUND * LONGER**number, limit - self.seconds
            is_last = left <= LAST * length or limit == inf
            self._kept = KEPT * limit if is_last and self._is_far_from_bound() else 0.0
            self._round, self._round_begun = left - self._kept if is_last else length, clock.now()
            self._asked = []
            yield number == 0
            is_over = is_last or self.was_interrupted or self.seconds >= limit
            if is_over or not self._goes_on:
                return

    @property
    def seconds(self) -> float:
        """Since the first search could begin."""
        return clock.now() - self._begun

    @property
    def spent(self) -> float:
        """Seconds of this round."""
        return clock.now() - self._round_begun

    @property
    def left(self) -> float:
        """Seconds of this round that are left."""
        return self._round - self.spent

    def share(self, part: float) -> float:
        """So much of the time of this round; without a limit there is no end."""
        return part * self._round

    @property
    def best(self) -> Answer | None:
        """The search that found the best design so far, if there is one."""
        return min((a for a in self.found if a.choice is not None), key=self._cost, default=None)

    @property
    def known(self) -> Known | None:
        """The best design so far."""
        best = self.best
        return None if best is None or best.choice is None else Known(best.choice.kernel, best.choice.point)

    def cost_of(self, kernel: Kernel) -> float:
        """Of the best design of this form; infinite where none is known that was better than all before."""
        return min((self._cost(answer) for answer in self.found if answer.part.kernel is kernel), default=inf)

    def has_best(self, part: Part) -> bool:
        """Whether the best design so far is one of this form of the kernel."""
        best = self.best
        return best is not None and best.part.kernel is part.kernel

    @property
    def choices(self) -> list[Choice]:
        """What each search found, of those that found something."""
        return [answer.choice for answer in self.found if answer.choice is not None]

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended a search, after which there is no other one."""
        return any(answer.stop is Stop.INTERRUPTED for answer in self.found)

    @property
    def _goes_on(self) -> bool:
        """Whether time ended a search of a space that others do not have."""
        return any(answer.stop is Stop.TIME for answer in self.whole())

    @property
    def ran_out(self) -> bool:
        """Whether time ended the last search."""
        return bool(self.found) and self.found[-1].stop is Stop.TIME

    def whole(self) -> list[Answer]:
        """The searches that speak of all spaces together: none of a space that is all in that of another one."""
        asked = [a for a in self.found if not a.part.is_seed and not isinstance(a.failure, UsageError)]
        return [a for a in asked if not any(_is_less_dealt(a.part, other.part) for other in asked)]

    def search(self, asked: Asked) -> None:
        """A part, from where time ended it before; its answer is the last one then.

        One of another form than the best design is not begun when all the time is over.
        """
        part, found = asked.part, self.found
        self._asked.append(part)
        at = self._place_of(part)
        if self.left <= 0 and self.best is not None and not self.has_best(part):
            if at is None:
                self.leave(part, Stop.TIME)
            return
        self._give_room()
        if at is None:
            found.append(self._answer(asked))
            return
        known = replace(found[at], part=part)
        found.append(known if known.stop is not Stop.TIME else self._gone_on(known, asked))
        del found[at]

    def _place_of(self, part: Part) -> int | None:
        """Where the answer of a part is among those that were found."""
        return next((at for at, answer in enumerate(self.found) if answer.part.is_same(part)), None)

    def was_asked(self, part: Part) -> bool:
        """Whether a part was searched in this round: no design that is found beside it is a reason to go on with it."""
        return any(other.is_same(part) for other in self._asked)

    def leave(self, part: Part, stop: Stop) -> None:
        """A part is not searched for such a reason: nothing is known of what it has."""
        self.found.append(Answer(part, stop, None))

    def use_time_left(self) -> None:
        """Searches that their share of the time ended go on, in what others left of theirs and below all known.

        First the one that found the best design; and all once more, as long as one of them comes to its end before its
        share does.
        """
        if self.request.limits.seconds is None:
            return
        before = len(self.found) + 1
        while True:
            whole = self.whole()
            ended = [at for at, answer in enumerate(self.found) if answer.stop is Stop.TIME and answer in whole]
            if not 0 < len(ended) < before:
                return
            before = len(ended)
            ended.sort(key=lambda at: self.found[at] is not self.best)
            for waiting, at in zip(range(len(ended), 0, -1), ended, strict=True):
                if self.left < self.share(WORTH_IT):
                    return
                self._give_room()
                self.found[at] = self._gone_on(self.found[at], Asked(self.found[at].part, waiting))
                if self.was_interrupted:
                    return

    def look_around_best(self) -> None:
        """Looks for designs with other partitions around the best one, in the time that was kept for it.

        In its space with all tiles, and in that with other adders if such were searched; all searches go on in what
        that leaves. Not where it is proved that there is no better one, nor where other solvers were asked for.
        """
        best = self.best
        is_ours = self.request.model == "measured" and bool({AUTO, EXACT} & {*solver_list(self.request.solver)})
        if best is None or not self._kept or not is_ours or not self._goes_on or self.was_interrupted:
            return
        own = [a.part.options.adders for a in self.found if a.part.kernel is best.part.kernel]
        kinds = dict.fromkeys((best.part.options.adders, *own))
        # where work is counted, what searches did beyond their shares is not taken from this one
        until = clock.now() + (self._kept if clock.is_counted() else min(self._kept, self._limit - self.seconds))
        for waiting, adders in zip(range(len(kinds), 0, -1), kinds, strict=True):
            seconds = (until - clock.now()) / waiting
            if seconds > 0 and not self.was_interrupted:
                self._look_around(adders, seconds)
        self._round, self._round_begun = self._limit - self.seconds, clock.now()
        if self._round > 0 and not self.was_interrupted:
            self.use_time_left()

    def _is_far_from_bound(self) -> bool:
        best = self.best
        least = min((answer.bound or 0.0 for answer in self.whole()), default=0.0)
        return best is not None and self._cost(best) > (1 + NEARLY) * least

    def _look_around(self, adders: Adders, seconds: float) -> None:
        """Around the best design, in its space but with these adders; what is found is the answer there."""
        best, known = self.best, self.known
        if best is None or known is None:
            return
        options = best.part.options
        tiles = self.request.options.tiles if best.part.is_seed else options.tiles
        part = replace(best.part, options=replace(options, adders=adders, tiles=tiles), start=None)
        self._give_room()
        at = self._place_of(part)
        one = None if at is None else self.found[at].unended
        one = one or self._search_of(part)
        limits = replace(self.request.limits, seconds=seconds)
        new = one.look_around(limits, _upper(self.found, self.request.top), known.point)
        if new.stop is Stop.INTERRUPTED:
            self.leave(part, Stop.INTERRUPTED)
        if new.choice is not None and at is not None:
            self.found[at] = replace(self.found[at], choice=new.choice, counted=new.counted, failure=None)
        elif new.choice is not None:
            self.found.append(replace(new, part=replace(part, is_seed=True)))  # nothing is known of the rest of it

    def _search_of(self, part: Part) -> PartSearch:
        own = replace(self.request, options=part.options)
        return PartSearch(part, own, self._listen, self._hear, improve=self._improve)

    def _cost(self, answer: Answer) -> float:
        return inf if answer.choice is None else cost_of(answer.choice, self.request)

    def _answer(self, asked: Asked, unended: PartSearch | None = None) -> Answer:
        part, request = asked.part, self.request
        limits = request.limits
        if limits.seconds is not None:
            seconds = share_of(self._round, self.spent, asked.waiting)
            limits = replace(limits, seconds=min(seconds, asked.most, self.share(part.share)))
        one = unended or self._search_of(part)
        known = self.known
        near = known.point if known is not None and self.has_best(part) else None
        return one.answer(limits, _upper(self.found, request.top), near)

    def _gone_on(self, old: Answer, asked: Asked) -> Answer:
        """What is known of a part after more time."""
        new = replace(self._answer(asked, old.unended), part=asked.part)
        bounds = [bound for bound in (old.bound, new.bound) if bound is not None]
        if new.choice is None and old.choice is not None:
            new = replace(new, choice=old.choice, counted=old.counted, failure=None)
        return replace(new, bound=max(bounds, default=None))

    def _give_room(self) -> None:
        """Searches that could go on begin anew instead, where so much of the memory was taken."""
        if allowance.is_short_of_memory(ROOM) and any(answer.unended for answer in self.found):
            self.found[:] = [replace(answer, unended=None) for answer in self.found]
            gc.collect()  # what a search knows is tied in circles

    def _hear(self, cost: float | None, bound: float | None, seconds: float) -> None:
        known = [c for c in (cost, *(moment.cost for moment in self.heard[-1:])) if c is not None]
        self.heard.append(Moment(round(self.seconds, 3), min(known, default=None), bound))
        if self._on_progress is not None:
            self._on_progress(cost, bound, seconds)


def share_of(seconds: float, spent: float, left: float) -> float:
    """What the next of the `left` searches to come may take of the seconds that are left; one where they are over."""
    return max((seconds - spent) / max(left, 1), min(1.0, seconds))


def is_dealt(part: Part, arrays: Collection[ArrayId], other: Part) -> bool:
    """Whether the space of another part has all of a part, and several ports for these arrays."""
    is_same = other.kernel is part.kernel and replace(other.options, dealt=()) == replace(part.options, dealt=())
    return is_same and {*arrays} <= {*other.options.dealt}


def _is_less_dealt(part: Part, other: Part) -> bool:
    """Whether another part differs by arrays with several ports that a part does not have."""
    arrays = other.options.dealt
    return not {*arrays} <= {*part.options.dealt} and is_dealt(part, part.options.dealt, other)


def _upper(found: Sequence[Answer], top: int) -> float:
    """What a design has to cost less than to be among those that are wanted, as searches count."""
    costs = sorted(cost for answer in found for cost in answer.counted)
    return costs[top - 1] if len(costs) >= top else inf
