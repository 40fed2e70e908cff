"""What the cost formulas compute with, beside `+`, `-` and `*`; knows no formula and no hardware.

Every cost formula is one function whose first argument is an algebra and whose other arguments are its values. EXACT
reads it as plain integers, VECTOR as NumPy arrays with one entry per candidate. A symbolic reading needs no more than
the operations below; conditions never come from Python's comparison operators, so that it may make variables of them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np

#: A number in the sense of some algebra: int, NumPy integer array, or an expression. `+`, `-` and `*` apply.
Value = Any
#: A truth value in the sense of some algebra.
Condition = Any

#: Numbers of an array up to this one are told apart by counting them.
MOST_COUNTED = 1 << 16


class Algebra(Protocol):
    """Operations on whole numbers that are not `+`, `-` or `*`; all operands are at least 0."""

    def maximum(self, *values: Value) -> Value:
        """The largest of one or more values."""
        ...

    def minimum(self, *values: Value) -> Value:
        """The smallest of one or more values."""
        ...

    def ceil_div(self, value: Value, divisor: Value) -> Value:
        """`value / divisor` rounded up; divisor >= 1."""
        ...

    def log2_ceil(self, value: Value) -> Value:
        """The least k with 2^k >= value; 0 for 0 and 1."""
        ...

    def log2_floor(self, value: Value) -> Value:
        """The largest k with 2^k <= value; value >= 1."""
        ...

    def gcd(self, left: Value, right: Value) -> Value:
        """Greatest common divisor; gcd(x, 0) = x."""
        ...

    def lowest_bit(self, value: Value) -> Value:
        """The largest power of two that divides the value; value >= 1."""
        ...

    def is_power_of_two(self, value: Value) -> Condition:
        """value is 0, 1, 2, 4, 8, …"""
        ...

    def exceeds(self, left: Value, right: Value) -> Condition:
        """left > right."""
        ...

    def equals(self, left: Value, right: Value) -> Condition:
        """left = right."""
        ...

    def both(self, *conditions: Condition) -> Condition:
        """Whether all conditions hold; true of none."""
        ...

    def either(self, *conditions: Condition) -> Condition:
        """Whether any condition holds; false of none."""
        ...

    def negation(self, condition: Condition) -> Condition: ...

    def select(self, condition: Condition, then: Value, other: Value) -> Value:
        """`then` where the condition holds, else `other`; both are computed."""
        ...

    def lookup(self, table: Sequence[int], at: Value) -> Value:
        """The entry of a table, whose last one stands for all that follow."""
        ...

    def apply(self, function: Callable[..., int], *values: Value) -> Value:
        """A function of plain integers, such as a table without an end; asked once for all that are equal."""
        ...

    def nearest(self, value: Value) -> Value:
        """The nearest whole number, of two the even one."""
        ...

    def may_hold(self, condition: Condition) -> bool:
        """Whether a condition holds for any candidate, as far as that is known."""
        ...


class Exact:
    """The reading as plain integers."""

    def maximum(self, *values: Value) -> Value:
        return max(values)

    def minimum(self, *values: Value) -> Value:
        return min(values)

    def ceil_div(self, value: Value, divisor: Value) -> Value:
        return -(-value // divisor)

    def log2_ceil(self, value: Value) -> Value:
        return (value - 1).bit_length() if value > 1 else 0

    def log2_floor(self, value: Value) -> Value:
        return value.bit_length() - 1

    def gcd(self, left: Value, right: Value) -> Value:
        return math.gcd(left, right)

    def lowest_bit(self, value: Value) -> Value:
        return value & -value

    def is_power_of_two(self, value: Value) -> Condition:
        return value & (value - 1) == 0

    def exceeds(self, left: Value, right: Value) -> Condition:
        return left > right

    def equals(self, left: Value, right: Value) -> Condition:
        return left == right

    def both(self, *conditions: Condition) -> Condition:
        return all(conditions)

    def either(self, *conditions: Condition) -> Condition:
        return any(conditions)

    def negation(self, condition: Condition) -> Condition:
        return not condition

    def select(self, condition: Condition, then: Value, other: Value) -> Value:
        return then if condition else other

    def lookup(self, table: Sequence[int], at: Value) -> Value:
        return table[min(at, len(table) - 1)]

    def apply(self, function: Callable[..., int], *values: Value) -> Value:
        return function(*values)

    def nearest(self, value: Value) -> Value:
        return round(value)

    def may_hold(self, condition: Condition) -> bool:
        return bool(condition)


class Vector(Exact):
    """The reading as NumPy integer arrays; plain integers stand for arrays of equal entries, and give such again."""

    def maximum(self, *values: Value) -> Value:
        return max(values) if _plain(*values) else reduce(np.maximum, values)

    def minimum(self, *values: Value) -> Value:
        return min(values) if _plain(*values) else reduce(np.minimum, values)

    def log2_ceil(self, value: Value) -> Value:
        if _plain(value):
            return EXACT.log2_ceil(value)
        # frexp(x) = (m, e) with 0.5 <= m < 1 and x = m * 2^e: for x = value - 1 > 0, e is its number of bits
        _, bits = np.frexp(np.maximum(np.asarray(value) - 1, 0).astype(np.float64))
        return bits.astype(np.int64)

    def log2_floor(self, value: Value) -> Value:
        _, bits = np.frexp(np.asarray(value, dtype=np.float64))
        return bits.astype(np.int64) - 1

    def gcd(self, left: Value, right: Value) -> Value:
        return math.gcd(left, right) if _plain(left, right) else np.gcd(left, right)

    def both(self, *conditions: Condition) -> Condition:
        return all(conditions) if _plain(*conditions) else reduce(np.logical_and, conditions)

    def either(self, *conditions: Condition) -> Condition:
        return any(conditions) if _plain(*conditions) else reduce(np.logical_or, conditions)

    def negation(self, condition: Condition) -> Condition:
        return not condition if _plain(condition) else np.logical_not(condition)

    def select(self, condition: Condition, then: Value, other: Value) -> Value:
        if _plain(condition):
            return then if condition else other
        return np.where(condition, then, other)

    def lookup(self, table: Sequence[int], at: Value) -> Value:
        return np.asarray(table)[np.minimum(at, len(table) - 1)]

    def apply(self, function: Callable[..., int], *values: Value) -> Value:
        if len(values) > 1:
            rows, which = distinct_rows(values)
            return np.array([function(*map(int, row)) for row in rows], np.int64)[which]
        numbers = np.asarray(values[0], dtype=np.int64)
        if numbers.max(initial=0) > MOST_COUNTED:
            different, which = np.unique(numbers, return_inverse=True)
            return np.array([function(int(n)) for n in different], np.int64)[which.reshape(numbers.shape)]
        # small numbers are told apart faster by counting than by sorting
        counts = np.bincount(numbers.ravel())
        results = np.zeros(len(counts), np.int64)
        different = np.flatnonzero(counts)
        results[different] = [function(int(n)) for n in different]
        return results[numbers]

    def nearest(self, value: Value) -> Value:
        return np.rint(value).astype(np.int64)

    def may_hold(self, condition: Condition) -> bool:
        return bool(np.any(condition))


def _plain(*values: Value) -> bool:
    """Whether all are plain integers or truth values."""
    return all(type(value) in (int, bool) for value in values)


EXACT: Algebra = Exact()
VECTOR: Algebra = Vector()


def product(values: Iterable[Value]) -> Value:
    """The product of some values; 1 of none."""
    return reduce(operator.mul, values, 1)


def distinct(column: Value) -> Value:
    """The values of an array, each once, in order; `np.unique` would import masked arrays first (40 ms)."""
    ordered = np.sort(column, axis=None)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def distinct_rows(columns: Sequence[Value]) -> tuple[Value, Value]:
    """Of several columns of integers >= 0: a row for each different row, and for every row which of these it is."""
    arrays = np.broadcast_arrays(*columns)
    first, which = first_of_rows(arrays)
    return np.stack([column.ravel()[first] for column in arrays], axis=-1), which


def first_of_rows(arrays: Sequence[Value]) -> tuple[Value, Value]:
    """The same of columns of one shape, with the place of the first row of each kind, in the order of the rows.

    `np.unique` along an axis compares rows by Python code that C code calls: what an alarm raises there is lost.
    """
    code = np.zeros(arrays[0].shape, np.int64)
    size = 1
    for column in arrays:
        width = int(column.max(initial=0)) + 1
        if size * width > np.iinfo(np.int64).max:
            known, code = np.unique(code, return_inverse=True)
            code, size = code.reshape(column.shape), len(known)
        code, size = code * width + column, size * width
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return first, which.reshape(code.shape)


def at_least(alg: Algebra, left: Value, right: Value) -> Condition:
    """left >= right."""
    return alg.negation(alg.exceeds(right, left))
