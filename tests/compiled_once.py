"""An object that g++ made of the same text by the same command is copied: planted bugs share all files but one.

Only commands that compile one file to one object are answered so, from texts that lie in their folder, and only where
the compiler succeeded without a word; programs are linked and run anew each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from sisyphus.tools import Finished, find_tool

RunTool = Callable[..., Finished]
#: Objects that are kept, the latest ones: tests that share some come after each other.
MOST = 200


def remembering(run_tool: RunTool) -> RunTool:
    """`run_tool`, which compiles nothing that this process has compiled before."""
    kept: dict[str, bytes] = {}

    def run(command: Sequence[str], *, cwd: Path, log: Path | None = None, **options: object) -> Finished:
        if "-c" not in command:
            return run_tool(command, cwd=cwd, log=log, **options)
        made, key = cwd / command[command.index("-o") + 1], _key(command, cwd)
        if key in kept:
            made.write_bytes(kept[key])
            if log is not None:
                log.write_text("")
            return Finished(0, "", "")
        done = run_tool(command, cwd=cwd, log=log, **options)
        if done == Finished(0, "", "") and made.exists():
            kept[key] = made.read_bytes()
            if len(kept) > MOST:
                del kept[next(iter(kept))]
        return done

    return run


def _key(command: Sequence[str], folder: Path) -> str:
    """The compiler that would be called, its words, the file and all headers beside it."""
    said = [str(find_tool(command[0])), *command]
    for path in (folder / command[command.index("-c") + 1], *sorted(folder.glob("*.h"))):
        said += [path.name, path.read_text(encoding="utf-8")]
    return hashlib.sha256("\0".join(said).encode()).hexdigest()
