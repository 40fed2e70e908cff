"""Minimising a lower bound of the measured cycles over the knobs of a space, in Pyomo.

The objective is at most what the full model says of the same point; the point found is judged by the full model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyomo.environ as pyo

from sisyphus.ir import ArrayId, Role
from sisyphus.model.bounds import relaxation as bound
from sisyphus.model.counting.domains import outer_runs, reach_of
from sisyphus.model.formulas.rules import VITIS_2023_2
from sisyphus.nlp.footprint import footprint, whole_footprint
from sisyphus.nlp.interval import Gates, Interval, sharing_name
from sisyphus.nlp.knobs import Knobs, copied_loops, copies_name, log_name, outside_name
from sisyphus.nlp.paper_problem import limit_memory, one_place_per_array
from sisyphus.nlp.signomial import Signomial, SignomialNumbers
from sisyphus.nlp.steps import Steps
from sisyphus.space import ArrayUse, LoopSpace, NestSpace, Space

NUMBERS = SignomialNumbers()
RULES = VITIS_2023_2
#: Words of 32 bits in the largest distributed memory, in a BRAM18 and in a URAM.
LUTRAM_WORDS, BRAM18_WORDS, URAM_WORDS = 128, 512, 4096


def formulate(space: Space) -> Knobs:
    """The whole problem; its objective is a lower bound of the measured latency in cycles."""
    knobs = Knobs(space)
    knobs.model.part = pyo.VarList(domain=pyo.NonNegativeReals)
    bodies = {nest.id: bound.body_of(space, nest, RULES) for nest in space.nests}
    one_place_per_array(knobs)
    limit_memory(knobs)
    _limit_blocks(knobs)
    knobs.model.latency = pyo.Objective(expr=_cycles(knobs, bodies), sense=pyo.minimize)
    _limit_cores(knobs, bodies)
    return knobs


def _largest(knobs: Knobs, values: Iterable[Any]) -> Any:
    """A variable that is no smaller than any of some expressions."""
    part = knobs.model.part.add()
    for value in values:
        knobs.require(part >= value)
    return part


def _cycles(knobs: Knobs, bodies: dict[str, bound.Body]) -> Any:
    """The nests and the whole arrays step by step; transfers around a nest may hide behind other nests, not its own."""
    space = knobs.space
    tasks = {nest.id: _task(knobs, nest, bodies[nest.id]) for nest in space.nests}
    total = Steps(knobs, tasks, dict(_whole_moves(knobs))).cycles()
    for nest in space.nests:
        around = _around(knobs, nest)
        if around:
            knobs.require(total >= outer_runs(space, nest.nest) * (tasks[nest.id] + sum(around)))
    return total


def _around(knobs: Knobs, nest: NestSpace) -> list[Any]:
    """Loads and stores of arrays before and behind one call of a nest."""
    moves = [u for u in nest.arrays if nest.may_own(u)]
    directions = ([u for u in moves if u.reads], [u for u in moves if u.writes])
    return [_largest(knobs, [_around_cycles(knobs, nest, u) for u in users]) for users in directions if users]


def _around_cycles(knobs: Knobs, nest: NestSpace, use: ArrayUse) -> Any:
    """What the nest touches in all its iterations, at the widest beat; 0 or less where the array is elsewhere."""
    touched = use.footprint({loop.iterator: loop.trip_count for loop in nest.loops})
    cycles = bound.transfer_cycles(touched / max(knobs.space.widths[use.array]), 1, RULES)
    return cycles * _is_around(knobs, nest, use)


def _is_around(knobs: Knobs, nest: NestSpace, use: ArrayUse) -> Any:
    """1 where the array is transferred around the nest, else 0 or less."""
    m = knobs.model
    inside = sum(m.outside[use.array, nest.id, loop.iterator] for loop in nest.loops)
    return 1 - m.resident[use.array, nest.id] - inside


def _whole_moves(knobs: Knobs) -> list[tuple[ArrayId, Any]]:
    """Cycles of moving each whole array, 0 where it is not resident from the first nest on."""
    space, m = knobs.space, knobs.model
    if not hasattr(m, "moved"):
        m.moved = pyo.Var(list(m.width.index_set()), domain=pyo.Binary)
        for array in space.used_arrays:
            users = list(space.users(array))
            for w in space.widths[array]:
                knobs.require(m.moved[array, w] <= m.width[array, w])
            knobs.require(sum(m.moved[array, w] for w in space.widths[array]) == m.resident[array, users[0].id])
    found = []
    for array in space.used_arrays:
        declared = space.scop.array(array)
        if declared.role is not Role.LOCAL:
            row = declared.extents[-1] if declared.extents else 1
            beats = {w: declared.elements // row * -(-row // w) for w in space.widths[array]}
            cycles = sum(bound.transfer_cycles(n, 1, RULES) * m.moved[array, w] for w, n in beats.items())
            found.append((array, cycles))
    return found


def _task(knobs: Knobs, nest: NestSpace, body: bound.Body) -> Any:
    visits = Visits(knobs, nest)
    computing = _largest(knobs, _computation(knobs, nest, body, visits))
    moves = [u for u in nest.arrays if u.can_be_tiled]
    if not moves:
        return computing
    tiles = {use.array: _tile_cycles(knobs, nest, use, visits) for use in moves}
    read = [use for use in moves if bound.must_load(knobs.space, nest, use)]
    loading = _largest(knobs, [0, *(cycles for use in read for cycles in tiles[use.array])])
    storing = _largest(knobs, [cycles for use in moves if use.writes for cycles in tiles[use.array]])
    return computing + loading + storing


def _computation(knobs: Knobs, nest: NestSpace, body: bound.Body, visits: Visits) -> list[Any]:
    """What the nest takes at least, whichever loop is pipelined; gates switch off what does not apply."""
    variables = knobs.variables()
    tree = knobs.space.options.tree_reduction
    starts, tiles, copies = visits.starts, visits.tiles, knobs.trips(nest, 2, body.sums)
    latency = Signomial.of(bound.iteration_latency(body, copies, NUMBERS.log2(copies), tree=tree))
    gates = Gates(knobs, nest, body.sums)
    paced = starts * Signomial.power([Interval(knobs, nest, body, gates.reduces).name])
    found = [
        paced.expression(knobs.variables()),
        bound.flattened_cycles(starts, latency, visits.working).expression(variables),
    ]
    runs = (visits.outside(use).inverse_of(visits.copied) for use in nest.arrays if use.can_be_tiled)
    found += [bound.flattened_cycles(starts, latency, r).expression(variables) for r in runs]
    found.append(only(knobs, latency * tiles, 1 - gates.pipelined))
    if body.chain:
        stalled = tiles * bound.restart_cycles(body, RULES, tree=tree)
        found.append(found[0] + only(knobs, stalled, gates.unflattened) - RULES.cycles.unflattened)
    return found


def _side_by_side(knobs: Knobs, nest: NestSpace) -> list[str]:
    """The logarithm of how many coarse-grained copies of each loop run side by side, at most.

    They share what is not transferred under that loop, and then wait for each other, unless it is only read and in
    registers.
    """
    m, small = knobs.model, bound.small_arrays(knobs.space)
    found = []
    for loop in copied_loops(nest):
        log = m.log[copies_name(nest, loop.iterator)]
        name = f"{copies_name(nest, loop.iterator)} side by side"
        if name not in knobs.more:
            knobs.more[name] = side = m.part.add()
            side.setub(log.ub)
            knobs.require(side <= log)
            for use in nest.arrays:
                if use.writes or use.array not in small:
                    apart = m.outside[use.array, nest.id, loop.iterator] if use.can_be_tiled else 0
                    knobs.require(side <= log.ub * apart)
        found.append(name)
    return found


class Visits:
    """How often parts of a nest run in one call, at the least; products of trip counts where its loops fill a box.

    `starts` of the innermost body, `tiles` the iterations of level 0 where no loop is pipelined, both divided by the
    number of copies side by side, whose logarithms are `copied`; `share`: of the product of some level-0 trip counts,
    the iterations of these loops that run; `working`: of the calls, those that do.
    """

    def __init__(self, knobs: Knobs, nest: NestSpace) -> None:
        self.nest, reach = nest, reach_of(knobs.space, nest)
        uneven = [loop for loop in nest.loops if loop.iterator in reach.uneven]
        ragged = [loop for loop in nest.loops if loop not in uneven and _overhang(loop) > 1]
        even = tuple(loop.iterator for loop in nest.loops if loop not in uneven and loop not in ragged)
        covered = Signomial.constant(reach.points * math.prod(loop.trip_count for loop in ragged))
        points = covered.inverse_of(log_name(nest, loop.iterator, 2) for loop in (*uneven, *ragged))
        self.copied = _side_by_side(knobs, nest)
        self.tiles = (points * knobs.trips(nest, 0, even)).inverse_of(self.copied)
        self.starts = self.tiles * knobs.trips(nest, 1, even)
        self.share, self.working = reach.share / math.prod(map(_overhang, uneven)), reach.working

    def outside(self, use: ArrayUse) -> Signomial:
        """Iterations of the level-0 loops outside of an array's transfer."""
        names = [outside_name(self.nest, loop.iterator, use.array) for loop in self.nest.loops]
        return self.share * Signomial.power(names)


