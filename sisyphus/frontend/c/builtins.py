"""Functions that compilers have without a header, as C that does the same; knows no syntax.

`__builtin_popcount(x)` and its like count and turn round bits, `__builtin_sqrt` and its like are those of <math.h>.
"""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.frontend.c.mathlib import MATH

HEADER = "builtins of the compiler"
PREFIX = "__builtin_"

#: By name: what else it calls, and its definition. What C leaves undefined (leading zeros of 0) is some number.
BITS: dict[str, tuple[tuple[str, ...], str]] = {
    "popcount": (
        (),
        """static int __builtin_popcount(unsigned x) {
             unsigned pairs = x - ((x >> 1) & 0x55555555u);
             unsigned fours = (pairs & 0x33333333u) + ((pairs >> 2) & 0x33333333u);
             unsigned bytes = (fours + (fours >> 4)) & 0x0f0f0f0fu;
             unsigned halves = bytes + (bytes >> 8);
             return (int)((halves + (halves >> 16)) & 0x3fu); }""",
    ),
    "clz": (
        (),
        """static int __builtin_clz(unsigned x) {
             int by16 = x >> 16 ? 0 : 16;
             unsigned x16 = x << by16;
             int by8 = x16 >> 24 ? 0 : 8;
             unsigned x8 = x16 << by8;
             int by4 = x8 >> 28 ? 0 : 4;
             unsigned x4 = x8 << by4;
             int by2 = x4 >> 30 ? 0 : 2;
             unsigned x2 = x4 << by2;
             return by16 + by8 + by4 + by2 + (x2 >> 31 ? 0 : 1); }""",
    ),
    "ctz": (("popcount",), "static int __builtin_ctz(unsigned x) { return __builtin_popcount((x & (0u - x)) - 1u); }"),
    "ffs": (("ctz",), "static int __builtin_ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }"),
    "parity": (
        (),
        """static int __builtin_parity(unsigned x) {
             unsigned halves = x ^ (x >> 16);
             unsigned bytes = halves ^ (halves >> 8);
             unsigned fours = bytes ^ (bytes >> 4);
             unsigned pairs = fours ^ (fours >> 2);
             return (int)((pairs ^ (pairs >> 1)) & 1u); }""",
    ),
    "bswap16": (
        (),
        """static unsigned short __builtin_bswap16(unsigned short x) {
             return (unsigned short)((x << 8) | (x >> 8)); }""",
    ),
    "bswap32": (
        (),
        """static unsigned __builtin_bswap32(unsigned x) {
             return (x << 24) | ((x & 0xff00u) << 8) | ((x >> 8) & 0xff00u) | (x >> 24); }""",
    ),
    "bswap64": (
        ("bswap32",),
        """static unsigned long long __builtin_bswap64(unsigned long long x) {
             unsigned low = __builtin_bswap32((unsigned)x), high = __builtin_bswap32((unsigned)(x >> 32));
             return ((unsigned long long)low << 32) | high; }""",
    ),
    "popcountll": (
        ("popcount",),
        """static int __builtin_popcountll(unsigned long long x) {
             return __builtin_popcount((unsigned)x) + __builtin_popcount((unsigned)(x >> 32)); }""",
    ),
    "parityll": (
        ("parity",),
        "static int __builtin_parityll(unsigned long long x) { return __builtin_parity((unsigned)(x ^ (x >> 32))); }",
    ),
    "clzll": (
        ("clz",),
        """static int __builtin_clzll(unsigned long long x) {
             int is_low = x >> 32 ? 0 : 1;
             return 32 * is_low + __builtin_clz(is_low ? (unsigned)x : (unsigned)(x >> 32)); }""",
    ),
    "ctzll": (
        ("popcountll",),
        "static int __builtin_ctzll(unsigned long long x) { return __builtin_popcountll((x & (0ull - x)) - 1ull); }",
    ),
}


def definitions(names: Iterable[str]) -> str:
    """C that defines those of some names that are such functions, with what they call; empty where there is none."""
    found = dict[str, str]()
    for name in names:
        if name.startswith(PREFIX):
            _define(name.removeprefix(PREFIX), found)
    return "\n".join(found.values())


def _define(name: str, found: dict[str, str]) -> None:
    if name in found:
        return
    if name in BITS:
        others, text = BITS[name]
        for other in others:
            _define(other, found)
        found[name] = text
    elif name in MATH:
        signature = MATH[name]
        kinds = [kind.c_name for kind in signature.arguments]
        given = [f"{kind} x{at}" for at, kind in enumerate(kinds)]
        passed = ", ".join(f"x{at}" for at in range(len(kinds)))
        found[name] = (
            f"{signature.result.c_name} {name}({', '.join(kinds)});\n"
            f"static {signature.result.c_name} {PREFIX}{name}({', '.join(given)}) {{ return {name}({passed}); }}"
        )
