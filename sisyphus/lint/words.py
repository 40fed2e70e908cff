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


#: Names of C and C++ that stand for subnormal numbers or tell them from others.
SUBNORMAL_NAMES = frozenset({"FLT_TRUE_MIN", "DBL_TRUE_MIN", "denorm_min", "isnormal", "fpclassify", "FP_SUBNORMAL"})
_DECIMAL = re.compile(r"((?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([fF]?)")
_HEXADECIMAL = re.compile(r"(0[xX][\da-fA-F']*\.?[\da-fA-F]*[pP][+-]?\d+)([fF]?)")
#: The smallest normal numbers, by the suffix of a literal.
SMALLEST = {"f": 2.0**-126, "": 2.0**-1022}


def check_words(design: Design) -> Iterator[Finding]:
    for function in design.unit.functions:
        for token in function.tokens:
            if token.text in SUBNORMAL_NAMES or (token.kind == "number" and _is_subnormal(token.text)):
                message = f"`{token.text}` is about subnormal numbers, which are zeros to AMD's floating-point cores"
                yield finding("subnormal", token, message, "scale the data, or compare with the smallest normal number")
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


def _is_subnormal(text: str) -> bool:
    """Whether a literal is not zero and below the smallest normal number of its type."""
    for pattern, read in ((_DECIMAL, float), (_HEXADECIMAL, float.fromhex)):
        match = pattern.fullmatch(text)
        if match is not None:
            digits = re.split("[eEpP]", match[1].lower().removeprefix("0x"))[0]
            is_zero = not digits.strip("0.'")
            return not is_zero and abs(read(match[1].replace("'", ""))) < SMALLEST[match[2].lower()]
    return False


def _reserved(name: str) -> str | None:
    if name in KEYWORDS:
        return "is a word of C++"
    if name in HLS_NAMES:
        return "is a name of the HLS libraries and ports"
    if "__" in name or re.match(r"_[A-Z]", name):
        return "is reserved for the compiler and its libraries"
    return None
