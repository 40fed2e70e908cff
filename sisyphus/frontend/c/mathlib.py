"""The functions of <math.h> and <stdlib.h> that a kernel may call on data: their argument and result types."""

from __future__ import annotations

from sisyphus.ir import DOUBLE, FLOAT, INT32, ScalarType
from sisyphus.ir.types import INT64
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
