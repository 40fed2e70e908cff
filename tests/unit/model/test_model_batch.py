"""Arrays of candidates cost what the plans of the same points cost, and do so fast.

    SISY_POINTS=1000 python -m pytest tests/unit/model/test_model_batch.py -k candidates_cost_what

asks for so many random points of each kernel, in place of 30.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from builders import scop as build_scop
from model_candidates import Kernel, candidates_of, figures_of, kernel_of, lying_in
from model_kernels import KERNELS, built
from random_kernels import random_point
from random_knobs import random_points

from sisyphus.analysis import legal_orders
from sisyphus.ir import ArrayId
from sisyphus.model import Candidates, NestModel, nest_model
from sisyphus.plan import Numbers, Plan
from sisyphus.space import COLUMNS, PACKED, PLAIN, DesignPoint, NestSpace, over_ports
from sisyphus.space.ahead import loaded_ahead
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
POINTS = int(os.environ.get("SISY_POINTS", "15"))


@pytest.fixture(autouse=True)
def none_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """All go through programs, which a few of a shape would not."""
    monkeypatch.setattr(nest_model, "FEW", 0)


def shares_a_part(point: DesignPoint, nest: NestSpace) -> bool:
    """Arrays of candidates do not describe the part of an array that several nests share under an outer loop."""
    return any(b.place in nest.nest.outer and b.nests != (nest.id,) for b in point.buffers if nest.id in b.nests)


@pytest.mark.parametrize("name", KERNELS)
def test_candidates_cost_what_their_plans_cost(name: str) -> None:
    """Without trees, with them, with packed tiles, and in columns of beats."""
    rng, scop = random.Random(name), built(name)
    for tree, layout in ((False, PLAIN), (True, PLAIN), (False, PACKED), (False, COLUMNS)):
        kernel = kernel_of(scop, TARGET, tree=tree, layout=layout)
        points = [
            lying_in(kernel.space, random_point(rng, scop, kernel.distribution, ragged=n % 2 == 0, tree_reduction=tree))
            for n in range(POINTS // 2)
        ]
        plans = [kernel.plan(point) for point in points]
        for nest in kernel.space.nests:
            kept = [at for at, point in enumerate(points) if not shares_a_part(point, nest)]
            compare(kernel, nest, [points[at] for at in kept], [plans[at] for at in kept], tree=tree)


#: Every wave but the first one has all tiles of the splits `k`.
WAVES = """
for w in range(1, 16):
    for i in range(16 - w):
        for k in range(i + 1, i + w):
            T[i, i + w] += T[i, k] * T[k, i + w]
    for i in range(16 - w):
        T[i, i + w] = T[i, i + w] * c
"""


def test_a_call_without_work_does_not_make_bounds_move() -> None:
    """Tiles of splits were taken to follow their wave, and half of them to be left out, as the first wave has none."""
    rng, scop = random.Random(0), build_scop(WAVES, T=(16, 16))
    kernel = kernel_of(scop, TARGET)
    points = [random_point(rng, scop, kernel.distribution, ragged=n % 2 == 0) for n in range(20 * POINTS)]
    nest = kernel.space.nests[0]
    kept = [p for p in points if p.nest(nest.id).order[0] == "k" and not shares_a_part(p, nest)]
    kept = [p for p in kept if p.nest(nest.id).tile("k").level0 > 1][:POINTS]
    assert len(kept) >= 5
    compare(kernel, nest, kept, [kernel.plan(point) for point in kept], tree=False)


def test_candidates_with_adders_in_fabric_cost_what_their_plans_cost() -> None:
    """A space with the table of such adders, and plans that say so on a board with the other one."""
    rng, scop = random.Random(1), built("gemm")
    plain = kernel_of(scop, TARGET)
    kernel = replace(plain, space=replace(plain.space, target=TARGET.adding_in("fabric")))
    points = [replace(random_point(rng, scop, kernel.distribution), adders="fabric") for _ in range(10)]
    for nest in kernel.space.nests:
        compare(kernel, nest, points, [kernel.plan(point) for point in points], tree=False)


TILES = """
for i in range(24):
    for j in range(90):
        Q[i] = Q[i] + A[i, j] * P[j]
for i in range(24):
    for j in range(90):
        A[i, j] = A[i, j] + R[i] * S[j]
for i in range(24):
    for j in range(90):
        D[i, j] = A[i, j] + 1
