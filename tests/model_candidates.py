"""Design points as arrays of candidates, and plans taken apart by nest, to compare the two readings of the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from sisyphus.algebra import EXACT, VECTOR
from sisyphus.analysis import Dependences, Distribution, dependences, distribute, liveness, with_views
from sisyphus.ir import ArrayId, Scop
from sisyphus.model import Candidates
from sisyphus.model.area.area_terms import needs_of, resources_of
from sisyphus.model.facts.moves import move_of
from sisyphus.model.formulas.burst_cycles import move_cycles
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.kernel_cycles import kernel_cycles
from sisyphus.model.formulas.latency import task_cycles
from sisyphus.model.formulas.rules import VITIS_2023_2
from sisyphus.model.study import Study
from sisyphus.plan import Copy, Direction, Numbers, Plan, build_plan, side_by_side, walk
from sisyphus.space import (
    COLUMNS,
    KERNEL_PLACE,
    PACKED,
    PLAIN,
    BufferPoint,
    DesignPoint,
    NestSpace,
    Options,
    Space,
    build_space,
)
from sisyphus.space.packed import lying_as
from sisyphus.target import Target


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with what the analysis says of it, and its design space."""

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    space: Space

    def plan(self, point: DesignPoint) -> Plan:
        return build_plan(self.scop, self.distribution, self.space.live, point)


def kernel_of(scop: Scop, target: Target, *, tree: bool = False, views: bool = False, layout: str = PLAIN) -> Kernel:
    """With `views`, in the form in which every array that can has views; in a `layout` tiles of arrays that can."""
    found = dependences(scop)
    distribution = distribute(scop, found)
    viewed = with_views(scop, distribution) if views else None
    scop = viewed.scop if viewed else scop
    options = Options(tree_reduction=tree, late=True)
    space = build_space(scop, found, distribution, liveness(scop), target, options)
    if layout == COLUMNS:
        several = [a.id for a in scop.arrays if len(a.extents) > 1]
        space = reduce(lambda space, array: lying_as(space, array, COLUMNS), several, space)
    return Kernel(scop, found, distribution, in_rows(space) if layout == PLAIN else space)


def in_rows(space: Space) -> Space:
    """The space in which no tiles are packed."""
    uses = {nest.id: tuple(replace(use, layout=PLAIN) for use in nest.arrays) for nest in space.nests}
    return replace(space, nests=tuple(replace(nest, arrays=uses[nest.id]) for nest in space.nests))


def lying_in(space: Space, point: DesignPoint) -> DesignPoint:
    """The point with the arrays packed, or in columns of beats, that are so in a space, in the beats that they have."""
    lies = {b.id: (space.lies_as(b.array), b.place) for b in point.buffers}
    tiled = {
        b for b, (layout, place) in lies.items() if layout == COLUMNS or (layout == PACKED and place != KERNEL_PLACE)
    }
    moved = tuple(replace(point.transfer_of(b), layout=lies[b][0]) for b in sorted(tiled))
    return replace(point, transfers=(*(t for t in point.transfers if t.buffer not in tiled), *moved))


def candidates_of(kernel: Kernel, nest: NestSpace, points: Sequence[DesignPoint], plans: Sequence[Plan]) -> Candidates:
    """The choices of some points for one nest; what tiles are loaded is a matter of their plans."""
    loops = [loop.iterator for loop in nest.loops]
    chosen = [point.nest(nest.id) for point in points]
    orders = tuple(sorted({choice.order for choice in chosen}))
    arrays = [use.array for use in nest.arrays]
    buffers = {a: [point.buffer_of(a, nest.id) for point in points] for a in arrays}
    places = {a: [b.place if _is_moved(nest, b) else None for b in found] for a, found in buffers.items()}
    levels = ("level0", "level1", "level2")
    tiles = {loop: [[getattr(c.tile(loop), level) for c in chosen] for level in levels] for loop in loops}
    rank = {a: len(kernel.scop.array(a).extents) for a in arrays}
    numbers = Numbers(
        tiles={loop: tuple(np.array(column) for column in found) for loop, found in tiles.items()},
        places={a: {loop: np.array([p == loop for p in found]) for loop in loops} for a, found in places.items()},
        around={a: np.array([p is not None and p not in loops for p in found]) for a, found in places.items()},
        factors={a: tuple(np.array([b.partition[d] for b in buffers[a]]) for d in range(rank[a])) for a in arrays},
        widths={
            a: np.array([p.transfer_of(b.id).width for p, b in zip(points, buffers[a], strict=True)]) for a in arrays
        },
        loads={a: np.array([a in loaded_tiles(plan, nest) for plan in plans]) for a in arrays},
        streams={
            a: np.array([p.transfer_of(b.id).form == "stream" for p, b in zip(points, buffers[a], strict=True)])
            for a in arrays
        },
        unroll={
            loop.iterator: np.array([dict(choice.unroll).get(loop.iterator, 1) for choice in chosen])
            for loop in nest.loops
            if loop.unroll != (1,)
        },
    )
    return Candidates(
        numbers,
        orders=orders,
        order=np.array([orders.index(choice.order) for choice in chosen]),
        pipeline=np.array([loops.index(c.pipeline) if c.pipeline else -1 for c in chosen]),
        interval=np.array([choice.interval for choice in chosen]),
        ahead=np.array([_ahead(nest, point, loops) for point in points]),
    )


