"""How two saved designs of a kernel differ, and where the cycles between them are; reads their data, costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sisyphus.report.tables import Rows, indent, table
from sisyphus.shown import Shown
from sisyphus.target import KINDS
from sisyphus.values import asdict, dataclass

RESOURCES = ("dsp", "bram18k", "uram", "lut", "ff", "onchip_bytes", "bytes_moved")
#: Terms that are printed; all of them are in the JSON.
MOST_TERMS = 24
#: Amounts by the names that people know, and budgets for them.
TITLES = {kind.name: kind.title for kind in KINDS} | {"bytes_moved": "bytes moved", "clock_mhz": "clock, MHz"}
TITLES |= {f"budget {kind.name}": f"budget of {kind.title}" for kind in KINDS}
TITLES |= {"level": "budgets of", "max_partition": "most banks of an array"}
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """A thing that two designs have different values of; None where one has it not."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True)
class TermPair:
    """A term of the cycles in both designs, 0 where one has it not; `depth` in the tree, `rule` how it is computed."""

    name: str
    depth: int
    first: int
    second: int
    rule: str

    @property
    def difference(self) -> int:
        return self.second - self.first


@dataclass(frozen=True)
class DesignDifference(Shown):
    """Everything that differs: what was asked for, what was chosen, intervals of tasks, resources, terms of cycles."""

    names: tuple[str, str]
    cycles: tuple[int, int]
    asked: tuple[Pair, ...]
    chosen: tuple[Pair, ...]
    intervals: tuple[Pair, ...]
    resources: tuple[Pair, ...]
    terms: tuple[TermPair, ...]

    @property
    def reason(self) -> str:
        """Where most of the cycles between them are, in one line."""
        first, second = self.cycles
        if first == second:
            return "both take the same number of cycles"
        faster, share = (self.names[1], first / second) if second < first else (self.names[0], second / first)
        told = f"{faster} is {share:.2f} times as fast"
        way = _way_down(self.terms, second - first)
        if not way:
            return told
        where = " / ".join(f"`{term.name}`" for term in way)
        return f"{told}: {abs(way[-1].difference):,} of the {abs(second - first):,} cycles between them are in {where}"

    def to_json(self) -> dict[str, Any]:
        """The same for machines."""
        return asdict(self) | {"reason": self.reason}

    def __str__(self) -> str:
        rows = [(name, f"{cycles:,} cycles") for name, cycles in zip(self.names, self.cycles, strict=True)]
        parts = [table((), rows), self.reason]
        titled = (("asked for", self.asked), ("chosen", self.chosen), ("initiation intervals", self.intervals))
        for title, pairs in (*titled, ("resources", self.resources)):
            if pairs:
                parts.append(f"{title}\n" + indent(table(("", *self.names), [_row(pair) for pair in pairs])))
        if self.terms:
            header = ("term", *self.names, "difference")
            parts.append("terms of the cycles that differ\n" + indent(table(header, _term_rows(self.terms))))
        return "\n\n".join(parts)


def difference_of(names: tuple[str, str], first: Data, second: Data) -> DesignDifference:
    """What differs between two designs, given as the content of their design.json; both are of one kernel."""
    one, other = first["estimate"], second["estimate"]
    return DesignDifference(
        names,
        (one["cycles"], other["cycles"]),
        tuple(_pairs(_asked(first), _asked(second))),
        tuple(_pairs(_chosen(first["design"]), _chosen(second["design"]))),
        tuple(_pairs(_intervals(one), _intervals(other))),
        tuple(_pairs({n: one[n] for n in RESOURCES}, {n: other[n] for n in RESOURCES})),
        tuple(_terms(one["terms"]["cycles"], other["terms"]["cycles"])),
    )


def _pairs(first: Data, second: Data) -> Iterator[Pair]:
    for name in dict.fromkeys((*first, *second)):
        if first.get(name) != second.get(name):
            yield Pair(name, first.get(name), second.get(name))


def _asked(data: Data) -> dict[str, Any]:
    """Source, target and options, flat."""
    source, target, search = data["source"], data["target"], data["search"]
    budget = {f"budget {name}": amount for name, amount in target["budget"].items()}
    told = {name: target[name] for name in ("device", "clock_mhz", "level", "max_partition")}
    sizes = {"text": source["sha256"][:12], "defines": " ".join(source["defines"])}
    sizes |= {f"parameter {name}": value for name, value in source["parameters"].items()}
    fixes = {"fixed": " ".join(search.get("fixes", ()))}
    return {**sizes, **told, **budget, "model": search.get("model"), **search.get("options", {}), **fixes}


