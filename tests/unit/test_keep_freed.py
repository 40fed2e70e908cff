"""Memory that is freed and asked for again does not come from the system each time."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

ARRAYS = """
import resource
from array import array
from sisyphus.allowance import keep_freed
{called}
for _ in range(100):
    several = [array("d", bytes(2 << 20)) for _ in range(4)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


def faults(called: str) -> int:
    """Pages that the system gave to a process that used 16 MB and freed them a hundred times."""
    made = subprocess.run(
        [sys.executable, "-c", ARRAYS.format(called=called)], capture_output=True, text=True, check=True
    )
    return int(made.stdout)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the library of C has no `mallopt`")
def test_freed_memory_is_kept() -> None:
    assert faults("keep_freed()") * 4 < faults("")
