"""How many cores a body needs: operations after common subexpressions, shared over II and steps (docs/model.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sisyphus.algebra import Value, product
from sisyphus.ir import Binary, Expr, children, walk
from sisyphus.model.facts.task_facts import Pipe, Work
from sisyphus.model.formulas.copies import reduction_copies, unrolled_copies
from sisyphus.model.formulas.cores import Core, core_of, core_of_sums
from sisyphus.model.formulas.iteration_latency import Setting, is_reduction, is_tree
from sisyphus.model.formulas.rules import GuardForm
from sisyphus.target import OperatorTable

#: Operations of one start by kind of core.
Operations = dict[str, Value]


def is_called(setting: Setting, work: Work) -> bool:
    """Whether a statement is a guarded function, which shares nothing with others."""
    return work.guarded and setting.guards is GuardForm.CALLED


def operations(setting: Setting, pipe: Pipe, work: Work) -> tuple[tuple[Expr, str, Value], ...]:
    """Operations of all unrolled copies of a statement in one start, each with its kind of core and how many there are.

    An operation whose operands do not depend on an unrolled loop is done once for all its iterations.
    """
    found: list[tuple[Expr, str, Value]] = []
    _count(setting, pipe, work, work.expr, found, seen=set())
    core = core_of(setting.operators, work.expr)
    if work.from_literal and is_tree(pipe, work) and core is not None:
        # a tree over n terms has n - 1 additions: the literal is none of its terms
        sums = unrolled_copies(pipe, work), reduction_copies(setting.alg, pipe, work)
        found.append((work.expr, core.kind, -setting.alg.ceil_div(*sums)))
    own = core_of_sums(setting.operators, work.expr, asked=adds_in_fabric(pipe, work))
    if core is not None and own is not None and own != core:
        last = setting.alg.ceil_div(unrolled_copies(pipe, work), reduction_copies(setting.alg, pipe, work))
        found += [(work.expr, core.kind, -last), (work.expr, own.kind, last)]
    return tuple(found)


def adds_in_fabric(pipe: Pipe, work: Work) -> bool:
    """Whether the last addition of each sum along the pipeline is one of those that an asked interval makes."""
    return pipe.asked and is_reduction(pipe, work) and is_tree(pipe, work)


def _count(
    setting: Setting, pipe: Pipe, work: Work, expr: Expr, found: list[tuple[Expr, str, Value]], *, seen: set[Expr]
) -> None:
    if expr in seen:
        return
    seen.add(expr)
    core = core_of(setting.operators, expr)
    if core is not None:
        if (factors := _reassociated(setting, pipe, work, expr)) is not None:
            found.append((expr, core.kind, _products(setting, pipe, work, expr, factors)))
            for factor in factors:
                _count(setting, pipe, work, factor, found, seen=seen)
            return
        found.append((expr, core.kind, _copies(setting, pipe, work, (expr,))))
    for part in children(expr):
        _count(setting, pipe, work, part, found, seen=seen)


def _copies(setting: Setting, pipe: Pipe, work: Work, exprs: Sequence[Expr]) -> Value:
    """Different values that an operation on these operands has in one start."""
    if is_called(setting, work):
        return unrolled_copies(pipe, work)
    moving = frozenset().union(*(work.varying[expr] for expr in exprs))
    return product(pipe.trips[loop] for loop in work.unrolled if loop in moving)


def _reassociated(setting: Setting, pipe: Pipe, work: Work, expr: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The factors of (a * b) * c where the tool may choose which two to multiply first."""
    if not (pipe.tree and not is_called(setting, work) and isinstance(expr, Binary) and expr.op == "*"):
        return None
    left = expr.left
    if expr.type.is_float and isinstance(left, Binary) and left.op == "*" and left.type == expr.type:
        return left.left, left.right, expr.right
    return None


def _products(setting: Setting, pipe: Pipe, work: Work, expr: Expr, factors: tuple[Expr, Expr, Expr]) -> Value:
    """Two products: the whole one, and the one of two factors that takes the fewest copies.

    The order of the source stays where its first product is shared by several copies anyway.
    """
    alg = setting.alg
    a, b, c = factors
    whole, first = _copies(setting, pipe, work, (expr,)), _copies(setting, pipe, work, (a, b))
    fewest = alg.minimum(first, _copies(setting, pipe, work, (a, c)), _copies(setting, pipe, work, (b, c)))
    return whole + alg.select(alg.exceeds(whole, first), first, fewest)


def shared(setting: Setting, moments: Sequence[Sequence[Mapping[str, Value]]]) -> Operations:
    """Cores of a kernel: added up over what runs at the same time, shared between different times (docs/model.md)."""
    most: Operations = {}
    for running in moments:
        together: Operations = defaultdict(int)
        for counts in running:
            for kind, count in counts.items():
                together[kind] = together[kind] + count
        for kind, count in together.items():
            most[kind] = setting.alg.maximum(most.get(kind, 0), count)
    return most


def cores_of(setting: Setting, pipe: Pipe) -> dict[str, Core]:
    """Every kind of core that the statements of a body need."""
    found = {core.kind: core for work in pipe.works for core in _cores_in(setting.operators, work.expr)}
    for work in pipe.works:
        own = core_of_sums(setting.operators, work.expr, asked=True) if adds_in_fabric(pipe, work) else None
        found |= {own.kind: own} if own is not None else {}
    return found


@lru_cache(maxsize=1 << 16)
def _cores_in(table: OperatorTable, expr: Expr) -> tuple[Core, ...]:
    """The cores of all operations of an expression."""
    found = (core_of(table, part) for part in walk(expr))
    return tuple(core for core in found if core is not None)
