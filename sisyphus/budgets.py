"""The budgets as users name them: what a target gives of each, what a design takes of it; knows no search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, prod

from sisyphus.model import Estimate
from sisyphus.model.paper import PaperEstimate
from sisyphus.space import DesignPoint
from sisyphus.target import KINDS, Kind, Target

#: Amounts by the names of `BUDGETS`.
Amounts = Mapping[str, int]


PARTITION = "max_partition"
BUDGETS = (*KINDS, Kind(PARTITION, "--max-partition", "banks of one array", "banks of one array"))


def given(target: Target) -> dict[str, int]:
    """What there is of each budget."""
    return target.budget.amounts() | {PARTITION: target.max_partition}


def of_device(target: Target) -> dict[str, int]:
    """What the chip has of each, whatever the user gave."""
    return target.device.chip().amounts()


def with_amounts(target: Target, amounts: Amounts) -> Target:
    """The target with other budgets, which may be more than the device has."""
    budget = target.budget.with_amounts({name: amount for name, amount in amounts.items() if name != PARTITION})
    return replace(target, budget=budget, max_partition=amounts.get(PARTITION, target.max_partition))


def taken(cost: Estimate | PaperEstimate, point: DesignPoint) -> dict[str, int]:
    """What a design takes of each budget that the model knows."""
    found = {kind.name: ceil(getattr(cost, kind.name)) for kind in KINDS if hasattr(cost, kind.name)}
    return found | {PARTITION: max((prod(b.partition) for b in point.buffers), default=1)}
