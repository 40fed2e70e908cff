"""Short rows of arrays joined to longer ones, which fill the beats of a port: the same elements in the same memory.

for i: for j: g[i][j] = p[i][j][0] + 2 * p[i][j][1] + p[i][j][2]   becomes, as rows of p have 3 elements,
for i: for j: g[i][j] = p[i][3 j] + 2 * p[i][3 j + 1] + p[i][3 j + 2]
"""

from __future__ import annotations

from math import prod

from sisyphus.analysis import Dependences
from sisyphus.analysis.rewrite import with_refs
from sisyphus.ir import Array, Ref, Role, Scop
from sisyphus.poly import Affine, dim_range
from sisyphus.values import replace

#: Rows that are no shorter fill the widest beat of a port; of two beats such a share may be empty where it counts.
BEAT_BITS, EMPTY = 512, 0.2
#: Arrays of fewer beats are moved in no time, and so are those of which every element is used more often.
FEW_BEATS, MANY_USES = 64, 10_000


def in_long_rows(found: Dependences) -> Scop | None:
    """The kernel with rows of arguments that are too short for beats joined until they are not; None: none is."""
    scop = found.scop
    short = {a.id: depth for a in scop.arrays if (depth := _kept(scop, a)) < len(a.extents)}
    if not short:
        return None

    def move(ref: Ref) -> Ref:
        depth = short.get(ref.array)
        return ref if depth is None else replace(ref, index=_flat(scop.array(ref.array), ref.index, depth))

    arrays = tuple(_joined(a, short[a.id]) if a.id in short else a for a in scop.arrays)
    return replace(scop, statements=tuple(with_refs(s, move) for s in scop.statements), arrays=arrays)


def worth_long_rows(scop: Scop) -> bool:
    """Whether short rows of some array take long to move, beside what is done with them."""
    return any(_kept(scop, array) < len(array.extents) and _takes_long(scop, array) for array in scop.arrays)


def _kept(scop: Scop, array: Array) -> int:
    """How many dimensions an array has once its rows are long enough; all of them where they are, or may not change."""
    rows, bits = len(array.extents), array.type.stored.bits
    may = array.role is not Role.LOCAL and array.view_of is None and array.id not in scop.looked_up and not array.given
    by_dims = any(a.is_subscripted for a in scop.arguments if a.name == array.id)
    if rows == 1 or not may or by_dims or _is_read_across(scop, array):
        return rows

    def are_short(length: int) -> bool:
        return length < BEAT_BITS or (BEAT_BITS < length < (1 - EMPTY) * 2 * BEAT_BITS and _takes_long(scop, array))

    while rows > 1 and are_short(prod(array.extents[rows - 1 :]) * bits):
        rows -= 1
    return rows


def _is_read_across(scop: Scop, array: Array) -> bool:
    """Whether one body writes an array and reads others of its rows: such waves need banks in each dimension."""
    for writer in scop.writers(array.id):
        body = [s for s in scop.statements if s.position[:-1] == writer.position[:-1]]
        written = {s.write.index[0] for s in body if s.write.array == array.id}
        if any(ref.index[0] not in written for s in body for ref in s.reads if ref.array == array.id):
            return True
    return False


def _takes_long(scop: Scop, array: Array) -> bool:
    """Whether an array is large, and its elements used seldom enough, that a beat more or less counts."""
    is_large = array.elements * array.type.stored.bits >= FEW_BEATS * BEAT_BITS
    return is_large and _uses(scop, array) <= MANY_USES * array.elements


def _uses(scop: Scop, array: Array) -> int:
    """How many instances use an array, in boxes around domains."""
    using = (s for s in scop.statements if array.id in s.touched)
    sides = ((dim_range(s.domain, name) for name in s.iterators) for s in using)
    return sum(prod(high + 1 - low for low, high in box) for box in sides)


def _joined(array: Array, depth: int) -> Array:
    return replace(array, extents=(*array.extents[: depth - 1], prod(array.extents[depth - 1 :])))


def _flat(array: Array, index: tuple[Affine, ...], depth: int) -> tuple[Affine, ...]:
    """The subscripts of an element where all from the last that is kept on are one."""
    last = index[depth - 1]
    for extent, subscript in zip(array.extents[depth:], index[depth:], strict=True):
        last = last * extent + subscript
    return (*index[: depth - 1], last)
