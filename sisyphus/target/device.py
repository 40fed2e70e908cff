"""What a board offers, by name or from a user's file; knows no operator and no design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from sisyphus.errors import InternalError, KernelError, UsageError
from sisyphus.shown import Shown
from sisyphus.spelling import did_you_mean
from sisyphus.target.data_files import package_toml, parse_toml
from sisyphus.target.device_file import MAX_CLOCK_MHZ, OPTIONAL, SLR_KINDS, faults_of, keys_told, line_of
from sisyphus.target.resources import Resources
from sisyphus.values import dataclass

__all__ = ["MAX_CLOCK_MHZ", "Device", "Platform", "ceilings", "device_names", "load_device"]


@dataclass(frozen=True)
class Platform:
    """What a shell leaves to users of a board: its name, what each SLR has, and who says so."""

    name: str
    slrs: tuple[Resources, ...]
    source: str

    @property
    def user_region(self) -> Resources:
        """All SLRs together."""
        return Resources.total(self.slrs)


#: High-performance ports to the memory of a processor (Zynq-7000, UG585; Zynq UltraScale+, UG1085).
PROCESSOR_PORTS = 4


@dataclass(frozen=True)
class Device(Shown):
    """A board: what its part has, its off-chip banks (`bank_kind` DDR, HBM or PS), its usual kernel clock.

    So many ports of a kernel may be connected to each bank, which moves `bank_gb_s` 10^9 bytes a second at most (None:
    not known). `platforms` are the shells whose user regions are known,
    the current one first.
    """

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
    ports_per_bank: int = 15
    bank_gb_s: float | None = None
    platforms: tuple[Platform, ...] = ()

    def __str__(self) -> str:
        area = f"{self.dsp:,} DSP, {self.bram18k:,} BRAM18, {self.uram:,} URAM, {self.lut:,} LUT, {self.ff:,} FF"
        return f"{self.name} ({self.part}): {area}; {self.slrs} SLR, {self.banks} {self.bank_kind}"

    @property
    def beats(self) -> int:
        """Beats that all memory moves in a cycle at most: one for each bank, or port of a processor's memory."""
        return max(self.banks, PROCESSOR_PORTS) if self.bank_kind == "PS" else self.banks

    @property
    def family(self) -> str:
        """The family of the part by the longest known start of its name; `unknown` where none fits."""
        families: dict[str, str] = package_toml("operators.toml")["families"]
        starts = [start for start in families if self.part.lower().startswith(start)]
        return families[max(starts, key=len)] if starts else "unknown"

    def chip(self) -> Resources:
        """Everything the part has."""
        return Resources.of_blocks(dsp=self.dsp, bram18k=self.bram18k, uram=self.uram, lut=self.lut, ff=self.ff)

    def chip_slr(self) -> Resources:
        """An equal share of the part for each SLR."""
        return Resources.of_blocks(**{kind: getattr(self, kind) // self.slrs for kind in SLR_KINDS})

    def platform(self, name: str | None = None) -> Platform | None:
        """The platform of that name (`UsageError` where there is none), or the first one; None where none is known."""
        if name is None:
            return self.platforms[0] if self.platforms else None
        for platform in self.platforms:
            if platform.name == name:
                return platform
        known = ", ".join(f"`{p.name}`" for p in self.platforms) or "none"
        raise UsageError(f"`{self.name}` has no platform `{name}` here; known: {known}", hint="see `sisy devices`")


@cache
def ceilings() -> Mapping[str, Fraction]:
    """Shares of an SLR up to which designs were routed, by kind of resource."""
    return {name: Fraction(str(share)) for name, share in package_toml("ceilings.toml").items() if name != "source"}


@cache
def _known() -> dict[str, Device]:
    devices = {}
    for name, content in package_toml("devices.toml").items():
        faults = faults_of(content)
        if faults:
            raise InternalError(f"devices.toml, `{name}`: " + "; ".join(fault.text for fault in faults))
        devices[name] = _device(name, content)
    return devices


def device_names() -> tuple[str, ...]:
    """Names that `load_device` knows, in the order of the data file."""
    return tuple(_known())


def load_device(name_or_path: str) -> Device:
    """A known device by its name, or the one a user's TOML file describes.

    A text with a path separator or the suffix .toml is a path. Names are taken in any case, with `_` for `-`.
    `KernelError` where there is none of that name, or with every fault of the file.
    """
    if name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path:
        return _read_device(name_or_path)
    name = name_or_path.strip().lower().replace("_", "-")
    known = _known()
    if name in known:
        return known[name]
    hint = did_you_mean(name, known, alike=0.5) or "a file of your own is given by its path, as in `./my.toml`"
    raise KernelError(f"unknown device `{name_or_path}`; known are " + ", ".join(f"`{k}`" for k in known), hint=hint)


def _read_device(path: str) -> Device:
    """The one table of a user's file, with every fault of it reported at once."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = parse_toml(text)
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
    faults = faults_of(fields)
    if faults:
        lines = "".join(f"\n  {path}:{line_of(text, name, fault)}: {fault.text}" for fault in faults)
        raise KernelError(f"device file `{path}`, table `{name}`, is not usable:{lines}", hint=keys_told())
    return _device(name, fields)


def _device(name: str, content: Mapping[str, Any]) -> Device:
    """The device of a table in which no fault was found."""
    fields = {**OPTIONAL, **content, "clock_mhz": float(content["clock_mhz"])}
    platforms = tuple(_platform(table) for table in fields.pop("platforms"))
    return Device(name=name, **fields, platforms=platforms)


def _platform(table: Mapping[str, Any]) -> Platform:
    rows: Sequence[Sequence[int]] = list(zip(*(table[kind] for kind in SLR_KINDS), strict=True))
    slrs = tuple(Resources.of_blocks(**dict(zip(SLR_KINDS, row, strict=True))) for row in rows)
    return Platform(table["name"], slrs, table["source"])
