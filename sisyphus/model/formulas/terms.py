"""A figure as a sum: terms whose leaves add up to it, each with the rule it comes from; knows no formula."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import Value
from sisyphus.evidence import entry

#: What the part of a transfer that nothing beside it hides is called: this before the name of the transfer.
WAITS_FOR = "waits for "
#: Between the names of parts one after another, and of parts at the same time, in the name of them together.
IN_TURN, AT_ONCE = " and ", " | "


def parts_named(name: str) -> list[str]:
    """The parts that the name of a term puts together, or of what waits for them."""
    beside = name.removeprefix(WAITS_FOR).split(AT_ONCE)
    return [part for names in beside for part in names.split(IN_TURN)]


class Term(NamedTuple):
    """A part of a figure. A term with children is their sum.

    `construct` is the entry of the register of evidence that it rests on, where its owner (a task, a transfer) does not
    say so already. `rtl` are the cycles that RTL takes beyond `value`, which is the report's. A tuple, since an
    estimate has hundreds of them.
    """

    name: str
    value: Value
    children: tuple[Term, ...] = ()
    construct: str = ""
    rule: str = ""
    rtl: Value = 0

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
        if self.construct:
            found["construct"] = self.construct
        if self.rtl:
            found["rtl"] = self.rtl
        if self.children:
            found["children"] = [child.to_json() for child in self.children]
        return found


def total(name: str, children: Iterable[Term], rule: str = "") -> Term:
    """The term that is the sum of others."""
    parts = tuple(children)
    value: Value = 0
    rtl: Value = 0
    for part in parts:
        value, rtl = value + part.value, rtl + part.rtl
    return Term(name, value, parts, rule=rule, rtl=rtl)


def doubt_of(terms: Iterable[Term]) -> str:
    """A construct among the leaves of some terms that reports do not confirm; nothing where all are confirmed."""
    leaves = (leaf for term in terms for leaf in term.leaves() if leaf.construct)
    return next((leaf.construct for leaf in leaves if not entry(leaf.construct).is_trusted), "")


def scaled(term: Term, count: Value) -> Term:
    """The term so many times."""
    children = tuple(scaled(child, count) for child in term.children)
    return term._replace(value=count * term.value, children=children, rtl=count * term.rtl)


def summed(term: Term, picked: npt.NDArray[np.int64]) -> Term:
    """A term with one entry per iteration, or the same in all, as one number: each entry `picked` so many times."""
    value, rtl = (int((figure * picked).sum()) for figure in (term.value, term.rtl))
    children = tuple(summed(child, picked) for child in term.children)
    return Term(term.name, value, children, term.construct, term.rule, rtl)


def without_zeros(term: Term) -> Term:
    """The term without parts that add nothing."""
    if not term.children:
        return term
    kept = tuple(without_zeros(child) for child in term.children if child.value)
    return Term(term.name, term.value, kept, term.construct, term.rule, term.rtl)
