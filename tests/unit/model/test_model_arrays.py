"""Rows of partition factors and widths cost what the arrays of plans cost, and do so fast."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from model_candidates import Kernel, kernel_of
from model_kernels import built
from random_kernels import random_point
from random_knobs import random_points

from sisyphus.ir import Array, ArrayId
from sisyphus.model import ArrayCosts, Term, Users, estimate
from sisyphus.model.area.area_terms import AreaTerms, resources_of
from sisyphus.model.formulas.kernel_cycles import kernel_cycles
from sisyphus.model.study import Study
from sisyphus.plan import Buffer, Direction, Plan
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
POINTS = 24
NAMES = ("gemm", "two products", "atax", "triangle", "stencil", "division", "outer loop")
#: Terms of each resource that belong to arrays alone.
SHARES = {
    "dsp": ("addresses",),
    "bram18k": ("memories", "adapters"),
    "uram": ("memories", "adapters"),
    "lut": ("memories", "adapters", "transfers", "banks used by several functions"),
    "ff": ("memories", "adapters", "transfers", "arrays in registers"),
}


def used_by(plan: Plan) -> tuple[AreaTerms, Mapping[str, Users]]:
    """The terms of a plan, and what its tasks do to each buffer."""
    study = Study(plan, TARGET)
    resources = resources_of(study, kernel_cycles(study).moments)
    users: dict[str, Users] = defaultdict(Users)
    for task in study.tasks.values():
        for buffer, found in task.users.items():
            users[buffer] += found
    return resources, users


def shares(plan: Plan, resources: AreaTerms, *, adapters: bool = True) -> dict[str, float]:
    """What the arrays of a plan take: the adapters of their ports, but not the control interface, if asked for."""
    transfers = {transfer.id for transfer in plan.transfers}
    found: dict[str, float] = {}
    for name, wanted in SHARES.items():
        terms = [
            t for t in getattr(resources, name).children if t.name in wanted and (adapters or t.name != "adapters")
        ]
        found[name] = sum(t.value for t in terms) - sum(own.value for t in terms for own in _foreign(t, transfers))
    return found


def _foreign(term: Term, transfers: Iterable[str]) -> Iterable[Term]:
    """Parts of a term that belong to no array: the control interface, addresses in bodies."""
    if term.name == "adapters":
        yield from (child for child in term.children if child.name == "control")
    if term.name == "addresses":
        yield from (child for child in term.children if child.name not in transfers)


def plans_of(kernel: Kernel, count: int) -> list[Plan]:
    return [kernel.plan(point) for point in random_points(kernel.space, count, resident=True)]


def rows_of(buffers: list[Buffer], rank: int) -> list[np.ndarray]:
    return [np.array([buffer.partition[at] for buffer in buffers]) for at in range(rank)]


@pytest.mark.parametrize("name", NAMES)
def test_resident_arrays_cost_what_their_plans_say(name: str) -> None:
    scop = built(name)
    kernel = kernel_of(scop, TARGET)
    plans = plans_of(kernel, POINTS)
    read = [used_by(plan) for plan in plans]
    found = {name: np.zeros(POINTS) for name in SHARES}
    for array in scop.arrays:
        buffers = [next(b for b in plan.buffers if b.array == array.id) for plan in plans]
        live, widths = kernel.space.live[array.id], np.array([_width(plan, array) for plan in plans])
        [users] = {users[b.id] for (_, users), b in zip(read, buffers, strict=True)}
        streams = np.array([_streams(plan, array.id) for plan in plans])
        rows = ArrayCosts(TARGET, array, array.extents, rows_of(buffers, len(array.extents)), widths, streams)
        for resource, values in rows.resident(loaded=live.load, stored=live.store, users=users).items():
            found[resource] += values
    for at, (plan, (resources, _)) in enumerate(zip(plans, read, strict=True)):
        assert {name: values[at] for name, values in found.items()} == pytest.approx(shares(plan, resources)), at


def _streams(plan: Plan, array: str) -> bool:
    return any(t.stream for t in plan.transfers if t.array == array)


def _width(plan: Plan, array: Array) -> int:
    return next((t.width for t in plan.transfers if t.array == array.id), 1)


@pytest.mark.parametrize("name", NAMES)
def test_buffers_of_any_extents_cost_what_their_plans_say(name: str) -> None:
    scop, rng = built(name), random.Random(name)
    kernel = kernel_of(scop, TARGET)
    seen = set[str]()
    for _ in range(POINTS):
        plan = kernel.plan(random_point(rng, scop, kernel.distribution, ahead=False))
        resources, users = used_by(plan)
        wanted = shares(plan, resources, adapters=False)
        found: dict[str, float] = dict.fromkeys(wanted, 0.0)
        for buffer in plan.buffers:
            for resource, value in _tile(kernel, plan, buffer, users[buffer.id]).items():
                found[resource] += value
            seen.add(buffer.place)
        assert {**found, "dsp": wanted["dsp"]} == pytest.approx(wanted)
    assert len(seen) > 1


def _tile(kernel: Kernel, plan: Plan, buffer: Buffer, users: Users) -> dict[str, float]:
    """One row of tiles; a buffer that is transferred several times has no row of its own."""
    moves = [t for t in plan.transfers if t.buffer == buffer.id]
    loads = [t.direction is Direction.LOAD for t in moves]
    assert len(set(loads)) == len(loads)
    rows = ArrayCosts(
        TARGET,
        kernel.scop.array(buffer.array),
        [np.array([extent]) for extent in buffer.extents],
        rows_of([buffer], len(buffer.extents)),
        np.array([moves[0].width if moves else 1]),
        np.array([any(t.stream for t in moves)]),
    )
    costs = rows.tile(loaded=np.array([True in loads]), stored=False in loads, users=users)
    return {name: float(values[0]) for name, values in costs.items()}


def test_tiles_that_are_not_loaded_cost_less() -> None:
    array = built("gemm").array("C")
    ones = np.ones(2, np.int64)
    rows = ArrayCosts(TARGET, array, [4 * ones, 8 * ones], [2 * ones, 4 * ones], ones)
    costs = rows.tile(loaded=np.array([True, False]), stored=True, users=Users(reads=1, writes=1, updates=1))
    assert costs["lut"][0] > costs["lut"][1] and costs["ff"][0] > costs["ff"][1]


def test_an_array_that_is_never_moved_has_no_adapter_and_no_transfer() -> None:
    array, rows = built("gemm").array("A"), np.array([1, 4])
    users, whole = Users(reads=1, writes=1), ArrayCosts(TARGET, array, array.extents, [rows, rows], rows)
    kept, moved = (whole.resident(loaded=loaded, stored=False, users=users) for loaded in (False, True))
    assert (kept["lut"] < moved["lut"]).all() and (kept["dsp"] == 0).all()
    assert (kept["bram18k"] < moved["bram18k"]).all()


def test_no_rows_no_costs() -> None:
    none = np.zeros(0, np.int64)
    array = built("gemm").array("B")
    rows = ArrayCosts(TARGET, array, array.extents, [none, none], none)
    costs = rows.resident(loaded=True, stored=True, users=Users(reads=1))
    assert {len(values) for values in costs.values()} == {0}


def test_whole_arrays_move_and_fill_banks_as_in_a_plan() -> None:
    scop = built("gemm")
    kernel, rng = kernel_of(scop, TARGET), random.Random(3)
    for _ in range(20):
        point = random_point(rng, scop, kernel.distribution)
        buffer = next((b for b in point.buffers if b.array == "A" and b.place == "kernel"), None)
        if buffer is None:
            continue
        found = estimate(kernel.plan(point), TARGET)
        array = scop.array(ArrayId("A"))
        factors = [np.array([f]) for f in buffer.partition]
        widths, streams = (
            np.array([point.transfer_of(buffer.id).width]),
            np.array([point.transfer_of(buffer.id).form == "stream"]),
        )
        rows = ArrayCosts(TARGET, array, array.extents, factors, widths, streams)
        cycles = rows.transfer(is_load=True)
        loads = [t for t in found.terms["cycles"].children[0].children if t.name == "load_A"]
        assert [t.value for t in loads if t.value] in ([], [int(cycles[0])])
        memories = [t for t in found.terms["bram18k"].children if t.name == "memories"]
        mine = [t.value for group in memories for t in group.children if t.name == "buf_A"]
        assert sum(mine) == rows.banks()["bram18k"][0]
