"""The child process of a solve: reads a request from a folder, runs the adapter, leaves the outcome there."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from sisyphus.solve.registry import load_adapter
from sisyphus.solve.run import OUTCOME, REQUEST


def main(folder: Path) -> None:
    name, request = pickle.loads((folder / REQUEST).read_bytes())
    outcome = load_adapter(name).solve(request)
    partial = folder / (OUTCOME + ".part")
    partial.write_bytes(pickle.dumps(outcome))
    partial.rename(folder / OUTCOME)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
