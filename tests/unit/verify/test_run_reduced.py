"""The smaller run of a very large kernel: sizes found in any source, a design of the same kind, a true verdict."""

from __future__ import annotations

import importlib
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from coarse_kernels import plain_point
from hypothesis import given
from hypothesis import strategies as st
from plain_points import pipelined_point
from random_kernels import random_point

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute, liveness, with_views
from sisyphus.backends.hls import project
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.plan import LoopRole, Plan, build_plan, walk
from sisyphus.plan.tree import For, Guard
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.verification import Reduced, Verdict, prove, reduced, verify
from sisyphus.verification.differential_run import VERY_MANY_OPERATIONS, work
from sisyphus.verification.reduced import fit
from sisyphus.verification.sizes import Family

ROOT = Path(__file__).parents[3]
LOOK_ALIKES = ROOT / "tests" / "frontend_inputs"
SETS = {folder: tomllib.loads((ROOT / "kernels" / folder / "sizes.toml").read_text()) for folder in ("polybench", "nn")}


def at_size(name: str, size: str, folder: str = "polybench") -> Scop:
    defines = [f"{key}={value}" for key, value in SETS[folder][name][size].items()]
    return read(ROOT / "kernels" / folder / f"{name}.c", defines=defines)


def built(scop: Scop, point: DesignPoint) -> Plan:
    return build_plan(scop, distribute(scop, dependences(scop)), liveness(scop), point)


HUGE_GEMM = (
    (("S0",), ("i", "j"), {"i": Tile(40, 1, 50), "j": Tile(1, 575, 4)}, "j"),
    (("S1",), ("k", "i", "j"), {"i": Tile(40, 1, 50), "k": Tile(521, 1, 5), "j": Tile(1, 575, 4)}, "j"),
)


def huge_gemm() -> tuple[Scop, DesignPoint]:
    """gemm at 2000x2300x2602, the last tile of k ragged; C resident, A and B in tiles of k, four elements a beat."""
    sizes = SETS["polybench"]["gemm"]["EXTRALARGE"] | {"NK": 2602}
    scop = read(ROOT / "kernels" / "polybench" / "gemm.c", defines=[f"{k}={v}" for k, v in sizes.items()])
    nests = tuple(
        NestPoint(tuple(map(StmtId, statements)), order, tuple((loop, tiles[loop]) for loop in tiles), pipeline)
        for statements, order, tiles, pipeline in HUGE_GEMM
    )
    buffers = (
        BufferPoint(ArrayId("C"), ("S0", "S1"), "kernel", (50, 4)),
        BufferPoint(ArrayId("A"), ("S1",), "k", (50, 5)),
        BufferPoint(ArrayId("B"), ("S1",), "k", (5, 4)),
    )
    transfers = (TransferPoint("C", 4), TransferPoint("B@S1", 4))
    return scop, DesignPoint(scop.name, nests, buffers, transfers)


def smaller_gemm() -> Reduced:
    found = reduced(*huge_gemm(), params={})
    assert isinstance(found, Reduced), found
    return found


def kinds(plan: Plan) -> list[tuple[str, LoopRole | None, bool]]:
    """Loops and guards of the tasks, outermost first; for loops whether one iteration is left of several."""
    nodes = (node for task in plan.tasks for node in walk(task.body))
    return [
        (node.iterator, node.role, node.trip_count > 1) if isinstance(node, For) else ("guard", None, True)
        for node in nodes
        if isinstance(node, For | Guard)
    ]


def test_tiles_guards_and_beats_stay_and_level_0_shrinks() -> None:
    scop, point = huge_gemm()
    found = smaller_gemm()
    assert found.same_tiles and found.sizes == {"NI": (150, 2000), "NK": (12, 2602), "NJ": (8, 2300)}
    assert str(found) == "NI=150 for 2000, NJ=8 for 2300, NK=12 for 2602; the same tiles, fewer of them"
    whole = built(scop, point)
    assert kinds(found.plan) == kinds(whole) and ("guard", None, True) in kinds(whole)
    assert {t.id: t.width for t in found.plan.transfers} == {t.id: t.width for t in whole.transfers}
    assert 100 * work(found.plan) < VERY_MANY_OPERATIONS < work(whole)