def _ahead(nest: NestSpace, point: DesignPoint, loops: Sequence[str]) -> int:
    """The loop under which tiles of a nest are loaded ahead."""
    places = {b.place for b in point.buffers if b.copies > 1 and nest.id in b.nests}
    return loops.index(places.pop()) if places else -1


def _is_moved(nest: NestSpace, buffer: BufferPoint) -> bool:
    """Under a loop of the nest, or around it for this nest alone."""
    own = buffer.nests == (nest.id,) and buffer.place == nest.around
    return own or buffer.place in {loop.iterator for loop in nest.loops}


def loaded_tiles(plan: Plan, nest: NestSpace) -> frozenset[ArrayId]:
    """Arrays of which a nest loads tiles itself."""
    tiles = _tile_buffers(plan, nest)
    loads = (t for t in plan.transfers if t.buffer in tiles and t.direction is Direction.LOAD)
    return frozenset(plan.buffer(t.buffer).array for t in loads)


def _tile_buffers(plan: Plan, nest: NestSpace) -> frozenset[str]:
    """Buffers that live under a loop of a nest."""
    loops = {loop.iterator for loop in nest.loops}
    own = {b for task in plan.tasks if task.nest == nest.id for b in task.buffers}
    return frozenset(b.id for b in plan.buffers if b.id in own and b.place in loops)


@dataclass(frozen=True)
class NestFigures:
    """What the cost of a plan says of one nest."""

    cycles: int
    interval: int
    depth: int
    cores: dict[str, int]
    dsp: int
    lut: float
    ff: float


def figures_of(plan: Plan, target: Target, nest: NestSpace) -> NestFigures | None:
    """The figures of a nest in a plan, with the transfers around it; None where the plan never runs it."""
    study = Study(plan, target)
    moments = kernel_cycles(study).moments
    task = next((t for t in plan.tasks if t.nest == nest.id), None)
    if task is None:
        return None
    found = study.tasks[task.name]
    alg = VECTOR if nest.nest.outer else EXACT
    setting = Setting(alg, VITIS_2023_2, target.operators)
    calls = np.ones(1, np.int64) if found.outside is None else found.outside
    cycles = (task_cycles(setting, found.facts, found.body).value * calls).sum()
    around = [t for t in plan.transfers if plan.buffer(t.buffer).place == nest.around]
    around = [t for t in around if all((t.buffer in other.buffers) == (other is task) for other in plan.tasks)]
    for direction in Direction:
        copies = side_by_side(EXACT, [(Copy(t.id), t.port) for t in around if t.direction is direction])
        for step in copies:
            moves = [move_of(plan, plan.transfer(n.transfer)) for n in walk((step,)) if isinstance(n, Copy)]
            longest = max(move_cycles(setting, move).value for move in moves)
            cycles += calls.sum() * (longest + VITIS_2023_2.cycles.step)
    needs = needs_of(study, moments)
    by_task = {name: needs.moments[at][n] for at, step in enumerate(moments) for n, name in enumerate(step)}
    cores = {kind: int(count) for kind, count in by_task[task.name].items() if count}
    tiles = _tile_buffers(plan, nest)
    mine = (
        {t.id for t in plan.transfers if t.buffer in tiles}
        | {t.id for t in around}
        | {f"{task.name}: {found.pipes[0].pipe.loop}"}
    )
    _, *beside = resources_of(study, moments).dsp.children
    dsp = sum(term.value for part in beside for term in part.children if term.name in mine)
    dsp += sum(count * needs.cores[kind].cost.dsp for kind, count in cores.items())
    ff, lut = (sum(body.value for body in bodies) for bodies in found.areas)
    interval, depth = int(found.pipes[0].interval.value), int(found.pipes[0].body.depth)
    return NestFigures(int(cycles), interval, depth, cores, dsp, lut, ff)
