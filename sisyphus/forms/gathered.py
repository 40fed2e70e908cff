"""Sums whose terms are scattered over the elements of a result, gathered: all terms of an element follow each other.

for y: for p < 4: out[2 y + p] += in[y] * w[p]   becomes, with y = u - 1 + a and p = 2 (1 - a) + r,
for u: for r < 2: for a < 2: if (0 <= u - 1 + a < Y) out[2 u + r] += in[u - 1 + a] * w[2 (1 - a) + r]

Where neighbours of both loops add to one element, each addition waits for that of a neighbour: all loops are a chain.
The terms of an element keep their order: the loop that was the outer one of both goes up. Knows no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.analysis import Dependences
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.building import Names, over, placed
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import ordered
from sisyphus.ir import Scop, Statement
from sisyphus.poly import Affine, var
from sisyphus.values import dataclass


@dataclass(frozen=True)
class _Scattered:
    """A subscript `step` * `far` + `near` of what a statement adds to: elements get terms of several `far`."""

    far: str
    near: str
    step: int


def gathered(found: Dependences) -> Scop | None:
    """The kernel with all such sums gathered whose loops no other statement shares; None without any."""
    scop, names = found.scop, Names(found.scop)
    some = {s.id: here for s in scop.statements if (here := _scattered(scop, s))}
    if not some:
        return None
    made = ordered(scop, ((s, *_moved(s, some.get(s.id, ()), names)) for s in scop.statements))
    return made.scop if next(faults(found, made), None) is None else None


def _scattered(scop: Scop, statement: Statement) -> list[_Scattered]:
    """The subscripts that are sums of two loops, neither of which is in another subscript."""
    found = list(_sums(statement)) if statement.write in statement.reads else []
    others = (other for other in scop.statements if other is not statement)
    is_alone = not found or all(statement.shared_loops(other) <= _outermost(statement, found) for other in others)
    return found if is_alone else []


def _sums(statement: Statement) -> Iterator[_Scattered]:
    every = [name for e in statement.write.index for name, _ in e.terms]
    for subscript in statement.write.index:
        if len(subscript.terms) != 2 or any(every.count(name) > 1 for name, _ in subscript.terms):
            continue
        sides = ((step, len(_run(statement, name)), name) for name, step in subscript.terms)
        (one, length, near), (step, _, far) = sorted(sides)
        if one == 1 and length > step:
            yield _Scattered(far, near, step)


def _run(statement: Statement, name: str) -> range:
    """What a loop runs through."""
    return range_of([statement], statement.iterators.index(name))


def _outermost(statement: Statement, some: Sequence[_Scattered]) -> int:
    """How many loops are around all those of such subscripts."""
    return min(statement.iterators.index(name) for one in some for name in (one.far, one.near))


def _moved(old: Statement, some: Sequence[_Scattered], names: Names) -> tuple[Statement, Mapping[str, Affine]]:
    """The statement over its new loops, and what its old iterators are there."""
    if not some:
        return old, {}
    loops = {name: [str(name)] for name in old.iterators}
    given, inside = dict[str, Affine](), list[Affine]()
    for one in some:
        run = _run(old, one.near)
        place, back = names.like(one.far), names.like(one.near)
        rest = names.like(one.near) if one.step > 1 else None
        is_up = old.iterators.index(one.near) < old.iterators.index(one.far)
        blocks = var(back) if is_up else (len(run) - 1) // one.step - var(back)
        left = Affine() if rest is None else var(rest)
        given |= {one.far: var(place) - blocks, one.near: blocks * one.step + left + run.start}
        inside += [] if rest is None else [left, one.step - 1 - left]
        loops |= {one.far: [place], one.near: [back] if rest is None else [rest, back]}
    new = over(old, [name for iterator in old.iterators for name in loops[iterator]], given, inside)
    return placed(new, old.position[: _outermost(old, some) + 1]), given
