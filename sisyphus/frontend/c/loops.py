"""`for` headers: the loop that ascends by one, and what the source's iterator is in terms of it.

for (i = 8; i > 0; i -= 2)   becomes   for (i' = 0; 8 - 2*i' > 0; i'++)   with i = 8 - 2*i'
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import BOUND
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.bound import ALWAYS, Condition, Conjunction, SourceBound, conjoin, disjoin
from sisyphus.frontend.c.conditions import condition, operands
from sisyphus.frontend.c.context import Context, OpenLoop, Question
from sisyphus.frontend.c.declarations import shaping_parts
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.file import assigned_names
from sisyphus.frontend.c.parse import base_of, subscripts_of, walk
from sisyphus.frontend.c.questions import extent_of
from sisyphus.frontend.c.scope import Constant, Variable
from sisyphus.poly import Affine, const, var
from sisyphus.values import dataclass, replace

FACTORS = ("*", "/", "<<", ">>")
# Loops of more iterations are not written out.
MOST_COPIES = 64
# Those that look places up are not, of more: an array that is only read is looked up by data instead.
MOST_PLACES = 16
FORM_HINT = "write it as `for (i = start; i < end; i += step)`"
WRONG_SIDE = {1: ("lower", "maximum"), -1: ("upper", "minimum")}


@dataclass(frozen=True)
class Header:
    """The parts of a `for` header."""

    start: c_ast.Node
    end: c_ast.Node
    step: int
    node: c_ast.For


def iterator_of(node: c_ast.For, affines: Affines) -> tuple[c_ast.Node, str, c_ast.Node]:
    """Where the iterator is set (a declaration or an identifier), its name, and its start value."""
    init = node.init
    if isinstance(init, c_ast.DeclList) and len(init.decls) == 1 and isinstance(init.decls[0], c_ast.Decl):
        decl = init.decls[0]
        if decl.init is not None and not isinstance(decl.init, c_ast.InitList):
            return decl, decl.name, decl.init
    if isinstance(init, c_ast.Assignment) and init.op == "=" and isinstance(init.lvalue, c_ast.ID):
        return init.lvalue, init.lvalue.name, init.rvalue
    raise affines.fault("loop-form", "the loop does not begin by setting one iterator", init or node, FORM_HINT)


def counted_names(node: c_ast.For) -> set[str]:
    """Names that a header of an unknown form sets or steps."""
    declared = node.init.decls if isinstance(node.init, c_ast.DeclList) else []
    changed = (assigned_names(part) for part in (node.init, node.next) if part is not None)
    return {str(d.name) for d in declared if isinstance(d, c_ast.Decl)}.union(*changed)


def without_data(node: c_ast.For, affines: Affines) -> tuple[c_ast.For, list[c_ast.Node]]:
    """The loop without the parts of its condition that ask for data, and its body, which they end.

    for (i = 0; i < N && x > 0; i++) S   becomes   for (i = 0; i < N; i++) { if (!(x > 0)) break; S }
    """
    parts = operands(node.cond, "&&") if node.cond is not None else []
    data = [part for part in parts if asks_for_data(part, affines)]
    if not data or len(data) == len(parts):
        return node, [node.stmt]
    kept, asked = (
        reduce(lambda a, b: c_ast.BinaryOp("&&", a, b, a.coord), group)
        for group in ([part for part in parts if part not in data], data)
    )
    ends = c_ast.If(c_ast.UnaryOp("!", asked, asked.coord), c_ast.Break(asked.coord), None, asked.coord)
    return c_ast.For(node.init, kept, node.next, node.stmt, node.coord), [ends, node.stmt]


def asks_for_data(node: c_ast.Node, affines: Affines) -> bool:
    """Whether an array element or a variable that is computed occurs."""
    for part in walk(node):
        if isinstance(part, c_ast.ArrayRef):
            return True
        found = affines.scope.find(part.name) if isinstance(part, c_ast.ID) else None
        if isinstance(found, Variable) and not found.counts:
            return True
    return False


def header(node: c_ast.For, name: str, start: c_ast.Node, affines: Affines) -> Header:
    if node.cond is None:
        raise affines.fault("endless-loop", f"the loop over `{name}` has no end", node, FORM_HINT)
    return Header(start, node.cond, _step(node, name, affines), node)


def _step(node: c_ast.For, name: str, affines: Affines) -> int:
    change = node.next
    match change:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=same)) if same == name:
            return 1
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID(name=same)) if same == name:
            return -1
        case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID(name=same)) if same == name:
            return _amount(change.rvalue, 1 if change.op == "+=" else -1, name, affines)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=same), rvalue=c_ast.BinaryOp(op="+" | "-") as sum_):
            if same == name and isinstance(sum_.left, c_ast.ID) and sum_.left.name == name:
                return _amount(sum_.right, 1 if sum_.op == "+" else -1, name, affines)
            if same == name and sum_.op == "+" and isinstance(sum_.right, c_ast.ID) and sum_.right.name == name:
                return _amount(sum_.left, 1, name, affines)
    raise affines.fault("loop-form", f"the loop does not step `{name}` by a constant", change or node, FORM_HINT)


def _amount(node: c_ast.Node, sign: int, name: str, affines: Affines) -> int:
    bound, _ = affines.typed(node, BOUND)
    value = bound.constant
    if not value:
        words = "zero" if value == 0 else "no constant"
        raise affines.fault("loop-step", f"the step of `{name}` is {words}", node, FORM_HINT)
    return sign * value


def enter(head: Header, variable: Variable, name: str, affines: Affines) -> Context:
    """The context inside the loop; `variable` is bound to its value there, the affine reader points there."""
    outer, step = affines.context, head.step
    start, _ = affines.typed(head.start, BOUND)
    if start.kind not in ("", "max" if step > 0 else "min"):
        side, good = WRONG_SIDE[1 if step > 0 else -1]
        raise affines.fault("min-max-bound", f"a {side} bound may be a {good} only", head.start)
    value, first = _normal(start, head, name, affines)
    inside = replace(outer, loops=(*outer.loops, OpenLoop(name, variable, value, None)))
    affines.checked(start, variable.type, head.start)
    variable.binding, affines.context = SourceBound.of(value), inside
    tests, on = _end(head, variable, name, affines)
    if not any((t.coefficient(name)) < 0 for t in tests):
        raise affines.fault(
            "endless-loop",
            f"the loop over `{variable.name}` does not end: its condition never turns false",
            head.end,
            FORM_HINT,
        )
    within = conjoin(outer.condition, ((*first, *tests),))
    known = replace(inside, condition=within)
    found = extent_of(known, name, affines.collector, affines.tree.span(head.node)) if outer.known else None
    done = replace(known, loops=(*outer.loops, OpenLoop(name, variable, value, found)))
    _check_reached(head, done, outer.condition, (first, tests), affines)
    if on is not None and outer.known:
        _check_met(outer, start, on, affines)
    affines.context = done
    return done


def _normal(start: SourceBound, head: Header, name: str, affines: Affines) -> tuple[Affine, Conjunction]:
    """The iterator in terms of the normalised one, and the tests that keep it on the right side of the start."""
    step, size, sign = head.step, abs(head.step), 1 if head.step > 0 else -1
    single = start.affine
    if size == 1:
        base = const(0) if step > 0 else const(_top(start, affines))
        value = base + var(name) * sign
        return value, tuple((value - part) * sign for part in start.parts)
    if single is None:
        raise affines.fault(
            "min-max-bound", "the start of a loop with a step above one is a minimum or maximum", head.start
        )
    if all(factor % size == 0 for _, factor in single.terms):
        offset = Affine.of(((n, c // size) for n, c in single.terms), 0)
        return var(name) * step + single.constant, (var(name) - offset * sign,)
    return single + var(name) * step, (var(name),)


def _top(start: SourceBound, affines: Affines) -> int:
    """A constant that the start of a descending loop does not exceed, the least one known."""
    found = [affines.context.interval(part) for part in start.parts]
    return min((ends[1] for ends in found if ends), default=0)


def _end(
    head: Header, variable: Variable, name: str, affines: Affines
) -> tuple[Conjunction, tuple[c_ast.Node, SourceBound] | None]:
    """The tests under which the loop goes on; for `!=`, the end that must be met exactly beside them."""
    node = head.end
    if isinstance(node, c_ast.BinaryOp) and node.op == "!=":
        left, _ = affines.typed(node.left, BOUND)
        right, _ = affines.typed(node.right, BOUND)
        difference = left.plus(right.times(-1)) if not left.kind and not right.kind else None
        if difference is not None and difference.affine is not None:
            apart = difference.affine
            factor = apart.coefficient(name)
            if abs(factor) == 1:
                return ((apart if factor < 0 else -apart) - 1,), (node, difference)
        raise affines.fault("loop-form", "the loop ends at a value that it may step over", node, FORM_HINT)
    found = condition(node, affines, BOUND)
    if not found:
        return (Affine.of({name: -1}, -1), var(name)), None
    if len(found) > 1:
        raise affines.fault(
            "min-max-bound",
            f"the loop over `{variable.name}` goes on while one of several conditions holds",
            node,
            "an upper bound may be a minimum and a lower bound a maximum, not the other way round",
        )
    if any(test.coefficient(name) > 0 for test in found[0]):
        raise affines.fault(
            "endless-loop",
            f"the loop over `{variable.name}` steps away from its end",
            node,
            "turn the comparison or the step round",
        )
    return found[0], None


def _check_reached(
    head: Header, inside: Context, outer: Condition, tests: tuple[Conjunction, Conjunction], affines: Affines
) -> None:
    """The condition is computed at one value beyond the last, too: it must be right there, and in the type's range."""
    loop = inside.loops[-1]
    if loop.range is None:
        return
    first, going_on = tests
    before = {loop.name: var(loop.name) - 1}
    at_start = (*first, *(-t for t in first)) if len(first) == 1 else first
    came_here = (*first, *(t.substitute(before) for t in (*first, *going_on)))
    reached = conjoin(outer, disjoin((at_start,), (came_here,)))
    wide = OpenLoop(loop.name, loop.variable, loop.value, (loop.range[0], loop.range[1] + 1))
    affines.context = replace(inside, loops=(*inside.loops[:-1], wide), condition=reached)
    affines.checked(SourceBound.of(loop.value), loop.variable.type, head.end, text=loop.variable.name)
    condition(head.end, affines, BOUND)


