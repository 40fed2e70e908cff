"""Windows of some lines (rows or columns) of an array, for the statements inside of a loop over blocks of lines.

What is read before it is written is filled first, what is written is written back. Knows no form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sisyphus.analysis import elements_touched, liveness
from sisyphus.analysis.rewrite import range_of, with_refs
from sisyphus.forms.blocks import BEAT
from sisyphus.forms.building import Cut, Names
from sisyphus.forms.windows import Copied, Window, with_copies
from sisyphus.ir import Array, ArrayId, Ref, Scop, Statement
from sisyphus.poly import Set, convex_parts, extend, has_quotients, make_set, project_onto, pull_back, var
from sisyphus.values import replace

#: An array, and the dimension in which its lines are numbered.
Line = tuple[ArrayId, int]


def in_steps(scop: Scop, group: Sequence[Statement], depth: int, name: ArrayId) -> tuple[Set, Set]:
    """What one iteration of the outer `depth` loops reads of an array before it writes it, and what it writes.

    Both by these loops, then by the subscripts. In an array with a place for every iteration, what one reads first is
    what nothing wrote before.
    """
    around = group[0].iterators[:depth]
    sizes = (range_of(group, at).stop for at in range(depth))
    apart = replace(scop.array(name), extents=(*sizes, *scop.array(name).extents))

    def in_step(ref: Ref) -> Ref:
        return Ref(name, (*map(var, around), *ref.index)) if ref.array == name else ref

    statements = tuple(with_refs(s, in_step) for s in group)
    live = liveness(replace(scop, arrays=(apart,), statements=statements))
    return live[name].upward_exposed, elements_touched(statements, apart, reads=False)


def elements_of(scop: Scop, lines: Collection[Line]) -> int:
    """Elements that windows have for each of the lines of a block."""
    return sum(scop.array(array).elements // scop.array(array).extents[dim] for array, dim in lines)


def size_of_blocks(count: int, most: int, beat: int = BEAT) -> int | None:
    """Lines of a block in whole beats, at most so many, that make the fewest blocks of `count` lines.

    None where all of them are one block, or none is a beat long.
    """
    for blocks in range(2, -(-count // beat) + 1):
        size = -(-count // (blocks * beat)) * beat
        if size <= most:
            return size
    return None


def window_of(array: Array, line: Line, own: ArrayId, around: tuple[str, ...], cut: Cut, *, first: bool) -> Window:
    """The lines of an array in a block of `cut`, whose loop is the innermost of those around.

    The number of a line is the `first` dimension of the window, or that which it is of the array.
    """
    _, dim = line
    extents = tuple(cut.size if at == dim else n for at, n in enumerate(array.extents))
    order = lines_first(range(len(extents)), dim) if first else ()
    return Window(array, own, around, {dim: cut.first}, extents, order)


def lines_first(by_dimension: Sequence[int], dim: int) -> tuple[int, ...]:
    """Something of each dimension, that of `dim` before all others."""
    return (by_dimension[dim], *by_dimension[:dim], *by_dimension[dim + 1 :])


def copies(scop: Scop, group: Sequence[Statement], window: Window) -> Iterator[Copied]:
    """What some statements need filled, and what they need written back, in convex parts.

    Of rows whole beats are written back, with what they keep filled first: else all of a tile would be loaded for the
    few blocks that have lines which nothing writes. So are points that no loops without quotients run through.
    """
    own = [(var(window.places[dim]), window.extents[dim]) for dim in window.first]
    inside = make_set("", window.loops, at_least_zero=[e for at, size in own for e in (at, size - 1 - at)])
    moved = in_steps(scop, group, len(window.around), window.array.id)
    exposed, written = (pull_back(p, window.loops, (*map(var, window.around), *window.there)) for p in moved)
    exposed, written = exposed.intersect(inside), written.intersect(inside)
    if (len(window.extents) - 1 in window.first or has_quotients(written)) and not written.is_empty():
        whole = _in_whole_rows(window, written).intersect(inside)
        exposed, written = exposed.union(whole.subtract(written)), whole
    if has_quotients(exposed):
        exposed = _in_whole_rows(window, exposed).intersect(inside)
    for points, to_window in ((exposed, True), (written, False)):
        for part in convex_parts(points) if not points.is_empty() else ():
            yield window, part, (to_window,)


def _in_whole_rows(window: Window, points: Set) -> Set:
    """All elements of the array that lie in a row of the window with one of some points of its loops."""
    rows = extend(project_onto(points, window.loops[:-1]), window.loops)
    ends = zip(window.there, window.array.extents, strict=True)
    return rows.intersect(make_set("", window.loops, at_least_zero=[e for at, n in ends for e in (at, n - 1 - at)]))


def with_windows(
    scop: Scop, group: Sequence[Statement], windows: Sequence[Window], place: tuple[int, ...], names: Names
) -> list[Statement]:
    """A group of statements at a place with windows, and what these need copied before and behind them."""
    known = {window.array.id: window for window in windows}
    copied = [copy for window in windows for copy in copies(scop, group, window)]

    def instead(_statement: Statement, ref: Ref) -> Ref:
        return known[ref.array].inside(ref) if ref.array in known else ref

    return with_copies(group, copied, place, names, instead)
