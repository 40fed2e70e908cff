"""Results that show themselves: whoever has a text for people has it in notebooks, too."""

from __future__ import annotations

from html import escape


class Shown:
    """A value whose `str` is made for people."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"
