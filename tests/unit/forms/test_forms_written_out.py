"""Short loops written out: which are, that results stay, and what is left as it is."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import kernel_at, run

from sisyphus.analysis import dependences
from sisyphus.asked_forms import form_of
from sisyphus.forms import (
    INLINED,
    TURNS,
    cases_apart,
    rewritten,
    steps_of,
    sums_written_out,
    turns_apart,
    written_out,
)
from sisyphus.frontend import read
from sisyphus.ir import Role, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Kernel, Source
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

KERNELS = Path(__file__).parents[3] / "kernels"


def kernel(folder: Path, body: str) -> Path:
    path = folder / "kernel.c"
    path.write_text(f"void kernel(const int x[32], int y[32], int z[4][2], const int c[4])\n{{\n{body}}}\n")
    return path


SHORT = {
    "a cascade": """
    for (int n = 0; n < 32; n++) {
        int v = x[n];
        for (int s = 0; s < 4; s++) {
            int w = v * c[s] + z[s][0];
            z[s][0] = v - w * 3;
            v = w;
        }
        y[n] = v;
    }
""",
    "bits of a remainder": """
    unsigned crc = 1;
    for (int n = 0; n < 32; n++) {
        crc ^= (unsigned)x[n];
        for (int b = 0; b < 8; b++)
            crc = crc & 1 ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
    y[0] = (int)crc;
""",
    "loops of which one bounds the other": """
    for (int n = 0; n < 32; n++) {
        for (int s = 0; s < 4; s++)
            for (int t = 0; t <= s && t < 2; t++)
                z[s][t] = z[s][t] * c[t] + x[n] * (s + t);
        y[n] = z[3][1] + z[2][0];
        z[0][0] = y[n];
    }
""",
}


@pytest.mark.parametrize("body", SHORT.values(), ids=[*SHORT])
def test_results_stay_and_a_loop_is_left(body: str, tmp_path: Path) -> None:
    path = kernel(tmp_path, body)
    found = written_out(dependences(read(path)))
    assert found is not None
    promises.run(found)
    assert all(len(s.iterators) <= 1 for s in found.statements)
    assert run(found, path, tmp_path) == "equal"


LEFT = {
    "nothing is sequential": "for (int n = 0; n < 32; n++) for (int s = 0; s < 4; s++) z[s][0] = x[s];",
    "no loop inside": "int v = 0; for (int n = 0; n < 32; n++) { v = v * 3 + x[n]; y[n] = v; }",
    "too many": """
    int v = 0;
    for (int n = 0; n < 32; n++) {
        for (int s = 0; s < 5; s++)
            for (int r = 0; r < 7; r++)
                v = v * 3 + x[s + r];
        y[n] = v;
    }
""",
    "as many as around": """
    int v = 0;
    for (int n = 0; n < 4; n++) {
        for (int s = 0; s < 4; s++)
            v = v * 3 + x[s];
        y[n] = v;
    }
""",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=[*LEFT])
def test_what_stays_as_it_is(body: str, tmp_path: Path) -> None:
    assert written_out(dependences(read(kernel(tmp_path, body)))) is None


def test_instances_out_of_order_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices statements that follow each other by their text, not by their iterations."""
    module = import_module("sisyphus.forms.written_out")
    copies = module._copies
    monkeypatch.setattr(module, "_copies", lambda old, depth: ((when[::-1], copy) for when, copy in copies(old, depth)))
    path = kernel(tmp_path, SHORT["a cascade"])
    found = written_out(dependences(read(path)))
    assert found is not None and run(found, path, tmp_path) != "equal"


def test_a_cascade_of_filters_is_one_pipeline() -> None:
    """A saved form is built again, too."""
    forms = {form.name: form for form in load_kernels(Source(str(KERNELS / "hls" / "iir_biquad.c")))}
    found = forms["written-out"]
    assert len(found.distribution.nests) == 2 and steps_of(found.distribution.body) <= 257
    assert [s.id for s in rewritten(forms["source"].scop, found.rewrites).statements] == [
        s.id for s in found.scop.statements
    ]


def test_values_of_a_variable_in_each_iteration_are_apart(tmp_path: Path) -> None:
    """No section waits for what the variable held in the one before: each has one of its own."""
    body = """
    for (int n = 0; n < 32; n++) {
        int v = x[n];
        for (int s = 0; s < 4; s++) {
            int w = v + z[s][0];
            z[s][0] = 3 * w - v;
            v = w ^ s;
        }
        y[n] = v;
    }
"""
    path = kernel(tmp_path, body)
    found = written_out(dependences(read(path)))
    assert found is not None
    written = [str(s.write.array) for s in found.statements if str(s.write.array).startswith("w")]
    assert len(written) == len({*written}) == 4
    assert run(found, path, tmp_path) == "equal"


def _point_of(kernel: Kernel) -> DesignPoint:
    """What a saved design says of its form."""
    return DesignPoint(kernel.scop.name, (), (), expanded=kernel.expanded, rewrites=kernel.rewrites)


#: Costs of labels along lines, a step of all lines at a time, each label from all of the step before.
LABELS = """
static float least(float a, float b) { return a < b ? a : b; }
void labels(const float data[24][20][4], float cost[24][20][4])
{
    for (int y = 1; y < 24; y++)
        for (int x = 0; x < 20; x++) {
            float m = cost[y - 1][x][0];
            for (int l = 1; l < 4; l++)
                m = least(m, cost[y - 1][x][l]);
            for (int l = 0; l < 4; l++) {
                float v = least(cost[y - 1][x][l], m + 3.0f);
                if (l > 0)
                    v = least(v, cost[y - 1][x][l - 1] + 1.0f);
                cost[y][x][l] = data[y][x][l] + v - m;
            }
        }
}
"""


@pytest.mark.long
def test_labels_of_a_step_are_one_nest_that_computes_the_same(tmp_path: Path) -> None:
    """Written out, the four labels of all lines are one body; the minimum has a place of its own in each line."""
    path = tmp_path / "labels.c"
    path.write_text(LABELS)
    forms = load_kernels(Source(str(path)))
    [found] = [form for form in forms if form.name == "written-out-successive"]
    [nest] = found.distribution.nests
    assert nest.outer == ("y",) and [loop.kind.value for loop in nest.band] == ["parallel"]
    assert 4 * steps_of(found.distribution.body) <= min(steps_of(f.distribution.body) for f in forms if f is not found)
    assert run(found.scop, path, tmp_path) == "equal"
    again = form_of(forms[:1], _point_of(found))
    assert again is not None and again.distribution.nests[0].statements == nest.statements


@pytest.mark.long
def test_values_of_a_batch_have_places_of_their_own(tmp_path: Path) -> None:
    """Eight steps of a polynomial division are one body, whose messages then run beside each other."""
    path = tmp_path / "crc.c"
    path.write_text("""
void crc(const unsigned char text[16][12], unsigned out[16])
{
    for (int b = 0; b < 16; b++) {
        unsigned c = 0xffffffffu;
        for (int i = 0; i < 12; i++) {
            c ^= text[b][i];
            for (int k = 0; k < 8; k++)
                c = (c & 1) ? (c >> 1) ^ 0xedb88320u : c >> 1;
        }
        out[b] = ~c;
    }
}
""")
    [found] = [form for form in load_kernels(Source(str(path))) if form.name == "written-out-private"]
    assert steps_of(found.distribution.body) == 14
    assert run(found.scop, path, tmp_path) == "equal"
    again = form_of([form for form in load_kernels(Source(str(path))) if form.name == "source"], _point_of(found))
    assert again is not None and again.scop.arrays == found.scop.arrays


COLOURED = {
    "by a condition": "if ((i + j + c) % 2 == 0)",
    "by a bit": "if (((i + j) & 1) == c)",
    "in the header of a loop": None,
}


def coloured(folder: Path, condition: str | None) -> Path:
    """Steps over the points of one colour, then the other, of an array of 9 x 10."""
    first, then = ("1 + (i + c) % 2; j < 9; j += 2", "") if condition is None else ("1; j < 9; j++", condition)
    path = folder / "kernel.c"
    path.write_text(f"""void kernel(int u[9][10], const int f[9][10]) {{
    for (int t = 0; t < 3; t++)
        for (int c = 0; c < 2; c++)
            for (int i = 1; i < 8; i++)
                for (int j = {first}) {{
                    {then} u[i][j] = u[i - 1][j] + 3 * u[i + 1][j] - u[i][j - 1] + u[i][j + 1] - f[i][j];
                }}
}}
""")
    return path


@pytest.mark.parametrize("condition", COLOURED.values(), ids=[*COLOURED])
def test_points_of_one_colour_are_nests_without_conditions(condition: str | None, tmp_path: Path) -> None:
    path = coloured(tmp_path, condition)
    found = cases_apart(dependences(read(path)))
    assert found is not None
    promises.run(found)
    assert all(statement.domain.is_box() for statement in found.statements)
    assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 4; i++) for (int j = 0; j <= i; j++) y[4 * i + j] = x[j];",
        "for (int i = 0; i < 30; i++) if (i % 2 == 0) y[i] = x[i];",
        "for (int i = 0; i < 30; i++) for (int j = 0; j < 2; j++) y[i] += x[j];",
    ],
    ids=["a small triangle", "every other point", "a box"],
)
def test_loops_that_settle_nothing_stay(body: str, tmp_path: Path) -> None:
    assert cases_apart(dependences(read(kernel(tmp_path, body)))) is None