def _check_met(outer: Context, start: SourceBound, end: tuple[c_ast.Node, SourceBound], affines: Affines) -> None:
    """A loop that ends by `!=` must not begin beyond its end."""
    node, difference = end
    loop = affines.context.loops[-1]
    apart = difference.affine
    if apart is None or start.affine is None:
        raise affines.fault("loop-form", "the loop ends at a value that it may step over", node, FORM_HINT)
    span = affines.tree.span(node)
    # `apart` is linear in the normalised iterator; at the start it must not have passed zero already.
    sign = 1 if apart.coefficient(loop.name) < 0 else -1
    inverse = Affine.of(((n, c) for n, c in loop.value.terms if n != loop.name), loop.value.constant)
    at_start = (start.affine - inverse) * loop.value.coefficient(loop.name)
    passed = (apart * sign).substitute({loop.name: at_start})

    def fault(point: Mapping[str, int]) -> Refused:
        return affines.collector.fault(
            "endless-loop", f"the loop over `{loop.variable.name}` may begin beyond its end", span, hint=FORM_HINT
        )

    affines.ledger.questions.append(Question(outer, conjoin(ALWAYS, ((-1 - passed,),)), span, fault))


def values_of(node: c_ast.For, variable: Variable, start: c_ast.Node, affines: Affines) -> list[int] | None:
    """The values that an iterator takes, where bounds are known and the loop is short; None for any other loop.

    Only of a loop that is to be written out: for powers of two, or for a few places that tables have.
    """
    by_powers = shifts_by(node, variable.name)
    if not by_powers and not finds_places(node, variable.name, affines):
        return None
    found = _values_of(node, variable, start, affines)
    return found if found is not None and (by_powers or len(found) <= MOST_PLACES) else None


