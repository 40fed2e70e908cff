"""What is built for a design point: loop tree, buffers, transfers, order of calls."""

from sisyphus.plan.body_schedule import Operation, Schedule, Touch, dump_schedule, shared_cores
from sisyphus.plan.build import build_plan
from sisyphus.plan.checks import check_point
from sisyphus.plan.conflicts import Touched, in_turn, reads_writes, side_by_side, steps_of
from sisyphus.plan.interleaved import rows_apart
from sisyphus.plan.known import KnownPlans
from sisyphus.plan.memory_banks import banks_of, beats, layout_extents, spread
from sisyphus.plan.packed import as_it_lies, in_memory
from sisyphus.plan.plan import FIFO_DEPTH, Buffer, Direction, Plan, Port, Task, Transfer
from sisyphus.plan.plan_text import dump
from sisyphus.plan.shape import Numbers, Shape, ShapeBuilder
from sisyphus.plan.sharing import Varying, narrowed, shared_subexpressions, varying, varying_in
from sisyphus.plan.starts import FAR, Turning, starts_to_return, turns_between
from sisyphus.plan.streamed import not_in_one_pass, receiving, sending, streams_between
from sisyphus.plan.tile_list import MOST_TILES, TileList, are_in_a_table, interleaving, picking_loops, tables_in
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
    at_once,
    body_of,
    conditions_of,
    copies_in,
    descend,
    is_copied_work,
    stands_apart,
    walk,
)

__all__ = [
    "FAR",
    "FIFO_DEPTH",
    "MOST_TILES",
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
    "Skip",
    "Task",
    "TileList",
    "Together",
    "Touch",
    "Touched",
    "Transfer",
    "Turning",
    "Varying",
    "are_in_a_table",
    "as_it_lies",
    "at_once",
    "banks_of",
    "beats",
    "beats_of",
    "body_of",
    "build_plan",
    "bursts_of",
    "check_point",
    "conditions_of",
    "copies_in",
    "descend",
    "dump",
    "dump_schedule",
    "in_memory",
    "in_turn",
    "interleaving",
    "is_copied_work",
    "layout_extents",
    "narrowed",
    "not_in_one_pass",
    "picking_loops",
    "reads_writes",
    "receiving",
    "rows_apart",
    "sending",
    "shared_cores",
    "shared_subexpressions",
    "side_by_side",
    "spread",
    "stands_apart",
    "starts_to_return",
    "steps_of",
    "streams_between",
    "strides_of",
    "tables_in",
    "turns_between",
    "varying",
    "varying_in",
    "walk",
]
