"""Quotients and remainders by constants that are affine all the same; knows no syntax.

y is 2*t in a loop with a step of two: y / 2 is t, y % 2 is 0. i is 0 to 7: (i + 8) / 8 is 1, (i + 8) % 8 is i.
"""

from __future__ import annotations

from sisyphus.poly import Affine, const


def quotient(op: str, value: Affine, by: int, interval: tuple[int, int] | None, *, signed: bool) -> Affine | None:
    """What C computes by `/`, `%`, `>>` or `&` of a value in an interval and a constant; None if that is not affine."""
    if op == ">>" and 0 <= by < 31:
        by, rounds_down = 1 << by, True
    elif op == "&" and by >= 0 and not by & (by + 1):
        by, rounds_down = by + 1, True
    elif op in ("/", "%") and by > 0:
        rounds_down = interval is not None and interval[0] >= 0
    else:
        return None
    is_quotient = op in ("/", ">>")
    whole, rest = divmod(value.constant, by)
    if all(factor % by == 0 for _, factor in value.terms) and (rounds_down or (signed and rest == 0)):
        parts = Affine.of(((name, factor // by) for name, factor in value.terms), whole)
        return parts if is_quotient else const(rest)
    if rounds_down and interval is not None and interval[0] // by == interval[1] // by:
        return const(interval[0] // by) if is_quotient else value - interval[0] // by * by
    return None
