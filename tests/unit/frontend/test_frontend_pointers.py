"""Pointers that move from element to element compute what C makes of them, and others are refused with a place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run_bodies

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.ir import ArrayId

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
