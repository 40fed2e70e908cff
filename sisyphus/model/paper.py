"""The objective and the resource formulas of the Sisyphus paper; knows no solver and no measured rule.

Every formula uses only `+`, `*` and the two operations of `Numbers`, so that the same function reads as a number (for a
design point) and as an expression (for the optimization problem). What each one means was checked against the
published objectives (docs/model.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from sisyphus.analysis import LoopKind, reduction_of
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId, Binary, Call, Expr, Role, Select, Statement, Unary, is_pick, walk
from sisyphus.ir.types import REINTERPRET
from sisyphus.space import KERNEL_PLACE, ArrayUse, BufferPoint, DesignPoint, NestPoint, NestSpace, Space
from sisyphus.target import OperatorTable
from sisyphus.values import dataclass

#: Cycles and DSPs of the paper's operators; others come from the operator table.
LATENCY = {"mul": 6, "add": 7, "sub": 7}
DSP = {"mul": 3, "add": 2, "sub": 2}
#: Cycles of a statement that only writes.
PLAIN_WRITE = 1
#: Initiation interval of a pipelined reduction whose additions form a tree.
TREE_II = 6

#: A number or an expression with `+` and `*`.
V = Any

OPERATION = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem"}


class PaperAlgebra(Protocol):
    """What the formulas need beside `+` and `*`."""

    def log2(self, value: V) -> V:
        """Logarithm of a positive value."""
        ...

    def maximum(self, values: Iterable[V]) -> V:
        """The largest of some values; 0 of none."""
        ...


class PaperIntegers:
    """The reading as plain numbers."""

    def log2(self, value: V) -> V:
        return math.log2(value)

    def maximum(self, values: Iterable[V]) -> V:
        return max(values, default=0)


@dataclass(frozen=True)
class StatementCost:
    """Constants of a statement: cycles of its operations one after another, without the accumulating one; operations.

    `chain` is the latency of the accumulating operation, 0 where the statement is no reduction.
    """

    parallel: int
    chain: int
    operations: tuple[tuple[str, int, int], ...]  # operation, how many, DSPs of one


def statement_cost(statement: Statement, operators: OperatorTable, *, reduces: bool) -> StatementCost:
    """`reduces`: some loop of the nest accumulates into the element written."""
    counts = operation_counts(statement.rhs, operators)
    latency = {op: _latency(op, key, operators) for op, key in counts}
    total = sum(n * latency[op] for (op, _), n in counts.items())
    reduction = reduction_of(statement) if reduces else None
    chain = 0
    if reduction is not None:
        chain = latency.get("mul" if reduction.op == "*" else "add", latency.get("sub", LATENCY["add"]))
        total -= chain
    operations = tuple(sorted((op, n, _dsp(op, key, operators)) for (op, key), n in counts.items()))
    return StatementCost(max(total, PLAIN_WRITE), chain, operations)


def operation_counts(expr: Expr, operators: OperatorTable) -> Counter[tuple[str, str]]:
    """How often each (operation, type) occurs in an expression as written."""
    counts: Counter[tuple[str, str]] = Counter()
    for part in walk(expr):
        match part:
            case Binary(op=op) if op in OPERATION:
                counts[OPERATION[op], part.type.key] += 1
            case Binary():
                counts["cmp", part.left.type.key] += 1
            case Select():
                counts["select", part.type.key] += 1
            case Call() if is_pick(part):
                counts["cmp", part.type.key] += 1
                counts["select", part.type.key] += 1
            case Call(function=name) if name not in REINTERPRET.values():
                counts[operators.operation(name, part.type.key), part.type.key] += 1
            case Unary() | _:
                pass
    return counts


def _latency(op: str, key: str, operators: OperatorTable) -> int:
    return LATENCY[op] if op in LATENCY else operators.cost(op, key).latency


def _dsp(op: str, key: str, operators: OperatorTable) -> int:
    return DSP[op] if op in DSP else operators.cost(op, key).dsp


@dataclass(frozen=True)
class Trips:
    """Trip counts of a nest as values: products over its loops at each level.

    Coarse-grained copies (equations 6 to 9) divide `tiles`, which follow each other, and multiply `unrolled`, which all
    have operators. `pipelined_*` is the level-1 trip count of the pipelined loop if it is of that kind, else 1.
    """

    tiles: V
    unrolled: V
    reduction_unrolled: V
    pipelined_parallel: V
    pipelined_reduction: V
    pipelined_sequential: V


def trips_of(nest: NestSpace, over: Callable[[int, tuple[str, ...]], V], *, tiles: V, copies: V) -> Trips:
    """The trip counts of a nest in any reading.

    `over` gives the product of those of some loops at a level, `copies` that of the coarse-grained factors.
    """
    parallel, reductions, sequential = (
        tuple(loop.iterator for loop in nest.loops if loop.kind is kind)
        for kind in (LoopKind.PARALLEL, LoopKind.REDUCTION, LoopKind.SEQUENTIAL)
    )
    return Trips(
        tiles=tiles,
        unrolled=over(2, tuple(loop.iterator for loop in nest.loops)) * copies,
        reduction_unrolled=over(2, reductions),
        pipelined_parallel=over(1, parallel),
        pipelined_reduction=over(1, reductions),
        pipelined_sequential=over(1, sequential),
    )


def nest_latency(cost: StatementCost, trips: Trips, *, tree: bool, numbers: PaperAlgebra) -> V:
    """Cycles of a nest: tiles x (parallel + reduction part + II x (pipelined trips - 1)).

    Without tree: reduction part 7 x unrolled additions, II the same for a pipelined reduction. With tree: 7 x log2,
    II 6. The sum is arranged so that every coefficient is positive, which keeps its exponential form convex.
    """
    if cost.chain and tree:
        per_start = cost.parallel - 1 + cost.chain * numbers.log2(trips.reduction_unrolled)
        paced = per_start * trips.pipelined_sequential + TREE_II * trips.pipelined_reduction
        return trips.tiles * (paced + trips.pipelined_parallel) + trips.tiles * -TREE_II
    chain = cost.chain * trips.reduction_unrolled * trips.pipelined_reduction
    per_start = cost.parallel - 1 + chain if cost.chain else cost.parallel - 1
    return trips.tiles * (per_start * trips.pipelined_sequential + trips.pipelined_parallel)


def interval(cost: StatementCost, trips: Trips, *, tree: bool) -> V:
    """Initiation interval of a nest whose pipelined loop is a reduction (equation 5)."""
    return TREE_II if tree else cost.chain * trips.reduction_unrolled


def tile_traffic(footprint: V, transfers: V) -> V:
    """Cycles of one direction of a tiled transfer: one element per cycle."""
    return footprint * transfers


def whole_transfer(elements: int, width: int) -> int:
    """Cycles of moving a whole array, `width` elements per cycle."""
    return elements // width


def nest_cost(space: Space, nest: NestSpace) -> StatementCost:
    """The constants of a nest; several statements of one nest run one after another."""
    reduces = any(loop.kind is LoopKind.REDUCTION for loop in nest.loops)
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    parts = [statement_cost(s, space.target.operators, reduces=reduces) for s in statements]
    totals: Counter[tuple[str, int]] = Counter()
    for part in parts:
        for op, count, dsp in part.operations:
            totals[op, dsp] += count
    return StatementCost(
        parallel=sum(p.parallel for p in parts),
        chain=max(p.chain for p in parts),
        operations=tuple((op, count, dsp) for (op, dsp), count in sorted(totals.items())),
    )


def moved_arrays(space: Space) -> tuple[ArrayId, ...]:
    """Arrays that have a home off chip; the paper loads each before its first use, needed or not."""
    return tuple(a for a in space.used_arrays if space.scop.array(a).role is not Role.LOCAL)


@dataclass(frozen=True)
class PaperEstimate:
    """What the paper's model says of a design point.

    `objective` is its latency in cycles, the sum of `computation` per nest, `loads` per nest and `stores`; `dsp` is
    equation 16 or 17, `onchip_bytes` equation 12.
    """

    objective: float
    computation: tuple[tuple[str, float], ...]
    loads: tuple[tuple[str, float], ...]
    stores: float
    dsp: float
    onchip_bytes: int


def evaluate(space: Space, point: DesignPoint) -> PaperEstimate:
    """The paper's model read as numbers."""
    tree = point.tree_reduction
    computation, used = [], list[tuple[StatementCost, float]]()
    for nest in space.nests:
        cost, trips = nest_cost(space, nest), _trips(nest, point.nest(nest.id))
        computation.append((nest.id, nest.outer_trips * nest_latency(cost, trips, tree=tree, numbers=PaperIntegers())))
        reduces = trips.pipelined_reduction > 1 and cost.chain
        used.append((cost, trips.unrolled / (interval(cost, trips, tree=tree) if reduces else 1)))
    loads, stores = _communication(space, point)
    return PaperEstimate(
        objective=sum(c for _, c in computation) + sum(c for _, c in loads) + stores,
        computation=tuple(computation),
        loads=tuple(loads),
        stores=stores,
        dsp=dsp_total(used, pessimistic=space.options.reuse == "pessimistic"),
        onchip_bytes=_onchip_bytes(space, point),
    )


