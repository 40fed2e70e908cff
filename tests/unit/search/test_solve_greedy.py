"""What a search puts together at first, nest by nest: it fits, costs what it says, and each nest is at its best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from best_of_space import find_best
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.search.listening import wholes
from unit.search.measured_designs import Full, kernel_space, measured_space

from sisyphus import clock
from sisyphus.ir import ArrayId
from sisyphus.search import Combine, MeasuredCosts, Problem, search
from sisyphus.search import start as start_module
from sisyphus.search.chains import Chains
from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import Placement, Step
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Bound, Event
from sisyphus.search.exact import Search, Terms, Verdict
from sisyphus.search.greedy import greedy
from sisyphus.search.lower_bounds import Offers
from sisyphus.search.partitions import Lattice, States
from sisyphus.search.sampling import Sample
from sisyphus.search.start import with_shares
from sisyphus.search.tables import Table
from sisyphus.solve import Limits
from sisyphus.space import Factors
from sisyphus.target import Budget

#: Per nest its choices: cycles, and what each takes of one budget.
Nests = Sequence[Sequence[tuple[int, int]]]
LIMIT = 20
#: For four nests: less than their fastest design takes.
LUTS = 30_000
nests = st.lists(
    st.lists(st.tuples(st.integers(1, 999), st.integers(0, 12)), min_size=1, max_size=5), min_size=1, max_size=4
)


def problem_of(nests: Nests) -> Problem:
    """Nests one after another, which share nothing but a budget."""
    tables = []
    for at, choices in enumerate(nests):
        count = len(choices)
        usage = {"lut": np.array([[0.0] * count, [float(used) for _, used in choices]])}
        cycles = np.array([float(cycles) for cycles, _ in choices])
        rows = np.arange(count)
        tables.append(Table(f"S{at}", cycles, {}, usage, rows, np.zeros((count, 0), np.int64)))
    names = tuple(table.nest for table in tables)
    steps = [Step((name,), (), 0.0) for name in names]
    return Problem(tables, steps, [Budget("lut", LIMIT, (names,))], {}, {})


def told_by(combine: Combine, problem: Problem) -> list[tuple[float, list[int]]]:
    return [(whole.cycles, list(whole.chosen)) for whole in wholes(combine, problem)]


def sums(nests: Nests, chosen: Sequence[int]) -> tuple[int, int]:
    picks = [choices[entry] for choices, entry in zip(nests, chosen, strict=True)]
    return sum(cycles for cycles, _ in picks), sum(used for _, used in picks)


@given(nests)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_no_nest_alone_would_do_better(nests: Nests) -> None:
    told = told_by(greedy, problem_of(nests))
    fitting = [c for c in product(*(range(len(n)) for n in nests)) if sums(nests, c)[1] <= LIMIT]
    assert bool(told) == bool(fitting)
    for cycles, chosen in told:
        own, used = sums(nests, chosen)
        assert own == cycles
        assert used <= LIMIT
        price = EFFORT.least_price * sum(min(cycles for cycles, _ in choices) for choices in nests) / LIMIT
        near = [c for c in fitting if sum(a != b for a, b in zip(c, chosen, strict=True)) <= 1]
        costs = [sums(nests, c)[0] + price * sums(nests, c)[1] for c in near]
        assert own + price * used <= min(costs) + 1e-6


def test_no_two_nests_ask_for_partitions_that_none_serves() -> None:
    """On its own each would have seven, or eleven, banks; together that is more than there may be."""
    array = ArrayId("A")
    states = States([Lattice((1, 7, 11, 77), Factors((1, 7, 11, 77), 77))], [1], 12)
    asked = {factor: at for at, factor in enumerate((1, 7, 11))}
    problem = problem_of([[(10, 1), (90, 1)], [(10, 1), (95, 1)]])
    tables = [
        replace(table, states={array: np.array([asked[own], states.start])})
        for table, own in zip(problem.tables, (7, 11), strict=True)
    ]
    told = told_by(greedy, replace(problem, tables=tables, states={array: states}))
    assert told and told[0][0] in (100, 105)


def test_two_nests_ask_for_another_partition_together() -> None:
    """Neither may have 11 banks while the other one has 7, and one bank is slower than staying."""
    array = ArrayId("A")
    states = States([Lattice((1, 7, 11, 77), Factors((1, 7, 11, 77), 77))], [1], 12)
    problem = problem_of([[(10, 1), (11, 1), (600, 1)], [(500, 1), (10, 1), (990, 1)]])
    asked = np.array([1, 2, states.start])
    tables = [replace(table, states={array: asked}) for table in problem.tables]
    problem = replace(problem, tables=tables, states={array: states})
    assert [cycles for cycles, _ in told_by(greedy, problem)] == [21]


def test_the_first_nest_leaves_something_to_the_others() -> None:
    """Were the slowest nest given its best choice, another one would have to do with what is left."""
    nests = [[(1000, 12), (1030, 6), (1900, 0)], [(10, 10), (5000, 2)], [(20, 4), (60, 1)]]
    assert [cycles for cycles, _ in told_by(greedy, problem_of(nests))] == [1060]


def test_shares_become_smaller_and_then_a_little_larger() -> None:
    asked: list[float] = []

    def is_refused(share: float) -> bool:
        asked.append(share)
        return share > 0.66

    with_shares(is_refused)
    at = EFFORT.budget_shares.index(0.6)
    assert asked[: at + 1] == list(EFFORT.budget_shares[: at + 1])
    assert len(asked) == at + 1 + EFFORT.budget_halves
    assert asked[-2:] == pytest.approx([0.65, 0.675])


def test_what_always_is_refused_is_no_longer_tried() -> None:
    asked: list[float] = []
    with_shares(lambda share: not asked.append(share))  # type: ignore[func-returns-value]
    assert asked == list(EFFORT.budget_shares)


def test_no_other_share_is_tried_once_time_is_over_and_there_is_a_design() -> None:
    asked: list[float] = []
    with_shares(lambda share: not asked.append(share), lambda: len(asked) == 2)  # type: ignore[func-returns-value]
    assert asked == list(EFFORT.budget_shares[:2])


FOUR_NESTS = """
for i in range(16):
    for j in range(16):
        A[i, j] = A[i, j] * a
