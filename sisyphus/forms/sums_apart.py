"""Sums of integers that several statements add to, each in loops of its own; knows no cost.

for i: for k: { c[i] += a[k]   c[i] += b[i + k] }   becomes   for i: { for k: c[i] += a[k]   for k: c[i] += b[i + k] }

In the order of the source, two statements that add to one element wait for each other in turns; so do the cases of one
addition, as of borders. Sums of integers are the same in any order, as they wrap around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import Dependences, reduction_of, runs_in_any_order
from sisyphus.forms.building import loops_of
from sisyphus.ir import Scop, Statement, StmtId, reads
from sisyphus.values import replace


def sums_apart(found: Dependences) -> Scop | None:
    """The kernel with such statements in loops of their own, as far out as nothing else is inside; None without any."""
    scop = found.scop
    waiting = {(e.source, e.sink) for e in found.edges if e.source != e.sink}
    while (group := next(_groups(scop, waiting), None)) is not None:
        scop = _apart(scop, *group)
    return None if scop is found.scop else scop


def _groups(scop: Scop, waiting: set[tuple[StmtId, StmtId]]) -> Iterator[tuple[list[Statement], int]]:
    """Statements that are all that a loop has, which add to one array and wait for each other; its depth from 1 on."""
    for place, inside in sorted(loops_of(scop.statements).items(), key=lambda loop: len(loop[0])):
        ids = {s.id for s in inside}
        in_turns = any(pair[::-1] in waiting for pair in waiting if ids.issuperset(pair))
        if in_turns and len({s.write.array for s in inside}) == 1 and all(_adds(s) for s in inside):
            yield inside, len(place)


def _adds(statement: Statement) -> bool:
    """Whether a statement only adds a whole number to an element, of whose array it reads nothing else."""
    found, array = reduction_of(statement), statement.write.array
    is_sum = found is not None and found.op == "+" and runs_in_any_order(statement)
    return is_sum and [ref.array for ref in reads(statement.rhs)].count(array) == 1


def _apart(scop: Scop, inside: Sequence[Statement], depth: int) -> Scop:
    """Each of the statements inside of a loop in one of its own, what follows further behind."""
    at, before = inside[0].position[depth - 1], inside[0].position[: depth - 1]
    own = {statement.id: at + number for number, statement in enumerate(inside)}
    made = []
    for statement in scop.statements:
        here = statement.position
        if statement.id in own:
            here = (*here[: depth - 1], own[statement.id], *here[depth:])
        elif here[: depth - 1] == before and here[depth - 1] > at:
            here = (*here[: depth - 1], here[depth - 1] + len(inside) - 1, *here[depth:])
        made.append(replace(statement, position=here))
    return replace(scop, statements=tuple(made))
