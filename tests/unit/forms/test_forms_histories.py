"""Variables that loops carry on, with a place for each value: which have one, and that readers see the same values."""

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

import sisyphus as sisy
from sisyphus.analysis import dataflow, dependences, distribute
from sisyphus.forms import COALESCED, FORWARD_ELEMENTS, HISTORY, PRIVATE, ROW_HISTORY, rewritten
from sisyphus.forms.histories import with_histories, with_histories_of_rows
from sisyphus.frontend import read
from sisyphus.ir import promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.poly import Map, union_of
from sisyphus.promise import by_promise
from sisyphus.request import Source
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

#: The sum of all pixels above and to the left of each.
INTEGRAL = """
void integral(const int in[7][9], int out[7][9])
{
    for (int i = 0; i < 7; i++) {
        int row = 3;
        for (int j = 0; j < 9; j++) {
            row += in[i][j];
            out[i][j] = i > 0 ? out[i - 1][j] + row : row;
        }
    }
}
"""
#: A state that the caller has before and afterwards, and what is seen of it in each step.
STATE = """
void state(float h[8], const float a[8], const float x[11][8], float y[11])
{
    for (int t = 0; t < 11; t++) {
        float sum = 0;
        for (int n = 0; n < 8; n++)
            h[n] = a[n] * h[n] + x[t][n];
        for (int n = 0; n < 8; n++)
            sum += h[n];
        y[t] = sum;
    }
}
"""
SHAPES = {"X": (12, 16), "Y": (12, 16), "Z": (16,), "s": (), "v": (12,)}


@pytest.mark.parametrize("text", [INTEGRAL, STATE])
def test_readers_wait_for_no_next_value(text: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, text)
    source = read(path)
    found = with_histories(dependences(source))
    assert found is not None
    promises.run(found)
    assert len(distribute(found, dependences(found)).nests) > len(distribute(source, dependences(source)).nests)
    assert run(found, path, tmp_path) == "equal"


SUM = "s = 0\nfor i in range(9):\n    s = s + Z[i]\n"
ROWS = "for i in range(5):\n    s = 0\n    for j in range(9):\n        s = s + X[i, j]\n        Y[i, j] = s"
STEPS = (
    "for i in range(9):\n    v[i] = 0\nfor t in range(7):\n    for i in range(9):\n        v[i] = v[i] + X[t, i]\n"
    "    for i in range(9):\n        Y[t, i] = v[8 - i]"
)


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        (f"{SUM}    Y[i, 0] = s", (10,)),
        ("s = 0\nfor i in range(2, 9):\n    Y[i, 0] = s\n    s = s + Z[i]\nY[0, 1] = s", (8,)),
        (ROWS, (5, 10)),
        (STEPS, (8, 12)),
    ],
)
def test_which_have_a_place_for_each_value(text: str, extents: tuple[int, ...]) -> None:
    kernel = scop(text, **SHAPES)
    found = with_histories(dependences(kernel))
    assert found is not None
    assert extents in [array.extents for array in found.arrays]
    promises.run(found)
    assert is_same(kernel, found)


@pytest.mark.parametrize(
    "text",
    [
        f"{SUM}Y[0, 0] = s",  # nobody sees the values in between
        f"{SUM}    Z[i + 1] = s",  # who sees one makes the next one
        f"{SUM}    Y[i, 0] = s\n    s = s + X[i, 0]",  # two statements give it values
        ROWS.replace("    s = 0\n", ""),  # carried on from row to row
        STEPS.replace("for i in range(9):\n        v[i]", "for i in range(9 - t):\n        v[i]"),  # some stay
    ],
)
def test_which_have_none(text: str) -> None:
    assert with_histories(dependences(scop(text, **SHAPES))) is None


#: The least edits between two words, with one row of the table at a time.
EDITS = """
void edits(const char a[7], const char b[9], int out[1])
{
    int row[10];
    for (int j = 0; j <= 9; j++)
        row[j] = j;
    for (int i = 0; i < 7; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < 9; j++) {
            int above = row[j + 1];
            int least = corner + (a[i] == b[j] ? 0 : 1);
            least = least < above + 1 ? least : above + 1;
            least = least < row[j] + 1 ? least : row[j] + 1;
            row[j + 1] = least;
            corner = above;
        }
    }
    out[0] = row[9];
}
"""


def test_rows_that_are_written_over_are_a_table_with_wavefronts(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, EDITS)
    found = with_histories_of_rows(dependences(read(path)))
    assert found is not None
    promises.run(found)
    assert (8, 10) in [array.extents for array in found.arrays]
    assert run(found, path, tmp_path) == "equal"
    path.write_text(EDITS.replace("7", "300").replace("9", "400").replace("[10]", "[401]"))
    every = [kernel for kernel in load_kernels(Source(str(path))) if ROW_HISTORY in kernel.rewrites]
    waves = [kernel for kernel in every if "wave" in kernel.name]
    assert waves and by_promise(load_kernels(Source(str(path))))[0].rewrites == waves[0].rewrites