def _overhang(loop: LoopSpace) -> float:
    """The most iterations that the tiles of a loop make, over those it has."""
    return max((tile.level0 * tile.size / loop.trip_count for tile in loop.tiles), default=1.0)


def only(knobs: Knobs, value: Signomial, gate: Any) -> Any:
    """`value` where the gate is 1; less than 1 where it is 0."""
    variables = knobs.variables()
    total: Any = 0
    for term in value.terms:
        exponent = sum(n * variables[name] for name, n in term.exponent)
        highest = math.log(max(abs(term.coefficient), 1)) + sum(
            n * variables[name].ub for name, n in term.exponent if n > 0
        )
        factor: Any = term.coefficient
        if term.factor:
            factor = factor * sum(w * variables[name] for name, w in term.factor)
        total += factor * pyo.exp(exponent - (highest + 3) * (1 - gate))
    return total


def _tile_cycles(knobs: Knobs, nest: NestSpace, use: ArrayUse, visits: Visits) -> list[Any]:
    """Loads (or stores) of an array's tiles at its widest beat; 0 where it is resident or moves around the nest."""
    outside = visits.outside(use)
    widest = max(knobs.space.widths[use.array])
    beats = footprint(nest, use) * outside * (1 / widest)
    variables = knobs.variables()
    whole = visits.share * bound.transfer_cycles(whole_footprint(nest, use) / widest, 1, RULES)
    elsewhere = knobs.model.resident[use.array, nest.id]
    if nest.can_move_around(use):
        elsewhere += _at_most_around(knobs, nest, use)
    found = [Signomial.of(bound.transfer_cycles(beats, outside, RULES)).expression(variables) - whole * elsewhere]
    bursts = _bursts(knobs, nest, use, outside)
    return found if bursts is None else [*found, beats.expression(variables) + bursts - whole * elsewhere]


