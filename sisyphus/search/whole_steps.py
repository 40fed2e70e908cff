"""What the steps of whole combinations take, with the moves of whole arrays in the states that all nests ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import CostModel, Floats, Ints, Move

if TYPE_CHECKING:
    from sisyphus.search.nodes import Problem


class WholeSteps:
    """The steps of a problem once everything is decided; a state below 0 is none that a partition serves."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._moves = {move: np.append(cycles, np.inf) for move, cycles in problem.moves.items()}

    def cycles(
        self, nests: Mapping[str, Floats], states: Mapping[ArrayId, Ints | int], count: int
    ) -> tuple[Floats, Sequence[Mapping[ArrayId, int]]]:
        """Of all steps of so many combinations, where nests take these cycles; with beats where there may be ports."""
        steps, costs = self.problem.steps, self.problem.ports
        own = [reduce(np.maximum, (nests[n] for n in s.nests), np.full(count, s.least)) for s in steps]
        extra = sum(step.extra for step in steps)
        if costs is None:
            return self._with_moves(own, states) + extra, ()
        total, widths = self._with_ports(costs, np.stack(own, axis=1), states)
        return total + extra, widths

    def _with_moves(self, own: Sequence[Floats], states: Mapping[ArrayId, Ints | int]) -> Floats:
        """Each array through one port."""
        total = np.zeros(len(own[0]))
        for step, longest in zip(self.problem.steps, own, strict=True):
            for move in step.moves:
                longest = np.maximum(longest, self._moves[move][states[move.array]])
                longest = np.maximum(longest, self._with_narrowest(move, states))
            total += longest
        return total

    def _with_narrowest(self, move: Move, states: Mapping[ArrayId, Ints | int]) -> Floats | float:
        """Cycles of a move with the narrowest beat that the states leave to any array of the same home."""
        for beats in self.problem.same_port:
            if move.array in beats:
                widths = (self.problem.states[a].width[states[a]] for a in beats)
                narrowest, own = reduce(np.minimum, widths), states[move.array]
                fitting = [np.where(narrowest == b.elements, b.cycles(move)[own], 0.0) for b in beats[move.array]]
                return reduce(np.maximum, fitting)
        return 0.0

    def _with_ports(
        self, costs: CostModel, own: Floats, states: Mapping[ArrayId, Ints | int]
    ) -> tuple[Floats, Sequence[Mapping[ArrayId, int]]]:
        """Each array through the number of ports with which all steps take least; `own` without moves [whole, step]."""
        count = len(own)
        moved = list(dict.fromkeys(move.array for step in self.problem.steps for move in step.moves))
        places = {a: np.broadcast_to(states[a], count) for a in moved}
        widest = [np.where(places[a] < 0, 0, self.problem.widths[a][places[a]]) for a in moved]
        different, which = distinct_rows([np.ones(count, np.int64), *widest])
        total, widths = np.full(count, np.inf), [dict[ArrayId, int]()] * count
        for number, row in enumerate(different[:, 1:].tolist()):
            if not all(row):
                continue
            dealt = costs.dealt(self.problem.steps, dict(zip(moved, row, strict=True)))
            wholes = np.flatnonzero(which == number)
            each = np.zeros((len(dealt.widths), len(wholes)))
            for step, longest in zip(self.problem.steps, own[wholes].T, strict=True):
                taken = (dealt.cycles[move][:, places[move.array][wholes]] for move in step.moves)
                each = each + reduce(np.maximum, taken, longest)
            best = each.argmin(axis=0)
            total[wholes] = each.min(axis=0)
            for whole, choice in zip(wholes.tolist(), best.tolist(), strict=True):
                widths[whole] = dealt.widths[choice]
        return total, widths
