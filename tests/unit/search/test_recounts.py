"""Entries are counted once, and what is remembered of them is what was counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sisyphus.search import recounts as recounts_module
from sisyphus.search.costs import Costs, Ints
from sisyphus.search.effort import EFFORT
from sisyphus.search.recounts import Recounts
from sisyphus.values import replace

Rows = list[tuple[int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=1, max_size=8)


def asked(recounts: Recounts, rows: Rows) -> tuple[Costs, int]:
    """What the rows cost, and how many of them were counted for that."""
    first, others = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows])
    counted = []

    def count(new: Ints) -> Costs:
        counted.append(len(new))
        return costs_of([rows[at] for at in new])

    return recounts.costs([first, others], count), sum(counted)


def costs_of(rows: Rows) -> Costs:
    """Some costs of rows, each by itself."""
    first, second = np.array(rows, float).reshape(-1, 2).T
    return Costs(7 * first + second, {"dsp": np.array([first, second, first]), "lut": second[None, :] + 0.5})


@pytest.mark.parametrize("remembered", [EFFORT.remembered_recounts, 4])
@given(st.lists(ROWS, max_size=5))
def test_remembered_costs_are_those_that_were_counted(remembered: int, calls: list[Rows]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recounts_module, "EFFORT", replace(EFFORT, remembered_recounts=remembered))
        recounts, known = Recounts(), set[tuple[int, int]]()
        for rows in calls:
            found, count = asked(recounts, rows)
            wanted = costs_of(rows)
            assert np.array_equal(found.cycles, wanted.cycles)
            assert {name: used.tolist() for name, used in found.usage.items()} == {
                name: used.tolist() for name, used in wanted.usage.items()
            }
            assert count >= len({*rows} - known)
            if remembered > 4:
                assert count == len({*rows} - known)
            known |= {*rows}
