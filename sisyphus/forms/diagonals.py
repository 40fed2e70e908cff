"""Loops each iteration of which writes a diagonal of tables, from their rows and columns as earlier ones left them.

for w: for i: for k: T[i][i + w] = f(T[i][i + w], T[i][k], T[k + 1][i + w])

Knows no form, and not what is on chip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from sisyphus.analysis import Dependences
from sisyphus.analysis.isl_limits import Patience
from sisyphus.forms.building import loops_of
from sisyphus.forms.latches import in_one_run
from sisyphus.ir import Array, Ref, Role, Scop, Statement, StmtId
from sisyphus.poly import make_set, var
from sisyphus.values import dataclass

ROWS, COLUMNS = 0, 1

#: The iterator that a subscript is up to its sign, which comes behind it, and a constant.
Counter = tuple[str, int]


@dataclass(frozen=True, eq=False)
class Diagonals:
    """The statements in an outermost loop w, whose writes have subscripts with `weights` · subscripts + `start` = w.

    Dimension `along` is that of `counters`, which all have one sign. `tables` are arrays of which each statement
    touches the element that it writes, or others in its row or column or at a constant distance of these.
    """

    statements: tuple[Statement, ...]
    weights: tuple[int, int]
    start: int
    along: int
    counters: Mapping[StmtId, Counter]
    tables: tuple[Array, ...]

    @cached_property
    def extents(self) -> tuple[int, int]:
        """Those of a table that has room for each of the tables."""
        rows, columns = (max(array.extents[dim] for array in self.tables) for dim in (ROWS, COLUMNS))
        return rows, columns

    @property
    def updated(self) -> tuple[Array, ...]:
        """The tables that the statements write."""
        written = {s.write.array for s in self.statements}
        return tuple(array for array in self.tables if array.id in written)


def diagonals(found: Dependences) -> Diagonals | None:
    """The first such loop of a kernel; None where no loop is one.

    What its statements read at other places than they write is in no case written in the same iteration, and some of it
    is a whole row or column.
    """
    for place, group in loops_of(found.scop.statements).items():
        if len(place) == 1 and all(len(s.iterators) > 1 and len(s.write.index) == len((ROWS, COLUMNS)) for s in group):
            made = _diagonals(found.scop, group)
            if made is not None and _reads_older(made):
                return made
    return None


def offsets(statement: Statement, ref: Ref) -> tuple[int | None, ...]:
    """By how much a reference is further than what its statement writes in each dimension; None where this moves."""
    apart = (read - own for read, own in zip(ref.index, statement.write.index, strict=True))
    return tuple(e.constant if e.is_constant else None for e in apart)


def pinned(statement: Statement, ref: Ref) -> int | None:
    """The dimension in which a reference stays with what its statement writes; None where it is to the same element."""
    rows, columns = offsets(statement, ref)
    if rows == columns == 0:
        return None
    return COLUMNS if rows is None else ROWS


def _diagonals(scop: Scop, group: Sequence[Statement]) -> Diagonals | None:
    """What the iterations of a loop write, if these are diagonals."""
    tables = tuple(array for array in scop.arrays if _is_table(scop, group, array))
    known = next((known for s in group if (known := _diagonal(s)) is not None), None)
    if known is None or not {s.write.array for s in group} <= {array.id for array in tables}:
        return None
    weights, start = known
    if not all(_is_on(s, weights, start) for s in group):
        return None
    for along in (ROWS, COLUMNS):
        counters = {s.id: counter for s in group if (counter := _counter(s, along)) is not None}
        is_one_way = len({factor for _, factor in counters.values()}) == 1
        if abs(weights[1 - along]) == 1 and len(counters) == len(group) and is_one_way:
            return Diagonals(tuple(group), weights, start, along, counters, tables)
    return None


def _is_table(scop: Scop, group: Sequence[Statement], array: Array) -> bool:
    """Whether all references of some statements to an array are such ones."""
    refs = [(s, access.ref) for s in group for access in s.accesses if access.array == array.id]
    is_kept = array.role is not Role.LOCAL and array.view_of is None and array.id not in scop.looked_up
    if not refs or not is_kept or len(array.extents) != len((ROWS, COLUMNS)):
        return False
    return all(offsets(s, ref) != (None, None) for s, ref in refs)


def _diagonal(statement: Statement) -> tuple[tuple[int, int], int] | None:
    """Weights of the subscripts that a statement writes, and a start, that make the outermost iterator of them."""
    wave, index = statement.iterators[0], statement.write.index
    others = {name for e in index for name in e.names} - {wave}
    if len(others) != 1:
        return None
    [other] = others
    (row, row_wave), (column, column_wave) = ((e.coefficient(other), e.coefficient(wave)) for e in index)
    turned = row * column_wave - column * row_wave
    if abs(turned) != 1 or not row or not column:
        return None
    weights = -column * turned, row * turned
    return weights, -sum(e.constant * weight for e, weight in zip(index, weights, strict=True))


def _is_on(statement: Statement, weights: tuple[int, int], start: int) -> bool:
    """Whether all that a statement writes in an iteration of the outermost loop lies on its diagonal."""
    rows, columns = (e * weight for e, weight in zip(statement.write.index, weights, strict=True))
    off = rows + columns + start - var(statement.iterators[0])
    return bool(statement.domain.is_subset(make_set(statement.id, statement.iterators, zero=[off])))


def _counter(statement: Statement, dim: int) -> Counter | None:
    """The iterator inside of the outermost loop that a subscript of what is written is, if it is one."""
    terms = statement.write.index[dim].terms
    is_one = len(terms) == 1 and abs(terms[0][1]) == 1 and terms[0][0] != statement.iterators[0]
    return terms[0] if is_one else None


def _reads_older(made: Diagonals) -> bool:
    """Whether whole rows or columns are read, and nothing that was written in the same iteration."""
    patience, names, is_made_of_lines = Patience(), {array.id for array in made.tables}, False
    for reader, read in ((s, access) for s in made.statements for access in s.accesses):
        if not read.is_write and read.array in names and pinned(reader, read.ref) is not None:
            is_made_of_lines |= None in offsets(reader, read.ref)
            writers = (s for s in made.statements if s.write.array == read.array)
            if any(patience.ask(partial(in_one_run, writer, reader, read, 1)) != [] for writer in writers):
                return False
    return is_made_of_lines
