"""Forms with copies of what the kernel was given: one for all orders of the loops, where all arrays fit on chip."""

from __future__ import annotations

import random
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from random_kernels import random_point

from sisyphus.analysis import LoopKind
from sisyphus.asked_forms import form_of
from sisyphus.kernel_forms import load_kernels
from sisyphus.model.bounds.stages import stages
from sisyphus.part_search import PartSearch, cost_of, silent
from sisyphus.parts import Part, Parts
from sisyphus.request import Kernel, Request, Source, space_of
from sisyphus.solve import Limits, Stop
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

TRIANGLE = """
void triangle(float A[12][12], float B[12][10])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 10; j++)
            for (int k = i + 1; k < 12; k++)
                B[i][j] += A[k][i] * B[k][j];
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    path = tmp_path_factory.mktemp("given") / "triangle.c"
    path.write_text(TRIANGLE)
    return load_kernels(Source(str(path)))


def copied(kernels: tuple[Kernel, ...], mem: int | None = None) -> list[Part]:
    """The spaces of forms with copies that are searched, listed tiles and other adders aside."""
    target = make_target(load_device("u200"), budget="chip", onchip_bytes=mem)
    request = Request(Source(str(Path("triangle.c"))), target, Options(), fixes=("adders=dsp",))
    parts = Parts(kernels, request, None, best=lambda: None)
    return [part for part in parts if part.kernel.copied and not part.options.listed]


def kinds(kernel: Kernel) -> set[LoopKind]:
    return {loop.kind for nest in kernel.distribution.nests for loop in nest.band}


def test_orders_of_free_loops_are_one_form(kernels: tuple[Kernel, ...]) -> None:
    assert [kernel.name for kernel in kernels][:2] == ["source", "outer-k"]
    [part] = copied(kernels)
    assert LoopKind.SEQUENTIAL not in kinds(part.kernel)
    assert all(LoopKind.SEQUENTIAL in kinds(kernel) for kernel in kernels[:2])


def test_where_not_all_arrays_fit_copies_may_be_filled_later(kernels: tuple[Kernel, ...]) -> None:
    parts = copied(kernels, mem=1100)
    assert parts and all(LoopKind.SEQUENTIAL in kinds(part.kernel) for part in parts)


def test_a_saved_design_is_of_the_form_that_its_copies_allow(kernels: tuple[Kernel, ...]) -> None:
    [part] = copied(kernels)
    drawn = random_point(random.Random(1), part.kernel.scop, part.kernel.distribution)
    point = part.kernel.point(drawn)
    free = form_of(kernels, point)
    assert free is not None and LoopKind.SEQUENTIAL not in kinds(free)
    later = tuple(replace(b, place="i") if b.array == "B_1" else b for b in point.buffers)
    held = form_of(kernels, replace(point, buffers=later))
    assert held is not None and LoopKind.SEQUENTIAL in kinds(held)


def test_a_copy_is_loaded_and_never_stored(kernels: tuple[Kernel, ...]) -> None:
    """A search that counted a store of it told designs as the best that were not."""
    [part] = copied(kernels)
    target = make_target(load_device("u200"), budget="chip")
    space = space_of(part.kernel, Request(Source("triangle.c"), target, part.options))
    steps = stages(space, frozenset(space.used_arrays))
    assert sorted(array for step in steps for array in step.loads) == ["A", "B", "B_1"]
    assert [array for step in steps for array in step.stores] == ["B"]


def test_what_is_found_is_found_below_any_bound(kernels: tuple[Kernel, ...]) -> None:
    target = make_target(load_device("u200"), budget="chip")
    request = Request(Source("triangle.c"), target, limits=Limits(60.0), fixes=("adders=dsp",))
    [part] = copied(kernels)

    def below(upper: float) -> float:
        answer = PartSearch(part, replace(request, options=part.options), silent, None, improve=False).answer(
            request.limits, upper
        )
        assert answer.stop is Stop.PROVED and answer.choice is not None
        return cost_of(answer.choice, request)

    best = below(inf)
    assert below(best + 1) == best
