"""Arrays over several ports unasked: where transfers are slow, after everything else was searched, told honestly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
from steps_in_c import STEPS as STEPS_OF_TWO

from sisyphus import api, beside, part_search, slow_transfers
from sisyphus.backends.hls import project
from sisyphus.choice import find
from sisyphus.ir import ArrayId
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import Term, estimate
from sisyphus.part_search import Answer, Choice
from sisyphus.parts import Known, Parts
from sisyphus.request import Kernel, Request, Source, estimate_of, plan_of, space_of
from sisyphus.search.dealt_ports import DealtPorts
from sisyphus.slow_transfers import (
    least_cycles,
    slow_arrays,
    slow_in_design,
    slow_tiles,
    stripes_worth,
)
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, Options
from sisyphus.target import Target, load_device, make_target
from sisyphus.verification import run

#: A is loaded for longer than the rest takes, B is short.
TEXT = """
void rows(float y[96], float A[96][128], float B[8][32]) {
  for (int i = 0; i < 96; i++)
    for (int j = 0; j < 128; j++)
      y[i] += A[i][j] * B[1][2];
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    path = tmp_path_factory.mktemp("ports") / "rows.c"
    path.write_text(TEXT)
    return load_kernels(Source(str(path)))


TRIANGLE = """
void triangle(float A[40][40], float B[40][64]) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 64; j++)
      for (int k = i + 1; k < 40; k++)
        B[i][j] += A[k][i] * B[k][j];
}
"""


def test_copies_of_an_array_that_is_dealt_arrive_with_it(tmp_path: Path) -> None:
    """Built and run: one load fills both, and the copy has no port."""
    path = tmp_path / "triangle.c"
    path.write_text(TRIANGLE)
    source = Source(str(path))
    found = find(load_kernels(source), replace(request_of(fixes=("A.ports=1", "B.ports=4")), source=source))
    assert found.kernel.copied == ("B",)
    plan = plan_of(found.kernel, found.point)
    assert {port.name: port.stripes for port in plan.ports} == {"A": 1, "B": 4}
    assert [b.array for b in plan.filled_by(plan.transfer("load_B"))] == ["B", "B_1"]
    ran = run(project(plan), plan, sets=["random"])
    assert ran.passed, [check for check in ran.checks if not check.passed]


@pytest.mark.long
def test_a_saved_design_with_a_copy_over_ports_is_explained(tmp_path: Path) -> None:
    """Its ports are of arrays that other forms of the kernel do not have: they are no options of a search."""
    path, folder = tmp_path / "triangle.c", tmp_path / "design"
    path.write_text(TRIANGLE)
    fixes = ("A.ports=1", "B.ports=4", "adders=dsp")
    design = api.optimize(path, fix=fixes, effort=2, verify=False, cache=False, output=folder)
    assert design.point.copied == ("B",) and set(design.point.dealt) == {"B", "B_1"}
    told = api.explain(folder, time_limit=3)
    assert told.cycles == design.estimate.by(design.request.options.objective) and told.neighbours


def request_of(device: str = "u200", fixes: tuple[str, ...] = ("adders=dsp",), trust: str = "any") -> Request:
    """With adders of one kind, so that every space is searched once."""
    target = make_target(load_device(device), budget="chip", max_partition=128)
    options = Options(tiles="divisors", trust=trust)  # type: ignore[arg-type]
    return Request(Source("rows.c"), target, options, fixes=fixes)


def ports(found: Choice) -> dict[str, int]:
    return {t.buffer: len(t.ports) for t in found.point.transfers if t.ports}


def test_an_array_with_a_slow_transfer_has_several_ports(kernels: tuple[Kernel, ...]) -> None:
    one, many = find(kernels, request_of(fixes=("A.ports=1",))), find(kernels, request_of())
    assert one.outcome is not None and many.outcome is not None
    assert ports(one) == {} and ports(many) == {"A": 4}
    assert many.outcome.stop is one.outcome.stop is Stop.PROVED
    assert many.outcome.objective == many.outcome.bound
    assert many.outcome.objective < (one.outcome.objective or 0)


PRODUCT = """
void product(float A[{0}][{1}], float B[{1}][{2}], float C[{0}][{2}]) {{
  for (int i = 0; i < {0}; i++)
    for (int j = 0; j < {2}; j++)
      for (int k = 0; k < {1}; k++)
        C[i][j] += A[i][k] * B[k][j];
}}
"""


@pytest.mark.parametrize(("extents", "budget"), [((16, 32, 64), {"lut": 60_000}), ((20, 14, 90), {"dsp": 400})])
def test_a_proof_speaks_of_fewer_ports(tmp_path: Path, extents: tuple[int, ...], budget: dict[str, int]) -> None:
    """Ports ask for partitions that take LUTs, and for tiles that keep to stripes: with fewer, more is done at once."""
    path = tmp_path / "product.c"
    path.write_text(PRODUCT.format(*extents))
    source, asked = Source(str(path)), request_of()
    target = replace(asked.target, budget=replace(asked.target.budget, **budget))
    kernels, found = load_kernels(source), list[float]()
    for count in ("any", "1"):
        fixes = (*(f"{array}.ports={count}" for array in "ABC"), "adders=dsp")
        outcome = find(kernels, replace(asked, source=source, target=target, fixes=fixes)).outcome
        assert outcome is not None and outcome.stop is Stop.PROVED and outcome.objective == outcome.bound
        found.append(outcome.objective or inf)
    assert found[0] <= found[1]


def least_with(asked: Request, kernels: tuple[Kernel, ...], counts: Sequence[str]) -> float:
    """Cycles of the best design with these ports of the arrays of a product, proved."""
    fixes = (*(f"{array}.ports={count}" for array, count in zip("ABC", counts, strict=True)), "adders=dsp")
    outcome = find(kernels, replace(asked, fixes=fixes)).outcome
    assert outcome is not None and outcome.stop is Stop.PROVED
    return outcome.objective or inf


@pytest.mark.long
def test_a_proof_speaks_of_every_number_of_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array that is stored alone needs more ports than those that are loaded together, which share the banks."""
    path = tmp_path / "product.c"
    path.write_text(PRODUCT.format(8, 64, 64))
    asked = replace(request_of(), source=Source(str(path)))
    kernels = tuple(load_kernels(asked.source))
    found = {counts: least_with(asked, kernels, counts) for counts in (*product("14", repeat=3), "222")}
    assert least_with(asked, kernels, ["any"] * 3) == min(found.values())
    every = DealtPorts.of_use
    monkeypatch.setattr(
        DealtPorts, "of_use", lambda self, moved: (one for one in every(self, moved) if len({*one.values()}) > 1)
    )
    assert least_with(asked, kernels, ["any"] * 3) > min(found.values())  # which has four of each


def test_a_proof_speaks_of_all_ports() -> None:
    """With them fixed, every choice of a nest is counted before any is looked at."""
    source = Source(str(Path(__file__).parents[3] / "kernels" / "polybench" / "gemver.c"))
    asked = request_of()
    target = make_target(asked.target.device, budget="chip", lut=int(0.8 * asked.target.budget.lut))
    kernels, found = load_kernels(source), list[float]()
    for count in ("any", "4"):
        fixes = (f"A.ports={count}", "adders=fabric")
        outcome = find(kernels, Request(source, target, Options(), fixes=fixes)).outcome
        assert outcome is not None and outcome.stop is Stop.PROVED
        found.append(outcome.objective or inf)
    assert found[0] <= found[1]


def test_where_no_array_may_have_several(kernels: tuple[Kernel, ...]) -> None:
    assert ports(find(kernels, request_of("zcu104"))) == {}


def test_reports_and_manuals_have_all_of_it(kernels: tuple[Kernel, ...]) -> None:
    found = find(kernels, request_of(trust="measured"))
    assert ports(found) == {"A": 4}
    assert estimate_of(found.kernel, found.point, request_of().target).is_trusted


def test_a_start_keeps_its_ports(kernels: tuple[Kernel, ...]) -> None:
    request = request_of()
    known = Known(kernels[0], find(kernels, request).point)
    first = next(iter(Parts(kernels, request, known, best=lambda: None)))
    assert first.start == known.point and first.options.dealt == ("A",)
    assert ports(find(kernels, replace(request, limits=Limits(seconds=1e-3)), start=known)) == {"A": 4}


def test_what_was_not_searched_with_ports_is_not_proved(
    kernels: tuple[Kernel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = part_search.PartSearch.answer

    def early(self: part_search.PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        """Time is up where there are ports."""
        found = answer(self, limits, upper, *near)
        return replace(found, stop=Stop.TIME, bound=1.0, choice=None, counted=()) if self.part.options.dealt else found

    monkeypatch.setattr(part_search.PartSearch, "answer", early)
    found = find(kernels, replace(request_of(), limits=Limits(seconds=60.0)))
    assert found.outcome is not None and found.outcome.stop is Stop.TIME and found.outcome.bound == 1.0
    assert ports(found) == {} and inf > (found.outcome.objective or inf)


def test_a_search_with_ports_that_was_cut_goes_on_in_the_time_left(
    kernels: tuple[Kernel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own limit, a part of the whole one, is none that the user gave: what it left out is looked at after all."""
    answer, asked = part_search.PartSearch.answer, list[tuple[str, ...]]()

    def early_once(self: part_search.PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        asked.append(self.part.options.dealt)
        found = answer(self, limits, upper, *near)
        is_first = asked.count(self.part.options.dealt) == 1
        return replace(found, stop=Stop.TIME, bound=1.0) if is_first and self.part.options.dealt else found

    monkeypatch.setattr(part_search.PartSearch, "answer", early_once)
    found = find(kernels, replace(request_of(fixes=("adders=dsp",)), limits=Limits(seconds=60.0)))
    assert asked[-1] == ("A",) and asked.count(("A",)) == 2 and asked.count(()) <= 2
    assert found.outcome is not None and found.outcome.stop is Stop.PROVED and ports(found) == {"A": 4}


@pytest.mark.parametrize("end", ["proved", "cut", "empty"])
@pytest.mark.parametrize("slow", [(), (ArrayId("A"),)])
def test_which_searches_have_ports(
    kernels: tuple[Kernel, ...], monkeypatch: pytest.MonkeyPatch, slow: tuple[ArrayId, ...], end: str
) -> None:
    """Where it is not known before, transfers of the best design tell; what was cut without a design is not the last.

    A search with ports that was cut but has the best design is not followed by one without: it has all of that space.
    """
    answer, asked = part_search.PartSearch.answer, list[tuple[str, ...]]()

    def listed(self: part_search.PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        asked.append(self.part.options.dealt)
        found = answer(self, limits, upper, *near)
        if end == "proved" or not self.part.options.dealt:
            return found
        cut = replace(found, stop=Stop.TIME)
        return replace(cut, choice=None, counted=()) if end == "empty" else cut

    monkeypatch.setattr(beside.Slow, "of", staticmethod(lambda *_: beside.Slow(slow)))
    monkeypatch.setattr(part_search.PartSearch, "answer", listed)
    found = find(kernels, request_of(fixes=("adders=dsp",)))
    assert asked == ([("A",), *([()] if end == "empty" else [])] if slow else [(), ("A",)])
    assert found.outcome is not None and (found.outcome.stop is Stop.PROVED) == (end == "proved")


def test_which_transfers_are_slow(kernels: tuple[Kernel, ...]) -> None:
    """A takes 768 beats through one port, which is longer than all that must be done takes."""
    space = space_of(kernels[0], request_of())
    assert slow_arrays(space, least_cycles(space)) == ("A",)
    assert slow_arrays(space, 1e4) == () and slow_arrays(space, 1e3) == ("A",)
    small = replace(space, target=small_target())
    assert slow_arrays(small, least_cycles(small)) == ()  # A does not fit
    assert slow_tiles(small, least_cycles(small)) == ("A",)
    assert slow_tiles(space, least_cycles(space)) == ()  # beside so much memory, A is small
    assert slow_tiles(small, 1e3) == ("A",) and slow_tiles(small, 1e4) == ()
    assert list(stripes_worth(small, ["A", "B"])) == [(("A", 4), ("B", 2)), (("A", 2), ("B", 2))]  # type: ignore[list-item]
    assert list(stripes_worth(small, ["B"])) == [(("B", 2),)]  # type: ignore[list-item]


def small_target() -> Target:
    return make_target(load_device("u200"), budget="chip", max_partition=128, onchip_bytes=40_000)


def with_tiles(fixes: tuple[str, ...] = (), trust: str = "any") -> Request:
    """For a board on which A is larger than the memory on chip."""
    return replace(request_of(fixes=fixes, trust=trust), target=small_target())


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    """The same with sums over columns, none of which waits for another one."""
    path = tmp_path_factory.mktemp("ports") / "columns.c"
    path.write_text(TEXT.replace("y[96]", "y[128]").replace("y[i]", "y[j]"))
    return load_kernels(Source(str(path)))


@pytest.mark.long
def test_tiles_that_are_slow_have_several_ports(columns: tuple[Kernel, ...]) -> None:
    """Unasked, proved, and judged as they are counted; with one port of A nothing is as fast."""
    one, many = find(columns, with_tiles(("A.ports=1",), "measured")), find(columns, with_tiles(trust="measured"))
    assert one.outcome is not None and many.outcome is not None
    assert ports(one) == {} and ports(many) == {"A@S0": 4} and many.point.dealt_tiles == (("A", 4),)
    assert many.outcome.stop is one.outcome.stop is Stop.PROVED
    assert many.outcome.objective == many.outcome.bound
    assert many.outcome.objective < (one.outcome.objective or 0)
    assert estimate_of(many.kernel, many.point, small_target()).is_trusted
    plan = plan_of(many.kernel, many.point)
    ran = run(project(plan), plan, sets=["random"])
    assert ran.passed, [check for check in ran.checks if not check.passed]


@pytest.mark.long
def test_tiles_of_any_number_of_ports_are_the_best_of_all(columns: tuple[Kernel, ...]) -> None:
    found = [find(columns, with_tiles((f"A.ports={count}",))).outcome for count in ("2", "4", "any")]
    objectives = [outcome.objective or inf for outcome in found if outcome is not None]
    assert objectives[-1] == min(objectives)


def test_a_start_keeps_the_ports_of_its_tiles(columns: tuple[Kernel, ...]) -> None:
    request = with_tiles()
    known = Known(columns[0], find(columns, request).point)
    first = next(iter(Parts(columns, request, known, best=lambda: None)))
    assert first.start == known.point and first.options.striped == (("A", 4),) and not first.options.dealt
    begun = find(columns, replace(request, limits=Limits(seconds=1e-3)), start=known)
    assert ports(begun) == {"A@S0": 4}


@pytest.mark.parametrize(
    ("target", "fixes", "asked"),
    [
        ("small", (), [(("A", 4),), (("A", 2),), ()]),
        ("small", ("A.ports=2",), [()]),
        ("large", (), [()]),
    ],
)
def test_which_searches_have_tiles_over_ports(
    kernels: tuple[Kernel, ...],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    fixes: tuple[str, ...],
    asked: list[tuple[tuple[str, int], ...]],
) -> None:
    """The most ports first, as few as one last; none more where all arrays are small, or where ports are fixed."""
    answer, met = part_search.PartSearch.answer, list[tuple[tuple[ArrayId, int], ...]]()

    def listed(self: part_search.PartSearch, limits: Limits, upper: float, *near: DesignPoint | None) -> Answer:
        met.append(self.part.options.striped)
        return answer(self, limits, upper, *near)

    monkeypatch.setattr(part_search.PartSearch, "answer", listed)
    made = with_tiles if target == "small" else lambda fixes: request_of(fixes=fixes)
    find(kernels, made((*fixes, "adders=dsp")))
    assert list(dict.fromkeys(met)) == asked


#: Every step loads all of A, which does not fit on chip.
STEPS = """
void steps(float y[128], float A[96][128]) {
  for (int t = 0; t < 12; t++)
    for (int i = 0; i < 96; i++)
      for (int j = 0; j < 128; j++)
        y[j] = 0.5f * y[j] + A[i][j];
}
"""


@pytest.mark.long
def test_tiles_that_pass_many_times_are_slow_in_a_design(tmp_path: Path) -> None:
    """Which the array alone does not tell: what it moves once is little beside all of the cycles."""
    path = tmp_path / "steps.c"
    path.write_text(STEPS)
    kernels = load_kernels(Source(str(path)))
    one, many = find(kernels, with_tiles(("A.ports=1",))), find(kernels, with_tiles())
    [cost] = {estimate_of(one.kernel, one.point, small_target()).cycles}
    assert slow_tiles(one.space, cost) == () and slow_tiles(one.space, least_cycles(one.space)) == ()
    assert slow_in_design(one.kernel, one.space, one.point) == ("A",)
    assert many.point.dealt_tiles == (("A", 4),)
    assert estimate_of(many.kernel, many.point, small_target()).cycles < cost
    plan = plan_of(many.kernel, many.point)
    assert run(project(plan), plan, sets=["random"]).passed


#: Every step multiplies all of M, which does not fit on chip, with a vector.
PRODUCTS = """
void products(float r[80], const float M[80][128], const float x[128]) {
  float t[80];
  for (int it = 0; it < 6; it++) {
    for (int i = 0; i < 80; i++) {
      t[i] = 0.0f;
      for (int j = 0; j < 128; j++)
        t[i] += M[i][j] * x[j];
    }
    for (int i = 0; i < 80; i++)
      r[i] = 0.5f * r[i] + t[i];
  }
}
"""


@pytest.mark.long
def test_tiles_behind_computation_are_slow_in_a_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no faster than the loads that it waits for hides them: hardly any cycle is spent on these alone."""
    path = tmp_path / "products.c"
    path.write_text(PRODUCTS)
    best = find(load_kernels(Source(str(path))), with_tiles(("M.ports=1", "adders=dsp")))
    plan, target = plan_of(best.kernel, best.point), small_target()
    cost = estimate(plan, target)
    beats, once = slow_transfers._beats_of_tiles(plan, cost, target)["M"], 80 * 128 // 16
    assert beats in {once * times for times in range(1, 7)} and 64 * beats <= cost.bytes_moved
    monkeypatch.setattr(slow_transfers, "_spent", lambda *_: iter(()))
    assert slow_in_design(best.kernel, best.space, best.point) == ("M",)
    monkeypatch.setattr(slow_transfers, "_beats_of_tiles", lambda *_: Counter())
    assert slow_in_design(best.kernel, best.space, best.point) == ()


def test_what_waits_for_a_tile_that_is_stored_late_is_spent_on_its_array() -> None:
    """Its store and the next load are one part; beside another load it is the time of both arrays."""
    late = Term("function", 90), Term("waits for load_A | store_B and load_B", 600)
    found = Term("cycles", 700, (Term("load_A", 10), Term("tiles", 690, late)))
    spent = slow_transfers._spent(found, {"load_A": "A", "store_B": "B", "load_B": "B"})
    assert sorted(spent) == [("load_A", 10), ("load_A", 600), ("load_B", 600)]


def test_all_arrays_in_memory_are_slow_if_one_is_and_they_are_few(tmp_path: Path) -> None:
    """Windows on chip have no ports, and are none of these: strips of two arrays have two more."""
    path = tmp_path / "strips.c"
    path.write_text(STEPS_OF_TWO)
    kernels = load_kernels(Source(str(path)))
    target = make_target(load_device("u200"), bram18k=600, uram=0, onchip_bytes=1 << 21)
    request = Request(Source(str(path)), target, fixes=("form=strips",), limits=Limits(seconds=600.0, gap=1.0))
    best = find(kernels, request)
    assert {"a_1", "b_1"} <= {array.id for array in best.kernel.scop.arrays}
    assert slow_in_design(best.kernel, best.space, best.point, share=0.01) == ("a", "b")
    assert slow_in_design(best.kernel, best.space, best.point, share=1.0) == ()


def _always(answer: object, *_: object) -> object:
    return answer


def test_arrays_over_several_ports_keep_theirs_where_others_become_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the longest of the transfers side by side would be that one again."""
    choice = SimpleNamespace(space=None, point=SimpleNamespace(dealt_tiles=(("a", 2),)))
    course = SimpleNamespace(request=SimpleNamespace(model="measured", fixes=()))
    monkeypatch.setattr(beside, "_best_of_form", lambda *_: (SimpleNamespace(kernel=None), choice))
    for slow, expected in ((("b",), ("a", "b")), (("b", "a"), ("a", "b")), ((), ())):
        monkeypatch.setattr(beside, "slow_in_design", partial(_always, slow))
        assert beside._slow_in_found(None, course) == expected  # type: ignore[arg-type]
    assert beside._slow_in_found(None, course, knob="layout") == ()  # type: ignore[arg-type]


def test_tiles_that_pass_often_in_the_best_design_are_slow_beside_those_that_are_so_in_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`b` is stored once as the source has it, and in each strip of rows in the best design."""
    course = SimpleNamespace(request=SimpleNamespace(model="measured", fixes=()), known=object())
    answers = {"cost_of": 100.0, "slow_tiles": ("a",), "_slow_in_found": ("b",)}
    for name, answer in answers.items():
        monkeypatch.setattr(beside, name, partial(_always, answer))
    assert beside._slow_before(None, course, None, beside.Slow((), ("a",))) == ("a", "b")  # type: ignore[arg-type]
    course.known = None
    assert beside._slow_before(None, course, None, beside.Slow((), ("a",))) == ("a",)  # type: ignore[arg-type]
