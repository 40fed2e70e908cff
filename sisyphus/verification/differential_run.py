"""Differential run: the emitted C++ and the original source as C, on the same data; judges results, not loops."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from pathlib import Path

from sisyphus.analysis import instances, operations
from sisyphus.backends.hls import BENCH_FLAGS, FLUSHED, Project, data_sets, exact_flags
from sisyphus.errors import KernelError, ToolError
from sisyphus.plan import Copy, For, Node, Plan, Run, descend
from sisyphus.tools import Finished, find_tool, run_tool
from sisyphus.values import dataclass
from sisyphus.verification.verdict import Check

COMPILER = "g++"
#: What only the emitted code's own structure can be guilty of. Other warnings judge expressions, which are the user's.
WARNINGS = ("-Wno-unknown-pragmas", "-Werror=unused", "-Werror=unused-parameter", "-Werror=return-type")
#: Replaces the optimization where results differ: then it is the code that differs, not what a compiler made of it.
CAREFUL = ("-O0",)
#: Unoptimized, which compiles in half the time and loses no access that is to be watched.
SANITIZERS = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
#: How C++'s library is linked where there is an archive of it: of the shared one ld reads all names, which takes longer
#: than the rest.
ARCHIVE, STATIC = "libstdc++.a", ("-static-libstdc++", "-static-libgcc")
INCLUDE_DIR = Path(__file__).parent / "include"
ANY_STATUS = range(-64, 256)
COMPILE_LIMIT_S = 300.0
#: Integers on which a source may itself overflow (shortest paths with cycles below zero), which sanitizers would tell.
MAY_OVERFLOW = frozenset({"negatives", "wide"})
#: Operations beyond which fewer data sets are run, and beyond which only one.
MANY_OPERATIONS, VERY_MANY_OPERATIONS = 2 * 10**8, 2 * 10**9
#: Slow enough for any machine, for one data set; and what starting and small kernels take.
SECONDS_PER_OPERATION, LEAST_SECONDS = 30e-9, 60.0
#: How much longer unoptimized code may take.
SLOWER = 10
#: Bytes that objects, program and logs of a small kernel take, several times over.
LEAST_SPACE = 16 << 20
NO_SPACE = (
    *("No space left on device", "File too large", "Disk quota exceeded"),
    # What a linker dies of that writes through a map of the file.
    *("File size limit exceeded", "[Bus error]"),
)
SPACE_HINT = "free some, or set TMPDIR to a folder that has more"

_LINE = re.compile(
    r"^sisy set=(?P<set>\w+) compared=(?P<compared>\d+) finite=(?P<finite>\d+) mismatches=(?P<mismatches>\d+) "
    r"worst=(?P<worst>\S+) first=(?P<first>.*)$",
    re.MULTILINE,
)
_SKIPPED = re.compile(r"^sisy set=(?P<set>\w+) skipped$", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    """What a differential run found; `worst_error` is the largest relative error, 0 when every bit agrees.

    It is None where nothing was run to its end.
    """

    checks: tuple[Check, ...]
    compiler: str
    worst_error: float | None

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
    time_limit_s: float | None = None,
) -> Ran:
    """Compiles and runs the test bench of a project, in `workdir` (kept) or a temporary folder.

    Without `sets` it runs as many data sets as the size of the kernel allows, all of them with `full`; with none in
    `sets` it only compiles. `sanitize` compiles the emitted code for AddressSanitizer and UndefinedBehaviorSanitizer.

    A missing compiler is a `ToolError`, a source that is no C program a `KernelError`; everything else that goes wrong
    is a failed check.
    """
    chosen = tuple(sets) if sets is not None else sets_for(plan, full=full, sanitize=sanitize)
    limit = time_limit_s or LEAST_SECONDS + SECONDS_PER_OPERATION * work(plan) * len(chosen)
    return run_files(project.files, chosen, seed=seed, sanitize=sanitize, workdir=workdir, time_limit_s=limit)


def run_files(
    files: Mapping[str, str],
    sets: Sequence[str],
    *,
    time_limit_s: float,
    seed: int = 0,
    sanitize: bool = False,
    workdir: Path | None = None,
) -> Ran:
    """`run` for files of which no plan is known."""
    _compiler_there()
    sanitizers = SANITIZERS if sanitize else ()
    with _folder(workdir) as folder:
        _write(files, folder)
        exact = exact_flags(files["reference.c"])
        units = sorted(name.removesuffix(".cpp") for name in files if re.fullmatch(r"kernel(_\d+)?\.cpp", name))
        compiled = _compile(folder, units, exact, sanitizers)
        if not (compiled.passed and sets):
            return Ran((compiled,), compiler_version(), None)
        done = _execute(folder, seed, sets, time_limit_s)
        if done.differs and _compile(folder, units, exact, sanitizers, CAREFUL).passed:
            done = _execute(folder, seed, sets, SLOWER * time_limit_s)
        return Ran((compiled, *done.checks), compiler_version(), done.worst_error)


def work(plan: Plan) -> int:
    """Operations and assignments of the source, and at most how many of them and of copied elements the plan runs."""
    scop = plan.scop
    weights = {s.id: 1 + operations(s).total() for s in scop.statements}
    total: int = sum(weights[s.id] * instances(s) for s in scop.statements)

    def inside(node: Node, times: int) -> int:
        return times * int(node.trip_count) if isinstance(node, For) else times

    for node, times in descend(plan.body, 1, inside, plan.below):
        match node:
            case Run(statement=statement):
                total += times * weights[statement]
            case Copy(transfer=transfer):
                total += times * prod(plan.buffer(plan.transfer(transfer).buffer).extents)
    return total


def sets_for(plan: Plan, *, full: bool, sanitize: bool = False) -> tuple[str, ...]:
    """The data sets worth their time: all of a small kernel, the two most telling of a large one, else one.

    Sanitizers get none on which the source of an integer kernel may itself overflow.
    """
    every = data_sets(plan)
    if sanitize and "denormals" not in every:
        every = tuple(s for s in every if s not in MAY_OVERFLOW)
    return worth_running(every, 0 if full else work(plan))


def worth_running(every: tuple[str, ...], size: int) -> tuple[str, ...]:
    """Those of all data sets that are worth the time of so many operations."""
    if size > VERY_MANY_OPERATIONS:
        return every[1:2] or every
    return every[:2] if size > MANY_OPERATIONS else every


def require_compiler() -> None:
    """`ToolError` where there is no compiler that answers, or no room for what it writes."""
    _compiler_there()
    compiler_version()
    with _folder(None) as folder:
        if shutil.disk_usage(folder).free < LEAST_SPACE:
            raise ToolError(f"{folder.parent} is full", hint=SPACE_HINT)


def _compiler_there() -> None:
    if find_tool(COMPILER) is None:
        raise ToolError(f"`{COMPILER}` was not found", hint="install it, or leave the check out with `--no-verify`")


def compiler_version() -> str:
    """First line of what the compiler says of itself."""
    said = run_tool([COMPILER, "--version"], cwd=INCLUDE_DIR, timeout_s=20).output.splitlines()
    return said[0] if said else COMPILER


@contextmanager
def _folder(workdir: Path | None) -> Iterator[Path]:
    if workdir is not None:
        workdir.mkdir(parents=True, exist_ok=True)
        yield workdir
    else:
        with tempfile.TemporaryDirectory(prefix="sisy-", ignore_cleanup_errors=True) as name:
            yield Path(name)


def _compile(
    folder: Path, kernels: Sequence[str], exact: str, sanitizers: Sequence[str], careful: Sequence[str] = ()
) -> Check:
    reference = [COMPILER, "-x", "c", "-std=gnu11", "-w", *exact.split(), *careful, "-ffunction-sections"]
    done = _tool([*reference, "-c", "reference.c", "-o", "reference.o"], folder, "reference.log")
    if done.status != 0:
        raise KernelError(
            f"the source does not compile as C:\n{_tail(done)}", hint="check it with `gcc -c`; includes need `-I`"
        )
    flags = ["-std=c++14", "-DSISY_BITWISE", *WARNINGS, "-isystem", str(INCLUDE_DIR)]
    for unit, how in (*((kernel, exact) for kernel in kernels), ("testbench", BENCH_FLAGS)):
        command = [COMPILER, *flags, *how.split(), *careful, *sanitizers, "-c", f"{unit}.cpp", "-o", f"{unit}.o"]
        done = _tool(command, folder, f"{unit}.log")
        if done.status != 0:
            return Check("compile", False, f"{unit}.cpp: {_tail(done)}")
    objects = [*(f"{kernel}.o" for kernel in kernels), "testbench.o", "reference.o"]
    library = sanitizers or _library()
    link = [COMPILER, *library, "-Wl,--gc-sections", *objects, "-o", "testbench", "-lm"]
    done = _tool(link, folder, "link.log")
    if done.status != 0:
        return Check("compile", False, _tail(done))
    return Check("compile", True, "the emitted code compiles")


@cache
def _library() -> Sequence[str]:
    """How C++'s library is linked; without its archive the compiler repeats the bare name."""
    question = [COMPILER, f"-print-file-name={ARCHIVE}"]
    said = run_tool(question, cwd=INCLUDE_DIR, timeout_s=20, accept=ANY_STATUS).output
    return STATIC if Path(said.strip()).is_absolute() else ()


