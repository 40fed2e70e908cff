"""Which searches there are beside a part: what they add to it, and when there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from steps_in_c import STEPS

from sisyphus import clock
from sisyphus.beside import is_beyond, ragged
from sisyphus.choice import find
from sisyphus.kernel_forms import load_kernels
from sisyphus.part_search import Answer, PartSearch
from sisyphus.parts import Part
from sisyphus.request import Request, Source
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, Options
from sisyphus.target import load_device, make_target
from sisyphus.values import replace


def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[Answer]:
    """All searches of the kernel, with a little counted work each."""
    answer, found = PartSearch.answer, list[Answer]()

    def kept(self: PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        found.append(answer(self, replace(limits, seconds=0.3), upper, *near))
        return found[-1]

    monkeypatch.setattr(PartSearch, "answer", kept)
    path = tmp_path / "steps.c"
    path.write_text(STEPS)
    source = Source(str(path))
    target = make_target(load_device("u200"), budget="chip", bram18k=600, uram=0)
    request = Request(source, target, Options(**options), fixes=("adders=dsp", "*.ports=1", "form=strips,source"))
    with clock.counting():
        find(load_kernels(source), request)
    return found


@pytest.mark.long
def test_steps_in_strips_have_tiles_that_divide_no_loop_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the space of the best design of that form; other forms have no such search."""
    found = searched(tmp_path, monkeypatch)
    forms = [answer.part.kernel.name for answer in found]
    strips = [answer for answer in found if answer.part.kernel.name == "strips"]
    *others, last = [answer.part.options for answer in strips]
    assert forms == sorted(forms, key=lambda name: name != "strips") and "source" in forms
    assert last.tiles == "ragged" and {o.tiles for o in others} == {"auto"}
    designs = [answer for answer in strips[:-1] if answer.choice is not None]
    assert replace(last, tiles="auto") == designs[-1].part.options  # each is better than the one before
    assert all(answer.part.options.tiles == "auto" for answer in found if answer.part.kernel.name == "source")


@pytest.mark.parametrize("tiles", ["divisors", pytest.param("ragged", marks=pytest.mark.long)])
def test_tiles_that_were_asked_for_are_searched_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiles: str
) -> None:
    assert {answer.part.options.tiles for answer in searched(tmp_path, monkeypatch, tiles=tiles)} == {tiles}


ROWS = """
void k(const float A[16][64], float y[16], const float x[64])
{
    for (int i = 0; i < 16; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < 64; j++)
            y[i] += A[i][j] * x[j];
    }
}
"""


@pytest.mark.parametrize(("tiles", "seconds"), [("auto", 2.0), ("auto", None), ("divisors", 2.0)])
def test_the_best_design_may_have_tiles_that_divide_no_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiles: str, seconds: float | None
) -> None:
    """After all other searches of a round, of which a proof speaks; never where no limit says when to stop."""
    found, answer = list[Answer](), PartSearch.answer

    def heard(self: PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        found.append(answer(self, limits, upper, *near))
        return found[-1]

    monkeypatch.setattr(PartSearch, "answer", heard)
    path = tmp_path / "rows.c"
    path.write_text(ROWS)
    target = make_target(load_device("u200"), budget="chip", dsp=330)
    options = Options(tiles=tiles)  # type: ignore[arg-type]
    request = Request(Source(str(path)), target, options, limits=Limits(seconds=seconds), fixes=("adders=dsp",))
    with clock.counting():
        find(load_kernels(request.source), request)
    every = [one.part.options.tiles for one in found]
    assert ("ragged" in every) == (tiles == "auto" and seconds is not None)
    if "ragged" in every:
        at = every.index("ragged")
        assert is_beyond(found[at].part) and {*every[:at]} == {"auto"}


def test_a_design_of_a_space_beside_all_others_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.c"
    path.write_text(ROWS)
    target = make_target(load_device("u200"), budget="chip", dsp=330)
    request = Request(Source(str(path)), target, limits=Limits(seconds=2.0), fixes=("adders=dsp",))
    kernels = load_kernels(request.source)
    with clock.counting():
        known = find(kernels, request)
        monkeypatch.setattr("sisyphus.choice.is_beyond", lambda _: True)
        other = find(kernels, request)
    assert known.outcome is not None and other.outcome is not None
    assert known.outcome.objective == other.outcome.objective
    assert (other.outcome.bound, other.outcome.stop) == (None, Stop.UNPROVED)
    assert known.outcome.stop is Stop.PROVED


@pytest.mark.parametrize("was_asked", [False, True])
def test_tiles_that_divide_no_loop_are_asked_for_once_in_a_round(tmp_path: Path, *, was_asked: bool) -> None:
    """A part that is no seed, as one of steps in strips, must not become one: a proof would no longer speak of it."""
    path = tmp_path / "rows.c"
    path.write_text(ROWS)
    request = Request(Source(str(path)), make_target(load_device("u200")), limits=Limits(seconds=2.0))
    best = SimpleNamespace(part=Part(load_kernels(request.source)[0], request.options))
    course = SimpleNamespace(best=best, request=request, was_asked=lambda _: was_asked, share=lambda part: part)
    assert [is_beyond(asked.part) for asked in ragged(course)] == ([] if was_asked else [True])  # type: ignore[arg-type]