def test_a_red_black_kernel_has_its_cases_and_is_built_again() -> None:
    forms = {form.name: form for form in load_kernels(Source(str(KERNELS / "board" / "redblack.c")))}
    found = forms["cases"]
    assert len(forms["source"].scop.statements) < len(found.scop.statements) == 4
    assert str(rewritten(forms["source"].scop, found.rewrites)) == str(found.scop)


SUMS = {
    "a window": """
    for (int n = 0; n < 30; n++) {
        int s = 0;
        for (int i = 0; i < 3; i++)
            s += x[n + i] * c[i];
        y[n] = s;
    }
""",
    "two loops of which one bounds the other, and a product": """
    for (int n = 0; n < 4; n++) {
        int s = 1, p = 1;
        for (int i = 0; i < 2; i++) {
            p *= x[n + i];
            for (int j = i; j < 3; j++)
                s = s * 3 + x[n + i + j];
        }
        z[n][0] = s;
        z[n][1] = p;
    }
""",
    "the greatest of a few": """
    for (int n = 0; n < 8; n++) {
        int m = x[4 * n];
        for (int i = 1; i < 4; i++)
            m = x[4 * n + i] > m ? x[4 * n + i] : m;
        y[n] = m;
    }
""",
}


@pytest.mark.parametrize("body", SUMS.values(), ids=[*SUMS])
def test_sums_of_few_values_have_no_loop_of_their_own(body: str, tmp_path: Path) -> None:
    """And no variable in the end."""
    path = kernel(tmp_path, body)
    found = sums_written_out(dependences(read(path)))
    assert found is not None and {len(s.iterators) for s in found.statements} == {1}
    assert run(promises.run(found), path, tmp_path) == "equal"
    whole = rewritten(found, [INLINED])
    assert not [a for a in whole.arrays if a.role is Role.LOCAL] and run(whole, path, tmp_path) == "equal"


