"""What a board offers, by name or from a user's file; knows no operator and no design."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sisyphus.errors import InternalError, KernelError
from sisyphus.target.tables import package_toml, parse_toml

BRAM18K_BYTES = 18 * 1024 // 8
URAM_BYTES = 288 * 1024 // 8
MAX_CLOCK_MHZ = 2000

_COUNTS = ("dsp", "bram18k", "uram", "lut", "ff")
_AT_LEAST_ONE = ("slrs", "banks")
_PORT_BITS = (32, 64, 128, 256, 512, 1024)
_BANK_KINDS = ("DDR", "HBM", "PS")
_OPTIONAL = {"bank_kind": "DDR"}
_KEYS = ("part", *_COUNTS, *_AT_LEAST_ONE, "clock_mhz", "port_bits", "source", *_OPTIONAL)


@dataclass(frozen=True)
class Budget:
    """Upper limits of a design; `onchip_bytes` bounds the sum over all on-chip buffers (None: unbounded)."""

    dsp: int
    bram18k: int
    uram: int
    lut: int
    ff: int
    onchip_bytes: int | None


@dataclass(frozen=True)
class Device:
    """A board: what its part has, its off-chip banks (`bank_kind` DDR, HBM or PS), its usual kernel clock."""

    name: str
    part: str
    dsp: int
    bram18k: int
    uram: int
    lut: int
    ff: int
    slrs: int
    banks: int
    clock_mhz: float
    port_bits: int
    source: str
    bank_kind: str = "DDR"

    @property
    def onchip_bytes(self) -> int:
        """Bytes in all block RAMs and UltraRAMs, parity bits included."""
        return self.bram18k * BRAM18K_BYTES + self.uram * URAM_BYTES

    @property
    def family(self) -> str:
        """The family of the part by the longest known start of its name; `unknown` where none fits."""
        families: dict[str, str] = package_toml("operators.toml")["families"]
        starts = [start for start in families if self.part.lower().startswith(start)]
        return families[max(starts, key=len)] if starts else "unknown"

    def budget(self) -> Budget:
        """Everything the device has."""
        return Budget(self.dsp, self.bram18k, self.uram, self.lut, self.ff, self.onchip_bytes)


@cache
def _known() -> dict[str, Device]:
    devices = {}
    for name, fields in package_toml("devices.toml").items():
        faults = _faults(fields)
        if faults:
            raise InternalError(f"devices.toml, `{name}`: " + "; ".join(faults))
        devices[name] = _device(name, fields)
    return devices


def device_names() -> tuple[str, ...]:
    """Names that `load_device` knows, in the order of the data file."""
    return tuple(_known())


def load_device(name_or_path: str) -> Device:
    """A known device by its name, or the one a user's TOML file describes.

    A text with a path separator or the suffix .toml is a path. Names are taken in any case, with `_` for `-`.
    """
    if name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path:
        return _read_device(name_or_path)
    name = name_or_path.strip().lower().replace("_", "-")
    known = _known()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean `{close[0]}`?" if close else "a file of your own is given by its path, as in `./my.toml`"
    raise KernelError(f"unknown device `{name_or_path}`; known are " + ", ".join(f"`{k}`" for k in known), hint=hint)


def _read_device(path: str) -> Device:
    """The one table of a user's file, with every fault of it reported at once."""
    try:
        content = parse_toml(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise KernelError(f"device file `{path}` cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise KernelError(f"device file `{path}` is not valid TOML: {error}") from error
    tables = {name: fields for name, fields in content.items() if isinstance(fields, dict)}
    if len(tables) != 1 or len(content) != 1:
        raise KernelError(
            f"device file `{path}` must hold exactly one table, named after the device, and nothing outside it; "
            f"it holds {len(tables)} tables and {len(content) - len(tables)} other keys",
            hint="write the keys below a line such as `[myboard]`",
        )
    name, fields = next(iter(tables.items()))
    faults = _faults(fields)
    if faults:
        lines = "".join(f"\n  {fault}" for fault in faults)
        raise KernelError(
            f"device file `{path}`, table `{name}`, is not usable:{lines}", hint="its keys are " + ", ".join(_KEYS)
        )
    return _device(name, fields)


def _device(name: str, fields: Mapping[str, Any]) -> Device:
    """The device of fields in which `_faults` found nothing."""
    return Device(name=name, **{**_OPTIONAL, **fields, "clock_mhz": float(fields["clock_mhz"])})


def _faults(fields: Mapping[str, Any]) -> list[str]:
    """One sentence for every missing, unknown or wrong key."""
    faults = [f"`{key}` is missing" for key in _KEYS if key not in fields and key not in _OPTIONAL]
    for key, value in fields.items():
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            faults.append(f"`{key}` is not a key of a device" + (f"; did you mean `{close[0]}`?" if close else ""))
            continue
        wanted = _wanted(key, value)
        if wanted:
            faults.append(f"`{key}` is `{value}` but must be {wanted}")
    return faults


def _wanted(key: str, value: object) -> str | None:
    """What a key of a device must be where its value is not that."""
    if key in _COUNTS:
        return None if _is_whole(value, 0) else "a whole number, 0 or more"
    if key in _AT_LEAST_ONE:
        return None if _is_whole(value, 1) else "a whole number, 1 or more"
    if key == "port_bits":
        return None if _is_whole(value, 1) and value in _PORT_BITS else "one of " + ", ".join(map(str, _PORT_BITS))
    if key == "clock_mhz":
        return None if _is_clock(value) else f"a number of MHz above 0 and up to {MAX_CLOCK_MHZ}"
    if key == "bank_kind":
        return None if value in _BANK_KINDS else "one of " + ", ".join(_BANK_KINDS)
    return None if isinstance(value, str) and value.strip() else "a text that is not empty"


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_clock(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MAX_CLOCK_MHZ
