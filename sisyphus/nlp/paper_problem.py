"""The paper's optimization problem (equations 1 to 20) over the knobs of a space, in Pyomo."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import pyomo.environ as pyo

from sisyphus.algebra import product
from sisyphus.analysis import LoopKind
from sisyphus.model import paper
from sisyphus.nlp.knobs import Knobs, outside_name
from sisyphus.nlp.signomial import Signomial, SignomialNumbers
from sisyphus.space import ArrayUse, NestSpace, Space

NUMBERS = SignomialNumbers()


def formulate(space: Space) -> Knobs:
    """The whole problem; its objective is the paper's latency in cycles."""
    knobs = Knobs(space)
    _one_place_per_array(knobs)
    _limit_dsp(knobs)
    _limit_memory(knobs)
    knobs.model.latency = pyo.Objective(expr=_computation(knobs) + _communication(knobs), sense=pyo.minimize)
    return knobs


def _one_place_per_array(knobs: Knobs) -> None:
    """An array is resident for the whole kernel or nowhere."""
    for array in knobs.space.used_arrays:
        users = [n.id for n in knobs.space.users(array)]
        for first, second in pairwise(users):
            knobs.require(knobs.model.resident[array, first] == knobs.model.resident[array, second])


def _trips_of(knobs: Knobs, nest: NestSpace) -> paper.Trips:
    """Products of trip counts of a nest as signomials."""
    copies = knobs.copies(nest)
    tiles = knobs.trips(nest, 0, tuple(loop.iterator for loop in nest.loops)).inverse_of(copies)
    return paper.trips_of(nest, partial(knobs.trips, nest), tiles=tiles, copies=Signomial.power(copies))


def _computation(knobs: Knobs) -> pyo.Expression:
    space, variables = knobs.space, knobs.variables()
    total = 0.0
    for nest in space.nests:
        cost = paper.nest_cost(space, nest)
        trips = _trips_of(knobs, nest)
        latency = paper.nest_latency(cost, trips, tree=space.options.tree_reduction, numbers=NUMBERS)
        total += nest.outer_trips * Signomial.of(latency).expression(variables)
    return total


def _communication(knobs: Knobs) -> pyo.Expression:
    """Whole arrays: the slowest load at each nest that uses one first, plus all stores; tiles: everything added."""
    space, m = knobs.space, knobs.model
    m.loading = pyo.Var([n.id for n in space.nests], domain=pyo.NonNegativeReals)
    m.moved = pyo.Var(list(m.width.index_set()), domain=pyo.Binary)
    total = sum(m.loading[n.id] for n in space.nests)
    for array in paper.moved_arrays(space):
        users = list(space.users(array))
        resident = m.resident[array, users[0].id]
        elements = space.scop.array(array).elements
        cycles = 0.0
        for w in space.widths[array]:
            knobs.require(m.moved[array, w] <= m.width[array, w])
            cycles += paper.whole_transfer(elements, w) * m.moved[array, w]
        knobs.require(sum(m.moved[array, w] for w in space.widths[array]) == resident)
        knobs.require(m.loading[users[0].id] >= cycles)
        if any(u.writes for n in users if (u := n.use(array)) is not None):
            total += cycles
        total += sum(_tile_cycles(knobs, n, u) for n in users if (u := n.use(array)) is not None and u.can_be_tiled)
    return total


def _tile_cycles(knobs: Knobs, nest: NestSpace, use: ArrayUse) -> pyo.Expression:
    """Loads of an array's tiles, and stores where it is written; 0 where it is resident."""
    outside = tuple(outside_name(nest, loop.iterator, use.array) for loop in nest.loops)
    traffic = paper.tile_traffic(_footprint(nest, use), Signomial.power(outside))
    whole = _whole_footprint(nest, use)
    resident = knobs.model.resident[use.array, nest.id]
    directions = 2 if use.writes else 1
    cycles = traffic.expression(knobs.variables()) - whole * resident
    return directions * nest.outer_trips * cycles


