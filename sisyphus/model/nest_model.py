"""The cost of one nest for many candidates at once, by the same formulas as the cost of a plan; knows no other nest.

Candidates are plain integer arrays with one entry each. Those that share the shape of their loop tree are costed
together, with NumPy arrays in place of integers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from sisyphus import clock
from sisyphus.algebra import EXACT, VECTOR, Algebra, Condition, Value, distinct
from sisyphus.algebra.tape import Program, Tape
from sisyphus.ir import Scop, StmtId
from sisyphus.model.area.datapath import datapath_ff, datapath_lut, datapath_of
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.counting.tilecount import Group, TileCounts, tile_counts
from sisyphus.model.facts.nest_facts import nest_facts
from sisyphus.model.facts.task_facts import Move, TaskFacts, Tile, pipes_in, placed
from sisyphus.model.formulas.addresses import moves_with_two_loops
from sisyphus.model.formulas.burst_cycles import move_cycles, move_multipliers
from sisyphus.model.formulas.core_counts import cores_of
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.latency import loops_of_a_run, task_cycles
from sisyphus.model.formulas.pipes import PipeStudy, body_multipliers, moves_in, study_pipe
from sisyphus.model.formulas.recurrence import update_of
from sisyphus.model.formulas.rtl import counted
from sisyphus.model.formulas.rules import VITIS_2023_2, GuardForm, Rules
from sisyphus.model.formulas.steps import AtOnce, latency
from sisyphus.model.nest_shapes import Candidates, apart_by_copies, rows_of, shapes_of
from sisyphus.plan import MOST_TILES, Numbers, Shape
from sisyphus.space import NestSpace
from sisyphus.target import Target
from sisyphus.values import dataclass, replace

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

#: Candidates that are computed together, so that what is computed on the way stays in the cache.
AT_ONCE = 4096
#: Candidates of a new shape that are computed one by one.
FEW = 2
#: Work (`clock`) of formulas for one candidate; of a step of them that is written down, and of one that is computed.
ONE_BY_ONE, WRITTEN, COMPUTED = 300, 1.5, 0.25

#: Cycles of what is not wanted; more than any design takes, and sums of it fit in 64 bits.
FOR_EVER = 10**15

#: What was written down of the nests of a kernel, as long as there is that.
_WRITTEN: WeakKeyDictionary[Scop, dict[Hashable, dict[Hashable, Program]]] = WeakKeyDictionary()

#: Figures of a nest that are no whole numbers.
AREAS = ("lut", "ff")


@dataclass(frozen=True, eq=False)
class NestCosts:
    """One entry per candidate: cycles over all runs of the nest, II, iteration latency, cores by kind, DSP in all.

    Transfers around the nest are in the cycles and in the DSP, as if no other nest hid them. `lut` and `ff` are those
    of the body alone: no cores, no memories, no transfers. They are a lower bound in one case, under guards that
    cannot be split around a held element (see `Work.held`).
    """

    cycles: Ints
    interval: Ints
    depth: Ints
    cores: Mapping[str, Ints]
    dsp: Ints
    lut: Floats
    ff: Floats


@dataclass(frozen=True, eq=False)
class NestModel:
    """A nest with everything that does not depend on the candidate; made once and asked often.

    `rtl`: cycles are those in RTL, without what the whole kernel takes once. `together` are the statements under the
    same outer loops, where these are not the ones that share them in the source. `trusted`: what no report shows takes
    for ever.
    """

    scop: Scop
    space: NestSpace
    target: Target
    tree: bool = False
    rules: Rules = VITIS_2023_2
    together: tuple[StmtId, ...] | None = None
    rtl: bool = False
    trusted: bool = False

    @cached_property
    def _programs(self) -> dict[Hashable, Program]:
        """Formulas that were written down, by shape and by which numbers are constants in them.

        All models of a nest have them together that differ in its tiles, in its ports or in budgets alone, as those of
        the spaces do that a kernel is searched in.
        """
        space, target = self.space, self.target
        taken = space.nest, space.arrays, tuple(sorted(space.early.items()))
        rules = self.rules, target.operators, target.measured
        asked = self.tree, self.rtl, self.trusted, self.together
        return _WRITTEN.setdefault(self.scop, {}).setdefault((taken, rules, asked), {})

    @cached_property
    def counts(self) -> TileCounts:
        """How often the tile loops run."""
        return tile_counts(self.scop, self.space.nest, self.together)

    def setting(self, alg: Algebra = VECTOR) -> Setting:
        """What all formulas share, in some reading."""
        return Setting(alg, self.rules, self.target.operators, GuardForm.INLINE, self.target.measured)

    def costs(self, candidates: Candidates) -> NestCosts:
        """The cost of every candidate: columns of one entry each, cycles over all runs of the nest."""
        found = _Columns(candidates.count)
        numbers = candidates.numbers.moving()
        for rows, shared in shapes_of(self.space, candidates):
            for part, shape, own in self._exact(shared, rows_of(numbers, rows, candidates.count), len(rows)):
                for some, depth, alike in apart_by_copies(shared.order, own, len(part)):
                    self._compute(rows[part[some]], replace(shape, depth=depth), alike, found)
        return found.costs()

    def _compute(self, rows: Ints, shape: Shape, numbers: Numbers, found: _Columns) -> None:
        """The cost of the candidates of one shape, by formulas that are written down when it is met first.

        To write them down takes longer than to compute a few candidates one by one.
        """
        key, columns = _inputs(numbers.without_constants())
        are_few, is_known = len(rows) <= FEW, (shape, key) in self._programs
        if are_few:
            clock.did(ONE_BY_ONE * len(rows))
        if are_few and not is_known:
            for at in range(len(rows)):
                found.put(rows[at : at + 1], self._figures(EXACT, shape, numbers.at(at)))
            return
        if not is_known:
            self._programs[shape, key] = self._program(shape, numbers.without_constants())
        program = self._programs[shape, key]
        parts = [slice(start, start + AT_ONCE) for start in range(0, len(rows), AT_ONCE)]
        if not are_few:  # counted as if this search had written it down, so that it is the same after another one
            clock.did_once(program, int(WRITTEN * len(program.steps)))
            clock.did(int(COMPUTED * len(program.steps)) * len(parts))
        for part in parts:
            found.put(rows[part], program.run([column[part] for column in columns]))

    def _program(self, shape: Shape, numbers: Numbers) -> Program:
        tape = Tape()
        symbols = numbers.each(lambda column: tape.input() if isinstance(column, np.ndarray) else column)
        return tape.program(self._figures(tape, shape, symbols))

    def _figures(self, alg: Algebra, shape: Shape, numbers: Numbers) -> dict[str, Value]:
        """What is asked of candidates of one shape, in some reading of the formulas."""
        facts, around = nest_facts(alg, self.scop, self.space, shape, numbers, tree=self.tree)
        found = _nest_costs(self, self.setting(alg), facts, around)
        if shape.listed:
            is_too_long = alg.exceeds(numbers.rows(alg, shape.order), MOST_TILES)
            found["cycles"] = alg.select(is_too_long, FOR_EVER, found["cycles"])
        return found

    def _exact(self, shared: Shape, numbers: Numbers, rows: int) -> Iterator[tuple[Ints, Shape, Numbers]]:
        """Candidates that share an order and a pipelined loop, apart where guards differ, with how often tiles run."""
        order, loop = shared.order, shared.pipelined
        for part, skipped in self._skipping(order, numbers, rows):
            own = rows_of(numbers, part, rows)
            own = replace(own, visits=self._visits(order, skipped, own, len(part)))
            own = replace(own, starts=self._starts(order, loop, skipped, own))
            inside = own.starts
            for _, _, level2 in own.tiles.values():
                inside = inside * level2
            guarded = np.broadcast_to(inside != self.counts.points, (len(part),))
            for flag in distinct(guarded):
                at = np.flatnonzero(guarded == flag)
                shape = replace(shared, skips=bool(skipped), guarded=bool(flag))
                yield part[at], shape, rows_of(own, at, len(part))

    def _skipping(self, order: tuple[str, ...], numbers: Numbers, rows: int) -> Iterator[tuple[Ints, Sequence[Group]]]:
        """Candidates apart by what a guard around the nest skips: calls without work in which some loop would turn.

        The outermost tile loop turns in these where it runs in full in all others.
        """
        for part, level0, has_body in self._level0(order, numbers, rows):
            skipped = self.counts.skipped(level0) if has_body else []
            idle = self.counts.idle(level0) if has_body else []
            if not idle:
                yield part, skipped
                continue
            own = rows_of(numbers, part, rows)
            sizes = _sizes(own)
            calls, tiles = (self.counts.visits(level0[:n], sizes, skips=[*skipped, *idle]) for n in (0, 1))
            is_full = np.broadcast_to(tiles == calls * own.tiles[level0[0]][0], (len(part),))
            for flag in distinct(is_full):
                yield part[is_full == flag], [*skipped, *idle] if flag else skipped

    def _level0(
        self, order: tuple[str, ...], numbers: Numbers, rows: int
    ) -> Iterator[tuple[Ints, tuple[str, ...], bool]]:
        """Candidates apart by which level-0 loops turn, where that decides what a guard skips, and if it skips a body.

        A nest without any loop, of which one may be there for a transfer alone, has no such body.
        """
        if not self.counts.varies:
            yield np.arange(rows), order, True
            return
        exists = np.zeros(rows, np.int64)
        for at, name in enumerate(order):
            level0, level1, _ = numbers.tiles[name]
            exists |= np.where(level0 > 1, 1 << at, 0)
            has_body = (level0 > 1) | (level1 > 1)
            for places in numbers.places.values():
                has_body = has_body | places[name]
            exists |= np.where(has_body, 1 << len(order), 0)
        for key in distinct(exists).tolist():
            names = tuple(name for at, name in enumerate(order) if key >> at & 1)
            yield np.flatnonzero(exists == key), names, bool(key >> len(order))

    def _visits(self, order: tuple[str, ...], skipped: Sequence[Group], numbers: Numbers, rows: int) -> list[Ints]:
        """Iterations with work of the n outermost level-0 loops, for every n."""
        sizes = _sizes(numbers)
        prefixes = [self._counted(order[:n], numbers) for n in range(len(order) + 1)]
        return [np.broadcast_to(self.counts.visits(prefix, sizes, skips=skipped), (rows,)) for prefix in prefixes]

    def _starts(self, order: tuple[str, ...], loop: str | None, skipped: Sequence[Group], numbers: Numbers) -> Ints:
        """Iterations of the level-1 loops: all of them, but of a pipelined loop that stands alone those with work."""
        starts = np.asarray(numbers.visits[-1])
        for _, level1, _ in numbers.tiles.values():
            starts = starts * level1
        alone = np.broadcast_to(numbers.stands_alone(VECTOR, order), starts.shape)
        if loop is None or self.space.listed or not alone.any():
            return starts
        sizes = _sizes(numbers)
        sizes[loop] = numbers.tiles[loop][2]
        prefix = tuple(dict.fromkeys((*self._counted(order, numbers), loop)))
        return np.where(alone, self.counts.visits(prefix, sizes, skips=skipped), starts)

    def _counted(self, prefix: tuple[str, ...], numbers: Numbers) -> tuple[str, ...]:
        """The level-0 loops of a prefix of which some tile must be told apart from others."""
        if not self.counts.varies:
            return prefix
        return tuple(loop for loop in prefix if (numbers.tiles[loop][0] > 1).any())


def _sizes(numbers: Numbers) -> dict[str, Ints]:
    """Iterations in a tile of each loop."""
    return {loop: level1 * level2 for loop, (_, level1, level2) in numbers.tiles.items()}


def _inputs(numbers: Numbers) -> tuple[Hashable, list[Ints]]:
    """Which numbers are constants, and the columns of the others."""
    key: list[Hashable] = [tuple(numbers.places), tuple(numbers.around), tuple(numbers.unroll)]
    columns: list[Ints] = []

    def note(column: Value) -> Value:
        is_column = isinstance(column, np.ndarray)
        key.append(None if is_column else column)
        if is_column:
            columns.append(column)
        return column

    numbers.each(note)
    return tuple(key), columns


def _nest_costs(
    model: NestModel, setting: Setting, facts: TaskFacts, around: Sequence[Sequence[Move]]
) -> dict[str, Value]:
    """The formulas on the facts of one shape."""
    [(pipe, copies)] = pipes_in(facts.parts)
    study = study_pipe(setting, pipe)
    cycles = task_cycles(setting, facts, lambda _: study.body, model.counts.runs)
    found: dict[str, Value] = {
        "cycles": counted(cycles, rtl=model.rtl) + model.counts.runs * _around_cycles(setting, around, rtl=model.rtl),
        "interval": study.interval.value,
        "depth": study.body.depth,
    }
    if model.trusted:
        found["cycles"] = setting.alg.select(_is_inferred(setting, facts, study), FOR_EVER, found["cycles"])
    dsp = copies * body_multipliers(setting.alg, pipe) + _multipliers(
        setting, (move for step in around for move in step)
    )
    dsp = dsp + _multipliers(setting, (move for move, _ in moves_in(facts.parts)))
    dsp = dsp + copies * study.logic(setting, "dsp")
    kinds = cores_of(setting, pipe)
    for kind, count in study.cores(setting).items():
        found[f"core {kind}"] = copies * count
        dsp = dsp + copies * count * kinds[kind].cost.dsp
    datapath, area = datapath_of(setting, study), setting.rules.area
    found["lut"] = copies * sum(term.value for term in datapath_lut(area, datapath))
    found["ff"] = copies * sum(term.value for term in datapath_ff(area, datapath))
    return {**found, "dsp": dsp}


def _is_inferred(setting: Setting, facts: TaskFacts, study: PipeStudy) -> Condition:
    """Whether a candidate has a construct that no report shows (`constructs.py`), of those that tiles alone bring."""
    alg = setting.alg
    found: Condition = not study.pipe.pipelined
    within = loops_of_a_run(setting, facts.parts, study.pipe)
    for tile in (here.part for here in placed(facts.parts) if isinstance(here.part, Tile)):
        apart = alg.negation(within.get(tile.iterator, False))
        found = alg.either(found, alg.both(tile.exists, apart, alg.negation(tile.fixed)))
    for work, timing in zip(study.pipe.works, study.timings, strict=True):
        update = update_of(setting, study.pipe, work, timing)
        found = alg.either(found, update is not None and update.returns_early(alg))
        for access in filter(work.updates, (work.write, *work.reads.values())):
            for dim in access.dims:
                found = alg.either(found, moves_with_two_loops(alg, dim, study.pipe, within))
    for move, _ in moves_in(facts.parts):
        found = alg.either(found, alg.both(move.active, alg.exceeds(move.bursts, 1)))
    return found


def _around_cycles(setting: Setting, steps: Sequence[Sequence[Move]], *, rtl: bool) -> Value:
    """Steps of loads before one call of a nest, and of stores behind it."""
    alg, total = setting.alg, 0
    for step in steps:
        moves = tuple((m.active, counted(move_cycles(setting, m), rtl=rtl)) for m in step)
        longest = latency(alg, AtOnce(moves))
        total = total + longest + alg.select(alg.exceeds(longest, 0), setting.rules.cycles.step, 0)
    return total


def _multipliers(setting: Setting, moves: Iterable[Move]) -> Value:
    """DSP of the addresses of transfers."""
    return sum(setting.alg.select(move.active, move_multipliers(setting, move), 0) for move in moves)


class _Columns:
    """Results of all shapes put back into the order of the candidates."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._columns: dict[str, Ints] = {}
        self._areas: dict[str, Floats] = {name: np.zeros(count) for name in AREAS}

    def put(self, rows: Ints, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            if name in self._areas:
                self._areas[name][rows] = value
            else:
                self._columns.setdefault(name, np.zeros(self._count, np.int64))[rows] = value

    def costs(self) -> NestCosts:
        columns = self._columns
        empty = np.zeros(self._count, np.int64)
        cores = {name.removeprefix("core "): c for name, c in columns.items() if name.startswith("core ")}
        cycles, interval, depth, dsp = (columns.get(n, empty) for n in ("cycles", "interval", "depth", "dsp"))
        return NestCosts(cycles, interval, depth, cores, dsp, **self._areas)
