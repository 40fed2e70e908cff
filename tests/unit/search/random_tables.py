"""Small random tables over arrays with a lattice of partitions, for tests of what ties choices of nests together."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import lcm, prod

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats
from sisyphus.search.partitions import IMPOSSIBLE, Lattice, States
from sisyphus.search.tables import Table
from sisyphus.space import Factors
from sisyphus.target import Budget

ARRAYS = tuple(map(ArrayId, ("A", "B")))
KINDS = 2


def random_states(rng: random.Random) -> dict[ArrayId, States]:
    """Two arrays of one or two dimensions that may have few banks."""
    found = {}
    for array in ARRAYS:
        extents = rng.choice([(12,), (6, 4)])
        divisors = [tuple(d for d in range(1, n + 1) if n % d == 0) for n in extents]
        lattices = [Lattice(d, Factors(d, n)) for d, n in zip(divisors, extents, strict=True)]
        found[array] = States(lattices, [1, 2], rng.choice([6, 24]))
    return found


def random_tables(rng: random.Random, states: Mapping[ArrayId, States], count: int) -> list[Table]:
    """Tables of up to four entries, each of which asks something of some of the arrays."""
    return [_table(rng, states, f"S{at}") for at in range(count)]


def _table(rng: random.Random, states: Mapping[ArrayId, States], nest: str) -> Table:
    entries = rng.randint(1, 4)
    asked = {a: np.array(rng.choices(range(s.count), k=entries)) for a, s in states.items() if rng.random() < 0.7}
    usage = {
        name: np.array([rng.choices(range(6), k=entries) for _ in range(KINDS)], np.float64) for name in ("dsp", "lut")
    }
    cycles = np.array(rng.choices(range(10, 40), k=entries), np.float64)
    return Table(nest, cycles, asked, usage, np.arange(entries), np.zeros((entries, 0), np.int64))


def random_budgets(rng: random.Random, tables: Sequence[Table]) -> list[Budget]:
    """Two budgets over the nests in groups, of which one pays for what two groups share."""
    nests = [table.nest for table in tables]
    cut = rng.randint(1, len(nests))
    groups = tuple(group for group in (tuple(nests[:cut]), tuple(nests[cut:])) if group)
    return [
        Budget("dsp", rng.randint(5, 20), groups),
        Budget("lut", rng.randint(5, 25), groups, (rng.choice([0.25, 0.5]), 0.0)),
    ]


def random_residents(rng: random.Random, states: Mapping[ArrayId, States]) -> dict[str, dict[ArrayId, Floats]]:
    """What arrays take per state; more banks need not take more."""
    return {
        name: {a: np.array(rng.choices(range(5), k=s.count), np.float64) for a, s in states.items()}
        for name in ("dsp", "lut")
    }


def together(states: States, *numbers: int) -> int:
    """What several demands come to, by least common multiples."""
    if IMPOSSIBLE in numbers:
        return IMPOSSIBLE
    asked = [[la.values[p] for la, p in zip(states.lattices, states.places[n], strict=True)] for n in numbers]
    joined = [lcm(*values) for values in zip(*asked, strict=True)]
    places = [la.index.get(v) for la, v in zip(states.lattices, joined, strict=True)]
    if any(place is None for place in places) or prod(joined) > max(int(banks) for banks in states.bare.prod(axis=1)):
        return IMPOSSIBLE
    return next((n for n, row in enumerate(states.places.tolist()) if row == places), IMPOSSIBLE)