def _at_most_around(knobs: Knobs, nest: NestSpace, use: ArrayUse) -> Any:
    """A variable that may be 1 where the array is transferred around the nest, else 0."""
    m = knobs.model
    around = m.part.add()
    knobs.require(around <= 1 - m.resident[use.array, nest.id])
    for loop in nest.loops:
        knobs.require(around <= 1 - m.outside[use.array, nest.id, loop.iterator])
    return around


def _bursts(knobs: Knobs, nest: NestSpace, use: ArrayUse, outside: Signomial) -> Any | None:
    """Every row is a burst of its own where a tile is narrower than the array; None where no tile is."""
    loops = use.dims[-1].loops if use.dims[-1].coefficients is not None else ()
    if len(use.dims) < 2 or not loops:
        return None
    narrow = knobs.model.part.add()
    narrow.domain = pyo.Binary
    for loop in loops:
        knobs.require(narrow >= knobs.model.outside[use.array, nest.id, loop] + knobs.many(nest, loop, 0) - 1)
    rows = footprint(nest, replace(use, dims=use.dims[:-1]))
    return only(knobs, Signomial.of(bound.transfer_cycles(0, rows * outside, RULES)), narrow)


def _limit_blocks(knobs: Knobs) -> None:
    """BRAM18 and URAM: what is too large for distributed memory even in the most banks must fit the blocks.

    A BRAM18 has 512 words of 32 bits and a URAM at most 4096 (MODEL.md 4.4); banks that waste some are left to the
    full model.
    """
    space, budget = knobs.space, knobs.space.target.budget
    words: Any = 0
    for array in space.used_arrays:
        declared = space.scop.array(array)
        if declared.elements > LUTRAM_WORDS * space.target.max_partition:
            resident = knobs.model.resident[array, next(space.users(array)).id]
            words += declared.elements * -(-declared.type.bits // 32) * resident
    knobs.require(words <= BRAM18_WORDS * budget.bram18k + URAM_WORDS * budget.uram)


def _limit_cores(knobs: Knobs, bodies: dict[str, bound.Body]) -> None:
    """DSPs and LUTs of the operators: shared between steps and over the interval, added up inside a step."""
    space, m = knobs.space, knobs.model
    cores = {op.core.kind: op.core for body in bodies.values() for op in body.operations}
    used = {kind: m.part.add() for kind in sorted(cores)}
    counts = {nest.id: _core_counts(knobs, nest, bodies[nest.id]) for nest in space.nests}
    for found in counts.values():
        for kind, count in found.items():
            knobs.require(used[kind] >= count)
    budget = space.target.budget
    for stage in bound.sure_stages(space):
        for kind in cores:
            together = [counts[nest][kind] for nest in stage.nests if kind in counts[nest]]
            if len(together) > 1:
                knobs.require(used[kind] >= sum(together))
    knobs.require(sum(cores[kind].cost.dsp * n for kind, n in used.items()) <= budget.dsp)
    knobs.require(sum(cores[kind].cost.lut * n for kind, n in used.items()) <= budget.lut)
    knobs.require(sum(cores[kind].cost.ff * n for kind, n in used.items()) <= budget.ff)


def _core_counts(knobs: Knobs, nest: NestSpace, body: bound.Body) -> dict[str, Any]:
    """Cores of each kind in the body of a nest."""
    variables = knobs.variables()
    copied = sum(variables[name] for name in _side_by_side(knobs, nest))
    counts: dict[str, Any] = {}
    for op in body.operations:
        unrolled = knobs.trips(nest, 2, op.loops).terms[0].exponent
        copies = pyo.exp(sum(n * variables[v] for v, n in unrolled) + copied - variables[sharing_name(nest)])
        counts[op.core.kind] = counts.get(op.core.kind, 0) + copies
    return counts
