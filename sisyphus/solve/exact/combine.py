"""Choosing one entry per table so that the whole takes the fewest cycles, by branch and bound; knows no formula.

Nests are decided one after another, next always the one with the fewest entries left that might lead to anything
better than what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sisyphus.solve.exact.costs import Floats, Ints, Mask
from sisyphus.solve.exact.multipliers import SharedGroup, multipliers
from sisyphus.solve.exact.nodes import Charges, Node, Problem

#: Entries of the last table that are looked at together, and how many may be of no use before the others are put off.
AHEAD, PATIENCE = 128, 5
#: Two costs closer than this share of them are equal.
EPSILON = 1e-9

#: Told of every combination that may be better, its cycles and the chosen place in each table; says what others have
#: to beat from now on.
Listener = Callable[[float, Sequence[int]], float]
#: Called at every node with a lower bound of everything that is still open; may raise to stop the search.
Tick = Callable[[float], None]
#: Told of a lower bound of what was left out though another choice just like it might be better.
Doubt = Callable[[float], None]
#: A way to find the best combination below a cost: it tells of every better one that it finds, and of doubts if asked.
Combine = Callable[[Problem, float, Listener, Tick, Doubt | None], None]


class _First(Exception):  # noqa: N818 - a signal of the search to itself
    """There is a first combination, with which to begin anew."""


def branch_and_bound(problem: Problem, upper: float, listen: Listener, tick: Tick, doubt: Doubt | None) -> None:
    """Looks at every combination that costs less than `upper`; all tables have entries."""
    best = upper

    def first(cycles: float, chosen: Sequence[int]) -> float:
        nonlocal best
        best = listen(cycles, chosen)
        if np.isfinite(best):
            raise _First
        return best

    if not np.isfinite(upper):
        try:
            _Search(problem, upper, first, tick, doubt).run()
        except _First:
            pass
        else:
            return
    kept = _Search(problem, best, listen, tick, doubt).prospects()
    if all(len(entries) for entries in kept):
        tables = [table.take(entries) for table, entries in zip(problem.tables, kept, strict=True)]

        def whole(cycles: float, chosen: Sequence[int]) -> float:
            return listen(cycles, [int(entries[c]) for entries, c in zip(kept, chosen, strict=True)])

        _Search(replace(problem, tables=tables), best, whole, tick, doubt).run()


class _Search:
    """One branch and bound over the tables of a problem."""

    def __init__(self, problem: Problem, upper: float, listen: Listener, tick: Tick, doubt: Doubt | None) -> None:
        self.upper, self.listen, self.tick, self.doubt = upper, listen, tick, doubt
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
            if self.doubt is not None and self.charges.is_crowded(child):
                self._doubt_what_company_costs(child, alive, open_vectors)
            if open_vectors is not None:
                self._expand(child, open_vectors)

    def _doubt_what_company_costs(
        self, node: Node, alive: Mapping[int, Mask], vectors: Mapping[int, Floats] | None
    ) -> None:
        """Entries that would be worth a look alone but not in company.

        Of entries alike alone only one is in a table, and another one may get along better with the others.
        """
        by_itself = self.charges.by_itself(node)
        alone = self.charges.vectors(by_itself, alive, alone=True)
        if alone is None:
            return
        lower = self._lower(by_itself, alone)
        in_company = {} if vectors is None else self._lower(node, vectors)
        for m, bound in lower.items():
            left_out = bound < self._to_beat()
            if m in in_company:
                left_out &= in_company[m] >= self._to_beat()
            if self.doubt is not None and left_out.any():
                self.doubt(float(bound[left_out].min()))

    def _to_beat(self) -> float:
        return self.upper - EPSILON * abs(self.upper) if np.isfinite(self.upper) else np.inf

    def _finish(self, node: Node, totals: Floats) -> None:
        """Entries of the last table, cheapest first, for as long as they may be better.

        Where several were of no use when built, a doubt is left of the others: elsewhere something may be found.
        """
        m, patience = node.open[0], PATIENCE
        for at, entry in enumerate(order := np.argsort(totals, kind="stable")):
            total = float(totals[entry])
            if total >= self._to_beat():
                return
            self.tick(self._bound)
            if at % AHEAD == 0:
                ahead = order[at : at + AHEAD]
                self.charges.foresee(node, m, ahead[totals[ahead] < self._to_beat()])
            whole = self.charges.child(node, m, int(entry))
            in_company = self.charges.fixed(whole)
            if self.doubt is not None and in_company > total:
                self.doubt(total)
            if in_company < self._to_beat():
                before, chosen = self.upper, [whole.chosen[t] for t in range(len(whole.chosen))]
                self.upper = min(self.upper, self.listen(in_company, chosen))
                patience = PATIENCE if self.upper < before else patience - 1
                if self.doubt is not None and not patience:
                    self.doubt(total)
                    return


def _with_best_others(fixed: float, vectors: Mapping[int, Floats]) -> dict[int, Floats]:
    """Each vector with the least entry of all others added."""
    least = {m: float(vector.min()) for m, vector in vectors.items()}
    total = fixed + sum(least.values())
    return {m: vector + (total - least[m]) for m, vector in vectors.items()}
