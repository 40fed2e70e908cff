"""The loop tree of a plan: loops with roles, guards, statement runs, copies and calls, as plain values without C text.

Whoever walks a tree asks here for what is below a node and what holds there, and names only the nodes that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TypeVar

from sisyphus.algebra import Condition, Value
from sisyphus.ir import Ref, StmtId
from sisyphus.poly import Affine, comparisons, const, var
from sisyphus.values import dataclass, replace


class LoopRole(Enum):
    """What a loop is for; the printer and the cost model read it, nothing else decides pragmas."""

    OUTER = "outer"  # sequential loop of the source, shared by several nests
    TILE = "tile"  # level 0
    COPIES = "copies"  # level 0, coarse-grained: every iteration is a copy of what is inside
    PIPELINED = "pipelined"  # level 1, chosen
    SEQUENTIAL = "sequential"  # level 1 of a nest that is not pipelined
    UNROLLED = "unrolled"  # level 2


@dataclass(frozen=True)
class Quotient:
    """`numerator / divisor`, rounded up in a lower bound and down in an upper bound; divisor >= 1."""

    numerator: Affine
    divisor: int = 1


@dataclass(frozen=True)
class Bound:
    """A lower bound is the largest of its terms, an upper bound (inclusive) the smallest; never empty."""

    terms: tuple[Quotient, ...]

    @staticmethod
    def constant(value: int) -> Bound:
        return Bound((Quotient(const(value)),))

    @property
    def value(self) -> int | None:
        """The bound as an integer where it is one constant term."""
        only = self.terms[0]
        if len(self.terms) == 1 and only.divisor == 1 and only.numerator.is_constant:
            return only.numerator.constant
        return None


@dataclass(frozen=True)
class For:
    """`for (iterator = lower; iterator <= upper; ++iterator)`; `trip_count` is the largest number of iterations.

    `source` is the loop of the nest that this is a copy of. `exists`: it is there at all, else only its body is.
    `regular`: it has as many iterations wherever it runs, which the bounds of candidates that share a tree do not say.
    `interval`: the initiation interval that the tool is asked for, 0 where it is not. `listed`: loops whose bounds
    move, and those that these ask for, are one loop over a table of what they visit (`tile_list.py`). `quotients` are
    names of the iterator divided by these numbers, rounded down: which beat of a row it stands in. `coupled`: which
    iterations of the source loop there are depends on other loops, or the other way round. `idle` are iterations before
    the first tile and after the last one together, in which tiles only travel.
    """

    iterator: str
    source: str
    lower: Bound
    upper: Bound
    trip_count: Value
    role: LoopRole
    body: tuple[Node, ...]
    regular: Condition = True
    exists: Condition = True
    interval: int = 0
    quotients: tuple[tuple[str, int], ...] = ()
    listed: bool = False
    coupled: bool = False
    idle: int = 0

    @property
    def is_constant(self) -> bool:
        """Its bounds are integers."""
        return self.lower.value is not None and self.upper.value is not None

    @property
    def fixed(self) -> Condition:
        """Its bounds are integers, and so are those of each candidate that it stands for."""
        return self.is_constant and self.regular

    @property
    def asks(self) -> frozenset[str]:
        """The iterators that its bounds ask for."""
        return frozenset().union(*(q.numerator.names for bound in (self.lower, self.upper) for q in bound.terms))


class Skip(Enum):
    """What happens where a guard does not hold."""

    BRANCH = "branch"  # nothing
    KEEP = "keep"  # the element written is written back as it was
    SELECT = "select"  # so it is, and what the statement would have assigned is computed as well


@dataclass(frozen=True)
class Guard:
    """The body runs where every condition is >= 0; `skip` is BRANCH unless the body is one run (`guards.py`)."""

    conditions: tuple[Affine, ...]
    body: tuple[Node, ...]
    skip: Skip = Skip.BRANCH


@dataclass(frozen=True)
class Run:
    """One instance of a statement: each of its iterators as an affine expression of the loops around."""

    statement: StmtId
    values: tuple[tuple[str, Affine], ...]


@dataclass(frozen=True)
class Hold:
    """A scalar stands for one element while the body runs: read before, written back after.

    `ref` is the element in terms of the loops around this node; every run in the body that touches the array touches
    just this element.
    """

    name: str
    ref: Ref
    body: tuple[Node, ...]
    active: Condition = True


@dataclass(frozen=True)
class Copy:
    """One execution of a burst transfer, by its id, if it is `active`.

    It moves the part of the array that belongs to the iteration of the loops around, but for iterators that `at` gives
    other values: the tile of a later iteration may be loaded ahead of it. Where one of `within` is below 0, by these
    values, there is no such iteration, and it moves nothing.
    """

    transfer: str
    active: Condition = True
    at: tuple[tuple[str, Affine], ...] = ()
    within: tuple[Affine, ...] = ()

    @property
    def is_first(self) -> bool:
        """It stands before a loop and moves what belongs to the first iteration, as that loads for the next one."""
        return bool(self.at) and all(value.is_constant for _, value in self.at)


@dataclass(frozen=True)
class Together:
    """Nodes that run at the same time: none of them needs what another one does."""

    body: tuple[Node, ...]


#: What functions are for: to compute with a tile; to store one and load another.
TILE, EXCHANGE = "tile", "exchange"


@dataclass(frozen=True)
class Function:
    """Nodes one after another in a function of their own: only calls run beside each other.

    `name` is what it is for. Where one of `within` is below 0, it returns at once.
    """

    body: tuple[Node, ...]
    name: str = TILE
    within: tuple[Affine, ...] = ()


@dataclass(frozen=True)
class Call:
    """One execution of a task, by its name."""

    task: str


#: Nodes around others; a new kind stands here and below, where it says more than that.
Around = For | Guard | Hold | Together | Function
Node = Around | Run | Copy | Call
T = TypeVar("T")


def is_copied_work(node: Node) -> bool:
    """Whether a loop over coarse-grained copies is the one right around what they compute, not around transfers."""
    if not isinstance(node, For) or node.role is not LoopRole.COPIES:
        return False
    return not any(
        isinstance(n, Copy | Together) or (isinstance(n, For) and n.role is LoopRole.COPIES) for n in node.body
    )


def body_of(node: Node) -> tuple[Node, ...]:
    """Direct children in order of execution."""
    return node.body if isinstance(node, Around) else ()


def with_body(node: Node, body: tuple[Node, ...]) -> Node:
    """The same node around other children."""
    return replace(node, body=body) if isinstance(node, Around) else node


def at_once(node: Node) -> bool:
    """Whether its children run at the same time."""
    return isinstance(node, Together)


def stands_apart(node: Node) -> bool:
    """Whether the tool makes a loop or a function of its own of it; all else is straight code."""
    return isinstance(node, Copy | Function | Call) or (isinstance(node, For) and node.role is not LoopRole.UNROLLED)


def conditions_of(node: Node) -> tuple[Affine, ...]:
    """What must be >= 0 for anything to happen in a node, beside the bounds of a loop."""
    match node:
        case Guard(conditions=conditions) | Copy(within=conditions) | Function(within=conditions):
            return conditions
    return ()


def limits_of(iterator: str, lower: Bound, upper: Bound) -> tuple[Affine, ...]:
    """What is >= 0 where an iterator lies within its bounds, and nowhere else."""
    own = var(iterator)
    above = (own * q.divisor - q.numerator for q in lower.terms)
    return (*above, *(q.numerator - own * q.divisor for q in upper.terms))


def widened(loop: For, by: int) -> For:
    """A loop with so many iterations more before the first one and after the last one, `idle` in all."""
    lower = Bound(tuple(replace(q, numerator=q.numerator - q.divisor * by) for q in loop.lower.terms))
    upper = Bound(tuple(replace(q, numerator=q.numerator + q.divisor * by) for q in loop.upper.terms))
    more = 2 * by
    return replace(loop, lower=lower, upper=upper, trip_count=loop.trip_count + more, idle=loop.idle + more)


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Every node in order of execution, parents before children."""
    for node in nodes:
        yield node
        yield from walk(body_of(node))


