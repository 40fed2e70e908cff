"""Arrays of which no affine subscripts say which elements are read: all reads of one are look-ups; knows no C."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import INT32, ArrayId, Expr, Index, Lookup, Read, Statement, rebuild


def looked_up(statements: Sequence[Statement], variables: Iterable[Variable], collector: Collector) -> list[Statement]:
    """The statements with their reads of such arrays as look-ups; an array that is written, too, is a fault.

    y[i] = lut[x[i]] + lut[0]      has no access to `lut` whose element is known: it needs the whole array, unchanged
    """
    written = {s.write.array for s in statements}
    tables = {v.id: v for v in variables if v.looked_up is not None}
    for variable in tables.values():
        if variable.id in written:
            collector.report(
                "indirect-access",
                f"no affine subscript says what is read of `{variable.name}`, and the kernel writes `{variable.name}`",
                variable.looked_up,
                hint="compute the table before, in a kernel of its own",
            )
    return [replace(s, rhs=rebuild(s.rhs, lambda e: _as_lookup(e, tables))) for s in statements]


def _as_lookup(expr: Expr, tables: Mapping[ArrayId, Variable]) -> Expr:
    if not isinstance(expr, Read) or expr.ref.array not in tables:
        return expr
    table = tables[expr.ref.array]
    return Lookup(
        table.id, table.extents, tuple(Index(index, INT32) for index in expr.ref.index), table.type, loaded=True
    )
