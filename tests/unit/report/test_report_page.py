"""The page of a design: whole, self-contained, made again from the JSON files alone, and readable in a browser."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sisyphus.errors import KernelError
from sisyphus.pipeline import Design, Request, Source, optimize, write_page
from sisyphus.report.page import loops_of, nest_shown
from sisyphus.target import load_device, make_target

SOURCE = """void k(float C[16][24], const float A[16][20], const float B[20][24]) {
  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)
    for (int l = 0; l < 20; l++) C[i][j] += A[i][l] * B[l][j];
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("page")
    (place / "k.c").write_text(SOURCE)
    request = Request(
        Source(str(place / "k.c")), make_target(load_device("u200"), budget="chip"), html=True, verify=False
    )
    design: Design = optimize(request)
    design.save(place / "out")
    return place / "out"


class Reader(HTMLParser):
    """Tags that were opened and not closed, and every address that a page asks for."""

    VOID = frozenset({"meta", "br", "path", "use", "rect"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.asked += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.asked += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_well_formed_and_asks_for_nothing(folder: Path) -> None:
    reader = Reader()
    reader.feed((folder / "report.html").read_text())
    assert reader.open == []
    assert all(address.startswith("#") for address in reader.asked)


def test_the_page_says_what_design_json_says(folder: Path) -> None:
    text, data = (folder / "report.html").read_text(), json.loads((folder / "design.json").read_text())
    assert f"{data['estimate']['cycles']:,} cycles" in text
    for call in data["calls"]:
        assert f'<th scope="row">{call["name"]}{": S0" * (call["kind"] == "task")}</th>' in text
    ends = [call["start"] + call["cycles"] for call in data["calls"]]
    assert max(ends) <= data["estimate"]["cycles"]
    for construct in data["estimate"]["evidence"]["constructs"]:
        assert construct["source"].split("&")[0].split("<")[0][:30] in text
    assert "Not verified" in text
    assert len(text) < 2_000_000


def test_the_page_shows_limits_and_the_search(folder: Path) -> None:
    text, data = (folder / "report.html").read_text(), json.loads((folder / "design.json").read_text())
    limit, trace = data["limit"], json.loads((folder / "run.json").read_text())["trace"]
    assert limit["operations"] == 2 * 16 * 20 * 24 and limit["bytes_per_cycle"] == 256
    assert "<h2>Roofline</h2>" in text and f"{limit['operations']:,} operations in" in text
    assert trace and f"{trace[-1]['cost']:,.0f}" in text
    assert [m["seconds"] for m in trace] == sorted(m["seconds"] for m in trace)
    costs = [m["cost"] for m in trace if m["cost"] is not None]
    assert costs == sorted(costs, reverse=True) and costs[-1] == data["estimate"]["cycles"]
    assert "<h2>Latency and area</h2>" not in text and f"{max(s['dsp'] for s in data['target']['slrs']):,}" in text


def test_a_front_is_on_the_page(folder: Path, tmp_path: Path) -> None:
    for name in ("design.json", "run.json"):
        (tmp_path / name).write_text((folder / name).read_text())
    figures = {"cycles": 900, "dsp": 5, "bram18k": 3, "uram": 0, "lut": 1234, "ff": 9}
    front = {"complete": True, "front": [{"number": 1} | figures]}
    (tmp_path / "pareto.json").write_text(json.dumps(front))
    text = write_page(tmp_path).read_text()
    assert (
        "<h2>Latency and area</h2>" in text
        and "<title>design 1: 900 cycles, 5 DSP, 3 BRAM18, 1,234 LUT</title>" in text
    )
    reader = Reader()
    reader.feed(text)
    assert reader.open == []


def test_it_is_made_again_from_the_files_alone(folder: Path) -> None:
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    assert write_page(folder).read_bytes() == before


def test_a_file_of_another_version_is_refused(folder: Path, tmp_path: Path) -> None:
    data = json.loads((folder / "design.json").read_text())
    del data["estimate"]["terms"]
    (tmp_path / "design.json").write_text(json.dumps(data))
    with pytest.raises(KernelError, match="not as this version writes it"):
        write_page(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_loops_are_read_from_outside() -> None:
    nest = {"statements": ["S1"], "order": ["k", "i"], "tiles": {"i": [5, 2, 4], "k": [8, 1, 1]}, "pipeline": "i"}
    assert loops_of(nest, 3) == [
        "for k0 in 0 .. 7",
        "  for i0 in 0 .. 4",
        "    for i1 in 0 .. 1   pipelined: a start every 3 cycles",
        "      for all i2 in 0 .. 3 at once: 4 copies",
        "        S1",
    ]


def test_nests_have_their_statements_and_say_what_iterators_are_made_of(folder: Path) -> None:
    data = json.loads((folder / "design.json").read_text())
    [nest] = data["design"]["nests"]
    shown = nest_shown(nest, data)
    assert shown["lines"][-1].strip() == "S0: C[i][j] = C[i][j] + A[i][l] * B[l][j];   k.c:3"
    assert shown["task"] == "task0" and "a start every" in "".join(shown["lines"])
    for loop, (outer, middle, inner) in nest["tiles"].items():
        weights = [(middle * inner, outer, 0), (inner, middle, 1), (1, inner, 2)]
        parts = [f"{f'{w} ' * (w > 1)}{loop}{level}" for w, count, level in weights if count > 1]
        assert f"{loop} = {' + '.join(parts)}" in shown["made"]
    del data["code"]
    assert nest_shown(nest, data)["lines"][-1].strip() == "S0", "a file of an earlier version"


def test_buffers_budgets_and_slrs_are_told(folder: Path, tmp_path: Path) -> None:
    text, data = (folder / "report.html").read_text(), json.loads((folder / "design.json").read_text())
    for buffer in data["code"]["buffers"]:
        assert " × ".join(map(str, buffer["extents"])) in text and f"{buffer['bytes']:,}" in text
    assert "banks of one array" in text and "SLR 2 has" in text and "is one function, and" not in text
    assert "searched to the end, in" in text or "stopped by" in text
    data["estimate"]["dsp"] = 3000
    (tmp_path / "design.json").write_text(json.dumps(data))
    assert "it takes more DSP than any one SLR has" in write_page(tmp_path).read_text()


def test_a_report_is_made_of_a_design_without_what_only_this_version_writes(folder: Path, tmp_path: Path) -> None:
    data = json.loads((folder / "design.json").read_text())
    del data["code"]
    (tmp_path / "design.json").write_text(json.dumps(data))
    assert "<h2>Buffers</h2>" in write_page(tmp_path).read_text()
