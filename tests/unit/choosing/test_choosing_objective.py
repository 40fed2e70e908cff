"""The search minimises the clock that it is asked for, by the same figure as the full model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.choosing.small_kernels import MULTIPLY, asked, read

from sisyphus.choose import choose
from sisyphus.request import Request, estimate_of
from sisyphus.solve import Stop
from sisyphus.space import Objective, Options
from sisyphus.target import load_device, make_target


def request_of(folder: Path, objective: Objective, **more: object) -> Request:
    target = make_target(load_device("u55c"), budget="chip", dsp=400)
    return replace(asked(folder, MULTIPLY, **more), target=target, options=Options(objective=objective))


@pytest.mark.parametrize("objective", ["report", "rtl"])
def test_what_is_proved_is_the_clock_that_was_asked_for(tmp_path: Path, objective: Objective) -> None:
    request = request_of(tmp_path, objective)
    choice = choose(read(request), request)
    cost = estimate_of(choice.kernel, choice.point, request.target)
    assert choice.outcome is not None
    assert choice.outcome.stop is Stop.PROVED
    assert choice.outcome.objective == cost.by(objective)
    assert cost.by("rtl") - cost.by("report") > 985


@pytest.mark.long
def test_a_direct_wide_load_costs_the_objective_that_sees_it(tmp_path: Path) -> None:
    """B alone is loaded longest, and directly: only the clock of RTL is worse for it."""
    found = {}
    for form in ("direct", "stream"):
        request = request_of(tmp_path, "rtl", fixes=tuple(f"{array}.transfer={form}" for array in "ABC"))
        choice = choose(read(request), request)
        assert {t.form for t in choice.point.transfers} == {form}
        found[form] = estimate_of(choice.kernel, choice.point, request.target)
    assert found["stream"].by("rtl") < found["direct"].by("rtl")
    assert found["direct"].by("report") <= found["stream"].by("report")
