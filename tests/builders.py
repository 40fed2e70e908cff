"""Scops written in a few lines of Python syntax, for tests that must not need the front end.

    scop('''
    for i in range(4):
        for j in range(i, 5):
            C[i, j] += alpha * A[j]
    ''', C=(4, 5), A=(5,))

Names in capitals with extents are array arguments, other names with extents local ones; a name without extents is a
scalar argument. Statements are called S0, S1, … in textual order.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping

from sisyphus.ir import (
    FLOAT,
    INT32,
    Argument,
    Array,
    ArrayId,
    Binary,
    Call,
    Expr,
    Index,
    Literal,
    Origin,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Select,
    Statement,
    StmtId,
    Unary,
)
from sisyphus.poly import Affine, const, make_set, var
from sisyphus.source import Span

SPAN = Span("built.c", 1)
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def scop(text: str, *, name: str = "built", **extents: tuple[int, ...]) -> Scop:
    """The scop of a text in Python syntax; `extents` declares its arrays, local where the name is in lower case."""
    builder = _Builder({ArrayId(k): v for k, v in extents.items()})
    builder.body(ast.parse(textwrap.dedent(text)).body, (), (), ())
    arrays = tuple(Array(a, FLOAT, e, builder.role(a), SPAN) for a, e in builder.extents.items())
    arguments = [Argument(a.id, "array", FLOAT) for a in arrays if a.role != Role.LOCAL]
    arguments += [Argument(s, "scalar", FLOAT) for s in sorted(builder.scalars)]
    origin = Origin("built.c", text, name, "")
    return Scop(name, tuple(arguments), arrays, tuple(builder.statements), origin)


class _Builder:
    def __init__(self, extents: Mapping[ArrayId, tuple[int, ...]]) -> None:
        self.extents = dict(extents)
        self.statements: list[Statement] = []
        self.scalars: set[str] = set()
        self.loops: tuple[str, ...] = ()

    def role(self, array: ArrayId) -> Role:
        if not array[0].isupper():
            return Role.LOCAL
        written = any(s.write.array == array for s in self.statements)
        read = any(r.array == array for s in self.statements for r in s.reads)
        return (Role.INOUT if read else Role.OUT) if written else Role.IN

    def body(
        self,
        nodes: list[ast.stmt],
        loops: tuple[str, ...],
        conditions: tuple[Affine, ...],
        outside: tuple[int, ...],
        start: int = 0,
    ) -> int:
        """Statements of one block; returns the next free place among its siblings."""
        place = start
        for node in nodes:
            if isinstance(node, ast.If):
                place = self.body(node.body, loops, (*conditions, *self.condition(node.test)), outside, place)
                continue
            if isinstance(node, ast.For):
                self.loop(node, loops, conditions, (*outside, place))
            else:
                self.assignment(node, loops, conditions, (*outside, place))
            place += 1
        return place

    def loop(
        self, node: ast.For, loops: tuple[str, ...], conditions: tuple[Affine, ...], position: tuple[int, ...]
    ) -> None:
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        name, bounds = node.target.id, node.iter.args
        lowers = self.bounds(bounds[0], "max") if len(bounds) == 2 else [const(0)]
        uppers = self.bounds(bounds[-1], "min")
        inside = [var(name) - low for low in lowers] + [high - 1 - var(name) for high in uppers]
        self.body(node.body, (*loops, name), (*conditions, *inside), position)

    def bounds(self, node: ast.expr, function: str) -> list[Affine]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            return [self.affine(a) for a in node.args]
        return [self.affine(node)]

    def condition(self, node: ast.expr) -> list[Affine]:
        assert isinstance(node, ast.Compare) and len(node.ops) == 1
        left, right = self.affine(node.left), self.affine(node.comparators[0])
        match node.ops[0]:
            case ast.Lt():
                return [right - left - 1]
            case ast.LtE():
                return [right - left]
            case ast.Gt():
                return [left - right - 1]
            case ast.GtE():
                return [left - right]
            case _:
                return [left - right, right - left]

    def assignment(
        self, node: ast.stmt, loops: tuple[str, ...], conditions: tuple[Affine, ...], position: tuple[int, ...]
    ) -> None:
        self.loops = loops
        if isinstance(node, ast.AugAssign):
            write, op = self.ref(node.target), OPERATORS[type(node.op)]
            rhs: Expr = Binary(op, Read(write, FLOAT), self.expr(node.value), FLOAT)
        else:
            assert isinstance(node, ast.Assign)
            write, rhs = self.ref(node.targets[0]), self.expr(node.value)
        label = StmtId(f"S{len(self.statements)}")
        domain = make_set(label, loops, at_least_zero=conditions)
        self.statements.append(Statement(label, loops, domain, position, write, FLOAT, rhs, SPAN))

    def ref(self, node: ast.expr) -> Ref:
        if isinstance(node, ast.Name):
            return Ref(ArrayId(node.id), ())
        assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return Ref(ArrayId(node.value.id), tuple(self.affine(e) for e in index))

    def expr(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=value):
                return Literal(f"{value}f" if isinstance(value, float) else str(value), FLOAT)
            case ast.Name(id=name) if name in self.loops:
                return Index(var(name), INT32)
            case ast.Name(id=name) if ArrayId(name) not in self.extents:
                self.scalars.add(name)
                return Scalar(name, FLOAT)
            case ast.Name() | ast.Subscript():
                return Read(self.ref(node), FLOAT)
            case ast.BinOp(left=left, op=op, right=right):
                return Binary(OPERATORS[type(op)], self.expr(left), self.expr(right), FLOAT)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Unary("-", self.expr(operand), FLOAT)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return Binary(COMPARISONS[type(op)], self.expr(left), self.expr(right), INT32)
            case ast.IfExp(test=test, body=then, orelse=other):
                return Select(self.expr(test), self.expr(then), self.expr(other), FLOAT)
            case ast.Call(func=ast.Name(id=name), args=args):
                return Call(name, tuple(self.expr(a) for a in args), FLOAT)
        raise AssertionError(ast.dump(node))

    def affine(self, node: ast.expr) -> Affine:
        match node:
            case ast.Constant(value=int(value)):
                return const(value)
            case ast.Name(id=name):
                return var(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.affine(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.affine(left) + self.affine(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self.affine(left) - self.affine(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                one, two = self.affine(left), self.affine(right)
                return two * one.constant if one.is_constant else one * two.constant
        raise AssertionError(ast.dump(node))
