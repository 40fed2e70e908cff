"""Where a plan asks whether something is to be done: as far outside as is known; what no nest can have is refused."""

from __future__ import annotations

import pytest
from builders import scop
from plain_points import pipelined_point
from plan_points import buffer, nest, planned

from sisyphus.analysis import dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.plan import Guard, Hold, walk
from sisyphus.space import KERNEL_PLACE, DesignPoint


def test_a_nest_that_has_nothing_to_do_is_not_entered() -> None:
    text = """
for k in range(6):
    for i in range(6):
        A[i] += A[k] * B[i]
    for i in range(6):
        for j in range(4):
            if k > 2:
                B[i] -= A[i] * C[j]
"""
    built = scop(text, A=(6,), B=(6,), C=(4,))
    plan = planned(built, pipelined_point(built, distribute(built, dependences(built))))
    first, second = (task.body for task in plan.tasks)
    assert not [node for node in walk(first) if isinstance(node, Guard)]
    [guard] = second
    assert isinstance(guard, Guard) and list(map(str, guard.conditions)) == ["k - 3"]
    assert not [node for node in walk(guard.body) if isinstance(node, Guard)]


def test_what_does_not_change_over_the_copies_of_a_sum_is_asked_once_around_them() -> None:
    text = "for i in range(6):\n  for j in range(i + 1):\n    for k in range(10):\n      C[i, j] += A[i, k] * A[j, k]"
    point = DesignPoint(
        "built",
        (nest("S0", "kij", "j", i=(6, 1, 1), j=(1, 3, 2), k=(3, 1, 4)),),
        (buffer("C", "S0", KERNEL_PLACE, 6, 6), buffer("A", "S0", KERNEL_PLACE, 1, 4)),
    )
    plan = planned(scop(text, C=(6, 6), A=(6, 10)), point)
    [around, inside] = [node for node in walk(plan.tasks[0].body) if isinstance(node, Guard)]
    [hold] = around.body
    assert isinstance(hold, Hold) and list(map(str, around.conditions)) == ["i0 - 2*j1 - j2"]
    assert inside in walk(hold.body) and list(map(str, inside.conditions)) == ["-4*k0 - k2 + 9"]


@pytest.mark.parametrize(
    ("trips", "tile"), [(6, (8, 1, 1)), (6, (3, 1, 1)), (6, (3, 2, 2)), (6, (0, 6, 1)), (6, (7, 1, 1))]
)
def test_a_tile_has_as_many_iterations_as_its_loop_and_none_is_empty(trips: int, tile: tuple[int, int, int]) -> None:
    built = scop(f"for i in range({trips}):\n    A[i] = B[i] * c", A=(trips,), B=(trips,))
    point = DesignPoint(
        "built",
        (nest("S0", "i", "i", i=tile),),
        (buffer("A", "S0", KERNEL_PLACE, 1), buffer("B", "S0", KERNEL_PLACE, 1)),
    )
    with pytest.raises(KernelError, match=f"of loop `i` does not make {trips} iterations"):
        planned(built, point)


@pytest.mark.parametrize(("order", "loops"), [("i", "ij"), ("ij", "i"), ("ijk", "ij"), ("ik", "ij")])
def test_an_order_has_each_loop_once(order: str, loops: str) -> None:
    built = scop("for i in range(6):\n  for j in range(4):\n    A[i, j] = B[i] * c", A=(6, 4), B=(6,))
    tiles = {"i": (6, 1, 1), "j": (4, 1, 1)}
    point = DesignPoint(
        "built",
        (nest("S0", order, None, **{loop: tiles[loop] for loop in loops}),),
        (buffer("A", "S0", KERNEL_PLACE, 1, 1), buffer("B", "S0", KERNEL_PLACE, 1)),
    )
    with pytest.raises(KernelError, match="the loops are `i`, `j`"):
        planned(built, point)
