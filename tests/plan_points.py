"""Points and plans of small kernels, written shortly."""

from __future__ import annotations

from plan_interpreter import differences, run_plan, run_source, some_memory

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.plan import For, LoopRole, Plan, build_plan, walk
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile


def nest(statement: str, order: str, pipeline: str | None, **tiles: tuple[int, int, int]) -> NestPoint:
    loops = tuple((loop, Tile(*counts)) for loop, counts in tiles.items())
    return NestPoint((StmtId(statement),), tuple(order), loops, pipeline)


def buffer(array: str, nests: str, place: str, *partition: int) -> BufferPoint:
    return BufferPoint(ArrayId(array), tuple(nests.split()), place, partition)


def planned(kernel: Scop, point: DesignPoint) -> Plan:
    return build_plan(kernel, distribute(kernel, dependences(kernel)), liveness(kernel), point)


def same_result(kernel: Scop, plan: Plan) -> list[str]:
    memory = some_memory(kernel)
    return differences(kernel, run_source(kernel, memory), run_plan(plan, memory))


def loops(plan: Plan, task: int) -> list[tuple[str, LoopRole, int]]:
    return [(n.iterator, n.role, n.trip_count) for n in walk(plan.tasks[task].body) if isinstance(n, For)]


def nodes(plan: Plan, kind: type) -> list[object]:
    return [n for t in plan.tasks for n in walk(t.body) if isinstance(n, kind)]
