"""What one loop makes in a local array and later loops use, in blocks of its rows that stay on chip; knows no target.

for t: for f: h[t][f] = x[t][f] * w[f]   for t: for d: y[t] += h[t][d]   becomes, by 64 rows,
for tb: { for t < 64: for f: h[t][f] = x[64 tb + t][f] * w[f]   for t < 64: for d: y[64 tb + t] += h[t][d] }

Variables have a place for each row first. Each row is made and used in one block, so that the next one may have its
place; what else the loops touch passes once per block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sisyphus.analysis import Dependences, dependences, privatise
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.blocks import contracted
from sisyphus.forms.building import Cut, Names
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.ir import Array, Role, Scop, Statement
from sisyphus.poly import var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Passing:
    """Local arrays whose rows are made and used at the same number of the outermost loops of `statements`."""

    scop: Scop
    arrays: tuple[Array, ...]
    statements: tuple[Statement, ...]

    @cached_property
    def values(self) -> range:
        """The numbers of all rows."""
        return range_of(self.statements, 0)

    @property
    def elements_of_row(self) -> int:
        """Of all arrays together."""
        return sum(array.elements // array.extents[0] for array in self.arrays)


def passing_rows(found: Dependences) -> Passing | None:
    """The local arrays that pass rows from one outermost loop to another; None where there are none."""
    private = privatise(found.scop, found)
    scop = found.scop if private is None else private.scop
    arrays = tuple(a for a in scop.arrays if a.role is Role.LOCAL and a.extents and _is_by_rows(scop, a))
    names = {array.id for array in arrays}
    places = {s.position[0] for s in scop.statements if names & {*s.touched}}
    statements = tuple(s for s in scop.statements if s.position[0] in places)
    return Passing(scop, arrays, statements) if len(places) > 1 else None


def _is_by_rows(scop: Scop, array: Array) -> bool:
    """Whether all that touches an array does so in the row of its outermost loop."""
    uses = [(s, a.ref) for s in scop.statements for a in s.accesses if a.array == array.id]
    return array.id not in scop.looked_up and all(s.iterators and r.index[0] == var(s.iterators[0]) for s, r in uses)


def in_local_blocks(found: Dependences, size: int) -> Scop | None:
    """The kernel in blocks of so many rows; None where no arrays pass rows on, or it would be another program."""
    passing = passing_rows(found)
    if passing is None or len(passing.values) <= size:
        return None
    scop = passing.scop
    cut = Cut(Names(scop).wanted(f"{passing.statements[0].iterators[0]}_block"), passing.values.start, size)
    blocks = ordered(scop, [_moved(old, passing.statements, cut) for old in scop.statements])
    if next(faults(dependences(scop), blocks), None) is not None:
        return None
    return contracted(blocks.scop, {s.id: cut for s in passing.statements}, {a.id: 0 for a in passing.arrays})


def _moved(old: Statement, inside: Sequence[Statement], cut: Cut) -> Moved:
    """The statement in its block, at the place of the first of all that are; others stay before or after all blocks."""
    if old not in inside:
        return old, old, {}
    new, given = cut.at(old, 0)
    return old, replace(new, position=(inside[0].position[0], *old.position)), given
