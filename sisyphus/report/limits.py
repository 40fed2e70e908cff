"""How far a design is from what no design can beat, and from the processor of this machine, as text and data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sisyphus.model import Estimate, Term
from sisyphus.model.limit import Limit
from sisyphus.report.facts import Facts

#: A design that takes so many times its limit is told what holds it back.
FAR = 4.0


def limit_lines(facts: Facts) -> list[str]:
    """The limit with the ratio to it, what holds a bad design back, and the time of the source where it is known."""
    lines, cycles = list[str](), facts.estimate.cycles
    if facts.limit is not None:
        ratio = ratio_to(facts.limit, facts.estimate)
        least = "1 cycle" if facts.limit.cycles == 1 else f"{facts.limit.cycles:,} cycles"
        is_faster = _is_faster_than_banks(facts.limit, facts.estimate)
        where = " in RTL, as the synthesis report knows no banks" if is_faster else ""
        lines.append(f"limit: {least}, by {facts.limit.held_by}; this design takes {ratio:.2f}x{where}")
        if ratio > FAR:
            lines.append(f"far from the limit, held back by {held_back_by(facts.estimate)}")
    if facts.cpu is not None:
        seconds = cycles / facts.target.clock_mhz / 1e6
        faster = facts.cpu.seconds / seconds
        how = f"{faster:.2f}x as fast" if faster >= 1 else f"{1 / faster:.1f} times SLOWER"
        lines.append(
            f"one core of this machine: {1e6 * facts.cpu.seconds:,.1f} us ({facts.cpu.compiler}); the design is {how}"
        )
    return lines


def ratio_to(limit: Limit, cost: Estimate) -> float:
    """How many times its limit a design takes: by the report, unless all banks together are slower than that says."""
    return (cost.rtl[1] if _is_faster_than_banks(limit, cost) else cost.cycles) / limit.cycles


def _is_faster_than_banks(limit: Limit, cost: Estimate) -> bool:
    return cost.cycles < limit.memory


def limit_data(facts: Facts) -> dict[str, Any] | None:
    """The limit for machines: cycles by operators, bytes and the longest chain found."""
    limit = facts.limit
    if limit is None:
        return None
    parts = {"compute": limit.compute, "memory": limit.memory, "chain": limit.chain}
    ratio = ratio_to(limit, facts.estimate)
    basis = {"operations": limit.operations, "bytes_per_cycle": limit.beat}
    return {"cycles": limit.cycles, **parts, "held_by": limit.held_by, "ratio": ratio, **basis}


def held_back_by(estimate: Estimate) -> str:
    """The task or transfer that takes most of the cycles, with the initiation interval where that is not 1."""
    largest = max(_parts(estimate.terms["cycles"]), key=lambda term: float(term.value))
    share = 100 * float(largest.value) / max(estimate.cycles, 1)
    intervals = [ii for ii in estimate.intervals.get(largest.name, ()) if ii > 1]
    waits = f", whose pipeline starts every {max(intervals)} cycles" if intervals else ""
    return f"`{largest.name}` ({share:.0f} % of the cycles{waits})"


def _parts(term: Term) -> Iterator[Term]:
    """Tasks and transfers, which stand below steps and outer loops."""
    if term.rule in ("task", "transfer") or not term.children:
        yield term
    else:
        for child in term.children:
            yield from _parts(child)
