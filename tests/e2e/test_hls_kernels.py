"""Kernels as HLS people write them are read, or refused for what no affine tool can do; a few are taken all the way."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "kernels" / "hls").glob("*.c"))
BOARD = sorted((ROOT / "kernels" / "board").glob("*.c"))
REFUSED = {"binary_search": "while-loop", "histogram": "indirect-access", "spmv": "indirect-access"}
PAGE = (ROOT / "docs" / "kernels.md").read_text()


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hls_kernels", ROOT / "scripts" / "hls_kernels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_kernel_is_read_or_refused_with_a_place(path: Path) -> None:
    source = script().source_of(path)
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {path.stem} |")]
    assert len(rows) == 1, "docs/kernels.md has a row for every kernel"
    if path.stem not in REFUSED:
        assert read(path, extents=source.extents).statements
        assert "verified" in rows[0]
        return
    with pytest.raises(KernelError) as caught:
        read(path)
    rules = {d.rule for d in caught.value.diagnostics}
    assert REFUSED[path.stem] in rules and all(f"`{rule}`" in rows[0] for rule in rules)
    assert all(d.span is not None for d in caught.value.diagnostics)


@pytest.mark.parametrize("path", BOARD, ids=lambda p: p.stem)
def test_kernel_at_the_size_of_a_board_is_read(path: Path) -> None:
    assert read(path, extents=script().source_of(path).extents).statements
    rows = (ROOT / "docs" / "evidence" / "board.md").read_text().splitlines()
    [row] = [line for line in rows if line.startswith(f"| {path.stem} |")]
    assert "| verified |" in row


@pytest.mark.parametrize("name", ["crc32", "argmax", "dot_product"])
def test_kernel_is_optimized_and_verified(name: str) -> None:
    source = script().source_of(ROOT / "kernels" / "hls" / f"{name}.c")
    request = Request(source, make_target(load_device("u200"), budget="routable"), limits=Limits(seconds=10))
    design = optimize(request)
    assert design.verdict is not None and design.verdict.passed


def test_structures_are_split_into_fields_and_put_together_for_the_source() -> None:
    path = ROOT / "tests" / "frontend_inputs" / "structures.c"
    names = [a.name for a in read(path).arguments]
    assert names == [
        "img_r",
        "img_g",
        "img_b",
        "b_pos",
        "b_mass",
        "z_re",
        "z_im",
        "w_re",
        "w_im",
        "out",
        "p_gain",
        "p_offset",
    ]
    board = make_target(load_device("u200"), budget="routable")
    design = optimize(Request(Source(str(path)), board, limits=Limits(effort=0.5), fixes=("adders=dsp",)))
    assert design.verdict is not None and design.verdict.passed
