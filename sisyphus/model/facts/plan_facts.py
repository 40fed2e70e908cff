"""A task of a plan as the facts that the formulas ask for; knows no formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sisyphus.errors import InternalError
from sisyphus.model.counting.iterations import Survey, Visits, survey
from sisyphus.model.facts.flows import flows_of
from sisyphus.model.facts.moves import move_of
from sisyphus.model.facts.task_facts import Burst, Guarded, Part, Pipe, Replicated, TaskFacts, Tile
from sisyphus.model.facts.works import Around, Placed, works_in
from sisyphus.plan import Copy, For, Guard, Hold, LoopRole, Node, Plan, Task, in_turn, is_copied_work


@dataclass(frozen=True)
class _Place:
    """Where the walk stands: the loops around, outermost first, and how often this place is visited."""

    loops: tuple[For, ...]
    visits: Visits
    hold: Hold | None = None
    beside: tuple[For, ...] = ()


def task_facts(plan: Plan, task: Task, outside: Visits | None = None) -> TaskFacts:
    """The facts of a task; `outside` are the iterations of the outer loops that call it."""
    reader = _Reader(plan, task, survey(task.body))
    return TaskFacts(task.name, reader.parts(task.body, _Place((), outside or Visits.once())))


@dataclass(frozen=True)
class _Reader:
    """Walks the tree of one task."""

    plan: Plan
    task: Task
    survey: Survey

    def parts(self, nodes: Sequence[Node], place: _Place) -> tuple[Part, ...]:
        """The parts of a body; neighbouring copies of one direction stand together, and so do neighbouring runs."""
        found: list[Part] = []
        straight: list[Node] = []
        for node in nodes:
            if not isinstance(node, Copy) and id(node) not in self.survey.looping:
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
            case Copy(transfer=transfer):
                move = move_of(self.plan, self.plan.transfer(transfer))
                return Burst((move,), move.is_load)
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

    def _loop(self, loop: For, inside: _Place) -> Part:
        if loop.role is LoopRole.PIPELINED and not any(id(child) in self.survey.looping for child in loop.body):
            return self._pipe(loop.body, loop, inside)
        flatten = loop.flatten and id(loop) not in self.survey.moving
        return Tile(loop.iterator, inside.visits.total(), self.parts(loop.body, inside), flatten)

    def _copies(self, loop: For, place: _Place) -> Part:
        """Coarse-grained copies: of transfers one after another, of what the task computes side by side if they may."""
        waits = in_turn(self.plan, self.task, loop)
        visits = place.visits.into(loop, self.survey.needed) if waits else place.visits
        inner = self.parts(loop.body, replace(place, beside=(*place.beside, loop), visits=visits))
        side, turns = (1, loop.trip_count) if waits else (loop.trip_count, 1)
        match inner:
            case [Burst(moves, is_load, rounds)]:
                return Burst(moves, is_load, rounds * loop.trip_count)
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
        return Pipe(
            outer=tuple(f.iterator for f in place.loops if f is not loop),
            loop=loop.iterator if loop else None,
            pipelined=loop is not None,
            works=works,
            trips={name: f.trip_count for name, f in loops.items()},
            tree=self.plan.tree_reduction,
            starts=place.visits.total(),
            copies=copies,
            flows=flows_of(self.plan.scop, works, copies),
        )


def _append(found: list[Part], part: Part) -> None:
    """Adds a part; a transfer joins the transfers of its direction right before it."""
    last = found[-1] if found else None
    if isinstance(part, Burst) and isinstance(last, Burst) and _alike(last, part):
        found[-1] = Burst(last.moves + part.moves, part.is_load, part.rounds)
    else:
        found.append(part)


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
    return {s: tuple(sorted(own.items(), key=lambda step: -step[1])) for s, own in steps.items()}
