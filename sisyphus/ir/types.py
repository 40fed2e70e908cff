"""Scalar types of C as values; knows no kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

Kind = OneOf["float", "int", "uint", "bool"]


@dataclass(frozen=True)
class ScalarType:
    """A C arithmetic type; `bits` is its storage width on the LP64 machines that Vitis and gcc target."""

    kind: Kind
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def c_name(self) -> str:
        """How C and C++ spell it."""
        if self.kind == "float":
            return {32: "float", 64: "double"}[self.bits]
        if self.kind == "bool":
            return "bool"
        name = {8: "signed char", 16: "short", 32: "int", 64: "long long"}[self.bits]
        if self.kind == "uint":
            return "unsigned char" if self.bits == 8 else f"unsigned {name}"
        return name

    @property
    def key(self) -> str:
        """Short name used in data files and reports: float, double, int8 … uint64; uint1 is a `bool`."""
        if self.kind == "bool":
            return "uint1"
        return self.c_name if self.kind == "float" else f"{self.kind}{self.bits}"

    def __str__(self) -> str:
        return self.key


FLOAT = ScalarType("float", 32)
DOUBLE = ScalarType("float", 64)
INT8, INT16, INT32, INT64 = (ScalarType("int", b) for b in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (ScalarType("uint", b) for b in (8, 16, 32, 64))
#: Stored in a byte; every conversion to it compares with zero.
BOOL = ScalarType("bool", 8)
ALL_TYPES = (FLOAT, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)


def promote(left: ScalarType, right: ScalarType) -> ScalarType:
    """Type of a binary arithmetic operation by C's usual arithmetic conversions."""
    if left.is_float or right.is_float:
        return DOUBLE if DOUBLE in (left, right) else FLOAT
    left, right = (INT32 if t.bits < 32 else t for t in (left, right))
    if left.kind == right.kind:
        return left if left.bits >= right.bits else right
    signed, unsigned = (left, right) if left.kind == "int" else (right, left)
    return signed if signed.bits > unsigned.bits else unsigned