def test_sums_behind_each_other_and_inside_of_each_other_are_written_out(tmp_path: Path) -> None:
    path = kernel(
        tmp_path,
        """
    for (int n = 0; n < 4; n++) {
        int s = 0, p = 1;
        for (int i = 0; i < 3; i++) {
            int t = 0;
            for (int j = 0; j < 2; j++)
                t += x[n + i + j] * c[j];
            s = s * 5 + t;
        }
        for (int i = 0; i < 4; i++)
            p = p * x[n + i] + s;
        z[n][0] = p;
        z[n][1] = s;
    }
""",
    )
    found = sums_written_out(dependences(read(path)))
    assert found is not None and {len(s.iterators) for s in found.statements} == {1}
    assert run(promises.run(found), path, tmp_path) == "equal"


@pytest.mark.parametrize(
    "body",
    [
        "for (int n = 0; n < 4; n++) { z[n][0] = 0; for (int i = 0; i < 2; i++) z[n][0] += x[i]; }",  # an element
        "for (int n = 0; n < 4; n++) { int s = 0; for (int i = 0; i < 11; i++) for (int j = 0; j < 3; j++)"
        " s += x[i + j]; y[n] = s; }",
        "int s = 0; for (int n = 0; n < 32; n++) { for (int i = 0; i < 2; i++) s += x[n]; y[n] = s; }",
    ],
    ids=["no variable", "too many", "it stays for all iterations"],
)
def test_sums_that_keep_their_loops(body: str, tmp_path: Path) -> None:
    assert sums_written_out(dependences(read(kernel(tmp_path, body)))) is None


