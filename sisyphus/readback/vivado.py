"""Utilisation and timing reports of Vivado as values; knows no design."""

from __future__ import annotations

import re
from pathlib import Path

from sisyphus.values import dataclass, field

#: Sites of the utilisation report by the name of the resource; an RAMB36 is two blocks of 18 kbit.
SITES = {
    "dsp": (("DSPs", 1), ("DSP Slices", 1)),
    "lut": (("CLB LUTs", 1), ("Slice LUTs", 1)),
    "ff": (("CLB Registers", 1), ("Slice Registers", 1)),
    "uram": (("URAM", 1),),
    "bram18k": (("Block RAM Tile", 2),),
}


#: Columns of the report of kernels that `v++ --link` writes, and the row of all of them together.
COLUMNS = {"DSP": ("dsp", 1), "LUT": ("lut", 1), "REG": ("ff", 1), "URAM": ("uram", 1), "BRAM": ("bram18k", 2)}
USED = "Used Resources"


@dataclass(frozen=True)
class Implementation:
    """What a routed design takes, and the worst slack that is left to its clock, in ns.

    `has_shell`: the report is one of the whole device, with the shell of a board in it.
    """

    resources: dict[str, int] = field(default_factory=dict)
    slack_ns: float | None = None
    paths: tuple[Path, ...] = ()
    has_shell: bool = False


def read_vivado(utilization: Path | None, timing: Path | None) -> Implementation | None:
    """The figures of the reports that are there; None where there is none."""
    given = tuple(path for path in (utilization, timing) if path is not None)
    if not given:
        return None
    return Implementation(
        {} if utilization is None else _utilization(utilization.read_text(errors="replace")),
        None if timing is None else _slack(timing.read_text(errors="replace")),
        given,
        utilization is not None and "full_util" in utilization.name,
    )


def _utilization(text: str) -> dict[str, int]:
    """Of a table of sites, or of the kernels alone as `v++ --link` has it (`| Used Resources | 69389 [ 7.01%] | …`)."""
    found: dict[str, int] = {}
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        header = cells if cells[0] == "Name" and "REG" in cells else header
        if header and cells[0] == USED:
            amounts = {name: re.match(r"\d+", cell) for name, cell in zip(header, cells, strict=False)}
            told = {name: m for name, m in amounts.items() if m is not None and name in COLUMNS}
            return {COLUMNS[name][0]: int(m[0]) * COLUMNS[name][1] for name, m in told.items()}
        for name, sites in SITES.items():
            for site, worth in sites:
                if name not in found and len(cells) > 1 and cells[0].rstrip("*") == site:
                    amount = re.match(r"[\d.]+", cells[1])
                    if amount is not None:
                        found[name] = round(float(amount[0]) * worth)
    return found


def _slack(text: str) -> float | None:
    """WNS of the design's summary: the first number under the line of headings."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.split()[:1] == ["WNS(ns)"]:
            numbers = [word for below in lines[at + 1 : at + 4] for word in below.split()[:1]]
            return next((float(n) for n in numbers if re.fullmatch(r"-?\d+\.\d+", n)), None)
    return None
