"""Guards inside of pipelined loops: one store that always happens, of an element that exists."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spoil
from builders import scop
from model_candidates import kernel_of
from straight_c import with_source

from sisyphus.analysis import dependences
from sisyphus.backends.hls import SAME_ARITHMETIC, project
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.plan import Guard, Plan, Skip, walk
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.target import load_device, make_target
from sisyphus.verification.differential_run import INCLUDE_DIR, run
from sisyphus.verification.proof import prove

TARGET = make_target(load_device("u200"), budget="chip", clock_mhz=250)
TRIANGLE = """
for i in range(12):
    for j in range(i + 1):
        C[i, j] = C[i, j] + A[j]
"""


def plan_of(tile: tuple[int, int, int], banks: int, source: Scop | None = None) -> Plan:
    """The triangle with a pipelined loop over rows and unrolled columns."""
    kernel = kernel_of(source or with_source(scop(TRIANGLE, C=(12, 12), A=(12,))), TARGET)
    [nest] = kernel.space.nests
    tiles = (("i", Tile(2, 6, 1)), ("j", Tile(*tile)))
    arrays = {"C": (1, banks), "A": (banks,)}
    buffers = tuple(BufferPoint(a, (nest.id,), KERNEL_PLACE, factors) for a, factors in arrays.items())  # type: ignore[arg-type]
    return kernel.plan(
        DesignPoint(kernel.scop.name, (NestPoint(nest.nest.statements, ("j", "i"), tiles, "i"),), buffers)
    )


def skips(plan: Plan) -> set[Skip]:
    return {node.skip for task in plan.tasks for node in walk(task.body) if isinstance(node, Guard)}


def test_a_skipped_update_keeps_every_bit(tmp_path: Path) -> None:
    plan = plan_of((1, 1, 12), banks=12)
    assert skips(plan) == {Skip.SELECT}
    files = project(plan).files
    assert "= updated_float(" in files["kernel.cpp"] and "if (i" not in files["kernel.cpp"]
    for name in ("kernel.cpp", "kernel.h"):
        (tmp_path / name).write_text(files[name])
    library = tmp_path / "kernel.so"
    options = [*SAME_ARITHMETIC.split(), "-std=c++14", "-shared", "-fPIC", f"-I{INCLUDE_DIR}"]
    build = ["g++", *options, str(tmp_path / "kernel.cpp"), "-o", str(library)]
    subprocess.run(build, check=True, timeout=300)
    bits = np.array([0x80000000, 0x7FC01234, 0xFFC0BEEF, 0x7F800001, 0xFF800001, 0x00000001], np.uint32)
    c, a = np.resize(bits, (12, 12)).copy(), np.full(12, 0x7FC0ABCD, np.uint32)
    before = c.copy()
    ports = {"C": c, "A": a}
    order = [ports[port.name].ctypes.data_as(ctypes.c_void_p) for port in plan.ports]
    getattr(ctypes.CDLL(str(library)), plan.scop.name)(*order)
    above = np.triu_indices(12, 1)
    assert (c[above] == before[above]).all()
    assert not (c == before).all()


@pytest.mark.parametrize("kind", ["short", "unsigned long long"])
def test_updates_of_integers_are_skipped_too(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    loops = "for (int i = 0; i < 12; i++) for (int j = 0; j <= i; j++) C[i][j] = C[i][j] + A[j];"
    path.write_text(f"void k({kind} C[12][12], {kind} A[12]) {{\n#pragma scop\n{loops}\n#pragma endscop\n}}\n")
    plan = plan_of((1, 1, 12), banks=12, source=read(str(path)))
    assert skips(plan) == {Skip.KEEP}
    assert all(check.passed for check in run(project(plan), plan).checks)


def test_banks_of_one_length_hold_what_ragged_tiles_reach() -> None:
    plan = plan_of((3, 1, 5), banks=5)
    assert skips(plan) == {Skip.SELECT}
    text = project(plan).files["kernel.cpp"]
    assert "float buf_C[12][15];" in text and "if (i" not in text
    assert (plan.buffer("buf_C").extents, plan.buffer("buf_C").words_per_bank) == ((12, 12), 36)
    verdict = run(project(plan), plan, sanitize=True)
    assert verdict.passed, verdict.failures


def test_an_element_that_may_not_exist_is_not_stored() -> None:
    plan = plan_of((3, 1, 5), banks=1)
    assert skips(plan) == {Skip.BRANCH}
    assert "if (" in project(plan).files["kernel.cpp"]


@pytest.mark.parametrize("skip", [Skip.KEEP, Skip.SELECT])
def test_the_proof_refuses_a_store_beside_the_buffer(skip: Skip) -> None:
    plan = plan_of((3, 1, 5), banks=1)
    wrong = spoil.everywhere(plan, lambda n: (replace(n, skip=skip),) if isinstance(n, Guard) else None)
    assert prove(plan, dependences(plan.scop)).passed
    failed = [str(check) for check in prove(wrong, dependences(plan.scop)).checks if not check.passed]
    assert failed and "outside of `buf_" in failed[0]
