"""No design that is returned exceeds a budget by the full model's own count: random kernels, boards and budgets."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from pathlib import Path

import pytest

from sisyphus.errors import NoDesignError, TimeUp
from sisyphus.pipeline import Design, Request, Source, optimize
from sisyphus.solve import Limits
from sisyphus.target import KINDS, Target, load_device, make_target

#: Share of the cost that may be left to a proof, and counted work: no search depends on how busy the machine is.
GAP, EFFORT = 0.85, 1.0
DRAWS = 9
KERNELS = Path(__file__).parents[2] / "kernels" / "polybench"
NAMES = ("gemm", "2mm", "atax", "bicg", "mvt", "gesummv", "syrk", "trmm", "jacobi-2d", "doitgen", "covariance")
BOARDS = ("u200", "u50", "vck190", "zcu104", "kv260", "pynq-z2")


def draw(seed: int) -> tuple[str, Target]:
    rng = random.Random(seed)
    device = load_device(rng.choice(BOARDS))
    target = make_target(
        device,
        dsp=int(device.dsp * rng.choice([0.02, 0.1, 0.5, 1])),
        lut=int(device.lut * rng.choice([0.1, 0.3, 1])),
        bram18k=int(device.bram18k * rng.choice([0.05, 0.3, 1])),
        onchip_bytes=rng.choice([4_000, 40_000, 10_000_000]),
        max_partition=rng.choice([16, 128, 1024]),
    )
    return rng.choice(NAMES), target


@cache
def design_of(seed: int) -> Design | None:
    kernel, target = draw(seed)
    sizes = tomllib.loads((KERNELS / "sizes.toml").read_text())[kernel]["MINI"]
    source = Source(str(KERNELS / f"{kernel}.c"), defines=tuple(f"{k}={max(3, v // 2)}" for k, v in sizes.items()))
    try:
        return optimize(Request(source, target, limits=Limits(gap=GAP, effort=EFFORT), verify=False))
    except (NoDesignError, TimeUp):
        return None


@pytest.mark.parametrize("seed", range(DRAWS))
def test_a_returned_design_is_inside_every_budget(seed: int) -> None:
    kernel, target = draw(seed)
    design = design_of(seed)
    if design is not None:
        for kind in KINDS:
            assert getattr(design.estimate, kind.name) <= getattr(target.budget, kind.name), (kernel, kind.name)


def test_most_draws_have_a_design() -> None:
    assert sum(design_of(seed) is not None for seed in range(0, DRAWS, 3)) >= 3
