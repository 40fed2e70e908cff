"""Transfer limits against every choice of beats: each belongs to one that counts it at no more than it costs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sisyphus.ir import ArrayId
from sisyphus.search import transfer_limits as limits_module
from sisyphus.search.costs import Move, Placement, Step, Width
from sisyphus.search.transfer_limits import TransferLimit, transfer_limits
from sisyphus.target import Budget

SEEDS = range(25)
ARRAYS = tuple(map(ArrayId, ("A", "B", "C")))
STATES = 2


class Case:
    """Arrays with up to three beats, loaded in a first step and stored in a last one, which nests may lengthen."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.widths = {array: self._widths(rng) for array in ARRAYS}
        loads = tuple(Move(a, True) for a in ARRAYS if rng.random() < 0.8)
        stores = tuple(Move(a, False) for a in ARRAYS if rng.random() < 0.6)
        self.steps = [Step(("S0",), loads, 2.0), Step(("S1",), (), 2.0), Step((), stores, 2.0)]
        if rng.random() < 0.2:  # loads that are not all in one step have no time in common
            self.steps[:1] = [Step(("S0",), loads[:1], 2.0), Step((), loads[1:], 2.0)]
        self.budgets = [Budget("lut", 100.0, (("S0", "S1"),)), Budget("ff", 50.0, (("S0", "S1"),))]
        costs: Any = SimpleNamespace(states=dict.fromkeys(ARRAYS), by_width=lambda array: self.widths[array])
        self.transfer_limits = list(transfer_limits(costs, Placement(frozenset(ARRAYS)), self.steps, self.budgets))

    @staticmethod
    def _widths(rng: random.Random) -> list[Width]:
        """Wide beats are faster and take more; not every state leaves them."""
        found = []
        for elements in sorted(rng.sample([1, 2, 4, 8], rng.randint(1, 3)), reverse=True):
            load, store = (
                np.array([80 // elements + rng.randint(0, 4) for _ in range(STATES)], np.float64) for _ in range(2)
            )
            usage = {
                name: np.array([elements * 3 + rng.randint(0, 2) for _ in range(STATES)], np.float64)
                for name in ("lut", "ff")
            }
            found.append(Width(elements, load, store, usage, np.array([rng.random() < 0.8 for _ in range(STATES)])))
        last = found[-1]
        found[-1] = Width(last.elements, last.load, last.store, last.usage, np.ones(STATES, np.bool_))
        return found

    def choices(self) -> Iterator[tuple[dict[ArrayId, int], dict[ArrayId, Width]]]:
        """Every state and beat of all arrays that go together."""
        for numbers in product(range(STATES), repeat=len(ARRAYS)):
            states = dict(zip(ARRAYS, numbers, strict=True))
            fitting = [[w for w in self.widths[a] if w.possible[states[a]]] for a in ARRAYS]
            for widths in product(*fitting):
                yield states, dict(zip(ARRAYS, widths, strict=True))


def cycles_of(steps: Sequence[Step], cycles: Mapping[Move, float]) -> float:
    """Of all steps, whose nests take no time."""
    return sum(max([step.least, *(cycles[move] for move in step.moves)]) + step.extra for step in steps)


def counts_no_more(
    transfer_limit: TransferLimit, case: Case, states: Mapping[ArrayId, int], widths: Mapping[ArrayId, Width]
) -> bool:
    """Whether a transfer limit allows these beats and costs no more than they do."""
    if any(all(widths[a] is not allowed for allowed in transfer_limit.allowed[a]) for a in ARRAYS):
        return False
    moves = [move for step in case.steps for move in step.moves]
    actual = {move: float(widths[move.array].cycles(move)[states[move.array]]) for move in moves}
    least = {move: float(transfer_limit.moves[move][states[move.array]]) for move in moves}
    return (
        all(least[move] <= actual[move] for move in moves)
        and cycles_of(transfer_limit.steps, least) <= cycles_of(case.steps, actual)
        and all(
            transfer_limit.residents[name][a][states[a]] <= widths[a].usage[name][states[a]]
            for name in ("lut", "ff")
            for a in ARRAYS
        )
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_choice_of_beats_belongs_to_a_transfer_limit(seed: int) -> None:
    case = Case(seed)
    for states, widths in case.choices():
        assert any(counts_no_more(transfer_limit, case, states, widths) for transfer_limit in case.transfer_limits)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_transfer_limit_gives_the_smallest_beats_that_keep_to_it(seed: int) -> None:
    case = Case(seed)
    allowed = [
        tuple(tuple(w.elements for w in transfer_limit.allowed[a]) for a in ARRAYS)
        for transfer_limit in case.transfer_limits
    ]
    assert len(set(allowed)) == len(allowed)
    for transfer_limit, numbers in product(case.transfer_limits, product(range(STATES), repeat=len(ARRAYS))):
        states = dict(zip(ARRAYS, numbers, strict=True))
        fitting = {a: [w for w in transfer_limit.allowed[a] if w.possible[states[a]]] for a in ARRAYS}
        if not all(fitting.values()):
            continue
        for array, chosen in transfer_limit.widths.items():
            elements = int(chosen[states[array]])
            shares = {
                w.elements: float(w.usage["lut"][states[array]] / 100 + w.usage["ff"][states[array]] / 50)
                for w in fitting[array]
            }
            assert shares[elements] == pytest.approx(min(shares.values()))


def test_a_transfer_limit_that_is_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first test notices where the slowest loads and stores are not looked at."""
    levels = limits_module._levels
    monkeypatch.setattr(limits_module, "_levels", lambda widths, moves: levels(widths, moves)[:-1] or [0.0])
    wrong = 0
    for seed in SEEDS:
        try:
            test_every_choice_of_beats_belongs_to_a_transfer_limit(seed)
        except AssertionError:
            wrong += 1
    assert wrong
