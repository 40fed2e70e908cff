"""What pip installs is what the tree has: every package listed, every data file named, every door open."""

from __future__ import annotations

import configparser
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).parents[1]


def config() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def test_every_package_is_listed() -> None:
    listed = set(config()["options"]["packages"].split())
    here = {".".join(p.parent.relative_to(ROOT).parts) for p in (ROOT / "sisyphus").rglob("__init__.py")}
    assert listed == here | {"sisyphus_solvers"}


def test_every_data_file_is_named() -> None:
    named = config()["options.package_data"]
    places = {"*.toml": "target/data", "*.csv": "target/data", "*.h": "verification/include"}
    places |= {"*.j2": "batch/templates", "*.json": "schemas/data"}
    for pattern, folder in places.items():
        package = "sisyphus." + folder.split("/")[0]
        assert f"{folder.split('/')[1]}/{pattern}" in named[package]
    assert "templates/*.j2" in named["sisyphus.report"]
    found = {p.suffix for p in (ROOT / "sisyphus").rglob("*") if p.is_file()} - {".py", ".pyc", ".typed"}
    assert found <= {pattern.removeprefix("*") for pattern in places}


def test_every_adapter_is_an_entry_point() -> None:
    files = {p.stem for p in (ROOT / "solvers").glob("*.py")} - {"__init__"}
    assert {e.name for e in entry_points(group="sisyphus.solvers")} >= files


def test_paths_named_in_the_documents_exist() -> None:
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for word in document.read_text().replace("`", " ").replace("(", " ").replace(")", " ").split():
            word = word.rstrip(".,:;")
            if word.startswith(("docs/", "scripts/", "kernels/", "tests/", "sisyphus/", "solvers/")):
                assert (ROOT / word).exists(), f"{document.name} names {word}"
