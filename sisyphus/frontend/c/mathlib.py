"""The functions of <math.h> and <stdlib.h> that a kernel may call on data: their argument and result types."""

from __future__ import annotations

from sisyphus.frontend.c.c_types import convert
from sisyphus.ir import DOUBLE, FLOAT, INT32, Call, Expr, ScalarType
from sisyphus.ir.types import INT64, REINTERPRET, UINT32, UINT64
from sisyphus.values import dataclass

ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p "
    "log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc"
)
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
THREE = "fma"


@dataclass(frozen=True)
class Signature:
    arguments: tuple[ScalarType, ...]
    result: ScalarType


def _table() -> dict[str, Signature]:
    table = dict[str, Signature]()
    for count, names in ((1, ONE), (2, TWO), (3, THREE)):
        for name in names.split():
            table[name] = Signature((DOUBLE,) * count, DOUBLE)
            table[name + "f"] = Signature((FLOAT,) * count, FLOAT)
    table["abs"] = Signature((INT32,), INT32)
    table["labs"] = table["llabs"] = Signature((INT64,), INT64)
    return table


MATH = _table()


def as_bits(value: Expr, kind: ScalarType) -> Expr | None:
    """The bits of a value as a number of another type; None where that is not as long."""
    own = value.type
    if own.bits != kind.bits or own.stored.bits != kind.stored.bits:
        return None
    if own.is_float == kind.is_float:
        return convert(value, kind)
    through = UINT64 if kind.bits == UINT64.bits else UINT32
    first, last = (value, through) if own.is_float else (convert(value, through), kind)
    name = REINTERPRET.get((first.type, last))
    return None if name is None else convert(Call(name, (first,), last), kind)
