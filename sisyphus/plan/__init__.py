"""What is built for a design point: loop tree, buffers, transfers, order of calls."""

from sisyphus.plan.body_schedule import Operation, Schedule, Touch, dump_schedule, shared_cores
from sisyphus.plan.build import build_plan
from sisyphus.plan.checks import check_point
from sisyphus.plan.conflicts import Touched, in_turn, reads_writes, side_by_side, steps, steps_of, task_transfers
from sisyphus.plan.known import KnownPlans
from sisyphus.plan.plan import FIFO_DEPTH, Buffer, Direction, Plan, Port, Task, Transfer
from sisyphus.plan.plan_text import dump
from sisyphus.plan.shape import Numbers, Shape, ShapeBuilder
from sisyphus.plan.sharing import Shared, Varying, names_in, narrowed, shared_subexpressions, varying, varying_in
from sisyphus.plan.tiles import beats_of, bursts_of, strides_of
from sisyphus.plan.tree import (
    Bound,
    Call,
    Copy,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Quotient,
    Run,
    Skip,
    Together,
    body_of,
    is_copied_work,
    walk,
)

__all__ = [
    "FIFO_DEPTH",
    "Bound",
    "Buffer",
    "Call",
    "Copy",
    "Direction",
    "For",
    "Function",
    "Guard",
    "Hold",
    "KnownPlans",
    "LoopRole",
    "Node",
    "Numbers",
    "Operation",
    "Plan",
    "Port",
    "Quotient",
    "Run",
    "Schedule",
    "Shape",
    "ShapeBuilder",
    "Shared",
    "Skip",
    "Task",
    "Together",
    "Touch",
    "Touched",
    "Transfer",
    "Varying",
    "beats_of",
    "body_of",
    "build_plan",
    "bursts_of",
    "check_point",
    "dump",
    "dump_schedule",
    "in_turn",
    "is_copied_work",
    "names_in",
    "narrowed",
    "reads_writes",
    "shared_cores",
    "shared_subexpressions",
    "side_by_side",
    "steps",
    "steps_of",
    "strides_of",
    "task_transfers",
    "varying",
    "varying_in",
    "walk",
]
