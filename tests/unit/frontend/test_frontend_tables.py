"""Constant tables: what they hold, and which subscripts are known to stay inside of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run, run_bodies

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.ir.scop_text import expression

Kernel = Callable[..., Scop]
TABLE = "static const short lut[6] = {1, -2, 3};\n"


def test_a_table_is_no_array_and_has_all_its_values(kernel: Kernel) -> None:
    scop = kernel(TABLE + "void f(int A[6]) { for (int i = 0; i < 6; i++) A[i] = lut[i]; }")
    assert [a.id for a in scop.arrays] == ["A"]
    (table,) = scop.tables
    assert (table.id, table.extents, [expression(v) for v in table.values]) == (
        "lut",
        (6,),
        ["1", "(-2)", "3", "0", "0", "0"],
    )


INSIDE = [
    "lut[x[i] & 3]",
    "lut[u[i] % 6]",
    "lut[x[i] < 0 ? 0 : x[i] > 5 ? 5 : x[i]]",
    "x[i] >= 0 && x[i] <= 5 ? lut[x[i]] : 0",
    "lut[(u[i] >> 6) + 2]",
    "lut[(x[i] > 2) + 2 * (u[i] == 1)]",
    "lut[5 - (x[i] & 5)]",
]
OUTSIDE = [
    ("lut[x[i]]", "may be -128 to 127"),
    ("lut[u[i] % 7]", "may be 0 to 6"),
    ("lut[x[i] % 6]", "may be -5 to 5"),
    ("lut[x[i] > 5 ? 5 : x[i]]", "may be -128 to 5"),
    ("x[i] >= 0 || x[i] <= 5 ? lut[x[i]] : 0", "may be -128 to 127"),
]


def text(expr: str) -> str:
    return (
        TABLE
        + f"void f(signed char x[9], unsigned char u[9], int y[9]) {{ for (int i = 0; i < 9; i++) y[i] = {expr}; }}"
    )


@pytest.mark.parametrize("expr", INSIDE)
def test_a_subscript_that_stays_inside_is_accepted(kernel: Kernel, expr: str) -> None:
    assert "lut[" in expression(kernel(text(expr)).statements[0].rhs)


@pytest.mark.parametrize(("expr", "words"), OUTSIDE)
def test_a_subscript_that_may_leave_the_table_is_refused(kernel: Kernel, expr: str, words: str) -> None:
    with pytest.raises(KernelError, match=words):
        kernel(text(expr))


CLAMPED = """
    for (int i = 0; i < 9; i++) {
      int k = x[i];
      if (k < 0) k = 0;
      if (k > 5) k = 5;
      %s
      y[i] = lut[k];
    }
