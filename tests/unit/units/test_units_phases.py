"""Nests placed apart: phases of a kernel verified together, spoiled on purpose, run by the host, and chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from plain_points import pipelined_point
from unit_boards import run_host

from sisyphus.analysis import Cut, Dealer, Dependences, Share, cuts, dependences, handed_over, phase_of, restricted
from sisyphus.backends.hls import handings
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.kernel_forms import forms_of
from sisyphus.request import Request, Source, read_kernel
from sisyphus.schemas import schema
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target
from sisyphus.units import Count, Unit, UnitsDesign, optimize_units, places, recheck_units
from sisyphus.units.design import project_of, verdict_of
from sisyphus.units.phases import Handed, budget_parts, handed_by, promising
from sisyphus.units.programs import program
from sisyphus.units.shares import Beside, made, unwanted

ROOT = Path(__file__).parents[3]
SIZES = {
    "2mm": "NI=7 NJ=5 NK=4 NL=6",
    "3mm": "NI=6 NJ=4 NK=3 NL=5 NM=3",
    "atax": "M=5 N=6",
    "gemver": "N=7",
    "covariance": "M=6 N=4",
}


def known(name: str) -> tuple[Source, Dependences]:
    source = Source(str(ROOT / "kernels" / "polybench" / f"{name}.c"), defines=tuple(SIZES[name].split()))
    return source, dependences(read_kernel(source))


def shares(found: Dependences, count: int) -> list[Share]:
    """Of the first way to deal the outputs of a phase."""
    dealer = Dealer(found)
    dealing = dealer.dealings[0].dealing
    bounds = [dealing.extent * at // count for at in range(count + 1)]
    cut = [dealer.share(dealing, low, high) for low, high in pairwise(bounds)]
    return [share for share in cut if share is not None]


Spoil = Callable[[int, list[Share]], list[Share]]


def in_phases(
    source: Source, found: Dependences, cut: Cut, counts: Sequence[int], spoil: Spoil = lambda at, parts: parts
) -> list[Unit]:
    """Units of plain designs, so many in each phase."""
    units = list[Unit]()
    for at, count in enumerate(counts):
        phase = phase_of(found.scop, cut, at)
        parts = spoil(at, shares(dependences(phase.scop), count))
        seats = places(make_target(load_device("u200"), budget="routable"), len(parts))
        for share, place in zip(parts, seats, strict=True):
            part = restricted(phase.scop, share)
            kernel = forms_of(part.scop, replace(source, temporaries=unwanted(part.scop, share, ())))[0]
            point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
            units.append(replace(made(len(units), place, share, part, kernel, point), phase=at))
    return units


def failing(found: Dependences, units: Sequence[Unit], cut: Cut) -> tuple[list[str], list[str]]:
    """What the proof finds, and what is wrong with runs."""
    project = project_of(found.scop, units, None, ())
    verdict = verdict_of(found, units, project, (), cut=cut, full=False, listen=lambda stage: None)
    assert any(check.name == "run random" for check in verdict.checks)
    proved = [f"{c.name}: {c.detail}" for c in verdict.failures if not c.name.startswith("run")]
    return proved, [c.name for c in verdict.failures if c.name.startswith("run")]


def test_dependences_point_to_later_phases() -> None:
    for name in SIZES:
        _, found = known(name)
        for cut in cuts(found):
            at = {statement: number for number, part in enumerate(cut) for statement in part}
            assert sorted(at) == sorted(s.id for s in found.scop.statements)
            assert all(at[edge.source] <= at[edge.sink] for edge in found.edges)


def test_what_phases_hand_over_are_arguments_of_both() -> None:
    _, found = known("2mm")
    (cut,) = cuts(found)
    roles = [{a.id: a.role.value for a in phase_of(found.scop, cut, at).scop.arrays} for at in range(2)]
    assert roles[0]["tmp"] == "inout" and roles[1]["tmp"] == "in" and "D" not in roles[0] and "A" not in roles[1]
    assert phase_of(found.scop, cut, 0, ["tmp"]).temporaries == ()
    assert phase_of(found.scop, cut, 1, ["D"]).temporaries == ("D",)


@pytest.mark.parametrize(("name", "counts"), [("3mm", (3, 2)), ("gemver", (2, 2, 2)), ("covariance", (1, 2))])
def test_phases_pass(name: str, counts: tuple[int, ...]) -> None:
    source, found = known(name)
    cut = next(cut for cut in cuts(found) if len(cut) == len(counts))
    assert failing(found, in_phases(source, found, cut, counts), cut) == ([], [])


def test_phases_in_the_wrong_order_are_found() -> None:
    source, found = known("2mm")
    (cut,) = cuts(found)
    swapped = cut[::-1]
    proved, ran = failing(found, in_phases(source, found, swapped, (2, 2)), swapped)
    assert "order of phases: RAW S0 -> S2 on `tmp` runs backwards" in proved or any(
        told.startswith("order of phases") for told in proved
    )
    assert "run random" in ran


def test_a_lost_row_of_what_is_handed_over_is_found() -> None:
    source, found = known("2mm")
    (cut,) = cuts(found)

    def spoil(at: int, parts: list[Share]) -> list[Share]:
        if at:
            return parts
        (low, high), columns = parts[0].delivers[ArrayId("tmp")]
        return [replace(parts[0], delivers={ArrayId("tmp"): ((low, high - 1), columns)}), *parts[1:]]

    proved, ran = failing(found, in_phases(source, found, cut, (2, 2), spoil), cut)
    assert any(told.startswith("handed over: tmp from S1 to S3: [2]") for told in proved), proved
    assert "run random" in ran


def test_a_statement_in_no_phase_is_found() -> None:
    source, found = known("2mm")
    (cut,) = cuts(found)
    units = in_phases(source, found, cut, (2, 2))
    proved, _ = failing(found, units, (cut[0], cut[1][1:]))
    assert "statements of phases: some in no phase, or in several" in proved


def test_the_host_hands_over_on_the_board(tmp_path: Path) -> None:
    """Two units have rows of the intermediate, one of the next phase has all of it, which the host never sends."""
    source, found = known("2mm")
    (cut,) = cuts(found)
    units = in_phases(source, found, cut, (2, 1))
    done = run_host(units, tmp_path, "--repeat", "3", found=found)
    assert done.status == 0 and done.output.count("mismatches=0") == 3, done.output + done.errors
    copies = sum(handing.runs for handing in handings([program(unit) for unit in units]))
    assert copies == 2 and f"{5 * copies} copies" in done.errors
    host = (tmp_path / "host.cpp").read_text()
    arrays = [port for unit in units for port in unit.plan.ports if port.kind == "array"]
    sizes = [int(size) for size in re.findall(r"\(kernel\.device_, (\d+), ", host)]
    assert sizes == [prod(port.extents) * port.type.bytes for port in arrays]
    assert "unit_1_tmp.sync(XCL_BO_SYNC_BO_TO_DEVICE)" not in host and "unit_2_tmp.sync" not in host


def test_columns_are_copied_row_by_row(tmp_path: Path) -> None:
    source, found = known("3mm")
    (cut,) = cuts(found)
    units = in_phases(source, found, cut, (2, 1))
    assert units[0].share.delivers[ArrayId("F")] != units[0].share.delivers.get(ArrayId("E"))
    known_runs = sum(handing.runs for handing in handings([program(unit) for unit in units]))
    done = run_host(units, tmp_path, found=found)
    assert done.status == 0, done.output + done.errors
    assert f"{2 * known_runs} copies" in done.errors


def test_a_lost_copy_is_seen_by_the_host(tmp_path: Path) -> None:
    source, found = known("2mm")
    (cut,) = cuts(found)
    units = in_phases(source, found, cut, (2, 1))
    done = run_host(
        units, tmp_path, found=found, spoil=("hand_over({{&lane.unit_0", "if (false) hand_over({{&lane.unit_0")
    )
    assert done.status == 1 and "sisy: FAIL" in done.output


def request_of(name: str) -> tuple[Request, Dependences]:
    source, found = known(name)
    target = make_target(load_device("u55c"), budget="routable", dsp=60)
    return Request(source, target, limits=Limits(effort=0.4)), found


def test_cuts_are_tried_where_units_then_have_less_to_do() -> None:
    assert promising(request_of("2mm")[1], request_of("2mm")[0]) is None
    request, found = request_of("atax")
    hope = promising(found, request)
    assert hope is not None and hope.cut == (("S1", "S2"), ("S0", "S3")) and hope.ratio < 0.8
    assert not hope.helps(10_000, 250) and hope.helps(10**6, 250)


def test_budgets_are_shared_by_roots_of_work() -> None:
    _, found = known("3mm")
    (cut,) = cuts(found)
    first, second = budget_parts([phase_of(found.scop, cut, at) for at in range(2)])
    assert first + second == 1 and 0.5 < first < 0.75


#: One of two units would run nearly all of it without phases, as both need all of t.
TWICE = """
void twice(float A[24][20], float B[2][24], float x[20], float y[2]) {
    float t[24];
    for (int i = 0; i < 24; i++) {
        t[i] = 0.0f;
        for (int j = 0; j < 20; j++) t[i] += A[i][j] * x[j];
    }
    for (int j = 0; j < 2; j++) {
        y[j] = 0.0f;
        for (int i = 0; i < 24; i++) y[j] += B[j][i] * t[i];
    }
}
"""


@pytest.mark.long
def test_phases_are_chosen_written_and_checked_again(tmp_path: Path) -> None:
    (tmp_path / "twice.c").write_text(TWICE)
    target = make_target(load_device("u55c"), budget="routable", dsp=60)
    request = Request(Source(str(tmp_path / "twice.c")), target, limits=Limits(effort=0.4), html=True)
    design = optimize_units(request, 2)
    design.check()
    found = design.placed
    assert [u.number for u in found.units] == [0, 1, 2, 3] and [u.phase for u in found.units] == [0, 0, 1, 1]
    assert [sorted(unit.share.delivers) for unit in found.units] == [["t"], ["t"], ["y"], ["y"]]
    assert found.handed == handed_by([program(unit) for unit in found.units]) == Handed(copies=4, bytes=192, starts=1)
    assert design.cycles == sum(split.cycles for split in found.splits) + found.handing_cycles
    budgets = [unit.place.target.budget.dsp for unit in found.units]
    assert budgets[0] + budgets[2] <= 60
    assert "in 2 phases" in str(design) and "assumed, never measured" in str(design)
    assert [*Draft202012Validator(dict(schema("units"))).iter_errors(json.loads(json.dumps(design.design_data)))] == []
    folder = design.save(tmp_path / "out")
    assert "of 2 phases" in (folder / "report.html").read_text()
    again = recheck_units(folder)
    assert again.verdict.passed and any(c.name.startswith("handed over: t") for c in again.verdict.checks)
    data = json.loads((folder / "design.json").read_text())
    data["phases"][0]["statements"].append(data["phases"][1]["statements"].pop(0))
    (folder / "design.json").write_text(json.dumps(data))
    with pytest.raises(KernelError, match="its nests are"):
        recheck_units(folder)


#: Rows of t are no whole number of wide beats, which phases pad or not as they like where nothing ties them.
ROWS = """
void rows(float A[12][18], float t[12][19], float B[19][18], float y[12][8], float C[19][8]) {
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 19; j++) {
            t[i][j] = 0.0f;
            for (int k = 0; k < 18; k++) t[i][j] += A[i][k] * B[j][k];
        }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 8; j++) {
            y[i][j] = 0.0f;
            for (int k = 0; k < 19; k++) y[i][j] += t[i][k] * C[k][j];
        }
}
"""


def rows_of(tmp_path: Path, phases: Count) -> UnitsDesign:
    (tmp_path / "rows.c").write_text(ROWS)
    target = make_target(load_device("u55c"), budget="routable", dsp=60)
    source, options = Source(str(tmp_path / "rows.c")), Options(tiles="divisors")
    request = Request(source, target, options, limits=Limits(effort=0.2), verify=False)
    return optimize_units(request, 2, phases=phases)


@pytest.mark.long
def test_as_many_phases_as_are_asked_for_lie_alike_in_memory(tmp_path: Path) -> None:
    """One phase is faster, as no unit needs another's rows; with two, each unit hands over its rows in one piece."""
    assert len(rows_of(tmp_path, "auto").placed.splits) == len(rows_of(tmp_path, 1).placed.splits) == 1
    found = rows_of(tmp_path, 2).placed
    assert [unit.phase for unit in found.units] == [0, 0, 1, 1] and found.handed.copies == 2
    ports = [port for unit in found.units for port in program(unit).ports if port.name == "t"]
    assert len(ports) == 4 and {(port.layout, port.stripes) for port in ports} == {("plain", 1)}
    with pytest.raises(KernelError, match="`rows` cannot be cut into 3 phases"):
        rows_of(tmp_path, 3)


