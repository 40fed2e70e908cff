"""References of a nest, in its own names for the loops of all of its statements."""

from __future__ import annotations

from dataclasses import replace

from builders import scop

from sisyphus.analysis import dependences, distribute, refs_of, refs_to
from sisyphus.ir import ArrayId


def test_statements_with_other_names_for_the_loops_of_a_nest_are_told_by_its_own() -> None:
    kernel = scop(
        "for i in range(8):\n  A[i] = B[i + 1] + B[i]\nfor j in range(8):\n  B[2 * j] = A[j]", A=(8,), B=(16,)
    )
    first, second = distribute(kernel, dependences(kernel)).nests
    both = replace(first, statements=(*first.statements, *second.statements))
    assert [str(ref) for ref in refs_of(kernel, both)] == ["A[i]", "B[i + 1]", "B[i]", "B[2*i]", "A[i]"]
    assert [str(ref) for ref in refs_to(kernel, both, ArrayId("A"))] == ["A[i]"]
