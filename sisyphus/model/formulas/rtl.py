"""Cycles in RTL as a reading of the report's terms: what a transfer takes longer than the report says; knows no plan.

Of 26 static designs RTL and report agree, but for the memory (docs/model.md): a kernel starts and ends
later, a store takes part of a cycle more for each beat, and wide beats that a loop loads straight into a buffer take
one cycle more each, where nothing longer hides them. Measured in hardware emulation of a U55C (HBM, 300 MHz).
"""

from __future__ import annotations

from sisyphus.algebra import Value
from sisyphus.model.facts.task_facts import Move
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.rules import VITIS_2023_2, Rules
from sisyphus.model.formulas.terms import Term
from sisyphus.space import DIRECT_BITS, Objective
from sisyphus.target import Device


def late(setting: Setting, move: Move) -> Value:
    """Cycles that one run of a transfer takes in RTL beyond those of the report.

    Of arrays that the kernel also stores, the one exposed wide load that was seen (syrk, 3,600 beats) was not late.
    """
    alg, rtl = setting.alg, setting.rules.rtl
    if not move.is_load:
        share, of = rtl.store_beats
        return alg.ceil_div(move.beats * share, of)
    wide = alg.exceeds(move.width * move.bits, DIRECT_BITS)
    direct = alg.both(wide, alg.negation(move.stream), move.read_only)
    return alg.select(direct, move.beats * rtl.direct_beat, 0)


def in_rtl(rules: Rules, cycles: Term) -> Value:
    """Cycles of a kernel in RTL, from the term of its cycles in the report."""
    return cycles.value + cycles.rtl + rules.rtl.start


def natural_objective(device: Device, rules: Rules = VITIS_2023_2) -> Objective:
    """Whose cycles count where nobody says: those in RTL on boards with memory that it was measured for."""
    return "rtl" if device.bank_kind in rules.rtl.memories else "report"


def counted(term: Term, *, rtl: bool) -> Value:
    """Cycles by one of the two clocks, without what the whole kernel takes once."""
    return term.value + term.rtl if rtl else term.value
