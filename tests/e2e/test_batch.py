"""A batch as a user runs it: killed and gone on with, on a cluster that loses a worker, compared with another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sisyphus.batch import Sweep, Workers, jobs_of, run_all

KERNEL = (
    "void scale(float a[{n}], const float b[{n}]) {{\n  for (int i = 0; i < {n}; i++)\n    a[i] = 2.0f * b[i];\n}}\n"
)
OPTIONS = ("--option", "--no-verify", "--time-limit", "10s")


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    place = tmp_path / "kernels"
    place.mkdir()
    for n in (8, 16, 24):
        (place / f"scale{n}.c").write_text(KERNEL.format(n=n))
    (place / "wrong.c").write_text("void wrong(float a[8]) {\n  for (int i = 0; i < 8; i++)\n    a[i*i] = 0;\n}\n")
    return place


def command(kernels: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "sisyphus", "batch", str(kernels), "-o", str(out), *OPTIONS, *more]


def has_a_line(path: Path) -> bool:
    return path.exists() and "\n" in path.read_text()


def results(out: Path) -> list[dict[str, Any]]:
    """Without what differs from run to run."""
    found = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in found]


def test_a_killed_batch_goes_on_and_repeats_nothing(kernels: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    done = subprocess.run(command(kernels, whole, "-j", "2"), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # wrong.c is refused
    assert "3 of 4 done" in done.stderr

    running = subprocess.Popen(command(kernels, cut, "-q"), stdout=subprocess.DEVNULL, start_new_session=True)
    while not has_a_line(cut / "results.jsonl") and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    known = results(cut)
    assert known
    again = subprocess.run(command(kernels, cut, "--json"), capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert results(cut) == results(whole)
    for row in results(whole)[:3]:
        folder = row["folder"]
        assert (cut / folder / "design.json").read_bytes() == (whole / folder / "design.json").read_bytes()
    third = subprocess.run(command(kernels, cut), capture_output=True, text=True, check=False)
    assert third.stdout.count("  known  ") == 4


def test_a_comparison_fails_past_its_threshold(kernels: Path, tmp_path: Path) -> None:
    (kernels / "wrong.c").unlink()
    out, before = tmp_path / "out", tmp_path / "before.jsonl"
    assert subprocess.run(command(kernels, out, "-q"), check=False).returncode == 0
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    rows[0]["figures"]["cycles"] //= 2
    before.write_text("".join(json.dumps(row) + "\n" for row in rows))
    worse = subprocess.run(command(kernels, out, "--compare", str(before)), capture_output=True, text=True, check=False)
    assert worse.returncode == 7
    assert "worse scale16-u200" in worse.stderr
    allowed = command(kernels, out, "-q", "--compare", str(before), "--threshold", "200%")
    assert subprocess.run(allowed, check=False).returncode == 0


@pytest.mark.filterwarnings("ignore")  # of the cluster's own start and of its killed worker
def test_a_cluster_that_loses_a_worker_loses_no_result(kernels: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    jobs = jobs_of(Sweep((str(kernels),), options=("--no-verify",)))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        killed: list[int] = []

        def hear(result: object, is_known: bool) -> None:
            if not killed:
                victim = next(iter(cluster.workers.values()))
                killed.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)

        found = run_all(jobs, tmp_path / "out", Workers(dask=cluster.scheduler_address), hear)
    assert killed
    assert [result.name for result in found] == [job.name for job in jobs]
    assert [result.exit_code for result in found] == [0, 0, 0, 1]
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 4
