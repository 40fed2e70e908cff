"""Dependence pragmas in the text of a kernel, proved on the loops of its plan; what cannot be shown is refused.

The tool obeys them unchecked. A promise holds where no two starts of its loop, nearer to each other than it says, touch
one element that one of them writes. Loops that the tool may flatten with it count as one, and so do those that are one
loop over a table of tiles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from math import prod

from sisyphus.algebra import EXACT
from sisyphus.backends.hls import plan_names
from sisyphus.ir import ArrayId
from sisyphus.lint.syntax import Loop, Pragma, parse, places
from sisyphus.plan import For, Plan, Task, TileList, tables_in, turns_between
from sisyphus.poly import Affine, const, dim_range, make_set, var
from sisyphus.values import dataclass, replace
from sisyphus.verification.execution_order import on_leash
from sisyphus.verification.sites import Spot, Tree
from sisyphus.verification.tile_rows import alike_in, nearest_rows
from sisyphus.verification.touches import Meeting, Touch, touches_in
from sisyphus.verification.verdict import Check

#: Whether the earlier touch writes, and the later one, by the word of the pragma.
DIRECTIONS = {"raw": (True, False), "war": (False, True), "waw": (True, True)}


@dataclass(frozen=True)
class Promise:
    """A pragma, the function that it stands in and the iterator of the loop right around it."""

    pragma: Pragma
    function: str
    iterator: str | None

    def says(self, word: str) -> bool:
        return word in self.pragma.options or word in [str(v).lower() for v in self.pragma.options.values()]

    @property
    def distance(self) -> int | None:
        """How many starts lie between two touches of an element at least; None: no two starts touch one."""
        said = self.pragma.value("distance") or ""
        return int(said) if self.says("true") and said.isdigit() else None

    @property
    def is_about(self) -> tuple[tuple[bool, bool], ...]:
        return tuple(writes for word, writes in DIRECTIONS.items() if self.says(word)) or tuple(DIRECTIONS.values())


@dataclass(frozen=True, eq=False)
class Starts:
    """A loop of the plan and those flattened with it, the outermost first, each with the place inside of it.

    The outermost `in_table` of them are a table and what makes passes over it, and rows of any pass that share an
    element lie `rows_apart` at least; None where no two do.
    """

    loops: tuple[tuple[Spot, For], ...]
    in_table: int = 0
    rows_apart: int | None = None

    @property
    def place(self) -> Spot:
        return self.loops[-1][0]

    @property
    def iterator(self) -> str:
        return self.loops[-1][1].iterator

    @property
    def depth(self) -> int:
        """How many loops are around the outermost of them."""
        return self.loops[0][0].loops - 1

    @property
    def number(self) -> Affine:
        """The number of a start, but for a constant; of a table it is that within a row."""
        number = const(0)
        for place, loop in self.loops[self.in_table :]:
            number = number * int(turns_between(EXACT, loop)) + place.times[-1]
        return number

    @property
    def of_a_row(self) -> int:
        """Starts of a row of a table."""
        return prod(int(turns_between(EXACT, loop)) for _, loop in self.loops[self.in_table :])

    @property
    def levels(self) -> tuple[int, ...]:
        """The places of the loops among all that are around, outermost first."""
        return tuple(place.loops - 1 for place, _ in self.loops)


def check_promises(plan: Plan, text: str) -> Iterator[Check]:
    """One check per dependence pragma of a kernel file that says more than that there is a dependence."""
    if "dependence" not in text.lower():
        return
    tree = Tree.of(plan)
    for promise in _promises(text):
        if promise.pragma.name == "dependence" and not (promise.says("true") and promise.distance is None):
            token = promise.pragma.token
            name = f"promise at kernel.cpp:{token.line}:{token.column}"
            yield on_leash(name, "no start comes too near to another one", partial(_fault, plan, tree, promise))


def _promises(text: str) -> Iterator[Promise]:
    unit = parse(text)
    yield from (Promise(pragma, "", None) for pragma in unit.stray)
    for function in unit.functions:
        for place in places(function.body):
            if isinstance(place.node, Pragma):
                inner = place.around[-1] if place.around else None
                yield Promise(place.node, function.name, inner.iterator if isinstance(inner, Loop) else None)


def _fault(plan: Plan, tree: Tree, promise: Promise) -> str | None:
    """Why a promise does not hold, or cannot be shown to."""
    names = plan_names(plan)
    called = {text: name for kind in ("task", "copy") for name, text in names.all_of(kind).items()}
    loop = {text: name for name, text in names.iterators().items()}.get(promise.iterator or "")
    name = called.get(promise.function)
    found = [starts for starts in _starts(tree, name) if starts.iterator == loop]
    if name is None or not found:
        return "it stands right in no loop that runs statements, so that nothing can show it"
    task = plan.task(name)
    variable = promise.pragma.value("variable")
    arrays = {plan.buffer(b).array for b in task.buffers if variable in (None, names.of("buffer", b))}
    if not arrays:
        return f"`{variable}` is no array of `{promise.function}`"
    found = [_in_a_table(plan, tree, task, starts, arrays) for starts in found]
    near = [n for starts in found for n in _pairs(plan, tree, promise, starts, arrays)]
    distance, pair = min(near, default=(None, ""))
    if distance is None or (promise.distance is not None and distance >= promise.distance):
        return None
    return f"{pair} {_later(distance, promise.iterator)}"


def _later(distance: int, loop: str | None) -> str:
    if not distance:
        return f"in the same start of loop `{loop}`"
    return f"{distance} start{'s' * (distance > 1)} of loop `{loop}` later, so that `distance={distance}` is the most"


def _starts(tree: Tree, task: str | None) -> Iterator[Starts]:
    """Every loop of a task with those around it that hold nothing else, of constant bounds or in a table.

    The bounds of the outermost may move. A table whose rows are others in each iteration of a loop around begins anew
    there.
    """
    loops = [(place, loop) for place, loop in tree.loops if place.task is not None and place.task.name == task]
    inside = {place.times: (place, loop) for place, loop in loops}
    for place, loop in loops:
        chain = [(place, loop)]
        while _is_flat(chain[0][1]) and (around := inside.get(chain[0][0].times[:-2])) is not None:
            begins_anew = any(not inner.is_constant for _, inner in chain) and not around[1].listed
            if len(around[1].body) > 1 or begins_anew:
                break
            chain.insert(0, around)
        yield Starts(tuple(chain))


def _in_a_table(plan: Plan, tree: Tree, task: Task, starts: Starts, arrays: set[ArrayId]) -> Starts:
    """The same with what is known of a table that has the same rows in each iteration of the loops around it."""
    for table in tables_in(plan, task):
        begin = next((at for at, (_, loop) in enumerate(starts.loops) if loop is table.loops[0]), None)
        if table.around is None and begin is not None:
            end = begin + len(table.loops)
            around = [loop for _, loop in starts.loops[:begin]]
            loops, place = [*around, *table.loops], starts.loops[end - 1][0]
            alike = alike_in(plan, tree, loops, place, arrays)
            return replace(starts, in_table=end, rows_apart=_rows_apart(table, around, alike))
    return starts


def _rows_apart(table: TileList, around: Sequence[For], alike: Collection[int]) -> int | None:
    """Rows of all passes over a table between two that share an element, at least; None where no two do.

    `alike` are the loops, those `around` first, that have the same value in both.
    """
    own = [at for at in range(len(table.loops)) if at + len(around) in alike]
    within = None if len(own) == len(table.loops) else nearest_rows(table, own)
    found, inside = [] if within is None else [within], len(table.rows)
    for at, loop in reversed([*enumerate(around)]):
        if at not in alike:
            found.append(inside if len(own) == len(table.loops) else inside - len(table.rows) + 1)
            break
        inside *= int(loop.trip_count)
    return min(found, default=None)


def _is_flat(loop: For) -> bool:
    return loop.is_constant or loop.listed


def _pairs(plan: Plan, tree: Tree, promise: Promise, starts: Starts, arrays: set[ArrayId]) -> Iterator[tuple[int, str]]:
    """The fewest starts between two touches of one element, for all pairs that the promise is about."""
    touches = [touch for touch in touches_in(plan, tree, starts.place) if touch.ref.array in arrays]
    for one in touches:
        for other in touches:
            if one.ref.array == other.ref.array and (one.writes, other.writes) in promise.is_about:
                distance = _nearest(starts, one, other, intra=promise.says("intra"))
                if distance is not None:
                    yield distance, f"{one}, and {other}"


def _nearest(starts: Starts, one: Touch, other: Touch, *, intra: bool) -> int | None:
    """The fewest starts from one touch of an element to another one of it; 0 or None within a start."""
    if intra and one is other:
        return None
    meeting = Meeting(one, other, starts.depth)
    gap = meeting.later(starts.number) - starts.number - var("distance")
    found = []
    for more, equal, rows in _orders(starts, intra=intra):
        zero = [*meeting.zero, gap + rows * starts.of_a_row, *equal]
        dims = (*meeting.dims, "distance")
        points = make_set("", dims, at_least_zero=[*meeting.at_least_zero, *more], zero=zero)
        found += [] if points.is_empty() else [max(dim_range(points, "distance")[0], 0 if intra else 1)]
    return min(found, default=None)


def _orders(starts: Starts, *, intra: bool) -> Iterator[tuple[list[Affine], list[Affine], int]]:
    """The ways in which a start (s) comes after another one (t), or is the same: what is at least 0, what is 0, and how
    many rows of an interleaved table lie between them at least.
    """
    equal = [var(f"s{level}") - var(f"t{level}") for level in starts.levels]
    if intra:
        yield [], equal, 0
        return
    for at, level in enumerate(starts.levels):  # the outermost loop that is further on
        on = var(f"s{level}") - var(f"t{level}")
        if at >= starts.in_table:
            yield [on - 1], equal[:at], 0
        elif starts.rows_apart is not None:
            yield [on - 1], [], starts.rows_apart
            yield [-on - 1], [], starts.rows_apart
