"""Expressions on data: C's types made explicit, integer expressions of iterators kept as index values."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import VALUE
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.arithmetic import COMPARISONS, OPERATIONS
from sisyphus.frontend.c.bound import Condition
from sisyphus.frontend.c.c_types import balance, convert, declared, integer_expression, limits
from sisyphus.frontend.c.choices import returned
from sisyphus.frontend.c.conditions import condition as affine_condition
from sisyphus.frontend.c.constants import constant_of
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import truth
from sisyphus.frontend.c.elements import as_subscripted
from sisyphus.frontend.c.fixed_widths import converted
from sisyphus.frontend.c.indices import Indices
from sisyphus.frontend.c.literals import beyond_numbers, literal
from sisyphus.frontend.c.mathlib import MATH, as_bits
from sisyphus.frontend.c.open_extents import looked_up_of_open
from sisyphus.frontend.c.operands import check_operands
from sisyphus.frontend.c.parse import is_of_widths, subscripts_of
from sisyphus.frontend.c.punning import Bits
from sisyphus.frontend.c.scope import (
    Alias,
    Constant,
    Function,
    Parameter,
    Scope,
    SubArray,
    Unusable,
    Variable,
    names_number,
)
from sisyphus.ir import INT32, Binary, Call, Expr, Literal, Lookup, Read, Ref, Scalar, ScalarType, Select, Unary
from sisyphus.ir.any_width import used
from sisyphus.poly import const
from sisyphus.source import Span

INTEGER_ONLY = {"%", "&", "|", "^", "<<", ">>"}
MOST_NESTED = 200


class Expressions(Indices):
    """Translates expressions in the scope and context that its affine reader points at."""

    def __init__(self, affines: Affines) -> None:
        super().__init__(affines)
        self._depth = 0
        #: Translates the statements of a function and says what it returns.
        self.hoist: Callable[[Function, c_ast.FuncCall], Expr] | None = None

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
        index = self.index(node)
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
            case c_ast.ArrayRef() if (table := self.table_of(node)) is not None:
                return self._lookup(node, table)
            case c_ast.ArrayRef():
                ref, variable = self.element(node)
                variable.read = True
                return Read(ref, variable.type)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp(op="&&" | "||"):
                return self._junction(node)
            case c_ast.BinaryOp():
                left, right = self._values(node.left, node.right)
                return self.binary(node.op, left, right, node)
            case c_ast.TernaryOp():
                return self._choice(node)
            case c_ast.Cast():
                return self.fitted(self.value(node.expr), self._cast_type(node), self.affines.tree.span(node))
            case Bits():
                return self._bits(node)
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.Assignment():
                raise self._no("side-effect", "an assignment inside an expression", node, "make it a statement")
            case c_ast.ExprList():
                raise self._no("comma", "the comma operator", node, "write the parts as statements")
            case c_ast.StructRef():
                raise self._no("unsupported-type", "members of structures have no place in a kernel", node)
        raise self._no("unsupported-expression", f"`{self.affines.text(node)}` is not understood", node)

    def _choice(self, node: c_ast.TernaryOp) -> Expr:
        """Both values and a select; where reads need an affine condition to be in range, the one of this case."""
        asked = self.affines.ledger.questions
        before = len(asked)
        (condition,) = self._values(node.cond)
        with self.intervals.under(condition, holds=True):
            (chosen,) = self._values(node.iftrue, optional=1)
        with self.intervals.under(condition, holds=False):
            (other,) = self._values(node.iffalse, optional=1)
        chosen, other, kind = balance(chosen, other)
        known = constant_of(condition)
        if known is not None:
            is_chosen = bool(known)
        else:
            holds = self._deciding(node.cond, is_asked=len(asked) > before)
            if holds is None:
                return Select(condition, chosen, other, kind)
            is_chosen = self.affines.case(holds)
        taken, value = (node.iftrue, chosen) if is_chosen else (node.iffalse, other)
        if len(asked) == before:
            return value
        del asked[before:]
        # Its questions are asked again in the domain of this case, beside the conversions that are known already.
        self.value(taken)
        return value

    def _junction(self, node: c_ast.BinaryOp) -> Expr:
        """Both sides; where reads on the right need an affine left side to be in range, the one of this case."""
        asked = self.affines.ledger.questions
        before = len(asked)
        left, right = self._values(node.left, node.right, optional=1)
        value = self.binary(node.op, left, right, node)
        holds = None if constant_of(value) is not None else self._deciding(node.left, is_asked=len(asked) > before)
        if holds is None:
            return value
        del asked[before:]
        if self.affines.case(holds) == (node.op == "||"):
            return Literal("1" if node.op == "||" else "0", INT32)
        # As in `_choice`, the questions of this case are asked again.
        self.value(node.right)
        return truth(right)

    def _deciding(self, node: c_ast.Node, *, is_asked: bool) -> Condition | None:
        """The affine condition that says which reads there are, where these are asked for or a case has it already."""
        cases = self.affines.cases
        if not (cases or (is_asked and cases is not None)):
            return None
        try:
            holds = affine_condition(node, self.affines)
        except Refused:
            return None
        return holds if is_asked or holds in cases else None

    def _values(self, *nodes: c_ast.Node, optional: int = 0) -> list[Expr]:
        """All operands, their faults collected; C computes the `optional` last ones on a condition, hardware always."""
        found = list[Expr]()
        for at, node in enumerate(nodes):
            is_choice = at >= len(nodes) - optional
            self.choices += is_choice
            try:
                found.append(self.value(node))
            except Refused as refused:
                self.affines.collector.add(refused)
            finally:
                self.choices -= is_choice
        if len(found) < len(nodes):
            raise Refused
        return found

    def _lookup(self, node: c_ast.ArrayRef, view: SubArray) -> Expr:
        """An element of a table, by subscripts that are affine or data of a known range."""
        found, variable = list[Expr](), view.variable
        if variable.table is not None:
            self.intervals.learn_table(variable.table)
        else:
            looked_up_of_open(variable)
            variable.read, variable.looked_up = True, self.affines.tree.span(node)
        given = subscripts_of(node)
        leading = [*view.index, *([] if view.offset is None else [view.offset])]
        for at, subscript in enumerate(given):
            shift = leading[len(view.index)] if at == 0 and view.offset is not None else const(0)
            value = self.value(subscript)
            if not shift.is_constant or shift.constant:
                value = self.binary("+", self.as_data(shift, INT32, subscript), value, subscript)
            if value.type.is_float:
                raise self._no("type-mismatch", f"subscript `{self.affines.text(subscript)}` is no integer", subscript)
            found.append(value)
        index = [*(self.as_data(part, INT32, node) for part in view.index), *found]
        nodes = [*(node for _ in view.index), *given]
        for value, extent, place in zip(index, variable.extents, nodes, strict=True):
            self.ask_in_table(value, extent, variable, place)
        return Lookup(variable.id, variable.extents, tuple(index), variable.type, loaded=variable.table is None)

    # -- names and elements ------------------------------------------------------------------------------------

    def _name(self, node: c_ast.ID) -> Expr:
        match self.affines.scope.find(node.name):
            case Constant(value=value):
                return value
            case Alias(type=kind):
                index = self.affines.settled(self.affines.typed(node, VALUE)[0])
                if index is None:
                    raise self._no("unsupported-expression", f"`{node.name}` is a minimum or maximum of indices", node)
                return self.as_data(index, kind, node)
            case Parameter() as parameter:
                if parameter.value is not None:
                    return integer_expression(parameter.value, parameter.type)
                return Scalar(parameter.name, parameter.type)
            case Variable(binding=bound, type=kind) if bound is not None and bound.affine is not None:
                return self.as_data(bound.affine, kind, node)
            case Variable() as variable:
                if variable.extents:
                    raise self._no("pointer-arithmetic", f"array `{node.name}` is used as a value", node)
                if variable.counts:
                    raise self.affines.escaped(node)
                variable.read = True
                return Read(Ref(variable.id, ()), variable.type)
            case SubArray():
                raise self._no("pointer-arithmetic", f"address `{node.name}` is used as a value", node)
            case Unusable() as unusable:
                raise self.affines.unusable(unusable, node)
            case Function():
                raise self._no("pointer-arithmetic", f"function `{node.name}` is used as a value", node)
        raise self._no("undeclared", f"`{node.name}` is not declared", node)

    # -- operators ---------------------------------------------------------------------------------------------

    def _unary(self, node: c_ast.UnaryOp) -> Expr:
        if node.op in ("++", "--", "p++", "p--"):
            text = self.affines.text(node.expr)
            raise self._no("side-effect", f"`{text}` is changed inside an expression", node, "make it a statement")
        if node.op == "*" and names_number(node.expr, self.affines.scope):
            return self.value(node.expr)
        if node.op == "*" and self.is_pointer(node.expr):
            table = self.table_of(place := as_subscripted(node))
            if table is not None:
                return self._lookup(place, table)
            ref, variable = self.element(node)
            variable.read = True
            return Read(ref, variable.type)
        if node.op in ("*", "&"):
            hint = "name the element by its subscripts" if node.op == "*" else None
            raise self._no("pointer-arithmetic", f"`{self.affines.text(node)}` works on an address", node, hint)
        if node.op == "sizeof":
            bound, kind = self.affines.typed(node, VALUE)
            return integer_expression(bound.constant or 0, kind)
        operand = self.value(node.expr)
        if node.op == "!":
            return Unary("!", operand, INT32)
        wide = operand.type.promoted
        if node.op == "~" and wide.is_float:
            raise self._no("type-mismatch", "`~` works on integers only", node)
        operand = convert(operand, wide)
        return operand if node.op == "+" else self._checked(Unary(node.op, operand, wide), node)

    def _checked(self, expr: Binary | Unary, node: c_ast.Node) -> Expr:
        check_operands(expr, node, self.affines, always=not (self.choices or self.guards))
        return expr

    def binary(self, op: str, left: Expr, right: Expr, node: c_ast.Node) -> Expr:
        """`left op right` with the conversions that C implies."""
        if op in ("&&", "||"):
            return Binary(op, left, right, INT32)
        if op in INTEGER_ONLY and (left.type.is_float or right.type.is_float):
            raise self._no("type-mismatch", f"`{op}` works on integers only", node)
        if op in ("<<", ">>"):
            kind = left.type.promoted
            return self._checked(Binary(op, convert(left, kind), convert(right, right.type.promoted), kind), node)
        if op not in OPERATIONS:
            raise self._no("unsupported-expression", f"the operator `{op}` is not understood", node)
        left, right, kind = balance(left, right)
        if op == "/" and kind.is_float and isinstance(left, Literal) and isinstance(right, Literal):
            folded = beyond_numbers(left, right)
            if folded is not None:
                return folded
        return self._checked(Binary(op, left, right, INT32 if op in COMPARISONS else kind), node)

    def _bits(self, node: Bits) -> Expr:
        """The bits of a value as a number of another type, which must be as long."""
        (value,), kind = self._values(node.expr), self._cast_type(node)
        found = as_bits(value, kind)
        if found is None:
            words = f"the bits of `{value.type.c_name}` are not those of `{kind.c_name}`"
            raise self._no("type-mismatch", words, node, "look at the bits of a number as one of the same length")
        return found

    def _cast_type(self, node: c_ast.Cast | Bits) -> ScalarType:
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
            of_width = self._of_width(function, arguments)
            return self._inlined(function, arguments, node) if of_width is None else of_width
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
        """The result of a function of the file: its expression in place, or what its statements leave."""
        affines, result = self.affines, returned(function)
        if function.name in affines.calls:
            raise self._no("recursion", f"`{function.name}` calls itself", node)
        if result is None or any(declared(p.type, affines.typedefs).layers for p in function.parameters):
            return self._hoisted(function, node)
        decl = function.decl.type
        kind = declared(decl.type, affines.typedefs)
        parameters = function.parameters
        self._count(function.name, len(parameters), len(arguments), node)
        inner = Scope(affines.scope.outermost)
        for parameter, argument in zip(parameters, arguments, strict=True):
            wanted = declared(parameter.type, affines.typedefs)
            if wanted.scalar is None or not wanted.is_scalar or wanted.problem:
                words = f"`{function.name}` takes more than numbers"
                raise self._no("unknown-call", words, node, "write its statements where it is called")
            inner.names[parameter.name] = Constant(
                self.fitted(self.value(argument), wanted.scalar, affines.tree.span(argument)), None, wanted.scalar
            )
        if kind.scalar is None or not kind.is_scalar or kind.problem:
            raise self._no("unknown-call", f"`{function.name}` returns no number", node)
        outer, calls = affines.scope, affines.calls
        affines.scope, affines.calls = inner, (*calls, function.name)
        try:
            return self.fitted(self.value(result), kind.scalar, affines.tree.span(node))
        finally:
            affines.scope, affines.calls = outer, calls

    def _of_width(self, function: Function, arguments: list[c_ast.Node]) -> Expr | None:
        """A call of sisy_types.h that is a conversion."""
        known = used(function.name) if is_of_widths(function.decl, self.affines.tree) else None
        if known is None or known[1] not in ("wrap", "saturate", "of") or len(arguments) != 1:
            return None
        return converted(*known, self.value(arguments[0]))

    def fitted(self, value: Expr, kind: ScalarType, place: Span) -> Expr:
        """The value in a type; one of a width that C has not must hold whatever value comes."""
        if kind == kind.stored or value.type == kind:
            return convert(value, kind)
        found, (low, high) = self.intervals.of(value), limits(kind)
        if found is not None and low <= found[0] and found[1] <= high:
            return convert(value, kind)
        name = f"sisy_{kind}"
        words = "floating point" if found is None else f"{found[0]} to {found[1]}"
        raise self.affines.collector.fault(
            "fixed-width",
            f"`{name}` holds {low} to {high}, and the value may be {words}",
            place,
            hint=f"say what becomes of it: `{name}_wrap(...)` or `{name}_saturate(...)`",
        )

    def _hoisted(self, function: Function, node: c_ast.FuncCall) -> Expr:
        """What the statements of a function leave, which come before the one that calls it."""
        if self.hoist is None:
            raise self._no("unknown-call", f"`{function.name}` does more than return an expression", node)
        if self.choices and writes_arguments(function, self.affines):
            words = f"`{function.name}` changes its arguments, and is called on a condition inside an expression"
            raise self._no("side-effect", words, node, "write it as `if` and `else`")
        return self.hoist(function, node)


def writes_arguments(function: Function, affines: Affines) -> bool:
    """Whether a function may write what a parameter points to."""
    kinds = [declared(p.type, affines.typedefs) for p in function.parameters]
    return any(kind.layers and not kind.const for kind in kinds)


def _depth(node: c_ast.Node) -> int:
    """How many operations lie inside each other, at most."""
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [child for n in level for _, child in n.children()]
    return deepest
