"""Block memories of both kinds together, against every choice of beats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Width
from sisyphus.search.packing import PackedBlocks
from sisyphus.target import Budget

STATES = 3
#: Per beat and state: BRAM18, URAM, and whether there is such a beat.
Options = Sequence[Sequence[tuple[int, int, bool]]]

OPTIONS = st.lists(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.booleans()),
        min_size=STATES,
        max_size=STATES,
    ),
    min_size=1,
    max_size=3,
)
LIMITS = st.tuples(st.integers(0, 12), st.integers(0, 12))


def budgets(limits: tuple[int, int]) -> list[Budget]:
    return [Budget(name, limit, ()) for name, limit in zip(("bram18k", "uram"), limits, strict=True)]


def widths(options: Options) -> list[Width]:
    nothing = np.zeros(STATES)
    return [
        Width(
            2**at,
            nothing,
            nothing,
            {name: np.array([one[kind] for one in beat], float) for kind, name in enumerate(("bram18k", "uram"))},
            np.array([one[2] for one in beat]),
        )
        for at, beat in enumerate(options)
    ]


@given(st.lists(OPTIONS, min_size=1, max_size=3), LIMITS, st.data())
def test_arrays_fit_where_some_choice_of_beats_does(
    arrays: list[Options], limits: tuple[int, int], data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, 5))
    of_nests = np.array([[data.draw(st.integers(0, 6)) for _ in range(count)] for _ in limits], float)
    states = [np.array([data.draw(st.integers(0, STATES - 1)) for _ in range(count)]) for _ in arrays]
    does_otherwise = np.array([data.draw(st.booleans()) for _ in range(count)])
    names = [ArrayId(f"A{at}") for at in range(len(arrays))]
    blocks = PackedBlocks(budgets(limits), {a: widths(options) for a, options in zip(names, arrays, strict=True)})
    found = blocks.fit(does_otherwise, of_nests, dict(zip(names, states, strict=True)))
    for at in range(count):
        own = [[beat[state[at]] for beat in options] for options, state in zip(arrays, states, strict=True)]
        expected = any(
            all(served for _, _, served in chosen)
            and all(of_nests[kind, at] + sum(one[kind] for one in chosen) <= limits[kind] for kind in range(2))
            for chosen in product(*own)
        )
        assert found[at] == (does_otherwise[at] and expected)


def test_what_may_be_in_either_kind_is_in_one() -> None:
    """Of three arrays one fits in BRAM and one in URAM, though each of them takes nothing of one of them."""
    wide_or_narrow = widths([[(0, 4, True)] * STATES, [(10, 0, True)] * STATES])
    arrays = [ArrayId(name) for name in "ABC"]
    for count, fits in ((2, True), (3, False)):
        blocks = PackedBlocks(budgets((15, 7)), dict.fromkeys(arrays[:count], wide_or_narrow))
        own = dict.fromkeys(arrays[:count], 0)
        assert blocks.fit(np.ones(1, np.bool_), np.zeros((2, 1)), own).tolist() == [fits]


def test_a_state_that_nothing_serves_holds_nothing() -> None:
    blocks = PackedBlocks(budgets((15, 7)), {ArrayId("A"): widths([[(0, 4, True)] * STATES])})
    found = blocks.fit(np.ones(2, np.bool_), np.zeros((2, 2)), {ArrayId("A"): np.array([-1, 0])})
    assert found.tolist() == [False, True]


def test_budgets_without_blocks_hold_all() -> None:
    blocks = PackedBlocks([Budget("memory", 1, ())], {ArrayId("A"): widths([[(9, 9, True)] * STATES])})
    assert blocks.fit(np.ones(1, np.bool_), np.zeros((1, 1)), {ArrayId("A"): 0}).all()
