"""Rules of Vitis HLS checked on C++ text, ours or any other, without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from sisyphus.backends.hls import is_ours
from sisyphus.errors import UsageError
from sisyphus.lint.dataflow_rules import check_dataflow
from sisyphus.lint.design import Design
from sisyphus.lint.finding import RULES, Finding
from sisyphus.lint.memory import check_memory
from sisyphus.lint.pragmas import check_pragmas
from sisyphus.lint.syntax import parse
from sisyphus.lint.words import check_words

__all__ = ["RULES", "Finding", "lint_paths", "lint_text"]

SUFFIXES = frozenset({".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh"})
#: What verification proves of a folder of ours.
PROVED = "unproved-dependence"
PASSES = (check_pragmas, check_memory, check_dataflow, check_words)


def lint_text(text: str) -> tuple[Finding, ...]:
    """All findings in a file, in the order of their places."""
    try:
        design = Design(parse(text))
        found = {f for check in PASSES for f in check(design)}
    except RecursionError:
        raise UsageError("the blocks of the file are nested too deeply to be read") from None
    return tuple(sorted(found, key=lambda f: (f.line, f.column, f.rule, f.message)))


def lint_paths(paths: Iterable[Path]) -> tuple[tuple[Path, Finding], ...]:
    """Findings in files, and in the files of folders that are HLS C++.

    Of a folder of ours these are its kernels, without promises about dependences: `sisy verify` proves them.
    """
    found = ((path, file, finding) for path in paths for file in _files(path) for finding in lint_text(_text(file)))
    return tuple((file, one) for path, file, one in found if one.rule != PROVED or not is_ours(path))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if is_ours(path):
        return sorted(path.glob("kernel_*.cpp")) or [path / "kernel.cpp"]
    found = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and p.is_file())
    chosen = [p for p in found if re.search(r"#\s*pragma\s+HLS\b", _text(p), re.IGNORECASE)]
    if not chosen:
        raise UsageError(f"`{path}` holds no C++ file with HLS pragmas", hint="name a file, or a folder sisy wrote")
    return chosen


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure)
        raise UsageError(f"`{path}` cannot be read: {reason.lower()}", hint="give a C++ file or a folder") from failure
