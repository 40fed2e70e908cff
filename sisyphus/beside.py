"""Which searches a part of what there is to search asks for: its own space, and larger ones beside it; runs none."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.course import Asked, Course, is_dealt
from sisyphus.errors import UsageError
from sisyphus.forms import STRIPED
from sisyphus.ir import ArrayId
from sisyphus.part_search import Choice, cost_of
from sisyphus.parts import Known, Part
from sisyphus.request import Kernel, Request, space_of
from sisyphus.slow_transfers import (
    SLOW,
    WORTH_MORE,
    has_large_tiles,
    is_held_by_updates,
    least_cycles,
    slow_arrays,
    slow_in_design,
    slow_tiles,
    stripes_worth,
)
from sisyphus.solve import Stop
from sisyphus.space import ANY_PORTS, EVERY, Space
from sisyphus.values import dataclass, replace

#: What a space beside a part counts where both share the time of one.
BESIDE = 1 / 3
#: Searches with arrays over several ports take so many times as long as those before them at most, or a share of the
#: time of the round if that is more: of one that comes first, and of all that come after others.
DEALING, AT_ONCE, AFTERWARDS = 2.0, 0.25, 0.1

Arrays = tuple[ArrayId, ...]


@dataclass(frozen=True)
class Slow:
    """Arrays whose transfers may be slow, whole ones and those with `tiles`, as is known before any design.

    `least` are the cycles that the kernel takes at least, in whatever form.
    """

    whole: Arrays = ()
    tiles: Arrays = ()
    least: int = 0

    @staticmethod
    def of(kernel: Kernel, request: Request) -> Slow:
        """Of a kernel as it is written; none where fixed knobs are of other forms, and no tiles with ports fixed."""
        try:
            space = space_of(kernel, request)
        except UsageError:
            return Slow()
        least = least_cycles(space)
        return Slow(slow_arrays(space, least), _free(slow_tiles(space, least), request, "ports"), least)


def around(part: Part, course: Course, left: float, slow: Slow) -> Iterator[Asked]:
    """A part and the spaces beside it, where so many parts are `left`, each as it is asked for after what was before.

    Tiles that may be slow have several ports first. So have those that are slow in the best design, if that is one of
    the form: before the part, or after it where the part itself has found that design. Each with the most ports first,
    then with fewer, no longer than a share of the time of the round. What the best design stores late or has in columns
    of beats all spaces of the form have so from then on.
    """
    part = _like_best(part, course)
    space = _space_of_part(part, course.request) if part.may_grow else None
    before = [] if space is None else _striped(part, space, _slow_before(part, course, space, slow))
    for one in before:
        yield Asked(one, left, course.share(AT_ONCE))
    cut = None if space is None else _with_cut_banks(part, course.request, space)
    ragged = _may_be_ragged(part, course.request)
    extra = BESIDE * ((cut is not None) + ragged)
    yield from _itself(part, course, left + extra, slow.whole)
    if cut is not None:
        yield Asked(cut, (left - 1 + extra) / BESIDE)
    if space is not None and not before:
        for one in _striped(part, space, _slow_in_found(part, course)):
            yield Asked(one, left, course.share(AT_ONCE))
    for larger in (_with_late_stores, *([] if space is None else [_with_columns])):
        other = larger(part, course)
        if other is not None and not course.was_asked(other):
            yield Asked(other, left, course.share(AT_ONCE))
    best = course.best
    if ragged and best is not None and course.has_best(part):
        options = replace(best.part.options, tiles="ragged")
        yield Asked(replace(part, options=options), (left - 1 + BESIDE) / BESIDE)


def waiting_for_ragged(request: Request) -> float:
    """How much `ragged` counts among the parts that share the time of a round; 0: it has none."""
    is_offered = request.model != "paper" and request.options.tiles == "auto" and request.limits.seconds is not None
    return BESIDE if is_offered else 0.0


def ragged(course: Course) -> Iterator[Asked]:
    """The space of the best design once more, where its tiles divide loops, with those that divide none.

    As a seed, and in a share of the time of the round: it is far larger, and what is proved speaks of the spaces before
    it. A search without a limit is asked for the proof.
    """
    best = course.best
    if best is not None and waiting_for_ragged(course.request) and best.part.options.tiles == "auto":
        options = replace(best.part.options, tiles="ragged")
        part = replace(best.part, options=options, is_seed=True, share=1.0, start=None)
        if not course.was_asked(part):  # that of steps in strips, which is no seed
            yield Asked(part, 1, course.share(AT_ONCE))


def is_beyond(part: Part) -> bool:
    """Whether a part is one of `ragged`, whose space no other part has."""
    return part.is_seed and part.options.tiles == "ragged"


def dealt(course: Course) -> Iterator[Asked]:
    """Every form once more, with several ports for arrays, where transfers of one take much of the best design's time.

    All of this takes no more than twice the time of what was before, or a share of the limit, before other searches
    have had what is left.
    """
    best, spent = course.known, course.spent
    if best is None:
        return
    arrays = slow_arrays(_space_of(best, course), cost_of(best, course.request), WORTH_MORE)
    whole = [a.part for a in course.found if not a.part.is_seed]
    whole = [part for part in whole if part.options.striped in ((), best.point.dealt_tiles)]
    parts = [part for part in whole if not any(is_dealt(part, arrays, other) for other in whole)]
    parts.sort(key=lambda part: (part.kernel is not best.kernel, part.options.adders != best.point.adders))
    most = max(course.share(AFTERWARDS), DEALING * spent)
    for at, part in enumerate(parts):
        one = replace(part, options=replace(part.options, dealt=arrays), start=None)
        left = most - (course.spent - spent)
        if min(left, course.left) <= 0:
            course.leave(one, Stop.TIME)
        else:
            yield Asked(one, len(parts) - at, left)


def _itself(part: Part, course: Course, waiting: float, slow: Arrays) -> Iterator[Asked]:
    """A part with several ports for arrays whose transfers are slow, as far as that is known by now, or may be.

    Where that does not end soon, it is followed by a search without them, unless a space that has some found the best
    design so far.
    """
    known = course.known or (None if part.start is None else Known(part.kernel, part.start))
    arrays = slow_arrays(_space_of(known, course), cost_of(known, course.request)) if slow and known else slow
    if arrays and not part.options.dealt:
        yield Asked(replace(part, options=replace(part.options, dealt=arrays)), waiting, course.share(AT_ONCE))
        best = course.best
        if not course.ran_out or part.share < 1 or (best is not None and best.part.options.dealt):
            return
    yield Asked(part, waiting)


def _striped(part: Part, space: Space, arrays: Arrays) -> list[Part]:
    """A part, which has this space, with several ports for all tiles of some arrays, as far as it has such."""
    every = () if not arrays or part.options.striped else stripes_worth(space, arrays)
    return [replace(part, options=replace(part.options, striped=striped)) for striped in every]


def _slow_before(part: Part, course: Course, space: Space, slow: Slow) -> Arrays:
    """Of the arrays whose tiles may be slow those that are so beside what is known before a space is searched.

    And those that are in the best design, if that is one of the form: there they may pass more often.
    """
    known, tiles = course.known, slow.tiles
    if tiles:  # in this form others may have several ports than in the kernel as it is written
        tiles = tuple(dict.fromkeys((*tiles, *_free(slow_tiles(space, slow.least), course.request, "ports"))))
    if known is None:
        return tiles
    found = slow_tiles(space, cost_of(known, course.request)) if tiles else ()
    likely = (array for array in tiles if array in found)
    return tuple(dict.fromkeys((*likely, *_slow_in_found(part, course))))


def _slow_in_found(part: Part, course: Course, share: float = SLOW, knob: str = "ports") -> Arrays:
    """Arrays whose tiles are slow in the best design, if that is one of this part: they may pass many times.

    They take a `share` of its cycles, and the user fixed no such `knob` of them. Of transfers side by side the longest
    takes the time of all: those that have several ports there keep theirs.
    """
    best = _best_of_form(part, course)
    if course.request.model == "paper" or best is None:
        return ()
    own, choice = best
    slow = slow_in_design(own.kernel, choice.space, choice.point, share)
    kept = [array for array, _ in choice.point.dealt_tiles] if slow and knob == "ports" else []
    return _free(tuple(dict.fromkeys((*kept, *slow))), course.request, knob)


def _free(arrays: Arrays, request: Request, knob: str) -> Arrays:
    """Those of which the user did not fix ports, or another knob."""
    fixed = {fix.partition(f".{knob}=")[0] for fix in request.fixes if not fix.endswith(f"={ANY_PORTS}")}
    return tuple(array for array in arrays if not {array, EVERY} & fixed)


def _with_cut_banks(part: Part, request: Request, space: Space) -> Part | None:
    """A part, which has this space, with banks of large tiles cut for their beats; None where no array is large.

    More banks take more logic, and lead a search that is cut short elsewhere: it is one more space.
    """
    options = part.options
    if request.model == "paper" or options.striped or options.cut or not has_large_tiles(space):
        return None
    return replace(part, options=replace(options, cut=True))


def _like_best(part: Part, course: Course) -> Part:
    """A part with what the best design stores late and has in columns of beats, if that is one of its form."""
    best = _best_of_form(part, course)
    if best is None:
        return part
    late = best[0].options.late or part.options.late
    columns = best[1].point.in_columns or part.options.columns
    return replace(part, options=replace(part.options, late=late, columns=columns))


def _best_of_form(part: Part, course: Course) -> tuple[Part, Choice] | None:
    """The part of the best design and what was chosen there, if that is a design of this part's form."""
    best = course.best
    return None if best is None or best.choice is None or not course.has_best(part) else (best.part, best.choice)


