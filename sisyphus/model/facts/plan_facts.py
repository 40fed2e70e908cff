"""A task as the facts that the formulas ask for, with numbers of any algebra; knows no formula.

The task is one of a plan, whose numbers are integers, or the tree of a shape, with those of many candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sisyphus.algebra import EXACT, Algebra, Condition, Value, product
from sisyphus.errors import InternalError
from sisyphus.model.counting.iterations import Ints, Survey, Visits, survey
from sisyphus.model.facts.flows import flows_of
from sisyphus.model.facts.moves import moved_by
from sisyphus.model.facts.task_facts import (
    Beside,
    Burst,
    Called,
    Guarded,
    Part,
    Pipe,
    Replicated,
    Single,
    TaskFacts,
    Tile,
)
from sisyphus.model.facts.works import Around, Placed, works_in
from sisyphus.plan import (
    Copy,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Task,
    Together,
    are_in_a_table,
    comes_back,
    in_turn,
    is_copied_work,
    iterations_between,
    of_a_table,
    picking_loops,
    rows_apart,
    walk,
)
from sisyphus.poly import Affine
from sisyphus.values import dataclass, field, replace


class Iterations(Protocol):
    """How often a place of a tree is visited: counted there from bounds (`Visits`), or known of a shape."""

    def total(self) -> Value:
        """Visits over one run of the task."""
        ...

    def into(self, loop: For, needed: frozenset[str]) -> Iterations:
        """The iterations of a loop at this place; `needed` are the iterators that bounds and guards ask for."""
        ...

    def where(self, conditions: Sequence[Affine]) -> Iterations:
        """The visits at which every condition is >= 0."""
        ...

    def times(self, turns: Value) -> Iterations:
        """Each visit so many times."""
        ...

    def alone(self) -> tuple[Iterations, Ints, Ints] | None:
        """Visits one by one where they differ, with how often each is there and its outer iteration; else None."""
        ...


@dataclass(frozen=True)
class _Place:
    """Where the walk stands: the loops around, outermost first, and how often this place is visited."""

    loops: tuple[For, ...]
    visits: Iterations
    hold: Hold | None = None
    beside: tuple[For, ...] = ()


@dataclass(frozen=True)
class _Table:
    """Iterations of listed loops between two of a loop around, and what `Pipe` has of an interleaved table."""

    least: Mapping[str, Value]
    interleaved: Mapping[str, Condition] = field(default_factory=dict)
    picking: frozenset[str] = frozenset()
    rows_apart: Value = 1


def task_facts(plan: Plan, task: Task, outside: Iterations | None = None, alg: Algebra = EXACT) -> TaskFacts:
    """The facts of a task; `outside` are the iterations of the outer loops that call it."""
    reader = _Reader(alg, plan, task, survey(task.body))
    return TaskFacts(task.name, reader.parts(task.body, _Place((), outside or Visits.once())))


@dataclass(frozen=True)
class _Reader:
    """Walks the tree of one task."""

    alg: Algebra
    plan: Plan
    task: Task
    survey: Survey

    def parts(self, nodes: Sequence[Node], place: _Place) -> tuple[Part, ...]:
        """The parts of a body; neighbouring copies of one direction stand together, and so do neighbouring runs."""
        found: list[Part] = []
        straight: list[Node] = []
        for node in nodes:
            if id(node) not in self.survey.looping:
                straight.append(node)
                continue
            if straight:
                found.append(self._pipe(straight, None, place))
                straight = []
            _append(found, self._part(node, place))
        if straight:
            found.append(self._pipe(straight, None, place))
        return tuple(found)

    def _part(self, node: Node, place: _Place) -> Part:
        match node:
            case Copy():
                move = moved_by(self.alg, self.plan, node)
                return Burst(((move,),), move.is_load)
            case Together(body=body):
                part = _at_once([part for child in body for part in self.parts((child,), place)])
                is_alike = not any(loop.coupled for loop in place.loops)
                if is_alike or not isinstance(part, Beside):
                    return part
                return replace(part, alike=False, single=self._single(body[-1], place))
            case Function(body=body, within=within):
                inside = replace(place, visits=place.visits.where(within)) if within else place
                return Called(self.parts(body, inside), inside.visits.total() if within else None)
            case For(role=LoopRole.COPIES):
                return self._copies(node, place)
            case For():
                inside = replace(place, loops=(*place.loops, node), visits=place.visits.into(node, self.survey.needed))
                return self._loop(node, inside)
            case Guard(conditions=conditions, body=body):
                inside = replace(place, visits=place.visits.where(conditions))
                return Guarded(inside.visits.total(), self.parts(body, inside))
            case Hold(body=body):
                parts = self.parts(body, replace(place, hold=node))
                if len(parts) == 1:
                    return parts[0]
        raise InternalError(f"{node} is no part of task `{self.task.name}`")

    def _single(self, function: Node, place: _Place) -> Single | None:
        """What a function beside others has in each iteration; None where that is not known, or the same."""
        alone = place.visits.alone()
        if alone is None:
            return None
        visits, weight, owner = alone
        called = self._part(function, replace(place, visits=visits))
        return Single(called, weight, owner) if isinstance(called, Called) else None

    def _loop(self, loop: For, inside: _Place) -> Part:
        if loop.role is LoopRole.PIPELINED and not any(id(child) in self.survey.looping for child in loop.body):
            return self._pipe(loop.body, loop, inside)
        parts = self.parts(loop.body, inside)
        return Tile(loop.iterator, inside.visits.total(), parts, self._is_fixed(loop, inside), loop.exists)

    def _is_fixed(self, loop: For, inside: _Place) -> Condition:
        """Whether a tile loop has constant bounds. Of a table it is the outermost loop that runs from row to row."""
        if not loop.listed:
            return loop.fixed
        table = (f for f in walk((loop,)) if isinstance(f, For))
        is_inner = any(around.listed for around in inside.loops[:-1])
        return is_inner or self.alg.negation(are_in_a_table(self.alg, table))

    def _copies(self, loop: For, place: _Place) -> Part:
        """Coarse-grained copies: of transfers one after another, of what the task computes side by side if they may."""
        waits = in_turn(self.plan, self.task, loop, self.alg)
        side, turns = (self.alg.select(waits, *ways) for ways in ((1, loop.trip_count), (loop.trip_count, 1)))
        inside = replace(place, beside=(*place.beside, loop), visits=place.visits.times(turns))
        inner = self.parts(loop.body, inside)
        match inner:
            case [Burst(steps, is_load, rounds)]:
                return Burst(steps, is_load, rounds * loop.trip_count)
            case [Replicated(copies, body, more)] if not is_copied_work(loop):
                return Replicated(copies * side, body, more * turns)
        return Replicated(side, inner, turns)

    def _pipe(self, body: Sequence[Node], loop: For | None, place: _Place) -> Pipe:
        """A pipelined loop, or a body without a loop of its own."""
        around = Around(place.loops, place.beside, hold=place.hold)
        placed = [found for node in body for found in works_in(self.plan, self.task, node, around)]
        loops = {f.iterator: f for f in (*place.loops, *(f for p in placed for f in p.unrolled))}
        copies = _copies(loops, placed)
        works = tuple(p.work for p in placed)
        tiles = [f for f in place.loops if f is not loop]
        apart = tuple(f.iterator for f in tiles if not f.listed)
        table = self._table(place, tiles)
        return Pipe(
            outer=tuple(f.iterator for f in place.loops if f is not loop),
            loop=loop.iterator if loop else None,
            pipelined=loop is not None,
            works=works,
            trips={name: f.trip_count for name, f in loops.items()},
            least=table.least,
            tree=self.plan.tree_reduction,
            starts=place.visits.total(),
            moves=self.alg.negation(loop.fixed) if loop else False,
            copies=copies,
            flows=flows_of(self.plan.scop, works, copies),
            asked=loop is not None and loop.interval > 0,
            in_runs=bool(self.task.iterators or apart) and are_in_a_table(self.alg, tiles),
            apart=apart,
            arguments=self.task.iterators,
            in_table=table.interleaved,
            picking=table.picking,
            rows_apart=table.rows_apart,
        )

    def _table(self, place: _Place, tiles: Sequence[For]) -> _Table:
        """What is known of the table that the tile loops of a body may be."""
        alg, listed = self.alg, [loop for loop in tiles if loop.listed]
        picking = picking_loops(self.plan, self.task, tiles)
        if picking is None:
            return _Table(iterations_between(alg, listed, {}, 1, interleaved=False))
        in_table, comes_again = of_a_table(alg, tiles), comes_back(alg, tiles, picking)
        trips = [(f.iterator, f.trip_count, in_table.get(f.iterator, False)) for f in place.loops]
        rows = place.visits.total() // product([alg.select(on, 1, count) for _, count, on in trips])
        chains = product([alg.select(on, count, 1) for name, count, on in trips if name in picking])
        longest = product([alg.select(on, count, 1) for name, count, on in trips if name not in picking])
        return _Table(
            least=iterations_between(alg, listed, in_table, rows, interleaved=comes_again),
            interleaved={name: alg.both(on, comes_again) for name, on in in_table.items()},
            picking=picking,
            rows_apart=rows_apart(alg, rows, chains, longest),
        )


def _append(found: list[Part], part: Part) -> None:
    """Adds a part; a transfer joins the transfers of its direction right before it."""
    last = found[-1] if found else None
    if isinstance(part, Burst) and isinstance(last, Burst) and _alike(last, part):
        found[-1] = Burst(last.steps + part.steps, part.is_load, part.rounds)
    else:
        found.append(part)


def _at_once(parts: Sequence[Part]) -> Part:
    """Parts that run at the same time: transfers of one direction are one step, which may be beside a function."""
    bursts = [part for part in parts if isinstance(part, Burst)]
    others = [part for part in parts if not isinstance(part, Burst)]
    if not all(_alike(bursts[0], burst) for burst in bursts):
        raise InternalError("only transfers of one direction run at the same time, and functions beside loads")
    moves = tuple(move for burst in bursts for step in burst.steps for move in step)
    moved = Burst((moves,), bursts[0].is_load) if bursts else Burst((), True)
    match others:
        case [] if bursts:
            return moved
        case [Called() as called] if bursts and moved.is_load:
            return Beside(moved, called)
        case [Called() as back, Called() as called] if moved.is_load:
            return Beside(moved, called, back)
    raise InternalError("nothing but one function runs beside loads, and one that exchanges tiles")


def _alike(one: Burst, other: Burst) -> bool:
    return bool(one.is_load == other.is_load and one.rounds == other.rounds)


def _copies(loops: Mapping[str, For], placed: Sequence[Placed]) -> dict[str, tuple[tuple[str, int], ...]]:
    """The loops that each source loop became, outermost (largest step) first."""
    steps: dict[str, dict[str, int]] = {}
    for found in placed:
        for value in found.values.values():
            for name, factor in value.terms:
                if name in loops:
                    steps.setdefault(loops[name].source, {})[name] = abs(factor)
    return {s: tuple((name, own[name]) for name in loops if name in own) for s, own in steps.items()}
