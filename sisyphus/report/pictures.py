"""Pictures of a design as SVG text, drawn by matplotlib: calls over time, what is used of budgets, the front."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: What the parts of a picture mean, distinct for readers who see no red and green.
COLOURS = {"load": "#0072b2", "store": "#56b4e9", "task": "#e69f00", "loop": "#cc79a7"}
MEANING = {"load": "load", "store": "store", "task": "nest", "loop": "loop around calls"}
#: Up to this share of a budget, in percent, a figure has room before the line of all.
BEFORE_ALL = 65.0
#: The same file for the same figures.
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "sisy", "font.family": "sans-serif", "font.size": 10}
#: Share of the whole that the label of the last call has room in.
ROOM = 0.12
#: Where the number of a design may stand, in points from its mark: the nearest free place is taken.
AROUND = [(x, y) for ring in (5, 13, 22) for x, y in ((ring, ring), (-ring, ring), (ring, -ring), (-ring, -ring))]


def timeline_svg(calls: Sequence[Mapping[str, Any]]) -> str:
    """A bar for every call of the top function: which run at the same time, and what each step waits for."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    kinds = [kind for kind in COLOURS if any(call["kind"] == kind for call in calls)]
    figure = Figure(figsize=(9, 1 + 0.32 * len(calls)), layout="constrained")
    axes = figure.subplots()
    end = max((call["start"] + call["cycles"] for call in calls), default=1)
    for row, call in enumerate(calls):
        axes.barh(row, call["cycles"], left=call["start"], color=COLOURS[call["kind"]], height=0.7)
        _beside(axes, call["start"] + call["cycles"], row, f"{call['cycles']:,}")
    axes.set_yticks(range(len(calls)), [call.get("shown", call["name"]) for call in calls])
    axes.set_xlim(0, end * (1 + ROOM))
    axes.invert_yaxis()
    axes.set_xlabel("cycles")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    meaning = [Patch(color=COLOURS[kind], label=MEANING[kind]) for kind in kinds]
    figure.legend(handles=meaning, loc="outside upper left", ncols=len(kinds), frameon=False)
    return as_svg(figure)


def _beside(axes: Any, x: float, row: int, text: str) -> None:
    """A figure behind the end of a bar."""
    axes.annotate(text, (x, row), (5, 0), textcoords="offset points", va="center")


