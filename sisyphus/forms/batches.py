"""Iterations inside of steps that nothing ties to each other, in batches that stay on chip; knows no target.

for t: for i: { for j: p[i][j] = f(p[i][j - 1], u[j][i])   for j: v[j][i] = g(p[i][j], v[j - 1][i]) }   becomes, by 64,
for t: for ib: {
    for i < 64: { for j: p_1[i][j] = f(p_1[i][j - 1], u[j][64 ib + i])
                  for j: v_1[j][i] = g(p_1[i][j], v_1[j - 1][i]) }
    for i < 64: for j: p[64 ib + i][j] = p_1[i][j]   for j: for i < 64: v[j][64 ib + i] = v_1[j][i] }

Where arrays do not fit on chip, each nest under t would move all that it uses in every step. A batch has windows of the
rows or columns of its iterations: what it reads before it writes it is filled first, what it writes is written back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from sisyphus.analysis import Dependences, elements_touched, liveness
from sisyphus.analysis.rewrite import range_of, with_refs
from sisyphus.errors import InternalError
from sisyphus.forms.blocks import BEAT, Cut
from sisyphus.forms.building import Names, copying, local, over
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Ordered, Part
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement, StmtId
from sisyphus.poly import Affine, Set, convex_parts, make_set, pull_back, var
from sisyphus.values import dataclass, replace

#: An array, and the dimension in which its elements belong to iterations.
Line = tuple[ArrayId, int]


@dataclass(frozen=True, eq=False)
class Together:
    """Statements that share a loop inside of steps, whose iterations have `lines` of some arrays to themselves."""

    statements: tuple[Statement, ...]
    depth: int
    lines: tuple[Line, ...]

    @cached_property
    def values(self) -> range:
        """All values of the loop, from the first element of the arrays on."""
        return range(min(0, range_of(self.statements, self.depth).start), range_of(self.statements, self.depth).stop)

    @property
    def place(self) -> tuple[int, ...]:
        """Where the loop stands."""
        return self.statements[0].position[: self.depth + 1]


def independent(found: Dependences) -> tuple[Together, ...]:
    """The outermost loops inside of others whose iterations do not depend on each other in a step of these.

    Of some array they have lines that they write before they read them: only these never travel between two nests.
    """
    groups = dict[tuple[int, ...], list[Statement]]()
    for statement in found.scop.statements:
        for depth in range(1, len(statement.iterators)):
            groups.setdefault(statement.position[: depth + 1], []).append(statement)
    made = dict[tuple[int, ...], Together]()
    for place, group in groups.items():
        depth = len(place) - 1
        ties = found.among(frozenset(s.id for s in group))
        is_inside = any(place[: len(other)] == other for other in made)
        if len(group) > 1 and not is_inside and not any(depth in edge.depths for edge in ties):
            one = Together(tuple(group), depth, tuple(_lines(found.scop, group, depth)))
            if any(_passed_on(found.scop, one, array) for array, _ in one.lines):
                made[place] = one
    return tuple(made.values())


def _lines(scop: Scop, group: Sequence[Statement], depth: int) -> Iterator[Line]:
    """Arrays that several statements use, of which each iteration touches elements of its own subscript alone.

    The same in every step: no other subscript moves with the loops outside.
    """
    for array in scop.arrays:
        uses = [(s.iterators[: depth + 1], a.ref) for s in group for a in s.accesses if a.array == array.id]
        is_kept = len(array.extents) > 1 and array.role is not Role.LOCAL and array.id not in scop.looked_up
        if is_kept and sum(array.id in s.touched for s in group) > 1:
            for dim in range(len(array.extents)):
                others = [e for names, r in uses for at, e in enumerate(r.index) if at != dim and e.names & {*names}]
                if not others and all(ref.index[dim] == var(names[-1]) for names, ref in uses):
                    yield array.id, dim


def _passed_on(scop: Scop, group: Together, array: ArrayId) -> bool:
    """Whether each iteration writes all that it reads of an array."""
    exposed, written = _in_steps(scop, group, array)
    return bool(exposed.is_empty()) and not written.is_empty()


def _in_steps(scop: Scop, group: Together, name: ArrayId) -> tuple[Set, Set]:
    """What a step reads of an array before it writes it, and what it writes: by its step, then by the subscripts.

    In an array with a place for every step, what a step reads first is what nothing wrote before.
    """
    around = group.statements[0].iterators[: group.depth]
    sizes = (range_of(group.statements, at).stop for at in range(group.depth))
    apart = replace(scop.array(name), extents=(*sizes, *scop.array(name).extents))

    def in_step(ref: Ref) -> Ref:
        return Ref(name, (*map(var, around), *ref.index)) if ref.array == name else ref

    statements = tuple(with_refs(s, in_step) for s in group.statements)
    live = liveness(replace(scop, arrays=(apart,), statements=statements))
    return live[name].upward_exposed, elements_touched(statements, apart, reads=False)


def elements_of_iteration(scop: Scop, groups: Sequence[Together]) -> int:
    """Elements that the windows have for each iteration of a batch; those of one array and dimension are shared."""
    lines = {line for group in groups for line in group.lines}
    return sum(scop.array(array).elements // scop.array(array).extents[dim] for array, dim in lines)


def size_of_batches(groups: Sequence[Together], most: int) -> int | None:
    """Iterations of a batch in whole beats, at most so many, that make the fewest batches of the longest loop.

    None where all of them are one batch, or none is a beat long.
    """
    longest = max((len(group.values) for group in groups), default=0)
    for batches in range(2, longest // BEAT + 1):
        size = -(-longest // (batches * BEAT)) * BEAT
        if size <= most:
            return size
    return None


def in_batches(found: Dependences, size: int) -> Scop | None:
    """The kernel in batches of so many iterations; None where no loop makes several."""
    scop = found.scop
    groups = [group for group in independent(found) if len(group.values) > size]
    if not groups:
        return None
    names = Names(scop)
    batches = [_Batches(scop, group, size, names) for group in groups]
    ordered = _ordered(scop, batches)
    if next(faults(found, ordered), None) is not None:
        raise InternalError("batches of a loop make another program")
    windows = dict[Line, Array]()
    done = ordered.scop
    for one in batches:
        done = one.windowed(done, windows)
    return replace(done, arrays=(*scop.arrays, *windows.values()))


def _ordered(scop: Scop, batches: Sequence[_Batches]) -> Ordered:
    """The same instances in the same order, with a loop over batches around each loop that has some."""
    statements, parts = list[Statement](), dict[StmtId, tuple[Part, ...]]()
    for old in scop.statements:
        own = next((one for one in batches if old in one.group.statements), None)
        new, values = (old, tuple(map(var, old.iterators))) if own is None else own.moved(old)
        statements.append(new)
        parts[new.id] = (Part(old.id, new.domain, values),)
    return Ordered(replace(scop, statements=tuple(statements)), parts)


class _Batches:
    """The loop over batches of one group, then windows of its arrays."""

    def __init__(self, scop: Scop, group: Together, size: int, names: Names) -> None:
        self.scop, self.group, self.names, self.depth = scop, group, names, group.depth
        first = group.statements[0]
        self.cut = Cut(names.wanted(f"{first.iterators[group.depth]}_batch"), group.values.start, size)
        self.around = first.iterators[: group.depth]
        self.copies = [part for line in group.lines for part in self._copies(line)]

    def moved(self, old: Statement) -> tuple[Statement, tuple[Affine, ...]]:
        """A statement over its new loops, and the values of the old ones."""
        own = old.iterators[self.depth]
        loops = (*old.iterators[: self.depth], self.cut.name, *old.iterators[self.depth :])
        given = {name: self.cut.value(own) if name == own else var(name) for name in old.iterators}
        new = over(old, loops, given, self._within(loops, own))
        place = (*self.group.place, len(self.copies), *old.position[self.depth + 1 :])
        return replace(new, position=place), tuple(given.values())

    def _within(self, loops: Sequence[str], own: str) -> Set:
        return make_set("", loops, at_least_zero=[var(own), self.cut.size - 1 - var(own)])

    def _copies(self, line: Line) -> Iterator[tuple[Line, bool, Set]]:
        """What is filled (True) and what is written back of a line, over the loops of a copy in convex parts."""
        loops, (exposed, written) = self._loops(line), _in_steps(self.scop, self.group, line[0])
        inside = self._within(loops, loops[self.depth + 1 + line[1]])
        for points, to_window in ((exposed, True), (written, False)):
            if not points.is_empty():
                over_loops = pull_back(points, loops, (*map(var, self.around), *self._there(line)))
                for part in convex_parts(over_loops.intersect(inside)):
                    yield line, to_window, part

    def _loops(self, line: Line) -> tuple[str, ...]:
        dims = range(len(self.scop.array(line[0]).extents))
        return (*self.around, self.cut.name, *(f"{self.cut.name}_{dim}" for dim in dims))

    def _there(self, line: Line) -> tuple[Affine, ...]:
        """The element of the array that a copy moves."""
        places = self._loops(line)[self.depth + 1 :]
        return tuple(self.cut.value(name) if dim == line[1] else var(name) for dim, name in enumerate(places))

    def windowed(self, scop: Scop, windows: dict[Line, Array]) -> Scop:
        """The scop with windows in the group, and copies around it; `windows` are those of all groups."""
        for array, dim in self.group.lines:
            if (array, dim) not in windows:
                whole = self.scop.array(array)
                extents = [self.cut.size if at == dim else n for at, n in enumerate(whole.extents)]
                windows[array, dim] = local(whole, self.names.array(array), extents)
        dims, first = dict(self.group.lines), var(self.cut.name) * self.cut.size + self.cut.low

        def inside(ref: Ref) -> Ref:
            if ref.array not in dims:
                return ref
            dim = dims[ref.array]
            index = (e - first if at == dim else e for at, e in enumerate(ref.index))
            return Ref(windows[ref.array, dim].id, tuple(index))

        own = {s.id for s in self.group.statements}
        statements = [with_refs(s, inside) if s.id in own else s for s in scop.statements]
        for at, (line, to_window, points) in enumerate(self.copies):
            place = at if to_window else len(self.copies) + 1 + at
            statements.append(self._copy(line, windows[line], points, place, to_window=to_window))
        return replace(scop, statements=tuple(sorted(statements, key=lambda s: s.position)))

    def _copy(self, line: Line, window: Array, points: Set, place: int, *, to_window: bool) -> Statement:
        loops = self._loops(line)
        there, here = Ref(line[0], self._there(line)), Ref(window.id, tuple(map(var, loops[self.depth + 1 :])))
        like = next(s for s in self.group.statements if line[0] in s.touched)
        name, moved = self.names.statement(like.id), (here, there) if to_window else (there, here)
        return copying(name, like.span, loops, points, (*self.group.place, place), window.type, moved)
