"""What loops pass on in local arrays, in blocks of rows: which are, that results stay, and where it is offered."""

from __future__ import annotations

import random
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import run
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

import sisyphus as sisy
from sisyphus import too_large
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.asked_forms import form_of
from sisyphus.errors import KernelError
from sisyphus.forms import LOCAL_BLOCKS, proposals_inside, rewritten, rows_passed_on, steps_of
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.plan import build_plan
from sisyphus.request import Source
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

#: Two layers: what the first one makes of a row the second one uses for the same row.
LAYERS = """
void layers(const float x[T][D], const float w[D][F], const float v[F][D], float y[T][D])
{
    static float h[T][F];
    for (int t = 0; t < T; t++)
        for (int f = 0; f < F; f++) {
            float s = 0.0f;
            for (int d = 0; d < D; d++)
                s += x[t][d] * w[d][f];
            h[t][f] = s > 0.0f ? s : 0.0f;
        }
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) {
            float s = 0.0f;
            for (int f = 0; f < F; f++)
                s += h[t][f] * v[f][d];
            y[t][d] = s;
        }
}
"""


def layers(folder: Path, t: int = 10, d: int = 3, f: int = 4, text: str = LAYERS) -> Path:
    path = folder / "layers.c"
    path.write_text(f"#define T {t}\n#define D {d}\n#define F {f}\n{text}")
    return path


@pytest.mark.parametrize("size", [1, 4, 5, 9])
def test_blocks_compute_the_same(size: int, tmp_path: Path) -> None:
    """Also where the last block has fewer rows; each array has those of one block, and all loops are in its loop."""
    path = layers(tmp_path)
    found = rewritten(read(path), [f"{LOCAL_BLOCKS[0]}{size}"])
    promises.run(found)
    locals_ = [array.extents for array in found.arrays if array.id in ("h", "s", "s_1")]
    assert locals_ == [(size, 4), (size, 4), (size, 3)]
    assert {nest.outer for nest in distribute(found, dependences(found)).nests} == {("t_block",)}
    assert run(found, path, tmp_path) == "equal"


