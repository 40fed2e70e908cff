"""One solve in a child process, so that a crash, a hang or a passed limit is an outcome and not an accident."""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sisyphus.errors import ToolError
from sisyphus.solve.contract import Progress, SolveOutcome, SolveRequest, Stop, failure
from sisyphus.tools import run_tool

#: Seconds that a child may take beyond its own limit: start, model translation, the solver's reaction.
GRACE_S = 20.0
#: Seconds between two looks at what the child has told.
POLL_S = 0.1
REQUEST, OUTCOME, LOG, PROGRESS = "request.pickle", "outcome.pickle", "solver.log", "progress.jsonl"

#: Told of every word of a solver while it runs.
Listen = Callable[[Progress], None]


def solve(name: str, request: SolveRequest, listen: Listen | None = None) -> SolveOutcome:
    """Runs the adapter `name` on a request; whatever happens there comes back as an outcome.

    A solver that was killed or interrupted still leaves the best point it told of.
    """
    started = time.monotonic()
    limit = request.limits.seconds
    with tempfile.TemporaryDirectory(prefix="sisy-solve-") as folder:
        place = Path(folder)
        request = replace(request, progress=place / PROGRESS)
        (place / REQUEST).write_bytes(pickle.dumps((name, request, time.time())))
        watch = _Watch(place / PROGRESS, listen)
        try:
            with watch:
                run_tool(
                    [sys.executable, "-m", "sisyphus.solve.child", str(place)],
                    cwd=place,
                    timeout_s=None if limit is None else limit + GRACE_S,
                    log=place / LOG,
                )
        except ToolError as broken:
            return watch.last(failure(name, broken.message, time.monotonic() - started))
        except KeyboardInterrupt:
            stopped = failure(name, "interrupted", time.monotonic() - started)
            return watch.last(replace(stopped, stop=Stop.INTERRUPTED))
        return _outcome(name, place / OUTCOME, time.monotonic() - started)


def _outcome(name: str, path: Path, seconds: float) -> SolveOutcome:
    if not path.exists():
        return failure(name, "the solver gave no outcome", seconds)
    outcome = pickle.loads(path.read_bytes())
    if not isinstance(outcome, SolveOutcome):
        return failure(name, f"the solver answered with {type(outcome).__name__}, not with an outcome", seconds)
    return outcome


class _Watch:
    """Reads what a child appends to its progress file, in a thread, for as long as the block runs."""

    def __init__(self, path: Path, listen: Listen | None) -> None:
        self.path, self.listen = path, listen
        self.best: Progress | None = None
        self.bound: float | None = None
        self._read = 0
        self._fault: BaseException | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        self._look()

    def _poll(self) -> None:
        """What fails in whoever listens fails in the thread that asked."""
        try:
            while not self._over.wait(POLL_S):
                self._look()
        except BaseException as fault:  # noqa: BLE001 - handed on where the block ends
            self._fault = fault

    def _look(self) -> None:
        if not self.path.exists():
            return
        text = self.path.read_bytes()[self._read :]
        whole, _, _ = text.rpartition(b"\n")
        self._read += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            said = json.loads(line)
            word = Progress(said["seconds"], said["objective"], said["bound"], said["values"])
        except (ValueError, KeyError, TypeError):
            return  # half a line of a child that died while it wrote
        if word.values is not None:
            self.best = word
        if word.bound is not None:
            self.bound = word.bound
        if self.listen is not None:
            self.listen(word)

    def last(self, outcome: SolveOutcome) -> SolveOutcome:
        """The outcome with the best point that was told of."""
        if self.best is None:
            return replace(outcome, bound=self.bound)
        return replace(outcome, values=self.best.values, objective=self.best.objective, bound=self.bound)
