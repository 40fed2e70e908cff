"""Deep storage: what it is for each buffer of a plan, and that search and full model count the same blocks."""

from __future__ import annotations

import random

from builders import scop as build_scop
from model_candidates import kernel_of
from random_kernels import random_point
from unit.search.measured_designs import Full, measured_space

from sisyphus.backends.hls import project
from sisyphus.ir import ArrayId
from sisyphus.plan import build_plan
from sisyphus.search import MeasuredCosts, search
from sisyphus.solve import Limits
from sisyphus.space import KERNEL_PLACE, choices, decode, plain_points
from sisyphus.target import load_device, make_target
from sisyphus.values import replace

SUMS = """
for i in range(96):
    for j in range(80):
        C[i, j] += A[i, j] * A[j, i]
"""


def test_banks_of_many_words_are_in_uram_and_others_as_the_tool_has_them() -> None:
    scop, rng, seen = build_scop(SUMS, A=(96, 96), C=(96, 80)), random.Random(1), set[str]()
    kernel = kernel_of(scop, make_target(load_device("u200")))
    for _ in range(20):
        point = random_point(rng, scop, kernel.distribution)
        banks = rng.choice([1, 2, 8])
        deep = (replace(b, storage="deep", partition=(1, banks), place=KERNEL_PLACE, copies=1) for b in point.buffers)
        point = replace(point, buffers=tuple(deep), transfers=())
        plan = build_plan(scop, kernel.distribution, kernel.space.live, point)
        for buffer in plan.buffers:
            assert buffer.storage == ("uram" if buffer.words_per_bank > 4096 else "auto")
            seen.add(buffer.storage)
        asked = sum(buffer.storage == "uram" for buffer in plan.buffers)
        assert project(plan).files["kernel.cpp"].count("impl=uram") == asked
    assert seen == {"auto", "uram"}


def test_search_and_full_model_count_the_same_blocks() -> None:
    """Of whole arrays in few banks: 16 BRAM18 each as the tool has them, which are more than there are."""
    space = measured_space(SUMS, {"A": (96, 96), "C": (96, 80)}, bram18k=40, uram=6, dsp=20)
    assert space.target.memories.storage == "deep"
    full = Full(space)
    found = search(space, MeasuredCosts, "exact", Limits(seconds=30.0), full.judge)
    assert found.point is not None
    told = full(found.point)
    assert 0 < told.uram <= 6 and told.bram18k <= 40
    assert found.outcome.objective is not None and told.cycles <= found.outcome.objective


def test_one_array_may_be_in_uram_and_another_one_in_bram() -> None:
    """18 BRAM18 for one bank of A as the tool has it, 3 blocks of URAM if they are asked for; and so C."""
    space = measured_space(SUMS, {"A": (96, 96), "C": (96, 80)}, bram18k=40, uram=6)
    costs = MeasuredCosts(space)
    beats = costs.beats(ArrayId("A"), costs.states[ArrayId("A")].start)
    deep, auto = (
        {k: b.usage[k] for k in ("bram18k", "uram")}
        for s in ("deep", "auto")
        for b in beats
        if b.storage == s and b.width == 1
    )
    assert (deep["uram"], auto["uram"], auto["bram18k"] - deep["bram18k"]) == (3, 0, 18)
    chosen = choices(space, next(plain_points(space)))
    mixed = decode(space, replace(chosen, storages={ArrayId("C"): "auto"}))
    plan = build_plan(space.scop, space.distribution, space.live, mixed)
    assert {b.array: b.storage for b in plan.buffers} == {"A": "uram", "C": "auto"}
    assert choices(space, mixed).storages == {"C": "auto"}


def test_a_search_has_arrays_in_both_where_neither_holds_them_all() -> None:
    """In URAM alone they take 5 blocks, and in BRAM alone 33 and more."""
    space = measured_space(SUMS, {"A": (96, 96), "C": (96, 80)}, bram18k=24, uram=4, dsp=20, onchip_bytes=200_000)
    full = Full(space)
    found = search(space, MeasuredCosts, "exact", Limits(seconds=30.0), full.judge)
    assert found.point is not None
    told = full(found.point)
    assert 0 < told.uram <= 4 and 0 < told.bram18k <= 24
