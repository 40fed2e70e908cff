"""Which references of a nest get a view of their own, and for how long a buffer of one may live."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from random_kernels import random_kernel

from sisyphus.analysis import (
    Distribution,
    Nest,
    Viewed,
    dependences,
    distribute,
    read_at_once,
    with_copies,
    with_views,
)
from sisyphus.ir import ArrayId, Ref, Role, Scop, Statement
from sisyphus.poly import each_point

LU = """
for i in range(6):
    for j in range(i):
        for k in range(j):
            A[i, j] -= A[i, k] * A[k, j]
        A[i, j] = A[i, j] / A[j, j]
    for j in range(i, 6):
        for k in range(i):
            A[i, j] -= A[i, k] * A[k, j]
"""
PATHS = """
for k in range(5):
    for i in range(5):
        for j in range(5):
            A[i, j] = fmin(A[i, j], A[i, k] + A[k, j])
"""


def viewed(built: Scop, arrays: tuple[ArrayId, ...] | None = None) -> Viewed | None:
    return with_views(built, distribute(built, dependences(built)), arrays)


def told(found: Viewed | None) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(v.name, v.nest, tuple(map(str, v.refs)), v.still) for v in found.views] if found else []


def test_references_with_different_linear_parts_are_apart() -> None:
    found = viewed(scop(LU, A=(6, 6)))
    assert told(found) == [
        ("A_1", "S0", ("A[i][j]",), ()),
        ("A_2", "S0", ("A[i][k]",), ()),
        ("A_3", "S0", ("A[k][j]",), ()),
        ("A_4", "S1", ("A[i][j]",), ()),
        ("A_5", "S1", ("A[j][j]",), ()),
        ("A_6", "S2", ("A[i][j]",), ()),
        ("A_7", "S2", ("A[i][k]",), ()),
        ("A_8", "S2", ("A[k][j]",), ()),
    ]
    assert found is not None and found.arrays == ("A",)
    view = found.scop.array(ArrayId("A_2"))
    assert (view.view_of, view.extents, view.role) == ("A", (6, 6), Role.IN)
    assert found.scop.home(ArrayId("A_1")) == found.scop.home(ArrayId("A")) == "A"
    assert str(found.scop.statements[0].write) == "A_1[i][j]"


def test_what_is_read_after_it_was_written_joins_or_has_loops_stand_still() -> None:
    """A row is read while it is written, so that both share a buffer; all others read row k after its own turn."""
    assert told(viewed(scop(PATHS, A=(5, 5)))) == [
        ("A_1", "S0", ("A[i][j]", "A[i][k]"), ("k", "i")),
        ("A_2", "S0", ("A[k][j]",), ("k", "i")),
    ]


def test_loops_stand_still_where_a_shared_buffer_would_be_the_whole_array() -> None:
    text = "for i in range(1, 6):\n    for j in range(1, 6):\n        A[i, j] = A[i, j] + A[j, i]"
    assert told(viewed(scop(text, A=(6, 6)))) == [
        ("A_1", "S0", ("A[i][j]",), ("i",)),
        ("A_2", "S0", ("A[j][i]",), ("i",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(9):\n    C[i, 2] = C[i, 1]",  # the same linear parts
        "for i in range(9):\n    B[i] = C[i, 2]",
        "D[3] = D[4]",  # no loop around
    ],
)
def test_some_kernels_have_no_use_for_views(text: str) -> None:
    assert viewed(scop(text, B=(9,), C=(9, 3), D=(9,))) is None


def test_local_arrays_have_no_memory_to_view() -> None:
    text = "for i in range(9):\n    t[i, i] = 0.5\nfor i in range(9):\n    B[i] = t[i, 0] + t[0, i]"
    assert viewed(scop(text, B=(9,), t=(9, 9))) is None


def test_only_the_arrays_asked_for_have_views_and_names_are_fresh() -> None:
    text = "for i in range(9):\n    for j in range(9):\n        A_1[i, j] = A[i, j] + A[j, i] + A_1[j, j]"
    built = scop(text, A=(9, 9), A_1=(9, 9))
    assert [v.name for v in (viewed(built, (ArrayId("A"),)) or Viewed(built, ())).views] == ["A_2", "A_3"]


def instances(built: Scop, nest: Nest) -> Iterator[tuple[tuple[int, ...], Statement, dict[str, int]]]:
    """Those of a nest in the order of the source, each with its loops by the nest's names."""
    found = []
    for statement in map(built.statement, nest.statements):
        for point in each_point(statement.domain, 100_000):
            values = [point[name] for name in statement.iterators]
            key = [n for pair in zip(statement.position, values, strict=False) for n in pair] + [statement.position[-1]]
            found.append((tuple(key), statement, dict(zip((*nest.outer, *nest.iterators), values, strict=True))))
    return iter(sorted(found, key=lambda one: one[0]))


