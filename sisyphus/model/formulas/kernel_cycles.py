"""Cycles of the whole kernel: steps and outer sequential loops (docs/model.md); knows no loop of a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sisyphus.algebra import EXACT, VECTOR, Condition
from sisyphus.errors import InternalError
from sisyphus.model.facts.moves import bytes_moved
from sisyphus.model.formulas.bank_waits import busiest, port_cycles, waits_for_banks
from sisyphus.model.formulas.steps import awaited
from sisyphus.model.formulas.terms import Term, summed, total
from sisyphus.model.study import Outside, Study
from sisyphus.plan import Call, Copy, For, Node
from sisyphus.plan.conflicts import steps_of
from sisyphus.values import dataclass, field


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

    def note(self, study: Study, step: Sequence[Node], outside: Outside | None) -> None:
        """A step, after its cycles are asked for."""
        for node in step:
            match node:
                case Copy() if study.plan.port_of(study.plan.transfer(node.transfer)).kind == "array":
                    times = 1 if outside is None else outside.iterations
                    self.bytes_moved += bytes_moved(study.move(study.plan.transfer(node.transfer)).move, times)
                case Call():
                    self.bytes_moved += study.task(node, outside).bytes_moved
        tasks = tuple(node.task for node in step if isinstance(node, Call))
        if tasks:
            self.moments.append(tasks)


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
    iterations = 1 if outside is None else outside.iterations
    for number, step in enumerate(steps_of(study.plan, nodes), start=1):
        match step:
            case [For() as loop]:
                parts = [_outer_loop(study, loop, outside, ledger)]
            case [Call() as call]:
                parts = [study.task(call, outside).all_cycles]
                parts.append(_of_busiest_bank(study, [_bytes_of_ports(study, call, outside)], parts))
            case _:
                each = [_cycles(study, node, outside) for node in step]
                moved = [_bytes_of_ports(study, node, outside) for node in step]
                parts = [*_of_step(each, outside), *_sharing_banks(study, step, moved, each, outside)]
                parts.append(_of_busiest_bank(study, moved, parts))
        ledger.note(study, step, outside)
        hand_over = Term("hand-over", study.rules.cycles.step * iterations)
        terms.append(total(f"step {number}", (*parts, hand_over), rule="kernel steps"))
    return tuple(terms)


def _cycles(study: Study, node: Node, outside: Outside | None) -> Term:
    """Of a transfer or a call: one number, or one per different iteration of the outer loops."""
    match node:
        case Copy():
            return study.move(study.plan.transfer(node.transfer)).cycles
        case Call():
            return study.task(node, outside).cycles
    raise InternalError(f"{node} between the calls of a plan")


def _of_step(each: Sequence[Term], outside: Outside | None) -> list[Term]:
    """What each of some nodes adds to their step: an iteration takes the cycles of one, and the others wait for it."""
    picks = awaited(EXACT if outside is None else VECTOR, [(True, term) for term in each])
    return [_picked(term, pick, outside) for term, pick in zip(each, picks, strict=True)]


def _sharing_banks(
    study: Study,
    step: Sequence[Node],
    moved: Sequence[dict[str, int]],
    each: Sequence[Term],
    outside: Outside | None,
) -> list[Term]:
    """What a step takes longer as transfers wait for others on their banks, where an array of it has several ports.

    In an outer loop that of all its iterations together.
    """
    ports = {port.name: port for port in study.plan.ports if port.kind == "array"}
    if all(ports[name].stripes == 1 for node in moved for name in node):
        return []
    moved, taken = _with_those_that_join(study, step, moved, [_in_all(term, outside) for term in each])
    waits = waits_for_banks(_own_cycles(study, moved), study.memory_banks)
    late = (cycles + waiting for cycles, waiting in zip(taken, waits, strict=True))
    return [Term("banks shared", max(late) - max(taken), construct="transfer-over-ports", rule="bytes of a bank")]


def _of_busiest_bank(study: Study, moved: Sequence[dict[str, int]], parts: Sequence[Term]) -> Term:
    """What a step takes longer in RTL than its parts, as a bank moves no more than a beat of a port in a cycle."""
    device, taken = study.target.device, sum(part.value + part.rtl for part in parts)
    least = -(-busiest(_own_cycles(study, moved), study.memory_banks) * device.banks // device.beats)
    return Term("busiest bank", 0, rule="bytes of a bank", rtl=max(least - taken, 0))


def _own_cycles(study: Study, moved: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    """Cycles in which banks move what each node moves of each array."""
    stripes, bits = {port.name: port.stripes for port in study.plan.ports}, study.target.port_bits
    return [{name: port_cycles(size, stripes[name], bits) for name, size in node.items()} for node in moved]


def _with_those_that_join(
    study: Study, step: Sequence[Node], moved: Sequence[dict[str, int]], taken: Sequence[int]
) -> tuple[list[dict[str, int]], list[int]]:
    """What the nodes of a step move and take, loads that join others as parts of these: the longer buffer counts."""
    transfers = [study.plan.transfer(node.transfer) if isinstance(node, Copy) else None for node in step]
    at = {one.id: number for number, one in enumerate(transfers) if one is not None}
    longest, own = [*taken], [number for number, one in enumerate(transfers) if one is None or not one.joins]
    for number, one in enumerate(transfers):
        if one is not None and one.joins:
            longest[at[one.joins]] = max(longest[at[one.joins]], taken[number])
    return [moved[number] for number in own], [longest[number] for number in own]


def _in_all(term: Term, outside: Outside | None) -> int:
    """The cycles of a term in all iterations of the outer loops."""
    return int(term.value if outside is None else summed(term, outside.weight).value)


def _bytes_of_ports(study: Study, node: Node, outside: Outside | None) -> dict[str, int]:
    """What a node moves through ports."""
    match node:
        case Copy(transfer=transfer):
            found = study.plan.transfer(transfer)
            if study.plan.port_of(found).kind == "stream":
                return {}
            times = 1 if outside is None else outside.iterations
            return {found.port: bytes_moved(study.move(found).move, times)}
        case Call():
            return dict(study.task(node, outside).bytes_by_port)
    return {}


def _picked(term: Term, pick: Condition, outside: Outside | None) -> Term:
    """The term over the iterations in which it is the one that its step waits for."""
    if not np.any(pick):
        return Term(term.name, 0, rule="hidden behind a longer one")
    return term if outside is None else summed(term, pick * outside.weight)


def _outer_loop(study: Study, loop: For, outside: Outside | None, ledger: _Ledger) -> Term:
    """Σ over the iterations of (Σ over steps of (longest + 2) + 1); every iteration has its own trip counts."""
    inside = study.known.inside(study.plan, loop, outside)
    terms = _steps(study, loop.body, inside, ledger)
    extra = study.rules.cycles.outer_iteration
    again = Term("iterations", extra * inside.iterations, construct="outer-loop", rule="outer loop")
    return total(f"loop {loop.iterator}", (*terms, again), rule="outer loop")
