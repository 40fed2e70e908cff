"""Time steps over large arrays, in blocks of steps and strips of rows that stay on chip meanwhile; knows no target.

for t: { for i: B[i] = f(A[i - 1], A[i], A[i + 1])   for i: A[i] = f(B[i - 1], B[i], B[i + 1]) }   becomes, in strips,
for tb: for ib: {
    for i < 20: A_1[i] = A_1[i + 64]    for i < 20: B_1[i] = B_1[i + 64]
    for 20 <= i < 84: A_1[i] = A[64 ib + i - 20]   for 20 <= i < 84: B_1[i] = B[64 ib + i - 20]
    for t < 10: { for 19 <= i + 2 t < 83: B_1[i + 1] = f(A_1[…])   for 18 <= i + 2 t < 82: A_1[i + 1] = f(B_1[…]) }
    for i < 64: A[64 ib + i - 20] = A_1[i]   for i < 64: B[64 ib + i - 20] = B_1[i] }

A strip moves towards the first row with each step (a skew), so that it needs nothing of a strip that comes later. It
has a window of the rows of every array that it touches. Rows that the next strip touches, too, slide to where that one
has them: so each row is loaded once and written back once for all steps of a block. Loops count rows of the window, not
of the strip: an unrolled copy of a body then has the same banks in every step. Strips begin before the first row
and end behind the last one, where nothing has to slide in or is left to be written back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod

from sisyphus.analysis import Dependences, sources_of
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.building import Cut, Names, over, without_unused
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, Ordered, ordered
from sisyphus.forms.windows import Window, with_copies
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement, StmtId, index_names
from sisyphus.poly import Affine, Set, affine_range, compare, dim_range, make_set, var
from sisyphus.values import dataclass, replace

#: Rows of a strip are a multiple of this where there are so many, to have factors that nests can be unrolled by.
ROUND_ROWS = 8
#: Rows that a step may move a strip by: a longer reach leaves nothing of the strip.
MOST_SKEW = 8
#: Rows slide on chip so many times as fast as a port moves them, as elements of several beats do in a cycle.
SLIDING = 8
#: Elements that a port moves while a nest is called and its pipeline fills.
CALL = 800
#: Planes of an array that have windows of their own.
MOST_PLANES = 4
#: Steps that run side by side in a wave.
TOGETHER = 16


@dataclass(frozen=True)
class Strips:
    """So many time steps in a block, and rows in a strip."""

    steps: int
    rows: int

    def __str__(self) -> str:
        return f"{self.steps}x{self.rows}"

    @staticmethod
    def read(text: str) -> Strips:
        """What `str` wrote; `ValueError` where it is nothing of the kind."""
        steps, rows = map(int, text.split("x"))
        if min(steps, rows) < 1:
            raise ValueError(text)
        return Strips(steps, rows)


@dataclass(frozen=True, eq=False)
class Steps:
    """The statements in a loop of time steps that run through the rows of the same arrays.

    `dim` is the dimension of each array whose subscripts these are: the first in which they are not all constant.
    `row` is the iterator that counts rows in each of them, None where it stays in one; a strip of a statement lies
    `shift` rows above that of the first one, and moves by `skew` rows in a step.
    """

    scop: Scop
    statements: tuple[Statement, ...]
    arrays: tuple[Array, ...]
    dim: Mapping[ArrayId, int]
    row: Mapping[StmtId, str | None]
    shift: Mapping[StmtId, int]
    skew: int

    @cached_property
    def times(self) -> range:
        return range_of(self.statements, 0)

    @cached_property
    def _reach(self) -> tuple[int, int]:
        """First and last row that an iteration touches, from that of its strip's, over all statements."""
        offsets = [offset - self.shift[s.id] for s in self.statements for offset in self.offsets(s)]
        return min(offsets), max(offsets)

    def offsets(self, statement: Statement) -> list[int]:
        """The rows that a statement touches, from the one that it is at."""
        refs = [access.ref for access in statement.accesses if access.array in self.dim]
        return [ref.index[self.dim[ref.array]].constant for ref in refs]

    def rows_of(self, array: Array) -> int:
        """How many rows an array has."""
        return array.extents[self.dim[array.id]]

    @cached_property
    def rows(self) -> range:
        """The rows of all strips of a block but for what they move by.

        What the first strip touches last is the first row of an array, what the last one touches first lies behind all.
        """
        low, high = self._reach
        return range(-high, max(map(self.rows_of, self.arrays)) - low)

    def window(self, strips: Strips) -> range:
        """The rows that the first strip touches in all steps of a block."""
        low, high = self._reach
        first = self.rows.start
        return range(first + low - self.skew * (strips.steps - 1), first + high + strips.rows)

    def count(self, strips: Strips) -> int:
        """Strips of a block."""
        return -(-(len(self.rows) + self.skew * (strips.steps - 1)) // strips.rows)

    @cached_property
    def row_elements(self) -> int:
        """Elements of a row of all arrays."""
        return sum(array.elements // self.rows_of(array) for array in self.arrays)

    @cached_property
    def is_chain(self) -> bool:
        """Whether a statement needs rows that it wrote in the same step, so that steps run as waves over all rows."""
        own = (_further(s, s, self.dim) for s in self.statements)
        return any(rows for found in own for rows in found)

    def effort(self, strips: Strips) -> float:
        """How many elements a port moves while a step runs but for its operations: what it moves, slides and calls.

        A row is loaded, copied to the window, copied from it and written back. A wave goes through all of a window,
        with as many steps at a time as are side by side.
        """
        row = max(array.elements // self.rows_of(array) for array in self.arrays)
        window = len(self.window(strips))
        moved = row * (4 * strips.rows + (window - strips.rows) / SLIDING)
        calls = strips.steps * len(self.statements)
        if self.is_chain:
            calls = len(self.statements) * -(-strips.steps // TOGETHER) * (2 * window + row)
        return self.count(strips) * (moved + calls * CALL) / strips.steps

    def within(self, elements: int) -> Strips | None:
        """The strips whose windows have at most so many elements and that take the least effort, if any do.

        None where such windows would hold all rows.
        """
        found: list[Strips] = []
        height = elements // self.row_elements
        if height >= max(map(self.rows_of, self.arrays)):
            return None
        for steps in (n for n in range(2, len(self.times) + 1) if len(self.times) % n == 0):
            left = height - (len(self.window(Strips(steps, 1))) - 1)
            rows = left // ROUND_ROWS * ROUND_ROWS if left >= ROUND_ROWS else left
            if rows >= 1:
                found.append(Strips(steps, rows))
        return min(found, key=lambda strips: (self.effort(strips), strips.steps), default=None)


def steps_of_rows(scop: Scop, between: int = 0) -> Steps | None:
    """The first loop of time steps in a kernel all of whose statements run through rows of what they write.

    In a step, so many rows at least lie `between` what a statement needs of another one with as many loops and it.
    """
    for place in dict.fromkeys(s.position[0] for s in scop.statements):
        group = tuple(s for s in scop.statements if s.position[0] == place)
        if all(len(s.iterators) > 1 for s in group):
            found = _steps(scop, group, between)
            if found is not None:
                return found
    return None


def _steps(scop: Scop, group: tuple[Statement, ...], between: int) -> Steps | None:
    """The loop with the least shifts and skew; None where some rows do not fit."""
    names = {s.write.array for s in group}
    arrays = [array for array in scop.arrays if array.id in names]
    dim = {array.id: _dim_of_rows(array, group) for array in scop.arrays}
    local = [array for array in arrays if _is_local(scop, array)]
    if any(len(a.extents) < dim[a.id] + 2 for a in arrays) or not all(_is_of_one_step(scop, a, group) for a in local):
        return None
    if any(not e.is_constant for s in group for a in s.accesses for e in a.ref.index[: dim[a.array]]):
        return None  # planes that take turns in a loop, which are told apart without it (`turns`)
    row: dict[StmtId, str | None] = {}
    for statement in group:
        refs = [access.ref for access in statement.accesses if access.array in names]
        first = {ref.index[dim[ref.array]] - ref.index[dim[ref.array]].constant for ref in refs}
        if len(first) != 1 or any(statement.iterators[0] in index_names(ref) for ref in refs):
            return None
        [linear] = first
        name = linear.terms[0][0] if linear.terms else None
        if name is not None and linear != var(name):
            return None
        row[statement.id] = name
    shift, skew = _moves(group, dim, between)
    if not 0 < skew <= MOST_SKEW:
        return None
    arrays += (a for a in scop.arrays if a.id not in names and _is_read_in_rows(a, dim[a.id], group, row))
    return Steps(scop, group, tuple(arrays), {a.id: dim[a.id] for a in arrays}, row, shift, skew)


def _dim_of_rows(array: Array, group: Sequence[Statement]) -> int:
    """The first dimension in which some statement's subscript of an array has several values; else the first."""
    refs = [(s, access.ref) for s in group for access in s.accesses if access.array == array.id]
    dims = range(len(array.extents))
    return next((dim for dim in dims if any(_moves_through(s, ref.index[dim]) for s, ref in refs)), 0)


def _moves_through(statement: Statement, subscript: Affine) -> bool:
    """Whether a subscript has several values: none, where planes take turns in rounds of steps."""
    low, high = affine_range(subscript, {name: dim_range(statement.domain, name) for name in subscript.names})
    return low < high


def _is_local(scop: Scop, array: Array) -> bool:
    """Whether nobody wants the values of an array, which may lie in memory all the same."""
    return array.role is Role.LOCAL or array.id in scop.temporaries


def _is_of_one_step(scop: Scop, array: Array, group: Sequence[Statement]) -> bool:
    """Whether a local array passes values on inside of each time step alone; all reads are told of or none counts."""
    own = {s.id for s in group}
    if any(array.id in s.touched for s in scop.statements if s.id not in own):
        return False
    sources = sources_of(scop, array.id)
    if sources is None:
        return False
    time = {s.id: s.iterators[0] for s in group}
    passed_on = ((one, time[source], time[sink]) for (sink, _), own in sources.items() for source, one in own.items())
    return all(compare(relation, first, 1, second).is_empty() for relation, first, second in passed_on)


def _is_read_in_rows(array: Array, dim: int, group: Sequence[Statement], row: Mapping[StmtId, str | None]) -> bool:
    """Whether all steps read the same rows of an array, each statement those around the one that it is at."""
    reads = [(s, ref) for s in group for ref in s.reads if ref.array == array.id]
    if len(array.extents) < dim + 2:
        return False
    for statement, ref in reads:
        at = row[statement.id]
        linear = ref.index[dim] - ref.index[dim].constant
        if linear != (Affine() if at is None else var(at)) or statement.iterators[0] in index_names(ref):
            return False
    return bool(reads)


def _moves(group: Sequence[Statement], dim: Mapping[ArrayId, int], between: int) -> tuple[dict[StmtId, int], int]:
    """By how much strips of each statement lie above the first one's, and move in a step: so none needs a later one.

    An element that one statement touches k rows from where it is, and a later one l rows, is k - l rows further there.
    """
    shift = {s.id: 0 for s in group}
    for at, later in enumerate(group):
        for earlier in group[:at]:
            rows = between if len(earlier.iterators) == len(later.iterators) else 0
            needed = (shift[earlier.id] - further + rows for further in _further(earlier, later, dim))
            shift[later.id] = max([shift[later.id], *needed])
    pairs = product(group, group)
    moved = (shift[a.id] - shift[b.id] - further for a, b in pairs for further in _further(a, b, dim))
    skew = max(moved, default=0)
    return shift, skew


def _further(one: Statement, other: Statement, dim: Mapping[ArrayId, int]) -> Iterator[int]:
    """How many rows further the other statement is where both touch one element, and one of them writes it."""
    for first, second in product(one.accesses, other.accesses):
        if first.array == second.array and first.array in dim and (first.is_write or second.is_write):
            rows = dim[first.array]
            yield first.ref.index[rows].constant - second.ref.index[rows].constant


def in_strips(found: Dependences, strips: Strips, between: int = 0) -> Scop | None:
    """The kernel in strips; None where it has no such loop, or is not proved to be the same program.

    `between` as `steps_of_rows` has it.
    """
    steps = steps_of_rows(found.scop, between)
    if steps is None:
        return None
    built = Build(steps, strips)
    ordered = built.ordered()
    return built.windowed(ordered.scop) if next(faults(found, ordered), None) is None else None


class Build:
    """The loops `block` and `strip` around those of the source, then windows of the arrays.

    Rows are counted from `far` above the first one of a strip, as far as it moves in a block of steps.
    """

    def __init__(self, steps: Steps, strips: Strips) -> None:
        self.steps, self.strips = steps, strips
        scop, first = steps.scop, steps.statements[0]
        self.names = Names(scop)
        rows = next((name for name in steps.row.values() if name is not None), "row")
        block, strip = (self.names.wanted(f"{name}_block") for name in (first.iterators[0], rows))
        self.block, self.strip = Cut(block, steps.times.start, strips.steps), Cut(strip, 0, strips.rows)
        self.blocks = -(-len(steps.times) // strips.steps)
        self.place = first.position[0]
        self.far = steps.skew * (strips.steps - 1) + max(steps.shift.values())

    def ordered(self) -> Ordered:
        """The same instances over the new loops, in the order of strips."""
        scop, inside = self.steps.scop, {s.id for s in self.steps.statements}
        return ordered(scop, (self._moved(s) if s.id in inside else (s, s, {}) for s in scop.statements))

    def values(self, old: Statement) -> dict[str, Affine]:
        """The time and the row of a statement in the loops that it has in strips: the row by where it is on chip."""
        time, row = old.iterators[0], self.steps.row[old.id]
        given = {time: self.block.value(time)}
        if row is not None:
            given[row] = self.strip.value(row) + self.steps.rows.start - self.far
        return given

    def _moved_by(self, old: Statement) -> Affine:
        """By how many rows its strip lies higher in a step than where strips begin."""
        return var(old.iterators[0]) * self.steps.skew + self.steps.shift[old.id] - self.steps.rows.start

    def _moved(self, old: Statement) -> Moved:
        """A statement over its new loops."""
        row, given = self.steps.row[old.id], self.values(old)
        at = self._moved_by(old) + given.get(row or "", Affine()) - self.strip.first
        inside = [*self.block.inside(var(old.iterators[0])), *self.strip.inside(at)]
        new = over(old, (self.block.name, self.strip.name, *old.iterators), given, inside)
        return old, replace(new, position=(self.place, 0, 0, *old.position[1:])), given

    def windowed(self, scop: Scop) -> Scop:
        """Every strip with windows of its own, filled before its steps and written back after them."""
        rows, arrays = self.steps.window(self.strips), {array.id: array for array in self.steps.arrays}
        within = {s.id for s in self.steps.statements}
        group = [s for s in scop.statements if s.id in within]
        refs = [access.ref for s in group for access in s.accesses]
        planes = dict.fromkeys(self._plane(ref) for array in arrays for ref in refs if ref.array == array)
        windows = {plane: self._window(arrays[plane.array], plane.index, rows) for plane in planes}

        def instead(_statement: Statement, ref: Ref) -> Ref:
            return windows[self._plane(ref)].inside(ref) if ref.array in arrays else ref

        own, left = self.strips.rows, len(rows) - self.strips.rows
        copied = [
            (w.slid(own, self.steps.dim[w.array.id]), self._box(w, range(left)), (True,))
            for w in windows.values()
            if left
        ]
        given = {plane: w for plane, w in windows.items() if not _is_local(scop, w.array)}
        written = {self._plane(s.write) for s in group if s.write.array in arrays}
        copied += [(w, self._box(w, range(left, len(rows))), (True,)) for w in given.values()]
        copied += [(w, self._box(w, range(own)), (False,)) for plane, w in given.items() if plane in written]
        statements = with_copies(group, copied, (self.place, 0), self.names, instead)
        statements += (s for s in scop.statements if s.id not in within)
        kept = (*scop.arrays, *(window.kept for window in windows.values()))
        ordered = tuple(sorted(statements, key=lambda s: s.position))
        return without_unused(replace(scop, arrays=kept, statements=ordered))  # local ones have windows alone

    def _plane(self, ref: Ref) -> Ref:
        """What an array has a window of its own for: all of it, or of few planes, as those that take turns, each."""
        dim, array = self.steps.dim.get(ref.array, 0), self.steps.scop.array(ref.array)
        return Ref(ref.array, ref.index[:dim] if prod(array.extents[:dim]) <= MOST_PLANES else ())

    def _window(self, array: Array, plane: Sequence[Affine], rows: range) -> Window:
        """The rows of an array, or a plane of it, that a strip touches, the first one of which these are."""
        dim = self.steps.dim[array.id]
        first = {**dict(enumerate(plane)), dim: self.strip.first + rows.start}
        extents = (*array.extents[:dim], len(rows), *array.extents[dim + 1 :])
        order = tuple(range(dim, len(extents))) if plane else ()
        return Window(array, self.names.array(array.id), (self.block.name, self.strip.name), first, extents, order)

    def _box(self, window: Window, rows: range) -> Set:
        """Every block, strip, and place in such rows of a window that lies in the array."""
        dim, own = self.steps.dim[window.array.id], [*map(range, window.extents)]
        own = [rows if at == dim else own[at] for at in window.dims]
        extents = (range(self.blocks), range(self.steps.count(self.strips)), *own)
        inside = [(var(name), values) for name, values in zip(window.loops, extents, strict=True)]
        inside += [(at, range(extent)) for at, extent in zip(window.there, window.array.extents, strict=True)]
        ends = [end for at, values in inside for end in (at - values.start, values.stop - 1 - at)]
        return make_set("", window.loops, at_least_zero=ends)
