"""How much of each figure of a design rests on which evidence: constructs joined with the terms of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sisyphus.evidence import CLASSES, Entry, Evidence, entry, worst
from sisyphus.model.constructs import KERNEL
from sisyphus.model.formulas.terms import AT_ONCE, Term
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Rested:
    """A construct of a design, who has it, and the share of cycles and of LUTs whose terms it takes part in."""

    entry: Entry
    owners: tuple[str, ...]
    cycles: float
    lut: float


@dataclass(frozen=True)
class Backing:
    """Per figure the share of each class, which add up to 1; and all constructs of the design, the worst first."""

    shares: Mapping[str, Mapping[Evidence, float]]
    constructs: tuple[Rested, ...]

    @property
    def inferred(self) -> float:
        """The share of the cycles that rests on nothing but our conclusions."""
        return self.shares["cycles"]["inferred"]

    @property
    def is_trusted(self) -> bool:
        """No construct that anything of the design has is merely inferred; area rules, which nothing has, may be."""
        return all(rested.entry.is_trusted for rested in self.constructs if rested.owners)

    def to_json(self) -> dict[str, Any]:
        return {
            "shares": {
                name: {kind: round(share, 4) for kind, share in shares.items()} for name, shares in self.shares.items()
            },
            "constructs": [
                {
                    "id": rested.entry.id,
                    "title": rested.entry.title,
                    "evidence": rested.entry.evidence,
                    "confirmed": rested.entry.confirmed,
                    "of": rested.entry.of,
                    "source": rested.entry.source,
                    "owners": list(rested.owners),
                    "cycles": round(rested.cycles, 4),
                    "lut": round(rested.lut, 4),
                }
                for rested in self.constructs
            ],
        }


def backing(terms: Mapping[str, Term], constructs: Mapping[str, tuple[str, ...]]) -> Backing:
    """Each leaf of a sum rests on its own construct and on those of the task, transfer or buffer that it is part of."""
    rests = {name: list(_leaves(term, constructs, ())) for name, term in terms.items()}
    shares = {name: _shares(leaves) for name, leaves in rests.items()}
    owners: dict[str, list[str]] = {}
    for owner, ids in constructs.items():
        for construct in ids:
            owners.setdefault(construct, []).append(owner)
    for leaves in rests.values():
        for _, ids in leaves:
            for construct in ids:
                owners.setdefault(construct, [])
    found = [
        Rested(entry(c), tuple(names), _part(rests["cycles"], c), _part(rests["lut"], c)) for c, names in owners.items()
    ]
    return Backing(shares, tuple(sorted(found, key=_worst_first)))


def _worst_first(rested: Rested) -> tuple[int, float, float, str]:
    return CLASSES.index(rested.entry.evidence), -rested.cycles, -rested.lut, rested.entry.id


def _leaves(
    term: Term, constructs: Mapping[str, tuple[str, ...]], above: tuple[str, ...]
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """The amount of each leaf, and all that it rests on."""
    named = [name for part in term.name.split(AT_ONCE) for name in [part.partition(":")[0]] if name in constructs]
    here = (*above, *(c for name in named for c in constructs[name]), *((term.construct,) if term.construct else ()))
    if not term.children:
        yield abs(float(term.value)), here or constructs[KERNEL]
    for child in term.children:
        yield from _leaves(child, constructs, here)


def _shares(leaves: list[tuple[float, tuple[str, ...]]]) -> dict[Evidence, float]:
    whole = sum(amount for amount, _ in leaves)
    found: dict[Evidence, float] = dict.fromkeys(CLASSES, 0.0)
    if not whole:
        return {**found, "measured": 1.0}
    for amount, ids in leaves:
        found[worst(ids)] += amount / whole
    return found


def _part(leaves: list[tuple[float, tuple[str, ...]]], construct: str) -> float:
    whole = sum(amount for amount, _ in leaves)
    return sum(amount for amount, ids in leaves if construct in ids) / whole if whole else 0.0
