"""Numbers that are integers, NumPy vectors or symbols of a tape, and what rules compute with them; knows no rule."""

from sisyphus.algebra.readings import (
    EXACT,
    VECTOR,
    Algebra,
    Condition,
    Value,
    at_least,
    distinct,
    distinct_rows,
    first_of_rows,
    product,
)

__all__ = [
    "EXACT",
    "VECTOR",
    "Algebra",
    "Condition",
    "Value",
    "at_least",
    "distinct",
    "distinct_rows",
    "first_of_rows",
    "product",
]
