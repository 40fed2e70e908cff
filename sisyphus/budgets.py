"""The budgets as users name them: what a target gives of each, what a design takes of it; knows no search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import ceil, prod

from sisyphus.model import Estimate
from sisyphus.model.paper import PaperEstimate
from sisyphus.space import DesignPoint
from sisyphus.target import Budget, Target

#: Amounts by the names of `BUDGETS`.
Amounts = Mapping[str, int]


@dataclass(frozen=True)
class BudgetOption:
    """A budget, the option that tightens it, and what it counts."""

    name: str
    option: str
    unit: str


PARTITION = "max_partition"
BUDGETS = (
    BudgetOption("dsp", "--dsp", "DSPs"),
    BudgetOption("onchip_bytes", "--mem", "bytes on chip"),
    BudgetOption("bram18k", "--bram", "BRAM18 blocks"),
    BudgetOption("uram", "--uram", "URAM blocks"),
    BudgetOption("lut", "--lut", "LUTs"),
    BudgetOption("ff", "--ff", "flip-flops"),
    BudgetOption(PARTITION, "--max-partition", "banks of one array"),
)
#: Those that the full model judges.
JUDGED = tuple(b.name for b in BUDGETS if b.name != PARTITION)


def given(target: Target) -> dict[str, int]:
    """What there is of each budget that has a limit."""
    found = {name: getattr(target.budget, name) for name in JUDGED}
    return {name: amount for name, amount in found.items() if amount is not None} | {PARTITION: target.max_partition}


def of_device(target: Target) -> dict[str, int]:
    """What the device has of each, whatever the user gave."""
    whole = target.device.budget()
    return {field.name: getattr(whole, field.name) for field in fields(Budget)}


def with_amounts(target: Target, amounts: Amounts) -> Target:
    """The target with other budgets, which may be more than the device has."""
    budget = replace(target.budget, **{name: amount for name, amount in amounts.items() if name != PARTITION})
    return replace(target, budget=budget, max_partition=amounts.get(PARTITION, target.max_partition))


def taken(cost: Estimate | PaperEstimate, point: DesignPoint) -> dict[str, int]:
    """What a design takes of each budget that the model knows."""
    found = {name: ceil(getattr(cost, name)) for name in JUDGED if hasattr(cost, name)}
    return found | {PARTITION: max((prod(b.partition) for b in point.buffers), default=1)}
