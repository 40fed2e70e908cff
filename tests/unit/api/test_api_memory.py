"""A library in C that finds no room says so in words of its own: told as memory that ran out, and only then."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus import allowance, kernel_forms
from sisyphus.errors import MemoryUp
from sisyphus.poly import IslError

KERNEL = "void k(float A[8]) { for (int i = 0; i < 8; i++) A[i] = 0.0f; }"


@pytest.mark.parametrize(("bound", "expected"), [(4096, MemoryUp), (resource.RLIM_INFINITY, IslError)])
def test_what_isl_says_of_full_memory(
    bound: int, expected: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(KERNEL)

    def fails(_: object) -> None:
        raise IslError("syntax error")

    monkeypatch.setattr(kernel_forms, "dependences", fails)
    monkeypatch.setattr(allowance, "memory_bound", lambda: (bound, bound))
    with pytest.raises(expected):
        sisy.optimize(sisy.read(path), verify=False, cache=False)
