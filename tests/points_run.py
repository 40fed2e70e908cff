"""Random points of a form of a kernel, each run beside it."""

from __future__ import annotations

import random

from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import Scop
from sisyphus.plan import build_plan


def differences_of_points(found: Scop, *, seed: int, points: int) -> list[str]:
    """Elements that designs at so many random points leave with other values than the kernel does."""
    distribution, live = distribute(found, dependences(found)), liveness(found)
    rng, memory = random.Random(seed), some_memory(found)
    wanted, wrong = run_source(found, memory), list[str]()
    for _ in range(points):
        plan = build_plan(found, distribution, live, random_point(rng, found, distribution))
        wrong += differences(found, wanted, run_plan(plan, memory))
    return wrong