def few_values_of(node: c_ast.For, variable: Variable, start: c_ast.Node, affines: Affines) -> list[int] | None:
    """The values that the iterator of a short loop takes, where bounds are known; None for any other loop."""
    found = _values_of(node, variable, start, affines)
    return found if found is not None and len(found) <= MOST_PLACES else None


def _values_of(node: c_ast.For, variable: Variable, start: c_ast.Node, affines: Affines) -> list[int] | None:
    found = list[int]()
    try:
        value = affines.constant(start, BOUND)
        while len(found) <= MOST_COPIES:
            variable.binding = SourceBound.of(const(value))
            holds = condition(node.cond, affines, BOUND) if node.cond is not None else ALWAYS
            if holds not in (ALWAYS, ()):
                return None
            if not holds:
                return found
            found.append(value)
            step = _following(node.next, variable.name)
            if step is None:
                return None
            value = affines.constant(step, BOUND)
    except Refused:
        return None
    finally:
        variable.binding = None
    return None


def _following(change: c_ast.Node, name: str) -> c_ast.Node | None:
    """The value that a loop's step gives its iterator, as an expression of it."""
    one = c_ast.Constant("int", "1", change.coord)
    match change:
        case c_ast.UnaryOp(op="++" | "p++" | "--" | "p--" as op, expr=c_ast.ID(name=same) as it) if same == name:
            return c_ast.BinaryOp(op.strip("p")[0], it, one, change.coord)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=same)) if same == name:
            return change.rvalue
        case c_ast.Assignment(op=op, lvalue=c_ast.ID(name=same) as it) if same == name:
            return c_ast.BinaryOp(op.removesuffix("="), it, change.rvalue, change.coord)
    return None