def test_copies_stay(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "#define N 60000\nvoid f(int X[N][7], int Y[N][7]) {\n for (int i = 0; i < N; i++)\n"
        "  for (int j = 0; j < 6; j++) {\n   X[i][j + 1] = 3 * Y[i][j];\n   Y[i][j + 1] = X[i][j];\n  }\n}\n"
    )
    scop = read(tmp_path / "f.c")
    nest = distribute(scop, dependences(scop)).nests[0]
    tiles = {"i": Tile(30000, 2, 1), "j": Tile(6, 1, 1)}
    point = plain_point(scop, nest, tiles, {"i": 4}, "i")
    found = reduced(scop, point, params={})
    assert isinstance(found, Reduced), found
    assert found.same_tiles and work(found.plan) < work(built(scop, point))
    assert kinds(found.plan) == kinds(built(scop, point))
    assert {b.beside for b in found.plan.buffers} == {(("ic", 4),)}


def test_beats_are_cut_with_tiles_that_they_no_longer_fit(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "#define M 2600\nvoid f(float X[M], float A[M][M]) {\n for (int j = 0; j < M; j++)\n"
        "  for (int i = 0; i < M; i++)\n   for (int k = 0; k < M; k++)\n    X[j] += A[i][k];\n}\n"
    )
    scop = read(tmp_path / "f.c")
    nest = distribute(scop, dependences(scop)).nests[0]
    tiles = (("j", Tile(13, 20, 10)), ("i", Tile(1, 1, 2600)), ("k", Tile(1, 1, 2600)))
    tile, whole = (BufferPoint(ArrayId(a), (nest.id,), p, f) for a, p, f in (("X", "j", (1,)), ("A", "kernel", (1, 8))))
    transfers = tuple(TransferPoint(b.id, 8) for b in (tile, whole))
    chosen = NestPoint(nest.statements, ("j", "i", "k"), tiles, "j")
    found = reduced(scop, DesignPoint(scop.name, (chosen,), (tile, whole), transfers), params={})
    assert isinstance(found, Reduced), found
    assert str(found) == "M=96 for 2600; tiles cut to fit"
    assert {b.extents for b in found.plan.buffers} == {(30,), (96, 96)}
    assert {t.width for t in found.plan.transfers} == {2}


def huge_verdict(**options: bool) -> Verdict:
    scop, point = huge_gemm()
    plan = built(scop, point)
    return verify(plan, project(plan), dependences(scop), smaller=lambda: reduced(scop, point, params={}), **options)


def test_a_huge_gemm_is_verified_in_seconds() -> None:
    verdict = huge_verdict()
    assert verdict.passed, verdict.failures
    details = {c.name: c.detail for c in verdict.checks}
    assert "full size, run at NI=150 for 2000" in details["size of the run"]
    assert {"compile", "smaller compile", "smaller proof", "run random", "run large"} <= set(details)
    assert "1200 elements agree bit for bit" in details["run random"]
    assert verdict.worst_error == 0 and verdict.seed == 0 and verdict.compiler


