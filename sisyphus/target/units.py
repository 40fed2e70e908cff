"""Sizes and amounts as people type them, exact to the unit; knows no device."""

from __future__ import annotations

import re
from fractions import Fraction

_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "kiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_NUMBER = r"([0-9]{1,18}(?:\.[0-9]{1,18})?|\.[0-9]{1,18})"
_SIZE = re.compile(_NUMBER + r"\s*([A-Za-z]*)")
_PERCENT = re.compile(_NUMBER + r"\s*%")
_WHOLE = re.compile(r"[0-9]{1,18}")


def parse_size(text: str) -> int:
    """Bytes in a text such as `7.2MB`, `64 KiB` or `4096`, rounded down to a whole byte.

    MB is 10^6 bytes and MiB is 2^20; an upper-case B is asked for, since Mb is a megabit. `ValueError` for other texts.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"`{text}` is not a size; write a number and a unit, as in 7.2MB or 64KiB")
    number, unit = match.groups()
    if unit not in _BYTES:
        raise ValueError(f"`{text}` has the unknown unit `{unit}`; known are B, kB, MB, GB, KiB, MiB and GiB")
    return int(Fraction(number) * _BYTES[unit])


def parse_amount(text: str, total: int) -> int:
    """A count such as `2000`, or a share of `total` such as `80%`, rounded down; `ValueError` for other texts."""
    text = text.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    match = _PERCENT.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is not an amount; write a whole number or a percentage, as in 2000 or 80%")
    share = Fraction(match.group(1)) / 100
    if share > 1:
        raise ValueError(f"`{text}` is more than there is; a percentage goes up to 100%")
    return int(share * total)
