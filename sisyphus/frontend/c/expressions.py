"""Expressions on data: C's types made explicit, integer expressions of iterators kept as index values."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from sisyphus.frontend.c.affine import SUBSCRIPT, VALUE, Affines, single_return
from sisyphus.frontend.c.arithmetic import COMPARISONS, OPERATIONS
from sisyphus.frontend.c.bound import Bound
from sisyphus.frontend.c.context import Question
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.literals import literal
from sisyphus.frontend.c.mathlib import MATH
from sisyphus.frontend.c.operands import check_operands
from sisyphus.frontend.c.scope import Alias, Constant, Function, Parameter, Scope, Unusable, Variable
from sisyphus.frontend.c.types import balance, convert, declared, integer_expression, promoted
from sisyphus.ir import INT32, Binary, Call, Expr, Index, Read, Ref, Scalar, ScalarType, Select, Unary
from sisyphus.poly import Affine

INTEGER_ONLY = {"%", "&", "|", "^", "<<", ">>"}
MOST_NESTED = 200
CHOICE_HINT = "both sides of `?:` count as read: write `if` and `else` with the affine condition"
INDEX_OPERATORS = {"+", "-", "*"}


class Expressions:
    """Translates expressions in the scope and context that its affine reader points at."""

    def __init__(self, affines: Affines) -> None:
        self.affines = affines
        self._choices = 0
        self._depth = 0

    def value(self, node: c_ast.Node) -> Expr:
        """The expression tree of a value on the right of an assignment."""
        if self._depth >= MOST_NESTED or (not self._depth and _depth(node) > MOST_NESTED):
            raise self._no("too-complex", f"an expression is nested more than {MOST_NESTED} levels deep", node)
        self._depth += 1
        try:
            return self._value(node)
        finally:
            self._depth -= 1

    def _value(self, node: c_ast.Node) -> Expr:
        index = self._index(node)
        if index is not None:
            return index
        match node:
            case c_ast.Constant():
                found = literal(node.value) if node.type != "string" else None
                if found is None:
                    raise self._no("unsupported-expression", f"`{node.value}` is no number of a supported type", node)
                return found
            case c_ast.ID():
                return self._name(node)
            case c_ast.ArrayRef():
                ref, variable = self.element(node)
                variable.read = True
                return Read(ref, variable.type)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                left, right = self._values(node.left, node.right, optional=1 if node.op in ("&&", "||") else 0)
                return self.binary(node.op, left, right, node)
            case c_ast.TernaryOp():
                condition, chosen, other = self._values(node.cond, node.iftrue, node.iffalse, optional=2)
                chosen, other, kind = balance(chosen, other)
                return Select(condition, chosen, other, kind)
            case c_ast.Cast():
                return convert(self.value(node.expr), self._cast_type(node))
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.Assignment():
                raise self._no("side-effect", "an assignment inside an expression", node, "make it a statement")
            case c_ast.ExprList():
                raise self._no("comma", "the comma operator", node, "write the parts as statements")
            case c_ast.StructRef():
                raise self._no("unsupported-type", "members of structures have no place in a kernel", node)
        raise self._no("unsupported-expression", f"`{self.affines.text(node)}` is not understood", node)

    def _values(self, *nodes: c_ast.Node, optional: int = 0) -> list[Expr]:
        """All operands, their faults collected; C computes the `optional` last ones on a condition, hardware always."""
        found = list[Expr]()
        for at, node in enumerate(nodes):
            is_choice = at >= len(nodes) - optional
            self._choices += is_choice
            try:
                found.append(self.value(node))
            except Refused as refused:
                self.affines.collector.add(refused)
            finally:
                self._choices -= is_choice
        if len(found) < len(nodes):
            raise Refused
        return found

    def _no(self, rule: str, message: str, node: c_ast.Node, hint: str | None = None) -> Refused:
        return self.affines.fault(rule, message, node, hint)

    # -- integers of iterators ---------------------------------------------------------------------------------

    def _index(self, node: c_ast.Node) -> Expr | None:
        """A signed affine expression in which an iterator occurs, as one value."""
        if not self.is_index(node):
            return None
        asked = self.affines.ledger.questions
        before = len(asked)
        try:
            bound, kind = self.affines.typed(node, VALUE)
        except Refused as refused:
            if refused.diagnostic is not None and refused.diagnostic.rule == "unsigned-wrap":
                return None
            raise
        if bound.affine is None or kind.kind != "int":
            # Unsigned data may wrap as it likes: only as an index it must not.
            del asked[before:]
            return None
        return self._as_data(bound.affine, kind, node)

    def _as_data(self, value: Affine, kind: ScalarType, node: c_ast.Node) -> Expr:
        """An affine value in its C type; as an index it is an `int`, which is wide enough for every extent."""
        if value.is_constant:
            return integer_expression(value.constant, kind)
        self.affines.checked(Bound.of(value), INT32, node)
        return convert(Index(value, INT32), kind)

    def is_index(self, node: c_ast.Node) -> bool:
        """Whether the expression is affine in iterators, at least one of which occurs."""
        return self._mentions_iterator(node) and self._is_affine(node)

    def _is_affine(self, node: c_ast.Node) -> bool:
        match node:
            case c_ast.Constant(type="int"):
                return True
            case c_ast.ID():
                found = self.affines.scope.find(node.name)
                return (
                    isinstance(found, Alias)
                    or (isinstance(found, Constant) and found.integer is not None)
                    or (isinstance(found, Variable) and found.binding is not None)
                    or (isinstance(found, Parameter) and found.value is not None)
                )
            case c_ast.UnaryOp(op="-" | "+"):
                return self._is_affine(node.expr)
            case c_ast.BinaryOp(op=op) if op in INDEX_OPERATORS:
                linear = op != "*" or not (self._mentions_iterator(node.left) and self._mentions_iterator(node.right))
                return linear and self._is_affine(node.left) and self._is_affine(node.right)
        return False

    def _mentions_iterator(self, node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.ID):
            found = self.affines.scope.find(node.name)
            if isinstance(found, Alias):
                return found.value.constant is None
            return isinstance(found, Variable) and found.binding is not None
        return any(self._mentions_iterator(child) for _, child in node.children())

    # -- names and elements ------------------------------------------------------------------------------------

    def _name(self, node: c_ast.ID) -> Expr:
        match self.affines.scope.find(node.name):
            case Constant(value=value):
                return value
            case Alias(value=bound, type=kind):
                if bound.affine is None:
                    raise self._no("unsupported-expression", f"`{node.name}` is a minimum or maximum of indices", node)
                return self._as_data(bound.affine, kind, node)
            case Parameter() as parameter:
                if parameter.value is not None:
                    return integer_expression(parameter.value, parameter.type)
                return Scalar(parameter.name, parameter.type)
            case Variable(binding=bound, type=kind) if bound is not None and bound.affine is not None:
                return self._as_data(bound.affine, kind, node)
            case Variable() as variable:
                if variable.extents:
                    raise self._no("pointer-arithmetic", f"array `{node.name}` is used as a value", node)
                if variable.counts:
                    raise self.affines.escaped(node)
                variable.read = True
                return Read(Ref(variable.id, ()), variable.type)
            case Unusable() as unusable:
                raise self.affines.unusable(unusable, node)
            case Function():
                raise self._no("pointer-arithmetic", f"function `{node.name}` is used as a value", node)
        raise self._no("undeclared", f"`{node.name}` is not declared", node)

    def element(self, node: c_ast.ArrayRef) -> tuple[Ref, Variable]:
        """The array element that a reference names; faults of all its subscripts are collected before one is raised."""
        subscripts, base = list[c_ast.Node](), node
        while isinstance(base, c_ast.ArrayRef):
            subscripts.insert(0, base.subscript)
            base = base.name
        if not isinstance(base, c_ast.ID):
            raise self._no("pointer-arithmetic", f"`{self.affines.text(base)}` is not the name of an array", base)
        variable = self._array(base, node, len(subscripts))
        index = list[Affine]()
        for subscript in subscripts:
            try:
                index.append(self.affines.plain(subscript, SUBSCRIPT))
            except Refused as refused:
                self.affines.collector.add(refused)
        if len(index) < len(subscripts):
            raise Refused
        ref = Ref(variable.id, tuple(index))
        self._within(variable, ref, node)
        return ref, variable

    def _within(self, variable: Variable, ref: Ref, node: c_ast.Node) -> None:
        """Ask whether the element lies in its array, unless the ranges of the loops say so already."""
        affines, context = self.affines, self.affines.context
        span, text = affines.tree.span(node), affines.text(node)
        hint = CHOICE_HINT if self._choices else None
        for at, (value, extent) in enumerate(zip(ref.index, variable.extents, strict=True)):
            found = context.interval(value)
            if found is not None and found[0] >= 0 and found[1] < extent:
                continue

            def fault(point: Mapping[str, int], at: int = at, value: Affine = value, extent: int = extent) -> Refused:
                place = f"dimension {at + 1} of " if len(variable.extents) > 1 else ""
                size = f"{place}`{variable.name}` has {extent} elements"
                return affines.collector.fault(
                    "out-of-bounds",
                    f"`{text}` is outside its array: {size}, this is [{value.evaluate(point)}]",
                    span,
                    notes=context.where(point),
                    hint=hint,
                )

            affines.ledger.questions.append(Question(context, ((-1 - value,), (value - extent,)), span, fault))

    def _array(self, base: c_ast.ID, node: c_ast.ArrayRef, count: int) -> Variable:
        found = self.affines.scope.find(base.name)
        if isinstance(found, Unusable):
            raise self.affines.unusable(found, base)
        if found is None:
            raise self._no("undeclared", f"`{base.name}` is not declared", base)
        if not isinstance(found, Variable) or not found.extents:
            raise self._no("subscript-count", f"`{base.name}` is no array", node)
        if count != len(found.extents):
            words = f"`{base.name}` has {len(found.extents)} dimensions, here it gets {count}"
            hint = "only whole elements can be computed with" if count < len(found.extents) else None
            raise self._no("subscript-count", words, node, hint)
        return found

    # -- operators ---------------------------------------------------------------------------------------------

    def _unary(self, node: c_ast.UnaryOp) -> Expr:
        if node.op in ("++", "--", "p++", "p--"):
            text = self.affines.text(node.expr)
            raise self._no("side-effect", f"`{text}` is changed inside an expression", node, "make it a statement")
        if node.op in ("*", "&"):
            hint = "name the element by its subscripts" if node.op == "*" else None
            raise self._no("pointer-arithmetic", f"`{self.affines.text(node)}` works on an address", node, hint)
        if node.op == "sizeof":
            bound, kind = self.affines.typed(node, VALUE)
            return integer_expression(bound.constant or 0, kind)
        operand = self.value(node.expr)
        if node.op == "!":
            return Unary("!", operand, INT32)
        wide = promoted(operand.type)
        if node.op == "~" and wide.is_float:
            raise self._no("type-mismatch", "`~` works on integers only", node)
        operand = convert(operand, wide)
        return operand if node.op == "+" else self._checked(Unary(node.op, operand, wide), node)

    def _checked(self, expr: Binary | Unary, node: c_ast.Node) -> Expr:
        check_operands(expr, node, self.affines, always=not self._choices)
        return expr

    def binary(self, op: str, left: Expr, right: Expr, node: c_ast.Node) -> Expr:
        """`left op right` with the conversions that C implies."""
        if op in ("&&", "||"):
            return Binary(op, left, right, INT32)
        if op in INTEGER_ONLY and (left.type.is_float or right.type.is_float):
            raise self._no("type-mismatch", f"`{op}` works on integers only", node)
        if op in ("<<", ">>"):
            kind = promoted(left.type)
            return self._checked(Binary(op, convert(left, kind), convert(right, promoted(right.type)), kind), node)
        if op not in OPERATIONS:
            raise self._no("unsupported-expression", f"the operator `{op}` is not understood", node)
        left, right, kind = balance(left, right)
        return self._checked(Binary(op, left, right, INT32 if op in COMPARISONS else kind), node)

    def _cast_type(self, node: c_ast.Cast) -> ScalarType:
        kind = declared(node.to_type, self.affines.typedefs)
        if kind.scalar is None or not kind.is_scalar or kind.problem:
            words = kind.problem or "a pointer"
            raise self._no("unsupported-type", f"cannot convert to this type: {words}", node)
        return kind.scalar

    # -- calls -------------------------------------------------------------------------------------------------

    def _call(self, node: c_ast.FuncCall) -> Expr:
        if not isinstance(node.name, c_ast.ID):
            raise self._no("unknown-call", "a call through a pointer", node)
        name = node.name.name
        arguments = list(node.args.exprs) if node.args else []
        function = self.affines.scope.find(name)
        if not isinstance(function, Function):
            hint = "include <math.h>" if name in MATH and name not in ("abs", "labs", "llabs") else None
            raise self._no("undeclared", f"function `{name}` is not declared", node, hint)
        if function.body is not None:
            return self._inlined(function, arguments, node)
        if name not in MATH:
            raise self._no(
                "unknown-call",
                f"`{name}` is no function that a kernel may call",
                node,
                "use the functions of <math.h>, or write the computation out",
            )
        signature = MATH[name]
        self._count(name, len(signature.arguments), len(arguments), node)
        values = self._values(*arguments)
        converted = tuple(convert(v, k) for v, k in zip(values, signature.arguments, strict=True))
        return Call(name, converted, signature.result)

    def _count(self, name: str, wanted: int, found: int, node: c_ast.Node) -> None:
        if wanted != found:
            raise self._no("call-arguments", f"`{name}` takes {wanted} arguments, here it gets {found}", node)

    def _inlined(self, function: Function, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Expr:
        """The result of a helper function that only returns an expression."""
        affines, result = self.affines, single_return(function)
        if function.name in affines.calls:
            raise self._no("recursion", f"`{function.name}` calls itself", node)
        if result is None:
            raise self._no(
                "unknown-call",
                f"`{function.name}` does more than return an expression",
                node,
                "write its statements where it is called",
            )
        decl = function.decl.type
        kind = declared(decl.type, affines.typedefs)
        parameters = [p for p in (decl.args.params if decl.args else []) if isinstance(p, c_ast.Decl)]
        self._count(function.name, len(parameters), len(arguments), node)
        inner = Scope(affines.scope.outermost)
        for parameter, argument in zip(parameters, arguments, strict=True):
            wanted = declared(parameter.type, affines.typedefs)
            if wanted.scalar is None or not wanted.is_scalar or wanted.problem:
                words = f"`{function.name}` takes more than numbers"
                raise self._no("unknown-call", words, node, "write its statements where it is called")
            inner.names[parameter.name] = Constant(convert(self.value(argument), wanted.scalar), None, wanted.scalar)
        if kind.scalar is None or not kind.is_scalar or kind.problem:
            raise self._no("unknown-call", f"`{function.name}` returns no number", node)
        outer, calls = affines.scope, affines.calls
        affines.scope, affines.calls = inner, (*calls, function.name)
        try:
            return convert(self.value(result), kind.scalar)
        finally:
            affines.scope, affines.calls = outer, calls


def _depth(node: c_ast.Node) -> int:
    """How many operations lie inside each other, at most."""
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [child for n in level for _, child in n.children()]
    return deepest