def _with_columns(part: Part, course: Course) -> Part | None:
    """The space of the best design with arrays in columns of beats whose transfers take much of it.

    None where that design is of another form, or all such arrays lie so already.
    """
    best, options = _best_of_form(part, course), course.request.options
    is_offered = options.packs and options.trust != "measured"  # no report has it
    if not is_offered or best is None:
        return None
    own, choice = best
    known, scop = choice.point.in_columns, own.kernel.scop
    slow = (a for a in _slow_in_found(part, course, WORTH_MORE, "layout") if len(scop.array(a).extents) > 1)
    others = tuple(array for array in slow if array not in known)
    return replace(own, options=replace(own.options, columns=(*known, *others))) if others else None


def _with_late_stores(part: Part, course: Course) -> Part | None:
    """The space of the best design with tiles that are updated stored late, where their transfers take much of it.

    None where that design is of another form, or has such a space already.
    """
    best, request = _best_of_form(part, course), course.request
    is_offered = request.model != "paper" and request.options.trust != "measured"  # no report has it
    if not is_offered or best is None:
        return None
    own, choice = best
    if own.options.late or not is_held_by_updates(choice.kernel, choice.point, request.target):
        return None
    return replace(own, options=replace(own.options, late=True))


def _may_be_ragged(part: Part, request: Request) -> bool:
    """Whether the space of a part is worth a search with tiles that divide no loop: that of steps in strips.

    How long their loops are follows from the sizes of strips, so that what divides them is left to chance.
    """
    in_strips = any(rewrite.startswith(tuple(STRIPED)) for rewrite in part.kernel.rewrites)
    return in_strips and request.model != "paper" and part.may_grow and part.options.tiles == "auto"


def _space_of_part(part: Part, request: Request) -> Space | None:
    """The space of a part; None where a fixed knob is of another form, as its search will say."""
    try:
        return space_of(part.kernel, replace(request, options=part.options))
    except UsageError:
        return None


def _space_of(known: Known, course: Course) -> Space:
    """The space of a design that was found, or all of that of its form."""
    best = course.best
    if best is not None and best.choice is not None and best.choice.point is known.point:
        return best.choice.space
    return space_of(known.kernel, course.request)
