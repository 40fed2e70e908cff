"""Differential run: the emitted C++ and the original source as C, on the same data; judges results, not loops."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sisyphus.codegen import Project, data_sets
from sisyphus.errors import KernelError, ToolError
from sisyphus.plan import Plan
from sisyphus.tools import Finished, find_tool, run_tool
from sisyphus.verify.verdict import Check

COMPILER = "g++"
SAME_ARITHMETIC = ("-O1", "-ffp-contract=off", "-fno-fast-math")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
INCLUDE_DIR = Path(__file__).parent / "include"
ANY_STATUS = range(-64, 256)
COMPILE_LIMIT_S = 300.0

_LINE = re.compile(
    r"^sisy set=(?P<set>\w+) compared=(?P<compared>\d+) finite=(?P<finite>\d+) mismatches=(?P<mismatches>\d+) "
    r"worst=(?P<worst>\S+) first=(?P<first>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Ran:
    """What a differential run found; `worst_error` is the largest relative error, 0 when every bit agrees."""

    checks: tuple[Check, ...]
    compiler: str
    worst_error: float

    @property
    def passed(self) -> bool:
        return all(c.passed for c in self.checks)


def run(
    project: Project,
    plan: Plan,
    *,
    seed: int = 0,
    full: bool = False,
    sets: Sequence[str] | None = None,
    sanitize: bool = False,
    workdir: Path | None = None,
    time_limit_s: float = 600.0,
) -> Ran:
    """Compiles and runs the test bench of a project, in `workdir` (kept) or a temporary folder.

    A missing compiler is a `ToolError`, a source that is no C program a `KernelError`; everything else that goes wrong
    is a failed check.
    """
    if find_tool(COMPILER) is None:
        raise ToolError(f"`{COMPILER}` was not found", hint="install it, or leave the check out with `--no-verify`")
    with _folder(workdir) as folder:
        for name, text in project.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        extra = SANITIZERS if sanitize else ()
        compiled = _compile(folder, extra)
        checks = [compiled]
        worst = 0.0
        if compiled.passed:
            found, worst = _execute(folder, seed, sets or data_sets(plan), time_limit_s)
            checks += found
        return Ran(tuple(checks), compiler_version(), worst)


def compiler_version() -> str:
    """First line of what the compiler says of itself."""
    said = run_tool([COMPILER, "--version"], cwd=Path.cwd(), timeout_s=20).output.splitlines()
    return said[0] if said else COMPILER


@contextmanager
def _folder(workdir: Path | None) -> Iterator[Path]:
    if workdir is not None:
        workdir.mkdir(parents=True, exist_ok=True)
        yield workdir
    else:
        with tempfile.TemporaryDirectory(prefix="sisy-") as name:
            yield Path(name)


def _compile(folder: Path, extra: Sequence[str]) -> Check:
    reference = [COMPILER, "-x", "c", "-std=gnu11", "-w", *SAME_ARITHMETIC, "-ffunction-sections"]
    done = _tool([*reference, "-c", "reference.c", "-o", "reference.o"], folder, "reference.log")
    if done.status != 0:
        raise KernelError(
            f"the source does not compile as C:\n{_tail(done)}", hint="check it with `gcc -c`; includes need `-I`"
        )
    flags = ["-std=c++14", "-DSISY_BITWISE", *SAME_ARITHMETIC, *WARNINGS, *extra, "-isystem", str(INCLUDE_DIR)]
    for unit in ("kernel", "testbench"):
        done = _tool([COMPILER, *flags, "-c", f"{unit}.cpp", "-o", f"{unit}.o"], folder, f"{unit}.log")
        if done.status != 0:
            return Check("compile", False, f"{unit}.cpp: {_tail(done)}")
    objects = ["kernel.o", "testbench.o", "reference.o"]
    link = [COMPILER, *extra, "-Wl,--gc-sections", *objects, "-o", "testbench", "-lm"]
    done = _tool(link, folder, "link.log")
    if done.status != 0:
        return Check("compile", False, _tail(done))
    return Check("compile", True, "the emitted code compiles without a warning")


def _tool(command: Sequence[str], folder: Path, log: str) -> Finished:
    return run_tool(command, cwd=folder, timeout_s=COMPILE_LIMIT_S, log=folder / log, accept=ANY_STATUS)


def _tail(done: Finished, lines: int = 12) -> str:
    return "\n".join((done.errors or done.output).strip().splitlines()[:lines])


def _execute(folder: Path, seed: int, sets: Sequence[str], time_limit_s: float) -> tuple[list[Check], float]:
    command = [str(folder / "testbench"), str(seed), *sets]
    try:
        done = run_tool(command, cwd=folder, timeout_s=time_limit_s, log=folder / "run.log", accept=ANY_STATUS)
    except ToolError as late:
        return [Check("run", False, late.message)], 0.0
    lines = {m["set"]: m for m in _LINE.finditer(done.output)}
    checks = [_check(name, lines.get(name), done) for name in sets]
    return checks, max((float(m["worst"]) for m in lines.values()), default=0.0)


def _check(name: str, line: re.Match[str] | None, done: Finished) -> Check:
    if line is None:
        how = f"was killed by signal {-done.status}" if done.status < 0 else f"exited {done.status}"
        return Check(f"run {name}", False, f"the program {how} before it was done: {_tail(done, 30)}")
    compared, finite, mismatches = (int(line[key]) for key in ("compared", "finite", "mismatches"))
    if mismatches:
        return Check(f"run {name}", False, f"{mismatches} of {compared} elements differ; {line['first']}")
    worst = float(line["worst"])
    close = "bit for bit" if worst == 0 else f"within {worst:.3g}"
    return Check(f"run {name}", True, f"{compared} elements agree {close}, {finite} of them finite")