"""
OUTSIDE = """
for t in range(12):
    for i in range(40):
        Y[i] = Y[i] + A[i, 2 * t]
    for i in range(40):
        Z[i] = Z[i] * Y[39 - i]
"""


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(
    ("text", "extents"),
    [
        (TILES, {"A": (24, 90), "P": (90,), "Q": (24,), "S": (90,), "R": (24,), "D": (24, 90)}),
        (OUTSIDE, {"A": (40, 40), "Y": (40,), "Z": (40,)}),
    ],
)
def test_candidates_with_tiles_over_several_ports_cost_what_their_plans_cost(
    text: str, extents: dict[str, tuple[int, ...]], count: int
) -> None:
    """With what transfers side by side wait for each other."""
    plain = kernel_of(build_scop(text, **extents), TARGET)
    space = over_ports(plain.space, ArrayId("A"), count)
    assert space is not None
    kernel = replace(plain, space=space)
    points = [point for point in random_points(space, 15 * POINTS, seed=count) if point.dealt_tiles]
    assert len(points) >= 5
    plans = [kernel.plan(point) for point in points]
    for nest in space.nests:
        kept = [at for at, point in enumerate(points) if not shares_a_part(point, nest)]
        compare(kernel, nest, [points[at] for at in kept], [plans[at] for at in kept], tree=False)
        for at in kept[::3]:
            buffers = loaded_ahead(nest.id, nest.early, points[at].nest(nest.id), points[at].buffers)
            early = replace(points[at], buffers=buffers)
            compare(kernel, nest, [early], [kernel.plan(early)], tree=False)


def compare(
    kernel: Kernel, nest: NestSpace, points: Sequence[DesignPoint], plans: Sequence[Plan], *, tree: bool
) -> None:
    model = NestModel(kernel.scop, nest, kernel.space.target, tree=tree)
    costs = model.costs(candidates_of(kernel, nest, points, plans))
    for at, plan in enumerate(plans):
        wanted = figures_of(plan, kernel.space.target, nest)
        assert wanted is not None
        context = f"{nest.id} of {points[at]}"
        found = (costs.cycles[at], costs.interval[at], costs.depth[at], costs.dsp[at])
        late = any(b.copies > 1 and b.nests == (nest.id,) for b in points[at].buffers)
        if late and not nest.nest.rectangular:  # a bound, as tiles beside their transfers are not alike
            assert found[0] <= wanted.cycles, context
            found = (wanted.cycles, *found[1:])
        assert found == (wanted.cycles, wanted.interval, wanted.depth, wanted.dsp), context
        areas = (costs.lut[at], costs.ff[at])
        assert areas == pytest.approx((wanted.lut, wanted.ff)), context
        assert {kind: n[at] for kind, n in costs.cores.items() if n[at]} == wanted.cores, context


def many(kernel: Kernel, nest: NestSpace, count: int) -> Candidates:
    """Any candidates, most of them bad."""
    rng = np.random.default_rng(0)
    loops = [loop.iterator for loop in nest.loops]
    orders = tuple(legal_orders(nest.nest))
    pipeline = rng.integers(-1, len(loops), count)
    tiles = {}
    for at, loop in enumerate(nest.loops):
        free = np.array([(t.level0, t.level1, t.level2) for t in loop.tiles])
        flat = free[free[:, 1] == 1]
        mine, others = free[rng.integers(0, len(free), count)], flat[rng.integers(0, len(flat), count)]
        chosen = np.where((pipeline == at)[:, None], mine, others)
        tiles[loop.iterator] = (chosen[:, 0], chosen[:, 1], chosen[:, 2])
    extents = {use.array: kernel.scop.array(use.array).extents for use in nest.arrays}
    places = {a: rng.integers(-1, len(loops), count) for a in extents}
    numbers = Numbers(
        tiles=tiles,
        places={a: {loop: found == at for at, loop in enumerate(loops)} for a, found in places.items()},
        around={},
        loads={a: np.ones(count, np.bool_) for a in extents},
        factors={a: tuple(rng.choice([1, 2, 4, e], count) for e in found) for a, found in extents.items()},
        widths={a: rng.choice([1, 2, 4], count) for a in extents},
    )
    return Candidates(numbers, orders, rng.integers(0, len(orders), count), pipeline)


@pytest.mark.parametrize("name", ["gemm", "triangle", "stencil"])
def test_candidates_cost_alone_what_they_cost_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of(built(name), TARGET)
    nest = kernel.space.nests[-1]
    candidates = many(kernel, nest, 40)
    together = NestModel(kernel.scop, nest, TARGET).costs(candidates)
    monkeypatch.setattr(nest_model, "FEW", 40)
    monkeypatch.setattr(nest_model, "_WRITTEN", WeakKeyDictionary())
    alone = NestModel(kernel.scop, nest, TARGET).costs(candidates)
    for column in ("cycles", "interval", "depth", "dsp", "lut", "ff"):
        assert getattr(alone, column).tolist() == getattr(together, column).tolist(), column
    assert {kind: n.tolist() for kind, n in alone.cores.items() if n.any()} == {
        kind: n.tolist() for kind, n in together.cores.items() if n.any()
    }


@pytest.mark.parametrize("name", ["gemm", "triangle", "stencil"])
def test_many_candidates_are_counted_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of(built(name), TARGET)
    nest, found = kernel.space.nests[-1], []
    for count in (1_000, 20_000):
        monkeypatch.setattr(nest_model, "_WRITTEN", WeakKeyDictionary())
        found.append(calls_of(kernel, nest, many(kernel, nest, count)))
    few, lots = found
    assert lots < 3 * few


def test_formulas_are_written_down_once_for_all_spaces_of_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for each way in which arrays lie in memory, and each table of operators."""
    kernel = kernel_of(built("gemm"), TARGET)
    nest, written = kernel.space.nests[-1], list[NestModel]()
    own = NestModel._program
    monkeypatch.setattr(NestModel, "_program", lambda self, *asked: (written.append(self), own(self, *asked))[1])
    candidates = many(kernel, nest, 40)
    first, fewer_tiles = NestModel(kernel.scop, nest, TARGET), replace(nest, loops=nest.loops)
    costs = first.costs(candidates)
    again = NestModel(kernel.scop, fewer_tiles, replace(TARGET, device=TARGET.device)).costs(candidates)
    assert written and {*map(id, written)} == {id(first)}
    assert again.cycles.tolist() == costs.cycles.tolist()
    turned = replace(nest, arrays=tuple(replace(use, layout=COLUMNS) for use in nest.arrays))
    fabric = replace(TARGET, operators=replace(TARGET.operators, adders="fabric"))
    for other in (NestModel(kernel.scop, turned, TARGET), NestModel(kernel.scop, nest, fabric)):
        written.clear()
        other.costs(candidates)
        assert {*map(id, written)} == {id(other)}


