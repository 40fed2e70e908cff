"""Statements that compute on a face of a domain what another one computes inside: they become one.

for i: { for j < i: A[i][j] -= A[i][k] * A[j][k]   A[i][i] -= A[i][k] * A[i][k] }   becomes
for i: for j <= i: A[i][j] -= A[i][k] * A[j][k]
"""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.forms.building import every_ref
from sisyphus.ir import Statement, substitute
from sisyphus.poly import Affine


def as_part_of(one: Statement, other: Statement) -> Mapping[str, Affine] | None:
    """What the iterators of `other` have to be so that it computes what `one` does; None where nothing will do.

    The domains are not looked at: `reordering.py` makes one statement of two where no point is in both.
    """
    values: dict[str, Affine] = {}
    for mine, its in zip(every_ref(one), every_ref(other), strict=False):
        for wanted, index in zip(mine.index, its.index, strict=False):
            if len(index.terms) == 1 and index.terms[0][1] == 1:
                values.setdefault(index.terms[0][0], wanted - index.constant)
    if set(values) != set(other.iterators) or one.write_type != other.write_type:
        return None
    is_same = (one.write, one.rhs) == (other.write.substitute(values), substitute(other.rhs, values))
    return values if is_same else None
