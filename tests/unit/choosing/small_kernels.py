"""Kernels of our own that are searched in a moment, read and ready to be chosen for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Kernel, Request, Source
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

BLEND = """
void blend(float y[4], float x[4], float a[4]) {
  for (int i = 0; i < 4; i++)
    y[i] = a[i] * x[i] + y[i];
}
"""
#: Searched in an eighth of the time that BLEND takes.
TWICE = """
void twice(float y[4]) {
  for (int i = 0; i < 4; i++)
    y[i] = 2.0f * y[i];
}
"""
BLUR = """
void blur(float out[4][6], float img[6][8], float w[3][3]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 6; j++) {
      out[i][j] = 0.0f;
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          out[i][j] += w[p][q] * img[i + p][j + q];
    }
}
"""
MULTIPLY = """
void multiply(float C[24][24], float A[24][24], float B[24][24]) {
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++)
        C[i][j] += A[i][k] * B[k][j];
}
"""

#: Updates of elements by others of a matrix of 1 MiB, which also come in panels.
LU = """
void lu(float a[512][512])
{
    for (int i = 0; i < 512; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < 512; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
"""


def asked(folder: Path, text: str, *, budgets: dict[str, int] | None = None, **more: Any) -> Request:
    """A request for a kernel that is written into `folder`."""
    path = folder / "kernel.c"
    path.write_text(text)
    target = make_target(load_device("u200"), budget="chip", **(budgets or {}))
    limits = more.pop("limits", Limits(seconds=600.0))  # only a guard: what is found must not depend on the load
    return Request(Source(str(path)), target, limits=limits, verify=False, **more)


def read(request: Request) -> tuple[Kernel, ...]:
    return load_kernels(request.source)
