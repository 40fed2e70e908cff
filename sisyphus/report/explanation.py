"""Why a design is as it is, as data and text: what it takes, where its cycles go, what is near it; computes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sisyphus.report.tables import Rows, indent, shortened, table
from sisyphus.shown import Shown
from sisyphus.values import asdict, dataclass

#: Neighbours of one nest, and lines of one schedule, that are printed; all of them are in the JSON.
MOST_SHOWN = 10


@dataclass(frozen=True)
class Share:
    """How much of a budget is used."""

    option: str
    unit: str
    used: int
    limit: int

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else float(self.used > 0)


@dataclass(frozen=True)
class Part:
    """A term of the cycles and the rule it comes from; `nest` where it is all of one."""

    name: str
    cycles: int
    rule: str
    nest: str | None = None


@dataclass(frozen=True)
class Pace:
    """Cycles between two starts of a pipelined loop, and what asks for each number of them, most first.

    `schedule` says when its operations and accesses start, on which cores and at which banks and ports, one a line.
    """

    nest: str
    interval: int
    causes: tuple[tuple[int, str], ...]
    schedule: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One budget larger by a tenth: the cycles of the design then found, never more than now.

    `beyond` is what the device has where that is less; `complete`: the search was not cut short.
    """

    option: str
    unit: str
    amount: int
    cycles: int
    complete: bool
    beyond: int | None = None


@dataclass(frozen=True)
class Neighbour:
    """The design with one choice of a nest changed: its cycles, the budgets it breaks, or why it is none."""

    nest: str
    kind: str
    change: str
    cycles: int | None = None
    breaks: tuple[Share, ...] = ()
    refused: str | None = None


@dataclass(frozen=True)
class Explanation(Shown):
    """Everything computed to explain a design; `complete`: no neighbour and no budget was left out for want of time.

    `of`: what is explained of several units.
    """

    cycles: int
    shares: tuple[Share, ...]
    parts: tuple[Part, ...]
    paces: tuple[Pace, ...]
    steps: tuple[Step, ...]
    neighbours: tuple[Neighbour, ...]
    complete: bool
    of: str = ""

    def __str__(self) -> str:
        return explanation_text(self)


def explanation_data(found: Explanation) -> dict[str, Any]:
    """The same for machines; cycles of steps and neighbours also as the difference to the design."""
    data = asdict(found)
    data |= {} if data.pop("of") == "" else {"of": found.of}
    for row in (*data["steps"], *data["neighbours"]):
        row["difference"] = None if row["cycles"] is None else row["cycles"] - found.cycles
    return data


def explanation_text(found: Explanation) -> str:
    """What a person reads."""
    parts = [
        *filter(None, [found.of]),
        "budgets\n" + indent(table((), _share_rows(found.shares))),
        "where the cycles go\n" + indent("\n".join(_parts(found))),
        *(f"one iteration of {shortened(pace.nest)}\n" + indent("\n".join(_schedule(pace))) for pace in found.paces),
        "with 10 % more of one budget\n" + indent(_steps(found)),
    ]
    nests = dict.fromkeys(n.nest for n in found.neighbours)
    parts += [f"neighbours of {shortened(nest)}\n" + indent(_neighbours(found, nest)) for nest in nests]
    if not found.complete:
        parts.append("note: time ran out, so that some budgets or neighbours were not looked at (--time-limit)")
    return "\n\n".join(parts)


def _share_rows(shares: Sequence[Share]) -> Rows:
    ranked = sorted(shares, key=lambda s: -s.share)
    return [(s.option, f"{s.used:,} of {s.limit:,} {s.unit}", f"{100 * s.share:.1f} %") for s in ranked]


def _parts(found: Explanation) -> Iterator[str]:
    for depth, part in enumerate(found.parts):
        share = 100 * part.cycles / max(found.cycles, 1)
        rule = f" ({part.rule})" if part.rule and depth == len(found.parts) - 1 else ""
        name = part.name if part.nest is None else f"nest {shortened(part.nest)}"
        yield f"{'· ' * depth}{name}: {part.cycles:,} of {found.cycles:,} cycles, {share:.1f} %{rule}"
    for pace in found.paces:
        starts = f"the pipelined loop of {shortened(pace.nest)} starts an iteration every"
        if pace.interval == 1:
            yield f"{starts} cycle"
        else:
            causes = " and ".join(why for cycles, why in pace.causes if cycles == pace.interval)
            yield f"{starts} {pace.interval} cycles, for {causes}"


def _schedule(pace: Pace) -> Iterator[str]:
    """The first operations and accesses of an iteration."""
    yield from pace.schedule[:MOST_SHOWN]
    if len(pace.schedule) > MOST_SHOWN:
        yield f"and {len(pace.schedule) - MOST_SHOWN} more (--json)"


def _steps(found: Explanation) -> str:
    gains = [s for s in found.steps if s.cycles < found.cycles]
    rows = [
        (f"{s.option} {s.amount}", f"{s.cycles:,} cycles", _difference(s.cycles, found.cycles), _remark(s))
        for s in gains
    ]
    rest = [s for s in found.steps if s.cycles >= found.cycles]
    lines = [table((), rows)] if rows else []
    for told, which in (("no faster design found", True), ("none found in the time there was", False)):
        options = [f"`{s.option} {s.amount}`" for s in rest if s.complete is which]
        if options:
            lines.append(f"{told} with {' or '.join(options)}")
    return "\n".join(lines) or "not looked at"


def _remark(step: Step) -> str:
    beyond = "" if step.beyond is None else f"the device has {step.beyond:,}"
    return ", ".join(filter(None, [beyond, "" if step.complete else "search cut short"]))


def _difference(cycles: int, now: int) -> str:
    return f"{cycles - now:+,} ({100 * (cycles - now) / max(now, 1):+.1f} %)"


def _neighbours(found: Explanation, nest: str) -> str:
    """Legal designs within the budgets first, by their cycles; then what breaks a budget; then what is no design."""
    mine = [n for n in found.neighbours if n.nest == nest]
    mine.sort(key=lambda n: (n.refused is not None, bool(n.breaks), n.cycles or 0))
    rows = [(n.change, _effect(n, found.cycles)) for n in mine[:MOST_SHOWN]]
    faster = sum(n.cycles is not None and n.cycles < found.cycles and not n.breaks for n in mine)
    fitting = sum(n.cycles is not None and not n.breaks for n in mine)
    breaking = sum(bool(n.breaks) for n in mine)
    rest = len(mine) - fitting - breaking
    counts = (
        f"{len(mine)} looked at: {fitting} within the budgets ({faster} faster), {breaking} beyond, {rest} no design"
    )
    return f"{counts}\n{table((), rows)}"


def _effect(neighbour: Neighbour, now: int) -> str:
    if neighbour.refused is not None:
        return neighbour.refused
    if neighbour.breaks:
        worst = max(neighbour.breaks, key=lambda s: s.share)
        return f"{worst.used:,} of {worst.limit:,} {worst.unit}"
    if neighbour.cycles is None or neighbour.cycles == now:
        return "as many cycles"
    return f"{_difference(neighbour.cycles, now)} cycles"
