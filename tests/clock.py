"""Time that passes when a test says so, so that what it finds in a limit does not depend on the machine."""

from __future__ import annotations

import time

import pytest


class Clock:
    """`time.monotonic` of this process runs `passed` seconds ahead."""

    passed = 0.0

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: real() + self.passed)
