"""Files are there whole or as before, and a writer that is killed leaves nothing that the next one does not clear."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sisyphus.cache import Cache
from sisyphus.files import write_file


def killed_while_writing(path: Path) -> None:
    """A process that dies when all is written, before the file has its name."""
    child = os.fork()
    if child == 0:
        os.fsync = lambda _handle: os.kill(os.getpid(), signal.SIGKILL)
        write_file(path, "new")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_what_a_killed_writer_left_is_cleared_by_the_next_one(tmp_path: Path) -> None:
    path, swap = tmp_path / "report.html", tmp_path / ".report.html.swp"
    path.write_text("old")
    swap.write_text("an editor's")
    killed_while_writing(path)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 3
    write_file(path, "newer")
    assert path.read_text() == "newer" and {p.name for p in tmp_path.iterdir()} == {path.name, swap.name}


def test_a_failed_writer_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_file(tmp_path / "page", "\udc00")
    assert list(tmp_path.iterdir()) == []


def test_clearing_the_cache_clears_what_killed_runs_left(tmp_path: Path) -> None:
    write_file(tmp_path / "1.json", "{}")
    killed_while_writing(tmp_path / "2.json")
    cache = Cache(tmp_path)
    assert len(cache.entries()) == 1
    assert cache.clear() == 1 and list(tmp_path.iterdir()) == []
