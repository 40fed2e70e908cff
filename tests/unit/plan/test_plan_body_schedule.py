"""When the operations of a body start: what a schedule counts and how long it takes."""

from __future__ import annotations

from sisyphus.algebra import EXACT
from sisyphus.ir import FLOAT, Literal, StmtId
from sisyphus.plan.body_schedule import Operation, Schedule


def operation(run: int, kind: str, copies: int) -> Operation:
    return Operation(run, StmtId("S0"), Literal("1.0f", FLOAT), kind, 0, 4, copies)


def test_operations_of_one_kind_are_counted_together() -> None:
    found = (operation(0, "fadd", 3), operation(0, "fadd", 4), operation(0, "fmul", 2), operation(1, "fadd", 5))
    schedule = Schedule("i", 1, (7, 9), found, ())
    assert schedule.counts([0]) == {"fadd": 7, "fmul": 2}
    assert schedule.counts([0, 1]) == {"fadd": 12, "fmul": 2}
    assert schedule.depth(EXACT) == 9
