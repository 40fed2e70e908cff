"""Arrays whose rows one loop makes and others use soon after, and where these loops stand among the rows.

for y: for x: t[y][x] = f(in[y][x])   for y: for x: out[y][x] = g(t[y - 1][x], t[y][x], t[y + 1][x])

The second loop is at the row y + 1 of t in its iteration y, the last that it touches. At each row, all loops touch it
and a few before it, so that these are all that has to be kept. Where one loop goes through every other row of what
another one makes, and makes rows of its own, a row of these counts for two. Knows no target, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import lcm

from sisyphus.analysis import Dependences, liveness
from sisyphus.analysis.rewrite import range_of
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement, StmtId
from sisyphus.poly import Affine, affine_range, dim_range, var
from sisyphus.values import dataclass, replace

#: Groups of loops that are tried: most of them pass nothing on that others do not.
MOST_PASSINGS = 8
#: Of so many loops that follow one another, or more, none are looked for: kernels of many lines have small arrays.
MOST_SPANS = 1_000

#: A loop by its place, as many numbers of a position as it has loops around it and itself.
Place = tuple[int, ...]


@dataclass(frozen=True)
class Walk:
    """How a statement goes through rows: by its loop `depth`, `step` rows an iteration, at the row `shift` at zero.

    Without a loop, where `depth` is None, it is at the row `shift`.
    """

    depth: int | None
    step: int
    shift: int = 0

    def moved(self, statement: Statement) -> Affine:
        """What the loop adds to the row."""
        return Affine() if self.depth is None else var(statement.iterators[self.depth]) * self.step

    def at(self, statement: Statement) -> Affine:
        """The row that a statement is at: the last one that it touches, or a later one."""
        return self.moved(statement) + self.shift


@dataclass(frozen=True, eq=False)
class Rows:
    """Arrays by what a row of each counts for, and the loops through them, by the rows of an iteration."""

    dim: int
    scale: Mapping[ArrayId, int]
    steps: Mapping[Place, int]

    def with_array(self, statements: Sequence[Statement], array: ArrayId) -> Rows | None:
        """With one more array; None where some statement goes through it in another way than through the others."""
        uses = ((s, r.index[self.dim]) for s in statements for r in _refs(s) if r.array == array)
        paces = [_pace(statement, subscript) for statement, subscript in uses if not subscript.is_constant]
        if any(pace < 1 for _, pace in paces):
            return None
        loop, pace = next((one for one in paces if one[0] in self.steps), ((), 1))
        scale, rest = divmod(self.steps.get(loop, 1), pace)
        steps = {**self.steps, **{loop: scale * pace for loop, pace in paces}}
        same = all(steps[loop] == scale * pace for loop, pace in paces) and self.steps.items() <= steps.items()
        one = all(sum(place in steps for place in _around(s)) <= 1 for s in statements)
        return None if rest or not same or not one else Rows(self.dim, {**self.scale, array: scale}, steps)

    def offsets(self, statement: Statement, ref: Ref, walk: Walk) -> tuple[int, int]:
        """The least and the greatest row that is touched, less what the loop through rows adds."""
        return _range(statement, ref.index[self.dim] * self.scale[ref.array] - walk.moved(statement))


@dataclass(frozen=True, eq=False)
class Passing:
    """Arrays whose `rows` are gone through together, and the statements of all loops from the first to the last."""

    found: Dependences
    rows: Rows
    statements: tuple[Statement, ...]
    walks: Mapping[StmtId, Walk]

    @property
    def scop(self) -> Scop:
        return self.found.scop

    @property
    def dim(self) -> int:
        """The dimension of arrays that has rows."""
        return self.rows.dim

    @property
    def scale(self) -> Mapping[ArrayId, int]:
        """For how many rows a row of each array counts."""
        return self.rows.scale

    def above(self, array: Array) -> range:
        """How far above the row where a statement is it touches an array."""
        ends = list(self._ends(array.id))
        return range(min(ends), max(ends) + 1)

    def _ends(self, array: ArrayId, *, reads: bool = True) -> Iterator[int]:
        """How far above where they are statements touch rows of an array, or write them."""
        for statement in self.statements:
            for access in statement.accesses:
                if access.array == array and (reads or access.is_write):
                    walk = self.walks[statement.id]
                    yield from (walk.shift - row for row in self.rows.offsets(statement, access.ref, walk))

    @property
    def arrays(self) -> list[Array]:
        return [array for array in self.scop.arrays if array.id in self.scale]

    @cached_property
    def values(self) -> range:
        """The rows that statements are at, and those at which the last rows are stored."""
        ends = [_range(s, self.walks[s.id].at(s)) for s in self.statements]
        stored = [self._last_written(array) * self.scale[array.id] + self.done(array) for array in self.stored]
        return range(min(low for low, _ in ends), max([*(high for _, high in ends), *stored]) + 1)

    def _last_written(self, array: Array) -> int:
        """The last row of an array that is written."""
        writes = (s for s in self.statements if s.write.array == array.id)
        return max(_range(s, s.write.index[self.dim])[1] for s in writes)

    def rows_of(self, array: Array, size: int) -> range:
        """The rows of an array that statements touch which are at the first so many rows."""
        low, above, scale = self.values.start, self.above(array), self.scale[array.id]
        return range((low - above[-1]) // scale, (low + size - 1 - above[0]) // scale + 1)

    def fits(self, size: int) -> bool:
        """Whether all loops take whole steps through so many rows, and these are not all."""
        return size < len(self.values) and size % self.whole == 0

    @cached_property
    def whole(self) -> int:
        """The least rows that are whole steps of all loops."""
        return lcm(*self.scale.values(), *self.rows.steps.values())

    @cached_property
    def stored(self) -> list[Array]:
        """The arguments among the arrays whose values something outside wants."""
        after = {a for s in self.scop.statements if s not in self.statements for a in s.touched}
        arguments = [array for array in self.arrays if array.role is not Role.LOCAL]
        return [a for a in arguments if a.id not in self.scop.temporaries or a.id in after]

    def done(self, array: Array) -> int:
        """How far above the row where statements are all of an array that is there is written."""
        return max(self._ends(array.id, reads=False))

    def most(self, elements: int) -> int:
        """For how many rows no more than so many elements are kept of all arrays, those above them included."""
        row = {a: a.elements // a.extents[self.dim] for a in self.arrays}
        left = elements - sum(row[a] * -(-(len(self.above(a)) - 1) // self.scale[a.id]) for a in row)
        return int(left / sum(row[a] / self.scale[a.id] for a in row))


def passing_rows(known: Dependences, dim: int) -> Iterator[Passing]:
    """What loops that follow one another pass on in rows of a dimension, that of most elements first.

    Local arrays, and arguments of which the kernel reads nothing but what it wrote: these arrive in memory, too, unless
    nobody wants them.
    """
    scop = known.scop
    offered = list(_offered(scop, dim))
    names = {array.id for array in offered}
    ends = {array.id: _places(scop, array.id) for array in offered}
    highs = {s.position[0] for s in scop.statements if names & {*s.touched}}
    lows = {first for first, _ in ends.values()}
    if len(lows) * len(highs) > MOST_SPANS:
        return
    spans = (range(low, high + 1) for low in lows for high in highs if low <= high)
    found = dict[tuple[int, tuple[ArrayId, ...]], tuple[int, Rows, tuple[Statement, ...]]]()
    for span in spans:
        inside = tuple(s for s in scop.statements if s.position[0] in span)
        rows = Rows(dim, {}, {})
        for array in sorted(offered, key=lambda array: -array.elements):
            if ends[array.id][0] in span and ends[array.id][1] in span and _is_passed(scop, array, inside):
                rows = rows.with_array(inside, array.id) or rows
        touching = [s.position[0] for s in inside if rows.scale.keys() & {*s.touched}]
        if rows.steps and (min(touching), max(touching)) == (span[0], span[-1]):
            found[len(span), tuple(rows.scale)] = sum(scop.array(a).elements for a in rows.scale), rows, inside
    for _, rows, inside in sorted(found.values(), key=lambda one: (-one[0], len(one[2])))[:MOST_PASSINGS]:
        yield Passing(known, rows, inside, _walks(inside, rows))


def _offered(scop: Scop, dim: int) -> Iterator[Array]:
    """Local arrays, and arguments of which nothing is read that the kernel did not write."""
    written = {s.write.array for s in scop.statements} - scop.looked_up
    arrays = [a for a in scop.arrays if len(a.extents) > dim and a.id in written and a.view_of is None]
    local = {a.id for a in arrays if a.role is Role.LOCAL or a.id in scop.temporaries}
    live = liveness(scop) if len(local) < len(arrays) else {}
    for array in arrays:
        wide = dim < len(array.extents) - 1  # columns would be stored in short bursts
        if array.id in local or (wide and live[array.id].upward_exposed.is_empty()):
            yield array


def _places(scop: Scop, array: ArrayId) -> tuple[int, int]:
    """The first and the last loop that writes an array; of a local one, that touches it."""
    is_local = scop.array(array).role is Role.LOCAL
    found = [s.position[0] for s in scop.statements if s.write.array == array or (is_local and array in s.touched)]
    return min(found), max(found)


def _is_passed(scop: Scop, array: Array, inside: Sequence[Statement]) -> bool:
    """Whether one loop of these writes an argument, and another one reads it."""
    if array.role is Role.LOCAL:
        return True
    writers = {s.position[0] for s in inside if s.write.array == array.id}
    return any({s.position[0]} != writers for s in inside if any(ref.array == array.id for ref in s.reads))


def _pace(statement: Statement, subscript: Affine) -> tuple[Place, int]:
    """The loop with most iterations in a subscript, and what it adds: y of t[y + k], in which k is a few rows."""
    depths = [at for at, name in enumerate(statement.iterators) if subscript.coefficient(name)]
    depth = max(depths, key=lambda depth: len(range_of([statement], depth)))
    return statement.position[: depth + 1], subscript.coefficient(statement.iterators[depth])


def _around(statement: Statement) -> list[Place]:
    """The loops around a statement."""
    return [statement.position[:depth] for depth in range(1, len(statement.iterators) + 1)]


def _walks(inside: Sequence[Statement], rows: Rows) -> dict[StmtId, Walk]:
    """Where each statement is: at no row before one that it touches, nor before what it depends on of earlier loops.

    All statements in a loop through rows keep their order there, as they are at the same row in an iteration.
    """
    walks, groups = dict[StmtId, Walk](), dict[Place, list[Statement]]()
    for statement in inside:
        loop = next((place for place in _around(statement) if place in rows.steps), None)
        walks[statement.id] = Walk(None, 0) if loop is None else Walk(len(loop) - 1, rows.steps[loop])
        groups.setdefault(loop or statement.position, []).append(statement)
    done = list[Statement]()
    for group in groups.values():
        uses = [(s, ref) for s in group for ref in _refs(s) if ref.array in rows.scale]
        own = [rows.offsets(s, ref, walks[s.id])[1] for s, ref in uses]
        after = [row for later in group for earlier in done for row in _rows_after(earlier, later, walks, rows)]
        shift = max([*own, *after], default=0)
        walks |= {s.id: replace(walks[s.id], shift=shift) for s in group}
        done += group
    return walks


def _rows_after(earlier: Statement, later: Statement, walks: Mapping[StmtId, Walk], rows: Rows) -> Iterator[int]:
    """The least shifts of a later statement by each element that both touch in a row, and one of them writes."""
    before, after = walks[earlier.id], walks[later.id]
    for first in earlier.accesses:
        for second in later.accesses:
            if first.array != second.array or not (first.is_write or second.is_write):
                continue
            if first.array in rows.scale:
                low, high = rows.offsets(earlier, first.ref, before)[0], rows.offsets(later, second.ref, after)[1]
                yield before.shift + high - low
                continue
            one, other = _as_rows(earlier, first.ref, before), _as_rows(later, second.ref, after)
            if one is not None and other is not None and one[0] == other[0]:
                yield before.shift + other[1][1] - one[1][0]


def _as_rows(statement: Statement, ref: Ref, walk: Walk) -> tuple[int, tuple[int, int]] | None:
    """The dimension of another array that is gone through as rows are, and the offsets there; None without one."""
    if walk.depth is None:
        return None
    name = statement.iterators[walk.depth]
    found = [at for at, subscript in enumerate(ref.index) if subscript.coefficient(name)]
    if len(found) != 1 or ref.index[found[0]].coefficient(name) != walk.step:
        return None
    return found[0], _range(statement, ref.index[found[0]] - walk.moved(statement))


def _range(statement: Statement, value: Affine) -> tuple[int, int]:
    """Bounds of an expression over the box around the instances of a statement."""
    return affine_range(value, {name: dim_range(statement.domain, name) for name in value.names})


def _refs(statement: Statement) -> Iterator[Ref]:
    return (access.ref for access in statement.accesses)
