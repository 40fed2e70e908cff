"""Values that are only copied on: readers take them where they come from, results stay, and what keeps copies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import brute
import pytest
from builders import scop
from compiled_scops import kernel_at, run
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import computes_the_same
from random_scops import Sample, copiers

from sisyphus.analysis import Dependences, dependences, statement_text
from sisyphus.forms import FORWARD, forwarded, rewritten
from sisyphus.forms.forwarding import forwarded_elements
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Role, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.poly import last_writers
from sisyphus.request import Source
from sisyphus.values import replace

SOME = settings(max_examples=50, deadline=None, derandomize=True)

REGISTER = """
for k in range(4):
    w[k] = z
for n in range(9):
    for k in range(3):
        w[3 - k] = w[2 - k]
    w[0] = X[n]
    for k in range(4):
        Y[n] += w[k] * C[k]
"""

ROWS = """
short table(const char a[20], const char b[24])
{
    short before[25], now[25];
    for (int j = 0; j <= 24; j++) before[j] = 0;
    for (int i = 0; i < 20; i++) {
        now[0] = 0;
        for (int j = 0; j < 24; j++)
            now[j + 1] = a[i] == b[j] ? before[j] + 1 : before[j + 1] > now[j] ? before[j + 1] : now[j];
        for (int j = 0; j <= 24; j++) before[j] = now[j];
    }
    return before[24];
}
"""

LINES = """
void box(const unsigned char in[8][9], int out[8][9])
{
  unsigned char lines[2][9] = {{0}}, window[3][3] = {{0}};
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 9; j++) {
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 2; c++)
          window[r][c] = window[r][c + 1];
      window[0][2] = lines[0][j];
      window[1][2] = lines[1][j];
      window[2][2] = in[i][j];
      lines[0][j] = lines[1][j];
      lines[1][j] = in[i][j];
      if (i >= 2 && j >= 2)
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++)
            out[i][j] += window[r][c] * (r + c);
    }
}
"""


def texts(found: Scop | None) -> list[str]:
    assert found is not None
    promises.run(found)
    return [statement_text(s) for s in found.statements]


def check_same(one: Scop, other: Scop) -> None:
    numbers: dict[object, int] = {}
    assert brute.results(one, numbers) == brute.results(other, numbers)


def register(text: str = REGISTER) -> Scop:
    return scop(text, w=(4,), X=(9,), Y=(9,), C=(4,))


INDICES = """
void f(const float x[7], float o[7])
{
  float w[3];
  for (int i = 0; i < 3; i++)
    w[i] = i;
  for (int t = 0; t < 7; t++) {
    o[t] = x[t] * w[2];
    w[2] = w[1];
    w[1] = w[0];
    w[0] = 1.0f;
  }
}
"""


def test_what_counts_and_what_is_constant_are_read_apart(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(INDICES)
    source = read(path)
    found = forwarded(dependences(source))
    assert found is not None
    check_same(source, found)


def test_a_shift_register_becomes_reads_of_what_went_in() -> None:
    source = register()
    found = forwarded(dependences(source))
    assert texts(found) == ["Y[n] = Y[n] + z * C[k]", "Y[n] = Y[n] + X[-k + n] * C[k]"]
    assert found is not None
    check_same(source, found)
    assert texts(rewritten(source, [FORWARD])) == texts(found)


def test_copied_scalars_have_a_case_for_each_of_the_first_samples() -> None:
    text = "a = z\nb = z\nfor n in range(9):\n    Y[n] = a * b\n    b = a\n    a = X[n]\n"
    source = scop(text, a=(), b=(), X=(9,), Y=(9,))
    found = forwarded(dependences(source))
    assert texts(found) == ["Y[n] = z * z", "Y[n] = X[n - 1] * z", "Y[n] = X[n - 1] * X[n - 2]"]
    assert found is not None
    check_same(source, found)


def test_line_buffers_and_a_window_become_reads_of_the_picture(tmp_path: Path) -> None:
    path = tmp_path / "box.c"
    path.write_text(LINES)
    source = read(path)
    found = forwarded(dependences(source))
    assert texts(found) == ["out[i][j] = out[i][j] + in[i + r - 2][c + j - 2] * (c + r)"]
    assert found is not None
    check_same(source, found)


RING = """void f(const float x[24], const float h[4], float y[24])
{
  float ring[8];
  for (int i = 0; i < 8; i++) ring[i] = 0.0f;
  for (int i = 0; i < 24; i++) {
    ring[i % 8] = x[i];
    for (int k = 0; k < 4; k++) y[i] += h[k] * ring[(i - k + 8) % 8];
  }
}
"""


def test_a_ring_becomes_reads_of_what_went_in(tmp_path: Path) -> None:
    path = tmp_path / "ring.c"
    path.write_text(RING)
    source = read(path)
    found = forwarded(dependences(source))
    assert texts(found) == [
        "y[8*i_d8 + i_m8] = y[8*i_d8 + i_m8] + h[k] * x[8*i_d8 + i_m8 - k]",
        "y[8*i_d8 + i_m8] = y[8*i_d8 + i_m8] + h[k] * 0.0f",
        "y[8*i_d8 + i_m8] = y[8*i_d8 + i_m8] + h[k] * x[8*i_d8 + i_m8 - k]",
    ]
    assert found is not None
    check_same(source, found)


def test_two_samples_shifted_in_for_each_result_are_found_by_their_elements() -> None:
    text = """
    for k in range(4):
        w[k] = z
    for n in range(8):
        for p in range(2):
            for k in range(3):
                w[3 - k] = w[2 - k]
            w[0] = X[2 * n + p]
        for k in range(4):
            Y[n] += w[k] * C[k]
    """
    source = scop(text, w=(4,), X=(16,), Y=(8,), C=(4,))
    found = forwarded(dependences(source))
    assert {*texts(found)} == {"Y[n] = Y[n] + z * C[k]", "Y[n] = Y[n] + X[-k + 2*n + 1] * C[k]"}
    assert found is not None
    check_same(source, found)


def test_what_is_computed_gets_a_place_for_every_iteration() -> None:
    source = register(REGISTER.replace("w[0] = X[n]", "w[0] = X[n] * z"))
    found = forwarded(dependences(source))
    assert texts(found)[0] == "w_1[n] = X[n] * z"
    assert texts(found)[-1] == "Y[n] = Y[n] + w_1[-k + n] * C[k]"
    assert found is not None
    check_same(source, found)


def test_what_is_computed_of_an_earlier_value_of_the_array_has_places_of_its_own() -> None:
    source = register(REGISTER.replace("w[0] = X[n]", "w[0] = w[1] * z"))
    found = forwarded(dependences(source))
    assert found is not None and "w" not in {a.id for a in found.arrays}
    check_same(source, found)


def test_an_element_that_is_overwritten_before_the_read_is_kept_elsewhere() -> None:
    source = register(REGISTER.replace("w[0] = X[n]", "w[0] = X[0]\n    X[0] = Y[n] * z"))
    found = forwarded(dependences(source))
    assert "w_1[n] = X[0]" in texts(found)
    assert found is not None
    check_same(source, found)


def test_a_result_that_is_written_again_is_kept_in_a_local_array() -> None:
    source = register(REGISTER.replace("w[0] = X[n]", "Y[0] = X[n] * z\n    w[0] = Y[0]"))
    found = forwarded(dependences(source))
    assert texts(found)[0] == "Y_1[n] = X[n] * z"
    assert found is not None
    assert found.array(ArrayId("Y_1")).role is Role.LOCAL
    check_same(source, found)


def test_a_table_of_which_two_rows_are_kept_is_whole_again_and_has_wavefronts(tmp_path: Path) -> None:
    path = tmp_path / "table.c"
    path.write_text(ROWS)
    source = read(str(path))
    found = forwarded(dependences(source))
    assert found is not None
    promises.run(found)
    assert [(a.id, a.extents) for a in found.arrays if a.role is Role.LOCAL] == [("now_1", (20, 24))]
    check_same(source, found)
    names = [(k.name, k.rewrites[:1]) for k in load_kernels(Source(str(path)))]
    assert names == [("source", ()), ("expanded", ()), ("wave-i+j", (FORWARD,))]
    # both rows of every iteration's own have wavefronts, too, which are three times as many
    path.write_text(re.sub(r"\b2([045])\b", r"20\1", ROWS))
    names = [(k.name, k.rewrites[:1]) for k in load_kernels(Source(str(path)))]
    assert names == [("source", ()), ("expanded", ()), ("wave-i+j", (FORWARD,))]


#: Rows that take turns, and a local of each of their elements.
TURNS = """
float warp(const float a[24], const float b[24])
{
    float cost[2][25];
    for (int j = 0; j <= 24; j++) cost[0][j] = j == 0 ? 0.0f : 1e30f;
    for (int i = 1; i <= 24; i++) {
        cost[i % 2][0] = 1e30f;
        for (int j = 1; j <= 24; j++) {
            float d = a[i - 1] - b[j - 1];
            cost[i % 2][j] = d * d + cost[(i - 1) % 2][j] + cost[i % 2][j - 1] - cost[(i - 1) % 2][j - 1];
        }
    }
    return cost[0][24];
}
"""


def test_rows_that_take_turns_have_a_place_each_and_wavefronts(tmp_path: Path) -> None:
    path = tmp_path / "warp.c"
    path.write_text(TURNS)
    source = read(str(path))
    found = forwarded(dependences(source))
    assert found is not None
    promises.run(found)
    assert "cost" not in {a.id for a in found.arrays}
    assert computes_the_same(source, found, 3)
    waves = [k for k in load_kernels(Source(str(path))) if k.name.startswith("wave")]
    assert waves and all(FORWARD in k.rewrites for k in waves)


@pytest.mark.parametrize(
    "text",
    [
        REGISTER.replace("for k in range(4):\n    w[k] = z\n", ""),  # the first values are whatever memory holds
        "for k in range(4):\n    w[k] = z\nfor n in range(9):\n    Y[n] = w[1]\n",  # a constant, which is no copy
        "for n in range(9):\n    Y[n] = X[n] * z\n",
        "for k in range(4):\n    w[k] = X[k]\nfor n in range(9):\n    Y[n] = w[1]\n",  # a copy in a place of its own
        REGISTER.replace("w[0] = X[n]", "w[3] += C[0]\n    w[0] = w[3]"),  # of the element that is copied
    ],
)
def test_nothing_is_forwarded(text: str) -> None:
    source = register(text)
    assert forwarded(dependences(source)) is None
    assert rewritten(source, [FORWARD]) is source


def test_a_wrong_answer_about_last_writers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_the_last(reads: list, writes: list, schedules: list) -> tuple:  # type: ignore[type-arg]
        return last_writers(reads, writes[::-1], [*schedules[:-1][::-1], schedules[-1]])[1:]

    assert forwarded(dependences(register())) is not None
    monkeypatch.setattr("sisyphus.analysis.dataflow.last_writers", not_the_last)
    assert forwarded(dependences(register())) is None


#: A row that keeps what lies before it in a variable, which begins with what the first element of each row is.
CORNERS = """
void corners(const int x[6][8], int y[6][9])
{
    int t[7][9];
    for (int j = 0; j < 9; j++)
        t[0][j] = 0;
    for (int i = 0; i < 6; i++) {
        int corner = 0;
        t[i + 1][0] = t[0][0];
        for (int j = 1; j < 9; j++) {
            t[i + 1][j] = corner + x[i][j - 1];
            corner = t[i][j];
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 9; j++)
            y[i][j] = t[i + 1][j];
}
"""


@pytest.mark.parametrize(
    ("old", "new", "joined"),
    [
        ("corner = 0", "corner = 0", True),
        ("corner = 0", "corner = 1", False),  # another value than the element has
        ("corner = 0", "corner = i", False),  # and one of each row
        ("int t[7][9]", "signed char t[7][9]", False),
        ("t[i + 1][0] = t[0][0]", "t[i + 1][0] = x[i][0]", False),
    ],
)
def test_a_constant_is_read_of_an_element_that_is_known_to_have_it(
    *, old: str, new: str, joined: bool, tmp_path: Path
) -> None:
    path = tmp_path / "k.c"
    path.write_text(CORNERS.replace(old, new))
    found = forwarded_elements(dependences(read(path)))
    written_once = found is not None and sum(s.write.array == "t" for s in found.statements) == 3
    assert written_once == joined
    assert found is None or run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("t[0][0] = 3", "t[0][0] = 3", "3"),
        ("t[0][0] = 3", "t[0][0] = x[0][0]", "t[0][0]"),
        ("= t[0][0]", "= t[i - 1][0]", "t[i - 1][0]"),  # one after another
    ],
)
def test_an_element_that_is_copied_inside_of_its_array_may_be_a_constant(
    old: str, new: str, value: str, tmp_path: Path
) -> None:
    text = """void k(int y[7], const int x[7][9]) {
      int t[7][9];
      t[0][0] = 3;
      for (int i = 1; i < 7; i++) t[i][0] = t[0][0];
      for (int i = 0; i < 7; i++) { for (int j = 1; j < 9; j++) t[i][j] = t[i][j - 1] + x[i][j]; y[i] = t[i][8]; } }"""
    path = kernel_at(tmp_path, text.replace(old, new))
    source = read(path)
    found = forwarded_elements(dependences(source)) or source
    [copy] = [s for s in found.statements if s.iterators == ("i",) and s.write.array == "t"]
    assert f"= {value}\n" in dump(replace(found, statements=(copy,)))
    assert run(found, path, tmp_path) == "equal"


@SOME
@given(copiers(), st.sampled_from([forwarded, forwarded_elements]))
def test_random_copies_give_the_same_results(sample: Sample, form: Callable[[Dependences], Scop | None]) -> None:
    source = sample.scop
    found = form(dependences(source))
    if found is not None:
        promises.run(found)
        check_same(source, found)


def test_the_form_is_searched_where_it_shortens_the_longest_chain() -> None:
    kernels = Path(__file__).parents[3] / "kernels" / "hls"
    names = [(k.name, k.rewrites) for k in load_kernels(Source(str(kernels / "fir_int16.c")))]
    assert names == [("source", ()), ("forward", (FORWARD,)), ("expanded", (FORWARD,))]
    assert all(not k.rewrites for k in load_kernels(Source(str(kernels / "kalman.c"))))
