"""How long the source takes on one core of this machine; knows no design."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sisyphus.backends.hls.reference import print_reference
from sisyphus.backends.hls.timing import print_timing
from sisyphus.errors import KernelError
from sisyphus.ir import Scop
from sisyphus.tools import run_tool
from sisyphus.values import dataclass

COMPILER = "gcc"
FLAGS = ("-O3", "-march=native", "-std=gnu11", "-w")
#: Additions may be reassociated on the chip, so they may be here.
FAST_MATH = "-ffast-math"
COMPILE_S, RUN_S = 120.0, 600.0


@dataclass(frozen=True)
class CpuTime:
    """Seconds of the fastest of some runs, and how the source was compiled."""

    seconds: float
    runs: int
    compiler: str


def time_on_cpu(scop: Scop, *, fast_math: bool = False) -> CpuTime:
    """Compiles and runs the source as it is.

    Raises `ToolError` where the compiler is missing or the run takes longer than `RUN_S` seconds, `KernelError` where
    the source does not compile.
    """
    flags = (*FLAGS, *([FAST_MATH] if fast_math else []))
    with tempfile.TemporaryDirectory(prefix="sisy-") as name:
        folder = Path(name)
        (folder / "reference.c").write_text(print_reference(scop), encoding="utf-8")
        (folder / "timing.c").write_text(print_timing(scop), encoding="utf-8")
        command = [COMPILER, *flags, "reference.c", "timing.c", "-o", "timing", "-lm"]
        built = run_tool(command, cwd=folder, timeout_s=COMPILE_S, accept=range(-64, 256))
        if built.status != 0:
            raise KernelError(f"the source does not compile as C:\n{built.errors.strip()}")
        done = run_tool([str(folder / "timing")], cwd=folder, timeout_s=RUN_S)
    seconds, runs = done.output.split()
    return CpuTime(float(seconds), int(runs), " ".join((COMPILER, *flags)))
