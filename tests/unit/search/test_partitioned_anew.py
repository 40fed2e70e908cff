"""Nests ask for other partitions than a known design has, and all others offer what goes with that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from unit.search.measured_designs import Full, kernel_space
from unit.search.test_neighbourhood import searching, slow_design, tight_space

from sisyphus.ir import ArrayId
from sisyphus.search import partitioned_anew
from sisyphus.search.effort import EFFORT
from sisyphus.search.exact import Search
from sisyphus.search.lower_bounds import Offers
from sisyphus.search.neighbourhood import Neighbourhood
from sisyphus.search.partitioned_anew import PartitionedAnew
from sisyphus.search.tables import Table
from sisyphus.space import DesignPoint
from sisyphus.values import replace

Asked = list[tuple[Offers, Sequence[Table]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The tables that nests are chosen from, while nothing else is looked at around a design."""
    return _asked(monkeypatch)


def _asked(patched: pytest.MonkeyPatch) -> Asked:
    found: Asked = []
    own = Neighbourhood.choose_anew

    def choose_anew(self: Neighbourhood, offers: Offers, tables: Sequence[Table], *ways: object) -> None:
        found.append((offers, tables))
        own(self, offers, tables, *ways)  # type: ignore[arg-type]

    patched.setattr(Neighbourhood, "choose_anew", choose_anew)
    patched.setattr(Neighbourhood, "look", lambda _: None)
    return found


def goes_with(asking: Table, tables: Sequence[Table], offers: Offers) -> bool:
    """Whether this table asks for one partition of each array, and no choice of any table for more than that."""
    states = offers.bounds.costs.states
    if any(len({*own.tolist()}) != 1 for own in asking.states.values()):
        return False
    wanted = {array: int(own[0]) for array, own in asking.states.items()}
    return all(
        (states[array].joined_with(wanted[array])[own] == wanted[array]).all()
        for table in tables
        for array, own in table.states.items()
        if array in wanted
    )


@pytest.fixture(scope="module")
def around_a_slow_design() -> tuple[Asked, list[float], Search, DesignPoint]:
    """What was asked for around a design, what all that was found costs, the search and the design."""
    costs = list[float]()
    with pytest.MonkeyPatch.context() as patched:
        found = _asked(patched)
        space = tight_space()
        slow = slow_design(space)
        state = searching(space, slow, costs)
        PartitionedAnew(state, slow).look()
    return found, costs, state, slow


def test_all_nests_offer_what_goes_with_what_one_asks_for(
    around_a_slow_design: tuple[Asked, list[float], Search, DesignPoint],
) -> None:
    asked, *_ = around_a_slow_design
    assert len(asked) > 1
    assert all(any(goes_with(table, tables, offers) for table in tables) for offers, tables in asked)
    offers, tables = asked[0]
    others = next(
        tables for _, tables in asked if not any(goes_with(t, [*tables, *asked[0][1]], offers) for t in tables)
    )
    assert others is not tables  # what goes with one partition does not go with another one


def test_it_finds_better_designs_around_each_better_one(
    around_a_slow_design: tuple[Asked, list[float], Search, DesignPoint],
) -> None:
    _, costs, state, slow = around_a_slow_design
    assert min(costs) * 2 < Full(state.costs.space)(slow).cycles
    assert state.best is not None and state.best.cycles == state.incumbent.cycles


def test_no_partition_is_asked_for_twice_around_one_design(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is better, what all prices ask for is looked at once."""
    found, own = list[tuple[str, tuple[tuple[object, int], ...]]](), partitioned_anew._asking_for

    def asking_for(table: Table, wanted: Mapping[ArrayId, int]) -> Table:
        found.append((table.nest, tuple(wanted.items())))
        return own(table, wanted)

    monkeypatch.setattr(partitioned_anew, "_asking_for", asking_for)
    monkeypatch.setattr(Neighbourhood, "choose_anew", lambda *_: None)
    space = tight_space()
    slow = slow_design(space)
    PartitionedAnew(searching(space, slow, []), slow).look()
    assert len(found) > EFFORT.asked_partitions  # at more than one price
    assert len({*found}) == len(found)


def test_nothing_is_asked_for_where_no_choice_is_of_interest(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    space = tight_space()
    slow = slow_design(space)
    state = searching(space, slow, [])
    monkeypatch.setattr(state, "accept", lambda _: pytest.fail("nothing is cheaper than nothing"))
    state.incumbent.cycles = 1.0
    PartitionedAnew(state, slow).look()
    assert not asked


def test_a_search_goes_on_after_a_look_around(asked: Asked) -> None:
    space = kernel_space("scale")
    slow = slow_design(space)
    state = searching(space, slow, [])
    around = state.look_around(state.terms)
    assert not around.complete
    result = state.go_on(replace(state.terms, near=None))
    assert result.complete and result.solution is not None
    assert around.solution is None or result.solution.cycles <= around.solution.cycles
