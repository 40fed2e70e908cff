"""Arrays that only carry values inside an iteration get a copy per iteration, so that loops distribute; knows no cost.

for i: { acc = 0; for k: acc += A[i][k] * x[k]; y[i] = acc }   becomes
for i: acc[i] = 0    for i: for k: acc[i] += A[i][k] * x[k]    for i: y[i] = acc[i]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import prod

from sisyphus.analysis.dependence import Dependence, Dependences
from sisyphus.analysis.dependence import dependences as dependences_of
from sisyphus.analysis.distribution import strong_components
from sisyphus.analysis.footprint import computes
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.liveness import unfed
from sisyphus.analysis.rewrite import Expansion, most_places, range_of, rewrite
from sisyphus.analysis.webs import Web, last_iteration, webs_of
from sisyphus.ir import ArrayId, Role, Scop, Statement, StmtId
from sisyphus.poly import compare

#: A web by its place in the list, and the depth of a loop to expand it over.
Choice = tuple[int, int]

#: Is every statement on its own or in a nest that the loop may be part of, and how many parts compute something.
Gain = tuple[bool, int]


def expand(scop: Scop, dependences: Dependences) -> Expansion | None:
    """The scop with every array expanded over exactly the loops whose distribution it blocks; None if there is none.

    Expansion keeps the meaning where every read gets its value from the same iteration of the expanded loops: the
    write that came last of all comes last among those of its iteration, too.
    """
    search = _Search(scop, dependences)
    search.visit(scop.statements, 0)
    if not any(search.over.values()):
        return None
    return rewrite(scop, [(web, sorted(search.over[at])) for at, web in enumerate(search.webs)], search.refused)


def expand_inside(scop: Scop, dependences: Dependences, depth: int = 1) -> Expansion | None:
    """As `expand`, but over no outermost loop: less memory, and that loop stays around all that shares it.

    Nor over any other one of so many from the outside. None where that leaves nothing to expand, or leaves all of it.
    """
    search = _Search(scop, dependences)
    search.visit(scop.statements, 0)
    outer = {*range(depth)}
    inside = {at: sorted(loops - outer) for at, loops in search.over.items()}
    if not any(inside.values()) or not any(depth - 1 in loops for loops in search.over.values()):
        return None
    return rewrite(scop, [(web, inside[at]) for at, web in enumerate(search.webs)], search.refused)


def privatise(scop: Scop, dependences: Dependences, *, arrays: bool = True) -> Expansion | None:
    """The scop with every local variable expanded over all loops in each iteration of which its values stay.

    Without `arrays`, those alone that have one element. No variable becomes larger than the largest array that there
    is, or `SMALL`: one that would is expanded over those loops alone in which nothing but local variables waits, of its
    own statements, or else of all that the loops have, or else over those that pass on no local variable which its
    statements use. None where nothing can be expanded.
    """
    if not any(array.role is Role.LOCAL for array in scop.arrays):
        return None
    search = _Search(scop, dependences)
    search.find_webs(scop.statements)
    most = most_places(scop)
    webs: list[tuple[Web, list[int]]] = []
    for at, web in enumerate(search.webs):
        may_be = web.array.role is Role.LOCAL and (arrays or not web.array.extents)
        alone = range(web.shared_loops) if may_be else ()
        loops = [loop for loop in alone if search.may_expand(at, loop)]
        if _size_over(web, loops) > most:
            loops = [loop for loop in loops if not search.is_carried(web.statements, loop)]
        if _size_over(web, loops) > most:
            loops = [loop for loop in loops if not search.is_carried(search.inside(web, loop), loop)]
        if _size_over(web, loops) > most:
            loops = [loop for loop in loops if not search.is_passed_on(web, loop)]
        webs.append((web, loops if _size_over(web, loops) <= most else []))
    return rewrite(scop, webs, {}) if any(loops for _, loops in webs) else None


def privatised(found: Dependences, *, arrays: bool = True) -> Dependences:
    """The kernel with such variables, and its dependences then; as it was where nothing can be expanded."""
    private = privatise(found.scop, found, arrays=arrays)
    return found if private is None else dependences_of(private.scop)


def _size_over(web: Web, loops: Sequence[int]) -> int:
    """Elements of an array that is expanded over some loops."""
    return web.array.elements * prod(len(range_of(web.statements, loop)) for loop in loops)


class _Search:
    """Finds, loop by loop from outside, which webs keep statements together that could be apart."""

    def __init__(self, scop: Scop, dependences: Dependences) -> None:
        self.scop = scop
        self.dependences = dependences
        self.patience = Patience()
        self.webs: list[Web] = []
        self.place: dict[tuple[ArrayId, StmtId], int] = {}
        self.over: dict[int, frozenset[int]] = {}
        self.refused: dict[ArrayId, str] = {}
        self._known: set[ArrayId] = set()
        self._sound: dict[int, bool] = {}
        self._private: dict[Choice, bool] = {}
        self._reasons: dict[Choice, str | None] = {}
        self._left: dict[tuple[Dependence, frozenset[int]], tuple[int | None, ...]] = {}

    def visit(self, statements: Sequence[Statement], depth: int) -> None:
        for group in self.components(statements, depth, self.over):
            if len(group) == 1:
                continue
            wanted = self.blockers(group, depth)
            self.over = self.expanded_over(wanted)
            self.visit(group, depth if wanted else depth + 1)

    def components(
        self, statements: Sequence[Statement], depth: int, over: Mapping[int, frozenset[int]]
    ) -> list[tuple[Statement, ...]]:
        names = frozenset(s.id for s in statements)
        edges = [
            (e.source, e.sink)
            for e in self.dependences.among(names)
            if any(d is None or d >= depth for d in self.depths_left(e, over))
        ]
        return strong_components(statements, edges)

    def depths_left(self, edge: Dependence, over: Mapping[int, frozenset[int]]) -> tuple[int | None, ...]:
        """Where an edge is carried once the webs are expanded."""
        source, sink = self.place.get((edge.array, edge.source)), self.place.get((edge.array, edge.sink))
        if source != sink:
            return () if any(over[at] for at in (source, sink) if at is not None) else edge.depths
        expanded = over[source] if source is not None else frozenset()
        if not expanded:
            return edge.depths
        known = self._left.get((edge, expanded))
        if known is None:
            known = self._left[edge, expanded] = tuple(_carried(edge, expanded))
        return known

    def blockers(self, group: tuple[Statement, ...], depth: int) -> list[Choice]:
        """The expansions, none of which can be left out, that set most of a group's computations apart.

        A loop inside must often be expanded over as well, or it would still tie the statements together.
        """
        self.find_webs(group)
        wanted = self.choices(group, depth, kept=True)
        gain = self.gain(group, depth, wanted)
        self.note_refused(group, depth, wanted, gain)
        if gain == self.gain(group, depth, []):
            return []
        for choice in reversed(wanted):
            fewer = [other for other in wanted if other != choice]
            if self.gain(group, depth, fewer) == gain:
                wanted = fewer
        return wanted

    def note_refused(self, group: tuple[Statement, ...], depth: int, wanted: list[Choice], gain: Gain) -> None:
        """Remembers why arrays had to stay that would have set more apart."""
        stuck = self.choices(group, depth, kept=False)
        more = self.gain(group, depth, wanted + stuck) if stuck else gain
        if more > gain:
            for at, loop in stuck:
                without = [choice for choice in stuck if choice[0] != at]
                if self.gain(group, depth, wanted + without) < more:
                    self.refused[self.webs[at].array.id] = self.refusal(at, loop) or ""

    def gain(self, group: Sequence[Statement], depth: int, choices: Sequence[Choice]) -> Gain:
        """What the choices achieve for a group at this depth.

        An initialisation or a copy that leaves a loop which the rest still shares is not worth an array.
        """
        over = self.expanded_over(choices)
        parts = self.components(group, depth, over)
        alone = all(len(part) == 1 or self.is_free(part, depth, over) for part in parts)
        return alone, sum(any(map(computes, part)) for part in parts)

    def is_free(self, part: Sequence[Statement], depth: int, over: Mapping[int, frozenset[int]]) -> bool:
        """May a nest of several statements take in the loop at this depth, since nothing is carried by it any more?"""
        if any(len(s.iterators) != part[0].shared_loops(s) for s in part):
            return False
        edges = self.dependences.among(frozenset(s.id for s in part))
        return all(depth not in self.depths_left(edge, over) for edge in edges)

    def expanded_over(self, choices: Sequence[Choice]) -> dict[int, frozenset[int]]:
        """What the webs are expanded over with some more choices made."""
        return {at: loops | {loop for web, loop in choices if web == at} for at, loops in self.over.items()}

    def choices(self, group: Sequence[Statement], depth: int, *, kept: bool) -> list[Choice]:
        """Legal expansions of webs in a group over this loop and those inside; without `kept`, those refused."""
        return [
            (at, loop)
            for at, web in enumerate(self.webs)
            if any(s in group for s in web.statements)
            for loop in range(depth, web.shared_loops)
            if loop not in self.over[at] and self.may_expand(at, loop) and (self.refusal(at, loop) is None) == kept
        ]

    def may_expand(self, at: int, loop: int) -> bool:
        """Does every value stay within one iteration of the loop?"""
        if at not in self._sound:
            self._sound[at] = self.is_sound(self.webs[at])
        if (at, loop) not in self._private:
            self._private[at, loop] = self.patience.ask(partial(self.webs[at].stays_within, loop)) is True
        return self._sound[at] and self._private[at, loop]

    def inside(self, web: Web, loop: int) -> list[Statement]:
        """All statements in a loop that those of a web share."""
        return [s for s in self.scop.statements if s.shared_loops(web.statements[0]) > loop]

    def is_carried(self, statements: Sequence[Statement], loop: int) -> bool:
        """Do statements wait for earlier iterations of a loop for what is no local variable?"""
        own = frozenset(statement.id for statement in statements)
        waits = (edge for edge in self.dependences.among(own) if self.scop.array(edge.array).role is not Role.LOCAL)
        return any(loop in edge.depths for edge in waits)

    def is_passed_on(self, web: Web, loop: int) -> bool:
        """Do statements of a web need values of another local variable from earlier iterations of a loop?"""
        inside, name = {s.id for s in self.inside(web, loop)}, web.statements[0].iterators[loop]
        own = {s.id for s in web.statements}
        others = (other for other in self.webs if other is not web and other.array.role is Role.LOCAL)
        used = (other for other in others if any(s.id in own for s in other.statements))
        flows = (flow for other in used for flow in other.flows if {flow.source, flow.sink} <= inside)
        return any(not compare(flow.relation, name, 1, name).is_empty() for flow in flows)

    def refusal(self, at: int, loop: int) -> str | None:
        """Why an array has to stay although its values would allow expansion."""
        if (at, loop) not in self._reasons:
            web = self.webs[at]
            self._reasons[at, loop] = None if web.array.role is Role.LOCAL else self.unknown_end(web, loop)
        return self._reasons[at, loop]

    def is_sound(self, web: Web) -> bool:
        """Is every value that is read in the web also written in it?"""
        if any(f.approximate for f in web.flows):
            return False
        writes = [(s, a) for s in web.statements for a in s.accesses if a.is_write and a.array == web.array.id]
        for reader in web.statements:
            for access in reader.accesses:
                if access.array == web.array.id and not access.is_write:
                    rest = self.patience.ask(partial(unfed, reader, access, writes))
                    if rest is None or not rest.is_empty():
                        return False
        return True

    def unknown_end(self, web: Web, depth: int) -> str | None:
        """Why the final values of an argument cannot be copied out of one iteration of this loop, if so."""
        if any(s not in web.statements for s in self.scop.writers(web.array.id)):
            return "it is an argument that is written for several purposes"
        if self.patience.ask(partial(last_iteration, self.scop, web, depth)) is None:
            return "it is an argument whose elements get their last values in different iterations"
        return None

    def find_webs(self, group: Sequence[Statement]) -> None:
        """The webs of every array that a group both writes and touches again."""
        for array in dict.fromkeys(s.write.array for s in group):
            if array not in self._known:
                self._known.add(array)
                for web in webs_of(self.scop, self.dependences, array, self.patience):
                    at = len(self.webs)
                    self.webs.append(web)
                    self.over[at] = frozenset()
                    self.place |= {(array, s.id): at for s in web.statements}


def _carried(edge: Dependence, expanded: frozenset[int]) -> Iterator[int | None]:
    """The loops that carry an edge from an iteration of the expanded loops to the same one."""
    for depth, part in edge.parts:
        if depth not in expanded:
            for at in expanded:
                part = compare(part, edge.shared[at][0], 0, edge.shared[at][1])
            if not part.is_empty():
                yield depth
