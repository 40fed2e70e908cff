"""Cycles of the whole kernel: synchronised steps and outer sequential loops (MODEL.md 4.1); knows no loop of a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.model.counting import Ints, Visits
from sisyphus.model.latency import task_cycles
from sisyphus.model.moves import move_of
from sisyphus.model.study import Study, as_entries, outer_visits
from sisyphus.model.terms import Term, summed, total
from sisyphus.model.transfers import move_cycles
from sisyphus.plan import Call, Copy, For, Node
from sisyphus.plan.conflicts import steps_of


@dataclass(frozen=True, eq=False)
class Cost:
    """Cycles of a node per iteration of the outer loops; `part` is the term of the iterations that a mask picks."""

    cycles: Ints
    part: Callable[[Ints], Term]


@dataclass(frozen=True)
class KernelCycles:
    """The term of all cycles, and which tasks run at the same time, step after step."""

    term: Term
    moments: tuple[tuple[str, ...], ...]


def kernel_cycles(study: Study) -> KernelCycles:
    """Σ over steps of (longest call + 2), less 1 if there is just one step."""
    moments: list[tuple[str, ...]] = []
    _, terms = _steps(study, study.plan.body, None, moments)
    if len(terms) == 1:
        terms = (*terms, Term("single step", -1, rule="kernel steps"))
    return KernelCycles(total("cycles", terms, rule="kernel steps"), tuple(moments))


def _steps(
    study: Study, nodes: Sequence[Node], outside: Visits | None, moments: list[tuple[str, ...]]
) -> tuple[Ints, tuple[Term, ...]]:
    """Nodes that follow each other: cycles per iteration of the outer loops, and their terms over all of them."""
    count = outer_visits(outside)
    cycles = np.zeros(count, np.int64)
    terms: list[Term] = []
    between = study.rules.cycles.step
    for number, step in enumerate(steps_of(study.plan, nodes), start=1):
        costs = [_cost(study, node, outside, moments) for node in step]
        table = np.stack([cost.cycles for cost in costs])
        longest = table.argmax(axis=0)
        parts = [cost.part(np.asarray(longest == at, np.int64)) for at, cost in enumerate(costs)]
        tasks = tuple(node.task for node in step if isinstance(node, Call))
        if tasks:
            moments.append(tasks)
        terms.append(total(f"step {number}", (*parts, Term("hand-over", between * count)), rule="kernel steps"))
        cycles = cycles + table.max(axis=0) + between
    return cycles, tuple(terms)


def _cost(study: Study, node: Node, outside: Visits | None, moments: list[tuple[str, ...]]) -> Cost:
    match node:
        case Copy(transfer=transfer):
            term = move_cycles(study.setting, move_of(study.plan, study.plan.transfer(transfer)))
        case Call():
            task = study.task(node, outside)
            term = task_cycles(study.under(outside), task.facts, task.body)
        case For():
            return _outer_loop(study, node, outside, moments)
        case _:
            raise InternalError(f"{node} between the calls of a plan")
    return Cost(as_entries(term.value, outer_visits(outside)), lambda picked: _picked(term, picked))


def _picked(term: Term, picked: Ints) -> Term:
    """The term over the iterations in which it is the longest of its step; the others wait for another one."""
    kept = summed(term, picked)
    return kept if picked.any() else replace(kept, children=(), rule="hidden behind a longer one")


def _outer_loop(study: Study, loop: For, outside: Visits | None, moments: list[tuple[str, ...]]) -> Cost:
    """Σ over the iterations of (Σ over steps of (longest + 2) + 1); every iteration has its own trip counts."""
    before = outside or Visits.once()
    every = frozenset((*before.values, loop.iterator))
    points = before.into(loop, every)
    inside = Visits.each(points.values, len(points.weight))
    cycles, terms = _steps(study, loop.body, inside, moments)
    extra = study.rules.cycles.outer_iteration
    again = Term("iterations", extra * len(points.weight), measured=False, rule="outer loop")
    term = total(f"loop {loop.iterator}", (*terms, again), rule="outer loop")
    sums = np.bincount(points.owner, weights=cycles + extra, minlength=before.owners)
    return Cost(sums.astype(np.int64), lambda _: replace(term, measured=False))
