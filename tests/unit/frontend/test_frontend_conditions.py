"""Conditions on data, jumps and calls become assignments that the rest of the house knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sisyphus.analysis import dependences, distribute, expand, reduction_of
from sisyphus.ir import Scop
from sisyphus.ir.scop_text import expression

Kernel = Callable[..., Scop]


def statements(scop: Scop) -> list[str]:
    return [f"{s.write} = {expression(s.rhs)}" for s in scop.statements]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("if (A[i] > m) m = A[i];", "max"),
        ("if (m > A[i]) m = A[i];", "min"),
        ("if (A[i] < 0) m += A[i];", None),
        ("if (!(A[i] > 0)) continue; m = fmaxf(m, A[i]);", None),
    ],
)
def test_a_kept_extreme_is_a_reduction(kernel: Kernel, text: str, op: str | None) -> None:
    scop = kernel(
        "#include <math.h>\nvoid f(float A[9], float B[1]) { float m = 0; "
        f"for (int i = 0; i < 9; i++) {{ {text} }} B[0] = m; }}"
    )
    found = reduction_of(scop.statements[1])
    assert (found.op if found else None) == op


ARGMIN = """
void f(const float A[9][7], int at[9]) {
  for (int i = 0; i < 9; i++) {
    float best = 1e30f;
    int where = 0;
    for (int j = 0; j < 7; j++)
      if (A[i][j] < best) { best = A[i][j]; where = j; }
    at[i] = where;
  }
}
"""


def test_what_a_condition_reads_is_changed_last(kernel: Kernel) -> None:
    assert statements(kernel(ARGMIN))[2:4] == [
        "where = ((A[i][j] < best) ? (j) : where)",
        "best = ((A[i][j] < best) ? A[i][j] : best)",
    ]


def test_the_loop_outside_of_an_arg_min_becomes_part_of_its_nest(kernel: Kernel) -> None:
    scop = kernel(ARGMIN)
    found = expand(scop, dependences(scop))
    assert found is not None
    assert [(e.array, e.over) for e in found.expanded] == [("best", ("i",)), ("where", ("i",))]
    nests = distribute(found.scop, dependences(found.scop)).nests
    assert [(n.statements, n.outer, n.iterators) for n in nests if len(n.statements) == 2] == [
        (("S2", "S3"), (), ("i", "j"))
    ]


def test_a_condition_that_both_ways_change_is_kept(kernel: Kernel) -> None:
    text = "void f(int A[9]) { for (int i = 0; i < 9; i++) if (A[i] > 3) { A[i] = 1; A[i] += 2; } }"
    assert statements(kernel(text)) == [
        "test = (A[i] > 3)",
        "A[i] = (test ? 1 : A[i])",
        "A[i] = (test ? (A[i] + 2) : A[i])",
    ]


def test_branches_that_assign_the_same_are_one_statement(kernel: Kernel) -> None:
    text = "void f(float A[9]) { for (int i = 0; i < 9; i++) if (A[i] > 1) A[i] = 1; else if (A[i] < 0) A[i] = 0; }"
    assert statements(kernel(text)) == ["A[i] = ((A[i] > float(1)) ? float(1) : ((A[i] < float(0)) ? float(0) : A[i]))"]


def test_what_the_left_side_of_or_keeps_from_being_read_is_read_in_no_case(kernel: Kernel) -> None:
    text = "void f(int A[9], int B[9]) { for (int i = 0; i < 9; i++) { int n = !i || A[i] != A[i - 1]; B[i] = n; } }"
    assert statements(kernel(text))[:2] == ["n = 1", "n = (A[i] != A[i - 1])"]


def test_a_read_that_no_side_keeps_in_range_is_refused(refusal: Callable[..., list[str]]) -> None:
    text = "void f(int A[9], int B[9]) { for (int i = 0; i < 9; i++) B[i] = i == 1 || A[i - 1]; }"
    assert refusal(text) == ["1:75 out-of-bounds"]


def test_a_division_stays_under_its_condition(kernel: Kernel) -> None:
    text = "void f(int A[9], int B[9]) { for (int i = 0; i < 9; i++) { if (A[i]) { int q = 8 / A[i]; B[i] = q; } } }"
    assert statements(kernel(text))[0] == "q = ((A[i] != 0) ? (8 / A[i]) : 0)"


def test_a_function_that_another_one_calls_is_part_of_it(kernel: Kernel) -> None:
    text = (
        "static void axpy(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] += x[i]; }\n"
        "void top(float A[4][8], float B[4][8]) { for (int j = 0; j < 4; j++) axpy(8, A[j], B[j]); }\n"
    )
    scop = kernel(text)
    assert (scop.name, statements(scop)) == ("top", ["B[j][i] = (B[j][i] + A[j][i])"])


def test_the_result_of_a_function_is_what_it_returns_at_its_end(kernel: Kernel) -> None:
    text = (
        "static float sum(const float x[8]) { float s = 0; for (int i = 0; i < 8; i++) s += x[i]; return s; }\n"
        "void top(float A[4][8], float B[4]) { for (int j = 0; j < 4; j++) B[j] = 2 * sum(A[j]); }\n"
    )
    assert statements(kernel(text))[-1] == "B[j] = (float(2) * s)"


def test_a_clamped_subscript_is_one_thing_here_and_another_there(kernel: Kernel) -> None:
    text = "void f(float A[9], float B[9]) { for (int i = 0; i < 9; i++) B[i] = A[i > 0 ? i - 1 : 0]; }"
    assert statements(kernel(text)) == ["B[i] = A[0]", "B[i] = A[i - 1]"]


def test_the_statements_of_a_function_in_a_condition_come_before_it(kernel: Kernel) -> None:
    text = (
        "static int last(int a) { int s = a; for (int k = 0; k < 3; k++) s += k; return s; }\n"
        "void f(int A[9]) { for (int i = 0; i < 9; i++) if (last(A[i]) > 4) A[i] = 0; }\n"
    )
    assert statements(kernel(text)) == ["a = A[i]", "s = a", "s = (s + (k))", "A[i] = ((s > 4) ? 0 : A[i])"]


def test_a_new_variable_is_new_in_every_case(kernel: Kernel) -> None:
    text = (
        "void f(int A[9], int B[9]) { for (int i = 0; i < 9; i++) "
        "if (A[i] > 0) { int q = B[i < 8 ? i + 1 : 8] / A[i]; B[i] = q; } }"
    )
    assert [s for s in statements(kernel(text)) if s.startswith("q")] == [
        "q = ((A[i] > 0) ? (B[i + 1] / A[i]) : 0)",
        "q = ((A[i] > 0) ? (B[8] / A[i]) : 0)",
    ]


def test_a_static_function_is_no_kernel_beside_another_one(kernel: Kernel) -> None:
    text = (
        "static void unused(float A[4]) { for (int i = 0; i < 4; i++) A[i] = 0; }\n"
        "void taken(float A[4]) { for (int i = 0; i < 4; i++) A[i] = 1; }\n"
    )
    assert kernel(text).name == "taken"


def test_a_number_that_only_chooses_between_values_needs_no_value(kernel: Kernel) -> None:
    text = "void f(int mode, int A[9]) { for (int i = 0; i < 9; i++) { int t = mode + 1; if (t > 2) A[i] = t; } }"
    assert statements(kernel(text))[-1] == "A[i] = ((t > 2) ? t : A[i])"
