"""Where units sit: their SLRs, the banks next to them, and the budgets that bind there; knows no kernel.

SLRs that are nearly equal are one class: each has the budget of all of them, so that one design suits them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from sisyphus.errors import UsageError
from sisyphus.target import Resources, Target
from sisyphus.values import dataclass, replace

#: How many units are asked for; `auto`: as many as help.
Count = int | Literal["auto"]
AUTO: Literal["auto"] = "auto"
#: Resources of which an SLR can have too little for its share of the operations.
LIMITING = ("dsp", "lut")
#: Of nearly equal SLRs, each has of each resource this share of the most that one of them has, or more.
NEARLY_EQUAL = Fraction(9, 10)


@dataclass(frozen=True)
class Place:
    """An SLR with the banks that the ports of its unit use, and the target of a design there.

    Places of one `kind` have equal targets.
    """

    slr: int
    banks: tuple[int, ...]
    target: Target
    kind: int = 0


def places(target: Target, count: int, part: Fraction = Fraction(1)) -> tuple[Place, ...]:
    """The largest SLRs, in their order; banks are dealt in order, too. `UsageError` where there are fewer SLRs.

    `part` is what these units may have of each budget, where others sit beside them.
    """
    slrs, banks = target.device.slrs, target.device.banks
    if count > slrs:
        raise UsageError(
            f"`--units {count}`: `{target.device.name}` has {'one SLR' if slrs == 1 else f'{slrs} SLRs'}",
            hint="a unit has an SLR of its own",
        )
    weights = capacities(tuple(target.on_slr(slr, 1) for slr in range(slrs)))
    chosen = sorted(sorted(range(slrs), key=lambda slr: (-weights[slr], slr))[:count])
    found = []
    for at, slr in enumerate(chosen):
        own = tuple(bank for bank in range(banks) if (2 * bank + 1) * count // (2 * banks) == at)
        own = own or (at % banks,)
        there = target.on_slr(slr, len(own))
        amounts = {name: int(amount * part) for name, amount in there.budget.amounts().items()}
        found.append(Place(slr, own, replace(there, budget=there.budget.with_amounts(amounts))))
    return _in_classes(found)


def _in_classes(found: Sequence[Place]) -> tuple[Place, ...]:
    """Places with what each of their class has; banks beyond that stay without ports."""
    classes = list[list[Place]]()
    for place in found:
        alike = next((c for c in classes if all(_nearly_equal(place, other) for other in c)), None)
        if alike is None:
            classes.append([place])
        else:
            alike.append(place)
    same = dict[int, Place]()
    for kind, members in enumerate(classes):
        banks = min(len(place.banks) for place in members)
        budget = Resources.least(place.target.budget for place in members)
        target = members[0].target
        target = replace(target, device=replace(target.device, banks=banks), budget=budget)
        same |= {place.slr: Place(place.slr, place.banks[:banks], target, kind) for place in members}
    return tuple(same[place.slr] for place in found)


def _nearly_equal(one: Place, other: Place) -> bool:
    """Whether neither has much more of anything, banks included."""
    mine, others = one.target.budget.amounts(), other.target.budget.amounts()
    pairs = [(len(one.banks), len(other.banks)), *((mine[name], others[name]) for name in mine)]
    return all(min(pair) >= NEARLY_EQUAL * max(pair) for pair in pairs)


def capacities(targets: tuple[Target, ...]) -> tuple[Fraction, ...]:
    """What each can compute beside the largest one, by the resource that it has least of."""
    most = {name: max(getattr(t.budget, name) for t in targets) for name in LIMITING}
    return tuple(min(Fraction(getattr(t.budget, n), most[n]) for n in LIMITING if most[n]) for t in targets)
