"""What a nest's innermost body takes whatever is chosen: constants of lower bounds; knows no design and no search."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sisyphus.algebra import EXACT
from sisyphus.analysis import elements_touched, reduction_of
from sisyphus.ir import ArrayId, Binary, Expr, Scop, Statement, StmtId, children, moved_by, reads
from sisyphus.model.facts.multiply_adds import with_multiply_adds
from sisyphus.model.formulas.cores import Core, core_of, core_of_sums, terms
from sisyphus.model.formulas.iteration_latency import Setting, finish_of, latency_of
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import narrowed
from sisyphus.poly import within
from sisyphus.space import ArrayUse, NestSpace, Space
from sisyphus.target import OperatorTable
from sisyphus.values import dataclass, replace

#: isl steps for one question about an array.
LEASH = 500_000


@dataclass(frozen=True)
class BoundedOperation:
    """An operation after common subexpressions: one per iteration of the unrolled `loops`."""

    core: Core
    loops: tuple[str, ...]


@dataclass(frozen=True)
class BoundedBody:
    """Constants of a nest's innermost body.

    `depth`: cycles from the start to the end of an iteration, without accumulation; `chain`: cycles of one
    accumulation, 0 where the nest has none; `sums`: the loops that add to one element, those that its subscripts do
    not have; `operations`: of all its statements; `asked`: where the tool may be
    asked for an interval, the core of sums, and the one of them if it is.
    """

    depth: int
    chain: int
    sums: tuple[str, ...]
    operations: tuple[BoundedOperation, ...]
    asked: tuple[Core, Core] | None = None


def body_of(space: Space, nest: NestSpace, rules: Rules) -> BoundedBody:
    """What the statements of a nest cost whatever is chosen."""
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    longest = max((_statement(space, nest, s, rules) for s in statements), key=lambda body: (body.chain, body.depth))
    return replace(longest, operations=tuple(op for s in statements for op in _operations(space, nest, s)))


def _statement(space: Space, nest: NestSpace, statement: Statement, rules: Rules) -> BoundedBody:
    """The body as if it had this statement alone, without its operations."""
    table, tree = space.target.operators, space.options.tree_reduction
    expr, reduction = with_multiply_adds(narrowed(statement.rhs)), reduction_of(statement)
    sums: tuple[str, ...] = ()
    if reduction is not None:
        own = dict(zip(statement.iterators[len(nest.nest.outer) :], (s.iterator for s in nest.loops), strict=True))
        sums = tuple(own[name] for name in reduction.loops if name in own)
    chain = latency_of(table, expr) if sums else 0
    operands: Iterable[Expr] = (expr,)
    if chain:
        operands = [t for t in terms(expr) if statement.write not in reads(t)] or [expr]
    depth = max(_depth(table, operand, rules, tree=tree) for operand in operands)
    is_sum = reduction is not None and reduction.op == "+" and expr.type.is_float
    asks = chain and is_sum and 1 in nest.intervals
    plain, fabric = (core_of_sums(table, expr, asked=asked) if asks else None for asked in (False, True))
    pair = None if plain is None or fabric is None else (plain, fabric)
    return BoundedBody(depth + rules.cycles.write, chain, sums, (), pair)


def _depth(table: OperatorTable, expr: Expr, rules: Rules, *, tree: bool) -> int:
    """When the value is there if every element that it reads comes from a memory."""
    return int(finish_of(Setting(EXACT, rules, table), expr, lambda _: rules.cycles.read, tree=tree))


def _operations(space: Space, nest: NestSpace, statement: Statement) -> list[BoundedOperation]:
    """Each different operation once, with the loops of the band that its value depends on.

    Products that may be reassociated are as few as they can be: one for each factor that moves with all of the loops,
    to those that do not, which are joined outside of some loop.
    """
    table, band = space.target.operators, [loop.iterator for loop in nest.loops]

    def moving(part: Expr) -> tuple[str, ...]:
        names = moved_by(part)
        return tuple(name for name in band if statement.write in reads(part) or name in names)

    found: dict[Expr, BoundedOperation] = {}
    products: list[BoundedOperation] = []
    stack = [with_multiply_adds(narrowed(statement.rhs))]
    while stack:
        part = stack.pop()
        core = core_of(table, part)
        factors = _factors(part) if space.options.tree_reduction else [part]
        if core is not None and part not in found:
            found[part] = BoundedOperation(core, moving(part))
            full = sum(moving(factor) == found[part].loops for factor in factors)
            products += [found[part]] * (full - 1 - (full == len(factors)))
        stack.extend(factors if len(factors) > 1 else children(part))
    return [*found.values(), *products]


def _factors(expr: Expr) -> list[Expr]:
    """Those of a floating-point product; of anything else itself."""
    if isinstance(expr, Binary) and expr.op == "*" and expr.type.is_float:
        return [factor for part in children(expr) for factor in _factors(part)]
    return [expr]


def must_load(space: Space, nest: NestSpace, use: ArrayUse) -> bool:
    """Is it plain, without a look at the tiles, that they are read before they are written?"""
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    writers = [s for s in statements if s.write.array == use.array]
    if not writers or (len(statements) == 1 and writers[0].write in writers[0].reads):
        return True
    return _reads_what_none_writes(space.scop, nest.nest.statements, use.array)


@lru_cache(maxsize=256)
def _reads_what_none_writes(scop: Scop, statements: tuple[StmtId, ...], array: ArrayId) -> bool:
    """Whether some statement reads an element that none of them ever writes."""
    found, declared = [scop.statement(s) for s in statements], scop.array(array)
    read = elements_touched(found, declared, writes=False)
    written = elements_touched(found, declared, reads=False)
    return within(LEASH, lambda: bool(read.is_subset(written))) is False
