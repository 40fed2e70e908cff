"""How far from the limit, and how it beside the processor, a design is said to be."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from sisyphus.cpu import CpuTime, time_on_cpu
from sisyphus.model.backing import Backing
from sisyphus.model.limit import Limit
from sisyphus.pipeline import Design, Request, Source, optimize
from sisyphus.report.evidence import told
from sisyphus.report.limits import held_back_by
from sisyphus.report.tables import shortened
from sisyphus.target import load_device, make_target

SOURCE = "void k(float a[64], const float b[64]) { for (int i = 0; i < 64; i++) a[i] = a[i] * b[i]; }"


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    path = tmp_path_factory.mktemp("kernel") / "k.c"
    path.write_text(SOURCE)
    return optimize(Request(Source(str(path)), make_target(load_device("u200"), budget="chip"), verify=False))


def test_a_design_near_its_limit_is_not_scolded(design: Design) -> None:
    near = replace(design, limit=Limit(design.estimate.cycles, 1, 1, "S0"))
    text = near.text
    assert f"limit: {design.estimate.cycles:,} cycles, by operators; this design takes 1.00x" in text
    assert "far from" not in text


def test_a_bad_design_is_told_what_holds_it_back(design: Design) -> None:
    text = replace(design, limit=Limit(1, 1, 1, "S0"), cpu=CpuTime(1e-9, 3, "gcc -O3")).text
    assert f"far from the limit, held back by {held_back_by(design.estimate)}" in text
    assert "times SLOWER" in text
    data = replace(design, limit=Limit(1, 2, 3, "S0")).data
    assert data["limit"]["ratio"] == design.estimate.cycles / 3 and data["limit"]["memory"] == 2


def test_a_report_that_knows_no_banks_is_not_faster_than_these(design: Design) -> None:
    least = design.estimate.cycles + 1
    banks = replace(design, limit=Limit(1, least, 1, "S0"))
    assert design.estimate.rtl[1] > least and banks.data["limit"]["ratio"] == design.estimate.rtl[1] / least
    assert "x in RTL, as the synthesis report knows no banks" in banks.text and "no banks" not in design.text


def test_the_source_is_timed_as_it_is(design: Design) -> None:
    found = time_on_cpu(design.kernel.scop, fast_math=True)
    assert found.seconds > 0 and found.runs >= 2 and "-ffast-math" in found.compiler


@pytest.mark.parametrize(
    ("inferred", "said"), [(0.001, "; less than 1 % of"), (0.006, "; 1 % of"), (0.34, "; 34 % of")]
)
def test_a_share_that_is_small_is_not_said_to_be_none(inferred: float, said: str) -> None:
    assert told(cast(Backing, SimpleNamespace(is_trusted=False, inferred=inferred))).startswith(said)


def test_a_nest_of_many_statements_has_a_short_name_in_tables() -> None:
    assert shortened("S0+S1") == "S0+S1"
    assert shortened("+".join(f"S{at}" for at in range(3, 99))) == "S3+S4+…+S98"
