"""Results on disk, their comparison, and the files for programs and people."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sisyphus.batch import JobResult, Results, changes, missing, page, tables
from sisyphus.errors import UsageError

DONE = JobResult(
    "a", "k1", "a.c", {"kernel": "a", "set": "MINI"}, 0, "a", {"cycles": 100, "dsp": 5}, "proved", 0.0, True
)
WRONG = JobResult(
    "b", "k2", "b.c", {"kernel": "b", "set": "MINI"}, 4, "b.failed", {"cycles": 50}, message="run: <differs>"
)
REFUSED = JobResult("c", "k3", "c.c", {"kernel": "c", "set": ""}, 1, "c", message="`i*j` is \x1b[1mnot affine")


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    store = Results(tmp_path / "new")
    for result in (DONE, WRONG, REFUSED):
        store.append(result)
    assert store.read() == [DONE, WRONG, REFUSED]
    store.replace([REFUSED, DONE])
    assert store.read() == [REFUSED, DONE]


def test_an_unfinished_line_is_cut_off(tmp_path: Path) -> None:
    store = Results(tmp_path)
    store.append(DONE)
    with store.path.open("a") as file:
        file.write(WRONG.line[:40])
    assert store.read() == [DONE]
    store.repair()
    store.append(REFUSED)
    assert store.read() == [DONE, REFUSED]


@pytest.mark.parametrize("line", ["{}", "3", "not json", '{"name": "x", "colour": 1}'])
def test_a_foreign_line_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    (tmp_path / "results.jsonl").write_text(f"{DONE.line}\n{line}\n")
    with pytest.raises(UsageError, match=r"results\.jsonl:2: no result"):
        Results(tmp_path).read()


def test_changes_are_ordered_and_judged_by_a_threshold() -> None:
    slower, lost = replace(DONE, figures={"cycles": 103}), replace(REFUSED, name="b2")
    before = [DONE, replace(DONE, name="b2"), replace(REFUSED, name="new")]
    after = [slower, lost, replace(DONE, name="new"), replace(DONE, name="unknown")]
    found = changes(before, after)
    assert [change.name for change in found] == ["b2", "a", "new"]
    assert [change.is_worse(0.02) for change in found] == [True, True, False]
    assert [change.is_worse(0.05) for change in found] == [True, False, False]
    assert found[1].text == "a: 100 -> 103 cycles (+3.0 %)"
    assert changes(before, before) == []


def test_what_a_comparison_cannot_compare_is_named() -> None:
    before = [DONE, replace(DONE, name="gone")]
    assert missing(before, ["a", "new"]) == ["gone"]
    for others in ([], before):
        with pytest.raises(UsageError, match="no job in common"):
            missing(others, ["x"])


def test_junit_tells_wrong_from_refused() -> None:
    suite = ElementTree.fromstring(tables([DONE, WRONG, REFUSED])["junit.xml"])
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    kinds = [[child.tag for child in case] for case in suite]
    assert kinds == [[], ["failure"], ["error"]]


def test_csv_has_a_row_for_each() -> None:
    rows = list(csv.DictReader(io.StringIO(tables([DONE, WRONG, REFUSED])["results.csv"])))
    assert [row["exit_code"] for row in rows] == ["0", "4", "1"]
    assert rows[0]["cycles"] == "100"


def test_the_page_needs_nothing_else_and_trusts_no_text() -> None:
    text = page([DONE, WRONG, REFUSED], changes([replace(DONE, figures={"cycles": 90})], [DONE]))
    assert "1 of 3 designs" in text and "&lt;differs&gt;" in text and "+11.1 %" in text
    assert "http" not in text and "<script" not in text
    assert "<td>to its end</td>" in text and ">BRAM18<" not in text and ">DSP<" in text