def _trips(nest: NestSpace, point: NestPoint) -> Trips:
    """As numbers."""

    def over(level: int, loops: Iterable[str]) -> int:
        return math.prod(point.tile(loop)[level] for loop in loops)

    copies = math.prod(factor for _, factor in point.unroll)
    return trips_of(nest, over, tiles=over(0, dict(point.tiles)) // copies, copies=copies)


def dsp_total(used: Iterable[tuple[StatementCost, float]], *, pessimistic: bool) -> float:
    """Equation 16 (largest nest per operation) or 17 (all nests); `used` has copies over II per nest."""
    per_operation: dict[str, list[float]] = {}
    for cost, copies in used:
        for op, count, dsp in cost.operations:
            per_operation.setdefault(op, []).append(count * dsp * copies)
    return sum(sum(v) if pessimistic else max(v) for v in per_operation.values())


def _communication(space: Space, point: DesignPoint) -> tuple[list[tuple[str, float]], float]:
    whole: dict[str, list[int]] = {nest.id: [] for nest in space.nests}
    tiled: dict[str, float] = {nest.id: 0 for nest in space.nests}
    stores = 0.0
    for array in moved_arrays(space):
        users = list(space.users(array))
        first = point.buffer_of(array, users[0].id)
        if first.place == KERNEL_PLACE:
            cycles = whole_transfer(space.scop.array(array).elements, point.transfer_of(first.id).width)
            whole[users[0].id].append(cycles)
            stores += cycles if any(_use(n, array).writes for n in users) else 0
            continue
        for nest in users:
            cycles = _tile_cycles(nest, _use(nest, array), point)
            tiled[nest.id] += cycles
            stores += cycles if _use(nest, array).writes else 0
    return [(n.id, PaperIntegers().maximum(whole[n.id]) + tiled[n.id]) for n in space.nests], stores


def _use(nest: NestSpace, array: ArrayId) -> ArrayUse:
    use = nest.use(array)
    if use is None:
        raise InternalError(f"nest `{nest.id}` does not use `{array}`")
    return use


def _tile_cycles(nest: NestSpace, use: ArrayUse, point: DesignPoint) -> int:
    buffer = point.buffer_of(use.array, nest.id)
    chosen = point.nest(nest.id)
    transfers = math.prod(chosen.tile(loop).level0 for loop in chosen.outside(buffer.place))
    return int(tile_traffic(use.footprint(tile_sizes(nest, chosen, buffer)), transfers)) * nest.outer_trips


def tile_sizes(nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> dict[str, int]:
    """Iterations of each loop that one transfer of a buffer serves."""
    outside = chosen.outside(buffer.place)
    return {s.iterator: chosen.tile(s.iterator).size if s.iterator in outside else s.trip_count for s in nest.loops}


def _onchip_bytes(space: Space, point: DesignPoint) -> int:
    total = 0
    for buffer in point.buffers:
        declared = space.scop.array(buffer.array)
        if buffer.place == KERNEL_PLACE:
            elements = declared.elements
        else:
            nest = space.nest(buffer.nests[0])
            elements = _use(nest, buffer.array).footprint(tile_sizes(nest, point.nest(nest.id), buffer))
        total += elements * declared.type.bytes * buffer.copies
    return total
