"""Coarse-grained factors: equations 6 to 9, how they are fixed, saved and refused."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from builders import scop as build_scop
from coarse_kernels import built, plain_point
from unit.search.solve_spaces import gemm_space, space_of

from sisyphus.analysis import distribute
from sisyphus.errors import KernelError, UsageError
from sisyphus.ir import Scop
from sisyphus.plan import check_point
from sisyphus.space import DesignPoint, Space, Tile, apply_fixes, copies_depth


def rows() -> Space:
    return space_of(built("rows"))


def factors(space: Space) -> dict[str, tuple[int, ...]]:
    return {loop.iterator: loop.unroll for nest in space.nests for loop in nest.loops}


def test_factors_divide_the_tiles_of_loops_without_a_dependence() -> None:
    assert factors(rows()) == {"i": (1, 2, 3, 4, 6, 12), "j": (1,)}


def test_other_nests_have_none() -> None:
    assert set(factors(gemm_space()).values()) == {(1,)}  # one statement in each
    triangle = """
    for i in range(6):
        for j in range(i + 1):
            X[i, j + 1] = Y[i, j] * c
            Y[i, j + 1] = X[i, j] * c
    """
    assert set(factors(space_of(build_scop(triangle, X=(6, 7), Y=(6, 7)))).values()) == {(1,)}
    diagonal = """
    for i in range(1, 7):
        for j in range(1, 7):
            X[i, j] = Y[i - 1, j - 1] * c
            Y[i, j] = X[i, j] * X[i - 1, j]
    """
    assert set(factors(space_of(build_scop(diagonal, X=(7, 7), Y=(7, 7)))).values()) == {(1,)}


def crossing(read: str, written: str) -> Scop:
    text = f"""
    for i in range(8):
        for k in range(6):
            A[i] += D[{read}] * c
            D[{written}] += A[i] * c
    """
    return build_scop(text, A=(8,), D=(20,))


@pytest.mark.parametrize(
    ("read", "written", "legal"),
    [("2 * i", "2 * i + 1", True), ("2 * i", "2 * i + 3", False), ("2 * i + 3", "2 * i", False), ("i", "i", True)],
)
def test_copies_store_tiles_that_do_not_overlap(read: str, written: str, legal: bool) -> None:
    """Each copy stores its tile as a whole, with the elements that it only read."""
    space = space_of(crossing(read, written))
    assert factors(space)["i"] == ((1, 2, 4, 8) if legal else (1,))
    point = plain_point(space.scop, space.nests[0].nest, {"i": Tile(4, 1, 2), "k": Tile(6, 1, 1)}, {"i": 2}, "i")
    with (
        nullcontext() if legal else pytest.raises(KernelError, match="`i` cannot have 2 copies side by side, legal: 1")
    ):
        check_point(space.scop, distribute(space.scop, space.dependences), point)


def test_a_ragged_loop_has_the_factors_of_its_tiles() -> None:
    found = factors(space_of(built("planes"), in_paper=False))
    assert found["i"] == (1, 2, 3, 4, 5, 7, 13)
    assert found["k"] == (1, 2, 3, 6)


def test_fixing_a_factor_leaves_the_tiles_that_it_divides() -> None:
    nest = apply_fixes(rows(), ["S0+S1.unroll.i=4"]).nests[0]
    assert nest.loop("i").unroll == (4,)
    assert {tile.level0 for tile in nest.loop("i").tiles} == {4, 12}
    tiled = apply_fixes(rows(), ["S1.i=4x3x1"]).nests[0]
    assert tiled.loop("i").unroll == (1, 2, 4)
    assert apply_fixes(rows(), ["S1.i=4x3x1", "S0.unroll.i=2"]).nests[0].loop("i").unroll == (2,)


@pytest.mark.parametrize(
    ("fixes", "said", "legal"),
    [
        (["S0+S1.unroll.i=5"], "cannot have 5 copies side by side", "1, 2, 3, 4, 6, 12"),
        (["S0+S1.unroll.i=two"], "cannot have two copies", "1, 2, 3, 4, 6, 12"),
        (["S0+S1.unroll.j=2"], "`j` cannot have 2 copies", "legal: 1"),
        (["S0+S1.unroll.q=2"], "has no loop `q`", "i, j"),
        (["S0+S1.i=4x3x1", "S0+S1.unroll.i=3"], "cannot have 3 copies", "1, 2, 4"),
        (["S0+S1.unroll.i=3", "S0+S1.i=4x3x1"], "12 iterations", "3x1x4"),
    ],
)
def test_an_illegal_factor_names_the_legal_ones(fixes: list[str], said: str, legal: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        apply_fixes(rows(), fixes)
    assert refused.value.exit_code == 2
    assert legal in (refused.value.hint or "")


def point(**unroll: int) -> DesignPoint:
    scop, space = built("rows"), rows()
    return plain_point(scop, space.nests[0].nest, {"i": Tile(6, 2, 1), "j": Tile(6, 1, 1)}, unroll, "i")


def test_json_leaves_out_what_is_one() -> None:
    data = point(i=3).to_json()
    assert data["nests"][0]["unroll"] == {"i": 3}
    assert DesignPoint.from_json(data) == point(i=3)
    data["nests"][0]["unroll"] = {"i": 3, "j": 1}
    assert DesignPoint.from_json(data) == point(i=3)


@pytest.mark.parametrize(
    ("unroll", "said"),
    [
        ({"i": 4}, "legal: 1, 2, 3, 6"),
        ({"j": 2}, "legal: 1"),
        ({"z": 2}, "no loop `z`"),
        ({"i": 0}, "legal: 1, 2, 3, 6"),
    ],
)
def test_a_saved_point_with_an_illegal_factor_is_refused(unroll: dict[str, int], said: str) -> None:
    scop, space = built("rows"), rows()
    wrong = replace(point(), nests=(replace(point().nests[0], unroll=tuple(unroll.items())),))
    with pytest.raises(KernelError, match=said):
        check_point(scop, distribute(scop, space.dependences), wrong)


def test_copies_stand_inside_of_all_that_is_moved() -> None:
    order = ("k", "i", "j")
    assert copies_depth(order, {}, {"j"}) == 0
    assert copies_depth(order, {"i": 2}, {"kernel"}) == 2
    assert copies_depth(order, {"k": 2, "i": 1}, {"kernel", "k"}) == 1
    assert copies_depth(order, {"k": 2}, {"j"}) == 3
