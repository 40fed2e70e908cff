"""What must be loaded and stored, and how much is touched."""

from __future__ import annotations

import pytest
from builders import scop

from sisyphus.analysis import (
    Live,
    footprint,
    footprints,
    instances,
    liveness,
    operations,
    total_operations,
)
from sisyphus.errors import UsageError
from sisyphus.ir import FLOAT, ArrayId, Scop

TEXT = """
for i in range(6):
    T[i] = A[i] * w
    for j in range(i):
        L[i, j] = T[i] + t[j]
    t[i] = T[i]
for i in range(6):
    H[i] = T[5 - i] + G[i]
    G[i] = w
"""


def live(built: Scop, name: str, *locals_: str) -> Live:
    return liveness(built, locals_)[ArrayId(name)]


@pytest.fixture
def built() -> Scop:
    return scop(TEXT, A=(6,), T=(6,), L=(6, 6), t=(6,), H=(7,), G=(6,))


@pytest.mark.parametrize(
    ("name", "load", "store"),
    [
        ("A", True, False),
        ("T", False, True),
        ("L", True, True),
        ("t", False, False),
        ("H", True, True),
        ("G", True, True),
    ],
)
def test_load_and_store(built: Scop, name: str, load: bool, store: bool) -> None:
    found = live(built, name)
    assert (found.load, found.store) == (load, store)


def test_what_is_written(built: Scop) -> None:
    assert live(built, "T").written_whole
    assert live(built, "L").written == ((1, 5), (0, 4))
    assert not live(built, "L").written_whole
    assert live(built, "L").upward_exposed.is_empty()
    assert live(built, "A").written == ()
    assert not live(built, "G").upward_exposed.is_empty()


def test_a_declared_local_is_neither(built: Scop) -> None:
    found = live(built, "T", "T")
    assert (found.load, found.store) == (False, False)


def test_what_cannot_be_local(built: Scop) -> None:
    with pytest.raises(UsageError, match="`G` cannot be local"):
        liveness(built, ["G"])
    with pytest.raises(UsageError, match="no array argument `t`") as caught:
        liveness(built, ["t"])
    assert caught.value.hint == "array arguments: `A`, `G`, `H`, `L`, `T`"


def test_footprints(built: Scop) -> None:
    found = {(f.statement, f.array): f for f in footprints(built)}
    triangle = found["S1", "L"]
    assert (triangle.elements, triangle.box) == (15, ((1, 5), (0, 4)))
    strided = scop("for i in range(4):\n    A[2*i] = A[2*i + 1]", A=(8,))
    both = footprint(strided.statements[0], strided.arrays[0])
    assert (both.elements, both.box) == (8, ((0, 7),))
    nothing = scop("for i in range(4, 4):\n    A[i] = w", A=(8,))
    assert footprint(nothing.statements[0], nothing.arrays[0]).elements == 0


def test_operations() -> None:
    built = scop(
        "for i in range(4):\n    for j in range(i):\n        A[i] += B[j] * sqrtf(w) + (B[i] if i > w else 0)",
        A=(4,),
        B=(4,),
    )
    (s,) = built.statements
    counts = {name: n for (name, _), n in operations(s).items()}
    assert counts == {"+": 2, "*": 1, "sqrtf": 1, "select": 1, ">": 1}
    assert instances(s) == 6
    assert total_operations(built)["+", FLOAT] == 12
