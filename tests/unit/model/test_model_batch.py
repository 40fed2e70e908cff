"""Arrays of candidates cost what the plans of the same points cost, and do so fast."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from builders import scop as build_scop
from model_candidates import Kernel, candidates_of, figures_of, kernel_of
from random_kernels import random_point

from sisyphus.analysis import legal_orders
from sisyphus.ir import ArrayId, Scop
from sisyphus.model import Candidates, NestModel, bank_costs, estimate, whole_transfer
from sisyphus.model.algebra import VECTOR
from sisyphus.model.rules import VITIS_2023_2
from sisyphus.model.schedule import Setting
from sisyphus.space import DesignPoint, NestSpace
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"))
POINTS = 100

KERNELS = {
    "gemm": (
        """
        for i in range(20):
            for j in range(24):
                C[i, j] = C[i, j] * beta
        for i in range(20):
            for k in range(18):
                for j in range(24):
                    C[i, j] += alpha * A[i, k] * B[k, j]
        """,
        {"C": (20, 24), "A": (20, 18), "B": (18, 24)},
    ),
    "two products": (
        """
        for i in range(12):
            for j in range(16):
                for k in range(10):
                    E[i, j] += A[i, k] * B[k, j]
        for i in range(12):
            for j in range(14):
                for k in range(16):
                    F[i, j] += E[i, k] * D[k, j]
        """,
        {"A": (12, 10), "B": (10, 16), "D": (16, 14), "E": (12, 16), "F": (12, 14)},
    ),
    "atax": (
        """
        for i in range(30):
            for j in range(20):
                T[i] += A[i, j] * X[j]
        for i in range(30):
            for j in range(20):
                Y[j] += A[i, j] * T[i]
        """,
        {"A": (30, 20), "X": (20,), "T": (30,), "Y": (20,)},
    ),
    "triangle": (
        """
        for i in range(24):
            for j in range(i + 1):
                C[i, j] = C[i, j] * beta
        for i in range(24):
            for j in range(i + 1):
                for k in range(20):
                    C[i, j] += A[i, k] * A[j, k]
        """,
        {"C": (24, 24), "A": (24, 20)},
    ),
    "upper triangle": (
        """
        for i in range(20):
            for j in range(24):
                for k in range(i + 1, 20):
                    B[i, j] += A[k, i] * D[k, j]
        """,
        {"A": (20, 20), "B": (20, 24), "D": (20, 24)},
    ),
    "stencil": (
        """
        for i in range(1, 21):
            for j in range(1, 31):
                B[i, j] = c * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
        """,
        {"A": (22, 32), "B": (22, 32)},
    ),
    "convolution": (
        """
        for y in range(16):
            for x in range(16):
                for p in range(3):
                    for q in range(5):
                        O[y, x] += I[y + p, x + q] * W[p, q]
        """,
        {"O": (16, 16), "I": (18, 20), "W": (3, 5)},
    ),
    "division": (
        """
        for i in range(40):
            for j in range(12):
                Q[i, j] = A[i, j] / R[j] - S[i]
        """,
        {"Q": (40, 12), "A": (40, 12), "R": (12,), "S": (40,)},
    ),
    "recurrence": (
        """
        for i in range(1, 25):
            for j in range(16):
                P[i, j] = P[i - 1, j] * A[i, j] + B[i, j]
        """,
        {"P": (25, 16), "A": (25, 16), "B": (25, 16)},
    ),
    "outer loop": (
        """
        for t in range(6):
            for i in range(1, 29):
                B[i] = A[i - 1] + A[i] + A[i + 1]
            for i in range(1, 29):
                A[i] = B[i - 1] + B[i] + B[i + 1]
        """,
        {"A": (30,), "B": (30,)},
    ),
}


def built(name: str) -> Scop:
    text, extents = KERNELS[name]
    return build_scop(text, **extents)


def has_outer_place(point: DesignPoint, nest: NestSpace) -> bool:
    """A buffer under an outer loop holds a part of its array, which arrays of candidates do not describe."""
    return any(b.place in nest.nest.outer for b in point.buffers)


@pytest.mark.parametrize("name", KERNELS)
def test_candidates_cost_what_their_plans_cost(name: str) -> None:
    rng, scop = random.Random(name), built(name)
    for tree in (False, True):
        kernel = kernel_of(scop, TARGET, tree=tree)
        points = [
            random_point(rng, scop, kernel.distribution, ragged=n % 2 == 0, tree_reduction=tree)
            for n in range(POINTS // 2)
        ]
        for nest in kernel.space.nests:
            compare(kernel, nest, [p for p in points if not has_outer_place(p, nest)], tree=tree)


def compare(kernel: Kernel, nest: NestSpace, points: list[DesignPoint], *, tree: bool) -> None:
    plans = [kernel.plan(point) for point in points]
    model = NestModel(kernel.scop, nest, TARGET, tree=tree)
    costs = model.costs(candidates_of(kernel, nest, points, plans))
    for at, plan in enumerate(plans):
        wanted = figures_of(plan, TARGET, nest)
        assert wanted is not None
        context = f"{nest.id} of {points[at]}"
        found = (costs.cycles[at], costs.interval[at], costs.depth[at], costs.dsp[at])
        assert found == (wanted.cycles, wanted.interval, wanted.depth, wanted.dsp), context
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
    return Candidates(
        tiles=tiles,
        orders=orders,
        order=rng.integers(0, len(orders), count),
        pipeline=pipeline,
        places={a: rng.integers(-1, len(loops), count) for a in extents},
        factors={a: tuple(rng.choice([1, 2, 4, e], count) for e in found) for a, found in extents.items()},
        widths={a: rng.choice([1, 2, 4], count) for a in extents},
    )


@pytest.mark.parametrize("name", ["gemm", "triangle", "stencil"])
def test_a_hundred_thousand_candidates_take_less_than_a_second(name: str) -> None:
    kernel = kernel_of(built(name), TARGET)
    nest = kernel.space.nests[-1]
    model, candidates = NestModel(kernel.scop, nest, TARGET), many(kernel, nest, 100_000)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        costs = model.costs(candidates)
        seconds.append(time.process_time() - start)
    assert (costs.cycles > 0).all()
    assert min(seconds) < 1


def test_no_candidates_no_costs() -> None:
    kernel = kernel_of(built("gemm"), TARGET)
    nest = kernel.space.nests[1]
    costs = NestModel(kernel.scop, nest, TARGET).costs(many(kernel, nest, 0))
    assert len(costs.cycles) == len(costs.dsp) == 0


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
        setting = Setting(VECTOR, VITIS_2023_2, TARGET.operators)
        cycles = whole_transfer(setting, array, factors, np.array([point.width_of(buffer.id)]), is_load=True)
        loads = [t for t in found.terms["cycles"].children[0].children if t.name == "load_A"]
        assert [t.value for t in loads if t.value] in ([], [int(cycles[0])])
        banks = bank_costs(TARGET, 32, array.extents, factors)
        memories = [t for t in found.terms["bram18k"].children if t.name == "memories"]
        mine = [t.value for group in memories for t in group.children if t.name == "buf_A"]
        assert sum(mine) == banks["bram18k"][0]
