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
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.blocks import near
from sisyphus.forms.building import Cut, Names, loops_of, named, over, values_of
from sisyphus.forms.completion import completed
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, Ordered, Part, ordered, reordered
from sisyphus.forms.windows import Copied, Window, with_copies
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
    pieces = ordered(scop, _pieces(scop, cuts, names))
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
    panels = Ordered(replace(apart.scop, statements=tuple(statements)), parts)
    if next(faults(found, panels), None) is not None:
        return None
    done = panels.scop
    for cut in cuts.values():
        done = _Panels(done, cut, names).scop
    return done


def _places(scop: Scop) -> dict[int, list[Statement]]:
    """The statements of every outermost loop by its place."""
    loops = loops_of(scop.statements).items()
    return {place[0]: group for place, group in loops if len(place) == 1 and any(len(s.iterators) > 1 for s in group)}


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


def _pieces(scop: Scop, cuts: Mapping[int, Cut], names: Names) -> Iterator[Moved]:
    """The same instances in the same order, with loops over blocks, and statements cut where they leave the block."""
    meeting = {place: _meeting([s for s in scop.statements if s.position[0] == place]) for place in cuts}
    for old in scop.statements:
        first, place = old.position[0], old.position[-1] * 3 ** len(old.iterators)
        if first not in cuts:
            yield old, replace(old, position=(*old.position[:-1], place)), {}
            continue
        for at, (new, given) in enumerate(_cut(old, cuts[first], meeting[first].get(old.id, []), names)):
            yield old, replace(new, position=(first, 0, *old.position[1:-1], place + at)), given


def _cut(
    old: Statement, cut: Cut, leaving: Sequence[str], names: Names
) -> Iterator[tuple[Statement, Mapping[str, Affine]]]:
    """A statement over the blocks, a piece for what lies before, in and after the block in each of some iterators."""
    steps = [var(n) - cut.first for n in leaving]
    sides = [([-1 - step], cut.inside(step), [step - cut.size]) for step in steps]
    pieces = (cut.at(old, 0, [c for side in conditions for c in side]) for conditions in product(*sides))
    for at, (new, given) in enumerate(piece for piece in pieces if not piece[0].domain.is_empty()):
        yield named(new, names.statement(old.id)) if at else new, given


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
    given = {
        name: cut.value(name)
        for name in names[1:]
        if points.is_subset(make_set("", names, at_least_zero=cut.inside(var(name) - cut.first)))
    }
    new, values = over(statement, names, given), values_of(statement, given)
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
class _Panel:
    """What pieces touch of an array with dimensions in the block, in convex `parts` of block and subscripts."""

    window: Window
    parts: tuple[Set, ...]
    is_updated: bool


class _Panels:
    """A loop over blocks with windows of what its steps use of arrays, filled before, and written back where updated.

    Of an array that the block updates, these are panels; of another one, what lies in the block in every dimension.
    """

    def __init__(self, scop: Scop, cut: Cut, names: Names) -> None:
        self.cut, self.names = cut, names
        self.group = [s for s in scop.statements if s.iterators and s.iterators[0] == cut.name]
        panels = [panel for array in scop.arrays if len(array.extents) > 1 for panel in self._of(array)]
        self.scop = self._windowed(scop, panels) if panels else scop

    def _of(self, array: Array) -> list[_Panel]:
        """The panels of an array; none where something is in the block at times only."""
        uses = [(s, access) for s in self.group for access in s.accesses if access.array == array.id]
        written = [self._dims(s, access.ref, is_updated=True) for s, access in uses if access.is_write]
        if None in written:
            return []
        is_updated = any(written)
        touched = dict[tuple[int, ...], list[Set]]()
        target = (self.cut.name, *(f"{self.cut.name}_{dim}" for dim in range(len(array.extents))))
        for statement, access in uses:
            dims = self._dims(statement, access.ref, is_updated=is_updated)
            if dims is None:
                return []
            if dims:
                values = (var(self.cut.name), *access.ref.index)
                reached = make_map(statement.id, statement.iterators, "", target, values)
                touched.setdefault(dims, []).append(reached.intersect_domain(statement.domain).range())
        panels, filled = list[_Panel](), list[Set]()
        for dims in sorted(touched, reverse=True):
            box = box_around(touched[dims], self.cut.name)
            parts = convex_parts(box.subtract(union_of(filled)) if filled else box)
            filled.append(box)
            extents = tuple(self.cut.size if dim in dims else size for dim, size in enumerate(array.extents))
            own, first = self.names.array(array.id), dict.fromkeys(dims, self.cut.first)
            window = Window(array, own, (self.cut.name,), first, extents)
            panels.append(_Panel(window, tuple(parts), is_updated))
        return panels

    def _dims(self, statement: Statement, ref: Ref, *, is_updated: bool) -> tuple[int, ...] | None:
        """The dimensions in which the window has the block that a reference lies in; none outside, None at times."""
        always, points = list[int](), statement.domain.reset_tuple_id()
        for dim in range(len(ref.index) - 1, -1, -1):
            within = make_set("", statement.iterators, at_least_zero=self.cut.inside(ref.index[dim] - self.cut.first))
            within = points.intersect(within)
            if points.is_subset(within):
                always.append(dim)
            elif is_updated and not always and not within.is_empty():
                return None
        if is_updated:
            return tuple(always[:1])
        return tuple(sorted(always)) if len(always) == len(ref.index) else ()

    def _windowed(self, scop: Scop, panels: Sequence[_Panel]) -> Scop:
        """The pieces with windows, and the copies around them."""
        known = {(panel.window.array.id, tuple(panel.window.first)): panel.window for panel in panels}
        updated = {panel.window.array.id: panel.is_updated for panel in panels}

        def instead(statement: Statement, ref: Ref) -> Ref:
            is_updated = updated.get(ref.array)
            dims = None if is_updated is None else self._dims(statement, ref, is_updated=is_updated)
            return known[ref.array, dims].inside(ref) if dims else ref

        copied = [self._copied(panel, part) for panel in panels for part in panel.parts]
        inside = {s.id for s in self.group}
        statements = with_copies(self.group, copied, self.group[0].position[:1], self.names, instead)
        statements += (s for s in scop.statements if s.id not in inside)
        arrays = (*scop.arrays, *(panel.window.kept for panel in panels))
        return replace(scop, arrays=arrays, statements=tuple(sorted(statements, key=lambda s: s.position)))

    def _copied(self, panel: _Panel, part: Set) -> Copied:
        """A part over the loops of its copies: those inside of the block count from the first element of the window."""
        window = panel.window
        points = pull_back(part, window.loops, (var(self.cut.name), *window.there))
        return window, window.existing(points), (True, False) if panel.is_updated else (True,)
