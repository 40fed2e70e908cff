"""Runs scops and plans on Python floats: the meaning that every plan must have.

A plan runs with its buffers and copies as they are, fresh buffers full of NaN, so that stale or missing data shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from sisyphus.ir import ArrayId, Binary, Call, Cast, Expr, Index, Literal, Read, Ref, Role, Scalar, Scop, Select, Unary
from sisyphus.plan import (
    Bound,
    Buffer,
    Copy,
    Direction,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Run,
    Task,
    TileList,
    Together,
    tables_in,
)
from sisyphus.plan import Call as TaskCall
from sisyphus.poly import each_point

Element = tuple[int, ...]
Memory = dict[ArrayId, dict[Element, float]]

BINARY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else math.inf,
    "<": lambda a, b: float(a < b),
    "==": lambda a, b: float(a == b),
    "&&": lambda a, b: float(bool(a) and bool(b)),
    "||": lambda a, b: float(bool(a) or bool(b)),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
}
CALLS: dict[str, Callable[..., float]] = {
    "fmax": max,
    "fmin": min,
    "sqrt": lambda x: math.sqrt(abs(x)),
    "fabs": abs,
    "fmaxf": max,
    "sqrtf": lambda x: math.sqrt(abs(x)),
    "expf": lambda x: math.exp(min(x, 50.0)),
    "powf": lambda x, y: abs(x) ** y,
}


def evaluate(expr: Expr, point: Mapping[str, int], read: Callable[[Ref], float], scalars: Mapping[str, float]) -> float:
    """The value of an expression, operands left to right."""
    match expr:
        case Literal(text=text):
            return float(text.rstrip("fFuUlL"))
        case Scalar(name=name):
            return scalars[name]
        case Index(value=value):
            return float(value.evaluate(point))
        case Read(ref=ref):
            return read(ref)
        case Cast(operand=operand):
            return evaluate(operand, point, read, scalars)
        case Unary(op="-", operand=operand):
            return -evaluate(operand, point, read, scalars)
        case Binary(op=op, left=left, right=right):
            return BINARY[op](evaluate(left, point, read, scalars), evaluate(right, point, read, scalars))
        case Call(function=name, arguments=arguments):
            return CALLS[name](*(evaluate(a, point, read, scalars) for a in arguments))
        case Select(condition=c, then=then, other=other):
            return evaluate(then if evaluate(c, point, read, scalars) else other, point, read, scalars)
    raise AssertionError(expr)


def some_memory(scop: Scop, seed: int = 1) -> Memory:
    """Array arguments with values that differ from one element to the next; local arrays hold NaN."""
    memory: Memory = {}
    for number, array in enumerate(scop.arrays):
        elements = product(*(range(e) for e in array.extents))
        memory[array.id] = {
            at: math.nan if array.role is Role.LOCAL else ((place * 37 + number * 11 + seed) % 101) / 8.0 - 5.0
            for place, at in enumerate(elements)
        }
    return memory


def some_scalars(scop: Scop) -> dict[str, float]:
    return {a.name: 0.5 + 0.25 * at for at, a in enumerate(scop.scalars)}


def copied(memory: Memory) -> Memory:
    return {array: dict(elements) for array, elements in memory.items()}


def run_source(scop: Scop, memory: Memory) -> Memory:
    """Every instance in the order of the source."""
    memory, scalars = copied(memory), some_scalars(scop)
    instances = []
    for at, statement in enumerate(scop.statements):
        for point in each_point(statement.domain, 1_000_000):
            values = [point[name] for name in statement.iterators]
            key = [n for pair in zip(statement.position, values, strict=False) for n in pair] + [statement.position[-1]]
            instances.append((key, at, point))
    for _, at, point in sorted(instances, key=lambda i: (i[0], i[1])):
        statement = scop.statements[at]

        def read(ref: Ref, point: Mapping[str, int] = point) -> float:
            return memory[ref.array][element(ref, point)]

        value = evaluate(statement.rhs, point, read, scalars)
        memory[statement.write.array][element(statement.write, point)] = value
    return memory


def element(ref: Ref, point: Mapping[str, int]) -> Element:
    return tuple(e.evaluate(point) for e in ref.index)


def run_plan(plan: Plan, memory: Memory) -> Memory:
    """The plan's body from top to bottom; returns what memory holds afterwards."""
    machine = _Machine(plan, copied(memory), some_scalars(plan.scop))
    for buffer in plan.buffers:
        for version in range(buffer.copies):
            elements = product(*(range(e) for e in buffer.extents))
            machine.buffers[buffer.id, version] = dict.fromkeys(elements, math.nan)
    machine.run(plan.body, {}, None)
    return machine.memory


