"""Registers and multiplexers of a pipelined body beside its cores; knows no memory and no transfer.

The figures are those of the register and multiplexer tables of synthesis reports: every result of a core and every
word read from memory has a register; a value that waits more than a few cycles goes through a shift register, which
the tables count as two words of FF and one of LUT; a bank that is picked while running takes a multiplexer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from sisyphus.ir import walk
from sisyphus.model.addresses import bank_ways, in_registers, is_complete, moving, words_per_bank
from sisyphus.model.algebra import EXACT
from sisyphus.model.cores import core_of
from sisyphus.model.facts import Access, Pipe, Work
from sisyphus.model.operators import Operations, instances, is_called, unrolled_copies
from sisyphus.model.ports import elements_read
from sisyphus.model.rules import Area
from sisyphus.model.schedule import Setting, is_reduction, is_tree, others, reduction_copies
from sisyphus.model.study import PipeStudy
from sisyphus.model.terms import Term
from sisyphus.target import OperatorTable


@dataclass(frozen=True)
class Datapath:
    """What the area of a body depends on: words of `bits` in one start, copies of guarded functions and their cores.

    `waiting` values wait for others; `accumulators` stay in registers while the loop runs; `selection` are LUT that
    pick banks, `operands` LUT that pick the operands of cores which work several times per start. `guarded` copies of
    statements stand under a condition in place.
    """

    bits: int
    results: int
    words_read: int
    accumulators: int
    waiting: int
    address_bits: int
    selection: int
    operands: float
    functions: int
    function_cores: int
    guarded: int


def datapath_of(setting: Setting, study: PipeStudy) -> Datapath:
    """Everything of a body that is no core, memory or control."""
    pipe, interval = study.pipe, int(study.interval.value)
    slow = [_slow_cores(setting, work) for work in pipe.works]
    busy = [
        (work, kinds, counts) for work, kinds, counts in zip(pipe.works, slow, study.operations, strict=True) if kinds
    ]
    called = [(work, kinds) for work, kinds, _ in busy if is_called(setting, work)]
    shared = [(kinds, counts) for work, kinds, counts in busy if not is_called(setting, work)]
    functions = [(_functions(pipe, work, interval), len(kinds)) for work, kinds in called]
    reads = _reads(pipe)
    read = _words_read(pipe, reads)
    bits = max((work.expr.type.bits for work in pipe.works), default=32)
    return Datapath(
        bits=bits,
        results=sum(int(counts[kind]) for kinds, counts in shared for kind in set(kinds)),
        words_read=read,
        accumulators=_accumulators(study),
        waiting=round(sum(_waiting(setting, study, work, read) for work, _, _ in busy)),
        address_bits=sum(_address_bits(pipe, work) for work, _, _ in busy),
        selection=sum(_selection(setting.operators, pipe, access, bits) for access in reads),
        operands=_operands(setting, [counts for _, counts in shared], sum(n for n, _ in functions), interval),
        functions=sum(count for count, _ in functions),
        function_cores=sum(count * cores for count, cores in functions),
        guarded=sum(_functions(pipe, w, interval) for w in pipe.works if w.guarded and not is_called(setting, w)),
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
        Term("control", area.ff_per_body, rule="loop control"),
    )


def datapath_lut(area: Area, body: Datapath) -> tuple[Term, ...]:
    """Look-up tables of a body: shift registers, bank selection, operands of shared cores, guarded functions."""
    functions = area.lut_per_function * body.functions + area.lut_per_function_core * body.function_cores
    return (
        Term("values that wait", body.bits * body.waiting, rule="shift registers"),
        Term("bank selection", body.selection, rule="multiplexers over banks"),
        Term("operands of shared cores", body.operands, rule="multiplexers over II"),
        Term("accumulators", area.lut_per_accumulator * body.accumulators, rule="kept over the loop"),
        Term("guarded functions", functions, rule="logic of a function"),
        Term("guards", body.bits * body.guarded, measured=False, rule="a select for each guarded copy"),
        Term("control", area.lut_per_body, rule="loop control"),
    )


def _slow_cores(setting: Setting, work: Work) -> list[str]:
    """Kinds of the cores of one copy of a statement that take cycles, one entry for each core."""
    found = (core_of(setting.operators, part) for part in walk(work.expr))
    return [core.kind for core in found if core is not None and core.cost.latency > 0]


def _functions(pipe: Pipe, work: Work, interval: int) -> int:
    """Instances of a guarded function."""
    return ceil(int(unrolled_copies(pipe, work)) / interval)


def _reads(pipe: Pipe) -> list[Access]:
    """Different accesses that read."""
    found = {}
    for work in pipe.works:
        for ref, access in work.reads.items():
            if not (work.from_literal and ref == work.target):
                found[access.buffer, access.element] = access
    return list(found.values())


def _words_read(pipe: Pipe, reads: Sequence[Access]) -> int:
    """Words that one start reads from memories."""
    memories = {access.buffer for access in reads if not in_registers(EXACT, access.dims)}
    return sum(count for buffer, count in elements_read(pipe).items() if buffer in memories)


def _accumulators(study: PipeStudy) -> int:
    """Elements that a pipelined reduction keeps in registers when it is not flattened."""
    if study.body.flattened:
        return 0
    return sum(_elements(study.pipe, work) for work in study.pipe.works if is_reduction(study.pipe, work))


def _elements(pipe: Pipe, work: Work) -> int:
    """Different elements that one start writes."""
    return int(unrolled_copies(pipe, work)) // max(int(reduction_copies(pipe, work)), 1)


def _ways(pipe: Pipe, access: Access) -> list[int]:
    """Per dimension, the banks among which one copy of an access moves while running."""
    loops = pipe.outer if pipe.loop is None else (*pipe.outer, pipe.loop)
    found = []
    for dim in access.dims:
        changes, step = moving(EXACT, dim, loops, pipe.trips)
        if not changes:
            found.append(1)
        elif is_complete(EXACT, dim):
            found.append(ceil(dim.extent / max(step, 1)))
        else:
            found.append(int(bank_ways(EXACT, dim, step)))
    return found


def _copies(pipe: Pipe, access: Access) -> int:
    """Different elements that an access reaches in one start."""
    loops = {loop for work in pipe.works for loop in work.unrolled if any(loop in d.strides for d in access.dims)}
    return prod(int(pipe.trips[loop]) for loop in loops)


def _selection(table: OperatorTable, pipe: Pipe, access: Access, bits: int) -> int:
    """LUT to pick the bank of each element read: one multiplexer for each dimension in turn, the last one first."""
    rest, lut = 1, 0
    for ways in _ways(pipe, access):
        # over two inputs it is a select of the word
        lut += rest * (bits if ways == 2 else table.mux(ways).lut)
        rest *= ways
    return _copies(pipe, access) * lut


def _written_banks(pipe: Pipe, access: Access) -> int:
    """Banks that an access writes to, at one time or another."""
    banks = prod(int(min(dim.factor, dim.extent)) for dim in access.dims)
    return min(banks, _copies(pipe, access) * prod(_ways(pipe, access)))


def _address_bits(pipe: Pipe, work: Work) -> int:
    """Registers for the addresses of results that come later than they are asked for."""
    words = int(words_per_bank(EXACT, work.write.dims))
    return 0 if words == 1 else _written_banks(pipe, work.write) * (words - 1).bit_length()


def _waiting(setting: Setting, study: PipeStudy, work: Work, read: int) -> float:
    """Values of a statement that wait: addresses of results, operands of an addition that come before the sum."""
    pipe, area = study.pipe, setting.rules.area
    if is_reduction(pipe, work) and not study.body.flattened:
        return 0
    addresses = 0 if in_registers(EXACT, work.write.dims) else _written_banks(pipe, work.write)
    elements = _elements(pipe, work)
    terms = len(others(work)) * int(reduction_copies(pipe, work))
    if is_called(setting, work):
        return addresses + area.waiting_per_function * int(unrolled_copies(pipe, work))
    if is_tree(pipe, work):
        return addresses + min(_left_over(terms) * elements, read) + (0 if work.from_literal else elements)
    alone = 0 if work.held else max(read - elements, 0)
    return addresses + min((terms - 1) * elements, 2 * read) + area.waiting_per_word_read * alone


def _left_over(terms: int) -> int:
    """Values without a partner on the levels of a tree of additions."""
    found = 0
    while terms > 1:
        found += terms % 2
        terms = (terms + 1) // 2
    return found


def _operands(setting: Setting, counts: Sequence[Operations], functions: int, interval: int) -> float:
    """Each operand of a core that works II times per start is picked among so many."""
    if interval == 1:
        return 0
    cores = functions + sum(int(n) for found in counts for n in instances(setting, found, interval).values())
    return setting.rules.area.operand_inputs * cores * setting.operators.mux(interval + 1).lut
