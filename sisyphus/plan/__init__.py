"""What is built for a design point: loop tree, buffers, transfers, order of calls."""

from sisyphus.plan.plan import Buffer, Direction, Plan, Port, Task, Transfer
from sisyphus.plan.tree import Bound, Call, Copy, For, Guard, Hold, LoopRole, Node, Quotient, Run, body_of, walk

__all__ = [
    "Bound",
    "Buffer",
    "Call",
    "Copy",
    "Direction",
    "For",
    "Guard",
    "Hold",
    "LoopRole",
    "Node",
    "Plan",
    "Port",
    "Quotient",
    "Run",
    "Task",
    "Transfer",
    "body_of",
    "walk",
]
