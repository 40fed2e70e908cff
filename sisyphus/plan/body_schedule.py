"""The schedule of a pipelined body: when each operation starts, on which cores, through which banks and ports.

Numbers are values of an algebra. It knows no operator's cost: whoever has a table of operators fills it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from sisyphus.algebra import Algebra, Value
from sisyphus.ir import Expr, Ref, StmtId
from sisyphus.ir.scop_text import expression
from sisyphus.poly import Affine
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Operation:
    """An operation in one start of a body: `copies` of it for the unrolled copies of a statement.

    It belongs to the `run`-th run of the body, needs a core of a `kind`, and starts `start` cycles after the body does
    for `cycles`. Those that add to one element follow each other, `apart` cycles from one to the next. `logic` is of
    no core: each copy has its own.
    """

    run: int
    statement: StmtId
    expr: Expr
    kind: str
    start: Value
    cycles: Value
    copies: Value
    apart: Value = 0
    logic: bool = False


@dataclass(frozen=True)
class Touch:
    """An access to a buffer: of an element of the array, in the bank that the remainders by `factors` are.

    It is asked for `start` cycles after the body starts, at port number `port` of the bank, and done at `end`.
    """

    run: int
    statement: StmtId
    ref: Ref
    buffer: str
    writes: bool
    element: tuple[Affine, ...]
    factors: tuple[Value, ...]
    port: int
    start: Value
    end: Value


@dataclass(frozen=True)
class Schedule:
    """A body that starts every `interval` cycles; `ends` has the cycle in which each of its runs is done."""

    loop: str | None
    interval: Value
    ends: tuple[Value, ...]
    operations: tuple[Operation, ...]
    touches: tuple[Touch, ...]

    def depth(self, alg: Algebra) -> Value:
        """Cycles from the start of an iteration to its end."""
        return alg.maximum(0, *self.ends)

    def counts(self, runs: Iterable[int]) -> dict[str, Value]:
        """Operations of some runs in one start that take cores, by kind of core."""
        wanted = set(runs)
        return _added(o for o in self.operations if o.run in wanted and not o.logic)

    def logic(self) -> dict[str, Value]:
        """Operations of one start that are logic of their own, by kind."""
        return _added(o for o in self.operations if o.logic)

    def cores(self, alg: Algebra, runs: Iterable[int]) -> dict[str, Value]:
        """Cores by kind that some runs share: a core takes an operation in each of the cycles between two starts."""
        return shared_cores(alg, self.counts(runs), self.interval)

    def numbers(self) -> Iterator[tuple[Operation, int, int]]:
        """Each operation of a plan with the first and the last of the cores of its kind that do it."""
        before = defaultdict[str, int](int)
        for operation in sorted(self.operations, key=lambda o: (o.kind, o.run, o.start)):
            first = before[operation.kind]
            before[operation.kind] += operation.copies
            each = 1 if operation.logic else self.interval
            yield operation, first // each, (first + operation.copies - 1) // each


def _added(operations: Iterable[Operation]) -> dict[str, Value]:
    found = defaultdict[str, Value](int)
    for operation in operations:
        found[operation.kind] = found[operation.kind] + operation.copies
    return dict(found)


def shared_cores(alg: Algebra, counts: Mapping[str, Value], interval: Value) -> dict[str, Value]:
    """Cores by kind that do so many operations in the cycles between two starts."""
    return {kind: alg.ceil_div(count, interval) for kind, count in counts.items()}


def dump_schedule(schedule: Schedule) -> Iterator[str]:
    """The schedule of a body of a plan as stable text, one operation or access a line."""
    yield f"schedule of {schedule.loop or 'a body'}: every {schedule.interval}, done at {max((0, *schedule.ends))}"
    for operation, first, last in sorted(schedule.numbers(), key=lambda found: (found[0].start, found[0].kind)):
        span = f"{operation.start}..{operation.start + operation.cycles}"
        apart = f" each {operation.apart} later" if operation.apart else ""
        cores = f"{operation.kind} {first}" + (f"..{last}" if last > first else "")
        yield f"  {span} {operation.statement}: {expression(operation.expr)} x{operation.copies}{apart} on {cores}"
    for touch in sorted(schedule.touches, key=lambda t: (t.start, t.buffer, t.writes)):
        bank = ", ".join(f"({e}) % {f}" for e, f in zip(touch.element, touch.factors, strict=True) if f != 1)
        verb = "write" if touch.writes else "read"
        place = f"bank [{bank}] port {touch.port}"
        yield f"  {touch.start}..{touch.end} {touch.statement}: {verb} {touch.ref} in {touch.buffer} {place}"
