"""Planted bugs: each function makes a plan, or printed code, that is wrong in one way out of one that is right."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

from sisyphus.backends.hls import Project
from sisyphus.plan import (
    Bound,
    Buffer,
    Call,
    Copy,
    Direction,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Quotient,
    Run,
    Together,
    walk,
)

Nodes = tuple[Node, ...]


def all_bodies(plan: Plan, change: Callable[[Nodes], Nodes]) -> Plan:
    """The plan with `change` applied to its body and to those of its tasks."""
    tasks = tuple(replace(t, body=change(t.body)) for t in plan.tasks)
    return replace(plan, body=change(plan.body), tasks=tasks)


def rewritten(nodes: Nodes, change: Callable[[Node], Nodes | None]) -> Nodes:
    """Each node replaced by what `change` returns, children first; None keeps it."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, For | Guard | Hold | Together | Function):
            node = replace(node, body=rewritten(node.body, change))
        changed = () if isinstance(node, Together) and not node.body else change(node)
        found += (node,) if changed is None else changed
    return tuple(found)


def everywhere(plan: Plan, change: Callable[[Node], Nodes | None]) -> Plan:
    return all_bodies(plan, lambda nodes: rewritten(nodes, change))


def drop_last_tile(plan: Plan, loop: str) -> Plan:
    """The level-0 loop of `loop` ends one tile early."""
    return everywhere(plan, lambda n: (moved_bound(n, upper=-1),) if _is_tile(n, loop) else None)


def widen_bound(plan: Plan, loop: str) -> Plan:
    """The level-0 loop of `loop` runs one tile too far."""
    return everywhere(plan, lambda n: (moved_bound(n, upper=1),) if _is_tile(n, loop) else None)


def _is_tile(node: Node, loop: str) -> bool:
    return isinstance(node, For) and node.source == loop and node.role is LoopRole.TILE


def moved_bound(node: Node, *, lower: int = 0, upper: int = 0) -> For:
    assert isinstance(node, For)
    return replace(node, lower=_moved(node.lower, lower), upper=_moved(node.upper, upper))


def _moved(bound: Bound, by: int) -> Bound:
    return Bound(tuple(Quotient(q.numerator + by * q.divisor, q.divisor) for q in bound.terms))


def swap_loops(plan: Plan, outer: str) -> Plan:
    """The loop with iterator `outer` and the only loop in it change places."""

    def change(node: Node) -> Nodes | None:
        if not (isinstance(node, For) and node.iterator == outer):
            return None
        [inner] = [n for n in node.body if isinstance(n, For)]
        around = tuple(n for n in node.body if n is not inner)
        return (replace(inner, body=(*around, replace(node, body=inner.body))),)

    return everywhere(plan, change)


def drop_copies(plan: Plan, array: str, direction: Direction) -> Plan:
    """No copy of an array this way."""
    ids = {t.id for t in plan.transfers if t.array == array and t.direction is direction}
    return everywhere(plan, lambda n: () if isinstance(n, Copy) and n.transfer in ids else None)


def drop_last_copy(plan: Plan, array: str, direction: Direction) -> Plan:
    """The last copy of an array this way in the plan's body is forgotten."""
    ids = {t.id for t in plan.transfers if t.array == array and t.direction is direction}
    last = [at for at, n in enumerate(plan.body) if isinstance(n, Copy) and n.transfer in ids][-1]
    return replace(plan, body=(*plan.body[:last], *plan.body[last + 1 :]))


def drop_guards(plan: Plan) -> Plan:
    """Every guarded run runs always."""
    return everywhere(plan, lambda n: n.body if isinstance(n, Guard) else None)


def run_twice(plan: Plan, statement: str) -> Plan:
    """Every run of a statement comes twice."""
    return everywhere(plan, lambda n: (n, n) if isinstance(n, Run) and n.statement == statement else None)


def call_late(plan: Plan, task: str) -> Plan:
    """A task is called at the very end."""
    body = rewritten(plan.body, lambda n: () if n == Call(task) else None)
    return replace(plan, body=(*body, Call(task)))


