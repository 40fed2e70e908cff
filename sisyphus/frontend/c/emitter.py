"""Assignments as drafts at the place that the translation has come to; knows no control flow."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.bound import Fork, negate
from sisyphus.frontend.c.c_types import convert, integer_expression, number
from sisyphus.frontend.c.constants import constant_of
from sisyphus.frontend.c.context import Context
from sisyphus.frontend.c.declarations import Variables
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import DataGuard, Draft, may_trap
from sisyphus.frontend.c.expressions import Expressions
from sisyphus.frontend.c.initialisers import filling, values_of
from sisyphus.frontend.c.questions import is_empty
from sisyphus.frontend.c.scope import Alias, Constant, Function, Parameter, SubArray, Unusable, Variable
from sisyphus.ir import Expr, Index, Read, Ref, Scalar, Table, walk
from sisyphus.poly import const, var
from sisyphus.source import Span

MOST_CASES = 8


class Emitter:
    """Makes drafts in the order of the text, under the conditions on data that hold at this place."""

    def __init__(self, affines: Affines, variables: Variables) -> None:
        self.affines, self.variables = affines, variables
        self.expressions = Expressions(affines)
        self.drafts: list[Draft] = []
        self.guards: tuple[DataGuard, ...] = ()
        self._prefix: tuple[int, ...] = ()
        self._counter = [0]

    def by_cases(self, translate: Callable[[], None], node: c_ast.Node, splits: int = 0) -> None:
        """Translates a statement as it is; where a condition decides what it means, once for each of both cases.

        b[i] = a[i > 0 ? i - 1 : 0];   becomes   if (i >= 1) b[i] = a[i - 1]; else b[i] = a[0];

        It is a case of so many conditions already that hold in some iterations and not in others.
        """
        affines, drafts, asked = self.affines, len(self.drafts), len(self.affines.ledger.questions)
        outer, known, scope = affines.context, affines.cases, affines.scope
        place = self._prefix, list(self._counter), self.guards, self.expressions.guards
        affines.cases = known or {}
        try:
            translate()
            return
        except Fork as fork:
            condition = fork.condition
        finally:
            affines.cases = known
        del self.drafts[drafts:], affines.ledger.questions[asked:]
        affines.scope, (self._prefix, self._counter, self.guards, self.expressions.guards) = scope, place
        intervals, written = self.expressions.intervals, self.variables.written()
        sides = {holds: outer.under(condition if holds else negate(condition)) for holds in (True, False)}
        possible = [holds for holds, context in sides.items() if context.known and not is_empty(context)]
        splits += len(possible) > 1
        if splits > MOST_CASES:
            raise affines.fault("too-complex", "this statement means something else in too many cases", node)
        for holds in possible:
            affines.context, affines.cases = sides[holds], {**(known or {}), condition: holds}
            with self.variables.as_written(written):
                self.by_cases(translate, node, splits)
            intervals.forget({draft.write.array for draft in self.drafts[drafts:]})
        affines.context, affines.cases = outer, known

    def _assignment(self, node: c_ast.Assignment) -> None:
        """`a = b = e` becomes `b = e; a = b`; the faults of both sides are collected."""
        chain = [node]
        while isinstance(chain[-1].rvalue, c_ast.Assignment):
            chain.append(chain[-1].rvalue)
        value: Expr | None = None
        try:
            value = self.expressions.value(chain[-1].rvalue)
        except Refused as refused:
            self.affines.collector.add(refused)
        for link in reversed(chain):
            try:
                value = self._emit(link.lvalue, link.op.removesuffix("="), value, link)
            except Refused as refused:
                value = None
                self.affines.collector.add(refused)

    def _emit(self, target: c_ast.Node, op: str, value: Expr | None, node: c_ast.Node) -> Expr | None:
        """One statement `target op= value`; the value that it leaves behind is returned."""
        ref, variable = self._target(target)
        if value is None:
            return None
        if op:
            variable.read = True
            value = self.expressions.binary(op, Read(ref, variable.type), value, node)
        self.put(ref, variable, value, self.affines.tree.span(node))
        return Read(ref, variable.type)

    def put(self, ref: Ref, variable: Variable, value: Expr, span: Span) -> None:
        """Add a statement at this place."""
        position = (*self._prefix, self._take())
        self._draft(self.affines.context, position, ref, variable, value, span)

    def _draft(
        self, context: Context, position: tuple[int, ...], ref: Ref, variable: Variable, value: Expr, span: Span
    ) -> None:
        """A draft under the conditions on data since the variable was declared: before, it does not exist."""
        guards, value = self.guards[variable.guards :], self.expressions.fitted(value, variable.type, span)
        if not guards and self.guards and may_trap(value):
            guards = self.guards
        # What was never written on this way through the loops around has no value to keep.
        is_new = not variable.written and not variable.is_argument and not variable.extents
        fresh = is_new and variable.depth == len(context.loops)
        variable.written = True
        variable.read |= bool(guards) and not fresh
        draft = Draft(context, position, ref, variable, value, span, guards, fresh)
        self.expressions.intervals.learn(ref, draft.value)
        self.drafts.append(draft)

    def _take(self) -> int:
        self._counter[-1] += 1
        return self._counter[-1] - 1

    def _target(self, node: c_ast.Node) -> tuple[Ref, Variable]:
        affines = self.affines
        if isinstance(node, c_ast.ArrayRef):
            ref, variable = self.expressions.element(node)
        elif isinstance(node, c_ast.ID):
            ref, variable = self._scalar(node)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*" and self.expressions.is_pointer(node.expr):
            ref, variable = self.expressions.element(node)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            found = affines.scope.find(node.expr.name) if isinstance(node.expr, c_ast.ID) else None
            if isinstance(found, Unusable):
                raise affines.unusable(found, node.expr)
            hint = "pass an array of one element and write to `[0]`" if isinstance(node.expr, c_ast.ID) else None
            words = f"`{affines.text(node)}` writes through a pointer"
            raise affines.fault("pointer-arithmetic", words, node, hint)
        else:
            raise affines.fault("unsupported-expression", f"cannot assign to `{affines.text(node)}`", node)
        if variable.const or self._is_const(node):
            raise affines.fault("const-write", f"`{variable.name}` is `const`", node)
        return ref, variable

    def _is_const(self, node: c_ast.Node) -> bool:
        """Whether the name that is written through promises not to be."""
        while not isinstance(node, c_ast.ID):
            node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr if hasattr(node, "expr") else node.left
        found = self.affines.scope.find(node.name)
        return isinstance(found, SubArray) and found.const

    def _scalar(self, node: c_ast.ID) -> tuple[Ref, Variable]:
        affines, name = self.affines, node.name
        match affines.scope.find(name):
            case Variable() as variable:
                if variable.extents:
                    raise affines.fault("pointer-arithmetic", f"array `{name}` is assigned as a whole", node)
                if variable.counts:
                    raise affines.fault("iterator-written", f"`{name}` counts a loop and is written", node)
                return Ref(variable.id, ()), variable
            case Parameter(shapes_loops=True):
                raise affines.fault("parameter-written", f"`{name}` shapes the kernel and is written", node)
            case Constant() | Alias() | Parameter():
                raise affines.fault("const-write", f"`{name}` is a constant", node)
            case SubArray():
                raise affines.fault("pointer-arithmetic", f"address `{name}` is assigned", node)
            case Unusable() as unusable:
                raise affines.unusable(unusable, node)
            case Function():
                raise affines.fault("unsupported-expression", f"cannot assign to function `{name}`", node)
        raise affines.fault("undeclared", f"`{name}` is not declared", node)

    def initialise(self, node: c_ast.Decl, variable: Variable) -> None:
        """Statements for the initialiser of a variable."""
        span = self.affines.tree.span(node, node.init)
        if variable.extents and variable.const:
            variable.table = self._table(node, variable)
        if variable.table is not None:
            return
        if variable.extents:
            values, rest_is_zero = values_of(node.init, variable, self.affines)
            if rest_is_zero:
                self._fill(variable, span)
            for at, value in values:
                ref = Ref(variable.id, tuple(const(i) for i in at))
                self.put(ref, variable, self.expressions.value(value), self.affines.tree.span(value))
            return
        init = node.init
        if isinstance(init, c_ast.InitList) and len(init.exprs) == 1:
            init = init.exprs[0]
        self.by_cases(lambda: self.put(Ref(variable.id, ()), variable, self.expressions.value(init), span), init)

    def _table(self, node: c_ast.Decl, variable: Variable) -> Table | None:
        """The constant table that an array is which is never written; None where its values are computed."""
        given, _ = values_of(node.init, variable, self.affines, most=prod(variable.extents))
        kind = variable.type
        values = dict[tuple[int, ...], Expr]()
        for at, value in given:
            expr = self.expressions.value(value)
            if any(isinstance(e, Read | Scalar | Index) for e in walk(expr)):
                return None
            expr = self.expressions.fitted(expr, kind, self.affines.tree.span(value))
            known = constant_of(expr)
            values[at] = expr if known is None else integer_expression(known, kind.promoted)
        zero = convert(number(0), kind) if kind.is_float else number(0)
        every = product(*(range(extent) for extent in variable.extents))
        return Table(variable.id, kind, variable.extents, tuple(values.get(at, zero) for at in every))

    def _fill(self, variable: Variable, span: Span) -> None:
        """All elements set to zero, by a loop per dimension."""
        context, index = filling(variable, self.affines.context, self.variables)
        position = (*self._prefix, self._take(), *(0 for _ in index))
        ref = Ref(variable.id, tuple(var(n) for n in index))
        self._draft(context, position, ref, variable, convert(number(0), variable.type), span)
