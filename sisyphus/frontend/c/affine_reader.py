"""Integer expressions of the source as affine bounds, or the reason why they are none."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import AffineFaults, Purpose
from sisyphus.frontend.c.arithmetic import COMPARISONS, OPERATIONS
from sisyphus.frontend.c.bound import Condition, Fork, SourceBound
from sisyphus.frontend.c.c_types import Declared, declared, integer_literal, limits
from sisyphus.frontend.c.choices import returned, smaller_or_larger, tests_of
from sisyphus.frontend.c.constants import element_of
from sisyphus.frontend.c.context import Context, Ledger, Question
from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.literals import literal
from sisyphus.frontend.c.parse import Tree, base_of, subscripts_of
from sisyphus.frontend.c.quotients import Known, quotient
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
from sisyphus.ir import INT32, ScalarType, promote
from sisyphus.ir.types import BOOL, UINT64
from sisyphus.poly import Affine, const


class Affines(AffineFaults):
    """Reads integer expressions in the scope and context that it is pointed at."""

    def __init__(self, tree: Tree, collector: Collector, typedefs: dict[str, Declared], ledger: Ledger) -> None:
        super().__init__(tree, collector, typedefs)
        self.ledger = ledger
        self.scope = Scope()
        self.context = Context()
        self.calls: tuple[str, ...] = ()
        #: Conditions that are known to hold, or not to, in the case that is being translated; None outside of cases.
        self.cases: dict[Condition, bool] | None = None

    # -- entry points ------------------------------------------------------------------------------------------

    def plain(self, node: c_ast.Node, use: Purpose) -> Affine:
        """An affine expression; of a minimum or maximum, the one that it is in this case."""
        bound, _ = self.typed(node, use)
        found = self.settled(bound)
        if found is None:
            raise self.no(use, node, f"{use.noun} `{self.text(node)}` is a minimum or maximum")
        return found

    def settled(self, bound: SourceBound) -> Affine | None:
        """The one of several expressions that a bound is in this case; None outside of cases."""
        best, *others = bound.parts
        for other in others:
            ahead = self.context.interval(other - best) or (-1, 0)
            if ahead[0] >= 0 or ahead[1] < 0:
                is_below = ahead[0] >= 0
            elif self.cases is None:
                return None
            else:
                is_below = self.case((((other - best),),))
            best = best if is_below == (bound.kind == "min") else other
        return best

    def alias(self, node: c_ast.Node, kind: ScalarType, use: Purpose) -> Alias | None:
        """What a name stands for that is set to a value once; None where that is no affine value in any case."""
        if kind == BOOL:
            return None
        known, asked = self.cases, len(self.ledger.questions)
        self.cases = None  # a name has one value in all cases of what stands around it, or is read in each
        try:
            bound, _ = self.typed(node, use)
        except Refused as refused:
            if refused.diagnostic is None or refused.diagnostic.rule not in (use.rule, use.data_rule):
                raise
            del self.ledger.questions[asked:]
            return self._alias_by_cases(node, kind, use)
        finally:
            self.cases = known
        return Alias(self.checked(bound, kind, node)[0], kind)

    def _alias_by_cases(self, node: c_ast.Node, kind: ScalarType, use: Purpose) -> Alias | None:
        known, asked = self.cases, len(self.ledger.questions)
        self.cases = {}
        try:
            self.typed(node, use)
        except Fork:
            return Alias(None, kind, node, self.scope)
        except Refused:
            return None
        finally:
            self.cases = known
            del self.ledger.questions[asked:]
        return None

    def case(self, condition: Condition) -> bool:
        """Whether a condition holds in this case; where that is open the place is translated twice."""
        if self.cases is None or condition not in self.cases:
            raise Fork(condition)
        return self.cases[condition]

    def constant(self, node: c_ast.Node, use: Purpose) -> int:
        """A value known now."""
        value = self.plain(node, use)
        if not value.is_constant:
            raise self.no(use, node, f"{use.noun} `{self.text(node)}` is no constant")
        return value.constant

    def typed(self, node: c_ast.Node, use: Purpose) -> tuple[SourceBound, ScalarType]:
        """The bound that an expression is, and its C type."""
        match node:
            case c_ast.Constant():
                return self._literal(node, use)
            case c_ast.ID():
                return self._name(node, use)
            case c_ast.UnaryOp():
                return self._unary(node, use)
            case c_ast.BinaryOp():
                return self._binary(node, use)
            case c_ast.TernaryOp():
                return self._ternary(node, use)
            case c_ast.Cast():
                return self._cast(node, use)
            case c_ast.FuncCall():
                return self._call(node, use)
            case c_ast.ArrayRef():
                return self._element(node, use)
            case c_ast.Assignment():
                raise self.fault("side-effect", f"{use.noun} changes a variable", node)
            case c_ast.ExprList():
                raise self.fault("comma", f"{use.noun} uses the comma operator", node, "write the parts as statements")
        raise self.fault("unsupported-expression", f"{use.noun} `{self.text(node)}` is not understood", node)

    # -- leaves ------------------------------------------------------------------------------------------------

    def _literal(self, node: c_ast.Constant, use: Purpose) -> tuple[SourceBound, ScalarType]:
        found = literal(node.value) if node.type != "string" else None
        if found is None or found.type.is_float:
            raise self.no(use, node, f"{use.noun} `{node.value}` is not an integer")
        value = integer_literal(found.text)
        if value is None:
            raise self.no(use, node, f"{use.noun} `{node.value}` is not an integer")
        return SourceBound.of(const(value[0])), value[1]

    def _name(self, node: c_ast.ID, use: Purpose) -> tuple[SourceBound, ScalarType]:
        match self.scope.find(node.name):
            case Constant(integer=int(value), type=kind):
                return SourceBound.of(const(value)), kind
            case Alias(value=SourceBound() as value, type=kind):
                return value, kind
            case Alias(node=c_ast.Node() as text, scope=Scope() as scope, type=kind):
                outer, self.scope = self.scope, scope
                try:
                    return self.checked(self.typed(text, use)[0], kind, text)
                finally:
                    self.scope = outer
            case Parameter() as parameter:
                return self._parameter(parameter, node, use)
            case Variable(binding=SourceBound() as value, type=kind):
                return value, kind
            case Variable() as variable:
                raise self.variable_fault(variable, node, use)
            case SubArray():
                raise self.no(Purpose(use.noun, use.data_rule, ""), node, f"{use.noun} `{node.name}` is an address")
            case Unusable() as unusable:
                raise self.unusable(unusable, node)
            case Function() | Constant():
                raise self.no(use, node, f"{use.noun} `{node.name}` is not an integer")
        raise self.fault("undeclared", f"`{node.name}` is not declared", node)

    def _element(self, node: c_ast.ArrayRef, use: Purpose) -> tuple[SourceBound, ScalarType]:
        """An element of a constant table whose subscripts are known now."""
        base = base_of(node)
        found = self.scope.find(base.name) if isinstance(base, c_ast.ID) else None
        if isinstance(found, Variable) and found.table is not None and not found.type.is_float:
            index = [self.typed(subscript, use)[0].constant for subscript in subscripts_of(node)]
            known = [value for value in index if value is not None]
            value = element_of(found.table, known) if len(known) == len(found.extents) == len(index) else None
            if value is not None:
                return SourceBound.of(const(value)), found.type
        raise self.data(node, use)

    def _parameter(self, parameter: Parameter, node: c_ast.ID, use: Purpose) -> tuple[SourceBound, ScalarType]:
        if parameter.type.is_float:
            raise self.no(use, node, f"{use.noun} depends on `{node.name}`, which is a {parameter.type.c_name}")
        if parameter.value is None:
            raise self.collector.fault(
                "unbound-parameter",
                f"`{node.name}` shapes the kernel and has no value",
                self.tree.span(node),
                hint=f"give it one with `--param {node.name}=...`",
                notes=("its callers in this file do not agree on one",) if parameter.callers_differ else (),
            )
        return SourceBound.of(const(parameter.value)), parameter.type

    # -- operators ---------------------------------------------------------------------------------------------

    def _unary(self, node: c_ast.UnaryOp, use: Purpose) -> tuple[SourceBound, ScalarType]:
        if node.op in ("++", "--", "p++", "p--"):
            raise self.fault("side-effect", f"{use.noun} changes `{self.text(node.expr)}`", node)
        if node.op == "*":
            if names_number(node.expr, self.scope):
                return self.typed(node.expr, use)
            raise self.data(node, use)
        if node.op == "&":
            hint = "compare places of one array, with names that nothing changes, or count with an index"
            raise self.fault("pointer-arithmetic", f"{use.noun} `{self.text(node)}` works on an address", node, hint)
        if node.op == "sizeof":
            return SourceBound.of(const(self._sizeof(node))), UINT64
        bound, kind = self.typed(node.expr, use)
        kind = kind.promoted
        value = bound.constant
        if node.op == "+":
            return bound, kind
        if node.op == "-":
            return self.checked(bound.times(-1), kind, node)
        if node.op == "!" and value is None and self._is_bit(bound):
            return SourceBound.of(bound.parts[0] * -1 + 1), INT32
        if value is None or node.op not in ("~", "!"):
            raise self.no(use, node, f"{use.noun} `{self.text(node)}` is not affine")
        if node.op == "!":
            return SourceBound.of(const(int(not value))), INT32
        return SourceBound.of(const(limits(kind)[1] - value if kind.kind == "uint" else ~value)), kind

    def _sizeof(self, node: c_ast.UnaryOp) -> int:
        if isinstance(node.expr, c_ast.Typename):
            kind = declared(node.expr, self.typedefs)
            if kind.scalar and kind.is_scalar:
                return kind.scalar.bytes
        dims, base = 0, node.expr
        while isinstance(base, c_ast.ArrayRef) or (isinstance(base, c_ast.UnaryOp) and base.op == "*"):
            dims, base = dims + 1, base.name if isinstance(base, c_ast.ArrayRef) else base.expr
        found = self.scope.find(base.name) if isinstance(base, c_ast.ID) else None
        if isinstance(found, Parameter | Alias) and not dims:
            return found.type.stored.bytes
        if isinstance(found, Variable) and dims <= len(found.extents):
            if found.is_argument and not dims:
                words = f"`sizeof` of the argument `{found.name}` is that of a pointer"
                raise self.fault("unsupported-expression", words, node, "name the size of the array")
            return found.type.stored.bytes * prod(found.extents[dims:])
        words = "`sizeof` is understood for arithmetic types, arrays and their elements only"
        raise self.fault("unsupported-expression", words, node)

    def _binary(self, node: c_ast.BinaryOp, use: Purpose) -> tuple[SourceBound, ScalarType]:
        left, left_type = self.typed(node.left, use)
        right, right_type = self.typed(node.right, use)
        kind = left_type.promoted if node.op in ("<<", ">>") else promote(left_type, right_type)
        if left.constant is not None and right.constant is not None:
            return self._folded(node, left.constant, right.constant, kind)
        result: SourceBound | None = None
        if node.op in ("+", "-"):
            result = left.plus(right if node.op == "+" else right.times(-1))
        elif node.op == "*" and left.constant is not None:
            result = right.times(left.constant)
        elif node.op == "*" and right.constant is not None:
            result = left.times(right.constant)
        elif node.op == "<<" and right.constant is not None and 0 <= right.constant < 31:
            result = left.times(1 << right.constant)
        elif node.op == "^" and right.constant == 1 and self._is_bit(left):
            result = left.times(-1).each(lambda a: a + 1)
        elif left.affine is not None and right.constant is not None:
            holds = None if self.cases is None else lambda value: self.case(((value,),))
            known = Known(self.context.interval, holds, signed=kind.kind == "int")
            found = quotient(node.op, left.affine, right.constant, known)
            result = None if found is None else SourceBound.of(found)
        if result is None:
            raise self.not_affine(node, use)
        return self.checked(result, kind, node)

    def _is_bit(self, bound: SourceBound) -> bool:
        """Whether a value is known to be 0 or 1."""
        found = self.context.interval(bound.affine) if bound.affine is not None else None
        return found is not None and found[0] >= 0 and found[1] <= 1

    def _folded(self, node: c_ast.BinaryOp, left: int, right: int, kind: ScalarType) -> tuple[SourceBound, ScalarType]:
        if node.op in ("/", "%") and right == 0:
            raise self.by_zero(node)
        if node.op in ("<<", ">>") and not 0 <= right < kind.bits:
            raise self.bad_shift(node, right, kind)
        if node.op not in ("&&", "||", "<<", ">>"):
            self.balanced(SourceBound.of(const(left)), SourceBound.of(const(right)), kind, node)
        value = OPERATIONS[node.op](left, right)
        if node.op in COMPARISONS or node.op in ("&&", "||"):
            kind = INT32
        return self.checked(SourceBound.of(const(value)), kind, node)

    def balanced(self, left: SourceBound, right: SourceBound, kind: ScalarType, node: c_ast.BinaryOp) -> None:
        """Operands that C turns into unsigned values must not be negative."""
        if kind.kind == "uint":
            self.checked(left, kind, node.left)
            self.checked(right, kind, node.right)

    def checked(
        self, bound: SourceBound, kind: ScalarType, node: c_ast.Node, *, text: str | None = None
    ) -> tuple[SourceBound, ScalarType]:
        """The value, once it is sure that C computes the same: no overflow, no unsigned value below zero."""
        low, high = limits(kind)
        span, context = self.tree.span(node), self.context
        text = text or self.text(node)
        for part in bound.parts:
            found = context.interval(part)
            if found is None or (low <= found[0] and found[1] <= high):
                continue
            if part.is_constant:
                raise self.beyond(text, kind, span, below=part.constant < low)
            for below, bad in ((True, low - 1 - part), (False, part - (high + 1))):
                if found[0] >= low if below else found[1] <= high:
                    continue

                def fault(point: Mapping[str, int], below: bool = below) -> Refused:
                    return self.beyond(text, kind, span, below=below, notes=context.where(point))

                self.ledger.questions.append(Question(context, ((bad,),), span, fault))
        return bound, kind

    # -- choices, conversions, calls ---------------------------------------------------------------------------

    def _ternary(self, node: c_ast.TernaryOp, use: Purpose) -> tuple[SourceBound, ScalarType]:
        """A choice that is known, or the smaller or the larger of two values."""
        condition = _as_comparison(node.cond)
        if condition is None:
            return self.typed(node.iftrue if self.constant(node.cond, use) else node.iffalse, use)
        left, left_type = self.typed(condition.left, use)
        right, right_type = self.typed(condition.right, use)
        self.balanced(left, right, promote(left_type, right_type), condition)
        if left.constant is not None and right.constant is not None:
            holds = OPERATIONS[condition.op](left.constant, right.constant)
            return self.typed(node.iftrue if holds else node.iffalse, use)
        yes, yes_type = self.typed(node.iftrue, use)
        no, no_type = self.typed(node.iffalse, use)
        if condition.op in (">", ">="):
            left, right = right, left
        if condition.op not in ("==", "!="):
            found = smaller_or_larger(left, right, yes, no, strict=condition.op in ("<", ">"))
            if found is not None:
                return found, promote(yes_type, no_type)
        if self.cases is not None:
            ahead = right.plus(left.times(-1))
            if ahead is not None:
                return (yes if self.case(tests_of(condition.op, ahead)) else no), promote(yes_type, no_type)
        raise self.no(use, node, f"{use.noun} `{self.text(node)}` is neither the smaller nor the larger of two")

    def _cast(self, node: c_ast.Cast, use: Purpose) -> tuple[SourceBound, ScalarType]:
        kind = declared(node.to_type, self.typedefs)
        if not kind.is_scalar or kind.scalar is None or kind.scalar.is_float or kind.scalar == BOOL:
            raise self.no(use, node, f"{use.noun} `{self.text(node)}` is not an integer")
        bound, _ = self.typed(node.expr, use)
        return self.checked(bound, kind.scalar, node)

    def _call(self, node: c_ast.FuncCall, use: Purpose) -> tuple[SourceBound, ScalarType]:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        arguments = list(node.args.exprs) if node.args else []
        function = self.scope.find(name)
        if not isinstance(function, Function) or function.body is None:
            raise self.data(node, use)
        result = returned(function)
        parameters = list(function.decl.type.args.params) if function.decl.type.args else []
        if result is None or len(parameters) != len(arguments) or name in self.calls:
            raise self.data(node, use)
        inner = Scope(self.scope.outermost)
        for parameter, argument in zip(parameters, arguments, strict=True):
            kind = declared(parameter.type, self.typedefs)
            if kind.scalar is None or not kind.is_scalar or kind.scalar.is_float:
                raise self.data(node, use)
            value, _ = self.typed(argument, use)
            inner.names[parameter.name] = Alias(self.checked(value, kind.scalar, argument)[0], kind.scalar)
        outer, calls = self.scope, self.calls
        self.scope, self.calls = inner, (*calls, name)
        try:
            return self.typed(result, use)
        finally:
            self.scope, self.calls = outer, calls


def _as_comparison(node: c_ast.Node) -> c_ast.BinaryOp | None:
    """What a condition compares: `x` is `x != 0`, and `!x` is `x == 0`; None for what is made of several."""
    match node:
        case c_ast.BinaryOp(op=op) if op in COMPARISONS:
            return node
        case c_ast.BinaryOp(op="&&" | "||") | c_ast.UnaryOp(op="!", expr=c_ast.BinaryOp() | c_ast.UnaryOp()):
            return None
    zero = c_ast.Constant("int", "0", node.coord)
    if isinstance(node, c_ast.UnaryOp) and node.op == "!":
        return c_ast.BinaryOp("==", node.expr, zero, node.coord)
    return c_ast.BinaryOp("!=", node, zero, node.coord)
