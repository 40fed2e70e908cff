"""How long starts of a pipelined loop wait for each other at least, whatever else is chosen; knows no search.

The rules are those of `recurrence.py`, read for a body in which nothing is unrolled and nothing but one loop turns.
"""

from __future__ import annotations

from itertools import product

from sisyphus.algebra import EXACT
from sisyphus.model.facts.nest_facts import nest_facts
from sisyphus.model.facts.task_facts import Flow, Pipe, pipes_in
from sisyphus.model.formulas.aliases import alias_pairs
from sisyphus.model.formulas.iteration_latency import Setting, timings
from sisyphus.model.formulas.recurrence import chain_of, measured_of, standing_waits
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import Numbers, Shape
from sisyphus.space import NestSpace, Space
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Wait:
    """Where `loop` is pipelined and has more than `distance` iterations, so many starts are `cycles` apart.

    `interval` is what the tool is asked for.
    """

    loop: str
    interval: int
    distance: int
    cycles: int


@dataclass(frozen=True)
class Turns:
    """Unrolled copies of a statement that follow each other, each for `cycles`: those of all loops but the `alike`."""

    cycles: int
    alike: frozenset[str]


def turns_of(space: Space, nest: NestSpace, rules: Rules) -> tuple[Turns, ...]:
    """Of statements that may read what another copy of them wrote (`aliases.copies_in_turn`)."""
    if not nest.loops:
        return ()
    pipe = _turning(space, nest, nest.loops[0].iterator, 0)
    setting = Setting(EXACT, rules, space.target.operators)
    times, source = timings(setting, pipe, True), {n: own for own, parts in pipe.copies.items() for n, _ in parts}
    found: list[Turns] = []
    for pair in alias_pairs(pipe):
        if pair.writer == pair.reader:
            alike = (w.terms for w, r in zip(pair.write.element, pair.read.element, strict=True) if w.terms == r.terms)
            one = times[pair.writer].depth_from[pair.ref] + rules.cycles.read + rules.cycles.write
            found.append(Turns(one, frozenset(source[name] for terms in alike for name, _ in terms if name in source)))
    return tuple(found)


def waits_of(space: Space, nest: NestSpace, rules: Rules) -> tuple[Wait, ...]:
    """Those of each loop of a nest that may be pipelined."""
    banked = replace(rules, register_words=0, cycles=replace(rules.cycles, single_bank=0))
    setting = Setting(EXACT, banked, space.target.operators, measured=space.target.measured)
    margin = rules.cycles.read + rules.cycles.write
    found: list[Wait] = []
    for loop, interval in product((entry.iterator for entry in nest.loops), sorted({0, *nest.intervals})):
        pipe = _turning(space, nest, loop, interval)
        found += [Wait(loop, interval, 1, known.cycles) for known in measured_of(setting, pipe)]
        times = timings(setting, pipe, True)
        found += [Wait(loop, interval, 1, wait) for wait, _, _ in standing_waits(setting, pipe, times) if wait > 1]
        for flow in pipe.flows:
            chain = chain_of(setting, pipe, flow, times)
            if chain is not None:
                found += [Wait(loop, interval, distance, chain + margin) for distance in _alone(flow, loop)]
    return tuple(dict.fromkeys(found))


def _alone(flow: Flow, loop: str) -> list[int]:
    """The distances at which one loop alone separates some write from its read."""
    only = (way[0] for way in flow.ways if len(way) == 1)
    return [distance for source, distance in only if source == loop and distance is not None]


def _turning(space: Space, nest: NestSpace, turning: str, interval: int) -> Pipe:
    """The body of a nest with two iterations of one loop and one of all others, every array in a memory."""
    names = tuple(loop.iterator for loop in nest.loops)
    arrays = [use.array for use in nest.arrays]
    numbers = Numbers(
        tiles={name: (1, 2 if name == turning else 1, 1) for name in names},
        factors={a: (1,) * len(space.scop.array(a).extents) for a in arrays},
        widths=dict.fromkeys(arrays, 1),
        places={},
        around={},
        loads={},
        visits=[1] * (len(names) + 1),
        starts=2,
    )
    shape, tree = Shape(names, turning, interval=interval), space.options.tree_reduction
    [(pipe, _)] = pipes_in(nest_facts(EXACT, space.scop, nest, shape, numbers, tree=tree)[0].parts)
    return pipe
