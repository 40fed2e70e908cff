"""What no design of a kernel on a target can beat: operators, bytes, and the longest chain found; knows no design.

Each is a lower bound of cycles. Operations are counted after common subexpressions (`alpha * A[i][k]` once per i and
k, and again after A was written: `analysis/evaluations.py`), with every budget full of operators that start every
cycle: all of floating point, and of integers those that take a whole adder, comparator or multiplier, whatever tools
find out about the values. Bytes are those that must come in and go out, over all banks, or ports to the memory of a
processor, at full width; a chain is a run of instances that each wait for one before (`analysis/chains.py`). Operators
without registers take picoseconds there, of what a period leaves for them, so that one cycle may be several instances.
There may be longer chains than those that are looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil, prod

from sisyphus.algebra import EXACT
from sisyphus.analysis import (
    Dependences,
    Live,
    count_or_none,
    evaluations,
    float_operations,
    longest_chain,
    reduction_of,
)
from sisyphus.ir import (
    Array,
    ArrayId,
    Binary,
    Cast,
    Expr,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Select,
    Statement,
    StmtId,
    children,
    index_names,
)
from sisyphus.model.facts.multiply_adds import bits_of
from sisyphus.model.formulas.cores import core_of
from sisyphus.model.formulas.iteration_latency import delay_to, path_to
from sisyphus.model.formulas.recurrence import accumulation
from sisyphus.poly import Set, dim_range, fix, longest_run, project_onto, sample
from sisyphus.space import may_add_in_fabric
from sisyphus.target import ADDERS, OperatorTable, Target
from sisyphus.values import dataclass

#: DSPs and LUTs of each kind of operator that does the same.
Kinds = frozenset[tuple[int, int]]

#: A cycle is shared between DSPs and LUTs in so many parts.
PARTS = 32

#: Operators on integers that take what their type says, where their operands may have any value.
WHOLE = frozenset({"+", "-", "*", "<", "<=", ">", ">=", "==", "!="})


@dataclass(frozen=True)
class Limit:
    """Lower bounds in cycles; `chain_of` names the statements of the longest chain found.

    `operations` of floating point are those of the source (None where they cannot be counted), `beat` the bytes that
    all banks of the board move in a cycle.
    """

    compute: int
    memory: int
    chain: int
    chain_of: str
    operations: int | None = None
    beat: int = 0

    @property
    def cycles(self) -> int:
        return max(self.compute, self.memory, self.chain, 1)

    @property
    def held_by(self) -> str:
        """What the largest of the bounds is of, in words."""
        if self.cycles == self.chain:
            return f"the chain of dependent operations of {self.chain_of}"
        return "operators" if self.cycles == self.compute else "bytes to and from memory"


def limit_of(
    scop: Scop,
    dependences: Dependences,
    live: Mapping[ArrayId, Live],
    target: Target,
    *,
    tree: bool = False,
    any_adders: bool = False,
) -> Limit:
    """The limit of a kernel; with `tree`, sums need not wait for one another.

    With `any_adders` additions may also run in fabric, each on what takes the least of a budget.
    """
    tables = [target.operators]
    if any_adders and may_add_in_fabric(scop, target):
        tables = [target.adding_in(adders).operators for adders in ADDERS]
    chain, chain_of = min(_longest_chain(scop, dependences, table, tree) for table in tables)
    beat = target.device.beats * target.port_bits // 8
    given = frozenset(name for name, one in live.items() if one.load)
    compute = _compute(scop, target, tables, given)
    return Limit(compute, _memory(scop, live, beat), chain, chain_of, _operations(scop), beat)


_operations = lru_cache(maxsize=4)(float_operations)  # a search asks for a limit, and so does the report on it


def _compute(scop: Scop, target: Target, tables: Sequence[OperatorTable], given: frozenset[ArrayId]) -> int:
    """Cycles in which all operations can start, where the whole budgets are operators of the right kinds.

    A mixture of kinds fills both budgets: whatever part of a cycle one DSP is worth beside one LUT, no operator takes
    less of it than the cheapest of its kinds, and a cycle has no more than both budgets.
    """
    dsps, luts = max(target.budget.dsp, 1), max(target.budget.lut, 1)
    wanted = _operators(scop, tuple(tables), given)
    worth = [(part * luts, (PARTS - part) * dsps) for part in range(PARTS + 1)]
    taken = (sum(n * min(kind[0] * dsp + kind[1] * lut for kind in kinds) for kinds, n in wanted) for dsp, lut in worth)
    return -(-max(taken) // (PARTS * dsps * luts))


@lru_cache(maxsize=4)
def _operators(
    scop: Scop, tables: tuple[OperatorTable, ...], given: frozenset[ArrayId]
) -> tuple[tuple[Kinds, int], ...]:
    """The operators that are counted, each as often as it is evaluated, by what their kinds take."""
    found = Counter[Kinds]()
    for _, expr, times in _evaluations(scop):
        if _is_of_floats(expr) or _takes_all_bits(expr, given):
            kinds = frozenset(kind for table in tables for kind in _kinds(table, expr))
            if kinds:
                found[kinds] += times
    return tuple(found.items())


def _kinds(table: OperatorTable, expr: Expr) -> Iterator[tuple[int, int]]:
    """DSPs and LUTs of what may compute the root of an expression; a narrow product may be one DSP instead of logic."""
    core = core_of(table, expr)
    if core is not None:
        yield core.cost.dsp, core.cost.lut
        if isinstance(expr, Binary) and expr.op == "*" and not core.cost.dsp:
            yield 1, 0


@lru_cache(maxsize=4)  # for every table of operators
def _evaluations(scop: Scop) -> tuple[tuple[Statement, Expr, int], ...]:
    return tuple(evaluations(scop))


def _is_of_floats(expr: Expr) -> bool:
    """Whether an operator has operands or a result of floating point, as a conversion to an integer has."""
    return expr.type.is_float or any(part.type.is_float for part in children(expr))


def _takes_all_bits(expr: Expr, given: frozenset[ArrayId]) -> bool:
    """Whether an operator on integers is an adder, a comparator or a multiplier that takes what its core does.

    What reads a constant may be less, and an adder behind a product may be part of a DSP. Cores of products are as wide
    as their operands, others as the types of these.
    """
    match expr:
        case Binary(op=op, left=left, right=right) if op in WHOLE and not (left.type.is_float or right.type.is_float):
            parts = (left, right)
            behind = any(isinstance(part, Binary) and part.op == "*" for part in parts)
            is_wide = op == "*" or all(bits_of(part) == part.type.bits for part in parts)
            return is_wide and not behind and all(_has_all_bits(part, given) for part in parts)
    return False


def _has_all_bits(expr: Expr, given: frozenset[ArrayId]) -> bool:
    """Whether an integer may have any value of `bits_of` bits, as far as its expression alone tells.

    Elements may that callers give values; those of other arrays are what is computed for them.
    """
    match expr:
        case Scalar():
            return True
        case Read(ref=ref):
            return ref.array in given
        case Binary(op="+" | "-", left=left, right=right):
            return _has_all_bits(left, given) or _has_all_bits(right, given)
        case Select(then=then, other=other):
            return _has_all_bits(then, given) and _has_all_bits(other, given)
        case Cast(operand=operand):
            return not operand.type.is_float and _has_all_bits(operand, given)
    return False


def _memory(scop: Scop, live: Mapping[ArrayId, Live], beat: int) -> int:
    """Cycles in which all banks move what must be moved once."""
    moved = 0
    for array in scop.arrays:
        if array.role is not Role.LOCAL and array.view_of is None and array.id in live:
            moved += (_loaded(array, live[array.id]) + _stored(live[array.id])) * array.type.bytes
    return ceil(moved / beat)


def _loaded(array: Array, live: Live) -> int:
    return (count_or_none(live.upward_exposed) or 0) if live.load else 0


def _stored(live: Live) -> int:
    return prod(high - low + 1 for low, high in live.written) if live.store else 0


@lru_cache(maxsize=4)
def _longest_chain(scop: Scop, dependences: Dependences, table: OperatorTable, tree: bool) -> tuple[int, str]:
    """The longest chain that is found, in cycles, and of which statements."""
    picoseconds, around = max(_chains(scop, dependences, table, tree=tree), default=(0, "nothing"))
    return ceil(picoseconds / table.usable_ps), around


def _chains(scop: Scop, dependences: Dependences, table: OperatorTable, *, tree: bool) -> Iterator[tuple[int, str]]:
    """Picoseconds of chains, through updates of one element and around statements, and of which statements.

    A sum that follows another one takes a cycle less than its operator, as in a pipelined loop (`recurrence.py`). What
    has no registers on its way may share a cycle with what comes next. Of such sums, products, minima and maxima the
    order is free.
    """

    def weight(statement: Statement, ref: Ref, again: bool) -> int:
        cycles, operators = path_to(table, statement.rhs, ref, tree=tree) or (0, 0)
        if not cycles:
            is_free = ref == statement.write and reduction_of(statement) is not None
            return 0 if is_free else delay_to(table, statement.rhs, ref) or 0
        return table.usable_ps * (accumulation(EXACT, cycles, 1, single=operators == 1) if again else cycles)

    sums = {edge.source for edge in dependences.edges if not edge.is_kept(tree_reduction=tree)}
    shared = _shared_depths(scop)
    for statement in scop.statements:
        if statement.write in statement.reads and statement.id not in sums:
            updates = _updates(statement, shared.get(statement.id, 0))
            yield weight(statement, statement.write, True) * updates, str(statement.id)
    cycles, around = longest_chain(dependences, lambda s, ref, again: 0 if s.id in sums else weight(s, ref, again))
    yield cycles, ", ".join(around)


def _shared_depths(scop: Scop) -> dict[StmtId, int]:
    """Outermost loops that a statement shares with another one that writes its array, where there is one.

    Statements are in the order of the source: the most are shared with the one before or the one behind.
    """
    depths, last = dict[StmtId, int](), dict[ArrayId, Statement]()
    for statement in scop.statements:
        before = last.get(statement.write.array)
        if before is not None:
            shared = statement.shared_loops(before)
            depths[before.id] = max(depths.get(before.id, 0), shared)
            depths[statement.id] = shared
        last[statement.write.array] = statement
    return depths


def _updates(statement: Statement, shared: int) -> int:
    """Instances that update one element in a row: of all loops in a box, else of one loop or of the first or last row.

    The `shared` loops around another statement that writes the array do not count: it may start the element anew.
    """
    written = index_names(statement.write)
    loops = [name for name in statement.iterators[shared:] if name not in written]
    ranges = {name: dim_range(statement.domain, name) for name in loops} if not statement.domain.is_empty() else {}
    whole = prod(high - low + 1 for low, high in ranges.values())
    shadow = project_onto(statement.domain, loops)
    if loops and count_or_none(shadow) == whole and _is_free(statement, loops):
        return whole
    runs = [longest_run(statement.domain, {name: 1}) or 0 for name in loops]
    others = project_onto(statement.domain, [name for name in statement.iterators if name not in loops])
    ends = [sample(end(others)) for end in (Set.lexmin, Set.lexmax)] if loops else []
    rows = [count_or_none(fix(statement.domain, end)) or 0 for end in ends if end is not None]
    return max((*runs, *rows), default=0)


def _is_free(statement: Statement, loops: list[str]) -> bool:
    """Whether the loops run through all their values together, whatever the others do."""
    others = [name for name in statement.iterators if name not in loops]
    apart = count_or_none(project_onto(statement.domain, others)), count_or_none(project_onto(statement.domain, loops))
    return None not in apart and apart[0] * apart[1] == count_or_none(statement.domain)  # type: ignore[operator]
