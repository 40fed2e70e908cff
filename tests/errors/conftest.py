"""`pytest tests/errors --bless` rewrites the expected messages instead of comparing them."""

from __future__ import annotations

import contextlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):
        parser.addoption("--bless", action="store_true", help="rewrite expected messages")


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless", default=False))