def _chosen(point: Data) -> dict[str, str]:
    """The knobs of a design point by the names that `--fix` has for them."""
    forms = ("expanded", "viewed", "copied", "rewrites")
    found = {"forms": " ".join(str(name) for form in forms for name in point.get(form, ()))}
    found["adders"] = point.get("adders", "dsp")
    for nest in point["nests"]:
        name = "+".join(nest["statements"])
        for knob, value in nest.items():
            each = value if isinstance(value, dict) else {}
            found |= {
                f"{name}.{loop if knob == 'tiles' else f'unroll.{loop}'}": _spelled(v) for loop, v in each.items()
            }
            if value is not each and knob != "statements":
                found[f"{name}.{knob}"] = _spelled(value)
    for buffer in point["buffers"]:
        for nest in buffer["nests"]:
            found[f"{nest}.{buffer['array']}.place"] = buffer["place"]
            if buffer["copies"] > 1:
                found[f"{nest}.ahead"] = "yes"
        where = "" if buffer["place"] == "kernel" else f"@{'+'.join(buffer['nests'])}"
        found |= {f"{buffer['array']}{where}.{knob}": _spelled(buffer[knob]) for knob in ("partition", "storage")}
    for transfer in point["transfers"]:
        found |= {
            f"{transfer['buffer']}.{knob}": _spelled(value) for knob, value in transfer.items() if knob != "buffer"
        }
    return found


def _spelled(value: Any) -> str:
    """As `--fix` has it, but for numbers in a row."""
    if isinstance(value, list):
        return (",".join(value) if isinstance(value[0], str) else "x".join(map(str, value))) if value else "-"
    return "-" if value is None else str(value)


def _intervals(estimate: Data) -> dict[str, str]:
    return {task: ", ".join(map(str, values)) for task, values in estimate["intervals"].items()}


def _terms(first: Data | None, second: Data | None, depth: int = 0) -> Iterator[TermPair]:
    """Terms that differ, the largest difference first among those of one sum; terms of one name belong together."""
    one, other = int((first or {}).get("value", 0)), int((second or {}).get("value", 0))
    if one == other:
        return
    names = dict.fromkeys(term["name"] for term in (first, second) if term is not None)
    yield TermPair(" / ".join(names), depth, one, other, (second or first or {}).get("rule") or "")
    left, right = _children(first), _children(second)
    lone = [[key for key in left if key not in right], [key for key in right if key not in left]]
    if [len(keys) for keys in lone] == [1, 1]:  # the loops of a nest are called after its tiles
        right = {lone[0][0] if key == lone[1][0] else key: term for key, term in right.items()}
    pairs = [(left.get(key), right.get(key)) for key in dict.fromkeys((*left, *right))]
    for pair in sorted(pairs, key=lambda p: -abs((p[1] or {}).get("value", 0) - (p[0] or {}).get("value", 0))):
        yield from _terms(*pair, depth + 1)


def _children(term: Data | None) -> dict[tuple[str, int], Data]:
    """The terms of a sum by name, and by number where several have one name."""
    found: dict[tuple[str, int], Data] = {}
    for child in (term or {}).get("children", ()):
        found[child["name"], sum(name == child["name"] for name, _ in found)] = child
    return found


def _way_down(terms: tuple[TermPair, ...], whole: int) -> list[TermPair]:
    """The terms on the way down the largest differences, as long as one has over half of the whole; without the sum."""
    found = list[TermPair]()
    for term in terms:
        largest = term.difference * whole > 0 and abs(whole) < 2 * abs(term.difference) <= 2 * abs(whole)
        if largest and term.depth == len(found):
            found.append(term)
    return found[1:]


def _row(pair: Pair) -> tuple[str, str, str]:
    return TITLES.get(pair.name, pair.name), _told(pair.first), _told(pair.second)


def _told(value: Any) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _term_rows(terms: tuple[TermPair, ...]) -> Rows:
    rows = [("· " * t.depth + t.name, f"{t.first:,}", f"{t.second:,}", f"{t.difference:+,}") for t in terms]
    more = len(rows) - MOST_TERMS
    return [*rows[:MOST_TERMS], *([(f"{more} more", "", "", "")] if more > 0 else [])]
