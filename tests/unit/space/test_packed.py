"""Which arrays have tiles that can be packed whatever the tiles are, against building random points."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from random_kernels import random_kernel, random_point
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId, Scop
from sisyphus.model.facts.moves import move_of
from sisyphus.plan import build_plan
from sisyphus.space import KERNEL_PLACE, PACKED, PADDED, Options, Space, TransferPoint, apply_fixes, build_space
from sisyphus.target import load_device, make_target


def space_of(kernel: Scop, options: Options | None = None, onchip_bytes: int = 64) -> Space:
    """With so little memory on chip that the search counts tiles as packed."""
    found = dependences(kernel)
    target = make_target(load_device("u200"), onchip_bytes=onchip_bytes)
    return build_space(kernel, found, distribute(kernel, found), liveness(kernel), target, options or Options())


def packed(text: str, **extents: tuple[int, ...]) -> set[str]:
    space = space_of(scop(text, **extents))
    return {array for array in space.used_arrays if space.is_packed(array)}


GEMM = """
for i in range(20):
    for j in range(22):
        C[i, j] *= 2
        for k in range(24):
            C[i, j] += A[i, k] * B[k, j]
"""
SIZES = {"C": (20, 22), "A": (20, 24), "B": (24, 22)}


def test_no_tiles_are_packed_where_all_arrays_have_room() -> None:
    space = space_of(scop(GEMM, **SIZES), onchip_bytes=1_000_000)
    assert not any(space.is_packed(array) for array in space.used_arrays)


@pytest.mark.parametrize(
    ("text", "extents", "found"),
    [
        (GEMM, SIZES, {"A", "B"}),  # two nests have tiles of C
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[j, i]", (8, 8), {"A", "B"}),
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[i, j + 1]", (8, 9), {"B"}),
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[i, j] + A[i, j + 1]", (8, 9), {"B"}),
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[i + j, 3]", (15, 9), {"B"}),
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[7 - i, j]", (8, 9), {"B"}),
        ("for i in range(1, 8):\n    for j in range(8):\n        B[i, j] = A[j, i]", (8, 9), set()),
        ("for i in range(8):\n    for j in range(8):\n        B[i, j] = A[i, j] * A[j, i]", (8, 8), {"A", "B"}),
        ("for i in range(8):\n    for j in range(8):\n        B[i, 2 * j] = A[i, i]", (8, 16), {"A"}),
    ],
)
def test_tiles_of_one_nest_by_single_loops(
    text: str, extents: tuple[int, ...] | dict[str, tuple[int, ...]], found: set[str]
) -> None:
    assert packed(text, **(extents if isinstance(extents, dict) else {"A": extents, "B": extents})) == found


def test_not_in_the_paper() -> None:
    space = space_of(scop(GEMM, **SIZES), Options().as_in_paper())
    assert not any(use.packed for nest in space.nests for use in nest.arrays)
    with pytest.raises(UsageError, match="cannot lie in memory as `packed`"):
        apply_fixes(space, ["A.layout=packed"])


def test_a_layout_is_as_it_is_fixed() -> None:
    space = space_of(scop(GEMM, **SIZES))
    fixed = apply_fixes(space, ["C.layout=packed", "A.layout=plain"])
    assert [fixed.is_packed(ArrayId(name)) for name in "CAB"] == [True, False, True]
    assert fixed.widths[ArrayId("C")] == space.widths[ArrayId("C")]
    assert dict(fixed.layouts) == {"C": "packed", "A": "plain"}


@settings(derandomize=True, max_examples=75, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_any_tiles_of_such_arrays_can_be_packed(seed: int) -> None:
    """Each with any beat; a plan that cannot have them is refused."""
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    space, distribution = space_of(kernel), distribute(kernel, dependences(kernel))
    point = random_point(rng, kernel, distribution)
    mine = [b for b in point.buffers if b.place != KERNEL_PLACE and space.is_packed(b.array)]
    held = {b.id for b in mine}
    moved = tuple(TransferPoint(b.id, rng.choice((1, 2, 4, 8)), layout=PACKED) for b in mine)
    others = tuple(t for t in point.transfers if t.buffer not in held)
    plan = build_plan(kernel, distribution, liveness(kernel), replace(point, transfers=(*others, *moved)))
    layouts = {port.name: port.layout for port in plan.ports}
    travelling = {plan.buffer(t.buffer).array for t in plan.transfers}
    assert all(layouts[b.array] == PACKED for b in mine if b.array in travelling)
    assert PADDED not in {layouts[b.array] for b in mine}


@pytest.mark.parametrize("fixes", [[], ["A.layout=packed"]])
def test_tiles_of_whole_rows_need_no_packing(fixes: list[str]) -> None:
    space, seen = apply_fixes(space_of(scop(GEMM, **SIZES)), fixes), set[tuple[bool, str]]()
    for point in random_points(space, 40, seed=2):
        plan = build_plan(space.scop, space.distribution, space.live, point)
        for buffer in (b for b in point.buffers if b.array in "AB" and b.place != KERNEL_PLACE):
            [load] = [t for t in plan.transfers if plan.buffer(t.buffer).array == buffer.array]
            rows = plan.buffer(load.buffer).extents[1] == SIZES[buffer.array][1]
            layout = plan.port_of(load).layout
            assert (layout == PACKED) == (not rows or (buffer.array == "A" and bool(fixes)))
            assert move_of(plan, load).bursts == 1
            seen.add((rows, buffer.array))
    assert len(seen) == 4