def test_a_wrong_printer_is_seen_in_the_smaller_run(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("sisyphus.verification.reduced")
    genuine = module.project

    def wrong(plan: Plan, **options: object) -> object:
        good = genuine(plan, **options)
        kernel = good.files["kernel.cpp"]
        assert " * beta" in kernel
        return replace(good, files={**good.files, "kernel.cpp": kernel.replace(" * beta", " + beta", 1)})

    monkeypatch.setattr(module, "project", wrong)
    assert [c.name for c in huge_verdict().failures][:1] == ["run random"]


def test_a_wrong_smaller_plan_is_seen_in_its_proof() -> None:
    scop, point = huge_gemm()
    plan, good = built(scop, point), smaller_gemm()
    wrong = replace(good, plan=replace(good.plan, body=good.plan.body[:-1]))
    verdict = verify(plan, project(plan), dependences(scop), smaller=lambda: wrong)
    assert [c.name for c in verdict.failures] == ["smaller data of C"]


LITERALS = """
void scale(float A[40000][40000]) {
  for (int i = 0; i < 40000; i++)
    for (int j = 0; j < 40000; j++) A[i][j] = A[i][j] * 2.0f;
}
"""


def test_without_named_sizes_nothing_is_run_and_the_verdict_says_so(tmp_path: Path) -> None:
    (tmp_path / "scale.c").write_text(LITERALS)
    scop = read(tmp_path / "scale.c")
    found = dependences(scop)
    point = pipelined_point(scop, distribute(scop, found))
    plan = built(scop, point)
    verdict = verify(plan, project(plan), found, smaller=lambda: reduced(scop, point, params={}))
    assert verdict.passed and verdict.worst_error is None
    (told,) = [c.detail for c in verdict.checks if c.name == "size of the run"]
    assert told.startswith("NOTHING WAS RUN") and "has a name" in told
    assert not any(c.name.startswith("run") for c in verdict.checks)
    assert "compile" in [c.name for c in verdict.checks]


KERNEL = "void scale(int n, float A[N][M]) {{ for (int i = 0; i < n; i++) for (int j = 0; j < M; j++) A[i][j] *= 2; }}"
NAMED = {
    "macro": ("#define N 3000\n#define M (4000u)  /* columns */\n", (), {"n": 3000}, {"N", "M", "n"}),
    "guarded macro": ("#ifndef N\n#define N 3000\n#endif\n#define M 70\n", ("N=5000",), {"n": 200}, {"M", "n"}),
    "command line": ("", ("N=5000", "M=600"), {"n": 3000}, {"M", "n"}),
    "constants": ("static const int N = 3000, M = 99;\nenum { O, P = 7 };\n", (), {"n": 3000}, {"M", "n"}),
    "enumerators": ("enum size { N = 3000, M = 500 };\n", (), {"n": 3000}, {"M", "n"}),
    "data set": ("#ifdef LARGE\n#define M 800\n#else\n#define M 80\n#endif\n#define N 99\n", (), {"n": 99}, {"M", "n"}),
    "other data set": (
        "#ifdef LARGE\n#define M 800\n#else\n#define M 80\n#endif\n#define N 99\n",
        ("LARGE",),
        {"n": 99},
        {"M", "n"},
    ),
    "not a size": ("#define SCALE 1000\n#define N 9\n#define M 10\n", (), {"n": 9}, set()),
}


@pytest.mark.parametrize("how", NAMED)
def test_sizes_are_found_however_they_are_named(how: str, tmp_path: Path) -> None:
    head, defines, params, wanted = NAMED[how]
    (tmp_path / "sizes.h").write_text(head)
    (tmp_path / "scale.c").write_text('#include "sizes.h"\n' + KERNEL.format())
    scop = read(tmp_path / "scale.c", defines=defines, params=params)
    family = Family.of(scop, params)
    sizes = {s.name: s for s in family.sizes()}
    assert set(sizes) - {"N"} == wanted - {"N"}
    for name, size in sizes.items():
        small = family.at({name: size.value - 7})
        assert small.arrays[0].extents[1] == scop.arrays[0].extents[1] - 7 * (name == "M")


def test_a_parameter_that_callers_fix_is_no_size_of_its_own(tmp_path: Path) -> None:
    text = "#define N 3000\n#define M 400\n" + KERNEL.format() + "\nfloat A[N][M];\nint main(void) { scale(N, A); }"
    (tmp_path / "scale.c").write_text(text)
    scop = read(tmp_path / "scale.c", function="scale")
    told = {a.name: a.value for a in scop.arguments if a.value is not None}
    assert told == {"n": 3000}
    family = Family.of(scop, told)
    assert {s.name for s in family.sizes()} == {"N", "M"} and family.params == {}


def test_polybench_headers() -> None:
    folder = LOOK_ALIKES / "gemm"
    dirs = [str(LOOK_ALIKES / "utilities"), str(folder)]
    scop = read(folder / "gemm.c", defines=["EXTRALARGE_DATASET"], include_dirs=dirs)
    found = reduced(scop, pipelined_point(scop, distribute(scop, dependences(scop))), params={})
    assert isinstance(found, Reduced) and set(found.sizes) == {"NI", "NJ", "NK"}, found
    assert prove(found.plan, found.dependences, found.live).passed


LARGE = [(f, n) for f, size in (("polybench", "EXTRALARGE"), ("nn", "FULL")) for n in SETS[f]]


@pytest.mark.parametrize(("folder", "name"), LARGE[::5], ids=lambda v: str(v))
def test_any_point_of_any_kernel_has_a_smaller_one(folder: str, name: str) -> None:
    scop = at_size(name, "EXTRALARGE" if folder == "polybench" else "FULL", folder)
    point = random_point(random.Random(name), scop, distribute(scop, dependences(scop)))
    found = reduced(scop, point, params={})
    assert isinstance(found, Reduced), found
    assert work(found.plan) <= VERY_MANY_OPERATIONS
    assert prove(found.plan, found.dependences, found.live).failures == ()


counts = st.integers(1, 40)


@given(counts, counts, counts, st.integers(0, 10**6), st.integers(1, 3000))
def test_a_fitted_tile_covers_and_grows_no_level(level0: int, level1: int, level2: int, cut: int, trip: int) -> None:
    tile = Tile(level0, level1, level2)
    full = max(1, tile.level0 * tile.size - cut % tile.size)
    fitted = fit(tile, min(trip, full))
    assert (fitted.level0 - 1) * fitted.size < min(trip, full) <= fitted.level0 * fitted.size
    assert fitted.level2 <= max(tile.level2, 1) or tile.size == tile.level2
    assert fit(tile, full) == tile or tile.level0 == 1
    if tile.level0 == 1:
        assert fitted.level0 == 1


def test_views_keep_the_beats_of_their_array() -> None:
    """Rows of 5600 elements move 16 at a time, so that a smaller size is a multiple of 16."""
    scop = at_size("floyd-warshall", "EXTRALARGE")
    viewed = with_views(scop, distribute(scop, dependences(scop)))
    assert viewed is not None
    tiles = (("k", Tile(5600, 1, 1)), ("i", Tile(5600, 1, 1)), ("j", Tile(1, 5600, 1)))
    nest = NestPoint((StmtId("S0"),), ("k", "i", "j"), tiles, "j")
    buffers = tuple(BufferPoint(view.name, ("S0",), "i", (1, 8)) for view in viewed.views)
    transfers = tuple(TransferPoint(b.id, 16) for b in buffers)
    point = DesignPoint(scop.name, (nest,), buffers, transfers, viewed=viewed.arrays)
    found = reduced(viewed.scop, point, params={})
    assert isinstance(found, Reduced), found
    [(name, (small, full))] = found.sizes.items()
    assert (name, full) == ("N", 5600) and small % 16 == 0 and small < 200
    assert [b.array for b in found.plan.buffers] == ["path_1", "path_2"]
    assert prove(found.plan, found.dependences, found.live).passed


def test_a_size_at_which_rows_are_joined_is_none(tmp_path: Path) -> None:
    """Rows of 56 numbers stay apart, and those of 8 are joined: an array with other dimensions is another kernel."""
    path = tmp_path / "k.c"
    path.write_text(
        "#define N 400\n#define W 56\n"
        "void k(const float a[N][W], float b[N][W]) {\n"
        "  for (int i = 0; i < N; i++) for (int j = 0; j < W; j++) b[i][j] = 2.0f * a[i][j];\n}\n"
    )
    sizes = Family.of(read(path), {}, ("long-rows",)).sizes()
    assert [size.name for size in sizes] == ["N"]


@pytest.mark.long
def test_blocks_that_are_larger_than_the_least_size_are_run_at_more(tmp_path: Path) -> None:
    """In 24 rows there are no blocks of 176 rows, in 16 times as many there are."""
    path = tmp_path / "k.c"
    path.write_text(
        "#define T 4096\n#define F 4096\n"
        "void k(const float x[T][F], float y[T]) {\n  static float h[T][F];\n"
        "  for (int t = 0; t < T; t++) for (int f = 0; f < F; f++) h[t][f] = x[t][f] * x[t][f];\n"
        "  for (int t = 0; t < T; t++) { y[t] = 0; for (int f = 0; f < F; f++) y[t] += h[t][f]; }\n}\n"
    )
    design = sisy.optimize(path, effort=0.5, cache=False, fix=["adders=dsp", "*.ports=1"])
    assert design.point.rewrites[-1].startswith("local-blocks")
    assert design.verdict is not None and design.verdict.passed
    assert "NOTHING WAS RUN" not in str(design.verdict.checks)


def test_a_form_with_other_arrays_at_a_size_is_none(tmp_path: Path) -> None:
    """Arrays that have more dimensions at its own size alone are no fault of the kernel: the reason is told."""
    scop, point = huge_gemm()
    other = replace(point, buffers=tuple(replace(b, partition=(1, *b.partition)) for b in point.buffers))
    told = reduced(scop, other, params={})
    assert isinstance(told, str) and "other arrays than the form has at its own size" in told
