"""Choosing one entry per table so that the whole takes the fewest cycles, by branch and bound; knows no formula.

Nests are decided one after another, next always the one with the fewest entries left that might lead to anything
better than what is known. Where nothing may be left out, of many entries alike, what nests ask of partitions is
decided before, as that says what they cost next to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from sisyphus.search.costs import Floats, Ints, Mask
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Bound, Event, Incumbent, LeftOut, Whole
from sisyphus.search.multipliers import SharedGroup, multipliers
from sisyphus.search.nodes import Charges, Node, Problem

#: Two costs closer than this share of them are equal.
EPSILON = 1e-9


def branch_and_bound(problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
    """Looks at every combination; all tables have entries.

    Entries that cannot be part of a better one are left out of all tables: once more where one is found that is a good
    deal better, as prices are then others, too.
    """
    while True:
        before = min(upper, incumbent.cycles)
        for event in without_hopeless(
            problem, upper, incumbent, lambda fewer: _Search(fewer, upper, incumbent, may_leave_out=may_leave_out).run()
        ):
            yield event
            if incumbent.cycles < before * (1 - EFFORT.worth_a_restart):
                break
        else:
            return


def without_hopeless(
    problem: Problem, upper: float, incumbent: Incumbent, combine: Callable[[Problem], Iterator[Event]]
) -> Iterator[Event]:
    """Combines only entries that lower bounds do not keep out of everything below `upper` and the incumbent."""
    kept = _Search(problem, upper, incumbent, may_leave_out=False).survivors()
    if not all(len(entries) for entries in kept):
        return
    tables = [table.take(entries) for table, entries in zip(problem.tables, kept, strict=True)]
    for event in combine(replace(problem, tables=tables, lookahead=None)):
        if isinstance(event, Whole):
            event = replace(event, chosen=tuple(int(own[c]) for own, c in zip(kept, event.chosen, strict=True)))
        yield event


class _Search:
    """One branch and bound over the tables of a problem."""

    def __init__(self, problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> None:
        self.upper, self.incumbent, self.may_leave_out = upper, incumbent, may_leave_out
        self.problem, self.charges = problem, Charges(problem)
        self._shared: tuple[SharedGroup, ...] = ()
        self._bound = -np.inf

    def run(self) -> Iterator[Event]:
        """Every combination that may be better."""
        root = self.charges.root()
        vectors = self._begin(root)
        if vectors is not None:
            yield from (self._expand if self.may_leave_out else self._agree)(root, vectors, is_all=True)

    def survivors(self) -> list[Ints]:
        """Per table the entries that may be part of a better combination."""
        root = self.charges.root()
        vectors = self._begin(root)
        if vectors is None:
            return [np.zeros(0, np.int64) for _ in root.open]
        lower = self._lower(root, vectors)
        return [np.flatnonzero(lower[m] < self._cutoff()) for m in range(len(root.open))]

    def _begin(self, root: Node) -> dict[int, Floats] | None:
        vectors = self.charges.vectors(root, {})
        if vectors is not None:
            by_nest = {self.problem.tables[m].nest: v for m, v in self.charges.in_shares(root, vectors).items()}
            self._shared = multipliers(self._all_shared(), by_nest)
        return vectors

    def _all_shared(self) -> list[SharedGroup]:
        """Every budget with the kinds of one group of nests and what is never shared, of nests and resident arrays."""
        found = []
        for budget, arrays in zip(self.problem.budgets, self.charges.shares_of_residents(), strict=True):
            for group in budget.groups:
                usage = {}
                for table, share in zip(self.problem.tables, arrays, strict=True):
                    used = table.usage[budget.name]
                    usage[table.nest] = (used.sum(axis=0) if table.nest in group else used[-1]) + share
                found.append(SharedGroup(budget.limit, usage))
        return found if len(self.problem.tables) > 1 else []

    def _lower(self, node: Node, vectors: Mapping[int, Floats], *, alone: bool = False) -> dict[int, Floats]:
        """Per undecided table a lower bound of everything with each of its entries."""
        fixed = self.charges.fixed(node)
        lower = _with_best_others(fixed, vectors)
        if self._shared and len(vectors) > 1:
            shares = self.charges.in_shares(node, vectors, alone=alone)
            priced = {m: vector + self._price(m) for m, vector in shares.items()}
            paid = sum(s.multiplier * (s.limit - self._held(node, s)) for s in self._shared)
            other = _with_best_others(fixed - paid, priced)
            lower = {m: np.maximum(bound, other[m]) for m, bound in lower.items()}
        return lower

    def _held(self, node: Node, shared: SharedGroup) -> float:
        """What the decided nests take of a shared group at least."""
        return sum(float(shared.usage[self.problem.tables[m].nest][entry]) for m, entry in node.chosen.items())

    def _price(self, m: int) -> Floats | float:
        nest = self.problem.tables[m].nest
        return sum((s.multiplier * s.usage[nest] for s in self._shared if nest in s.usage), 0.0)

    def _agree(self, node: Node, vectors: Mapping[int, Floats], *, is_all: bool) -> Iterator[Event]:
        """Decides what tables ask of partitions, until none that is left would change one; `is_all`: nothing yet.

        Entries are then bounded by what they cost next to each other: of many that ask the same, few are looked at.
        """
        lower = self._lower(node, vectors)
        alive = {m: bound < self._cutoff() for m, bound in lower.items()}
        asked = {m: self.charges.asked(node, m, np.flatnonzero(kept)) for m, kept in alive.items()}
        if not all(asked.values()):
            return
        undecided = [m for m, ways in asked.items() if [*ways] != [node.states]]
        if not undecided:
            yield from self._decide_agreed(node, vectors, is_all=is_all)
            return
        m = min(undecided, key=lambda o: len(asked[o]))
        least = {states: float(lower[m][entries].min()) for states, entries in asked[m].items()}
        for states, bound in sorted(least.items(), key=lambda way: way[1]):
            if bound >= self._cutoff():
                return
            if is_all:
                self._bound = bound
            yield Bound(self._bound)
            alive[m] = np.isin(np.arange(len(lower[m])), asked[m][states])
            below = replace(node, states=states)
            again = self.charges.vectors(below, alive)
            if again is not None:
                yield from self._agree(below, again, is_all=is_all and len(least) == 1)

    def _decide_agreed(self, node: Node, vectors: Mapping[int, Floats], *, is_all: bool) -> Iterator[Event]:
        """Decides entries once partitions are; those that another one matches only where such a one is refused."""
        is_refused = False
        for event in self._expand(node, self.charges.unmatched(node, vectors), is_all=is_all):
            yield event
            is_refused |= isinstance(event, Whole) and self.incumbent.cycles > event.cycles * (1 + EPSILON)
        if is_refused:
            yield from self._expand(node, vectors, is_all=is_all)

    def _expand(self, node: Node, vectors: Mapping[int, Floats], *, is_all: bool) -> Iterator[Event]:
        """Decides one entry after another; `is_all`: nothing was decided yet."""
        lower = self._lower(node, vectors)
        if len(node.open) == 1:
            yield from self._finish(node, lower[node.open[0]])
            return
        alive = {m: bound < self._cutoff() for m, bound in lower.items()}
        m = min(node.open, key=lambda o: int(alive[o].sum()))
        promising = np.flatnonzero(alive[m])
        promising = promising[np.argsort(lower[m][promising], kind="stable")]
        for entry in promising.tolist():
            if lower[m][entry] >= self._cutoff():
                break
            if is_all:
                self._bound = float(lower[m][entry])
            yield Bound(self._bound)
            child = self.charges.child(node, m, entry)
            open_vectors = self.charges.vectors(child, alive)
            if self.may_leave_out and self.charges.is_crowded(child):
                yield from self._dearer_coupled(child, alive, open_vectors)
            if open_vectors is not None:
                yield from self._expand(child, open_vectors, is_all=False)

    def _dearer_coupled(
        self, node: Node, alive: Mapping[int, Mask], vectors: Mapping[int, Floats] | None
    ) -> Iterator[LeftOut]:
        """Entries that would be worth a look alone but not next to others.

        Of entries alike alone only one is in a table, and another one may get along better with the others.
        """
        by_itself = self.charges.by_itself(node)
        alone = self.charges.vectors(by_itself, alive, alone=True)
        if alone is None:
            return
        lower = self._lower(by_itself, alone, alone=True)
        coupled = {} if vectors is None else self._lower(node, vectors)
        for m, bound in lower.items():
            left_out = bound < self._cutoff()
            if m in coupled:
                left_out &= coupled[m] >= self._cutoff()
            if left_out.any():
                yield LeftOut(float(bound[left_out].min()))

    def _cutoff(self) -> float:
        upper = min(self.upper, self.incumbent.cycles)
        return upper - EPSILON * abs(upper) if np.isfinite(upper) else np.inf

    def _finish(self, node: Node, totals: Floats) -> Iterator[Event]:
        """Entries of the last table, cheapest first, for as long as they may be better.

        Where several were of no use when built, the others may be left out: elsewhere something may be found.
        """
        m, patience = node.open[0], EFFORT.entries_patience
        order = np.flatnonzero(totals < self._cutoff())
        order = order[np.argsort(totals[order], kind="stable")]
        done, count = 0, EFFORT.entries_ahead if self.may_leave_out else len(order)
        while done < len(order):
            ahead = order[done : done + count]
            ahead = ahead[totals[ahead] < self._cutoff()]
            done, count = done + count, count * EFFORT.entries_growth
            if not len(ahead):
                return
            yield Bound(self._bound)
            whole, alone = self.charges.wholes(node, m, ahead), totals[ahead]
            possible = whole < (np.inf if self.may_leave_out else self._cutoff())
            for entry, coupled, least in zip(ahead[possible], whole[possible], alone[possible], strict=True):
                total = float(totals[entry])
                if total >= self._cutoff():
                    return
                if self.may_leave_out and least < coupled < np.inf and least < self._cutoff():
                    yield LeftOut(float(least))
                before = self._cutoff()
                if coupled < before:
                    yield self.charges.whole(node, m, int(entry))
                    patience = EFFORT.entries_patience if self._cutoff() < before else patience - 1
                    if self.may_leave_out and not patience:
                        yield LeftOut(total)
                        return


def _with_best_others(fixed: float, vectors: Mapping[int, Floats]) -> dict[int, Floats]:
    """Each vector with the least entry of all others added."""
    least = {m: float(vector.min()) for m, vector in vectors.items()}
    total = fixed + sum(least.values())
    return {m: vector + (total - least[m]) for m, vector in vectors.items()}
