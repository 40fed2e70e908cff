"""Results that show themselves: whoever has a text for people has it in notebooks, too; how amounts are told."""

from __future__ import annotations

import re
from html import escape


class Shown:
    """A value whose `str` is made for people."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"


def counted(amount: int, plural: str) -> str:
    """`1 DSP`, `1,200 DSPs`, `1 bank of one array`: an amount of things whose plural is made by an `s` alone."""
    return f"{amount:,} {re.sub(r'(?<=[a-zA-Z0-9])s(?![a-zA-Z])', '', plural, count=1) if amount == 1 else plural}"
