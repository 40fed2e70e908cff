"""Choosing one entry per table so that the whole takes the fewest cycles, by branch and bound; knows no formula.

Nests are decided one after another, next always the one with the fewest entries left that might lead to anything
better than what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sisyphus.solve.exact.costs import Floats, Ints
from sisyphus.solve.exact.multipliers import SharedGroup, multipliers
from sisyphus.solve.exact.nodes import Charges, Node, Problem

#: Two costs closer than this share of them are equal.
EPSILON = 1e-9

#: Told of every better combination, its cycles and the chosen place in each table; says whether it is acceptable.
Listener = Callable[[float, Sequence[int]], bool]
#: Called at every node with a lower bound of everything that is still open; may raise to stop the search.
Tick = Callable[[float], None]
#: A way to find the best combination below a cost: it tells of every better one that it finds.
Combine = Callable[[Problem, float, Listener, Tick], None]


class _First(Exception):  # noqa: N818 - a signal of the search to itself
    """There is a first combination, with which to begin anew."""


def branch_and_bound(problem: Problem, upper: float, listen: Listener, tick: Tick) -> None:
    """Looks at every combination that costs less than `upper`; all tables have entries."""
    best = upper

    def first(cycles: float, chosen: Sequence[int]) -> bool:
        nonlocal best
        if listen(cycles, chosen):
            best = cycles
            raise _First
        return False

    if not np.isfinite(upper):
        try:
            _Search(problem, upper, first, tick).run()
        except _First:
            pass
        else:
            return
    kept = _Search(problem, best, listen, tick).prospects()
    if all(len(entries) for entries in kept):
        tables = [table.take(entries) for table, entries in zip(problem.tables, kept, strict=True)]

        def whole(cycles: float, chosen: Sequence[int]) -> bool:
            return listen(cycles, [int(entries[c]) for entries, c in zip(kept, chosen, strict=True)])

        _Search(replace(problem, tables=tables), best, whole, tick).run()


class _Search:
    """One branch and bound over the tables of a problem."""

    def __init__(self, problem: Problem, upper: float, listen: Listener, tick: Tick) -> None:
        self.upper, self.listen, self.tick = upper, listen, tick
        self.problem, self.charges = problem, Charges(problem)
        self._shared: tuple[SharedGroup, ...] = ()
        self._bound = -np.inf

    def run(self) -> None:
        """Looks at every combination that may be better than `upper`."""
        root = self.charges.root()
        vectors = self._begin(root)
        if vectors is not None:
            self._expand(root, vectors)

    def prospects(self) -> list[Ints]:
        """Per table the entries that may be part of a combination below `upper`."""
        root = self.charges.root()
        vectors = self._begin(root)
        if vectors is None:
            return [np.zeros(0, np.int64) for _ in root.open]
        lower = self._lower(root, vectors)
        return [np.flatnonzero(lower[m] < self._to_beat()) for m in range(len(root.open))]

    def _begin(self, root: Node) -> dict[int, Floats] | None:
        vectors = self.charges.vectors(root, {})
        if vectors is not None:
            by_nest = {self.problem.tables[m].nest: vector for m, vector in vectors.items()}
            self._shared = multipliers(self._all_shared(), by_nest)
        return vectors

    def _all_shared(self) -> list[SharedGroup]:
        """Groups of a budget in which several nests add up."""
        found = []
        for budget in self.problem.budgets:
            for group in budget.groups:
                members = [t for t in self.problem.tables if t.nest in group]
                if len(members) > 1:
                    usage = {t.nest: t.usage[budget.name].sum(axis=0) for t in members}
                    found.append(SharedGroup(budget.name, group, budget.limit, usage))
        return found

    def _lower(self, node: Node, vectors: Mapping[int, Floats]) -> dict[int, Floats]:
        """Per undecided table a lower bound of everything with each of its entries."""
        fixed = self.charges.fixed(node)
        lower = _with_best_others(fixed, vectors)
        if self._shared and len(vectors) > 1:
            priced = {m: vector + self._price(m) for m, vector in vectors.items()}
            left = (s.limit - self.charges.held(node, s.budget, s.group) for s in self._shared)
            paid = sum(s.multiplier * rest for s, rest in zip(self._shared, left, strict=True))
            other = _with_best_others(fixed - paid, priced)
            lower = {m: np.maximum(bound, other[m]) for m, bound in lower.items()}
        return lower

    def _price(self, m: int) -> Floats | float:
        nest = self.problem.tables[m].nest
        return sum((s.multiplier * s.usage[nest] for s in self._shared if nest in s.usage), 0.0)

    def _expand(self, node: Node, vectors: Mapping[int, Floats]) -> None:
        lower = self._lower(node, vectors)
        if len(node.open) == 1:
            self._finish(node, lower[node.open[0]])
            return
        alive = {m: bound < self._to_beat() for m, bound in lower.items()}
        m = min(node.open, key=lambda o: int(alive[o].sum()))
        promising = np.flatnonzero(alive[m])
        for entry in promising[np.argsort(lower[m][promising], kind="stable")]:
            if lower[m][entry] >= self._to_beat():
                break
            if not node.chosen:
                self._bound = float(lower[m][entry])
            self.tick(self._bound)
            child = self.charges.child(node, m, int(entry))
            open_vectors = self.charges.vectors(child, alive)
            if open_vectors is not None:
                self._expand(child, open_vectors)

    def _to_beat(self) -> float:
        return self.upper - EPSILON * abs(self.upper) if np.isfinite(self.upper) else np.inf

    def _finish(self, node: Node, totals: Floats) -> None:
        """The cheapest acceptable entry of the last table."""
        while True:
            entry = int(totals.argmin())
            total = float(totals[entry])
            if total >= self._to_beat():
                return
            chosen = {**node.chosen, node.open[0]: entry}
            if self.listen(total, [chosen[m] for m in range(len(chosen))]):
                self.upper = total
                return
            totals = totals.copy()
            totals[entry] = np.inf


def _with_best_others(fixed: float, vectors: Mapping[int, Floats]) -> dict[int, Floats]:
    """Each vector with the least entry of all others added."""
    least = {m: float(vector.min()) for m, vector in vectors.items()}
    total = fixed + sum(least.values())
    return {m: vector + (total - least[m]) for m, vector in vectors.items()}
