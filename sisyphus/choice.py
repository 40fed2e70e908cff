"""One search after another over all forms of a kernel and their spaces, under one upper bound; writes nothing."""

from __future__ import annotations

import gc
from collections.abc import Collection, Sequence
from math import inf
from typing import Protocol

from sisyphus import allowance, clock
from sisyphus.errors import TimeUp, UsageError
from sisyphus.ir import ArrayId
from sisyphus.part_search import Answer, Choice, Listen, PartSearch, cost_of, silent
from sisyphus.parts import Known, Part, Parts
from sisyphus.report import Moment
from sisyphus.request import Kernel, Request, space_of
from sisyphus.search import OnProgress, varied
from sisyphus.slow_transfers import (
    has_large_tiles,
    slow_arrays,
    slow_by_limit,
    slow_in_design,
    slow_tiles,
    stripes_worth,
    tiles_by_limit,
)
from sisyphus.solve import Limits, SolveOutcome, Stop
from sisyphus.space import ANY_PORTS, Space
from sisyphus.values import replace

#: What a part with cut banks counts beside the one that it comes after, where both share the time of one.
BESIDE = 1 / 3
#: Share of a cost below which two of them are equal.
EQUAL = 1e-9
#: Share of the time limit that has to be left for searches that it ended to go on.
WORTH_IT = 0.1
#: Where so much of the bound on memory was taken, they begin anew, before or after others had their share.
ROOM = 0.4

Arrays = tuple[ArrayId, ...]

#: Moments of all searches that are kept.
MOMENTS = 200
#: Searches with arrays over several ports take so many times as long as those before them at most, or a share of the
#: time limit if that is more: of one that comes first, and of all that come after others.
DEALING, AT_ONCE, AFTERWARDS = 2.0, 0.25, 0.1


def find(
    kernels: Sequence[Kernel],
    request: Request,
    listen: Listen = silent,
    *,
    start: Known | None = None,
    improve: bool = True,
    on_progress: OnProgress | None = None,
) -> Choice:
    """The best of the points of all forms of the kernel, and the next best ones up to `request.top` in all.

    One search follows another, and each looks only for what costs less than what is known. Forms with copies of arrays
    come first where all arrays fit on chip, else last. Arrays have views where one of them does not fit on chip, or
    where nothing fits without. The search of the form that `start` belongs to begins with it. `improve` what was found
    by the full model. A form of which a fixed knob is not one is left out.
    """
    found: list[Answer] = []
    heard: list[Moment] = []
    begun = clock.now()

    def hear(cost: float | None, bound: float | None, seconds: float) -> None:
        known = [c for c in (cost, *(moment.cost for moment in heard[-1:])) if c is not None]
        heard.append(Moment(round(clock.now() - begun, 3), min(known, default=None), bound))
        if on_progress is not None:
            on_progress(cost, bound, seconds)

    def best() -> Known | None:
        choice = _best(found, request)
        return None if choice is None else Known(choice.kernel, choice.point)

    parts = Parts(kernels, request, start, best=best)

    def search(part: Part, waiting: float, most: float = inf, unended: PartSearch | None = None) -> Answer:
        limits = share_of(request.limits, clock.now() - begun, waiting)
        if limits.seconds is not None and request.limits.seconds is not None:
            limits = replace(limits, seconds=min(limits.seconds, most, part.share * request.limits.seconds))
        one = unended or PartSearch(part, replace(request, options=part.options), listen, hear, improve=improve)
        return one.answer(limits, _upper(found, request.top))

    try:
        slow, tiles = _slow(kernels[0], request)
        for part in parts:
            slow_before = _slow_tiles(found, part, request, tiles)
            is_striped = _search_striped(found, part, search, parts.left, request, slow_before)
            if found and found[-1].stop is Stop.INTERRUPTED:
                break
            cut = _with_cut_banks(part, request)
            _search_part(found, part, search, parts.left + (0 if cut is None else BESIDE), request, slow)
            if cut is not None and found[-1].stop is not Stop.INTERRUPTED:
                found.append(search(cut, (parts.left - 1 + BESIDE) / BESIDE))
            if not is_striped and found[-1].stop is not Stop.INTERRUPTED:
                _search_striped(found, part, search, parts.left, request, _found_slow(found, part, request))
            if found[-1].stop is Stop.INTERRUPTED:
                found += [Answer(part, Stop.INTERRUPTED, None)] if parts.left > 1 else []
                break
        else:
            _deal_over_ports(found, search, request, begun)
            _use_time_left(found, search, request.limits, begun)
    except KeyboardInterrupt:  # between two searches, as the next form or its space was made
        if not found:
            raise
        found.append(Answer(found[-1].part, Stop.INTERRUPTED, None))
    except MemoryError:  # in the search of a form without a design; others may have one
        if all(answer.choice is None for answer in found):
            raise
        found.append(Answer(found[-1].part, Stop.UNPROVED, None))
    choices = [answer.choice for answer in found if answer.choice is not None]
    if not choices:
        raise _nothing_found(found)
    with allowance.held():
        choice = _best_of(choices, found, request)
        return _with_course(choice, heard, clock.now() - begun)


