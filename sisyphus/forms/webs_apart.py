"""Values of an argument that are gone before the kernel ends, in a local array of their own; knows no cost.

for i: y[i] = f(x[i])   for i: z[i] = y[i]   for i: y[i] = g(z[i])   becomes
for i: y_1[i] = f(x[i])   for i: z[i] = y_1[i]   for i: y[i] = g(z[i])

Only what is written last has to be in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sisyphus.analysis import Dependences, elements_touched, liveness
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.webs import Web, webs_of
from sisyphus.forms.building import Names, in_array, local
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.values import replace


def arrays_with_webs(found: Dependences) -> tuple[ArrayId, ...]:
    """The arguments that have such values."""
    return tuple(dict.fromkeys(web.array.id for web in _found(found)))


def webs_apart(found: Dependences, wanted: Collection[str]) -> Scop | None:
    """The kernel with such values of some arguments apart; None where one has none."""
    scop, names = found.scop, Names(found.scop)
    webs = [web for web in _found(found) if web.array.id in wanted]
    for web in webs:
        own = local(web.array, names.array(web.array.id), web.array.extents)
        inside = {s.id for s in web.statements}
        moved = (in_array(s, web.array.id, own.id) if s.id in inside else s for s in scop.statements)
        scop = replace(scop, arrays=(*scop.arrays, own), statements=tuple(moved))
    return scop if {web.array.id for web in webs} == {*wanted} else None


def _found(found: Dependences) -> Iterator[Web]:
    scop, patience = found.scop, Patience()
    written = [a for a in scop.arrays if a.role in (Role.OUT, Role.INOUT) and a.extents and a.view_of is None]
    live = liveness(scop) if written else {}
    for array in written:
        if array.id not in scop.looked_up and live[array.id].upward_exposed.is_empty():
            yield from _gone(webs_of(scop, found, array.id, patience))


def _gone(webs: Sequence[Web]) -> Iterator[Web]:
    """Those of which later ones write every element again, in loops after all of theirs."""
    for at, web in enumerate(webs[:-1]):
        last = max(s.position[0] for s in web.statements)
        after = [s for later in webs[at + 1 :] for s in later.statements]
        own, again = (elements_touched(some, web.array, reads=False) for some in (web.statements, after))
        if all(s.position[0] > last for s in after) and own.is_subset(again):
            yield web
