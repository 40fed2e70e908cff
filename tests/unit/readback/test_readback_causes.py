"""Violations of initiation intervals: layouts of several versions, the log, and what they say of a kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import sisy

from sisyphus.pipeline import Design, Request, Source, optimize, read_back
from sisyphus.readback import Comparison, comparison_text, read_csynth
from sisyphus.target import load_device, make_target

SOURCE = """void product(float C[24][32], const float A[24][16], const float B[16][32]) {
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 32; j++)
      for (int k = 0; k < 16; k++)
        C[i][j] = C[i][j] + A[i][k] * B[k][j];
}
"""
#: As Vitis HLS 2025.2 writes loops: without names and types, ranges where bounds move, violations left out.
REPORT = """<profile>
<ReportVersion><Version>2025.2</Version></ReportVersion><UserAssignments><TopModelName>product</TopModelName></UserAssignments>
<PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>undef</Worst-caseLatency>
</SummaryOfOverallLatency></PerformanceEstimates><ModuleInformation><Module><Name>{module}</Name><PerformanceEstimates>
<SummaryOfLoopLatency><tile><TripCount><range><min>2</min><max>40</max></range></TripCount><Latency>77</Latency>
<PipelineII>{interval}</PipelineII><PipelineDepth>9</PipelineDepth></tile></SummaryOfLoopLatency><SummaryOfViolations>
<IssueType>-</IssueType><SummaryOfLoopViolations><tile><IssueType>-</IssueType><ViolationType>-</ViolationType></tile>
</SummaryOfLoopViolations></SummaryOfViolations></PerformanceEstimates></Module></ModuleInformation></profile>
"""
TABLE = """== Synthesis Summary Report of 'product'
    * Version:        2025.2 (Build 1 on Nov 14 2025)
    +-----------+-------+------------+----------+----------+----------+-------+----------+
    |  Modules  | Issue | Violation  | Distance | Interval |   Trip   |       | Pipelined|
    |  & Loops  | Type  |    Type    |          |          |   Count  |  BRAM |          |
    +-----------+-------+------------+----------+----------+----------+-------+----------+
    |+ product  |      -|           -|         -|         -|         -|     - |        no|
    | + {module}  |   -|           -|         -|         -|         -|     - |        no|
    |  o tile   |    II | {cause}    |        3 |        4 |   2 ~ 40 |     - |       yes|
    +-----------+-------+------------+----------+----------+----------+-------+----------+
