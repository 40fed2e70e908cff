"""Cycles of the whole kernel: steps and outer sequential loops (docs/model.md); knows no loop of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sisyphus.algebra import Value
from sisyphus.errors import InternalError
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.facts.moves import bytes_moved
from sisyphus.model.formulas.terms import Term, summed, total
from sisyphus.model.study import Outside, Study
from sisyphus.plan import Call, Copy, For, Node
from sisyphus.plan.conflicts import steps_of


@dataclass(frozen=True, eq=False)
class Cost:
    """Cycles of a node, one number or one per different iteration of the outer loops; 0 of a loop, which is alone.

    `part` is the term of those iterations that are picked: all (True), none, or those where an array has 1.
    """

    cycles: Value
    part: Callable[[Value], Term]


@dataclass(frozen=True)
class KernelCycles:
    """The term of all cycles, which tasks run at the same time, step after step, and the bytes that travel."""

    term: Term
    moments: tuple[tuple[str, ...], ...]
    bytes_moved: int


@dataclass
class _Ledger:
    """What is noted on the way through the steps."""

    moments: list[tuple[str, ...]] = field(default_factory=list)
    bytes_moved: int = 0


def kernel_cycles(study: Study) -> KernelCycles:
    """Σ over steps of (longest call + 2), less 1 if there is just one step."""
    ledger = _Ledger()
    terms = _steps(study, study.plan.body, None, ledger)
    if len(terms) == 1:
        terms = (*terms, Term("single step", -1, rule="kernel steps"))
    return KernelCycles(total("cycles", terms, rule="kernel steps"), tuple(ledger.moments), ledger.bytes_moved)


def _steps(study: Study, nodes: Sequence[Node], outside: Outside | None, ledger: _Ledger) -> tuple[Term, ...]:
    """Nodes that follow each other: their terms over all iterations of the outer loops."""
    terms: list[Term] = []
    between = study.rules.cycles.step
    for number, step in enumerate(steps_of(study.plan, nodes), start=1):
        costs = [_cost(study, node, outside, ledger) for node in step]
        picks = _longest([cost.cycles for cost in costs], outside)
        parts = [cost.part(picked) for cost, picked in zip(costs, picks, strict=True)]
        tasks = tuple(node.task for node in step if isinstance(node, Call))
        if tasks:
            ledger.moments.append(tasks)
        hand_over = Term("hand-over", between * _iterations(outside))
        terms.append(total(f"step {number}", (*parts, hand_over), rule="kernel steps"))
    return tuple(terms)


def _weight(outside: Outside | None) -> Ints:
    return np.ones(1, np.int64) if outside is None else outside.weight


def _iterations(outside: Outside | None) -> int:
    """Of the outer loops."""
    return 1 if outside is None else outside.iterations


def _longest(cycles: Sequence[Value], outside: Outside | None) -> list[Value]:
    """For each of some figures in how many iterations it is the (first) largest."""
    if len(cycles) == 1:
        return [True]
    if outside is None:
        return [at == cycles.index(max(cycles)) for at in range(len(cycles))]
    table = [np.broadcast_to(np.asarray(c, dtype=np.int64), (outside.owners,)) for c in cycles]
    most, picks = np.maximum.reduce(table), list[Value]()
    left = np.ones(outside.owners, bool)
    for row in table:
        here = left & (row == most)
        left &= ~here
        picks.append(here * outside.weight)
    return picks


def _cost(study: Study, node: Node, outside: Outside | None, ledger: _Ledger) -> Cost:
    match node:
        case Copy(transfer=transfer):
            moved = study.move(study.plan.transfer(transfer))
            ledger.bytes_moved += bytes_moved(moved.move, _iterations(outside))
            each, weight = moved.cycles, _weight(outside)
            return Cost(each.value, lambda picked: summed(each, weight) if picked is True else _picked(each, picked))
        case Call():
            task = study.task(node, outside)
            ledger.bytes_moved += task.bytes_moved
            return Cost(
                task.cycles.value, lambda picked: task.all_cycles if picked is True else _picked(task.cycles, picked)
            )
        case For():
            return _outer_loop(study, node, outside, ledger)
    raise InternalError(f"{node} between the calls of a plan")


def _picked(term: Term, picked: Value) -> Term:
    """The term over the iterations in which it is the longest of its step; in the others it waits for another one."""
    if picked is False or not picked.any():
        return Term(term.name, 0, rule="hidden behind a longer one")
    return summed(term, picked)


def _outer_loop(study: Study, loop: For, outside: Outside | None, ledger: _Ledger) -> Cost:
    """Σ over the iterations of (Σ over steps of (longest + 2) + 1); every iteration has its own trip counts."""
    inside = study.known.inside(study.plan, loop, outside)
    terms = _steps(study, loop.body, inside, ledger)
    extra = study.rules.cycles.outer_iteration
    again = Term("iterations", extra * inside.iterations, construct="outer-loop", rule="outer loop")
    term = total(f"loop {loop.iterator}", (*terms, again), rule="outer loop")
    return Cost(0, lambda _: term)
