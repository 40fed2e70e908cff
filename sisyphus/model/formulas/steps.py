"""Steps that follow each other and steps that run at the same time, and the latency of them all; knows no part.

`for t: { load A | load B; compute; store C }` is `InTurn((AtOnce(A, B), compute, C))`. A plan and candidates of a nest
say so with the cycles of one iteration, a lower bound with those of all iterations together (docs/model.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sisyphus.algebra import Algebra, Condition, Value


@dataclass(frozen=True, eq=False)
class InTurn:
    """Steps one after another."""

    parts: tuple[Steps, ...]


@dataclass(frozen=True, eq=False)
class AtOnce:
    """Steps that run at the same time, each of them where its condition holds."""

    parts: tuple[tuple[Condition, Steps], ...]


#: A number of cycles of any algebra, or steps.
Steps: TypeAlias = Any


def latency(alg: Algebra, steps: Steps) -> Value:
    """Cycles of steps: the sum of those that follow each other, the longest of those at the same time."""
    match steps:
        case InTurn(parts):
            return sum(latency(alg, part) for part in parts)
        case AtOnce(parts):
            each = [alg.select(active, latency(alg, part), 0) for active, part in parts]
            return alg.maximum(*each) if each else 0
    return steps


def tiled_nest(
    alg: Algebra,
    work: Steps,
    loads: Sequence[tuple[Value, Value]],
    stores: Sequence[tuple[Value, Value]],
    other: Value = 0,
) -> InTurn:
    """A nest with tiled arrays: what it computes, and between that loads and stores in the places that they have.

    Each load and store is its place, a number, with its cycles. Those of one place run side by side, those of different
    places follow each other. `other` are cycles that one more array takes, whatever its place.
    """
    moved = InTurn((*_by_place(alg, loads), *_by_place(alg, stores)))
    return InTurn((work, AtOnce(((True, moved), (True, other)))))


def _by_place(alg: Algebra, moves: Sequence[tuple[Value, Value]]) -> tuple[AtOnce, ...]:
    """A step for each place, where its first move stands, and there alone."""
    steps = []
    for at, (place, own) in enumerate(moves):
        first: Condition = True
        for before, _ in moves[:at]:
            first = alg.both(first, alg.negation(alg.equals(before, place)))
        rest = ((alg.both(first, alg.equals(place, other)), cycles) for other, cycles in moves[at + 1 :])
        steps.append(AtOnce(((first, own), *rest)))
    return tuple(steps)