def test_where_no_phase_can_be_dealt_the_reason_is_that_of_the_whole(tmp_path: Path) -> None:
    """A sum of all that the first phase writes: one unit has all of it, and a second phase is a single element."""
    loop = "for (int i = 0; i < 64; i++) { b[i] = 2 * a[i]; s += b[i]; }"
    (tmp_path / "sum.c").write_text(f"void k(float a[64], float b[64], float *out) {{ float s = 0; {loop} *out = s; }}")
    target = make_target(load_device("u55c"), budget="routable", dsp=60)
    request = Request(Source(str(tmp_path / "sum.c")), target, limits=Limits(effort=0.2), verify=False)
    with pytest.raises(KernelError, match="over 2 units: a unit of two would run 100% of the operations"):
        optimize_units(request, 2)


def test_arrays_that_are_handed_over_have_one_port_and_plain_rows() -> None:
    _, found = known("3mm")
    (cut,) = cuts(found)
    beside = Beside(handed=handed_over(cut, found.scop))
    assert beside.fixes(phase_of(found.scop, cut, 0).scop) == (
        "E.ports=1",
        "F.ports=1",
        "E.layout=plain",
        "F.layout=plain",
    )
    _, found = known("atax")
    request, _ = request_of("atax")
    hope = promising(found, request, 2)
    assert hope is not None and Beside(handed=handed_over(hope.cut, found.scop)).fixes(found.scop) == ("tmp.ports=1",)
