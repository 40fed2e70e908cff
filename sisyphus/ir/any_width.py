"""The types of sisy_types.h: their names, and the C that defines them; knows no kernel.

A number of W bits lies in the narrowest integer of C that holds it. C has no operators on other widths, so a value is
computed in C's own types, and a function says what becomes of one that W bits do not hold:

    sisy_int12 x = sisy_int12_wrap(a * b);         the low 12 bits, as ap_int<12> keeps (AP_WRAP)
    sisy_fixed16_6 y = sisy_fixed16_6_mul(u, v);   6 of 16 bits before the point, rounded down (AP_TRN)
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from sisyphus.ir.types import ScalarType
from sisyphus.values import dataclass

HEADER = "sisy_types.h"
#: The folder of the header, for the `-I` of a C compiler.
INCLUDE_DIR = Path(__file__).parent / "include"
#: Products of wider fixed-point numbers would not fit in 64 bits.
WIDEST_FIXED = 32

_NAME = re.compile(r"sisy_(?P<sign>u?)(?:int(?P<bits>[1-9][0-9]?)|fixed(?P<whole>[1-9][0-9]?)_(?P<before>[0-9]+))")
_USE = re.compile(rf"(?P<type>{re.sub(r'[?]P<[a-z]+>', '?:', _NAME.pattern)})(?:_(?P<function>[a-z_]+))?")

PRELUDE = r"""
#define SISY_ONES(W) (~0ULL >> (64 - (W)))
#define SISY_LARGEST(W) ((long long)(SISY_ONES(W) >> 1))
#define SISY_SIGNED(NAME, W, STORED) \
typedef STORED NAME; \
static inline STORED NAME##_wrap(long long v) { \
  return (STORED)(long long)((((unsigned long long)v & SISY_ONES(W)) ^ (1ULL << ((W) - 1))) - (1ULL << ((W) - 1))); } \
static inline STORED NAME##_saturate(long long v) { \
  return (STORED)(v > SISY_LARGEST(W) ? SISY_LARGEST(W) : v < -SISY_LARGEST(W) - 1 ? -SISY_LARGEST(W) - 1 : v); }
#define SISY_UNSIGNED(NAME, W, STORED) \
typedef STORED NAME; \
static inline STORED NAME##_wrap(long long v) { return (STORED)((unsigned long long)v & SISY_ONES(W)); } \
static inline STORED NAME##_saturate(long long v) { \
  return (STORED)(v < 0 ? 0 : (unsigned long long)v > SISY_ONES(W) ? SISY_ONES(W) : (unsigned long long)v); }
#define SISY_POINT(NAME, F, STORED, WIDE, ONE, STEP) \
static inline STORED NAME##_add(STORED a, STORED b) { return NAME##_wrap((WIDE)a + (WIDE)b); } \
static inline STORED NAME##_sub(STORED a, STORED b) { return NAME##_wrap((WIDE)a - (WIDE)b); } \
static inline STORED NAME##_mul(STORED a, STORED b) { return NAME##_wrap((WIDE)a * (WIDE)b >> (F)); } \
static inline STORED NAME##_div(STORED a, STORED b) { return NAME##_wrap((long long)a * (1LL << (F)) / b); } \
static inline STORED NAME##_from_int(long long v) { return NAME##_wrap(v * (1LL << (F))); } \
static inline long long NAME##_to_int(STORED a) { return (long long)a >> (F); } \
static inline STORED NAME##_of(double v) { \
  return NAME##_wrap((long long)(v * ONE) - ((double)(long long)(v * ONE) > v * ONE)); } \
static inline double NAME##_to_double(STORED a) { return a * STEP; } \
static inline float NAME##_to_float(STORED a) { return a * STEP##f; }
"""


@dataclass(frozen=True)
class AnyWidth:
    """A type of the header; `point` is the number of bits behind the point, None for an integer."""

    name: str
    type: ScalarType
    point: int | None = None

    @property
    def definition(self) -> str:
        """The lines of the header that define it, by macros of the prelude."""
        bits, stored = self.type.bits, self.type.stored.c_name
        signed = self.type.kind == "int"
        lines = [f"SISY_{'SIGNED' if signed else 'UNSIGNED'}({self.name}, {bits}, {stored})"]
        if self.point is not None:
            wide = ("" if signed else "unsigned ") + ("int" if bits <= 16 else "long long")
            one, step = f"{float(1 << self.point)!r}", f"0x1p-{self.point}"
            lines.append(f"SISY_POINT({self.name}, {self.point}, {stored}, {wide}, {one}, {step})")
        return "\n".join(lines)


def named(name: str) -> AnyWidth | None:
    """The type of that name, None where the header has none."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    kind = ScalarType("uint" if match["sign"] else "int", int(match["bits"] or match["whole"]))
    if match["bits"]:
        return AnyWidth(name, kind) if kind.bits <= 64 else None
    before = int(match["before"])
    usable = kind.bits <= WIDEST_FIXED and before <= kind.bits
    return AnyWidth(name, kind, kind.bits - before) if usable else None


def used(word: str) -> tuple[AnyWidth, str] | None:
    """The type that an identifier is or is a function of, and the function's name (`wrap`); "" for the type itself."""
    match = _USE.fullmatch(word)
    found = named(match["type"]) if match else None
    return (found, match["function"] or "") if match and found else None


def definitions(names: Collection[str]) -> str:
    """A header that defines some of the types."""
    found = [kind.definition for kind in map(named, names) if kind is not None]
    guard = "SISY_TYPES_H"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", *PRELUDE.strip().splitlines(), *found, "#endif", ""])


def whole_header() -> str:
    """All of it: integers of 1 to 64 bits, fixed-point numbers of 1 to 32 bits with the point anywhere in them."""
    names = [f"sisy_{sign}int{bits}" for sign in ("", "u") for bits in range(1, 65)]
    names += [
        f"sisy_{sign}fixed{bits}_{before}"
        for sign in ("", "u")
        for bits in range(1, WIDEST_FIXED + 1)
        for before in range(bits + 1)
    ]
    about = (
        "/* Integers of 1 to 64 bits and fixed-point numbers of 1 to 32 bits in plain C, made by\n"
        "   scripts/make_types_header.py. A value lies in the narrowest integer of C that holds it. NAME_wrap(v) and\n"
        "   NAME_saturate(v) make one of any integer. sisy_fixedW_I has W bits, I of them before the point, the sign\n"
        "   included; NAME_of(0.5), _from_int, _to_int, _to_double and _to_float convert, _add, _sub, _mul and _div\n"
        "   compute. Results are rounded down (of _div: towards zero) and wrap around. */\n"
    )
    return about + definitions(names)
