"""Short loops written out, each of their iterations a statement of its own, in the order of the source; knows no cost.

Inside of a sequential loop:
for n: for s < 2: { w = c[s] * z[s] + x[n]   z[s] = w }   becomes
for n: { w = c[0] * z[0] + x[n]   z[0] = w   w = c[1] * z[1] + x[n]   z[1] = w }

A nest is called anew in each iteration of the loops around it. Where all that a sequential loop has inside is a few
instances, they are statements of its own, which one pipeline starts again as soon as values allow it.

Where one short loop is settled by others:
for c < 2: for p < 2: for q < 2: for i, j: if ((c + p + q) % 2 == 0) ...   becomes four nests over i and j

Points of one colour are such: half of the iterations of p and q have no instance, and a condition says so in every
copy of the body.

Where variables add up few values:
for i, j: { s = 0   for k < 4: s += A[i][k] * B[k][j]   C[i][j] = s }   becomes one statement in the end, without s,
which needs a place for every i and j as long as its sum is a nest of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from sisyphus.analysis import Dependences, LoopKind, count_or_none, dependences, distribute, innermost
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.webs import Web, webs_of
from sisyphus.forms.building import in_iteration, instead_of_loop, lengths_of, loops_of, runs_of
from sisyphus.forms.values_apart import values_apart
from sisyphus.ir import Scop, Statement
from sisyphus.poly import project_onto

#: Iterations of all loops that are written out around one statement, and statements that come of those of a loop.
MOST_ITERATIONS, MOST_STATEMENTS = 32, 128
#: Iterations of a loop that others settle, and statements that writing out such loops adds at most.
SHORT, MOST_CASES = 4, 16


def written_out(found: Dependences) -> Scop | None:
    """The kernel with short loops inside of sequential ones written out; None where there are none.

    What a variable held in each of their iterations is in variables of its own, as none waits for another one.
    """
    scop = found.scop
    for place in _places(found):
        scop = _without_loops(scop, place, len(place))
    if scop is found.scop:
        return None
    return values_apart(dependences(scop), frozenset(scop.variables))[0]


def cases_apart(found: Dependences) -> Scop | None:
    """The kernel with short loops that settle each other written out; None where there are none, or too many."""
    scop, most = found.scop, len(found.scop.statements) + MOST_CASES
    while (place := next(_settled(scop), None)) is not None and len(scop.statements) <= most:
        scop = _without_loop(scop, place)
    return None if scop is found.scop or len(scop.statements) > most else scop


def turns_apart(found: Dependences) -> Scop | None:
    """The kernel without loops of which each statement has one iteration, as of planes that take turns; None without.

    What one iteration has comes behind what those before it have.
    """
    scop = found.scop
    while (place := next(_of_turns(scop), None)) is not None:
        scop = _without_loop(scop, place)
    return None if scop is found.scop else scop


def _of_turns(scop: Scop) -> Iterator[tuple[int, ...]]:
    """The loops of several iterations in which each statement has one, by their place."""
    values = {statement.id: runs_of(statement) for statement in scop.statements}
    for place, inside in loops_of(scop.statements).items():
        own = [values[s.id][s.iterators[len(place) - 1]] for s in inside]
        if all(len(one) == 1 for one in own) and len({one.start for one in own}) > 1:
            yield place


def sums_written_out(found: Dependences) -> Scop | None:
    """The kernel with short loops written out in which local variables add up values; None where there are none.

    Each such loop is inside of those in whose iterations the values of its variable stay.
    """
    scop, webs, patience = found.scop, list[Web](), Patience()
    for name in scop.variables:
        webs += webs_of(scop, found, name, patience)
    places = {s.position[: web.shared_loops + 1] for web in webs for s in web.statements if _adds_up(web, s)}
    around = loops_of(scop.statements)
    copies = {place: sum(_copies_of(around[place], len(place) - 1)) for place in places}
    short = sorted((place for place in places if copies[place] <= MOST_ITERATIONS), reverse=True)
    if not short or sum(copies[place] for place in short) > MOST_STATEMENTS:
        return None
    for depth, first in [(len(place), around[place][0].id) for place in short]:
        place = scop.statement(first).position[:depth]  # loops behind it were written out
        scop = _without_loops(scop, place, depth - 1)
    return scop


def _adds_up(web: Web, statement: Statement) -> bool:
    """Whether a statement changes the variable in a loop inside of those that all of its values stay in."""
    reads = any(ref.array == web.array.id for ref in statement.reads)
    return len(statement.iterators) > web.shared_loops and reads and statement.write.array == web.array.id


def _copies_of(statements: Sequence[Statement], depth: int) -> list[int]:
    """Iterations of all loops inside of so many around each of these statements."""
    return [prod(map(len, [*runs_of(s).values()][depth:])) for s in statements]


def _places(found: Dependences) -> Iterator[tuple[int, ...]]:
    """The sequential loops around few instances, by their place, each once."""
    seen: set[tuple[int, ...]] = set()
    for loop in innermost(distribute(found.scop, found).body):
        if loop.kind is LoopKind.PARALLEL:
            continue
        depth = len(loop.nests[0].outer)
        place = found.scop.statement(loop.nests[0].statements[0]).position[:depth]
        inside = loops_of(found.scop.statements)[place]
        copies = _copies_of(inside, depth)
        is_short = max(copies) <= min(MOST_ITERATIONS, loop.trip_count - 1) and sum(copies) <= MOST_STATEMENTS
        if place not in seen and is_short and sum(copies) > len(inside):
            seen.add(place)
            yield place


def _settled(scop: Scop) -> Iterator[tuple[int, ...]]:
    """The innermost loop of those that settle each other around some statement, by its place.

    Of loops of two iterations it is enough that some of their values do not go together.
    """
    values = {statement.id: runs_of(statement) for statement in scop.statements}
    lengths = lengths_of(scop.statements, values)
    for statement in scop.statements:
        own, position = values[statement.id], statement.position
        loops = {name: lengths[position[: at + 1]] for at, name in enumerate(statement.iterators)}
        for most in (2, SHORT):
            short = {name: len(own[name]) for name in own if len(own[name]) > 1 and loops[name] <= most}
            if len(short) < 2:
                continue
            points = project_onto(statement.domain, list(short))
            count = count_or_none(points) or 0
            others = {name: count_or_none(project_onto(points, [n for n in short if n != name])) or 0 for name in short}
            tied = [name for name, left in others.items() if count != left * short[name]]
            if tied and (most == 2 or count in others.values()):
                yield position[: max(statement.iterators.index(name) for name in tied) + 1]


def _without_loops(scop: Scop, place: tuple[int, ...], depth: int) -> Scop:
    """All iterations of the loops at a place that are inside of so many, the innermost first."""
    while inside := [p for p in loops_of(scop.statements) if len(p) > depth and p[: len(place)] == place]:
        scop = _without_loop(scop, max(inside, key=len))
    return scop


def _without_loop(scop: Scop, place: tuple[int, ...]) -> Scop:
    """All iterations of a loop as statements of their own, which lie where the loop did."""
    return instead_of_loop(scop, place, _copies)


def _copies(old: Statement, depth: int) -> Iterator[tuple[tuple[int, int], Statement]]:
    """A statement without its loop inside of so many, for each iteration, with when that runs in the loop."""
    for value in runs_of(old)[old.iterators[depth]]:
        copy = in_iteration(old, depth, value)
        if not copy.domain.is_empty():
            yield (value, old.position[depth + 1]), copy
