"""Prints cycles in RTL against what the model makes of those of the synthesis report; needs the source tree.

First the designs of our own template, whose plans are known, then those of other tools, of which only the transfers
are: there the last column stays unexplained.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from rtl_designs import OURS, Seen, of_another_tool, ours, seen

FIGURES = ("report", "RTL", "predicted")


def rows(designs: Iterable[tuple[Seen, int]]) -> list[float]:
    """Prints a line for each design; their relative errors."""
    errors = []
    for design, predicted in designs:
        error = predicted / design.rtl - 1
        errors.append(abs(error))
        print(
            f"{design.tool:11s} {design.kernel:9s} {design.report:12,} {design.rtl:12,} {predicted:12,} "
            f"{100 * error:8.2f} {design.rtl - predicted:12,}"
        )
    return errors


def main() -> None:
    print(f"{'tool':11s} {'kernel':9s} " + " ".join(f"{name:>12s}" for name in FIGURES) + "  error %  unexplained")
    errors = rows(ours())
    print(f"{len(errors)} designs of our template: mean {100 * sum(errors) / len(errors):.2f} %, ", end="")
    print(f"worst {100 * max(errors):.2f} %\n")
    rows((design, of_another_tool(design)) for design in seen() if design.tool != OURS)
    print("\nscalehls: the longest wide load that is not stored again counts twice; what its steps hide is not known.")
    print("allo, prometheus: loads in dataflow regions; the report's own total of a region with FIFOs may be far off.")


if __name__ == "__main__":
    main()
