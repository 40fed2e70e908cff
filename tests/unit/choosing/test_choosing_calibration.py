"""What reports said is kept, tightens budgets and nothing else, and is told with the design."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.calibration import Calibration, Measured
from sisyphus.errors import UsageError
from sisyphus.pipeline import Design, Request, Source, optimize, resolve
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

SOURCE = """void product(float C[16][16], const float A[16][16], const float B[16][16]) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++)
        C[i][j] += A[i][k] * B[k][j];
}
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "sisyphus-hls" / "calibration.json"


@pytest.fixture
def design(tmp_path: Path) -> Design:
    path = tmp_path / "product.c"
    path.write_text(SOURCE)
    target = make_target(load_device("u200"), budget="routable", dsp=160)
    found = optimize(Request(Source(str(path)), target, verify=False))
    found.save(tmp_path / "out")
    return found


def report(design: Design, folder: Path, **times: float) -> None:
    """A csynth.xml with so many times the resources that were predicted."""
    cost = design.estimate
    amounts = {"DSP": cost.dsp * times.get("dsp", 1.0), "LUT": cost.lut * times.get("lut", 1.0)}
    told = "".join(f"<{name}>{round(amount)}</{name}>" for name, amount in amounts.items())
    (folder / "csynth.xml").write_text(
        "<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments><TopModelName>product"
        "</TopModelName></UserAssignments><PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>"
        f"{cost.cycles}</Worst-caseLatency></SummaryOfOverallLatency></PerformanceEstimates>"
        f"<AreaEstimates><Resources>{told}</Resources></AreaEstimates><ModuleInformation></ModuleInformation></profile>"
    )


def test_a_budget_shrinks_by_the_ratio_and_the_new_design_fits(design: Design, user: Path, tmp_path: Path) -> None:
    report(design, tmp_path / "out", dsp=1.25)
    found, known = resolve(tmp_path / "out", source=None, device=None, limits=Limits(seconds=600.0))[:2]
    assert found.estimate.dsp <= 160 / 1.25 < design.estimate.dsp and found.cycles >= design.cycles
    assert any("DSP within 128, not 160: `product` took 1.25x" in note for note in found.notes)
    assert found.request.target.budget.dsp == 160, "the order stays what it was"
    assert Calibration.of_user() == known and user.is_file()
    again = optimize(design.request, calibration=Calibration.of_user())
    assert again.estimate.dsp <= 128
    assert optimize(design.request).estimate.dsp == design.estimate.dsp, "only where it is asked for"


def test_less_than_predicted_loosens_nothing(design: Design, user: Path, tmp_path: Path) -> None:
    report(design, tmp_path / "out", dsp=0.5)
    found, known = resolve(tmp_path / "out", source=None, device=None, limits=Limits(seconds=600.0))
    assert known.rows[0].ratios["dsp"] == 0.5 and found.point == design.point
    assert not any(note.startswith("calibration") for note in found.notes)


def test_the_worst_of_a_part_counts_and_a_kernel_counts_once(user: Path) -> None:
    target = make_target(load_device("u200"), budget="chip")
    part = target.device.part
    rows = (
        Measured("a", part, "1", {"lut": 1.5}),
        Measured("b", part, "1", {"lut": 2.0}),
        Measured("c", "x", "1", {"lut": 9.0}),
    )
    known = Calibration(user, rows)
    assert known.tightened(target)[0].budget.lut == target.budget.lut // 2
    again = known.with_row(Measured("b", part, "1", {"lut": 1.0}))
    assert len(again.rows) == 3 and again.tightened(target)[0].budget.lut == int(target.budget.lut / 1.5)


@pytest.mark.parametrize(
    "text", ["", "{}", '[{"kernel": "a"}]', '[{"kernel": "a", "part": "p", "version": "1", "ratios": {"lut": -1}}]']
)
def test_a_spoiled_file_is_refused(text: str, user: Path) -> None:
    user.parent.mkdir(parents=True)
    user.write_text(text)
    if text == "{}":
        assert Calibration.of_user().rows == ()
        return
    with pytest.raises(UsageError, match="no calibration"):
        Calibration.of_user()


def test_a_folder_without_reports_or_design(design: Design, user: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no csynth"):
        resolve(tmp_path / "out", source=None, device=None, limits=Limits(seconds=600.0))
    with pytest.raises(UsageError, match=r"no design\.json"):
        resolve(tmp_path, source=None, device=None, limits=Limits(seconds=600.0))
    assert not user.exists()
