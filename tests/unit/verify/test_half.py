"""`_Float16`: the header that stands for the vendor's rounds as C does, and kernels in it keep every bit."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import pytest
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.ir import Literal
from sisyphus.plan import build_plan
from sisyphus.tools import run_tool
from sisyphus.verification.differential_run import INCLUDE_DIR, run_files

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#include "hls_half.h"
static unsigned bits(half h) { unsigned short b; std::memcpy(&b, &h, 2); return b; }
int main() {
    for (unsigned b = 0; b < 65536; ++b) {
        const unsigned short given = b;
        half h;
        std::memcpy(&h, &given, 2);
        std::printf("%.17g\n", static_cast<double>(static_cast<float>(h)));
    }
    double value;
    while (std::scanf("%lf", &value) == 1) std::printf("%u\n", bits(half(value)));
}
"""


def test_header_reads_and_rounds_as_the_standard_says(tmp_path: Path) -> None:
    rng = random.Random(0)
    digits = [rng.choice((1, -1)) * (1 + rng.randrange(4096) / 2048) for _ in range(3000)]
    near = [math.ldexp(value, rng.randint(-26, 15)) for value in digits]
    near += [v * (1 + 1e-12 * rng.choice((1, -1, 0))) for v in near] + [65503.9, 65519.9, 65520.0, 1e300, 0.0, -0.0]
    (tmp_path / "half.cpp").write_text(PROGRAM)
    run_tool(["g++", "-O1", "-std=c++14", "-I", str(INCLUDE_DIR), "half.cpp", "-o", "half"], cwd=tmp_path, timeout_s=60)
    (tmp_path / "in").write_text("\n".join(map(repr, near)))
    said = run_tool(["sh", "-c", "./half < in"], cwd=tmp_path, timeout_s=60).output.split()
    read, rounded = said[:65536], said[65536:]
    for bits, text in enumerate(read):
        [value] = struct.unpack("e", struct.pack("H", bits))
        assert float(text) == value or (math.isnan(value) and "nan" in text), bits
    assert [int(text) for text in rounded] == [_bits(value) for value in near]


def _bits(value: float) -> int:
    try:
        return int(struct.unpack("H", struct.pack("e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


KERNEL = """
static const _Float16 lut[4] = {0.1, -1.5f, 2, 65504};
struct pair { _Float16 a; float b; };
void mix(_Float16 s, double d, int n[24], _Float16 x[24], _Float16 y[24][6], struct pair p[24], unsigned char q[24]) {
  for (int i = 0; i < 24; i++) {
    _Float16 acc = 0.1;
    for (int j = 0; j < 6; j++) {
      acc += x[i] * y[i][j] + 1.0e-7f16;
      y[i][j] = y[i][j] / (_Float16)3 - acc * 0.1f;
    }
    x[i] = x[i] > s ? acc : -acc * 2;
    p[i].a = d * x[i] + lut[q[i] & 3];
    n[i] = (int)(x[i] * 4) + (x[i] && n[i]);
    if (x[i] < 0) p[i].b = n[i] + p[i].a;
  }
}
"""


def test_kernels_keep_every_bit_and_a_missing_rounding_is_seen(tmp_path: Path) -> None:
    (tmp_path / "mix.c").write_text(KERNEL)
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "mix.c")))[0]
    point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
    files = dict(project(build_plan(kernel.scop, kernel.distribution, kernel.live, point)).files)
    sets = ("random", "denormals", "large")
    assert run_files(files, sets, time_limit_s=60).passed
    files["kernel.cpp"] = files["kernel.cpp"].replace("(half)(buf_x", "(float)(buf_x")
    assert not run_files(files, sets, time_limit_s=60).passed


@pytest.mark.parametrize(
    ("written", "kept"), [("0.1", "0.0999755859375"), ("65519.0", "65504.0"), ("3f16", "3.0"), ("7", "7.0")]
)
def test_constants_are_rounded_once(written: str, kept: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(f"void k(_Float16 x[8]) {{ for (int i = 0; i < 8; i++) x[i] = {written}; }}")
    [statement] = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0].scop.statements
    assert isinstance(statement.rhs, Literal) and (statement.rhs.text, statement.rhs.type.key) == (kept, "half")
