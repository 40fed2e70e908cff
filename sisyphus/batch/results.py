"""The results of a batch on disk: a line of JSON for each as it comes; knows no job.

A line is there whole or not at all: what a killed run left of its last line is cut off by the next one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sisyphus.batch.jobs import JobResult
from sisyphus.errors import UsageError
from sisyphus.files import write_file

#: The file in the folder of a batch.
RESULTS = "results.jsonl"


class Results:
    """`results.jsonl` of a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RESULTS

    def read(self) -> list[JobResult]:
        """Every whole line, in the order of the file; `UsageError` where one is not ours."""
        return read_results(self.path) if self.path.exists() else []

    def repair(self) -> None:
        """Cuts off a last line without its end."""
        if self.path.exists():
            text = self.path.read_bytes()
            whole = text.rfind(b"\n") + 1
            if whole != len(text):
                os.truncate(self.path, whole)

    def append(self, result: JobResult) -> None:
        """Adds a line, which is on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(result.line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def replace(self, results: Iterable[JobResult]) -> None:
        """Exactly these lines, all at once."""
        write_file(self.path, "".join(f"{result.line}\n" for result in results))


def read_results(path: Path) -> list[JobResult]:
    """The results in a file, without an unfinished last line."""
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"{path}: {failure}", hint="name a results.jsonl that `sisy batch` wrote") from failure
    found: list[JobResult] = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(JobResult.of_line(line))
        except ValueError as wrong:
            raise UsageError(f"{path}:{number}: no result of a batch: {wrong}") from wrong
    return found
