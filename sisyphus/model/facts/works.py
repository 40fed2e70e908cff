"""Statement runs of a plan as facts: which elements of which buffers, under which unrolled loops; knows no formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sisyphus.errors import InternalError
from sisyphus.ir import Literal, Ref, Statement, children, reads, walk
from sisyphus.model.facts.multiply_adds import with_multiply_adds
from sisyphus.model.facts.shifts import Shift, shifts_of
from sisyphus.model.facts.task_facts import BufferAccess, Dim, Work
from sisyphus.plan import Buffer, For, Guard, Hold, LoopRole, Node, Plan, Run, Skip, Task, narrowed, varying
from sisyphus.poly import Affine, dim_range
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Around:
    """What stands around a run: the loops outside the body and its unrolled ones, a guard, whether it is a
    branch, a held element.

    `beside` are the loops over coarse-grained copies, each of which is a body of its own.
    """

    loops: tuple[For, ...]
    beside: tuple[For, ...] = ()
    unrolled: tuple[For, ...] = ()
    guarded: bool = False
    branches: bool = False
    hold: Hold | None = None
    from_literal: bool = False


@dataclass(frozen=True)
class Placed:
    """A run as work, with its unrolled loops and the value of each iterator of its statement."""

    work: Work
    unrolled: tuple[For, ...]
    values: Mapping[str, Affine]


def works_in(plan: Plan, task: Task, node: Node, around: Around) -> Iterator[Placed]:
    """Every run below a node of a body, in order of execution."""
    match node:
        case Run():
            yield _placed(plan, task, node, around)
        case For(role=LoopRole.UNROLLED, body=body):
            inside = replace(around, unrolled=(*around.unrolled, node))
            for child in body:
                yield from works_in(plan, task, child, inside)
        case Guard(body=body, skip=skip):
            inside = replace(around, guarded=True, branches=around.branches or skip is not Skip.SELECT)
            for child in body:
                yield from works_in(plan, task, child, inside)
        case Hold(body=body):
            body, from_literal = _without_start(plan, node)
            inside = replace(around, hold=node, from_literal=from_literal)
            for child in body:
                yield from works_in(plan, task, child, inside)
        case _:
            raise InternalError(f"{node} inside a pipelined body of task `{task.name}`")


def _without_start(plan: Plan, hold: Hold) -> tuple[tuple[Node, ...], bool]:
    """The body of a held element, and whether it starts by giving it a literal, which costs nothing."""
    first = hold.body[0]
    if isinstance(first, Run):
        statement = plan.scop.statement(first.statement)
        own = statement.write.substitute(dict(first.values)) == hold.ref
        if own and is_literal(statement):
            return hold.body[1:], True
    return hold.body, False


def is_literal(statement: Statement) -> bool:
    """Whether a statement assigns a constant, whatever conversions stand around it."""
    return all(isinstance(part, Literal) or children(part) for part in walk(statement.rhs))


def _placed(plan: Plan, task: Task, run: Run, around: Around) -> Placed:
    statement = plan.scop.statement(run.statement)
    values = dict(run.values)
    loops = (*around.loops, *around.unrolled)
    sources = {loop.iterator: loop.source for loop in (*loops, *around.beside)}
    plain, unrolled = narrowed(statement.rhs), tuple(loop.iterator for loop in around.unrolled)
    expr, moving_with = with_multiply_adds(plain), varying(statement, values, unrolled)

    elements = {ref: ref.substitute(values).index for ref in (statement.write, *statement.reads)}

    def access(ref: Ref) -> BufferAccess:
        return _access(plan.buffer_for(task, ref.array), elements[ref])

    names = {name for index in statement.write.index for name in index.names}
    written = {sources[n] for name in names for n in values[name].names if n in sources}
    follows, turning = {n: _source(values[n], sources) for n in statement.iterators}, {loop.source for loop in loops}
    moving = {name: loop for name, loop in follows.items() if loop in turning}
    holds = around.hold is not None and around.hold.ref.array == statement.write.array
    work = Work(
        statement=statement.id,
        write=access(statement.write),
        target=statement.write,
        expr=expr,
        reads={ref: access(ref) for ref in dict.fromkeys(reads(expr))},
        unrolled=unrolled,
        varying={own: moving_with[part] for own, part in zip(walk(expr), walk(plain), strict=True)},
        reductions=frozenset(loop.iterator for loop in loops if loop.source not in written),
        guarded=around.guarded,
        held=holds and around.hold is not None and around.hold.active,
        branches=around.branches,
        from_literal=holds and around.from_literal,
        sources=tuple(follows.values()),
        shifts=_shifts(statement, moving) if statement.write in statement.reads else (),
    )
    return Placed(work, around.unrolled, values)


def _shifts(statement: Statement, sources: Mapping[str, str | None]) -> tuple[Shift, ...] | None:
    """The iterations between two that update one element."""

    def furthest(iterator: str) -> int:
        low, high = dim_range(statement.domain, iterator)
        return high - low

    return shifts_of(statement.write.index, sources, furthest)


def _access(buffer: Buffer, subscripts: tuple[Affine, ...]) -> BufferAccess:
    """The origin of a buffer moves with those loops around that do not move the element inside of it."""
    dims = list[Dim]()
    for index, origin, extent, factor in zip(subscripts, buffer.origin, buffer.extents, buffer.partition, strict=True):
        moved = dict(origin.terms)
        strides = ((name, abs(step) - abs(moved[name]) if name in moved else abs(step)) for name, step in index.terms)
        dims.append(Dim(extent, factor, {name: stride for name, stride in strides if stride != 0}))
    return BufferAccess(buffer.id, subscripts, tuple(dims))


def _source(value: Affine, sources: Mapping[str, str]) -> str | None:
    """The source loop that an iterator follows; its own name for an outer loop, None where it stands still."""
    found = {sources.get(name, name) for name in value.names}
    return found.pop() if len(found) == 1 else None
