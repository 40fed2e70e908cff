"""Iterations inside of steps that nothing ties to each other, in batches that stay on chip; knows no target.

for t: for i: { for j: p[i][j] = f(p[i][j - 1], u[j][i])   for j: v[j][i] = g(p[i][j], v[j - 1][i]) }   becomes, by 64,
for t: for ib: {
    for i < 64: { for j: p_1[i][j] = f(p_1[i][j - 1], u[j][64 ib + i])
                  for j: v_1[j][i] = g(p_1[i][j], v_1[j - 1][i]) }
    for i < 64: for j: p[64 ib + i][j] = p_1[i][j]   for j: for i < 64: v[j][64 ib + i] = v_1[j][i] }

Where arrays do not fit on chip, each nest under t would move all that it uses in every step. A batch has windows of the
rows or columns of its iterations: what it reads before it writes it is filled first, what it writes is written back
where something reads it, or it is the last value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from sisyphus.analysis import Dependences, privatised
from sisyphus.analysis.distribution import strong_components
from sisyphus.analysis.rewrite import range_of
from sisyphus.errors import InternalError
from sisyphus.forms.building import Cut, Names, without_unused
from sisyphus.forms.lines import Line, in_steps, lines_first, window_of, with_windows
from sisyphus.forms.needless import without_needless
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.sinking import free_loops
from sisyphus.ir import Array, ArrayId, Role, Scop, Statement
from sisyphus.poly import var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Together:
    """Statements that share a loop, maybe inside of steps, whose iterations have `lines` of some arrays to themselves.

    `tied`: nests of theirs move these far more often else, as they depend on each other in a cycle or in each step.
    """

    statements: tuple[Statement, ...]
    depth: int
    lines: tuple[Line, ...]
    tied: bool

    @cached_property
    def values(self) -> range:
        """All values of the loop, from the first element of the arrays on."""
        return range(min(0, range_of(self.statements, self.depth).start), range_of(self.statements, self.depth).stop)

    @property
    def loop(self) -> str:
        return self.statements[0].iterators[self.depth]

    @property
    def around(self) -> tuple[str, ...]:
        """The loops of the steps."""
        return self.statements[0].iterators[: self.depth]

    @property
    def place(self) -> tuple[int, ...]:
        """Where the loop stands."""
        return self.statements[0].position[: self.depth + 1]


@lru_cache(maxsize=8)  # to find a size, and to build it
def to_be_batched(found: Dependences) -> Dependences:
    """The kernel, or where nothing in it comes in batches, that with a place for each iteration of its variables."""
    return found if independent(found) else privatised(found)


@lru_cache(maxsize=8)  # of that kernel, too
def independent(found: Dependences) -> tuple[Together, ...]:
    """The outermost loops whose iterations do not depend on each other, in a step of the loops around them if any.

    Inside of steps some array has lines that they write before they read them: only these never travel between two
    nests. Around everything they have lines, of which some are written where nothing is tied; where something is, what
    is not has no batches.
    """
    made = dict[tuple[int, ...], Together]()
    for place, group in free_loops(found).items():
        if not any(place[: len(other)] == other for other in made):
            depth = len(place) - 1
            is_tied = depth > 0 or _in_turns(found, group)
            one = Together(tuple(group), depth, tuple(_lines(found.scop, group, depth)), is_tied)
            if _has_batches(found.scop, one):
                made[place] = one
    tied = tuple(group for group in made.values() if group.tied)
    return tied or tuple(made.values())


def _has_batches(scop: Scop, group: Together) -> bool:
    """Whether a group has lines of arguments that are worth windows."""
    arguments = [name for name, _ in group.lines if scop.array(name).role is not Role.LOCAL]
    if group.depth:
        return any(_passed_on(scop, group.statements, group.depth, name) for name in arguments)
    return bool(arguments) and (group.tied or any(s.write.array in arguments for s in group.statements))


def _lines(scop: Scop, group: Sequence[Statement], depth: int) -> Iterator[Line]:
    """Arrays that several statements use, of which each iteration touches elements of its own subscript alone.

    The same in every step: no other subscript moves with the loops outside. Of local ones those whose values all stay
    in an iteration.
    """
    for array in scop.arrays:
        uses = [(s.iterators[: depth + 1], a.ref) for s in group for a in s.accesses if a.array == array.id]
        is_kept = len(array.extents) > 1 and array.id not in scop.looked_up
        if is_kept and array.role is Role.LOCAL:
            is_alone = all(s in group for s in scop.statements if array.id in s.touched)
            is_kept = is_alone and _passed_on(scop, group, depth, array.id)
        if is_kept and sum(array.id in s.touched for s in group) > 1:
            for dim in range(len(array.extents)):
                others = [e for names, r in uses for at, e in enumerate(r.index) if at != dim and e.names & {*names}]
                if not others and all(ref.index[dim] == var(names[-1]) for names, ref in uses):
                    yield array.id, dim


def _in_turns(found: Dependences, group: Sequence[Statement]) -> bool:
    """Whether statements depend on each other in a cycle."""
    ties = found.among(frozenset(s.id for s in group))
    cycles = strong_components(group, [(edge.source, edge.sink) for edge in ties])
    return any(len(cycle) > 1 for cycle in cycles)


def _passed_on(scop: Scop, group: Sequence[Statement], depth: int, array: ArrayId) -> bool:
    """Whether each iteration writes all that it reads of an array."""
    exposed, written = in_steps(scop, group, depth, array)
    return bool(exposed.is_empty()) and not written.is_empty()


def in_batches(found: Dependences, size: int) -> Scop | None:
    """The kernel in batches of so many iterations; None where no loop makes several."""
    found = to_be_batched(found)
    scop = found.scop
    groups = [group for group in independent(found) if len(group.values) > size]
    if not groups:
        return None
    names = Names(scop)
    cuts = [Cut(names.wanted(f"{one.loop}_batch"), one.values.start, size) for one in groups]
    batches = ordered(scop, _moved(scop, dict(zip(groups, cuts, strict=True))))
    if next(faults(found, batches), None) is not None:
        raise InternalError("batches of a loop make another program")
    windows = dict[ArrayId, Array]()
    statements = {s.id: s for s in batches.scop.statements}
    shared = shared_windows(scop, groups)
    kept = {owner: names.array(owner[0]) for owner in dict.fromkeys(line for of in shared for line in of.values())}
    for one, cut, owners in zip(groups, cuts, shared, strict=True):
        group = [statements.pop(s.id) for s in one.statements]
        around = (*one.around, cut.name)
        own = [
            window_of(scop.array(line[0]), line, kept[owner], around, cut, first=True) for line, owner in owners.items()
        ]
        windows |= {window.own: window.kept for window in own}
        statements |= {s.id: s for s in with_windows(batches.scop, group, own, one.place, names)}
    made = replace(
        scop,
        statements=tuple(sorted(statements.values(), key=lambda s: s.position)),
        arrays=(*scop.arrays, *windows.values()),
    )
    return without_unused(without_needless(made, statements.keys() - {s.id for s in scop.statements}))


def shared_windows(scop: Scop, groups: Sequence[Together]) -> list[dict[Line, Line]]:
    """Per group its lines, each with the line that has its window: its own, or another one's that a group before had.

    No value stays in a window from one batch to the next, so that lines of like arrays share one in several groups.
    """
    owners, found = list[Line](), list[dict[Line, Line]]()
    for group in groups:
        own = {line: line for line in group.lines if line in owners}
        for line in group.lines:
            if line not in own:
                free = (owner for owner in owners if owner not in own.values() and _alike(scop, owner, line))
                own[line] = next(free, line)
                if own[line] is line:
                    owners.append(line)
        found.append({line: own[line] for line in group.lines})
    return found


def _alike(scop: Scop, one: Line, other: Line) -> bool:
    """Whether lines of two arrays are of one shape and type."""
    first, second = (scop.array(array) for array, _ in (one, other))
    shapes = lines_first(first.extents, one[1])[1:], lines_first(second.extents, other[1])[1:]
    return first.type == second.type and shapes[0] == shapes[1]


def _moved(scop: Scop, cuts: Mapping[Together, Cut]) -> Iterator[Moved]:
    """The same instances in the same order, with a loop over batches around each loop that has some."""
    own = {statement.id: (one, cut) for one, cut in cuts.items() for statement in one.statements}
    for old in scop.statements:
        if old.id not in own:
            yield old, old, {}
        else:
            one, cut = own[old.id]
            new, given = cut.at(old, one.depth)
            yield old, replace(new, position=(*one.place, 0, *old.position[one.depth + 1 :])), given
