"""Complex numbers as pairs of real ones, on the syntax tree: the rules of C's Annex G with CX_LIMITED_RANGE.

c = a * b + r;   becomes   c.re = (a.re * b.re - a.im * b.im) + r;  c.im = a.re * b.im + a.im * b.re;
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.parse import walk
from sisyphus.values import dataclass

#: How the types are called here, and the type of their parts.
KINDS = {"_Float16 _Complex": "_Float16", "float _Complex": "float", "double _Complex": "double"}
UNIT = "_Complex_I"
#: Real functions of a complex number, and of which parts they are what; a suffix `f` takes the suffix along.
REAL_OF = {"creal": "re", "cimag": "im", "cabs": "hypot", "carg": "atan2"}


@dataclass(frozen=True)
class Pair:
    """The parts of a complex value; `kind` is the type of those of a variable."""

    re: c_ast.Node
    im: c_ast.Node
    kind: str = ""


def spelled(names: list[str]) -> str:
    """How a complex type is called here, whatever the order of its words; any other as written."""
    if "_Complex" not in names:
        return " ".join(names)
    return " ".join([*sorted(name for name in names if name != "_Complex"), "_Complex"])


class Complexes:
    """Parts of complex expressions; `place` is the pair that a variable or an element is, None where it is none."""

    def __init__(self, place: Callable[[c_ast.Node], Pair | None]) -> None:
        self._place = place

    def parts(self, node: c_ast.Node) -> Pair | None:
        """Real and imaginary part of an expression; None where it is real."""
        match node:
            case c_ast.ID(name=name) if name == UNIT:
                return Pair(*(c_ast.Constant("float", text, node.coord) for text in ("0.0f", "1.0f")))
            case c_ast.UnaryOp(op="-" | "+" as op):
                inner = self.parts(node.expr)
                return None if inner is None else Pair(*(c_ast.UnaryOp(op, p, node.coord) for p in _both(inner)))
            case c_ast.BinaryOp(op="+" | "-" | "*" | "/"):
                return self._binary(node, self.parts(node.left), self.parts(node.right))
            case c_ast.TernaryOp():
                return self._chosen(node, self.parts(node.iftrue), self.parts(node.iffalse))
            case c_ast.FuncCall(name=c_ast.ID(name="conj" | "conjf" as name), args=c_ast.ExprList(exprs=[given])):
                inner = self.parts(given)
                if inner is None:
                    return None
                return Pair(_cast(inner.re, name), c_ast.UnaryOp("-", _cast(inner.im, name), node.coord))
            case c_ast.FuncCall(name=c_ast.ID(name="CMPLX" | "CMPLXF" as name), args=c_ast.ExprList(exprs=[re, im])):
                return Pair(_cast(re, name), _cast(im, name))
        return self._place(node)

    def real(self, node: c_ast.Node) -> c_ast.Node | None:
        """A real expression of complex ones without them; None where it is no such."""
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name), args=c_ast.ExprList(exprs=[given])):
                what = REAL_OF.get(name.removesuffix("f"))
                inner = self.parts(given) if what is not None else None
                if inner is None or what is None:
                    return None
                if what in ("re", "im"):
                    return _cast(inner.re if what == "re" else inner.im, name)
                called = c_ast.ID(what + ("f" if name.endswith("f") else ""), node.coord)
                order = [inner.re, inner.im] if what == "hypot" else [inner.im, inner.re]
                return c_ast.FuncCall(called, c_ast.ExprList(deepcopy(order), node.coord), node.coord)
            case c_ast.StructRef(type="complex"):
                pair = self.parts(node.name) or _pair(node.name)
                return deepcopy(pair.re if node.field.name == "re" else pair.im)
            case c_ast.BinaryOp(op="==" | "!=" as op):
                one, other = self.parts(node.left), self.parts(node.right)
                if one is None and other is None:
                    return None
                one, other = one or _pair(node.left), other or _pair(node.right)
                re, im = (_op(op, a, b, node) for a, b in zip(_both(one), _both(other), strict=True))
                return _op("&&" if op == "==" else "||", re, im, node)
        return None

    def assigned(self, node: c_ast.Assignment) -> list[c_ast.Node] | None:
        """An assignment to a complex place as those of both parts; None where it is none."""
        target = self._place(node.lvalue)
        value = node.rvalue if node.op == "=" else c_ast.BinaryOp(node.op[0], node.lvalue, node.rvalue, node.coord)
        found = self.parts(value)
        if target is None:
            return None if found is None else [_set(node.lvalue, found.re, node)]
        found = found or _pair(value)
        parts = zip(_both(target), _both(found), strict=True)
        if not (_names(found.re) & _names(target.im) or _names(found.im) & _names(target.re)):
            return [_set(place, part, node) for place, part in parts]
        # Both parts are computed before one of them is changed.
        kept, sets = list[c_ast.Node](), list[c_ast.Node]()
        for name, (place, part) in zip(("next.re", "next.im"), parts, strict=True):
            kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType([target.kind]))
            kept.append(c_ast.Decl(name, [], [], [], [], kind, deepcopy(part), None, node.coord))
            sets.append(_set(place, c_ast.ID(name, node.coord), node))
        return [c_ast.Compound([*kept, *sets], node.coord)]

    def _binary(self, node: c_ast.BinaryOp, left: Pair | None, right: Pair | None) -> Pair | None:
        if left is None and right is None:
            return None
        op = node.op
        if left is not None and right is not None:
            return _both_complex(op, left, right, node)
        if left is not None:
            re, im = (_op(op, part, node.right, node) for part in _both(left))
            return Pair(re, _balanced(left.im, node.right) if op in "+-" else im)
        if right is None or op == "/":
            return None if right is None else _both_complex(op, _pair(node.left), right, node)
        re, im = (_op(op, node.left, part, node) for part in _both(right))
        if op == "*":
            return Pair(re, im)
        im = _balanced(right.im, node.left)
        return Pair(re, im if op == "+" else c_ast.UnaryOp("-", im, node.coord))

    def _chosen(self, node: c_ast.TernaryOp, yes: Pair | None, no: Pair | None) -> Pair | None:
        if yes is None and no is None:
            return None
        pairs = zip(_both(yes or _pair(node.iftrue)), _both(no or _pair(node.iffalse)), strict=True)
        return Pair(*(c_ast.TernaryOp(deepcopy(node.cond), a, b, node.coord) for a, b in pairs))


def _both(pair: Pair) -> tuple[c_ast.Node, c_ast.Node]:
    return pair.re, pair.im


def _both_complex(op: str, a: Pair, b: Pair, at: c_ast.Node) -> Pair:
    if op in "+-":
        return Pair(_op(op, a.re, b.re, at), _op(op, a.im, b.im, at))
    if op == "*":
        re = _op("-", _op("*", a.re, b.re, at), _op("*", a.im, b.im, at), at)
        return Pair(re, _op("+", _op("*", a.re, b.im, at), _op("*", a.im, b.re, at), at))
    a, b = (Pair(_balanced(own.re, other.re), _balanced(own.im, other.re)) for own, other in ((a, b), (b, a)))
    below = _op("+", _op("*", b.re, b.re, at), _op("*", b.im, b.im, at), at)
    re = _op("+", _op("*", a.re, b.re, at), _op("*", a.im, b.im, at), at)
    im = _op("-", _op("*", a.im, b.re, at), _op("*", a.re, b.im, at), at)
    return Pair(_op("/", re, below, at), _op("/", im, below, at))


def _op(op: str, left: c_ast.Node, right: c_ast.Node, at: c_ast.Node) -> c_ast.Node:
    return c_ast.BinaryOp(op, deepcopy(left), deepcopy(right), at.coord)


def _pair(node: c_ast.Node) -> Pair:
    """A real value as a complex one."""
    return Pair(node, _balanced(c_ast.Constant("int", "0", node.coord), node))


def _cast(part: c_ast.Node, function: str) -> c_ast.Node:
    """A part as a function computes it: in `float` where its name ends so, in `double` else."""
    kind = c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["float" if function[-1] in "fF" else "double"]))
    return c_ast.Cast(c_ast.Typename(None, [], None, kind), deepcopy(part), part.coord)


def _balanced(part: c_ast.Node, other: c_ast.Node) -> c_ast.Node:
    """A part with the type that C computes with where it meets another one, as `1 ? part : other` has it."""
    return c_ast.TernaryOp(c_ast.Constant("int", "1", part.coord), deepcopy(part), deepcopy(other), part.coord)


def _set(place: c_ast.Node, value: c_ast.Node, at: c_ast.Node) -> c_ast.Node:
    return c_ast.Assignment("=", deepcopy(place), deepcopy(value), at.coord)


def _names(node: c_ast.Node) -> set[str]:
    return {n.name for n in walk(node) if isinstance(n, c_ast.ID)}