#: Steps over planes that take turns: two and a rest of one step, three of which the first two are given, and pointers.
PLANES = {
    "two": """
void heat(float a[2][20][12]) {
  for (int t = 0; t < 9; t++)
    for (int i = 1; i < 19; i++)
      for (int j = 1; j < 11; j++)
        a[(t + 1) % 2][i][j] = a[t % 2][i][j] + 0.5f * (a[t % 2][i - 1][j] - a[t % 2][i][j + 1]);
}
""",
    "three": """
void wave(float u[3][20][12]) {
  for (int t = 2; t < 9; t++)
    for (int i = 1; i < 19; i++)
      for (int j = 1; j < 11; j++)
        u[t % 3][i][j] = 2.0f * u[(t - 1) % 3][i + 1][j] - u[(t - 2) % 3][i][j] + u[(t - 1) % 3][i][j - 1];
}
""",
    "pointers": """
void swap(float a[20][12], float b[20][12]) {
  float (*from)[12] = a, (*to)[12] = b;
  for (int t = 0; t < 6; t++) {
    for (int i = 1; i < 19; i++)
      for (int j = 1; j < 11; j++)
        to[i][j] = from[i - 1][j] + from[i][j + 1];
    float (*other)[12] = from;
    from = to;
    to = other;
  }
}
""",
}


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("size", ["", "strips 2x5", "strips 3x8"])
def test_planes_that_take_turns_have_steps_in_strips(name: str, size: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, PLANES[name])
    source = read(path)
    found = rewritten(source, [TURNS, size] if size else [TURNS])
    promises.run(found)
    assert run(found, path, tmp_path) == "equal"
    windows = [a.extents for a in found.arrays if a.role is Role.LOCAL]
    assert all(len(extents) == 2 for extents in windows) and len(windows) == (3 if name == "three" else 2) * bool(size)


def test_turns_that_have_several_iterations_stay(tmp_path: Path) -> None:
    text = "void k(float y[3][8]) { for (int t = 0; t < 3; t++) for (int i = 0; i < 8; i++) y[t][i] += 1.0f; }"
    assert turns_apart(dependences(read(kernel_at(tmp_path, text)))) is None


@pytest.mark.parametrize("name", PLANES)
def test_large_planes_that_take_turns_are_searched_in_strips(name: str, tmp_path: Path) -> None:
    sizes = {"20": "2048", "19": "2047", "12": "2048", "11": "2047"}
    path = kernel_at(tmp_path, re.sub("|".join(sizes), lambda found: sizes[found[0]], PLANES[name]))
    found, _ = for_large_arrays(load_kernels(Source(str(path))), make_target(load_device("u200")))
    assert found and all("strips" in kernel.name and TURNS in kernel.rewrites for kernel in found)
