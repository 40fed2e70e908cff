"""Which later statements need no dependence of their own, as a whole overwrite between says it already.

for i: x[i] = ..;   for i: x[i] = ..;   for i: y[i] = x[i];   the first is tied to the third by the second

A kernel of N loops after one another on one array has about N^2 dependences, and these are the N that matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import ArrayId, Scop
from sisyphus.poly import Set, box_of, dim_names, is_product

Box = tuple[tuple[int, int], ...]

#: Kernels of fewer statements are told of every dependence that they have.
MANY_STATEMENTS = 64


def last_needed(scop: Scop, patience: Patience) -> Mapping[tuple[int, ArrayId], int]:
    """By statement (its place) and array: the outermost position behind which everything is tied to it by others.

    There stands the first statement that overwrites, in a loop of its own, all that the two may share. Nothing is said
    of a statement for which there is no such one.
    """
    needed = dict[tuple[int, ArrayId], int]()
    if len(scop.statements) < MANY_STATEMENTS:
        return needed
    touched = defaultdict[ArrayId, dict[int, Box]](dict)
    whole = defaultdict[ArrayId, list[tuple[int, Box]]](list)
    for at, statement in enumerate(scop.statements):
        for array in statement.touched:
            everything: Box = tuple((0, extent - 1) for extent in scop.array(array).extents)
            accesses = [a for a in statement.accesses if a.array == array]
            found = [patience.ask(partial(_box, a.relation.range())) or (everything, False) for a in accesses]
            touched[array][at] = _hull([box for box, _ in found] or [everything])
            if array == statement.write.array and found[0][1]:
                whole[array].append((statement.position[0], found[0][0]))
    for array, over in whole.items():
        written = _hull([box for at, box in touched[array].items() if scop.statements[at].write.array == array])
        for at, box in touched[array].items():
            shared, here = _common(box, written), scop.statements[at].position[0]
            hiding = (place for place, all_of_it in over if place > here and _holds(all_of_it, shared))
            first = next(hiding, None)
            if first is not None:
                needed[at, array] = first
    return needed


def _box(elements: Set) -> tuple[Box, bool]:
    """The least box around the elements, and whether they fill it."""
    return box_of(elements), is_product(elements, dim_names(elements))


def _hull(boxes: Sequence[Box]) -> Box:
    return tuple((min(low for low, _ in ends), max(high for _, high in ends)) for ends in zip(*boxes, strict=True))


def _common(one: Box, other: Box) -> Box:
    return tuple((max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(one, other, strict=True))


def _holds(outer: Box, inner: Box) -> bool:
    return all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(outer, inner, strict=True))
