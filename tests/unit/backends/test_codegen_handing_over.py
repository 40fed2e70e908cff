"""What handing over takes is what the host does: its walk over a box, element by element, is written anew here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.backends.hls.handing_over import Handing
from sisyphus.ir import FLOAT
from sisyphus.plan import Port


def port(extents: Sequence[int], *, width: int = 1, layout: str = "plain", stripes: int = 1) -> Port:
    return Port("A", "array", FLOAT, tuple(extents), width, "gmem", "inout", layout, None, stripes)


def pitch(ours: Port) -> int:
    """Elements from one row to the next."""
    return -(-ours.extents[-1] // ours.width) * ours.width


def places(ours: Port, box: Sequence[int]) -> list[int]:
    """Where the elements of a box that begins an array lie, in the order of the source."""
    found = []
    for at in product(*map(range, box)):
        row = 0
        for index, extent in zip(at[:-1], ours.extents[:-1], strict=True):
            row = row * extent + index
        found.append(row * pitch(ours) + at[-1])
    return found


def walked(taken: Port, given: Port, box: Sequence[int]) -> int:
    """How often one place is not the next on both sides; padding between whole rows of one pitch goes along."""
    here, there = places(taken, box), places(given, box)
    rows = box[-1] == taken.extents[-1] == given.extents[-1]
    steps = {1, 1 + pitch(taken) - box[-1]} if rows and pitch(taken) == pitch(given) else {1}
    moves = [(b - a, d - c) for (a, b), (c, d) in zip(pairwise(here), pairwise(there), strict=True)]
    return 1 + sum(one != other or one not in steps for one, other in moves)


@st.composite
def handed(draw: st.DrawFn) -> tuple[Port, Port, tuple[int, ...]]:
    box = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))

    def around() -> Port:
        extents = [size + draw(st.sampled_from((0, 0, 1, 3))) for size in box]
        layout = draw(st.sampled_from(("plain", "padded")))
        return port(extents, width=draw(st.sampled_from((2, 4))) if layout == "padded" else 1, layout=layout)

    return around(), around(), box


@settings(derandomize=True, max_examples=500, deadline=None, database=None)
@given(handed())
def test_runs_are_those_of_a_walk(case: tuple[Port, Port, tuple[int, ...]]) -> None:
    taken, given_to, box = case
    handing = Handing(0, 1, taken, given_to, tuple((0, size - 1) for size in box))
    assert handing.runs == walked(taken, given_to, box), (taken, given_to, box)
    assert handing.bytes == 4 * len(places(taken, box))


STRIPED = [
    # Over 2 ports on both sides: every second element in each.
    (port((4, 8), width=4, stripes=2), port((4, 8), width=4, stripes=2), (4, 8), 2),
    (port((4, 8), width=4, stripes=2), port((6, 8), width=4, stripes=2), (3, 8), 2),
    (port((4, 8), width=4, stripes=2), port((4, 12), width=4, stripes=2), (4, 8), 8),
    # Fewer ports on one side: each run is an element.
    (port((4, 8), width=4, stripes=2), port((4, 8), width=4), (4, 8), 32),
    (port((4, 8), width=4), port((4, 8), width=8, stripes=2), (4, 8), 32),
    (port((4, 8), width=8, stripes=4), port((4, 8), width=8, stripes=2), (4, 8), 32),
    (port((1, 8), width=8, stripes=2), port((1, 8), width=2, stripes=1), (1, 1), 1),
]


@pytest.mark.parametrize(("taken", "given_to", "box", "runs"), STRIPED)
def test_runs_of_arrays_over_several_ports(taken: Port, given_to: Port, box: Sequence[int], runs: int) -> None:
    assert Handing(0, 1, taken, given_to, tuple((0, size - 1) for size in box)).runs == runs
