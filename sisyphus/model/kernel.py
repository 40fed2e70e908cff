"""Cycles of the whole kernel: synchronised steps and outer sequential loops (MODEL.md 4.1); knows no loop of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.model.algebra import Value
from sisyphus.model.counting import Visits
from sisyphus.model.facts import Move
from sisyphus.model.latency import task_cycles
from sisyphus.model.moves import move_of
from sisyphus.model.study import Study, moves_in, outer_visits
from sisyphus.model.terms import Term, summed, total
from sisyphus.model.transfers import move_cycles
from sisyphus.plan import Call, Copy, For, Node
from sisyphus.plan.conflicts import steps_of


@dataclass(frozen=True, eq=False)
class Cost:
    """Cycles of a node, one number or one per iteration of the outer loops.

    `part` is the term of those iterations that are picked: all, none, or those where an array has 1.
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

    def moves(self, move: Move, runs: Value) -> None:
        self.bytes_moved += int(np.sum(move.beats * move.width * move.bits // 8 * np.asarray(runs)))


def kernel_cycles(study: Study) -> KernelCycles:
    """Σ over steps of (longest call + 2), less 1 if there is just one step."""
    ledger = _Ledger()
    _, terms = _steps(study, study.plan.body, None, ledger)
    if len(terms) == 1:
        terms = (*terms, Term("single step", -1, rule="kernel steps"))
    return KernelCycles(total("cycles", terms, rule="kernel steps"), tuple(ledger.moments), ledger.bytes_moved)


def _steps(
    study: Study, nodes: Sequence[Node], outside: Visits | None, ledger: _Ledger
) -> tuple[Value, tuple[Term, ...]]:
    """Nodes that follow each other: cycles per iteration of the outer loops, and their terms over all of them."""
    cycles: Value = 0
    terms: list[Term] = []
    between = study.rules.cycles.step
    for number, step in enumerate(steps_of(study.plan, nodes), start=1):
        costs = [_cost(study, node, outside, ledger) for node in step]
        most, picks = _longest([cost.cycles for cost in costs], outside)
        parts = [cost.part(picked) for cost, picked in zip(costs, picks, strict=True)]
        tasks = tuple(node.task for node in step if isinstance(node, Call))
        if tasks:
            ledger.moments.append(tasks)
        hand_over = Term("hand-over", between * outer_visits(outside))
        terms.append(total(f"step {number}", (*parts, hand_over), rule="kernel steps"))
        cycles = cycles + most + between
    return cycles, tuple(terms)


def _longest(cycles: Sequence[Value], outside: Visits | None) -> tuple[Value, list[Value]]:
    """The largest of some figures, and for each where it is the (first) largest."""
    if outside is None:
        most = max(cycles)
        return most, [at == cycles.index(most) for at in range(len(cycles))]
    table = np.stack([np.broadcast_to(np.asarray(c, dtype=np.int64), (outside.owners,)) for c in cycles])
    first = table.argmax(axis=0)
    return table.max(axis=0), [np.asarray(first == at, np.int64) for at in range(len(cycles))]


def _cost(study: Study, node: Node, outside: Visits | None, ledger: _Ledger) -> Cost:
    match node:
        case Copy(transfer=transfer):
            move = move_of(study.plan, study.plan.transfer(transfer))
            ledger.moves(move, outer_visits(outside))
            term = move_cycles(study.setting, move)
        case Call():
            task = study.task(node, outside)
            once = 1 if outside is None else np.ones(outside.owners, np.int64)
            for move, runs in moves_in(task.facts.parts, once):
                ledger.moves(move, runs)
            term = task_cycles(study.under(outside), task.facts, task.body)
        case For():
            return _outer_loop(study, node, outside, ledger)
        case _:
            raise InternalError(f"{node} between the calls of a plan")
    return Cost(term.value, lambda picked: _picked(term, picked))


def _picked(term: Term, picked: Value) -> Term:
    """The term over the iterations in which it is the longest of its step; in the others it waits for another one."""
    if picked is True:
        return term
    if picked is False or not picked.any():
        return Term(term.name, 0, rule="hidden behind a longer one")
    return summed(term, picked)


def _outer_loop(study: Study, loop: For, outside: Visits | None, ledger: _Ledger) -> Cost:
    """Σ over the iterations of (Σ over steps of (longest + 2) + 1); every iteration has its own trip counts."""
    before = outside or Visits.once()
    points = before.into(loop, frozenset((*before.values, loop.iterator)))
    inside = Visits.each(points.values, len(points.weight))
    cycles, terms = _steps(study, loop.body, inside, ledger)
    extra = study.rules.cycles.outer_iteration
    again = Term("iterations", extra * inside.owners, measured=False, rule="outer loop")
    term = total(f"loop {loop.iterator}", (*terms, again), rule="outer loop")
    sums = np.bincount(points.owner, weights=cycles + extra, minlength=before.owners).astype(np.int64)
    return Cost(int(sums[0]) if outside is None else sums, lambda _: term)
