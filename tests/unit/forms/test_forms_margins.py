"""Arrays with a margin: which statements become one, that results stay, and what keeps the others apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled_scops import kernel_at, run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import form_to_keep
from unit.forms.test_forms_by_cases import around

from sisyphus.analysis import dependences, statement_text
from sisyphus.forms import BY_CASES, INLINED, MARGINS, rewritten
from sisyphus.forms.margins import WIDEST, with_margins
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source

WORDS = BY_CASES, INLINED, MARGINS


def local_extents(scop: Scop) -> list[tuple[int, ...]]:
    return [a.extents for a in scop.arrays if a.role is Role.LOCAL]


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_a_step_that_repeats_borders_is_one_statement(dims: int, tmp_path: Path) -> None:
    """With what empties the margin, and what brings the array in and back."""
    path = kernel_at(tmp_path, around(dims))
    found = rewritten(read(path), WORDS)
    assert len(found.statements) == 5 and local_extents(found) == [(8,) * dims]
    assert run(promises.run(found), path, tmp_path) == "equal"


BODIES = {
    "its own condition in each case": "y[i] = (i > 1 ? x[i - 2] : x[0]) * (i > 0 ? x[i - 1] : x[1]) - x[i];",
    "clamped": "y[i] = x[i - 2 < 0 ? 0 : i - 2] - x[i + 2 > 8 ? 8 : i + 2];",
    "mirrored": "y[i] = x[i - 2 < 0 ? 2 - i : i - 2] + x[i];",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=[*BODIES])
def test_what_is_read_beyond_a_border_is_a_choice(body: str, tmp_path: Path) -> None:
    path = kernel_at(
        tmp_path, f"void kernel(const float x[9], float y[9])\n{{\nfor (int i = 0; i < 9; i++) {body}\n}}\n"
    )
    found = rewritten(read(path), [MARGINS])
    [whole] = [s for s in found.statements if s.write.array == "y"]
    assert "?" in statement_text(whole) and len(found.statements) == 3
    assert run(promises.run(found), path, tmp_path) == "equal"


PADDED = """
void kernel(const {t} x[7][8], const {t} w[3][3], {t} y[7][8])
{{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 8; j++) {{
            {t} s = 1;
            for (int k = -1; k < 2; k++)
            for (int l = -1; l < 2; l++)
                s += (0 <= i + k && i + k < 7 && 0 <= j + l && j + l < 8 ? x[i + k][j + l] : {number}) * w[k + 1][1];
            y[i][j] = s;
        }}
}}
"""


@pytest.mark.parametrize(("kind", "number"), [("float", "0.0f"), ("int", "3")])
def test_a_number_beyond_the_border_is_in_the_margin(kind: str, number: str, tmp_path: Path) -> None:
    """The window is a box then, whose sum is one statement, and nothing is chosen."""
    path = kernel_at(tmp_path, PADDED.format(t=kind, number=number))
    found = rewritten(read(path), [MARGINS])
    [sums] = [s for s in found.statements if len(s.iterators) == 4]
    assert "?" not in statement_text(sums) and local_extents(found)[-1] == (9, 10)
    assert run(promises.run(found), path, tmp_path) == "equal"


def test_other_orders_are_not_looked_for_where_boxes_are_far_shorter(tmp_path: Path) -> None:
    """Orders of windows with holes take isl half a minute for a layer of a network."""
    text = (
        PADDED.format(t="float", number="0.0f")
        .replace("[7][8]", "[70][80]")
        .replace("< 7", "< 70")
        .replace("< 8", "< 80")
    )
    forms = load_kernels(Source(str(kernel_at(tmp_path, text))))
    assert any(form.name == f"{MARGINS}-expanded" for form in forms)
    assert not any(word.startswith("schedule") for form in forms for word in form.rewrites)


def tap(offsets: tuple[int, int], beyond: str) -> str:
    """An element so far away in both dimensions, and what stands for one beyond any border."""
    below = [f"{i} + {by} >= 0" if by < 0 else f"{i} + {by} < 6" for i, by in zip("ij", offsets, strict=True) if by]
    there = "".join(f"[{i} + {by}]" for i, by in zip("ij", offsets, strict=True))
    return f"({' && '.join(below)} ? x{there} : {beyond})" if below else f"x{there}"


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.tuples(st.tuples(*[st.integers(-2, 2)] * 2), st.sampled_from(["x[i][j]", "0.0f", "2.0f", "x[0][j]"])),
        min_size=1,
        max_size=3,
    )
)
def test_any_windows_leave_the_results(
    tmp_path_factory: pytest.TempPathFactory, taps: list[tuple[tuple[int, int], str]]
) -> None:
    folder = tmp_path_factory.mktemp("windows")
    value = " + ".join(f"{at + 2}.0f * {tap(*one)}" for at, one in enumerate(taps))
    loops = "for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++)"
    path = kernel_at(folder, f"void kernel(const float x[6][6], float y[6][6])\n{{\n{loops} y[i][j] = {value};\n}}\n")
    found = rewritten(read(path), [MARGINS])
    assert run(promises.run(found), path, folder) == "equal"


def test_of_two_numbers_in_one_margin_one_is_chosen(tmp_path: Path) -> None:
    body = "y[i] = (i > 0 ? x[i - 1] : 0.0f) + (i < 8 ? x[i + 1] : 2.0f);"
    path = kernel_at(
        tmp_path, f"void kernel(const float x[9], float y[9])\n{{\nfor (int i = 0; i < 9; i++) {body}\n}}\n"
    )
    found = rewritten(read(path), [MARGINS])
    [whole] = [s for s in found.statements if s.write.array == "y"]
    assert statement_text(whole).count("?") == 1
    assert run(promises.run(found), path, tmp_path) == "equal"


def test_a_local_array_has_no_copy_beside_it(tmp_path: Path) -> None:
    text = """
