"""What a batch consists of: jobs with names, options and keys; files of sweeps and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sisyphus.batch import Sweep, jobs_of, left_out, read_sweep
from sisyphus.errors import KernelError, UsageError

SIZES = "[scale]\nMINI = { N = 8 }\nSMALL = { N = 16 }\n\n[copy]\nMINI = { N = 4 }\n"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    for name in ("scale", "copy"):
        (tmp_path / f"{name}.c").write_text(f"#ifndef N\n#define N 8\n#endif\nvoid {name}(float a[N]) {{}}\n")
    (tmp_path / "sizes.toml").write_text(SIZES)
    return tmp_path


def test_every_axis_multiplies_the_jobs(kernels: Path) -> None:
    sweep = Sweep((str(kernels),), sets=("MINI",), devices=("u200", "u55c"), tree_reduction="both")
    names = [job.name for job in jobs_of(sweep)]
    assert names[:4] == ["copy-MINI-u200", "copy-MINI-u200-tree", "copy-MINI-u55c", "copy-MINI-u55c-tree"]
    assert len(names) == len(set(names)) == 8


def test_a_kernel_without_the_set_is_left_out(kernels: Path) -> None:
    assert [job.name for job in jobs_of(Sweep((str(kernels),), sets=("SMALL",)))] == ["scale-SMALL-u200"]
    [told] = left_out(Sweep((str(kernels),), sets=("MINI", "SMALL")))
    assert told == f"{kernels / 'copy.c'}: left out, as sizes.toml beside it gives no sizes for SMALL"
    assert left_out(Sweep((str(kernels),))) == []
    with pytest.raises(UsageError, match="no kernel has a data set `HUGE`"):
        jobs_of(Sweep((str(kernels),), sets=("HUGE",)))


def test_arguments_are_those_of_optimize(kernels: Path) -> None:
    sweep = Sweep((str(kernels / "scale.c"),), ("MINI",), options=("--gap", "1"), budgets={"small": ("--dsp", "9")})
    [job] = jobs_of(sweep)
    assert job.arguments == ("-D", "N=8", "--device", "u200", "--dsp", "9", "--gap", "1")
    assert job.name == "scale-MINI-u200-small"


def test_the_key_knows_text_headers_and_options(kernels: Path) -> None:
    source = kernels / "scale.c"
    (kernels / "sizes.h").write_text("#define M 3\n")
    source.write_text('#include "sizes.h"\nvoid scale(float a[M]) {}\n')
    [job] = jobs_of(Sweep((str(source),)))
    first = job.key
    assert first == job.key
    assert first != replace(job, arguments=(*job.arguments, "--no-padding")).key
    (kernels / "sizes.h").write_text("#define M 4\n")
    assert first != replace(job).key


def test_the_key_knows_the_files_that_options_name(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board of one's own that changes, or what reports corrected, changes what a search comes to."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(kernels))
    board, design, own = kernels / "board.toml", kernels / "old" / "design.json", kernels / "sisyphus-hls"
    for path in (board, design, own / "calibration.json"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("1")
    words = ("--device", str(board), f"--start={design.parent}", "--calibration")
    [job] = jobs_of(Sweep((str(kernels / "scale.c"),)))
    keys = [replace(job, arguments=words).key]
    for path in (board, design, own / "calibration.json"):
        path.write_text("2")
        keys.append(replace(job, arguments=words).key)
    assert len(set(keys)) == 4
    (own / "calibration.json").write_text("3")
    assert replace(job, arguments=words[:3]).key == replace(job, arguments=words[:3]).key


def test_a_device_that_there_is_not_is_told_before_anything_runs(kernels: Path) -> None:
    with pytest.raises(KernelError, match="unknown device `u20`"):
        jobs_of(Sweep((str(kernels),), devices=("u200", "u20")))


def test_a_sweep_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('[sweep]\nkernels = ["k"]\nsets = ["MINI"]\ntree_reduction = "both"\n[sweep.budgets]\nall = []\n')
    assert read_sweep(path) == Sweep(("k",), ("MINI",), tree_reduction="both", budgets={"all": ()})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernels = 3", "one table"),
        ("[sweep]\nkernel = []", "`kernel` is no key"),
        ("[sweep]\nsets = []", "names no `kernels`"),
        ("[sweep]\nkernels = [3]", "`kernels` is a list of strings"),
        ('[sweep]\nkernels = []\ntree_reduction = "maybe"', "`tree_reduction` is one of"),
        ("[sweep]\nkernels = []\nbudgets = []", "`budgets` is a table"),
        ("[sweep]\nkernels = []\ntimeout_s = true", "`timeout_s` is a number"),
        ("[sweep", "sweep.toml"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        read_sweep(path)
    assert str(path) in caught.value.message


def test_a_word_for_optimize_is_no_kernel() -> None:
    with pytest.raises(UsageError) as refused:
        jobs_of(Sweep(kernels=("--units",)))
    assert refused.value.hint == "a word for `sisy optimize` is given as `--option=--units`"