def shifts_by(node: c_ast.For, name: str) -> bool:
    """Whether bounds or subscripts in a loop ask for powers of two: shifts by its iterator, or a step by factors.

    No affine expression of the iterator is one, but each of its values makes one.
    """
    change = node.next.rvalue if isinstance(node.next, c_ast.Assignment) and node.next.op == "=" else node.next
    if isinstance(change, c_ast.Assignment | c_ast.BinaryOp) and change.op.removesuffix("=") in FACTORS:
        return True
    shaping = shaping_parts(node.stmt, conditions=False)
    return any(
        isinstance(n, c_ast.BinaryOp) and n.op in ("<<", ">>") and _mentions(n.right, name)
        for part in shaping
        for n in walk(part)
    )


def finds_places(node: c_ast.For, name: str, affines: Affines) -> bool:
    """Whether bounds or subscripts in a loop look places up in constant tables by its iterator alone: `x + dx[k]`."""
    found = (n for part in shaping_parts(node.stmt, conditions=False) for n in walk(part))
    return any(_is_looked_up(n, name, affines) for n in found if isinstance(n, c_ast.ArrayRef))


def _is_looked_up(node: c_ast.ArrayRef, name: str, affines: Affines) -> bool:
    base = base_of(node)
    table = affines.scope.find(base.name) if isinstance(base, c_ast.ID) else None
    if not isinstance(table, Variable) or table.table is None or table.type.is_float:
        return False
    names = {n.name for part in subscripts_of(node) for n in walk(part) if isinstance(n, c_ast.ID)}
    others = (affines.scope.find(other) for other in names - {name})
    return name in names and all(isinstance(other, Constant) for other in others)


def _mentions(node: c_ast.Node, name: str) -> bool:
    return any(isinstance(n, c_ast.ID) and n.name == name for n in walk(node))
