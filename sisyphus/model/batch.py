"""The cost of one nest for many candidates at once, by the same formulas as the cost of a plan; knows no other nest.

Candidates are plain integer arrays with one entry each. Those that share the shape of their loop tree are costed
together, with NumPy arrays in place of integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.model.addresses import address_multipliers
from sisyphus.model.algebra import VECTOR, Value
from sisyphus.model.counting import Ints
from sisyphus.model.facts import Pipe, TaskFacts
from sisyphus.model.latency import task_cycles
from sisyphus.model.nestfacts import NestReader, Numbers, Shape
from sisyphus.model.operators import cores_of, instances, is_called
from sisyphus.model.rules import VITIS_2023_2, GuardForm, Rules
from sisyphus.model.schedule import Setting
from sisyphus.model.study import PipeStudy, moves_in, pipes_in, study_pipe
from sisyphus.model.tilecount import TileCounts, tile_counts
from sisyphus.model.transfers import move_multipliers
from sisyphus.space import NestSpace
from sisyphus.target import Target

Flags = npt.NDArray[np.bool_]

#: In `places`: the array stays where it is for the whole nest.
RESIDENT = -1


@dataclass(frozen=True, eq=False)
class Candidates:
    """N choices for a nest.

    `tiles` has three arrays per loop (level 0, 1, 2). `order` picks one of `orders` (all loops, outermost first),
    `pipeline` a loop of the band by position, -1 for none. `places` has, per array, the position of the loop in the
    band under whose level-0 copy it is transferred, or RESIDENT. `factors` has one array per dimension of each array;
    `widths` the elements per beat of the arrays with a place.
    """

    tiles: Mapping[str, tuple[Ints, Ints, Ints]]
    orders: tuple[tuple[str, ...], ...]
    order: Ints
    pipeline: Ints
    places: Mapping[ArrayId, Ints]
    factors: Mapping[ArrayId, tuple[Ints, ...]]
    widths: Mapping[ArrayId, Ints]

    @property
    def count(self) -> int:
        return len(self.order)


@dataclass(frozen=True, eq=False)
class NestCosts:
    """One entry per candidate: cycles over all runs of the nest, II, iteration latency, cores by kind, DSP in all."""

    cycles: Ints
    interval: Ints
    depth: Ints
    cores: Mapping[str, Ints]
    dsp: Ints


@dataclass(frozen=True, eq=False)
class NestModel:
    """A nest with everything that does not depend on the candidate; made once and asked often.

    `unloaded` are arrays whose tiles are written before they are read, so that a place loads nothing. `together` are
    the statements under the same outer loops, where these are not the ones that share them in the source.
    """

    scop: Scop
    space: NestSpace
    target: Target
    tree: bool = False
    rules: Rules = VITIS_2023_2
    unloaded: frozenset[ArrayId] = frozenset()
    together: tuple[StmtId, ...] | None = None

    @cached_property
    def counts(self) -> TileCounts:
        """How often the tile loops run."""
        return tile_counts(self.scop, self.space.nest, self.together)

    @property
    def setting(self) -> Setting:
        return Setting(VECTOR, self.rules, self.target.operators, GuardForm.INLINE)

    def costs(self, candidates: Candidates) -> NestCosts:
        """The cost of every candidate."""
        found = _Columns(candidates.count)
        for rows, plain in _shapes(self.space, candidates):
            shape = replace(plain, skips=self.counts.skips(plain.level0))
            tiles = {loop: tuple(c[rows] for c in levels) for loop, levels in candidates.tiles.items()}
            numbers = Numbers(
                tiles=tiles,  # type: ignore[arg-type]
                factors={a: tuple(f[rows] for f in factors) for a, factors in candidates.factors.items()},
                widths={a: w[rows] for a, w in candidates.widths.items()},
                visits=_visits(self.counts, shape, tiles),
            )
            for part, exact, own in _bounds(self, shape, numbers, len(rows)):
                reader = NestReader(VECTOR, self.scop, self.space, self.tree, self.unloaded, exact, own)
                found.put(rows[part], _nest_costs(self, reader.facts()))
        return found.costs()


def _shapes(space: NestSpace, candidates: Candidates) -> Iterator[tuple[Ints, Shape]]:
    """Rows of candidates with the same loops, order, pipelined loop and places."""
    loops = [loop.iterator for loop in space.loops]
    arrays = list(candidates.places)
    place = {a: candidates.places[a] for a in arrays}
    placed = {at: np.any([place[a] == at for a in arrays], axis=0) if arrays else False for at in range(len(loops))}
    exists = [(candidates.tiles[loop][0] > 1) | placed[at] for at, loop in enumerate(loops)]
    inside = [candidates.tiles[loop][1] > 1 for loop in loops]
    columns = [_sequence(candidates, loops, exists), candidates.pipeline, *inside, *exists, *place.values()]
    table = np.stack([np.broadcast_to(c, (candidates.count,)) for c in columns], axis=-1).astype(np.int64)
    order = candidates.order
    keys, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    by_key = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(keys)))
    for at, row in enumerate(first):
        whole = candidates.orders[int(order[row])]
        level0 = tuple(loop for loop in whole if exists[loops.index(loop)][row])
        shape = Shape(
            level0=level0,
            level1=tuple(loop for loop, turns in zip(loops, inside, strict=True) if turns[row]),
            pipelined=bool(candidates.pipeline[row] >= 0),
            order=whole,
            places={a: loops[int(place[a][row])] for a in arrays if place[a][row] != RESIDENT},
        )
        yield by_key[ends[at - 1] if at else 0 : ends[at]], shape


def _sequence(candidates: Candidates, loops: list[str], exists: Sequence[Flags]) -> Ints:
    """A number per candidate that tells apart the orders of the level-0 loops that exist.

    A place fixes the tiles of all loops outside of it, of those without a level-0 copy too, which have one tile.
    """
    weights = len(loops) + 1
    ranks = np.array([[order.index(loop) for loop in loops] for order in candidates.orders])[candidates.order]
    present = np.stack(exists, axis=-1)
    behind = (ranks[:, :, None] > ranks[:, None, :]) & present[:, None, :]
    places = np.where(present, behind.sum(axis=-1) + 1, 0)
    return np.asarray((places * weights ** np.arange(len(loops))).sum(axis=-1))


def _visits(counts: TileCounts, shape: Shape, tiles: Mapping[str, tuple[Ints, ...]]) -> list[Ints]:
    """Tiles with work of the first n level-0 loops, for every n."""
    sizes = {loop: levels[1] * levels[2] for loop, levels in tiles.items()}
    rows = len(next(iter(sizes.values())))
    prefixes = [shape.level0[:n] for n in range(len(shape.level0) + 1)]
    found = (counts.visits(prefix, sizes, level0=shape.level0) for prefix in prefixes)
    return [np.broadcast_to(visits, (rows,)) for visits in found]


def _bounds(model: NestModel, shape: Shape, numbers: Numbers, rows: int) -> Iterator[tuple[Ints, Shape, Numbers]]:
    """Candidates of a shape split by which tile loops have moving bounds and which statements need a guard."""
    moving = np.zeros(rows, np.int64)
    for at, loop in enumerate(shape.level0):
        regular = numbers.visits[at] * numbers.tiles[loop][0] == numbers.visits[at + 1]
        moving |= np.where(regular, 0, 1 << at)
    inside: Value = numbers.visits[-1]
    for _, level1, level2 in numbers.tiles.values():
        inside = inside * level1 * level2
    guarded = inside != model.counts.points
    for key in np.unique(moving * 2 + guarded):
        part = np.flatnonzero(moving * 2 + guarded == key)
        exact = replace(
            shape,
            moving=frozenset(loop for at, loop in enumerate(shape.level0) if int(key) >> (at + 1) & 1),
            guarded=frozenset(model.space.nest.statements if int(key) & 1 else ()),
        )
        yield part, exact, _rows_of(numbers, part)


def _rows_of(numbers: Numbers, rows: Ints) -> Numbers:
    return Numbers(
        tiles={loop: (t[0][rows], t[1][rows], t[2][rows]) for loop, t in numbers.tiles.items()},
        factors={a: tuple(f[rows] for f in factors) for a, factors in numbers.factors.items()},
        widths={a: w[rows] for a, w in numbers.widths.items()},
        visits=[v[rows] for v in numbers.visits],
    )


def _nest_costs(model: NestModel, facts: TaskFacts) -> dict[str, Value]:
    """The formulas on the facts of one shape."""
    setting = model.setting
    studies = [study_pipe(setting, pipe) for pipe, _ in pipes_in(facts.parts)]
    [study] = studies
    cycles = task_cycles(setting, facts, lambda _: study.body, model.counts.runs)
    found: dict[str, Value] = {"cycles": cycles.value, "interval": study.interval.value, "depth": study.body.depth}
    dsp = _address_dsp(setting, facts, study.pipe)
    kinds = cores_of(setting, study.pipe.works)
    for kind, count in _cores(setting, study).items():
        found[f"core {kind}"] = count
        dsp = dsp + count * kinds[kind].cost.dsp
    return {**found, "dsp": dsp}


def _cores(setting: Setting, study: PipeStudy) -> dict[str, Value]:
    """Cores of the body after sharing over II."""
    together: dict[str, Value] = {}
    for work, counts in zip(study.pipe.works, study.operations, strict=True):
        if not is_called(setting, work):
            for kind, count in counts.items():
                together[kind] = together.get(kind, 0) + count
    return instances(setting, together, study.interval.value)


def _address_dsp(setting: Setting, facts: TaskFacts, pipe: Pipe) -> Value:
    """Multipliers of the addresses in the body and of the transfers under its tile loops."""
    loops = pipe.outer if pipe.loop is None else (*pipe.outer, pipe.loop)
    accesses = [access for work in pipe.works for access in (work.write, *work.reads.values())]
    total: Value = address_multipliers(setting.alg, accesses, loops, pipe.trips)
    for move, _ in moves_in(facts.parts, 1):
        total = total + move_multipliers(setting, move)
    return total


class _Columns:
    """Results of all shapes put back into the order of the candidates."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._columns: dict[str, Ints] = {}

    def put(self, rows: Ints, values: Mapping[str, Value]) -> None:
        for name, value in values.items():
            column = self._columns.setdefault(name, np.zeros(self._count, np.int64))
            column[rows] = value

    def costs(self) -> NestCosts:
        columns = self._columns
        empty = np.zeros(self._count, np.int64)
        cores = {name.removeprefix("core "): c for name, c in columns.items() if name.startswith("core ")}
        cycles, interval, depth, dsp = (columns.get(n, empty) for n in ("cycles", "interval", "depth", "dsp"))
        return NestCosts(cycles, interval, depth, cores, dsp)
