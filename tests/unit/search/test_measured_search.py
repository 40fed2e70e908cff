"""The measured search against plain enumeration of tiny kernels, each design judged by the full model; its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pytest
from best_of_space import find_best
from clock import Clock
from unit.search.measured_designs import BUDGETS, KERNELS, Full, a_point, every_design, kernel_space, measured_space
from unit.search.solve_spaces import gemm_scop

from sisyphus.errors import NoDesignError
from sisyphus.ir import ArrayId
from sisyphus.search import Found, MakeCosts, MeasuredCosts, Solution, Terms, point_of, search
from sisyphus.search.costs import Costs, Placed, Tilings
from sisyphus.search.deadline import Deadline
from sisyphus.search.exact import Verdict
from sisyphus.search.lower_bounds import LowerBounds
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, NestSpace, Space, apply_fixes, illegal


@dataclass(frozen=True)
class Built:
    """A design as the full model sees it."""

    point: DesignPoint
    cycles: int
    used: Mapping[str, int]

    def fits(self, budgets: Mapping[str, int]) -> bool:
        return all(self.used[name] <= amount for name, amount in budgets.items())


@cache
def every_one(kernel: str) -> list[Built]:
    """The designs of a kernel, the fastest first."""
    space = kernel_space(kernel)
    full, found = Full(space), []
    for point in every_design(space, MeasuredCosts(space).in_registers()):
        told = full(point)
        found.append(Built(point, told.cycles, {name: getattr(told, name) for name in BUDGETS}))
    return sorted(found, key=lambda built: built.cycles)


def best_of_all(kernel: str, budgets: Mapping[str, int]) -> Built | None:
    space = kernel_space(kernel)
    fitting = (built for built in every_one(kernel) if built.fits(budgets))
    return next((b for b in fitting if illegal(space.dependences, space.distribution, b.point) is None), None)


def searched(space: Space, costs: MakeCosts = MeasuredCosts) -> Found | None:
    """The answer of our own search; None where it says that nothing fits."""
    try:
        found = search(space, costs, "exact", Limits(), Full(space).judge)
    except NoDesignError:
        return None
    assert found.outcome.stop is Stop.PROVED
    return found


def wrong(kernel: str, budgets: Mapping[str, int], costs: MakeCosts = MeasuredCosts) -> str | None:
    """How the search is refuted by a design that was enumerated."""
    found, best = searched(kernel_space(kernel, **budgets), costs), best_of_all(kernel, budgets)
    if found is None or best is None:
        return None if found is best else f"{found} instead of {best}"
    objective, bound = found.outcome.objective, found.outcome.bound
    assert objective is not None
    assert bound is not None
    if objective > best.cycles or bound > best.cycles:
        return f"{objective} with the bound {bound}, while {best} takes {best.cycles}"
    return None


TINY = ("scale", "dot", "triangle", "sweep", "zero")


@pytest.mark.parametrize("kernel", TINY)
def test_nothing_that_was_enumerated_is_better(kernel: str) -> None:
    assert wrong(kernel, {}) is None


class FewPerLook(MeasuredCosts):
    """As of a nest whose counts look at very many points."""

    def counted_per_look(self, nest: NestSpace) -> int:
        return 2


@pytest.mark.parametrize("kernel", ["scale", "triangle"])
def test_nothing_is_better_where_few_are_counted_between_two_looks_at_the_clock(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = {MeasuredCosts: 0, FewPerLook: 0}
    counting = MeasuredCosts

    def is_over(self: Deadline) -> bool:
        looks[counting] += 1
        return False

    monkeypatch.setattr(Deadline, "is_over", property(is_over))
    for counting in looks:
        assert wrong(kernel, {}, counting) is None
    assert looks[FewPerLook] > looks[MeasuredCosts]


def just_below(space: Space, cost: float) -> float | None:
    """The best design that costs less, found by a search that knows this from the beginning."""
    full, costs = Full(space), MeasuredCosts(space)

    def accept(solution: Solution) -> Verdict:
        cycles = float(full(point_of(space, solution)).cycles)
        return Verdict(min(cost, cycles), cycles)

    result = find_best(costs, Terms(upper=cost), accept=accept)
    assert result.complete
    return None if result.solution is None else accept(result.solution).cycles


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_a_known_cost_rules_out_is_no_better(kernel: str) -> None:
    space = kernel_space(kernel)
    best = searched(space)
    assert best is not None and best.outcome.objective is not None
    assert just_below(space, best.outcome.objective + 1) == best.outcome.objective
    assert just_below(space, best.outcome.objective) is None


def test_ruling_out_too_much_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    space, leave_out = kernel_space("triangle"), LowerBounds.leave_out
    best = searched(space)
    assert best is not None and best.outcome.objective is not None
    monkeypatch.setattr(LowerBounds, "leave_out", lambda bounds, cutoff: leave_out(bounds, cutoff / 100))
    assert just_below(space, best.outcome.objective + 1) is None


@pytest.mark.parametrize("copies", [2, 4])
def test_no_copies_that_were_enumerated_are_better(copies: int) -> None:
    """One array has tiles under the copied loop; the others may lie on chip, so that copies share them, or not."""
    fixes = [f"S0+S1.unroll.i={copies}", "S0+S1.j=1x2x1", "X.width=1", "Y.width=1", "S0+S1.Y.place=i"]
    space = apply_fixes(kernel_space("pair"), fixes)
    full, found = Full(space), searched(space)
    assert found is not None
    points = every_design(space, MeasuredCosts(space).in_registers())
    there = [p for p in points if p.buffer_of(ArrayId("Y"), "S0+S1").place == "i"]
    legal = [p for p in there if illegal(space.dependences, space.distribution, p) is None]
    assert {p.nests[0].unroll for p in legal} == {(("i", copies),)}
    assert found.outcome.objective == min(full(p).cycles for p in legal)


@pytest.mark.long
def test_an_interval_that_is_asked_for_is_a_choice_that_is_counted() -> None:
    """No design of all that may ask for one, or not, is better; without it, as fixed, the best one is slower."""
    text, extents = "for i in range(2):\n for k in range(4):\n  Y[i] += A[i, k]", {"Y": (2,), "A": (2, 4)}
    space = measured_space(text, extents, tree=True)
    full, found = Full(space), searched(space)
    assert found is not None and found.point is not None
    points = every_design(space, MeasuredCosts(space).in_registers())
    legal = [p for p in points if illegal(space.dependences, space.distribution, p) is None]
    assert {p.nests[0].interval for p in legal} == {0, 1} == {*space.nests[0].intervals}
    assert found.outcome.objective == min(full(p).cycles for p in legal)
    least = [searched(apply_fixes(space, [f"S0.interval={value}"])) for value in ("plain", "1")]
    objectives = [None if one is None else one.outcome.objective for one in least]
    assert objectives == [min(full(p).cycles for p in legal if p.nests[0].interval == at) for at in (0, 1)]


#: What the search is known to miss, by kernel and budget.
GAPS = {
    ("scale", "dsp"): "a narrower beat leaves a partition without remainders, which makes a nest faster",
}


@pytest.mark.parametrize("budget", ["dsp", "lut", "bram18k", "onchip_bytes"])
@pytest.mark.parametrize(
    "kernel", [pytest.param(k, marks=pytest.mark.long if k in ("dot", "zero") else ()) for k in TINY]
)
def test_nothing_that_fits_is_better(kernel: str, budget: str, request: pytest.FixtureRequest) -> None:
    """One less than the fastest design takes, and as much as the smallest one takes."""
    if reason := GAPS.get((kernel, budget)):
        request.applymarker(missed(reason))
    best = best_of_all(kernel, {})
    assert best is not None
    amounts = sorted({built.used[budget] for built in every_one(kernel)})
    for amount in {best.used[budget] - 1, amounts[0]}:
        assert wrong(kernel, {budget: amount}) is None, f"{budget} {amount}"


class OneTooMany(MeasuredCosts):
    """Overcounts every nest, which leaves the order of most designs as it is but not the bound."""

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: frozenset[ArrayId]) -> Costs:
        found = super().count(nest, tilings, placed, registers)
        return Costs(found.cycles + 1, found.usage)


class DearPipelines(MeasuredCosts):
    """Counts too much for pipelined loops."""

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: frozenset[ArrayId]) -> Costs:
        found = super().count(nest, tilings, placed, registers)
        return Costs(found.cycles + 1000.0 * (tilings.batch.level1 > 1).any(axis=0), found.usage)


class LargeNests(MeasuredCosts):
    """Takes twice the DSP slices that it should."""

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: frozenset[ArrayId]) -> Costs:
        found = super().count(nest, tilings, placed, registers)
        return Costs(found.cycles, {name: used * (1 + (name == "dsp")) for name, used in found.usage.items()})


@pytest.mark.parametrize("planted", [OneTooMany, DearPipelines, LargeNests])
def test_a_wrong_cost_model_is_refuted_by_what_was_enumerated(planted: type[MeasuredCosts]) -> None:
    tried: list[dict[str, int]] = [{}, {"dsp": 6}, {"onchip_bytes": 32}]
    assert any(wrong("scale", budgets, planted) for budgets in tried)


def missed(reason: str) -> pytest.MarkDecorator:
    """The search is known to miss a design: what mends that is to take the mark away."""
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


def check_not_beaten(space: Space, point: DesignPoint) -> None:
    """By a legal design that fits."""
    told, budget = Full(space)(point), space.target.budget
    if illegal(space.dependences, space.distribution, point) is not None:
        raise ValueError("the design is illegal")
    if any(getattr(told, name) > getattr(budget, name) for name in BUDGETS):
        raise ValueError("the design does not fit")
    found = searched(space)
    assert found is not None
    assert found.outcome.bound is not None
    assert found.outcome.bound <= told.cycles


@missed("only arrays that two calls read at the same time are tried in registers")
def test_registers_for_their_own_sake() -> None:
    space = kernel_space("scale", dsp=5)
    check_not_beaten(space, a_point(space, {"S0.i": (3, 2, 1)}, registers=("X", "Y")))


def test_tiles_of_a_small_array() -> None:
    text = "for i in range(3):\n  Y[i] = X[i] * a\nfor i in range(3):\n  Z[i] = Y[i] + X[i]"
    space = measured_space(text, {"Y": (3,), "X": (3,), "Z": (3,)})
    whole = {"S0.i": (1, 1, 3), "S1.i": (1, 1, 3)}
    check_not_beaten(space, a_point(space, whole, tiled={"S1.Z": "i"}))


def test_memory_in_whole_words() -> None:
    """Six elements in four banks take eight words; in two they take six."""
    space = measured_space("for i in range(1, 6):\n  A[i] = A[i - 1] * c", {"A": (6,)}, onchip_bytes=24)
    check_not_beaten(space, a_point(space, {"S0.i": (1, 5, 1)}, widths={"A": 4}))


def test_tiles_of_two_nests_need_no_partition_in_common() -> None:
    """Four and six copies would have twelve banks together; each buffer has its own."""
    text = "for i in range(12):\n  Y[i] = A[i] * a\nfor j in range(12):\n  Z[j] = A[j] * b"
    space = measured_space(text, {"A": (12,), "Y": (12,), "Z": (12,)}, partition=8)
    space = apply_fixes(space, ["S0.i=1x3x4", "S1.j=1x2x6", "S0.A.place=i", "S1.A.place=j"])
    point = a_point(space, {"S0.i": (1, 3, 4), "S1.j": (1, 2, 6)}, tiled={"S0.A": "i", "S1.A": "j"})
    check_not_beaten(space, point)


def test_tiles_may_lie_in_registers() -> None:
    space = kernel_space("copy", onchip_bytes=500)
    space = apply_fixes(space, ["S0.i=1x1x6", "S1.i=1x1x6", "S0.Y.place=i", "S1.Y.place=i"])
    whole = {"S0.i": (1, 1, 6), "S1.i": (1, 1, 6)}
    check_not_beaten(space, a_point(space, whole, tiled={"S0.Y": "i", "S1.Y": "i"}))


def gemm(**budgets: int) -> Space:
    scop = gemm_scop(48, 48, 48)
    return measured_space(scop.origin.text, {"C": (48, 48), "A": (48, 48), "B": (48, 48)}, **budgets)


def test_an_interrupted_search_keeps_its_incumbent() -> None:
    def stop(cost: float | None, *_: object) -> None:
        if cost is not None:
            raise KeyboardInterrupt

    space = gemm()
    full = Full(space)
    found = search(space, MeasuredCosts, "exact", Limits(), full.judge, on_progress=stop)
    assert found.outcome.stop is Stop.INTERRUPTED
    assert found.outcome.objective == full(found.point).cycles


def test_a_passed_limit_keeps_the_incumbent_with_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def linger(cost: float | None, *_: object) -> None:
        clock.passed += 600.0 * (cost is not None)

    space, clock = gemm(), Clock(monkeypatch)
    full = Full(space)
    found = search(space, MeasuredCosts, "exact", Limits(seconds=600.0), full.judge, on_progress=linger)
    assert found.outcome.stop is Stop.TIME
    assert found.outcome.objective == full(found.point).cycles
    assert found.outcome.bound is not None
    assert 0 < found.outcome.bound < found.outcome.objective


def test_no_time_leaves_a_plain_design() -> None:
    space = kernel_space("dot")
    full = Full(space)
    found = search(space, MeasuredCosts, "exact", Limits(seconds=0.0), full.judge)
    assert found.point is not None and found.outcome.stop is Stop.TIME
    assert found.outcome.objective == full(found.point).cycles
