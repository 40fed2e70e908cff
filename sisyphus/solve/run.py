"""One solve in a child process, so that a crash, a hang or a passed limit is an outcome and not an accident."""

from __future__ import annotations

import pickle
import sys
import tempfile
import time
from pathlib import Path

from sisyphus.errors import ToolError
from sisyphus.solve.contract import SolveOutcome, SolveRequest, Stop
from sisyphus.tools import run_tool

#: Seconds that a child may take beyond its own limit: start, model translation, the solver's reaction.
GRACE_S = 20.0
REQUEST, OUTCOME, LOG = "request.pickle", "outcome.pickle", "solver.log"


def solve(name: str, request: SolveRequest) -> SolveOutcome:
    """Runs the adapter `name` on a request; whatever happens there comes back as an outcome."""
    started = time.monotonic()
    limit = request.limits.seconds
    with tempfile.TemporaryDirectory(prefix="sisy-solve-") as folder:
        place = Path(folder)
        (place / REQUEST).write_bytes(pickle.dumps((name, request)))
        try:
            run_tool(
                [sys.executable, "-m", "sisyphus.solve.child", str(place)],
                cwd=place,
                timeout_s=None if limit is None else limit + GRACE_S,
                log=place / LOG,
            )
        except ToolError as failure:
            return SolveOutcome(
                Stop.FAILED, None, None, None, name, "", time.monotonic() - started, message=failure.message
            )
        outcome = pickle.loads((place / OUTCOME).read_bytes())
    if not isinstance(outcome, SolveOutcome):
        return SolveOutcome(
            Stop.FAILED, None, None, None, name, "", time.monotonic() - started, message="the solver gave no outcome"
        )
    return outcome