#: What each step sees of the sum of all before it, as long as the steps are many.
SEEN = """
void seen(const float k[8192][64], const float v[8192][64], const float q[8192][64], float o[8192][64])
{
    float s[64][64];
    for (int a = 0; a < 64; a++)
        for (int b = 0; b < 64; b++)
            s[a][b] = 0;
    for (int t = 0; t < 8192; t++) {
        for (int a = 0; a < 64; a++)
            for (int b = 0; b < 64; b++)
                s[a][b] += k[t][a] * v[t][b];
        for (int b = 0; b < 64; b++) {
            float sum = 0;
            for (int a = 0; a < 64; a++)
                sum += q[t][a] * s[a][b];
            o[t][b] = sum;
        }
    }
}
"""


def test_many_values_come_in_blocks_with_places_for_what_reads_them(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, SEEN)
    [first, *_], _ = for_large_arrays(load_kernels(Source(str(path))), make_target(load_device("u200")))
    assert [word.split()[0] for word in first.rewrites[:3]] == [HISTORY, PRIVATE, "local-blocks"]


def test_tables_of_rows_that_leave_no_room_come_in_blocks(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, EDITS.replace("7", "4000").replace("9", "5000").replace("[10]", "[5001]"))
    [first, *_], _ = for_large_arrays(load_kernels(Source(str(path))), make_target(load_device("u200")))
    words = [word.split()[0] for word in first.rewrites]
    behind = [ROW_HISTORY, COALESCED, FORWARD_ELEMENTS, "local-blocks", "schedule"]
    assert words[words.index(ROW_HISTORY) : words.index(ROW_HISTORY) + len(behind)] == behind


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v[i] + X[t, i]", "X[t, i]"),  # nothing is read of the step before
        ("v[i] = v[i] + X[t, i]", "v[t] = v[i] + X[t, i]"),  # each step writes one element
        ("for i in range(9):\n        v[i] = v[i]", "for i in range(9 - t):\n        v[i] = v[i]"),  # some stay
    ],
)
def test_which_rows_are_none(old: str, new: str) -> None:
    assert old in STEPS
    assert with_histories_of_rows(dependences(scop(STEPS.replace(old, new), **SHAPES))) is None
    assert with_histories_of_rows(dependences(scop(STEPS, **SHAPES))) is not None


BEST = """
void best(const char a[32], const char b[32], int h[33][33], int top[1])
{
    int most = 0;
    for (int i = 0; i <= 32; i++) { h[i][0] = 0; h[0][i] = 0; }
    for (int i = 1; i <= 32; i++)
        for (int j = 1; j <= 32; j++) {
            int s = h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
            s = s > h[i - 1][j] - 1 ? s : h[i - 1][j] - 1;
            s = s > h[i][j - 1] - 1 ? s : h[i][j - 1] - 1;
            h[i][j] = s > 0 ? s : 0;
            if (h[i][j] > most) most = h[i][j];
        }
    top[0] = most;
}
"""


#: The same of subsequences, with the last element of the row in a variable.
LONGEST = """
void longest(const int a[24], const int b[30], int t[25][31], int top[1])
{
    int most = 0;
    for (int i = 0; i < 24; i++) {
        int left = 0;
        for (int j = 0; j < 30; j++) {
            left = a[i] == b[j] ? t[i][j] + 1 : (left > t[i][j + 1] ? left : t[i][j + 1]);
            t[i + 1][j + 1] = left;
            most = most > left ? most : left;
        }
    }
    top[0] = most;
}
"""


@pytest.mark.parametrize("text", [BEST, LONGEST])
def test_what_is_kept_of_a_table_does_not_keep_it_from_wavefronts(text: str, tmp_path: Path) -> None:
    """The largest element is a chain of its own, as long as that of the source."""
    path = kernel_at(tmp_path, text)
    waves = [kernel for kernel in load_kernels(Source(str(path))) if "wave" in kernel.name]
    assert waves
    assert run(waves[0].scop, path, tmp_path) == "equal"


