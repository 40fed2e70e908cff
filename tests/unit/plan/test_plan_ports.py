"""The arguments of a plan: one for each array, several where it is dealt, one more for a copy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from plain_points import pipelined_point
from plan_points import buffer, nest, planned

from sisyphus.analysis import dependences, distribute, liveness, with_copies, with_views
from sisyphus.errors import InternalError, KernelError
from sisyphus.ir import ArrayId
from sisyphus.plan import build_plan
from sisyphus.space import KERNEL_PLACE, DesignPoint, Tile, TransferPoint, port_names


def test_a_copy_that_is_given_the_same_data_has_a_port_behind_its_array() -> None:
    text = """
for i in range(6):
    for j in range(4):
        for k in range(i + 1, 6):
            C[i, j] += A[k, i] * C[k, j]
        C[i, j] *= alpha
"""
    built = scop(text, A=(6, 6), C=(6, 4))
    found = with_copies(built, distribute(built, dependences(built)))
    assert found is not None
    distribution = distribute(built, dependences(built))
    plan = build_plan(found.scop, distribution, found.live(liveness(built)), pipelined_point(found.scop, distribution))
    ports = [(port.name, port.copies) for port in plan.ports if port.kind == "array"]
    assert ports == [("A", None), ("C", None), ("C_1", "C")]


def test_all_buffers_of_an_array_travel_through_as_many_ports() -> None:
    built = scop("for i in range(8):\n  B[i] = A[i] * c\nfor i in range(8):\n  D[i] = A[i] * c", A=(8,), B=(8,), D=(8,))
    tiles = (nest("S0", "i", "i", i=(1, 8, 1)), nest("S1", "i", "i", i=(2, 4, 1)))
    outs = (buffer("B", "S0", KERNEL_PLACE, 4), buffer("D", "S1", KERNEL_PLACE, 4))
    dealt = (TransferPoint("A", 4, port_names(ArrayId("A"), 2)),)
    one = DesignPoint("built", tiles, (*outs, buffer("A", "S0 S1", KERNEL_PLACE, 4)), dealt)
    assert [p.stripes for p in planned(built, one).ports if p.name == "A"] == [2]
    two = replace(one, buffers=(*outs, buffer("A", "S0", KERNEL_PLACE, 4), buffer("A", "S1", "i", 4)))
    with pytest.raises(KernelError, match="all buffers of `A` travel through as many ports"):
        planned(built, two)
    both = replace(two, transfers=tuple(replace(dealt[0], buffer=b) for b in ("A", "A@S1")))
    plan = planned(built, both)
    assert [p.stripes for p in plan.ports if p.name == "A"] == [2]
    assert [plan.stripes_of(b) for b in plan.buffers if b.array == "A"] == [2, 2]


def tile(width: int, size: int, copies: int) -> DesignPoint:
    """Sums over tiles of `size` columns of A, which travel over two ports."""
    tiles = nest("S0", "ij", "j", i=(4, 1, 1), j=(64 // size, size // copies, copies))
    outs = (buffer("B", "S0", KERNEL_PLACE, 1),)
    moved = (TransferPoint("A@S0", width, port_names(ArrayId("A"), 2)),)
    return DesignPoint("built", (tiles,), (*outs, buffer("A", "S0", "j", 1, copies)), moved)


def test_tiles_keep_to_whole_stripes() -> None:
    """A part of a tile begins in its stripe where the tile begins in the array; one that does not is refused."""
    built = scop("for i in range(4):\n  for j in range(64):\n    B[i] += A[i, j]", A=(4, 64), B=(4,))
    [held] = [b for b in planned(built, tile(8, 16, 4)).buffers if b.array == "A"]
    part = held.of_one_stripe(2)
    assert (held.extents, part.extents, part.partition) == ((1, 16), (1, 8), (1, 2))
    assert [str(o) for o in part.origin] == ["i0", "8*j0"]
    with pytest.raises(KernelError, match="is dealt over 2 ports, but its rows are in 1 banks"):
        planned(built, tile(8, 16, 1))
    [own] = tile(8, 16, 4).nests
    ragged = tile(8, 16, 4).with_nest(replace(own, tiles=(own.tiles[0], ("j", Tile(2, 16, 3)))))
    with pytest.raises(KernelError, match="unrolled loops do not keep to the 2 stripes"):
        planned(built, ragged)


def test_a_part_of_a_buffer_begins_with_its_stripe() -> None:
    built = scop("for i in range(4):\n  for j in range(64):\n    B[i] += A[i, j]", A=(4, 64), B=(4,))
    [held] = [b for b in planned(built, tile(8, 16, 4)).buffers if b.array == "A"]
    with pytest.raises(InternalError, match="does not begin with the first of 2 stripes"):
        replace(held, origin=(held.origin[0], held.origin[1] + 1)).of_one_stripe(2)


def test_views_have_one_port() -> None:
    text = "for i in range(4):\n  for j in range(64):\n    B[i, j] = A[i, j] + A[i, i]"
    built = scop(text, A=(64, 64), B=(4, 64))
    found = with_views(built, distribute(built, dependences(built)))
    assert found is not None
    point = pipelined_point(found.scop, distribute(built, dependences(built)))
    views = [buffer(b.array, "S0", "i", 1, 4) for b in point.buffers if found.scop.home(b.array) == "A"]
    point = replace(point, buffers=(*(b for b in point.buffers if b.array == "B"), *views))
    moved = tuple(TransferPoint(b.id, 8, port_names(b.array, 2)) for b in views)
    with pytest.raises(KernelError, match="an array that nests use through views has one port"):
        planned(found.scop, replace(point, transfers=moved))
