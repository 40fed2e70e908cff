"""Choices as values of the binary variables of the paper's problem, by name, and back; knows no constraint."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache

import pyomo.environ as pyo

from sisyphus.ir import ArrayId
from sisyphus.space import (
    Choices,
    DesignPoint,
    LoopSpace,
    NestChoices,
    NestSpace,
    NotADesign,
    Space,
    Tile,
    choices,
    serving_factor,
)

#: Of binary variables by name, as `SolveOutcome.values` has them.
Values = Mapping[str, int]
NOTHING = frozenset[str]()


@lru_cache(maxsize=1 << 16)
def knob(component: str, *index: Hashable) -> str:
    """The name under which the value of a variable travels: `tile[S1,i,0]`."""
    return f"{component}[{','.join(map(str, index))}]"


def knob_of(variable: pyo.Var) -> str:
    """The name under which the value of a variable of a model travels."""
    return knob(variable.parent_component().local_name, *_index(variable))


def _index(variable: pyo.Var) -> tuple[Hashable, ...]:
    index = variable.index()
    return index if isinstance(index, tuple) else () if index is None else (index,)


def values_of(space: Space, model: pyo.ConcreteModel, point: DesignPoint) -> dict[str, int]:
    """Every binary variable of the problem of a space, 0 or 1, at a point; `NotADesign` where that is not in it."""
    found = choices(space, point)
    nests, users = found.nests, {array: list(space.users(array)) for array in space.used_arrays}

    def is_served(array: ArrayId, at: int, factor: int) -> bool:
        pairs = ((nest, point.nest(nest.id)) for nest in users[array])
        return factor == serving_factor(space, array, at, pairs, found.widths[array])

    says: dict[str, Callable[..., bool]] = {
        "tile": lambda nest, loop, k: space.nest(nest).loop(loop).tiles[k] == nests[nest].tiles[loop],
        "unroll": lambda nest, loop, factor: factor == nests[nest].copies[loop],
        "pipeline": lambda nest, loop: loop == point.nest(nest).pipeline,
        "resident": lambda array, nest: array in nests[nest].residents,
        "outside": lambda array, nest, loop: loop in nests[nest].outside.get(array, NOTHING),
        "factor": is_served,
        "width": lambda array, width: width == found.widths[array],
        "moved": lambda array, width: width == found.widths[array] and any(found.keeps(array, n) for n in users[array]),
    }
    for name, nest in nests.items():
        says[f"larger_{name}"] = lambda a, b, own=nest.outside: own.get(a, NOTHING) <= own.get(b, NOTHING)
    variables = (v for v in model.component_data_objects(pyo.Var) if v.is_binary())
    return {knob_of(v): int(says[v.parent_component().local_name](*_index(v))) for v in variables}


def chosen(space: Space, values: Values) -> Choices:
    """What the values say; `NotADesign` where a loop has no tile."""

    def is_set(component: str, *index: Hashable) -> bool:
        return bool(values.get(knob(component, *index), 0))

    def chosen_tile(nest: NestSpace, loop: LoopSpace) -> Tile:
        for k, tile in enumerate(loop.tiles):
            if is_set("tile", nest.id, loop.iterator, k):
                return tile
        raise NotADesign(f"nest `{nest.id}`: no tile of `{loop.iterator}` is chosen")

    def in_nest(nest: NestSpace) -> NestChoices:
        loops, arrays = {loop.iterator: loop for loop in nest.loops}, [use.array for use in nest.arrays]
        return NestChoices(
            nest=nest.id,
            tiles={name: chosen_tile(nest, loop) for name, loop in loops.items()},
            copies={n: f for n, loop in loops.items() for f in loop.unroll if is_set("unroll", nest.id, n, f)},
            outside={a: frozenset(loop for loop in loops if is_set("outside", a, nest.id, loop)) for a in arrays},
            interval=nest.intervals[0],
            residents=frozenset(a for a in arrays if is_set("resident", a, nest.id)),
        )

    widths = {a: w for a in space.used_arrays for w in space.widths[a] if is_set("width", a, w)}
    return Choices({nest.id: in_nest(nest) for nest in space.nests}, widths)