def _tool(command: Sequence[str], folder: Path, log: str) -> Finished:
    done = run_tool(command, cwd=folder, timeout_s=COMPILE_LIMIT_S, log=folder / log, accept=ANY_STATUS, alone=True)
    if done.status != 0 and any(sentence in done.errors for sentence in NO_SPACE):
        raise ToolError(f"`{COMPILER}` cannot write to {folder}: no space left", hint=SPACE_HINT)
    return done


def _write(files: Mapping[str, str], folder: Path) -> None:
    try:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as failure:
        raise ToolError(f"{folder} cannot be written: {failure.strerror}", hint=SPACE_HINT) from failure


def _tail(done: Finished, lines: int = 12) -> str:
    return "\n".join((done.errors or done.output).strip().splitlines()[:lines])


@dataclass(frozen=True)
class _Executed:
    """What one run of the test bench printed; `differs` where some element came out otherwise than in the source."""

    checks: tuple[Check, ...]
    worst_error: float | None = None
    differs: bool = False


def _execute(folder: Path, seed: int, sets: Sequence[str], time_limit_s: float) -> _Executed:
    command = [str(folder / "testbench"), str(seed), *sets]
    try:
        done = run_tool(
            command, cwd=folder, timeout_s=time_limit_s, log=folder / "run.log", accept=ANY_STATUS, alone=True
        )
    except ToolError as late:
        return _Executed((Check("run", False, late.message),))
    lines = {m["set"]: m for m in _LINE.finditer(done.output)}
    skipped = {m["set"] for m in _SKIPPED.finditer(done.output)}
    checks = tuple(_not_run(name) if name in skipped else _check(name, lines.get(name), done) for name in sets)
    judged = [m for name, m in lines.items() if not name.startswith(FLUSHED)]
    differs = any(int(m["mismatches"]) for m in judged)
    return _Executed(checks, max((float(m["worst"]) for m in judged), default=None), differs)


