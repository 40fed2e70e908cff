"""Banks of a partitioned array and the words in each, over the algebra (docs/model.md); knows no memory and no cost."""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.algebra import Algebra, Condition, Value, product

#: Per dimension the extent and the cyclic factor, each at least 1.
Partitioned = Iterable[tuple[Value, Value]]


def bank_count(alg: Algebra, dims: Partitioned) -> Value:
    """Product of min(extent, factor) over the dimensions."""
    return product(alg.minimum(extent, factor) for extent, factor in dims)


def words_per_bank(alg: Algebra, dims: Partitioned) -> Value:
    """Product of ceil(extent / factor) over the dimensions."""
    return product(alg.ceil_div(extent, factor) for extent, factor in dims)


def in_registers(alg: Algebra, dims: Partitioned) -> Condition:
    """Whether every element is a bank of its own."""
    return alg.negation(alg.exceeds(words_per_bank(alg, dims), 1))
