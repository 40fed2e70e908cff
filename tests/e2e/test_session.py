"""What the system does to a run, and what a run leaves behind: nothing is lost, nothing stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: A guard, far above what any of these takes.
LONGEST_S = 300
SISY = [sys.executable, "-c", "from sisyphus.cli import main; main()"]
KERNEL = "void k(float A[8], float B[8]) { for (int i = 0; i < 8; i++) B[i] = A[i] + B[i]; }\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a kernel and a temporary folder of its own."""
    (tmp_path / "k.c").write_text(KERNEL)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def start(place: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    env = {**os.environ, "TMPDIR": str(place / "tmp"), **more}
    pipe = subprocess.PIPE
    return subprocess.Popen([*SISY, *words], cwd=place, env=env, stdout=pipe, stderr=pipe, text=True)


def finish(running: subprocess.Popen[str]) -> tuple[int, str]:
    output, errors = running.communicate(timeout=LONGEST_S)
    return running.returncode, output + errors


def hanging_compiler(place: Path) -> str:
    """A PATH on which g++ answers, but never compiles."""
    (place / "bin").mkdir()
    tool = place / "bin" / "g++"
    tool.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo fake; exit; }\necho $$ > "$MARK"; sleep 1000\n')
    tool.write_text(tool.read_text().replace("$MARK", str(place / "mark")))
    tool.chmod(0o755)
    return f"{place / 'bin'}:{os.environ['PATH']}"


def wait_for(path: Path) -> int:
    for _ in range(10 * LONGEST_S):
        if path.exists() and path.read_text().strip():
            return int(path.read_text())
        time.sleep(0.1)
    raise AssertionError(f"no {path.name}")


def is_alive(process: int) -> bool:
    """Zombies aside, which wait for whoever started them."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_nothing_the_next_one_does_not_clear(place: Path, number: signal.Signals) -> None:
    running = start(place, "optimize", "k.c", PATH=hanging_compiler(place))
    compiler = wait_for(place / "mark")
    running.send_signal(number)
    finish(running)
    if number == signal.SIGKILL:
        assert list((place / "tmp").iterdir()) and is_alive(compiler)
        assert finish(start(place, "solvers"))[0] == 0
    assert list((place / "tmp").iterdir()) == []
    for _ in range(10 * LONGEST_S):  # the system takes a moment to end it
        if not is_alive(compiler):
            return
        time.sleep(0.1)
    pytest.fail("the compiler goes on")


def test_an_interrupted_verification_keeps_the_design(place: Path) -> None:
    running = start(place, "optimize", "k.c", "-o", "out", PATH=hanging_compiler(place))
    wait_for(place / "mark")
    running.send_signal(signal.SIGINT)
    code, said = finish(running)
    assert code == 130 and "NOT VERIFIED" in said and (place / "out" / "kernel.cpp").exists()
    assert list((place / "tmp").iterdir()) == []


def test_what_would_be_in_vain_is_found_before_the_search(place: Path) -> None:
    (place / "thesis").mkdir()
    (place / "thesis" / "text").write_text("mine")
    code, said = finish(start(place, "optimize", "k.c", "-o", "thesis"))
    assert code == 2 and "not written by sisy" in said and "predicted" not in said
    (place / "empty").mkdir()
    code, said = finish(start(place, "optimize", "k.c", PATH=str(place / "empty")))
    assert code == 5 and "`g++` was not found" in said and "predicted" not in said


@pytest.mark.long
def test_time_and_memory_end_a_stage_by_its_name(place: Path) -> None:
    loops = "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) " for n in range(20))
    (place / "deep.c").write_text(f"void k(float A[2]) {{ {loops} A[i0] += 1.0f; }}\n")
    code, said = finish(start(place, "optimize", "deep.c", "--time-limit", "1s"))
    assert code == 6 and "time ran out in the analysis" in said
    nests = "".join(f"for (int i = 0; i < 64; i++) A[i] = A[i + {n % 7}] * B[{n}][i];\n" for n in range(800))
    (place / "many.c").write_text(f"void k(float A[80], float B[800][80]) {{ {nests} }}\n")
    code, said = finish(start(place, "optimize", "many.c", "--memory-limit", "256MB"))
    assert code == 6 and "memory ran out in the analysis" in said


def test_names_are_data(place: Path) -> None:
    for name in ("[red].c", os.fsdecode(b"bad\xff.c")):
        shutil.copy(place / "k.c", place / name)
        code, said = finish(start(place, "analyze", name))
        assert code == 0, said
        assert "k(float A[8]" in said


def test_what_the_system_refuses_is_not_our_fault(place: Path) -> None:
    with Path("/dev/full").open("w") as device:
        full = subprocess.run([*SISY, "solvers"], stdout=device, stderr=subprocess.PIPE, timeout=LONGEST_S, check=False)
    assert full.returncode == 5 and full.stderr == b"error: No space left on device\n"
    with Path("/dev/full").open("w") as device:
        words = [*SISY, "optimize", "k.c", "--no-verify", "-o", "out"]
        lost = subprocess.run(words, cwd=place, stdout=device, stderr=subprocess.PIPE, timeout=LONGEST_S, check=False)
    assert lost.returncode == 5 and (place / "out" / "kernel.cpp").exists()
    (place / "gone").mkdir()
    words = f"cd {place}/gone && rmdir ../gone && exec {sys.executable} -m sisyphus optimize ../k.c"
    gone = subprocess.run(["sh", "-c", words], capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert gone.returncode in (2, 5) and "Traceback" not in gone.stderr
