"""A scop as C source without loops: every instance as one assignment, in the order of the source.

It shares nothing with code generation, so it can stand for the original of a kernel that never had a C file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sisyphus.ir import (
    Binary,
    Call,
    Cast,
    Expr,
    Index,
    Literal,
    Lookup,
    Origin,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Select,
    Statement,
    Unary,
)
from sisyphus.poly import each_point

MOST = 20_000


def with_source(scop: Scop) -> Scop:
    """The same scop, its origin a C file that does what the scop does."""
    return replace(scop, origin=Origin("straight.c", source(scop), scop.name, "0" * 64))


def source(scop: Scop) -> str:
    arrays = {a.id: a for a in scop.arrays}
    parameters = []
    for argument in scop.arguments:
        extents = arrays[argument.name].extents if argument.kind == "array" else ()  # type: ignore[index]
        star = "*" if argument.kind == "array" and not extents else ""
        parameters.append(f"{argument.type.c_name} {star}{argument.name}" + "".join(f"[{e}]" for e in extents))
    lines = ["#include <math.h>", "#include <stdbool.h>", f"void {scop.name}({', '.join(parameters)})", "{"]
    lines += [
        f"static const {table.type.c_name} {table.id}"
        + "".join(f"[{e}]" for e in table.extents)
        # A flat list fills the rows in the order of memory.
        + f" = {{{', '.join(_text(v, {}, set()) for v in table.values)}}};"
        for table in scop.tables
    ]
    lines += [
        f"static {array.type.c_name} {array.id}" + "".join(f"[{e}]" for e in array.extents) + ";"
        for array in scop.arrays
        if array.role is Role.LOCAL
    ]
    pointers: set[str] = {a.id for a in scop.arrays if a.role is not Role.LOCAL and not a.extents}
    order = [(_time(s, point), s, point) for s in scop.statements for point in each_point(s.domain, MOST)]
    lines += [
        f"{_ref(statement.write, point, pointers)} = {_text(statement.rhs, point, pointers)};"
        for _, statement, point in sorted(order, key=lambda item: item[0])
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _time(statement: Statement, point: Mapping[str, int]) -> tuple[int, ...]:
    times = [statement.position[0]]
    for name, place in zip(statement.iterators, statement.position[1:], strict=True):
        times += [point[name], place]
    return tuple(times)


def _ref(ref: Ref, point: Mapping[str, int], pointers: set[str]) -> str:
    if ref.array in pointers:
        return f"(*{ref.array})"
    return ref.array + "".join(f"[{e.evaluate(point)}]" for e in ref.index)


def _text(expr: Expr, point: Mapping[str, int], pointers: set[str]) -> str:
    def text(e: Expr) -> str:
        return _text(e, point, pointers)

    match expr:
        case Literal(text=literal):
            return literal
        case Scalar(name=name):
            return name
        case Index(value=value):
            return f"({value.evaluate(point)})"
        case Read(ref=ref):
            return _ref(ref, point, pointers)
        case Cast(operand=operand, type=kind):
            return f"(({kind.c_name}){text(operand)})"
        case Unary(op=op, operand=operand):
            return f"({op}({text(operand)}))"
        case Binary(op=op, left=left, right=right):
            return f"({text(left)} {op} {text(right)})"
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(text, arguments))})"
        case Lookup(table=table, index=index):
            return table + "".join(f"[{text(i)}]" for i in index)
        case Select(condition=condition, then=then, other=other):
            return f"({text(condition)} ? {text(then)} : {text(other)})"
    raise AssertionError(expr)