@dataclass
class _Machine:
    plan: Plan
    memory: Memory
    scalars: Mapping[str, float]
    buffers: dict[tuple[str, int], dict[Element, float]] = field(default_factory=dict)
    held: dict[ArrayId, tuple[Element, float]] = field(default_factory=dict)

    def run(self, nodes: Sequence[Node], env: dict[str, int], task: Task | None) -> None:
        for node in nodes:
            self.step(node, env, task)

    def step(self, node: Node, env: dict[str, int], task: Task | None) -> None:
        match node:
            case For(listed=True) if table := self.interleaved(node, task):
                for row in table.rows:
                    values = zip((loop.iterator for loop in table.loops), row, strict=True)
                    self.run(table.body, {**env, **dict(values)}, task)
            case For(iterator=name, body=body):
                first, last = _lower(node.lower, env), _upper(node.upper, env)
                assert last - first + 1 <= node.trip_count
                for value in range(first, last + 1):
                    self.run(body, {**env, name: value, **{q: value // by for q, by in node.quotients}}, task)
            case Guard(conditions=conditions, body=body) | Function(within=conditions, body=body):
                if all(c.evaluate(env) >= 0 for c in conditions):
                    self.run(body, env, task)
            case Together(body=body):
                self.run(body, env, task)
            case TaskCall(task=name):
                called = self.plan.task(name)
                self.run(called.body, {i: env[i] for i in called.iterators}, called)
            case Copy(transfer=transfer, at=at, within=within):
                there = {**env, **{name: value.evaluate(env) for name, value in at}}
                if all(limit.evaluate(there) >= 0 for limit in within):
                    self.copy(transfer, there)
            case Hold():
                self.hold(node, env, task)
            case Run():
                assert task is not None
                self.instance(node, env, task)

    def interleaved(self, loop: For, task: Task | None) -> TileList | None:
        """The table that begins with a loop, if its rows stand in another order than the loops visit them."""
        tables = tables_in(self.plan, task) if task is not None else iter(())
        return next((table for table in tables if table.apart and table.loops[0] is loop), None)

    def copy(self, transfer_id: str, env: Mapping[str, int]) -> None:
        transfer = self.plan.transfer(transfer_id)
        buffer = self.plan.buffer(transfer.buffer)
        origin = tuple(e.evaluate(env) for e in buffer.origin)
        memory, own = self.memory[transfer.array], self.version(buffer, env)
        for at in own:
            place = tuple(o + x for o, x in zip(origin, at, strict=True))
            if place in memory:
                if transfer.direction is Direction.LOAD:
                    own[at] = memory[place]
                else:
                    memory[place] = own[at]

    def hold(self, node: Hold, env: dict[str, int], task: Task | None) -> None:
        assert task is not None
        where = element(node.ref, env)
        self.held[node.ref.array] = (where, self.read(node.ref.array, where, env, task))
        self.run(node.body, env, task)
        where, value = self.held.pop(node.ref.array)
        self.write(node.ref.array, where, value, env, task)

    def instance(self, node: Run, env: Mapping[str, int], task: Task) -> None:
        statement = self.plan.scop.statement(node.statement)
        assert tuple(name for name, _ in node.values) == statement.iterators
        point = {name: value.evaluate(env) for name, value in node.values}

        def read(ref: Ref) -> float:
            return self.read(ref.array, element(ref, point), env, task)

        value = evaluate(statement.rhs, point, read, self.scalars)
        self.write(statement.write.array, element(statement.write, point), value, env, task)

    def read(self, array: ArrayId, where: Element, env: Mapping[str, int], task: Task) -> float:
        if array in self.held:
            assert self.held[array][0] == where
            return self.held[array][1]
        own, at = self.place(array, where, env, task)
        return own[at]

    def write(self, array: ArrayId, where: Element, value: float, env: Mapping[str, int], task: Task) -> None:
        if array in self.held:
            assert self.held[array][0] == where
            self.held[array] = (where, value)
            return
        own, at = self.place(array, where, env, task)
        own[at] = value

    def place(
        self, array: ArrayId, where: Element, env: Mapping[str, int], task: Task
    ) -> tuple[dict[Element, float], Element]:
        buffer = self.plan.buffer_for(task, array)
        at = tuple(x - e.evaluate(env) for x, e in zip(where, buffer.origin, strict=True))
        own = self.version(buffer, env)
        assert at in own, f"{array}{where} is outside of {buffer}"
        return own, at

    def version(self, buffer: Buffer, env: Mapping[str, int]) -> dict[Element, float]:
        turn = 0 if buffer.turn is None else buffer.turn.evaluate(env)
        return self.buffers[buffer.id, turn % buffer.copies]


@dataclass(frozen=True)
class Visit:
    """One iteration of an innermost tile loop: the instances that ran in it and the guards that were evaluated."""

    values: Mapping[str, int]
    runs: int
    guards: int


def tile_visits(task: Task) -> list[Visit]:
    """Every iteration of the innermost tile loops of a task, in order."""
    found: list[Visit] = []

    def work(nodes: Sequence[Node], env: dict[str, int]) -> tuple[int, int]:
        runs = guards = 0
        for node in nodes:
            more = (1, 0) if isinstance(node, Run) else (0, 0)
            if isinstance(node, Guard):
                holds = all(c.evaluate(env) >= 0 for c in node.conditions)
                inside = work(node.body, env) if holds else (0, 0)
                more = (inside[0], inside[1] + 1)
            elif isinstance(node, Hold | Together | Function):
                more = work(node.body, env)
            elif isinstance(node, For):
                steps = range(_lower(node.lower, env), _upper(node.upper, env) + 1)
                each = [work(node.body, {**env, node.iterator: value}) for value in steps]
                more = (sum(r for r, _ in each), sum(g for _, g in each))
            runs, guards = runs + more[0], guards + more[1]
        return runs, guards

    def visit(nodes: Sequence[Node], env: dict[str, int]) -> None:
        for node in nodes:
            if not (isinstance(node, For) and node.role is LoopRole.TILE):
                continue
            for value in range(_lower(node.lower, env), _upper(node.upper, env) + 1):
                inside = {**env, node.iterator: value}
                if any(isinstance(n, For) and n.role is LoopRole.TILE for n in node.body):
                    visit(node.body, inside)
                else:
                    found.append(Visit(inside, *work(node.body, inside)))

    visit(task.body, {})
    return found


def _lower(bound: Bound, env: Mapping[str, int]) -> int:
    return max(-(-q.numerator.evaluate(env) // q.divisor) for q in bound.terms)


def _upper(bound: Bound, env: Mapping[str, int]) -> int:
    return min(q.numerator.evaluate(env) // q.divisor for q in bound.terms)


def computes_the_same(source: Scop, found: Scop, seed: int) -> bool:
    """Whether another form of a kernel, which has more local arrays, leaves the arguments with the same values."""
    memory = {**some_memory(found, seed), **some_memory(source, seed)}
    return differences(source, run_source(source, memory), run_source(found, memory)) == []


def differences(scop: Scop, wanted: Memory, got: Memory) -> list[str]:
    """Elements of array arguments that differ, at most five; NaN equals NaN."""
    found = []
    for array in scop.arrays:
        if array.role is not Role.LOCAL:
            for at, value in wanted[array.id].items():
                other = got[array.id][at]
                if value != other and not (math.isnan(value) and math.isnan(other)):
                    found.append(f"{array.id}{list(at)}: {value} became {other}")
    return found[:5]
