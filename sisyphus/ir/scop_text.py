"""A stable text of a Scop for people and tests; knows nothing of where it came from."""

from __future__ import annotations

from sisyphus.errors import InternalError
from sisyphus.ir.expr import Binary, Call, Cast, Expr, Index, Literal, Lookup, Read, Scalar, Select, Unary
from sisyphus.ir.scop import Array, Role, Scop, Statement
from sisyphus.poly import Affine, Set, constraints


def dump(scop: Scop) -> str:
    """The whole kernel: arguments, locals, statements in textual order, notes."""
    arrays = {str(a.id): a for a in scop.arrays}
    lines = [f"kernel {scop.name}"]
    for argument in scop.arguments:
        if argument.kind == "array":
            lines.append(f"  {arrays[argument.name].role.value} {_declared(arrays[argument.name])}")
        else:
            value = "" if argument.value is None else f" = {argument.value}"
            lines.append(f"  {argument.kind} {argument.name}: {argument.type}{value}")
    lines += [f"  local {_declared(a)}" for a in scop.arrays if a.role is Role.LOCAL]
    for table in scop.tables:
        values = ", ".join(expression(value) for value in table.values[:8])
        rest = ", ..." if len(table.values) > 8 else ""
        lines.append(f"  table {table.id}{''.join(f'[{e}]' for e in table.extents)}: {table.type} = {values}{rest}")
    for statement in scop.statements:
        lines += statement_lines(statement)
    lines += [*_fused(scop), *(f"note: {note}" for note in scop.notes)]
    return "\n".join(lines) + "\n"


def whole_text_of(scop: Scop) -> str:
    """All that a design of a kernel depends on: kernels of one text have the same designs."""
    arrays = [f"{a.role.value} {_declared(a)} of {a.home}" for a in scop.arrays]
    return "\n".join(
        [scop.name, *arrays, *(line for s in scop.statements for line in statement_lines(s)), *_fused(scop)]
    )


def _fused(scop: Scop) -> list[str]:
    return [f"together: {', '.join(group)}" for group in scop.fused]


def statement_lines(statement: Statement) -> list[str]:
    """One statement: its name and position, its domain, its assignment."""
    position = ", ".join(str(p) for p in statement.position)
    return [
        f"{statement} at ({position})",
        *(f"  {'for' if not at else ' or'} {part}" for at, part in enumerate(domain_lines(statement.domain))),
        f"  {statement.write}: {statement.write_type} = {expression(statement.rhs)}",
    ]


def domain_lines(domain: Set) -> list[str]:
    """One line per convex part: a chain `low <= iterator <= high` where bounds are plain, else inequalities."""
    try:
        parts = constraints(domain)
    except InternalError:
        return [str(domain)]
    lines = list[str]()
    for at_least, equal in parts:
        tests = [_equality(e) for e in equal] + [_inequality(e) for e in at_least]
        lines.append(", ".join(sorted(tests)) if tests else "one point")
    return sorted(lines)


def _inequality(value: Affine) -> str:
    """`left <= right` with positive coefficients on both sides."""
    left, right = _sides(value)
    return f"{left} <= {right}"


def _equality(value: Affine) -> str:
    left, right = _sides(value)
    return f"{left} = {right}"


def _sides(value: Affine) -> tuple[Affine, Affine]:
    below = Affine.of(((n, -c) for n, c in value.terms if c < 0), max(0, -value.constant))
    above = Affine.of(((n, c) for n, c in value.terms if c > 0), max(0, value.constant))
    return below, above


def _declared(array: Array) -> str:
    return f"{array.id}{''.join(f'[{e}]' for e in array.extents)}: {array.type}"


def expression(expr: Expr) -> str:
    """An expression with every operation in brackets and every conversion written out."""
    match expr:
        case Literal(text=text):
            return text
        case Scalar(name=name):
            return name
        case Index(value=value):
            return f"({value})"
        case Read(ref=ref):
            return str(ref)
        case Unary(op=op, operand=operand):
            return f"({op}{expression(operand)})"
        case Binary(op=op, left=left, right=right):
            return f"({expression(left)} {op} {expression(right)})"
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(expression(a) for a in arguments)})"
        case Select(condition=condition, then=then, other=other):
            return f"({expression(condition)} ? {expression(then)} : {expression(other)})"
        case Lookup(table=table, index=index):
            return table + "".join(f"[{expression(i)}]" for i in index)
        case Cast(operand=operand, type=kind):
            return f"{kind}({expression(operand)})"
