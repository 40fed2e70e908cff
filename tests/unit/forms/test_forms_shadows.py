"""A second copy of what steps read: results stay bit for bit, and what has no such copy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from plan_interpreter import computes_the_same

from sisyphus.analysis import dependences
from sisyphus.forms import SHADOW, rewritten, shadowed
from sisyphus.ir import promises
from sisyphus.ir.scop_text import dump

#: The best split of each stretch, shortest first; with a second statement; sums of what the last step made as well.
INTERVALS = "for w in range(1, 8):\n for i in range(8 - w):\n  for k in range(i, i + w):\n   "
SHAPES = {
    "split": INTERVALS + "T[i, i + w] = fmax(T[i, i + w], T[i, k] + T[k + 1, i + w])",
    "two": INTERVALS + "T[i, i + w] += T[i, k] * T[k + 1, i + w]\n for i in range(8 - w):\n  T[i, i + w] *= C[i]",
    "before": "for i in range(8):\n T[i, i] = C[i]\n" + INTERVALS + "T[i, i + w] += T[i, k] * T[k + 1, i + w]",
    "columns": "for j in range(1, 8):\n for i in range(8):\n  for k in range(j):\n   T[i, j] += T[i, k] * T[k, i]",
}
EXTENTS = {"T": (8, 8), "C": (8,)}


@pytest.mark.parametrize("name", SHAPES)
def test_results_stay(name: str) -> None:
    source = scop(SHAPES[name], **EXTENTS)
    found = shadowed(dependences(source))
    assert found is not None
    promises.run(found)
    assert dump(rewritten(source, (SHADOW,))) == dump(found)
    assert all(computes_the_same(source, found, seed) for seed in range(3)), dump(found)
    last = found.statements[-1].id
    late = replace(found, statements=tuple(s for s in found.statements if s.id != last))
    assert not all(computes_the_same(source, late, seed) for seed in range(3)), "the copy is not needed"


def test_what_a_step_writes_is_copied_once() -> None:
    found = shadowed(dependences(scop(SHAPES["two"], **EXTENTS)))
    assert found is not None
    assert dump(found).count("T_1[i][i + w]: float = T[i][i + w]") == 1, dump(found)
    assert "T[i][i + w]: float = (T[i][i + w] + (T_1[i][k] * T_1[k + 1][i + w]))" in dump(found), dump(found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "for k in range(7):\n for i in range(8):\n  for j in range(8):\n   T[i, j] += T[i, k] * T[k, j]",
            "all written",
        ),
        (INTERVALS + "T[i, i + w] += T[i, i] * C[k]", "read several times in a step"),
        (INTERVALS + "T[i, i + w] += T[i, k + 1]", "written in the same step"),
        ("for w in range(1, 8):\n for i in range(7):\n  T[w, i] = T[w - 1, i + 1]", "constants apart"),
    ],
)
def test_what_has_no_second_copy(text: str, why: str) -> None:
    assert shadowed(dependences(scop(text, **EXTENTS))) is None, why


def test_the_copies_of_two_arrays_are_made_before_the_steps_of_each() -> None:
    """What is written between them is in the copy that comes after it."""
    other = INTERVALS.replace("T", "U")
    first = INTERVALS + "T[i, i + w] += T[i, k] * T[k + 1, i + w]"
    between = "for i in range(8):\n for j in range(8):\n  U[i, j] = T[j, i] * 0.5"
    text = f"{first}\n{between}\n{other}U[i, i + w] += U[i, k] * U[k + 1, i + w]"
    source = scop(text, T=(8, 8), U=(8, 8))
    found = shadowed(dependences(source))
    assert found is not None and len(found.arrays) == len(source.arrays) + 2
    assert all(computes_the_same(source, found, seed) for seed in range(3)), dump(found)
