"""Reading kernels from text in a temporary file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.ir import Scop


@pytest.fixture
def kernel(tmp_path: Path) -> Callable[..., Scop]:
    """`kernel(text, **options)` is the scop of a text."""

    def make(text: str, **options: object) -> Scop:
        path = tmp_path / "kernel.c"
        path.write_text(text)
        return read(path, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def refusal(kernel: Callable[..., Scop]) -> Callable[..., list[str]]:
    """`refusal(text, **options)` is what a text is refused with: `line:column rule`."""

    def make(text: str, **options: object) -> list[str]:
        with pytest.raises(KernelError) as caught:
            kernel(text, **options)
        return [f"{d.span.line}:{d.span.column} {d.rule}" if d.span else d.rule for d in caught.value.diagnostics]

    return make
