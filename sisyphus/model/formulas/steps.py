"""Steps that follow each other and steps that run at the same time, and the latency of them all; knows no part.

`for t: { load A | load B; compute; store C }` is `InTurn((AtOnce(A, B), compute, C))`. What a plan costs, what
candidates of a nest cost and what a nest costs at least are read from such steps: of a plan and of candidates they are
terms, with the cycles of all runs of a part; of a lower bound they are plain numbers (docs/model.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.model.formulas.terms import AT_ONCE, Term, doubt_of, scaled, total
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class InTurn:
    """Steps one after another; `name` and `rule` are those of the term that is their sum."""

    parts: tuple[Steps, ...]
    name: str = ""
    rule: str = ""


@dataclass(frozen=True, eq=False)
class AtOnce:
    """Steps that run at the same time, each of them where its condition holds.

    `construct` is the entry of the register of evidence that their term rests on; without one it is that of a part.
    """

    parts: tuple[tuple[Condition, Steps], ...]
    construct: str = ""


@dataclass(frozen=True, eq=False)
class Times:
    """Steps so many times, one after another."""

    count: Value
    part: Steps


#: A number of cycles of any algebra, a term, or steps.
Steps: TypeAlias = Any


def latency(alg: Algebra, steps: Steps) -> Value:
    """Cycles of steps: the sum of those that follow each other, the longest of those at the same time."""
    match steps:
        case Term():
            return steps.value
        case InTurn():
            return sum(latency(alg, part) for part in steps.parts)
        case AtOnce():
            each = [alg.select(active, latency(alg, part), 0) for active, part in steps.parts]
            return alg.maximum(*each) if each else 0
        case Times():
            return steps.count * latency(alg, steps.part)
    return steps


def explained(alg: Algebra, steps: Steps) -> Term:
    """Steps of terms as the term of their latency: of those in turn a sum, of those at the same time one figure."""
    match steps:
        case InTurn():
            return total(steps.name, (explained(alg, part) for part in steps.parts), steps.rule)
        case AtOnce():
            each = [(active, explained(alg, part)) for active, part in steps.parts]
            terms = [term for _, term in each]
            longest, (_, late) = latency(alg, AtOnce(tuple(each))), _exposed(alg, each)
            name = AT_ONCE.join(term.name for term in terms)
            return Term(name, longest, construct=steps.construct or doubt_of(terms), rtl=late)
        case Times():
            return scaled(explained(alg, steps.part), steps.count)
    term: Term = steps
    return term


def _exposed(alg: Algebra, parts: Sequence[tuple[Condition, Term]]) -> tuple[list[Condition], Value]:
    """Which of parts at the same time are the longest in the report, and what RTL adds to those at most."""
    longest = latency(alg, AtOnce(tuple(parts)))
    found = [alg.both(active, alg.equals(term.value, longest)) for active, term in parts]
    added = (alg.select(is_longest, term.rtl, 0) for is_longest, (_, term) in zip(found, parts, strict=True))
    return found, alg.maximum(0, *added)


def awaited(alg: Algebra, parts: Sequence[tuple[Condition, Term]]) -> list[Condition]:
    """For each of parts at the same time whether it is the one that the others wait for.

    That is the longest in the report; of several the one that RTL adds most to, and of these the first.
    """
    exposed, late = _exposed(alg, parts)
    none_yet: Condition = True
    found: list[Condition] = []
    for is_longest, (_, term) in zip(exposed, parts, strict=True):
        found.append(alg.both(none_yet, is_longest, alg.equals(term.rtl, late)))
        none_yet = alg.both(none_yet, alg.negation(found[-1]))
    return found


@dataclass(frozen=True, eq=False)
class Moved:
    """A load or store of a tiled array: its place, a number that is larger for places further in, and its cycles.

    `turns` of a load is how many tiles follow each other, at most, in the loop that loads this array ahead, one tile
    before it is asked for; 0 where none does.
    """

    place: Value
    cycles: Value
    turns: Value = 0


def tiled_nest(alg: Algebra, work: Steps, loads: Sequence[Moved], stores: Sequence[Moved], other: Value = 0) -> InTurn:
    """A nest with tiled arrays: what it computes, and between that loads and stores in the places that they have.

    Those of one place run side by side, those of different places follow each other. `other` are cycles that one more
    array takes, whatever its place. Loads ahead run beside what is computed and moved inside of their loop.
    """
    if any(np.any(load.turns) for load in loads):
        return _with_loads_ahead(alg, work, loads, stores, other)
    moved = InTurn((*_by_place(alg, loads), *_by_place(alg, stores)))
    return InTurn((work, AtOnce(((True, moved), (True, other)))))


def _with_loads_ahead(
    alg: Algebra, work: Steps, loads: Sequence[Moved], stores: Sequence[Moved], other: Value
) -> InTurn:
    """A nest where some loads run one tile ahead: the first of these stand with others before the loop."""
    ahead = [alg.exceeds(load.turns, 0) for load in loads]
    last = alg.maximum(*(alg.select(on, load.place, 0) for on, load in zip(ahead, loads, strict=True)))
    first, later, before, rest = (list[Moved]() for _ in range(4))
    for on, load in zip(ahead, loads, strict=True):
        own, outside = alg.select(on, load.cycles, 0), alg.exceeds(last, load.place)
        later.append(Moved(load.place, own))
        first.append(Moved(load.place, own / alg.maximum(load.turns, 1)))
        before.append(Moved(load.place, alg.select(alg.either(on, alg.negation(outside)), 0, load.cycles)))
        rest.append(Moved(load.place, alg.select(alg.either(on, outside), 0, load.cycles)))
    around = AtOnce(tuple((True, InTurn(_by_place(alg, part))) for part in (first, before)))
    inside = tiled_nest(alg, work, rest, stores, other)
    return InTurn((around, AtOnce(((True, InTurn(_by_place(alg, later))), (True, inside)))))


def _by_place(alg: Algebra, moves: Sequence[Moved]) -> tuple[AtOnce, ...]:
    """A step for each place, where its first move stands, and there alone."""
    steps = []
    for at, own in enumerate(moves):
        first = alg.negation(alg.either(*(alg.equals(before.place, own.place) for before in moves[:at])))
        rest = ((alg.both(first, alg.equals(own.place, other.place)), other.cycles) for other in moves[at + 1 :])
        steps.append(AtOnce(((first, own.cycles), *rest)))
    return tuple(steps)
