"""Short rows of arguments joined to longer ones: which are, that elements stay where they are, and that faults show."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from brute import is_same
from builders import scop
from compiled_scops import run

from sisyphus.analysis import dependences
from sisyphus.forms import BATCHES, LONG_ROWS, in_long_rows, rewritten, worth_long_rows
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source

#: Pixels of three bytes, filtered and put back the other way round; a table of weights, of rows that are long enough.
PIXELS = """
void pixels(const unsigned char in[12][10][3], unsigned char out[12][10][3], const int w[3][16])
{
    for (int i = 0; i < 12; i++)
        for (int j = 1; j < 9; j++)
            for (int c = 0; c < 3; c++)
                out[i][j][2 - c] = (in[i][j - 1][c] + w[c][j] * in[i][j][c] + in[i][j + 1][c]) / 4;
}
"""


def kernel(folder: Path) -> Path:
    path = folder / "pixels.c"
    path.write_text(PIXELS)
    return path


def test_rows_are_joined_until_they_fill_a_beat(tmp_path: Path) -> None:
    """One of 10 pixels has 30 bytes, and two have 60: all rows of the image are one."""
    path = kernel(tmp_path)
    source = read(path)
    found = in_long_rows(dependences(source))
    assert found is not None
    promises.run(found)
    assert [array.extents for array in found.arrays] == [(360,), (360,), (3, 16)]
    [statement] = found.statements
    assert str(statement.write.index[0]) == "-c + 30*i + 3*j + 2"
    assert run(found, path, tmp_path) == "equal"


def test_an_element_elsewhere_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices it."""
    module = import_module("sisyphus.forms.long_rows")
    flat = module._flat
    monkeypatch.setattr(module, "_flat", lambda array, index, depth: flat(array, (*index[:-1], index[-1] * 0), depth))
    path = kernel(tmp_path)
    found = in_long_rows(dependences(read(path)))
    assert found is not None and run(found, path, tmp_path) != "equal"


def test_rows_that_are_long_and_temporaries_stay() -> None:
    text = "for i in range(40):\n    for j in range(4):\n        A[i, j] = B[i, j + 12]"
    assert in_long_rows(dependences(scop(text, A=(40, 16), B=(40, 16)))) is None
    short = scop(text, A=(40, 4), B=(40, 16))
    found = in_long_rows(dependences(short))
    assert found is not None and found.array(ArrayId("A")).extents == (160,)
    assert found.array(ArrayId("B")) == short.array(ArrayId("B"))


@pytest.mark.parametrize(
    ("length", "joined"), [(15, True), (16, False), (17, True), (25, True), (26, False), (32, False), (33, False)]
)
def test_rows_of_two_beats_are_joined_where_padding_would_fill_a_fifth(*, length: int, joined: bool) -> None:
    text = f"for i in range(80):\n    for j in range({length}):\n        A[i, j] += 1.0"
    assert (in_long_rows(dependences(scop(text, A=(80, length)))) is not None) is joined


def test_rows_of_two_beats_of_an_array_that_is_moved_in_no_time_stay() -> None:
    text = "for i in range(8):\n    for j in range(17):\n        A[i, j] += 1.0"
    assert in_long_rows(dependences(scop(text, A=(8, 17)))) is None


@pytest.mark.parametrize(("rows", "times", "worth"), [(1024, 1, True), (16, 1, False), (1024, 20_000, False)])
def test_it_is_offered_where_rows_take_long_to_move(*, rows: int, times: int, worth: bool) -> None:
    text = f"for t in range({times}):\n  for i in range({rows}):\n    for j in range(3):\n      A[i, j] += B[t]"
    assert worth_long_rows(scop(text, A=(rows, 3), B=(times,))) is worth


def test_a_form_that_is_searched_is_built_again(tmp_path: Path) -> None:
    path = tmp_path / "large.c"
    path.write_text(PIXELS.replace("12", "120").replace("[10]", "[100]"))
    forms = {form.name: form for form in load_kernels(Source(str(path)))}
    assert forms[LONG_ROWS].rewrites == (LONG_ROWS,)
    assert rewritten(forms["source"].scop, [LONG_ROWS]).arrays == forms[LONG_ROWS].scop.arrays


def test_batches_of_joined_rows_are_filled_whole() -> None:
    """Of a triangle in one subscript no loops without quotients run through what is filled and written back."""
    text = """
for b in range(12):
    for i in range(1, 4):
        for k in range(i):
            A[b, i, 3] -= A[b, i, k] * A[b, k, 3]
        A[b, i, 3] = A[b, i, 3] / A[b, i, i]
"""
    together = in_long_rows(dependences(scop(text, A=(12, 4, 4))))
    assert together is not None and together.array(ArrayId("A")).extents == (12, 16)
    made = rewritten(together, [f"{BATCHES}5"])
    promises.run(made)
    assert is_same(together, made)


def test_rows_of_a_wave_stay() -> None:
    """An element waits for two others of the array: a diagonal of them at a time takes banks in both dimensions."""
    text = "for i in range(1, 80):\n    for j in range(1, 17):\n        A[i, j] = A[i - 1, j] + A[i, j - 1]"
    assert in_long_rows(dependences(scop(text, A=(80, 17)))) is None


def test_rows_of_elements_that_are_written_together_are_joined() -> None:
    text = "for i in range(80):\n    A[i, 0] = A[i, 1] * 2.0\n    A[i, 1] = A[i, 0] + 1.0"
    assert in_long_rows(dependences(scop(text, A=(80, 2)))) is not None


#: Rows of fields of structures, which the source's entry names by two subscripts.
FIELDS = """
struct pixel { unsigned char r; unsigned char g; };
static struct pixel picture[40][10];
void red(unsigned char out[40][10])
{
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 10; j++)
            out[i][j] = picture[i][j].r;
}
"""


def test_fields_of_structures_of_the_file_keep_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(FIELDS)
    found = in_long_rows(dependences(read(path)))
    assert found is not None
    assert sorted(array.extents for array in found.arrays) == [(40, 10), (400,)]
    assert run(found, path, tmp_path) == "equal"
