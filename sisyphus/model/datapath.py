"""Registers and multiplexers of a pipelined body beside its cores; knows no memory and no transfer.

The figures are those of the register and multiplexer tables of synthesis reports: every result of a core and every
word read from memory has a register; a value that waits more than a few cycles goes through a shift register, which
the tables count as two words of FF and one of LUT; a bank that is picked while running takes a multiplexer.
"""

from __future__ import annotations

from math import ceil, prod

from sisyphus.ir import walk
from sisyphus.model.addresses import bank_ways, in_registers, is_complete, moving, words_per_bank
from sisyphus.model.algebra import EXACT
from sisyphus.model.cores import core_of
from sisyphus.model.facts import Access, Pipe, Work
from sisyphus.model.operators import instances, is_called, operations, unrolled_copies
from sisyphus.model.ports import elements_read
from sisyphus.model.schedule import Setting, is_reduction, is_tree, others, reduction_copies
from sisyphus.model.study import PipeStudy
from sisyphus.model.terms import Term


def datapath_ff(setting: Setting, study: PipeStudy) -> tuple[Term, ...]:
    """Flip-flops of a body: results and words read, values that wait, guarded functions."""
    pipe, area, bits = study.pipe, setting.rules.area, word_bits(study.pipe)
    busy = _busy(setting, pipe)
    called = [work for work in busy if is_called(setting, work)]
    results = sum(_results(setting, pipe, work) for work in busy if work not in called)
    words = results + _words_read(pipe) + _accumulators(study)
    inside = sum(
        _instances(pipe, work, study) * (area.ff_per_function + area.ff_per_function_core * _core_count(setting, work))
        for work in called
    )
    return (
        Term("results and words read", words * bits, rule="one register each"),
        Term("addresses of writes", sum(_address_bits(pipe, work) for work in busy), rule="one register each"),
        Term("values that wait", 2 * bits * _waiting(setting, study), rule="shift registers", measured=False),
        Term("guarded functions", inside, rule="registers of a function"),
        Term("control", area.ff_per_body, rule="loop control"),
    )


def datapath_lut(setting: Setting, study: PipeStudy) -> tuple[Term, ...]:
    """Look-up tables of a body: shift registers, bank selection, operands of shared cores, guarded functions."""
    pipe, area, bits = study.pipe, setting.rules.area, word_bits(study.pipe)
    called = [work for work in _busy(setting, pipe) if is_called(setting, work)]
    inside = sum(
        _instances(pipe, work, study)
        * (area.lut_per_function + area.lut_per_function_core * _core_count(setting, work))
        for work in called
    )
    selection = sum(_selection(setting, pipe, access) for access in _reads(pipe))
    return (
        Term("values that wait", bits * _waiting(setting, study), rule="shift registers", measured=False),
        Term("bank selection", selection, rule="multiplexers over banks"),
        Term("operands of shared cores", _operands(setting, study), rule="multiplexers over II"),
        Term("accumulators", area.lut_per_accumulator * _accumulators(study), rule="registers kept over the loop"),
        Term("guarded functions", inside, rule="logic of a function"),
        Term("control", area.lut_per_body, rule="loop control"),
    )


def word_bits(pipe: Pipe) -> int:
    """Bits of the widest value of a body."""
    return max((work.expr.type.bits for work in pipe.works), default=32)


def _busy(setting: Setting, pipe: Pipe) -> list[Work]:
    """Statements that compute something with cores that take cycles."""
    return [work for work in pipe.works if _core_count(setting, work)]


def _core_count(setting: Setting, work: Work) -> int:
    """Cores of one copy of a statement that take cycles."""
    found = (core_of(setting.operators, part) for part in walk(work.expr))
    return sum(core is not None and core.cost.latency > 0 for core in found)


def _results(setting: Setting, pipe: Pipe, work: Work) -> int:
    """Results of cores in one start."""
    slow = {
        core.kind
        for part in walk(work.expr)
        if (core := core_of(setting.operators, part)) is not None and core.cost.latency > 0
    }
    return sum(int(n) for kind, n in operations(setting, pipe, work).items() if kind in slow)


def _words_read(pipe: Pipe) -> int:
    """Words that one start reads from memories."""
    memories = {access.buffer for access in _reads(pipe) if not in_registers(EXACT, access.dims)}
    return sum(count for buffer, count in elements_read(pipe).items() if buffer in memories)


def _reads(pipe: Pipe) -> list[Access]:
    """Different accesses that read."""
    found = {}
    for work in pipe.works:
        for ref, access in work.reads.items():
            if not (work.from_literal and ref == work.target):
                found[access.buffer, access.element] = access
    return list(found.values())


