"""Arrays that data pick elements of: whole on chip before anything reads them, in a memory with a port for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import spoil
from plain_points import pipelined_point, unrolled_point

from sisyphus import kernel_forms, request
from sisyphus.analysis import Distribution
from sisyphus.backends.hls import project
from sisyphus.choose import choose
from sisyphus.errors import KernelError
from sisyphus.ir import Scop
from sisyphus.model import estimate
from sisyphus.plan import Direction, Plan, build_plan
from sisyphus.solve import Stop
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target
from sisyphus.verification.differential_run import run_files
from sisyphus.verification.proof import prove

TARGET = make_target(load_device("u200"), budget="chip")
Make = Callable[[Scop, Distribution], DesignPoint]
TEXT = """
void f(const unsigned char x[40], const short lut[2][256], const short bias[4], int y[40], int z[40]) {
  for (int i = 0; i < 40; i++) y[i] = lut[x[i] & 1][x[i]] + lut[0][i] + bias[x[i] >> 6];
  for (int i = 0; i < 40; i++) z[i] += y[i] > 0 ? bias[y[i] & 3] : lut[1][0];
}
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> request.Kernel:
    path = tmp_path_factory.mktemp("looked_up") / "f.c"
    path.write_text(TEXT)
    return kernel_forms.load_written(request.Source(str(path)))


def plan_of(kernel: request.Kernel, point: DesignPoint) -> Plan:
    return build_plan(kernel.scop, kernel.distribution, kernel.live, point)


@pytest.mark.parametrize("make", [pipelined_point, unrolled_point])
def test_the_whole_table_is_read_and_every_bit_agrees(kernel: request.Kernel, make: Make) -> None:
    plan = plan_of(kernel, make(kernel.scop, kernel.distribution))
    proof = prove(plan, kernel.dependences)
    assert proof.passed and {"data of lut", "data of bias"} <= {check.name for check in proof.checks}
    files = project(plan, TARGET).files
    assert "variable=buf_lut type=ram_1wnr" in files["kernel.cpp"]
    assert run_files(files, ("random", "large"), time_limit_s=60).passed


def test_a_table_that_is_not_loaded_is_found(kernel: request.Kernel) -> None:
    plan = plan_of(kernel, pipelined_point(kernel.scop, kernel.distribution))
    proof = prove(spoil.drop_copies(plan, "lut", Direction.LOAD), kernel.dependences)
    bad = [check for check in proof.checks if not check.passed]
    assert [c.name for c in bad] == ["data of lut"]
    assert "reads `lut[0][0]`, but `buf_lut` was never given it" in bad[0].detail


def test_a_table_has_one_bank_for_the_whole_kernel(kernel: request.Kernel) -> None:
    point = pipelined_point(kernel.scop, kernel.distribution)

    def changed(**fields: object) -> DesignPoint:
        buffers = (replace(b, **fields) if b.array == "bias" else b for b in point.buffers)  # type: ignore[arg-type]
        return replace(point, buffers=tuple(buffers))

    for wrong in (changed(partition=(2,)), changed(place="i")):
        with pytest.raises(KernelError, match="data pick elements of `bias`, so that it is whole, in one bank"):
            plan_of(kernel, wrong)


def test_every_look_up_has_a_copy_that_nobody_measured(kernel: request.Kernel) -> None:
    few, many = (
        estimate(plan_of(kernel, make(kernel.scop, kernel.distribution)), TARGET)
        for make in (pipelined_point, unrolled_point)
    )
    assert many.lut - few.lut > 39 * 2 * 16 * 4  # 80 of 512 words of 16 bits more, at 64 words of 7 bits in 8 LUT
    assert "table-by-data" in {rested.entry.id for rested in few.evidence.constructs}


LARGE = """
static const short fixed[2048] = {3, 1, 4, 1, 5};
void f(const unsigned short x[256], const short lut[4096], short y[256]) {
  for (int i = 0; i < 256; i++) y[i] = lut[x[i] & 4095] + fixed[x[i] >> 5];
}
"""


@pytest.mark.parametrize(("bram", "copies"), [(300, 32), (70, 8)])
def test_large_tables_are_in_block_memories_which_limit_their_copies(tmp_path: Path, bram: int, copies: int) -> None:
    """Four blocks for each look-up of `lut` and of its buffer, two for each one of `fixed`, the rest for ports."""
    path = tmp_path / "f.c"
    path.write_text(LARGE)
    target = make_target(load_device("u200"), budget="chip", bram18k=bram)
    source = request.Source(str(path))
    kernels = kernel_forms.load_kernels(source)
    choice = choose(kernels, request.Request(source, target))
    plan = plan_of(kernels[0], choice.point)
    cost = estimate(plan, target)
    operators = cost.terms["bram18k"].children[0]
    assert choice.outcome.stop is Stop.PROVED
    assert cost.bram18k <= bram
    assert [part.value for part in operators.children] == [2 * copies, 4 * copies]
    assert not any("table" in part.name for part in cost.terms["lut"].children[0].children if part.value)
    text = project(plan, target).files["kernel.cpp"]
    assert "variable=fixed type=rom_np impl=bram" in text
    assert text.count("variable=buf_lut type=ram_1wnr impl=bram") == 2
