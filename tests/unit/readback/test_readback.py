"""Vendor reports beside predictions: real samples, a report as predicted, and one with a planted difference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sisyphus.errors import KernelError, UsageError
from sisyphus.pipeline import Design, Request, Source, optimize, read_back
from sisyphus.readback import Comparison, compare, comparison_data, comparison_text, predicted_of, read_csynth
from sisyphus.target import load_device, make_target

SAMPLES = Path(__file__).parents[4] / "shared" / "oracle" / "csynth"
SOURCE = """void scale_sum(float y[32], const float A[32][16], const float x[16]) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 16; j++)
      y[i] = y[i] + A[i][j] * x[j];
}
"""

READ = json.loads((Path(__file__).parents[2] / "data" / "csynth_read.json").read_text())["reports"]
sampled = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample reports are not here")


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    source = tmp_path_factory.mktemp("kernel") / "scale_sum.c"
    source.write_text(SOURCE)
    return optimize(Request(Source(str(source)), make_target(load_device("u200"), budget="chip"), verify=False))


def report(design: Design, **spoiled: int) -> str:
    """A csynth.xml that says just what was predicted, but for the II of one function and its violation."""
    predicted = predicted_of(design.plan, design.request.target)
    modules = []
    for name, told in predicted.functions.items():
        loops, wrong = "", ""
        if told.interval is not None:
            interval = spoiled.get(name, told.interval)
            loops = (
                f"<SummaryOfLoopLatency><L><Name>L</Name><TripCount>{told.trip}</TripCount><PipelineII>{interval}"
                f"</PipelineII><PipelineDepth>{told.depth}</PipelineDepth><PipelineType>yes</PipelineType></L>"
                "</SummaryOfLoopLatency>"
            )
            if name in spoiled:
                wrong = (
                    "<SummaryOfLoopViolations><L><Name>L</Name><IssueType>II Violation</IssueType><ViolationType>"
                    "Memory Dependency</ViolationType><IterationDistance>1</IterationDistance></L>"
                    "</SummaryOfLoopViolations>"
                )
        modules.append(
            f"<Module><Name>{name}</Name><PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>{told.cycles}"
            f"</Worst-caseLatency></SummaryOfOverallLatency>{loops}<SummaryOfViolations><IssueType>-</IssueType>{wrong}"
            "</SummaryOfViolations></PerformanceEstimates></Module>"
        )
    cost = predicted.estimate
    return (
        "<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments><TopModelName>"
        f"{design.plan.scop.name}</TopModelName></UserAssignments><PerformanceEstimates><SummaryOfOverallLatency>"
        f"<Worst-caseLatency>{cost.cycles}</Worst-caseLatency></SummaryOfOverallLatency></PerformanceEstimates>"
        f"<AreaEstimates><Resources><DSP>{cost.dsp}</DSP><LUT>undef</LUT></Resources></AreaEstimates>"
        f"<ModuleInformation>{''.join(modules)}</ModuleInformation></profile>"
    )


def of(text: str, design: Design, tmp_path: Path) -> Comparison:
    path = tmp_path / "csynth.xml"
    path.write_text(text)
    return compare(read_csynth(path), predicted_of(design.plan, design.request.target))


def test_a_report_as_predicted_differs_nowhere(design: Design, tmp_path: Path) -> None:
    found = of(report(design), design, tmp_path)
    ratios = {row.what: row.ratio for row in found.rows if row.ratio is not None}
    assert len(ratios) >= 6 and set(ratios.values()) == {1.0}
    assert found.violations == ()
    assert next(row for row in found.rows if row.what == "lut").reported is None


def test_a_doctored_loop_is_named_with_statement_and_array(design: Design, tmp_path: Path) -> None:
    name = next(task.name for task in design.plan.tasks if "S0" in task.running)
    found = of(report(design, **{name: 77}), design, tmp_path)
    [violation] = found.violations
    assert violation.function == name
    assert [what.partition(" ")[0] for what in violation.statements] == ["S0"]
    assert violation.statements[0].endswith("scale_sum.c:4)")
    assert [array.partition(" ")[0] for array in violation.arrays] == ["y"]
    off = [row for row in found.rows if row.ratio is not None and row.ratio != 1]
    assert [row.what for row in off] == [f"{name}: L: II"]
    text = comparison_text(found)
    assert "II Violation" in text and "77" in text
    assert comparison_data(found)["violations"][0]["loop"]["interval"] == 77


def test_a_written_folder_is_read_back(design: Design, tmp_path: Path) -> None:
    out = tmp_path / "out"
    design.save(out)
    with pytest.raises(UsageError, match="no csynth"):
        read_back(out, source=None, device=None)
    (out / "build").mkdir()
    (out / "build" / "csynth.xml").write_text(report(design))
    (out / "build" / "top_utilization_routed.rpt").write_text(
        "| CLB LUTs                   | 1234 |     0 |   | 1 |\n| Block RAM Tile | 3.5 | 0 |\n| DSPs | 7 | 0 |\n"
    )
    (out / "build" / "top_timing_summary_routed.rpt").write_text(
        "    WNS(ns)      TNS(ns)\n    -------      -------\n     -0.125       -1.0\n"
    )
    found = read_back(out, source=None, device=None)
    assert found.rows[0].ratio == 1.0
    assert found.implementation is not None
    assert found.implementation.resources == {"lut": 1234, "bram18k": 7, "dsp": 7}
    assert found.implementation.slack_ns == -0.125
    assert [(r.what, r.predicted, r.reported) for r in found.implemented][3] == ("lut", design.estimate.lut, 1234)
    assert "worst slack -0.125 ns: the clock is not met" in comparison_text(found)
    (out / "build" / "csynth.xml").unlink()
    alone = read_back(out, source=None, device=None)
    assert (alone.synthesis, alone.rows, alone.implemented) == (None, (), found.implemented)
    assert "no csynth report below" in comparison_text(alone) and "Vitis HLS" not in comparison_text(alone)
    data = comparison_data(alone)
    assert data["report"] is None and data["implementation"]["figures"][3]["reported"] == 1234


KERNELS = """
| Name              | LUT              | LUTAsMem       | REG              | BRAM         | URAM       | DSP         |
| Platform          | 192064 [ 16.25%] | 17282 [ 2.92%] | 268446 [ 11.35%] | 314 [14.54%] | 20 [2.08%] |  10 [0.15%] |
|    Used Resources |  69389 [  7.01%] |  7136 [ 1.24%] |  91572 [  4.37%] |  87 [ 4.71%] | 10 [1.06%] | 414 [6.06%] |
"""


def test_the_report_of_kernels_goes_before_that_of_the_whole_device(tmp_path: Path) -> None:
    """`v++ --link` writes both, and the shell of the board is in the latter; tiles of BRAM are two blocks."""
    place = tmp_path / "build" / "link" / "reports" / "link" / "imp"
    place.mkdir(parents=True)
    (place / "impl_1_full_util_routed.rpt").write_text("| CLB LUTs                   | 261453 |     0 |   | 1 |\n")
    found = read_back(tmp_path, source=None, device=None)
    assert found.implementation is not None and found.implementation.resources == {"lut": 261453}
    assert "the shell of the board is in it" in comparison_text(found)
    (place / "impl_1_kernel_util_routed.rpt").write_text(KERNELS)
    found = read_back(tmp_path, source=None, device=None)
    assert found.implementation is not None
    amounts = {"lut": 69389, "ff": 91572, "bram18k": 174, "uram": 10, "dsp": 414}
    assert found.implementation.resources == amounts
    assert "shell" not in comparison_text(found)


@pytest.mark.parametrize("text", ["", "<html></html>", "<profile></profile>"])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "csynth.xml"
    path.write_text(text)
    with pytest.raises(KernelError, match=r"csynth\.xml"):
        read_csynth(path)


@sampled
@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("suffix", ["xml", "rpt"])
def test_the_figures_of_real_reports(name: str, suffix: str) -> None:
    """Every figure that a person reads in the table of modules; causes stand in csynth.xml alone."""
    read, found = READ[name], read_csynth(SAMPLES / f"{name}.csynth.{suffix}")
    assert [getattr(found, what) for what in ("top", "version", "part", "latency")] == [
        read[what] for what in ("top", "version", "part", "latency")
    ]
    assert {kind: found.resources[kind] for kind in read["resources"]} == read["resources"]
    latencies = {module.name: module.latency for module in found.modules}
    assert {function: latencies[function] for function in read["functions"]} == read["functions"]
    loops = {module.function: loop for module in found.modules for loop in module.loops}
    told = {f: [p.name, p.latency, p.depth, p.interval, p.trip, p.issue] for f, p in loops.items()}
    assert told == read["loops"]
    if suffix == "xml":
        assert {f: [p.cause, p.distance, p.place] for f, p in loops.items() if p.issue} == read["causes"]


@sampled
@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("suffix", ["xml", "rpt"])
def test_violations_of_real_reports_are_named_with_their_causes(name: str, suffix: str) -> None:
    found = compare(read_csynth(SAMPLES / f"{name}.csynth.{suffix}"), None)
    text, read = comparison_text(found), READ[name]
    violated = [function for function, loop in read["loops"].items() if loop[-1]]
    assert [violation.function for violation in found.violations] == violated
    for function in violated:
        assert f"II Violation in {function}, loop {read['loops'][function][0]}" in text
        cause, distance, place = read["causes"][function]
        said = f"at {place}: {cause}, distance {distance}" if suffix == "xml" else "csynth.xml"
        assert said in text
