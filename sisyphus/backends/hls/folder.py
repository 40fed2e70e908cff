"""Output folders: written whole or not at all, replaced only where sisy wrote them; knows no file's meaning but one.

A folder is ours when it holds a design.json that says so. What else somebody keeps in it (build products, notes)
moves over to the new one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sisyphus.errors import UsageError

DESIGN = "design.json"
OURS = frozenset(
    re.findall(
        r"[\w.]+",
        """kernel.cpp kernel.h reference.c testbench.cpp host.cpp hls_config.cfg run_hls.tcl system.cfg Makefile
    design.json run.json report.md report.html pareto.json pareto.svg explain.json""",
    )
)
#: Designs beside the chosen one.
NUMBERED = re.compile(r"(design|pareto)-\d+\.json")
_FIELDS = frozenset({"version", "kernel", "design"})


def write_folder(files: Mapping[str, str], out: Path) -> None:
    """Puts exactly these files into `out`; on any failure `out` is as it was before.

    Raises `UsageError` where `out` is something else than a folder of ours, or cannot be written.
    """
    try:
        place = _target(out)
        made = _missing_parents(place)
        try:
            _replace(files, place)
        except BaseException:
            for parent in made:
                parent.rmdir()
            raise
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise UsageError(
            f"`{out}` cannot be written: {reason}", hint="nothing was changed; try another `-o`"
        ) from failure


def write_failed(files: Mapping[str, str], out: Path) -> Path:
    """Keeps a design that failed verification beside `out`, which stays untouched; returns where."""
    failed = out.with_name(f"{out.name}.failed") if out.name not in ("", "..") else Path(f"{out.resolve()}.failed")
    write_folder(files, failed)
    return failed


def is_ours(folder: Path) -> bool:
    """Whether sisy wrote this folder."""
    try:
        data = json.loads((folder / DESIGN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and set(data) >= _FIELDS


def _target(out: Path) -> Path:
    """Where the folder is, links followed, if it may be written."""
    place = Path(os.path.realpath(out))
    if place.exists() and not place.is_dir():
        raise UsageError(f"`{out}` is a file", hint="name a folder with `-o`")
    if place.is_dir() and any(place.iterdir()) and not is_ours(place):
        raise UsageError(
            f"`{out}` exists and was not written by sisy", hint="name another folder with `-o`, or move this one away"
        )
    if place == Path.cwd() or place in Path.cwd().parents:
        raise UsageError(f"`{out}` is the working directory or around it", hint="name a folder of its own with `-o`")
    return place


def _missing_parents(place: Path) -> list[Path]:
    """Creates the folders around `place`; returns those it made, innermost first."""
    missing = []
    parent = place.parent
    while not parent.exists():
        missing.append(parent)
        parent = parent.parent
    for folder in reversed(missing):
        folder.mkdir()
    return missing


def _replace(files: Mapping[str, str], place: Path) -> None:
    """All files go to a new folder beside `place`, which then takes its name."""
    fresh = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".new", dir=place.parent))
    try:
        fresh.chmod(0o777 & ~_umask())
        for name in sorted(files):
            (fresh / name).write_text(files[name], encoding="utf-8", newline="\n")
        _swap(fresh, place, keep=[e.name for e in place.iterdir() if _stays(e, files)] if place.is_dir() else [])
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _stays(entry: Path, files: Mapping[str, str]) -> bool:
    return entry.name not in OURS and entry.name not in files and NUMBERED.fullmatch(entry.name) is None


def _swap(fresh: Path, place: Path, *, keep: list[str]) -> None:
    if not place.is_dir():
        fresh.rename(place)
        return
    old = fresh.with_suffix(".old")
    place.rename(old)
    moved = list[str]()
    try:
        for name in keep:
            (old / name).rename(fresh / name)
            moved.append(name)
        fresh.rename(place)
    except BaseException:
        for name in moved:
            (fresh / name).rename(old / name)
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
