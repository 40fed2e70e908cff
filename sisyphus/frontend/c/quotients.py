"""Quotients and remainders by constants that are affine all the same; knows no syntax.

y is 2*t in a loop with a step of two: y / 2 is t, y % 2 is 0. i is 0 to 7: (i + 8) / 8 is 1, (i + 8) % 8 is i, and
(i + 1) % 8 is i + 1 - 8 in the case i + 1 >= 8, else i + 1.
"""

from __future__ import annotations

from collections.abc import Callable

from sisyphus.poly import Affine, const
from sisyphus.values import dataclass

#: Quotients that one value may have beside multiples of the divisor, each of which is a case.
MOST_QUOTIENTS = 8


@dataclass(frozen=True)
class Known:
    """What is known of values where they are divided.

    `interval` holds a value, where one is known; `holds` says whether a value is at least 0 in this case (None where no
    cases are told apart). Only what is `signed` may be below 0.
    """

    interval: Callable[[Affine], tuple[int, int] | None]
    holds: Callable[[Affine], bool] | None
    signed: bool


def quotient(op: str, value: Affine, by: int, known: Known) -> Affine | None:
    """What C computes by a division or with bits of a value and a constant; None if that is affine in no case.

    With bits of a constant below the first one, or of one that has a single bit.
    """
    if op == ">>" and 0 <= by < 31:
        return _rounded_down(value, 1 << by, known)[0]
    if op == "&" and by >= 0 and not by & (by + 1):
        return _rounded_down(value, by + 1, known)[1]
    if op in ("&", "^", "|") and by > 0 and not by & (by - 1):
        return _with_bit(op, value, by, known)
    if op not in ("/", "%") or by <= 0:
        return None
    at, found = "/%".index(op), known.interval(value)
    if found is not None and found[0] >= 0:
        return _rounded_down(value, by, known)[at]
    if not known.signed:
        return None
    whole, rest = _rounded_down(value, by, known, only_multiples=True)
    if rest == const(0):
        return (whole, rest)[at]
    # C rounds towards zero.
    if found is not None and found[1] <= 0:
        is_negative = True
    elif found is not None and known.holds is not None:
        is_negative = not known.holds(value)
    else:
        return None
    part = _rounded_down(value * -1 if is_negative else value, by, known)[at]
    return part * -1 if is_negative and part is not None else part


def _with_bit(op: str, value: Affine, bit: int, known: Known) -> Affine | None:
    """A value with one bit alone, turned round or set: i ^ 4 is i + 4 - 8 * (i / 4 % 2), also below zero."""
    above = _rounded_down(value, bit, known)[0]
    found = None if above is None else _rounded_down(above, 2, known)[1]
    if found is None or op == "&":
        return None if found is None else found * bit
    return value - found * (2 * bit if op == "^" else bit) + bit


def _rounded_down(
    value: Affine, by: int, known: Known, *, only_multiples: bool = False
) -> tuple[Affine | None, Affine | None]:
    """The quotient, rounded down, and the remainder, 0 to by - 1; two times None if they are affine in no case."""
    multiples = Affine.of(((name, _nearest(factor, by)) for name, factor in value.terms), value.constant // by)
    rest = value - multiples * by
    if rest.is_constant:
        return multiples, rest
    found = None if only_multiples else known.interval(rest)
    if found is None:
        return None, None
    low, high = found[0] // by, found[1] // by
    if high > low and (known.holds is None or high - low >= MOST_QUOTIENTS):
        return None, None
    while low < high and known.holds is not None:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if known.holds(rest - middle * by) else (low, middle - 1)
    return multiples + low, rest - low * by


def _nearest(factor: int, by: int) -> int:
    """The quotient that leaves the least rest, of two alike the one towards zero: 11 / 12 is 1, 6 / 12 is 0."""
    whole, rest = divmod(abs(factor), by)
    return (whole + (2 * rest > by)) * (1 if factor > 0 else -1)
