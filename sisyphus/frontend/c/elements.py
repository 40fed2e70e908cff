"""Which array element a reference of the source names; knows no operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import SUBSCRIPT
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.context import Question
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.parse import base_of, subscripts_of
from sisyphus.frontend.c.scope import SubArray, Unusable, Variable
from sisyphus.ir import Ref
from sisyphus.poly import Affine, const

GUARD_HINT = "a condition on data guards no access: give the place an affine condition, too"


def as_subscripted(node: c_ast.UnaryOp) -> c_ast.ArrayRef:
    """`*p` as `p[0]`, `*(p + i)` as `p[i]`."""
    match node.expr:
        case c_ast.BinaryOp(op="+", left=base, right=far):
            return c_ast.ArrayRef(base, far, node.coord)
    return c_ast.ArrayRef(node.expr, c_ast.Constant("int", "0", node.coord), node.coord)


class Elements:
    """Finds elements in the scope and context that its affine reader points at."""

    def __init__(self, affines: Affines) -> None:
        self.affines = affines
        #: Conditions on data around the statement, and those inside of the expression so far.
        self.guards = 0
        self.choices = 0

    def _no(self, rule: str, message: str, node: c_ast.Node, hint: str | None = None) -> Refused:
        return self.affines.fault(rule, message, node, hint)

    def element(self, node: c_ast.ArrayRef | c_ast.UnaryOp) -> tuple[Ref, Variable]:
        """The array element that a reference names; faults of all its subscripts are collected before one is raised."""
        place = as_subscripted(node) if isinstance(node, c_ast.UnaryOp) else node
        base, subscripts = base_of(place), subscripts_of(place)
        if not isinstance(base, c_ast.ID):
            raise self._no("pointer-arithmetic", f"`{self.affines.text(base)}` is not the name of an array", base)
        view = self._array(base, node, len(subscripts))
        index = list[Affine]()
        for subscript in subscripts:
            try:
                index.append(self.affines.plain(subscript, SUBSCRIPT))
            except Refused as refused:
                self.affines.collector.add(refused)
        if len(index) < len(subscripts):
            raise Refused
        variable = view.variable
        if view.offset is None:
            if index != [const(0)]:
                raise self._no("out-of-bounds", f"`{base.name}` is the address of one number", node)
            ref = Ref(variable.id, ())
        else:
            ref = Ref(variable.id, (*view.index, view.offset + index[0], *index[1:]))
        self._within(variable, ref, node)
        return ref, variable

    def table_of(self, node: c_ast.ArrayRef) -> SubArray | None:
        """The table, or part of one, that a reference reads: a constant one, or an argument at subscripts of data."""
        base = base_of(node)
        if not isinstance(base, c_ast.ID):
            return None
        found = self.affines.scope.find(base.name)
        variable = found.variable if isinstance(found, SubArray) else found
        if not isinstance(variable, Variable) or not (variable.table or self._is_by_data(variable, node)):
            return None
        return self._array(base, node, len(subscripts_of(node)))

    def _is_by_data(self, variable: Variable, node: c_ast.ArrayRef) -> bool:
        """Whether data, or no affine subscripts, say which element of an argument a reference means."""
        return variable.is_argument and any(map(self._is_data, subscripts_of(node)))

    def _is_data(self, subscript: c_ast.Node) -> bool:
        asked = self.affines.ledger.questions
        before = len(asked)
        try:
            self.affines.plain(subscript, SUBSCRIPT)
        except Refused as refused:
            return refused.diagnostic is not None and refused.diagnostic.rule in (SUBSCRIPT.data_rule, SUBSCRIPT.rule)
        finally:
            del asked[before:]
        return False

    def ask_within(self, value: Affine, extent: int, node: c_ast.Node, words: Callable[[int], str]) -> None:
        """Ask whether a subscript lies in range, unless the ranges of the loops say so already."""
        affines, context = self.affines, self.affines.context
        found = context.interval(value)
        if found is not None and found[0] >= 0 and found[1] < extent:
            return
        span, hint = affines.tree.span(node), GUARD_HINT if self.choices or self.guards else None

        def fault(point: Mapping[str, int]) -> Refused:
            message, notes = words(value.evaluate(point)), context.where(point)
            return affines.collector.fault("out-of-bounds", message, span, notes=notes, hint=hint)

        affines.ledger.questions.append(Question(context, ((-1 - value,), (value - extent,)), span, fault))

    def _within(self, variable: Variable, ref: Ref, node: c_ast.Node) -> None:
        """Ask whether the element lies in its array."""
        text = self.affines.text(node)
        for at, (value, extent) in enumerate(zip(ref.index, variable.extents, strict=True)):
            place = f"dimension {at + 1} of " if len(variable.extents) > 1 else ""
            size = f"{place}`{variable.name}` has {extent} elements"
            self.ask_within(
                value,
                extent,
                node,
                lambda found, size=size: f"`{text}` is outside its array: {size}, this is [{found}]",  # type: ignore[misc]
            )

    def _array(self, base: c_ast.ID, node: c_ast.Node, count: int) -> SubArray:
        found = self.affines.scope.find(base.name)
        if isinstance(found, Unusable):
            raise self.affines.unusable(found, base)
        if found is None:
            raise self._no("undeclared", f"`{base.name}` is not declared", base)
        if isinstance(found, Variable) and found.extents:
            found = SubArray(found, (), const(0), const=found.const)
        if not isinstance(found, SubArray):
            raise self._no("subscript-count", f"`{base.name}` is no array", node)
        if count != max(found.rank, 1):
            words = f"`{base.name}` has {found.rank} dimensions, here it gets {count}"
            hint = "only whole elements can be computed with" if count < found.rank else None
            raise self._no("subscript-count", words, node, hint)
        return found

    def is_pointer(self, node: c_ast.Node) -> bool:
        """Whether the node names an address that stands for a known array: `p`, `p + i`, or those of a row."""
        name = base_of(node.left if isinstance(node, c_ast.BinaryOp) and node.op == "+" else node)
        return isinstance(name, c_ast.ID) and isinstance(self.affines.scope.find(name.name), SubArray | Variable)
