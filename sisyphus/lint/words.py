"""Rules on single words: literals and names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sisyphus.lint.design import Design
from sisyphus.lint.finding import Finding, finding

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """alignas alignof and and_eq asm bitand bitor break case catch class compl const_cast constexpr continue
    decltype default delete do dynamic_cast else enum explicit export extern false for friend goto if inline
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast return sizeof static_assert static_cast struct switch template this thread_local throw
    true try typedef typeid typename union using virtual wchar_t while xor xor_eq""",
    )
)
HLS_NAMES = frozenset(
    re.findall(
        r"\w+",
        """hls std ap_int ap_uint ap_fixed ap_ufixed ap_axiu ap_axis ap_wait ap_start ap_done ap_clk""",
    )
)

_DOUBLE = re.compile(r"(?!0[xX])(?:\d[\d']*\.\d*|\.\d+|\d[\d']*(?=[eE]))(?:[eE][+-]?\d+)?")


def check_words(design: Design) -> Iterator[Finding]:
    for function in design.unit.functions:
        words = {t.text for t in function.tokens}
        if "float" in words and "double" not in words:
            for token in function.tokens:
                if token.kind == "number" and _DOUBLE.fullmatch(token.text):
                    message = f"`{token.text}` is a double and makes its expression one"
                    yield finding("double-literal", token, message, f"write `{token.text}f`")
        names = {v.name: v.token for v in design.variables[function.name].values()}
        for name, token in {function.name: function.token, **names}.items():
            said = _reserved(name)
            if said:
                yield finding("reserved-name", token, f"`{name}` {said}", "rename it")


def _reserved(name: str) -> str | None:
    if name in KEYWORDS:
        return "is a word of C++"
    if name in HLS_NAMES:
        return "is a name of the HLS libraries and ports"
    if "__" in name or re.match(r"_[A-Z]", name):
        return "is reserved for the compiler and its libraries"
    return None