for i in range(16):
    for j in range(16):
        for k in range(16):
            C[i, j] += A[i, k] * B[k, j]
for i in range(16):
    for j in range(16):
        D[i, j] = C[i, j] * c + D[i, j]
for i in range(16):
    for j in range(16):
        Y[i] += D[i, j] * X[j]
"""


def first_design() -> float:
    """Cycles of the first design of four nests that have few LUTs."""
    square = dict.fromkeys("ABCD", (16, 16))
    space = measured_space(FOUR_NESTS, {**square, "X": (16,), "Y": (16,)}, lut=LUTS)
    heard: list[float] = []

    def listen(cost: float | None, bound: float | None, seconds: float) -> None:
        if cost is not None:
            heard.append(cost)
            raise KeyboardInterrupt

    search(space, MeasuredCosts, "exact", Limits(), Full(space).judge, on_progress=listen)
    return heard[0]


def test_the_first_design_is_good_where_a_budget_is_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    # nothing is easy enough to be found by the way
    monkeypatch.setattr("sisyphus.search.exact.EFFORT", replace(EFFORT, easy_work=0))
    found = first_design()
    monkeypatch.setattr(start_module, "greedy", lambda *_, **__: iter(()))
    assert 5 * found < first_design()


def test_of_what_no_design_exceeded_there_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A design with few operations may need all of the memory."""
    tried = list[dict[str, float]]()

    def short(state: Search, offers: Offers, *_: object, **__: object) -> int:
        state.exceeded.add("lut")
        tried.append({budget.name: budget.limit for budget in offers.budgets})
        return 1

    monkeypatch.setattr(start_module, "short", short)
    space = kernel_space("copy")
    state = Search(MeasuredCosts(space), Terms(), lambda s: Verdict(s.cycles, s.cycles), lambda _: None, greedy)
    assert state.lower_bounds.prepare()
    start_module.first_designs(state)
    whole = tried[0]
    less = [limits for limits in tried if limits["lut"] < whole["lut"]]
    assert any(limits["uram"] < whole["uram"] for limits in less)
    least = min(less, key=lambda limits: (limits["lut"], -limits["uram"]))
    assert least == {**whole, "lut": least["lut"]}


