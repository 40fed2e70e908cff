"""Complex numbers of three precisions meet each other and real ones: every bit is that of a C compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.plan import build_plan
from sisyphus.verification.differential_run import run_files

KERNEL = """
#include <complex.h>
void mix(_Float16 h[20], float f[20], double d[20], int n[20], const _Float16 complex a[20], _Float16 complex c[20],
         float complex w[20], double complex z[20]) {
  for (int i = 0; i < 20; i++) c[i] = a[i] * c[i] + c[i] / a[i] - h[i];
  for (int i = 0; i < 20; i++) { %s }
}
"""
MIXED = [
    "c[i] = (n[i] > 0 ? h[i] / c[i] : -a[i]) * c[i];",
    "w[i] = (d[i] + w[i]) * w[i] - (f[i] - a[i]) * a[i];",
    "z[i] = (d[i] - w[i]) / w[i] + w[i] / (n[i] > 0 ? w[i] : d[i]) + (3 - w[i]) * z[i];",
    "z[i] = -(n[i] > 2 ? a[i] : n[i]) + d[i] / w[i] + a[i] * I;",
    "f[i] = creal(w[i]) * f[i] + h[i] * crealf(a[i]); w[i] = conj(w[i]) * w[i] + CMPLX(f[i], h[i]) * conjf(a[i]);",
]


@pytest.mark.parametrize("statement", MIXED)
def test_parts_have_the_precision_that_c_computes_in(statement: str, tmp_path: Path) -> None:
    (tmp_path / "mix.c").write_text(KERNEL % statement)
    kernel = kernel_forms.load_written(request.Source(str(tmp_path / "mix.c")))
    point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
    files = project(build_plan(kernel.scop, kernel.distribution, kernel.live, point)).files
    assert run_files(files, ("random", "large"), time_limit_s=60).passed
