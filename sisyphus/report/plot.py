"""The front as a picture: cycles over DSPs and over BRAM18 blocks, as SVG text; needs no library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10

from sisyphus.report.facts import Front, Rated

#: Pixels: a panel, the room around it, and the distance between panels.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, BETWEEN = 360, 300, 80, 50, 60, 90
#: Values marked on an axis, about.
TICKS = 5


def front_svg(front: Front, title: str) -> str:
    """Two panels that share the cycles (logarithmic); a design has the same number in both, as in the table."""
    width, height = LEFT + 2 * WIDTH + BETWEEN + 20, TOP + HEIGHT + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{_escaped(title)}</text>',
    ]
    for at, (axis, name) in enumerate((("dsp", "DSP"), ("bram18k", "BRAM18"))):
        lines += _panel(front.designs, axis, name, LEFT + at * (WIDTH + BETWEEN))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(designs: Sequence[Rated], axis: str, name: str, left: int) -> Iterator[str]:
    amounts, cycles = [getattr(d.estimate, axis) for d in designs], [d.estimate.cycles for d in designs]
    across, up = _linear_ticks(max(amounts)), _decade_ticks(min(cycles), max(cycles))
    low, high = log10(up[0]), log10(up[-1])

    def x(amount: float) -> float:
        return round(left + WIDTH * amount / across[-1], 1)

    def y(value: float) -> float:
        return round(TOP + HEIGHT * (1 - (log10(value) - low) / (high - low)), 1)

    yield f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="black"/>'
    for tick in across:
        yield f'<line x1="{x(tick)}" y1="{TOP}" x2="{x(tick)}" y2="{TOP + HEIGHT}" stroke="#ddd"/>'
        yield f'<text x="{x(tick)}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{tick:,}</text>'
    for tick in up:
        yield f'<line x1="{left}" y1="{y(tick)}" x2="{left + WIDTH}" y2="{y(tick)}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{y(tick) + 4}" text-anchor="end">{tick:,}</text>'
    yield f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 42}" text-anchor="middle">{name}</text>'
    yield f'<text x="{left}" y="{TOP - 8}">cycles</text>'
    for number, (amount, value) in enumerate(zip(amounts, cycles, strict=True), start=1):
        yield f'<circle cx="{x(amount)}" cy="{y(value)}" r="4" fill="#1f77b4"/>'
        yield f'<text x="{x(amount) + 6}" y="{y(value) - 5}" font-size="10">{number}</text>'


def _linear_ticks(largest: int) -> list[int]:
    """Round amounts from 0 to at least the largest."""
    rough = max(largest, 1) / TICKS
    power = 10 ** max(0, floor(log10(rough)))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    return list(range(0, -(-max(largest, 1) // step) * step + 1, step))


def _decade_ticks(least: int, most: int) -> list[int]:
    """1, 2 and 5 times powers of ten, around all values."""
    steps = [k * 10**e for e in range(20) for k in (1, 2, 5)]
    first = max(at for at, step in enumerate(steps) if step <= max(least, 1))
    last = min(at for at, step in enumerate(steps) if step >= most and at > first)
    return steps[first : last + 1]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