@pytest.mark.parametrize("deadline", [None, 1.0])
def test_what_costs_no_ports_is_not_looked_for_without_end(deadline: float | None) -> None:
    """None of it would be a design, and any bound of it will do."""
    space = measured_space(FOUR_NESTS, {**dict.fromkeys("ABCD", (16, 16)), "X": (16,), "Y": (16,)})
    parts = list[int]()

    def endless(*_: object, **__: object) -> Iterator[Event]:
        while True:
            parts.append(len(parts))
            clock.did(clock.WORK_OF_ONE // 10)
            yield Bound(float(len(parts)))

    with clock.counting():
        state = Search(MeasuredCosts(space), Terms(), lambda s: Verdict(s.cycles, s.cycles), lambda _: None, endless)
        assert state.lower_bounds.prepare()
        placement = Placement(frozenset())
        offers = state.lower_bounds.offers(placement)
        tables = {n: o.sample(np.inf, offers.most, Sample(10, 1, 0.0)) for n, o in offers.options.items()}
        state.lower_bounds.deadline.at = None if deadline is None else clock.now() + deadline
        found = state._least_open(offers, tables, np.inf)
    assert found < np.inf
    assert len(parts) == (EFFORT.parts_without_ports + 2 if deadline is None else 11)


def test_a_sample_needs_no_order_of_all_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixed tile may leave none; `sisy optimize --fix` ended in an internal error."""
    space = measured_space(FOUR_NESTS, {**dict.fromkeys("ABCD", (16, 16)), "X": (16,), "Y": (16,)})
    state = Search(
        MeasuredCosts(space), Terms(), lambda s: Verdict(s.cycles, s.cycles), lambda _: None, branch_and_bound
    )
    assert state.lower_bounds.prepare()
    offers = state.lower_bounds.offers(Placement(frozenset()))
    own = Chains.families
    every = (1 << max(len(nest.loops) for nest in space.nests)) - 1
    monkeypatch.setattr(Chains, "families", lambda self, bits: own(self, bits)[: 0 if bits == every else None])
    for options in offers.options.values():
        options.sample(np.inf, offers.most, Sample(10, 1, 0.0))


class BegunError(Exception):
    """Short searches were asked for."""


@pytest.mark.parametrize("deadline", [None, 1.0])
def test_parts_without_a_design_are_work_or_time_after_which_short_searches_begin(
    monkeypatch: pytest.MonkeyPatch, deadline: float | None
) -> None:
    """Half of the time limit is sooner than so much work is done."""
    asked, most = list[int](), EFFORT.easy_work // EFFORT.work_of_a_part
    part_takes = clock.WORK_OF_ONE // 10

    def only_bounds(*_: object, **__: object) -> Iterator[Event]:
        for part in range(2 * most):
            asked.append(part)
            clock.did(part_takes)
            yield Bound(0.0)

    def begun(_: object) -> list[Placement]:
        raise BegunError

    monkeypatch.setattr("sisyphus.search.exact.first_designs", begun)
    space = measured_space(FOUR_NESTS, {**dict.fromkeys("ABCD", (16, 16)), "X": (16,), "Y": (16,)})
    with pytest.raises(BegunError), clock.counting():
        find_best(MeasuredCosts(space), Terms(deadline), combine=only_bounds)
    assert 0 < len(asked) <= (most if deadline is None else 6)


@pytest.mark.parametrize(("size", "begins"), [(16, False), (2600, True)])
def test_where_not_all_fits_on_chip_short_searches_come_first_also_below_a_known_design(
    monkeypatch: pytest.MonkeyPatch, size: int, begins: bool
) -> None:
    """Of four arrays of 27 MB none is on chip."""

    def begun(_: object) -> list[Placement]:
        raise BegunError

    monkeypatch.setattr("sisyphus.search.exact.first_designs", begun)
    square, text = dict.fromkeys("ABCD", (size, size)), FOUR_NESTS.replace("16", str(size))
    space = measured_space(text, {**square, "X": (size,), "Y": (size,)})
    looks = list[object]()
    monkeypatch.setattr(Search, "look_at", lambda _, task, __: looks.append(task) or iter(()))
    try:
        find_best(MeasuredCosts(space), Terms(upper=1e15))
    except BegunError:
        assert begins and not looks
    else:
        assert looks and not begins
