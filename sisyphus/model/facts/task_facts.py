"""What the cost formulas need to know of a task, with numbers of any algebra; knows neither plans nor spaces.

`plan_facts.py` fills these from a Plan with integers, `nest_facts.py` with symbols for candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.ir import Expr, Ref, StmtId
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.facts.shifts import Shift
from sisyphus.plan import Varying
from sisyphus.poly import Affine
from sisyphus.values import dataclass, field


@dataclass(frozen=True)
class Dim:
    """A dimension of a buffer as one subscript sees it: extent, partition factor, and its stride per loop."""

    extent: Value
    factor: Value
    strides: Mapping[str, Value]


def of_one_stripe(alg: Algebra, dims: tuple[Dim, ...], stripes: Value) -> tuple[Dim, ...]:
    """The dimensions of each part of a buffer whose rows are dealt over so many."""
    last = [Dim(alg.ceil_div(d.extent, stripes), alg.ceil_div(d.factor, stripes), d.strides) for d in dims[-1:]]
    return (*dims[:-1], *last)


@dataclass(frozen=True)
class BufferAccess:
    """A reference to an element of a buffer.

    `element` identifies it: two accesses of one iteration with equal buffer and element meet in one place, and those
    whose elements differ in constants alone stay so far apart.
    """

    buffer: str
    element: tuple[Affine, ...]
    dims: tuple[Dim, ...]


@dataclass(frozen=True)
class Work:
    """One statement run inside the unrolled loops of a pipelined body.

    `unrolled` are the unrolled loops around it, of which `varying` has those that change each part of the value;
    `reductions` are all loops of the task whose source loop does not occur in
    the element written. `branches`: its guard is not an inlined select. `held`: a
    scalar stands for that element while the `reductions` among `unrolled` run;
    `from_literal`: the scalar starts from a literal. `sources`: the source loop that each iterator of the statement
    follows, None where it stands still. `shifts`: the iterations between two that write one element, as in `shifts_of`.
    """

    statement: StmtId
    write: BufferAccess
    target: Ref
    expr: Expr
    reads: Mapping[Ref, BufferAccess]
    unrolled: tuple[str, ...]
    varying: Varying
    reductions: frozenset[str]
    guarded: bool = False
    branches: bool = False
    held: Condition = False
    from_literal: bool = False
    sources: tuple[str | None, ...] = ()
    shifts: tuple[Shift, ...] | None = ()

    def updates(self, access: BufferAccess) -> bool:
        """Whether an access is to the array whose elements the statement reads and writes."""
        return self.target in self.reads and access.buffer == self.write.buffer


@dataclass(frozen=True)
class Flow:
    """A value that statement `writer` (by its place in the body) leaves in a buffer for `reader` in another start.

    Each of `ways` gives, per source loop that matters, the smallest distance in iterations from write to read; None
    is as far back as the loop goes.
    """

    writer: int
    reader: int
    buffer: str
    ways: tuple[tuple[tuple[str, int | None], ...], ...]


@dataclass(frozen=True)
class Pipe:
    """A pipelined loop (or a straight body) with its statements and the tile loops around it, outermost first.

    `loop` is None for a body without a loop of its own; `starts` counts the iterations over one run of the task.
    `trips` has the largest trip count of every loop, `least` the smallest of listed ones; `copies` the loops that each
    source loop became, outermost first, with the source iterations that one step is worth. `tree`: floating-point
    additions may be reassociated. `asked`: an interval below what sums reach is asked for. `moves`: the bounds of the
    loop change. `in_runs`: some rows of a table of tiles are run, in each iteration of the loops `apart` or of outer
    ones; the next run begins once all starts of this one are done. `arguments` are the iterators of the loops that call
    the task: their values stand still in it, and are unknown to synthesis. `in_table` has the loops that may be one
    over a table whose rows of one element lie apart, with whether each is, `picking` the loops that pick the elements
    updated, `rows_apart` how far apart rows are that update one, at least.
    """

    outer: tuple[str, ...]
    loop: str | None
    pipelined: bool
    works: tuple[Work, ...]
    trips: Mapping[str, Value]
    tree: bool
    starts: Value
    copies: Mapping[str, tuple[tuple[str, Value], ...]]
    flows: tuple[Flow, ...] = ()
    asked: bool = False
    moves: Condition = False
    least: Mapping[str, Value] = field(default_factory=dict)
    in_runs: Condition = False
    apart: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    in_table: Mapping[str, Condition] = field(default_factory=dict)
    picking: frozenset[str] = frozenset()
    rows_apart: Value = 1

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops of the task that are not unrolled, outermost first."""
        return self.outer if self.loop is None else (*self.outer, self.loop)

    def between(self, loop: str) -> Value:
        """Iterations of a loop of which each is a start, wherever it stands: never more than there are."""
        return self.least.get(loop, self.trips[loop])


