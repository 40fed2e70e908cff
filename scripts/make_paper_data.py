"""Condenses the published solutions (an entry per design) into tests/data/paper_objectives.json.

    python scripts/make_paper_data.py DESIGNS.json tests/data/paper_objectives.json

Keeps facts only: loops, statements, chosen tiles and the objective that the paper's solver reported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SOURCE = "public result files of the Sisyphus paper: statements, solutions and objectives of its solver"


def main(source: Path, target: Path) -> None:
    designs = [_compact(d) for d in json.loads(source.read_text()) if _has_objective(d)]
    text = ",\n".join(json.dumps(d) for d in designs)
    target.write_text(f'{{"source": {json.dumps(SOURCE)}, "designs": [\n{text}\n]}}\n')


def _has_objective(design: dict[str, Any]) -> bool:
    return design["dtype"] == "float" and bool((design.get("nlp") or {}).get("objective"))


def _compact(design: dict[str, Any]) -> dict[str, Any]:
    variables = design["nlp"]["variables"]
    return {
        "id": design["id"],
        "tree_reduction": design["tree_reduction"],
        "objective": design["nlp"]["objective"],
        "extents": design["problem_arrays"],
        "statements": [_statement(s) for s in design["statements"]],
        "tiled": {a["array"]: a["cached"] != "total" for a in design["arrays"]},
        "widths": {k[len("burst_size_") :]: v for k, v in variables.items() if k.startswith("burst_size_")},
        "places": {
            a["array"]: [t["where"]["under_loop"] for t in a["transfers"] if isinstance(t["where"], dict)][:1]
            for a in design["arrays"]
        },
    }


def _statement(statement: dict[str, Any]) -> dict[str, Any]:
    return {
        "loops": [[x["name"], x["lower"], x["relation"], x["upper"]] for x in statement["original"]["loops"]],
        "write": statement["original"]["write"],
        "expression": statement["original"]["expression"],
        "tiles": statement["tc_levels"],
        "order": statement["level0_order"],
        "pipeline": statement["pipelined_loop"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
