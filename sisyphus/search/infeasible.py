"""What to say where nothing fits: that at once, and with the smallest budgets that would do once these are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus import clock
from sisyphus.errors import NothingFits
from sisyphus.search.session import Session
from sisyphus.search.smallest import Need
from sisyphus.shown import counted

FREE_A_KNOB = "free a knob fixed with --fix"


def explain_infeasible(session: Session) -> NothingFits:
    """The error to raise where a search came to its end without a design; finding out more takes further searches."""
    target = session.space.target
    area = f"{counted(target.budget.dsp, 'DSPs')}, {counted(target.budget.onchip_bytes, 'bytes on chip')}"
    return NothingFits(
        f"no design of `{session.space.scop.name}` fits {area} and {counted(target.max_partition, 'banks per array')}",
        hint=f"raise --dsp, --mem or --max-partition, or {FREE_A_KNOB}",
    )


def one_is_too_small(kernel: str, needs: Sequence[Need], device: Mapping[str, int]) -> NothingFits:
    """More of any one budget of `needs` lets a design in; the first takes the smallest raise.

    `device` has what there is of each.
    """
    first, *others = needs
    verb = "is" if first.given == 1 else "are"
    less = "" if first.too_few <= first.given else f", and none with {first.too_few:,}"
    more = "".join(f", or {_option(need, device)}" for need in others)
    return NothingFits(
        f"no design of `{kernel}` fits: {counted(first.given, first.kind.unit)} {verb} too few; one was found with "
        f"{first.amount:,}{less}",
        hint=f"{_option(first, device)}{more}",
    )


def several_are_too_small(kernel: str, needs: Sequence[Need], device: Mapping[str, int]) -> NothingFits:
    """No single budget is enough; `needs`, the tightest first, together let a design in."""
    told = ", ".join(counted(need.given, need.kind.unit) for need in needs)
    tightest = needs[0]
    return NothingFits(
        f"no design of `{kernel}` fits, and raising one budget alone does not help: too few are {told}; the tightest "
        f"is `{tightest.kind.option}`, {tightest.ratio:,.1f} times as much was needed",
        hint=f"a design was found with {' '.join(_option(need, device) for need in needs)}",
    )


def nothing_would_fit(kernel: str) -> NothingFits:
    """No design was found even without budgets."""
    return NothingFits(
        f"no design of `{kernel}` was found, not even without budgets",
        hint=f"{FREE_A_KNOB}, or give more {clock.raised()}",
    )


def nothing_is_measured(kernel: str, inferred: Sequence[str]) -> NothingFits:
    """A design was found at once with any constructs, of which these are `inferred`, and none without."""
    return NothingFits(
        f"no design of `{kernel}` was found whose constructs are all measured or documented; one of any constructs has "
        f"{', '.join(inferred)}",
        hint="leave out `--trust measured`: the report says how many cycles rest on each",
    )


def _option(need: Need, device: Mapping[str, int]) -> str:
    has = device.get(need.kind.name)
    beyond = "" if has is None or need.amount <= has else f" (the device has only {has:,}: take a larger one)"
    return f"`{need.kind.option} {need.amount}`{beyond}"
