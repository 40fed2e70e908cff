"""The published solutions of the paper's solver as design points, with the objective it reported for each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders import scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.space import (
    KERNEL_PLACE,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Options,
    Space,
    Tile,
    TransferPoint,
    build_space,
)
from sisyphus.target import load_device, make_target

DATA = Path(__file__).parent / "data" / "paper_objectives.json"


@dataclass(frozen=True, eq=False)
class Published:
    """A solution: what the paper's solver chose, and what it said that costs."""

    id: str
    objective: float
    space: Space
    point: DesignPoint


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DATA.read_text())["designs"]
    return found


def published(entry: dict[str, Any]) -> Published:
    kernel = scop(_text(entry), **{_name(a): tuple(e) for a, e in entry["extents"].items()})
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    options = Options(tree_reduction=entry["tree_reduction"]).as_in_paper()
    space = build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)
    return Published(entry["id"], entry["objective"], space, _point(entry, space))


def _name(array: str) -> str:
    """Names in capitals are arguments in the language of `builders`."""
    return f"X_{array.removesuffix('_red')}"


def _text(entry: dict[str, Any]) -> str:
    lines = []
    for statement in entry["statements"]:
        for depth, (name, lower, _, upper) in enumerate(statement["loops"]):
            lines.append("  " * depth + f"for {name} in range({lower}, {upper}):")
        body = f"{_ref(statement['write'])} = {_expression(statement['expression'])}"
        lines.append("  " * len(statement["loops"]) + body)
    return "\n".join(lines)


def _ref(ref: dict[str, Any]) -> str:
    return f"{_name(ref['array'])}[{', '.join(ref['index'])}]"


def _expression(expr: Any) -> str:
    if isinstance(expr, list):
        return f"({_expression(expr[1])} {expr[0]} {_expression(expr[2])})"
    return _ref(expr) if isinstance(expr, dict) else str(expr)


def _point(entry: dict[str, Any], space: Space) -> DesignPoint:
    nests = []
    for nest, statement in zip(space.nests, entry["statements"], strict=True):
        tiles = tuple((s.iterator, Tile(*statement["tiles"][s.iterator])) for s in nest.loops)
        nests.append(NestPoint(nest.nest.statements, tuple(statement["order"]), tiles, statement["pipeline"]))
    buffers, transfers = [], []
    for array in space.used_arrays:
        source = array.removeprefix("X_")
        users = tuple(n.id for n in space.users(array))
        place = next(iter(entry["places"].get(source, [])), KERNEL_PLACE)
        buffers.append(BufferPoint(ArrayId(array), users, place, ()))
        transfers.append(TransferPoint(buffers[-1].id, entry["widths"].get(source, 1)))
    return DesignPoint(space.scop.name, tuple(nests), tuple(buffers), tuple(transfers), entry["tree_reduction"])
