"""More than one design, and why, as a user asks for it: the commands, their files, and failures for machines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import sisy

KERNEL = """
void decay(float h[2][4], float r[4]) {
  for (int t = 0; t < 2; t++)
    for (int c = 0; c < 4; c++)
      h[t][c] = h[t][c] * r[c];
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel, and in `out` a design with everything that can be asked for beside it."""
    place = tmp_path_factory.mktemp("more")
    (place / "decay.c").write_text(KERNEL)
    words = ["decay.c", "--dsp", "20", "--top", "3", "--pareto", "--explain", "-o", "out", "--json"]
    done = sisy("optimize", *words, cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (place / "said.json").write_text(done.stdout)
    return place


@pytest.mark.long
def test_every_design_told_is_a_file_that_can_be_built(folder: Path) -> None:
    said = json.loads((folder / "said.json").read_text())
    out = folder / "out"
    for several, stem in ((said["designs"], "design"), (said["pareto"]["front"], "pareto")):
        assert len(several) >= 2
        for row in several[1:]:
            path = out / f"{stem}-{row['number']}.json"
            cost = json.loads(sisy("estimate", "decay.c", "--design", str(path), "--json", cwd=folder).stdout)
            assert (cost["cycles"], cost["dsp"], cost["bram18k"]) == (row["cycles"], row["dsp"], row["bram18k"])
    last = said["pareto"]["front"][-1]
    words = ["--design", f"out/pareto-{last['number']}.json", "-o", "small"]
    built = sisy("optimize", "decay.c", *words, cwd=folder)
    assert built.returncode == 0, built.stderr
    assert "verification: passed" in built.stdout


def test_the_folder_holds_the_front_as_data_and_picture_and_the_explanation(folder: Path) -> None:
    said = json.loads((folder / "said.json").read_text())
    assert json.loads((folder / "out/pareto.json").read_text())["front"] == said["pareto"]["front"]
    assert json.loads((folder / "out/explain.json").read_text()) == said["explanation"]
    root = ElementTree.fromstring((folder / "out/pareto.svg").read_text())
    points = [e for e in root.iter() if e.get("id", "").startswith("design-")]
    assert len(points) == 2 * len(said["pareto"]["front"])
    assert "## Why" in (folder / "out/report.md").read_text()


def test_a_folder_is_explained_again(folder: Path) -> None:
    done = sisy("explain", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "with 10 % more of one budget" in done.stdout
    again = json.loads(sisy("explain", "out/design.json", "--json", cwd=folder).stdout)
    said = json.loads((folder / "said.json").read_text())["explanation"]
    assert again["neighbours"] == said["neighbours"]
    (folder / "moved.c").write_text(KERNEL + "\n")
    changed = sisy("explain", "out", "--source", "moved.c", cwd=folder)
    assert changed.returncode == 1
    assert "SHA-256" in changed.stderr


def test_another_run_leaves_no_designs_of_the_last_one(folder: Path) -> None:
    out = folder / "again"
    assert sisy("optimize", "decay.c", "--top", "2", "--no-verify", "-o", str(out), cwd=folder).returncode == 0
    (out / "notes-2.json").write_text("mine")
    assert (out / "design-2.json").exists()
    assert sisy("optimize", "decay.c", "--no-verify", "-o", str(out), cwd=folder).returncode == 0
    assert not (out / "design-2.json").exists()
    assert (out / "notes-2.json").read_text() == "mine"


def test_a_gap_ends_the_search_with_a_proof_within_it(folder: Path) -> None:
    done = sisy("optimize", "decay.c", "--gap", "30%", "--no-verify", "--json", cwd=folder)
    solver = json.loads(done.stdout)["run"]["solver"]
    assert solver["stop"] == "proved"
    assert solver["gap"] <= 0.3 + 1e-9


def test_a_search_begins_with_a_design(folder: Path) -> None:
    done = sisy("optimize", "decay.c", "--start", "out/design.json", "--no-verify", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["notes"] == []
    other = sisy("optimize", "decay.c", "--fix", "S0.t=2x1x1", "--start", "out/design.json", "--no-verify", cwd=folder)
    assert other.returncode == 0, other.stderr
    assert "note: `--start` is no design of this space" in other.stdout


CONTRADICTIONS = [
    (["--gap", "100"], 2, "usage", "no gap"),
    (["--gap", "-1"], 2, "usage", "no gap"),
    (["--top", "0"], 2, "usage", "0"),
    (["--pareto", "--design", "out/design.json"], 2, "usage", "`--pareto` asks for a search"),
    (["--start", "out/design.json", "--design", "out/design.json"], 2, "usage", "`--start` asks for a search"),
    (["--explain", "--model", "paper"], 2, "usage", "measured model"),
    (["--start", "nothing.json"], 1, "kernel", "nothing.json: no such file"),
    (["--dsp", "0"], 3, "no-design", "no design of `decay` fits"),
    (["--time-limit", "never"], 2, "usage", "no time"),
    (["--nonsense"], 2, "usage", "--nonsense"),
]


@pytest.mark.parametrize(
    ("words", "status", "kind", "said"), CONTRADICTIONS, ids=[" ".join(c[0]) for c in CONTRADICTIONS]
)
def test_a_failure_is_told_to_machines_too(folder: Path, words: list[str], status: int, kind: str, said: str) -> None:
    done = sisy("optimize", "decay.c", *words, "--no-verify", "--json", cwd=folder)
    assert done.returncode == status, done.stderr
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"]) == (kind, status)
    assert said in error["message"]
    assert said in done.stderr


def test_a_refused_kernel_tells_machines_where(folder: Path) -> None:
    (folder / "bad.c").write_text(KERNEL.replace("r[c]", "r[c * c]"))
    done = sisy("optimize", "bad.c", "--json", cwd=folder)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], error["place"]["line"]) == (1, "kernel", 5)
    assert error["diagnostics"][0]["rule"]
    assert error["hint"]


def test_a_budget_beyond_the_device_is_said(folder: Path) -> None:
    done = sisy("optimize", "decay.c", "--dsp", "99999", "--mem", "2GB", "--no-verify", cwd=folder)
    assert done.returncode == 0
    assert "note: `--dsp 99999` is more than the device has; its 6,840 bind" in done.stderr
    assert "`--mem 2GB`" in done.stderr
    assert sisy("optimize", "decay.c", "--dsp", "99999", "--no-verify", "-q", cwd=folder).stderr == ""
