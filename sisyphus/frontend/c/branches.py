"""Statements under a condition: an affine one splits domains, one on data chooses values."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from sisyphus.frontend.c import loops
from sisyphus.frontend.c.affine_faults import CONDITION
from sisyphus.frontend.c.bound import Condition, TooManyCases, negate
from sisyphus.frontend.c.conditions import condition, parted_condition
from sisyphus.frontend.c.context import Context, Question
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.drafts import (
    DataGuard,
    Draft,
    arrays_read,
    in_safe_order,
    is_cheap,
    merged,
    truth,
    with_condition,
)
from sisyphus.frontend.c.locals import Locals
from sisyphus.frontend.c.whiles import Holds
from sisyphus.ir import ArrayId, Read, Ref
from sisyphus.ir.types import INT32

# What the affine reader says of expressions that are computed from data.
DATA_RULES = (CONDITION.rule, CONDITION.data_rule, "unsupported-expression", "pointer-arithmetic", "unsupported-type")


class Branches(Locals):
    """Translates `if` at the place that the translation has come to."""

    def branch(self, node: c_ast.If) -> None:
        """An affine condition splits domains, one on data chooses values; of a mixed one each part does its own."""
        affines = self.affines
        try:
            holds = self._affine(node.cond)
        except Refused as refused:
            affines.collector.add(refused)
            self._branches(node, affines.context.lost(), affines.context.lost())
            return
        if holds is not None:
            outer = affines.context
            yes = self._under(outer, holds, node.cond, negated=False)
            self._branches(
                node, yes, outer if node.iffalse is None else self._under(outer, holds, node.cond, negated=True)
            )
            return
        parted = parted_condition(node, lambda part: self._affine(part) is not None)
        if parted is None:
            self._data_if(node)
        else:
            self.branch(parted)

    def _affine(self, node: c_ast.Node) -> Condition | None:
        """The condition in terms of iterators; None where it asks for data."""
        asked = self.affines.ledger.questions
        before = len(asked)
        try:
            return condition(node, self.affines)
        except Refused as refused:
            rule = refused.diagnostic.rule if refused.diagnostic else ""
            # A parameter without a value that only chooses between values is data.
            data = rule == "unbound-parameter" and self._is_data(node)
            if not data and rule not in DATA_RULES:
                raise
            del asked[before:]
            return None

    def _is_data(self, node: c_ast.Node) -> bool:
        """Whether a condition asks for data, or for no iterator at all."""
        return loops.asks_for_data(node, self.affines) or not self.expressions.mentions_iterator(node)

    def _branches(self, node: c_ast.If, yes: Context, no: Context) -> None:
        outer, intervals = self.affines.context, self.expressions.intervals
        before, written = dict(intervals.known), self.variables.written()
        self.affines.context = yes
        self.items([node.iftrue])
        after, intervals.known = intervals.known, before
        if node.iffalse is not None:
            self.affines.context = no
            with self.variables.as_written(written):
                self.items([node.iffalse])
        intervals.join(after)
        self.affines.context = outer

    def _data_if(self, node: c_ast.If) -> None:
        """Each statement of both branches under the condition, which a scalar keeps where they would change it."""
        affines = self.affines
        try:
            test = truth(self.expressions.value(node.cond))
        except Refused as refused:
            affines.collector.add(refused)
            self._branches(node, affines.context.lost(), affines.context.lost())
            return
        start, position, depth = len(self.drafts), (*self._prefix, self._take()), len(affines.context.loops)
        place = ArrayId(f"?{position}")
        asked = Read(Ref(place, ()), INT32)
        outer, parts = self.guards, list[list[Draft]]()
        self.expressions.guards += 1
        intervals = self.expressions.intervals
        before = dict(intervals.known), list(intervals.tests)
        for branch, negated in ((node.iftrue, False), (node.iffalse, True)):
            self.guards = (*outer, DataGuard(asked, negated))
            intervals.known, intervals.tests = dict(before[0]), list(before[1])
            with intervals.under(test, holds=not negated):
                self.items([branch] if branch is not None else [])
            parts.append(self.drafts[start:])
            del self.drafts[start:]
        intervals.known, intervals.tests = before
        self.expressions.guards -= 1
        self.guards = outer
        found = merged(parts[0], parts[1], asked)
        safe = in_safe_order(found, arrays_read(test), depth) if is_cheap(test) or len(found) == 1 else None
        if safe is None:
            span = affines.tree.span(node.cond)
            kept = self.variables.array("test", INT32, (), span, depth=depth, guards=len(outer))
            self._draft(affines.context, position, Ref(kept.id, ()), kept, test, span)
            kept.read, test = True, Read(Ref(kept.id, ()), INT32)
        for draft in safe or found:
            self.drafts.append(with_condition(draft, place, test))
            is_here = draft.context is affines.context
            intervals.learn(draft.write, self.drafts[-1].value if is_here else None)

    def must_hold(self, node: Holds) -> None:
        """Asks later whether a condition holds here: a loop that runs once before its test has been written for it."""
        affines = self.affines
        context, span = affines.context, affines.tree.start(c_ast.EmptyStatement(node.coord))

        def fault(point: Mapping[str, int]) -> Refused:
            words = f"this `{node.word}` loop may run its body, or end, where its test says otherwise"
            return affines.collector.fault("while-loop", words, span, notes=context.where(point))

        fails = self._under(Context(), condition(node.cond, affines), node.cond, negated=True)
        affines.ledger.questions.append(Question(context, fails.condition, span, fault))

    def _under(self, outer: Context, holds: Condition, node: c_ast.Node, *, negated: bool) -> Context:
        try:
            return outer.under(negate(holds) if negated else holds)
        except TooManyCases:
            words = "the conditions around this place fall into too many cases"
            self.affines.collector.add(self.affines.fault("too-complex", words, node))
            return outer.lost()
