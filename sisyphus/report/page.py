"""report.html of a design, from what design.json and run.json say of it; needs neither the kernel nor a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from sisyphus.report.ending import ending_told
from sisyphus.report.pictures import budgets_svg, front_svg, progress_svg, roofline_svg, timeline_svg
from sisyphus.solve import Stop

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
    trace, slrs = (run or {}).get("trace") or (), design["target"].get("slrs") or ()
    values = dict[str, Any](
        design=design,
        run=run,
        estimate=estimate,
        figures=[(told, estimate[name], budget[name], [slr[name] for slr in slrs]) for name, told in NAMES.items()],
        banks=max((prod(buffer["partition"]) for buffer in design["design"]["buffers"]), default=0),
        slrs=range(len(slrs)) if len(slrs) > 1 else (),
        beyond=_beyond_each_slr(estimate, slrs),
        names=NAMES,
        nests=[nest_shown(nest, design) for nest in design["design"]["nests"]],
        buffers=_buffers(design),
        timeline=timeline_svg(_named_calls(design)) if design.get("calls") else None,
        calls=_named_calls(design),
        budgets=budgets_svg(used, {told: float(budget[name] or 0) for name, told in NAMES.items()}),
        microseconds=estimate["cycles"] / design["target"]["clock_mhz"],
        roofline=roofline_svg(limit, estimate["bytes_moved"], estimate["cycles"]) if limit.get("operations") else None,
        ended=_ended(design, run),
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
    environment.globals["amount"] = lambda value: f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"
    try:
        return environment.get_template(template).render(values)
    except UndefinedError as lacking:
        raise KeyError(str(lacking)) from lacking


def _beyond_each_slr(estimate: Data, slrs: Sequence[Data]) -> list[str]:
    """Resources of which a design takes more than any one SLR has."""
    if len(slrs) < 2:
        return []
    return [told for name, told in NAMES.items() if estimate[name] > max(slr[name] for slr in slrs)]


def _ended(design: Data, run: Data | None) -> str:
    """How the search ended, in words; empty where nothing was searched."""
    solver = (run or {}).get("solver")
    if not solver:
        return ""
    return ending_told(Stop(solver["stop"]), solver["gap"], is_effort="effort" in design.get("search", {}))


def _named_calls(design: Data) -> list[dict[str, Any]]:
    """The calls over time, tasks with the nests that they are, where that is known."""
    nests = {task["name"]: task["nest"] for task in _code(design)["tasks"]}
    calls = design.get("calls") or ()
    return [dict(c) | {"shown": f"{c['name']}: {nests[c['name']]}" if c["name"] in nests else c["name"]} for c in calls]


def _code(design: Data) -> Data:
    """What the emitted code is made of; an older file, and that of a unit, has none."""
    return design.get("code") or {"statements": (), "tasks": (), "buffers": ()}


def _buffers(design: Data) -> list[dict[str, Any]]:
    """Buffers as the design point has them, with the nests that use them and what is known of the arrays."""
    known = {(buffer["array"], buffer["place"]): buffer for buffer in _code(design)["buffers"]}
    return [dict(b) | {"built": known.get((b["array"], b["place"]))} for b in design["design"]["buffers"]]


def nest_shown(nest: Data, design: Data) -> dict[str, Any]:
    """A nest as lines of loops around its statements as they are in C, and what its iterators are made of."""
    statements = {s["id"]: s for s in _code(design)["statements"]}
    task = next((t["name"] for t in _code(design)["tasks"] if t["nest"] == "+".join(nest["statements"])), None)
    intervals = design["estimate"].get("intervals", {}).get(task, ())
    lines, tiles = loops_of(nest, intervals[0] if len(intervals) == 1 else None), dict(_pairs(nest["tiles"]))
    *loops, _ = lines
    depth = "  " * len(loops)
    told = [statements.get(name) for name in nest["statements"]]
    path = str(design.get("source", {}).get("path", "")).rpartition("/")[2]
    for name, statement in zip(nest["statements"], told, strict=True):
        loops.append(f"{depth}{name}" + (f": {statement['text']};   {path}:{statement['line']}" if statement else ""))
    made = [text for loop, tile in tiles.items() if (text := _made_of(loop, tile)) is not None]
    return {"name": "+".join(nest["statements"]), "task": task, "lines": loops, "made": made}


def _made_of(loop: str, tile: Sequence[int]) -> str | None:
    """`i = 36 i0 + 18 i1 + i2`, from where the loop begins; None for a loop in one piece."""
    weights = ((tile[1] * tile[2], 0), (tile[2], 1), (1, 2))
    parts = [f"{'' if w == 1 else f'{w} '}{loop}{n}" for w, n in weights if tile[n] > 1]
    return f"{loop} = {' + '.join(parts)}" if parts else None


def loops_of(nest: Data, interval: int | None = None) -> list[str]:
    """A nest as lines of loops, from the outermost tile loop to the statements; a start every `interval` cycles."""
    tiles = {str(loop): tuple(tile) for loop, tile in _pairs(nest["tiles"])}
    lines = [f"for {loop}0 in 0 .. {tiles[loop][0] - 1}" for loop in nest["order"] if tiles[loop][0] > 1]
    piped = nest.get("pipeline")
    starts = {None: "pipelined", 1: "pipelined: a start every cycle"}
    for loop, tile in tiles.items():
        if tile[1] > 1 or loop == piped:
            how = f"   {starts.get(interval, f'pipelined: a start every {interval} cycles')}" if loop == piped else ""
            lines.append(f"for {loop}1 in 0 .. {tile[1] - 1}{how}")
    unrolled = [f"{loop}2 in 0 .. {tile[2] - 1}" for loop, tile in tiles.items() if tile[2] > 1]
    if unrolled:
        copies = prod(tile[2] for tile in tiles.values())
        lines.append(f"for all {', '.join(unrolled)} at once: {copies} copies")
    lines.append(", ".join(nest["statements"]))
    return ["  " * at + line for at, line in enumerate(lines)]


def _pairs(tiles: Any) -> list[tuple[str, Any]]:
    return list(tiles.items()) if isinstance(tiles, Mapping) else [(pair[0], pair[1]) for pair in tiles]
