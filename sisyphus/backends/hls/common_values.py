"""Which values a body computes several times, so that the text gives each a name; prints nothing.

p[i] += d * d;   q[i] += d * m;   with d = x[j] - x[i], which no variable of the kernel holds any more, becomes
const float value_0 = x[j] - x[i];   p[i] += value_0 * value_0;   q[i] += value_0 * m;
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from sisyphus.ir import ALL_TYPES, ArrayId, Binary, Call, Expr, Lookup, Select, Unary, children, reads, walk

#: Of type int in C, and conditions in C++.
_TRUTH = frozenset({"&&", "||", "!", "<", "<=", ">", ">=", "==", "!="})


def common_values(values: Sequence[Expr], written: Collection[ArrayId], named: Collection[Expr] = ()) -> list[Expr]:
    """The parts with operators that some values compute several times, each behind its own parts.

    None reads an array of `written` or is `named` already, and each is computed whatever conditions say.
    """
    uses: Counter[Expr] = Counter()
    order: list[Expr] = []
    sure: set[Expr] = set()

    def count(expr: Expr) -> None:
        uses[expr] += 1
        if uses[expr] == 1:
            for part in children(expr):
                count(part)
            order.append(expr)

    def compute(expr: Expr) -> None:
        if expr not in sure:
            sure.add(expr)
            for part in _always_computed(expr):
                compute(part)

    for value in values:
        count(value)
        compute(value)
    several = (expr for expr in order if uses[expr] > 1 and expr in sure and expr not in named)
    return [expr for expr in several if _may_have_name(expr, written)]


def _always_computed(expr: Expr) -> tuple[Expr, ...]:
    """The parts that are computed whatever the others are."""
    is_cut_short = isinstance(expr, Select) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
    return children(expr)[:1] if is_cut_short else children(expr)


def _may_have_name(expr: Expr, written: Collection[ArrayId]) -> bool:
    is_condition = isinstance(expr, Unary | Binary) and expr.op in _TRUTH
    has_operator = any(isinstance(e, Binary | Call | Select | Lookup) for e in walk(expr))
    return has_operator and not is_condition and expr.type in ALL_TYPES and not _reads_any(expr, written)


def _reads_any(expr: Expr, arrays: Collection[ArrayId]) -> bool:
    return any(ref.array in arrays for ref in reads(expr))
