"""What a kernel returns, and variables of the file that it uses, are arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from compiled_scops import run

from sisyphus.backends.hls.reference import print_reference
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop

Kernel = Callable[..., Scop]
Refusal = Callable[..., list[str]]


def roles(scop: Scop) -> dict[str, Role]:
    return {str(a.id): a.role for a in scop.arrays if a.role is not Role.LOCAL}


def test_a_result_is_an_array_of_one_element_behind_the_arguments(kernel: Kernel) -> None:
    scop = kernel("double f(float A[8]) { double s = 0; for (int i = 0; i < 8; i++) s += A[i]; return s; }")
    last = scop.arguments[-1]
    assert (last.name, last.returned, last.type.c_name) == ("f_result", True, "double")
    assert roles(scop) == {"A": Role.IN, "f_result": Role.OUT}
    assert "*sisy_a1 = f((void *)sisy_a0);" in print_reference(scop)


def test_results_of_early_returns(kernel: Kernel) -> None:
    text = "int f(int A[8]) { for (int i = 0; i < 8; i++) A[i]++; if (A[0] > 3) return 1; else { return A[1]; } }"
    assert kernel(text).arguments[-1].returned


def test_a_structure_is_returned_field_by_field(kernel: Kernel) -> None:
    text = "typedef struct { float x; int n; } pair; pair f(float A[8]) { pair p = {A[0], 1}; A[1] = 0; return p; }"
    scop = kernel(text)
    assert [a.name for a in scop.arguments if a.returned] == ["f_result_x", "f_result_n"]
    assert "*sisy_of_sisy_result = f((void *)sisy_a2);" in print_reference(scop)


OF_THE_FILE = """
#include <complex.h>
typedef struct { int re, im; } pair;
static struct { pair z[3]; int n[2]; } banks[2];
static pair lines[2][4], one;
static float complex sum, sums[2];
void f(int x[8], float complex y[8]) {
  for (int i = 0; i < 8; i++) {
    x[i] += banks[1].z[2].im + lines[1][3].re + one.im;
    for (int k = 3; k > 0; k--) { lines[1][k].re = lines[1][k - 1].re; lines[0][k].im += lines[1][k].im; }
    lines[1][0].re = x[i]; banks[1].z[2].im = banks[0].z[1].re; banks[0].z[1].re = x[i];
    banks[0].n[1]++; if (++one.re > 3) one.re = 0;
    one.im = -x[i];
    y[i] += sum + sums[1]; sums[1] = sums[0]; sums[0] = y[i]; sum = y[i];
  }
}
"""


def test_structures_and_complex_numbers_of_the_file_come_and_go_field_by_field(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(OF_THE_FILE)
    scop = read(path)
    assert {a.outside for a in scop.arguments} >= {"banks[{}].n[{}]", "lines[{}][{}].re", "one.im"}
    assert run(scop, path, tmp_path) == "equal"


def test_what_may_end_without_a_number_is_refused(refusal: Refusal) -> None:
    assert refusal("int f(int A[8]) { A[0] = 1; if (A[1] > 0) return 1; }") == ["1:1 return-value"]
    assert refusal("int *f(int A[8]) { A[0] = 1; return A; }") == ["1:1 return-value"]


def test_variables_that_a_called_function_uses_are_arguments_and_no_others(kernel: Kernel) -> None:
    text = """
    float used[4], unused[4], hidden[4];
    static void g(float v) { for (int j = 0; j < 4; j++) used[j] += v; }
    void f(float hidden[8]) { for (int i = 0; i < 8; i++) g(hidden[i]); }
    """
    scop = kernel(text, function="f")
    assert {a.name: a.outside for a in scop.arguments} == {"hidden": "", "used": "used"}
    assert roles(scop)["used"] is Role.INOUT


def test_a_function_without_parameters_is_a_kernel(kernel: Kernel) -> None:
    text = "float A[8], B[8]; void f(void) { for (int i = 0; i < 8; i++) B[i] = A[i]; } int main(void) { f(); }"
    assert roles(kernel(text)) == {"A": Role.IN, "B": Role.OUT}


def test_a_function_that_takes_arrays_comes_before_those_that_work_on_the_file_s(kernel: Kernel) -> None:
    text = """float A[8];
    void fill(void) { for (int i = 0; i < 8; i++) A[i] = 1; }
    void f(float B[8]) { for (int i = 0; i < 8; i++) B[i] += 1; }
    int main(void) { fill(); f(A); }"""
    assert kernel(text).name == "f"


def test_numbers_of_the_file(kernel: Kernel) -> None:
    text = """
    int n = 6, i, total; float gain;
    void f(float A[8]) { for (i = 0; i < n; i++) { A[i] *= gain; total += 1; } }
    """
    scop = kernel(text)
    kinds = {a.outside: (a.kind, a.value) for a in scop.arguments if a.outside}
    assert kinds == {"n": ("parameter", 6), "total": ("array", None), "gain": ("scalar", None)}
    assert ["`i` counts loops" in note for note in scop.notes].count(True) == 1
    assert ["`n` is 6, its first value" in note for note in scop.notes].count(True) == 1
    assert kernel(text, params={"n": 8}).arguments[1].value == 8


def test_a_bound_that_the_file_changes_has_no_value(refusal: Refusal) -> None:
    text = """int n = 6;
    void f(float A[8]) { for (int i = 0; i < n; i++) A[i] = 0; }
    int main(void) { n = 8; float a[8]; f(a); }"""
    assert refusal(text, function="f") == ["2:46 unbound-parameter"]


def test_two_names_for_one_variable_are_refused(refusal: Refusal) -> None:
    text = """float A[8];
    void f(float B[8]) { for (int i = 1; i < 8; i++) B[i] = A[i - 1]; }
    int main(void) { f(A); }"""
    assert refusal(text) == ["2:5 aliasing"]
