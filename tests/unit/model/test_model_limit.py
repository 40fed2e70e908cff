"""What no design can beat: operators, bytes and chains, by hand, by listing points, and beside published figures."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.kernel_forms import load_kernels
from sisyphus.model import limit as limits_of
from sisyphus.model.limit import Limit, limit_of
from sisyphus.pipeline import optimize
from sisyphus.poly import each_point, longest_run, make_set, var
from sisyphus.request import Request, Source
from sisyphus.solve import Limits
from sisyphus.target import Target, load_device, make_target

ROOT = Path(__file__).parents[3]
TARGETS = ROOT.parent / "shared" / "oracle" / "targets.csv"


def limit(text: str, tmp_path: Path, *, tree: bool = False, target: Target | None = None) -> Limit:
    path = tmp_path / "k.c"
    path.write_text(text)
    kernel = load_kernels(Source(str(path)))[0]
    target = target or make_target(load_device("u200"), budget="chip")
    return limit_of(kernel.scop, kernel.dependences, kernel.live, target, tree=tree)


def test_a_dot_product_waits_for_its_sum(tmp_path: Path) -> None:
    text = (
        "void k(float s[1], const float a[96], const float b[96]) { for (int i = 0; i < 96; i++) s[0] += a[i] * b[i]; }"
    )
    found = limit(text, tmp_path)
    assert (found.chain, found.chain_of) == (96 * 6, "S0")
    assert found.compute == 1  # 96 * (3 + 2) DSPs of 6840
    assert found.memory == -(-(2 * 96 + 2) * 4 // (4 * 64))
    assert found.cycles == 96 * 6 and "chain" in found.held_by
    assert limit(text, tmp_path, tree=True).chain == 0


def test_the_memory_of_a_processor_has_several_ports(tmp_path: Path) -> None:
    text = "void k(float y[4096], const float a[4096]) { for (int i = 0; i < 4096; i++) y[i] = 2.0f * a[i]; }"
    small = make_target(load_device("pynq-z2"))
    assert (small.device.banks, small.device.beats) == (1, 4)
    assert limit(text, tmp_path, target=small).memory == 2 * 4096 * 4 // (4 * 8)


def test_a_sum_that_starts_anew_is_no_longer_chain(tmp_path: Path) -> None:
    text = """void k(float y[32], const float A[32][16]) { float s[1];
      for (int i = 0; i < 32; i++) { s[0] = 0.0f; for (int j = 0; j < 16; j++) s[0] += A[i][j]; y[i] = s[0]; } }"""
    assert limit(text, tmp_path).chain == 16 * 6


def test_loops_shared_with_another_writer_are_those_of_the_closest(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("""void k(float y[8], float z[8], const float A[8][8][8]) {
      for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) { y[i] = 1.0f; for (int l = 0; l < 8; l++) { y[i] += A[i][j][l]; z[l] += y[i]; } }
        for (int j = 0; j < 8; j++) { z[j] += 1.0f; y[i] += A[i][j][0]; }
      }
      for (int i = 0; i < 8; i++) y[i] *= 2.0f; }""")
    scop = load_kernels(Source(str(tmp_path / "k.c")))[0].scop
    every = {s.id: max(s.shared_loops(o) for o in scop.writers(s.write.array) if o is not s) for s in scop.statements}
    assert limits_of._shared_depths(scop) == every and sorted(every.values()) == [0, 1, 1, 1, 2, 2]


def test_a_common_factor_is_multiplied_once(tmp_path: Path) -> None:
    body = "for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) for (int k = 0; k < 64; k++)"
    head = "void k(float alpha, float C[64][64], const float A[64][64], const float B[64][64])"
    plain = limit(f"{head} {{ {body} C[i][j] += A[i][k] * B[k][j]; }}", tmp_path)
    scaled = limit(f"{head} {{ {body} C[i][j] += alpha * A[i][k] * B[k][j]; }}", tmp_path)
    assert plain.compute == -(-(64**3 * 5) // 6840)
    assert scaled.compute == -(-(64**3 * 5 + 64**2 * 3) // 6840)


def test_steps_in_time_are_work_each_time() -> None:
    """A kernel of heat at its large size was told to need 79,628 cycles for 24.6 G operations."""
    target = make_target(load_device("u200"), budget="chip")
    for name, steps, size in (("heat-3d", "TSTEPS", 30), ("jacobi-2d", "TSTEPS", 60), ("fdtd-2d", "TMAX", 60)):
        found = []
        for times in (10, 100):
            sizes = ("NX", "NY") if name == "fdtd-2d" else ("N",)
            defines = (f"{steps}={times}", *(f"{each}={size}" for each in sizes))
            kernel = load_kernels(Source(str(ROOT / "kernels" / "polybench" / f"{name}.c"), defines=defines))[0]
            found.append(limit_of(kernel.scop, kernel.dependences, kernel.live, target))
        for one in found:  # every operation takes two DSPs at least, and half of them may be common
            assert one.operations is not None and one.cycles >= one.operations / target.budget.dsp, name
        assert found[1].compute == pytest.approx(10 * found[0].compute, rel=0.05), name


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    steps=st.integers(3, 40),
    size=st.integers(20, 400),
    reach=st.integers(1, 3),
    copied=st.booleans(),
)
def test_operations_in_loops_in_time_fill_the_chip(
    tmp_path_factory: pytest.TempPathFactory, steps: int, size: int, reach: int, copied: bool
) -> None:
    """Two arrays that take turns, or one that is copied back: as many adders as the chip has start in a cycle."""
    path = tmp_path_factory.mktemp("k")
    back = "B[i]" if copied else "B[i] + B[i + 1]"
    text = f"""void k(float A[{size + 8}], float B[{size + 8}]) {{ for (int t = 0; t < {steps}; t++) {{
      for (int i = 3; i < {size}; i++) B[i] = A[i - {reach}] + A[i + {reach}];
      for (int i = 3; i < {size}; i++) A[i] = {back}; }} }}"""
    target = make_target(load_device("u200"), budget="chip", dsp=6)
    kernel = limit(text, path, target=target)
    adds = (steps - 2) * (size - 3 - 2 * reach) * (2 - copied)  # borders and what the first two steps see may be common
    assert kernel.compute >= adds * target.operators.cost("add", "float").dsp / 6


SHORTEST = "p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];"


def luts_of(op: str, ctype: str = "int32") -> int:
    return make_target(load_device("u200"), budget="chip").operators.cost(op, ctype).lut


def test_adders_and_comparators_of_integers_take_luts(tmp_path: Path) -> None:
    """The sum that is written twice is one; which of two values is kept may be part of other logic."""
    loops = "for (int k = 0; k < 96; k++) for (int i = 0; i < 96; i++) for (int j = 0; j < 96; j++)"
    found = limit(f"void k(int p[96][96]) {{ {loops} {SHORTEST} }}", tmp_path)
    budget = make_target(load_device("u200"), budget="chip").budget.lut
    assert found.compute == -(-(96**3 * (luts_of("add") + luts_of("cmp"))) // budget)


@pytest.mark.parametrize(
    ("expression", "operators"),
    [
        ("a[i] + b[i]", ["add"]),
        ("(a[i] - b[i]) - a[i]", ["sub", "sub"]),
        ("a[i] + 1", []),  # as few bits as the constant leaves
        ("(a[i] & 15) + b[i]", []),
        ("(a[i] & 15) < (b[i] & 15)", []),
        ("c[i] + c[i + 1]", []),  # of sixteen bits, whatever C makes of them
        ("a[i] * b[i] + a[i + 1]", ["mul"]),  # one DSP may do both
        ("(a[i] > b[i] ? a[i] : b[i]) + b[i]", ["cmp", "add"]),
        ("a[i] == b[i]", ["cmp"]),
    ],
)
def test_integers_count_where_no_value_makes_them_less(tmp_path: Path, expression: str, operators: list[str]) -> None:
    size = 40000
    text = f"void k(int y[{size}], const int a[{size}], const int b[{size}], const short c[{size}]) "
    found = limit(text + f"{{ for (int i = 0; i < {size - 1}; i++) y[i] = {expression}; }}", tmp_path)
    target = make_target(load_device("u200"), budget="chip")
    dsp, lut = (sum(getattr(target.operators.cost(op, "int32"), kind) for op in operators) for kind in ("dsp", "lut"))
    times = size - 1
    assert found.compute == max(-(-dsp * times // target.budget.dsp), -(-lut * times // target.budget.lut))


@pytest.mark.parametrize(
    ("update", "picoseconds"),
    [
        ("t[i] = t[i - 1] + a[i] > a[i - 1] ? t[i - 1] + a[i] : a[i - 1];", 1080 + 860 + 450),
        ("t[i] = (t[i - 1] ^ a[i]) + a[i];", 290 + 1080),
        ("t[0] += a[i];", 0),  # the order of these is free,
        ("t[0] = a[i] < t[0] ? a[i] : t[0];", 0),
        ("t[0] = t[0] < a[i] ? 1 : t[0];", 860 + 450),  # and of this is not
        ("t[i] = t[i - 1] / a[i];", 35 * 2920),  # has cycles of its own
    ],
)
def test_chains_of_integers_take_what_their_logic_takes(tmp_path: Path, update: str, picoseconds: int) -> None:
    """Of 4 ns 2.92 may be used, in which several instances may follow one another."""
    text = f"void k(int t[1001], const int a[1001]) {{ for (int i = 1; i < 1001; i++) {update} }}"
    rounds = 999 if "t[i" in update else 1000  # the first value is given
    assert limit(text, tmp_path).chain == pytest.approx(rounds * picoseconds / 2920, abs=2)


def test_narrow_products_are_in_dsps_and_in_logic(tmp_path: Path) -> None:
    """A kernel of many products of bytes fills both budgets: each is in LUTs, or in a DSP."""
    loops = "for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) for (int k = 0; k < 64; k++)"
    head = "void k(int y[64][64], const unsigned char a[64][64], const unsigned char b[64][64])"
    narrow = limit(f"{head} {{ {loops} y[i][j] += a[i][k] * b[k][j]; }}", tmp_path).compute
    target = make_target(load_device("u200"), budget="chip")
    lut = target.operators.cost("mul", "int32", 8, 8).lut
    exact = 64**3 / (target.budget.dsp + target.budget.lut / lut)
    assert 0.95 * exact <= narrow <= exact + 1


def test_what_a_kernel_computes_for_itself_may_be_narrow(tmp_path: Path) -> None:
    """A difference of bytes in a local variable was a product of 32 bits: a limit twice as high as a design."""
    head = "void k(int y[256], const unsigned char a[256], const unsigned char b[256])"
    found = limit(f"{head} {{ for (int i = 0; i < 256; i++) {{ int d = a[i] - b[i]; y[i] = d * d; }} }}", tmp_path)
    assert found.compute == 0


INTEGERS = {
    "row": "for (int i = 1; i < 400; i++) y[i] = y[i - 1] + a[i] > b[i] ? y[i - 1] + a[i] : b[i];",
    "wave": """for (int i = 1; i < 20; i++) for (int j = 1; j < 20; j++)
      y[20 * i + j] = y[20 * i + j - 20] > y[20 * i + j - 1] ? y[20 * i + j - 20] + a[j] : y[20 * i + j - 1] + b[i];""",
    "best": "for (int i = 1; i < 400; i++) { int s = a[i] - b[i]; y[0] = y[0] > s ? y[0] : s; }",
    "products": "for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) y[i] += (c[i] - 3) * (c[20 * i + j] + 5);",
}


@pytest.mark.parametrize("name", INTEGERS)
def test_no_design_of_integers_is_below_any_limit(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.c"
    head = "void k(int y[400], const int a[400], const int b[400], const unsigned char c[400])"
    path.write_text(f"{head} {{ {INTEGERS[name]} }}")
    target = make_target(load_device("u200"), budget="chip", lut=8000, dsp=8)
    design = optimize(Request(Source(str(path)), target, verify=False, limits=Limits(effort=0.1)))
    assert design.limit is not None and design.limit.cycles <= design.estimate.cycles


def test_no_design_of_integers_is_below_its_limit(tmp_path: Path) -> None:
    """Also of a small kernel on few look-up tables, where operators are what holds it back."""
    path = tmp_path / "k.c"
    loops = "for (int i = 0; i < 24; i++) for (int k = 0; k < 24; k++) for (int j = 0; j < 24; j++)"
    head = "void k(int y[24][24], const int a[24][24], const int b[24][24])"
    path.write_text(f"{head} {{ {loops} y[i][j] += a[i][k] - b[k][j]; }}")
    target = make_target(load_device("u200"), budget="chip", lut=20000)
    design = optimize(Request(Source(str(path)), target, verify=False, limits=Limits(effort=0.1)))
    assert design.limit is not None and 1 < design.limit.compute <= design.limit.cycles <= design.estimate.cycles


def test_a_budget_of_nothing_is_a_limit_too() -> None:
    kernel = load_kernels(Source(str(ROOT / "kernels" / "polybench" / "gemm.c"), defines=("NI=4", "NJ=4", "NK=4")))[0]
    target = make_target(load_device("u200"), budget="chip", dsp=0)
    assert limit_of(kernel.scop, kernel.dependences, kernel.live, target).compute >= 4**3 * 5


def test_a_sum_over_several_loops_of_a_triangle(tmp_path: Path) -> None:
    """Of each element as many terms as of the one that has the most: here of the first."""
    loops = "for (int d = 1; d < 20; d++) for (int t = 0; t + d < 20; t++) for (int n = 0; n < 6; n++)"
    text = f"void k(float s[20], const float p[20][6]) {{ {loops} s[d] += p[t + d][n] * p[t][n]; }}"
    assert limit(text, tmp_path).chain == 19 * 6 * 6


def test_a_recurrence_along_a_row(tmp_path: Path) -> None:
    loops = "for (int i = 0; i < 8; i++) for (int j = 2; j < 40; j++)"
    text = f"void k(float A[8][40]) {{ {loops} A[i][j] = A[i][j-2] + 1.0f; }}"
    assert limit(text, tmp_path).chain == 18 * 6


def test_no_design_of_a_sum_is_below_its_chain(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void k(float s[1], const float a[960]) { for (int i = 0; i < 960; i++) s[0] += a[i]; }")
    design = optimize(Request(Source(str(path)), make_target(load_device("u200")), verify=False))
    assert design.limit is not None and design.limit.cycles <= design.estimate.cycles < 960 * 7


@settings(max_examples=40, deadline=None)
@given(
    corner=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    slant=st.integers(-1, 2),
    step=st.tuples(st.integers(-2, 2), st.integers(-2, 2)).filter(any),
)
def test_longest_run_is_what_listing_finds(corner: tuple[int, int], slant: int, step: tuple[int, int]) -> None:
    i, j = var("i"), var("j")
    points = make_set("S", ("i", "j"), at_least_zero=[i, corner[0] - i, j, corner[1] + i * slant - j])
    there = {(p["i"], p["j"]) for p in each_point(points, 500)}
    longest = 0
    for x, y in there:
        run = 0
        while (x + run * step[0], y + run * step[1]) in there:
            run += 1
        longest = max(longest, run)
    assert longest_run(points, dict(zip(("i", "j"), step, strict=True))) == longest


@pytest.mark.skipif(not TARGETS.is_file(), reason="the published targets are not here")
def test_compute_is_as_published() -> None:
    target = make_target(load_device("u200"), budget="chip")
    for row in csv.DictReader(TARGETS.read_text().splitlines()):
        [path] = [p for d in ("polybench", "nn") if (p := ROOT / "kernels" / d / f"{row['kernel']}.c").exists()]
        kernel = load_kernels(Source(str(path)))[0]
        found = limit_of(kernel.scop, kernel.dependences, kernel.live, target)
        assert found.compute == pytest.approx(int(row["limit_compute"]), rel=0.02, abs=150), row["kernel"]
        assert found.chain <= max(int(row["critical_chain"]), 1), row["kernel"]
