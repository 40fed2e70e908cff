"""Choices of all nests as a problem of one entry per table, an answer as a solution, and a solution as a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import CostModel, Placement, Width
from sisyphus.search.events import Whole
from sisyphus.search.lower_bounds import LowerBounds, Offers
from sisyphus.search.nodes import Problem
from sisyphus.search.tables import Table
from sisyphus.search.transfer_limits import TransferLimit, widths_of_residents
from sisyphus.space import Choices, DesignPoint, NestChoices, Space, decode
from sisyphus.values import dataclass, field, replace


@dataclass(frozen=True)
class Solution:
    """A complete choice with its cycles; `states` are of the arrays, `widths` the widest beats that these leave.

    `storages` is what banks of some arrays are asked to be in, where it is not what all others are in. `picks` have the
    entry of each nest, as `bounds` offer them.
    """

    cycles: float
    choices: tuple[NestChoices, ...]
    placement: Placement
    states: Mapping[ArrayId, int]
    widths: Mapping[ArrayId, int]
    storages: Mapping[ArrayId, str] = field(default_factory=dict)
    picks: tuple[Table, ...] = field(default=(), compare=False)
    bounds: LowerBounds | None = field(default=None, compare=False)


def problem_of(offers: Offers, tables: Sequence[Table], *, coupled: bool) -> Problem:
    """The choice of one entry per table, nests counted again next to others or as if alone."""
    placement, options, lower_bounds, costs = offers.placement, offers.options, offers.bounds, offers.bounds.costs
    beats = widths_of_residents(costs, placement)
    apart = (lower_bounds.in_registers & placement.residents) - placement.registers
    return Problem(
        tables,
        offers.steps,
        offers.budgets,
        costs.states,
        {move: lower_bounds.moves(move)[0] for step in offers.steps for move in step.moves},
        start={a: r for a in placement.registers if (r := costs.states[a].registers) is not None},
        barred={a: costs.states[a].complete for a in apart},
        recount=(lambda table, states: options[table.nest].recount(table, states))
        if costs.has_couplings and coupled
        else None,
        residents=lower_bounds.resident_usage(placement),
        same_port=_same_port(costs, beats),
        beats=beats,
    )


def _same_port(costs: CostModel, beats: Mapping[ArrayId, Sequence[Width]]) -> list[Mapping[ArrayId, Sequence[Width]]]:
    """Resident arrays that have one home in memory with others: of each its beats."""
    homes: dict[ArrayId, list[ArrayId]] = {}
    for array in beats:
        homes.setdefault(costs.space.scop.home(array), []).append(array)
    return [{a: beats[a] for a in arrays} for arrays in homes.values() if len(arrays) > 1]


def solution_of(
    offers: Offers, tables: Sequence[Table], whole: Whole, transfer_limit: TransferLimit | None
) -> Solution:
    """A combination with the beats that its partitions leave, or those of a transfer limit."""
    costs = offers.bounds.costs
    picks = [table.take(np.array([entry])) for table, entry in zip(tables, whole.chosen, strict=True)]
    asked = {array: states.start for array, states in costs.states.items()}
    asked |= {array: registers for array in offers.placement.registers if (registers := costs.states[array].registers)}
    for pick in picks:
        for array, state in pick.states.items():
            asked[array] = int(costs.states[array].joined(asked[array], state)[0])
    widths = {array: int(costs.states[array].width[state]) for array, state in asked.items()}
    if transfer_limit is not None:
        widths |= {array: int(chosen[asked[array]]) for array, chosen in transfer_limit.widths.items()}
    choices = tuple(offers.options[pick.nest].choice(pick) for pick in picks)
    return Solution(whole.cycles, choices, offers.placement, asked, widths, picks=tuple(picks), bounds=offers.bounds)


def point_of(space: Space, solution: Solution) -> DesignPoint:
    """By way of what is chosen, so that equal choices give equal points whichever solver made them."""
    placement = solution.placement
    nests = {choice.nest: replace(choice, residents=placement.residents) for choice in solution.choices}
    return decode(space, Choices(nests, solution.widths, placement.registers, solution.storages))
