"""Pointers that move from element to element compute what C makes of them, and others are refused with a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run_bodies

from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Role

Refusal = Callable[..., list[str]]

MOVES = [
    "int *p = b; for (int i = 0; i < 8; i++) *p++ = a[i];",
    "const int *p = a; for (int i = 0; i < 8; i++) b[i] = *p++;",
    "const int *p = a; int *q = b; for (int i = 0; i < 8; i++) *q++ = *p++;",
    "const int *p = a + 7; int *q = b; for (int i = 0; i < 8; i++) *q++ += *p-- * 2;",
    "int *p = &b[2]; for (int i = 0; i < 3; i++) { *p = a[i]; p += 2; p[-1] = 7; }",
    "int *p = b + 8; for (int i = 0; i < 8; i++) *--p = a[i];",
    "int *p = b - 1; for (int i = 0; i < 8; i++) *++p = a[i];",
    "int *p = b; for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) *p++ = a[4 * i + j];",
    "int *p = b; for (int i = 0; i < 2; i++, p += 4) { p[0] = a[i]; *(p + 3) = a[7 - i]; *(p + 2 - 1) = 5; }",
    "for (int i = 0; i < 2; i++) { const int *p = &a[4 * i]; for (int j = 0; j < 4; j++) b[i] += *p++; }",
    "int n = 8; int *p = b; const int *q = a; while (n--) *p++ = *q++;",
    "int *p = b; for (int i = 0; i < 2; i++) { fill(p, a[i]); p = p + 4; }",
    "int c[2][4]; int *p = c[1]; for (int j = 0; j < 4; j++) *p++ = a[j]; for (int j = 0; j < 4; j++) b[j] = c[1][j];",
    "for (int i = 0; i < 8; i++) *b++ = *a++;",
    "for (int i = 0; i < 4; i++) { int *p = b + i; for (int j = i; j < 8; j++) *p++ += less(i, a[7 - j]); }",
    "for (int i = 0; i < 4; i++) { int k = i; for (int j = i; j < 8; j++) { b[k] += less(a[i], j + i); k++; } }",
    "int k = 8; for (int i = 0; i < 8; i++) b[--k] = less(a[i], 3);",
    "int n = 3; for (int i = 0; i < 8; i++) { int m = n++ * a[i]; b[i] = less(m, a[i]) + --n; n += 2; }",
    "int n = 0; for (int i = 0; i < 8; i++) if (a[i] & 1) { if (++n == 2) b[i] = n; else if (less(n--, 3)) b[i]++; }",
    "int n = 2; float x = 2.5f; for (int i = 0; i < 8; i++) { if (n++ < a[i]) n = 0; if (x - n++) b[i] = n; }",
    "int *p = b; const int *q = a; for (int i = 0; i < 2; i++, q += 3) { fill(p++, less(*q++, 5)); }",
]
COMPARED = [
    "int *p = b; while (p != b + 8) *p++ = 1;",
    "const int *p = a, *end = a + 8; int *q = b; while (p < end) *q++ = 3 * *p++;",
    "int *q = b; for (const int *p = a, *e = &a[8]; p != e; ++p, ++q) *q = *p + 1;",
    "int *p; for (p = b; p < b + 8; p++) *p = a[p - b];",
    "int *p; for (p = b; p < b + 4; p++) *p = a[0]; for (p = &b[4]; p <= &b[7]; p += 2) p[1] = a[1];",
    "const int *p; int *q; for (p = a, q = b + 7; p < a + 8; ++p, --q) *q = *p;",
    "int *p; for (p = b; p < b + 8; p++) *p = 1; p = b + 1; *p++ = a[0]; *p = 5;"
    " for (p = b; p < b + 3; p += 2) *p += a[3];",
    "const int *p, *q; int i; for (i = 0, p = a + 7; i < 8; i++, p--) b[i] = *p;"
    " q = a; p = a; for (i = 0; i < 3; i++) b[i] += *p++ - q[1];",
    "const int *p; int *q; p = a; q = b; do { *q++ = *p++; } while (q < b + 8);",
    "int *lo = b, *hi = b + 7; while (lo < hi) { int t = *lo; *lo++ = *hi; *hi-- = t; }",
    "const int *end = a + 8; int *q = b; while (a < end) *q++ = *a++;",
    "int *end = b + 8; while (b < end) { fill(b, 3); b += 4; }",
    "int *p = b; for (int i = 0; i < 2; i++) { p = b + 4 * i; for (int j = 0; j < 4; j++) *p++ = a[j] + i; }",
    "for (int i = 0; i < 8; i += 4) { int *e = b + i + 4; for (int *p = b + i; p < e; p++) *p = a[p - b] + i; }",
    "int *p = b; for (int i = 0; i < 8; i++) { int *q = p++; *q = a[i]; }",
    "int c[2][8]; for (int i = 0; i < 2; i++) for (int *p = c[i], *e = c[i] + 8; p < e; p++) *p = a[p - c[i]] + i;"
    " for (int j = 0; j < 8; j++) b[j] = c[0][j] * c[1][j];",
    "int *p = b; for (int i = 0; i < 4; i++) { fill(p + i, a[i]); p += 1; *p = 2; p -= 1; }",
    "int *p = b; for (int i = 0; i < 7; i++) { int *q = p + 1; *q = a[i]; *p++ += 2; }",
    "int k = 2; if (a[0] > 50) { for (int i = 0; i < 4; i++) { b[k] = a[i]; k++; } } else b[k] = 7;",
]
FILL = """static void fill(int *to, int value) { for (int i = 0; i < 4; i++) *to++ = value; }
static int less(int x, int y) { return x < y ? x : y; }
"""


def test_pointers_that_move_compute_the_same(tmp_path: Path) -> None:
    assert run_bodies(MOVES, tmp_path, before=FILL) == "equal"


def test_pointers_that_are_compared_compute_the_same(tmp_path: Path) -> None:
    assert run_bodies(COMPARED, tmp_path, before=FILL) == "equal"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("int *p = b; for (int i = 0; i < 9; i++) *p++ = 1;", "out-of-bounds"),
        ("int *p = b; while (p != a + 8) *p++ = 1;", "2:55 pointer-arithmetic"),
        ("int *p = b; while (p < b + 9) *p++ = 1;", "out-of-bounds"),
        ("int *p = b, *e = b + a[0]; while (p < e) *p++ = 1;", "indirect-access"),
        ("int n = 8, *p = b, *e = b + n; n = 3; while (p < e) *p++ = n;", "pointer-arithmetic"),
        ("int *p; if (a[0]) p = b; else p = b + 1; for (int i = 0; i < 4; i++) *p++ = 1;", "aliasing"),
        ("int *p = b; for (int i = 0; i < 8; i++) { if (a[i]) p++; *p = 1; }", "indirect-access"),
        ("int *p = b; for (int i = 0; i < 8; i++) if (p++) b[i] = 1;", "pointer-arithmetic"),
        ("int *p = b; for (int i = 0; i < 8; i++) { int *q = p; p = q + a[i]; *q = 1; }", "pointer-arithmetic"),
        ("static int d[8]; static int *p = d; for (int i = 0; i < 4; i++) *p++ = 1;", "pointer-arithmetic"),
        ("int *p = b; p = p + 1; { int *p = b; *p = 1; }", "pointer-arithmetic"),
        ("int *p = b; for (int i = 0; i < 8; i++) { if (a[i]) p++; put(p, 1); }", "2:97 indirect-access"),
    ],
)
def test_what_moves_otherwise_is_refused(refusal: Refusal, body: str, rule: str) -> None:
    put = "static void put(int *to, int value) { *to = value; }\n"
    assert rule in str(refusal(f"{put}void f(const int a[8], int b[8]) {{ {body} }}"))


def test_what_a_function_sees_of_a_step_is_left_alone(refusal: Refusal) -> None:
    before = "static int n; static int seen(void) { return n; }\n"
    text = before + "void f(int b[8]) { n = 0; for (int i = 0; i < 8; i++) b[i] = n++ + seen(); }"
    assert refusal(text) == ["2:62 side-effect"]


def test_an_argument_that_moves_keeps_its_extents(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("void f(float *restrict x, float y[4]) { for (int i = 0; i < 4; i++) y[i] = *x++; }\n")
    assert read(path).array(ArrayId("x")).extents == (4,)
    assert read(path, extents=["x=4"]).array(ArrayId("x")).extents == (4,)


NUMBERS = """typedef struct { int zero, scale, shift; } quant;
static const quant one = {3, 7, 2};
static const quant many[2] = {{1, 2, 3}, {-4, 5, 1}};
static const int five = 5;
static int value(const int *x) { return *x; }
static int used(int v, const quant *q) {
  int r = v * q->scale; if (q->shift > 1) r -= q->zero; return r + value(&q->zero); }
