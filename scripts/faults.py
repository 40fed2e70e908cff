"""Does what can go wrong around a run to each command; prints what was lost and what was left, which must be nothing.

    scripts/faults.py --kills 50

Kills come at random moments (`--seed`), by SIGTERM, SIGINT and SIGKILL in turn; after a SIGKILL the next run clears up.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
SISY = [sys.executable, "-c", "from sisyphus.cli import main; main()"]
KERNEL = "void k(float A[64], float B[64]) { for (int i = 0; i < 64; i++) B[i] = A[i] * B[i] + 1.0f; }\n"
COMMANDS: dict[str, list[str]] = {
    "optimize": ["optimize", "k.c", "--time-limit", "3", "-o", "out"],
    "units": ["optimize", "k.c", "--units", "2", "--device", "u200", "--time-limit", "4", "-o", "dealt"],
    "verify": ["verify", "out"],
    "explain": ["explain", "out", "--time-limit", "3"],
    "analyze": ["analyze", "k.c"],
    "estimate": ["estimate", "k.c", "--design", "out/design.json"],
    "report": ["report", "out"],
    "diff": ["diff", "out", "out"],
    "readback": ["readback", "out"],
    "lint": ["lint", "out/kernel.cpp"],
    "batch": ["batch", "k.c", "--time-limit", "3s", "-o", "many"],
    "devices": ["devices", "u200"],
    "solvers": ["solvers"],
    "doctor": ["doctor"],
    "schema": ["schema", "design"],
    "cache": ["cache", "--clear"],
    "completion": ["completion", "bash", "--install"],
    "include": ["include"],
}
#: What `completion` writes below the home, and where it stood before the first run.
COMPLETION = ".local/share/bash-completion/completions/sisy"
#: What runs after a kill puts right: the folder of a design, what is kept of searches, and single files where their
#: command runs again.
CLEARING = (
    *(["optimize", "k.c", "--design", "nothing.json", "-o", to] for to in ("out", "dealt")),
    ["cache", "--clear"],
)
OF_ONE_FILE = ("report", "batch", "completion")
#: Folders that commands make beside `out`, and what a design has in each.
MADE = ("many", "dealt", "dealt.failed", "out.failed")
FILES = ("design.json", "kernel.cpp", "kernel.h", "reference.c", "testbench.cpp", "Makefile", "report.md")
OF_UNITS = tuple(name.replace("kernel.", f"kernel_{unit}.") for name in FILES for unit in range(2))
#: What Vitis HLS says of a kernel at the least.
REPORT = (
    "<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments><TopModelName>k</TopModelName>"
    "</UserAssignments><PerformanceEstimates><SummaryOfOverallLatency><Worst-caseLatency>1000</Worst-caseLatency>"
    "</SummaryOfOverallLatency></PerformanceEstimates></profile>"
)
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
LONGEST_S = 120


@dataclass
class Row:
    """One fault done to one command so many times."""

    fault: str
    command: str
    times: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


class Place:
    """A folder with a kernel, a design in `out` with a note of the user's, a home and a temporary folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tmp, self.home = folder, folder / "tmp", folder / "home"
        self.tmp.mkdir()
        (folder / "k.c").write_text(KERNEL)
        for words in (COMMANDS["optimize"], COMMANDS["completion"]):
            if (done := self.finish(self.start(words))) != 0:
                raise SystemExit(f"`sisy {' '.join(words)}` failed with {done} before any fault")
        self.searches, self.completion = self.cached(), (self.home / COMPLETION).read_text()
        if not self.searches:
            raise SystemExit("no search is kept before any fault")
        (folder / "out" / "notes.txt").write_text("mine")
        (folder / "out" / "csynth.xml").write_text(REPORT)

    def start(self, words: Sequence[str], limit: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TMPDIR": str(self.tmp), "PYTHONPATH": str(ROOT), "HOME": str(self.home)}
        env |= {"XDG_CACHE_HOME": str(self.home / "cache")}
        return subprocess.Popen(
            [*SISY, *words],
            cwd=self.folder,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("wb"),
            preexec_fn=limit,
        )

    def finish(self, running: subprocess.Popen[bytes]) -> int:
        return running.wait(LONGEST_S)

    def again(self, command: str, limit: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
        """Starts a command as if it had never run: no search is known, or one is there to be cleared."""
        for path in self.cached():
            path.unlink()
        if command == "cache":
            for path, text in self.searches.items():
                path.write_text(text)
        return self.start(COMMANDS[command], limit)

    def cached(self) -> dict[Path, str]:
        """The searches that are kept."""
        return {path: path.read_text() for path in self.home.rglob("searches/*.json")}

    def wrong(self) -> list[str]:
        """What is lost, and what is left."""
        found = []
        if not (self.folder / "out" / "notes.txt").is_file():
            found.append("the user's file is lost")
        if not _has(self.folder / "out", FILES):
            found.append("the design is not whole")
        if (self.folder / "dealt").exists() and not _has(self.folder / "dealt", OF_UNITS):
            found.append("the design of units is not whole")
        left = {p.name for p in self.folder.iterdir()} - {"k.c", "tmp", "out", "stderr", "home", *MADE}
        found += [f"left {name}" for name in left]
        found += [f"left {p.name}" for p in self.folder.rglob(".*.part")]
        if (self.home / COMPLETION).read_text() != self.completion:
            found.append("the completion is not whole")
        if any(not text.endswith("}") for text in self.cached().values()):
            found.append("a search that is kept is not whole")
        found += [f"left tmp/{p.name[:8]}" for p in self.tmp.iterdir()]
        if b"Traceback" in (told := (self.folder / "stderr").read_bytes()):
            ours = b"sisyphus" in told and b"init_import_site" not in told  # where Python finds the installed packages
            found.append("a traceback" if ours else "a traceback of Python's start")
        results = self.folder / "many" / "results.jsonl"
        if results.is_file() and not all(line.endswith("}") for line in results.read_text().splitlines()):
            found.append("a result of the batch is not whole")
        if any(self._is_ours(process) for process in Path("/proc").glob("[0-9]*")):
            found.append("a process goes on")
        return found

    def _is_ours(self, process: Path) -> bool:
        try:
            return f"TMPDIR={self.tmp}".encode() in (process / "environ").read_bytes()
        except OSError:
            return False


def _has(folder: Path, names: Sequence[str]) -> bool:
    return all((folder / name).is_file() for name in names)


def kills(place: Place, command: str, times: int, rng: random.Random) -> Row:
    row = Row("kill", command)
    begun = time.monotonic()
    code = place.finish(place.again(command))
    whole = time.monotonic() - begun
    shutil.rmtree(place.folder / "many", ignore_errors=True)
    for number in range(times):
        sent = SIGNALS[number % len(SIGNALS)]
        running = place.again(command)
        time.sleep(rng.uniform(0, whole))
        running.send_signal(sent)
        row.codes[place.finish(running)] += 1
        row.times += 1
        if sent == signal.SIGKILL:  # what it left is cleared by whatever runs next
            for words in (*CLEARING, *([COMMANDS[command]] if command in OF_ONE_FILE else [])):
                place.finish(place.start(words))
        row.faults.update(place.wrong())
        if sent == signal.SIGKILL:  # and a batch, which has gone on twice, begins anew
            shutil.rmtree(place.folder / "many", ignore_errors=True)
    if place.finish(place.again(command)) != code:
        row.faults["it does not end as before the kills"] += 1
    return row


def full_disk(place: Place, command: str) -> Row:
    """No file may be longer than so many bytes, as if the disk were full from there on."""
    row = Row("full disk", command)
    for size in (0, 1000, 20_000, 200_000):

        def limit(size: int = size) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        row.codes[place.finish(place.again(command, limit))] += 1
        row.times += 1
        row.faults.update(place.wrong())
    return row


def no_temporary_folder(place: Place, command: str) -> Row:
    row = Row("no temporary folder", command)
    shutil.rmtree(place.tmp)
    place.tmp.write_text("a file")
    row.codes[place.finish(place.again(command))] += 1
    row.times += 1
    place.tmp.unlink()
    place.tmp.mkdir()
    row.faults.update(place.wrong())
    return row


def side_by_side(place: Place, command: str) -> Row:
    row = Row("two at once", command)
    for _ in range(3):
        both = [place.again(command), place.start(COMMANDS[command])]
        row.codes.update(place.finish(one) for one in both)
        row.times += 1
        row.faults.update(place.wrong())
    return row


def read_only(place: Place, command: str) -> Row:
    """The kernel's folder becomes read-only (root is not kept from writing by that)."""
    row = Row("read-only", command)
    before = _digest(place.folder / "out")
    place.folder.chmod(0o555)
    row.codes[place.finish(place.again(command))] += 1
    place.folder.chmod(0o755)
    row.times += 1
    row.faults.update(place.wrong())
    if os.geteuid() != 0 and command == "optimize" and _digest(place.folder / "out") != before:
        row.faults["a read-only folder was written"] += 1
    return row


def _digest(folder: Path) -> str:
    return hashlib.sha256(b"".join(p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file())).hexdigest()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), help="of sisy; all by default")
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    wrong = 0
    print(f"{'fault':20s} {'command':10s} {'times':>5s}  exit codes -> what was lost or left")
    for command in options.commands:
        with tempfile.TemporaryDirectory(prefix="faults-") as name:
            place = Place(Path(name))
            rng = random.Random(f"{options.seed} {command}")
            rows = [kills(place, command, options.kills, rng)]
            rows += [do(place, command) for do in (full_disk, no_temporary_folder, side_by_side, read_only)]
        for row in rows:
            codes = " ".join(f"{code}:{count}" for code, count in sorted(row.codes.items()))
            told = ", ".join(f"{what} ({count}x)" for what, count in row.faults.items()) or "nothing"
            print(f"{row.fault:20s} {row.command:10s} {row.times:5d}  {codes} -> {told}", flush=True)
            wrong += row.faults.total() + row.codes[70]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
