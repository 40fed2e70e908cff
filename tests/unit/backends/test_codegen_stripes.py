"""Where the text finds elements of a dealt array, and bodies that are written out once for each stripe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import prod

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_points import pipelined_point
from random_knobs import random_points
from straight_c import with_source

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls import project
from sisyphus.backends.hls.buffers import dealt as dealt_over
from sisyphus.backends.hls.express import Affines
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.plan import Plan, build_plan
from sisyphus.poly import Affine, var
from sisyphus.space import STREAM, Options, Tile, TransferPoint, build_space, over_ports, port_names
from sisyphus.space.ahead import loaded_ahead
from sisyphus.target import load_device, make_target
from sisyphus.verification import run
from sisyphus.verification.bounds import check_beats

EXAMPLES = settings(max_examples=300, deadline=None, derandomize=True)
NAMES = ("i", "j")
TERMS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(-9, 9)), max_size=3)


@EXAMPLES
@given(TERMS, st.integers(-20, 40), st.sampled_from([2, 4, 3, 25]), st.integers(-5, 5), st.integers(-5, 5))
def test_the_text_finds_every_element(
    terms: list[tuple[str, int]], constant: int, stripes: int, i: int, j: int
) -> None:
    """As C reads it, which rounds to zero."""
    index = Affine.of(terms, constant)
    at = {"i": i, "j": j}
    texts = dealt_over(Affines({n: n for n in NAMES}), index, stripes, dict.fromkeys(NAMES, (-5, 5)))
    stripe, place = (eval(re.sub(r" / ", " // ", text), {}, at) for text in texts)
    parts = [eval(part, {}, at) for part in re.findall(r"\(([^()]*)\) [/%]", texts[0])]
    assert all(part >= 0 for part in parts)
    assert (stripe, place) == (index.evaluate(at) % stripes, index.evaluate(at) // stripes)


def test_what_the_text_has_is_given() -> None:
    """In a copy of the body for an odd iteration, two iterations a turn."""
    affines = Affines({"i": "i2"})
    affines.given = {"i": 2 * var("i") + 1}
    assert dealt_over(affines, 3 * var("i") + 1, 2, {"i": (0, 7)}) == ("0", "3*i2 + 2")
    assert dealt_over(affines, var("i"), 4, {"i": (0, 7)}) == ("(2*i2 + 1) % 4", "(2*i2 + 1) / 4")


def dealt(trips: int, tile: Tile, stripes: int) -> Plan:
    """Rows of sums over j, with all arrays behind several ports: A is read and written along its rows."""
    text = f"for i in range(4):\n    for j in range({trips}):\n        A[i, j] = A[i, j] * 3 + B[i, j]"
    kernel = with_source(scop(text, A=(4, trips), B=(4, trips)))
    found = distribute(kernel, dependences(kernel))
    point = pipelined_point(kernel, found)
    [nest] = point.nests
    inner = "j" if tile.level1 > 1 else None
    point = point.with_nest(replace(nest, tiles=(nest.tiles[0], ("j", tile)), pipeline=inner))
    banks = trips if tile.level2 == trips else stripes * tile.level2
    buffers = tuple(replace(b, partition=(1, banks)) for b in point.buffers)
    moved = (TransferPoint(b.id, 4 * stripes, port_names(b.id, stripes), "padded", STREAM) for b in buffers)
    point = replace(point, buffers=buffers, transfers=tuple(moved))
    return build_plan(kernel, found, liveness(kernel), point)


@pytest.mark.parametrize(
    ("trips", "tile", "stripes"),
    [
        (24, Tile(1, 3, 8), 2),
        (24, Tile(3, 1, 8), 4),
        (24, Tile(1, 6, 4), 4),  # no loop is left
        (27, Tile(1, 1, 27), 2),  # one iteration more than whole turns
        (27, Tile(1, 1, 27), 4),
    ],
)
def test_a_body_stands_there_once_for_each_stripe(trips: int, tile: Tile, stripes: int) -> None:
    plan = dealt(trips, tile, stripes)
    text = project(plan).files["kernel.cpp"]
    body = text[text.index("static void task0") : text.index('extern "C"')]
    assert "%" not in body and "/" not in body
    written = [int(number) for number in re.findall(r"^ *buf_A\[(\d)\]", body, re.M)]
    left = tile.level2 % stripes
    assert written == [*range(stripes), *range(left)] and prod(tile) == trips
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


TILED = """
for i in range(12):
    for j in range(70):
        Q[i] = Q[i] + A[i, j] * P[j]
for i in range(12):
    for j in range(70):
        A[i, j] = A[i, j] + R[i] * S[j]
