"""Adders in fabric, unasked: where they are offered, what they cost, when they are searched, and how they are told."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from sisyphus import clock
from sisyphus.choice import find
from sisyphus.errors import UsageError
from sisyphus.evidence import entries
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import Estimator
from sisyphus.model.limit import limit_of
from sisyphus.part_search import Answer, Choice, PartSearch
from sisyphus.parts import Known, Part, Parts
from sisyphus.report.designs import differences
from sisyphus.request import Kernel, Request, Source, estimate_of, space_of
from sisyphus.search import MeasuredCosts
from sisyphus.search.check import faults
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, Options, added_types, may_add_in_fabric
from sisyphus.target import ADDERS, Target, load_device, make_target

#: One sum for each i, which the next j waits for.
ROWS = """
void rows(float y[16], const float A[16][64], const float x[64]) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 64; j++)
      y[i] += A[i][j] * x[j];
}
"""
SCALED = "void scaled(float y[64], const float x[64]) { for (int i = 0; i < 64; i++) y[i] = x[i] * 3.0f; }"


def board(clock_mhz: float = 250.0, name: str = "u200", dsp: int = 200) -> Target:
    return make_target(load_device(name), budget="chip", clock_mhz=clock_mhz, dsp=dsp)


def loaded(tmp_path: Path, text: str) -> Kernel:
    path = tmp_path / "k.c"
    path.write_text(text)
    return load_kernels(Source(str(path)))[0]


def request_of(target: Target, *fixes: str, trust: str = "any") -> Request:
    return Request(Source("k.c"), target, Options(tiles="divisors", trust=trust), fixes=fixes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return loaded(tmp_path_factory.mktemp("adders"), ROWS)


@pytest.fixture(scope="module")
def both(rows: Kernel) -> tuple[Choice, Choice]:
    """With adders of DSPs, and the best of either kind."""
    return find([rows], request_of(board(), "adders=dsp")), find([rows], request_of(board()))


def objective(found: Choice) -> float:
    assert found.outcome is not None and found.outcome.objective is not None
    return found.outcome.objective


@pytest.mark.parametrize(
    ("name", "clock_mhz", "kind", "offered"),
    [
        ("u200", 300.0, "float", True),
        ("u55c", 220.0, "float", True),
        ("u200", 200.0, "float", False),
        ("pynq-z2", 100.0, "float", False),
        ("u200", 250.0, "double", True),
        ("u200", 300.0, "double", False),
        ("u200", 250.0, "int", False),
    ],
)
def test_they_are_offered_where_reports_have_them(
    tmp_path: Path, name: str, clock_mhz: float, kind: str, offered: bool
) -> None:
    kernel, target = loaded(tmp_path, ROWS.replace("float", kind)), board(clock_mhz, name)
    assert added_types(kernel.scop) == {kind} - {"int"}
    assert may_add_in_fabric(kernel.scop, target) == offered
    if offered:
        assert space_of(kernel, request_of(target, "adders=fabric")).target.operators.adders == "fabric"
        return
    with pytest.raises(UsageError) as refused:
        space_of(kernel, request_of(target, "adders=fabric"))
    assert refused.value.hint == "legal: dsp" and f"at {clock_mhz:g} MHz" in refused.value.message


def test_a_kernel_without_sums_has_none(tmp_path: Path) -> None:
    kernel = loaded(tmp_path, SCALED)
    assert not may_add_in_fabric(kernel.scop, board())
    assert {part.options.adders for part in Parts([kernel], request_of(board()), None, best=lambda: None)} == {"dsp"}


def test_a_sum_waits_half_as_long(rows: Kernel, both: tuple[Choice, Choice]) -> None:
    """The rows of operators.csv: 7 stages and 2 DSPs, or 4 and none; each start waits for all but one of them."""
    cores = [board().adding_in(adders).operators.cost("add", "float") for adders in ADDERS]
    assert [(core.latency, core.dsp, core.measured) for core in cores] == [(7, 2, True), (4, 0, True)]
    point = replace(both[0].point, adders="dsp", nests=tuple(replace(n, interval=0) for n in both[0].point.nests))
    costs = [estimate_of(rows, replace(point, adders=adders), board()) for adders in ("dsp", "fabric")]
    assert [[*cost.intervals.values()] for cost in costs] == [[(6,)], [(3,)]]
    assert costs[1].cycles < costs[0].cycles
    assert all("adders-in-fabric" not in found for found in costs[0].constructs.values())
    assert any("adders-in-fabric" in found for found in costs[1].constructs.values())
    assert costs[1].is_trusted == costs[0].is_trusted


def test_the_better_kind_is_found_and_proved(both: tuple[Choice, Choice]) -> None:
    plain, best = both
    assert (plain.point.adders, best.point.adders) == ("dsp", "fabric")
    assert objective(best) < objective(plain)
    assert best.outcome is not None and best.outcome.stop is Stop.PROVED
    assert objective(best) == estimate_of(best.kernel, best.point, board()).cycles


def kinds(kernel: Kernel, known: Known, dsp: int = 6840) -> list[str]:
    """Of all spaces, in the order in which they come once the first of them was probed."""
    return [part.options.adders for part in parts_of(kernel, known, dsp) if part.share == 1]


def parts_of(kernel: Kernel, known: Known, dsp: int = 6840) -> list[Part]:
    return list(Parts([kernel], request_of(board(dsp=dsp)), None, best=lambda: known))


def test_they_come_first_where_sums_may_wait_else_last_or_never(
    rows: Kernel, both: tuple[Choice, Choice], tmp_path: Path
) -> None:
    """With DSPs to spare and no such sum, all searches in fabric are spared; where DSPs are short they come last."""
    found = kinds(rows, Known(rows, both[1].point))
    assert found.count("dsp") == found.count("fabric") > 0 and found == sorted(found, reverse=True)
    kernel = loaded(tmp_path, SCALED.replace("*", "+").replace("64", "8192"))
    known = Known(kernel, find([kernel], request_of(board(), "adders=dsp")).point)
    assert set(kinds(kernel, known)) == {"dsp"}
    short = kinds(kernel, known, dsp=200)
    assert set(short) == {"dsp", "fabric"} and short == sorted(short)


def test_the_first_space_is_probed_with_both_and_the_better_kind_comes_first(
    rows: Kernel, both: tuple[Choice, Choice]
) -> None:
    """LUTs may hold designs in fabric back, which no bound tells: what a short search of each finds does."""
    for known in (Known(rows, found.point) for found in both):
        probes, others = ([p for p in parts_of(rows, known) if (p.share < 1) == is_probe] for is_probe in (True, False))
        assert sorted(part.options.adders for part in probes) == sorted(ADDERS)
        assert {replace(part.options, adders="dsp") for part in probes} == {replace(others[0].options, adders="dsp")}
        assert others[0].options.adders == known.point.adders
        assert {part.options.adders for part in others} == {*ADDERS}
        assert all(any(part.is_same(probe) for part in others) for probe in probes)


@pytest.mark.parametrize("share", [1e-4, 0.5])
def test_a_probed_space_goes_on_where_it_was_ended(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    """No space is begun twice, and what is found is proved, whether probes are ended or come to their end."""
    asked: list[PartSearch] = []
    whole = PartSearch.answer

    def answer(self: PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        asked.append(self)
        return whole(self, limits, upper, *near)

    monkeypatch.setattr(PartSearch, "answer", answer)
    monkeypatch.setattr("sisyphus.parts.PROBE", share)
    kernel = load_kernels(Source(str(Path(__file__).parents[3] / "kernels" / "polybench" / "gemm.c")))[0]
    with clock.counting():
        found = find([kernel], replace(request_of(board(dsp=6840)), limits=Limits(seconds=20.0)))
    begun = {id(one): one for one in asked}
    assert len({(one.part.options, one.part.is_seed) for one in begun.values()}) == len(begun)
    assert (len(asked) > len(begun)) == (share < 0.1)
    assert found.outcome is not None and found.outcome.stop is Stop.PROVED


def test_where_memory_is_short_what_waits_to_go_on_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a search knows is tied in circles, so that a collector that comes late would leave all of it there."""
    ended: list[weakref.ref[PartSearch]] = []
    whole = PartSearch.answer

    def answer(self: PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        assert all(before() is None for before in ended)
        found = whole(self, limits, upper, *near)
        ended.extend([weakref.ref(self)] if found.stop is Stop.TIME else [])
        return found

    monkeypatch.setattr(PartSearch, "answer", answer)
    monkeypatch.setattr("sisyphus.parts.PROBE", 1e-4)
    monkeypatch.setattr("sisyphus.allowance.is_short_of_memory", lambda share: True)
    kernel = load_kernels(Source(str(Path(__file__).parents[3] / "kernels" / "polybench" / "gemm.c")))[0]
    gc.disable()
    try:
        with clock.counting():
            find([kernel], replace(request_of(board(dsp=6840)), limits=Limits(seconds=20.0)))
    finally:
        gc.enable()
    assert ended


def test_what_reports_or_manuals_back_has_both(rows: Kernel) -> None:
    measured = Parts([rows], request_of(board(), trust="measured"), None, best=lambda: None)
    assert {part.options.adders for part in measured} == {"dsp", "fabric"}
    assert entries()["adders-in-fabric"].is_trusted


def test_a_start_keeps_its_adders(rows: Kernel, both: tuple[Choice, Choice]) -> None:
    known = Known(rows, both[1].point)
    first, *others = Parts([rows], request_of(board()), known, best=lambda: known)
    assert (first.options.adders, first.start) == ("fabric", known.point)
    assert {part.start for part in others if part.options.adders == "dsp"} == {None}


def test_a_point_with_others_is_none_of_a_space(rows: Kernel, both: tuple[Choice, Choice]) -> None:
    space, point = space_of(rows, request_of(board())), both[0].point
    other = replace(point, adders="fabric")
    assert "additions run on fabric, not on dsp" in faults(MeasuredCosts(space), other)


def test_an_estimator_does_not_mix_points_of_both_kinds(rows: Kernel, both: tuple[Choice, Choice]) -> None:
    points = [replace(both[0].point, adders=adders) for adders in ("dsp", "fabric", "dsp")]
    estimator = Estimator(rows.scop, rows.distribution, rows.live, board())
    assert [estimator.estimate(p).dsp for p in points] == [estimate_of(rows, p, board()).dsp for p in points]
    assert [estimator.estimate(p).cycles for p in points] == [estimate_of(rows, p, board()).cycles for p in points]


def test_no_design_beats_the_limit_with_any_adders(rows: Kernel, both: tuple[Choice, Choice]) -> None:
    plain, least = (
        limit_of(rows.scop, rows.dependences, rows.live, board(), any_adders=any_adders) for any_adders in (False, True)
    )
    assert (plain.chain, least.chain) == (64 * 6, 64 * 3) and least.compute <= plain.compute
    assert least.cycles <= objective(both[1])


def test_they_are_told(both: tuple[Choice, Choice]) -> None:
    point = both[0].point
    other = replace(point, adders="fabric")
    assert list(differences(point, other)) == ["adders in fabric"]
    assert DesignPoint.from_json(other.to_json()) == other
    before = point.to_json()
    del before["adders"]
    assert DesignPoint.from_json(before) == point  # written before there was a choice
