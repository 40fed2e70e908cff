"""What people say of a kernel and of a board, and the values that stages take of it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sisyphus.errors import UsageError
from sisyphus.files import STANDARD_INPUT, standard_input
from sisyphus.ir import Scop
from sisyphus.ir.scop_text import dump
from sisyphus.request import Source, read_kernel
from sisyphus.shown import Shown
from sisyphus.target import Level, Target, load_device, make_target, parse_amount, parse_size
from sisyphus.target.target import MAX_PARTITION

T = TypeVar("T")
Tell = Callable[[str], None]
#: `100`, or a share such as `"80%"`.
Amount = int | str
DEFAULT_DEVICE = "u200"


@dataclass(frozen=True, eq=False, repr=False)
class KernelFile(Shown):
    """A kernel that was read: `scop` is what the front end made of the file that `source` names."""

    source: Source
    scop: Scop

    @property
    def name(self) -> str:
        """Of its function."""
        return self.scop.name

    def __str__(self) -> str:
        return dump(self.scop)

    def __repr__(self) -> str:
        return f"<kernel {self.name} of {self.source.path}>"


#: A kernel that was read, or the path of its file.
KernelLike = KernelFile | Source | str | Path
#: A target, or the name or file of a board.
TargetLike = Target | str | Path


def read(
    path: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, object] | Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    params: Mapping[str, int] | Sequence[str] = (),
    extents: Mapping[str, int | Sequence[int]] | Sequence[str] = (),
    temporaries: Sequence[str] = (),
    text: str | bytes | None = None,
) -> KernelFile:
    """Reads an affine C kernel.

    `function` is the one to take where the file has several, `defines` are macros (`{"N": 64}` or `["N=64"]`),
    `params` values of integer arguments, `extents` those of pointer arguments in elements, `temporaries` arguments
    whose final values nobody wants. With `text`, nothing is read and `path` is only what the file is called; `"-"` is
    standard input. `UsageError` for what is no file or no value, `KernelError` with every fault of the
    kernel and its place.
    """
    source = source_of(
        path,
        function=function,
        defines=defines,
        include_dirs=include_dirs,
        params=params,
        extents=extents,
        temporaries=temporaries,
        text=text,
    )
    return KernelFile(source, read_kernel(source))


def source_of(
    path: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, object] | Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    params: Mapping[str, int] | Sequence[str] = (),
    extents: Mapping[str, int | Sequence[int]] | Sequence[str] = (),
    temporaries: Sequence[str] = (),
    text: str | bytes | None = None,
    sandboxed: bool = False,
) -> Source:
    """What `read` reads, not yet read; `UsageError` where there is no such file."""
    place = Path(path)
    if text is None and place == STANDARD_INPUT:
        place, text = Path("<stdin>"), standard_input()
    if text is None and not place.is_file():
        what = "is a folder" if place.is_dir() else "no such file"
        raise UsageError(f"{path}: {what}", hint="give the path of a C file")
    for folder in include_dirs:
        if not Path(folder).is_dir():
            raise UsageError(f"`-I {folder}`: no such folder", hint="headers are looked for there")
    return Source(
        path=str(place) if isinstance(path, Path) or path == str(STANDARD_INPUT) else path,
        function=function,
        defines=tuple(_texts(defines)),
        include_dirs=tuple(map(str, include_dirs)),
        params=dict(_param(text) for text in _texts(params)),
        extents=tuple(_extent(text) for text in _texts(extents)),
        temporaries=tuple(temporaries),
        text=text.encode() if isinstance(text, str) else text,
        sandboxed=sandboxed,
    )


def as_source(kernel: KernelLike) -> Source:
    """The source behind whatever names a kernel."""
    if isinstance(kernel, Source):
        return kernel
    return kernel.source if isinstance(kernel, KernelFile) else source_of(kernel)


def _texts(given: Mapping[str, object] | Sequence[str]) -> Iterator[str]:
    """`NAME=VALUE` for each entry of a mapping; a value None stands for a name alone."""
    if not isinstance(given, Mapping):
        yield from given
        return
    for name, value in given.items():
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
        yield name if value is None else f"{name}={','.join(map(str, values))}"


def _param(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value, 0)
    except ValueError:
        raise UsageError(f"`--param {text}` is not of the form NAME=INTEGER", hint="as in --param N=200") from None


def _extent(text: str) -> str:
    name, _, values = text.partition("=")
    try:
        sizes = [int(value, 0) for value in values.split(",")]
    except ValueError:
        sizes = []
    if not name.strip() or not sizes or min(sizes) < 1:
        raise UsageError(f"`--extent {text}` is not of the form NAME=N or NAME=N,N", hint="as in --extent a=200,220")
    return f"{name.strip()}={','.join(map(str, sizes))}"


def board(
    device: str | Path = DEFAULT_DEVICE,
    *,
    platform: str | None = None,
    budget: Level | None = None,
    dsp: Amount | None = None,
    mem: Amount | None = None,
    bram: Amount | None = None,
    uram: Amount | None = None,
    lut: Amount | None = None,
    ff: Amount | None = None,
    clock: float | None = None,
    max_partition: int = MAX_PARTITION,
    tell: Tell = warnings.warn,
) -> Target:
    """A board with its budgets.

    `device` is the name of a board or a TOML file (docs/devices.md), `platform` one of its shells. `budget` says what
    binds: `"routable"` (default), `"platform"` or `"chip"`; a number given for one kind replaces that budget alone:
    `dsp` slices, `mem` bytes of on-chip buffers or a size such as `"7.2MB"`, `bram` blocks of 18 kbit, `uram` blocks,
    `lut`, `ff`; shares are texts such as `"80%"`. `clock` is in MHz, `max_partition` the most banks of one array.
    `tell` hears remarks. `UsageError` for amounts that cannot be read, `KernelError` for a board that is not known.
    """
    found = load_device(str(device))
    whole = found.chip()
    counts = {"dsp": (dsp, whole.dsp), "bram": (bram, whole.bram18k), "uram": (uram, whole.uram)}
    counts |= {"lut": (lut, whole.lut), "ff": (ff, whole.ff)}
    amounts = {name: _amount(name, given, total, tell) for name, (given, total) in counts.items()}
    made = make_target(
        found,
        budget=budget,
        platform=platform,
        dsp=amounts["dsp"],
        onchip_bytes=_size(mem, whole.onchip_bytes, tell),
        bram18k=amounts["bram"],
        uram=amounts["uram"],
        lut=amounts["lut"],
        ff=amounts["ff"],
        clock_mhz=clock,
        max_partition=max_partition,
    )
    if made.level == "routable" and made.platform is None:
        tell(f"no user region of `{found.name}` is known; its budgets are shares of the whole chip (`sisy devices`)")
    return made


def as_target(given: TargetLike) -> Target:
    """The target behind whatever names one."""
    return given if isinstance(given, Target) else board(given)


def _amount(name: str, given: Amount | None, total: int, tell: Tell) -> int | None:
    if given is None:
        return None
    words = f"--{name} {given}"
    return _at_most(words, _parsed(words, lambda: parse_amount(str(given), total)), total, tell)


def _size(given: Amount | None, total: int, tell: Tell) -> int | None:
    if given is None:
        return None
    words = f"--mem {given}"
    return _at_most(words, _parsed(words, lambda: parse_size(str(given))), total, tell)


def _at_most(words: str, amount: int, total: int, tell: Tell) -> int:
    """No budget is more than the device has; who asks for more is told so."""
    if amount > total:
        tell(f"`{words}` is more than the device has; its {total:,} bind")
    return amount


def _parsed(words: str, parse: Callable[[], T]) -> T:
    try:
        return parse()
    except ValueError as wrong:
        raise UsageError(f"`{words}`: {wrong}") from None


def seconds_of(given: float | str | None, *, option: str = "--time-limit") -> float | None:
    """`30`, `"30s"`, `"2m"`, `"1h"`; None or `"none"` for no limit."""
    text = "none" if given is None else str(given).strip()
    if text == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|h)?", text)
    if match is None or float(match[1]) <= 0:
        raise UsageError(f"`{option} {text}` is no time", hint="as in 30, 30s, 5m, 1h or none")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]


def share_of(given: float | str) -> float:
    """A percentage such as `1`, `"1%"` or `"0.5 %"` as a share of the cost."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*%?", str(given).strip())
    if match is None or float(match[1]) >= 100:
        raise UsageError(f"`--gap {given}` is no gap", hint="a percentage from 0 up to 100, as in 1 or 0.5%")
    return float(match[1]) / 100
