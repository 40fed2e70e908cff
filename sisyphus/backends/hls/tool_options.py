"""Options of the vendor's tools by their version, read from data with the manual each is from; knows no plan."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from sisyphus.target import Target, parse_toml


@cache
def _data() -> dict[str, Any]:
    return parse_toml(files("sisyphus.backends.hls").joinpath("data", "tools.toml").read_text(encoding="utf-8"))


def clock_option(target: Target, unit: str) -> str:
    """What sets the clock of a compute unit when it is linked, in versions that `scalable_versions` does not list."""
    return _filled(_data()["clock"]["option"], target, unit)


def scalable_clock_option(target: Target, unit: str) -> str:
    """The same in the versions of `scalable_versions`."""
    return _filled(_data()["clock_of_scalable_platforms"]["option"], target, unit)


def scalable_versions(target: Target) -> tuple[str, ...]:
    """Versions in which the platform of a board wants another option; none for boards with fixed clocks."""
    if target.device.bank_kind == "PS":
        return ()
    return tuple(_data()["clock_of_scalable_platforms"]["versions"])


def strategies(target: Target) -> tuple[str, ...]:
    """Properties of Vivado's runs with which designs like these were routed; none for boards without a shell."""
    if target.device.bank_kind == "PS":
        return ()
    return tuple(entry["prop"] for entry in _data()["strategies"])


def _filled(option: str, target: Target, unit: str) -> str:
    return option.format(hz=round(target.clock_mhz * 1e6), mhz=round(target.clock_mhz), unit=unit)
