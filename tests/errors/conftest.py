"""`pytest tests/errors --bless` rewrites the expected messages before comparing."""

from __future__ import annotations

import pytest


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))