def test_a_reader_of_another_value_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reader in the wrong place: the form is not made."""
    module = import_module("sisyphus.forms.histories")
    place = module._Candidate._place

    def late(self, statement, values, *, is_late):  # type: ignore[no-untyped-def]
        return place(self, statement, values, is_late=is_late) - int(statement.id == "S2")

    kernel = scop("s = 0\nfor i in range(9):\n    s = s + Z[i]\n    Y[i, 0] = s", **SHAPES)
    assert with_histories(dependences(kernel)) is not None
    monkeypatch.setattr(module._Candidate, "_place", late)
    assert with_histories(dependences(kernel)) is None


def test_a_wrong_answer_about_last_writers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kernels are asked about by the same analysis: what it says of each is checked, not compared alone."""
    text = f"{SUM}    Y[i, 0] = s"
    assert with_histories(dependences(scop(text, **SHAPES))) is not None
    right = dataflow.last_writers

    def the_first_for_all(*asked):  # type: ignore[no-untyped-def]
        found = right(*asked)
        seen = union_of([pairs.range() for _, _, pairs in found])
        return tuple(
            (writer, reader, Map.from_domain_and_range(pairs.domain(), seen) if writer == "S0" else pairs)
            for writer, reader, pairs in found
        )

    monkeypatch.setattr(dataflow, "last_writers", the_first_for_all)
    assert with_histories(dependences(scop(text, **SHAPES))) is None


@settings(max_examples=25, deadline=None)
@given(
    steps=st.integers(1, 5),
    shift=st.integers(-1, 1),
    first=st.booleans(),
    again=st.booleans(),
    low=st.integers(0, 2),
)
def test_rows_hold_what_the_source_sees(*, steps: int, shift: int, first: bool, again: bool, low: int) -> None:
    """A row written anew in each step, of its own elements and of those of the step before, in any order of text."""
    update = "        v[i] = v[i] * Z[t] + X[t, i]"
    lines = [f"for t in range({low}, {low + steps}):"]
    lines += ["    v[0] = Z[t] + v[0]"] if first else []
    lines += [f"    for i in range({int(first)}, 12):", update]
    lines += ["    for i in range(1, 11):", f"        Y[t, i] = v[i + {shift}] + v[i]"]
    lines += ["    for i in range(12):", "        v[i] = v[i] - Y[t, i]"] if again else []
    kernel = scop("\n".join(["for i in range(12):", "    v[i] = Z[i]", *lines]), **SHAPES)
    found = with_histories_of_rows(dependences(kernel))
    if found is not None:
        promises.run(found)
        assert is_same(kernel, found)
    assert found is not None or again or steps == 1


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.tuples(st.integers(1, 5), st.integers(1, 6)),
    low=st.integers(0, 3),
    before=st.booleans(),
    bent=st.booleans(),
    behind=st.booleans(),
)
def test_all_see_the_values_of_the_source(
    *, lengths: tuple[int, int], low: int, before: bool, bent: bool, behind: bool
) -> None:
    """Loops from other than 0 and over triangles, readers before the update and behind the loop."""
    rows, columns = lengths
    loop = f"for j in range({low}, {low + columns}{' + i' if bent else ''}):"
    see, update = "Y[i, j] = s + Z[j]", "s = s * Z[i] + X[i, j]"
    body = [see, update] if before else [update, see]
    lines = [f"for i in range({rows}):", "    s = Z[i]", f"    {loop}", *(f"        {line}" for line in body)]
    kernel = scop("\n".join([*lines, *(["    X[i, 11] = s"] if behind else [])]), **SHAPES)
    found = with_histories(dependences(kernel))
    assert found is not None or (bent and behind and rows > 1) or columns == 1
    if found is not None:
        promises.run(found)
        assert is_same(kernel, found)


@pytest.mark.parametrize(
    ("text", "word"), [(INTEGRAL, HISTORY), (STATE, HISTORY), (EDITS, ROW_HISTORY), (LONGEST, HISTORY)]
)
def test_points_compute_what_the_source_computes(text: str, word: str, tmp_path: Path) -> None:
    found = rewritten(read(kernel_at(tmp_path, text)), [word])
    assert differences_of_points(found, seed=7, points=8) == []


def test_it_is_searched_first_and_faster(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, INTEGRAL.replace("7", "48").replace("9", "64"))
    assert by_promise(load_kernels(Source(str(path))))[0].name == HISTORY
    target = make_target(load_device("u200"), dsp=400, lut=150_000)
    serial, kept = (
        sisy.optimize(path, target, effort=2, cache=False, verify=word == HISTORY, fix=[f"form={word}"])
        for word in ("source", HISTORY)
    )
    assert kept.verdict is not None and kept.verdict.passed
    assert serial.outcome is not None and kept.outcome is not None
    assert (kept.outcome.objective or 0) < 0.5 * (serial.outcome.objective or 0)


def test_blocks_are_cut_where_the_places_leave_no_room(tmp_path: Path) -> None:
    path = kernel_at(tmp_path, INTEGRAL.replace("7", "2160").replace("9", "3840"))
    [first], _ = for_large_arrays(load_kernels(Source(str(path))), make_target(load_device("u200")))
    assert [word.split()[0] for word in first.rewrites] == [HISTORY, "local-blocks"]