def _not_run(name: str) -> Check:
    if name.startswith(FLUSHED):
        return Check(f"run {name}", True, "NOT RUN: this processor cannot be told to flush subnormal numbers")
    return Check(f"run {name}", True, "NOT RUN: the source divides by zero on such data")


def _flushed(name: str, compared: int, mismatches: int, first: str) -> Check:
    """What flushing does is told; it is the device that differs from C there, not the design."""
    how = "where subnormals are flushed to zero, as on the device"
    same = f"all {compared} results are the same {how}"
    return Check(
        f"run {name}", True, f"{mismatches} of {compared} results differ {how}; {first}" if mismatches else same
    )


def _check(name: str, line: re.Match[str] | None, done: Finished) -> Check:
    if line is None:
        how = f"was killed by signal {-done.status}" if done.status < 0 else f"exited {done.status}"
        return Check(f"run {name}", False, f"the program {how} before it was done: {_tail(done, 30)}")
    compared, finite, mismatches = (int(line[key]) for key in ("compared", "finite", "mismatches"))
    if name.startswith(FLUSHED):
        return _flushed(name, compared, mismatches, line["first"])
    if mismatches:
        return Check(f"run {name}", False, f"{mismatches} of {compared} elements differ; {line['first']}")
    worst = float(line["worst"])
    close = "bit for bit" if worst == 0 else f"within {worst:.3g}"
    return Check(f"run {name}", True, f"{compared} elements agree {close}, {finite} of them finite")
