"""Where settings and other files of the user are, and what the environment says; knows no option."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_config_path

#: The file of a project, in its folder.
NAME = "sisy.toml"
#: What variables of the environment begin with.
PREFIX = "SISY"


def user_settings() -> Path:
    """The file of the user, whether it is there or not."""
    return user_config_path("sisyphus-hls") / NAME


def user_calibration() -> Path:
    """The file of what was measured, whether it is there or not."""
    return user_config_path("sisyphus-hls") / "calibration.json"


def user_cache() -> Path:
    """The folder of what can be made again."""
    return user_cache_path("sisyphus-hls")


def settings_of_searches() -> dict[str, str]:
    """Everything beside the command line that steers `sisy optimize`: texts of files and variables by name."""
    files = {str(path): path.read_text(encoding="utf-8") for path in (Path(NAME), user_settings()) if path.is_file()}
    variables = {n: value for n, value in os.environ.items() if n.startswith(f"{PREFIX}_OPTIMIZE_")}
    return files | dict(sorted(variables.items()))
