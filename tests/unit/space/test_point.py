"""Design points as JSON, and as isl schedules."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest
from builders import scop
from islpy import dim_type

from sisyphus.analysis import dependences, distribute, violations
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, StmtId
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint, illegal, level2_order
from sisyphus.space.schedule import schedules

POINT = DesignPoint(
    kernel="built",
    nests=(
        NestPoint(
            (StmtId("S0"),),
            ("k", "i"),
            (("i", Tile(2, 1, 2)), ("k", Tile(3, 2, 1))),
            "k",
        ),
    ),
    buffers=(
        BufferPoint(ArrayId("C"), ("S0",), "kernel", (2,)),
        BufferPoint(ArrayId("A"), ("S0",), "k", (2, 1)),
    ),
    transfers=(TransferPoint("C", 4, form="stream"), TransferPoint("A@S0", 1)),
)


def test_json_both_ways() -> None:
    assert DesignPoint.from_json(json.loads(json.dumps(POINT.to_json()))) == POINT
    assert POINT.sort_key() == DesignPoint.from_json(POINT.to_json()).sort_key()


def test_whole_numbers_may_be_written_with_a_point() -> None:
    data = json.loads(
        json.dumps(POINT.to_json()).replace('"width": 4', '"width": 4.0').replace("[2, 1, 2]", "[2.0, 1, 2]")
    )
    read = DesignPoint.from_json(data)
    assert read == POINT and str(read.nests[0].tile("i")) == "2x1x2" and str(read.transfer_of("C").width) == "4"


def test_transfers_of_the_first_version_are_direct() -> None:
    data = POINT.to_json() | {"version": 1, "transfers": [{"buffer": "C", "width": 16}]}
    assert DesignPoint.from_json(data).transfer_of("C").form == "direct"


@pytest.mark.parametrize("field", ["version", "kernel", "nests", "buffers"])
def test_a_missing_field_is_named(field: str) -> None:
    data = POINT.to_json()
    del data[field]
    with pytest.raises(KernelError, match=field):
        DesignPoint.from_json(data)


@pytest.mark.parametrize(
    "spoil",
    [
        {"version": 99},
        {"nests": 3},
        {"nests": [{"statements": ["S0"], "order": [], "tiles": {"i": [1, 2]}, "pipeline": None}]},
        {"buffers": [{"array": "A", "nests": ["S0"], "place": "k", "partition": ["x"]}]},
    ],
)
def test_a_wrong_field_is_refused(spoil: dict[str, object]) -> None:
    with pytest.raises(KernelError):
        DesignPoint.from_json(POINT.to_json() | spoil)


def test_lookups() -> None:
    assert POINT.buffer_of(ArrayId("A"), "S0").id == "A@S0"
    assert POINT.transfer_of("C").width == 4
    assert POINT.transfer_of("nothing").width == 1
    assert POINT.nest("S0").tile("i").size == 2


REDUCTION = "for i in range(4):\n    for k in range(6):\n        C[i] += A[i, k]"
STENCIL = "for t in range(1, 5):\n    for i in range(1, 5):\n        A[t, i] = A[t - 1, i + 1] * x"


def test_a_reduction_keeps_its_order_in_any_tiling() -> None:
    kernel = scop(REDUCTION, C=(4,), A=(4, 6))
    deps = dependences(kernel)
    assert illegal(deps, distribute(kernel, deps), POINT) is None


def test_an_illegal_order_is_seen_with_two_instances() -> None:
    kernel = scop(STENCIL, A=(6, 6))
    deps = dependences(kernel)
    distribution = distribute(kernel, deps)
    tiles = (("t", Tile(4, 1, 1)), ("i", Tile(4, 1, 1)))
    nest = NestPoint((StmtId("S0"),), ("t", "i"), tiles, None)
    good = DesignPoint("built", (nest,), (BufferPoint(ArrayId("A"), ("S0",), "kernel", (1, 1)),))
    assert illegal(deps, distribution, good) is None
    violation = illegal(deps, distribution, replace(good, nests=(replace(nest, order=("i", "t")),)))
    assert violation is not None
    assert "must run before" in str(violation)


def test_times_that_all_share_are_left_out_of_an_order() -> None:
    kernel = scop(REDUCTION, C=(4,), A=(4, 6))
    found = schedules(kernel, distribute(kernel, dependences(kernel)), POINT)[StmtId("S0")]
    # Level 0 of both loops, level 1 of k, level 2 of i: not the places of nest and statement, of which there is one.
    assert found.dim(dim_type.out) == 4 and found.is_injective()


def test_reductions_are_unrolled_innermost_where_precedence_lets_them() -> None:
    kernel = scop(
        REDUCTION.replace("for i in range(4):\n    for k in range(6):", "for k in range(6):\n    for i in range(4):"),
        C=(4,),
        A=(4, 6),
    )
    nest = distribute(kernel, dependences(kernel)).nests[0]
    assert level2_order(nest, tree_reduction=False) == ("i", "k")


BODY = """
for i in range(6):
    s = A[i] + 1.0
    B[i] = s * s
    s = B[i] - s
    C[i] = s + B[i]
"""


def test_statements_of_a_body_keep_their_places_and_no_others() -> None:
    """All of them are tied in one nest: what isl says of all dependences is said of those that are left to it."""
    kernel = scop(BODY, s=(), A=(6,), B=(6,), C=(6,))
    deps = dependences(kernel)
    distribution = distribute(kernel, deps)
    [nest] = distribution.nests
    point = DesignPoint("built", (NestPoint(nest.statements, ("i",), (("i", Tile(3, 1, 2)),), None),), ())
    assert illegal(deps, distribution, point) is None is violations(deps, schedules(kernel, distribution, point))
    for order in permutations(nest.statements):
        if order != nest.statements:
            other = replace(distribution, body=(replace(nest, statements=order),))
            assert (illegal(deps, other, point) is None) == (violations(deps, schedules(kernel, other, point)) is None)
            assert illegal(deps, other, point) is not None
