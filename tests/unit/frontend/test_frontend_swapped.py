"""Pointers that change places compute what C makes of them, by statements of each turn; others are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run, run_bodies

from sisyphus.frontend import read
from sisyphus.ir import Scop

Refusal = Callable[..., list[str]]

STEP = "for (int i = 1; i < 7; i++) to[i] = 3 * from[i - 1] - from[i + 1] + t;"
FILLED = "int c[3][8]; for (int i = 0; i < 8; i++) { c[0][i] = a[i]; c[1][i] = b[i]; c[2][i] = i; } "
SWAPS = [
    # which copy is read in the end depends on the number of steps
    *(
        f"{FILLED} int *from = b, *to = c[0]; for (int t = 0; t < {n}; t++) {{ {STEP} "
        "int *other = from; from = to; to = other; } for (int i = 0; i < 8; i++) b[i] = from[i] - 2 * to[i];"
        for n in (0, 1, 4, 5)
    ),
    # the third name declared before, a loop that counts otherwise, and a step behind the swap
    f"{FILLED} int *from = c[0], *to = &c[1][0], *other; int t = 0; "
    f"while (t < 3) {{ {STEP} other = to; to = from; from = other; t++; b[t] += *to; }}",
    # a helper that makes the step, and names that begin anew in each round of a loop outside
    f"int d[20]; for (int i = 0; i < 20; i++) d[i] = a[i % 8] + i; int *from = d, *to = d + 9 + 1;"
    f" for (int t = 0; t < 3; t++) {{ {STEP} int *other = from; from = to; to = other; b[t] = to[2] - *from; }}",
    f"{FILLED} for (int s = 0; s < 2; s++) {{ int *x = b; int *y = c[0]; "
    "for (int t = 0; t < 3; t++) { step(x, y, t + s); int *z = x; x = y; y = z; } }",
    # three that go round
    f"{FILLED} int *x = c[0], *y = c[1], *z = c[2], *w; "
    "for (int t = 0; t < 7; t++) { for (int i = 1; i < 7; i++) z[i] += 2 * y[i - 1] - x[i + 1]; "
    "w = x; x = y; y = z; z = w; } for (int i = 0; i < 8; i++) b[i] = x[i] + 2 * y[i] + 5 * z[i];",
]
HELPER = (
    "static void step(const int *from, int *to, int t) { for (int i = 1; i < 7; i++) to[i] = from[i - 1] * 2 + t; }\n"
)


def test_pointers_that_change_places_compute_the_same(tmp_path: Path) -> None:
    assert run_bodies(SWAPS, tmp_path, before=HELPER) == "equal"


def test_parameters_that_change_places_compute_the_same(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    loop = "int *other = a; a = b; b = other;"
    step = "for (int i = 1; i < 7; i++) for (int j = 0; j < 8; j++) b[i][j] = a[i - 1][j] + 3 * a[i + 1][j] - t;"
    path.write_text(
        f"void f(int a[8][8], int b[8][8]) {{ for (int t = 0; t < 5; t++) {{ {step} "
        f"{loop.replace('*other', '(*other)[8]')} }} }}\n"
    )
    assert run(read(path), path, tmp_path) == "equal"


def test_each_turn_has_statements_of_its_own_and_nothing_depends_on_data(kernel: Callable[..., Scop]) -> None:
    step = "for (int i = 1; i < 63; i++) y[i] = x[i - 1] + x[i + 1];"
    loop = f"for (int t = 0; t < 10; t++) {{ {step} float *z = x; x = y; y = z; }}"
    scop = kernel(f"void f(float a[64], float b[64]) {{ float *x = a, *y = b; {loop} }}")
    assert [(s.write.array, s.reads[0].array) for s in scop.statements] == [("b", "a"), ("a", "b")]
    assert {array.id for array in scop.arrays} == {"a", "b"}


@pytest.mark.parametrize(
    "loop",
    [
        "int *z = x; x = y; y = x;",  # both are the same then
        "int *z = x; x = y; y = z; b[t] = *z;",  # the carrier is read
        "int *z = x; x = y; y = z; x++;",
        "x = y;",
    ],
)
def test_what_moves_otherwise_is_refused(refusal: Refusal, loop: str) -> None:
    body = f"int *x = b, *y = a; for (int t = 0; t < 4; t++) {{ x[t] = y[t + 1]; {loop} }}"
    assert "pointer-arithmetic" in str(refusal(f"void f(int a[8], int b[8]) {{ {body} }}"))
