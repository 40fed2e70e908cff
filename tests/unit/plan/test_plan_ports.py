"""The arguments of a plan: one for each array, several where it is dealt, one more for a copy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from plain_points import pipelined_point
from plan_points import buffer, nest, planned

from sisyphus.analysis import dependences, distribute, liveness, with_copies
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.plan import build_plan
from sisyphus.space import KERNEL_PLACE, DesignPoint, TransferPoint, port_names


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


def test_an_array_over_several_ports_has_one_buffer() -> None:
    built = scop("for i in range(8):\n  B[i] = A[i] * c\nfor i in range(8):\n  D[i] = A[i] * c", A=(8,), B=(8,), D=(8,))
    tiles = (nest("S0", "i", "i", i=(1, 8, 1)), nest("S1", "i", "i", i=(2, 4, 1)))
    outs = (buffer("B", "S0", KERNEL_PLACE, 4), buffer("D", "S1", KERNEL_PLACE, 4))
    dealt = (TransferPoint("A", 4, port_names(ArrayId("A"), 2)),)
    one = DesignPoint("built", tiles, (*outs, buffer("A", "S0 S1", KERNEL_PLACE, 4)), dealt)
    assert [p.stripes for p in planned(built, one).ports if p.name == "A"] == [2]
    two = replace(one, buffers=(*outs, buffer("A", "S0", KERNEL_PLACE, 4), buffer("A", "S1", "i", 4)))
    with pytest.raises(KernelError, match="only an array with one buffer, on chip, can have several ports"):
        planned(built, two)
