"""What nests offer, and what all of them together cost at least, by where arrays live; knows no search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sisyphus import clock
from sisyphus.ir import ArrayId
from sisyphus.search.candidates import candidates_of
from sisyphus.search.costs import (
    Arrays,
    CostModel,
    Costs,
    Floats,
    Move,
    Placement,
    Step,
    Tilings,
    joined_costs,
)
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.options import Options
from sisyphus.search.placements import may_be
from sisyphus.search.places import least_latency
from sisyphus.search.tables import Table
from sisyphus.space import NestSpace
from sisyphus.target import Budget
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Offers:
    """What there is to choose from with arrays in this placement: options per nest, for steps under budgets.

    `bounds` count it.
    """

    bounds: LowerBounds
    placement: Placement
    steps: Sequence[Step]
    budgets: Sequence[Budget]
    options: Mapping[str, Options]

    @cached_property
    def most(self) -> Mapping[str, float]:
        """The limit of each budget."""
        return {budget.name: budget.limit for budget in self.budgets}

    def floors(self) -> dict[str, float]:
        """Cycles of each nest at least, as far as its choices are known now."""
        return {nest: options.floor(self.most) for nest, options in self.options.items()}


class LowerBounds:
    """Tilings, options and lower bounds of all nests, each made when it is first asked for.

    Once the deadline is over, nothing that takes long is counted any more. Those of the same space with other ports
    have what does not depend on them from the `whole`.
    """

    def __init__(self, costs: CostModel, deadline: Deadline, whole: LowerBounds | None = None) -> None:
        self.costs, self.space, self.deadline, self._of_all = costs, costs.space, deadline, whole
        self._options: dict[tuple[str, tuple[ArrayId, ...], Arrays], Options] = {}
        self._known_moves: dict[Move, tuple[Floats, float]] = {}
        self._tilings: dict[str, Tilings] = {} if whole is None else whole._tilings
        self._least: dict[str, Costs] = {} if whole is None else whole._least
        self._whole: dict[tuple[str, Arrays], Costs] = {}
        self._known_floors: dict[tuple[str, Arrays, bool, Arrays], float] = {}
        self._parts: dict[frozenset[tuple[ArrayId, int]], LowerBounds] = {}
        self._residents: dict[Placement, Mapping[str, Mapping[ArrayId, Floats]]] = {}

    @cached_property
    def in_registers(self) -> Arrays:
        """Arrays of which it matters whether they lie in registers."""
        return self.costs.in_registers()

    def with_most_ports(self, placement: Placement) -> LowerBounds:
        """Where nests pay for as many ports as are of use, as most designs do."""
        if not self.costs.leaves_ports_open(placement.residents):
            return self
        return self.paying(self.costs.ports_of_use(placement)[0].numbers)

    def paying(self, ports: Mapping[ArrayId, int]) -> LowerBounds:
        """The same where nests pay for so many ports of arrays, by home."""
        key = frozenset(ports.items())
        if key not in self._parts:
            self._parts[key] = LowerBounds(self.costs.with_ports(ports), self.deadline, self)
        return self._parts[key]

    def prepare(self) -> bool:
        """What does not depend on residency; before anything else. Whether there was time for it."""
        budgets = self.costs.budgets(frozenset())
        for nest in self.space.nests:
            if nest.id in self._tilings:
                continue
            if self.deadline.is_over:
                return False
            found = candidates_of(self.space, nest, self.costs.states)
            least = self.costs.least(nest, found)
            alone = np.isfinite(least.cycles)
            for budget in budgets:
                alone &= least.usage[budget.name].sum(axis=0) <= budget.limit
            kept = np.flatnonzero(alone)
            self._tilings[nest.id] = found.take(kept)
            self._least[nest.id] = least.take(kept)
        return True

    def offers(self, placement: Placement, *, sampled: bool = False) -> Offers:
        """All choices with this placement, or those that a sample is to be counted of."""
        options_of = self.sampled_of if sampled else self.options_of
        options = {nest.id: options_of(nest, placement) for nest in self.space.nests}
        return Offers(self, placement, self.costs.steps(placement), self.costs.budgets(placement.residents), options)

    def options_of(self, nest: NestSpace, placement: Placement) -> Options:
        """The choices of a nest; those of all where it pays for no more ports than there."""
        if self._of_all is not None and not self.costs.pays_for_ports(nest, placement.residents):
            return self._of_all.options_of(nest, placement)
        tiled = tuple(use.array for use in nest.arrays if use.array not in placement.residents)
        registers = self._registers_of(nest, placement)
        key = (nest.id, tiled, registers)
        if key not in self._options:
            whole = None if tiled else (self._of_all or self)._whole_of(nest, registers)
            tilings, base = self._kept(nest, placement, self._least[nest.id] if whole is None else whole)
            is_counted = whole is not None and self._of_all is None
            self._options[key] = Options(self.costs, nest, tilings, base, tiled, registers, is_counted=is_counted)
        return self._options[key]

    def sampled_of(self, nest: NestSpace, placement: Placement) -> Options:
        """Options of which some are to be counted, however many there are."""
        registers = self._registers_of(nest, placement)
        tilings, least = self._kept(nest, placement, self._least[nest.id])
        if tilings.count <= EFFORT.tilings_of_start or any(use.array not in placement.residents for use in nest.arrays):
            return self.options_of(nest, placement)
        return Options(self.costs, nest, tilings, least, (), registers, is_counted=False)

    def _kept(self, nest: NestSpace, placement: Placement, costs: Costs) -> tuple[Tilings, Costs]:
        """The tilings that go with the ports of the resident arrays, with these costs."""
        tilings = self._tilings[nest.id]
        kept = self.costs.keeps(nest, tilings.batch, placement.residents)
        return (tilings, costs) if kept.all() else (tilings.take(kept), costs.take(kept))

    @staticmethod
    def _registers_of(nest: NestSpace, placement: Placement) -> Arrays:
        return placement.registers & {use.array for use in nest.arrays}

    def _whole_of(self, nest: NestSpace, registers: Arrays) -> Costs | None:
        """Cycles and usage with all arrays resident; None where it would take too long to count them all."""
        key = (nest.id, registers)
        if key not in self._whole:
            most = min(EFFORT.tilings_per_look, self.costs.counted_per_look(nest))
            if most < EFFORT.quick_tilings:
                return None
            tilings, parts = self._tilings[nest.id], []
            for start in range(0, max(tilings.count, 1), most):
                if self.deadline.is_over:
                    return None
                rows = np.arange(start, min(start + most, tilings.count))
                parts.append(self.costs.nest(nest, tilings.take(rows), registers))
            self._whole[key] = joined_costs(parts)
        return self._whole[key]

    def floor(self, placement: Placement, tiled: Arrays) -> float:
        """Cheapest nests, cheapest moves of the resident arrays, least transfers of the tiled ones."""
        clock.added_up(len(self.space.nests))
        if not self.has_room(placement, tiled):
            return float("inf")
        nests = {nest.id: self._floor_of(nest, placement, tiled) for nest in self.space.nests}
        undecided = self.in_registers - placement.residents - tiled
        return self.total_of(self.costs.steps(Placement(placement.residents, placement.registers | undecided)), nests)

    def _floor_of(self, nest: NestSpace, placement: Placement, tiled: Arrays) -> float:
        """Cycles of a nest at least; they depend on its own arrays alone."""
        own = {use.array for use in nest.arrays}
        key = (nest.id, tiled & own, own <= placement.residents, placement.registers & own)
        if key not in self._known_floors:
            self._known_floors[key] = float(self._at_least(nest, placement, tiled).min(initial=np.inf))
        return self._known_floors[key]

    def _at_least(self, nest: NestSpace, placement: Placement, tiled: Arrays) -> Floats:
        """Cycles of each tiling of a nest at least, with its resident arrays and the tiled ones."""
        uses = [use for use in nest.arrays if use.array in tiled]
        is_whole = all(use.array in placement.residents for use in nest.arrays)
        whole = self._whole_of(nest, self._registers_of(nest, placement)) if is_whole else None
        base = self._least[nest.id] if whole is None else whole
        return least_latency(self.costs, nest, base.cycles, uses)

    def least(self) -> float:
        """Everything at least, before placements are looked at: arrays that cannot be resident are tiled."""
        return self.floor(Placement(), self._never_resident)

    @cached_property
    def _never_resident(self) -> Arrays:
        """Arrays that cannot be resident; none where not even their smallest tiles have room."""
        found = frozenset(
            a
            for a in self.space.used_arrays
            if not may_be(self.space, a, resident=True) or not self.costs.may_hold(frozenset({a}))
        )
        return found if self.has_room(Placement(), found) else frozenset()

    def leave_out(self, cutoff: float) -> None:
        """From now on without the tilings with which everything costs so much at least; before any placement."""
        tiled = self._never_resident
        cycles = {nest.id: self._at_least(nest, Placement(), tiled) for nest in self.space.nests}
        floors = {nest: float(least.min(initial=np.inf)) for nest, least in cycles.items()}
        steps = self.costs.steps(Placement(frozenset(), self.in_registers - tiled))
        for nest, cap in self.caps(steps, floors, cutoff).items():
            kept = np.flatnonzero(cycles[nest] < cap)
            self._tilings[nest], self._least[nest] = self._tilings[nest].take(kept), self._least[nest].take(kept)
        self._known_floors.clear()

    def caps(self, steps: Sequence[Step], floors: Mapping[str, float], cutoff: float) -> dict[str, float]:
        """Cycles of each nest with which everything costs `cutoff` at least, where nests take those of the floors."""
        total, found = self.total_of(steps, floors), dict[str, float]()
        for step in steps:
            found.update(dict.fromkeys(step.nests, cutoff - (total - self.step(step, floors))))
        return found

    def has_room(self, placement: Placement, tiled: Arrays | None = None) -> bool:
        """Whether the resident arrays, and the smallest tiles of others (if not given: all others), may fit.

        Nests never share the memory of their tiles.
        """
        if not self.costs.may_hold(placement.residents):
            return False
        if tiled is None:
            tiled = frozenset(self.space.used_arrays) - placement.residents
        used = dict[str, float]()
        for nest in self.space.nests:
            for use in nest.arrays:
                if use.array in tiled:
                    for name, amount in self.costs.least_tile(nest, use).usage.items():
                        used[name] = used.get(name, 0.0) + amount
        for name, amounts in self.resident_usage(placement).items():
            used[name] = used.get(name, 0.0) + sum(float(amount.min()) for amount in amounts.values())
        return all(b.limit >= used.get(b.name, 0.0) for b in self.costs.budgets(placement.residents))

    def tables(self, offers: Offers, limits: Mapping[str, float], alike: int = 0) -> dict[str, Table]:
        """Choices of each nest within its limit; with `alike` also those that others match, at most so many.

        The nest that takes longest has the fewest choices: where one has none, those of others are not counted.
        """
        found = {}
        for nest, options in sorted(offers.options.items(), key=lambda item: -item[1].floor(offers.most)):
            if alike:
                found[nest] = options.alike(limits[nest], offers.most, self.deadline, alike)
            else:
                found[nest] = options.within(limits[nest], offers.most, self.deadline)
            if not found[nest].count:
                return {nest: found[nest]}
        return {nest: found[nest] for nest in offers.options}

    def outside(self, offers: Offers, tables: Mapping[str, Table], caps: Mapping[str, float]) -> float:
        """What everything costs at least with one nest that is not in its table, and not beyond its cap."""
        floors = offers.floors()
        return min(
            (
                self.total_of(offers.steps, floors | {nest: max(floors[nest], table.complete_to)})
                for nest, table in tables.items()
                if table.complete_to < caps[nest]
            ),
            default=float("inf"),
        )

    def total(self, offers: Offers) -> float:
        """Everything at least, as far as the choices are known now."""
        return self.total_of(offers.steps, offers.floors())

    def total_of(self, steps: Sequence[Step], nests: Mapping[str, float]) -> float:
        """Cycles of nests of given cycles with the cheapest moves."""
        return sum(self.step(step, nests) for step in steps)

    def step(self, step: Step, nests: Mapping[str, float]) -> float:
        """The same of one step."""
        moves = [self.moves(move)[1] for move in step.moves]
        return max([step.least, *(nests[n] for n in step.nests), *moves]) + step.extra

    def resident_usage(self, placement: Placement) -> Mapping[str, Mapping[ArrayId, Floats]]:
        """Per budget what each resident array takes, per state of its partition."""
        if placement not in self._residents:
            self._residents[placement] = self.costs.resident_usage(placement)
        return self._residents[placement]

    def moves(self, move: Move) -> tuple[Floats, float]:
        """Cycles of a move per state of its array, and the least of them."""
        if move not in self._known_moves:
            cycles = self.costs.moves(move)
            self._known_moves[move] = cycles, float(cycles.min(initial=np.inf))
        return self._known_moves[move]