def test_rows_that_do_not_slide_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices it."""
    module = import_module("sisyphus.forms.local_blocks")
    path = written(tmp_path, BLURRED)
    monkeypatch.setattr(module._Blocks, "_slide", lambda *_: iter(()))
    assert run(rewritten(read(path), [f"{LOCAL_BLOCKS[0]}4"]), path, tmp_path) != "equal"


#: What is made of a row is used for rows above and below it, by a loop with an offset of its own.
BLURRED = """
#define H 21
#define W 7
void blurred(const float x[H][W], float y[H][W])
{
    float a[H][W], b[H][W];
    for (int i = 0; i < H; i++)
        for (int j = 1; j < W - 1; j++)
            a[i][j] = x[i][j - 1] + x[i][j + 1];
    for (int i = 1; i < H - 1; i++)
        for (int j = 1; j < W - 1; j++) {
            float s = 0;
            for (int k = -1; k <= 1; k++)
                s += a[i + k][j];
            b[i - 1][j] = s;
        }
    for (int i = 0; i < H - 2; i++)
        for (int j = 1; j < W - 1; j++)
            y[i][j] = b[i][j] * a[i + 1][j];
}
"""
#: Rows are the second dimension, and one loop goes through every other one and makes rows that count for two.
HALVED = """
#define C 3
#define H 22
#define W 6
void halved(const float x[C][H][W], float y[C][H / 4][W])
{
    float a[C][H][W], b[C][H / 2][W];
    for (int c = 0; c < C; c++)
        for (int i = 0; i < H; i++)
            for (int j = 0; j < W; j++)
                a[c][i][j] = x[c][i][j] * x[(c + 1) % C][i][j];
    for (int c = 0; c < C; c++)
        for (int i = 0; i < H / 2 - 1; i++)
            for (int j = 0; j < W; j++)
                b[c][i][j] = a[c][2 * i][j] + a[C - 1 - c][2 * i + 2][j];
    for (int c = 0; c < C; c++)
        for (int i = 1; i < H / 4; i++)
            for (int j = 0; j < W; j++)
                y[c][i][j] = b[c][2 * i][j] - b[c][2 * i - 1][j];
}
"""
#: A table whose rows follow from the rows before them, with its first row and column, and its last element.
ALIGNED = """
#define N 13
#define M 9
void aligned(const int s[N], const int t[M], int score[1])
{
    int f[N + 1][M + 1];
    for (int i = 0; i <= N; i++) f[i][0] = -i;
    for (int j = 1; j <= M; j++) f[0][j] = -j;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= M; j++) {
            int d = f[i - 1][j - 1] + (s[i - 1] == t[j - 1] ? 1 : -1);
            int u = f[i - 1][j] > f[i][j - 1] ? f[i - 1][j] : f[i][j - 1];
            f[i][j] = d > u - 2 ? d : u - 2;
        }
    score[0] = f[N][M];
}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "k.c"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "dim", "size", "extents"),
    [
        # a: four rows of a block, the two that b is behind a, and one above; b is read one row behind where it is made
        (BLURRED, 0, 4, {"a": (6, 7), "b": (4, 7), "s": (4, 5)}),
        (BLURRED, 0, 1, {"a": (3, 7), "b": (1, 7)}),
        (BLURRED, 1, 2, {"a": (21, 2), "b": (21, 2)}),
        (HALVED, 1, 8, {"a": (3, 10, 6), "b": (3, 5, 6)}),
        (HALVED, 1, 4, {"a": (3, 6, 6), "b": (3, 3, 6)}),
        (HALVED, 2, 3, {"a": (3, 22, 3), "b": (3, 11, 3)}),
        (ALIGNED, 0, 4, {"f": (5, 10), "d": (4, 9)}),
        (ALIGNED, 0, 12, {"f": (13, 10)}),
    ],
)
def test_rows_that_the_next_block_needs_slide(
    text: str, dim: int, size: int, extents: dict[str, tuple[int, ...]], tmp_path: Path
) -> None:
    """Arrays have the rows of a block and those above it, of which a row may count for several; results stay."""
    path = written(tmp_path, text)
    found = rewritten(read(path), [f"{LOCAL_BLOCKS[dim]}{size}"])
    promises.run(found)
    assert {name: found.array(ArrayId(name)).extents for name in extents} == extents
    assert run(found, path, tmp_path) == "equal"


#: What lies between is an argument: it is written by rows, some of it alone, and read by the next loop.
STORED = """
#define H 18
#define W 7
void stored(const float x[H][W], float t[H][W], float u[H][W], float y[H][W])
{
    for (int i = 1; i < H - 2; i++)
        for (int j = 1; j < W; j++)
            t[i][j] = x[i][j - 1] + x[i][j];
    for (int i = 2; i < H - 3; i++)
        for (int j = 1; j < W; j++)
            u[i][j] = t[i - 1][j] + t[i + 1][j];
    for (int i = 2; i < H - 3; i++)
        for (int j = 1; j < W; j++)
            y[i][j] = u[i][j] * t[i][j];
}
"""


@pytest.mark.parametrize(("temporaries", "stored"), [((), {"t", "u"}), (("u",), {"t"}), (("t", "u"), set())])
@pytest.mark.parametrize("size", [1, 4, 7])
def test_arguments_that_are_passed_on_are_stored_by_rows(
    size: int, temporaries: tuple[str, ...], stored: set[str], tmp_path: Path
) -> None:
    """What is written of them alone, and nothing of those whose last values nobody wants."""
    path = written(tmp_path, STORED)
    scop = replace(read(path), temporaries=temporaries)
    found = promises.run(rewritten(scop, [f"{LOCAL_BLOCKS[0]}{size}"]))
    assert {s.write.array for s in found.statements} & {"t", "u"} == stored
    assert not any(ref.array in ("t", "u") for s in found.statements for ref in s.reads)
    assert found.array(ArrayId("t_1")).extents == (size + 2, 7) and found.array(ArrayId("u_1")).extents == (size, 7)
    if not temporaries:
        assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize("size", [1, 3, 4, 5])
