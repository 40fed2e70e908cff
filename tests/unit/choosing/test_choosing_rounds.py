"""Searches come in rounds: one with more time begins as one with less does, and goes on where that ended."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from unit.choosing.small_kernels import MULTIPLY, asked, read

import sisyphus as sisy
from sisyphus import clock, course, part_search
from sisyphus.course import Asked, Course
from sisyphus.part_search import Answer, Choice, PartSearch, silent
from sisyphus.parts import Part, Parts
from sisyphus.request import Request, space_of
from sisyphus.solve import Limits, SolveOutcome, Stop
from sisyphus.space import plain_points
from sisyphus.target import ADDERS
from sisyphus.values import replace

LU = Path(__file__).parents[3] / "kernels" / "polybench" / "lu.c"


def limited(folder: Path, seconds: float | None) -> Request:
    return asked(folder, MULTIPLY, limits=Limits(seconds=seconds))


def parts_of(request: Request) -> list[Part]:
    return list(Parts(read(request), request, None, best=lambda: None))


@pytest.mark.parametrize(
    ("seconds", "lengths"),
    [(5.0, [5.0]), (12.0, [12.0]), (13.0, [8.0, 5.0]), (60.0, [8.0, 24.0, 28.0]), (200.0, [8.0, 24.0, 72.0, 96.0])],
)
def test_each_round_is_longer_and_the_last_has_what_is_left(
    seconds: float, lengths: list[float], tmp_path: Path
) -> None:
    request, found = limited(tmp_path, seconds), []
    with clock.counting():
        searches = Course(request, silent, None, improve=False)
        searches.leave(parts_of(request)[0], Stop.TIME)
        for _ in searches.rounds():
            found.append(searches.left)
            clock.did(int(searches.left * clock.WORK_OF_ONE))
    assert found == pytest.approx(lengths)


def test_there_is_one_round_where_nothing_waits_or_nothing_ends_it(tmp_path: Path) -> None:
    for seconds, stop in ((60.0, Stop.PROVED), (None, Stop.TIME)):
        request = limited(tmp_path, seconds)
        searches = Course(request, silent, None, improve=False)
        searches.leave(parts_of(request)[0], stop)
        assert len(list(searches.rounds())) == 1


def test_no_round_follows_one_that_took_all_the_time(tmp_path: Path) -> None:
    request = limited(tmp_path, 60.0)
    with clock.counting():
        searches = Course(request, silent, None, improve=False)
        searches.leave(parts_of(request)[0], Stop.TIME)
        for _ in searches.rounds():
            clock.did(70 * clock.WORK_OF_ONE)
        assert searches.seconds == 70.0


def test_no_round_follows_an_interrupt_of_a_search_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever its answer is among those of others that wait."""
    request = limited(tmp_path, 60.0)
    first, second, *_ = parts_of(request)
    monkeypatch.setattr(PartSearch, "answer", lambda self, *_: Answer(self.part, Stop.INTERRUPTED, 5.0))
    searches = Course(request, silent, None, improve=False)
    searches.found += [Answer(first, Stop.TIME, 5.0), Answer(second, Stop.TIME, 7.0)]
    for _ in searches.rounds():
        searches.use_time_left()
    assert [answer.stop for answer in searches.found] == [Stop.INTERRUPTED, Stop.TIME]
    assert searches.was_interrupted


def test_a_round_goes_on_with_what_time_ended_and_leaves_what_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = limited(tmp_path, 60.0)
    first, second, *_ = parts_of(request)
    begun: list[PartSearch] = []

    def answer(self: PartSearch, *_: object) -> Answer:
        begun.append(self)
        clock.did(4 * clock.WORK_OF_ONE)
        if self.part is first:
            return Answer(first, Stop.PROVED, 7.0)
        return Answer(second, Stop.TIME, 5.0, unended=self)

    monkeypatch.setattr(PartSearch, "answer", answer)
    with clock.counting():
        searches = Course(request, silent, None, improve=False)
        for at, _ in enumerate(searches.rounds()):
            for part in (first, second):
                searches.search(Asked(part, 1.0))
            if at == 1:
                break
    assert [one.part for one in begun] == [first, second, second] and begun[1] is begun[2]
    assert [(a.part, a.stop, a.bound) for a in searches.found] == [(first, Stop.PROVED, 7.0), (second, Stop.TIME, 5.0)]