def _use_time_left(found: list[Answer], search: Search, limits: Limits, begun: float) -> None:
    """Searches that their share of the time ended go on, in what others left of theirs and below all known.

    And once more, as long as one of them comes to its end before its share does.
    """
    if limits.seconds is None:
        return
    end, before = begun + limits.seconds, len(found) + 1
    while True:
        whole = _whole(found)
        ended = [at for at, answer in enumerate(found) if answer.stop is Stop.TIME and answer in whole]
        if not 0 < len(ended) < before:
            return
        before = len(ended)
        for waiting, at in zip(range(len(ended), 0, -1), ended, strict=True):
            if end - clock.now() < WORTH_IT * limits.seconds:
                return
            _give_room(found)
            found[at] = _gone_on(found[at], search, waiting)
            if found[at].stop is Stop.INTERRUPTED:
                return


def _give_room(found: list[Answer]) -> None:
    """Searches that could go on begin anew instead, where so much of the memory was taken."""
    if allowance.is_short_of_memory(ROOM) and any(answer.unended for answer in found):
        found[:] = [replace(answer, unended=None) for answer in found]
        gc.collect()  # what a search knows is tied in circles


def _gone_on(old: Answer, search: Search, waiting: float, most: float = inf) -> Answer:
    """What is known of a part after more time, where so many are to go on."""
    new = replace(search(old.part, waiting, most, old.unended), part=old.part)
    bounds = [bound for bound in (old.bound, new.bound) if bound is not None]
    if new.choice is None and old.choice is not None:
        new = replace(new, choice=old.choice, counted=old.counted, failure=None)
    return replace(new, bound=max(bounds, default=None))


def _search_part(
    found: list[Answer], part: Part, search: Search, waiting: float, request: Request, slow: Arrays
) -> None:
    """A part with several ports for arrays whose transfers are slow, as far as that is known by now, or may be.

    Where that does not end soon, it is followed by a search without them.
    """
    limit = request.limits.seconds
    known = _best(found, request) or (None if part.start is None else Known(part.kernel, part.start))
    arrays = slow_arrays(_space_of(known, request), cost_of(known, request)) if slow and known else slow
    if arrays and not part.options.dealt:
        most = inf if limit is None else AT_ONCE * limit
        _search_on(found, replace(part, options=replace(part.options, dealt=arrays)), search, waiting, most)
        if found[-1].stop is not Stop.TIME or part.share < 1:
            return
    _search_on(found, part, search, waiting)


def _search_on(found: list[Answer], part: Part, search: Search, waiting: float, most: float = inf) -> None:
    """A part, from where it ended if it was probed; its answer is the last one then."""
    _give_room(found)
    at = next((at for at, answer in enumerate(found) if answer.part.share < 1 and answer.part.is_same(part)), None)
    if at is None:
        found.append(search(part, waiting, most))
        return
    known = replace(found[at], part=part)
    found.append(known if known.stop is not Stop.TIME else _gone_on(known, search, waiting, most))
    del found[at]


def _search_striped(
    found: list[Answer], part: Part, search: Search, waiting: float, request: Request, arrays: Arrays
) -> bool:
    """A part with several ports for all tiles of some arrays, if it has such; whether it has.

    With the most ports first, then with fewer; with each no longer than a share of the time limit.
    """
    if not arrays or not part.may_grow or part.options.striped:
        return False
    space = _space_of_part(part, request)
    every = [] if space is None else list(stripes_worth(space, arrays))
    limit = request.limits.seconds
    most = inf if limit is None else AT_ONCE * limit
    for striped in every:
        found.append(search(replace(part, options=replace(part.options, striped=striped)), waiting, most))
        if found[-1].stop is Stop.INTERRUPTED:
            break
    return bool(every)


