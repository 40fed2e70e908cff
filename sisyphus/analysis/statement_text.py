"""Statements as the text of a report; not for compilers."""

from __future__ import annotations

from sisyphus.ir import Binary, Call, Cast, Expr, Index, Literal, Lookup, Read, Scalar, Select, Statement, Unary

PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip


def statement_text(statement: Statement) -> str:
    """`C[i][j] = C[i][j] + alpha*A[i][k]*B[k][j]`."""
    return f"{statement.write} = {expression_text(statement.rhs)}"


def expression_text(expr: Expr, around: int = 0) -> str:
    """In C syntax without conversions, in parentheses where an operator of precedence `around` needs them."""
    match expr:
        case Literal(text=text):
            return text
        case Scalar(name=name):
            return name
        case Index(value=value):
            return str(value) if value.is_constant or (len(value.terms) == 1 and not value.constant) else f"({value})"
        case Read(ref=ref):
            return str(ref)
        case Unary(op=op, operand=operand):
            return f"{op}{expression_text(operand, 11)}"
        case Cast(operand=operand):
            return expression_text(operand, around)
        case Binary(op=op, left=left, right=right):
            own = PRECEDENCE[op]
            text = f"{expression_text(left, own)} {op} {expression_text(right, own + 1)}"
            return f"({text})" if own < around else text
        case Lookup(table=table, index=index):
            return table + "".join(f"[{expression_text(i)}]" for i in index)
        case Call(function=name, arguments=arguments):
            return f"{name}({', '.join(expression_text(a) for a in arguments)})"
        case Select(condition=c, then=t, other=o):
            text = f"{expression_text(c, 1)} ? {expression_text(t, 1)} : {expression_text(o)}"
            return f"({text})" if around else text