def passes_between_views(built: Scop, found: Viewed, distribution: Distribution) -> list[str]:
    """By brute force: elements read through a view that were written through another one while both may live."""
    wrong = []
    for nest in distribution.nests:
        views = [v for v in found.views if v.nest == nest.id]
        written: dict[tuple[str, tuple[int, ...], tuple[int, ...]], str] = {}
        for _, statement, loops in instances(built, nest):
            view_of = found.scop.statement(statement.id)
            own = dict(zip(statement.iterators, loops.values(), strict=True))
            for before, after in zip(statement.reads, view_of.reads, strict=True):
                for view in (v for v in views if v.name == after.array):
                    key = (view.array, element(before, own), window(nest, view.still, loops))
                    writer = written.get(key, view.name)
                    if writer != view.name:
                        wrong.append(f"{view.name} reads {before} at {own} from {writer}")
            for view in (v for v in views if v.array == statement.write.array):
                key = (view.array, element(statement.write, own), window(nest, view.still, loops))
                written[key] = view_of.write.array
    return wrong


def element(ref: Ref, point: dict[str, int]) -> tuple[int, ...]:
    return tuple(e.evaluate(point) for e in ref.index)


def window(nest: Nest, still: tuple[str, ...], loops: dict[str, int]) -> tuple[int, ...]:
    """What stands still while the buffer lives."""
    return tuple(loops[name] for name in (*nest.outer, *still))


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_no_value_passes_between_views_while_they_live(seed: int) -> None:
    built = random_kernel(random.Random(seed))
    distribution = distribute(built, dependences(built))
    found = with_views(built, distribution)
    if found is not None:
        assert passes_between_views(built, found, distribution) == [], built.origin.text
        for nest, array in product(distribution.nests, found.arrays):
            names = {v.name for v in found.views if (v.nest, v.array) == (nest.id, array)}
            writers = {s.write.array for s in map(found.scop.statement, nest.statements)} & names
            assert len(writers) <= 1, "two views of one memory written in one nest"


TRMM = """
for i in range(6):
    for j in range(4):
        for k in range(i + 1, 6):
            B[i, j] += A[k, i] * B[k, j]
        B[i, j] = B[i, j] * a
"""
BACKWARDS = TRMM.replace("range(i + 1, 6)", "range(i)")
SCALED = """
for i in range(6):
    for j in range(4):
        B[i, j] = B[i, j] * a
for i in range(6):
    for j in range(4):
        for k in range(i + 1, 6):
            B[i, j] += A[k, i] * B[k, j]
"""


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        (TRMM, [("B_1", "S0", ("B[k][j]",), ())]),
        (SCALED, [("B_1", "S1", ("B[k][j]",), ())]),
        (BACKWARDS, []),
        (LU, []),
        (PATHS, []),
    ],
)
def test_copies_are_of_what_no_nest_around_wrote_before(text: str, copies: list[object]) -> None:
    built = scop(text, A=(6, 6), B=(6, 4))
    found = with_copies(built, distribute(built, dependences(built)))
    assert told(found) == copies
    if found is not None:
        copy = found.scop.array(ArrayId("B_1"))
        assert copy.lasting
        # an argument of its own has what the kernel was given, which a scaled B is not
        assert copy.own_port == (text == TRMM) and copy.port == ("B_1" if text == TRMM else "B")
        assert {ref.array for s in found.scop.statements for ref in s.reads} >= {"A", "B", "B_1"}


BESIDE = """
for i in range(6):
    for j in range(4):
        x[i] += A[i, j] * p[j]
for i in range(6):
    for j in range(4):
        y[j] += A[i, j] * q[i]
"""
ONE_AFTER_ANOTHER = BESIDE.replace("q[i]", "x[i]")
THREE = BESIDE + "for i in range(6):\n    for j in range(4):\n        z[i] += A[i, j] * x[i]\n"
CHANGED = BESIDE + "for i in range(6):\n    A[i, 0] = q[i]\n"


@pytest.mark.parametrize(
    ("text", "arrays", "copies"),
    [
        (BESIDE, ("A",), [("A_1", "S1", ("A[i][j]",), ())]),
        (ONE_AFTER_ANOTHER, (), []),
        # the third comes after the first, which has the array, but could run beside the second
        (THREE, ("A",), [("A_1", "S1", ("A[i][j]",), ())]),
        (CHANGED, (), []),
    ],
)
def test_readers_that_wait_for_nothing_else_have_copies(text: str, arrays: tuple[str, ...], copies: object) -> None:
    built = scop(text, A=(6, 4), p=(4,), q=(6,), x=(6,), y=(4,), z=(6,))
    distribution = distribute(built, dependences(built))
    assert read_at_once(built, distribution) == arrays
    found = with_copies(built, distribution, [ArrayId("A")])
    assert told(found) == copies
    assert with_copies(built, distribution) is None, "none unasked"
    if found is not None:
        copy = found.scop.array(ArrayId("A_1"))
        assert copy.lasting and copy.own_port
