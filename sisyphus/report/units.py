"""Designs of several units as data: each unit as a design of its own, and a page of all; needs no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sisyphus.analysis import Dealing
from sisyphus.report.page import NAMES, Data, filled, fragment


def designs_of_units(data: Data) -> tuple[dict[str, Any], ...]:
    """Each unit as a design.json of its own: with its kernel's name, and the budget of its SLR."""
    whole = {name: data[name] for name in ("version", "source", "search") if name in data}
    return tuple(
        {
            **whole,
            "kernel": f"{data['kernel']}_{number}",
            "target": {**data["target"], "budget": unit["budget"], "slrs": []},
            **{name: unit[name] for name in ("design", "estimate", "interface")},
            **{name: unit[name] for name in ("calls", "code") if name in unit},
        }
        for number, unit in enumerate(data["units"])
    )


def slowest_unit(data: Data) -> int:
    """The unit that the cycles of all are those of; the first one of several."""
    cycles = [unit["estimate"]["cycles"] for unit in data["units"]]
    return cycles.index(max(cycles))


def units_page(data: Data, run: Data | None) -> str:
    """report.html of a design of several units; `KeyError` where its data lack something."""
    shown = {name: told for name, told in NAMES.items() if name != "onchip_bytes"}
    rows = []
    for unit in data["units"]:
        low, high = unit["share"]
        figures = [(unit["estimate"][name], _share(unit, name)) for name in shown]
        rows.append(
            {
                "phase": unit["phase"],
                "slr": unit["slr"],
                "banks": ", ".join(map(str, unit["banks"])),
                "places": f"{low} to {high - 1}",
                "cycles": unit["estimate"]["cycles"],
                "figures": figures,
            }
        )
    return filled(
        "units.html.j2",
        {
            "design": data,
            "run": run,
            "delivered": "; then ".join(str(Dealing.of_json(phase["dealing"])) for phase in data["phases"]),
            "names": list(shown.values()),
            "rows": rows,
            "parts": [fragment(unit, None) for unit in designs_of_units(data)],
        },
    )


def _share(unit: Mapping[str, Any], name: str) -> float | None:
    budget = unit["budget"][name]
    return unit["estimate"][name] / budget if budget else None
