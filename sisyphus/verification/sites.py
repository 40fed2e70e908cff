"""Where a plan runs statements and copies: the loops around each place, their values, its time; judges nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.errors import InternalError
from sisyphus.ir import Ref, Statement
from sisyphus.plan import (
    Buffer,
    Call,
    Copy,
    For,
    Hold,
    LoopRole,
    Node,
    Plan,
    Run,
    Task,
    at_once,
    conditions_of,
    limits_of,
)
from sisyphus.poly import Affine, Map, Set, const, make_map, make_set, var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Spot:
    """A spot in the plan: loops around it, and quotients of their iterators, by fresh names t0, t1, …, conditions on
    them (each >= 0), and its time.

    `times` has the position in each block and the value of each loop on the way down, so that they order places as the
    plan does; `env` gives the plan's iterators in terms of the fresh names.
    """

    loops: int = 0
    times: tuple[Affine, ...] = ()
    conditions: tuple[Affine, ...] = ()
    env: tuple[tuple[str, Affine], ...] = ()
    task: Task | None = None
    holds: tuple[Hold, ...] = ()

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(f"t{at}" for at in range(self.loops))

    def value(self, expr: Affine) -> Affine:
        """An expression of the plan's iterators in terms of the loops around; none of them may be unknown."""
        env = dict(self.env)
        unknown = expr.names - env.keys()
        if unknown:
            raise InternalError(f"`{sorted(unknown)[0]}` is no loop around this place of the plan")
        return expr.substitute(env)


@dataclass(frozen=True, eq=False)
class Site:
    """A place at which a statement or a copy runs; `points` are the loop values at which it is reached."""

    name: str
    place: Spot
    node: Run | Copy
    points: Set

    @property
    def dims(self) -> tuple[str, ...]:
        return self.place.dims


def run_values(site: Site) -> dict[str, Affine]:
    """The iterators of the statement that a site runs, in terms of the loops around."""
    if not isinstance(site.node, Run):
        raise InternalError(f"site `{site.name}` runs no statement")
    return {name: site.place.value(value) for name, value in site.node.values}


def touched(site: Site, ref: Ref) -> tuple[Affine, ...]:
    """The array element that a run's reference is, in terms of the loops around."""
    values = run_values(site)
    return tuple(e.substitute(values) for e in ref.index)


def instances(site: Site, statement: Statement) -> Map:
    """From the loops around a run to the instance of its statement."""
    values = run_values(site)
    if tuple(values) != statement.iterators:
        raise InternalError(f"a run of `{statement.id}` gives values to {tuple(values)}, not {statement.iterators}")
    relation = make_map(site.name, site.dims, statement.id, statement.iterators, tuple(values.values()))
    return relation.intersect_domain(site.points)


@dataclass(frozen=True, eq=False)
class Tree:
    """Every node of a plan with its place, in textual order of execution, a call before what it calls."""

    nodes: tuple[tuple[Spot, Node], ...]
    sites: tuple[Site, ...]

    @staticmethod
    def of(plan: Plan, *, backwards: bool = False) -> Tree:
        """`backwards`: nodes that run at the same time stand in the order that is not that of the text."""
        nodes = tuple(_nodes(plan, plan.body, Spot(), -1 if backwards else 1))
        found = []
        for number, (place, node) in enumerate(nodes):
            if isinstance(node, Run | Copy):
                name = f"{type(node).__name__.lower()}{number}"
                found.append(Site(name, place, node, make_set(name, place.dims, at_least_zero=place.conditions)))
        return Tree(nodes, tuple(found))

    @property
    def runs(self) -> tuple[Site, ...]:
        return tuple(site for site in self.sites if isinstance(site.node, Run))

    @property
    def holds(self) -> tuple[tuple[Spot, Hold], ...]:
        return tuple((place, node) for place, node in self.nodes if isinstance(node, Hold))

    @property
    def loops(self) -> tuple[tuple[Spot, For], ...]:
        """Every loop with the place inside of it."""
        return tuple((_inside_loop(place, node), node) for place, node in self.nodes if isinstance(node, For))

    def bodies(self, buffer: Buffer) -> tuple[Spot, ...]:
        """The places inside the loops under which a buffer lives."""
        return tuple(place for place, node in self.loops if _is_home(place, node, buffer))


def _is_home(place: Spot, node: For, buffer: Buffer) -> bool:
    if node.source != buffer.place:
        return False
    if node.role is LoopRole.TILE:
        return place.task is not None and buffer.id in place.task.buffers
    return node.role is LoopRole.OUTER


def _nodes(plan: Plan, nodes: Sequence[Node], around: Spot, together: int, way: int = 1) -> Iterator[tuple[Spot, Node]]:
    """Every node with its place, a call before what it calls.

    `way` is 1, or -1 where the nodes run in reverse order; `together` is that of nodes that run at the same time.
    """
    for position, node in enumerate(nodes):
        here = replace(around, times=(*around.times, const(way * position)))
        inside = _inside(plan, here, node)
        yield inside if isinstance(node, Copy) else here, node
        yield from _nodes(plan, plan.below(node), inside, together, together if at_once(node) else 1)


def _inside(plan: Plan, here: Spot, node: Node) -> Spot:
    """What is known inside of a node, or of what a transfer moves."""
    match node:
        case For():
            return _inside_loop(here, node)
        case Hold():
            return replace(here, holds=(*here.holds, node))
        case Call():
            task = plan.task(node.task)
            env = tuple((name, here.value(var(name))) for name in task.iterators)
            return replace(here, task=task, env=env, holds=())
        case Copy():
            given = {name: here.value(value) for name, value in node.at}
            here = replace(here, env=tuple({**dict(here.env), **given}.items()))
    return replace(here, conditions=(*here.conditions, *(here.value(c) for c in conditions_of(node))))


def _inside_loop(here: Spot, node: For) -> Spot:
    own = var(f"t{here.loops}")
    within = replace(here, env=(*here.env, (node.iterator, own)))
    limits = limits_of(node.iterator, node.lower, node.upper)
    conditions, named = [*here.conditions, *map(within.value, limits)], [(node.iterator, own)]
    for at, (name, by) in enumerate(node.quotients, start=1):
        quotient = var(f"t{here.loops + at}")
        conditions += [own - quotient * by, quotient * by + (by - 1) - own]
        named.append((name, quotient))
    return replace(
        here,
        loops=here.loops + len(named),
        times=(*here.times, own),
        conditions=tuple(conditions),
        env=(*(pair for pair in here.env if pair[0] not in dict(named)), *named),
    )