def test_last_rows_are_stored_though_some_are_written_further_behind(size: int, tmp_path: Path) -> None:
    """The second loop writes rows of t two iterations after the first one, but none of the last ones."""
    text = STORED.replace(
        "    for (int i = 2; i < H - 3; i++)\n        for (int j = 1; j < W; j++)\n            u[i][j]",
        "    for (int i = 2; i < 9; i++)\n        for (int j = 1; j < W; j++)\n"
        "            t[i][j] += x[i][j] * t[i + 2][j];\n"
        "    for (int i = 2; i < 7; i++)\n        for (int j = 1; j < W; j++)\n            u[i][j]",
    ).replace("for (int i = 2; i < H - 3; i++)", "for (int i = 2; i < 7; i++)")
    path = written(tmp_path, text)
    found = promises.run(rewritten(read(path), [f"{LOCAL_BLOCKS[0]}{size}"]))
    assert "t_1" in {array.id for array in found.arrays}
    assert run(found, path, tmp_path) == "equal"


#: A loop over some rows of an argument, each made of rows of another one.
STAGE = """
    for (int i = {low}; i < {high}; i++)
        for (int j = 0; j < 2; j++)
            {to}[i][j] {op} {origin}[i + ({offset})][j] * 3;
"""
STAGES = st.fixed_dictionaries(
    {
        "low": st.integers(3, 8),
        "high": st.integers(9, 15),
        "to": st.sampled_from("tuv"),
        "op": st.sampled_from(["=", "+="]),
        "origin": st.sampled_from("xtuv"),
        "offset": st.integers(-3, 3),
    }
)


