"""Which statements are reductions by their shape."""

from __future__ import annotations

import pytest
from builders import scop

from sisyphus.analysis import Reduction, dependences, reduction_of
from sisyphus.ir import DOUBLE, FLOAT, INT32, Binary, Cast, Literal, Read, Ref, Statement, StmtId


def statement(text: str) -> Statement:
    body = f"for i in range(4):\n    for k in range(5):\n        {text}"
    return scop(body, C=(4,), A=(4, 5), B=(5,), acc=()).statements[0]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("C[i] += A[i, k]", "+"),
        ("C[i] -= A[i, k]", "+"),
        ("C[i] = C[i] + A[i, k] * B[k]", "+"),
        ("C[i] = A[i, k] * B[k] + C[i]", "+"),
        ("C[i] = B[k] + C[i] - A[i, k] + w", "+"),
        ("C[i] = B[k] - (A[i, k] - C[i])", "+"),
        ("C[i] = B[k] - (-C[i])", "+"),
        ("C[i] = C[i] * A[i, k]", "*"),
        ("C[i] *= w", "*"),
        ("C[i] = A[i, k] * (C[i] * w)", "*"),
        ("C[i] = fmaxf(C[i], A[i, k])", "max"),
        ("C[i] = fmin(A[i, k], C[i])", "min"),
        ("C[i] = A[i, k] if A[i, k] > C[i] else C[i]", "max"),
        ("C[i] = C[i] if C[i] < A[i, k] else A[i, k]", "min"),
        ("C[i] = C[i] if A[i, k] <= C[i] else A[i, k]", "max"),
        ("C[i] = A[i, k] if C[i] > A[i, k] else C[i]", "min"),
        ("C[i] = A[i, k]", None),
        ("C[i] = A[i, k] - C[i]", None),
        ("C[i] = B[k] - (A[i, k] + C[i])", None),
        ("C[i] = C[i] / A[i, k]", None),
        ("C[i] = C[i] + C[i]", None),
        ("C[i] = C[i] + A[i, k] * C[i]", None),
        ("C[i] = w * (C[i] + A[i, k])", None),
        ("C[i] = expf(C[i])", None),
        ("C[i] = fmaxf(C[i], C[i] * w)", None),
        ("C[i] = w if A[i, k] > C[i] else C[i]", None),
        ("C[i] = C[i] if C[i] > C[i] else C[i]", None),
        ("C[i] = C[i] * w if C[i] * w > C[i] else C[i]", None),
    ],
)
def test_shapes(text: str, op: str | None) -> None:
    found = reduction_of(statement(text))
    assert found == (Reduction(StmtId("S0"), op, ("k",)) if op else None)


def test_a_conversion_between_float_types_is_looked_through_and_one_to_int_is_not() -> None:
    plain = statement("acc += A[i, k]")
    wide = Binary("+", Cast(Read(plain.write, FLOAT), DOUBLE), Literal("0.5", DOUBLE), DOUBLE)
    assert reduction_of(with_rhs(plain, Cast(wide, FLOAT))) == Reduction(StmtId("S0"), "+", ("i", "k"))
    assert reduction_of(with_rhs(plain, Cast(wide, INT32))) is None
    whole = Binary("+", Read(plain.write, INT32), Literal("1", INT32), INT32)
    assert reduction_of(with_rhs(plain, Cast(whole, FLOAT))) is None


def with_rhs(s: Statement, rhs: Cast) -> Statement:
    return Statement(s.id, s.iterators, s.domain, s.position, s.write, s.write_type, rhs, s.span)


def test_only_instances_that_share_an_accumulator_make_a_reduction() -> None:
    text = """
    for i in range(4):
        C[i] *= w
        for k in range(5):
            C[i] += A[i, k]
    for y in range(3):
        for p in range(3):
            D[2*y + p] += B[p]
    """
    found = dependences(scop(text, C=(4,), A=(4, 5), B=(5,), D=(9,))).reductions
    assert [(r.statement, r.loops) for r in found] == [("S1", ("k",)), ("S2", ())]


def test_reading_another_element_of_the_same_array_is_no_part_of_the_reduction() -> None:
    deps = dependences(scop("for i in range(1, 9):\n    for j in range(i):\n        A[i] += A[j]", A=(9,)))
    assert {(e.kind.value, e.is_reduction, e.depths) for e in deps.edges} == {
        ("RAW", True, (1,)),
        ("WAR", True, (1,)),
        ("WAW", True, (1,)),
        ("RAW", False, (0,)),
    }
    assert Ref(deps.scop.arrays[0].id, ()) != deps.scop.statements[0].write
