"""The body of a function as statements with domains and positions; every fault is collected, none stops the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast

from sisyphus.frontend.c import loops
from sisyphus.frontend.c.affine import VALUE, Affines
from sisyphus.frontend.c.bound import Bound, Condition, TooManyCases, negate
from sisyphus.frontend.c.conditions import condition
from sisyphus.frontend.c.context import Context, Loop
from sisyphus.frontend.c.declarations import Variables, undeclared_yet
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.expressions import Expressions
from sisyphus.frontend.c.file import enumerate_constants, pragma_words, scop_pragmas
from sisyphus.frontend.c.initialisers import filling, values_of
from sisyphus.frontend.c.scope import Alias, Constant, Function, Parameter, Scope, Unusable, Variable
from sisyphus.frontend.c.types import Declared, convert, declared, number
from sisyphus.ir import Expr, Literal, Read, Ref
from sisyphus.ir.types import INT32
from sisyphus.poly import const, var
from sisyphus.source import Span

JUMPS = {c_ast.Break: "`break`", c_ast.Continue: "`continue`", c_ast.Goto: "`goto`", c_ast.Label: "a jump to a label"}
OUTSIDE = "this stands outside `#pragma scop`, but it is part of the function"


@dataclass(frozen=True, eq=False)
class Draft:
    """A statement before it gets its number."""

    context: Context
    position: tuple[int, ...]
    write: Ref
    variable: Variable
    rhs: Expr
    span: Span


class Body:
    """Walks statements in the order of the text."""

    def __init__(self, affines: Affines, variables: Variables) -> None:
        self.affines, self.variables = affines, variables
        self.expressions = Expressions(affines)
        self.drafts: list[Draft] = []
        self._prefix: tuple[int, ...] = ()
        self._counter = [0]

    # -- walking -----------------------------------------------------------------------------------------------

    def run(self, function: c_ast.FuncDef) -> None:
        """The statements of the function; a `return` may only be the last."""
        items = list(function.body.block_items or [])
        if items and isinstance(items[-1], c_ast.Return) and items[-1].expr is None:
            items.pop()
        self._pragma(["endscop"] if scop_pragmas(function) else ["scop"])
        self._items(items)
        self._pragma(["scop"])

    def _pragma(self, words: list[str]) -> None:
        """Faults outside the pragmas of a scop say so."""
        if words in (["scop"], ["endscop"]):
            self.affines.collector.standing_notes = () if words == ["scop"] else (OUTSIDE,)

    def _items(self, items: Sequence[c_ast.Node]) -> None:
        outer = self.affines.scope
        self.affines.scope = Scope(outer)
        for item in items:
            self.statement(item)
        self.affines.scope = outer

    def statement(self, node: c_ast.Node | None) -> None:
        """One statement; its faults are collected."""
        context = self.affines.context
        try:
            self._statement(node)
        except Refused as refused:
            self.affines.collector.add(refused)
        self.affines.context = context

    def _statement(self, node: c_ast.Node | None) -> None:
        affines = self.affines
        match node:
            case None | c_ast.EmptyStatement() | c_ast.StaticAssert():
                return
            case c_ast.Pragma():
                self._pragma(pragma_words(node)[:1])
            case c_ast.Compound():
                self._items(node.block_items or [])
            case c_ast.Assignment():
                self._assignment(node)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                self._emit(node.expr, node.op.strip("p")[0], Literal("1", INT32), node)
            case c_ast.For():
                self._for(node)
            case c_ast.If():
                self._if(node)
            case c_ast.DoWhile(cond=c_ast.Constant(value="0")):
                self._items([node.stmt])
            case c_ast.Decl():
                self._declaration(node)
            case c_ast.Typedef():
                affines.typedefs[node.name] = declared(node.type, affines.typedefs)
                enumerate_constants(node.type, affines)
            case c_ast.FuncCall():
                raise self._called(node)
            case c_ast.Cast(expr=c_ast.ID() | c_ast.Constant()) if declared(node.to_type, affines.typedefs).is_void:
                return
            case _:
                raise self._refused(node)

    def _refused(self, node: c_ast.Node) -> Refused:
        tree, collector = self.affines.tree, self.affines.collector
        for kind, words in JUMPS.items():
            if isinstance(node, kind):
                return collector.fault("jump", f"{words} leaves the order of the loops", tree.start(node))
        match node:
            case c_ast.While() | c_ast.DoWhile():
                word = "while" if isinstance(node, c_ast.While) else "do"
                words = f"a `{word}` loop runs an unknown number of times"
                return collector.fault("while-loop", words, tree.start(node))
            case c_ast.Switch():
                return collector.fault("switch", "a `switch` chooses by jumping", tree.start(node))
            case c_ast.Return(expr=None):
                return collector.fault("jump", "`return` leaves the function before its end", tree.start(node))
            case c_ast.Return():
                return collector.fault("return-value", "the kernel returns a value", tree.span(node))
            case c_ast.ExprList():
                return self.affines.fault("comma", "statements are joined by the comma operator", node)
        return self.affines.fault("unsupported-statement", "this statement has no effect that a kernel can have", node)

    def _called(self, node: c_ast.FuncCall) -> Refused:
        name = node.name.name if isinstance(node.name, c_ast.ID) else "a pointer"
        if name == self.variables.function:
            return self.affines.fault("recursion", f"`{name}` calls itself", node)
        if self.affines.scope.find(name) is None:
            return self.affines.fault("undeclared", f"function `{name}` is not declared", node)
        hint = "write its statements here, or call it outside the function"
        return self.affines.fault("unknown-call", f"`{name}` is called for its effect", node, hint)

    # -- assignments -------------------------------------------------------------------------------------------

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
        variable.written = True
        self.drafts.append(Draft(context, position, ref, variable, convert(value, variable.type), span))

    def _take(self) -> int:
        self._counter[-1] += 1
        return self._counter[-1] - 1

    def _target(self, node: c_ast.Node) -> tuple[Ref, Variable]:
        affines = self.affines
        if isinstance(node, c_ast.ArrayRef):
            ref, variable = self.expressions.element(node)
        elif isinstance(node, c_ast.ID):
            ref, variable = self._scalar(node)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            hint = "pass an array of one element and write to `[0]`" if isinstance(node.expr, c_ast.ID) else None
            words = f"`{affines.text(node)}` writes through a pointer"
            raise affines.fault("pointer-arithmetic", words, node, hint)
        else:
            raise affines.fault("unsupported-expression", f"cannot assign to `{affines.text(node)}`", node)
        if variable.const:
            raise affines.fault("const-write", f"`{variable.name}` is `const`", node)
        return ref, variable

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
            case Unusable() as unusable:
                raise affines.unusable(unusable, node)
            case Function():
                raise affines.fault("unsupported-expression", f"cannot assign to function `{name}`", node)
        raise affines.fault("undeclared", f"`{name}` is not declared", node)

    # -- control -----------------------------------------------------------------------------------------------

    def _if(self, node: c_ast.If) -> None:
        affines = self.affines
        outer = affines.context
        holds: Condition | None = None
        try:
            holds = condition(node.cond, affines)
        except Refused as refused:
            self.affines.collector.add(refused)
        for branch, negated in ((node.iftrue, False), (node.iffalse, True)):
            if branch is None:
                continue
            affines.context = outer.lost() if holds is None else self._under(outer, holds, node.cond, negated=negated)
            self._items([branch])
            affines.context = outer

    def _under(self, outer: Context, holds: Condition, node: c_ast.Node, *, negated: bool) -> Context:
        try:
            return outer.under(negate(holds) if negated else holds)
        except TooManyCases:
            words = "the conditions around this place fall into too many cases"
            self.affines.collector.add(self.affines.fault("too-complex", words, node))
            return outer.lost()

    def _for(self, node: c_ast.For) -> None:
        affines = self.affines
        outer_scope, outer = affines.scope, affines.context
        affines.scope = Scope(outer_scope)
        variable: Variable | None = None
        position = self._take()
        try:
            place, name, start = loops.iterator_of(node, affines)
            variable = self._iterator(place, name)
            normal = self.variables.iterator(name, affines.context.names)
            head = loops.header(node, name, start, affines)
            affines.context = loops.enter(head, variable, normal, affines)
        except Refused as refused:
            self.affines.collector.add(refused)
            affines.context = self._astray(node, variable, outer)
        self._prefix = (*self._prefix, position)
        self._counter.append(0)
        self._items([node.stmt])
        self._counter.pop()
        self._prefix = self._prefix[:-1]
        if variable is not None:
            variable.binding = None
        affines.scope, affines.context = outer_scope, outer

    def _astray(self, node: c_ast.For, variable: Variable | None, outer: Context) -> Context:
        """The context of a loop whose header was refused: its iterator may be named, nothing is known of its value."""
        if variable is None:
            for name in loops.counted_names(node):
                self.affines.scope.names[name] = Unusable()
            return outer.lost()
        normal = self.variables.iterator(variable.name, outer.names)
        variable.binding = Bound.of(var(normal))
        return Context((*outer.loops, Loop(normal, variable, var(normal), None)), outer.condition, known=False)

    def _iterator(self, place: c_ast.Node, name: str) -> Variable:
        """The variable that a loop counts with, declared here or before."""
        affines = self.affines
        if isinstance(place, c_ast.Decl):
            kind = declared(place.type, affines.typedefs)
            if kind.scalar is None or not kind.is_scalar or kind.scalar.is_float or kind.problem:
                affines.scope.names[name] = Unusable()
                raise affines.fault("loop-form", f"the iterator `{name}` is not an integer", place)
            variable = self.variables.counter(name, kind.scalar, affines.tree.start(place))
            affines.scope.names[name] = variable
            return variable
        match affines.scope.find(name):
            case Variable(counts=True) as variable:
                if variable.binding is not None:
                    raise affines.fault("iterator-written", f"`{name}` counts an outer loop already", place)
                return variable
            case Parameter():
                raise affines.fault("parameter-written", f"argument `{name}` counts a loop", place)
            case Unusable() as unusable:
                raise affines.unusable(unusable, place)
            case None:
                raise affines.fault("undeclared", f"`{name}` is not declared", place)
        raise affines.fault("loop-form", f"`{name}` is no local integer", place)

    # -- declarations ------------------------------------------------------------------------------------------

    def _declaration(self, node: c_ast.Decl) -> None:
        affines = self.affines
        names = affines.scope.names
        enumerate_constants(node.type, affines)
        if not node.name:
            return
        kind = declared(node.type, affines.typedefs)
        if node.name in names and not kind.is_function:
            raise affines.fault("redeclared", f"`{node.name}` is declared twice", node)
        names[node.name] = undeclared_yet(node)
        if kind.is_function:
            names[node.name] = affines.scope.outermost.names.get(node.name) or Function(node.name, node, None)
            return
        try:
            if kind.is_scalar and self._alias(node, kind):
                return
            variable = self.variables.local(node, kind, affines)
        except Refused:
            names[node.name] = Unusable()
            raise
        names[node.name] = variable
        # What an iterator holds before its loop is nobody's business: to read it there is refused.
        if node.init is not None and not variable.counts:
            self.initialise(node, variable)

    def _alias(self, node: c_ast.Decl, kind: Declared) -> bool:
        """A local integer that is set once to an affine value stands for that value."""
        affines = self.affines
        if node.init is None or kind.scalar is None or kind.problem or kind.scalar.is_float:
            return False
        if node.name in self.variables.assigned or node.storage or isinstance(node.init, c_ast.InitList):
            return False
        if not self.variables.shapes_loops(node.name) and not self.expressions.is_index(node.init):
            return False
        try:
            bound, _ = affines.typed(node.init, VALUE)
        except Refused as refused:
            if refused.diagnostic is not None and refused.diagnostic.rule in (VALUE.rule, VALUE.data_rule):
                return False
            raise
        affines.checked(bound, kind.scalar, node.init)
        affines.scope.names[node.name] = Alias(bound, kind.scalar)
        return True

    def initialise(self, node: c_ast.Decl, variable: Variable) -> None:
        """Statements for the initialiser of a variable."""
        span = self.affines.tree.span(node, node.init)
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
        self.put(Ref(variable.id, ()), variable, self.expressions.value(init), span)

    def _fill(self, variable: Variable, span: Span) -> None:
        """All elements set to zero, by a loop per dimension."""
        context, index = filling(variable, self.affines.context, self.variables)
        position = (*self._prefix, self._take(), *(0 for _ in index))
        ref = Ref(variable.id, tuple(var(n) for n in index))
        self._draft(context, position, ref, variable, convert(number(0), variable.type), span)
