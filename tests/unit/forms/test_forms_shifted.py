"""Nests behind each other in one body: which are, by how many rows, that they compute the same, what stays apart."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from brute import is_same
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from steps_in_c import STEPS

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import SHIFTED, SHIFTED_STRIPS, rewritten, shifted
from sisyphus.ir import StmtId, promises
from sisyphus.target import load_device, make_target

JACOBI = """
for t in range(3):
    for i in range(1, 7):
        for j in range(1, 5):
            B[i, j] = A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
    for i in range(1, 7):
        for j in range(1, 5):
            A[i, j] = B[i, j] + B[i - 1, j] + B[i + 1, j] + B[i, j - 1] + B[i, j + 1]
"""
WAVES = """
for t in range(3):
    for j in range(6):
        E[0, j] = F[t]
    for i in range(1, 8):
        for j in range(6):
            E[i, j] = E[i, j] - (H[i, j] - H[i - 1, j])
    for i in range(8):
        for j in range(1, 6):
            G[i, j] = G[i, j] - (H[i, j] - H[i, j - 1])
    for i in range(7):
        for j in range(5):
            H[i, j] = H[i, j] - (G[i, j + 1] - G[i, j] + E[i + 1, j] - E[i, j])
"""
SHAPES = dict.fromkeys("ABEGH", (8, 6)) | {"F": (3,)}


def test_two_stencils_of_a_step_are_one_nest_two_rows_behind_each_other() -> None:
    source = scop(JACOBI, **SHAPES)
    found = shifted(dependences(source))
    assert found is not None and found.fused == (("S0", "S1"),)
    promises.run(found)
    assert is_same(source, found)
    [nest] = distribute(found, dependences(found)).nests
    assert nest.statements == ("S0", "S1") and nest.outer == ("t",)
    assert [(loop.iterator, loop.lower, loop.trip_count, loop.kind.value) for loop in nest.band] == [
        ("i", 1, 8, "sequential"),
        ("j", 1, 4, "parallel"),
    ]
    assert str(found.statement("S1").write) == "A[i - 2][j]"


def test_statements_of_other_loops_stay_before_and_those_without_a_dependence_share_a_row() -> None:
    source = scop(WAVES, **SHAPES)
    found = shifted(dependences(source))
    assert found is not None and found.fused == (("S1", "S2", "S3"),)
    assert is_same(source, found)
    assert [str(found.statement(s).write) for s in ("S1", "S2", "S3")] == ["E[i][j]", "G[i][j]", "H[i - 2][j]"]
    assert [nest.statements for nest in distribute(found, dependences(found)).nests] == [("S0",), ("S1", "S2", "S3")]


def test_too_few_rows_between_are_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["sisyphus.forms.shifted"]  # whose name the function hides
    monkeypatch.setattr(module, "ROWS_BETWEEN", -1)
    assert shifted(dependences(scop(JACOBI, **SHAPES))) is None


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(1, 7):\n    for j in range(6):\n        B[i, j] = A[i, j]\n"
        "for i in range(1, 7):\n    for j in range(6):\n        A[i, j] = B[i - 1, j]\n",  # no steps
        "for t in range(3):\n    for i in range(8):\n        for j in range(6):\n            A[i, j] = A[i, j] + 1.0\n",
        # a loop that carries what the row needs
        "for t in range(3):\n    for i in range(1, 7):\n        for j in range(6):\n            B[i, j] = A[i, j]\n"
        "    for i in range(1, 7):\n        for j in range(6):\n            A[i, j] = A[i - 1, j] + B[i, j]\n",
    ],
)
def test_what_stays_apart(text: str) -> None:
    source = scop(text, **SHAPES)
    assert rewritten(source, [SHIFTED]) is source


def test_a_group_that_dependences_tie_in_a_cycle_keeps_its_loops_outside() -> None:
    """Whatever the kernel says is to be together: a nest of both would have rows that wait for each other inside."""
    text = (
        "for i in range(1, 8):\n    for j in range(1, 6):\n        A[i, j] = B[i - 1, j] + 1.0\n"
        "        B[i, j] = A[i, j - 1] + 1.0\n"
    )
    source = scop(text, **SHAPES)
    tied = replace(source, fused=((StmtId("S0"), StmtId("S1")),))
    assert distribute(tied, dependences(tied)).nests[0].outer == distribute(source, dependences(source)).nests[0].outer


@pytest.mark.parametrize(("steps", "rows"), [(2, 3), (3, 8)])
@pytest.mark.parametrize(("text", "moved"), [(JACOBI, 3), (WAVES, 2)])
def test_in_strips_statements_run_through_the_same_rows(text: str, moved: int, steps: int, rows: int) -> None:
    """`moved` rows in each step: the body has a row more for none of its statements."""
    source = scop(text, **SHAPES)
    found = rewritten(source, [f"{SHIFTED_STRIPS}{steps}x{rows}"])
    promises.run(found)
    assert is_same(source, found)
    [group] = found.fused
    nest = distribute(found, dependences(found)).nest_of(found.statement(group[0]).id)
    assert nest.statements == group and nest.outer == ("t_block", "i_block", "t")
    assert nest.loop("i").trip_count == rows + moved * (steps - 1)


@pytest.mark.parametrize("text", [JACOBI, WAVES])
def test_a_strip_of_all_rows_is_the_same_program(text: str) -> None:
    """Which no search makes, but a saved design may ask for; some parts of its statements have no instance."""
    source = scop(text, **SHAPES)
    assert is_same(source, rewritten(source, [f"{SHIFTED_STRIPS}2x30"]))


def test_a_kernel_without_such_statements_has_no_such_strips() -> None:
    text = (
        "for t in range(3):\n    for i in range(1, 7):\n        for j in range(6):\n            A[i, j] = A[i - 1, j]\n"
    )
    with pytest.raises(KernelError, match="no strips-shifted of 3 rows"):
        rewritten(scop(text, **SHAPES), [f"{SHIFTED_STRIPS}2x3"])
    with pytest.raises(KernelError, match="no sizes of strips"):
        rewritten(scop(JACOBI, **SHAPES), [f"{SHIFTED_STRIPS}2"])


offsets = st.lists(st.tuples(st.integers(-2, 2), st.integers(-1, 1)), min_size=1, max_size=3)


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.lists(st.tuples(st.sampled_from("ABG"), st.sampled_from("ABG"), offsets), min_size=2, max_size=3))
def test_whatever_reads_whatever_it_is_the_same_program(
    sweeps: list[tuple[str, str, list[tuple[int, int]]]],
) -> None:
    lines = ["for t in range(2):"]
    for written, read, places in sweeps:
        terms = " + ".join(f"{read}[i + {di}, j + {dj}]" for di, dj in places)
        lines += [
            "    for i in range(2, 6):",
            "        for j in range(1, 5):",
            f"            {written}[i, j] = {terms}",
        ]
    source = scop("\n".join(lines) + "\n", **SHAPES)
    found = rewritten(source, [SHIFTED])
    promises.run(found)
    assert is_same(source, found)


@pytest.mark.parametrize(
    ("form", "bram18k"), [("shifted", 4000), pytest.param("strips-shifted", 600, marks=pytest.mark.long)]
)
def test_designs_of_it_are_the_source(tmp_path: Path, form: str, bram18k: int) -> None:
    """One pipelined body computes both statements of a step, on chip and in strips of what does not fit."""
    path = tmp_path / "steps.c"
    path.write_text(STEPS)
    target = make_target(load_device("u200"), budget="chip", bram18k=bram18k, uram=0)
    design = sisy.optimize(path, target, effort=0.3, cache=False, fix=[f"form={form}", "adders=dsp", "*.ports=1"])
    assert design.verdict is not None and design.verdict.passed
    assert [nest.statements for nest in design.point.nests if len(nest.statements) > 1] == [("S0", "S1")]
