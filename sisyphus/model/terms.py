"""A figure as a sum: terms whose leaves add up to it, each with the rule it comes from; knows no formula."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sisyphus.model.algebra import Value


@dataclass(frozen=True)
class Term:
    """A part of a figure. A term with children is their sum; `measured` says whether reports confirm its rule."""

    name: str
    value: Value
    children: tuple[Term, ...] = ()
    measured: bool = True
    rule: str = ""

    def leaves(self) -> Iterator[Term]:
        """The terms that nothing adds up to, in order."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"name": self.name, "value": self.value}
        if self.rule:
            found["rule"] = self.rule
        if not self.measured:
            found["measured"] = False
        if self.children:
            found["children"] = [child.to_json() for child in self.children]
        return found


def total(name: str, children: Iterable[Term], rule: str = "") -> Term:
    """The term that is the sum of others."""
    parts = tuple(children)
    value: Value = 0
    for part in parts:
        value = value + part.value
    return Term(name, value, parts, all(p.measured for p in parts), rule)


def summed(term: Term, weight: Value = 1) -> Term:
    """A term over many iterations as one number: the sum of its entries, those counted where `weight` is 1."""
    entries = np.broadcast_arrays(np.asarray(term.value), np.asarray(weight))
    children = tuple(summed(child, np.broadcast_to(weight, entries[0].shape)) for child in term.children)
    return replace(term, value=int((entries[0] * entries[1]).sum()), children=children)


def without_zeros(term: Term) -> Term:
    """The term without leaves that add nothing."""
    kept = (without_zeros(child) for child in term.children if child.value or child.children)
    return replace(term, children=tuple(child for child in kept if child.value or child.children))
