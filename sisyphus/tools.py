"""Running outside programs, and work that nothing else could end; the only place for subprocess."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from sisyphus.errors import ToolError
from sisyphus.values import dataclass

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LOG_TAIL_LINES = 15
#: Bytes of one file that a program made of a user's text may write; seconds of a processor per second that it may take.
LARGEST_FILE, THREADS = 1 << 30, 4

_RUNNING: set[subprocess.Popen[str]] = set()


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
    alone: bool = False,
) -> Finished:
    """Runs a program to its end in a process group of its own, which dies with it.

    Raises `ToolError` when it is missing, passes `timeout_s` seconds (None: no limit) or exits with a status not in
    `accept`; its output is written to `log` in every case where it started. What is made of a user's text runs `alone`:
    without the environment, without core files, with bounds on what it writes and on its processor time.
    """
    words = [os.fspath(w) for w in command]
    if find_tool(words[0]) is None:
        raise ToolError(f"`{words[0]}` was not found", hint=f"install it, or put it on PATH: `{words[0]}`")
    process = subprocess.Popen(
        [*_bounds(timeout_s), *words] if alone else words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=_bare(cwd) if alone else dict(env) if env is not None else None,
    )
    _RUNNING.add(process)
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
    finally:
        _RUNNING.discard(process)
    _write_log(log, output, errors)
    if process.returncode not in accept:
        tail = "\n".join((errors or output).strip().splitlines()[-LOG_TAIL_LINES:])
        raise ToolError(f"`{words[0]}` exited {process.returncode}{_where(log)}" + (f"\n{tail}" if tail else ""))
    return Finished(process.returncode, output, errors)


def end_all() -> None:
    """Ends every program that runs, in whichever thread somebody waits for it."""
    for process in tuple(_RUNNING):
        _kill_group(process)


def _bounds(timeout_s: float | None) -> list[str]:
    """A shell that sets limits and becomes the program; they cannot be raised again.

    By a shell, since code between fork and exec is not safe beside threads.
    """
    seconds = "unlimited" if timeout_s is None else ceil(timeout_s) * THREADS
    # A limit that is lower already stays.
    limits = f"ulimit -c 0; ulimit -f {LARGEST_FILE // 512}; ulimit -t {seconds}"
    return ["/bin/sh", "-c", f'{{ {limits}; }} 2>/dev/null; exec "$@"', "sh"]


def _bare(folder: Path) -> dict[str, str]:
    """The environment of a program that needs none: where tools are found, and where it may write."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(folder)}


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


def apart(work: Callable[[], str], seconds: int) -> str | None:
    """What `work` returns in a copy of this process; None where it takes more seconds of the processor, or fails.

    For calls into a library that look at no clock and cannot be interrupted.
    """
    import multiprocessing  # 10 ms, which most kernels do without

    process = multiprocessing.get_context("fork")
    answer, told = process.Pipe(duplex=False)
    child = process.Process(target=_told, args=(work, seconds, told), daemon=True)
    child.start()
    told.close()
    try:
        return str(answer.recv())
    except EOFError:
        return None
    finally:
        child.kill()
        child.join()
        answer.close()


def _told(work: Callable[[], str], seconds: int, told: Connection) -> None:
    """In the copy: ends itself when its time is over, leaves nothing behind and hears no Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        told.send(work())
    finally:
        os._exit(0)