def calls_of(kernel: Kernel, nest: NestSpace, candidates: Candidates) -> int:
    """How many functions of Python run while candidates are costed: next to nothing of it may be for each of them."""
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    model = NestModel(kernel.scop, nest, TARGET)
    sys.setprofile(note)
    try:
        costs = model.costs(candidates)
    finally:
        sys.setprofile(None)
    assert (costs.cycles > 0).all()
    return calls


def test_no_candidates_no_costs() -> None:
    kernel = kernel_of(built("gemm"), TARGET)
    nest = kernel.space.nests[1]
    costs = NestModel(kernel.scop, nest, TARGET).costs(many(kernel, nest, 0))
    assert len(costs.cycles) == len(costs.dsp) == 0


VIEWED = {
    "factorization": (
        """
        for i in range(12):
            for j in range(i, 12):
                for k in range(i):
                    A[i, j] -= A[i, k] * A[k, j]
            S[i] = A[i, i]
        """,
        {"A": (12, 12), "S": (12,)},
    ),
    "row by row": (
        """
        for k in range(6):
            for i in range(6):
                for j in range(6):
                    A[i, j] = fmin(A[i, j], A[i, k] + A[k, j])
        """,
        {"A": (6, 6)},
    ),
    "two rows": (
        """
        for i in range(10):
            for j in range(10):
                for k in range(8):
                    C[i, j] += A[i, k] * A[j, k] * B[i, k] * B[j, k]
        """,
        {"A": (10, 8), "B": (10, 8), "C": (10, 10)},
    ),
}


@pytest.mark.parametrize("name", VIEWED)
def test_transfers_of_views_take_turns_as_in_their_plans(name: str) -> None:
    text, extents = VIEWED[name]
    kernel = kernel_of(build_scop(text, **extents), TARGET, views=True)
    assert any(a.view_of for a in kernel.scop.arrays)
    points = list(random_points(kernel.space, POINTS // 2))
    plans = [kernel.plan(point) for point in points]
    for nest in kernel.space.nests:
        compare(kernel, nest, points, plans, tree=False)
