"""Plans with views of one memory: random good ones pass and compute the same, stale values between views are found."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import spoil
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import Memory, differences, run_plan, run_source, some_memory
from random_kernels import random_kernel, random_point

from sisyphus.analysis import (
    Dependences,
    Distribution,
    Viewed,
    dependences,
    distribute,
    liveness,
    with_copies,
    with_views,
)
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Copy, Plan, build_plan, check_point, dump
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.verification.proof import prove

ROWS = """
for k in range(5):
    for i in range(5):
        for j in range(5):
            A[i, j] = fmin(A[i, j], A[i, k] + A[k, j])
"""


def form(kernel: Scop) -> tuple[Viewed | None, Distribution, Dependences]:
    found = dependences(kernel)
    distribution = distribute(kernel, found)
    return with_views(kernel, distribution), distribution, found


def copied(kernel: Scop) -> tuple[Viewed | None, Distribution, Dependences]:
    found = dependences(kernel)
    distribution = distribute(kernel, found)
    return with_copies(kernel, distribution), distribution, found


def as_run(kernel: Scop, plan: Plan, memory: Memory) -> list[str]:
    """What memory holds otherwise than after the source."""
    return differences(kernel, run_source(kernel, memory), run_plan(plan, memory))


@settings(derandomize=True, max_examples=30, deadline=None, database=None)
@given(st.integers(0, 10**6), st.sampled_from([form, copied]))
def test_random_plans_with_views_pass_and_compute_the_same(
    seed: int, make: Callable[[Scop], tuple[Viewed | None, Distribution, Dependences]]
) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    viewed, distribution, found = make(kernel)
    if viewed is None:
        return
    point = random_point(rng, viewed.scop, distribution)
    check_point(viewed.scop, distribution, point)
    plan = build_plan(viewed.scop, distribution, liveness(viewed.scop), point)
    context = f"{kernel.origin.text}\n{dump(plan)}"
    assert as_run(kernel, plan, some_memory(kernel, seed)) == [], context
    assert prove(plan, found, liveness(kernel)).failures == (), context


def paths(*, places: tuple[str, str] = ("i", "i")) -> tuple[Scop, Viewed, Distribution, DesignPoint]:
    """All-pairs shortest paths with row i and row k in buffers of their own."""
    kernel = scop(ROWS, A=(5, 5))
    viewed, distribution, _ = form(kernel)
    assert viewed is not None
    statement = kernel.statements[0].id
    tiles = (("k", Tile(5, 1, 1)), ("i", Tile(5, 1, 1)), ("j", Tile(1, 5, 1)))
    nest = NestPoint((statement,), ("k", "i", "j"), tiles, "j")
    buffers = (
        BufferPoint(ArrayId("A_1"), (nest.id,), places[0], (1, 1)),
        BufferPoint(ArrayId("A_2"), (nest.id,), places[1], (1, 1)),
    )
    return kernel, viewed, distribution, DesignPoint("built", (nest,), buffers)


def plan_of(viewed: Viewed, distribution: Distribution, point: DesignPoint) -> Plan:
    return build_plan(viewed.scop, distribution, liveness(viewed.scop), point)


def test_a_value_that_passes_from_one_view_to_another_too_late_is_found() -> None:
    """Row k is loaded once for all i: the row that the iteration i = k writes is then out of date."""
    kernel, viewed, distribution, point = paths()
    plan, deps = plan_of(viewed, distribution, point), dependences(kernel)
    assert prove(plan, deps).passed and as_run(kernel, plan, some_memory(kernel)) == []
    moved = tuple(replace(b, place="k") if b.id == "buf_A_2_S0" else b for b in plan.buffers)
    stale = spoil.everywhere(replace(plan, buffers=moved), lambda n: hoisted(n, "k0", "load_A_2_S0"))
    assert as_run(kernel, stale, some_memory(kernel)) != []
    verdict = prove(stale, deps)
    assert any("`buf_A_2_S0` holds another value" in check.detail for check in verdict.failures)


def hoisted(node: object, loop: str, transfer: str) -> tuple[object, ...] | None:
    """A copy further in moved to the start of a loop's body (the loop is visited after what is in it)."""
    if node == Copy(transfer):
        return ()
    if getattr(node, "iterator", None) == loop:
        return (replace(node, body=(Copy(transfer), *node.body)),)  # type: ignore[type-var, attr-defined]
    return None


