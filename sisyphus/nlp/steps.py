"""Cycles of the whole kernel from those of its nests and moves, as a Pyomo expression; knows no formula of either.

What follows what depends on which arrays are resident. So the bound is the longest chain of calls that conflict
wherever arrays are, and, where all nests follow one another, the sum over the steps that resident arrays lead to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sisyphus.analysis import Nest, OuterLoop, paths
from sisyphus.ir import ArrayId
from sisyphus.model.bounds import relaxation as bound
from sisyphus.model.counting.domains import outer_runs
from sisyphus.model.formulas.rules import VITIS_2023_2
from sisyphus.nlp.knobs import Knobs

RULES = VITIS_2023_2


@dataclass(frozen=True)
class _Entry:
    """A nest or an outer loop: its cycles, and what it does with arrays."""

    cycles: Any
    reads: frozenset[ArrayId]
    writes: frozenset[ArrayId]

    def conflicts(self, other: _Entry, small: frozenset[ArrayId]) -> bool:
        written = (self.writes & (other.reads | other.writes)) | (self.reads & other.writes)
        return bool(written or (self.reads & other.reads) - small)


class Steps:
    """The cycles of nests (by id, once each) and of moving whole arrays (0 where they are not resident)."""

    def __init__(self, knobs: Knobs, tasks: Mapping[str, Any], moves: Mapping[ArrayId, Any]) -> None:
        self.knobs, self.space, self.tasks, self.moves = knobs, knobs.space, tasks, moves
        self.small = bound.small_arrays(self.space)

    def cycles(self) -> Any:
        """A variable that is no smaller than any of the bounds."""
        body = self.space.distribution.body
        entries = self._entries(body)
        total = self._part()
        loaded = {a: m for a, m in self.moves.items() if self.space.live[a].load}
        stored = {a: m for a, m in self.moves.items() if self.space.live[a].store}
        for start, entry in self._chains(entries):
            done = start + entry.cycles + RULES.cycles.step
            self.knobs.require(total >= done)
            for array in sorted(entry.reads | entry.writes):
                if array in loaded:
                    self.knobs.require(start >= loaded[array])
                if array in stored and array in entry.writes:
                    self.knobs.require(total >= done + stored[array])
        for move in loaded.values():
            self.knobs.require(total >= move)
        if self._in_a_row(body):
            steps, loading = self._sum()
            self.knobs.require(total >= steps - self._beside_loads(entries[0], body[0], loading))
        sure = bound.sure_stages(self.space)
        # without nests there may be no such step at all
        idle = sum(RULES.cycles.step for stage in sure if not stage.nests)
        if any(stage.nests for stage in sure):
            self.knobs.require(total >= sum(self._step(stage) for stage in sure) - idle)
        return total

    def _part(self) -> Any:
        return self.knobs.model.part.add()

    def _entries(self, body: Sequence[OuterLoop | Nest]) -> list[_Entry]:
        return [self._entry(p, self.tasks[p.id] if isinstance(p, Nest) else self._iterations(p)) for p in body]

    def _entry(self, part: OuterLoop | Nest, cycles: Any) -> _Entry:
        uses = [use for _, nest in paths([part]) for use in self.space.nest(nest.id).arrays]
        reads = frozenset(u.array for u in uses if u.reads)
        return _Entry(cycles, reads, frozenset(u.array for u in uses if u.writes))

    def _iterations(self, loop: OuterLoop) -> Any:
        """All iterations of an outer loop, for one run of the loop: as many as it has in the mean."""
        total = self._part()
        for start, entry in self._chains(self._entries(loop.body)):
            self.knobs.require(total >= start + entry.cycles + RULES.cycles.step)
        inside = outer_runs(self.space, loop.body[0])
        return inside / outer_runs(self.space, loop) * total

    def _chains(self, entries: Sequence[_Entry]) -> list[tuple[Any, _Entry]]:
        """Each entry with a variable for its start: behind all those before it that it conflicts with."""
        found: list[tuple[Any, _Entry]] = []
        for entry in entries:
            start = self._part()
            for before, other in found:
                if other.conflicts(entry, self.small):
                    self.knobs.require(start >= before + other.cycles + RULES.cycles.step)
            found.append((start, entry))
        return found

    def _in_a_row(self, body: Sequence[OuterLoop | Nest]) -> bool:
        """Do all entries of a body, and of the loops in it, follow one another?"""
        entries = [self._entry(part, 0) for part in body]
        if not all(one.conflicts(other, self.small) for one, other in pairwise(entries)):
            return False
        return all(self._in_a_row(part.body) for part in body if isinstance(part, OuterLoop))

    def _sum(self) -> tuple[Any, Any]:
        """Σ over the steps that there are with all arrays resident, and the part of it that is loads alone."""
        total: Any = 0
        loading: Any = 0
        for stage in bound.stages(self.space, frozenset(self.space.used_arrays)):
            step = self._step(stage)
            total += step
            if stage.loads and not stage.nests and not stage.stores:
                loading += step
        return total, loading

    def _step(self, stage: bound.Stage) -> Any:
        """Cycles of all runs of a step: the slowest member, and what passing on takes."""
        slowest = self._part()
        for cycles in (
            *(self.tasks[n] for n in stage.nests),
            *(self.moves[a] for a in (*stage.loads, *stage.stores) if a in self.moves),
        ):
            self.knobs.require(slowest >= cycles)
        return stage.trips * (slowest + RULES.cycles.step)

    def _beside_loads(self, first: _Entry, part: OuterLoop | Nest, loading: Any) -> Any:
        """What is gained where no array of the first entry is resident, so that it runs beside the loads of others.

        That is the shorter of both; of an outer loop its steps count, not its bound.
        """
        longest = max((self._slowest_move(a) for a in self.moves if self.space.live[a].load), default=0)
        gained = self._part()
        gained.setub(longest)
        self.knobs.require(gained <= loading)
        if isinstance(part, Nest):
            self.knobs.require(gained <= first.cycles + RULES.cycles.step)
        for array in sorted(first.reads | first.writes):
            if array in self.moves and self.space.live[array].load:
                nest = next(self.space.users(array))
                self.knobs.require(gained <= longest * (1 - self.knobs.model.resident[array, nest.id]))
        return gained

    def _slowest_move(self, array: ArrayId) -> float:
        narrowest = min(self.space.widths[array])
        return float(bound.transfer_cycles(-(-self.space.scop.array(array).elements // narrowest), 1, RULES))
