"""The hand-written design points in tests/points, each with the kernel it is for at the size MINI of PolyBench.

A file is called KERNEL-WHAT.json, KERNEL being a file in kernels/polybench.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sisyphus.analysis import Dependences, Distribution, Live, dependences, distribute, liveness
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Plan, build_plan
from sisyphus.space import DesignPoint

POINTS = Path(__file__).parent / "points"
KERNELS = Path(__file__).parent.parent / "kernels" / "polybench"
ALL = tuple(sorted(path.stem for path in POINTS.glob("*.json")))


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel with a design point, and the plan of it."""

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    live: dict[ArrayId, Live]
    point: DesignPoint
    plan: Plan


@cache
def case(name: str) -> Case:
    """The design point of a file by its name without `.json`."""
    path = POINTS / f"{name}.json"
    point = DesignPoint.from_json(json.loads(path.read_text()))
    kernel = name.split("-")[0]
    sizes = tomllib.loads((KERNELS / "sizes.toml").read_text())[kernel]["MINI"]
    scop = read(KERNELS / f"{kernel}.c", defines=[f"{name}={value}" for name, value in sizes.items()])
    deps = dependences(scop)
    distribution, live = distribute(scop, deps), liveness(scop)
    return Case(scop, deps, distribution, live, point, build_plan(scop, distribution, live, point))