@settings(max_examples=30, deadline=None)
@given(stages=st.lists(STAGES, min_size=2, max_size=4), size=st.integers(1, 7), wanted=st.booleans())
def test_any_stages_over_arguments_compute_the_same(
    stages: list[dict[str, object]], size: int, wanted: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever rows they write, once or again, and whichever they read, of those that were written."""
    lines = "".join(STAGE.format(**stage) for stage in stages)
    first = "".join(
        f"\n    for (int i = 0; i < 18; i++) for (int j = 0; j < 2; j++) {a}[i][j] = x[i][j];" for a in "tuv"
    )
    arrays = ", ".join(f"int {a}[18][2]" for a in "tuv")
    path = written(
        tmp_path_factory.mktemp("stages"),
        f"void stages(const int x[18][2], {arrays}, int y[18][2])\n{{{first}{lines}"
        "    for (int i = 0; i < 18; i++) for (int j = 0; j < 2; j++) y[i][j] = t[i][j] + u[i][j] + v[i][j];\n}\n",
    )
    source = read(path) if wanted else replace(read(path), temporaries=("t", "u", "v"))
    try:
        found = promises.run(rewritten(source, [f"{LOCAL_BLOCKS[0]}{size}"]))
    except KernelError:
        return  # some need rows that others have not made yet, however far behind
    memory = some_memory(found)
    other = differences(source, run_source(source, memory), run_source(found, memory))
    assert {text.partition("[")[0] for text in other} <= {*source.temporaries}


def test_rows_that_are_stored_too_early_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("sisyphus.forms.passing")
    done = module.Passing.done
    monkeypatch.setattr(module.Passing, "done", lambda self, array: done(self, array) - 1)
    path = written(tmp_path, STORED)
    assert run(rewritten(read(path), [f"{LOCAL_BLOCKS[0]}4"]), path, tmp_path) != "equal"


def test_columns_of_arguments_are_not_passed_on(tmp_path: Path) -> None:
    """They would be stored in short bursts, unless nobody wants them."""
    found = dependences(read(written(tmp_path, STORED)))
    assert rows_passed_on(found, 1) is None
    unwanted = replace(found, scop=replace(found.scop, temporaries=("t", "u")))
    assert rows_passed_on(unwanted, 1) is not None


@settings(max_examples=15, deadline=None)
@given(size=st.integers(1, 20), seed=st.integers(0, 99), wanted=st.booleans())
def test_points_of_stored_rows_compute_the_same(
    size: int, seed: int, wanted: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = read(written(tmp_path_factory.mktemp("stored"), STORED.replace("H 18", "H 9").replace("W 7", "W 4")))
    source = source if wanted else replace(source, temporaries=("t", "u"))
    found = rewritten(source, [f"{LOCAL_BLOCKS[0]}{min(size, 4)}"])
    live = liveness(found, source.temporaries)
    distribution = distribute(found, dependences(found))
    memory = some_memory(source)
    results = run_source(source, memory)
    plan = build_plan(found, distribution, live, random_point(random.Random(seed), found, distribution))
    other = differences(source, results, run_plan(plan, memory))
    assert {text.partition("[")[0] for text in other} <= {*source.temporaries}


def test_blocks_are_whole_steps_of_all_loops(tmp_path: Path) -> None:
    """No loop goes through every fourth row in blocks of six."""
    with pytest.raises(KernelError):
        rewritten(read(written(tmp_path, HALVED)), [f"{LOCAL_BLOCKS[1]}6"])


@settings(max_examples=15, deadline=None)
@given(offsets=st.lists(st.integers(-3, 3), min_size=3, max_size=3), step=st.integers(1, 3), size=st.integers(1, 4))
def test_any_reach_computes_the_same(
    offsets: list[int], step: int, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Rows above and below, by loops that take several rows at a time."""
    near, far, other = offsets
    text = f"""
#define N 40
void reach(const float x[N], float y[N])
{{
    float a[N], b[N];
    for (int i = 0; i < N; i++) a[i] = x[i];
    for (int i = 3; i < N - 3; i++) b[i] = a[i + ({near})] + a[i + ({far})];
    for (int i = 2; {step} * i < N - 6; i++) y[i] = b[{step} * i + 1] + a[{step} * i + 1 + ({other})];
}}
"""
    folder = tmp_path_factory.mktemp("reach")
    path = written(folder, text)
    found = rewritten(read(path), [f"{LOCAL_BLOCKS[0]}{size * step}"])
    assert run(found, path, folder) == "equal"


@pytest.mark.long
def test_inside_of_blocks_tables_go_along_their_diagonals(tmp_path: Path) -> None:
    """The order of the source would compute one element after another."""
    path = written(tmp_path, ALIGNED.replace("N 13", "N 130").replace("M 9", "M 90"))
    kernels = load_kernels(Source(str(path)))
    together = next(kernel for kernel in kernels if kernel.name == "inlined")
    found = dependences(rewritten(together.scop, [f"{LOCAL_BLOCKS[0]}64"]))
    [order] = proposals_inside(found, found.scop.statements[-2].position[0])
    assert order.name == "wave-i+j" and 20 * order.steps < steps_of(distribute(found.scop, found).body)
    assert run(order.scop, path, tmp_path) == "equal"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s += h[t][f] * v[f][d];", "s += h[T - 1 - t][f] * v[f][d];"),  # in the other direction
        ("static float h[T][F];", "static float h[T + 1][F];"),  # (all rows are made and used by two loops still)
    ],
)
def test_which_arrays_pass_rows(old: str, new: str, tmp_path: Path) -> None:
    path = layers(tmp_path, t=4, text=LAYERS.replace(old, new))
    passing = rows_passed_on(dependences(read(path)), 0)
    assert (passing is not None and "h" in {array.id for array in passing.arrays}) == ("T + 1" in new)