def move_origin(plan: Plan, buffer_id: str) -> Plan:
    """A buffer is thought to hold the elements one further along its last dimension."""

    def moved(buffer: Buffer) -> Buffer:
        return (
            replace(buffer, origin=(*buffer.origin[:-1], buffer.origin[-1] + 1)) if buffer.id == buffer_id else buffer
        )

    return replace(plan, buffers=tuple(moved(b) for b in plan.buffers))


def shrink_buffer(plan: Plan, buffer_id: str) -> Plan:
    """A buffer lacks the last place of its last dimension."""

    def smaller(buffer: Buffer) -> Buffer:
        if buffer.id != buffer_id:
            return buffer
        return replace(buffer, extents=(*buffer.extents[:-1], buffer.extents[-1] - 1))

    return replace(plan, buffers=tuple(smaller(b) for b in plan.buffers))


def in_text(project: Project, pattern: str, replacement: str) -> Project:
    """The first match of a pattern in kernel.cpp replaced: what a wrong printer would do to a right plan."""
    text, count = re.subn(pattern, replacement, project.files["kernel.cpp"], count=1)
    assert count == 1, f"nothing like {pattern} in kernel.cpp"
    return replace(project, files=MappingProxyType({**project.files, "kernel.cpp": text}))


def mutants(plan: Plan, rng: random.Random, count: int) -> Iterator[tuple[str, Plan]]:
    """Plans with one random change each, most of them wrong."""
    bodies = [plan.body, *(t.body for t in plan.tasks)]
    for _ in range(count):
        chosen = rng.randrange(len(bodies))
        nodes = list(walk(bodies[chosen]))
        target = nodes[rng.randrange(len(nodes))]
        label, change = rng.choice(_CHANGES)

        def at_target(
            node: Node, target: Node = target, change: Callable[[Node, random.Random], Nodes | None] = change
        ) -> Nodes | None:
            return change(node, rng) if _same(node, target) else None

        body = rewritten(bodies[chosen], at_target)
        if chosen == 0:
            yield f"{label} of {target}", replace(plan, body=body)
        else:
            task = replace(plan.tasks[chosen - 1], body=body)
            tasks = (*plan.tasks[: chosen - 1], task, *plan.tasks[chosen:])
            yield f"{label} of {target}", replace(plan, tasks=tasks)


def _same(node: Node, target: Node) -> bool:
    if isinstance(node, For) and isinstance(target, For):
        return node.iterator == target.iterator
    return node == target


def _drop(node: Node, rng: random.Random) -> Nodes | None:
    return ()


def _repeat(node: Node, rng: random.Random) -> Nodes | None:
    return (node, node)


def _unwrap(node: Node, rng: random.Random) -> Nodes | None:
    return node.body if isinstance(node, Guard) else None


def _shift(node: Node, rng: random.Random) -> Nodes | None:
    if isinstance(node, For):
        by = rng.choice([{"lower": 1}, {"lower": -1}, {"upper": 1}, {"upper": -1}])
        return (moved_bound(node, **by),)
    if isinstance(node, Run) and node.values:
        at = rng.randrange(len(node.values))
        moved = [(n, v + 1 if k == at else v) for k, (n, v) in enumerate(node.values)]
        return (replace(node, values=tuple(moved)),)
    return None


def _shuffle(node: Node, rng: random.Random) -> Nodes | None:
    if isinstance(node, For | Guard | Hold) and len(node.body) > 1:
        return (replace(node, body=tuple(rng.sample(node.body, len(node.body)))),)
    return None


def _interchange(node: Node, rng: random.Random) -> Nodes | None:
    if isinstance(node, For) and len(node.body) == 1 and isinstance(node.body[0], For):
        inner = node.body[0]
        names = {n for q in (*inner.lower.terms, *inner.upper.terms) for n in q.numerator.names}
        if node.iterator not in names:
            return (replace(inner, body=(replace(node, body=inner.body),)),)
    return None


_CHANGES: list[tuple[str, Callable[[Node, random.Random], Nodes | None]]] = [
    ("drop", _drop),
    ("repeat", _repeat),
    ("unwrap", _unwrap),
    ("shift", _shift),
    ("shift", _shift),
    ("shuffle", _shuffle),
    ("interchange", _interchange),
]
