"""Random points of a form of a kernel, each run beside it."""

from __future__ import annotations

import random
from pathlib import Path

from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.asked_forms import form_of
from sisyphus.ir import Scop
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.plan import build_plan
from sisyphus.request import Kernel, Source
from sisyphus.space import DesignPoint


def differences_of_points(found: Scop, *, seed: int, points: int) -> list[str]:
    """Elements that designs at so many random points leave with other values than the kernel does."""
    distribution, live = distribute(found, dependences(found)), liveness(found)
    rng, memory = random.Random(seed), some_memory(found)
    wanted, wrong = run_source(found, memory), list[str]()
    for _ in range(points):
        plan = build_plan(found, distribution, live, random_point(rng, found, distribution))
        wrong += differences(found, wanted, run_plan(plan, memory))
    return wrong


def form_to_keep(path: Path, name: str, *, seed: int) -> Kernel:
    """The form of a kernel that has a name: designs of it compute what it does, and its words build it again."""
    forms = load_kernels(Source(str(path)))
    [found] = [form for form in forms if form.name == name]
    assert differences_of_points(found.scop, seed=seed, points=2) == []
    again = form_of(forms[:1], DesignPoint(found.scop.name, (), (), rewrites=found.rewrites))
    assert again is not None and dump(again.scop) == dump(found.scop)
    return found
