"""Elements whose subscripts are sums of loops: when a start meets one again, and how many copies meet in one."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from builders import scop
from random_kernels import random_point

from sisyphus.algebra import EXACT
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.model import estimate
from sisyphus.model.facts.shifts import shifts_of
from sisyphus.model.facts.task_facts import Pipe, Work
from sisyphus.model.formulas import distances
from sisyphus.model.formulas.copies import reduction_copies
from sisyphus.model.formulas.distances import shift_distance
from sisyphus.plan import FAR, build_plan
from sisyphus.poly import Affine
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
#: A product of polynomials, one with every second coefficient, a transposed convolution, and two with a third loop.
KERNELS = {
    "for i in range(6):\n    for j in range(8):\n        C[i + j] = C[i + j] + A[i] * B[j]": {"C": (14,)},
    "for i in range(6):\n    for j in range(8):\n        C[2 * i + j] = C[2 * i + j] + A[i] * B[j]": {"C": (20,)},
    "for i in range(4):\n    for c in range(6):\n        for j in range(6):\n"
    "            C[i + j] = C[i + j] + A[i] * B[c]": {"C": (10,)},
    "for y in range(4):\n    for x in range(4):\n        for p in range(2):\n            for q in range(4):\n"
    "                C[2 * y + p, x + q] = C[2 * y + p, x + q] + A[y] * B[q]": {"C": (8, 7)},
    "for i in range(2):\n    for j in range(2):\n        for k in range(3):\n"
    "            C[6 * i + 3 * j + k] = C[6 * i + 3 * j + k] + A[i] * B[j]": {"C": (12,)},
    "for i in range(4):\n    for j in range(4):\n        for k in range(3):\n"
    "            C[i + j + k] = C[i + j + k] + A[i] * B[j]": {"C": (9,)},
}


def updates(text: str, shapes: dict[str, tuple[int, ...]], seeds: range) -> Iterator[tuple[Pipe, Work]]:
    """Pipelined bodies of designs that are drawn."""
    kernel = scop(text, A=(8,), B=(8,), **shapes)
    distribution, live = distribute(kernel, dependences(kernel)), liveness(kernel)
    for seed in seeds:
        point = random_point(random.Random(seed), kernel, distribution, ahead=False)
        for task in estimate(build_plan(kernel, distribution, live, point), TARGET).study.tasks.values():
            yield from ((body.pipe, body.pipe.works[0]) for body in task.pipes if body.pipe.pipelined)


def met(text: str, pipe: Pipe, work: Work) -> tuple[int, int]:
    """Starts until one touches an element that a start before touched, and copies of one that touch the same."""
    counts = {loop: int(count) for loop, count in re.findall(r"for (\w) in range\((\d+)\)", text)}

    def runs(values: dict[str, int]) -> bool:
        """Ragged tiles go on behind the last iteration of their loop."""
        at = {s: sum(step * values[loop] for loop, step in own) for s, own in pipe.copies.items()}
        return all(at[source] < counts[source] for source in at)

    last, nearest, most = dict[tuple[int, ...], int](), FAR, 1

    def elements(loops: tuple[str, ...]) -> Iterator[dict[str, int]]:
        for values in product(*(range(int(pipe.trips[loop])) for loop in loops)):
            yield dict(zip(loops, values, strict=True))

    for start, own in enumerate(elements(pipe.loops)):
        found = Counter(
            tuple(sum(f * values[name] for name, f in index.terms) for index in work.write.element)
            for lanes in elements(work.unrolled)
            for values in [own | lanes]
            if runs(values)
        )
        most = max([most, *found.values()])
        nearest = min([nearest, *(start - last[element] for element in found if element in last)])
        last |= dict.fromkeys(found, start)
    return nearest, most


@pytest.mark.parametrize("text", KERNELS)
def test_an_element_is_not_met_sooner_than_counted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Counter[bool]()
    for pipe, work in updates(text, KERNELS[text], range(40)):
        nearest, most = met(text, pipe, work)
        if pipe.loop not in work.reductions:  # the pipelined loop adds to one element else, with a rule of its own
            counted = min(int(shift_distance(EXACT, pipe, work)), by_single_loops(pipe, work))
            assert counted <= nearest
            seen[counted == nearest] += 1
        assert reduction_copies(EXACT, pipe, work) >= most
    assert seen[True]
    monkeypatch.setattr(distances, "_starts", lambda *_: FAR)
    late = [
        met(text, pipe, work)[0] < shift_distance(EXACT, pipe, work)
        for pipe, work in updates(text, KERNELS[text], range(40))
    ]
    assert any(late) or not work.shifts


def by_single_loops(pipe: Pipe, work: Work) -> int:
    """Starts until a loop that moves no subscript takes its next step."""
    inside, moving = 1, {name for index in work.write.element for name in index.names}
    for loop in reversed(pipe.loops):
        if loop not in moving and pipe.trips[loop] > 1:
            return inside
        inside *= int(pipe.trips[loop])
    return FAR


def test_shifts_are_those_of_subscripts_that_are_sums() -> None:
    i, j, k = (Affine.of({name: 1}) for name in "ijk")

    def shifts(*subscripts: Affine, **sources: str | None) -> object:
        return shifts_of(subscripts, {name: name for name in "ijk"} | sources, lambda _: 3)

    assert shifts(i + j) == ((("i", 1), ("j", -1)),)
    assert shifts(i + i + j) == ((("i", 1), ("j", -2)),)
    assert shifts(i + j, i) == ()  # i stands still for one element, and so does j
    assert shifts(i + j, k) == ((("i", 1), ("j", -1)),)
    assert shifts(i + j, j=None) == ()
    assert shifts(i + j + k) is None
    assert shifts(i + j, j + k) is None
    assert shifts(4 * i + j) == shifts(16 * i + 4 * j + k) == ()  # digits: tiles that the source has already
    assert shifts(3 * i + j) == ((("i", 1), ("j", -3)),)
    assert shifts(16 * i + 3 * j + k) is None
