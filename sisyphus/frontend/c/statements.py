"""The body of a function as statements with domains and positions; every fault is collected, none stops the walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast

from sisyphus.frontend.c import loops
from sisyphus.frontend.c.bound import Fork, SourceBound
from sisyphus.frontend.c.branches import Branches
from sisyphus.frontend.c.c_types import declared, number
from sisyphus.frontend.c.carried import is_mendable, with_ranges
from sisyphus.frontend.c.context import Context, OpenLoop
from sisyphus.frontend.c.diagnostics import Gathered, Refused
from sisyphus.frontend.c.digits import count_in_digits
from sisyphus.frontend.c.file import enumerate_constants, pragma_words, scop_pragmas, touched_names
from sisyphus.frontend.c.jumps import Leave, TooTangled, as_choices, jumps, leaves_loops, out_of_loops, structured
from sisyphus.frontend.c.memory_moves import MOVES, as_loops
from sisyphus.frontend.c.scope import Function, Parameter, Scope, SubArray, Unusable, Variable
from sisyphus.frontend.c.whiles import Holds
from sisyphus.ir import ArrayId, Literal, Ref
from sisyphus.ir.types import INT32
from sisyphus.poly import const, var
from sisyphus.source import Span

JUMPS = {c_ast.Break: "`break`", c_ast.Continue: "`continue`", c_ast.Goto: "`goto`", c_ast.Label: "a jump to a label"}
OUTSIDE = "this stands outside `#pragma scop`, but it is part of the function"


def ignore(_: object) -> None:
    """What is left behind by a statement that stands alone."""


def nothing(_: c_ast.Node) -> list[c_ast.Node]:
    """A jump to the end leaves nothing behind."""
    return []


class StatementReader(Branches):
    """Walks statements in the order of the text."""

    # -- walking -----------------------------------------------------------------------------------------------

    def run(self, function: c_ast.FuncDef) -> None:
        """The statements of the function; a `return` may only be the last."""
        items = list(function.body.block_items or [])
        self.expressions.hoist = self.hoisted
        self._pragma(["endscop"] if scop_pragmas(function) else ["scop"])
        self.items(self.structured(items, c_ast.Return))
        self._pragma(["scop"])

    def _pragma(self, words: list[str]) -> None:
        """Faults outside the pragmas of a scop say so."""
        if words in (["scop"], ["endscop"]):
            self.affines.collector.standing_notes = () if words == ["scop"] else (OUTSIDE,)

    def items(self, items: Sequence[c_ast.Node], at_end: Callable[[], None] | None = None) -> None:
        """Statements in a block of their own, and something that is asked at its end."""
        outer = self.affines.scope
        self.affines.scope = Scope(outer)
        for item in items:
            self.statement(item)
        if at_end is not None:
            at_end()
        self.affines.scope = outer

    def structured(self, items: list[c_ast.Node], kind: type[c_ast.Node], leave: Leave = nothing) -> list[c_ast.Node]:
        """The statements of a body without jumps of a kind to its end."""
        found = [n for n in items if jumps(n, kind)]
        if kind is c_ast.Return and leaves_loops(found):
            items = out_of_loops(items, leave, self._flag("returned", 0, self.affines.tree.start(found[0])))
        try:
            return structured(items, kind, leave) if found else items
        except TooTangled:
            words = f"what follows {JUMPS.get(kind, '`return`')} is reached in too many ways"
            self.affines.collector.report("jump", words, self.affines.tree.start(found[0]))
            return items

    def _flag(self, word: str, first: int, span: Span) -> str:
        """The name in the scope for a variable that says how far the program came."""
        depth, guards = len(self.affines.context.loops), len(self.guards)
        flag = self.variables.array(word, INT32, (), span, depth=depth, guards=guards)
        self.put(Ref(flag.id, ()), flag, number(first), span)
        name = f"{flag.id} of the reader"  # no name in C
        self.affines.scope.names[name] = flag
        return name

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
                self.items(node.block_items or [])
            case c_ast.Assignment():
                self.by_cases(lambda: self._assignment(node), node)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                one = Literal("1", INT32)
                self.by_cases(lambda: ignore(self._emit(node.expr, node.op.strip("p")[0], one, node)), node)
            case c_ast.ExprList():
                self.items(node.exprs)
            case c_ast.For():
                self.by_cases(lambda: self._for(node), node)
            case c_ast.If():
                self.by_cases(lambda: self.branch(node), node.cond)
            case Holds():
                self.must_hold(node)
            case c_ast.DoWhile(cond=c_ast.Constant(value="0")):
                self.items([node.stmt])
            case c_ast.Decl():
                self.declare(node)
            case c_ast.Switch() if (choices := as_choices(node)) is not None:
                self._statement(choices)
            case c_ast.Label() if node.name not in self.variables.facts.jumped_to:
                self._statement(node.stmt)
            case c_ast.Typedef():
                enumerate_constants(node.type, affines)
                affines.typedefs[node.name] = declared(node.type, affines.typedefs)
            case c_ast.FuncCall():
                function = self.affines.scope.find(node.name.name) if isinstance(node.name, c_ast.ID) else None
                if not isinstance(function, Function) or function.body is None:
                    if not isinstance(function, Function) or function.name not in MOVES:
                        raise self._unknown_call(node)
                    self._moves(node)
                    return
                self.by_cases(lambda: ignore(self.inlined(function, node)), node)
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
                words = "a `switch` has statements before its cases, cases inside of others, or runs into too many"
                return collector.fault("switch", words, tree.start(node))
            case c_ast.Return():
                return collector.fault("jump", "`return` leaves the function before its end", tree.start(node))
        return self.affines.fault("unsupported-statement", "this statement has no effect that a kernel can have", node)

    def _unknown_call(self, node: c_ast.FuncCall) -> Refused:
        name = node.name.name if isinstance(node.name, c_ast.ID) else "a pointer"
        if self.affines.scope.find(name) is None:
            return self.affines.fault("undeclared", f"function `{name}` is not declared", node)
        hint = "write its statements here, or call it outside the function"
        return self.affines.fault("unknown-call", f"`{name}` is called for its effect", node, hint)

    def _moves(self, node: c_ast.FuncCall) -> None:
        """A function of string.h as loops, in a scope of their own."""
        outer = self.affines.scope
        self.affines.scope = Scope(outer)
        try:
            self.items([as_loops(node, self.affines)])
        finally:
            self.affines.scope = outer

    # -- control -----------------------------------------------------------------------------------------------

    def _for(self, node: c_ast.For) -> None:
        affines = self.affines
        outer_scope, outer = affines.scope, affines.context
        affines.scope = Scope(outer_scope)
        variable: Variable | None = None
        node, items = self._running(node)
        position = self._take()
        faults, known = affines.collector.state(), dict(self.expressions.intervals.known)
        few: list[int] | None = None
        try:
            place, name, start = loops.iterator_of(node, affines)
            variable = self._iterator(place, name)
            values = loops.values_of(node, variable, start, affines)
            if values is not None:
                self._written_out(variable, values, items)
                affines.scope, affines.context = outer_scope, outer
                return
            few = loops.few_values_of(node, variable, start, affines)
            normal = self.variables.iterator(name, affines.context.names)
            head = loops.header(node, name, start, affines)
            affines.context = loops.enter(head, variable, normal, affines)
            count_in_digits(node, variable, affines, self.variables)
        except Fork:
            if variable is not None:
                variable.binding = None
            raise
        except Refused as refused:
            self.affines.collector.add(refused)
            affines.context = self._astray(node, variable, outer)
        prefix, deeper = self._prefix, len(affines.context.loops) - len(outer.loops)
        context, drafts, asked = affines.context, len(self.drafts), len(affines.ledger.questions)
        written = self.variables.written()

        def body() -> None:
            self._prefix = (*prefix, position, *(0 for _ in range(deeper - 1)))
            self._counter.append(0)
            self.items(items)
            self._counter.pop()
            self._prefix = prefix

        def again() -> None:
            del self.drafts[drafts:], affines.ledger.questions[asked:]
            affines.context = context
            with self.variables.as_written(written):
                body()

        with_ranges(body, again, self._changed_in(node), self.expressions.intervals, affines.collector)
        if variable is not None:
            variable.binding = None
            affines.context = outer
            if few and is_mendable(affines.collector.since(faults)):
                del self.drafts[drafts:], affines.ledger.questions[asked:]
                self.expressions.intervals.known = known
                with self.variables.as_written(written):
                    self._each_alone(variable, few, items, faults)
        affines.scope, affines.context = outer_scope, outer

    def _each_alone(self, variable: Variable, values: Sequence[int], items: list[c_ast.Node], before: Gathered) -> None:
        """The body for each value, where it is refused for all of them; its first faults stand where that is, too."""
        collector = self.affines.collector
        first = collector.state()
        collector.back_to(before)
        self._written_out(variable, values, items)
        if collector.since(before):
            collector.back_to(first)

    def _written_out(self, variable: Variable, values: Sequence[int], items: list[c_ast.Node]) -> None:
        """The body of a short loop for each value of its iterator."""
        for value in values:
            variable.binding = SourceBound.of(const(value))
            self.items(items)
        variable.binding = None

    def _changed_in(self, node: c_ast.For) -> set[ArrayId]:
        """Variables and arrays that a loop may write: another iteration finds them changed."""
        found = (self.affines.scope.find(name) for name in touched_names(node))
        variables = (e.variable if isinstance(e, SubArray) else e for e in found)
        return {v.id for v in variables if isinstance(v, Variable)}

    def _running(self, node: c_ast.For) -> tuple[c_ast.For, list[c_ast.Node]]:
        """The loop and its body without jumps: one that ends early goes on with a body that no longer counts.

        for (...) { A; if (c) break; B; }   becomes   r = 1; for (...) if (r) { A; if (c) r = 0; else B; }
        """
        node, items = loops.without_data(node, self.affines)
        items = self.structured(items, c_ast.Continue)
        if not any(jumps(item, c_ast.Break) for item in items):
            return node, items
        name = self._flag("running", 1, self.affines.tree.start(node))

        def stop(jump: c_ast.Node) -> list[c_ast.Node]:
            return [
                c_ast.Assignment("=", c_ast.ID(name, jump.coord), c_ast.Constant("int", "0", jump.coord), jump.coord)
            ]

        items = self.structured(items, c_ast.Break, stop)
        return node, [c_ast.If(c_ast.ID(name, node.coord), c_ast.Compound(items), None, node.coord)]

    def _astray(self, node: c_ast.For, variable: Variable | None, outer: Context) -> Context:
        """The context of a loop whose header was refused: its iterator may be named, nothing is known of its value."""
        if variable is None:
            for name in loops.counted_names(node):
                self.affines.scope.names[name] = Unusable()
            return outer.lost()
        normal = self.variables.iterator(variable.name, outer.names)
        variable.binding = SourceBound.of(var(normal))
        return replace(outer, loops=(*outer.loops, OpenLoop(normal, variable, var(normal), None)), known=False)

    def _iterator(self, place: c_ast.Node, name: str) -> Variable:
        """The variable that a loop counts with, declared here or before."""
        affines = self.affines
        if isinstance(place, c_ast.Decl):
            kind = declared(place.type, affines.typedefs)
            if "static" in (place.storage or ()):
                affines.scope.names[name] = Unusable()
                words = f"the iterator `{name}` begins where the call before left it"
                raise affines.fault("static-local", words, place, "drop `static`")
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
