"""Runs what once broke a limit of time or memory, and prints by how much each is kept: a Markdown table.

    scripts/limits.py [NAME...]

`late` is what a run took beyond its limit, the start of Python included; after Ctrl-C, what it took from there on.
`processor` is its time on processors in all: on a busy machine far less than passed. What a run said that ended
otherwise than it may goes to standard error as a whole.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MANY_BANKS = ROOT / "tests" / "data" / "many_banks.toml"
POLYBENCH = ROOT / "kernels" / "polybench"
SISY = [sys.executable, "-c", "from sisyphus.cli import main; main()"]
#: Seconds after which a run is killed and counts as without end.
LONGEST_S = 200.0


@dataclass(frozen=True)
class Case:
    """A command in a folder that `make` fills; `limit_s` is what it is given, or when Ctrl-C comes to it."""

    words: str
    limit_s: float
    make: Callable[[Path], None]
    interrupt: bool = False
    codes: tuple[int, ...] = (0, 6)


@dataclass(frozen=True)
class Ran:
    """How a run ended: exit status, seconds, those of the processor, peak memory in MB, the last line that it said."""

    code: int
    seconds: float
    processor: float
    memory_mb: float
    said: str


def text(name: str, content: str) -> Callable[[Path], None]:
    """A file of the folder."""

    def write(folder: Path) -> None:
        (folder / name).write_text(content)

    return write


def nothing(_folder: Path) -> None:
    """No file is needed."""


def fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    text("k.c", '#include "pipe"\nvoid k(float a[8]) { for (int i = 0; i < 8; i++) a[i] = 1; }\n')(folder)


def device(folder: Path) -> None:
    """A board with a billion banks and a kernel for it."""
    text("k.c", "void k(float a[8]) { for (int i = 0; i < 8; i++) a[i] = 1; }\n")(folder)
    text("board.toml", MANY_BANKS.read_text())(folder)


def design(folder: Path) -> None:
    """A written design of gemm."""
    words = ["optimize", POLYBENCH / "gemm.c", "--time-limit", "10s", "--no-verify", "-q", "-o", "out"]
    subprocess.run([*SISY, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def nested(depth: int) -> str:
    heads = "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) " for n in range(depth))
    return f"void k(float a[2]) {{ {heads} a[i0] += 1.0f; }}\n"


def side_by_side(count: int) -> str:
    loops = "".join(f"  for (int i = 0; i < 64; i++) a{n % 8}[i] = a{(n + 1) % 8}[i] * {n}.0f;\n" for n in range(count))
    return f"void k({', '.join(f'float a{n}[64]' for n in range(8))}) {{\n{loops}}}\n"


def long_text(size: int) -> str:
    line = "  for (int i = 0; i < 64; i++) a[i] = a[i] * 2.0f + 1.0f;\n"
    return "void k(float a[64]) {\n" + line * (size // len(line)) + "}\n"


def sized(kernel: str, size: str, seconds: float, words: str = "optimize {kernel} --no-verify") -> Case:
    import tomllib

    macros = tomllib.loads((POLYBENCH / "sizes.toml").read_text())[kernel][size]
    defines = " ".join(f"-D{name}={value}" for name, value in macros.items())
    command = words.format(kernel=f"{POLYBENCH}/{kernel}.c {defines}")
    return Case(f"{command} --time-limit {seconds:g}s", seconds, nothing)


CASES: dict[str, Case] = {
    "symm EXTRALARGE": sized("symm", "EXTRALARGE", 20),
    "heat-3d EXTRALARGE": sized("heat-3d", "EXTRALARGE", 20),
    "3mm EXTRALARGE": sized("3mm", "EXTRALARGE", 20),
    "fdtd-2d front": sized("fdtd-2d", "LARGE", 10, "optimize {kernel} --no-verify --pareto"),
    "200 loops": Case("optimize k.c --no-verify --time-limit 20s", 20, text("k.c", side_by_side(200))),
    "20 nested": Case("optimize k.c --time-limit 5s", 5, text("k.c", nested(20))),
    "20 nested, analyze": Case("analyze k.c --time-limit 5s", 5, text("k.c", nested(20))),
    "200 nested": Case("optimize k.c --time-limit 5s", 5, text("k.c", nested(200)), codes=(1, 6)),
    "10 MB": Case("optimize k.c --time-limit 10s", 10, text("k.c", long_text(10**7)), codes=(1, 6)),
    "10 MB, analyze": Case("analyze k.c --time-limit 10s", 10, text("k.c", long_text(10**7)), codes=(1, 6)),
    "explain": Case("explain out --time-limit 10s", 10, design),
    "explain, Ctrl-C": Case("explain out", 5, design, interrupt=True, codes=(0, 130)),
    "optimize, Ctrl-C": Case(f"optimize {POLYBENCH}/gemm.c --no-verify", 5, nothing, interrupt=True, codes=(0, 130)),
    "20 nested, 256 MB": Case("optimize k.c --memory-limit 256MB", 30, text("k.c", nested(20)), codes=(6,)),
    "10^9 banks": Case("optimize k.c --device board.toml --no-verify --time-limit 10s", 10, device, codes=(1, 2)),
    "/dev/zero": Case("optimize k.c", 10, text("k.c", '#include "/dev/zero"\n' + nested(1)), codes=(1,)),
    "a FIFO": Case("optimize k.c", 10, fifo, codes=(1,)),
    "a large shift": Case(
        "optimize k.c", 10, text("k.c", "#if (1 << 10000000000)\n#endif\n" + nested(1)), codes=(0, 1)
    ),
}


def run(case: Case) -> Ran:
    with tempfile.TemporaryDirectory(prefix="limits-") as name:
        folder = Path(name)
        case.make(folder)
        begun = time.monotonic()
        with (folder / "said").open("wb") as said:
            running = subprocess.Popen([*SISY, *case.words.split()], cwd=folder, stdout=said, stderr=said)
            if case.interrupt:
                time.sleep(case.limit_s)
                os.kill(running.pid, signal.SIGINT)  # send_signal would take the exit status that wait4 asks for
            code, used = _waited(running, begun)
        seconds, text = time.monotonic() - begun, (folder / "said").read_text(errors="replace")
        if code not in case.codes:
            sys.stderr.write(text)
        lines = text.strip().splitlines()
        errors = [line for line in lines if "error" in line] or lines[-1:]
        taken = used.ru_utime + used.ru_stime
        return Ran(code, seconds, taken, used.ru_maxrss / 1024, errors[0][:90] if errors else "")


def _waited(running: subprocess.Popen[bytes], begun: float) -> tuple[int, resource.struct_rusage]:
    """Exit status, and what it used."""
    while True:
        done, status, used = os.wait4(running.pid, os.WNOHANG)
        if done:
            running.returncode = os.waitstatus_to_exitcode(status)
            return running.returncode, used
        if time.monotonic() - begun > LONGEST_S:
            running.kill()
        time.sleep(0.02)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of cases; all by default")
    asked = parser.parse_args(words)
    wrong = 0
    print("| case | limit (s) | late (s) | processor (s) | peak (MB) | exit | said |\n|---|---|---|---|---|---|---|")
    for name in asked.names or CASES:
        case = CASES[name]
        ran = run(case)
        wrong += ran.code not in case.codes
        late, said = ran.seconds - case.limit_s, ran.said.replace("|", "\\|")
        figures = f"{case.limit_s:g} | {late:+.1f} | {ran.processor:.1f} | {ran.memory_mb:,.0f} | {ran.code}"
        print(f"| {name} | {figures} | {said} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
