"""Calls of functions of the file as their statements in place: what parameters stand for, and what is returned.

void scale(float *x, int n) { for (i = 0; i < n; i++) x[i] *= 2; }   scale(A[j], 8);   becomes
for (i = 0; i < 8; i++) A[j][i] *= 2;
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import SUBSCRIPT, VALUE
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import Declared, convert, declared, number
from sisyphus.frontend.c.declarations import facts_of
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import arrays_read
from sisyphus.frontend.c.emitter import Emitter
from sisyphus.frontend.c.jumps import Leave, jumps, leaves_loops
from sisyphus.frontend.c.scope import (
    Alias,
    Constant,
    Entity,
    Function,
    Parameter,
    Scope,
    SubArray,
    Unusable,
    Variable,
    names_number,
)
from sisyphus.ir import INT32, Expr, Literal, Read, Ref, Scalar, ScalarType
from sisyphus.poly import const
from sisyphus.shown import counted
from sisyphus.source import Span


def view_of(node: c_ast.Node, affines: Affines) -> SubArray:
    """The array, row or element that a pointer given to a function names: `A`, `A[i]`, `&A[i][j]`, `A + k`, `&x`."""
    match node:
        case c_ast.ID():
            return _named(node, affines)
        case c_ast.ArrayRef():
            view = view_of(node.name, affines)
            if view.rank < 2 or view.offset is None:
                raise _no_pointer(node, affines)
            return SubArray(
                view.variable, (*view.index, view.offset + affines.plain(node.subscript, SUBSCRIPT)), const(0)
            )
        case c_ast.UnaryOp(op="&", expr=c_ast.UnaryOp(op="*", expr=pointer)):
            return view_of(pointer, affines)
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=row, subscript=subscript)):
            return _shifted(view_of(row, affines), subscript, node, affines)
        case c_ast.UnaryOp(op="&", expr=c_ast.ID() as name):
            found = affines.scope.find(name.name)
            if isinstance(found, Variable) and not found.extents and not found.counts:
                return SubArray(found, (), None, const=found.const)
        case c_ast.BinaryOp(op="+"):
            return _shifted(view_of(node.left, affines), node.right, node, affines)
        case c_ast.BinaryOp(op="-"):
            return _shifted(view_of(node.left, affines), c_ast.UnaryOp("-", node.right, node.coord), node, affines)
    raise _no_pointer(node, affines)


def _named(node: c_ast.ID, affines: Affines) -> SubArray:
    match affines.scope.find(node.name):
        case SubArray() as view:
            return view
        case Variable() as variable if variable.extents:
            return SubArray(variable, (), const(0), const=variable.const)
        case Unusable() as unusable:
            raise affines.unusable(unusable, node)
        case None:
            raise affines.fault("undeclared", f"`{node.name}` is not declared", node)
    raise _no_pointer(node, affines)


def _shifted(view: SubArray, by: c_ast.Node, node: c_ast.Node, affines: Affines) -> SubArray:
    if view.offset is None:
        raise _no_pointer(node, affines)
    return SubArray(view.variable, view.index, view.offset + affines.plain(by, SUBSCRIPT), const=view.const)


def _no_pointer(node: c_ast.Node, affines: Affines) -> Refused:
    words = f"`{affines.text(node)}` is no array, row or element that a function could work on"
    return affines.fault("pointer-arithmetic", words, node)


class Calls(Emitter, ABC):
    """Puts the statements of functions in the place of their calls."""

    @abstractmethod
    def items(self, items: Sequence[c_ast.Node], at_end: Callable[[], None] | None = None) -> None:
        """Statements in a block of their own, and something that is asked at its end."""

    @abstractmethod
    def structured(self, items: list[c_ast.Node], kind: type[c_ast.Node], leave: Leave) -> list[c_ast.Node]:
        """The statements of a body without jumps of a kind to its end."""

    def bound(self, parameter: c_ast.Decl, argument: c_ast.Node, assigned: set[str]) -> Entity:
        """What a parameter stands for while the function's statements are translated."""
        affines = self.affines
        kind = declared(parameter.type, affines.typedefs)
        if kind.layers:
            return self._number_at(argument, kind) or self.pointed(parameter, kind, argument)
        if kind.scalar is None or kind.problem:
            words = f"`{parameter.name}` has a type that a kernel cannot hold: {kind.problem or 'no number'}"
            raise affines.fault("unsupported-type", words, parameter)
        if parameter.name not in assigned:
            found = self._alias_of(argument, kind.scalar) if not kind.scalar.is_float else None
            if found is not None:
                return found
            value = self.expressions.fitted(self.expressions.value(argument), kind.scalar, affines.tree.span(argument))
            if isinstance(value, Literal | Scalar):
                return Constant(value, None, kind.scalar)
        else:
            value = self.expressions.fitted(self.expressions.value(argument), kind.scalar, affines.tree.span(argument))
        variable = self.scalar(parameter.name, kind.scalar, affines.tree.span(argument))
        self.put(Ref(variable.id, ()), variable, value, affines.tree.span(argument))
        return variable

    def scalar(self, name: str, kind: ScalarType, span: Span) -> Variable:
        """A local variable that lives at this place."""
        depth, guards = len(self.affines.context.loops), len(self.guards)
        return self.variables.array(name, kind, (), span, depth=depth, guards=guards)

    def _alias_of(self, argument: c_ast.Node, kind: ScalarType) -> Alias | None:
        """An argument that is affine in iterators stays so inside the function."""
        try:
            return self.affines.alias(argument, kind, VALUE)
        except Refused:
            return None

    def _number_at(self, argument: c_ast.Node, kind: Declared) -> Entity | None:
        """What an address is of that has no place in memory, as nothing changes it: its number, as which it is read."""
        place, scope = argument, self.affines.scope
        while isinstance(place, c_ast.UnaryOp) and place.op in ("&", "*"):  # `&x`, `p`, `&*p`
            place = place.expr
        found = scope.find(place.name) if names_number(place, scope) else None
        return found if isinstance(found, Constant | Parameter | Alias) and found.type == kind.scalar else None

    def pointed(self, parameter: c_ast.Decl, kind: Declared, argument: c_ast.Node) -> SubArray:
        """The part of an array that a pointer names."""
        affines = self.affines
        view = view_of(argument, affines)
        wanted = len(kind.layers)
        if kind.scalar != view.variable.type:
            text, own = affines.text(argument), view.variable.type.c_name
            words = f"`{text}` has elements of `{own}`, `{parameter.name}` has others"
            raise affines.fault("type-mismatch", words, argument, "declare both with one type")
        if wanted != max(view.rank, 1):
            words = f"`{affines.text(argument)}` has {view.rank} dimensions, `{parameter.name}` has {wanted}"
            raise affines.fault("subscript-count", words, argument, "declare the parameter like the array")
        return SubArray(view.variable, view.index, view.offset, const=view.const or kind.const)

    def hoisted(self, function: Function, node: c_ast.FuncCall) -> Expr:
        """The value that a function leaves, once its statements are there."""
        value = self.inlined(function, node)
        if value is None:
            raise self.affines.fault("unknown-call", f"`{function.name}` returns no number", node)
        return value

    def inlined(self, function: Function, node: c_ast.FuncCall) -> Expr | None:
        """The statements of a function in the place of its call; returns its result."""
        affines, name = self.affines, function.name
        if name in affines.calls or name == self.variables.function:
            raise affines.fault("recursion", f"`{name}` calls itself", node)
        given, parameters = list(node.args.exprs) if node.args else [], function.parameters
        if len(given) != len(parameters):
            words = f"`{name}` takes {counted(len(parameters), 'arguments')}, here it gets {len(given)}"
            raise affines.fault("call-arguments", words, node)
        facts, inner = facts_of(function.decl, function.body), Scope(affines.scope.outermost)
        for parameter, argument in zip(parameters, given, strict=True):
            inner.names[parameter.name] = self.bound(parameter, argument, facts.assigned)
        kind = declared(function.decl.type.type, affines.typedefs)
        if not kind.is_void and (kind.scalar is None or not kind.is_scalar or kind.problem):
            raise affines.fault("unknown-call", f"`{name}` returns no number", node)
        place = affines.tree.span(node)
        called, notes, context = (
            f"in `{name}`, which is called at {place}",
            affines.collector.standing_notes,
            affines.context,
        )
        outer = affines.scope, affines.calls, self.variables.facts
        affines.scope, affines.calls, self.variables.facts = inner, (*affines.calls, name), facts
        affines.collector.standing_notes = (*notes, called)
        affines.context = replace(context, calls=(*context.calls, called))
        try:
            return self._body_of(function, kind.scalar, place)
        finally:
            affines.scope, affines.calls, self.variables.facts = outer
            affines.collector.standing_notes, affines.context = notes, context

    def _body_of(self, function: Function, kind: ScalarType | None, span: Span) -> Expr | None:
        """The statements of a function whose parameters are bound, and its result of a type."""
        items = list(function.body.block_items or []) if function.body else []
        last = items[-1] if items else None
        if kind is not None and isinstance(last, c_ast.Return) and not any(jumps(n, c_ast.Return) for n in items[:-1]):
            found = list[Expr]()
            self.items(
                items[:-1], lambda: found.append(self.expressions.fitted(self.expressions.value(last.expr), kind, span))
            )
            own = {variable.id for variable in self.variables.all if not variable.is_argument}
            # What it reads of the caller's might be written by another call of the same statement.
            if found and arrays_read(found[0]) <= own:
                return found[0]
            result = self.scalar(f"{function.name}_result", kind, span)
            if found:
                self.put(Ref(result.id, ()), result, found[0], span)
        else:
            result = self.scalar(f"{function.name}_result", kind or INT32, span)
            key = f"the result of {function.name}"
            self.affines.scope.names[key] = result
            if kind is not None and leaves_loops(items):  # its value is a choice then, and needs a first one
                self.put(Ref(result.id, ()), result, convert(number(0), kind), span)

            def leave(jump: c_ast.Node) -> list[c_ast.Node]:
                if kind is None or jump.expr is None:
                    return []
                return [c_ast.Assignment("=", c_ast.ID(key, jump.coord), jump.expr, jump.coord)]

            self.items(self.structured(items, c_ast.Return, leave))
        result.read = kind is not None
        return None if kind is None else Read(Ref(result.id, ()), kind)
