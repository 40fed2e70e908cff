"""Output folders: written whole or not at all, replaced only where sisy wrote them; knows no file's meaning but one.

A folder is ours when it holds a design.json that says so. What else somebody keeps in it (build products, notes)
moves over to the new one.
"""

from __future__ import annotations

import ctypes
import errno
import glob
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from sisyphus.errors import UsageError
from sisyphus.files import PART, locked

DESIGN = "design.json"
OURS = frozenset(
    re.findall(
        r"[\w.]+",
        """kernel.cpp kernel.h reference.c testbench.cpp host.cpp hls_config.cfg run_hls.tcl system.cfg Makefile
    design.json run.json report.md report.html pareto.json pareto.svg explain.json""",
    )
)
#: Designs beside the chosen one, and what each of several units has.
NUMBERED = re.compile(
    r"(design|pareto)-\d+\.json|kernel_\d+\.(cpp|h)|hls_config_kernel_\d+\.cfg|run_hls_kernel_\d+\.tcl"
)
#: A file that was not written to its end.
UNFINISHED = re.compile(rf"\.(?P<name>.+)\.\w+{re.escape(PART)}")
#: Ends of the names of folders on their way in and out.
NEW, OLD = ".new", ".old"
#: Bytes that a project takes, several times over.
LEAST_SPACE = 4 << 20
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_FIELDS = frozenset({"version", "kernel"})
#: One of these has the design: of the whole kernel, or of its units.
_DESIGNS = frozenset({"design", "units"})


def write_folder(files: Mapping[str, str], out: Path) -> None:
    """Puts exactly these files into `out`; on any failure `out` is as it was before.

    Raises `UsageError` where `out` is something else than a folder of ours, or cannot be written.
    """
    with _trouble(out):
        place = _target(out)
        made = _missing_parents(place)
        try:
            with locked(place.parent):
                _settle(place)
                _replace(files, place)
        except BaseException:
            for parent in made:
                with suppress(OSError):  # somebody else uses it by now
                    parent.rmdir()
            raise


def check_folder(out: Path) -> None:
    """`UsageError` where `write_folder` would fail as things are; what a killed run left there is put right."""
    with _trouble(out):
        place = _target(out)
        parent = next(folder for folder in place.parents if folder.exists())
        with locked(parent):  # the probe, too, which another run would clear away
            if parent == place.parent:
                _settle(place)
            _made_beside(parent / place.name).rmdir()
        if shutil.disk_usage(parent).free < LEAST_SPACE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _trouble(out: Path) -> Iterator[None]:
    """What the system refuses, as a sentence about `out`."""
    try:
        yield
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise UsageError(
            f"`{out}` cannot be written: {reason}", hint="nothing was changed; try another `-o`"
        ) from failure


def write_failed(files: Mapping[str, str], out: Path) -> Path:
    """Keeps a design that failed verification beside `out`, which stays untouched; returns where."""
    place = Path(os.path.realpath(out)) if out.name in ("", "..") else out
    for number in count():
        failed = place.with_name(f"{place.name}.failed{number or ''}")
        if not failed.exists() or is_ours(failed):
            break
    write_folder(files, failed)
    return failed


def is_ours(folder: Path) -> bool:
    """Whether sisy wrote this folder."""
    try:
        data = json.loads((folder / DESIGN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and set(data) >= _FIELDS and not _DESIGNS.isdisjoint(data)


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
    """Creates the folders around `place`; returns those it made, innermost first, not those that another run made."""
    made: list[Path] = []
    for folder in reversed([parent for parent in place.parents if not parent.exists()]):
        with suppress(FileExistsError):
            folder.mkdir()
            made.insert(0, folder)
    return made


def _replace(files: Mapping[str, str], place: Path) -> None:
    """All files go to a new folder beside `place`, which then takes its name."""
    fresh = _made_beside(place)
    try:
        for name in sorted(files):
            (fresh / name).write_text(files[name], encoding="utf-8", newline="\n")
        _swap(fresh, place)
    finally:
        _settle(place)


def _made_beside(place: Path) -> Path:
    """A new folder, on its way to the name of `place`."""
    fresh = place.with_name(f".{place.name}.{secrets.token_hex(4)}{NEW}")
    fresh.mkdir()
    return fresh


def _swap(fresh: Path, place: Path) -> None:
    """`fresh` takes the name of `place`; what that was before is left beside it."""
    if not place.is_dir():
        fresh.rename(place)
    elif not _exchange(fresh, place):
        place.rename(fresh.with_suffix(OLD))
        fresh.rename(place)


def _exchange(one: Path, other: Path) -> bool:
    """Two folders change names at once, so that there is no moment without either; False where that cannot be had."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS):  # a file system, a kernel without it
        return False
    raise OSError(code, os.strerror(code))


def _settle(place: Path) -> None:
    """What a run leaves beside `place`, even one that was killed: nothing, and nothing of the user's is lost.

    An old folder takes its name back if there is no new one. What else somebody keeps in it moves to the new one.
    """
    for left in place.parent.glob(f".{glob.escape(place.name)}.*"):
        if left.suffix not in (NEW, OLD) or not left.is_dir():
            continue
        if left.suffix == OLD and not place.exists():
            left.rename(place)
            continue
        for entry in left.iterdir():
            if not _is_our_file(entry.name) and place.is_dir():
                kept = place / entry.name
                if not os.path.lexists(kept):
                    entry.rename(kept)
        if all(_is_our_file(entry.name) for entry in left.iterdir()):
            shutil.rmtree(left, ignore_errors=True)


def _is_our_file(name: str) -> bool:
    """Whether sisy writes files of this name into a folder."""
    unfinished = UNFINISHED.fullmatch(name)
    name = name if unfinished is None else unfinished["name"]
    return name in OURS or NUMBERED.fullmatch(name) is not None
