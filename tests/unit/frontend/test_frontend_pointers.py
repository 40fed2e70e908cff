"""Pointers that move from element to element compute what C makes of them, and others are refused with a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run_bodies

from sisyphus.errors import KernelError
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
]
FILL = "static void fill(int *to, int value) { for (int i = 0; i < 4; i++) *to++ = value; }\n"


def test_pointers_that_move_compute_the_same(tmp_path: Path) -> None:
    assert run_bodies(MOVES, tmp_path, before=FILL) == "equal"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("int *p = b; for (int i = 0; i < 9; i++) *p++ = 1;", "out-of-bounds"),
        ("int *p = b; while (p != b + 8) *p++ = 1;", "while-loop"),
        ("int *p = b; for (int i = 0; i < 8; i++) { if (a[i]) p++; *p = 1; }", "indirect-access"),
        ("int *p = b; for (int i = 0; i < 8; i++) if (p++) b[i] = 1;", "pointer-arithmetic"),
        ("int *p = b; for (int i = 0; i < 8; i++) { int *q = p++; *q = 1; }", "pointer-arithmetic"),
        ("static int d[8]; static int *p = d; for (int i = 0; i < 4; i++) *p++ = 1;", "pointer-arithmetic"),
        ("int *p = b; p = p + 1; { int *p = b; *p = 1; }", "pointer-arithmetic"),
    ],
)
def test_what_moves_otherwise_is_refused(refusal: Refusal, body: str, rule: str) -> None:
    assert rule in str(refusal(f"void f(const int a[8], int b[8]) {{ {body} }}"))


def test_an_argument_that_moves_keeps_its_extents(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("void f(float *restrict x, float y[4]) { for (int i = 0; i < 4; i++) y[i] = *x++; }\n")
    with pytest.raises(KernelError, match="extents"):
        read(path)
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
