"""`--synthesize`: designs that are there are synthesized once, whatever was asked for when they were made."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from sisyphus.batch import Job, JobResult, Workers, page, run_all, tables
from sisyphus.errors import ToolError

KERNEL = "void scale(float a[8]) {\n  for (int i = 0; i < 8; i++)\n    a[i] = 2.0f * a[i];\n}\n"
#: A vitis_hls that counts its runs and reports a design of 77 cycles.
VITIS = """#!/bin/sh
echo run >> {counted}
mkdir -p build/hls
echo "== Synthesis Summary Report of 'scale'" > build/hls/csynth.rpt
cat > build/hls/csynth.xml <<END
<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments><TopModelName>scale</TopModelName>
</UserAssignments><PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>77</Worst-caseLatency>
</SummaryOfOverallLatency></PerformanceEstimates><AreaEstimates><Resources><DSP>3</DSP><LUT>undef</LUT></Resources>
</AreaEstimates></profile>
END
"""
FAILING = """#!/bin/sh
echo "ERROR: [HLS 200-70] no licence"
exit 1
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    kernel = tmp_path / "scale.c"
    kernel.write_text(KERNEL)
    return Job("scale", str(kernel), ("--no-verify", "--effort", "1"), "scale", {"kernel": "scale"})


def vitis(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a program on PATH; the file that counts its runs."""
    place, counted = tmp_path / "bin", tmp_path / "counted"
    place.mkdir(exist_ok=True)
    (place / "vitis_hls").write_text(text.format(counted=counted))
    (place / "vitis_hls").chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    return counted


def run(job: Job, out: Path, *, synthesize: bool) -> tuple[JobResult, bool]:
    heard = list[bool]()
    [result] = run_all([job], out, Workers(), lambda result, is_known: heard.append(is_known), synthesize=synthesize)
    return result, heard == [True]


def test_a_known_design_is_synthesized_once(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, out = vitis(tmp_path, VITIS, monkeypatch), tmp_path / "out"
    made, _ = run(job, out, synthesize=False)
    assert made.is_done and made.reported is None and not counted.exists()
    design = (out / "scale" / "run.json").read_bytes()
    result, known = run(job, out, synthesize=True)
    assert result.is_done and not known and result.reported == {"cycles": 77, "dsp": 3}
    assert (out / "scale" / "run.json").read_bytes() == design, "nothing was searched again"
    again, known = run(job, out, synthesize=True)
    assert again == result and known and counted.read_text() == "run\n"
    assert run(job, out, synthesize=False) == (result, True)
    [row] = csv.DictReader(io.StringIO(tables([result])["results.csv"]))
    assert (row["reported_cycles"], row["reported_dsp"], row["reported_lut"]) == ("77", "3", "")
    text = page([result], out=out)
    assert "reported cycles" in text and ">77<" in text and 'href="scale/report.md"' in text


def test_a_failed_synthesis_says_why_and_keeps_the_design(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vitis(tmp_path, FAILING, monkeypatch)
    out = tmp_path / "out"
    failed, _ = run(job, out, synthesize=True)
    assert failed.exit_code == 5 and failed.message.endswith("ERROR: [HLS 200-70] no licence")
    design = (out / "scale" / "run.json").read_bytes()
    vitis(tmp_path, VITIS, monkeypatch)
    result, _ = run(job, out, synthesize=True)
    assert result.is_done and result.message == "" and result.reported is not None
    assert (out / "scale" / "run.json").read_bytes() == design


def test_a_design_stands_where_its_synthesis_is_not_asked_for_again(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vitis(tmp_path, FAILING, monkeypatch)
    assert run(job, tmp_path / "out", synthesize=True)[0].exit_code == 5
    result, known = run(job, tmp_path / "out", synthesize=False)
    assert known and result.is_done and result.message == ""


def test_without_vitis_nothing_begins(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(ToolError, match="needs Vitis HLS") as failure:
        run(job, tmp_path / "out", synthesize=True)
    assert failure.value.hint is not None and "settings64.sh" in failure.value.hint
    assert not (tmp_path / "out").exists()
