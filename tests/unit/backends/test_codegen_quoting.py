"""Whatever a name is, it stays a name: each language is asked what it reads."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hand_plans import gemm_resident

from sisyphus.backends.hls import project, quoting
from sisyphus.target import load_device, make_target

HOSTILE = (
    "$(shell touch BAD)",
    "[exec touch BAD]",
    "`touch BAD`",
    "a;touch BAD",
    "x'; touch BAD; '",
    'x"; touch BAD; "',
    "a\ntouch BAD",
    "a # b",
    "back\\slash\\",
    "*/ int bad; /*",
    "{ unbalanced",
    "$::env(HOME)",
    "${HOME}",
    "tab\tä\udcff",
    "-option",
)
#: Commands of Vitis do nothing; of `set_part` the number of its words and the part are shown.
SHOW_PART = """
proc unknown args {if {[lindex $args 0] eq "set_part"} {puts -nonewline "[llength $args] [lindex $args 1]"}}
source run_hls.tcl
"""
RULES = "quoted = '$(subst ','\\'',$(1))'\nall:\n\t@printf '%s' $(call quoted,<$(NAME)>)\n"


def run(command: list[str], place: Path) -> str:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    assert not (place / "BAD").exists(), done.stdout + done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("text", HOSTILE)
def test_make_reads_the_name_itself(text: str, tmp_path: Path) -> None:
    plain = quoting.one_line(text)
    (tmp_path / "Makefile").write_text(f"NAME := {quoting.make_value(text)}\n{RULES}")
    assert run(["make", "-s"], tmp_path).replace(" >", ">") == f"<{plain}>"


@pytest.mark.parametrize("text", HOSTILE)
def test_c_reads_on_behind_comments_with_the_name(text: str, tmp_path: Path) -> None:
    comments = f"/* {quoting.c_comment(text)} */\n// {quoting.c_comment(text)}\n"
    (tmp_path / "a.c").write_text(
        f'#include <stdio.h>\n{comments}int main(void) {{ fputs("on", stdout); return 0; }}\n'
    )
    run(["gcc", "-trigraphs", "-w", "a.c", "-o", "a"], tmp_path)
    assert run(["./a"], tmp_path) == "on"


@pytest.mark.skipif(shutil.which("tclsh") is None, reason="tclsh is not installed")
@pytest.mark.parametrize("text", HOSTILE)
def test_tcl_reads_the_name_itself(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.tcl").write_text(f"puts -nonewline {quoting.tcl_word(text)}\n")
    assert run(["tclsh", "a.tcl"], tmp_path) == quoting.one_line(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_build_files_of_a_device_with_such_names(text: str, tmp_path: Path) -> None:
    hostile = replace(load_device("u55c"), name=text, part=text)
    files = project(gemm_resident(), make_target(hostile)).files
    if shutil.which("tclsh") is not None:
        (tmp_path / "run_hls.tcl").write_text(files["run_hls.tcl"])
        (tmp_path / "a.tcl").write_text(SHOW_PART)
        assert run(["tclsh", "a.tcl"], tmp_path) == f"2 {quoting.one_line(text)}"
    assert sum(line.startswith("part=") for line in files["hls_config.cfg"].splitlines()) == 1
    (tmp_path / "Makefile").write_text(files["Makefile"])
    (tmp_path / "system.cfg").write_text("")
    (tmp_path / "build").mkdir(exist_ok=True)
    (tmp_path / "build" / "package.done").write_text("")
    command = ["make", "-o", "build/package.done", "xclbin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert quoting.one_line(text) in done.stderr and not (tmp_path / "BAD").exists()
