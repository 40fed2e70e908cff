"""Do accesses stay inside buffers and loops inside trip counts, and do held elements stand for all accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sisyphus.errors import InternalError, KernelError
from sisyphus.ir import Ref
from sisyphus.plan import Buffer, Guard, Hold, Plan, Run, Skip
from sisyphus.plan.checks import check_width
from sisyphus.plan.walks import check_packed
from sisyphus.poly import Affine, Set, first_point, largest_extent, make_set
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.memory_events import located
from sisyphus.verification.sites import Site, Spot, Tree, touched
from sisyphus.verification.verdict import Check


def check_bounds(plan: Plan, tree: Tree) -> Iterator[Check]:
    """One check per buffer that is accessed, and one per task with a hold."""
    for buffer in plan.buffers:
        reached = [*((s, r) for s in tree.runs for r in _refs(plan, s)), *_kept(plan, tree)]
        accesses = [(s, r) for s, r in reached if _holder(plan, s.place, r) == buffer]
        holds = [(p, h) for p, h in tree.holds if _holder(plan, p, h.ref) == buffer]
        if accesses or holds:
            find = partial(_outside, buffer, accesses, holds)
            yield on_leash(f"bounds of {buffer.id}", "every access lies inside", find)
    for place, hold in tree.holds:
        find = partial(_not_held, plan, tree, place, hold)
        yield on_leash(f"hold {hold.name} of {hold.ref}", "stands for every access in its body", find)


def check_trip_counts(tree: Tree) -> Iterator[Check]:
    """One check for all loops: none has more iterations than it claims."""
    yield on_leash("trip counts", "no loop has more iterations than it claims", partial(_too_long, tree))


def _too_long(tree: Tree) -> str | None:
    for place, loop in tree.loops:
        first, last = loop.lower.value, loop.upper.value
        if first is not None and last is not None:
            longest = last - first + 1
        else:
            points = make_set("loop", place.dims, at_least_zero=place.conditions)
            longest = largest_extent(points, place.dims[-1])
        if longest > loop.trip_count:
            return f"loop `{loop.iterator}` has {longest} iterations, not {loop.trip_count}"
    return None


def check_beats(plan: Plan) -> Iterator[Check]:
    """One check for all transfers: no beat crosses a row of its buffer or of the array, no packed tile another one."""
    for transfer in plan.transfers:
        try:
            extents, port = plan.scop.array(transfer.array).extents, plan.port_of(transfer)
            check_width(plan.buffer(transfer.buffer), extents, transfer.width, port.layout, port.stripes)
        except KernelError as fault:
            yield Check("beats", False, f"{transfer.id}: {fault.message}")
            return
    try:
        check_packed(plan)
    except KernelError as fault:
        yield Check("beats", False, fault.message)
        return
    if plan.transfers:
        yield Check("beats", True, "no beat crosses a row")


def _refs(plan: Plan, site: Site) -> tuple[Ref, ...]:
    if not isinstance(site.node, Run):
        return ()
    statement = plan.scop.statement(site.node.statement)
    return tuple(dict.fromkeys((statement.write, *statement.reads)))


def _kept(plan: Plan, tree: Tree) -> Iterator[tuple[Site, Ref]]:
    """What a guard touches although it does not hold: the element it keeps, and operands that it computes with."""
    for number, (place, node) in enumerate(tree.nodes):
        if isinstance(node, Guard) and node.skip is not Skip.BRANCH:
            [run] = node.body
            if not isinstance(run, Run):
                raise InternalError(f"a guard keeps what {run} does not write")
            name = f"kept{number}"
            site = Site(name, place, run, make_set(name, place.dims, at_least_zero=place.conditions))
            refs = _refs(plan, site) if node.skip is Skip.SELECT else (plan.scop.statement(run.statement).write,)
            held = {hold.ref.array for hold in place.holds}
            yield from ((site, ref) for ref in refs if ref.array not in held)


def _holder(plan: Plan, place: Spot, ref: Ref) -> Buffer | None:
    return None if place.task is None else plan.buffer_for(place.task, ref.array)


def _outside(buffer: Buffer, accesses: Sequence[tuple[Site, Ref]], holds: Sequence[tuple[Spot, Hold]]) -> str | None:
    for site, ref in accesses:
        element = touched(site, ref)
        fault = _element_outside(buffer, site.points, site.place, element)
        if fault is not None:
            return f"{site.node.statement if isinstance(site.node, Run) else site.name}: `{ref}` is {fault}"
    for place, hold in holds:
        points = make_set("hold", place.dims, at_least_zero=place.conditions)
        fault = _element_outside(buffer, points, place, tuple(place.value(e) for e in hold.ref.index))
        if fault is not None:
            return f"hold {hold.name}: `{hold.ref}` is {fault}"
    return None


def _element_outside(buffer: Buffer, points: Set, place: Spot, element: tuple[Affine, ...]) -> str | None:
    """The index and dimension of an access outside of the buffer's extents, if there is one."""
    for at, (index, extent) in enumerate(zip(located(place, buffer, element), buffer.declared, strict=True)):
        for beyond in (-index - 1, index - extent):
            if beyond.is_constant and beyond.constant < 0:
                continue
            wrong = points.intersect(make_set(points.get_tuple_name(), place.dims, at_least_zero=[beyond]))
            found = first_point(wrong)
            if found is not None:
                return f"at {index.evaluate(found)} of dimension {at}, outside of `{buffer.id}` ({extent} elements)"
    return None


def _not_held(plan: Plan, tree: Tree, place: Spot, hold: Hold) -> str | None:
    """An access in the body to the held array that is not the held element."""
    element = tuple(place.value(e) for e in hold.ref.index)
    for site in tree.runs:
        if any(inner is hold for inner in site.place.holds) and _is_prefix(place, site.place):
            for ref in _refs(plan, site):
                if ref.array == hold.ref.array and touched(site, ref) != element:
                    return f"its body also touches `{ref}`"
    return None


def _is_prefix(outer: Spot, inner: Spot) -> bool:
    return inner.times[: len(outer.times)] == outer.times
