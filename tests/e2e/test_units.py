"""`--units`: a kernel over several SLRs, from the command line to a folder that is checked again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import sisy
from jsonschema import Draft202012Validator

from sisyphus.schemas import schema

GEMM = str(Path(__file__).parents[2] / "kernels" / "polybench" / "gemm.c")
SIZES = ("-D", "NI=12", "-D", "NJ=4", "-D", "NK=3")
SMALL = (*SIZES, "--dsp", "60", "--effort", "0.5")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("units") / "gemm"
    done = sisy("optimize", GEMM, *SMALL, "--units", "3", "-o", str(place))
    assert done.returncode == 0, done.stderr
    assert "3 units" in done.stdout and "verification: passed" in done.stdout
    return place


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "gemm"))


def changed(folder: Path, change: Any) -> None:
    path = folder / "design.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_the_folder_has_a_kernel_for_each_unit(written: Path) -> None:
    names = {path.name for path in written.iterdir()}
    for number in range(3):
        assert {f"kernel_{number}.cpp", f"kernel_{number}.h", f"hls_config_kernel_{number}.cfg"} <= names
    data = json.loads((written / "design.json").read_text())
    assert [unit["slr"] for unit in data["units"]] == [0, 1, 2]
    low, high = zip(*(unit["share"] for unit in data["units"]), strict=True)
    assert (low[0], high[-1], low[1:]) == (0, 12, high[:-1])
    assert data["cycles"] == max(unit["estimate"]["cycles"] for unit in data["units"])
    text = (written / "system.cfg").read_text()
    for number in range(3):
        unit = f"kernel_gemm_{number}"
        assert f"nk={unit}:1:{unit}_1" in text and f"slr={unit}_1:SLR{number}" in text and f"sp={unit}_1.C:DDR[" in text


def test_the_folder_is_verified_again(folder: Path) -> None:
    done = sisy("verify", str(folder), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    names = [check["name"] for check in json.loads(done.stdout)["verdict"]["checks"]]
    assert {"file system.cfg", "shares of C: complete", "shares of C: apart", "run random"} <= set(names)


def overlap(data: dict[str, Any]) -> None:
    data["units"][1]["share"][0] -= 1


def lose_a_row(data: dict[str, Any]) -> None:
    data["units"][1]["share"][0] += 1


@pytest.mark.parametrize("change", [overlap, lose_a_row])
def test_other_shares_than_those_of_the_designs_are_refused(folder: Path, change: Any) -> None:
    """The design of a unit has tiles of its own share, and is none of another."""
    changed(folder, change)
    assert sisy("verify", str(folder)).returncode in (1, 4)


def test_a_changed_kernel_fails(folder: Path) -> None:
    path = folder / "kernel_1.cpp"
    path.write_text(path.read_text().replace("+ 0", "+ 1", 1) + "// by hand\n")
    done = sisy("verify", str(folder))
    assert done.returncode == 4 and "file kernel_1.cpp" in done.stdout


def test_a_missing_kernel_fails(folder: Path) -> None:
    (folder / "kernel_2.cpp").unlink()
    done = sisy("verify", str(folder))
    assert done.returncode == 4 and "kernel_2.cpp: is missing" in done.stdout


@pytest.mark.long
def test_the_same_again_is_the_same_and_json_says_what_design_json_says(written: Path, tmp_path: Path) -> None:
    words = ("-o", str(tmp_path / "again"), "--no-verify", "--no-cache", "--json")
    done = sisy("optimize", GEMM, *SMALL, "--units", "3", *words)
    assert done.returncode == 0
    told = json.loads(done.stdout)
    told.pop("run")
    assert told == json.loads((written / "design.json").read_text())
    for path in written.iterdir():
        if path.name not in ("run.json", "report.md"):
            assert (tmp_path / "again" / path.name).read_text() == path.read_text(), path.name


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", GEMM, *SIZES, "--design", "{}"),
        ("optimize", GEMM, *SIZES, "--design", "{}"),
        ("optimize", GEMM, *SIZES, "--start", "{}"),
        ("readback", "{}"),
    ],
)
def test_what_needs_one_design_of_the_whole_kernel_says_so(folder: Path, words: tuple[str, ...]) -> None:
    done = sisy(*(word.format(folder) for word in words))
    assert done.returncode == 1
    assert "a design of several units" in done.stderr and "hint: `sisy verify`" in done.stderr


def test_the_page_has_every_unit(folder: Path) -> None:
    done = sisy("report", str(folder))
    assert done.returncode == 0, done.stderr
    text = (folder / "report.html").read_text()
    assert "kernel_gemm on u200, 3 units" in text and "C by dimension 0" in text
    assert text.count("<h3>S1 ") == 3 and text.count("S1: C[i][j] = ") == 3 and text.count("Verification</h2>") == 1


@pytest.mark.long
def test_the_page_is_written_at_once(tmp_path: Path) -> None:
    words = ("--units", "2", "--html", "--no-verify", "-o", str(tmp_path / "out"))
    assert sisy("optimize", GEMM, *SMALL, *words).returncode == 0
    assert "Not verified" in (tmp_path / "out" / "report.html").read_text()


def test_differences_are_those_of_the_slowest_units(folder: Path, tmp_path: Path) -> None:
    done = sisy("diff", str(folder), str(folder), "--json")
    data = json.loads((folder / "design.json").read_text())
    cycles = [unit["estimate"]["cycles"] for unit in data["units"]]
    told = json.loads(done.stdout)
    assert told["cycles"] == [max(cycles)] * 2 and told["names"] == [f"{folder}, unit {cycles.index(max(cycles))}"] * 2
    assert not told["chosen"] and "the same number of cycles" in told["reason"]


@pytest.mark.long
def test_the_slowest_unit_is_explained(folder: Path) -> None:
    done = sisy("explain", str(folder), "--time-limit", "2", "--json")
    told = json.loads(done.stdout)
    cycles = [unit["estimate"]["cycles"] for unit in json.loads((folder / "design.json").read_text())["units"]]
    assert told["cycles"] == max(cycles)
    assert told["of"] == f"unit {cycles.index(max(cycles))}, the slowest of 3"
    assert "the slowest of 3" in sisy("explain", str(folder / "design.json"), "--time-limit", "2").stdout


@pytest.mark.long
def test_it_is_explained_at_once(tmp_path: Path) -> None:
    words = ("--units", "3", "--explain", "--effort", "2", "--no-verify", "-o", str(tmp_path / "out"))
    done = sisy("optimize", GEMM, *SIZES, "--dsp", "60", *words)
    assert done.returncode == 0, done.stderr
    assert "unit 0, the slowest of 3\n" in done.stdout and "neighbours of" in done.stdout
    told = json.loads((tmp_path / "out" / "explain.json").read_text())
    data = json.loads((tmp_path / "out" / "design.json").read_text())
    assert told["cycles"] == data["cycles"] and told["complete"]


def test_it_is_what_the_schema_says(written: Path) -> None:
    data = json.loads((written / "design.json").read_text())
    assert [*Draft202012Validator(dict(schema("units"))).iter_errors(data)] == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data["units"][1].update(slrs=1), "units[1].slrs: no such field; did you mean `slr`?"),
        (lambda data: data["units"][1]["design"].pop("nests"), "units[1].design.nests: is missing"),
        (lambda data: data["phases"][0]["dealing"].update(apart="no"), "phases[0].dealing.apart: "),
        (lambda data: data["units"][0]["share"].append(9), "units[0].share: "),
    ],
)
def test_what_the_schema_does_not_say_is_refused_with_its_place(folder: Path, change: Any, told: str) -> None:
    changed(folder, change)
    for command in ("verify", "report"):
        done = sisy(command, str(folder))
        assert done.returncode == 1 and told in done.stderr and "hint: `sisy schema units`" in done.stderr


def test_lint_looks_at_all_units(folder: Path) -> None:
    done = sisy("lint", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--units", "4"), 2, "`u200` has 3 SLRs"),
        (("--units", "0"), 2, "is no number of units"),
        (("--units", "2", "--pareto"), 2, "`--units` and `--pareto` cannot go together"),
        (("--units", "2", "--top", "3"), 2, "`--units` and `--top` cannot go together"),
        (("--streams",), 2, "`--streams` needs `--units`"),
        (("--units", "2", "--phases", "2", "--streams"), 2, "`--streams` and `--phases` cannot go together"),
        (("--units", "2", "--model", "paper"), 2, "`--units` needs the measured model"),
        pytest.param(
            ("--units", "3", "--dsp", "0", "--lut", "10", "--time-limit", "3"),
            3,
            "fits an SLR of `u200`",
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], code: int, told: str) -> None:
    done = sisy("optimize", GEMM, *SIZES, "--time-limit", "20", "--no-verify", *words)
    assert done.returncode == code, done.stderr
    assert told in done.stderr


def test_a_failed_split_leaves_nothing(tmp_path: Path) -> None:
    lu = str(Path(GEMM).with_name("lu.c"))
    done = sisy("optimize", lu, "-D", "N=8", "--units", "2", "-o", str(tmp_path / "lu"))
    assert done.returncode == 1 and "cannot be dealt over 2 units" in done.stderr
    assert not (tmp_path / "lu").exists()
