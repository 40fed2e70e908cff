"""Polynomials over named dimensions with rational coefficients, and their sums over ranges; knows nothing of isl."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb

from sisyphus.poly.affine import Affine
from sisyphus.values import dataclass

#: Powers by name, sorted; the empty tuple is the constant term.
Monomial = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials; `terms` holds no zero coefficient."""

    terms: Mapping[Monomial, Fraction]

    @staticmethod
    def constant(value: int | Fraction) -> Polynomial:
        return Polynomial({(): Fraction(value)} if value else {})

    @staticmethod
    def of(value: Affine) -> Polynomial:
        terms: dict[Monomial, Fraction] = {((name, 1),): Fraction(factor) for name, factor in value.terms}
        if value.constant:
            terms[()] = Fraction(value.constant)
        return Polynomial(terms)

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, factor in other.terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + factor
        return Polynomial({m: f for m, f in terms.items() if f})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scale(Fraction(-1))

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Fraction] = {}
        for left, factor in self.terms.items():
            for right, times in other.terms.items():
                monomial = _multiply(left, right)
                terms[monomial] = terms.get(monomial, Fraction(0)) + factor * times
        return Polynomial({m: f for m, f in terms.items() if f})

    def scale(self, factor: Fraction) -> Polynomial:
        return Polynomial({m: f * factor for m, f in self.terms.items() if factor})

    def powers_of(self, name: str) -> dict[int, Polynomial]:
        """The polynomial as a sum over k of `name**k` times the k-th value."""
        found: dict[int, dict[Monomial, Fraction]] = {}
        for monomial, factor in self.terms.items():
            power = dict(monomial).get(name, 0)
            found.setdefault(power, {})[tuple(p for p in monomial if p[0] != name)] = factor
        return {power: Polynomial(terms) for power, terms in found.items()}

    def substitute(self, name: str, value: Affine) -> Polynomial:
        """With one dimension replaced by an affine expression."""
        base, result = Polynomial.of(value), Polynomial({})
        for power, factor in self.powers_of(name).items():
            result = result + factor * _power(base, power)
        return result

    def sum_over(self, name: str, lower: Affine, upper: Affine) -> Polynomial:
        """The sum of the polynomial for `name` from `lower` to `upper`, right wherever `upper >= lower - 1`."""
        low, high, result = Polynomial.of(lower - 1), Polynomial.of(upper), Polynomial({})
        for power, factor in self.powers_of(name).items():
            result = result + factor * (_sum_of_powers(high, power) - _sum_of_powers(low, power))
        return result

    def value(self) -> Fraction:
        """Of a polynomial that is constant."""
        return self.terms.get((), Fraction(0))


def _multiply(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _power(base: Polynomial, power: int) -> Polynomial:
    result = Polynomial.constant(1)
    for _ in range(power):
        result = result * base
    return result


@cache
def _bernoulli(index: int) -> Fraction:
    """B_index with B_1 = +1/2."""
    if index == 0:
        return Fraction(1)
    lower = (comb(index + 1, k) * (-1) ** (k == 1) * _bernoulli(k) for k in range(index))
    signed = -sum(lower, Fraction(0)) / (index + 1)
    return -signed if index == 1 else signed


def _sum_of_powers(upper: Polynomial, power: int) -> Polynomial:
    """Faulhaber's formula for 1**power + … + upper**power; as a polynomial it telescopes for all integers."""
    result = Polynomial({})
    for k in range(power + 1):
        factor = comb(power + 1, k) * _bernoulli(k) / (power + 1)
        result = result + _power(upper, power + 1 - k).scale(factor)
    return result