"""
TILED_SHAPES = {"A": (12, 70), "P": (70,), "Q": (12,), "S": (70,), "R": (12,)}
SHIFTED = """
for t in range(4):
    for i in range(10):
        for j in range(40):
            B[i, j + 1] = B[i, j + 1] + A[i, j] * C[i, 2 * t]
"""
SHIFTED_SHAPES = {"A": (10, 40), "B": (10, 44), "C": (10, 12)}


COPIED = """
for i in range(12):
    for j in range(6):
        X[i, j + 1] = Y[i, j] * A[i, 4]
        Y[i, j + 1] = X[i, j] * B[i] + A[i, 7]
"""
COPIED_SHAPES = {"X": (12, 7), "Y": (12, 7), "B": (12,), "A": (12, 40)}


def striped_points(text: str, shapes: dict[str, tuple[int, ...]], count: int, **over: int) -> Iterator[Plan]:
    """Plans of random points in which tiles of some arrays travel through several ports."""
    kernel = with_source(scop(text, **shapes))
    found = dependences(kernel)
    distribution, live = distribute(kernel, found), liveness(kernel)
    target = replace(make_target(load_device("u200"), budget="chip"), port_bits=128)
    space = build_space(kernel, found, distribution, live, target, Options())
    for array, ports in over.items():
        dealt = over_ports(space, ArrayId(array), ports)
        assert dealt is not None
        space = dealt
    points = (p for p in random_points(space, 40 * count, seed=len(over)) if p.dealt_tiles)
    for point in islice(points, count):
        nests = ((nest, point.nest(nest.id)) for nest in distribution.nests)
        buffers = point.buffers
        for nest, own in nests:
            buffers = loaded_ahead(kernel, nest, own, buffers)
        yield build_plan(kernel, distribution, live, replace(point, buffers=buffers))


@pytest.mark.parametrize(
    ("text", "shapes", "over"),
    [(TILED, TILED_SHAPES, {"A": 2}), (TILED, TILED_SHAPES, {"A": 4}), (SHIFTED, SHIFTED_SHAPES, {"B": 2, "C": 2})],
)
def test_tiles_over_several_ports_hold_what_they_must(
    text: str, shapes: dict[str, tuple[int, ...]], over: dict[str, int]
) -> None:
    """Whole rows, parts of them that grow to whole beats of all ports, tiles loaded ahead, and stores."""
    for plan in striped_points(text, shapes, 2, **over):
        assert all(check.passed for check in check_beats(plan))
        ran = run(project(plan), plan, sets=["random"], sanitize=True)
        assert ran.passed, [c for c in ran.checks if not c.passed]


def test_coarse_grained_copies_have_stripes_of_their_own() -> None:
    """Each copy's array has a part for each port."""
    plans = striped_points(COPIED, COPIED_SHAPES, 12, A=2)
    copied = [plan for plan in plans if any(b.array == "A" and b.beside for b in plan.buffers)]
    assert copied
    for plan in copied[:3]:
        [copies] = [dict(b.beside) for b in plan.buffers if b.array == "A"]
        text = project(plan).files["kernel.cpp"]
        assert f"float buf_A_S0_S1[{copies['ic']}][2][" in text
        ran = run(project(plan), plan, sets=["random"], sanitize=True)
        assert ran.passed, [c for c in ran.checks if not c.passed]


def test_a_tile_that_goes_through_the_wrong_port_is_seen() -> None:
    """Its stripes in the other order: every beat is whole, and the run shows it."""
    plan = next(striped_points(TILED, TILED_SHAPES, 1, A=2))
    files = dict(project(plan).files)
    text = files["kernel.cpp"]
    calls = re.findall(r"^ +load_A_S0_[01]\(A_[01], .*$", text, re.M)
    assert len(calls) >= 2
    swapped = re.sub(r"^( +load_A_S0_[01]\(A_)([01])", lambda m: m[1] + str(1 - int(m[2])), text, flags=re.M)
    spoilt = replace(project(plan), files={**files, "kernel.cpp": swapped})
    assert not run(spoilt, plan, sets=["random"]).passed


def test_tiles_of_stripes_that_begin_elsewhere_are_refused() -> None:
    plan = next(striped_points(SHIFTED, SHIFTED_SHAPES, 1, B=2))
    held = next(b for b in plan.buffers if b.array == "B")
    moved = replace(held, origin=(*held.origin[:-1], held.origin[-1] + 1))
    spoilt = replace(plan, buffers=tuple(moved if b is held else b for b in plan.buffers))
    assert not all(check.passed for check in check_beats(spoilt))
    with pytest.raises(InternalError, match="does not begin with the first of 2 stripes"):
        project(spoilt)