static void both(int *x, int *y) { int p = *x, q = *y; if (p > q) { *x = q; *y = p; } }
"""
ADDRESSES = [
    "for (int i = 0; i < 8; i++) { int r = used(a[i], &one); if (r > 100) r = 100; b[i] = r - value(&five); }",
    "for (int i = 0; i < 8; i++) b[i] += used(a[i], &many[i & 1]) - used(a[i], &many[1]);",
    "quant own = {1, 2, 3}; own.scale = a[0]; for (int i = 0; i < 8; i++) b[i] -= used(a[i], &own);",
    "for (int i = 0; i < 8; i++) b[i] = a[i];"
    " for (int n = 0; n < 7; n++) for (int i = 0; i < 7; i++) both(&b[i], b + i + 1);",
    "int c[2][4] = {{1, 2}, {5, 6}}; for (int i = 0; i < 4; i++) { int v = *(c[1] + i) + *c[0]; b[i] += v; }",
    "const int n = 3; for (int i = 0; i < 8; i++) { int k = i + 2; b[i] += value(&n) * value(&k); }",
]


def test_addresses_of_numbers_stand_for_these(tmp_path: Path) -> None:
    assert run_bodies(ADDRESSES, tmp_path, before=NUMBERS) == "equal"


def test_fields_of_a_structure_given_by_value_may_be_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    body = "int r = used(a[i], &q); if (r > 9) r = 9; b[i] = r;"
    path.write_text(f"{NUMBERS}void f(int a[8], int b[8], quant q) {{ for (int i = 0; i < 8; i++) {{ {body} }} }}\n")
    scop = read(path, function="f")
    assert {array.id for array in scop.arrays if array.role is not Role.LOCAL} == {"a", "b"}
    assert [str(argument.name) for argument in scop.arguments][2:] == ["q_zero", "q_scale", "q_shift"]
