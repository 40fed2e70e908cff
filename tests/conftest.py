"""Makes the helpers of this folder importable by every test, and compares texts with files beside the tests."""

from __future__ import annotations

import gc
import importlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from compiled_once import remembering

from sisyphus.cli.main import COLLECT_AFTER
from sisyphus.poly import Map, Set

LONGEST = 80


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="Rewrite the expected texts instead of comparing with them.")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Spares the tests what every search for garbage goes through: five thousand collected tests, which all stay."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


@pytest.fixture(autouse=True, scope="session")
def _no_cache() -> None:
    """No test is answered by another one, nor by what the developer searched for."""
    os.environ["SISY_NO_CACHE"] = "1"


@pytest.fixture(autouse=True, scope="session")
def _compiled_once() -> None:
    """The same text is compiled by the same command once; `run`, a function, hides the module's name."""
    module = importlib.import_module("sisyphus.verification.differential_run")
    module.run_tool = remembering(module.run_tool)  # type: ignore[attr-defined]


@pytest.fixture(autouse=True, scope="session")
def _scheduled_once() -> None:
    """isl's schedulers, which are asked in a copy of this large process each time, are asked the same once."""
    module = importlib.import_module("sisyphus.forms.proposals")
    asked, known = module.computed_times, dict[str, object]()

    def remembered(domains: Mapping[str, Set], relations: Sequence[Map], **way: bool) -> object:
        key = f"{domains} {relations} {way}"
        if key not in known:
            known[key] = asked(domains, relations, **way)
        return known[key]

    module.computed_times = remembered  # type: ignore[attr-defined]


@pytest.fixture
def expect(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`expect(text, suffix)`: the text is that of golden/<test name><suffix>, which `--bless` writes anew."""

    def compare(text: str, suffix: str = ".txt") -> None:
        name = re.sub(r"\W+", "_", request.node.name).strip("_")
        golden = Path(request.path).parent / "golden" / f"{name}{suffix}"
        assert len(text.splitlines()) < LONGEST, "too long for anyone to read: take a smaller case"
        if request.config.getoption("--bless"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert golden.exists(), f"{golden} is missing: `pytest --bless` writes it"
        assert text == golden.read_text(encoding="utf-8")

    return compare