def budgets_svg(used: Mapping[str, float], budget: Mapping[str, float]) -> str:
    """What a design takes of every budget, in percent; figures stand where no bar and not the line of all is."""
    from matplotlib.figure import Figure

    names = [name for name in budget if budget[name]]
    shares = [100 * used[name] / budget[name] for name in names]
    figure = Figure(figsize=(9, 0.6 + 0.32 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh(range(len(names)), shares, color=COLOURS["load"], height=0.7)
    for row, (name, share) in enumerate(zip(names, shares, strict=True)):
        place = share if share < BEFORE_ALL else max(share, 100.0)
        _beside(axes, place, row, f"{used[name]:,.0f} of {budget[name]:,.0f}")
    axes.axvline(100, color=COLOURS["task"], linestyle="--")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(0, max([135.0, *(share * 1.35 for share in shares)]))
    axes.invert_yaxis()
    axes.set_xlabel("% of the budget")
    axes.spines[["top", "right"]].set_visible(False)
    return as_svg(figure)


def front_svg(
    designs: Sequence[Mapping[str, Any]],
    budget: Mapping[str, Any],
    title: str,
    limit: int | None,
    *,
    transparent: bool = False,
) -> str:
    """Cycles over DSPs and over BRAM18 blocks, both logarithmic; a design has its number of the table in both.

    A line joins those that no other one beats in both figures of a panel. Each point says its figures where a pointer
    rests on it; budgets, and the cycles that no design beats, are marked.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    figure.suptitle(title.replace("$", r"\$"))
    cycles, told = [design["cycles"] for design in designs], dict[str, str]()
    for axes, (kind, name) in zip(figure.subplots(1, 2), (("dsp", "DSP"), ("bram18k", "BRAM18")), strict=True):
        amounts = [max(design[kind], 1) for design in designs]
        steps = _unbeaten(zip(amounts, cycles, strict=True))
        axes.step(*zip(*steps, strict=True), where="post", color=COLOURS["store"], zorder=1)
        for design, amount in zip(designs, amounts, strict=True):
            mark = f"design-{kind}-{design['number']}"
            axes.plot(amount, design["cycles"], "o", color=COLOURS["load"], gid=mark, zorder=2)
            area = f"{design['dsp']:,} DSP, {design['bram18k']:,} BRAM18, {design['lut']:,} LUT"
            told[mark] = f"design {design['number']}: {design['cycles']:,} cycles, {area}"
        if budget.get(kind):
            axes.axvline(budget[kind], color=COLOURS["task"], linestyle="--", label="budget")
        if limit is not None:
            axes.axhline(limit, color=COLOURS["loop"], linestyle=":", label="limit of any design")
        axes.margins(0.08)
        _logarithmic(axes)
        axes.set_xlabel(name)
        axes.set_ylabel("cycles")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
        axes.grid(visible=True, alpha=0.3)
    figure.draw_without_rendering()  # only now is known where marks and legends are
    for axes, kind in zip(figure.axes, ("dsp", "bram18k"), strict=True):
        _number(axes, [(str(d["number"]), max(d[kind], 1), d["cycles"]) for d in designs])
    return _explained(as_svg(figure, transparent=transparent), told)


def _unbeaten(points: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that no other point equals or beats in both coordinates, from left to right."""
    kept: list[tuple[int, int]] = []
    for amount, cycles in sorted(points):
        if not kept or cycles < kept[-1][1]:
            kept.append((amount, cycles))
    return kept


def _number(axes: Any, points: Sequence[tuple[str, int, int]]) -> None:
    """A number beside each point, at the nearest place where it lies on no mark, no other number and no legend.

    A point with no such place goes without: it says its figures like all others.
    """
    from matplotlib.transforms import Bbox

    per_point = axes.figure.dpi / 72
    at = [axes.transData.transform((x, y)) for _, x, y in points]
    taken = [Bbox.from_bounds(x - 3 * per_point, y - 3 * per_point, 6 * per_point, 6 * per_point) for x, y in at]
    legend = axes.get_legend()
    taken += [] if legend is None else [legend.get_window_extent()]
    for text, x, y in points:
        for across, up in AROUND:
            sides = {"ha": "left" if across > 0 else "right", "va": "bottom" if up > 0 else "top"}
            label = axes.annotate(text, (x, y), (across, up), textcoords="offset points", fontsize=9, **sides)
            room = label.get_window_extent()
            if not any(room.overlaps(other) for other in taken) and axes.bbox.containsx(room.x1):
                taken.append(room)
                break
            label.remove()


def _logarithmic(axes: Any, *, across: bool = True) -> None:
    """The axes, with so many labels in a decade that none lies on another one, and three at least."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    axes.set_yscale("log")
    if across:
        axes.set_xscale("log")
    for axis in (axes.xaxis, axes.yaxis) if across else (axes.yaxis,):
        least, most = axis.get_view_interval()
        locator = LogLocator(subs=(1, 2, 5) if most < 100 * least else (1, 3))
        narrow = sum(least <= tick <= most for tick in locator.tick_values(least, most)) < 3
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]) if narrow else locator)
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}" if least >= 1 else "{x:,g}"))
        axis.set_minor_formatter(NullFormatter())


def _explained(picture: str, told: Mapping[str, str]) -> str:
    """The picture with a title for each of its marked parts."""
    for mark, words in told.items():
        picture = picture.replace(f'<g id="{mark}">', f'<g id="{mark}"><title>{words}</title>')
    return picture


def roofline_svg(limit: Mapping[str, Any], moved: int, cycles: int) -> str:
    """Operations per cycle over operations per byte: the two roofs, what no design beats, and the design."""
    from matplotlib.figure import Figure

    operations, beat = limit["operations"], limit["bytes_per_cycle"]
    roof, at = operations / max(limit["compute"], 1), operations / max(moved, 1)
    least, most = min(at, roof / beat) / 4, max(at, roof / beat) * 4
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot([least, roof / beat], [least * beat, roof], color=COLOURS["store"], label="all banks busy")
    axes.plot([roof / beat, most], [roof, roof], color=COLOURS["task"], label="all operators busy")
    axes.plot(at, operations / limit["cycles"], "D", color=COLOURS["loop"], label="limit of any design")
    axes.plot(at, operations / cycles, "o", color=COLOURS["load"], label="this design")
    axes.plot([at, at], [operations / cycles, operations / limit["cycles"]], color=COLOURS["load"], linestyle=":")
    _logarithmic(axes)
    axes.set_xlabel("operations per byte moved")
    axes.set_ylabel("operations per cycle")
    axes.legend(frameon=False)
    axes.grid(visible=True, alpha=0.3)
    return as_svg(figure)


def progress_svg(trace: Sequence[Mapping[str, Any]]) -> str:
    """The best design and the bound of every design, as the search went on."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    axes = figure.subplots()
    for name, words, colour in (("cost", "best design", "load"), ("bound", "bound", "task")):
        known = [(moment["seconds"], moment[name]) for moment in trace if moment[name] is not None]
        if known:
            axes.step(*zip(*known, strict=True), where="post", marker=".", color=COLOURS[colour], label=words)
    axes.margins(y=0.1)
    _logarithmic(axes, across=False)
    axes.set_xlabel("seconds")
    axes.set_ylabel("cycles")
    axes.legend(frameon=False)
    axes.grid(visible=True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return as_svg(figure)


def as_svg(figure: Any, *, transparent: bool = True) -> str:
    """The picture without the head of a file, to be put into a page; text stays text."""
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context(SETTINGS):
        figure.savefig(text, format="svg", transparent=transparent, metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]
