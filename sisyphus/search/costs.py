"""What the exact search asks of a cost model, and in which form it gets the answers; knows no formula.

The search supposes this shape. Every nest and every transfer of a whole array takes a number of cycles of its own.
They run in steps: a step takes as long as its slowest member, steps follow one another. Every nest uses up budgets,
each of one or several kinds (as DSP slices go into multipliers and adders); nests of one group hold what they use at
the same time. Which steps and groups there are depends only on which arrays are resident.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sisyphus.ir import ArrayId
from sisyphus.model.formulas.steps import Moved
from sisyphus.space import ArrayUse, DesignPoint, NestSpace, Places, Space, Tile
from sisyphus.target import Budget
from sisyphus.values import dataclass

if TYPE_CHECKING:
    from sisyphus.search.partitions import States

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Arrays: TypeAlias = frozenset[ArrayId]
#: A tile and a coarse-grained factor for each loop of a nest, and the interval that is asked for.
Tiling: TypeAlias = tuple[dict[str, Tile], dict[str, int], int]


@dataclass(frozen=True)
class Placement:
    """Where arrays live: resident, some of these wholly in registers; all others are transferred tile by tile."""

    residents: Arrays = frozenset()
    registers: Arrays = frozenset()


@dataclass(frozen=True, eq=False)
class Batch:
    """Candidates of one nest: trip counts per loop (row) and candidate (column).

    `copies` are coarse-grained factors, `interval` what the tool is asked for (0: nothing).
    """

    loops: tuple[str, ...]
    level0: Ints
    level1: Ints
    level2: Ints
    copies: Ints
    interval: Ints

    @property
    def count(self) -> int:
        return int(self.level0.shape[1])

    def take(self, chosen: Ints | Mask) -> Batch:
        level0, level1, level2, copies = (c[:, chosen] for c in (self.level0, self.level1, self.level2, self.copies))
        return Batch(self.loops, level0, level1, level2, copies, self.interval[chosen])

    def tiling(self, at: int) -> Tiling:
        """One of the candidates."""
        counts = zip(*(c[:, at].tolist() for c in (self.level0, self.level1, self.level2)), strict=True)
        tiles = {loop: Tile(*levels) for loop, levels in zip(self.loops, counts, strict=True)}
        return tiles, dict(zip(self.loops, self.copies[:, at].tolist(), strict=True)), int(self.interval[at])


@dataclass(frozen=True, eq=False)
class Costs:
    """Of a batch: cycles per candidate, and per budget what each kind (row) takes for each candidate (column)."""

    cycles: Floats
    usage: Mapping[str, Floats]

    def take(self, chosen: Ints | Mask) -> Costs:
        return Costs(self.cycles[chosen], {name: used[:, chosen] for name, used in self.usage.items()})


def joined_costs(parts: Sequence[Costs]) -> Costs:
    """Batches one after another; at least one."""
    return Costs(
        np.concatenate([p.cycles for p in parts]),
        {name: np.concatenate([p.usage[name] for p in parts], axis=1) for name in parts[0].usage},
    )


@dataclass(frozen=True)
class Least:
    """Lower bounds: cycles, and per budget the sum over its kinds."""

    cycles: float
    usage: Mapping[str, float]


#: More tiles than any loop has: of one that may load ahead, or another one may.
MANY = 1e18


@dataclass(frozen=True, eq=False)
class Transfers:
    """Loads and stores of a tiled array, their cycles together."""

    use: ArrayUse
    moved: Moved


@dataclass(frozen=True)
class Move:
    """The transfer of a whole resident array, which waits so many cycles for others at the banks of the board."""

    array: ArrayId
    is_load: bool
    wait: float = 0.0


@dataclass(frozen=True)
class Beat:
    """Elements per beat of a resident array and the storage of its banks: cycles of its load and store, and what it
    takes of each budget.
    """

    width: int
    load: float
    store: float
    usage: Mapping[str, float]
    storage: str = "auto"


@dataclass(frozen=True, eq=False)
class Width:
    """A resident array with beats of so many elements in banks of one storage, per state of its partition.

    Cycles of its load and store, what it takes of each budget, and whether the state leaves such a beat. `memory` are
    the bytes of its banks, which the searches count for themselves.
    """

    elements: int
    load: Floats
    store: Floats
    usage: Mapping[str, Floats]
    possible: Mask
    memory: Floats | None = None
    storage: str = "auto"

    def at(self, state: int) -> Beat:
        """The array in one state."""
        usage = {name: float(used[state]) for name, used in self.usage.items()}
        usage |= {} if self.memory is None else {"onchip_bytes": float(self.memory[state])}
        return Beat(self.elements, float(self.load[state]), float(self.store[state]), usage, self.storage)

    def cycles(self, move: Move) -> Floats:
        return (self.load if move.is_load else self.store) + move.wait

    def fastest(self, move: Move) -> float:
        """The least cycles that a move takes in any state."""
        return float(self.cycles(move)[self.possible].min(initial=np.inf))


@dataclass(frozen=True)
class Step:
    """Nests (by id) and moves that run side by side.

    The step takes `extra` cycles beside its slowest member, for which `least` cycles stand at least.
    """

    nests: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    extra: float = 0.0
    least: float = 0.0


@dataclass(frozen=True, eq=False)
class Ports:
    """So many ports of the resident arrays by home, and the steps, which take no less than moves through so many."""

    numbers: Mapping[ArrayId, int]
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Tilings:
    """Candidates of one nest with what each asks of the partition of every array (numbers of `States`)."""

    batch: Batch
    states: Mapping[ArrayId, Ints]

    @property
    def count(self) -> int:
        return self.batch.count

    def take(self, chosen: Ints | Mask) -> Tilings:
        return Tilings(self.batch.take(chosen), {a: s[chosen] for a, s in self.states.items()})


@dataclass(frozen=True, eq=False)
class Placed:
    """Where the same tiled arrays of a nest are transferred: per candidate one of `choices`."""

    choices: tuple[Places, ...]
    chosen: Ints

    @property
    def arrays(self) -> tuple[ArrayId, ...]:
        return tuple(self.choices[0].outside) if self.choices else ()

    def by_place(self) -> Iterator[tuple[ArrayId, Ints, frozenset[str]]]:
        """Each tiled array with the candidates that have the same loops outside of its transfers."""
        for array in self.arrays:
            for outside in dict.fromkeys(choice.outside[array] for choice in self.choices):
                same = [c for c, choice in enumerate(self.choices) if choice.outside[array] == outside]
                rows = np.flatnonzero(np.isin(self.chosen, same))
                if len(rows):
                    yield array, rows, outside


class CostModel(Protocol):
    """A cost model over the space it was made for.

    Tiled arrays multiply the choices of a nest. So they are counted twice: `least` and `tile`, put together by
    `latency`, give a lower bound for every choice; `count` the cycles of those that are left. A choice of infinite
    cycles is never made.
    """

    space: Space
    #: Whether partitions that other nests ask for change what a nest costs.
    has_couplings: bool

    @property
    def states(self) -> Mapping[ArrayId, States]:
        """What may be asked of the partition of each array."""
        ...

    def leaves_ports_open(self, residents: Arrays) -> bool:
        """Whether nests are counted as with the fewest ports of arrays, though one of these may have more."""
        ...

    def pays_for_ports(self, nest: NestSpace, residents: Arrays) -> bool:
        """Whether a nest is counted with more than the fewest ports of one of these arrays."""
        ...

    def ports_of_use(self, placement: Placement) -> Sequence[Ports]:
        """The numbers of ports that resident arrays may have, without those that fewer are as good as."""
        ...

    def with_ports(self, ports: Mapping[ArrayId, int]) -> CostModel:
        """The same where nests pay for so many ports of arrays, with the partitions that wide beats ask for.

        The moves of these take no less than through just so many.
        """
        ...

    def keeps(self, nest: NestSpace, batch: Batch, residents: Arrays) -> Mask:
        """Which candidates may go with the ports of resident arrays, where nests pay for them."""
        ...

    def steps(self, placement: Placement) -> tuple[Step, ...]:
        """What runs side by side, and what one after another."""
        ...

    def budgets(self, residents: Arrays) -> tuple[Budget, ...]:
        """Limits on what the nests use, less what the resident arrays take."""
        ...

    def always_resident(self) -> Arrays:
        """Arrays whose tiles the search need not look at."""
        ...

    def in_registers(self) -> Arrays:
        """Arrays of which it matters whether they lie in registers; the search then looks at both."""
        ...

    def may_fit(self) -> bool:
        """Whether the smallest buffers of all arrays fit the memory."""
        ...

    def may_hold(self, residents: Arrays) -> bool:
        """Whether the block memories have room for these arrays, whatever their partitions are."""
        ...

    def counted_per_look(self, nest: NestSpace) -> int:
        """How many candidates of a nest may be counted between two looks at the clock: few where each takes long."""
        ...

    def nest(self, nest: NestSpace, tilings: Tilings, registers: Arrays) -> Costs:
        """Candidates of a nest whose arrays are all resident, some of them in registers; every budget is in `usage`."""
        ...

    def least(self, nest: NestSpace, tilings: Tilings) -> Costs:
        """Lower bounds of candidates, their transfers left out, wherever arrays are."""
        ...

    def tile(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Costs:
        """At least what an array adds to a nest whose loops `outside` are outside of its transfers."""
        ...

    def tile_usage(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Mapping[str, Floats]:
        """The usage alone, which takes less time than the cycles; more loops outside never add to it."""
        ...

    def latency(self, nest: NestSpace, work: Floats, moved: Sequence[Transfers], other: Floats | float = 0.0) -> Floats:
        """Cycles of candidates of a nest at least, where `work` is without transfers; no less than with fewer arrays.

        `other` are the cycles of one array that is not in `moved`, wherever it is transferred.
        """
        ...

    def refill(self, nest: NestSpace, batch: Batch, outside: frozenset[str]) -> Floats:
        """Cycles that every new start of a nest's pipeline adds, where `outside` are loops with transfers in them."""
        ...

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: Arrays) -> Costs | None:
        """Cycles and usage of candidates with tiled arrays; None: the lower bounds are what they cost."""
        ...

    def rounded(self, costs: Costs) -> Costs:
        """Slightly less usage, so that more candidates are alike."""
        ...

    def least_tile(self, nest: NestSpace, use: ArrayUse) -> Least:
        """What a tiled array takes at least, whatever the candidate and wherever its transfers are."""
        ...

    def resident_usage(self, placement: Placement) -> Mapping[str, Mapping[ArrayId, Floats]]:
        """Per budget what each resident array takes, per state of its partition, beyond what `budgets` takes off."""
        ...

    def moves(self, move: Move) -> Floats:
        """Cycles of the transfer of a whole array per state of its partition."""
        ...

    def by_width(self, array: ArrayId) -> Sequence[Width]:
        """The beats that a resident array may have, widest first, as far as one alone does not exceed a budget."""
        ...

    def beats(self, array: ArrayId, state: int) -> Sequence[Beat]:
        """The beats that a resident array in a state may have."""
        ...

    def evaluate(self, point: DesignPoint) -> float:
        """The objective of a design point."""
        ...

    def excesses(self, point: DesignPoint) -> tuple[str, ...]:
        """Budgets that a design point exceeds, in words."""
        ...


class MakeCosts(Protocol):
    """Makes the cost model of a space; as a rule its class."""

    #: Whether the problem can also be said in formulas (`nlp/paper_problem.py`), for solvers that take those.
    @property
    def has_formulas(self) -> bool: ...

    def __call__(self, space: Space) -> CostModel: ...
