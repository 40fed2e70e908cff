"""Options that several commands share, and their way to the values of the pipeline."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from sisyphus.cli import completing
from sisyphus.errors import UsageError

if TYPE_CHECKING:
    from sisyphus.request import Source
    from sisyphus.target import Target

Command = Callable[..., Any]

#: The variable by which a shell asks for completions.
VARIABLE = "_SISY_COMPLETE"
#: Headings of the options of commands that have many.
GROUPS: Mapping[str, str] = {
    "Kernel": "function defines include_dirs sandboxed params extents temporaries",
    "Board and budgets": "device platform units phases streams budget dsp mem bram uram lut ff clock max_partition",
    "What is chosen": "model reuse tree_reduction tiles padding objective trust fixes schedule",
    "Search": "solver time_limit effort memory_limit seed gap design start top front explain no_cache calibration",
    "Code and its verification": "output verify_how verify_limit no_verify html compare_cpu",
}


class Grouped(click.Command):
    """A command whose help has its options under headings: names by heading in `groups`."""

    groups: ClassVar = GROUPS

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Every option once; those under no heading come last."""
        rows: dict[str | None, list[tuple[str, str]]] = {}
        for option in self.get_params(context):
            row = option.get_help_record(context) if isinstance(option, click.Option) else None
            if row is not None:
                rows.setdefault(option.name, []).append(row)
        for heading, names in self.groups.items():
            found = [row for name in names.split() for row in rows.pop(name, ())]
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)
        with formatter.section("Other options"):
            formatter.write_dl([row for several in rows.values() for row in several])


#: What `--effort` takes.
WORK = click.FloatRange(min=0, min_open=True)


class _CountOrAuto(click.ParamType[int | str]):
    """A number of things, or as many as help."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        text = str(value)
        if text == "auto":
            return text
        if not (text.isascii() and text.isdigit()) or int(text) < 1:
            self.fail(f"{text!r} is no number of {self.name}; 1 or more, or `auto`", param, ctx)
        return int(text)


#: What `--units` and `--phases` take.
UNITS, PHASES = _CountOrAuto("units"), _CountOrAuto("phases")
#: Bytes that Python and the libraries take before anything is done.
LEAST_MEMORY = 256 * 10**6


def source_options(command: Command) -> Command:
    """The kernel file and how to read it."""
    return click.argument("kernel", type=click.Path(path_type=Path, allow_dash=True))(reading_options(command))


def reading_options(command: Command) -> Command:
    """How to read a kernel file."""
    decorators: list[Callable[[Command], Command]] = [
        click.option("--function", metavar="NAME", help="The function to take, where a file has several."),
        click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro."),
        click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Look for included files there."),
        sandbox_option,
        click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="Fix an integer argument."),
        click.option("--extent", "extents", multiple=True, metavar="NAME=N[,N]", help="Extents of a pointer argument."),
        click.option("--local", "temporaries", multiple=True, metavar="NAME", help="An array that nobody wants."),
    ]
    return _all(decorators, command)


def saved_options(command: Command) -> Command:
    """Where a design that was saved finds its kernel and its board."""
    decorators = [
        click.option(
            "--source",
            type=click.Path(path_type=Path, allow_dash=True),
            metavar="FILE",
            help="The kernel, where it has moved (`-`: standard input).",
        ),
        click.option("--device", metavar="NAME|FILE", help="The board, where its name is not a known one."),
    ]
    return _all(decorators, command)


def sandbox_option(command: Command) -> Command:
    """For kernels, or designs of them, that come from somebody else."""
    return click.option(
        "--sandbox-includes",
        "sandboxed",
        is_flag=True,
        help="The kernel may include nothing outside of its folder and those of -I.",
    )(command)


def target_options(command: Command) -> Command:
    """The device, its budgets, and the bound on banks."""
    banks = click.option(
        "--max-partition",
        type=click.IntRange(min=1),
        default=1024,
        show_default=True,
        help="Most banks of one array.",
    )
    return board_options(banks(command))


def board_options(command: Command) -> Command:
    """The device and its budgets."""
    amount = "N or N%"
    decorators = [
        click.option(
            "--device",
            default="u200",
            show_default=True,
            metavar="NAME|FILE",
            shell_complete=completing.boards,
            help="Board (u200, u250, u280, u55c, …: `sisy devices`), or a TOML file.",
        ),
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

        try:
            size = sys.maxsize if text == "none" else parse_size(text)
        except ValueError as wrong:
            raise UsageError(f"`--memory-limit {text}`: {wrong}") from None
        if size < LEAST_MEMORY:
            raise UsageError(f"`--memory-limit {text}` is less than any run needs", hint="256MB is the least")
        limit(size)


def _all(decorators: Iterable[Callable[[Command], Command]], command: Command) -> Command:
    return functools.reduce(lambda inner, decorate: decorate(inner), reversed(list(decorators)), command)


def take_kernel(options: dict[str, Any]) -> Source:
    """The kernel that the options of `source_options` name; they are taken out of `options`."""
    from sisyphus.api import source_of

    names = ("function", "defines", "include_dirs", "params", "extents", "temporaries", "sandboxed")
    return source_of(options.pop("kernel"), **{name: options.pop(name) for name in names})


def take_target(options: dict[str, Any]) -> Target:
    """The target that the options of `target_options` describe; they are taken out of `options`."""
    from sisyphus.api import board

    names = ("platform", "budget", "dsp", "mem", "bram", "uram", "lut", "ff", "clock", "max_partition")
    return board(options.pop("device"), **{name: options.pop(name) for name in names if name in options}, tell=note)


def note(text: str) -> None:
    if not click.get_current_context().params.get("quiet"):
        click.echo(f"note: {text}", err=True)
