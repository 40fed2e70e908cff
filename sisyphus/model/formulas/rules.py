"""Constants of the scheduling rules per version of the synthesis tool; knows no operator, memory or design.

Every figure is from docs/model.md (public synthesis reports of Vitis HLS 2023.2 at 250 MHz, and of 2021.1 for the
double-precision designs) unless its comment says otherwise. What hardware costs is not here but in `target`.
"""

from __future__ import annotations

from enum import Enum

from sisyphus.values import dataclass, field


class GuardForm(Enum):
    """How a guarded statement inside a pipelined loop reaches the tool.

    INLINE: as a select in place (60 of 60 loops meet their target). CALLED: the guarded statement is
    a function of its own, a serial chain that shares nothing (the form of the measured designs).
    """

    INLINE = "inline"
    CALLED = "called"


@dataclass(frozen=True)
class Cycles:
    """Clock cycles of what is not an operator."""

    read: int = 2  # address, then the memory's output register
    write: int = 1
    address_multiply: int = 3  # more for an address of two terms with a product
    remainder_extra: int = 4  # a remainder of an n-bit index takes n + 4
    guard: int = 1  # entering a guarded function
    single_bank: int = 1  # a sum in the memory of an array that is read beside it and has one bank (4 of 4 loops)
    call: int = 2  # a function, or a loop that became one
    step: int = 2  # from one part of a body, or one step of the kernel, to the next
    load: int = 72  # request until first data, latency 64 of the adapter included
    store: int = 70
    tile_index: int = 1  # a transfer that is told which tile; once more if its address needs a product
    strided_burst: int = 3  # each further burst of a tile that is not contiguous (docs/model.md)
    register_transfer: int = 2  # iteration latency of a transfer loop into registers,
    memory_transfer: int = 3  # or into memories
    unflattened: int = 4  # each iteration of a loop around a pipelined one that could not be flattened
    skipped: int = 1  # a guarded part of a tile loop: skipped, or run (more than the part)
    replicated: int = 1  # a part that several copies run side by side (docs/model.md)
    region: int = 3  # a dataflow region: longest process + 1, and its call + 4 instead of + 2 (docs/model.md)
    outer_iteration: int = 1  # each iteration of an outer sequential loop (unmeasured)
    reduction_tail: int = 4  # iteration latency of a pipelined reduction, more
    asked_reduction_tail: int = 1  # the same where an interval is asked for: 12 cycles with one product (8 of 8 loops)
    odd_reduction_tail: int = 2  # the same with a tree over a number of terms that is no power of two


@dataclass(frozen=True)
class Area:
    """Registers and logic that no table holds, as register and multiplexer tables of the reports show them.

    They are what every module of a kind has, or (*mean*) an average over the modules of all designs. The two marked
    *fitted* are by relative least squares on the designs of eight kernels (2mm, 3mm, atax, bicg, gemm, gesummv, symm,
    trmm); those of the other kernels were kept for checking. Nothing is fitted to one design.
    """

    ff_per_kernel: int = 250
    lut_per_kernel: int = 150
    ff_per_body: int = 20  # control of a pipelined loop
    lut_per_body: int = 150
    ff_per_transfer: int = 190  # control of a burst and its loop
    lut_per_transfer: int = 700
    ff_per_register_element: float = 9.5  # more than the register itself; mean
    ff_per_function: int = 115  # a guarded function: control and its operands,
    ff_per_function_core: int = 155  # and each core in it
    lut_per_function: int = 96
    lut_per_function_core: int = 32
    ff_per_late_bank: int = 100  # a store that reads all banks before it knows which one it wants
    lut_per_late_bank: int = 32
    ff_per_guarded_bit: int = 2  # a select in place: the scaling loops of syr2k with 30 to 120 guarded copies,
    lut_per_guarded_bit: int = 3  # less those of gemm and syrk without: 65 FF and 98 LUT for 32 bits
    lut_per_accumulator: float = 24.0  # an element kept in a register over a loop; mean
    operand_inputs: float = 2.15  # of a core that works several times per start; mean
    waiting_per_function: float = 1.5  # values that wait for each guarded function; fitted
    waiting_per_word_read: float = 1.25  # and for each other word read by a serial chain; fitted


@dataclass(frozen=True)
class Rtl:
    """What RTL takes beyond the report, in hardware emulation of a U55C at 300 MHz (docs/model.md).

    `memories`: kinds of banks that it was measured with.
    """

    start: int = 985
    store_beats: tuple[int, int] = (18, 100)  # cycles per beat of a store, as a fraction
    direct_beat: int = 1  # each beat of more than 256 bits that a loop outside of a dataflow region loads
    memories: tuple[str, ...] = ("HBM",)


@dataclass(frozen=True)
class Rules:
    """One version of the tool.

    `flatten_accumulators`: a pipelined reduction with at most so many accumulators is flattened with the loops around
    it (120 was, 600 was not). `register_words`: arrays of no more words per bank wait as registers do.
    `ram_words_beyond_lut`: banks of more words make a two-term remainder address one cycle longer. `bank_moves_break`:
    a loop that moves the output to another bank counts as staying at its address.
    """

    version: str
    cycles: Cycles = field(default_factory=Cycles)
    area: Area = field(default_factory=Area)
    rtl: Rtl = field(default_factory=Rtl)
    ports_per_bank: int = 2
    flatten_accumulators: int = 256
    register_words: int = 4
    ram_words_beyond_lut: int = 128
    bank_moves_break: bool = False
    partial_tree_recurrence: bool = False


#: The float designs; mean error of their latency 0.03 %.
VITIS_2023_2 = Rules("2023.2")

#: The double-precision designs are less regular: mean error 14 %. Pipelined reductions are never flattened there, and
#: a recurrence through registers runs over the tree of the unrolled terms only.
VITIS_2021_1 = Rules(
    "2021.1",
    cycles=Cycles(unflattened=14),
    flatten_accumulators=0,
    bank_moves_break=True,
    partial_tree_recurrence=True,
)
