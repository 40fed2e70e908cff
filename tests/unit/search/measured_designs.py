"""Designs of small kernels under the measured model: every one of them, random ones, and what the search counts."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from builders import scop as build_scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.model import Estimate, Estimator
from sisyphus.search import CostModel, Judged, Problem, Solution
from sisyphus.search.candidates import candidates_of
from sisyphus.search.costs import Placement, Tilings
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.nodes import Charges, Node
from sisyphus.search.options import Options as NestOptions
from sisyphus.search.placements import Residence, choices
from sisyphus.search.tables import Table
from sisyphus.space import (
    Choices,
    DesignPoint,
    NestChoices,
    NestSpace,
    NotADesign,
    Options,
    Space,
    Tile,
    build_space,
    decode,
)
from sisyphus.space.space import Trust
from sisyphus.target import load_device, make_target

Extents = Mapping[str, tuple[int, ...]]
#: What the full model says of every budget.
BUDGETS = ("dsp", "lut", "ff", "bram18k", "uram", "onchip_bytes")
#: Nests below which loops that carry a dependence turn, triangles, statements without a read, and shared inputs.
KERNELS: Mapping[str, tuple[str, Extents]] = {
    "scale": ("for i in range(6):\n  Y[i] = X[i] * a", {"Y": (6,), "X": (6,)}),
    "dot": ("for i in range(2):\n for j in range(2):\n  Y[i] += A[i, j] * X[j]", {"Y": (2,), "A": (2, 2), "X": (2,)}),
    "triangle": ("for i in range(4):\n for j in range(i + 1):\n  C[i, j] = C[i, j] * a", {"C": (4, 4)}),
    "sweep": (
        "for i in range(1, 4):\n for j in range(3):\n  A[i, j] = A[i - 1, j + 1] * c + A[i, j]",
        {"A": (4, 4)},
    ),
    "zero": (
        "for i in range(2):\n  Y[i] = c\nfor i in range(2):\n for j in range(2):\n  Y[i] += A[i, j]",
        {"Y": (2,), "A": (2, 2)},
    ),
    "copy": (
        "for i in range(6):\n  Y[i] = X[i] * a\nfor i in range(6):\n  Z[i] = Y[i] + X[i]",
        {"Y": (6,), "X": (6,), "Z": (6,)},
    ),
    "rows": (
        "for i in range(6):\n for j in range(i, 6):\n  Y[i] += A[i, j] * X[j]",
        {"Y": (6,), "A": (6, 6), "X": (6,)},
    ),
    "steps": (
        "for t in range(3):\n for i in range(1, 7):\n  B[i] = A[i - 1] + A[i + 1]\n for i in range(1, 7):\n"
        "  A[i] = B[i]",
        {"A": (8,), "B": (8,)},
    ),
    "pair": (
        "for i in range(4):\n for j in range(2):\n  X[i, j + 1] = Y[i, j] * A[j]\n  Y[i, j + 1] = X[i, j] * c",
        {"X": (4, 3), "Y": (4, 3), "A": (2,)},
    ),
    "solve": (
        "for i in range(4):\n for j in range(i):\n  X[i] -= L[i, j] * X[j]\n X[i] = X[i] / L[i, i]",
        {"X": (4,), "L": (4, 4)},
    ),
}


def measured_space(
    text: str, extents: Extents, *, tree: bool = False, partition: int = 1024, trust: Trust = "any", **budgets: int
) -> Space:
    """The space of a kernel with tiles that divide its loops, on a board with less of some budgets."""
    scop = build_scop(text, **extents)
    found = dependences(scop)
    target = make_target(load_device("u200"), budget="chip", max_partition=partition, **budgets)  # type: ignore[arg-type]
    options = Options(tree_reduction=tree, tiles="divisors", trust=trust)
    return build_space(scop, found, distribute(scop, found), liveness(scop), target, options)


def kernel_space(kernel: str, **budgets: int) -> Space:
    return measured_space(*KERNELS[kernel], **budgets)


class Full:
    """The full model of a space: what has the last word."""

    def __init__(self, space: Space) -> None:
        self._estimator = Estimator(space.scop, space.distribution, space.live, space.target)
        self._known: dict[DesignPoint, Estimate] = {}

    def __call__(self, point: DesignPoint) -> Estimate:
        if point not in self._known:
            self._known[point] = self._estimator.estimate(point)
        return self._known[point]

    def judge(self, point: DesignPoint) -> Judged:
        found = self(point)
        return Judged(found.cycles, {name: getattr(found, name) for name in BUDGETS})


def a_point(
    space: Space,
    tiles: Mapping[str, tuple[int, int, int]],
    *,
    widths: Mapping[str, int] | None = None,
    tiled: Mapping[str, str] | None = None,
    registers: Collection[str] = (),
) -> DesignPoint:
    """The design with these tiles per `nest.loop`; `tiled` has the loops outside per `nest.array`, beats are wide."""
    nests = {}
    for nest in space.nests:
        chosen = {loop.iterator: Tile(*tiles[f"{nest.id}.{loop.iterator}"]) for loop in nest.loops}
        moved = {a: loops for name, loops in (tiled or {}).items() for n, a in [name.split(".")] if n == nest.id}
        outside = {ArrayId(array): frozenset(loops) for array, loops in moved.items()}
        residents = frozenset(space.used_arrays) - outside.keys()
        nests[nest.id] = NestChoices(nest.id, chosen, {}, outside, nest.intervals[0], residents)
    beats = {array: (widths or {}).get(array, max(space.widths[array])) for array in space.used_arrays}
    return decode(space, Choices(nests, beats, frozenset(map(ArrayId, registers))))


def every_design(space: Space, in_registers: Collection[ArrayId]) -> list[DesignPoint]:
    """All that `decode` makes of all knobs: tiles, places of transfers, beats; an array has one residence."""
    found: dict[DesignPoint, None] = {}
    arrays = space.used_arrays
    free = [choices(space, array, frozenset(), frozenset(in_registers)) for array in arrays]
    for placement in product(*free):
        residence_of = dict(zip(arrays, placement, strict=True))
        per_nest = [list(_choices_of(nest, residence_of)) for nest in space.nests]
        widths = [[1] if h is Residence.TILED else space.widths[a] for a, h in residence_of.items()]
        for beats in product(*widths):
            registers = frozenset(a for a, h in residence_of.items() if h is Residence.REGISTERS)
            for parts in product(*per_nest):
                choices_of_all = Choices({p.nest: p for p in parts}, dict(zip(arrays, beats, strict=True)), registers)
                try:
                    found[decode(space, choices_of_all)] = None
                except NotADesign:
                    continue  # more banks than allowed
    return list(found)


def _choices_of(nest: NestSpace, placement: Mapping[ArrayId, Residence]) -> Iterator[NestChoices]:
    """Every tiling with every nested family of sets of loops outside of the tiled arrays."""
    loops = [loop.iterator for loop in nest.loops]
    tiled = [use for use in nest.arrays if placement[use.array] is Residence.TILED]
    subsets = [
        frozenset(n for n, bit in zip(loops, bits, strict=True) if bit) for bits in product((0, 1), repeat=len(loops))
    ]
    sets_of = [[s for s in subsets if s or nest.can_move_around(use)] for use in tiled]
    families = [f for f in product(*sets_of) if all(a <= b or b <= a for a in f for b in f)]
    residents = frozenset(placement) - {use.array for use in tiled}
    for tiles in product(*(loop.tiles for loop in nest.loops)):
        if sum(tile.level1 > 1 for tile in tiles) > 1:
            continue
        factors = [[f for f in s.unroll if tile.level0 % f == 0] for s, tile in zip(nest.loops, tiles, strict=True)]
        for chosen in product(*factors):
            copies, chosen_tiles = dict(zip(loops, chosen, strict=True)), dict(zip(loops, tiles, strict=True))
            for family, asked, ahead in product(families, nest.intervals, {False, bool(nest.early)}):
                outside = {u.array: s for u, s in zip(tiled, family, strict=True)}
                yield NestChoices(nest.id, chosen_tiles, copies, outside, asked, residents, ahead=ahead)


class _WithoutCounts:
    """A cost model whose lower bounds are all that is known."""

    def __init__(self, costs: CostModel) -> None:
        self._costs = costs

    def __getattr__(self, name: str) -> object:
        return getattr(self._costs, name)

    def count(self, *_: object) -> None:
        return None


@dataclass(frozen=True)
class Sample:
    """Some choices of every nest of a space for one placement, as the search makes its tables."""

    costs: CostModel
    placement: Placement
    options: Mapping[str, NestOptions]
    bounds: Mapping[str, Table]
    tables: Mapping[str, Table]

    @cached_property
    def states_in_registers(self) -> dict[ArrayId, int]:
        return {a: s for a in self.placement.registers if (s := self.costs.states[a].registers) is not None}

    def _is_barred(self, array: ArrayId, state: int) -> bool:
        """Would an array lie in registers that is said not to?"""
        matters = array in self.costs.in_registers() and array not in self.placement.registers
        return matters and bool(self.costs.states[array].complete[state])

    def design(self, rng: random.Random) -> Design | None:
        """One entry per nest; None where no partition serves all of them."""
        picks = [table.take(np.array([rng.randrange(table.count)])) for table in self.tables.values()]
        states = self.costs.states
        asked = {a: s.start for a, s in states.items()} | self.states_in_registers
        for pick in picks:
            for array, state in pick.states.items():
                asked[array] = int(states[array].joined_with(asked[array])[int(state[0])])
                if asked[array] < 0 or self._is_barred(array, asked[array]):
                    return None
        beats = {a: int(states[a].width[s]) for a, s in asked.items()}
        chosen = tuple(self.options[p.nest].choice(p) for p in picks)
        return Design(self, tuple(picks), Solution(0.0, chosen, self.placement, asked, beats))


@dataclass(frozen=True)
class Design:
    """A complete choice; `problem` has it alone in its tables."""

    sample: Sample
    picks: tuple[Table, ...]
    solution: Solution

    @cached_property
    def problem(self) -> Problem:
        sample, costs = self.sample, self.sample.costs
        steps = costs.steps(sample.placement)
        return Problem(
            self.picks,
            steps,
            costs.budgets(sample.placement.residents),
            costs.states,
            {move: costs.moves(move) for step in steps for move in step.moves},
            start=sample.states_in_registers,
            recount=lambda table, states: sample.options[table.nest].recount(table, states),
            residents=costs.resident_usage(sample.placement),
        )

    @cached_property
    def whole(self) -> tuple[Charges, Node]:
        charges = Charges(self.problem)
        node = charges.root()
        while node.open:
            node = charges.child(node, node.open[0], 0)
        return charges, node

    @property
    def cycles(self) -> float:
        """As the search counts it."""
        charges, node = self.whole
        return charges.fixed(node)

    @property
    def is_crowded(self) -> bool:
        charges, node = self.whole
        return charges.is_crowded(node)

    def is_cheaper_coupled(self) -> bool:
        """Does a nest take less next to the partitions of the others than the table says, in cycles or in operators?

        Loads ahead may hide that its interval rises, which saves operators.
        """
        states = self.solution.states
        for pick in self.picks:
            asked = {a: np.array([states[a]]) for a in pick.states}
            again = self.sample.options[pick.nest].recount(pick, asked)
            if again.cycles[0] < pick.cycles[0] or again.usage["dsp"].sum() < pick.usage["dsp"].sum():
                return True
        return False

    def fits(self, used: Mapping[str, float]) -> dict[str, bool]:
        """Per budget whether the search leaves the design in when there is just as much as `used`."""
        found = {}
        for budget in self.problem.budgets:
            if budget.name in used:
                charges = Charges(replace(self.problem, budgets=[replace(budget, limit=used[budget.name])]))
                node, fits = charges.root(), True
                while fits and node.open:
                    fits = charges.vectors(node, {}) is not None
                    node = charges.child(node, node.open[0], 0)
                found[budget.name] = fits
        return found


def samples(costs: CostModel, rng: random.Random, count: int, *, most: int = 6) -> Iterator[Sample]:
    """Random placements of the arrays, with a few tilings of each nest and every place of their transfers."""
    space, states = costs.space, costs.states
    every = {nest.id: candidates_of(space, nest, states) for nest in space.nests}
    for _ in range(count):
        residence_of = {a: rng.choice(choices(space, a, frozenset(), costs.in_registers())) for a in space.used_arrays}
        registers = frozenset(a for a, residence in residence_of.items() if residence is Residence.REGISTERS)
        placement = Placement(
            frozenset(a for a, residence in residence_of.items() if residence is not Residence.TILED), registers
        )
        tilings = {
            n: t.take(np.array(sorted(rng.sample(range(t.count), min(t.count, most))))) for n, t in every.items()
        }
        exact = {nest.id: _options(costs, costs, nest, tilings[nest.id], placement) for nest in space.nests}
        bare: CostModel = _WithoutCounts(costs)  # type: ignore[assignment]
        rough = {
            nest.id: _options(costs, bare, nest, tilings[nest.id], placement, is_rough=True) for nest in space.nests
        }
        unlimited = {budget.name: np.inf for budget in costs.budgets(placement.residents)}
        tables, bounds = (
            {n: o.alike(np.inf, unlimited, Deadline(), EFFORT.new_entries) for n, o in found.items()}
            for found in (exact, rough)
        )
        if all(table.count for table in tables.values()):
            yield Sample(costs, placement, exact, bounds, tables)


def _options(
    costs: CostModel,
    counts: CostModel,
    nest: NestSpace,
    tilings: Tilings,
    placement: Placement,
    *,
    is_rough: bool = False,
) -> NestOptions:
    tiled = tuple(use.array for use in nest.arrays if use.array not in placement.residents)
    registers = placement.registers & {use.array for use in nest.arrays}
    is_counted = not tiled and not is_rough
    base = costs.nest(nest, tilings, registers) if is_counted else costs.least(nest, tilings)
    return NestOptions(counts, nest, tilings, base, tiled, registers, is_counted=is_counted)
