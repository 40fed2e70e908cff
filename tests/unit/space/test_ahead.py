"""Which tiles may be loaded ahead, and what a design point may say of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop as build_scop
from point_files import Case, case

from sisyphus.analysis import dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.plan import Copy, Plan, Together, build_plan, walk
from sisyphus.space import DesignPoint, may_load_ahead


def planned(found: Case, point: DesignPoint) -> Plan:
    return build_plan(found.scop, found.distribution, found.live, point)


def twice(point: DesignPoint, *arrays: str) -> DesignPoint:
    buffers = (replace(b, copies=2) if b.array in arrays and b.nests == ("S1",) else b for b in point.buffers)
    return replace(point, buffers=tuple(buffers))


def test_what_is_only_read_may_be_loaded_ahead_and_rows_that_are_updated() -> None:
    gemm = case("gemm-tiled")
    every = frozenset("ijk")
    assert may_load_ahead(gemm.scop, gemm.distribution.nests[1]) == {"C": frozenset("i"), "A": every, "B": every}
    scop = build_scop("for i in range(8):\n    for j in range(i + 1):\n        A[i, j] = B[i, j]", A=(8, 8), B=(8, 8))
    [triangle] = distribute(scop, dependences(scop)).nests
    assert may_load_ahead(scop, triangle) == {"A": frozenset("i")}


def test_two_copies_are_built_with_the_first_load_outside() -> None:
    gemm = case("gemm-tiled")
    plan = planned(gemm, twice(gemm.point, "A", "B"))
    [_, multiply] = plan.tasks
    first, *_ = multiply.body
    assert isinstance(first, Together) and all(isinstance(node, Copy) and node.is_first for node in first.body)
    copies = [node for node in walk(multiply.body) if isinstance(node, Copy)]
    assert [copy.transfer for copy in copies] == ["load_A_S1", "load_B_S1"] * 2
    assert all(str(limit) == "-k0 + 5" for copy in copies for limit in copy.within)
    one, two = (sum(b.bytes for b in p.buffers if b.place == "k") for p in (planned(gemm, gemm.point), plan))
    assert two == 2 * one


def test_one_of_two_arrays_may_be_loaded_ahead_alone() -> None:
    gemm = case("gemm-tiled")
    plan = planned(gemm, twice(gemm.point, "A"))
    assert [b.array for b in plan.buffers if b.turn is not None] == ["A"]


def moved(point: DesignPoint, array: str, place: str) -> DesignPoint:
    buffers = (replace(b, place=place) if b.array == array and b.nests == ("S1",) else b for b in point.buffers)
    return replace(point, buffers=tuple(buffers))


def with_nest(point: DesignPoint, **fields: object) -> DesignPoint:
    first, second = point.nests
    return replace(point, nests=(first, replace(second, **fields)))  # type: ignore[arg-type]


def refused(point: DesignPoint) -> str:
    gemm = case("gemm-tiled")
    with pytest.raises(KernelError) as wrong:
        planned(gemm, point)
    return wrong.value.message


def test_what_cannot_be_loaded_ahead_is_refused() -> None:
    point = case("gemm-tiled").point
    whole = replace(point, buffers=tuple(replace(b, copies=2) if b.array == "C" else b for b in point.buffers))
    assert "tiles of `C` cannot be loaded ahead" in refused(whole)
    both = twice(point, "A", "B")
    assert "can load ahead under one loop" in refused(moved(both, "A", "i"))
    assert "`j` is no loop with several tiles" in refused(moved(twice(point, "A"), "A", "j"))
    assert "full tiles apart" in refused(with_nest(both, split=True))
