"""The searches of a kernel, of all its forms and spaces, share the time and have one upper bound."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
from steps_in_c import STEPS
from unit.choosing.small_kernels import LU

from sisyphus import choice, part_search, parts
from sisyphus.asked_forms import form_of
from sisyphus.errors import NothingFits, TimeUp
from sisyphus.kernel_forms import load_kernels
from sisyphus.parts import Parts
from sisyphus.request import Kernel, Request, Source
from sisyphus.saved import fitted
from sisyphus.search import Found, SearchWithin
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, Options
from sisyphus.target import load_device, make_target

SUMS = """
void sums(float a[8][8], float b[8][8], float c[8][8])
{
    float s;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            s = a[i][j] * 2.0f;
            b[i][j] = s + a[j][i] * s;
            if (j < 7) c[i][j] = s * s;
        }
}
"""

Heard = list[tuple[float, choice.Answer]]


def request_of(tmp_path: Path, text: str, **options: Any) -> tuple[tuple[Kernel, ...], Request]:
    """With adders of one kind, so that every space is searched once."""
    path = tmp_path / "kernel.c"
    path.write_text(text)
    source = Source(str(path))
    target = make_target(load_device("u200"), budget="chip")
    return load_kernels(source), Request(source, target, Options(**options), fixes=("adders=dsp",))


@pytest.mark.parametrize(("rows", "are_searched"), [(1024, False), (1536, True)])
def test_temporaries_of_one_iteration_are_searched_where_those_of_all_take_much_together(
    tmp_path: Path, rows: int, *, are_searched: bool
) -> None:
    """Two of them of 6 MiB each do, a seventh of the memory on chip, and of 4 MiB do not."""
    changes = {"float s;": "float s, r;", "b[i][j] = s": "r = a[i][j] - s; b[i][j] = r + s", "= s * s": "= r * s"}
    sizes = {"[8][8]": f"[{rows}][1024]", "a[j][i]": "a[i][j]", "i < 8": f"i < {rows}", "j < 8": "j < 1024"}
    text = SUMS
    for old, new in (changes | sizes).items():
        text = text.replace(old, new)
    kernels, request = request_of(tmp_path, text)
    searched = {part.kernel.name for part in Parts(kernels, request, None, best=lambda: None)}
    assert ("inside" in searched) == are_searched


@pytest.mark.parametrize(("limit", "shares"), [(9.0, [3.9, 4.5, 2.2]), (2.0, [1.0, 1.0, 1.0]), (None, [None] * 3)])
def test_forms_share_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float | None, shares: list[float | None]
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    assert [kernel.name for kernel in kernels] == ["source", "expanded", "inside"]  # the last one is for large arrays
    clock, asked = [0.0], list[float | None]()

    def run(_: SearchWithin, limits: Limits, **__: float) -> Found:
        asked.append(limits.seconds)
        clock[0] += 3.0
        raise TimeUp("the time is over")

    monkeypatch.setattr(choice, "BEGIN", 0.0)
    monkeypatch.setattr(SearchWithin, "run", run)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    with pytest.raises(TimeUp):
        choice.find(kernels, replace(request, limits=Limits(seconds=limit)))
    rounded = [None if seconds is None else round(seconds, 1) for seconds in asked]
    assert rounded[: len(shares)] == shares[: len(asked)] and len(asked) >= 2


def test_a_search_that_its_share_ended_goes_on_in_what_others_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    own, clock, asked = SearchWithin.run, [0.0], list[tuple[SearchWithin, float | None, float]]()

    def run(self: SearchWithin, limits: Limits, *, upper: float, near: DesignPoint | None) -> Found:
        is_first = not asked
        asked.append((self, limits.seconds, upper))
        clock[0] += 5.0 if is_first else 0.5
        if is_first:
            raise TimeUp("the time is over")
        return own(self, limits, upper=upper, near=near)

    monkeypatch.setattr(choice, "BEGIN", 0.0)
    monkeypatch.setattr(SearchWithin, "run", run)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    best = choice.find(kernels, replace(request, limits=Limits(seconds=10.0)))  # one round
    (one, first, no_bound), (other, second, _), (ragged, third, _), (again, last, upper) = asked
    assert [round(seconds or 0.0, 2) for seconds in (first, second, third, last)] == [4.29, 3.75, 2.5, 4.0]
    assert no_bound == inf and upper < inf
    assert one is again and len({one, other, ragged}) == 3
    assert best.outcome is not None and best.outcome.stop is Stop.PROVED


def test_an_interrupt_of_a_search_that_goes_on_is_one_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    own, calls = SearchWithin.run, list[None]()

    def run(self: SearchWithin, limits: Limits, *, upper: float, near: DesignPoint | None) -> Found:
        calls.append(None)
        if len(calls) == 2:
            return own(self, limits, upper=upper, near=near)
        raise TimeUp("the time is over") if len(calls) == 1 else KeyboardInterrupt

    monkeypatch.setattr(SearchWithin, "run", run)
    best = choice.find(kernels, replace(request, limits=Limits(seconds=600.0)))
    assert len(calls) == 3 and best.was_interrupted


@pytest.mark.parametrize("cut", [True, False])
def test_a_proof_of_one_form_is_none_of_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, cut: bool
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    own = SearchWithin.run

    def run(self: SearchWithin, limits: Limits, *, upper: float, near: DesignPoint | None) -> Found:
        if self.space.scop == kernels[0].scop:
            return own(self, limits, upper=upper, near=near)
        raise TimeUp("the time is over") if cut else NothingFits("nothing fits")

    monkeypatch.setattr(SearchWithin, "run", run)
    outcome = choice.find(kernels, request).outcome
    assert outcome is not None
    assert outcome.stop is (Stop.TIME if cut else Stop.PROVED)
    assert (outcome.bound is None) == cut


def searched(
    kernels: tuple[Kernel, ...], request: Request, monkeypatch: pytest.MonkeyPatch
) -> tuple[choice.Choice, Heard]:
    """What `find` chooses, and each of its searches with the upper bound that it was given."""
    own, heard = part_search.PartSearch.answer, Heard()

    def answer(self: part_search.PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> choice.Answer:
        heard.append((upper, own(self, limits, upper, *near)))
        return heard[-1][1]

    monkeypatch.setattr(part_search.PartSearch, "answer", answer)
    best = choice.find(kernels, request)
    monkeypatch.undo()
    return best, heard


def test_each_search_has_to_beat_what_those_before_it_have_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    best, [(first, one), (second, other)] = searched(kernels, request, monkeypatch)
    assert first == inf and one.choice is not None
    assert (second,) == one.counted
    assert best.outcome is not None and best.outcome.stop is Stop.PROVED
    alone = [choice.find([kernel], request).outcome for kernel in kernels]
    assert best.outcome.objective == min(o.objective for o in alone if o is not None and o.objective is not None)
    assert other.choice is not None or other.bound == second


def test_the_upper_bound_is_what_a_search_counted_before_it_was_improved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    monkeypatch.setattr(part_search, "polished", lambda space, point, judge, deadline: (point, 1.0))
    best, [(_, one), (upper, _)] = searched(kernels, request, monkeypatch)
    assert cost(best) == 1.0 < upper
    assert (upper,) == one.counted
    assert best.outcome is not None and one.bound == upper
    assert (best.outcome.stop, best.outcome.bound) == (Stop.UNPROVED, None), "others may be made as much better"


def test_additions_that_may_be_reassociated_need_not_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels, request = request_of(tmp_path, SUMS, tree_reduction=True)
    best, heard = searched(kernels[:1], request, monkeypatch)
    assert [answer.part.options.tree_reduction for _, answer in heard] == [True, False]
    exact = choice.find(kernels[:1], replace(request, options=Options()))
    assert cost(best) <= cost(exact)


@pytest.mark.parametrize(("trip_count", "limit", "smaller"), [("31", "LARGE", "few"), ("24", "MANY", "fewest")])
def test_a_large_space_comes_after_one_with_fewer_tiles(
    trip_count: str, limit: str, smaller: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS.replace("8", trip_count), tiles="auto")
    own = getattr(parts, limit)
    monkeypatch.setattr(parts, limit, 1)
    best, heard = searched(kernels[:1], request, monkeypatch)
    assert [answer.part.options.tiles for _, answer in heard] == [smaller, "auto"]
    assert [answer.part.is_seed for _, answer in heard] == [True, False]
    monkeypatch.setattr(parts, limit, own)
    alone, [(_, only)] = searched(kernels[:1], request, monkeypatch)
    assert only.part.options.tiles == "auto"
    assert cost(best) == cost(alone)


def test_a_search_that_was_interrupted_says_nothing_of_those_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)

    def polished(*_: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(part_search, "polished", polished)
    outcome = choice.find(kernels, request).outcome
    assert outcome is not None
    assert (outcome.stop, outcome.bound) == (Stop.INTERRUPTED, None)


def cost(found: choice.Choice) -> float:
    assert found.outcome is not None and found.outcome.objective is not None
    return found.outcome.objective


def test_the_course_of_a_search_ends_with_what_all_searches_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels, request = request_of(tmp_path, SUMS)
    own = part_search.PartSearch.answer
    monkeypatch.setattr(part_search.PartSearch, "answer", lambda *asked: replace(own(*asked), bound=7.0))
    best = choice.find(kernels, request)
    assert best.outcome is not None and best.outcome.bound == 7.0 == best.trace[-1].bound


@pytest.mark.parametrize(
    ("memories", "forms"),
    [
        ({"bram18k": 600, "uram": 0}, ["strips-shifted", "strips-shifted", "strips", "source", "shifted"]),
        ({"bram18k": 4000, "uram": 0}, ["source", "shifted", "strips-shifted", "strips"]),
        ({}, ["source", "shifted"]),
    ],
)
def test_steps_over_arrays_that_leave_no_room_are_searched_in_strips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memories: dict[str, int], forms: list[str]
) -> None:
    """First where they do not fit, last where they take more than half of the memory."""
    kernels, request = request_of(tmp_path, STEPS)
    target = make_target(load_device("u200"), budget="chip", **memories)
    asked = list[str]()

    def answer(self: part_search.PartSearch, *_: object) -> choice.Answer:
        asked.append(self.part.kernel.name)
        return choice.Answer(self.part, Stop.INFEASIBLE, inf, failure=NothingFits("nothing fits"))

    monkeypatch.setattr(part_search.PartSearch, "answer", answer)
    with pytest.raises(NothingFits):
        choice.find(kernels, replace(request, target=target))
    assert asked == forms


@pytest.mark.parametrize(
    ("bram18k", "fixes", "names"),
    [
        (300, (), ["panels", "outer-k", "source"]),
        (4000, (), ["outer-k-finished", "outer-k", "source"]),
        (4000, ("form=panels",), ["panels"]),
    ],
)
def test_steps_that_update_more_than_fits_are_searched_in_panels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bram18k: int, fixes: tuple[str, ...], names: list[str]
) -> None:
    kernels, request = request_of(tmp_path, LU)
    target = make_target(load_device("u200"), budget="chip", bram18k=bram18k, uram=0)
    asked, seconds = list[str](), list[float]()

    def answer(self: part_search.PartSearch, limits: Limits, *_: object) -> choice.Answer:
        nothing = NothingFits("nothing fits")
        if self.part.share < 1:  # only begun
            return choice.Answer(self.part, Stop.TIME, None, failure=nothing)
        asked.append(self.part.kernel.name)
        seconds.append(limits.seconds or inf)
        return choice.Answer(self.part, Stop.INFEASIBLE, inf, failure=nothing)

    monkeypatch.setattr(part_search.PartSearch, "answer", answer)
    with pytest.raises(NothingFits):
        choice.find(kernels, replace(request, target=target, fixes=fixes, limits=Limits(seconds=12.0)))  # one round
    assert list(dict.fromkeys(asked)) == names
    assert names[0] != "panels" or sum(s for name, s in zip(asked, seconds, strict=True) if name == "panels") >= 3


def test_pivots_in_blocks_are_searched_first_where_their_matrix_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
void paths(int a[512][512])
{
    for (int k = 0; k < 512; k++)
        for (int i = 0; i < 512; i++)
            for (int j = 0; j < 512; j++)
                a[i][j] = a[i][j] < a[i][k] + a[k][j] ? a[i][j] : a[i][k] + a[k][j];
}
"""
    kernels, request = request_of(tmp_path, text)
    names = dict[int, list[str]]()
    for bram18k in (300, 4000):
        target = make_target(load_device("u200"), budget="chip", bram18k=bram18k, uram=0)
        parts_of = parts.Parts(kernels, replace(request, target=target), None, best=lambda: None)
        names[bram18k] = list(dict.fromkeys(part.kernel.name for part in parts_of))
    assert names[300][0] == "pivot-blocks" and "pivots" in names[300]
    assert "pivot-blocks" not in names[4000] and names[4000][0] == "pivots"


