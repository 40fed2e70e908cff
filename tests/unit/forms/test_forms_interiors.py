"""Loops cut where windows are whole: where, that results stay, what is left as it is, and that it is searched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from compiled_scops import run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import form_to_keep

from sisyphus.analysis import dependences
from sisyphus.forms import INTERIORS, SUMS_WRITTEN_OUT, interiors_apart, rewritten
from sisyphus.frontend import read
from sisyphus.ir import promises
from sisyphus.poly import dim_range

#: Taps at a distance of a place, and what a place beyond either end stands for.
MIRRORED = "if (c < 0) c = -c; if (c >= {n}) c = 2 * {n} - 2 - c;"
CLAMPED = "if (c < 0) c = 0; if (c >= {n}) c = {n} - 1;"


def filtered(folder: Path, n: int = 40, low: int = -2, high: int = 2, borders: str = MIRRORED) -> Path:
    path = folder / "filter.c"
    path.write_text(f"""
void filter(const int x[{n}], const int w[{high - low + 1}], int y[{n}])
{{
    for (int j = 0; j < {n}; j++) {{
        int s = 1;
        for (int d = {low}; d <= {high}; d++) {{
            int c = j + d;
            {borders.format(n=n)}
            s += w[d - ({low})] * x[c];
        }}
        y[j] = s;
    }}
}}
""")
    return path


def test_the_picture_is_a_loop_and_each_place_of_a_border_a_statement(tmp_path: Path) -> None:
    path = filtered(tmp_path)
    found = rewritten(read(path), [INTERIORS, SUMS_WRITTEN_OUT, "inlined"])
    lengths = sorted(len(s.iterators) for s in found.statements)
    assert lengths == [0, 0, 0, 0, 1]
    [inside] = [s for s in found.statements if s.iterators]
    assert dim_range(inside.domain, inside.iterators[0]) == (2, 37)
    assert run(promises.run(found), path, tmp_path) == "equal"


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(40, 48),
    low=st.integers(-3, 1),
    taps=st.integers(2, 5),
    borders=st.sampled_from([MIRRORED, CLAMPED, "if (c < 0 || c >= {n}) continue;"]),
)
def test_any_window_computes_the_same(
    n: int, low: int, taps: int, borders: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("windows")
    path = filtered(folder, n, low, low + taps - 1, borders)
    found = interiors_apart(dependences(read(path)))
    assert found is not None
    assert run(promises.run(found), path, folder) == "equal"


def test_a_place_too_few_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["sisyphus.forms.interiors"]
    parts = module._parts
    monkeypatch.setattr(module, "_parts", lambda old, depth, whole: list(parts(old, depth, whole))[:-1])
    path = filtered(tmp_path)
    found = interiors_apart(dependences(read(path)))
    assert found is not None
    with pytest.raises(Exception):  # noqa: B017  what is not written at the end is refused, or another result
        assert run(promises.run(found), path, tmp_path) == "equal"


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = 0; j < 40; j++) for (int d = 0; d <= j; d++) y[j] += w[d] * x[j - d];",  # a triangle
        "for (int j = 0; j < 40; j++) for (int d = 0; d < 5; d++) y[j] += w[d] * x[j];",  # no borders
        "for (int j = 0; j < 40; j++) for (int d = 0; d < 5; d++) if (j + d < 9) y[j] += w[d] * x[j + d];",
        "for (int j = 0; j < 12; j++) for (int d = 0; d < 3; d++) if (j + d < 12) y[j] += w[d] * x[j + d];",
    ],
    ids=["triangle", "box", "mostly cut", "short"],
)
def test_what_is_left_as_it_is(body: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(f"void kernel(const int x[80], const int w[40], int y[40]) {{ {body} }}")
    assert interiors_apart(dependences(read(path))) is None


PICTURE = """
void picture(const unsigned char x[60][80], const int w[5], int y[60][80])
{
    static int t[60][80];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 80; j++) {
            int s = 0;
            for (int q = -2; q <= 2; q++) {
                int c = j + q < 0 ? -j - q : j + q > 79 ? 158 - j - q : j + q;
                s += w[q + 2] * x[i][c];
            }
            t[i][j] = s;
        }
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 80; j++) {
            int s = 0;
            for (int p = -2; p <= 2; p++) {
                int r = i + p < 0 ? -i - p : i + p > 59 ? 118 - i - p : i + p;
                s += w[p + 2] * t[r][j];
            }
            y[i][j] = s;
        }
}
"""


@pytest.mark.long
def test_the_form_of_a_picture_is_offered_and_built_again(tmp_path: Path) -> None:
    """In one statement for most of it in each direction, and one for each row or column of its borders."""
    path = tmp_path / "picture.c"
    path.write_text(PICTURE)
    found = form_to_keep(path, INTERIORS, seed=3)
    assert sorted(len(s.iterators) for s in found.scop.statements) == [*[1] * 8, 2, 2]
