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
from sisyphus.batch.executors import queue_cluster
from sisyphus.errors import ToolError

KERNEL = (
    "void scale(float a[{n}], const float b[{n}]) {{\n  for (int i = 0; i < {n}; i++)\n    a[i] = 2.0f * b[i];\n}}\n"
)
OPTIONS = ("--option", "--no-verify", "--effort", "5")


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


@pytest.mark.long
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
    for row in rows:
        row["name"] += "-other"
    before.write_text("".join(json.dumps(row) + "\n" for row in rows))
    other = subprocess.run(command(kernels, out, "--compare", str(before)), capture_output=True, text=True, check=False)
    assert other.returncode == 2 and "no job in common" in other.stderr
    before.write_text(before.read_text() + (out / "results.jsonl").read_text())
    some = subprocess.run(command(kernels, out, "--compare", str(before)), capture_output=True, text=True, check=False)
    assert some.returncode == 0 and f"note: scale16-u200-other: in {before}, but not in this batch" in some.stderr


@pytest.mark.long
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


SBATCH = """#!/bin/sh
echo submitted >> "$LOGGED"
cp "$1" "$LOGGED.$$"  # the script is gone as soon as it is submitted
sh "$LOGGED.$$" > /dev/null 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill "$1"
"""


@pytest.mark.filterwarnings("ignore")  # of the cluster's own start
def test_a_queue_starts_the_workers(kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Slurm that runs the submitted scripts at once, here."""
    pytest.importorskip("dask_jobqueue")
    place = tmp_path / "bin"
    place.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)
    monkeypatch.setenv("LOGGED", str(tmp_path / "log"))
    monkeypatch.chdir(tmp_path)
    jobs = jobs_of(Sweep((str(kernels),), options=("--no-verify",)))
    found = run_all(jobs, tmp_path / "out", Workers(workers=2, queue="slurm"), lambda *_: None)
    assert [result.exit_code for result in found] == [0, 0, 0, 1]
    assert (tmp_path / "log").read_text().count("submitted") >= 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("queue", "asked"),
    [("slurm", "#SBATCH --mem=8G"), ("lsf", "#BSUB -n 1"), ("pbs", "#PBS -l select=1:ncpus=1:mem=7630MB")],
)
def test_what_is_submitted(queue: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker of one thread, run by this Python, as large as said where the user's configuration says nothing."""
    pytest.importorskip("dask_jobqueue")
    from dask import config

    with queue_cluster(queue) as cluster:
        script = cluster.job_script()
    assert asked in script
    assert f"{sys.executable} -m distributed.cli.dask_worker tcp://" in script
    assert "--nthreads 1" in script
    with config.set({f"jobqueue.{queue}.cores": 3, f"jobqueue.{queue}.memory": "6GB"}), queue_cluster(queue) as cluster:
        assert "--nworkers 3" in cluster.job_script()


@pytest.mark.filterwarnings("ignore")
def test_a_queue_that_is_not_here_is_said(kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask_jobqueue")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="`bsub` was not found"):
        run_all([], tmp_path / "out", Workers(queue="lsf"), lambda *_: None)
