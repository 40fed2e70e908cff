"""Where units sit: their SLRs, the banks next to them, and the budgets that bind there; knows no kernel."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from sisyphus.errors import UsageError
from sisyphus.target import Target
from sisyphus.values import dataclass

#: How many units are asked for; `auto`: as many as help.
Count = int | Literal["auto"]
AUTO: Literal["auto"] = "auto"
#: Resources of which an SLR can have too little for its share of the operations.
LIMITING = ("dsp", "lut")


@dataclass(frozen=True)
class Place:
    """An SLR with the banks that the ports of its unit use, and the target of a design there."""

    slr: int
    banks: tuple[int, ...]
    target: Target


def places(target: Target, count: int) -> tuple[Place, ...]:
    """The largest SLRs, in their order; banks are dealt in order, too. `UsageError` where there are fewer SLRs."""
    slrs, banks = target.device.slrs, target.device.banks
    if count > slrs:
        raise UsageError(
            f"`--units {count}`: `{target.device.name}` has {slrs} SLRs", hint="a unit has an SLR of its own"
        )
    weights = capacities(tuple(target.on_slr(slr, 1) for slr in range(slrs)))
    chosen = sorted(sorted(range(slrs), key=lambda slr: (-weights[slr], slr))[:count])
    found = []
    for at, slr in enumerate(chosen):
        own = tuple(bank for bank in range(banks) if (2 * bank + 1) * count // (2 * banks) == at)
        own = own or (at % banks,)
        found.append(Place(slr, own, target.on_slr(slr, len(own))))
    return tuple(found)


def capacities(targets: tuple[Target, ...]) -> tuple[Fraction, ...]:
    """What each can compute beside the largest one, by the resource that it has least of."""
    most = {name: max(getattr(t.budget, name) for t in targets) for name in LIMITING}
    return tuple(min(Fraction(getattr(t.budget, n), most[n]) for n in LIMITING if most[n]) for t in targets)
