"""A search for measured designs is told what tiles bring that no report shows, as plans tell it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from model_candidates import candidates_of, kernel_of
from model_kernels import built
from random_kernels import random_point

from sisyphus.model import NestModel, estimate
from sisyphus.model.nest_model import FOR_EVER
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
BROUGHT_BY_TILES = {
    *("update-at-short-distance", "transfer-by-rows", "body-not-pipelined", "two-loops-in-one-subscript"),
    "restarts-in-moving-bounds",
}


@pytest.mark.parametrize("name", ["gemm", "stencil", "triangle", "upper triangle"])
def test_what_no_report_shows_takes_for_ever(name: str) -> None:
    rng, scop = random.Random(name), built(name)
    kernel = kernel_of(scop, TARGET)
    points = [random_point(rng, scop, kernel.distribution, ragged=n % 2 == 0, tree_reduction=False) for n in range(30)]
    plans = [kernel.plan(point) for point in points]
    seen = set[bool]()
    for nest in kernel.space.nests:
        candidates = candidates_of(kernel, nest, points, plans)
        plain = NestModel(kernel.scop, nest, TARGET).costs(candidates).cycles
        trusted = NestModel(kernel.scop, nest, TARGET, trusted=True).costs(candidates).cycles
        for at, plan in enumerate(plans):
            found = estimate(plan, TARGET).constructs
            [task] = [t for t in plan.tasks if t.nest == nest.id]
            constructs = {c for owner in (task.name, *task.copies) for c in found[owner]}
            inferred = bool(BROUGHT_BY_TILES & constructs)
            assert trusted[at] == (FOR_EVER if inferred else plain[at]), points[at]
            seen.add(inferred)
    assert seen == {True, False} and np.iinfo(np.int64).max > 1000 * FOR_EVER
