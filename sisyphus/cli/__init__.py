"""The `sisy` command: what users type, and the exit status they get."""

import sys

try:
    from sisyphus.cli.main import main
except KeyboardInterrupt:  # Ctrl-C before anything has begun: there is nothing to show
    sys.exit(130)

__all__ = ["main"]