LINES = """
void lines(float u[500][500], float w[500][400], float c[500][400])
{
    for (int t = 0; t < 2; t++) {
        for (int i = 1; i < 499; i++) {
            c[i][0] = 0.25f;
            for (int j = 1; j < 400; j++) {
                c[i][j] = 4.0f - c[i][j - 1];
                w[i][j] = (u[i - 1][j] + u[i + 1][j]) * c[i][j];
            }
        }
        for (int i = 0; i < 500; i++)
            for (int j = 0; j < 400; j++)
                u[j][i] = w[i][j];
    }
}
"""


@pytest.mark.parametrize(("bram18k", "word"), [(200, "batches 128"), (1000, "batches 256"), (4000, None)])
def test_batches_are_searched_first_where_arrays_leave_no_room(tmp_path: Path, bram18k: int, word: str | None) -> None:
    kernels, request = request_of(tmp_path, LINES)
    target = make_target(load_device("u200"), budget="chip", bram18k=bram18k, uram=0)
    asked = parts.Parts(kernels, replace(request, target=target), None, best=lambda: None)
    begun = next(iter(asked))
    assert (begun.kernel.rewrites == (word,)) == (word is not None)
    assert word is None or asked.left < 3  # all other forms count as a part of one
    if word is not None:
        point = DesignPoint("lines", (), (), rewrites=begun.kernel.rewrites)
        found = form_of(kernels, point)
        assert found is not None and found.form == begun.kernel.form
    paper = parts.Parts(kernels, replace(request, target=target, model="paper"), None, best=lambda: None)
    assert all(not part.kernel.rewrites for part in paper)


