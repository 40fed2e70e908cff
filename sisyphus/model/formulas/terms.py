"""A figure as a sum: terms whose leaves add up to it, each with the rule it comes from; knows no formula."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import Value


class Term(NamedTuple):
    """A part of a figure. A term with children is their sum; `measured` says whether reports confirm its rule.

    A tuple, since an estimate has hundreds of them.
    """

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
    measured = True
    for part in parts:
        value = value + part.value
        # a part that adds nothing adds no doubt
        measured = measured and (part.measured or (isinstance(part.value, int | float) and not part.value))
    return Term(name, value, parts, measured, rule)


def summed(term: Term, picked: npt.NDArray[np.int64]) -> Term:
    """A term with one entry per iteration, or the same in all, as one number: each entry `picked` so many times."""
    value = int((term.value * picked).sum())
    children = tuple(summed(child, picked) for child in term.children)
    return Term(term.name, value, children, term.measured, term.rule)


def without_zeros(term: Term) -> Term:
    """The term without parts that add nothing."""
    if not term.children:
        return term
    kept = tuple(without_zeros(child) for child in term.children if child.value)
    return Term(term.name, term.value, kept, term.measured, term.rule)