def _slow_tiles(found: Sequence[Answer], part: Part, request: Request, tiles: Arrays) -> Arrays:
    """Of the arrays whose tiles may be slow those that are so beside what is known before the search of a part."""
    known = _best(found, request)
    if not tiles or known is None or not part.may_grow:
        return tiles
    space = _space_of_part(part, request)
    slow = () if space is None else slow_tiles(space, cost_of(known, request))
    return tuple(array for array in tiles if array in slow)


def _found_slow(found: Sequence[Answer], part: Part, request: Request) -> Arrays:
    """Arrays whose tiles are slow in the best design, if that is one of this part: they may pass many times."""
    best = _best(found, request)
    if request.model == "paper" or best is None or best.kernel is not part.kernel:
        return ()
    slow = slow_in_design(best.kernel, best.space, best.point)
    return tuple(array for array in slow if array not in _fixed_ports(request))


def _fixed_ports(request: Request) -> set[str]:
    """Arrays whose ports the user fixed."""
    return {fix.partition(".ports=")[0] for fix in request.fixes if not fix.endswith(f"={ANY_PORTS}")}


def _with_cut_banks(part: Part, request: Request) -> Part | None:
    """A part with banks of large tiles cut for their beats, which comes after it; None where no array is large.

    More banks take more logic, and lead a search that is cut short elsewhere: it is one more space.
    """
    options = part.options
    if request.model == "paper" or not part.may_grow or options.striped or options.cut:
        return None
    space = _space_of_part(part, request)
    return replace(part, options=replace(options, cut=True)) if space is not None and has_large_tiles(space) else None


def _space_of_part(part: Part, request: Request) -> Space | None:
    """The space of a part; None where a fixed knob is of another form, as its search will say."""
    try:
        return space_of(part.kernel, replace(request, options=part.options))
    except UsageError:
        return None


def _slow(kernel: Kernel, request: Request) -> tuple[Arrays, Arrays]:
    """Arrays whose transfers may be slow, whole ones and tiles, as is known before any design.

    None where fixed knobs are of other forms, and no tiles whose ports are fixed.
    """
    try:
        space = space_of(kernel, request)
    except UsageError:
        return (), ()
    return slow_by_limit(space), tuple(a for a in tiles_by_limit(space) if a not in _fixed_ports(request))


def _space_of(known: Known | Choice, request: Request) -> Space:
    """The space of a design, or all of that of its form."""
    return known.space if isinstance(known, Choice) else space_of(known.kernel, request)


def _best(found: Sequence[Answer], request: Request) -> Choice | None:
    """The best design of some searches, if there is one."""
    return min((a.choice for a in found if a.choice is not None), key=lambda c: cost_of(c, request), default=None)


def _deal_over_ports(found: list[Answer], search: Search, request: Request, begun: float) -> None:
    """Every form once more, with several ports for arrays, where transfers of one take much of the best design's time.

    All of this takes no more than twice the time of what was before, or a share of the limit, before other searches
    have had what is left.
    """
    best = _best(found, request)
    arrays = () if best is None else slow_arrays(_space_of(best, request), cost_of(best, request))
    own = () if best is None else best.point.dealt_tiles
    whole = [a.part for a in found if not a.part.is_seed and a.part.options.striped in ((), own)]
    parts = [part for part in whole if not any(_is_dealt(part, arrays, other) for other in whole)]
    parts.sort(key=lambda part: best is not None and _unlike(part, best))
    limit, spent = request.limits.seconds, clock.now() - begun
    most = inf if limit is None else max(AFTERWARDS * limit, DEALING * spent)
    for at, part in enumerate(parts):
        dealt = replace(part, options=replace(part.options, dealt=arrays), start=None)
        left = most - (clock.now() - begun - spent)
        if limit is not None and min(left, begun + limit - clock.now()) <= 0:
            found.append(Answer(dealt, Stop.TIME, None))
            continue
        found.append(search(dealt, len(parts) - at, left))
        if found[-1].stop is Stop.INTERRUPTED:
            return


def _unlike(part: Part, best: Choice) -> tuple[bool, bool]:
    """By which parts that have the form and the adders of a design come first."""
    return part.kernel is not best.kernel, part.options.adders != best.point.adders


def _whole(found: Sequence[Answer]) -> list[Answer]:
    """The searches that speak of all spaces together: none of a space that is all in that of another one."""
    asked = [a for a in found if not a.part.is_seed and not isinstance(a.failure, UsageError)]
    return [a for a in asked if not any(_is_less_dealt(a.part, other.part) for other in asked)]


