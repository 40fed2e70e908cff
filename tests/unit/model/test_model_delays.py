"""Combinational operators between two starts: what they take, and what stands beside them takes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus.ir import ArrayId, Binary, Expr, Literal, Read, Ref, ScalarType, Select
from sisyphus.model.formulas.cores import delay_of
from sisyphus.model.formulas.iteration_latency import delay_to
from sisyphus.target import OperatorTable

INT = ScalarType("int", 32)
TABLE = OperatorTable(4.0, "ultrascale+")
STATE = Read(Ref(ArrayId("s"), ()), INT)


def literal(value: int) -> Literal:
    return Literal(str(value), INT)


def added(times: int) -> Expr:
    found: Expr = STATE
    for at in range(times):
        found = Binary("+", found, literal(at), INT)
    return found


def test_delays_add_up_along_the_longest_way() -> None:
    long, short = added(3), Binary("^", STATE, literal(1), INT)
    either = Select(Binary("<", short, long, INT), short, long, INT)
    assert delay_to(TABLE, long, STATE.ref) == 3 * TABLE.delay_ps("add")
    assert delay_to(TABLE, either, STATE.ref) == sum(map(TABLE.delay_ps, ("add", "add", "add", "cmp", "select")))
    assert delay_to(TABLE, literal(1), STATE.ref) is None


def test_wiring_takes_nothing() -> None:
    assert delay_of(TABLE, Binary(">>", STATE, literal(3), INT)) == 0
    assert delay_of(TABLE, Binary(">>", STATE, STATE, INT)) == TABLE.delay_ps("shr")


def interval(folder: Path, body: str) -> int:
    path = folder / "kernel.c"
    loop = f"for (int n = 0; n < 64; n++) {{ {body} }}"
    path.write_text(f"void kernel(const int x[64], int y[64])\n{{\n    int s = 1;\n    {loop}\n}}\n")
    design = sisy.optimize(path, effort=1, cache=False, verify=False)
    return max(max(task) for task in design.estimate.intervals.values())


@pytest.mark.parametrize(("updates", "starts"), [(1, 1), (2, 1), (4, 2), (8, 4)])
def test_a_state_waits_for_all_that_is_between_two_of_its_values(updates: int, starts: int, tmp_path: Path) -> None:
    """Of a period of 4 ns the tool uses 2.92: two sums and what they are combined with fit, not three."""
    assert interval(tmp_path, "s = (s ^ x[n]) + 3;" * updates + "y[n] = s;") == starts


def test_what_a_state_does_not_depend_on_can_be_done_before(tmp_path: Path) -> None:
    """Dozens of cycles of a division that is added to the state, and of one of what the state was."""
    assert interval(tmp_path, "int t = x[n] / 7; s = s + t; s = s ^ n; y[n] = s / 5;") == 1