def _limit_memory(knobs: Knobs) -> None:
    """Equation 12 in bytes: resident arrays once, tiles per nest."""
    space, m = knobs.space, knobs.model
    used = 0.0
    for array in space.used_arrays:
        declared = space.scop.array(array)
        users = list(space.users(array))
        used += declared.elements * declared.type.bytes * m.resident[array, users[0].id]
        for nest in users:
            use = nest.use(array)
            if use is not None and use.can_be_tiled:
                tile = _footprint(nest, use).expression(knobs.variables())
                used += declared.type.bytes * (tile - _whole_footprint(nest, use) * m.resident[array, nest.id])
    knobs.require(used <= space.target.budget.onchip_bytes)


def _limit_dsp(knobs: Knobs) -> None:
    """Equations 16 to 19."""
    space, m = knobs.space, knobs.model
    costs = {nest.id: paper.nest_cost(space, nest) for nest in space.nests}
    operations = sorted({op for cost in costs.values() for op, _, dsp in cost.operations if dsp})
    m.log_interval = pyo.Var([n.id for n in space.nests], domain=pyo.NonNegativeReals)
    m.dsp = pyo.Var(operations, domain=pyo.NonNegativeReals)
    totals: dict[str, list[pyo.Expression]] = {op: [] for op in operations}
    for nest in space.nests:
        cost = costs[nest.id]
        _tie_interval(knobs, nest, cost)
        unrolled = _trips_of(knobs, nest).unrolled
        exponent = sum(n * m.log[name] for name, n in unrolled.terms[0].exponent) - m.log_interval[nest.id]
        for op, count, dsp in cost.operations:
            if dsp:
                totals[op].append(count * dsp * pyo.exp(exponent))
    for op, used in totals.items():
        if space.options.reuse == "optimistic":
            for one in used:
                knobs.require(m.dsp[op] >= one)
        else:
            knobs.require(m.dsp[op] >= sum(used))
    knobs.require(sum(m.dsp[op] for op in operations) <= space.target.budget.dsp)


def _tie_interval(knobs: Knobs, nest: NestSpace, cost: paper.StatementCost) -> None:
    """log II: 0 unless a reduction is pipelined; only its upper limit matters, as a longer II saves DSPs."""
    m = knobs.model
    log_ii = m.log_interval[nest.id]
    reductions = [s.iterator for s in nest.loops if s.kind is LoopKind.REDUCTION]
    if not cost.chain or not reductions:
        log_ii.fix(0)
        return
    pipelined = sum(knobs.many(nest, loop, 1) for loop in reductions)
    if knobs.space.options.tree_reduction:
        highest = math.log(paper.TREE_II)
    else:
        highest = math.log(cost.chain) + sum(math.log(nest.loop(loop).trip_count) for loop in reductions)
        unrolled = knobs.trips(nest, 2, tuple(reductions)).terms[0].exponent
        knobs.require(log_ii <= math.log(cost.chain) + sum(n * m.log[name] for name, n in unrolled))
    log_ii.setub(highest)
    knobs.require(log_ii <= highest * pipelined)


def _footprint(nest: NestSpace, use: ArrayUse) -> Signomial:
    """Elements of a tile: the product over dimensions of a sum of loop sizes, loops outside the transfer fixed."""
    sizes = {
        loop: Signomial.constant(nest.loop(loop).trip_count).inverse_of([outside_name(nest, loop, use.array)])
        for loop in dict.fromkeys(loop for dim in use.dims for loop in dim.loops)
    }
    return Signomial.of(product([dim.reach(sizes) for dim in use.dims]))


def _whole_footprint(nest: NestSpace, use: ArrayUse) -> float:
    """The value of `_footprint` where no loop is outside."""
    sizes = {loop.iterator: loop.trip_count for loop in nest.loops}
    return float(product([dim.reach(sizes) for dim in use.dims]))
