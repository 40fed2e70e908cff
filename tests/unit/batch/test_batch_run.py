"""Running jobs: whoever listens may stop a batch, and then nothing that it started goes on."""

from __future__ import annotations

import json
import pickle
import signal
import time
from pathlib import Path

import pytest

from sisyphus.batch import Job, JobResult, Workers, executors, run_all
from sisyphus.tools import run_tool

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"


def test_a_stopped_batch_waits_for_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(job: Job, out: str, synthesize: bool) -> JobResult:
        if job.name == "long":
            program = ["sh", "-c", "echo > runs; exec sleep 300"]
            ended.append(run_tool(program, cwd=tmp_path, timeout_s=None, accept=range(-64, 256)).status)
        else:
            while not (tmp_path / "runs").exists():
                time.sleep(0.01)
        return JobResult(job.name, "", job.kernel, {}, 0, job.folder)

    def stop(result: JobResult, is_known: bool) -> None:
        raise KeyboardInterrupt

    ended = list[int]()
    monkeypatch.setattr(executors, "run_job", work)
    jobs = [Job(name, f"{name}.c", (), name) for name in ("long", "short")]
    with pytest.raises(KeyboardInterrupt):
        run_all(jobs, tmp_path / "out", Workers(2), stop)
    assert ended == [-signal.SIGKILL], "not by itself"


def test_the_key_of_a_job_is_found_once_and_travels_with_it(tmp_path: Path) -> None:
    kernel = tmp_path / "scale.c"
    kernel.write_text("void scale(float a[8]) {\n  for (int i = 0; i < 8; i++)\n    a[i] = 2.0f * a[i];\n}\n")
    job = Job("scale", str(kernel), (), "scale")
    key = job.key
    kernel.unlink()
    assert pickle.loads(pickle.dumps(job)).key == job.key == key
    assert Job("scale", str(kernel), (), "scale").key != key


@pytest.mark.parametrize(("limit", "known"), [(("--effort", "0.01"), True), (("--time-limit", "0.01s"), False)])
def test_a_search_that_its_effort_ended_is_not_run_again(tmp_path: Path, limit: tuple[str, str], known: bool) -> None:
    # too large for a plain design, which has all arrays on chip
    large = [f"-D{name}=3000" for name in ("NI", "NJ", "NK", "NL", "NM")]
    jobs = [Job("3mm", str(KERNELS / "3mm.c"), (*limit, *large, "--fix", "adders=dsp", "--no-verify"), "3mm")]
    again = list[bool]()
    first = run_all(jobs, tmp_path, Workers(), lambda result, is_known: None)[0]
    assert first.exit_code == 6 and "ran out" in first.message
    second = run_all(jobs, tmp_path, Workers(), lambda result, is_known: again.append(is_known))[0]
    assert again == [known] and second.exit_code == 6


def test_of_several_units_a_result_has_the_cycles_of_all_and_what_they_take_together(tmp_path: Path) -> None:
    small = [f"-D{name}={size}" for name, size in (("NI", 8), ("NJ", 6), ("NK", 4))]
    words = ("--units", "2", "--effort", "0.5", "--no-verify", *small)
    (result,) = run_all([Job("gemm", str(KERNELS / "gemm.c"), words, "gemm")], tmp_path, Workers(), lambda *_: None)
    told = json.loads((tmp_path / "gemm" / "design.json").read_text())
    assert result.is_done and result.figures["cycles"] == told["cycles"]
    for name in ("dsp", "lut", "bytes_moved"):
        assert result.figures[name] == sum(unit["estimate"][name] for unit in told["units"])
