"""How long short commands take from start to end: processor seconds and wall time, the least of several runs each.

python scripts/time_start.py [--runs 9] [--imports] [--kernel kernels/polybench/gemm.c]

Imports come one by one, so that the table shows below what no search can come, whatever it does. Then follow the
stages of the last command, by the seconds in its run.json, the least of each. Python may write byte code here, as pip
lets it: a first run of each command, which is not counted, sees to that. With --imports, what is imported for the last
command follows, with the seconds that each package takes by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

KERNEL = Path(__file__).parents[1] / "kernels" / "polybench" / "gemm.c"
SISY = (sys.executable, "-m", "sisyphus")
#: What a search imports that is not ours: no run takes less than this.
LIBRARIES = "numpy, islpy, click, pycparser.c_parser, pcpp, platformdirs, dataclasses, json, tomllib, subprocess"
#: As users have it, with byte code, and NumPy without threads, as `sisy` starts it.
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
    "OPENBLAS_NUM_THREADS": "1"
}
#: A line of `python -X importtime`: microseconds of the module by itself, with all that it imports, its name.
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\w+)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--kernel", type=Path, default=KERNEL)
    parser.add_argument("--imports", action="store_true", help="and what is imported for the last command")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _tell(asked, (*SISY, "optimize", str(asked.kernel), "--no-verify", "--no-cache", "-o", folder), Path(folder))
    return 0


def _tell(asked: argparse.Namespace, searched: Sequence[str], folder: Path) -> None:
    """The table of commands, the stages of the search, which writes a design to the folder, and what it imports."""
    commands = {
        "python": (sys.executable, "-c", "pass"),
        "sisy --help": (*SISY, "--help"),
        **{f"import of {name}": (sys.executable, "-c", f"import {name}") for name in ("numpy", "islpy", "pycparser")},
        "import of the libraries": (sys.executable, "-c", f"import {LIBRARIES}"),
        "import of sisyphus.pipeline": (sys.executable, "-c", "import sisyphus.pipeline"),
        f"sisy optimize {asked.kernel.name} --no-verify, one port": (*searched, "--fix", "*.ports=1"),
        f"sisy optimize {asked.kernel.name} --no-verify": searched,
    }
    print(f"{'command':44s} {'processor s':>11s} {'wall s':>7s}")
    for name, command in commands.items():
        _run(command)
        runs, stages = [], []
        for _ in range(asked.runs):
            runs.append(_run(command))
            stages.append(json.loads((folder / "run.json").read_text())["seconds"] if command == searched else {})
        processor, wall = (min(column) for column in zip(*runs, strict=True))
        print(f"{name:44s} {processor:11.3f} {wall:7.3f}")
    print(f"\n{'stage of the last command':44s} {'':11s} {'wall s':>7s}")
    for name in stages[0]:
        print(f"{name:44s} {'':11s} {min(run[name] for run in stages):7.3f}")
    if asked.imports:
        _tell_imports(searched)


def _run(command: Sequence[str]) -> tuple[float, float]:
    """Processor and wall seconds of a command and of what it starts."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def _tell_imports(command: Sequence[str]) -> None:
    """Milliseconds and modules of each package, the largest first."""
    timed = [command[0], "-X", "importtime", *command[1:]]
    told = subprocess.run(timed, env=ENVIRONMENT, capture_output=True, text=True, check=True).stderr
    taken, count = Counter[str](), Counter[str]()
    for microseconds, package in LINE.findall(told):
        taken[package] += int(microseconds)
        count[package] += 1
    print(f"\n{'imported package':24s} {'modules':>7s} {'ms':>6s}")
    for package, total in taken.most_common(12):
        print(f"{package:24s} {count[package]:7d} {total / 1000:6.1f}")


if __name__ == "__main__":
    sys.exit(main())
