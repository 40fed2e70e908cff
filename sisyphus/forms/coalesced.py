"""Values that are copied from one local array to another have one place in both; knows no cost.

for i: { for j: cur[i][j] = f(prev[i][j], cur[i][j-1])   for j: prev[i+1][j] = cur[i][j] }   becomes
for i: for j: prev[i+1][j] = f(prev[i][j], prev[i+1][j-1])

So the rows of a table that take turns are rows of one table, and what computes the next one need not wait for copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

from sisyphus.analysis import Dependences, elements_touched, privatise, sources_of
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import with_refs
from sisyphus.ir import Array, Read, Ref, Role, Scop, Statement
from sisyphus.poly import Affine, box_of, functions, make_map
from sisyphus.values import dataclass, replace


def coalesced(found: Dependences) -> Scop | None:
    """The kernel without copies between local arrays whose elements have one value each; None without such copies.

    What is read of either array is the one value that its element ever has, before and afterwards. Local variables
    have a place for each value where these stay within an iteration.
    """
    private, patience = privatise(found.scop, found), Patience()
    scop = better = found.scop if private is None else private.scop
    while (one := next(_each(better, patience), None)) is not None:
        better = one
    return None if better is scop else better


def _each(scop: Scop, patience: Patience) -> Iterator[Scop]:
    """The kernel without one of two arrays that a statement copies elements between, where it can be so."""
    locals_ = {array.id: array for array in scop.arrays if array.role is Role.LOCAL and array.id not in scop.looked_up}
    for link in scop.statements:
        if not isinstance(link.rhs, Read) or {link.write.array, link.rhs.ref.array} - locals_.keys():
            continue
        for gone, stays in ((link.write, link.rhs.ref), (link.rhs.ref, link.write)):
            if gone.array != stays.array and locals_[gone.array].type == locals_[stays.array].type:
                merging = _Merging(locals_[gone.array], locals_[stays.array])
                made = patience.ask(partial(merging.made, scop, link, gone, stays))
                if made is not None:
                    yield made


@dataclass(frozen=True, eq=False)
class _Merging:
    """An array whose elements get places among those of another one."""

    gone: Array
    stays: Array

    def made(self, scop: Scop, link: Statement, gone: Ref, stays: Ref) -> Scop | None:
        """The kernel where the elements of two references of a copy are one; None unless every one has one value."""
        dims = [f"d{at}" for at in range(len(gone.index))]
        here = make_map(link.id, link.iterators, "", dims, gone.index).intersect_domain(link.domain)
        there = make_map(link.id, link.iterators, "", [f"e{at}" for at in range(len(stays.index))], stays.index)
        pairs = here.reverse().apply_range(there)
        if not pairs.is_single_valued():
            return None
        try:
            [(_, places)] = functions(pairs, dims)
        except ValueError:
            return None
        moved = [with_refs(s, partial(self._place, dims, places)) for s in scop.statements]
        kept = tuple(s for s in moved if not (isinstance(s.rhs, Read) and s.rhs.ref == s.write))
        arrays = tuple(a for a in scop.arrays if a.id != self.gone.id)
        made = replace(scop, statements=kept, arrays=arrays)
        before = all(sources_of(scop, array.id) is not None for array in (self.gone, self.stays))
        return made if before and self._fits(made) and self._has_one_value_each(made) else None

    def _place(self, dims: Sequence[str], places: Sequence[Affine], ref: Ref) -> Ref:
        if ref.array != self.gone.id:
            return ref
        given: Mapping[str, Affine] = dict(zip(dims, ref.index, strict=True))
        return Ref(self.stays.id, tuple(place.substitute(given) for place in places))

    def _fits(self, scop: Scop) -> bool:
        ends = box_of(elements_touched(scop.statements, self.stays))
        return all(low >= 0 and high < extent for (low, high), extent in zip(ends, self.stays.extents, strict=True))

    def _has_one_value_each(self, scop: Scop) -> bool:
        """Is each element written once at most, and before it is read?"""
        writes = [s.accesses[0].relation for s in scop.writers(self.stays.id)]
        return (
            all(relation.is_injective() for relation in writes)
            and all(one.range().is_disjoint(other.range()) for one, other in combinations(writes, 2))
            and sources_of(scop, self.stays.id) is not None
        )
