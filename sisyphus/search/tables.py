"""A table of choices of a nest, and what of it is kept: the cheapest, what fits, no equal ones; counts nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sisyphus.algebra import distinct, first_of_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Table:
    """Choices of a nest: cycles, demands on partitions per array, usage per budget [kind, choice].

    `rows` are places in the candidates of the nest, `families` the sets of loops outside of each tiled array and, last,
    whether tiles are loaded ahead. No choice of at most `complete_to` cycles is missing but those that others match.
    """

    nest: str
    cycles: Floats
    states: Mapping[ArrayId, Ints]
    usage: Mapping[str, Floats]
    rows: Ints
    families: Ints
    complete_to: float = np.inf

    @property
    def count(self) -> int:
        return len(self.cycles)

    def take(self, chosen: Ints | Mask) -> Table:
        return replace(
            self,
            cycles=self.cycles[chosen],
            states={a: s[chosen] for a, s in self.states.items()},
            usage={b: u[:, chosen] for b, u in self.usage.items()},
            rows=self.rows[chosen],
            families=self.families[chosen],
        )


def of_few_kinds(table: Table, most: int) -> Table:
    """Entries with some of the places, those of the cheapest ones and others: each kind is counted by itself."""
    first, kind = first_of_rows(list(table.families.T))
    chosen = np.argsort(first)[spread(len(first), most)]
    return table.take(np.isin(kind, chosen))


def spread(count: int, most: int) -> Ints:
    """At most so many of `count` places: the first ones, and as many evenly spread over the others."""
    if count <= most:
        return np.arange(count)
    rest = np.linspace(most // 2, count - 1, most - most // 2).astype(np.int64)
    return np.asarray(distinct(np.concatenate([np.arange(most // 2), rest])), np.int64)


def fitting_alone(table: Table, limit: float, budgets: Mapping[str, float]) -> Table:
    """Entries of at most `limit` cycles that fit the budgets alone; those that take for ever never do."""
    kept = (table.cycles <= limit) & np.isfinite(table.cycles)
    complete_to = table.complete_to if kept.all() else min(limit, table.complete_to)
    for name, most in budgets.items():
        kept &= table.usage[name].sum(axis=0) <= most
    return replace(table.take(kept), complete_to=complete_to)


def cheapest(table: Table, limit: float, lower: Floats, most: int) -> tuple[Table, float]:
    """The cheapest entries, no more than `most` unless their cycles are the same, and the limit that leaves them.

    `lower` is then of what is left out, too.
    """
    kept = table.cycles <= limit
    if kept.sum() > most:
        last = float(np.partition(table.cycles, most)[most])
        limit = last if last <= table.cycles.min() else just_below(last)
        kept = table.cycles <= limit
    np.minimum.at(lower, table.rows[~kept], table.cycles[~kept])
    return table.take(kept), limit


def just_below(cycles: float) -> float:
    """The largest number that is less."""
    return float(np.nextafter(cycles, -np.inf))


def joined_tables(parts: Sequence[Table]) -> Table:
    """Entries one after another."""
    first = parts[0]
    return replace(
        first,
        cycles=np.concatenate([p.cycles for p in parts]),
        states={a: np.concatenate([p.states[a] for p in parts]) for a in first.states},
        usage={b: np.concatenate([p.usage[b] for p in parts], axis=1) for b in first.usage},
        rows=np.concatenate([p.rows for p in parts]),
        families=np.concatenate([p.families for p in parts]),
    )


def pareto(table: Table) -> Table:
    """Without choices that another one matches in cycles, in every kind of usage and in all demands.

    Some that are matched may stay: only choices that differ in one kind at most are compared. What is left is sorted
    by cycles.
    """
    if table.count < 2:
        return table
    kinds = _ranks(table)
    same, compared = kinds[:-1], kinds[-1]
    groups = [*same, *table.states.values()]
    order = np.lexsort([table.rows, compared, table.cycles, *groups])
    fresh = np.zeros(table.count, np.bool_)
    fresh[0] = True
    for key in groups:
        fresh[1:] |= key[order][1:] != key[order][:-1]
    # later groups lie below all earlier ones, so that the running minimum starts anew in each
    shifted = compared[order] - np.cumsum(fresh) * (table.count + 1)
    kept = fresh.copy()
    kept[1:] |= shifted[1:] < np.minimum.accumulate(shifted)[:-1]
    left = order[kept]
    return table.take(left[np.argsort(table.cycles[left], kind="stable")])


def _ranks(table: Table) -> list[Ints]:
    """Every kind of usage as ranks, kinds that rank all choices alike only once; at least one."""
    found: list[Ints] = []
    for used in table.usage.values():
        for kind in used:
            ranks = np.asarray(np.unique(kind, return_inverse=True)[1], np.int64)
            if ranks.any() and not any(np.array_equal(ranks, other) for other in found):
                found.append(ranks)
    return found or [np.zeros(table.count, np.int64)]
