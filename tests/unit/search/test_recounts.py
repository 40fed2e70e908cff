"""Entries are counted once, and what is remembered of them is what was counted."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sisyphus.search import recounts as recounts_module
from sisyphus.search.costs import Costs, Ints
from sisyphus.search.effort import EFFORT
from sisyphus.search.recounts import Recounts
from sisyphus.values import replace

Rows = list[tuple[int, int]]


def some_rows(chance: random.Random) -> Rows:
    return [(chance.randint(0, 3), chance.randint(-1, 2)) for _ in range(chance.randint(1, 8))]


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
def test_remembered_costs_are_those_that_were_counted(remembered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recounts_module, "EFFORT", replace(EFFORT, remembered_recounts=remembered))
    for seed in range(50):
        chance, recounts, known = random.Random(seed), Recounts(), set[tuple[int, int]]()
        for _ in range(5):
            rows = some_rows(chance)
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
