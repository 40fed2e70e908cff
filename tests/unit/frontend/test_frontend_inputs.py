"""What people write around their loops: pointers with extents, literals, long texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Literal, Scop
from sisyphus.ir.scop_text import expression

Kernel = Callable[..., Scop]
POINTERS = "void f(float *restrict a, float *b) { for (int i = 0; i < 9; i++) b[i] = a[2 * i]; }"


def test_pointers_get_their_extents_from_the_command_line(kernel: Kernel) -> None:
    scop = kernel(POINTERS, extents=("a=20", "b=9"))
    assert [scop.array(ArrayId(name)).extents for name in "ab"] == [(20,), (9,)]
    assert scop.origin.extents == ("a=20", "b=9")
    with pytest.raises(KernelError, match="no pointer `c`"):
        kernel(POINTERS, extents=("a=20", "b=9", "c=1"))


def test_rows_behind_a_pointer_are_one_vector_and_those_of_an_open_array_rows(kernel: Kernel) -> None:
    loops = "for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++)"
    text = f"void f(float *a, float (*b)[5]) {{ {loops} b[i][j] = a[5 * i + j]; }}"
    scop = kernel(text, extents=("a=4,5", "b=4"))
    assert [scop.array(ArrayId(name)).extents for name in "ab"] == [(20,), (4, 5)]


def test_pointers_have_as_many_elements_as_their_subscripts_reach(kernel: Kernel) -> None:
    """In the triangle that is run through, not in the box around it."""
    loops = "for (int i = 0; i < 9; i++) for (int j = 0; i + j < 9; j++)"
    scop = kernel(f"void f(const float *a, float b[][5], int *c) {{ {loops} b[i / 2][0] += a[2 * i + j]; }}")
    assert [array.extents for array in scop.arrays] == [(17,), (5, 5), (1,)]
    said = [note for note in scop.notes if "subscripts reach" in note]
    assert [note.split(",")[0] for note in said] == ["`a` is taken to have 17 elements", "`b` is taken to have 5 rows"]


def test_what_is_given_for_a_pointer_counts(kernel: Kernel, refusal: Callable[..., list[str]]) -> None:
    assert kernel(POINTERS, extents=("a=20",)).array(ArrayId("a")).extents == (20,)
    assert "out-of-bounds" in refusal(POINTERS, extents=("a=16",))[0]
    assert "out-of-bounds" in refusal(POINTERS.replace("2 * i", "i - 1"))[0]


def test_the_hint_names_the_option_and_as_many_subscripts_as_are_used(kernel: Kernel) -> None:
    with pytest.raises(KernelError) as caught:
        kernel("void f(const float *a, const int x[9], float y[9]) { for (int i = 0; i < 9; i++) y[i] = a[x[i]]; }")
    (found,) = caught.value.diagnostics
    assert found.hint == "give its extent with `--extent a=...`, or declare it as `a[N]`"


def test_literals_have_the_values_and_types_of_c(kernel: Kernel) -> None:
    scop = kernel(
        "void f(long A[9], int B[9]) { for (int i = 0; i < 010; i++) { A[i] = i + 10000000000; B[i] = 010; } }"
    )
    assert [expression(s.rhs) for s in scop.statements] == ["(int64((i)) + 10000000000)", "010"]
    literal = scop.statements[1].rhs
    assert isinstance(literal, Literal)
    assert literal.integer == 8


def test_an_infinity_is_a_constant(kernel: Kernel) -> None:
    scop = kernel("#include <math.h>\nvoid f(float A[2]) { A[0] = -HUGE_VALF; A[1] = NAN; }")
    assert [expression(s.rhs) for s in scop.statements] == ["(-__builtin_huge_valf())", '__builtin_nanf("")']


@pytest.mark.long
def test_a_long_text_is_no_endless_macro(kernel: Kernel) -> None:
    loops = "".join(f"for (int i = 0; i < N; i++) A[i] = A[i] * {k}.0f + 1.0f;\n" for k in range(1500))
    assert len(kernel(f"#define N 4\nvoid f(float A[N]) {{\n{loops}}}").statements) == 1500


def test_types_of_arrays_have_names(kernel: Kernel) -> None:
    scop = kernel(
        "typedef float mat[4][5];\n"
        "void f(mat A) { mat t; for (int i = 0; i < 4; i++) { t[i][0] = 1; A[i][0] = t[i][0]; } }"
    )
    assert [a.extents for a in scop.arrays] == [(4, 5), (4, 5)]
