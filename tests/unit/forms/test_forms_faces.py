"""Statements on a face of another's domain: they become one with it, compute the same, and others do not."""

from __future__ import annotations

from pathlib import Path

import brute
import pytest
from builders import scop

from sisyphus.analysis import dependences, distribute
from sisyphus.forms import ScheduleError, proposals, reordering, scheduled
from sisyphus.forms.faces import as_part_of
from sisyphus.frontend import read
from sisyphus.poly import var

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
CHOLESKY = "{ S3[i] -> [i, 0]; S1[i, j] -> [j, 1, i]; S0[i, j, k] -> [k, 2, i, j]; S2[i, k] -> [k, 2, i, i] }"


def test_the_diagonal_of_cholesky_is_updated_with_the_rest() -> None:
    source = read(str(KERNELS / "cholesky.c"), defines=("N=7",))
    found = dependences(source)
    [best, *_] = proposals(found, distribute(source, found))
    assert [str(s.id) for s in best.scop.statements] == ["S3", "S1", "S0"]
    numbers: dict[object, int] = {}
    assert brute.results(source, numbers) == brute.results(best.scop, numbers)


def test_values_are_those_of_the_face() -> None:
    statements = read(str(KERNELS / "cholesky.c"), defines=("N=7",)).statements
    by_name = {str(s.id): s for s in statements}
    assert as_part_of(by_name["S2"], by_name["S0"]) == {"i": var("i"), "j": var("i"), "k": var("k")}
    assert as_part_of(by_name["S1"], by_name["S0"]) is None
    assert as_part_of(by_name["S0"], by_name["S2"]) is None


@pytest.mark.parametrize(
    "diagonal",
    ["A[i, i] -= A[i, k] * A[k, k]", "A[i, i] += A[i, k] * A[i, k]", "A[i, i + 1] -= A[i, k] * A[i, k]"],
    ids=["another read", "another operator", "another element"],
)
def test_what_computes_something_else_there_stays_apart(diagonal: str) -> None:
    text = f"""
for k in range(6):
    for i in range(k + 1, 6):
        for j in range(k + 1, i):
            A[i, j] -= A[i, k] * A[j, k]
    for i in range(k + 1, 6):
        {diagonal}
"""
    found = dependences(scop(text, A=(6, 7)))
    orders = "{ S0[k, i, j] -> [k, i, j]; S1[k, i] -> [k, i, i] }"
    assert len(scheduled(found, orders).statements) == 2


def test_a_statement_that_computes_something_else_is_refused_by_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
for i in range(6):
    for j in range(i):
        A[i, j] = A[i, j] * 2.0
    A[i, i] = A[i, i] * 3.0
"""
    found = dependences(scop(text, A=(6, 6)))
    orders = "{ S0[i, j] -> [i, j]; S1[i] -> [i, i] }"
    assert len(scheduled(found, orders).statements) == 2
    monkeypatch.setattr(reordering, "same_at", lambda *_: True)
    with pytest.raises(ScheduleError, match="does not compute what `S1` does"):
        scheduled(found, orders)
