"""Local variables that stand for elements: which give way to these, that results stay, and what keeps the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute import is_same
from builders import scop

from sisyphus.analysis import dependences, distribute, statement_text
from sisyphus.forms import IN_PLACE, LATCH, PANELS, SCHEDULE, in_place, proposals, rewritten, steps_of
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"


def read_c(tmp_path: Path, body: str) -> Scop:
    path = tmp_path / "kernel.c"
    path.write_text(f"void kernel(float A[8][8], float b[8], float y[8])\n{{\n    float w;\n{body}}}\n")
    return read(path)


SOLVE = """
    for (int i = 0; i < 8; i++) {
        w = b[i];
        for (int j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }
"""


def test_a_solve_works_in_the_element_that_it_finishes(tmp_path: Path) -> None:
    source = read_c(tmp_path, SOLVE)
    found = in_place(dependences(source))
    assert found is not None
    promises.run(found)
    assert dump(found).splitlines()[4:10] == [
        "S0[i] at (0, 0)",
        "  for 0 <= i, i <= 7",
        "  y[i]: float = b[i]",
        "S1[i, j] at (0, 1, 0)",
        "  for 0 <= j, i <= 7, j + 1 <= i",
        "  y[i]: float = (y[i] - (A[i][j] * y[j]))",
    ]
    assert is_same(source, found)


def test_two_variables_do_not_stand_for_one_element_at_a_time(tmp_path: Path) -> None:
    """The first takes the element; the other one is wanted while that is there."""
    source = read_c(
        tmp_path,
        """
    for (int i = 0; i < 8; i++) {
        float v, d;
        w = A[i][0];
        v = b[i];
        d = w * v;
        y[i] = d * d + d;
    }
""",
    )
    found = in_place(dependences(source))
    assert found is not None
    promises.run(found)
    assert [statement_text(s) for s in found.statements] == ["d = A[i][0]", "v = b[i]", "d = d * v", "y[i] = d * d + d"]
    assert is_same(source, found)


def test_a_variable_that_stands_for_one_that_stands_for_an_element_keeps_its_value(tmp_path: Path) -> None:
    """As the parameter of a helper that is copied into its sum; its value was lost."""
    path = tmp_path / "kernel.c"
    path.write_text("""
static float sum(float a, float b) { float s = a; for (int z = 0; z < 3; z++) s = s * 2 - b; return s; }
void kernel(float A[8][8], float y[8])
{
    for (int i = 0; i < 8; i++)
        y[i] *= 0.5f;
    for (int i = 0; i < 8; i++)
        y[i] = sum(A[i][0], A[0][i]);
}
""")
    source = read(path)
    found = in_place(dependences(source))
    assert found is not None
    promises.run(found)
    assert [statement_text(s) for s in found.statements][1:] == [
        "y[i] = A[i][0]",
        "b = A[0][i]",
        "y[i] = y[i] * 2 - b",
    ]
    assert is_same(source, found) and is_same(source, rewritten(source, [IN_PLACE]))


@pytest.mark.parametrize("order", ["vwx", "xwv"])
def test_variables_that_stand_for_each_other(order: str, tmp_path: Path) -> None:
    """Through however many, and where two of them are read by one statement."""
    first, second, third = order
    path = tmp_path / "kernel.c"
    path.write_text(f"""
void kernel(float A[8][8], float y[8], float b[8])
{{
    float v, w, x;
    for (int i = 0; i < 8; i++) {{
        {first} = A[i][1];
        {first} *= b[i];
        {second} = {first};
        {second} -= A[1][i];
        {third} = {second} + {second};
        {third} *= 0.5f;
        y[i] = {third};
        A[i][i] = {second};
    }}
}}
""")
    source = read(path)
    found = in_place(dependences(source))
    assert found is not None and is_same(source, found)


@pytest.mark.long
def test_ludcmp_without_its_variable_is_right_looking_and_in_panels() -> None:
    source = read(KERNELS / "ludcmp.c", defines=("N=13",))
    found = in_place(dependences(source))
    assert found is not None and not [a for a in found.arrays if a.role is Role.LOCAL]
    assert len(found.statements) == len(source.statements) - 4  # two copies in, two out
    again = dependences(found)
    first, *_ = proposals(again, distribute(source, dependences(source)))
    assert first.steps * 4 < steps_of(distribute(source, dependences(source)).body)
    form = rewritten(source, [IN_PLACE, SCHEDULE + first.text, f"{PANELS}3", LATCH])
    promises.run(form)
    assert is_same(source, found) and is_same(source, form)
    forms = {k.name: k.rewrites for k in load_kernels(Source(str(KERNELS / "ludcmp.c"), defines=("N=13",)))}
    assert forms["outer-k"][0] == forms["panels"][0] == IN_PLACE


@pytest.mark.parametrize(
    "body",
    [
        SOLVE.replace("* y[j]", "* y[i]"),  # the element is read while the variable changes
        SOLVE.replace("        y[i] = w;", "        b[i] = y[i];\n        y[i] = w;"),  # and here by a statement apart
        SOLVE.replace("        w = b[i];", "        w = b[i];\n        y[7] = A[i][i];"),  # it is written meanwhile
        "    w = b[0];"
        + SOLVE.replace("        w = b[i];", "        if (i > 0) w = b[i];"),  # a value comes from an iteration before
        SOLVE.replace("        y[i] = w;", "        if (i > 3) y[i] = w;"),  # not every element is written
        SOLVE.replace("        y[i] = w;", "        y[i] = w;\n        b[i] = w;"),  # two read the last value
        SOLVE.replace("        y[i] = w;", "    }\n    for (int i = 0; i < 8; i++) {\n        y[i] = w;"),
    ],
)
def test_a_variable_that_is_more_than_the_element_stays(tmp_path: Path, body: str) -> None:
    assert in_place(dependences(read_c(tmp_path, body))) is None


def test_a_variable_of_another_type_stays(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(f"void kernel(float A[8][8], float b[8], float y[8])\n{{\n    double w;\n{SOLVE}}}\n")
    assert in_place(dependences(read(path))) is None


def test_a_kernel_without_variables_has_nothing_to_put_in_place() -> None:
    built = scop("for i in range(5):\n    A[i] = A[i] + B[i]", A=(5,), B=(5,))
    assert in_place(dependences(built)) is None
    assert rewritten(built, [IN_PLACE]) is built
