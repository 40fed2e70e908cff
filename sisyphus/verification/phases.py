"""Do phases one after another do what the kernel does: the order of dependences, and what is handed over, with isl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from sisyphus.analysis import Box, Cut, Dependences, Flow, flows
from sisyphus.ir import ArrayId
from sisyphus.poly import Set, clipped, make_box, sample
from sisyphus.verification.verdict import Check


def check_phases(found: Dependences, cut: Cut, delivers: Sequence[Sequence[Mapping[ArrayId, Box]]]) -> Iterator[Check]:
    """Every statement is in one phase, no dependence points to an earlier one, and what phases read reaches them.

    `delivers` are the boxes that are taken from the units of each phase. What phases do inside is not looked at.
    """
    phases = {name: at for at, part in enumerate(cut) for name in part}
    wanted, listed = {s.id for s in found.scop.statements}, [name for part in cut for name in part]
    passed = wanted == set(listed) and len(listed) == len(wanted)
    yield Check("statements of phases", passed, "each in one phase" if passed else "some in no phase, or in several")
    if not passed:
        return
    back = [edge for edge in found.edges if phases[edge.source] > phases[edge.sink]]
    told = [f"{edge.kind.value} {edge.source} -> {edge.sink} on `{edge.array}`" for edge in back]
    yield Check("order of phases", not back, f"{told[0]} runs backwards" if told else "no dependence runs backwards")
    for flow in flows(found):
        if phases[flow.source] < phases[flow.sink]:
            yield from _handed_over(found, flow, delivers[phases[flow.source] : phases[flow.sink]])


def _handed_over(
    found: Dependences, flow: Flow, delivers: Sequence[Sequence[Mapping[ArrayId, Box]]]
) -> Iterator[Check]:
    """That units of the phase of a write deliver what a later phase reads of it, and no phase between these does."""
    array = found.scop.array(flow.array)
    write = found.scop.statement(flow.source).accesses[0].relation
    needed: Set = write.intersect_domain(flow.relation.domain()).range()
    whole = make_box(array.id, array.extents)
    own, *between = [[clipped(whole, box[array.id]) for box in boxes if array.id in box] for boxes in delivers]
    name = f"{array.id} from {flow.source} to {flow.sink}"
    yield empty(f"handed over: {name}", reduce(Set.subtract, own, needed), "is read by a later phase and not delivered")
    again = reduce(Set.union, (box for boxes in between for box in boxes), whole.subtract(whole))
    yield empty(f"kept until read: {name}", needed.intersect(again), "is delivered again before it is read")


def empty(name: str, wrong: Set, what: str) -> Check:
    """Whether a set of elements or instances of which something is wrong is empty."""
    witness = sample(wrong)
    if witness is None:
        return Check(name, True, "shown by isl")
    place = "".join(f"[{value}]" for value in witness.values())
    return Check(name, False, f"{place} {what}")
