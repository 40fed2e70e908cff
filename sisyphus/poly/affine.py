"""Integer affine expressions over named dimensions, as plain values; knows nothing of isl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Affine(NamedTuple):
    """`sum(coefficient * name) + constant`; terms are sorted by name and never zero, so equal means `==`.

    Build with `var`, `const` and arithmetic, or `Affine.of`. It is a tuple as plans make and look up thousands of
    them, which a tuple does fastest; `+` and `*` are those of the expression.
    """

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[str, int] | Iterable[tuple[str, int]], constant: int = 0) -> Affine:
        pairs = terms.items() if isinstance(terms, Mapping) else terms
        return Affine(tuple(sorted([(n, c) for n, c in pairs if c != 0])), constant)

    @property
    def names(self) -> frozenset[str]:
        return frozenset([n for n, _ in self.terms])

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def coefficient(self, name: str) -> int:
        return dict(self.terms).get(name, 0)

    def __add__(self, other: Affine | int) -> Affine:  # type: ignore[override]
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        if not (self.terms and other.terms):
            return Affine(self.terms or other.terms, self.constant + other.constant)
        merged = dict(self.terms)
        for name, factor in other.terms:
            merged[name] = merged.get(name, 0) + factor
        return Affine.of(merged, self.constant + other.constant)

    def __radd__(self, other: int) -> Affine:
        return self + other

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __mul__(self, factor: int) -> Affine:  # type: ignore[override]
        if factor == 0:
            return Affine()
        return Affine(tuple([(n, c * factor) for n, c in self.terms]), self.constant * factor)

    def __rmul__(self, factor: int) -> Affine:  # type: ignore[override]
        return self * factor

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """Every name found in `values` replaced, all at once."""
        merged: dict[str, int] = {}
        constant = self.constant
        for name, factor in self.terms:
            terms, more = values.get(name) or var(name)
            constant += factor * more
            for inner, times in terms:
                merged[inner] = merged.get(inner, 0) + factor * times
        return Affine.of(merged, constant)

    def rename(self, names: Mapping[str, str]) -> Affine:
        return Affine.of(((names.get(n, n), c) for n, c in self.terms), self.constant)

    def evaluate(self, point: Mapping[str, int]) -> int:
        return self.constant + sum(c * point[n] for n, c in self.terms)

    def __str__(self) -> str:
        """As C source text, e.g. `2*y + p - 1`."""
        text = ""
        for name, factor in self.terms:
            sign = "-" if factor < 0 else "+"
            body = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
            text += f" {sign} {body}" if text else (f"-{body}" if factor < 0 else body)
        if not text:
            return str(self.constant)
        if self.constant:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text


def var(name: str) -> Affine:
    """The expression that is one dimension."""
    return Affine(((name, 1),), 0)


def const(value: int) -> Affine:
    """A constant expression."""
    return Affine((), value)


def affine_range(value: Affine, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Smallest and largest value over a box of iterators."""
    low = high = value.constant
    for name, coefficient in value.terms:
        ends = [coefficient * end for end in ranges[name]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def comparisons(conditions: Sequence[Affine]) -> tuple[tuple[Affine, str, Affine], ...]:
    """Conditions (each >= 0) as left side, operator and right side without negative terms: `k - i >= 0` is `k >= i`.

    A condition and its negative together are an equation.
    """
    found: dict[tuple[Affine, str, Affine], None] = {}
    for condition in conditions:
        left, right = _sides(condition)
        if -condition in conditions:
            left, right = (right, left) if left.is_constant else (left, right)
            if (right, "==", left) not in found:
                found[left, "==", right] = None
        elif left.is_constant:
            found[right, "<=", left] = None
        else:
            found[left, ">=", right] = None
    return tuple(found)


def _sides(condition: Affine) -> tuple[Affine, Affine]:
    """What is added and what is subtracted."""
    added = Affine.of(((n, c) for n, c in condition.terms if c > 0), max(condition.constant, 0))
    return added, added - condition
