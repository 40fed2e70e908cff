"""Constants as the source spells them to literals that C++ reads the same way; knows no names."""

from __future__ import annotations

from sisyphus.frontend.c.c_types import integer_literal
from sisyphus.ir import DOUBLE, FLOAT, INT32, Literal

ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}


def literal(text: str) -> Literal | None:
    """The literal for a numeric or character constant, or None where it has no type we know."""
    if text.startswith("'"):
        value = character(text)
        return None if value is None else Literal(str(value), INT32)
    lowered = text.lower()
    is_hex = lowered.startswith("0x")
    if ("p" in lowered) if is_hex else any(c in lowered for c in ".e"):
        return _floating(text, is_hex=is_hex)
    found = integer_literal(text)
    return Literal(text, found[1]) if found else None


def _floating(text: str, *, is_hex: bool) -> Literal | None:
    if text[-1] in "lL":
        return None
    single = text[-1] in "fF"
    digits = text[:-1] if single else text
    try:
        value = float.fromhex(digits) if is_hex else float(digits)
    except (ValueError, OverflowError):
        return None
    if is_hex:
        digits = repr(value)
    return Literal(digits + "f", FLOAT) if single else Literal(digits, DOUBLE)


def character(text: str) -> int | None:
    """Value of a plain ASCII character constant."""
    body = text[1:-1]
    if body.startswith("\\"):
        code = body[1:]
        if code in ESCAPES:
            return ESCAPES[code]
        try:
            value = int(code[1:], 16) if code[:1] == "x" else int(code, 8)
        except ValueError:
            return None
    elif len(body) == 1 and ord(body) < 128:
        value = ord(body)
    else:
        return None
    return value if value < 128 else None


def beyond_numbers(left: Literal, right: Literal) -> Literal | None:
    """What `INFINITY` and `NAN` are written as in headers (`1.0f / 0.0f`), as a constant that takes no division."""
    above, below = (float(part.text.rstrip("fF")) for part in (left, right))
    if below:
        return None
    suffix = "f" if left.type == FLOAT else ""
    text = f"__builtin_huge_val{suffix}()" if above else f'__builtin_nan{suffix}("")'
    return Literal(text, left.type)
