"""The child process of a solve: reads a request from a folder, runs the adapter, leaves the outcome there."""

from __future__ import annotations

import pickle
import sys
import time
from dataclasses import replace
from pathlib import Path

from sisyphus.solve.contract import SolveRequest
from sisyphus.solve.registry import load_adapter
from sisyphus.solve.solving import OUTCOME, REQUEST


def main(folder: Path) -> None:
    name, request, asked = pickle.loads((folder / REQUEST).read_bytes())
    outcome = load_adapter(name).solve(_in_time(request, time.time() - asked))
    partial = folder / (OUTCOME + ".part")
    partial.write_bytes(pickle.dumps(outcome))
    partial.rename(folder / OUTCOME)


def _in_time(request: SolveRequest, spent: float) -> SolveRequest:
    """Starting this process took some of the time."""
    limits = request.limits
    if limits.seconds is None:
        return request
    return replace(request, limits=replace(limits, seconds=max(0.0, limits.seconds - spent)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
