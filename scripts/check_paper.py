"""The paper's objective at the paper's own solutions: ours beside the published one, for every float design."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from paper_designs import entries, published

from sisyphus.model import paper


def main() -> None:
    good = 0
    print(f"{'design':58s} {'published':>14s} {'here':>16s} {'error %':>8s}")
    for entry in entries():
        try:
            design = published(entry)
            found = paper.evaluate(design.space, design.point).objective
        except Exception as reason:  # noqa: BLE001 - a design that is not in our space is part of the table
            print(f"{entry['id']:58s} {entry['objective']:14,.1f} {type(reason).__name__}: {str(reason)[:60]}")
            continue
        error = 100 * (found / design.objective - 1)
        good += abs(error) <= 0.1
        print(f"{design.id:58s} {design.objective:14,.1f} {found:16,.1f} {error:8.3f}")
    print(f"{good} of {len(entries())} within 0.1 %")


if __name__ == "__main__":
    main()
