"""Prints the cost model's figures against those of measured designs, and the mean errors; needs the source tree.

python scripts/check_model.py            every design
python scripts/check_model.py gemm       those whose name contains the word, with their terms of the cycles
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle_import import FITTED_ON, estimate_of, measured_designs

from sisyphus.model import Estimate, Term

FIGURES = {"cycles": "cycles", "dsp": "DSP", "bram18k": "BRAM", "uram": "URAM", "ff": "FF", "lut": "LUT"}


def errors(found: Estimate, measured: Mapping[str, Any]) -> dict[str, float]:
    """Relative error per figure; 1 where nothing was measured but something predicted."""
    wanted = {"cycles": measured["total_latency"], **measured["resources"]}
    result = {}
    for name, label in FIGURES.items():
        truth, value = wanted[label], getattr(found, name)
        result[name] = value / truth - 1 if truth else float(value != 0)
    return result


def tree(term: Term, depth: int = 0) -> Iterator[str]:
    """A term and what adds up to it, one a line."""
    doubt = f"  ({term.construct})" if term.construct else ""
    yield f"{'  ' * depth}{term.value:>12,}  {term.name}{doubt}"
    for child in term.children:
        yield from tree(child, depth + 1)


def summary(rows: list[tuple[bool, dict[str, float]]]) -> Iterator[str]:
    """Mean and worst error of each figure; the fitted ones also apart by whether a design was used for it."""
    for name in FIGURES:
        every = [abs(row[name]) for _, row in rows]
        text = f"  {name:8s} mean {100 * sum(every) / len(every):7.3f} %   worst {100 * max(every):7.2f} %"
        text += f"   exact {sum(e == 0 for e in every):3d} of {len(every)}"
        if name in ("ff", "lut") and len({fitted for fitted, _ in rows}) == 2:
            held = [abs(row[name]) for fitted, row in rows if not fitted]
            text += f"   held out {100 * sum(held) / len(held):5.2f} %"
        yield text


def main(word: str = "") -> None:
    groups = defaultdict(list)
    print(f"{'design':48s} {'cycles':>12s} {'measured':>12s}  error in % of " + ", ".join(FIGURES))
    for entry in measured_designs():
        if word not in entry["id"]:
            continue
        found, measured = estimate_of(entry), entry["measured"]
        row = errors(found, measured)
        groups[entry["dtype"], entry["vitis"]].append((entry["kernel"] in FITTED_ON, row))
        figures = " ".join(f"{100 * error:7.2f}" for error in row.values())
        print(f"{entry['id']:48s} {found.cycles:>12,} {measured['total_latency']:>12,}  {figures}")
        if word:
            print("\n".join(tree(found.terms["cycles"], 1)))
    for (dtype, version), rows in groups.items():
        print(f"{len(rows)} designs, {dtype}, {version}")
        print("\n".join(summary(rows)))


if __name__ == "__main__":
    main(*sys.argv[1:2])
