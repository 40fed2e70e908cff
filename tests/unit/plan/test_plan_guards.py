"""What a guard in a pipelined body does where it does not hold: as much as is there whatever it is."""

from __future__ import annotations

import pytest
from builders import scop
from model_candidates import kernel_of

from sisyphus.plan import Guard, Skip, walk
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip", clock_mhz=250)
WHOLE, RAGGED = (1, 1, 12), (3, 1, 5)
#: The statement, the tile of its columns, banks and elements of C and A in a row, and what its guard does.
CASES = {
    "an update of an element that exists": ("C[i, j] = C[i, j] + A[j]", WHOLE, (12, 12), 12, Skip.SELECT),
    "an update of one that may not exist": ("C[i, j] = C[i, j] + A[j]", RAGGED, (1, 1), 12, Skip.BRANCH),
    "what was not read before": ("C[i, j] = A[j]", WHOLE, (12, 12), 12, Skip.BRANCH),
    "a quotient of floats, which never traps": ("C[i, j] = C[i, j] / A[j]", WHOLE, (12, 12), 12, Skip.SELECT),
    "a read before the buffer": ("C[i, j] = C[i, j] + A[i - j]", WHOLE, (12, 12), 12, Skip.KEEP),
    "a read right behind the buffer": ("C[i, j] = C[i, j] + A[j]", RAGGED, (5, 1), 14, Skip.KEEP),
    "a read of its last element": ("C[i, j] = C[i, j] + A[j]", RAGGED, (5, 1), 15, Skip.SELECT),
}


@pytest.mark.parametrize("case", CASES)
def test_a_guard_skips_what_it_can(case: str) -> None:
    text, tile, (rows, others), elements, wanted = CASES[case]
    source = scop(f"for i in range(12):\n  for j in range(i + 1):\n    {text}", C=(12, 12), A=(elements,))
    kernel = kernel_of(source, TARGET)
    [nest] = kernel.space.nests
    tiles = (("i", Tile(2, 6, 1)), ("j", Tile(*tile)))
    buffers = tuple(
        BufferPoint(array, (nest.id,), KERNEL_PLACE, factors)  # type: ignore[arg-type]
        for array, factors in {"C": (1, rows), "A": (others,)}.items()
    )
    chosen = NestPoint(nest.nest.statements, ("j", "i"), tiles, "i")
    plan = kernel.plan(DesignPoint(kernel.scop.name, (chosen,), buffers))
    guards = [node for task in plan.tasks for node in walk(task.body) if isinstance(node, Guard)]
    assert {guard.skip for guard in guards} == {wanted}


def test_a_guard_outside_of_pipelined_loops_is_a_branch() -> None:
    """Nothing waits for the end of a chain there, and what is not asked for is not computed."""
    source = scop("for i in range(12):\n  for j in range(i + 1):\n    C[i, j] = C[i, j] + A[j]", C=(12, 12), A=(12,))
    kernel = kernel_of(source, TARGET)
    [nest] = kernel.space.nests
    tiles = (("i", Tile(12, 1, 1)), ("j", Tile(1, 1, 12)))
    buffers = tuple(
        BufferPoint(array, (nest.id,), KERNEL_PLACE, factors)  # type: ignore[arg-type]
        for array, factors in {"C": (1, 12), "A": (12,)}.items()
    )
    chosen = NestPoint(nest.nest.statements, ("j", "i"), tiles, None)
    plan = kernel.plan(DesignPoint(kernel.scop.name, (chosen,), buffers))
    guards = [node for task in plan.tasks for node in walk(task.body) if isinstance(node, Guard)]
    assert {guard.skip for guard in guards} == {Skip.BRANCH}
