"""What reports said is kept, tightens budgets, corrects intervals, and is told with the design."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from sisyphus.calibration import Calibration, Measured
from sisyphus.errors import UsageError
from sisyphus.model import estimate
from sisyphus.pipeline import Design, Request, Source, explain_design, optimize, resolve
from sisyphus.readback import predicted_of
from sisyphus.schemas import schema
from sisyphus.solve import Limits, Stop
from sisyphus.target import MeasuredInterval, load_device, make_target

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


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Design:
    path = tmp_path_factory.mktemp("calibration") / "product.c"
    path.write_text(SOURCE)
    target = make_target(load_device("u200"), budget="routable", dsp=160)
    return optimize(Request(Source(str(path)), target, verify=False, fixes=("adders=dsp",)))


@pytest.fixture
def design(found: Design, tmp_path: Path) -> Design:
    """The same for all tests, in a folder of each."""
    found.save(tmp_path / "out")
    return found


def report(design: Design, folder: Path, *, later: int = 0, **times: float) -> None:
    """A csynth.xml with so many times the resources that were predicted; the nest starts so many cycles `later`."""
    [(name, told)] = [(n, e) for n, e in predicted_of(design.plan, design.request.target).functions.items() if e.loop]
    assert told.interval is not None
    module = (
        f"<Module><Name>{name}</Name><PerformanceEstimates><SummaryOfLoopLatency><L><Name>L</Name><TripCount>{told.trip}"
        f"</TripCount><PipelineII>{told.interval + later}</PipelineII><PipelineDepth>{told.depth}</PipelineDepth>"
        "<PipelineType>yes</PipelineType></L></SummaryOfLoopLatency></PerformanceEstimates></Module>"
    )
    cost = design.estimate
    amounts = {"DSP": cost.dsp * times.get("dsp", 1.0), "LUT": cost.lut * times.get("lut", 1.0)}
    amount = "".join(f"<{kind}>{round(count)}</{kind}>" for kind, count in amounts.items())
    (folder / "csynth.xml").write_text(
        "<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments><TopModelName>product"
        "</TopModelName></UserAssignments><PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>"
        f"{cost.cycles}</Worst-caseLatency></SummaryOfOverallLatency></PerformanceEstimates>"
        f"<AreaEstimates><Resources>{amount}</Resources></AreaEstimates><ModuleInformation>{module}</ModuleInformation></profile>"
    )


@pytest.mark.long
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


def pace_of(design: Design) -> tuple[str | None, int | None]:
    """The loop of the source that is pipelined, and its predicted interval."""
    [told] = [e for e in predicted_of(design.plan, design.request.target).functions.values() if e.loop]
    return told.loop, told.interval


@pytest.mark.long
def test_an_interval_that_was_missed_becomes_a_rule(design: Design, user: Path, tmp_path: Path) -> None:
    report(design, tmp_path / "out", later=6)
    loop, interval = pace_of(design)
    assert interval is not None
    found, known = resolve(tmp_path / "out", source=None, device=None, limits=Limits(seconds=600.0))
    [rule] = found.request.target.measured
    assert (rule.statements, rule.loop, rule.cycles) == (("S0",), loop, interval + 6)
    assert known == Calibration.of_user() and known.rows[0].intervals == (rule,)
    assert found.outcome is not None and found.outcome.stop is Stop.PROVED
    as_before = estimate(design.plan, found.request.target).cycles
    assert design.cycles < as_before, "the old design is dearer than it was thought to be"
    assert design.cycles <= found.cycles < as_before, "and there are better ones now"
    assert pace_of(found)[0] != loop
    assert found.cycles == estimate(found.plan, found.request.target).cycles
    assert any(f"with `{loop}` pipelined, S0 cannot start before {interval + 6} cycles" in n for n in found.notes)
    other = optimize(replace(design.request, fixes=("adders=dsp", f"S0.pipeline={loop}")), calibration=known)
    assert pace_of(other) == (loop, interval + 6)
    assert "a report of Vitis 2023.2" in str(explain_design(other, Limits(seconds=600.0)))


def test_what_a_folder_was_told_of_its_loops_stays_in_it(design: Design, user: Path, tmp_path: Path) -> None:
    loop, interval = pace_of(design)
    assert interval is not None and loop is not None
    rule = MeasuredInterval(("S0",), loop, interval + 6, "2023.2")
    known = Calibration(user, (Measured("product", design.request.target.device.part, "2023.2", {}, (rule,)),))
    known.save()
    found = optimize(
        replace(design.request, fixes=("adders=dsp", f"S0.pipeline={loop}")), calibration=Calibration.of_user()
    )
    found.save(tmp_path / "again")
    data = json.loads((tmp_path / "again" / "design.json").read_text())
    jsonschema.validate(data["target"], schema("design")["properties"]["target"])
    report(found, tmp_path / "again", later=-2)
    assert pace_of(found) == (loop, interval + 6), "predicted as it was measured"
    again = resolve(tmp_path / "again", source=None, device=None, limits=Limits(seconds=600.0))[1]
    assert [row.intervals[0].cycles for row in again.rows] == [interval + 4], "measured anew"


def test_loops_of_other_kernels_and_parts_keep_their_rules(user: Path) -> None:
    target = make_target(load_device("u200"), budget="chip")
    rule = MeasuredInterval(("S0",), "k", 9, "2023.2")
    known = Calibration(
        user, (Measured("a", target.device.part, "1", {}, (rule,)), Measured("b", "x", "1", {}, (rule,)))
    )
    assert known.corrected(target, "a")[0].measured == (rule,)
    assert known.corrected(target, "b") == (target, ())
    other = MeasuredInterval(("S0",), "j", 5, "2023.2")
    both = known.with_row(Measured("a", target.device.part, "1", {}, (other,)))
    assert set(both.corrected(target, "a")[0].measured) == {rule, other}, "what nothing is said of stays"


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
    "text",
    [
        "",
        "{}",
        '[{"kernel": "a"}]',
        '[{"kernel": "a", "part": "p", "version": "1", "ratios": {"lut": -1}}]',
        '[{"kernel": "a", "part": "p", "version": "1", "ratios": {}, "intervals": [{"loop": "k"}]}]',
    ],
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
