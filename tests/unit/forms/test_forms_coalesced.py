"""Local arrays that values are copied between, as one: that it computes the same, and which stay two."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute import is_same
from builders import scop
from compiled_scops import kernel_at, run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import differences_of_points

from sisyphus.analysis import dependences
from sisyphus.forms import COALESCED, FORWARD_ELEMENTS, INLINED, ROW_HISTORY, rewritten
from sisyphus.forms.coalesced import _Merging, coalesced
from sisyphus.frontend import read
from sisyphus.ir import promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.kernel_orders import shortest
from sisyphus.request import Source

#: The longest common subsequence, with the next row copied to the last one.
COPIED = """
void longest(const int a[7], const int b[9], int out[1])
{
    int prev[10], cur[10];
    for (int j = 0; j <= 9; j++)
        prev[j] = 0;
    for (int i = 0; i < 7; i++) {
        cur[0] = 0;
        for (int j = 0; j < 9; j++)
            cur[j + 1] = a[i] == b[j] ? prev[j] + 1 : (prev[j + 1] > cur[j] ? prev[j + 1] : cur[j]);
        for (int j = 0; j <= 9; j++)
            prev[j] = cur[j];
    }
    out[0] = prev[9];
}
"""
#: The best local alignment, with one row at a time, whose first element nothing writes again.
ONE_ROW = """
void best(const char a[7], const char b[9], int out[1])
{
    int h[10], e[10], most = 0;
    for (int j = 0; j <= 9; j++) {
        h[j] = 0;
        e[j] = -9;
    }
    for (int i = 0; i < 7; i++) {
        int f = -9, corner = 0;
        for (int j = 1; j <= 9; j++) {
            e[j] = e[j] - 1 > h[j] - 3 ? e[j] - 1 : h[j] - 3;
            f = f - 1 > h[j - 1] - 3 ? f - 1 : h[j - 1] - 3;
            int s = corner + (a[i] == b[j - 1] ? 2 : -1);
            s = s > e[j] ? s : e[j];
            s = s > f ? s : f;
            s = s > 0 ? s : 0;
            corner = h[j];
            h[j] = s;
            most = most > s ? most : s;
        }
    }
    out[0] = most;
}
"""
#: What makes tables of rows, then one table of them, whose elements are read where they are.
WORDS = [INLINED, ROW_HISTORY, COALESCED, FORWARD_ELEMENTS]


@pytest.mark.parametrize(("text", "left"), [(COPIED, 4), (ONE_ROW, 10)])
def test_copies_are_gone(text: str, left: int, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, text)
    found = rewritten(read(path), WORDS)
    promises.run(found)
    assert len(found.statements) == left
    assert run(found, path, tmp_path) == "equal"


def test_wavefronts_go_through_one_table(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, COPIED.replace("7", "300").replace("9", "400").replace("10", "401"))
    kernels = load_kernels(Source(str(path)))
    assert COALESCED in min(kernels, key=lambda kernel: shortest([kernel])).rewrites
    assert shortest(kernels) < 710


def test_what_follows_each_other_in_a_wavefront_is_one_nest(tmp_path: Path) -> None:
    """The largest element, a chain as long as that of the source, stays as it is and does not count."""
    path = kernel_at(tmp_path, ONE_ROW.replace("7", "300").replace("9", "400").replace("10", "401"))
    [joint, *_] = [k for k in load_kernels(Source(str(path))) if k.name == "wave-i+j-successive"]
    assert max(len(nest.statements) for nest in joint.distribution.nests) == 3


#: A table that is copied row by row.
TABLE = """
for i in range(5):
    for j in range(6):
        p[i, j] = X[i, j] * 2
    for j in range(6):
        q[i + 1, j] = p[i, j]
for j in range(6):
    q[0, j] = Z[j]
for i in range(6):
    for j in range(6):
        Y[i, j] = q[i, j] + 1
"""
SHAPES = {"X": (6, 6), "Y": (6, 6), "Z": (6,), "p": (5, 6), "q": (6, 6)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q[i + 1, j] = p[i, j]", "q[i + 1, j] = p[i, j] + 1"),  # no copy
        (
            "for j in range(6):\n    q[0, j]",
            "for j in range(6):\n    p[4, j] = p[4, j] + Z[j]\nfor j in range(6):\n    q[0, j]",
        ),
        ("q[0, j] = Z[j]", "q[1, j] = Z[j]"),  # a copy is written over
    ],
)
def test_which_stay_two(old: str, new: str) -> None:
    assert old in TABLE
    whole = coalesced(dependences(scop(TABLE, **SHAPES)))
    assert whole is not None and len(whole.statements) == 3
    assert coalesced(dependences(scop(TABLE.replace(old, new), **SHAPES))) is None


def test_elements_of_two_values_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be wrong without the proof that each element has one value."""
    text = TABLE.replace(
        "for j in range(6):\n    q[0", "for j in range(6):\n    p[4, j] = p[4, j] + Z[j]\nfor j in range(6):\n    q[0"
    )
    kernel = scop(text, **SHAPES)
    monkeypatch.setattr(_Merging, "_has_one_value_each", lambda *given: True)
    wrong = coalesced(dependences(kernel))
    assert wrong is not None and not is_same(kernel, wrong)


@settings(max_examples=25, deadline=None)
@given(
    shift=st.integers(0, 2),
    first=st.integers(0, 1),
    turned=st.booleans(),
    again=st.booleans(),
    reads=st.sampled_from(["p", "q"]),
)
def test_all_see_the_values_of_the_source(*, shift: int, first: int, turned: bool, again: bool, reads: str) -> None:
    """Copies with rows and columns that change places, some elements that are no copies, some written again."""
    place = f"[j, i + {shift}]" if turned else f"[i + {shift}, j]"
    lines = ["for i in range(4):", "    for j in range(4):", "        p[i, j] = X[i, j] * 2"]
    lines += [f"for i in range({first}, 4):", "    for j in range(4):", f"        q{place} = p[i, j]"]
    lines += ["for j in range(4):", "    p[2, j] = p[2, j] + Z[j]"] if again else []
    lines += [f"for i in range({first}, 4):", "    for j in range(4):"]
    lines += [f"        Y[i, j] = {'p[i, j]' if reads == 'P' else f'q{place}'}"]
    shapes = {"X": (6, 6), "Y": (6, 6), "Z": (6,), "p": (4, 4), "q": (6, 6)}
    kernel = scop("\n".join(lines), **shapes)
    found = coalesced(dependences(kernel))
    assert (found is None) == again
    if found is not None:
        promises.run(found)
        assert is_same(kernel, found)


@pytest.mark.parametrize("text", [COPIED, ONE_ROW])
def test_points_compute_what_the_source_computes(text: str, tmp_path: Path) -> None:
    assert differences_of_points(rewritten(read(kernel_at(tmp_path, text)), WORDS), seed=7, points=8) == []
