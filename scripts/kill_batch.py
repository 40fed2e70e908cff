"""Kills a batch at random moments, goes on with it, and compares its results with those of a batch left alone.

python scripts/kill_batch.py [--kills 20] [--set MINI] [--only gemm,atax] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--set", default="MINI", dest="data_set")
    parser.add_argument("--only", default="", help="comma-separated kernel names; all of PolyBench without")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    names = [name for name in asked.only.split(",") if name] or sorted(p.stem for p in KERNELS.glob("*.c"))
    rng = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, cut = Path(folder) / "whole", Path(folder) / "cut"
        begun = time.monotonic()
        status = subprocess.run(_command(names, asked.data_set, whole), check=False).returncode
        taken = time.monotonic() - begun
        print(f"left alone: {len(names)} jobs, exit {status}, {taken:.0f} s", flush=True)
        for kill in range(1, asked.kills + 1):
            running = subprocess.Popen(_command(names, asked.data_set, cut), start_new_session=True)
            time.sleep(rng.uniform(0.2, 2 * taken / asked.kills))
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            print(f"kill {kill}: {len(_results(cut))} of {len(names)} results were there", flush=True)
        status_again = subprocess.run(_command(names, asked.data_set, cut), check=False).returncode
        same = _results(whole) == _results(cut) and status == status_again
        designs = [row["folder"] for row in _results(whole) if row["exit_code"] == 0]
        equal = [folder for folder in designs if _design(whole, str(folder)) == _design(cut, str(folder))]
        print(
            f"results {'the same' if same else 'DIFFER'}; {len(equal)} of {len(designs)} design.json are the same bytes"
        )
        return 0 if same and len(equal) == len(designs) else 1


def _command(names: list[str], data_set: str, out: Path) -> list[str]:
    files = [str(KERNELS / f"{name}.c") for name in names]
    limits = ["-j", "2", "--time-limit", "none"]
    return [sys.executable, "-m", "sisyphus", "batch", *files, "--set", data_set, "-q", "-o", str(out), *limits]


def _results(out: Path) -> list[dict[str, object]]:
    path = out / "results.jsonl"
    rows = [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def _design(out: Path, folder: str) -> bytes | None:
    path = out / folder / "design.json"
    return path.read_bytes() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
