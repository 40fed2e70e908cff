"""What may stand in a table that describes a device, and every fault of one; builds no device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sisyphus.spelling import did_you_mean
from sisyphus.values import dataclass

MAX_CLOCK_MHZ = 2000
#: Of one bank, in 10^9 bytes a second.
_MAX_BANK_GB_S = 10_000
#: Kinds that a platform lists per SLR, and the most that any part could have of each.
_MOST = {"dsp": 100_000, "bram18k": 100_000, "uram": 100_000, "lut": 100_000_000, "ff": 200_000_000}
SLR_KINDS = tuple(_MOST)
_COUNTED_FROM_ONE = {"slrs": 64, "banks": 4096, "ports_per_bank": 64}
_PORT_BITS = (32, 64, 128, 256, 512, 1024)
_BANK_KINDS = ("DDR", "HBM", "PS")
OPTIONAL: Mapping[str, Any] = {"bank_kind": "DDR", "ports_per_bank": 15, "bank_gb_s": None, "platforms": ()}
_KEYS = ("part", *_MOST, "slrs", "banks", "clock_mhz", "port_bits", "source", *OPTIONAL)
_PLATFORM_KEYS = ("name", *SLR_KINDS, "source")


@dataclass(frozen=True)
class Fault:
    """A sentence, the key it is about, and in which platform (None: in none)."""

    text: str
    key: str
    platform: int | None = None


def keys_told() -> str:
    """All keys, for a hint."""
    return f"its keys are {', '.join(_KEYS)}; those of a platform {', '.join(_PLATFORM_KEYS)}"


def line_of(text: str, table: str, fault: Fault) -> int:
    """The line where the key of a fault stands; that of its table where the key is missing."""
    head = re.compile(rf'\s*\[\[?\s*"?{re.escape(table)}"?\s*(\.\s*"?platforms"?\s*)?\]')
    key = re.compile(rf'\s*"?{re.escape(fault.key)}"?\s*[=.]')
    found, platform, inside = 1, -1, False
    for number, line in enumerate(text.splitlines(), start=1):
        opened = head.match(line)
        if opened is not None:
            platform += opened[1] is not None
            inside = fault.platform == (platform if opened[1] else None)
            found = number if inside else found
        elif inside and key.match(line):
            return number
    return found


def faults_of(fields: Mapping[str, Any]) -> list[Fault]:
    """One sentence for every missing, unknown or wrong key."""
    faults = [*_keys(fields, [k for k in _KEYS if k not in OPTIONAL], _KEYS, "a device", None)]
    for key in (k for k in fields if k in _KEYS):
        wanted = _wanted(key, fields[key])
        if wanted:
            one_table = 0 if isinstance(fields[key], dict) else None
            faults.append(Fault(f"`{key}` is `{_shown(fields[key])}` but must be {wanted}", key, one_table))
    if not faults:
        for at, platform in enumerate(fields.get("platforms", ())):
            faults += _platform_faults(fields, platform, at)
    return faults


def _keys(
    fields: Mapping[str, Any], needed: Sequence[str], known: Sequence[str], what: str, platform: int | None
) -> Iterator[Fault]:
    for key in needed:
        if key not in fields:
            yield Fault(f"`{key}` is missing", key, platform)
    for key in fields:
        if key not in known:
            meant = did_you_mean(key, known)
            yield Fault(f"`{key}` is not a key of {what}{f'; {meant}' if meant else ''}", key, platform)


def _platform_faults(device: Mapping[str, Any], platform: Mapping[str, Any], at: int) -> list[Fault]:
    """Faults of one platform of a device without faults."""
    faults = [*_keys(platform, _PLATFORM_KEYS, _PLATFORM_KEYS, "a platform", at)]
    for key, value in platform.items():
        if key in SLR_KINDS:
            wanted = _wanted_per_slr(value, device["slrs"], device[key])
        else:
            wanted = None if key not in _PLATFORM_KEYS or _is_text(value) else "a text that is not empty"
        if wanted:
            faults.append(Fault(f"`{key}` of a platform is `{_shown(value)}` but must be {wanted}", key, at))
    return faults


def _wanted_per_slr(value: object, slrs: int, most: int) -> str | None:
    """What a list per SLR must be where it is not that; together no more than the chip has."""
    if not isinstance(value, list) or len(value) != slrs or not all(_is_whole(v, 0, most) for v in value):
        return f"a list of {slrs} whole numbers, one per SLR, from 0 to {most:,}"
    return None if sum(value) <= most else f"no more than the {most:,} of the chip in all, not {sum(value):,}"


def _wanted(key: str, value: object) -> str | None:
    """What a key of a device must be where its value is not that."""
    if key in _MOST:
        return None if _is_whole(value, 0, _MOST[key]) else f"a whole number from 0 to {_MOST[key]:,}"
    if key in _COUNTED_FROM_ONE:
        most = _COUNTED_FROM_ONE[key]
        return None if _is_whole(value, 1, most) else f"a whole number from 1 to {most:,}"
    if key == "port_bits":
        known = isinstance(value, int) and value in _PORT_BITS
        return None if known else "one of " + ", ".join(map(str, _PORT_BITS))
    if key == "clock_mhz":
        return None if _is_number(value, MAX_CLOCK_MHZ) else f"a number of MHz above 0 and up to {MAX_CLOCK_MHZ}"
    if key == "bank_gb_s":
        wanted = f"a number of GB/s above 0 and up to {_MAX_BANK_GB_S:,}"
        return None if _is_number(value, _MAX_BANK_GB_S) else wanted
    if key == "bank_kind":
        return None if value in _BANK_KINDS else "one of " + ", ".join(_BANK_KINDS)
    if key == "platforms":
        tables = isinstance(value, list) and all(isinstance(table, dict) for table in value)
        return None if tables else "tables, each below a line such as `[[myboard.platforms]]`"
    return None if _is_text(value) else "a text that is not empty"


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number(value: object, most: int) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= most
