"""Nests that follow one another in a sequential loop as one, each some rows behind those before it; knows no cost.

for t: { for i: for j: B[i][j] = f(A[i-1][j], A[i+1][j])   for i: for j: A[i][j] = f(B[i-1][j], B[i+1][j]) }   becomes
for t: for i: for j: { B[i][j] = f(A[i-1][j], A[i+1][j])   A[i-2][j] = f(B[i-3][j], B[i-1][j]) }

A row needs nothing of a statement behind it that is not done in rows before. So one body computes all statements at
once, where functions of their own, one after another, each had registers and multiplexers for all of the cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from sisyphus.analysis import Dependences, DepKind, LoopKind, Nest, dependences, distribute, innermost
from sisyphus.analysis.isl_limits import Patience
from sisyphus.forms.building import over
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.strips import Strips, in_strips
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.poly import Map, least_distance, var
from sisyphus.values import replace

#: Loops of such a nest: rows, and what is in a row.
FEWEST_LOOPS = 2
#: Rows that lie at least between a value and what needs it.
ROWS_BETWEEN = 1


def shifted(found: Dependences) -> Scop | None:
    """The kernel with such nests as one; None where there are none, or it is not proved to be the same program."""
    moved, together = dict[StmtId, Moved](), []
    for row, group in _following(found):
        shifts = _shifts(found, row, group)
        if shifts is not None:
            moved |= {old.id: _behind(group[0], row, old, shift, at) for at, (old, shift) in enumerate(shifts)}
            together.append(tuple(s.id for s in group))
    if not together:
        return None
    whole = ordered(found.scop, (moved.get(s.id, (s, s, {})) for s in found.scop.statements))
    is_same = next(faults(found, whole), None) is None
    return replace(whole.scop, fused=(*whole.scop.fused, *together)) if is_same else None


def in_shifted_strips(found: Dependences, strips: Strips) -> Scop | None:
    """The kernel in strips that leave so many rows between its statements, and these as one nest; None without any."""
    made = in_strips(found, strips, ROWS_BETWEEN)
    return None if made is None else shifted(dependences(made))


def _following(found: Dependences) -> Iterator[tuple[int, list[Statement]]]:
    """Statements that follow one another in a sequential loop, each in a nest of as many parallel loops.

    With the number of loops around these nests, which is the place of the loops over rows.
    """
    for loop in innermost(distribute(found.scop, found).body):
        if loop.kind is LoopKind.SEQUENTIAL:
            for depth, alike in groupby(loop.nests, key=_parallel_loops):
                nests = list(alike)
                if depth >= FEWEST_LOOPS and _pass_values(found, nests):
                    group = (found.scop.statement(nest.statements[0]) for nest in nests)
                    yield len(nests[0].outer), sorted(group, key=lambda s: s.position)


def _parallel_loops(nest: Nest) -> int:
    """Loops of a nest of one statement, if all of them are parallel; else 0."""
    is_plain = len(nest.statements) == 1 and all(loop.kind is LoopKind.PARALLEL for loop in nest.band)
    return len(nest.band) if is_plain else 0


def _pass_values(found: Dependences, nests: Sequence[Nest]) -> bool:
    """Whether some nest reads what another one wrote in the same iteration of the loops around them."""
    statements, row = {nest.statements[0] for nest in nests}, len(nests[0].outer)
    values = (e for e in found.among(frozenset(statements)) if e.kind is DepKind.RAW and e.source != e.sink)
    return any(_is_inside(carried, row) for edge in values for carried in edge.depths)


def _is_inside(carried: int | None, row: int) -> bool:
    """Whether what is carried there stays in one iteration of the loops outside of `row`."""
    return carried is None or carried >= row


def _behind(first: Statement, row: int, old: Statement, shift: int, at: int) -> Moved:
    """A statement in the loops of the first one of its group, at a place in their body, some rows further on."""
    given = dict(zip(old.iterators, map(var, first.iterators), strict=True))
    given[old.iterators[row]] = var(first.iterators[row]) - shift
    return old, replace(over(old, first.iterators, given), position=(*first.position[:-1], at)), given


def _shifts(found: Dependences, row: int, group: Sequence[Statement]) -> list[tuple[Statement, int]] | None:
    """By how many rows each is behind the first one, so that none needs values of its own row; None if isl gives up."""
    patience, shifts = Patience(), list[tuple[Statement, int]]()
    for later in group:
        shift = 0
        for earlier, before in shifts:
            rows = earlier.iterators[row], later.iterators[row]
            for part in _in_one_iteration(found, row, earlier, later):
                least = patience.ask(partial(least_distance, part, *rows))
                if least is None:
                    return None
                shift = max(shift, before + ROWS_BETWEEN - least)
        shifts.append((later, shift))
    return shifts


def _in_one_iteration(found: Dependences, row: int, earlier: Statement, later: Statement) -> Iterator[Map]:
    """The dependences of one statement on another in one iteration of the loops around both."""
    for edge in found.edges:
        if (edge.source, edge.sink) == (earlier.id, later.id):
            yield from (part for carried, part in edge.parts if _is_inside(carried, row))
