"""Lower bounds of a search for measured designs: what they leave out takes for ever when it is counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from model_candidates import in_rows
from unit.search.measured_designs import Full, measured_space

from sisyphus.search import Judged, MeasuredCosts, search
from sisyphus.search.candidates import candidates_of
from sisyphus.search.chains import Chains
from sisyphus.search.costs import Mask, Placed
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, Places, Space

#: Planes of planes: their tiles are runs of memory or not, and their subscripts move with tile loops or not.
TEXT = """for i in range(4):
 for j in range(2):
  for h in range(8):
   for w in range(8):
    Y[i, h, w] += X[j, h, w] * W[i, j]"""
EXTENTS = {"Y": (4, 8, 8), "X": (2, 8, 8), "W": (4, 2)}


def trusted_space(**budgets: int) -> Space:
    return measured_space(TEXT, EXTENTS, trust="measured", **budgets)


def left_out_and_counted(costs: MeasuredCosts) -> Iterator[tuple[Mask, Mask]]:
    """Per family of places: tilings that bounds leave out, and those that take for ever when they are counted."""
    rng, [nest] = np.random.default_rng(1), costs.space.nests
    every, arrays = candidates_of(costs.space, nest, costs.states), tuple(use.array for use in nest.arrays)
    tilings = every.take(np.sort(rng.choice(every.count, 150, replace=False)))
    chains = Chains(costs.space, nest, arrays)
    active = chains.active(tilings.batch.level0)
    for bits in np.unique(active).tolist():
        some = tilings.take(active == bits)
        families = chains.families(bits)
        for family in families[rng.choice(len(families), min(len(families), 4), replace=False)]:
            sets = chains.whole(some.batch.level0[:, 0], family)
            moved = [costs.tile(nest, use, some.batch, names) for use, names in zip(nest.arrays, sets, strict=True)]
            cycles = [costs.least(nest, some).cycles, *(tile.cycles for tile in moved)]
            placed = Placed((Places(dict(zip(arrays, sets, strict=True))),), np.zeros(some.count, np.int64))
            counted = costs.count(nest, some, placed, frozenset()).cycles
            yield np.isinf(cycles).any(axis=0), np.isinf(counted)


@pytest.mark.parametrize(
    ("space", "share"), [pytest.param(in_rows(trusted_space()), 0.6, marks=pytest.mark.long), (trusted_space(), 0.4)]
)
def test_what_is_left_out_takes_for_ever_when_it_is_counted(space: Space, share: float) -> None:
    """Packed tiles are runs of memory, so that bounds know of fewer that no report has."""
    found = list(left_out_and_counted(MeasuredCosts(space)))
    left_out, counted = (np.concatenate(masks) for masks in zip(*found, strict=True))
    assert not (left_out & ~counted).any()
    assert left_out.sum() > share * counted.sum() and not counted.all()


def test_hardly_anything_is_built_that_is_not_measured() -> None:
    """With arrays that do not fit, so that tiles are transferred."""
    space, judged = trusted_space(onchip_bytes=900), list[bool]()
    full = Full(space)

    def judge(point: DesignPoint) -> Judged:
        judged.append(full(point).is_trusted)
        return full.judge(point) if judged[-1] else Judged(float("inf"), {})

    found = search(space, MeasuredCosts, "exact", Limits(), judge)
    assert found.outcome.stop is Stop.PROVED and found.point is not None and full(found.point).is_trusted
    assert sum(judged) > 0.5 * len(judged)
