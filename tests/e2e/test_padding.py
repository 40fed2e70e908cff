"""Ports wider than what divides a row, as a user meets them: awkward sizes, the options, a folder checked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from e2e.test_optimize import POLYBENCH, sisy

PRIMES = [str(POLYBENCH / "gemm.c"), "-DNI=11", "-DNJ=13", "-DNK=7", "--dsp", "300"]


def widths(folder: Path) -> dict[str, tuple[int, str, list[int]]]:
    """Elements per beat, layout and extents in memory of each array."""
    interface = json.loads((folder / "design.json").read_text())["interface"]
    return {
        a["name"]: (a["vector_elements"], a["layout"], a["padded_extents"]) for a in interface if a["kind"] == "array"
    }


def test_rows_of_awkward_sizes_are_padded_to_wide_beats(tmp_path: Path) -> None:
    done = sisy("optimize", *PRIMES, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    assert "16, rows padded to 16" in done.stdout
    found = widths(tmp_path / "out")
    assert found["C"] == (16, "padded", [11, 16])
    assert found["A"] == (8, "padded", [11, 8])
    again = sisy("verify", "out", cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert sisy("lint", "out", cwd=tmp_path).returncode == 0


def test_a_beat_of_bytes_has_as_many_as_a_port_moves(tmp_path: Path) -> None:
    """Rows of 100 bytes are padded to two beats of 64, and those of 16 bits to four of 32."""
    text = """
#include <stdint.h>
void edges(uint8_t image[24][100], int16_t found[24][100])
{
    for (int i = 0; i < 24; i++)
        for (int j = 1; j < 99; j++)
            found[i][j] = image[i][j + 1] - image[i][j - 1];
}
"""
    (tmp_path / "edges.c").write_text(text)
    fixed = ["--fix", "image.width=64", "--fix", "found.width=32", "--effort", "1"]
    done = sisy("optimize", "edges.c", *fixed, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout and "64, rows padded to 128" in done.stdout
    assert widths(tmp_path / "out") == {"image": (64, "padded", [24, 128]), "found": (32, "padded", [24, 128])}
    named = json.loads((tmp_path / "out" / "design.json").read_text())["estimate"]["evidence"]["constructs"]
    assert "transfer-of-narrow-elements" in {construct["id"] for construct in named}
    assert sisy("lint", "out", cwd=tmp_path).returncode == 0


def test_a_wrong_beat_in_a_saved_design_is_refused(tmp_path: Path) -> None:
    """One port has one layout, and plain rows of 13 elements take single elements only."""
    assert sisy("optimize", *PRIMES, "--no-verify", "-o", "out", cwd=tmp_path).returncode == 0
    file = tmp_path / "out" / "design.json"
    data = json.loads(file.read_text())
    for transfer in data["design"]["transfers"]:
        transfer["layout"] = "plain"
    (tmp_path / "point.json").write_text(json.dumps(data["design"]))
    done = sisy("optimize", *PRIMES, "--design", "point.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "elements per beat does not divide the last dimension" in done.stderr
    assert "Traceback" not in done.stderr


def test_tiles_lie_one_after_another(tmp_path: Path) -> None:
    """Of arrays that one nest has tiles of where it pays, of others as fixed; a run at smaller sizes has them, too."""
    (tmp_path / "product.c").write_text(
        "void product(const float A[20][25], const float x[25], float y[20]) {\n"
        "  for (int i = 0; i < 20; i++) for (int j = 0; j < 25; j++) y[i] += A[i][j] * x[j];\n}\n"
    )
    words = ["--mem", "1kB", "--effort", "0.1", "--fix", "adders=dsp"]
    done = sisy("optimize", "product.c", *words, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    interface = json.loads((tmp_path / "out" / "design.json").read_text())["interface"]
    [packed] = [a for a in interface if a["layout"] == "packed"]
    assert packed["name"] == "A" and len(packed["tile"]) == 2 and len(packed["padded_extents"]) == 4
    again = sisy("verify", "out", cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert sisy("lint", "out", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("words", [["--no-padding"], ["--fix", "C.layout=plain", "--fix", "A.layout=plain"]])
def test_padding_can_be_refused(words: list[str], tmp_path: Path) -> None:
    done = sisy("optimize", *PRIMES, *words, "--no-verify", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = widths(tmp_path / "out")
    assert found["C"] == (1, "plain", [11, 13])
    assert found["A"] == (1, "plain", [11, 7])


def test_the_papers_model_knows_no_padding(tmp_path: Path) -> None:
    done = sisy("optimize", *PRIMES, "--model", "paper", "--no-verify", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {layout for _, layout, _ in widths(tmp_path / "out").values()} == {"plain"}