void kernel(const float x[9], float y[9])
{
    float z[9];
    for (int i = 0; i < 9; i++) z[i] = x[i] * x[8 - i];
    for (int i = 0; i < 9; i++) y[i] = z[i] + (i > 0 ? z[i - 1] : z[i]);
}
"""
    path = kernel_at(tmp_path, text)
    found = rewritten(read(path), [MARGINS])
    assert len(found.statements) == 3 and local_extents(found) == [(10,)]
    assert run(promises.run(found), path, tmp_path) == "equal"


APART = {
    "something else computed": "y[i] = i > 0 ? x[i - 1] + 1 : x[i] * 2;",
    "elements that exist": "if (i > 3) y[i] = x[i] + 1; else y[i] = x[0] + 1;",
    "another element": "if (i > 0) y[i] = x[i - 1]; else z[i] = x[i];",
    "a value of another type": "y[i] = i > 0 ? x[i - 1] : 0;",
    "far beyond": f"y[i] = i > {WIDEST + 1} ? x[i - {WIDEST + 2}] : x[i];",
}


@pytest.mark.parametrize("body", APART.values(), ids=[*APART])
def test_what_differs_otherwise_stays_apart(body: str, tmp_path: Path) -> None:
    text = (
        f"void kernel(const float x[20], float y[20], float z[20])\n{{\nfor (int i = 0; i < 20; i++) {{ {body} }}\n}}\n"
    )
    assert with_margins(dependences(read(kernel_at(tmp_path, text)))) is None


def test_instances_that_come_twice_stay_apart(tmp_path: Path) -> None:
    """The second statement updates what the first one left."""
    body = "for (int i = 0; i < 9; i++) { if (i > 0) y[i] = x[i - 1]; if (i < 8) y[i] = x[i + 1]; }"
    path = kernel_at(tmp_path, f"void kernel(const float x[9], float y[9])\n{{\n{body}\n}}\n")
    assert with_margins(dependences(read(path))) is None


def test_the_form_is_built_again_and_its_designs_compute_the_same(tmp_path: Path) -> None:
    form_to_keep(kernel_at(tmp_path, around(2)), MARGINS, seed=7)