@dataclass(frozen=True)
class Move:
    """A burst transfer: `dims` of the buffer (strides unused), `beats` in all, in `bursts` contiguous runs.

    `tile_strides` are the factors of loop iterators in its first address, in beats. `active`: it is there at all.
    `stream`: one process reads the port, another one fills the buffer, with a FIFO between them; `read_only`: nothing
    is stored through this port. `ahead`: it loads the tile of a later iteration, or finds none; `first`: it does so for
    the first iteration. `stripes`: so many of it move a stripe of the array each, through ports of their own; all else
    is said of one of them. `joins`: its beats are those of another load, which has the ports.
    """

    id: str
    array: str
    buffer: str
    port: str
    is_load: bool
    dims: tuple[Dim, ...]
    width: Value
    bits: int
    beats: Value
    bursts: Value = 1
    tile_strides: tuple[Value, ...] = ()
    is_tile: Condition = False
    active: Condition = True
    stream: Condition = False
    read_only: Condition = False
    ahead: bool = False
    first: bool = False
    stripes: Value = 1
    joins: Condition = False


@dataclass(frozen=True)
class Burst:
    """Loads, or stores, that stand together in a body, as steps: those of one run side by side.

    `rounds`: how often, one after another, as coarse-grained copies have buffers of their own behind the same ports.
    """

    steps: tuple[tuple[Move, ...], ...]
    is_load: bool
    rounds: Value = 1


@dataclass(frozen=True)
class Called:
    """Parts that follow each other in a function of their own; `runs`: how often it does not return at once.

    Without that it never does.
    """

    body: tuple[Part, ...]
    runs: Value | None = None

    def entered(self, calls: Value) -> Value:
        """How often its body is, in so many calls."""
        return calls if self.runs is None else self.runs


@dataclass(frozen=True)
class Single:
    """What is `called` in single iterations that differ: how many are as each of them, and the outer iteration of each.

    Everything in `called` has one entry per such iteration.
    """

    called: Called
    weight: Ints
    owner: Ints


@dataclass(frozen=True)
class Beside:
    """Loads of the next tile, which are calls that return at once where there is none, beside what is `called`.

    `back` stores the tile before, and then loads the next one of the same array; an iteration in which nothing is
    computed with comes before the first tile then, and one after the last. `alike`: all that is called
    takes the same in each iteration; else `single` has each one, as far as a plan says so.
    """

    loads: Burst
    called: Called
    back: Called | None = None
    alike: bool = True
    single: Single | None = None

    @property
    def body(self) -> tuple[Part, ...]:
        return (self.loads, *([] if self.back is None else [self.back]), self.called)


@dataclass(frozen=True)
class Tile:
    """A loop that is not pipelined; `iterations` over one run of the task.

    `fixed`: its bounds are constants. `exists`: it is there at all, else only its body is.
    """

    iterator: str
    iterations: Value
    body: tuple[Part, ...]
    fixed: Condition = True
    exists: Condition = True


@dataclass(frozen=True)
class Guarded:
    """Parts of a body that run only where a condition holds, `runs` times over one run of the task."""

    runs: Value
    body: tuple[Part, ...]


@dataclass(frozen=True)
class Replicated:
    """Coarse-grained copies, calls of one function: `copies` work side by side, each with its own operators.

    There are `turns` times as many; those run one after another, on the same operators, as they share arrays. Counts
    inside are those of one copy over all its turns.
    """

    copies: Value
    body: tuple[Part, ...]
    turns: Value = 1


Part = Pipe | Burst | Beside | Called | Tile | Guarded | Replicated


@dataclass(frozen=True)
class Placed:
    """A part where it stands: entered so often over one run of the task, in each of so many coarse-grained copies."""

    part: Part
    entries: Value
    copies: Value


def placed(parts: Sequence[Part], entries: Value = 1, copies: Value = 1) -> Iterator[Placed]:
    """Every part in order of execution, those around others before these."""
    for part in parts:
        yield Placed(part, entries, copies)
        match part:
            case Tile(iterations=inside) | Guarded(runs=inside):
                yield from placed(part.body, inside, copies)
            case Replicated(copies=more, turns=turns):
                yield from placed(part.body, entries * turns, copies * more)
            case Beside():
                yield from placed(part.body[:-1], part.called.entered(entries), copies)
                yield from placed(part.body[-1:], entries, copies)
            case Called():
                yield from placed(part.body, part.entered(entries), copies)


def pipes_in(parts: Sequence[Part]) -> Iterator[tuple[Pipe, Value]]:
    """Every pipelined body of some parts, with how many of them work side by side."""
    return ((here.part, here.copies) for here in placed(parts) if isinstance(here.part, Pipe))


@dataclass(frozen=True)
class TaskFacts:
    """A task: its parts in order of execution. Counts may have one entry per iteration of the outer loops."""

    name: str
    parts: tuple[Part, ...]