"""


def test_a_clamped_scalar_is_known_until_it_changes(kernel: Kernel) -> None:
    head = TABLE + "void f(signed char x[9], int y[9]) {"
    assert kernel(head + CLAMPED % "" + "}").tables
    with pytest.raises(KernelError, match="may be 1 to 6"):
        kernel(head + CLAMPED % "k++;" + "}")
    with pytest.raises(KernelError, match="may be"):
        kernel(head + CLAMPED % "for (int j = 0; j < 2; j++) { y[i] += lut[k]; k = k + x[j]; }" + "}")


CARRIED = [
    "int k = 0; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k += a[i] & 7; if (k > 5) k = 5; }",
    "int k = 5; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k += a[i]; if (k < 0) k = 0; else if (k > 4) k = 4; }"
    " b[0] += lut[k];",
    "int k = 0, s = 1;"
    " for (int i = 0; i < 8; i++) { if (a[i] & 1) continue; b[i] = lut[k]; k = (k + s) % 6; s = 3 - (k & 1); }",
    "int k = 0; for (int i = 0; i < 4; i++) { for (int j = 0; j < 2; j++) { b[2 * i + j] = lut[k]; k = a[j] % 3 + 2; }"
    " if (k > 3) k = 1; b[i] -= lut[k]; }",
    "int k = 0; for (int i = 0; i < 8; i++) { b[i] = lut[k]; if (a[i] & 1) { k = 3; break; } k = a[i] & 3; }"
    " b[0] += lut[k];",
]
LEAVING = [
    "int k = 0; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k += a[i] & 7; }",
    "int k = 6; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k = a[i] & 3; }",
    "int k = 0; for (int i = 0; i < 8; i++) { if (k > 5) k = 5; b[i] = lut[k < 0 ? 0 : k]; k += a[i]; b[i] = lut[k]; }",
    "int k = 0; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k = 3; k = lut[k + 3]; }",
    "int k = 0, l = 0; for (int i = 0; i < 8; i++) { b[i] = lut[k]; k = l; l = l + 1; if (k > 5) k = 5; }",
]


def test_a_number_that_every_round_leaves_in_a_range_looks_up(tmp_path: Path) -> None:
    assert run_bodies(CARRIED, tmp_path, before=TABLE) == "equal"


@pytest.mark.parametrize("body", LEAVING)
def test_a_number_that_a_round_may_take_out_of_its_range_does_not(kernel: Kernel, body: str) -> None:
    with pytest.raises(KernelError, match="but `lut` has 6 elements"):
        kernel(f"{TABLE}void f(const int a[8], int b[8]) {{ {body} }}")


@pytest.mark.parametrize(("largest", "is_inside"), [(5, True), (6, False)])
def test_what_a_table_holds_bounds_a_subscript_of_another_one(kernel: Kernel, largest: int, is_inside: bool) -> None:
    source = f"static const unsigned char order[4] = {{{largest}, 0, 2, 1}};\n" + text("lut[order[x[i] & 3]]")
    if is_inside:
        assert "lut[" in expression(kernel(source).statements[0].rhs)
    else:
        with pytest.raises(KernelError, match="may be 0 to 6"):
            kernel(source)


PLACES = """static const int dx[4] = {1, 0, -1, 2};
static const signed char at[3][2] = {{0, 2}, {1, 1}, {3, -1}};
enum { STEPS = 4 };
"""
LOOKED_UP = [
    "for (int i = 1; i < 6; i++) for (int k = 0; k < STEPS; k++) b[i + dx[k]] += a[i] * (k + dx[STEPS - 1 - k]);",
    "for (int i = 0; i < 8; i++) for (int k = 3; k >= 0; k--) {"
    " int x = i + dx[k]; if (x < 0 || x >= 8) continue; b[i] -= b[x] + a[k]; }",
    "int c[4][4]; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[i][j] = a[i] - j;"
    " for (int k = 0; k < 3; k++) for (int i = 0; i < 8; i++) if (at[k][1] > 0) b[i] += c[at[k][0]][at[k][1]];",
    "for (int k = 0; k < 4; k++) for (int i = 2 - dx[k]; i < 6 - dx[k]; i++) b[i] += a[i + dx[k]] * k;",
]


def test_places_in_tables_are_known_for_each_value_of_a_short_loop(kernel: Kernel, tmp_path: Path) -> None:
    assert run_bodies(LOOKED_UP, tmp_path, before=PLACES) == "equal"
    body = "for (int i = 1; i < 6; i++) for (int k = 0; k < 3; k++) b[i] += a[i + dx[k]];"
    scop = kernel(f"{PLACES}void f(int a[8], int b[8]) {{ {body} }}")
    assert [str(s.reads[1].index[0]) for s in scop.statements] == ["i + 1", "i", "i - 1"]
    assert not scop.tables


def test_a_counter_that_wraps_around_looks_up(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("""
    static const short wave[8] = {0, 7, 10, 7, 0, -7, -10, -7};
    void f(unsigned phase, unsigned step, short y[20]) {
      for (int i = 0; i < 20; i++) { y[i] = wave[phase >> 29]; phase += step << 20; if (phase > 3u << 29) phase += 5; }
    }""")
    scop = read(path)
    assert run(scop, path, tmp_path) == "equal"
    assert [a.kind for a in scop.arguments] == ["scalar", "scalar", "array"]


def test_many_places_are_looked_up_by_data(kernel: Kernel) -> None:
    text = "static const int to[32] = {3, 1};\nvoid f(int a[8], int b[32])"
    scop = kernel(f"{text} {{ for (int k = 0; k < 32; k++) b[k] = a[to[k]]; }}")
    assert len(scop.statements) == 1 and [table.id for table in scop.tables] == ["to"]