SYMMETRIC = """
void symmetric(float alpha, float C[640][640], float A[640][640], float B[640][640])
{
    float sum;
    for (int i = 0; i < 640; i++)
        for (int j = 0; j < 640; j++) {
            sum = 0.0f;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                sum += B[k][j] * A[i][k];
            }
            C[i][j] += alpha * B[i][j] * A[i][i] + sum;
        }
}
"""


@pytest.mark.parametrize(("memory", "first"), [(6_400_000, "blocks"), (7_000_000, "expanded")])
def test_blocks_are_first_where_temporaries_of_all_iterations_do_not_fit(
    tmp_path: Path, memory: int, first: str
) -> None:
    kernels, request = request_of(tmp_path, SYMMETRIC)
    target = make_target(load_device("u200"), budget="chip", onchip_bytes=memory)
    asked = parts.Parts(kernels, replace(request, target=target), None, best=lambda: None)
    begun = next(iter(asked))
    assert begun.kernel.name == first
    assert (asked.left < 5) == (first == "blocks")  # all other forms count as a part of one


@pytest.mark.parametrize("form", ["strips", pytest.param("strips-shifted", marks=pytest.mark.long)])
def test_strips_are_a_form_that_can_be_fixed(tmp_path: Path, form: str) -> None:
    kernels, request = request_of(tmp_path, STEPS)
    target = make_target(load_device("u200"), budget="chip", bram18k=600, uram=0)
    fixed = replace(request, target=target, fixes=(f"form={form}",), limits=Limits(seconds=600.0, gap=1.0))
    best = choice.find(kernels, fixed)
    assert best.kernel.name == form and best.point.rewrites == best.kernel.rewrites
    assert fitted(kernels, request.source, best.point)[0].form == best.kernel.form
