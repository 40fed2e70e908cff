"""Integers of iterators and of data where they stand for a place: as index values, or in the range of a table."""

from __future__ import annotations

import re

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import VALUE
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.bound import SourceBound
from sisyphus.frontend.c.c_types import convert, fits, integer_expression, limits
from sisyphus.frontend.c.constants import constant_of
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.elements import Elements
from sisyphus.frontend.c.intervals import Intervals
from sisyphus.frontend.c.operands import index_of
from sisyphus.frontend.c.scope import Alias, Constant, Parameter, Variable
from sisyphus.ir import INT32, Expr, Index, ScalarType
from sisyphus.poly import Affine, const

INDEX_OPERATORS = {"+", "-", "*"}


class Indices(Elements):
    """Says which expressions are affine in iterators, and whether others stay in a table."""

    def __init__(self, affines: Affines) -> None:
        super().__init__(affines)
        self.intervals = Intervals(lambda index: affines.context.interval(index))

    def index(self, node: c_ast.Node) -> Expr | None:
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
        beyond = not self._is_small(bound)
        if bound.affine is None or kind.kind != "int" or (beyond and kind.bits > INT32.bits):
            # Unsigned data may wrap as it likes: only as an index it must not.
            del asked[before:]
            return None
        return self.as_data(bound.affine, kind, node)

    def _is_small(self, bound: SourceBound) -> bool:
        """Whether the value is known to fit in an `int`, as an index does."""
        ends = self.affines.context.interval(bound.parts[0])
        return ends is None or (fits(ends[0], INT32) and fits(ends[1], INT32))

    def as_data(self, value: Affine, kind: ScalarType, node: c_ast.Node) -> Expr:
        """An affine value in its C type; as an index it is an `int`, which is wide enough for every extent."""
        if value.is_constant:
            return integer_expression(value.constant, kind)
        self.affines.checked(SourceBound.of(value), INT32, node)
        return convert(Index(value, INT32), kind)

    def is_index(self, node: c_ast.Node) -> bool:
        """Whether the expression is affine in iterators, at least one of which occurs."""
        return self.mentions_iterator(node) and self._is_affine(node)

    def _is_affine(self, node: c_ast.Node) -> bool:
        match node:
            case c_ast.Constant(type="int"):
                return True
            case c_ast.ID():
                found = self.affines.scope.find(node.name)
                return (
                    (isinstance(found, Alias) and found.value is not None)
                    or (isinstance(found, Constant) and found.integer is not None)
                    or (isinstance(found, Variable) and found.binding is not None)
                    or (isinstance(found, Parameter) and found.value is not None)
                )
            case c_ast.UnaryOp(op="-" | "+"):
                return self._is_affine(node.expr)
            case c_ast.BinaryOp(op=op) if op in INDEX_OPERATORS:
                linear = op != "*" or not (self.mentions_iterator(node.left) and self.mentions_iterator(node.right))
                return linear and self._is_affine(node.left) and self._is_affine(node.right)
        return False

    def mentions_iterator(self, node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.ID):
            found = self.affines.scope.find(node.name)
            if isinstance(found, Alias):
                return found.value is None or found.value.constant is None
            return isinstance(found, Variable) and found.binding is not None
        return any(self.mentions_iterator(child) for _, child in node.children())

    def ask_in_table(self, value: Expr, extent: int, variable: Variable, node: c_ast.Node) -> None:
        found = self.intervals.of(value)
        if found is not None and found[0] >= 0 and found[1] < extent:
            return
        text, known, affine = self.affines.text(node), constant_of(value), index_of(value)
        if known is not None:  # as of a loop that is written out, where each value is a fault of one place
            words = f"`{variable.name}` has {extent} elements, and `{text}` is none of them"
            self.ask_within(const(known), extent, node, lambda _: words)
            return
        if affine is not None:
            self.ask_within(affine, extent, node, lambda v: f"`{variable.name}` has {extent} elements, `{text}` is {v}")
            return
        low, high = found or limits(value.type)
        raise self._no(
            "indirect-access",
            f"subscript `{text}` may be {low} to {high}, but `{variable.name}` has {extent} elements",
            node,
            f"keep it in range where it is read, as {_kept_below(text, low, extent)} does",
        )


def _kept_below(text: str, low: int, extent: int) -> str:
    """How C keeps a subscript that is at least `low` between zero and an extent."""
    text = text if re.fullmatch(r"[\w.\[\]]+|\w+\(.*\)", text) else f"({text})"
    if extent & (extent - 1) == 0:
        return f"`{text} & {extent - 1}`"
    above = f"{text} < 0 ? 0 : " if low < 0 else ""
    return f"`{above}{text} > {extent - 1} ? {extent - 1} : {text}`"