def test_planes_that_no_loop_goes_through_are_no_rows(tmp_path: Path) -> None:
    """Nor an internal error: the planes of all directions are in one array, each in a statement of its own."""
    text = """
    void planes(float y[D][F]) {
        static float h[2][F];
        for (int f = 0; f < F; f++) { h[0][f] = y[0][f]; h[1][f] = y[1][f]; }
        for (int f = 0; f < F; f++) y[2][f] = h[0][f] + h[1][f];
    }
    """
    found = dependences(read(layers(tmp_path, text=text)))
    assert rows_passed_on(found, 0) is None


def test_loops_that_need_all_rows_before_stay(tmp_path: Path) -> None:
    """A sum over all rows that later ones are scaled by: blocks are of the first loop, all would use it too early."""
    text = LAYERS.replace(
        "    for (int t = 0; t < T; t++)\n        for (int d",
        "    SUM\n    for (int t = 0; t < T; t++)\n        for (int d",
    )
    text = text.replace("SUM", "float a = 0.0f;\n    for (int t = 0; t < T; t++) a += h[t][0];", 1).replace(
        "= s;\n        }\n}", "= s * a;\n        }\n}"
    )
    found = rewritten(read(layers(tmp_path, text=text)), [f"{LOCAL_BLOCKS[0]}4"])
    assert found.array(ArrayId("h")).extents == (10, 4) and found.array(ArrayId("s")).extents == (4, 4)


@settings(max_examples=10, deadline=None)
@given(size=st.integers(1, 5), seed=st.integers(0, 99))
def test_points_compute_what_the_source_computes(
    size: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = rewritten(read(layers(tmp_path_factory.mktemp("layers"), 6, 2, 3)), [f"{LOCAL_BLOCKS[0]}{size}"])
    distribution, live = distribute(found, dependences(found)), liveness(found)
    memory = some_memory(found)
    wanted = run_source(found, memory)
    plan = build_plan(found, distribution, live, random_point(random.Random(seed), found, distribution))
    assert differences(found, wanted, run_plan(plan, memory)) == []


def test_it_is_offered_where_what_is_passed_on_leaves_no_room(tmp_path: Path) -> None:
    target = make_target(load_device("u200"))
    small, large = (load_kernels(Source(str(layers(tmp_path, t, 64, 4096)))) for t in (256, 2048))
    offered = [
        [k for k in for_large_arrays(forms, target)[0] if k.name == LOCAL_BLOCKS[0].strip()] for forms in (small, large)
    ]
    assert not offered[0]
    [kernel] = offered[1]
    again = form_of(large, DesignPoint(kernel.scop.name, (), (), rewrites=kernel.rewrites))
    assert again is not None and [a.extents for a in again.scop.arrays] == [a.extents for a in kernel.scop.arrays]


@pytest.mark.long
def test_layers_whose_rows_do_not_fit_have_a_design(tmp_path: Path) -> None:
    """Without blocks there is none: the rows of the first layer are larger than all memory of the device."""
    path = layers(tmp_path, 2048, 64, 4096)
    design = sisy.optimize(path, effort=0.5, cache=False, fix=["adders=dsp", "*.ports=1"])
    assert LOCAL_BLOCKS[0].strip() in design.point.rewrites[-1]
    assert design.verdict is not None and design.verdict.passed


@pytest.mark.parametrize(
    ("count", "most", "rows"),
    [(4096, 100, 64), (2160, 390, 240), (2158, 100, 96), (30, 12, 8), (20, 3, 2), (9, 1, None)],
)
def test_blocks_are_whole_where_these_are_not_far_smaller(count: int, most: int, rows: int | None) -> None:
    """So that loops in them have no ends of their own: 2,158 rows come in 23 blocks, of which the last has fewer."""
    assert too_large._rows_of_blocks(count, most) == rows
