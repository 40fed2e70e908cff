"""Which arrays get a copy per iteration, over which loops, and which must not."""

from __future__ import annotations

import pytest
from builders import scop

from sisyphus.analysis import Expansion, dependences, distribute, expand, privatise
from sisyphus.ir import ArrayId, Role, Scop


def expansion(built: Scop) -> Expansion | None:
    return expand(built, dependences(built))


def nests(built: Scop) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(n.id, n.outer, n.iterators) for n in distribute(built, dependences(built)).nests]


DOT = """
for i in range(10):
    for j in range(2, 20):
        acc = 0
        for k in range(30):
            acc += A[i, k] * B[k, j]
        C[i, j] = acc * w
"""


def test_an_accumulator_is_expanded_over_the_loops_that_it_ties_together() -> None:
    found = expansion(scop(DOT, A=(10, 30), B=(30, 20), C=(10, 20), acc=()))
    assert found is not None
    (one,) = found.expanded
    assert (one.array, one.name, one.over, one.argument) == ("acc", "acc", ("i", "j"), False)
    assert found.scop.array(ArrayId("acc")).extents == (10, 18)
    assert str(found.scop.statements[1].write) == "acc[i][j - 2]"
    assert nests(found.scop) == [
        ("S0", (), ("i", "j")),
        ("S1", (), ("i", "j", "k")),
        ("S2", (), ("i", "j")),
    ]


def test_a_loop_that_stays_shared_anyway_is_not_expanded_over() -> None:
    found = expansion(
        scop(
            """
            for t in range(9):
                for i in range(8):
                    acc = 0
                    for k in range(8):
                        acc += A[i, k] * X[k]
                    Y[i] = acc * w
                for i in range(8):
                    X[i] = Y[i] * w
            """,
            A=(8, 8),
            X=(8,),
            Y=(8,),
            acc=(),
        )
    )
    assert found is not None
    assert [(e.array, e.over) for e in found.expanded] == [("acc", ("i",))]


def test_a_value_that_passes_to_the_next_iteration_forbids_expansion() -> None:
    text = """
    for i in range(9):
        if i == 0:
            c = w
        d = c * w
        c = d * w
    """
    assert expansion(scop(text, c=(), d=())) is None


def test_a_read_of_the_initial_value_forbids_expansion() -> None:
    text = """
    for i in range(9):
        if i >= 1:
            c = A[i] * w
        B[i] = c * w
    """
    assert expansion(scop(text, c=(), A=(9,), B=(9,))) is None


def test_an_initialisation_alone_is_not_worth_an_array() -> None:
    text = """
    for i in range(1, 9):
        s = 0
        for j in range(i):
            s += B[j] * w
        B[i] = s * w
    """
    built = scop(text, s=(), B=(9,))
    assert expansion(built) is None


BUFFER = """
for r in range(6):
    for p in range(7):
        T[p] = 0
        for s in range(7):
            T[p] += A[r, s] * B[s, p]
    for p in range({low}, 7):
        A[r, p] = T[p]
"""


def test_an_argument_keeps_its_last_value() -> None:
    found = expansion(scop(BUFFER.format(low=0), A=(6, 7), B=(7, 7), T=(7,)))
    assert found is not None
    (one,) = found.expanded
    assert (one.array, one.name, one.over, one.argument) == ("T", "T_1", ("r",), True)
    assert found.scop.array(ArrayId("T_1")).role is Role.LOCAL
    assert found.scop.array(ArrayId("T")).role is Role.OUT
    last = found.scop.statements[-1]
    assert (last.id, str(last.write), str(last.rhs.ref)) == ("out_T", "T[d0]", "T_1[5][d0]")  # type: ignore[union-attr]
    assert nests(found.scop)[-1] == ("out_T", (), ("d0",))


def test_an_argument_without_one_last_iteration_is_refused() -> None:
    text = """
    for i in range(6):
        for j in range(i, 6):
            T[j] = A[i] * w
        for j in range(i, 6):
            C[i, j] = T[j] * w
    """
    assert expansion(scop(text, A=(6,), C=(6, 6), t=(6,), T=(6,))) is None
    local = expansion(scop(text.replace("T[", "t["), A=(6,), C=(6, 6), t=(6,), T=(6,)))
    assert local is not None
    assert local.refused == ()


def test_the_refusal_of_an_argument_is_told() -> None:
    text = """
    for i in range(6):
        c = A[i] * w
        for j in range(i, 6):
            T[j] = A[i] * w
        for j in range(i, 6):
            C[i, j] = T[j] * c
    """
    found = expansion(scop(text, A=(6,), C=(6, 6), c=(), T=(6,)))
    assert found is not None
    assert [e.array for e in found.expanded] == ["c"]
    assert [array for array, _ in found.refused] == ["T"]


