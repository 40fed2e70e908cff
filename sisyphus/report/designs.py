"""Several designs side by side: the best ones, and the front between latency and area; as text and data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sisyphus.ir import ArrayId
from sisyphus.report.facts import Front, Rated
from sisyphus.report.tables import Rows, shortened
from sisyphus.space import KERNEL_PLACE, DesignPoint, NestPoint
from sisyphus.target import Target

FORMAT_VERSION = 1
TOP_HEADER = ("design", "cycles", "DSP", "BRAM18", "difference to the best")
FRONT_HEADER = ("design", "cycles", "us", "DSP", "BRAM18", "URAM", "LUT", "FF")
#: Differences that are told of one design.
MOST_TOLD = 4


def top_rows(designs: Sequence[Rated]) -> Rows:
    """The best design and the next ones, numbered from 1."""
    best = designs[0].point
    return [
        (
            str(number),
            f"{d.estimate.cycles:,}",
            f"{d.estimate.dsp:,}",
            f"{d.estimate.bram18k:,}",
            "-" if number == 1 else difference(best, d.point),
        )
        for number, d in enumerate(designs, start=1)
    ]


def top_data(designs: Sequence[Rated]) -> list[dict[str, Any]]:
    """The same for machines, with the design points."""
    best = designs[0].point
    return [
        _rated(d, number) | {"difference": [] if number == 1 else list(differences(best, d.point))}
        for number, d in enumerate(designs, start=1)
    ]


def front_rows(front: Front, target: Target) -> Rows:
    """The front, fastest first."""
    rows = []
    for number, design in enumerate(front.designs, start=1):
        cost = design.estimate
        area = (cost.dsp, cost.bram18k, cost.uram, cost.lut, cost.ff)
        time = f"{cost.cycles / target.clock_mhz:,.1f}"
        rows.append((str(number), f"{cost.cycles:,}", time, *(f"{amount:,}" for amount in area)))
    return rows


def front_told(front: Front) -> str:
    """How the front was found, in one line."""
    count = "1 search" if front.searches == 1 else f"{front.searches} searches"
    if front.complete:
        return f"{count} within smaller budgets, to the end"
    return f"{count} within smaller budgets, ended by the limit: there may be more such designs"


def front_data(front: Front) -> dict[str, Any]:
    """The front in the form of pareto.json."""
    return {
        "version": FORMAT_VERSION,
        "complete": front.complete,
        "front": [_rated(d, number) for number, d in enumerate(front.designs, start=1)],
    }


def _rated(design: Rated, number: int) -> dict[str, Any]:
    cost = design.estimate
    figures = {name: getattr(cost, name) for name in ("cycles", "dsp", "bram18k", "uram", "lut", "ff", "onchip_bytes")}
    return {"number": number, **figures, "design": design.point.to_json()}


def difference(best: DesignPoint, other: DesignPoint) -> str:
    """The first few differences as one text."""
    found = list(differences(best, other))
    more = [] if len(found) <= MOST_TOLD else [f"{len(found) - MOST_TOLD} more"]
    return "; ".join([*found[:MOST_TOLD], *more])


def differences(best: DesignPoint, other: DesignPoint) -> Iterator[str]:
    """What another design of the same kernel has chosen otherwise; partitions only where nothing else differs.

    Of another form of the kernel nothing more is told where its nests are others.
    """
    found = [*_forms(best, other)]
    nests = {nest.id: nest for nest in best.nests}
    if all(nest.id in nests and _loops(nest) == _loops(nests[nest.id]) for nest in other.nests):
        for nest in other.nests:
            found += _nest(nests[nest.id], nest)
        found += _places(best, other)
        found += _widths(best, other)
    yield from found or _partitions(best, other)


def _loops(nest: NestPoint) -> set[str]:
    return {loop for loop, _ in nest.tiles}


def _forms(best: DesignPoint, other: DesignPoint) -> Iterator[str]:
    if best.expanded != other.expanded or [n.id for n in best.nests] != [n.id for n in other.nests]:
        yield f"another form of the kernel, with {_listed(other.expanded)} expanded"
    if best.rewrites != other.rewrites:
        yield f"another form of the kernel, {' and '.join(other.rewrites) or 'in the order of the source'}"
    if best.copied != other.copied:
        yield f"another form of the kernel, with copies of {_listed(other.copied)}"
    if best.viewed != other.viewed:
        yield f"another form of the kernel, with views of {_listed(other.viewed)}"
    if best.adders != other.adders:
        yield f"adders in {'fabric' if other.adders == 'fabric' else 'DSPs'}"


def _listed(arrays: Sequence[ArrayId]) -> str:
    return ", ".join(f"`{a}`" for a in arrays) or "no array"


def _nest(best: NestPoint, other: NestPoint) -> Iterator[str]:
    name, tiles = shortened(other.id), [f"{loop}={tile}" for loop, tile in other.tiles if tile != best.tile(loop)]
    if tiles:
        yield f"{name}: {', '.join(tiles)}"
    if other.unroll != best.unroll:
        copies = ", ".join(f"{loop} in {factor}" for loop, factor in other.unroll) or "none"
        yield f"{name}: copies {copies}"
    if other.order != best.order:
        yield f"{name}: order {' '.join(other.order)}"
    if other.split != best.split:
        yield f"{name}: full tiles {'' if other.split else 'not '}apart from the others"
    if other.listed != best.listed:
        yield f"{name}: tiles {'' if other.listed else 'not '}listed in a table"


def _places(best: DesignPoint, other: DesignPoint) -> Iterator[str]:
    for nest in other.nests:
        for buffer in (b for b in other.buffers if nest.id in b.nests):
            same = next((b for b in best.buffers if b.array == buffer.array and nest.id in b.nests), None)
            if same is not None and buffer.place != same.place:
                at = "resident" if buffer.place == KERNEL_PLACE else f"at {buffer.place}"
                yield f"{shortened(nest.id)}: `{buffer.array}` {at}"


def _widths(best: DesignPoint, other: DesignPoint) -> Iterator[str]:
    ids = {b.id for b in best.buffers}
    for buffer in other.buffers:
        width = other.transfer_of(buffer.id).width
        if buffer.id in ids and width != best.transfer_of(buffer.id).width:
            yield f"`{buffer.id}` moves {width} per beat"


def _partitions(best: DesignPoint, other: DesignPoint) -> Iterator[str]:
    known = {b.id: b for b in best.buffers}
    for buffer in other.buffers:
        if buffer.id in known and buffer.partition != known[buffer.id].partition:
            yield f"`{buffer.id}` in {'x'.join(map(str, buffer.partition))} banks"
