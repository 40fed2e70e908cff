"""Calls that only print: a kernel has none, and the source prints nothing while it is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus.backends.hls.reference import print_reference
from sisyphus.errors import KernelError
from sisyphus.frontend import read

LOUD = """
#include <stdio.h>
#include <stdlib.h>
static float half(float x) { fprintf(stderr, "%f\\n", x); return 0.5f * x; }
void f(const float a[8], float b[8]) {
  for (int i = 0; i < 8; i++) {
    b[i] = half(a[i]);
    if (b[i] > 1.0f)
      printf("%d: %f\\n", i, b[i]);
    (void)puts("next");
  }
}
"""


def test_prints_are_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "loud.c"
    path.write_text(LOUD)
    scop = read(path)
    assert [s.write.array for s in scop.statements] == ["b"]
    assert [n for n in scop.notes if "left out" in n] == [
        f"calls of `{name}` are left out: hardware prints nothing" for name in ("fprintf", "printf", "puts")
    ]
    assert "#define printf(...) 0" in print_reference(scop)
    assert sisy.optimize(sisy.read(str(path)), effort=1, cache=False).verdict.passed


def test_a_print_that_changes_something_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loud.c"
    path.write_text(LOUD.replace("i, b[i])", "i, b[i] += 1.0f)"))
    with pytest.raises(KernelError, match="`printf` is called for its effect"):
        read(path)
