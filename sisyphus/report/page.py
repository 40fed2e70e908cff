"""report.html of a design, from what design.json and run.json say of it; needs neither the kernel nor a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sisyphus.report.pictures import budgets_svg, front_svg, progress_svg, roofline_svg, timeline_svg

#: Budgets by the names that people know.
NAMES = {
    "dsp": "DSP",
    "bram18k": "BRAM18",
    "uram": "URAM",
    "lut": "LUT",
    "ff": "FF",
    "onchip_bytes": "bytes on chip",
}


Data = Mapping[str, Any]


def page(design: Data, run: Data | None, front: Data | None = None) -> str:
    """The page; `run` is None where nobody knows how the design was found and verified, `front` where there is none."""
    return _rendered("report.html.j2", design, run, front)


def fragment(design: Data, run: Data | None, front: Data | None = None) -> str:
    """The same without the frame of a page, to be put into one."""
    return _rendered("design.html.j2", design, run, front)


def front_picture(design: Data, front: Data, *, transparent: bool = False) -> str:
    """The front of pareto.json as a picture, with the budgets and the limit of its design.json."""
    limit, title = (design.get("limit") or {}).get("cycles"), f"{design['kernel']}: latency and area"
    return front_svg(front["front"], design["target"]["budget"], title, limit, transparent=transparent)


def _rendered(template: str, design: Data, run: Data | None, front: Data | None) -> str:
    """A template with a design in it; `KeyError` where its data lack something."""
    estimate, budget, limit = design["estimate"], design["target"]["budget"], design.get("limit") or {}
    used = {told: float(estimate[name]) for name, told in NAMES.items()}
    trace = (run or {}).get("trace") or ()
    values = dict[str, Any](
        design=design,
        run=run,
        estimate=estimate,
        figures=[(told, estimate[name], budget[name], _largest_slr(design, name)) for name, told in NAMES.items()],
        nests=[loops_of(nest) for nest in design["design"]["nests"]],
        timeline=timeline_svg(design["calls"]) if design.get("calls") else None,
        budgets=budgets_svg(used, {told: float(budget[name] or 0) for name, told in NAMES.items()}),
        microseconds=estimate["cycles"] / design["target"]["clock_mhz"],
        roofline=roofline_svg(limit, estimate["bytes_moved"], estimate["cycles"]) if limit.get("operations") else None,
        progress=progress_svg(trace) if len(trace) > 1 else None,
        trace=trace,
        front=front,
        pareto=None if front is None else front_picture(design, front, transparent=True),
    )
    return filled(template, values)


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A template with these values; `KeyError` where they lack something. Only pages need the library."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError

    loader = PackageLoader("sisyphus.report")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    try:
        return environment.get_template(template).render(values)
    except UndefinedError as lacking:
        raise KeyError(str(lacking)) from lacking


def _largest_slr(design: Data, name: str) -> int | None:
    """The most that one SLR has of a resource; None where there is but one SLR, or none is known."""
    slrs = design["target"].get("slrs") or ()
    return max(slr[name] for slr in slrs) if len(slrs) > 1 else None


def loops_of(nest: Mapping[str, Any]) -> dict[str, Any]:
    """A nest as lines of loops, from the outermost tile loop to the statements."""
    tiles = {str(loop): tuple(tile) for loop, tile in _pairs(nest["tiles"])}
    lines = [f"for {loop}0 in 0 .. {tiles[loop][0] - 1}" for loop in nest["order"] if tiles[loop][0] > 1]
    piped = nest.get("pipeline")
    for loop, tile in tiles.items():
        if tile[1] > 1 or loop == piped:
            how = "   pipelined" if loop == piped else ""
            lines.append(f"for {loop}1 in 0 .. {tile[1] - 1}{how}")
    unrolled = [f"{loop}2 in 0 .. {tile[2] - 1}" for loop, tile in tiles.items() if tile[2] > 1]
    if unrolled:
        lines.append(f"all of {', '.join(unrolled)} at once")
    lines.append(", ".join(nest["statements"]))
    return {"name": "+".join(nest["statements"]), "lines": ["  " * at + line for at, line in enumerate(lines)]}


def _pairs(tiles: Any) -> list[tuple[str, Any]]:
    return list(tiles.items()) if isinstance(tiles, Mapping) else [(pair[0], pair[1]) for pair in tiles]
