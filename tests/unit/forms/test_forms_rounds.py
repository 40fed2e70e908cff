"""Rounds of a loop in which arrays take turns as one loop: that it computes the same, and what is none."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from brute import is_same
from builders import scop
from compiled_scops import kernel_at, run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import differences_of_points

from sisyphus.analysis import dependences
from sisyphus.forms import INLINED, ROUNDS, SCHEDULE, rewritten
from sisyphus.forms.rounds import in_one_loop
from sisyphus.frontend import read
from sisyphus.ir import promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.kernel_orders import shortest
from sisyphus.request import Source
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

#: The least edits between two words, with rows that take turns by remainders.
TURNS = """
void edits(const char a[7], const char b[9], int out[1])
{
    int rows[2][10];
    for (int j = 0; j <= 9; j++)
        rows[0][j] = j;
    for (int i = 1; i <= 7; i++) {
        rows[i % 2][0] = i;
        for (int j = 1; j <= 9; j++) {
            int least = rows[(i - 1) % 2][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            least = least < rows[(i - 1) % 2][j] + 1 ? least : rows[(i - 1) % 2][j] + 1;
            least = least < rows[i % 2][j - 1] + 1 ? least : rows[i % 2][j - 1] + 1;
            rows[i % 2][j] = least;
        }
    }
    out[0] = rows[1][9];
}
"""
#: The same of several pairs of words, with pointers that change places.
POINTERS = """
void edits(const char a[3][7], const char b[3][9], int out[3])
{
    for (int s = 0; s < 3; s++) {
        int one[10], other[10], *now = one, *next = other;
        for (int j = 0; j <= 9; j++)
            now[j] = j;
        for (int i = 1; i <= 7; i++) {
            next[0] = i;
            for (int j = 1; j <= 9; j++) {
                int least = now[j - 1] + (a[s][i - 1] == b[s][j - 1] ? 0 : 1);
                least = least < now[j] + 1 ? least : now[j] + 1;
                next[j] = least < next[j - 1] + 1 ? least : next[j - 1] + 1;
            }
            int *t = now;
            now = next;
            next = t;
        }
        out[s] = now[9];
    }
}
"""
#: Each row of the two before it.
THREE = """
void three(const float x[11], float out[8])
{
    float r[3][8];
    for (int j = 0; j < 8; j++) {
        r[0][j] = x[j];
        r[1][j] = x[j + 1];
    }
    for (int i = 2; i <= 11; i++)
        for (int j = 0; j < 8; j++)
            r[i % 3][j] = j > 0 ? r[(i + 2) % 3][j] + x[i - 1] * r[i % 3][j - 1] : r[(i + 1) % 3][j];
    for (int j = 0; j < 8; j++)
        out[j] = r[2][j];
}
"""
#: The best local alignment, the first elements of whose rows are written once.
BORDERS = """
void best(const char q[7], const char d[9], int out[1])
{
    int one[10] = {0}, other[10] = {0}, *up = one, *now = other, most = 0;
    for (int i = 0; i < 7; i++) {
        for (int j = 1; j <= 9; j++) {
            int s = up[j - 1] + (q[i] == d[j - 1] ? 3 : -3);
            s = up[j] - 2 > s ? up[j] - 2 : s;
            s = now[j - 1] - 2 > s ? now[j - 1] - 2 : s;
            now[j] = s > 0 ? s : 0;
            most = now[j] > most ? now[j] : most;
        }
        int *t = up;
        up = now;
        now = t;
    }
    out[0] = most;
}
"""
KERNELS = [TURNS, POINTERS, THREE, BORDERS]


@pytest.mark.parametrize("text", KERNELS)
def test_rounds_are_one_loop_over_a_table(text: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, text)
    before = rewritten(read(path), [INLINED])
    found = in_one_loop(dependences(before))
    assert found is not None
    promises.run(found)
    assert max(len(s.iterators) for s in found.statements) == max(len(s.iterators) for s in before.statements) - 1
    assert len(found.statements) <= len(before.statements)
    assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize("text", KERNELS[:2])
def test_wavefronts_go_through_the_table(text: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, text.replace("7", "300").replace("9", "400").replace("10", "401"))
    kernels = load_kernels(Source(str(path)))
    [best] = [k for k in kernels if ROUNDS in k.rewrites and "wave" in k.name]
    assert shortest([best]) == shortest(kernels) < 710


@pytest.mark.long
def test_tables_are_not_looked_for_beside_orders_of_few_steps(tmp_path: Path) -> None:
    """Of three pairs of short words, each step of all comes at once, which is short enough."""
    kernels = load_kernels(Source(str(kernel_at(tmp_path, POINTERS))))
    assert any(SCHEDULE in word for k in kernels for word in k.rewrites)
    assert not any(ROUNDS in k.rewrites for k in kernels)


@pytest.mark.long
def test_tables_that_leave_no_room_come_in_blocks(tmp_path: Path) -> None:
    path = kernel_at(
        tmp_path, POINTERS.replace("3", "4096").replace("7", "130").replace("9", "150").replace("10", "151")
    )
    [first, *_], _ = for_large_arrays(load_kernels(Source(str(path))), make_target(load_device("u200")))
    words = [word.split()[0] for word in first.rewrites]
    assert words == [INLINED, ROUNDS, "local-blocks", "schedule"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows[i % 2][j] = least;", "if (i % 2) rows[1][j] = least; else rows[0][j] = least + 1;"),  # turns differ
        ("rows[0][j] = j;", "rows[0][j] = rows[1][j] = j;"),  # and so does what is left of the first rows
        ("int out[1]", "int rows[2][10], int out[1]"),  # the caller sees both rows
    ],
)
def test_which_have_none(old: str, new: str, tmp_path: Path) -> None:
    text = TURNS.replace(old, new)
    text = text.replace("    int rows[2][10];\n", "") if "int rows[2][10], " in new else text
    text = text.replace("rows[i % 2][0] = i;", "") if "= rows[1]" in new else text
    assert in_one_loop(dependences(rewritten(read(kernel_at(tmp_path, text)), [INLINED]))) is None


def test_arrays_of_other_dimensions_do_not_take_turns(tmp_path: Path) -> None:
    text = """
    void other(const float a[9], float out[9])
    {
        float x[9], y[9], z[1][9];
        for (int j = 0; j < 9; j++)
            x[j] = y[j] = z[0][j] = a[j];
        for (int i = 0; i < 6; i++)
            for (int j = 1; j < 9; j++)
                if (i % 2)
                    x[j] = y[j - 1] + 1;
                else
                    y[j] = z[0][j - 1] + 1;
        for (int j = 0; j < 9; j++)
            out[j] = x[j] + y[j];
    }
    """
    assert in_one_loop(dependences(read(kernel_at(tmp_path, text)))) is None


def test_rows_of_another_iteration_are_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With each read one row too far behind, the form is not made."""
    module = import_module("sisyphus.forms.rounds")
    age = module._Rounds._age
    found = dependences(rewritten(read(kernel_at(tmp_path, TURNS)), [INLINED]))
    assert in_one_loop(found) is not None
    monkeypatch.setattr(module._Rounds, "_age", lambda *given: age(*given) + 1)
    assert in_one_loop(found) is None


@settings(max_examples=25, deadline=None)
@given(
    turns=st.integers(2, 4),
    rounds=st.integers(1, 3),
    reach=st.integers(1, 4),
    shift=st.integers(-1, 1),
    behind=st.booleans(),
)
def test_all_see_the_values_of_the_source(*, turns: int, rounds: int, reach: int, shift: int, behind: bool) -> None:
    """Rows of the iteration so many before, of some or all turns, in arrays of one row each."""
    reach = min(reach, turns)
    lines = [line for at in range(turns) for line in ("for j in range(9):", f"    v{at}[j] = Z[j] + {at}")]
    lines += [f"for q in range({rounds}):", f"    for r in range({turns}):"]
    for at in range(turns):
        from_row = (at - reach) % turns
        lines += ["        for j in range(1, 8):", f"            if r == {at}:"]
        lines += [f"                v{at}[j] = v{from_row}[j + {shift}] + X[{turns} * q + r, j]"]
    lines += ["for j in range(1, 8):", f"    Y[0, j] = v{turns - 1}[j]"] if behind else []
    shapes = {"X": (12, 9), "Y": (12, 9), "Z": (9,), **{f"v{at}": (9,) for at in range(turns)}}
    kernel = scop("\n".join(lines), **shapes)
    found = in_one_loop(dependences(kernel))
    if found is not None:
        promises.run(found)
        assert is_same(kernel, found)


@pytest.mark.parametrize("text", [TURNS, THREE, BORDERS])
def test_points_compute_what_the_source_computes(text: str, tmp_path: Path) -> None:
    found = rewritten(read(kernel_at(tmp_path, text)), [INLINED, ROUNDS])
    assert differences_of_points(found, seed=7, points=8) == []
