"""The measured rules in the form that the exact search asks for: every nest as the full model counts it alone.

Alone, a nest costs no more than next to others, whose partitions it has to live with: the search counts it
again then. The full model has the last word on every design that it finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from sisyphus import clock
from sisyphus.algebra import EXACT, VECTOR
from sisyphus.analysis import paths
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.model import ArrayCosts, NestCosts, NestModel, estimate
from sisyphus.model.area.multiplexers import lone_core_lut, shared_core_lut
from sisyphus.model.bounds.stages import small_arrays, stages
from sisyphus.model.formulas.burst_cycles import least_move_cycles
from sisyphus.model.formulas.cores import Core
from sisyphus.model.formulas.steps import Moved, latency, tiled_nest
from sisyphus.model.nest_model import FOR_EVER
from sisyphus.plan import Numbers, build_plan
from sisyphus.search.costs import (
    MANY,
    Arrays,
    Batch,
    Costs,
    Floats,
    Ints,
    Least,
    Move,
    Placed,
    Placement,
    Ports,
    Step,
    Tilings,
    Transfers,
    joined_costs,
)
from sisyphus.search.dealt_ports import DealtPorts
from sisyphus.search.effort import EFFORT
from sisyphus.search.encoding import Encoding
from sisyphus.search.floors import NestFloor
from sisyphus.search.known_beats import KnownBeats
from sisyphus.search.memory_costs import MEMORY, copies_of_tiles, smallest_tile, tile_spans, touched
from sisyphus.search.packing import BLOCKS, WORTH, least_blocks
from sisyphus.search.resident_costs import CORES, EITHER, ResidentCosts, users_of
from sisyphus.search.tilebeats import TileBeats
from sisyphus.space import ArrayUse, DesignPoint, NestSpace, Places, Space
from sisyphus.target import Budget, OperatorTable
from sisyphus.values import replace

#: What each of several coarse-grained copies holds of its own.
HELD = (*BLOCKS, EITHER, MEMORY)
#: Cycles that a kernel of one step is spared (docs/model.md).
SINGLE_STEP = -1


class MeasuredCosts(ResidentCosts):
    """`CostModel` of the measured rules."""

    has_couplings = True
    has_formulas = False

    def __init__(self, space: Space, whole: MeasuredCosts | None = None) -> None:
        """Of the part of the `whole` space in which arrays have as many ports as they may have, if it is given."""
        super().__init__(space, whole)
        self._models: Mapping[str, NestModel] = self._made_models() if whole is None else whole._models
        self._known_blocks: dict[tuple[int, int], int] = {}
        self._known_steps: dict[Placement, tuple[Step, ...]] = {}
        self._known_budgets: dict[Arrays, tuple[Budget, ...]] = {}
        self._ports = DealtPorts(space, self._widths, are_open=self._are_open)
        self._beats = KnownBeats(space)
        self._tile_beats: TileBeats = TileBeats(space) if whole is None else whole._tile_beats
        self._floors: Mapping[str, NestFloor] = self._made_floors() if whole is None else whole._floors

    def _made_models(self) -> Mapping[str, NestModel]:
        space = self.space
        together = {
            nest.id: tuple(s for inside in loops[-1].nests for s in inside.statements)
            for loops, nest in paths(space.distribution.body)
            if loops
        }
        tree, trusted = space.options.tree_reduction, space.options.trust == "measured"
        return {
            nest.id: NestModel(
                space.scop, nest, space.target, tree, self.rules, together.get(nest.id), self._rtl, trusted
            )
            for nest in space.nests
        }

    def _made_floors(self) -> Mapping[str, NestFloor]:
        return {n.id: NestFloor(self.space, n, self._models[n.id], self._tile_beats) for n in self.space.nests}

    def ports_of_use(self, placement: Placement) -> Sequence[Ports]:
        steps = self._steps(placement)
        moved = [step.moves for step in steps]
        return [Ports(one, self._taking(steps, self._ports.least_of(moved, one))) for one in self._ports.of_use(moved)]

    def with_ports(self, ports: Mapping[ArrayId, int]) -> MeasuredCosts:
        most = {array: ports.get(self.space.scop.home(array), 1) for array in self.space.used_arrays}
        return MeasuredCosts(self._dealt_at_most(most), self)

    @cached_property
    def _cores(self) -> Mapping[str, Core]:
        return {kind: core for floor in self._floors.values() for kind, core in sorted(floor.cores.items())}

    def always_resident(self) -> Arrays:
        """Arrays that could lie in registers, if there are many: a tile saves little more than it takes to transfer it.

        Where a nest may have copies it does: copies with tiles of their own do not wait for each other.
        """
        small = small_arrays(self.space) - self._copied(writes=True)
        if len(small) <= EFFORT.small_arrays:
            return frozenset()
        limit = self.space.target.budget.onchip_bytes
        return small if sum(map(self.bytes_of, small)) * EFFORT.small_share <= limit else frozenset()

    def in_registers(self) -> Arrays:
        """Small arrays that two calls, or copies, read at the same time if, and only if, they lie in registers."""
        return self._known_in_registers

    @cached_property
    def _known_in_registers(self) -> Arrays:
        every, small = frozenset(self.states), small_arrays(self.space) & self.states.keys()
        together = stages(self.space, every, small)
        apart = (a for a in small if stages(self.space, every, small - {a}) != together)
        shared = small & self._copied(writes=False)
        return frozenset(a for a in (*apart, *shared) if self._fits_registers(a))

    def _copied(self, *, writes: bool) -> Arrays:
        """Arrays of nests that may have coarse-grained copies, those that are only read or (`writes`) all."""
        nests = [nest for nest in self.space.nests if any(loop.unroll != (1,) for loop in nest.loops)]
        return frozenset(use.array for nest in nests for use in nest.arrays if writes or not use.writes)

    def _fits_registers(self, array: ArrayId) -> bool:
        return bool(self.space.scop.array(array).extents) and self.states[array].registers is not None

    def steps(self, placement: Placement) -> tuple[Step, ...]:
        if placement not in self._known_steps:
            self._known_steps[placement] = self._with_ports(placement)
        return self._known_steps[placement]

    def _with_ports(self, placement: Placement) -> tuple[Step, ...]:
        """The steps, with what transfers through several ports take or wait for."""
        found = self._steps(placement)
        if all(self._counts(array) == {1} for array in placement.residents):
            return found
        moved = [step.moves for step in found]
        if self._are_open:
            return self._taking(found, self._ports.least(moved))
        return tuple(replace(s, moves=own) for s, own in zip(found, self._ports.waiting(moved), strict=True))

    @staticmethod
    def _taking(steps: Sequence[Step], least: Sequence[float]) -> tuple[Step, ...]:
        """The same steps, which take so long at least."""
        return tuple(replace(step, least=time) for step, time in zip(steps, least, strict=True))

    def _steps(self, placement: Placement) -> tuple[Step, ...]:
        free = (small_arrays(self.space) & placement.residents) - self._known_in_registers
        found = stages(self.space, placement.residents, placement.registers | free)
        moves = [(*(Move(a, True) for a in s.loads), *(Move(a, False) for a in s.stores)) for s in found]
        is_single = not any(moves) and (len(found) == 1 or len(self.space.distribution.body) == 1)
        extra = self._outer_iterations * self.rules.cycles.outer_iteration + (SINGLE_STEP if is_single else 0)
        extra += self.rules.rtl.start if self._rtl else 0
        return tuple(
            Step(stage.nests, moved, extra if at == 0 else 0)
            for at, (stage, moved) in enumerate(zip(found, moves, strict=True))
        )

    @cached_property
    def _outer_iterations(self) -> int:
        """Iterations of all outer sequential loops together."""
        found: dict[tuple[str, ...], int] = {}
        for nest in self.space.nests:
            calls = self._models[nest.id].counts.calls
            for depth in range(1, len(nest.nest.outer) + 1):
                found[nest.nest.outer[:depth]] = calls.onto(nest.nest.outer[:depth])
        return sum(found.values())

    def budgets(self, residents: Arrays) -> tuple[Budget, ...]:
        if residents not in self._known_budgets:
            self._known_budgets[residents] = self._budgets(residents)
        return self._known_budgets[residents]

    def _budgets(self, residents: Arrays) -> tuple[Budget, ...]:
        groups = tuple(stage.nests for stage in stages(self.space, residents) if stage.nests)
        shared = {"lut": (self._sharing(shared_core_lut), self._sharing(lone_core_lut))}
        amounts = self.space.target.budget
        found = [Budget(name, getattr(amounts, name), groups, *shared.get(name, ())) for name in (*CORES, *BLOCKS)]
        found.append(Budget(EITHER, self._either, groups))
        return (*found, self.memory_budget(residents))

    @cached_property
    def _either(self) -> int:
        return self.space.target.budget.bram18k + WORTH * self.space.target.budget.uram

    def may_fit(self) -> bool:
        return super().may_fit() and self.least_total(self._least_blocks) <= self._either

    def _least_blocks(self, array: ArrayId, elements: int) -> int:
        """Block memories that so many elements of an array take at least."""
        key = (self.bits_of(array), elements)
        if key not in self._known_blocks:
            target = self.space.target
            self._known_blocks[key] = least_blocks(target.memories, elements, self.bits_of(array), target.max_partition)
        return self._known_blocks[key]

    def _sharing(self, lut: Callable[[OperatorTable, str], int]) -> tuple[float, ...]:
        """Such LUT in front of cores of several steps, in shares of the core itself."""
        table = self.space.target.operators
        return (*(lut(table, kind) / max(core.cost.lut, 1) for kind, core in self._cores.items()), 0.0)

    def counted_per_look(self, nest: NestSpace) -> int:
        return max(EFFORT.points_per_look // max(self._models[nest.id].counts.listed, 1), 1)

    def nest(self, nest: NestSpace, tilings: Tilings, registers: Arrays) -> Costs:
        return self.count(nest, tilings, Placed((Places(),), np.zeros(tilings.count, np.int64)), registers)

    def least(self, nest: NestSpace, tilings: Tilings) -> Costs:
        clock.added_up(tilings.count)
        floor = self._floors[nest.id]
        usage = self._usage(floor.operators(tilings.batch), tilings.count)
        for name in ("dsp", "lut"):
            usage[name][-1] = floor.logic(tilings.batch, name)
        return Costs(floor.cycles(tilings.batch) + self._hand_over(nest), usage)

    def _hand_over(self, nest: NestSpace) -> int:
        return self._models[nest.id].counts.runs * self.rules.cycles.step

    def _usage(self, counts: Mapping[str, Floats | Ints], count: int) -> dict[str, Floats]:
        """Per budget a row for each kind of core, and a last one for what is not shared."""
        zero = np.zeros(count)
        rows = [(core.cost, counts.get(kind, zero)) for kind, core in self._cores.items()]
        tables = ("bram18k",) if any(cost.bram18k for cost, _ in rows) else ()
        found = {
            name: np.array([*(n * getattr(cost, name) for cost, n in rows), zero], float) for name in (*CORES, *tables)
        }
        if tables:
            found[EITHER] = found["bram18k"]
        return {name: np.zeros((1, count)) for name in (*BLOCKS, EITHER, MEMORY)} | found

    def tile(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Costs:
        moved = self._floors[nest.id].transfers(use, batch, outside)
        return Costs(moved, self.tile_usage(nest, use, batch, outside))

    def latency(self, nest: NestSpace, work: Floats, moved: Sequence[Transfers], other: Floats | float = 0.0) -> Floats:
        loads, stores = list[Moved](), list[Moved]()
        for use, one in ((each.use, each.moved) for each in moved):
            turns, share = np.asarray(one.turns), self._floors[nest.id].stored(use)
            loaded, stored = (one.cycles * part if part else 0.0 for part in (1 - share, share))
            # beside the work tiles are stored in one function with the next loads, if that is sure
            loads.append(replace(one, cycles=np.where((turns > 0) & (turns < MANY), one.cycles, loaded)))
            stores.append(replace(one, cycles=np.where(turns > 0, 0.0, stored)))
        return np.asarray(latency(VECTOR, tiled_nest(VECTOR, work, loads, stores, other)))

    def refill(self, nest: NestSpace, batch: Batch, outside: frozenset[str]) -> Floats:
        return self._floors[nest.id].refill(batch, outside)

    def least_tile(self, nest: NestSpace, use: ArrayUse) -> Least:
        floor = self._floors[nest.id]
        beats = floor.alike * touched(nest, use) / max(self._tile_beats.cap(use.array), 1)
        empty = least_move_cycles(floor.model.setting(EXACT), 0, 1)
        cycles = float(floor.directions(use) * (beats + floor.calls * empty))
        usage = {**self.least_memory(use), EITHER: self._least_blocks(use.array, smallest_tile(use))}
        return Least(cycles, usage)

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: Arrays) -> Costs:
        parts = []
        for start in range(0, max(tilings.count, 1), EFFORT.counted_at_once):
            rows = np.arange(start, min(start + EFFORT.counted_at_once, tilings.count))
            part = replace(placed, chosen=placed.chosen[rows])
            parts.append(self._count(nest, tilings.take(rows), part, registers))
        return joined_costs(parts)

    def _count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: Arrays) -> Costs:
        clock.did(clock.CALL + tilings.count)
        caps = {array: self._tile_beats.cap(array) for array in placed.arrays}
        states = self._counted_states
        encoding = Encoding(
            self.space, nest, states, tilings, placed, registers, caps, self._alone, self.rules, self._beats
        )
        candidates = encoding.candidates()
        found = self._models[nest.id].costs(candidates)
        usage = self._usage(_known(found, self._cores), tilings.count)
        usage["dsp"][-1] = found.dsp - usage["dsp"].sum(axis=0)
        usage["lut"][-1], usage["ff"][-1] = found.lut, found.ff
        for array, rows, outside in placed.by_place():
            use = nest.use(array)
            if use is not None:
                spans = tile_spans(nest, use, tilings.batch.take(rows), outside)
                spans[-1:] = [span + encoding.rows[array].added[rows] for span in spans[-1:]]
                beside = copies_of_tiles(tilings.batch.take(rows), outside) * encoding.copies(array)[rows]
                for name, amount in self._tiles(use, spans, candidates.numbers, rows).items():
                    usage[name][-1, rows] += amount * beside if name in HELD else amount
        is_none = (found.cycles >= FOR_EVER) | ~encoding.has_beats
        cycles = np.where(is_none, np.inf, found.cycles + self._hand_over(nest))
        return Costs(cycles, usage)

    def rounded(self, costs: Costs) -> Costs:
        usage = dict(costs.usage)
        for name in ("lut", "ff"):
            step = max(getattr(self.space.target.budget, name) // EFFORT.budget_parts, 1)
            usage[name] = np.concatenate([usage[name][:-1], usage[name][-1:] - usage[name][-1:] % step])
        return Costs(costs.cycles, usage)

    def _tiles(self, use: ArrayUse, spans: Sequence[Ints], numbers: Numbers, rows: Ints) -> Mapping[str, Floats]:
        """What tiles of an array that hold so many places of each dimension take, by budget."""
        factors = [factor[rows] for factor in numbers.factors[use.array]]
        is_sure = use.stripes > 1 or use.array in self._alone
        widths, streams = numbers.widths[use.array][rows], numbers.streams[use.array][rows] & is_sure
        declared = self.space.scop.array(use.array)
        tiles = ArrayCosts(self.space.target, declared, spans, factors, widths, streams, self.rules)
        found = tiles.tile(loaded=numbers.loads[use.array][rows], stored=use.writes, users=users_of(use))
        either = found["bram18k"] + WORTH * found["uram"]
        return {**found, EITHER: either, MEMORY: self.bytes_of_tiles(use.array, spans, len(rows))}

    @cached_property
    def _alone(self) -> Arrays:
        """Arrays that one nest alone uses: tiles of another may leave narrower beats, which need no FIFO."""
        home = self.space.scop.home
        users = Counter(home(use.array) for nest in self.space.nests for use in nest.arrays)
        return frozenset(array for array in self.space.used_arrays if users[home(array)] == 1)

    def evaluate(self, point: DesignPoint) -> float:
        space = self.space
        found = estimate(build_plan(space.scop, space.distribution, space.live, point), space.target)
        return float(found.by(space.options.objective))

    def excesses(self, point: DesignPoint) -> tuple[str, ...]:
        """Nothing: whether a design fits is for the full model to say, which judges it."""
        return ()


def _known(found: NestCosts, cores: Mapping[str, Core]) -> Mapping[str, Ints]:
    unknown = found.cores.keys() - cores.keys()
    if unknown:
        raise InternalError(f"cores of no operation: {sorted(unknown)}")
    return found.cores
