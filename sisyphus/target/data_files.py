"""The data files of the package, read once; knows only their syntax."""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def _text(name: str) -> str:
    return files("sisyphus.target").joinpath("data", name).read_text(encoding="utf-8")


@cache
def package_toml(name: str) -> dict[str, Any]:
    """A TOML file of the package; shared, so never to be changed."""
    return tomllib.loads(_text(name))


@cache
def package_csv(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file of the package by its header; shared, so never to be changed."""
    return tuple(csv.DictReader(_text(name).splitlines()))


def parse_toml(text: str) -> dict[str, Any]:
    """A TOML text of the user's; ValueError with the parser's sentence where it is none."""
    return tomllib.loads(text)
