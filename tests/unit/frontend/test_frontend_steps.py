"""Indices that are corrected step by step mean what one expression for each means."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sisyphus.ir import Scop
from sisyphus.ir.scop_text import dump

Kernel = Callable[..., Scop]
WRITTEN = {
    "int y = i - 1; if (y < 0) y = 0; if (y > 5) y = 5;": "int c = i - 1 < 0 ? 0 : i - 1; int y = c > 5 ? 5 : c;",
    "int y = i + 3; if (y > 6) y -= 7; else y++;": "int y = i + 3 > 6 ? i + 3 - 7 : i + 3 + 1;",
    "int y; y = i; if (i == 2) { y = 7; } y = 7 - y;": "int c = i == 2 ? 7 : i; int y = 7 - c;",
}


def text(steps: str) -> str:
    return f"void k(float A[8], float B[8]) {{ for (int i = 0; i < 8; i++) {{ {steps} B[i] += A[y]; }} }}"


@pytest.mark.parametrize("steps", WRITTEN)
def test_steps_are_one_expression(kernel: Kernel, steps: str) -> None:
    def lines(scop: Scop) -> list[str]:
        return [line for line in dump(scop).splitlines() if "kernel.c" not in line and "sha" not in line]

    assert lines(kernel(text(steps))) == lines(kernel(text(WRITTEN[steps])))


@pytest.mark.parametrize(
    "steps",
    [
        "int y = 0; for (int j = 0; j < 2; j++) y = j;",
        "int y = 0; if (A[i] > 0) { B[0] = 1; y = (int)A[i]; }",
        "int y = i; { int y = 3; y = 2; B[y] = 0; } y = (int)A[y];",
    ],
)
def test_other_changes_are_data(refusal: Callable[..., list[str]], steps: str) -> None:
    assert any("indirect-access" in found for found in refusal(text(steps)))


def test_a_name_of_an_inner_block_is_another_one(kernel: Kernel) -> None:
    inside = "int y = i; { int y = 3; B[y] = 0; } "
    assert len(kernel(text(inside)).statements) == 2


@pytest.mark.parametrize(
    ("loop", "plain"),
    [
        ("for (int y = 0; y < 8; y += 2) B[y / 2] = A[y % 2];", "for (int y = 0; y < 4; y++) B[y] = A[0];"),
        ("for (int y = 5; y < 8; y++) B[y >> 2] = A[y - 5 & 3];", "for (int y = 5; y < 8; y++) B[1] = A[y - 5];"),
        ("for (int y = -4; y < 4; y += 4) B[y / 4 + 1] = A[0];", "for (int y = 0; y < 2; y++) B[y] = A[0];"),
        (
            "for (unsigned y = 8; y-- > 1u;) B[y] = A[y]; for (unsigned y = 0; y < 1; y += 5) B[y] = A[y];",
            "for (int y = 7; y >= 1; y--) B[y] = A[y]; B[0] = A[0];",
        ),
    ],
)
def test_quotients_and_countdowns_are_affine_where_c_makes_them_so(kernel: Kernel, loop: str, plain: str) -> None:
    def touched(body: str) -> list[str]:
        scop = kernel(f"void k(float A[8], float B[8]) {{ {body} }}")
        return sorted(str(a.relation.range()) for s in scop.statements for a in s.accesses)

    assert touched(loop) == touched(plain)


@pytest.mark.parametrize("subscript", ["i * i / 2", "63 * i % 32 % (i + 1)", "i / (2 - i)", "(i - 1) / (i + 1)"])
def test_other_quotients_are_no_affine_subscripts_of_what_is_written(
    refusal: Callable[..., list[str]], subscript: str
) -> None:
    refused = refusal(f"void k(float B[8]) {{ for (int i = 0; i < 8; i++) B[{subscript}] = 1; }}")
    assert any("affine-subscript" in found for found in refused)
