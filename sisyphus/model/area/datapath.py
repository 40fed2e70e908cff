"""Registers and multiplexers of a pipelined body beside its cores; knows no memory and no transfer.

The figures are those of the register and multiplexer tables of synthesis reports: every result of a core and every
word read from memory has a register; a value that waits more than a few cycles goes through a shift register, which
the tables count as two words of FF and one of LUT; a bank that is picked while running takes a multiplexer.
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.algebra import Value, product
from sisyphus.ir import walk
from sisyphus.model.area.multiplexers import mux_lut
from sisyphus.model.facts.task_facts import BufferAccess, Pipe, Work
from sisyphus.model.formulas.addresses import bank_count, bank_ways, in_registers, is_complete, moving, words_per_bank
from sisyphus.model.formulas.bank_ports import elements_read
from sisyphus.model.formulas.copies import reduction_copies, unrolled_copies
from sisyphus.model.formulas.core_counts import Operations, is_called
from sisyphus.model.formulas.cores import core_of
from sisyphus.model.formulas.iteration_latency import Setting, is_reduction, is_tree, others
from sisyphus.model.formulas.pipes import PipeStudy
from sisyphus.model.formulas.rules import Area
from sisyphus.model.formulas.terms import Term
from sisyphus.plan import shared_cores
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Datapath:
    """What the area of a body depends on: words of `bits` in one start, copies of guarded functions and their cores.

    `waiting` values wait for others; `accumulators` stay in registers while the loop runs; `selection` are LUT that
    pick banks, `operands` LUT that pick the operands of cores which work several times per start. `guarded` copies of
    statements stand under a condition in place; `logic` are LUT of operations that are expressions of the body.
    """

    bits: int
    results: Value
    words_read: Value
    accumulators: Value
    waiting: Value
    address_bits: Value
    selection: Value
    operands: Value
    functions: Value
    function_cores: Value
    guarded: Value
    logic: Value


def datapath_of(setting: Setting, study: PipeStudy) -> Datapath:
    """Everything of a body that is no core, memory or control."""
    alg, pipe, interval = setting.alg, study.pipe, study.interval.value
    slow = [_slow_cores(setting, work) for work in pipe.works]
    busy = [
        (work, kinds, counts) for work, kinds, counts in zip(pipe.works, slow, study.operations, strict=True) if kinds
    ]
    called = [(work, kinds) for work, kinds, _ in busy if is_called(setting, work)]
    shared = [(kinds, counts) for work, kinds, counts in busy if not is_called(setting, work)]
    functions = [(_functions(setting, pipe, work, interval), len(kinds)) for work, kinds in called]
    inline = [work for work in pipe.works if work.guarded and not is_called(setting, work)]
    reads = _reads(pipe)
    read = _words_read(setting, pipe, reads)
    written = [_written_banks(setting, pipe, work.write) for work, _, _ in busy]
    own = [_own_words(setting, pipe, work) for work, _, _ in busy] if len(pipe.works) > 1 else [read] * len(busy)
    waiting = [
        _waiting(setting, study, work, *counts) for (work, _, _), *counts in zip(busy, own, written, strict=True)
    ]
    bits = max((work.expr.type.bits for work in pipe.works), default=32)
    return Datapath(
        bits=bits,
        results=sum(counts[kind] for kinds, counts in shared for kind in dict.fromkeys(kinds)),
        words_read=read,
        accumulators=_accumulators(setting, study),
        waiting=alg.nearest(sum(waiting)),
        address_bits=sum(_address_bits(setting, work, n) for (work, _, _), n in zip(busy, written, strict=True)),
        selection=sum(_selection(setting, pipe, access, bits) for access in reads),
        operands=_operands(setting, [counts for _, counts in shared], sum(n for n, _ in functions), interval),
        functions=sum(count for count, _ in functions),
        function_cores=sum(count * cores for count, cores in functions),
        guarded=sum(_functions(setting, pipe, work, interval) for work in inline),
        logic=study.logic(setting, "lut"),
    )


def datapath_ff(area: Area, body: Datapath) -> tuple[Term, ...]:
    """Flip-flops of a body: results and words read, values that wait, guarded functions."""
    words = body.results + body.words_read + body.accumulators
    functions = area.ff_per_function * body.functions + area.ff_per_function_core * body.function_cores
    return (
        Term("results and words read", words * body.bits, rule="one register each"),
        Term("addresses of writes", body.address_bits, rule="one register each"),
        Term("values that wait", 2 * body.bits * body.waiting, rule="shift registers"),
        Term("guarded functions", functions, rule="registers of a function"),
        Term(
            "guards",
            area.ff_per_guarded_bit * body.bits * body.guarded,
            construct="guard-logic",
            rule="a select per copy",
        ),
        Term("control", area.ff_per_body, rule="loop control"),
    )


def datapath_lut(area: Area, body: Datapath) -> tuple[Term, ...]:
    """Look-up tables of a body: shift registers, bank selection, operands of shared cores, guarded functions."""
    guarded = body.bits * body.guarded
    functions = area.lut_per_function * body.functions + area.lut_per_function_core * body.function_cores
    return (
        Term("expressions", body.logic, construct="core", rule="one for each operation"),
        Term("values that wait", body.bits * body.waiting, rule="shift registers"),
        Term("bank selection", body.selection, rule="multiplexers over banks"),
        Term("operands of shared cores", body.operands, rule="multiplexers over II"),
        Term("accumulators", area.lut_per_accumulator * body.accumulators, rule="kept over the loop"),
        Term("guarded functions", functions, rule="logic of a function"),
        Term("guards", area.lut_per_guarded_bit * guarded, construct="guard-logic", rule="a select per copy"),
        Term("control", area.lut_per_body, rule="loop control"),
    )


def _slow_cores(setting: Setting, work: Work) -> list[str]:
    """Kinds of the cores of one copy of a statement that take cycles, one entry for each core."""
    found = (core_of(setting.operators, part) for part in walk(work.expr))
    return [core.kind for core in found if core is not None and core.cost.latency and not core.is_logic]


def _functions(setting: Setting, pipe: Pipe, work: Work, interval: Value) -> Value:
    """Instances of a guarded function."""
    return setting.alg.ceil_div(unrolled_copies(pipe, work), interval)


def _reads(pipe: Pipe) -> list[BufferAccess]:
    """Different accesses that read."""
    found = {}
    for work in pipe.works:
        for ref, access in work.reads.items():
            if not (work.from_literal and ref == work.target):
                found[access.buffer, access.element] = access
    return list(found.values())


def _words_read(setting: Setting, pipe: Pipe, reads: Sequence[BufferAccess]) -> Value:
    """Words that one start reads from memories."""
    alg, dims = setting.alg, {access.buffer: access.dims for access in reads}
    found = elements_read(alg, pipe).items()
    return sum(alg.select(in_registers(alg, dims[buffer]), 0, count) for buffer, count in found)


def _own_words(setting: Setting, pipe: Pipe, work: Work) -> Value:
    """The same for one of several statements alone."""
    alone = replace(pipe, works=(work,))
    return _words_read(setting, alone, _reads(alone))


def _accumulators(setting: Setting, study: PipeStudy) -> Value:
    """Elements that a pipelined reduction keeps in registers when it is not flattened."""
    found = sum(_elements(setting, study.pipe, work) for work in study.pipe.works if is_reduction(study.pipe, work))
    return setting.alg.select(study.body.flattened, 0, found)


def _elements(setting: Setting, pipe: Pipe, work: Work) -> Value:
    """Different elements that one start writes."""
    return setting.alg.ceil_div(
        unrolled_copies(pipe, work), setting.alg.maximum(reduction_copies(setting.alg, pipe, work), 1)
    )


def _ways(setting: Setting, pipe: Pipe, access: BufferAccess) -> list[Value]:
    """Per dimension, the banks among which one copy of an access moves while running."""
    alg, loops = setting.alg, (*pipe.arguments, *pipe.loops)
    found = []
    for dim in access.dims:
        changes, step = moving(alg, dim, loops, pipe.trips)
        complete = alg.ceil_div(dim.extent, alg.maximum(step, 1))
        ways = alg.select(is_complete(alg, dim), complete, bank_ways(alg, dim, step))
        found.append(alg.select(changes, ways, 1))
    return found


def _copies(pipe: Pipe, access: BufferAccess) -> Value:
    """Different elements that an access reaches in one start."""
    loops = dict.fromkeys(loop for work in pipe.works for loop in work.unrolled)
    return product([pipe.trips[loop] for loop in loops if any(loop in dim.strides for dim in access.dims)])


def _selection(setting: Setting, pipe: Pipe, access: BufferAccess, bits: int) -> Value:
    """LUT to pick the bank of each element read: one multiplexer for each dimension in turn, the last one first."""

    def one(ways: int) -> int:
        # over two inputs it is a select of the word
        return bits if ways == 2 else setting.operators.mux(ways).lut

    rest: Value = 1
    lut: Value = 0
    for ways in _ways(setting, pipe, access):
        lut = lut + rest * setting.alg.apply(one, ways)
        rest = rest * ways
    return _copies(pipe, access) * lut


def _written_banks(setting: Setting, pipe: Pipe, access: BufferAccess) -> Value:
    """Banks that an access writes to, at one time or another."""
    reached = _copies(pipe, access) * product(_ways(setting, pipe, access))
    return setting.alg.minimum(bank_count(setting.alg, access.dims), reached)


def _address_bits(setting: Setting, work: Work, written: Value) -> Value:
    """Registers for the addresses of results that come later than they are asked for; none into registers."""
    return written * setting.alg.log2_ceil(words_per_bank(setting.alg, work.write.dims))


def _waiting(setting: Setting, study: PipeStudy, work: Work, read: Value, written: Value) -> Value:
    """Values of a statement that wait: addresses of results, operands of an addition that come before the sum."""
    alg, pipe, area = setting.alg, study.pipe, setting.rules.area
    found = alg.select(in_registers(alg, work.write.dims), 0, written)
    elements = _elements(setting, pipe, work)
    terms = len(others(work)) * reduction_copies(setting.alg, pipe, work)
    if is_called(setting, work):
        found = found + area.waiting_per_function * unrolled_copies(pipe, work)
    elif is_tree(pipe, work):
        found = found + alg.minimum(alg.apply(_left_over, terms) * elements, read)
        found = found + (0 if work.from_literal else elements)
    else:
        alone = alg.select(work.held, 0, alg.maximum(read - elements, 0))
        found = found + alg.minimum((terms - 1) * elements, 2 * read) + area.waiting_per_word_read * alone
    return alg.select(study.body.flattened, found, 0) if is_reduction(pipe, work) else found


def _left_over(terms: int) -> int:
    """Values without a partner on the levels of a tree of additions."""
    found = 0
    while terms > 1:
        found += terms % 2
        terms = (terms + 1) // 2
    return found


def _operands(setting: Setting, counts: Sequence[Operations], functions: Value, interval: Value) -> Value:
    """Each operand of a core that works II times per start is picked among so many."""
    alg = setting.alg
    cores = functions + sum(n for found in counts for n in shared_cores(alg, found, interval).values())
    picked = setting.rules.area.operand_inputs * cores * mux_lut(alg, setting.operators, interval + 1)
    return alg.select(alg.exceeds(interval, 1), picked, 0)