def test_what_is_not_begun_again_keeps_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time of a round is over and the best design is of another form."""
    request = limited(tmp_path, 60.0)
    first, second, *_ = parts_of(request)
    monkeypatch.setattr(Course, "best", Answer(first, Stop.TIME, 5.0))
    monkeypatch.setattr(Course, "has_best", lambda *_: False)
    with clock.counting():
        searches = Course(request, silent, None, improve=False)
        searches.found.append(Answer(second, Stop.TIME, 7.0))
        next(searches.rounds())
        clock.did(9 * clock.WORK_OF_ONE)
        for part in (first, second):
            searches.search(Asked(part, 1.0))
    assert [(answer.part, answer.bound) for answer in searches.found] == [(second, 7.0), (first, None)]


def test_the_same_forms_come_in_every_round(tmp_path: Path) -> None:
    request = limited(tmp_path, 60.0)
    parts = Parts(read(request), request, None, best=lambda: None)
    once, again = list(parts), list(parts)
    is_searched = [any(one.is_same(other) for other in once) for one in again]
    assert again and all(is_searched)


@pytest.mark.long
def test_a_longer_search_begins_as_a_shorter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "FIRST_ROUND", 0.05)
    kernel = sisy.read(LU, defines={"N": 24})
    short, long = (sisy.optimize(kernel, effort=effort, verify=False, cache=False) for effort in (0.05, 4.0))
    costs = [[moment.cost for moment in design.trace] for design in (short, long)]
    assert costs[0][:-1] == costs[1][: len(costs[0]) - 1] and len(costs[1]) > len(costs[0])
    assert long.cycles <= short.cycles


def test_a_design_is_polished_however_little_time_its_search_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the tiles of a pipelined loop stayed apart, so that two equal runs wrote different designs."""
    deadlines: list[float] = []

    def polished(_space: object, point: object, _judge: object, deadline: float) -> tuple[object, None]:
        deadlines.append(deadline - clock.now())
        return point, None

    monkeypatch.setattr(part_search, "polished", polished)
    request = limited(tmp_path, 60.0)
    search = PartSearch(parts_of(request)[0], request, silent, None, improve=True)
    assert search.answer(Limits(seconds=0.3), inf).choice is not None
    [left] = deadlines
    assert 0.9 < left <= 1.0


def found_at(request: Request, part: Part, cost: float, bound: float | None, stop: Stop = Stop.TIME) -> Answer:
    """A search that found a design of such a cost."""
    outcome = SolveOutcome(
        stop=stop, values=None, objective=cost, bound=bound, solver="exact", version="1", seconds=1.0
    )
    space = space_of(part.kernel, request)
    return Answer(part, stop, bound, Choice(part.kernel, space, next(iter(plain_points(space))), outcome), (cost,))


@pytest.mark.parametrize(("bound", "last"), [(50.0, 16.0), (None, 16.0), (90.0, 28.0)])
def test_time_is_kept_for_a_last_look_where_no_proof_is_near(bound: float | None, last: float, tmp_path: Path) -> None:
    request, found = limited(tmp_path, 60.0), []
    with clock.counting():
        searches = Course(request, silent, None, improve=False)
        searches.found.append(found_at(request, parts_of(request)[0], 100.0, bound))
        for _ in searches.rounds():
            found.append(searches.left)
            clock.did(int(searches.left * clock.WORK_OF_ONE))
    assert found == pytest.approx([8.0, 24.0, last])


class Looked:
    """A course whose best design, in a space of seeds with adders of DSPs, costs 100, and how it looks around that.

    Its searches were ended by `stop`, and each look, which finds something better, by `ended`.
    """

    def __init__(
        self, request: Request, monkeypatch: pytest.MonkeyPatch, *, stop: Stop = Stop.TIME, ended: Stop = Stop.TIME
    ) -> None:
        self.asked: list[tuple[str, str, float | None, float]] = []
        self.left: list[float] = []
        self.searches, self._ended = Course(request, silent, None, improve=False), ended
        first = parts_of(request)[0]
        parts = [replace(first, options=replace(first.options, adders=kind)) for kind in ADDERS]
        self.searches.found += [found_at(request, parts[0], 100.0, None, stop), Answer(parts[1], stop, None)]
        monkeypatch.setattr(PartSearch, "look_around", lambda *asked: self._looked(request, *asked))
        monkeypatch.setattr(Course, "use_time_left", lambda searches: self.left.append(searches.left))
        for _ in self.searches.rounds():
            pass
        self.searches.look_around_best()

    def _looked(self, request: Request, one: PartSearch, limits: Limits, upper: float, _: object) -> Answer:
        self.asked.append((one.part.options.adders, one.part.options.tiles, limits.seconds, upper))
        clock.did(2 * clock.WORK_OF_ONE)
        if self._ended is not Stop.TIME:
            return Answer(one.part, self._ended, None)
        return found_at(request, one.part, 90.0 - len(self.asked), None)


def test_the_last_look_is_at_the_space_of_the_best_design_and_with_other_adders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clock.counting():
        looked = Looked(limited(tmp_path, 60.0), monkeypatch)
    assert looked.asked == [("dsp", "auto", 6.0, 100.0), ("fabric", "auto", 10.0, 89.0)]
    assert looked.left == [56.0]
    best = looked.searches.best
    assert best is not None and best.counted == (88.0,)
    assert len(looked.searches.whole()) == 2  # nothing was proved of either space that was not before


@pytest.mark.parametrize(
    ("changes", "stop"), [({}, Stop.PROVED), ({"model": "paper"}, Stop.TIME), ({"solver": "scip"}, Stop.TIME)]
)
def test_there_is_no_last_look_where_none_is_wanted(
    changes: dict[str, str], stop: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clock.counting():
        looked = Looked(replace(limited(tmp_path, 60.0), **changes), monkeypatch, stop=stop)
    assert not looked.asked


def test_an_interrupt_ends_the_last_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clock.counting():
        looked = Looked(limited(tmp_path, 60.0), monkeypatch, ended=Stop.INTERRUPTED)
    assert len(looked.asked) == 1 and looked.searches.was_interrupted and not looked.left