def test_a_lost_store_of_a_view_is_found() -> None:
    kernel, viewed, distribution, point = paths()
    plan = plan_of(viewed, distribution, point)
    lost = spoil.everywhere(plan, lambda n: () if n == Copy("store_A_1_S0") else None)
    assert any("data of A" in check.name for check in prove(lost, dependences(kernel)).failures)


def test_a_store_beside_what_another_view_wrote_is_found() -> None:
    """A view stored once more after its time puts old values back."""
    kernel, viewed, distribution, point = paths()
    plan = plan_of(viewed, distribution, point)

    def again(node: object) -> tuple[object, ...] | None:
        return (Copy("store_A_1_S0"), node) if node == Copy("load_A_1_S0") else None

    wrong = spoil.everywhere(plan, again)  # type: ignore[arg-type]
    assert not prove(wrong, dependences(kernel)).passed


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (("i", "k"), "buffer `A_2@S0`: loop `i` must be outside of its transfers"),
        (("kernel", "i"), "buffer `A_1`: a view of `A` cannot be at `kernel`"),
    ],
)
def test_places_at_which_values_would_pass_are_refused(places: tuple[str, str], words: str) -> None:
    _, viewed, distribution, point = paths(places=places)
    with pytest.raises(KernelError, match=words):
        check_point(viewed.scop, distribution, point)


def test_tiles_in_which_values_would_pass_are_refused() -> None:
    _, viewed, distribution, point = paths()
    nest = replace(
        point.nests[0], tiles=(("k", Tile(5, 1, 1)), ("i", Tile(3, 2, 1)), ("j", Tile(5, 1, 1))), pipeline="i"
    )
    with pytest.raises(KernelError, match="tiles of loop `i` must have one iteration"):
        check_point(viewed.scop, distribution, replace(point, nests=(nest,)))


def test_views_of_one_array_lie_in_memory_in_one_way() -> None:
    _, viewed, distribution, point = paths()
    wide = replace(
        point,
        transfers=(TransferPoint("A_1@S0", 16, layout="padded"), TransferPoint("A_2@S0", 1, layout="plain")),
    )
    with pytest.raises(KernelError, match="`A` lies in memory in one layout"):
        check_point(viewed.scop, distribution, wide)


SCALED = """
for i in range(6):
    for j in range(4):
        B[i, j] = B[i, j] * a
for i in range(6):
    for j in range(4):
        for k in range(i + 1, 6):
            B[i, j] += A[k, i] * B[k, j]
"""


def scaled() -> tuple[Plan, Dependences]:
    """B is scaled on chip, stored, loaded into the copy, and updated from there."""
    kernel = scop(SCALED, A=(6, 6), B=(6, 4))
    viewed, distribution, found = copied(kernel)
    assert viewed is not None
    first, second = (nest.id for nest in distribution.nests)
    one = NestPoint((kernel.statements[0].id,), ("i", "j"), (("i", Tile(6, 1, 1)), ("j", Tile(1, 4, 1))), "j")
    tiles = (("i", Tile(5, 1, 1)), ("j", Tile(1, 4, 1)), ("k", Tile(5, 1, 1)))
    two = NestPoint((kernel.statements[1].id,), ("i", "k", "j"), tiles, "j")
    buffers = (
        BufferPoint(ArrayId("B"), (first, second), "kernel", (1, 1)),
        BufferPoint(ArrayId("A"), (second,), "kernel", (1, 1)),
        BufferPoint(ArrayId("B_1"), (second,), "kernel", (1, 1)),
    )
    point = DesignPoint("built", (one, two), buffers)
    check_point(viewed.scop, distribution, point)
    plan = build_plan(viewed.scop, distribution, liveness(viewed.scop), point)
    memory = some_memory(kernel, 3)
    assert as_run(kernel, plan, memory) == []
    return plan, found


def test_a_copy_is_filled_with_what_was_computed_before() -> None:
    plan, found = scaled()
    body = [node.transfer for node in plan.body if isinstance(node, Copy)]
    assert body.index("store_B") < body.index("load_B_1")
    assert prove(plan, found).passed


def test_a_stale_copy_is_found() -> None:
    plan, found = scaled()
    early = next(at for at, node in enumerate(plan.body) if node == Copy("store_B"))
    stale = replace(plan, body=(*plan.body[:early], *plan.body[early + 1 :]))
    [fault] = [check for check in prove(stale, found).checks if not check.passed]
    assert "reads `B_1[" in str(fault) or "reads `B[" in str(fault)
