"""Work in a copy of the process: its answer, its end where it takes too long, and nothing that it leaves behind."""

from __future__ import annotations

import multiprocessing
import os

from sisyphus.tools import apart


def test_the_answer_comes_back_from_another_process() -> None:
    assert int(apart(lambda: str(os.getpid()), 5) or 0) not in (0, os.getpid())


def test_work_without_end_is_ended() -> None:
    def forever() -> str:
        while True:
            pass

    assert apart(forever, 1) is None
    assert multiprocessing.active_children() == []


def test_work_that_fails_has_no_answer() -> None:
    assert apart(lambda: str(1 // 0), 5) is None
