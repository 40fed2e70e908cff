"""The `sisy` command: what users type, and the exit status they get."""

from sisyphus.cli.main import main

__all__ = ["main"]
