"""Narrower beats for a design that does not fit: what they save, that none gets wider, and the times they leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from sisyphus.ir import ArrayId
from sisyphus.search import CostModel, Solution
from sisyphus.search.beats import with_narrower_beats
from sisyphus.search.costs import Beat, Move, Placement, Step

Beats = Mapping[ArrayId, Sequence[Beat]]


class FakeCosts:
    """Beats of some arrays, those of `stored` stored too, which are all that is asked for."""

    def __init__(self, beats: Beats, stored: frozenset[ArrayId]) -> None:
        self._beats, self.stored = beats, stored

    def beats(self, array: ArrayId, state: int) -> Sequence[Beat]:
        return self._beats[array]

    def steps(self, placement: Placement) -> tuple[Step, ...]:
        loads = tuple(Move(array, True) for array in sorted(placement.residents))
        return Step(moves=loads), Step(moves=tuple(Move(array, False) for array in sorted(self.stored)))


def narrowed(beats: Beats, too_much: Mapping[str, float], stored: frozenset[ArrayId] = frozenset()) -> Solution | None:
    widest = {array: found[-1].width for array, found in beats.items()}
    solution = Solution(100.0, (), Placement(frozenset(beats)), dict.fromkeys(beats, 0), widest)
    left = {name: -excess for name, excess in too_much.items()}
    return with_narrower_beats(cast(CostModel, FakeCosts(beats, stored)), solution, left)


@st.composite
def random_beats(draw: st.DrawFn) -> Beats:
    """Wider beats take longer for nothing, and rarely less of a budget."""
    found = {}
    for name in "ABC"[: draw(st.integers(1, 3))]:
        widths = [1, 2, 4, 8][: draw(st.integers(1, 4))]
        elements = draw(st.sampled_from([8, 24, 40]))
        found[ArrayId(name)] = [
            Beat(w, elements / w, elements / w, {b: float(draw(st.integers(0, 9)) + w) for b in ("lut", "bram18k")})
            for w in widths
        ]
    return found


EXCESSES = st.dictionaries(st.sampled_from(["lut", "bram18k"]), st.integers(1, 20).map(float), min_size=1)


def usage_of(beats: Beats, widths: Mapping[ArrayId, int], budget: str) -> float:
    return sum(beat.usage[budget] for array, found in beats.items() for beat in found if beat.width == widths[array])


def saves(beats: Beats, widths: Mapping[ArrayId, int], too_much: Mapping[str, float]) -> bool:
    widest = {array: found[-1].width for array, found in beats.items()}
    return all(usage_of(beats, widest, b) - usage_of(beats, widths, b) >= excess for b, excess in too_much.items())


@given(random_beats(), EXCESSES)
def test_beats_never_get_wider_and_save_what_was_asked(beats: Beats, too_much: Mapping[str, float]) -> None:
    found = narrowed(beats, too_much, frozenset(beats))
    if found is not None:
        assert all(found.widths[array] in [b.width for b in beats[array]] for array in beats)
        assert any(found.widths[array] < beats[array][-1].width for array in beats)
        assert saves(beats, found.widths, too_much)


@given(random_beats(), EXCESSES)
def test_the_fastest_beats_that_save_enough_are_found(beats: Beats, too_much: Mapping[str, float]) -> None:
    """Among all choices; loads run side by side, and so do stores."""
    found, stored = narrowed(beats, too_much, frozenset({ArrayId("A")})), frozenset({ArrayId("A")})
    every = [dict(zip(beats, (b.width for b in picks), strict=True)) for picks in product(*beats.values())]
    times = [time_of(beats, widths, stored) for widths in every if saves(beats, widths, too_much)]
    if found is None:
        assert times == []
    else:
        assert time_of(beats, found.widths, stored) == min(times)


def time_of(beats: Beats, widths: Mapping[ArrayId, int], stored: frozenset[ArrayId]) -> float:
    """Loads that must happen before anything else, then stores; an array with a single beat takes it anyway."""
    chosen = {a: next(b for b in found if b.width == widths[a]) for a, found in beats.items() if len(found) > 1}
    loads = max((beat.load for beat in chosen.values()), default=0.0)
    return loads + max((beat.store for array, beat in chosen.items() if array in stored), default=0.0)


def beats_of(*amounts: float) -> list[Beat]:
    widths = [2**at for at in range(len(amounts))]
    return [Beat(w, 8 / w, 8 / w, {"lut": used}) for w, used in zip(widths, amounts, strict=True)]


def test_what_cannot_be_saved_is_not_promised() -> None:
    beats = {ArrayId("A"): beats_of(10.0, 20.0, 40.0), ArrayId("X"): beats_of(5.0)}
    assert narrowed(beats, {"lut": 30.0}) is not None
    assert narrowed(beats, {"lut": 31.0}) is None
    assert narrowed(beats, {"dsp": 1.0}) is None
    assert narrowed({ArrayId("X"): beats_of(5.0)}, {"lut": 1.0}) is None


def test_an_array_that_is_only_loaded_does_not_hold_up_stores() -> None:
    """The input takes a narrow beat, the output keeps its wide one."""
    beats = {ArrayId("A"): beats_of(10.0, 20.0), ArrayId("Y"): beats_of(10.0, 20.0)}
    found = narrowed(beats, {"lut": 10.0}, frozenset({ArrayId("Y")}))
    assert found is not None
    assert found.widths == {"A": 1, "Y": 2}


def test_what_is_left_of_another_budget_is_kept_to() -> None:
    """Beats that are narrower put an array from URAM into BRAM, where there is room for one of both."""
    beats = {
        ArrayId(name): [Beat(w, 64 / w, 64 / w, {"uram": 4.0 * (w == 8), "bram18k": 10.0 * (w < 8)}) for w in (1, 2, 8)]
        for name in "AB"
    }
    found = narrowed(beats, {"uram": 4.0, "bram18k": -10.0})
    assert found is not None
    assert sorted(found.widths.values()) == [2, 8]
    assert narrowed(beats, {"uram": 4.0, "bram18k": -9.0}) is None
    assert narrowed(beats, {"uram": 5.0, "bram18k": -10.0}) is None


def test_banks_are_asked_for_in_another_storage_where_that_fits() -> None:
    """The widest beats stay; a second array that has to leave URAM goes to BRAM, of which there is enough for one."""
    beats = {
        ArrayId(name): [
            Beat(w, 64 / w, 64 / w, {"uram": 4.0, "bram18k": 0.0}, "deep")
            if storage == "deep"
            else Beat(w, 64 / w, 64 / w, {"uram": 0.0, "bram18k": 10.0}, "auto")
            for w in (1, 8)
            for storage in ("deep", "auto")
        ]
        for name in "AB"
    }
    found = narrowed(beats, {"uram": 4.0, "bram18k": -10.0})
    assert found is not None
    assert set(found.widths.values()) == {8} and [*found.storages.values()] == ["auto"]
    assert narrowed(beats, {"uram": 4.0, "bram18k": -9.0}) is None
    assert narrowed(beats, {"uram": 8.0, "bram18k": -20.0}) is not None
