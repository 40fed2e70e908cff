"""Constants of C as literals of the same value and type."""

from __future__ import annotations

import pytest

from sisyphus.frontend.c.literals import literal
from sisyphus.ir import DOUBLE, FLOAT, INT32, Literal


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("'A'", Literal("65", INT32)),
        (r"'\n'", Literal("10", INT32)),
        (r"'\''", Literal("39", INT32)),
        (r"'\x41'", Literal("65", INT32)),
        (r"'\101'", Literal("65", INT32)),
        (r"'\xe9'", None),  # whether a character has a sign is left to the compiler
        (r"'\q'", None),
        (r"'\x'", None),
        ("'é'", None),
        ("'ab'", None),
        ("0x1p-2", Literal("0.25", DOUBLE)),
        ("0x1.8p1f", Literal("3.0f", FLOAT)),
        ("1.5e3F", Literal("1.5e3f", FLOAT)),
        ("1.0L", None),
        ("0x1p99999", None),
        ("1.e", None),
    ],
)
def test_a_constant_keeps_its_value_and_type(text: str, found: Literal | None) -> None:
    assert literal(text) == found