"""
PORTS = (
    "WARNING: [HLS 200-885] The II Violation in module '{module}' (loop 'tile'): Unable to schedule 'load' operation "
    "32 bit ('x', kernel.cpp:9) on array '{array}' due to limited memory ports (II = {interval}). Please "
    "consider using a memory core with more ports or partitioning the array '{array}'."
)
CARRIED = (
    "WARNING: [HLS 200-880] The II Violation in module '{module}' (loop 'tile'): Unable to enforce a carried "
    "dependence constraint (II = 1, distance = 2, offset = 1) between 'store' operation ('y', kernel.cpp:9) of "
    "variable 'add' on array 'buf_C_3' and 'load' operation ('z', kernel.cpp:9) on array 'buf_C_3'."
)
END = "INFO: [HLS 200-1470] Pipelining result : Target II = 1, Final II = 4, Depth = 9, loop 'tile'"


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    source = tmp_path_factory.mktemp("kernel") / "product.c"
    source.write_text(SOURCE)
    target = make_target(load_device("u200"), budget="chip", dsp=200)
    return optimize(Request(Source(str(source)), target, fixes=("S0.pipeline=j",), verify=False))


def back(design: Design, out: Path, module: str, interval: int, *log: str) -> Comparison:
    """A folder of the design with a report of one loop, and with a log of these lines."""
    design.save(out)
    (out / "build").mkdir()
    (out / "build" / "csynth.xml").write_text(REPORT.format(module=module, interval=interval))
    lines = [line.format(module=module, array="buf_A_2", interval=n) for n, line in enumerate(log, 1)]
    (out / "build" / "csynth.log").write_text("\n".join([*lines, END]))
    return read_back(out, source=None, device=None)


def test_a_loop_without_name_and_type_is_read(design: Design, tmp_path: Path) -> None:
    found = back(design, tmp_path / "out", "task0_Pipeline_tile", 1)
    told = {row.what: row.reported for row in found.rows if ": tile: " in row.what}
    assert told == {"task0: tile: II": 1, "task0: tile: iteration latency": 9, "task0: tile: trip count": 40}
    assert found.violations == ()


def test_the_log_names_the_array_where_the_report_leaves_the_violation_out(design: Design, tmp_path: Path) -> None:
    found = back(design, tmp_path / "out", "task0_Pipeline_tile", 4, PORTS, PORTS)
    [told] = found.violations
    assert (told.function, told.loop.issue, told.loop.cause) == ("task0", "II Violation", "Resource Limitation")
    assert [what.partition(" ")[0] for what in told.statements] == ["S0"] and told.statements[0].endswith(
        "product.c:5)"
    )
    assert told.arrays == ("A (gmem_a)",)
    assert "`--fix A.partition=…`, now " in told.hint and "level-2 tiles of `S0`" in told.hint
    text = comparison_text(found)
    assert "arrays: A (gmem_a)" in text and "log: Unable to schedule 'load' operation" in text and "(II = 1)" in text


def test_a_dependence_is_answered_with_loops_that_move_through_the_array(design: Design, tmp_path: Path) -> None:
    [told] = back(design, tmp_path / "out", "task0", 4, CARRIED).violations
    assert told.arrays == ("C (gmem_c)",) and told.loop.distance == 2
    assert told.hint.endswith("a longer level 1 of `j` (`--fix S0.j=…`) or `--fix S0.pipeline=i`")
    assert "pipeline=k" not in told.hint


@pytest.mark.parametrize("module", ["load_A", "load_A_spread", "load_A_spread_1", "load_A_Pipeline_tile"])
def test_a_transfer_is_mapped_to_its_array_and_port(module: str, design: Design, tmp_path: Path) -> None:
    [told] = back(design, tmp_path / "out", module, 2, PORTS).violations
    assert told.arrays == ("A (gmem_a)",)
    assert [what.partition(" ")[0] for what in told.statements] == ["S0"]
    assert "`--fix A.width=…`, now " in told.hint and "`--fix A.partition=…`" in told.hint


def test_warnings_of_a_loop_that_met_its_interval_are_none(design: Design, tmp_path: Path) -> None:
    assert back(design, tmp_path / "out", "task0", 1, PORTS).violations == ()


@pytest.mark.parametrize(("cause", "named"), [("Memory Dependency", ["C"]), ("Resource Limitation", ["C", "A", "B"])])
def test_the_table_knows_what_the_xml_leaves_out(cause: str, named: list[str], design: Design, tmp_path: Path) -> None:
    """Later tables have columns for the cause and its distance."""
    out = tmp_path / "out"
    back(design, out, "task0", 4)
    table = out / "build" / "csynth.rpt"
    table.write_text(TABLE.format(module="task0", cause=cause))
    [loop] = read_csynth(table).modules[1].loops
    assert (loop.issue, loop.cause, loop.distance, loop.trip) == ("II Violation", cause, 3, 40)
    [told] = read_back(out, source=None, device=None).violations
    assert (told.loop.cause, told.loop.distance) == (cause, 3)
    assert [array.partition(" ")[0] for array in told.arrays] == named


@pytest.mark.parametrize(
    ("cause", "hint"),
    [
        ("Memory Dependency", "let more starts pass between updates of an element"),
        ("Resource Limitation", "give the array more banks"),
        ("Timing", "see the schedule viewer"),
        ("-", "csynth.rpt names no cause: read csynth.xml or the log back"),
    ],
)
def test_a_report_alone_is_answered_by_its_cause(cause: str, hint: str, tmp_path: Path) -> None:
    """Of code that sisy did not write, which has no design.json."""
    (tmp_path / "csynth.rpt").write_text(TABLE.format(module="other", cause=cause))
    [told] = read_back(tmp_path, source=None, device=None).violations
    assert (told.function, told.statements, told.arrays) == ("other", (), ()) and told.hint.startswith(hint)


def test_the_command_says_what_the_reports_say(design: Design, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = back(design, tmp_path / "out", "task0_Pipeline_tile", 4, PORTS)
    done = sisy("readback", str(tmp_path / "out"))
    assert done.returncode == 0 and comparison_text(found) in done.stdout
    [told] = json.loads(sisy("readback", str(tmp_path / "out"), "--json").stdout)["violations"]
    assert told["arrays"] == ["A (gmem_a)"]
    refused = sisy("readback", str(tmp_path / "out"), "-o", str(tmp_path / "again"))
    assert refused.returncode == 2 and "hint: add --resolve" in refused.stderr
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    words = ("--resolve", "--time-limit", "600s", "-q", "-o", str(tmp_path / "again"))
    solved = sisy("readback", str(tmp_path / "out"), *words)
    assert solved.returncode == 0, solved.stderr
    assert "S0 cannot start before 4 cycles" in solved.stdout and (tmp_path / "again" / "design.json").exists()
