"""Names that a plan gives: unique, and none that C++ or HLS headers already use; knows no text of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable

CPP_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
    const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while xor xor_eq
"""
#: What our loops and headers call by these names; a local variable must not hide them.
HLS_NAMES = """
    hls ap_int ap_uint ap_fixed ap_ufixed vector stream memcpy memset std main size_t int8_t int16_t int32_t int64_t
    uint8_t uint16_t uint32_t uint64_t abs exp exp2 log log2 log10 pow sqrt cbrt sin cos tan asin acos atan atan2 sinh
    cosh tanh floor ceil round trunc fabs fmax fmin fmod fma
"""
ISL_WORDS = "exists mod floor ceil min max and or not infty true false implies rat"
RESERVED = frozenset(f"{CPP_KEYWORDS} {HLS_NAMES} {ISL_WORDS}".split())


class Names:
    """Hands out identifiers that are not yet taken; the same requests in the same order give the same names."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken) | RESERVED

    def take(self, wanted: str) -> str:
        """`wanted` made an identifier, with a number behind it where it is taken."""
        plain = wanted if wanted.isidentifier() else re.sub(r"\W+", "_", wanted)
        base = plain.strip("_") or "x"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def clash(self, wanted: Iterable[str]) -> frozenset[str]:
        """All names taken, if any of those wanted is among them; else none."""
        return frozenset() if self._taken.isdisjoint(wanted) else frozenset(self._taken)

    def child(self) -> Names:
        """An inner scope: what it takes stays free outside."""
        return Names(self._taken)
