"""`static` variables of functions: tables, local variables, or arguments that bring what they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run

from sisyphus.backends.hls.reference import print_reference, source_in
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop

Kernel = Callable[..., Scop]

STATES = {
    "a shift register": """
void f(int y[1], const int c[8], int x)
{
  static int z[8];
  int sum = 0;
  for (int i = 7; i > 0; i--) { z[i] = z[i - 1]; sum += z[i] * c[i]; }
  z[0] = x;
  y[0] = sum + x * c[0];
}""",
    "shared by all calls of a function": """
#include <stdbool.h>
static int low(int x)
{
  static int z[3] = {1, 2, 3}, last; static bool odd = true;
  int y = z[0] + z[1] + z[2] + last;
  z[2] = z[1]; z[1] = z[0]; z[0] = x; last = x;
  if (odd) y = y + 1;
  odd = !odd;
  return y;
}
void f(int x[9], int y[9]) { for (int i = 0; i < 9; i++) y[i] = low(x[i]) - low(y[i]); }""",
    "declared in a loop, set under a condition": """
void f(int x[9], int y[9])
{
  for (int i = 0; i < 9; i++) { static int most; if (x[i] > most) most = x[i]; y[i] = most; }
}""",
    "a structure of numbers and arrays": """
void f(int x[9], int y[9])
{
  static struct { int z[2], n; } s = {{4, 5}, 1};
  for (int i = 0; i < 9; i++) { y[i] = x[i] - s.z[0] - 2 * s.z[1]; s.z[1] = s.z[0]; s.z[0] = y[i] + s.n; s.n ^= 1; }
}""",
    "structures in a row, of one function that is called twice": """
typedef struct { int re, im; } pair;
static void low(pair *x)
{
  static pair z[3], last = {.im = 7}; static int n[2][2];
  x->re += z[2].re + last.im + n[0][1]; x->im -= z[1].im;
  for (int k = 2; k > 0; k--) z[k] = z[k - 1];
  z[0] = *x; last.im = x->re; n[0][1]++; n[1][0] = x->im;
}
void f(pair x[9]) { for (int i = 0; i < 9; i++) { low(&x[i]); low(&x[8 - i]); } }""",
    "a structure that a function gets the address of, and complex numbers": """
#include <complex.h>
typedef struct { int s[2], n; } state;
static void step(state *s, int x) { s->s[1] = s->s[0] + s->n; s->s[0] = x; s->n -= x; }
void f(int x[9], float complex y[9])
{
  static state s; static float complex a, b[2];
  for (int i = 0; i < 9; i++) {
    step(&s, x[i]); x[i] = s.s[1] + s.n; y[i] += a + b[1]; b[1] = b[0]; b[0] = y[i]; a = y[i];
  }
}""",
    "never reached": """
void f(int x[9]) { for (int i = 0; i < 9; i++) { if (x[i] > 2000) { static int n; n += 1; x[i] = n; } x[i] += 1; } }""",
}


@pytest.mark.parametrize("name", STATES)
def test_what_lives_on_comes_and_goes_as_an_argument(name: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(STATES[name])
    scop = read(path, function="f")
    assert run(scop, path, tmp_path) == "equal"
    assert source_in(print_reference(scop)) == STATES[name] + "\n"


def test_a_function_that_keeps_arrays_is_a_kernel(kernel: Kernel) -> None:
    text = "int f(int x) { static int z[4]; for (int i = 3; i > 0; i--) z[i] = z[i - 1]; z[0] = x; return z[3]; }"
    assert kernel(text).name == "f"


def roles(scop: Scop) -> dict[str, Role]:
    return {str(a.id): a.role for a in scop.arrays if a.role is not Role.LOCAL}


def test_a_number_and_an_array_that_live_on(kernel: Kernel) -> None:
    scop = kernel(
        "void f(int A[4]) { static int n = 7, z[4]; n++; for (int i = 0; i < 4; i++) { z[i]++; A[i] = z[i] + n; } }"
    )
    assert roles(scop) == {"A": Role.OUT, "n": Role.INOUT, "z": Role.INOUT}
    assert [a.kept and (a.kept.name, a.kept.column) for a in scop.arguments] == [None, ("n", 42), ("z", 42)]
    assert any("`n` lives from call to call, so that it is an argument, at first `7`" in note for note in scop.notes)


@pytest.mark.parametrize(
    "text",
    [
        "static int t[4] = {1, 2, 3, 4}; for (int i = 0; i < 4; i++) A[i] += t[i];",
        "static int t[4] = {1, 2, 3, 4}; for (int i = 0; i < 4; i++) A[i] += sum(t, i);",
        "static int t[4]; for (int i = 0; i < 4; i++) t[i] = A[i]; for (int i = 0; i < 4; i++) A[i] += t[3 - i];",
        "static int t = 3; t = A[0]; for (int i = 0; i < 4; i++) A[i] += t;",
        "for (int i = 0; i < 4; i++) { static int t[2]; t[0] = A[i]; t[1] = i; A[i] = t[0] + t[1]; }",
        "static int i; for (i = 0; i < 4; i++) A[i] += 1;",
    ],
)
def test_what_is_only_read_or_always_written_first_is_no_argument(kernel: Kernel, text: str) -> None:
    helper = "static int sum(int *t, int i) { return t[i] + t[3 - i]; }\n"
    assert roles(kernel(f"{helper}void f(int A[4]) {{ {text} }}", function="f")) == {"A": Role.INOUT}