def test_uses_for_different_purposes_get_arrays_of_their_own() -> None:
    text = """
    for i in range(6):
        c = A[i] * w
        B[i] = c * c
    for j in range(5):
        c = B[j] * w
        D[j] = c * c
    """
    found = expansion(scop(text, A=(6,), B=(6,), D=(6,), c=()))
    assert found is not None
    assert [(e.name, e.over, e.statements) for e in found.expanded] == [
        ("c_1", ("i",), ("S0", "S1")),
        ("c_2", ("j",), ("S2", "S3")),
    ]
    assert [a.id for a in found.scop.arrays] == ["A", "B", "D", "c_1", "c_2"]


def test_a_local_variable_of_every_iterations_own_is_no_larger_than_the_largest_array(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or than what is small in any case, here nothing."""
    monkeypatch.setattr("sisyphus.analysis.rewrite.SMALL", 0)
    one = "for i in range(6):\n    for j in range(7):\n        t = A[i, j] * 2\n        B[j, i] = t"
    built = scop(one, A=(6, 7), B=(7, 6), t=())
    found = privatise(built, dependences(built))
    assert found is not None and [(e.array, e.over) for e in found.expanded] == [("t", ("i", "j"))]
    three = """
for i in range(6):
    for j in range(7):
        for k in range(3):
            t[k] = A[i, j] * 2
        B[j, i] = t[0] + t[2]
"""
    built = scop(three, A=(6, 7), B=(7, 6), t=(3,))
    assert privatise(built, dependences(built)) is None


def test_a_local_variable_that_would_be_too_large_has_no_place_for_steps_in_which_others_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sisyphus.analysis.rewrite.SMALL", 0)
    steps = """
for b in range(6):
    for p in range(5):
        for i in range(6):
            t = A[b, i] * 2
            A[b, i] = t - 1
"""
    built = scop(steps, A=(6, 7), t=())
    found = privatise(built, dependences(built))
    assert found is not None and [(e.array, e.over) for e in found.expanded] == [("t", ("b", "i"))]
    alone = steps.replace("A[b, i] * 2", "C[b, p, i]").replace("A[b, i] = t - 1", "D[b, p, i] = t")
    built = scop(alone, C=(6, 5, 6), D=(6, 5, 6), t=())
    found = privatise(built, dependences(built))
    assert found is not None and [(e.array, e.over) for e in found.expanded] == [("t", ("b", "p", "i"))]
    built = scop(alone.replace("t =", "t[0] =").replace("= t", "= t[0]"), C=(6, 5, 6), D=(6, 5, 6), t=(2,))
    assert privatise(built, dependences(built)) is None


def test_nor_for_steps_in_which_other_statements_than_its_own_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `g` holds comes from `h` and goes to `h`: no statement of `g` alone waits for an earlier step."""
    monkeypatch.setattr("sisyphus.analysis.rewrite.SMALL", 0)
    steps = """
for b in range(6):
    for p in range(5):
        for i in range(6):
            g[i] = F[i] * 2
        for i in range(6):
            h[i] = g[i] + A[b, i]
        for i in range(6):
            A[b, i] = h[i] - 1
"""
    built = scop(steps, A=(6, 7), F=(6,), g=(6,), h=(6,))
    found = privatise(built, dependences(built))
    assert found is not None and [(e.array, e.over) for e in found.expanded] == [("g", ("b",)), ("h", ("b",))]


def test_nor_for_steps_from_which_another_variable_passes_values_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """`k` cannot run at once, as `x` goes on: `y` needs no place for each of its iterations."""
    monkeypatch.setattr("sisyphus.analysis.rewrite.SMALL", 0)
    steps = """
for i in range(6):
    for j in range(7):
        x = 0
        for k in range(5):
            y = x * x
            x = y + A[i, j]
        B[i, j] = x
"""
    built = scop(steps, A=(6, 7), B=(6, 7), x=(), y=())
    found = privatise(built, dependences(built))
    assert found is not None and [(e.array, e.over) for e in found.expanded] == [("x", ("i", "j")), ("y", ("i", "j"))]
    other = steps.replace("x = y +", "x =")  # nothing goes on
    built = scop(
        other.replace("y = x * x", "y = A[i, j] * k").replace("x =", "x = y +"), A=(6, 7), B=(6, 7), x=(), y=()
    )
    found = privatise(built, dependences(built))
    assert found is not None and ("y", ("i", "j")) not in [(e.array, e.over) for e in found.expanded]


def test_a_table_that_a_hundred_statements_update_is_expanded() -> None:
    """Rounds of a cipher as one writes them: isl gives up on what all of them do together, not on each of them."""
    rounds = "\n".join(f"        x[{5 * n % 16}] += x[{(5 * n + 4) % 16}] + x[{7 * n % 16}]" for n in range(96))
    text = f"""
for n in range(16):
    for i in range(16):
        x[i] = A[n, i]
    for r in range(10):
{rounds}
    for j in range(16):
        C[n, j] = x[j]
"""
    found = expansion(scop(text, A=(16, 16), C=(16, 16), x=(16,)))
    assert found is not None
    assert [(one.name, one.over) for one in found.expanded] == [("x", ("n",))]
