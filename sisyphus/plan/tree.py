"""The loop tree of a plan: loops with roles, guards, statement runs, copies and calls, as plain values without text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sisyphus.algebra import Condition, Value
from sisyphus.ir import Ref, StmtId
from sisyphus.poly import Affine, const


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
    `interval`: the initiation interval that the tool is asked for, 0 where it is not. `quotients` are names of the
    iterator divided by these numbers, rounded down: which beat of a row it stands in.
    """

    iterator: str
    source: str
    lower: Bound
    upper: Bound
    trip_count: Value
    role: LoopRole
    body: tuple[Node, ...]
    flatten: Condition = True
    exists: Condition = True
    interval: int = 0
    quotients: tuple[tuple[str, int], ...] = ()


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


@dataclass(frozen=True)
class Function:
    """Nodes one after another in a function of their own: only calls run beside each other."""

    body: tuple[Node, ...]


@dataclass(frozen=True)
class Call:
    """One execution of a task, by its name."""

    task: str


Node = For | Guard | Run | Hold | Copy | Together | Function | Call


def is_copied_work(node: Node) -> bool:
    """Whether a loop over coarse-grained copies is the one right around what they compute, not around transfers."""
    if not isinstance(node, For) or node.role is not LoopRole.COPIES:
        return False
    return not any(
        isinstance(n, Copy | Together) or (isinstance(n, For) and n.role is LoopRole.COPIES) for n in node.body
    )


def body_of(node: Node) -> tuple[Node, ...]:
    """Direct children in order of execution."""
    return node.body if isinstance(node, For | Guard | Hold | Together | Function) else ()


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Every node in order of execution, parents before children."""
    for node in nodes:
        yield node
        yield from walk(body_of(node))
