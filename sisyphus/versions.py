"""Of what versions a design is: this package by its files, others by their numbers."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

#: Packages whose versions a design depends on.
PACKAGES = ("islpy", "numpy", "pycparser", "pcpp", "pyomo", "pyscipopt", "networkx")


@cache
def versions() -> Mapping[str, str]:
    """Everything that the same inputs and options lead to the same design with."""
    found = {"python": sys.version.split()[0], "sisyphus": own_digest()}
    return found | {name: version_of(name) or "" for name in PACKAGES}


def version_of(package: str) -> str | None:
    """Of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def own_digest() -> str:
    """SHA-256 over the files of this package."""
    digest, root = hashlib.sha256(), Path(str(files("sisyphus")))
    for path in sorted(p for p in root.rglob("*") if p.suffix in {".py", ".toml", ".csv", ".h"}):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