def descend(
    nodes: Sequence[Node], around: T, inside: Callable[[Node, T], T], below: Callable[[Node], Sequence[Node]] = body_of
) -> Iterator[tuple[Node, T]]:
    """Every node, as `walk`, with what is known around it; `inside` says what is then known inside of a node."""
    for node in nodes:
        yield node, around
        if children := below(node):
            yield from descend(children, inside(node, around), inside, below)


def copies_in(nodes: Sequence[Node]) -> tuple[Copy, ...]:
    """The transfers that some nodes run, in order of execution."""
    return tuple(node for node in walk(nodes) if isinstance(node, Copy))


def headline(node: Node) -> str:
    """A node without its children, for people."""
    match node:
        case For():
            note = f" interval {node.interval}" if node.interval else ""
            note += " listed" if node.listed else ""
            bounds = f"{_bound(node.lower, 'max', 'ceil')}..{_bound(node.upper, 'min', 'floor')}"
            return f"for {node.iterator} in {bounds} {node.role.value} x{node.trip_count}{note}"
        case Guard():
            note = "" if node.skip is Skip.BRANCH else f" ({node.skip.value})"
            return f"if {_conditions(node.conditions)}{note}"
        case Hold():
            return f"hold {node.name} = {node.ref}"
        case Run():
            return f"run {node.statement}({', '.join(f'{name}={value}' for name, value in node.values)})"
        case Copy():
            given = ", ".join(f"{name}={value}" for name, value in node.at)
            limits = f" if {_conditions(node.within)}" if node.within else ""
            return f"copy {node.transfer}{f' at {given}' if given else ''}{limits}"
        case Call():
            return f"call {node.task}"
        case Function():
            return f"function{f' if {_conditions(node.within)}' if node.within else ''}"
        case Together():
            return "together"


def _conditions(conditions: tuple[Affine, ...]) -> str:
    return " and ".join(f"{left} {op} {right}" for left, op, right in comparisons(conditions))


def _bound(bound: Bound, several: str, rounding: str) -> str:
    terms = [str(q.numerator) if q.divisor == 1 else f"{rounding}(({q.numerator})/{q.divisor})" for q in bound.terms]
    return terms[0] if len(terms) == 1 else f"{several}({', '.join(terms)})"
