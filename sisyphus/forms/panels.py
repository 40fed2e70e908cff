"""A loop whose steps update all that is left, in blocks of steps that work in panels on chip; knows no target.

for k: { for i > k: A[i][k] /= A[k][k]   for i > k: for j > k: A[i][j] -= A[i][k] * A[k][j] }   becomes, by 64 steps,
for kb: {
    for i: for j < 64: A_1[i][j] = A[i][64 kb + j]   for i < 64: for j: A_2[i][j] = A[64 kb + i][j]
    for k < 64: { for i > k: A_1[i][k] /= A_1[k][k]   for i > k: for j < 64: A_1[i][j] -= A_1[i][k] * A_1[k][j] }
    for k < 64: for i < 64: for j: A_2[i][j] -= A_1[i][k] * A_2[k][j]
    for i, j beyond: for k < 64: A[i][j] -= A_1[i][k] * A_2[k][j]
    for i: for j < 64: A[i][64 kb + j] = A_1[i][j]   for i < 64: for j: A[64 kb + i][j] = A_2[i][j] }

A statement is cut where an iterator leaves the block, in a subscript in which others have k; the pieces follow one
another where no dependence ties them. Updates keep their order, element by element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from sisyphus.analysis import Dependences, dependences
from sisyphus.analysis.rewrite import range_of, with_refs
from sisyphus.forms.blocks import Cut, near
from sisyphus.forms.building import Names, copying, local, named, over
from sisyphus.forms.completion import completed
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Ordered, Part, reordered
from sisyphus.ir import Array, ArrayId, Ref, Scop, Statement, StmtId
from sisyphus.poly import (
    Affine,
    Set,
    Timed,
    box_around,
    const,
    convex_parts,
    make_map,
    make_set,
    pull_back,
    renamed,
    union_of,
    var,
)
from sisyphus.values import dataclass, replace

#: Blocks that a loop makes at least, and one whose steps update vectors.
FEWEST_BLOCKS, FEWEST_OF_VECTORS = 4, 2
#: Steps of a panel, if there are so many: elements are moved less often in longer ones, but the panels take longer.
STEPS = 64


def sizes_of_panels(found: Dependences) -> tuple[int, ...]:
    """How many steps a panel of the longest such loop has best, in whole panels where it can; none without one.

    Steps that update a vector have nothing that panels slow down: long ones move longer rows, and take more memory.
    """
    groups = [group for group in _places(found.scop).values() if _meeting(group)]
    steps = max((_elements(found.scop, group) for group in groups), default=0)
    most = steps // FEWEST_BLOCKS
    wanted = [(most, min(STEPS, most))]
    if all(_is_of_vectors(group) for group in groups):
        wanted = [(steps // fewest,) * 2 for fewest in (FEWEST_OF_VECTORS, FEWEST_BLOCKS)]
    return tuple(dict.fromkeys(near(steps, *sizes) for sizes in wanted if min(sizes)))


def _is_of_vectors(group: Sequence[Statement]) -> bool:
    return all(len(s.iterators) <= 2 for s in group)


def _elements(scop: Scop, group: Sequence[Statement]) -> int:
    """How many elements the dimensions have at least that the step of a loop runs through."""
    refs = [access.ref for s in group for access in s.accesses]
    [step] = {s.iterators[0] for s in group}
    return min(
        extent
        for ref in refs
        for extent, index in zip(scop.array(ref.array).extents, ref.index, strict=True)
        if index.names == {step}
    )


def in_panels(found: Dependences, size: int) -> Scop | None:
    """The kernel in panels of so many steps; None where no loop makes any, or is not proved to be the same program."""
    scop = found.scop
    names = Names(scop)
    cuts = dict[int, Cut]()
    for place, group in _places(scop).items():
        steps = range_of(group, 0)
        fewest = FEWEST_OF_VECTORS if _is_of_vectors(group) else FEWEST_BLOCKS
        if _meeting(group) and -(-steps.stop // size) - steps.start // size >= fewest:
            cuts[place] = Cut(names.wanted(f"{group[0].iterators[0]}_block"), steps.start // size * size, size)
    if not cuts:
        return None
    pieces = _pieces(scop, cuts, names)
    try:
        apart = reordered(pieces.scop, list(_apart(dependences(pieces.scop))))
    except ValueError:
        return None
    statements, parts = list[Statement](), dict[StmtId, tuple[Part, ...]]()
    named = {cut.name: cut for cut in cuts.values()}
    for statement in apart.scop.statements:
        ran = _through(apart.parts[statement.id], pieces)
        if statement.iterators and statement.iterators[0] in named:
            statement, ran = _counted_from_block(statement, ran, named[statement.iterators[0]])
        statements.append(statement)
        parts[statement.id] = ran
    ordered = Ordered(replace(apart.scop, statements=tuple(statements)), parts)
    if next(faults(found, ordered), None) is not None:
        return None
    done = ordered.scop
    for cut in cuts.values():
        done = _Windows(done, cut, names).scop
    return done


def _places(scop: Scop) -> dict[int, list[Statement]]:
    """The statements of every outermost loop by its place."""
    found = dict[int, list[Statement]]()
    for statement in scop.statements:
        if statement.iterators:
            found.setdefault(statement.position[0], []).append(statement)
    return {place: group for place, group in found.items() if any(len(s.iterators) > 1 for s in group)}


def _meeting(group: Sequence[Statement]) -> dict[StmtId, list[str]]:
    """The iterators of statements that run through a dimension of an array, in a direction in which others step."""
    steps, runs = set[tuple[ArrayId, int, int]](), list[tuple[StmtId, str, tuple[ArrayId, int, int]]]()
    for statement in group:
        for access in statement.accesses:
            for dim, index in enumerate(access.ref.index):
                if len(index.terms) == 1:
                    [(name, factor)] = index.terms
                    where = access.array, dim, factor
                    if name == statement.iterators[0]:
                        steps.add(where)
                    elif abs(factor) == 1:
                        runs.append((statement.id, name, where))
    found = dict[StmtId, list[str]]()
    for name, iterator, where in runs:
        if where in steps and iterator not in found.setdefault(name, []):
            found[name].append(iterator)
    return {name: iterators for name, iterators in found.items() if iterators}


def _pieces(scop: Scop, cuts: Mapping[int, Cut], names: Names) -> Ordered:
    """The same instances in the same order, with loops over blocks, and statements cut where they leave the block."""
    statements, parts = list[Statement](), dict[StmtId, tuple[Part, ...]]()
    meeting = {place: _meeting([s for s in scop.statements if s.position[0] == place]) for place in cuts}
    for old in scop.statements:
        cut = cuts.get(old.position[0])
        if cut is None:
            statements.append(replace(old, position=(*old.position[:-1], old.position[-1] * 3 ** len(old.iterators))))
            parts[old.id] = (Part(old.id, old.domain, tuple(map(var, old.iterators))),)
            continue
        leaving = meeting[old.position[0]].get(old.id, [])
        for at, (new, values) in enumerate(_cut(old, cut, leaving, names)):
            place = old.position[-1] * 3 ** len(old.iterators) + at
            new = replace(new, position=(old.position[0], 0, *old.position[1:-1], place))
            statements.append(new)
            parts[new.id] = (Part(old.id, new.domain, values),)
    return Ordered(replace(scop, statements=tuple(statements)), parts)


def _cut(
    old: Statement, cut: Cut, leaving: Sequence[str], names: Names
) -> Iterator[tuple[Statement, tuple[Affine, ...]]]:
    """A statement over the blocks, a piece for what lies before, in and after the block in each of some iterators."""
    loops, step, first = (
        (cut.name, *old.iterators),
        old.iterators[0],
        cut.value(old.iterators[0]) - var(old.iterators[0]),
    )
    values = (cut.value(step), *map(var, old.iterators[1:]))
    inside = cut.inside(var(step))
    sides = [([first - 1 - var(n)], cut.inside(var(n) - first), [var(n) - first - cut.size]) for n in leaving]
    is_first = True
    for conditions in product(*sides):
        points = make_set("", loops, at_least_zero=[*inside, *(c for side in conditions for c in side)])
        new = over(old, loops, {step: values[0]}, inside=points)
        if new.domain.is_empty():
            continue
        yield new if is_first else named(new, names.statement(old.id)), values
        is_first = False


def _apart(found: Dependences) -> Iterator[Timed]:
    """Times of the pieces: inside of a block, those that nothing ties to each other follow one another."""
    for place in dict.fromkeys(s.position[0] for s in found.scop.statements):
        group = tuple(s for s in found.scop.statements if s.position[0] == place)
        part = Dependences(replace(found.scop, statements=group), found.among(frozenset(s.id for s in group)))
        outermost = {s.id: tuple(map(var, s.iterators[:1])) for s in group}
        for statement, times in completed(part, outermost, apart=True).items():
            yield Timed(statement.id, statement.domain, (const(place), *times))


def _counted_from_block(statement: Statement, parts: Sequence[Part], cut: Cut) -> tuple[Statement, tuple[Part, ...]]:
    """The statement with iterators that stay in the block, which count from its first step now."""
    names, points = statement.iterators, statement.domain.reset_tuple_id()
    first = var(cut.name) * cut.size + cut.low
    given = {
        name: var(name) + first
        for name in names[1:]
        if points.is_subset(make_set("", names, at_least_zero=cut.inside(var(name) - first)))
    }
    values = [given.get(name, var(name)) for name in names]
    new = over(statement, names, given)
    moved = (
        replace(p, points=renamed(pull_back(p.points, names, values), new.id, names), values=_given(p.values, given))
        for p in parts
    )
    return new, tuple(moved)


def _given(values: Sequence[Affine], given: Mapping[str, Affine]) -> tuple[Affine, ...]:
    return tuple(value.substitute(given) for value in values)


def _through(parts: Sequence[Part], pieces: Ordered) -> tuple[Part, ...]:
    """Which instances of the kernel as it was are those that run parts of its pieces."""
    found = []
    for part in parts:
        [before] = pieces.parts[part.source]
        given = dict(zip(pieces.scop.statement(part.source).iterators, part.values, strict=True))
        found.append(replace(part, source=before.source, values=_given(before.values, given)))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Window:
    """What pieces touch of an array with dimensions `dims` in the block: convex `parts` of block and subscripts."""

    array: Array
    dims: tuple[int, ...]
    name: ArrayId
    parts: tuple[Set, ...]
    is_updated: bool


class _Windows:
    """A loop over blocks with windows of what its steps use of arrays, filled before, and written back where updated.

    Of an array that the block updates, these are panels; of another one, what lies in the block in every dimension.
    """

    def __init__(self, scop: Scop, cut: Cut, names: Names) -> None:
        self.cut, self.names, self.block = cut, names, cut.name
        self.first = var(cut.name) * cut.size + cut.low
        self.group = [s for s in scop.statements if s.iterators and s.iterators[0] == cut.name]
        windows = [w for array in scop.arrays if len(array.extents) > 1 for w in self._of(array)]
        self.scop = self._windowed(scop, windows) if windows else scop

    def _of(self, array: Array) -> list[_Window]:
        """The windows of an array; none where something is in the block at times only."""
        uses = [(s, access) for s in self.group for access in s.accesses if access.array == array.id]
        written = [self._dims(s, access.ref, is_updated=True) for s, access in uses if access.is_write]
        if None in written:
            return []
        is_updated = any(written)
        touched = dict[tuple[int, ...], list[Set]]()
        for statement, access in uses:
            dims = self._dims(statement, access.ref, is_updated=is_updated)
            if dims is None:
                return []
            if dims:
                target, values = (self.block, *self._places(array)), (var(self.block), *access.ref.index)
                reached = make_map(statement.id, statement.iterators, "", target, values)
                touched.setdefault(dims, []).append(reached.intersect_domain(statement.domain).range())
        windows, filled = list[_Window](), list[Set]()
        for dims in sorted(touched, reverse=True):
            box = box_around(touched[dims], self.block)
            parts = convex_parts(box.subtract(union_of(filled)) if filled else box)
            filled.append(box)
            windows.append(_Window(array, dims, self.names.array(array.id), tuple(parts), is_updated))
        return windows

    def _places(self, array: Array) -> tuple[str, ...]:
        return tuple(f"{self.block}_{dim}" for dim in range(len(array.extents)))

    def _dims(self, statement: Statement, ref: Ref, *, is_updated: bool) -> tuple[int, ...] | None:
        """The dimensions in which the window has the block that a reference lies in; none outside, None at times."""
        always, points = list[int](), statement.domain.reset_tuple_id()
        for dim in range(len(ref.index) - 1, -1, -1):
            within = make_set("", statement.iterators, at_least_zero=self.cut.inside(ref.index[dim] - self.first))
            within = points.intersect(within)
            if points.is_subset(within):
                always.append(dim)
            elif is_updated and not always and not within.is_empty():
                return None
        if is_updated:
            return tuple(always[:1])
        return tuple(sorted(always)) if len(always) == len(ref.index) else ()

    def _windowed(self, scop: Scop, windows: Sequence[_Window]) -> Scop:
        """The pieces with windows, and the copies around them."""
        known = {(w.array.id, w.dims): w for w in windows}
        updated = {w.array.id: w.is_updated for w in windows}
        place, copies = self.group[0].position[0], sum(len(w.parts) for w in windows)
        last = max(s.position[1] for s in self.group) + 1 + copies
        inside = {s.id for s in self.group}
        statements = list[Statement]()
        for statement in scop.statements:
            if statement.id not in inside:
                statements.append(statement)
                continue

            def move(ref: Ref, statement: Statement = statement) -> Ref:
                is_updated = updated.get(ref.array)
                dims = None if is_updated is None else self._dims(statement, ref, is_updated=is_updated)
                return self._in(known[ref.array, dims], ref) if dims else ref

            after = (place, statement.position[1] + copies, *statement.position[2:])
            statements.append(replace(with_refs(statement, move), position=after))
        parts = [(window, part) for window in windows for part in window.parts]
        for at, (window, part) in enumerate(parts):
            like = next(s for s in self.group if any(a.array == window.array.id for a in s.accesses))
            statements.append(self._copy(window, part, like, (place, at), to_window=True))
            if window.is_updated:
                statements.append(self._copy(window, part, like, (place, last + at), to_window=False))
        new = (
            local(w.array, w.name, [self.cut.size if d in w.dims else size for d, size in enumerate(w.array.extents)])
            for w in windows
        )
        ordered = tuple(sorted(statements, key=lambda s: s.position))
        return replace(scop, arrays=(*scop.arrays, *new), statements=ordered)

    def _in(self, window: _Window, ref: Ref) -> Ref:
        return Ref(window.name, self._shifted(window, ref.index, by=-1))

    def _shifted(self, window: _Window, index: Sequence[Affine], *, by: int) -> tuple[Affine, ...]:
        return tuple(e + self.first * by if dim in window.dims else e for dim, e in enumerate(index))

    def _copy(
        self, window: _Window, points: Set, like: Statement, place: tuple[int, int], *, to_window: bool
    ) -> Statement:
        """What a window holds, into it or back; the loop inside of the block counts from its first element."""
        places = self._places(window.array)
        loops, array = (self.block, *places), window.array
        at = tuple(map(var, places))
        there = Ref(array.id, self._shifted(window, at, by=1))
        here = Ref(window.name, at)
        moved = (here, there) if to_window else (there, here)
        inside = pull_back(points, loops, (var(self.block), *there.index))
        return copying(self.names.statement(like.id), like.span, loops, inside, place, array.type, moved)
