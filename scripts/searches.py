"""Searches that make a table: those with a line in a file are known, the others run side by side, a line each."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
#: What came of a search: a dataclass.
Found = TypeVar("Found", bound=Any)


def keep(found: Any, lines: Path | None) -> None:
    """Adds a line to a file, if there is one."""
    if lines is not None:
        with lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found)) + "\n")


def fill(
    known: dict[Key, Found], keys: Iterable[Key], search: Callable[[Key], Found], *, jobs: int, lines: Path | None
) -> None:
    """Searches what is not known, so many at a time, each in a process of its own; `search` goes to other processes."""
    waiting = [key for key in dict.fromkeys(keys) if key not in known]
    with ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        places = {pool.submit(search, key): key for key in waiting}
        for at, future in enumerate(as_completed(places), start=1):
            known[places[future]] = future.result()
            keep(known[places[future]], lines)
            print(f"{at} of {len(waiting)}: {places[future]}", file=sys.stderr, flush=True)
