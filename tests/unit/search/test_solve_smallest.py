"""The smallest budgets that let a design in, against searches that are known; and the sentences made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from sisyphus.search.effort import EFFORT
from sisyphus.search.infeasible import nothing_would_fit, one_is_too_small, several_are_too_small
from sisyphus.search.smallest import Need, needs_alone, needs_together
from sisyphus.target import Kind

Fits = Callable[[Mapping[str, int]], dict[str, int] | None]


def sizes(**amounts: int) -> dict[Kind, int]:
    return {Kind(name, f"--{name}", f"{name}s", name): amount for name, amount in amounts.items()}


def one_design(**takes: int) -> Fits:
    """A kernel with a single design."""
    return lambda amounts: dict(takes) if all(takes[name] <= amount for name, amount in amounts.items()) else None


@given(st.integers(0, 500), st.integers(501, 10**6), st.integers(0, 100))
def test_a_single_budget_is_found_by_what_the_design_takes(asked: int, takes: int, other: int) -> None:
    found = needs_alone(sizes(lut=asked, dsp=other), one_design(lut=takes, dsp=other), 60.0)
    assert [(need.kind.name, need.amount) for need in found] == [("lut", takes)]
    assert asked <= found[0].too_few < takes
    assert takes - found[0].too_few <= max(1, EFFORT.budget_step * takes)


@given(st.integers(1, 2000), st.integers(1, 300))
def test_a_larger_budget_lets_a_larger_design_in_and_halving_goes_below_it(least: int, waste: int) -> None:
    """The search takes the fastest design, which is larger than the smallest one by `waste` wherever that fits."""

    def fits(amounts: Mapping[str, int]) -> dict[str, int] | None:
        for takes in (least + waste, least):
            if takes <= amounts["dsp"]:
                return {"dsp": takes}
        return None

    (need,) = needs_alone(sizes(dsp=0), fits, 60.0)
    assert least <= need.amount <= least * (1 + EFFORT.budget_step) + 1
    assert fits({"dsp": need.amount}) is not None
    assert fits({"dsp": need.too_few}) is None


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(1, 50))
def test_two_budgets_that_bind_at_once_are_raised_together(lut: int, dsp: int, mem: int) -> None:
    given, fits = sizes(lut=0, dsp=0, mem=50), one_design(lut=lut, dsp=dsp, mem=mem)
    assert needs_alone(given, fits, 60.0) == ()
    found = needs_together(given, fits, 60.0)
    assert {need.kind.name: need.amount for need in found} == {"lut": lut, "dsp": dsp}
    assert found[0].ratio == max(lut, dsp)


def test_either_of_two_budgets_may_help() -> None:
    """Two designs, one with few of the first and one with few of the second."""
    designs = ({"dsp": 4, "lut": 100}, {"dsp": 1, "lut": 400})

    def fits(amounts: Mapping[str, int]) -> dict[str, int] | None:
        return next((d for d in designs if all(d[name] <= amount for name, amount in amounts.items())), None)

    found = needs_alone(sizes(dsp=2, lut=200), fits, 60.0)
    assert [(need.kind.name, need.amount) for need in found] == [("dsp", 4), ("lut", 400)]


def test_where_no_budget_helps_nothing_is_claimed() -> None:
    assert needs_alone(sizes(dsp=1), lambda _: None, 60.0) == ()
    assert needs_together(sizes(dsp=1), lambda _: None, 60.0) == ()
    assert "--fix" in (nothing_would_fit("f").hint or "")


def test_without_time_the_amount_that_was_seen_to_fit_is_told() -> None:
    (need,) = needs_alone(sizes(dsp=1), lambda a: {"dsp": min(a["dsp"], 900)} if a["dsp"] >= 7 else None, 0.0)
    assert (need.amount, need.too_few) == (900, 1)


def test_the_tightest_budget_is_named_with_what_would_do() -> None:
    (dsp, few), (lut, many) = sizes(dsp=2, lut=100).items()
    told = one_is_too_small("f", [Need(dsp, few, 4, 3), Need(lut, many, 5000, 4950)], {"dsp": 3, "lut": 9000})
    assert told.message == "no design of `f` fits: 2 dsps are too few; one was found with 4, and none with 3"
    one = one_is_too_small("f", [Need(dsp, 1, 4, 3)], {"dsp": 3})
    assert one.message.startswith("no design of `f` fits: 1 dsp is too few;")
    assert told.hint == "`--dsp 4` (the device has only 3: take a larger one), or `--lut 5000`"
    both = several_are_too_small("f", [Need(lut, many, 5000, 4950), Need(dsp, few, 4, 3)], {})
    assert "too few are 100 luts, 2 dsps; the tightest is `--lut`, 50.0 times as much" in both.message
    assert both.hint == "a design was found with `--lut 5000` `--dsp 4`"
    assert (told.exit_code, told.kind) == (3, "no-design")
