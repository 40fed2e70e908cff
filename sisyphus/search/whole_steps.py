"""What the steps of whole combinations take, with the moves of whole arrays in the states that all nests ask for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Move

if TYPE_CHECKING:
    from sisyphus.search.nodes import Problem


class WholeSteps:
    """The steps of a problem once everything is decided; a state below 0 is none that a partition serves."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._moves = {move: np.append(cycles, np.inf) for move, cycles in problem.moves.items()}

    def cycles(self, nests: Mapping[str, Floats | float], states: Mapping[ArrayId, Ints | int], count: int) -> Floats:
        """Of all steps of so many combinations, where nests take these cycles."""
        total = np.zeros(count)
        for step in self.problem.steps:
            own = [nests[name] for name in step.nests]
            alike = max([step.least, *(one for one in own if isinstance(one, float))])
            each = (one for one in own if not isinstance(one, float))
            longest: Floats = reduce(np.maximum, each, np.full(count, alike))
            for move in step.moves:
                longest = np.maximum(longest, self._moves[move][states[move.array]])
                longest = np.maximum(longest, self._with_narrowest(move, states))
            total += longest + step.extra
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
