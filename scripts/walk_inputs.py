"""Runs what was once refused, lost, late or wrong, as a user does, and prints a Markdown table of the outcomes.

    scripts/walk_inputs.py [--only WORDS] [--write]

The cases are in walk_inputs.toml. `--write` puts the tables on docs/evidence/inputs.md; `--only` runs those of which
the text has these words. `late` is what a run took beyond its limit, the start of Python included, `processor` its time
on processors: on a busy machine far less than passed. What a run said that ended otherwise than it may goes to
standard error as a whole.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
CASES = Path(__file__).with_suffix(".toml")
PAGE = ROOT / "docs" / "evidence" / "inputs.md"
BEGIN, END = "<!-- written by scripts/walk_inputs.py -->", "<!-- end -->"
HEADER = "| asked | exit | outcome | s | late | processor | MB |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |"
#: Seconds after which a run is killed and counts as without end.
LONGEST_S = 200.0


@dataclass(frozen=True)
class Case:
    """A line of shell in a folder with `files`; how it may end, and a pattern that it must say."""

    asked: str
    run: str = "sisy optimize *.c --time-limit 10s"
    files: dict[str, str] = field(default_factory=dict)
    wanted: Sequence[int] = (0,)
    says: str = "verification: passed"
    limit: float | None = None


@dataclass(frozen=True)
class Ran:
    """How a case ended: exit status, seconds, those of the processor, peak memory of a process in MB, what it said."""

    code: int
    seconds: float
    processor: float
    memory_mb: float
    said: str


def cases() -> Iterator[tuple[str, list[Case]]]:
    """The sections and their cases."""
    for section, held in tomllib.loads(CASES.read_text()).items():
        yield section, [Case(**case) for case in held["cases"]]


def is_as_wanted(case: Case, ran: Ran) -> bool:
    """The exit status is a wanted one, the pattern was said, and no run ends in a fault of ours."""
    return ran.code in case.wanted and bool(re.search(case.says, ran.said)) and "Traceback" not in ran.said


def run(case: Case) -> Ran:
    with tempfile.TemporaryDirectory(prefix="walk-") as name:
        home, folder = Path(name), Path(name) / "here"
        for path, content in case.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content.lstrip("\n") + "\n")
        folder.mkdir(exist_ok=True)
        (home / "sisy").write_text(f'#!/bin/sh\nexec {sys.executable} -m sisyphus "$@"\n')
        (home / "sisy").chmod(0o755)
        env = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}", "KERNELS": str(ROOT / "kernels")}
        env |= {"HOME": name, "XDG_CACHE_HOME": f"{name}/cache", "PYTHONPATH": str(ROOT), "TERM": "dumb"}
        begun = time.monotonic()
        with (home / "said").open("wb") as said:
            words = ["sh", "-c", case.run]
            running = subprocess.Popen(
                words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )
            while not (waited := os.wait4(running.pid, os.WNOHANG))[0]:
                if time.monotonic() - begun > LONGEST_S:
                    os.killpg(running.pid, signal.SIGKILL)
                time.sleep(0.02)
        running.returncode, used = os.waitstatus_to_exitcode(waited[1]), waited[2]
        text = re.sub(r"\x1b\[[0-9;?]*\w", "", (home / "said").read_text(errors="replace")).replace(name, "")
        taken = used.ru_utime + used.ru_stime
        return Ran(running.returncode, time.monotonic() - begun, taken, used.ru_maxrss / 1024, text)


def row(case: Case, ran: Ran) -> str:
    """A line of the table; what did not end as it should is bold."""
    lines = [line.strip() for line in ran.said.splitlines() if line.strip()]
    found = [line for line in lines if "error" in line] or [line for line in lines if re.search(case.says, line)]
    cycles = [f", {' '.join(line.split()[1:2])} cycles" for line in lines if re.match(r"cycles +\d", line)]
    outcome = (found or lines or [""])[0][:100].replace("|", "\\|").replace("[", "\\[") + "".join(cycles[:1])
    code = str(ran.code) if is_as_wanted(case, ran) else f"**{ran.code}**"
    late = "" if case.limit is None else f"{ran.seconds - case.limit:+.1f}"
    figures = f"{ran.seconds:.1f} | {late} | {ran.processor:.1f} | {ran.memory_mb:,.0f}"
    return f"| {case.asked.replace('|', chr(92) + '|')} | {code} | {outcome} | {figures} |"


def with_tables(page: str, tables: dict[str, list[str]]) -> str:
    """The page with these tables, and its own of other sections."""
    before, _, rest = page.partition(BEGIN)
    middle, _, after = rest.partition(END)
    known = {head: body.strip() for head, _, body in (part.partition("\n") for part in middle.split("## ")[1:])}
    known |= {section: "\n".join(lines) for section, lines in tables.items()}
    order = [section for section, _ in cases()]
    text = "\n\n".join(f"## {head}\n\n{body}" for head, body in sorted(known.items(), key=lambda k: order.index(k[0])))
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose text has these words")
    parser.add_argument("--section", default="", help="one section alone")
    parser.add_argument("--write", action="store_true", help="the tables on docs/evidence/inputs.md")
    options = parser.parse_args(words)
    tables: dict[str, list[str]] = {}
    wrong = 0
    for section, chosen in cases():
        if options.section not in ("", section):
            continue
        lines = tables[section] = HEADER.splitlines()
        print(f"## {section}", *lines, sep="\n", flush=True)
        for case in chosen:
            if options.only not in case.asked:
                continue
            ran = run(case)
            lines.append(row(case, ran))
            print(lines[-1], flush=True)
            if not is_as_wanted(case, ran):
                wrong += 1
                sys.stderr.write(f"--- {case.asked}\n{ran.said}\n")
    if options.write:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"{wrong} not as wanted", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
