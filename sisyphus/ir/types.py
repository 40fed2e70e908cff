"""Scalar types of C as values; knows no kernel."""

from __future__ import annotations

from typing import Literal as OneOf

from sisyphus.values import dataclass

Kind = OneOf["float", "int", "uint", "bool"]
#: Bits of C's own integers.
WIDTHS = (8, 16, 32, 64)


@dataclass(frozen=True)
class ScalarType:
    """A C arithmetic type, or an integer of another width that lies in one.

    `bits` is the width of the numbers on chip; in memory they are of the type `stored`, with the sizes of the LP64
    machines that Vitis and gcc target.
    """

    kind: Kind
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def stored(self) -> ScalarType:
        """The narrowest type of C that holds it: the type itself, but for integers of other widths."""
        if self.is_float or self.bits in WIDTHS:
            return self
        return ScalarType(self.kind, next(width for width in WIDTHS if width > self.bits))

    @property
    def promoted(self) -> ScalarType:
        """The type after C's integer promotion, which sees what it is stored as."""
        return self if self.is_float else INT32 if self.bits < 32 else self.stored

    @property
    def bytes(self) -> int:
        """In memory."""
        return self.stored.bits // 8

    @property
    def c_name(self) -> str:
        """How C and C++ spell it; an integer of a width that C has not, how Vitis HLS does."""
        if self != self.stored:
            return f"ap_{self.kind}<{self.bits}>"
        if self.kind == "float":
            return {16: "half", 32: "float", 64: "double"}[self.bits]
        if self.kind == "bool":
            return "bool"
        name = {8: "signed char", 16: "short", 32: "int", 64: "long long"}[self.bits]
        if self.kind == "uint":
            return "unsigned char" if self.bits == 8 else f"unsigned {name}"
        return name

    @property
    def c99_name(self) -> str:
        """How C spells what lies in memory, where C++ for synthesis has another name."""
        return "_Float16" if self == HALF else self.stored.c_name

    @property
    def key(self) -> str:
        """Short name used in data files and reports: half, float, double, int8 … uint64; uint1 is a `bool`."""
        if self.kind == "bool":
            return "uint1"
        return self.c_name if self.kind == "float" else f"{self.kind}{self.bits}"

    def __str__(self) -> str:
        return self.key


HALF = ScalarType("float", 16)
FLOAT = ScalarType("float", 32)
DOUBLE = ScalarType("float", 64)
INT8, INT16, INT32, INT64 = (ScalarType("int", b) for b in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (ScalarType("uint", b) for b in (8, 16, 32, 64))
#: Stored in a byte; every conversion to it compares with zero.
BOOL = ScalarType("bool", 8)
ALL_TYPES = (HALF, FLOAT, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)

#: Functions that take the bits of a number as one of another type, which are no names of C, by both types.
REINTERPRET = {
    (FLOAT, UINT32): "float_to_bits",
    (UINT32, FLOAT): "bits_to_float",
    (DOUBLE, UINT64): "double_to_bits",
    (UINT64, DOUBLE): "bits_to_double",
}


def promote(left: ScalarType, right: ScalarType) -> ScalarType:
    """Type of a binary arithmetic operation by C's usual arithmetic conversions."""
    if left.is_float or right.is_float:
        return max((t for t in (left, right) if t.is_float), key=lambda t: t.bits)
    left, right = left.promoted, right.promoted
    if left.kind == right.kind:
        return left if left.bits >= right.bits else right
    signed, unsigned = (left, right) if left.kind == "int" else (right, left)
    return signed if signed.bits > unsigned.bits else unsigned
