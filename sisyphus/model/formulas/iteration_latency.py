"""Iteration latency: when each value of a pipelined body is there (docs/model.md); knows no initiation interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from sisyphus.algebra import Algebra, Value
from sisyphus.ir import Binary, Expr, Read, Ref, children
from sisyphus.model.facts.task_facts import BufferAccess, Pipe, Work
from sisyphus.model.formulas.addresses import arrival, in_registers
from sisyphus.model.formulas.aliases import alias_pairs, copies_in_turn, told_apart
from sisyphus.model.formulas.copies import reduction_copies
from sisyphus.model.formulas.cores import core_of, core_of_sums, delay_of, terms
from sisyphus.model.formulas.rules import GuardForm, Rules
from sisyphus.target import MeasuredInterval, OperatorTable
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Setting:
    """What all formulas of an estimate share."""

    alg: Algebra
    rules: Rules
    operators: OperatorTable
    guards: GuardForm = GuardForm.INLINE
    measured: tuple[MeasuredInterval, ...] = ()


@dataclass(frozen=True)
class Timing:
    """One statement of a body: the cycle after its write, and its accumulation.

    `chain` is the time from reading the element it writes to writing it, over all unrolled copies; `path` the same for
    one copy; `single` says that this is one operator. All are 0 where the statement does not read its element.
    `starts` says when each operation of the first copy starts, `arrivals` when each element that is read is there,
    `delays_from` how many picoseconds combinational operators take between the element and the write.
    """

    finish: Value
    chain: Value
    path: int
    single: bool
    depth_from: Mapping[Ref, int]
    delays_from: Mapping[Ref, int]
    starts: Mapping[Expr, Value]
    arrivals: Mapping[Ref, Value]

    def later(self, cycles: Value) -> Timing:
        """The same so many cycles later in the body."""
        starts = {expr: start + cycles for expr, start in self.starts.items()}
        arrivals = {ref: there + cycles for ref, there in self.arrivals.items()}
        return replace(self, finish=self.finish + cycles, starts=starts, arrivals=arrivals)


def latency_of(table: OperatorTable, expr: Expr) -> int:
    """Cycles of the root operator of an expression."""
    core = core_of(table, expr)
    return core.cost.latency if core else 0


def finish_of(
    setting: Setting, expr: Expr, ready: Callable[[Ref], Value], *, tree: bool, starts: dict[Expr, Value] | None = None
) -> Value:
    """When the value is there, every operator starting as soon as its operands are: `starts` notes when that is.

    With `tree`, a floating-point sum of several terms is balanced.
    """
    if isinstance(expr, Read):
        return ready(expr.ref)
    alg, parts = setting.alg, children(expr)
    levels: Value = 1
    if tree and expr.type.is_float and isinstance(expr, Binary) and expr.op in "+-":
        parts = terms(expr)
        levels = alg.log2_ceil(len(parts))
    if not parts:
        return 0
    start = alg.maximum(0, *(finish_of(setting, part, ready, tree=tree, starts=starts) for part in parts))
    if starts is not None:
        starts.setdefault(expr, start)
    return start + latency_of(setting.operators, expr) * levels


@lru_cache(maxsize=1 << 16)
def path_to(table: OperatorTable, expr: Expr, leaf: Ref, *, tree: bool = False) -> tuple[int, int] | None:
    """Cycles and operators from a read of `leaf` to the root, by the longest way; None where it is not read.

    With `tree`, no more than one adder of a floating-point sum of several terms counts.
    """
    if isinstance(expr, Read):
        return (0, 0) if expr.ref == leaf else None
    is_sum = tree and expr.type.is_float and isinstance(expr, Binary) and expr.op in "+-"
    parts = terms(expr) if is_sum else children(expr)
    found = [path for part in parts if (path := path_to(table, part, leaf, tree=tree)) is not None]
    if not found:
        return None
    core = core_of(table, expr)
    cycles, count = max(found)
    return (cycles + core.cost.latency, count + 1) if core else (cycles, count)


@lru_cache(maxsize=1 << 16)
def delay_to(table: OperatorTable, expr: Expr, leaf: Ref) -> int | None:
    """Picoseconds of combinational operators from a read of `leaf` to the root, at most; None where it is not read."""
    if isinstance(expr, Read):
        return 0 if expr.ref == leaf else None
    found = [delay for part in children(expr) if (delay := delay_to(table, part, leaf)) is not None]
    return max(found) + delay_of(table, expr) if found else None


def in_cycles(setting: Setting, cycles: Value, delay_ps: int) -> Value:
    """Cycles of operators with registers, and of combinational ones on the way, in what they may fill of a period.

    Behind a register what is left of a period is free.
    """
    alg, (whole, rest) = setting.alg, divmod(delay_ps, setting.operators.usable_ps)
    return cycles + whole + (alg.select(alg.exceeds(cycles, 0), 0, 1) if rest else 0)


def body_loops(setting: Setting, pipe: Pipe, flattened: Value) -> Callable[[BufferAccess], Value]:
    """Arrival of an access inside a pipelined body: whether outer loops move it depends on flattening."""
    own = () if pipe.loop is None else (pipe.loop,)
    alg, rules = setting.alg, setting.rules

    if isinstance(flattened, bool):
        loops = pipe.loops if flattened else own
        return lambda access: arrival(alg, rules, access, loops, pipe.trips, pipe.arguments)

    def when(access: BufferAccess) -> Value:
        inside = arrival(alg, rules, access, pipe.loops, pipe.trips, pipe.arguments)
        return alg.select(flattened, inside, arrival(alg, rules, access, own, pipe.trips, pipe.arguments))

    return when


def timings(setting: Setting, pipe: Pipe, flattened: Value) -> tuple[Timing, ...]:
    """All statements of a body in textual order; a value written and read in one iteration is passed on."""
    when = body_loops(setting, pipe, flattened)
    written: dict[tuple[object, ...], Value] = {}
    found: list[Timing] = []
    for work in pipe.works:
        passed = {ref: written.get((access.buffer, access.element)) for ref, access in work.reads.items()}
        arrivals = {ref: when(work.reads[ref]) if value is None else value for ref, value in passed.items()}
        found.append(_behind_each_other(setting, pipe, len(found), _timing(setting, pipe, work, arrivals)))
        written[work.write.buffer, work.write.element] = found[-1].finish
    return tuple(found)


def _timing(setting: Setting, pipe: Pipe, work: Work, arrivals: Mapping[Ref, Value]) -> Timing:
    """One statement by the case that applies to it."""
    ready = arrivals.__getitem__
    accumulates = work.target in work.reads
    ways = {ref: path_to(setting.operators, work.expr, ref) or (0, 0) for ref in work.reads}
    path, count = ways[work.target] if accumulates else (0, 0)
    starts: dict[Expr, Value] = {}
    if work.guarded and setting.guards is GuardForm.CALLED:
        finish, chain = _called(setting, pipe, work, ready, starts)
    elif accumulates and is_tree(pipe, work):
        finish, chain = _tree(setting, pipe, work, ready, starts)
    else:
        finish, chain = _serial(setting, pipe, work, ready, path, starts)
    if work.from_literal:
        chain = 0
    depths = {ref: cycles for ref, (cycles, _) in ways.items()}
    delays = {ref: delay_to(setting.operators, work.expr, ref) or 0 for ref in work.reads}
    return Timing(finish, chain, path, count == 1, depths, delays, starts, arrivals)


def _behind_each_other(setting: Setting, pipe: Pipe, run: int, timing: Timing) -> Timing:
    """The same with the copies that may read what an earlier one wrote behind each other."""
    alg, cycles = setting.alg, setting.rules.cycles
    finish = timing.finish
    for pair in alias_pairs(pipe):
        if pair.writer == pair.reader == run:
            one, copies = timing.depth_from[pair.ref] + cycles.read + cycles.write, copies_in_turn(alg, pipe, pair)
            last = timing.arrivals[pair.ref] + one * copies - cycles.read
            finish = alg.maximum(finish, alg.select(told_apart(alg, pipe, pair), 0, last))
    return replace(timing, finish=finish)


def sum_latency(setting: Setting, pipe: Pipe, work: Work) -> int:
    """Cycles of the adder that a balanced sum along the pipeline ends in."""
    core = core_of_sums(setting.operators, work.expr, asked=pipe.asked)
    return core.cost.latency if core else 0


def is_tree(pipe: Pipe, work: Work) -> bool:
    """Whether the unrolled additions of a statement may form a tree."""
    if not pipe.tree or work.guarded or not work.expr.type.is_float:
        return False
    return any(isinstance(term, Read) and term.ref == work.target for term in _positive(work.expr))


def _positive(expr: Expr) -> tuple[Expr, ...]:
    """Terms of the topmost sum that are added, not subtracted."""
    if isinstance(expr, Binary) and expr.op in "+-" and expr.left.type == expr.type:
        right = _positive(expr.right) if expr.op == "+" and expr.right.type == expr.type else ()
        return (*_positive(expr.left), *right)
    return (expr,)


def others(work: Work) -> tuple[Expr, ...]:
    """Terms of an accumulation beside the element itself."""
    return tuple(t for t in terms(work.expr) if not (isinstance(t, Read) and t.ref == work.target))


def write_cycles(setting: Setting, work: Work) -> Value:
    """A register that a scalar is written to in the end costs no cycle."""
    alg, cycles = setting.alg, setting.rules.cycles
    if work.from_literal:
        return alg.select(in_registers(alg, work.write.dims), 0, cycles.write)
    return cycles.write


def is_reduction(pipe: Pipe, work: Work) -> bool:
    """Whether the pipelined loop accumulates into one element."""
    return pipe.loop is not None and pipe.pipelined and pipe.loop in work.reductions and work.target in work.reads


def _serial(
    setting: Setting, pipe: Pipe, work: Work, ready: Callable[[Ref], Value], path: int, starts: dict[Expr, Value]
) -> tuple[Value, Value]:
    """Copies of an accumulation one after another: the first waits for all operands, the others for the sum."""
    copies = reduction_copies(setting.alg, pipe, work)

    def first(ref: Ref) -> Value:
        return 0 if work.from_literal and ref == work.target else ready(ref)

    finish = finish_of(setting, work.expr, first, tree=pipe.tree and not work.guarded, starts=starts)
    finish = finish + (copies - 1) * path + write_cycles(setting, work)
    if is_reduction(pipe, work) and not work.from_literal:
        finish = finish + setting.rules.cycles.reduction_tail
    return finish, path * copies


def _tree(
    setting: Setting, pipe: Pipe, work: Work, ready: Callable[[Ref], Value], starts: dict[Expr, Value]
) -> tuple[Value, Value]:
    """The sum of all copies as a balanced tree (docs/model.md)."""
    alg, cycles = setting.alg, setting.rules.cycles
    add = latency_of(setting.operators, work.expr)
    parts = others(work)
    count = reduction_copies(setting.alg, pipe, work) * len(parts)
    start = alg.maximum(0, *(finish_of(setting, part, ready, tree=True, starts=starts) for part in parts))
    starts[work.expr] = start
    write = write_cycles(setting, work)
    if work.from_literal:
        return start + add * alg.log2_ceil(count) + write, 0
    both = alg.maximum(start, ready(work.target))
    if is_reduction(pipe, work):
        last = sum_latency(setting, pipe, work)
        several = start + add * alg.log2_ceil(count) + last
        tail = alg.select(alg.is_power_of_two(count), cycles.reduction_tail, cycles.odd_reduction_tail)
        tail = cycles.asked_reduction_tail if pipe.asked else tail
        return alg.select(alg.exceeds(count, 1), several, both + last) + write + tail, last
    depth = add * alg.log2_ceil(count + 1)
    return both + depth + write, depth


def _called(
    setting: Setting, pipe: Pipe, work: Work, ready: Callable[[Ref], Value], starts: dict[Expr, Value]
) -> tuple[Value, Value]:
    """A guarded statement as a function of its own: its copies are a serial chain even where trees are allowed."""
    alg = setting.alg
    one = setting.rules.cycles.guard + finish_of(setting, work.expr, lambda _: 0, tree=False, starts=starts)
    chain = one * reduction_copies(setting.alg, pipe, work)
    start = alg.maximum(0, *(ready(ref) for ref in work.reads))
    return start + chain + write_cycles(setting, work), chain