def _accumulators(study: PipeStudy) -> int:
    """Elements that a pipelined reduction keeps in registers when it is not flattened."""
    if study.body.flattened:
        return 0
    return sum(_elements(study.pipe, work) for work in study.pipe.works if is_reduction(study.pipe, work))


def _elements(pipe: Pipe, work: Work) -> int:
    """Different elements that one start writes."""
    return int(unrolled_copies(pipe, work)) // max(int(reduction_copies(pipe, work)), 1)


def _instances(pipe: Pipe, work: Work, study: PipeStudy) -> int:
    return ceil(int(unrolled_copies(pipe, work)) / int(study.interval.value))


def _dynamic(pipe: Pipe) -> tuple[str, ...]:
    return pipe.outer if pipe.loop is None else (*pipe.outer, pipe.loop)


def _ways(pipe: Pipe, access: Access) -> list[int]:
    """Per dimension, the banks among which one copy of an access moves while running."""
    found = []
    for dim in access.dims:
        changes, step = moving(EXACT, dim, _dynamic(pipe), pipe.trips)
        complete = is_complete(EXACT, dim)
        ways = ceil(dim.extent / max(step, 1)) if complete else bank_ways(EXACT, dim, step)
        found.append(int(ways) if changes else 1)
    return found


def _copies(pipe: Pipe, access: Access) -> int:
    """Different elements that an access reaches in one start."""
    loops = {loop for work in pipe.works for loop in work.unrolled if any(loop in d.strides for d in access.dims)}
    return prod(int(pipe.trips[loop]) for loop in loops)


def _selection(setting: Setting, pipe: Pipe, access: Access) -> int:
    """LUT to pick the bank of each element read: one multiplexer for each dimension in turn, the last one first."""
    rest, lut = 1, 0
    for ways in _ways(pipe, access):
        lut += rest * _pick(setting, pipe, ways)
        rest *= ways
    return _copies(pipe, access) * lut


def _pick(setting: Setting, pipe: Pipe, ways: int) -> int:
    """One multiplexer; over two inputs it is a select of the word."""
    if ways == 1:
        return 0
    if ways == 2:
        return word_bits(pipe)
    return setting.operators.mux(ways).lut


def _written_banks(pipe: Pipe, access: Access) -> int:
    """Banks that an access writes to, at one time or another."""
    banks = prod(int(min(dim.factor, dim.extent)) for dim in access.dims)
    return min(banks, _copies(pipe, access) * prod(_ways(pipe, access)))


def _address_bits(pipe: Pipe, work: Work) -> int:
    """Registers for the addresses of results that come later than they are asked for."""
    words = int(words_per_bank(EXACT, work.write.dims))
    return 0 if words == 1 else _written_banks(pipe, work.write) * (words - 1).bit_length()


def _waiting(setting: Setting, study: PipeStudy) -> int:
    """Values that wait: addresses of results, operands of an addition that come before the sum."""
    pipe, area = study.pipe, setting.rules.area
    total = 0.0
    for work in _busy(setting, pipe):
        kept = is_reduction(pipe, work) and not study.body.flattened
        if not kept and not in_registers(EXACT, work.write.dims):
            total += _written_banks(pipe, work.write)
        if kept:
            continue
        elements, read = _elements(pipe, work), _words_read(pipe)
        terms = len(others(work)) * int(reduction_copies(pipe, work))
        if is_called(setting, work):
            total += area.waiting_per_function * int(unrolled_copies(pipe, work))
        elif is_tree(pipe, work):
            total += min(_left_over(terms) * elements, read) + (0 if work.from_literal else elements)
        else:
            alone = 0 if work.held else read - elements
            total += min((terms - 1) * elements, 2 * read) + area.waiting_per_word_read * max(alone, 0)
    return round(total)


def _left_over(terms: int) -> int:
    """Values without a partner on the levels of a tree of additions."""
    found = 0
    while terms > 1:
        found += terms % 2
        terms = (terms + 1) // 2
    return found


def _operands(setting: Setting, study: PipeStudy) -> float:
    """Both operands of a core that works II times per start are picked among so many."""
    interval = int(study.interval.value)
    if interval == 1:
        return 0
    cores = 0
    for work in _busy(setting, study.pipe):
        if is_called(setting, work):
            cores += _instances(study.pipe, work, study)
            continue
        cores += sum(int(n) for n in instances(setting, operations(setting, study.pipe, work), interval).values())
    return setting.rules.area.operand_inputs * cores * setting.operators.mux(interval + 1).lut
