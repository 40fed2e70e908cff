"""Kills a batch at random moments, goes on with it, and compares its results with those of a batch left alone.

python scripts/kill_batch.py [--kills 20] [--cluster-kills 3] [--set MINI] [--only gemm,atax] [--seed 1] [--no-verify]

Then the same on a Dask cluster of two processes here, of which one is killed so many times. The same are: results.jsonl
but for seconds, results.csv and junit.xml but for theirs, and each file of each design but run.json, which has times.
No search is ended by time, which would find another design each time, but some (adi, floyd-warshall) by their effort.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"
#: Of each search.
EFFORT = "2"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cluster-kills", type=int, default=3)
    parser.add_argument("--set", default="MINI", dest="data_set")
    parser.add_argument("--only", default="", help="comma-separated kernel names; all of PolyBench without")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-verify", action="store_true", help="a fraction of the time")
    asked = parser.parse_args()
    names = [name for name in asked.only.split(",") if name] or sorted(p.stem for p in KERNELS.glob("*.c"))
    rng = random.Random(asked.seed)
    words = ["--set", asked.data_set, *["--option", "--no-verify"] * asked.no_verify]
    with tempfile.TemporaryDirectory() as folder:
        whole, cut, spread = (Path(folder) / name for name in ("whole", "cut", "spread"))
        begun = time.monotonic()
        status = subprocess.run(_command(names, words, whole), check=False).returncode
        taken = time.monotonic() - begun
        print(f"left alone: {len(names)} jobs, exit {status}, {taken:.0f} s", flush=True)
        # Kills drawn over time alone come early: what is begun again each time takes longer than the batch left alone.
        for kill, reached in enumerate(sorted(rng.choices(range(len(names)), k=asked.kills)), 1):
            running = subprocess.Popen(_command(names, words, cut), start_new_session=True)
            while len(_results(cut)) < reached and running.poll() is None:
                time.sleep(0.05)
            time.sleep(rng.uniform(0.2, 2 * taken / len(names)))
            with suppress(ProcessLookupError):  # it has ended
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            print(f"kill {kill}: {len(_results(cut))} of {len(names)} results were there", flush=True)
        same = True
        if asked.kills:
            again = subprocess.run(_command(names, words, cut), check=False).returncode
            same = _compared(f"{asked.kills} kills", whole, cut) and again == status
        if asked.cluster_kills:
            with _cluster(asked.cluster_kills, taken, rng) as address:
                again = subprocess.run(_command(names, words, spread, "--dask", address), check=False).returncode
            same &= _compared("killed workers", whole, spread) and again == status
        return 0 if same else 1


@contextmanager
def _cluster(kills: int, taken: float, rng: random.Random) -> Iterator[str]:
    """A cluster of two processes, of which one is killed at random moments of a batch that takes about so long."""
    from threading import Event, Thread

    from distributed import LocalCluster

    ended = Event()

    def kill() -> None:
        for number in range(1, kills + 1):
            if ended.wait(rng.uniform(0.5, 1.5) * taken / (kills + 1)):
                return
            victim = rng.choice(list(cluster.workers.values())).pid
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
                print(f"worker {number} killed", flush=True)

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        thread = Thread(target=kill)
        thread.start()
        try:
            yield cluster.scheduler_address
        finally:
            ended.set()
            thread.join()


def _compared(what: str, whole: Path, cut: Path) -> bool:
    """Prints and tells whether two batches came to the same."""
    rows = _results(whole)
    tables = [name for name in ("results.csv", "junit.xml") if _timeless(whole / name) != _timeless(cut / name)]
    folders = [str(row["folder"]) for row in rows if row["exit_code"] == 0]
    others = [folder for folder in folders if _files(whole / folder) != _files(cut / folder)]
    same = rows == _results(cut) and not tables and not others
    count = sum(len(_files(whole / folder)) for folder in folders)
    print(
        f"{what}: {len(rows)} results {'the same' if rows == _results(cut) else 'DIFFER'}, "
        f"tables {'DIFFER' if tables else 'the same'}, {len(folders) - len(others)} of {len(folders)} designs the same "
        f"bytes ({count} files)"
    )
    return same


def _command(names: list[str], words: list[str], out: Path, *more: str) -> list[str]:
    files = [str(KERNELS / f"{name}.c") for name in names]
    limits = ["-j", "2", "--effort", EFFORT]
    return [sys.executable, "-m", "sisyphus", "batch", *files, *words, "-q", "-o", str(out), *limits, *more]


def _results(out: Path) -> list[dict[str, object]]:
    path = out / "results.jsonl"
    rows = [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def _timeless(path: Path) -> str:
    """A table without its seconds, which alone have a point in them."""
    return re.sub(r"\d+\.\d+", "", path.read_text())


def _files(folder: Path) -> dict[str, bytes]:
    """What must not differ between two runs."""
    return {p.name: p.read_bytes() for p in sorted(folder.glob("*")) if p.is_file() and p.name != "run.json"}


if __name__ == "__main__":
    sys.exit(main())
