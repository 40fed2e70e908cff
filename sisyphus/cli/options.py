"""Options that several commands share, and their way to the values of the pipeline."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sisyphus.errors import UsageError

if TYPE_CHECKING:
    from sisyphus.pipeline import Source
    from sisyphus.target import Target

Command = Callable[..., Any]

#: Bytes that Python and the libraries take before anything is done.
LEAST_MEMORY = 256 * 10**6


def source_options(command: Command) -> Command:
    """The kernel file and how to read it."""
    decorators = [
        click.argument("kernel", type=click.Path(path_type=Path)),
        click.option("--function", metavar="NAME", help="The function to take, where a file has several."),
        click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro."),
        click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Look for included files there."),
        click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="Fix an integer argument."),
        click.option("--extent", "extents", multiple=True, metavar="NAME=N[,N]", help="Extents of a pointer argument."),
        click.option("--local", "temporaries", multiple=True, metavar="NAME", help="An argument that is a temporary."),
    ]
    return _all(decorators, command)


def target_options(command: Command) -> Command:
    """The device and its budgets."""
    amount = "N or N%"
    decorators = [
        click.option("--device", default="u200", show_default=True, metavar="NAME|FILE", help="Board, or a TOML file."),
        click.option("--platform", metavar="NAME", help="Shell of the board, where several are known."),
        click.option(
            "--budget",
            type=click.Choice(["routable", "platform", "chip"]),
            help="What binds: the user region up to where designs were routed, all of it, or the whole chip. "
            "[default: routable, or the next that has what is ordered below]",
        ),
        click.option("--dsp", metavar=amount, help="DSP slices; such a number replaces that budget alone."),
        click.option("--mem", metavar="SIZE", help="On-chip buffers: 7.2MB, 320kB, 4MiB, or bytes."),
        click.option("--bram", metavar=amount, help="BRAM18 blocks."),
        click.option("--uram", metavar=amount, help="UltraRAM blocks."),
        click.option("--lut", metavar=amount, help="LUTs."),
        click.option("--ff", metavar=amount, help="Flip-flops."),
        click.option("--clock", type=float, metavar="MHZ", help="Clock of the kernel."),
        click.option(
            "--max-partition",
            type=click.IntRange(min=1),
            default=1024,
            show_default=True,
            help="Most banks of one array.",
        ),
    ]
    return _all(decorators, command)


def talk_options(command: Command) -> Command:
    """How much is said, and in which form."""
    decorators = [
        click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output."),
        click.option("-q", "--quiet", is_flag=True, help="No talk on standard error."),
        click.option("-v", "--verbose", count=True, help="More talk on standard error."),
    ]
    return _all(decorators, command)


def memory_option(command: Command) -> Command:
    """What the process and each of its children may take; it is at work as soon as it is read."""
    return click.option(
        "--memory-limit",
        metavar="SIZE",
        expose_value=False,
        callback=_limit_memory,
        help="Of this process, and of each that it starts: 4GB, none.  [default: 4GB]",
    )(command)


def _limit_memory(context: click.Context, _: click.Parameter, text: str | None) -> None:
    limit: Callable[[int], None] | None = context.obj
    if text is not None and limit is not None:
        from sisyphus.target import parse_size

        size = sys.maxsize if text == "none" else _parsed("--memory-limit", text, lambda: parse_size(text))
        if size < LEAST_MEMORY:
            raise UsageError(f"`--memory-limit {text}` is less than any run needs", hint="256MB is the least")
        limit(size)


def _all(decorators: Iterable[Callable[[Command], Command]], command: Command) -> Command:
    return functools.reduce(lambda inner, decorate: decorate(inner), reversed(list(decorators)), command)


def make_source(options: dict[str, Any]) -> Source:
    """The kernel that the options of `source_options` name; they are taken out of `options`."""
    from sisyphus.pipeline import Source

    path: Path = options.pop("kernel")
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise UsageError(f"{path}: {what}", hint="give the path of a C file")
    return Source(
        path=str(path),
        function=options.pop("function"),
        defines=options.pop("defines"),
        include_dirs=options.pop("include_dirs"),
        params=dict(_param(text) for text in options.pop("params")),
        extents=tuple(_extent(text) for text in options.pop("extents")),
        temporaries=options.pop("temporaries"),
    )


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


def make_target(options: dict[str, Any]) -> Target:
    """The target that the options of `target_options` describe; they are taken out of `options`."""
    from sisyphus import target

    device = target.load_device(options.pop("device"))
    whole = device.chip()
    found = target.make_target(
        device,
        budget=options.pop("budget"),
        platform=options.pop("platform"),
        dsp=_amount("--dsp", options.pop("dsp"), whole.dsp),
        onchip_bytes=_size("--mem", options.pop("mem"), whole.onchip_bytes),
        bram18k=_amount("--bram", options.pop("bram"), whole.bram18k),
        uram=_amount("--uram", options.pop("uram"), whole.uram),
        lut=_amount("--lut", options.pop("lut"), whole.lut),
        ff=_amount("--ff", options.pop("ff"), whole.ff),
        clock_mhz=options.pop("clock"),
        max_partition=options.pop("max_partition"),
    )
    if found.level == "routable" and found.platform is None:
        _note(f"no user region of `{device.name}` is known; its budgets are shares of the whole chip (`sisy devices`)")
    return found


def _amount(option: str, text: str | None, total: int) -> int | None:
    from sisyphus.target import parse_amount

    return (
        None
        if text is None
        else _at_most(option, text, _parsed(option, text, lambda: parse_amount(text, total)), total)
    )


def _at_most(option: str, text: str, amount: int, total: int) -> int:
    """No budget is more than the device has; who asks for more is told so."""
    if amount > total:
        _note(f"`{option} {text}` is more than the device has; its {total:,} bind")
    return amount


def _note(text: str) -> None:
    if not click.get_current_context().params.get("quiet"):
        click.echo(f"note: {text}", err=True)


def _size(option: str, text: str | None, total: int) -> int | None:
    from sisyphus.target import parse_size

    if text is None:
        return None
    return _at_most(option, text, _parsed(option, text, lambda: parse_size(text)), total)


def _parsed(option: str, text: str, parse: Callable[[], int]) -> int:
    try:
        return parse()
    except ValueError as wrong:
        raise UsageError(f"`{option} {text}`: {wrong}") from None


def seconds(text: str) -> float | None:
    """`30`, `30s`, `2m`, `1h`, `none`."""
    if text.strip() == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|h)?", text.strip())
    if match is None or float(match[1]) <= 0:
        raise UsageError(f"`--time-limit {text}` is no time", hint="as in 30, 30s, 5m, 1h or none")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]
