"""Banks that the loop around the calls picks are a dimension of their own, and counted beside that loop."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from builders import scop
from plain_points import pipelined_point
from straight_c import with_source

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls import Project, project
from sisyphus.plan import Plan, build_plan
from sisyphus.space import STREAM, TransferPoint, port_names
from sisyphus.verification import run

#: Rows of A are read at k and behind it, backwards, and by a loop of the task; columns of it at k, too.
PIVOT = """
for k in range(19):
    for i in range(20):
        R[i] = A[k, i] + A[k + 1, i] * A[i, k]
    for i in range(20):
        A[19 - k, i] = A[19 - k, i] + R[i] * 3
for k in range(2, 9):
    for i in range(20):
        for j in range(20):
            A[i, j] = A[i, j] + A[k - 2, j] * R[k + 1]
"""
COLUMNS = """
for k in range(20):
    for i in range(20):
        R[i] = R[i] + A[i, k] * 3
    for i in range(20):
        S[i] = S[i] * R[19 - i]
"""
SHAPES = {"A": (20, 20), "R": (20,), "S": (20,)}


def banked(factors: tuple[int, int], rows: int, text: str = PIVOT, ports: int = 1) -> Plan:
    """A as a whole on chip, in so many banks."""
    kernel = with_source(scop(text, **{name: SHAPES[name] for name in SHAPES if name in text}))
    found = distribute(kernel, dependences(kernel))
    point = pipelined_point(kernel, found)
    point = replace(
        point,
        buffers=tuple(replace(b, partition=factors if b.array == "A" else (rows,)) for b in point.buffers),
    )
    if ports > 1:
        [held] = (b.id for b in point.buffers if b.array == "A")
        own = TransferPoint(held, 4, port_names("A", ports), "padded", STREAM)
        point = replace(point, transfers=(*point.transfers, own))
    return build_plan(kernel, found, liveness(kernel), point)


def is_right(made: Project, plan: Plan) -> bool:
    return run(made, plan, sets=["random"], sanitize=True).passed


def calls(text: str) -> str:
    """The top function."""
    return text[text.index('extern "C"') :]


def test_bank_and_word_are_counted_outside() -> None:
    plan = banked((3, 1), 1)
    text = project(plan).files["kernel.cpp"]
    assert "float buf_A[3][7][20];" in text and "variable=buf_A type=complete dim=1" in text
    assert not re.search(r"\bk\b[^\[\]]* [%/] 3", text)
    for name, first in (("bank", 0), ("word", 0), ("bank_2", 1), ("word_2", 0), ("bank_3", 1), ("word_3", 6)):
        assert re.search(rf"ap_uint<\d> k_{name} = {first};", calls(text)), name
    assert "if (k_bank == 2) {" in text and "--k_word_3;" in text and is_right(project(plan), plan)


@pytest.mark.parametrize("factors", [(1, 1), (4, 1), (20, 1), (12, 8), (1, 16)])
def test_shifts_and_whole_dimensions_need_no_counters(factors: tuple[int, int]) -> None:
    assert "bank" not in project(banked(factors, 1)).files["kernel.cpp"]


@pytest.mark.parametrize("factors", [(3, 5), (7, 1), (1, 3), (10, 9), (6, 6)])
def test_designs_are_right(factors: tuple[int, int]) -> None:
    """Also where transfers and loops of the task divide what they have."""
    plan = banked(factors, 3)
    made = project(plan)
    assert "_bank" in made.files["kernel.cpp"] and is_right(made, plan)


def test_one_that_is_counted_wrongly_is_found() -> None:
    plan = banked((3, 5), 3)
    made = project(plan)
    text = made.files["kernel.cpp"]
    for wrong in (text.replace("++k_word;", ";", 1), text.replace("k_bank = 0;\n", "k_bank = 1;\n", 1)):
        assert wrong != text
        assert not is_right(replace(made, files={**made.files, "kernel.cpp": wrong}), plan)


def test_stripes_are_parts_of_the_banks() -> None:
    """Each of two ports fills its own part, of three banks."""
    plan = banked((1, 6), 1, COLUMNS, ports=2)
    made = project(plan)
    text = made.files["kernel.cpp"]
    assert "float buf_A[2][20][3][4];" in text and "k_bank % 2" in text and is_right(made, plan)
