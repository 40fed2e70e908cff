"""Changes single operators of a part of the package (Cosmic Ray) and prints which changes no test notices.

    scripts/mutants.py plan --sample 120 --seed 1 --out build/mutants

A sample is drawn from all mutants by its seed, in a copy of the repository. Once, the tests run under coverage.py,
which tells which test runs which line; a mutant is met by the tests that run its line, the quickest first, for so many
seconds of their time (`--seconds`). Tests run in forks of this process, which has loaded the libraries; one that fails
without the mutant, too, does not count. What OUT has of an earlier run, finished or not, is not measured again.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import contextlib
import importlib
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).parents[1]
PARTS = {
    "analysis": "sisyphus/analysis",
    "plan": "sisyphus/plan",
    "printer": "sisyphus/backends/hls",
    "verification": "sisyphus/verification",
}
#: The tests that may notice; the rest of the suite takes longer than it tells.
TESTS = (
    *("tests/unit/analysis", "tests/unit/plan", "tests/unit/backends", "tests/unit/verify", "tests/unit/forms"),
    *("tests/unit/model", "tests/unit/report", "tests/unit/api", "tests/unit/lint", "tests/unit/space"),
    *("tests/unit/units",),
    *("tests/property/test_analysis_tiling.py", "tests/property/test_analysis_random.py"),
)
#: Unions of types look like it, and no test can notice those in annotations; the others must be told what to insert.
NO_OPERATORS = ("core/ReplaceBinaryOperator_BitOr", "core/VariableInserter", "core/VariableReplacer")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "*_cache", "__pycache__", "*.egg-info")
#: What tests load, loaded once before the forks.
LIBRARIES = ("click", "hypothesis", "islpy", "jsonschema", "networkx", "numpy", "pcpp", "pycparser", "pytest", "rich")
QUIET = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:xdist")
#: Seconds of the tests that are tried first, and the wall time after which a run hangs.
FIRST_S, LONGEST_S = 3.0, 900.0


@dataclass
class Coverage:
    """Which test runs which line, and how long each takes."""

    lines: dict[str, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    seconds: dict[str, float] = field(default_factory=dict)

    def tests_of(self, copy: Path, path: Path, *, first: int, last: int, seconds: float) -> list[str]:
        """The tests that run a place, the quickest first; all of the module for what is run as it is loaded."""
        known = self.lines[str(path.relative_to(copy))]
        found = set[str]()
        if _in_a_function(path, first):
            found = found.union(*(known[n] for n in range(first, last + 1) if n in known))
            above = first
            while not found and above > max(0, first - 12):  # a line inside of a statement is counted as its first
                above -= 1
                found = known.get(above, found)
        else:
            found = found.union(*known.values())
        chosen, total = list[str](), 0.0
        for test in sorted(found - {""}, key=lambda t: (self.seconds.get(t, 1.0), t)):
            total += self.seconds.get(test, 1.0)
            if chosen and total > seconds:
                break
            chosen.append(test)
        return chosen


def _in_a_function(path: Path, line: int) -> bool:
    """Not where a line belongs to what loading a module runs: classes, decorators, defaults."""
    functions = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef))
    return any(f.body[0].lineno <= line <= (f.end_lineno or line) for f in functions)


def coverage_of(copy: Path, out: Path, asked: Sequence[str]) -> Coverage:
    """Runs the tests once under coverage.py, but for those whose data are in OUT."""
    from coverage import CoverageData

    settings = copy / "mutants.coveragerc"
    settings.write_text("[run]\nrelative_files = True\nsource =\n" + "".join(f"  {path}\n" for path in PARTS.values()))
    found = Coverage()
    for tests in asked:
        stem = out / tests.replace("/", "_")
        data, times = stem.with_suffix(".coverage"), stem.with_suffix(".xml")
        if not times.exists():
            told = ("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=", f"--junitxml={times}")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *told, tests]
            subprocess.run(command, cwd=copy, env=_environment(copy) | {"COVERAGE_FILE": str(data)}, check=True)
        measured = CoverageData(str(data))
        measured.read()
        for path in measured.measured_files():
            for line, contexts in measured.contexts_by_lineno(path).items():
                found.lines[path][line] |= {context.rpartition("|")[0] for context in contexts}
        for case in ElementTree.parse(times).iter("testcase"):
            name = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}"
            found.seconds[name] = float(case.attrib["time"])
    return found


def _environment(copy: Path) -> dict[str, str]:
    """The package of the copy is the one that counts, in processes that tests start, too."""
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "SISY_NO_CACHE": "1"}


class Chosen:
    """A pytest plugin: keeps to some tests, in their order, and tells of the first that fails."""

    def __init__(self, tests: Sequence[str], told: int) -> None:
        self._order, self._told = {test: at for at, test in enumerate(tests)}, told

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self._order), key=lambda i: self._order[i.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            os.write(self._told, report.nodeid.encode())

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            os.write(self._told, b"loading")


def failing(copy: Path, tests: Sequence[str], cpu_s: float) -> str:
    """The first of some tests that fails in the copy as it is now; nothing where all pass."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(reading)
        _run(copy, tests, writing, cpu_s)
    os.close(writing)
    status = _ended(child)
    told = os.read(reading, 4096).decode()
    os.close(reading)
    return told or ("" if status in (0, 5 << 8) else "its end")


