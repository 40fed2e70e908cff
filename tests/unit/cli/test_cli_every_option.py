"""Every option of every command that takes a saved design or folder is used, as its effect shows, or refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import Ran, sisy

from sisyphus.cli.main import sisy as group

KERNEL = """
#if 0
#include "/etc/hostname"
#endif
#ifdef WIDE
#define T double
#else
#define T float
#endif
void scale(T a[16], T b[16], T s) { for (int i = 0; i < 16; i++) a[i] = s * b[i]; }
"""
#: What is typed, and what shows that it is heard: a word of the output, or the exit status of a refusal.
REFUSED, HEARD = 2, ""
OPTIMIZE = {
    "function": ("--function nothing", "there is no function `nothing`"),
    "defines": ("-D WIDE", "wider than 512 bits"),
    "include_dirs": ("-I nowhere", "no such folder"),
    "sandboxed": ("--sandbox-includes", "outside of the kernel's folder"),
    "params": ("--param N=3", "no integer parameter"),
    "extents": ("--extent q=3", "`q`"),
    "temporaries": ("--local a", "a"),
    "device": ("--device zcu104", "zcu104"),
    "platform": ("--platform none-such", "none-such"),
    "budget": ("--budget chip", "the whole chip"),
    "dsp": ("--dsp 1", "DSPs"),
    "mem": ("--mem 8", "bytes"),
    "bram": ("--bram 1", "BRAM18"),
    "uram": ("--uram 0", "--uram as ordered"),
    "lut": ("--lut 10", "LUTs"),
    "ff": ("--ff 10", "flip-flops"),
    "clock": ("--clock 111", "111 MHz"),
    "max_partition": ("--max-partition 1", "banks"),
    "model": ("--model paper", "paper's model"),
    "reuse": ("--reuse pessimistic", REFUSED),
    "tree_reduction": ("--tree-reduction", REFUSED),
    "tiles": ("--tiles ragged", REFUSED),
    "padding": ("--no-padding", REFUSED),
    "objective": ("--objective report", REFUSED),
    "trust": ("--trust measured", REFUSED),
    "fixes": ("--fix S0.i=4x1x4", REFUSED),
    "schedule": ("--schedule order.txt", REFUSED),
    "solver": ("--solver exact", REFUSED),
    "time_limit": ("--time-limit never", "no time"),
    "effort": ("--effort 3", REFUSED),
    "seed": ("--seed 3", REFUSED),
    "gap": ("--gap 3", REFUSED),
    "start": ("--start design.json", REFUSED),
    "units": ("--units 2", REFUSED),
    "phases": ("--phases 2", REFUSED),
    "streams": ("--streams", REFUSED),
    "top": ("--top 2", REFUSED),
    "front": ("--pareto", REFUSED),
    "no_cache": ("--no-cache", REFUSED),
    "calibration": ("--calibration", REFUSED),
    "explain": ("--explain --time-limit 1", "neighbours of"),
    "verify_how": ("--verify full", REFUSED),
    "verify_limit": ("--verify-limit 20s", REFUSED),
    "no_verify": ("", HEARD),
    "output": ("-o made", "written to made"),
    "html": ("--html", REFUSED),
    "compare_cpu": ("--compare-cpu", "gcc -O3"),
    "as_json": ("--json", '"verdict"'),
    "quiet": ("-q --dsp 99999", HEARD),
    "verbose": ("-v", "codegen"),
    "memory_limit": ("--memory-limit 1kB", "less than any run needs"),
}
ESTIMATE = {
    **{
        name: OPTIMIZE[name]
        for name in [
            "function",
            "defines",
            "include_dirs",
            "sandboxed",
            "params",
            "extents",
            "device",
            "platform",
            "clock",
            "memory_limit",
        ]
    },
    "temporaries": ("--local a", "a"),
    "budget": ("--budget chip", "6,840"),
    "dsp": ("--dsp 7", "of 7\n"),
    "mem": ("--mem 7MB", "of 7,000,000\n"),
    "bram": ("--bram 7", "of 7\n"),
    "uram": ("--uram 7", "of 7\n"),
    "lut": ("--lut 7", "of 7\n"),
    "ff": ("--ff 7", "of 7\n"),
    "operations": ("--operations 1000000", "GF/s"),
    "as_json": ("--json", '"cycles"'),
}
FOLDER = {
    "source": ("--source nothing.c", "no such file"),
    "device": ("--device u50", "is the part"),
    "sandboxed": ("--sandbox-includes", "outside of the kernel's folder"),
    "as_json": ("--json", "{"),
    "memory_limit": ("--memory-limit 1kB", "less than any run needs"),
}
EXPLAIN = FOLDER | {
    "time_limit": ("--time-limit never", "no time"),
    "seed": ("--seed x", "--seed"),
    "quiet": ("-q", HEARD),
}
VERIFY = FOLDER | {"full": ("--full", HEARD), "quiet": ("-q", HEARD)}
CASES = (
    [("optimize scale.c --design out/design.json", name, *case) for name, case in OPTIMIZE.items()]
    + [("estimate scale.c --design out", name, *case) for name, case in ESTIMATE.items()]
    + [("explain out", name, *case) for name, case in EXPLAIN.items()]
    + [("verify out", name, *case) for name, case in VERIFY.items()]
)
#: The words that the tables are rows of.
GIVEN = {"kernel", "kernels", "design", "folder"}


@pytest.mark.parametrize(
    ("command", "table"),
    [("optimize", OPTIMIZE), ("estimate", ESTIMATE), ("explain", EXPLAIN), ("verify", VERIFY)],
)
def test_no_option_is_left_out(command: str, table: dict[str, object]) -> None:
    assert {p.name for p in group.commands[command].params} - GIVEN == set(table)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    (folder / "scale.c").write_text(KERNEL)
    done = sisy("optimize", "scale.c", "--no-verify", "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def words_of(command: str, typed: str) -> list[str]:
    words = [*command.split(), *typed.split()]
    return words if "--verify" in words or not command.startswith("optimize") else [*words, "--no-verify"]


@pytest.mark.parametrize(
    ("command", "name", "typed", "heard"), CASES, ids=[f"{c.split()[0]} {t or n}" for c, n, t, _ in CASES]
)
def test_an_option_is_heard_or_refused(command: str, name: str, typed: str, heard: str | int, place: Path) -> None:
    if typed == "--verify full":
        typed += " --no-verify"
    done = sisy(*words_of(command, typed), cwd=place)
    if isinstance(heard, int):
        assert done.returncode == heard, done.stdout + done.stderr
        assert f"`{typed.split()[0].replace('--no-padding', '--padding')}`" in done.stderr
    else:
        assert heard in done.stdout + done.stderr
        assert done.returncode in (0, 1, 2, 3, 4)


def test_what_is_asked_for_together_must_have_a_meaning(place: Path) -> None:
    for words, said in (
        (["optimize", "scale.c", "--reuse", "pessimistic"], "`--reuse` needs the paper's model"),
        (["optimize", "scale.c", "--model", "paper", "--lut", "10"], "`--lut` needs the measured model"),
        (["optimize", "scale.c", "--model", "paper", "--trust", "measured"], "`--trust` needs the measured model"),
        (["batch", "scale.c", "-o", "many", "--threshold", "3%"], "`--threshold` is for a comparison"),
        (["estimate", "scale.c", "--design", "out/design.json", "--max-partition", "1"], "No such option"),
    ):
        done = sisy(*words, cwd=place)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_project_file_that_is_not_read_is_named(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "here")
    (tmp_path / "here" / "sisy.toml").write_text('[space]\n"S0.order" = "i"\n')
    done: Ran = sisy(*words_of("optimize scale.c --design out/design.json", "--json"), cwd=tmp_path / "here")
    assert done.returncode == 0 and json.loads(done.stdout)["design"]
    assert "note: sisy.toml is not read: `--design` asks for no search" in done.stderr
