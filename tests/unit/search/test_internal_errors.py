"""What goes wrong inside of a search is our fault: it is shown whole, and never taken for a design that cannot be."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unit.search.solve_spaces import gemm_space

from sisyphus.cli import main
from sisyphus.errors import InternalError
from sisyphus.search import MeasuredCosts, PaperCosts, by_exact, search
from sisyphus.solve import Limits, Stop
from sisyphus.space import NotADesign

ATAX = Path(__file__).parents[3] / "kernels" / "polybench" / "atax.c"


def failing(fault: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise fault

    return fail


@pytest.mark.parametrize("fault", [InternalError("planted"), ValueError("planted"), ZeroDivisionError("planted")])
@pytest.mark.parametrize("solver", ["exact", "auto"])
def test_no_error_inside_of_the_search_is_swallowed(
    fault: Exception, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PaperCosts, "nest", failing(fault))
    with pytest.raises(type(fault), match="planted"):
        search(gemm_space(), PaperCosts, solver, Limits(seconds=60))


def test_a_design_that_is_known_outlives_a_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    space = gemm_space()
    start = search(space, PaperCosts, "exact", Limits(seconds=600)).point
    monkeypatch.setattr(PaperCosts, "nest", failing(MemoryError()))
    with pytest.raises(MemoryError):
        search(space, PaperCosts, "exact", Limits(seconds=60))
    found = search(space, PaperCosts, "exact", Limits(seconds=60), start=start)
    assert found.point == start and found.outcome.stop is Stop.UNPROVED
    assert any("memory" in note for note in found.skipped)


def test_choices_that_are_no_design_together_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nests that share a part of an array under an outer loop may unroll it by factors that no partition serves."""
    own, refused = by_exact.point_of, list[object]()

    def point_of(*given: Any) -> object:
        if not refused:
            refused.append(given)
            raise NotADesign("planted")
        return own(*given)

    monkeypatch.setattr(by_exact, "point_of", point_of)
    assert search(gemm_space(), PaperCosts, "exact", Limits(seconds=600)).point is not None and refused


@pytest.mark.parametrize("part", ["count", "least_tile", "moves"])
def test_the_command_shows_it_with_a_traceback_and_exits_70(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(MeasuredCosts, part, failing(InternalError("planted")))
    monkeypatch.setattr(sys, "argv", ["sisy", "optimize", str(ATAX), "-D", "MINI_DATASET", "-o", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 70
    shown = capsys.readouterr()
    assert "Traceback" in shown.err
    assert "planted" in shown.err
    assert not (tmp_path / "out").exists()
