"""Sums of exponentials of linear expressions: the reading of the cost formulas by Pyomo.

A trip count that is chosen from a list is `exp(v)` for a variable v that holds its logarithm; products of trip counts
are then exponentials of sums, which are convex.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pyomo.environ as pyo

from sisyphus.values import dataclass

#: Exponents of a term: variables by name and how often each is added.
Exponent = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Term:
    """`coefficient * exp(sum of exponent) * sum of factor`; an empty factor is 1."""

    coefficient: float
    exponent: Exponent = ()
    factor: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Signomial:
    """A sum of terms with `+` and `*`; terms of equal exponent and factor are merged."""

    terms: tuple[Term, ...]

    @staticmethod
    def constant(value: float) -> Signomial:
        return Signomial((Term(value),)) if value else Signomial(())

    @staticmethod
    def power(names: Iterable[str]) -> Signomial:
        """`exp` of a sum of log variables: a product of trip counts."""
        return Signomial((Term(1.0, _merged((n, 1) for n in names)),))

    @staticmethod
    def of(value: Signomial | float) -> Signomial:
        return value if isinstance(value, Signomial) else Signomial.constant(value)

    def __add__(self, other: Signomial | float) -> Signomial:
        sums: dict[tuple[Exponent, tuple[tuple[str, float], ...]], float] = {}
        for term in (*self.terms, *Signomial.of(other).terms):
            key = (term.exponent, term.factor)
            sums[key] = sums.get(key, 0.0) + term.coefficient
        return Signomial(tuple(Term(c, *key) for key, c in sums.items() if c))

    __radd__ = __add__

    def __mul__(self, other: Signomial | float) -> Signomial:
        products = (_product(a, b) for a in self.terms for b in Signomial.of(other).terms)
        return sum((Signomial((p,)) for p in products), Signomial(()))

    __rmul__ = __mul__

    def inverse_of(self, names: Iterable[str]) -> Signomial:
        """This divided by the product of some trip counts."""
        return self * Signomial((Term(1.0, _merged((n, -1) for n in names)),))

    def expression(self, variables: Mapping[str, Any]) -> Any:
        """As a Pyomo expression over the log variables."""
        return sum((_as_pyomo(term, variables) for term in self.terms), 0.0)


def _merged(exponents: Iterable[tuple[str, int]]) -> Exponent:
    total: dict[str, int] = {}
    for name, times in exponents:
        total[name] = total.get(name, 0) + times
    return tuple(sorted((n, t) for n, t in total.items() if t))


def _product(a: Term, b: Term) -> Term:
    if a.factor and b.factor:
        raise ValueError("two logarithms multiplied")
    return Term(a.coefficient * b.coefficient, _merged((*a.exponent, *b.exponent)), a.factor or b.factor)


def _as_pyomo(term: Term, variables: Mapping[str, Any]) -> Any:
    result: Any = term.coefficient
    if term.exponent:
        result = result * pyo.exp(sum(times * variables[name] for name, times in term.exponent))
    if term.factor:
        result = result * sum(weight * variables[name] for name, weight in term.factor)
    return result


class SignomialNumbers:
    """`sisyphus.model.paper.Numbers` for Signomial values."""

    def log2(self, value: Signomial | float) -> Signomial:
        """Of a single product of trip counts only."""
        term = _single(Signomial.of(value))
        weights = tuple((name, times / math.log(2)) for name, times in term.exponent)
        base = Signomial.constant(math.log2(term.coefficient))
        return base + Signomial((Term(1.0, (), weights),)) if weights else base

    def maximum(self, values: Iterable[Any]) -> Any:
        raise ValueError("a maximum becomes an epigraph variable, not an expression")


def _single(value: Signomial) -> Term:
    if len(value.terms) != 1 or value.terms[0].factor:
        raise ValueError("the logarithm of a sum")
    return value.terms[0]
