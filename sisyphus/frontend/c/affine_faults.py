"""Why an integer expression of the source is no affine one, in words that name what it is for; reads none."""

from __future__ import annotations

from pycparser import c_ast, c_generator

from sisyphus.frontend.c.c_types import Declared
from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.parse import Tree
from sisyphus.frontend.c.scope import Unusable, Variable
from sisyphus.ir import ScalarType
from sisyphus.shown import counted
from sisyphus.source import Span
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Purpose:
    """What an integer expression is for: how it is called in messages, and which rules it breaks."""

    noun: str
    rule: str
    data_rule: str
    data_hint: str | None = None


SUBSCRIPT = Purpose("subscript", "affine-subscript", "indirect-access")
BOUND = Purpose(
    "loop bound",
    "affine-bound",
    "data-dependent-condition",
    data_hint="bound the loop by its largest trip count, and leave it with `if (...) break;`",
)
CONDITION = Purpose("condition", "data-dependent-condition", "data-dependent-condition")
EXTENT = Purpose("extent", "array-extent", "array-extent")
CONSTANT = Purpose("constant", "initialiser", "initialiser")
VALUE = Purpose("value", "affine-subscript", "indirect-access")


class AffineFaults:
    """Makes the faults of expressions in one file, whose text it shows."""

    def __init__(self, tree: Tree, collector: Collector, typedefs: dict[str, Declared]) -> None:
        self.tree, self.collector, self.typedefs = tree, collector, typedefs

    def text(self, node: c_ast.Node) -> str:
        """An expression as the user wrote it, or as macros and line breaks make it."""
        span = self.tree.span(node)
        source = self.collector.files.get(span.path)
        line = source.line(span.line) if source else None
        if line and self.tree.is_written_out(node):
            return line[span.column - 1 : span.column - 1 + span.width]
        return str(c_generator.CGenerator().visit(node))

    def fault(self, rule: str, message: str, node: c_ast.Node, hint: str | None = None) -> Refused:
        return self.collector.fault(rule, message, self.tree.span(node), hint=hint)

    def bad_shift(self, node: c_ast.Node, count: int, kind: ScalarType, notes: tuple[str, ...] = ()) -> Refused:
        message = f"`{self.text(node)}` shifts `{kind.c_name}` by {counted(count, 'bits')}"
        hint = f"shift by 0 to {kind.bits - 1} bits, or convert to a wider type first"
        return self.collector.fault("integer-overflow", message, self.tree.span(node), notes=notes, hint=hint)

    def by_zero(self, node: c_ast.Node, notes: tuple[str, ...] = ()) -> Refused:
        message = f"`{self.text(node)}` divides by zero"
        hint = "leave out the iterations that do" if notes else "check the divisor"
        return self.collector.fault("type-mismatch", message, self.tree.span(node), notes=notes, hint=hint)

    def unusable(self, entity: Unusable, node: c_ast.Node) -> Refused:
        return self.fault(entity.rule, entity.message, node, entity.hint) if entity.rule else Refused()

    def no(self, use: Purpose, node: c_ast.Node, message: str) -> Refused:
        return self.fault(use.rule, message, node)

    def data(self, node: c_ast.Node, use: Purpose) -> Refused:
        words = f"{use.noun} depends on `{self.text(node)}`, which is computed"
        return self.fault(use.data_rule, words, node, use.data_hint)

    def variable_fault(self, variable: Variable, node: c_ast.ID, use: Purpose) -> Refused:
        if variable.extents:
            return self.fault("pointer-arithmetic", f"array `{node.name}` is used as a value", node)
        if variable.counts:
            return self.escaped(node)
        return self.data(node, use)

    def escaped(self, node: c_ast.ID) -> Refused:
        return self.fault("iterator-escapes", f"`{node.name}` is used outside the loop that counts with it", node)

    def not_affine(self, node: c_ast.BinaryOp, use: Purpose) -> Refused:
        text = self.text(node)
        if node.op == "*":
            hint = "fix one of them, or keep this statement out of the kernel" if use is not CONDITION else None
            return self.fault(use.rule, f"{use.noun} `{text}` multiplies two iterators", node, hint)
        if node.op in ("/", "%", ">>"):
            verb = {"/": "divides", "%": "takes a remainder", ">>": "shifts"}[node.op]
            hint = "split the loop into two, one over the quotient and one over the remainder"
            if node.op == "%" and use is SUBSCRIPT:  # a ring, or two buffers in turn
                hint = f"give a local array a place for each value and leave `% {self.text(node.right)}` out, or {hint}"
            return self.fault(use.rule, f"{use.noun} `{text}` {verb}, which is not affine", node, hint)
        return self.no(use, node, f"{use.noun} `{text}` is not affine")

    def beyond(self, text: str, kind: ScalarType, span: Span, *, below: bool, notes: tuple[str, ...] = ()) -> Refused:
        if kind.kind == "uint" and below:
            message = f"`{text}` is of the unsigned type `{kind.c_name}` and would fall below zero"
            return self.collector.fault("unsigned-wrap", message, span, notes=notes, hint="use a signed type")
        message = f"`{text}` leaves the range of `{kind.c_name}`"
        return self.collector.fault("integer-overflow", message, span, notes=notes)
