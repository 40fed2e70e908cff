"""Objects are shared by tests only where the compiler would have made the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from compiled_once import remembering

from sisyphus.tools import Finished

COMPILE = ("g++", "-O1", "-c", "kernel.cpp", "-o", "kernel.o")


class Compiler:
    """Counts its calls; the object is the text behind the options."""

    def __init__(self) -> None:
        self.calls, self.status = 0, 0

    def __call__(self, command: Sequence[str], *, cwd: Path, log: Path | None = None, **_: object) -> Finished:
        self.calls += 1
        if self.status == 0:
            (cwd / "kernel.o").write_text(f"{command} {(cwd / 'kernel.cpp').read_text()}")
        return Finished(self.status, "", "")


def test_an_object_is_made_once_of_a_text_and_anew_of_any_other(tmp_path: Path) -> None:
    compiler = Compiler()
    run, log = remembering(compiler), tmp_path / "log"
    (tmp_path / "kernel.cpp").write_text("one")
    for calls, change in enumerate(
        [
            lambda: None,
            lambda: (tmp_path / "kernel.cpp").write_text("two"),
            lambda: (tmp_path / "kernel.h").write_text("three"),
            lambda: (tmp_path / "kernel.h").write_text("four"),
        ],
        start=1,
    ):
        change()
        for _ in range(2):
            (tmp_path / "kernel.o").unlink(missing_ok=True)
            assert run(COMPILE, cwd=tmp_path, log=log) == Finished(0, "", "")
            assert (tmp_path / "kernel.o").read_text().endswith((tmp_path / "kernel.cpp").read_text())
            assert compiler.calls == calls
    run([*COMPILE, "-O0"], cwd=tmp_path, log=log)
    assert compiler.calls == 5, "other options"


def test_what_fails_is_tried_again_and_programs_are_always_linked(tmp_path: Path) -> None:
    compiler = Compiler()
    run, log = remembering(compiler), tmp_path / "log"
    (tmp_path / "kernel.cpp").write_text("one")
    compiler.status = 1
    assert [run(COMPILE, cwd=tmp_path, log=log).status for _ in range(2)] == [1, 1] and compiler.calls == 2
    compiler.status = 0
    for _ in range(2):
        run(("g++", "kernel.o", "-o", "testbench"), cwd=tmp_path, log=log)
    assert compiler.calls == 4
