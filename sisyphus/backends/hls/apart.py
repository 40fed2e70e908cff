"""Banks that a loop around the calls of tasks picks, as a dimension of their own, and the counters that pick them.

A remainder by a number of banks that is no power of two takes many cycles, in each call (docs/model.md). Where nothing
but the iterator of the outermost loop moves a subscript, its bank and its word are counted beside that loop instead:

    ap_uint<5> k_bank = 0;
    ap_uint<4> k_word = 0;
    for (int k = 0; k < 399; ++k) {
        task(buffer, k_bank, k_word);        // reads buffer[k_bank][k_word]
        if (k_bank == 24) {
            k_bank = 0;
            ++k_word;
        }
        else {
            ++k_bank;
        }
    }

The memories are those of a cyclic partition. Every other subscript of such a dimension is divided as the tool would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum

from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.loop_bounds import narrowest
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import Buffer, For, Plan, Run, Task, walk
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine
from sisyphus.values import dataclass, replace


class Digit(Enum):
    """What a subscript is split into."""

    BANK = "bank"
    WORD = "word"


@dataclass(frozen=True)
class Counted:
    """The subscript `sign` x iterator + `offset`, split by a number of banks."""

    iterator: str
    sign: int
    offset: int
    banks: int

    def split(self, value: int) -> dict[Digit, int]:
        """Bank and word where the iterator has a value."""
        word, bank = divmod(self.sign * value + self.offset, self.banks)
        return {Digit.BANK: bank, Digit.WORD: word}

    def name(self, digit: Digit, names: Names) -> str:
        """Bank and word are named at once, so that both have the same number, if any."""
        iterator = names.of("iterator", self.iterator)
        return {each: names.give(each.value, str(self), f"{iterator}_{each.value}") for each in Digit}[digit]

    def type(self, digit: Digit, ranges: Ranges) -> str:
        """No wider than it needs to be for these values of the iterator."""
        if digit is Digit.BANK:
            return narrowest(0, self.banks - 1)
        first, last = sorted(self.split(value)[Digit.WORD] for value in ranges[self.iterator])
        return narrowest(first, last)


def counted_in(plan: Plan, task: Task, buffer: Buffer, at: int, inner: Affine) -> Counted | None:
    """How a subscript inside of a buffer is counted outside of a task, if it can be; banks are those of all stripes."""
    banks = int(buffer.partition[at])
    if 2 * banks > buffer.extents[at] or buffer.array in plan.scop.looked_up:
        return None
    return counted_by(plan, task, inner, banks)


def counted_by(plan: Plan, task: Task, value: Affine, banks: int) -> Counted | None:
    """How a value is divided without a division: by the outermost loop around the calls of a task, if that moves it.

    The task may be a part of one, which is given more iterators than that.
    """
    if not banks & (banks - 1) or len(value.terms) != 1:
        return None
    [(iterator, step)] = value.terms
    is_outermost = plan.task(task.name).iterators[:1] == (iterator,)
    return Counted(iterator, step, value.constant, banks) if is_outermost and abs(step) == 1 else None


def with_banks_apart(plan: Plan) -> Plan:
    """The plan whose buffers have the dimensions apart that are counted somewhere."""
    apart: dict[str, set[int]] = {}
    for task in plan.called:
        for run in (node for node in walk(task.body) if isinstance(node, Run)):
            statement, values = plan.scop.statement(run.statement), dict(run.values)
            for ref in (statement.write, *statement.reads):
                buffer = plan.buffer_for(task, ref.array)
                for at, (index, origin) in enumerate(zip(ref.index, buffer.origin, strict=True)):
                    if counted_in(plan, task, buffer, at, index.substitute(values) - origin) is not None:
                        apart.setdefault(buffer.id, set()).add(at)
    buffers = (replace(b, apart=tuple(sorted(apart.get(b.id, ())))) for b in plan.buffers)
    return replace(plan, buffers=tuple(buffers))


@contextmanager
def counting(w: Writer, loop: For, counters: Sequence[Counted], names: Names, ranges: Ranges) -> Iterator[None]:
    """Around the text of a loop: what is counted beside it, as at its first iteration."""
    if not counters:
        yield
        return
    with w.block(""):  # another loop may count in the same names
        for counted in counters:
            for digit, value in counted.split(loop.lower.value or 0).items():
                w.line(f"{counted.type(digit, ranges)} {counted.name(digit, names)} = {value};")
        yield


def count_on(w: Writer, counters: Sequence[Counted], names: Names) -> None:
    """The end of an iteration: the next bank, and the next word behind the last bank."""
    for counted in counters:
        bank, word = (counted.name(digit, names) for digit in Digit)
        ends, begins = (counted.banks - 1, 0) if counted.sign > 0 else (0, counted.banks - 1)
        step = "++" if counted.sign > 0 else "--"
        with w.block(f"if ({bank} == {ends})"):
            w.line(f"{bank} = {begins};")
            w.line(f"{step}{word};")
        with w.block("else"):
            w.line(f"{step}{bank};")
