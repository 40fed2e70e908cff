"""Running outside programs: presence, exit status, time limits, logs; the only place for subprocess."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sisyphus.errors import ToolError

LOG_TAIL_LINES = 15


@dataclass(frozen=True)
class Finished:
    """A program that ended by itself: exit status (negative: a signal) and what it printed."""

    status: int
    output: str
    errors: str


def find_tool(name: str) -> str | None:
    """Path of a program on PATH, or None."""
    return shutil.which(name)


def run_tool(
    command: Sequence[str | os.PathLike[str]],
    *,
    cwd: Path,
    timeout_s: float | None,
    log: Path | None = None,
    accept: Sequence[int] = (0,),
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a program to its end in a process group of its own, which dies with it.

    Raises `ToolError` when it is missing, passes `timeout_s` seconds (None: no limit) or exits with a status not in
    `accept`; its output is written to `log` in every case where it started.
    """
    words = [os.fspath(w) for w in command]
    if find_tool(words[0]) is None:
        raise ToolError(f"`{words[0]}` was not found", hint=f"install it, or put it on PATH: `{words[0]}`")
    process = subprocess.Popen(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=dict(env) if env is not None else None,
    )
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        output, errors = process.communicate()
        _write_log(log, output, errors)
        raise ToolError(f"`{words[0]}` did not end within {timeout_s:g} s{_where(log)}") from None
    except BaseException:
        _kill_group(process)
        process.communicate()
        raise
    _write_log(log, output, errors)
    if process.returncode not in accept:
        tail = "\n".join((errors or output).strip().splitlines()[-LOG_TAIL_LINES:])
        raise ToolError(f"`{words[0]}` exited {process.returncode}{_where(log)}" + (f"\n{tail}" if tail else ""))
    return Finished(process.returncode, output, errors)


def _kill_group(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _write_log(log: Path | None, output: str, errors: str) -> None:
    if log is not None:
        log.write_text(output + errors)


def _where(log: Path | None) -> str:
    return f"; its output is in {log}" if log is not None else ""
