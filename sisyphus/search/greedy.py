"""A combination that is found soon: each nest by its cycles and the price of what it takes, then nest after nest anew.

Branch and bound gives the first nests what is best for them, and the last ones what is left; where budgets are tight,
that may be a hundred times as slow. Here all nests pay the same for budgets, at one price after another; a look at a
price takes about as long as a way down of branch and bound. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sisyphus.search.costs import Floats
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Event, Incumbent
from sisyphus.search.nodes import Charges, Node, Problem
from sisyphus.values import dataclass, replace


def greedy(problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
    """One combination if it finds any that is better, nests counted as if alone; proves nothing."""
    prices = _Greedy(replace(problem, recount=None))
    yield from prices.told(prices.best(), min(upper, incumbent.cycles))


def descent(problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
    """The same from a known design, the first entry of each table: nests are chosen anew until nothing improves.

    What is chosen is counted next to the others.
    """
    prices = _Greedy(replace(problem, recount=None), Charges(problem))
    yield from prices.told(prices.improved([0] * len(problem.tables)), min(upper, incumbent.cycles))


@dataclass(frozen=True)
class _Whole:
    """An entry per table, with their cycles in all and with the price of what they take."""

    cycles: float
    cost: float
    chosen: Sequence[int]


class _Greedy:
    """The entries of all tables with what they take of the budgets."""

    def __init__(self, problem: Problem, coupled: Charges | None = None) -> None:
        self.tables, self.coupled = problem.tables, coupled
        self.charges = Charges(problem)
        least = np.array([table.cycles.min() for table in self.tables])
        self.least = max(float(least.sum()), 1.0)
        self.order: list[int] = np.argsort(-least, kind="stable").tolist()
        self.sizes = self._sizes(problem)

    def told(self, best: _Whole | None, upper: float) -> Iterator[Event]:
        """A combination of fewer cycles."""
        if best is not None and best.cycles < upper:
            chosen, last = dict(enumerate(best.chosen)), len(self.tables) - 1
            yield self.charges.whole(self.charges.beside(chosen, last), last, chosen[last])

    def improved(self, chosen: Sequence[int]) -> _Whole:
        """What becomes of these entries, which fit or not, as nests are chosen anew."""
        last = len(self.tables) - 1
        node = self.charges.beside(dict(enumerate(chosen)), last)
        cycles = float(self.charges.wholes(node, last, np.array([chosen[last]]))[0])
        return self._improved(_Whole(cycles, cycles + self._paid(chosen), chosen))

    def _sizes(self, problem: Problem) -> list[Floats]:
        """Per table and entry its shares of all budgets, summed up."""
        sizes = [np.zeros(table.count) for table in self.tables]
        for budget, arrays in zip(problem.budgets, self.charges.shares_of_residents(), strict=True):
            for m, table in enumerate(self.tables):
                used = table.usage[budget.name].sum(axis=0) + arrays[m]
                sizes[m] = sizes[m] + used / max(budget.limit, 1.0)
        return sizes

    def best(self) -> _Whole | None:
        """The best combination of all prices, the best ones improved."""
        found = [whole for price in EFFORT.prices if (whole := self._at(price * self.least)) is not None]
        distinct = sorted({tuple(whole.chosen): whole for whole in found}.values(), key=lambda whole: whole.cost)
        improved = [self._improved(whole) for whole in distinct[: EFFORT.improved_designs]]
        return min(improved, key=lambda whole: whole.cost, default=None)

    def _improved(self, whole: _Whole) -> _Whole:
        """Each nest anew beside all others, until nothing improves."""
        for _ in range(EFFORT.improving_sweeps):
            before = whole.cost
            for m in sorted(self.order, key=lambda m: -float(self.tables[m].cycles[whole.chosen[m]])):
                found = self._completed(self.charges.beside(dict(enumerate(whole.chosen)), m), m)
                if found is not None and found.cost < whole.cost:
                    whole = found
            if whole.cost >= before:
                again = self._with_pair(whole)
                if again is None or again.cost >= before:
                    break
                whole = again
        return whole

    def _with_pair(self, whole: _Whole) -> _Whole | None:
        """The nest that loses most next to the others and one that shares an array with it, chosen anew together.

        What one asks of the partition of an array may be of no use to it before the other one asks for the same.
        """
        lost = [float(t.cycles[entry] - t.cycles.min()) for t, entry in zip(self.tables, whole.chosen, strict=True)]
        m = int(np.argmax(lost))
        if lost[m] < EFFORT.worth_a_pair * whole.cycles:
            return None
        found = []
        for o, other in enumerate(self.tables):
            if o != m and other.states.keys() & self.tables[m].states.keys():
                rest = {t: entry for t, entry in enumerate(whole.chosen) if t not in (m, o)}
                unlike = self._unlike(self.charges.beside(rest, m), m)
                found += [self._completed(self.charges.beside({**rest, m: entry}, o), o) for entry in unlike]
        return min((each for each in found if each is not None), key=lambda each: each.cost, default=None)

    def _unlike(self, node: Node, m: int) -> list[int]:
        """Of the entries that ask the same of all partitions the fastest one each, the fastest first."""
        table = self.tables[m]
        groups = self.charges.asked(node, m, np.flatnonzero(self.charges.possible(node, m))).values()
        best = [int(entries[table.cycles[entries].argmin()]) for entries in groups]
        return sorted(best, key=lambda entry: float(table.cycles[entry]))[: EFFORT.paired_entries]

    def _at(self, price: float) -> _Whole | None:
        """One nest after another, the one that takes longest first, takes what costs least of what is still possible.

        None where nothing is.
        """
        node = self.charges.root()
        for m in self.order[:-1]:
            cost = self.charges.vector(node, m) + price * self.sizes[m]
            at = int(cost.argmin())
            if not np.isfinite(cost[at]):
                return None
            node = self.charges.child(node, m, at)
        return self._completed(node, self.order[-1])

    def _completed(self, node: Node, m: int) -> _Whole | None:
        """With the best entry of the last table."""
        totals = np.full(self.tables[m].count, np.inf)
        possible = np.flatnonzero(self.charges.possible(node, m))
        if not len(possible):
            return None
        totals[possible] = self.charges.wholes(node, m, possible)
        paid = EFFORT.least_price * self.least * self.sizes[m]
        if self.coupled is not None:
            best = np.argsort(totals + paid, kind="stable")[: EFFORT.coupled_entries]
            best = best[np.isfinite(totals[best])]
            if not len(best):
                return None
            alone, totals = totals, np.full(self.tables[m].count, np.inf)
            totals[best] = np.maximum(alone[best], self.coupled.wholes(node, m, best))
        at = int((totals + paid).argmin())
        by_table = {**node.chosen, m: at}
        chosen = [by_table[t] for t in range(len(by_table))]
        cycles = float(totals[at])
        return _Whole(cycles, cycles + self._paid(chosen), chosen) if np.isfinite(cycles) else None

    def _paid(self, chosen: Sequence[int]) -> float:
        sizes = [float(sizes[entry]) for sizes, entry in zip(self.sizes, chosen, strict=True)]
        return EFFORT.least_price * self.least * sum(sizes)
