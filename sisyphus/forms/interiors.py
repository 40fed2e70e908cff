"""Loops cut where the windows are whole that are looked at in their iterations: a picture apart from its borders.

for j < n: for -3 <= d <= 3 with 0 <= j + d < n: s[j] += k[d] * a[j + d]   becomes
s[0] ...   s[1] ...   s[2] ...   for 3 <= j < n - 3: for -3 <= d <= 3: s[j] += k[d] * a[j + d]   s[n - 3] ...

The order is that of the source. Inside, and at each place of the borders, the window is a box, which may be written out
and then be one statement; what other cases compute at the borders is not there inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from sisyphus.analysis import Dependences, count_or_none
from sisyphus.forms.building import in_iteration, instead_of_loop, lengths_of, over, runs_of
from sisyphus.ir import Scop, Statement
from sisyphus.poly import dim_range, make_set, project_onto, var

#: Iterations of a loop that is cut, and of the window inside; statements that come of it at most.
LONG, SHORT, MOST_MORE = 16, 16, 96
#: Such a share of a loop has whole windows.
OF_LOOP = 0.75


def interiors_apart(found: Dependences) -> Scop | None:
    """The kernel with loops cut where windows are whole; None where no borders cut windows, or too much comes of it."""
    scop, most = found.scop, len(found.scop.statements) + MOST_MORE
    while (cut := next(_cuts(scop), None)) is not None and len(scop.statements) <= most:
        place, whole = cut
        scop = instead_of_loop(scop, place, partial(_parts, whole=whole))
    return None if scop is found.scop or len(scop.statements) > most else scop


def _cuts(scop: Scop) -> Iterator[tuple[tuple[int, ...], range]]:
    """Loops, by their places, with the iterations that have whole windows of some statement."""
    runs = {statement.id: runs_of(statement) for statement in scop.statements}
    lengths = lengths_of(scop.statements, runs)
    for statement in scop.statements:
        for depth, loop in enumerate(statement.iterators, start=1):
            place = statement.position[:depth]
            whole = _whole(statement, loop, runs[statement.id]) if lengths[place] >= LONG else None
            if whole is not None and OF_LOOP * lengths[place] <= len(whole) < lengths[place]:
                yield place, whole


def _whole(statement: Statement, loop: str, runs: Mapping[str, range]) -> range | None:
    """The iterations of a loop in which a statement has all instances of its short loop; None unless in one piece.

    Windows of two loops have borders on four sides and corners, which make too many statements to be worth it.
    """
    short = [name for name in statement.iterators if name != loop and 1 < len(runs[name]) <= SHORT]
    if len(short) != 1:
        return None
    names = [name for name in statement.iterators if name in (loop, *short)]
    ends = [end for name in names for end in (var(name) - runs[name].start, -var(name) + (runs[name].stop - 1))]
    box = make_set("", names, at_least_zero=ends)
    cut = box.subtract(project_onto(statement.domain.reset_tuple_id(), names))
    whole = project_onto(box, [loop]).subtract(project_onto(cut, [loop])).coalesce()
    if cut.is_empty() or whole.is_empty():
        return None
    low, high = dim_range(whole, loop)
    return range(low, high + 1) if count_or_none(whole) == high + 1 - low else None


def _parts(old: Statement, depth: int, whole: range) -> Iterator[tuple[tuple[int, ...], Statement]]:
    """A statement in the iterations that are whole, and, without the loop, in each one before and behind them."""
    loop = old.iterators[depth]
    ends = (var(loop) - whole.start, -var(loop) + (whole.stop - 1))
    inside = over(old, old.iterators, {}, ends)
    if not inside.domain.is_empty():
        yield (whole.start,), inside
    for value in (value for value in runs_of(old)[loop] if value not in whole):
        copy = in_iteration(old, depth, value)
        if not copy.domain.is_empty():
            yield (value, old.position[depth + 1]), copy
