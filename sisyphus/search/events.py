"""What is told while entries of tables are combined, and the incumbent that is read meanwhile; knows no search.

Whoever combines yields events, and whoever listens stops it by asking for no more of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Protocol, TypeAlias

from sisyphus.values import dataclass

if TYPE_CHECKING:
    from sisyphus.search.nodes import Problem


@dataclass(frozen=True)
class Bound:
    """Everything that was not looked at yet costs at least so much."""

    cycles: float


@dataclass(frozen=True)
class Whole:
    """One entry of each table that together cost less than the incumbent."""

    cycles: float
    chosen: tuple[int, ...]


@dataclass(frozen=True)
class LeftOut:
    """Something that costs at least so much was left out because of something alike."""

    cycles: float


@dataclass(frozen=True)
class Failed:
    """A solver has nothing to say; what it was asked for stays open."""


Event: TypeAlias = Bound | Whole | LeftOut | Failed


@dataclass
class Incumbent:
    """The cost below which a design is of interest; it falls with every better design that is found."""

    cycles: float = inf


class Combine(Protocol):
    """Yields every combination that costs less than `upper` and the incumbent, which may fall meanwhile.

    With `may_leave_out`, of combinations alike some may be left out, with a word about it.
    """

    def __call__(
        self, problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool
    ) -> Iterator[Event]: ...
