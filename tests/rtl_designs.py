"""Designs of which both clocks are known, with what the model says of RTL; for tests and scripts only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracle_import import estimate_of, measured_designs, plan_of

from sisyphus.model import VITIS_2023_2
from sisyphus.plan import Direction, Plan
from sisyphus.space import DIRECT_BITS

DATA = Path(__file__).parent / "data" / "rtl_cycles.json"
#: The designs of our own template.
OURS = "sisyphus"
#: The tool whose loads are loops outside of any dataflow region.
DIRECT = "scalehls"


@dataclass(frozen=True)
class Seen:
    """Cycles of the synthesis report and of hardware emulation, and beats and bits of each transfer."""

    tool: str
    kernel: str
    report: int
    rtl: int
    reads: tuple[tuple[int, int], ...]
    writes: tuple[tuple[int, int], ...]


def seen() -> list[Seen]:
    found: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["designs"]
    return [
        Seen(
            **{name: d[name] for name in ("tool", "kernel", "report", "rtl")},
            reads=tuple((beats, bits) for beats, bits in d["reads"]),
            writes=tuple((beats, bits) for beats, bits in d["writes"]),
        )
        for d in found
    ]


def ours() -> Iterator[tuple[Seen, int]]:
    """The designs of our template with the cycles in RTL that the model makes of those of the report.

    The plan is that of the design, or of one for another board with the same transfers.
    """
    plans = [(entry, plan_of(entry)) for entry in measured_designs() if entry["dtype"] == "float"]
    for design in (d for d in seen() if d.tool == OURS):
        [*fitting] = (e for e, plan in plans if e["kernel"] == design.kernel and _moves(plan) == _moved(design))
        entry = min(fitting, key=lambda e: not e["id"].startswith("u55c"))
        found = estimate_of(entry)
        yield design, design.report + found.rtl[1] - found.cycles


def _moves(plan: Plan) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    found: dict[Direction, list[tuple[int, int]]] = {d: [] for d in Direction}
    for transfer in plan.transfers:
        buffer = plan.buffer(transfer.buffer)
        beats = 1
        for extent in buffer.extents:
            beats *= int(extent)
        found[transfer.direction].append((beats // int(transfer.width), int(transfer.width) * buffer.type.bits))
    return sorted(found[Direction.LOAD]), sorted(found[Direction.STORE])


def _moved(design: Seen) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    return sorted(design.reads), sorted(design.writes)


def of_another_tool(design: Seen) -> int:
    """What the rules say where only the transfers are known.

    Of loads outside of dataflow regions, the longest one that is wide and not stored again is taken to be exposed.
    """
    rtl = VITIS_2023_2.rtl
    share, of = rtl.store_beats
    most = max((beats for beats, _ in design.writes), default=0)
    exposed = 0
    if design.tool == DIRECT:
        exposed = max(
            (b for b, bits in design.reads if bits > DIRECT_BITS and (b, bits) not in design.writes), default=0
        )
    return design.report + rtl.start + -(-most * share // of) + exposed * rtl.direct_beat