def _run(copy: Path, tests: Sequence[str], told: int, cpu_s: float) -> None:
    import pytest

    os.chdir(copy)
    os.environ.update(_environment(copy))
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(copy))
    sys.argv = ["pytest"]
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(cpu_s), math.ceil(cpu_s) + 5))
    code = 70
    try:
        code = pytest.main([*QUIET, *dict.fromkeys(t.partition("::")[0] for t in tests)], [Chosen(tests, told)])
    finally:
        os._exit(int(code))


def _ended(child: int) -> int:
    """How a fork ended; one that hangs is ended, and whatever it started."""
    end = time.monotonic() + LONGEST_S
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > end:
            break
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status if pid else os.waitpid(child, 0)[1]


def mutants(copy: Path, part: str) -> Iterator[MutationSpec]:
    """Every change of one operator in a part, in an order that a seed can rely on."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names
    from cosmic_ray.work_item import MutationSpec

    for path in sorted((copy / PARTS[part]).rglob("*.py")):
        nodes = list(ast_nodes(get_ast_from_path(path)))
        for name in sorted(n for n in operator_names() if not n.startswith(NO_OPERATORS)):
            operator = get_operator(name)()
            places = (place for node in nodes for place in operator.mutation_positions(node))
            yield from (MutationSpec(path, name, at, *place) for at, place in enumerate(places))


class Trial:
    """Tries mutants of one copy; remembers which tests pass without them."""

    def __init__(self, copy: Path, coverage: Coverage, seconds: float) -> None:
        self._copy, self._coverage, self._seconds = copy, coverage, seconds
        self._good, self._bad = set[str](), set[str]()

    def of(self, mutant: MutationSpec) -> dict[str, Any]:
        """A mutant with the test that noticed it."""
        from cosmic_ray.mutating import _make_diff, use_mutation
        from cosmic_ray.plugins import get_operator

        path, (first, _), (last, _) = mutant.module_path, mutant.start_pos, mutant.end_pos
        tests = self._coverage.tests_of(self._copy, path, first=first, last=last, seconds=self._seconds)
        begun = time.monotonic()
        while True:
            with use_mutation(mutant.module_path, get_operator(mutant.operator_name)(), mutant.occurrence) as texts:
                before, after = texts
                by = self._noticed([test for test in tests if test not in self._bad])
            if not by or self._passes(by, tests):
                break
        return {
            "key": key_of(self._copy, mutant),
            "place": f"{path.relative_to(self._copy)}:{first}",
            "killed": bool(by),
            "by": by,
            "tests": len(tests),
            "seconds": round(time.monotonic() - begun, 1),
            "diff": "\n".join(_make_diff(before, after or before, path)[3:]),
        }

    def _noticed(self, tests: Sequence[str]) -> str:
        first, total = 0, 0.0
        while first < len(tests) and total < FIRST_S:
            total += self._coverage.seconds.get(tests[first], 1.0)
            first += 1
        for some in (tests[:first], tests[first:]):
            cpu_s = 20 + 4 * sum(self._coverage.seconds.get(test, 1.0) for test in some)
            if some and (by := failing(self._copy, some, cpu_s)):
                return by
        return ""

    def _passes(self, by: str, tests: Sequence[str]) -> bool:
        """Whether what noticed a mutant is content without one."""
        asked = [by] if "::" in by else [test for test in tests if test not in self._bad][:1]
        if not set(asked) <= self._good and (why := failing(self._copy, asked, 600)):
            if "::" not in why:
                raise SystemExit(f"{asked[0]} fails without any mutant: {why}")
            self._bad.update(asked)
            return False
        self._good.update(asked)
        return True


def key_of(copy: Path, mutant: MutationSpec) -> str:
    return f"{mutant.module_path.relative_to(copy)} {mutant.operator_name} {mutant.occurrence}"


def interval(killed: int, tried: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share (Wilson's)."""
    z, share = 1.96, killed / tried
    centre, spread = share + z * z / (2 * tried), z * math.sqrt(share * (1 - share) / tried + (z / (2 * tried)) ** 2)
    return (centre - spread) / (1 + z * z / tried), (centre + spread) / (1 + z * z / tried)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sample", type=int, default=120, help="mutants that are tried")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=40.0, help="of tests that meet a mutant, as measured without it"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files or folders of tests that may notice")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutants")
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    log: Path = options.out.absolute() / f"{options.part}.jsonl"
    known = {row["key"]: row for row in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = Path(name) / "repository"
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        compileall.compile_dir(copy / "sisyphus", quiet=1)
        found = list(mutants(copy, options.part))
        trial = Trial(copy, coverage_of(copy, options.out.absolute(), options.tests), options.seconds)
        for library in LIBRARIES:
            importlib.import_module(library)
        rows = []
        for mutant in random.Random(options.seed).sample(found, min(options.sample, len(found))):
            row = known.get(key_of(copy, mutant))
            if row is None:
                row = trial.of(mutant)
                with log.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            rows.append(row)
    killed = sum(row["killed"] for row in rows)
    for row in rows:
        if not row["killed"]:
            print(f"--- {row['place']} (met by {row['tests']} tests)\n{row['diff']}")
    low, high = interval(killed, len(rows))
    print(f"{options.part}: {killed} of {len(rows)} killed ({100 * low:.0f} to {100 * high:.0f} %), of {len(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