def _is_less_dealt(part: Part, other: Part) -> bool:
    """Whether another part differs by arrays with several ports that a part does not have."""
    arrays = other.options.dealt
    return not {*arrays} <= {*part.options.dealt} and _is_dealt(part, part.options.dealt, other)


def _is_dealt(part: Part, arrays: Collection[ArrayId], other: Part) -> bool:
    """Whether the space of another part has all of a part, and several ports for these arrays."""
    is_same = other.kernel is part.kernel and replace(other.options, dealt=()) == replace(part.options, dealt=())
    return is_same and {*arrays} <= {*other.options.dealt}


def _best_of(choices: Sequence[Choice], found: Sequence[Answer], request: Request) -> Choice:
    """The best design of all searches, and the next best ones that are not alike."""
    best = min(choices, key=lambda c: (cost_of(c, request), c.point.sort_key()))
    known = {k.point: k for c in choices for k in (Known(c.kernel, c.point), *c.others)}
    first = known.pop(best.point)
    ranked = sorted(known.values(), key=lambda k: (cost_of(k, request), k.point.sort_key())) if request.top > 1 else []
    others = varied([first, *ranked], lambda k: k.point, request.top)[1:]
    notes = tuple(dict.fromkeys(note for a in found if a.choice and not a.part.is_seed for note in a.choice.notes))
    met = 1 + len(others)
    if met < request.top:
        notes += (f"`--top {request.top}`: the search met no more than {met} that are unlike in more than one tile",)
    return replace(best, outcome=_together(best, found), others=tuple(others), notes=notes)


def _with_course(choice: Choice, heard: Sequence[Moment], seconds: float) -> Choice:
    """The choice with the course of all searches, no more than so many moments of it, and their time."""
    if choice.outcome is None:
        return choice
    outcome = replace(choice.outcome, seconds=seconds)
    every = max(1, -(-len(heard) // MOMENTS))
    last = heard[-1:] if (len(heard) - 1) % every else []
    ended = Moment(round(seconds, 3), outcome.objective, outcome.bound)
    return replace(choice, outcome=outcome, trace=(*heard[::every], *last, ended))


class Search(Protocol):
    """Searches a part in its share of the time, where so many are to come, or in so many seconds at `most`.

    What is `unended` goes on.
    """

    def __call__(self, part: Part, waiting: float, most: float = inf, unended: PartSearch | None = None) -> Answer: ...


def _upper(found: Sequence[Answer], top: int) -> float:
    """What a design has to cost less than to be among those that are wanted, as searches count."""
    costs = sorted(cost for answer in found for cost in answer.counted)
    return costs[top - 1] if len(costs) >= top else inf


def _nothing_found(found: Sequence[Answer]) -> BaseException:
    """Why there is no design."""
    failures = [answer.failure for answer in found if answer.failure is not None]
    for kind in (KeyboardInterrupt, TimeUp):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    if any(answer.stop is Stop.INTERRUPTED for answer in found):
        return KeyboardInterrupt()
    return failures[0]


def _together(best: Choice, found: Sequence[Answer]) -> SolveOutcome | None:
    """The outcome of the best design, with the bound of all searches, and a proof where all of them have one.

    A design that costs less than the bound is none of those that were searched: it was made better afterwards, and so
    may be others. Then nothing is proved, and there is no bound.
    """
    outcome = best.outcome
    if outcome is None or outcome.objective is None:
        return outcome
    whole = _whole(found)
    stops = [answer.stop for answer in found if answer.stop is Stop.INTERRUPTED] + [answer.stop for answer in whole]
    stops.sort(key=lambda stop: stop not in (Stop.INTERRUPTED, Stop.TIME))
    stop = next((stop for stop in stops if stop not in (Stop.PROVED, Stop.INFEASIBLE)), Stop.PROVED)
    bounds = [answer.bound for answer in whole]
    known = [bound for bound in bounds if bound is not None]
    bound = min(known) if known and len(known) == len(bounds) else None
    if bound is not None and bound > outcome.objective * (1 + EQUAL):
        stop, bound = Stop.UNPROVED if stop is Stop.PROVED else stop, None
    return replace(outcome, stop=stop, bound=bound)


def share_of(limits: Limits, spent: float, left: float) -> Limits:
    """What the next of the `left` searches to come may take of the time that is left; a second where it is over."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max((limits.seconds - spent) / max(left, 1), min(1.0, limits.seconds)))
