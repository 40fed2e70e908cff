"""`sisy optimize`: a C kernel to a verified HLS design in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sisyphus.cli import completing
from sisyphus.cli.options import (
    PHASES,
    UNITS,
    WORK,
    Grouped,
    memory_option,
    note,
    reading_options,
    take_kernel,
    take_target,
    talk_options,
    target_options,
)
from sisyphus.cli.progress import progress
from sisyphus.cli.project_file import ProjectFile, read_project_file
from sisyphus.cli.talk import say
from sisyphus.errors import SisyphusError, TimeUp, UsageError, worst
from sisyphus.settings import NAME

if TYPE_CHECKING:
    from sisyphus.api import Design
    from sisyphus.cache import Cache
    from sisyphus.request import Request
    from sisyphus.units import Count

#: What only a search knows what to do with, what says how much a design may take, and what only one model has (the API
#: refuses some more, which Python could ask for, too).
LATE_HINT = "raise --verify-limit, or let it be none"
SEARCH_OPTIONS = frozenset(
    re.findall(
        r"\w+",
        "start top front fixes schedule solver effort seed gap tiles padding reuse tree_reduction trust objective "
        "no_cache calibration",
    )
)
BUDGET_OPTIONS = frozenset(re.findall(r"\w+", "device platform budget dsp mem bram uram lut ff max_partition"))
MEASURED_OPTIONS = frozenset(re.findall(r"\w+", "trust padding tiles bram uram lut ff"))
PAPER_OPTIONS, PAPER_HINT = frozenset({"reuse"}), "take `--model paper`, or leave it out"


@click.command(cls=Grouped, short_help="From a C kernel to a verified HLS design.")
@click.argument(
    "kernels",
    metavar="KERNEL...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
)
@reading_options
@target_options
@click.option(
    "--model", type=click.Choice(["measured", "paper"]), default="measured", show_default=True, help="Cost model."
)
@click.option(
    "--reuse",
    type=click.Choice(["optimistic", "pessimistic"]),
    default="optimistic",
    show_default=True,
    help="Are operators shared between nests? (paper's model)",
)
@click.option("--tree-reduction", is_flag=True, help="Let additions be reassociated.")
@click.option(
    "--tiles",
    type=click.Choice(["auto", "divisors", "ragged"]),
    default="auto",
    show_default=True,
    help="Must tiles divide a loop? `auto`: if its divisors leave no wide hole; always in the paper's model.",
)
@click.option(
    "--padding/--no-padding",
    default=True,
    show_default=True,
    help="May rows of arrays be padded in memory to whole beats? Never in the paper's model.",
)
@click.option(
    "--objective",
    type=click.Choice(["rtl", "report"]),
    help="Which cycles to minimise: in RTL or of the synthesis report.  [default: rtl where it was measured (HBM)]",
)
@click.option(
    "--trust",
    type=click.Choice(["any", "measured"]),
    default="any",
    show_default=True,
    help="`measured`: only constructs that synthesis reports or manuals confirm.",
)
@click.option(
    "--fix",
    "fixes",
    multiple=True,
    metavar="KNOB=VALUE",
    shell_complete=completing.knobs,
    help="Fix a knob, as in S1.order=k,i,j.",
)
@click.option(
    "--solver",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=completing.solvers,
    help="See `sisy solvers`.",
)
@click.option(
    "--time-limit",
    default="60s",
    show_default=True,
    metavar="TIME",
    help="Of the command up to the end of the search, and again of --explain.",
)
@click.option(
    "--effort",
    type=WORK,
    metavar="N",
    help="Limit the search by counted work, about N seconds of it: the same design on every machine.  "
    "[without --time-limit: no time limit]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the solver.")
@click.option(
    "--gap", default="0", show_default=True, metavar="PERCENT", help="Stop at a design proved this near to the best."
)
@click.option("--no-cache", is_flag=True, help="Search even where the same was searched before (`sisy cache`).")
@click.option(
    "--calibration",
    is_flag=True,
    help="Budgets and intervals as reports of Vitis corrected them (`sisy readback --resolve`).",
)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Search this order of instances alone, in isl's notation (`sisy analyze` lists others).",
)
@click.option(
    "--units",
    type=UNITS,
    metavar="N|auto",
    help="Deal the outputs over N units, each on an SLR with a design of its own; `auto`: over as many as help.",
)
@click.option(
    "--phases",
    type=PHASES,
    default="auto",
    metavar="N|auto",
    help="With --units: cut the kernel into N phases, each over all units; 1: none; `auto`: where predicted faster.",
)
@click.option(
    "--streams",
    is_flag=True,
    help="With --units: nests on units that all run at the same time and hand arrays over by AXI streams.",
)
@click.option("--design", type=click.Path(path_type=Path), metavar="DIR|FILE", help="Build this design, do not search.")
@click.option("--start", type=click.Path(path_type=Path), metavar="DIR|FILE", help="Begin the search with this design.")
@click.option(
    "--top", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Show the N best designs."
)
@click.option("--pareto", "front", is_flag=True, help="Trade latency against DSPs and BRAM: the whole front.")
@click.option("--explain", is_flag=True, help="Say what binds and how neighbouring designs compare.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write the project there.")
@click.option(
    "--verify",
    "verify_how",
    type=click.Choice(["normal", "full"]),
    is_flag=False,
    flag_value="normal",
    default="normal",
    show_default=True,
    help="Prove and run the emitted code; `full` runs a very large kernel at its own sizes, too.",
)
@click.option(
    "--verify-limit", metavar="TIME", help="Of the verification alone.  [default: --time-limit, but at least 3m]"
)
@click.option("--no-verify", is_flag=True, help="Neither prove nor run it.")
@click.option("--html", is_flag=True, help="Write report.html into DIR, too.")
@click.option("--compare-cpu", is_flag=True, help="Time the source on one core of this machine, too.")
@talk_options
@memory_option
def optimize(kernels: tuple[Path, ...], **options: Any) -> None:
    """Choose a design for KERNEL (`-`: standard input), write it as HLS C++ and verify it.

    Of several kernels, or the C files of a folder, each gets a folder of its own in DIR and, with --json, a line.

    \b
    sisy optimize gemm.c -o build/gemm                        # for a u200, verified
    sisy optimize gemm.c -D NI=400 --dsp 2000 --mem 4MB       # other sizes, budgets of your own
    sisy optimize gemm.c --device u55c --pareto -o build/gemm # latency against area
    sisy optimize gemm.c --design build/gemm/design.json      # the same design again, without a search
    sisy optimize gemm.c --units 3 -o build/gemm              # rows of the result over three SLRs, one host
    sisy optimize kernels/polybench -o build                  # one after another; `sisy batch` also goes on later
    """
    if len(kernels) == 1 and not kernels[0].is_dir():
        _optimize(options | {"kernel": kernels[0]})
        return
    paths, output, codes = list(_files(kernels)), options["output"], []
    for path in paths:
        place = None if output is None else output / path.stem
        try:
            _optimize(options | {"kernel": path, "output": place}, indent=None)
        except SisyphusError as failure:
            codes.append(failure.exit_code)
            told = failure.render()
            say(told if str(path) in told.partition("\n")[0] else f"{path}: {told}")
            if options["as_json"]:
                click.echo(json.dumps({"kernel": str(path)} | failure.to_json()))
    if codes:
        click.get_current_context().exit(worst(codes))


def _files(kernels: Sequence[Path]) -> Iterator[Path]:
    """The kernels in their order, a folder as its C files; `UsageError` where two of them would share a folder."""
    found = [path for given in kernels for path in (sorted(given.glob("*.c")) if given.is_dir() else [given])]
    if not found:
        raise UsageError(f"no C file in {', '.join(map(str, kernels))}", hint="name C files, or folders of them")
    stems = [path.stem for path in found]
    for path in found:
        if stems.count(path.stem) > 1:
            raise UsageError(f"two kernels are called `{path.stem}`", hint="give them in two calls")
        yield path


def _optimize(options: dict[str, Any], indent: int | None = 2) -> None:
    """One kernel, from the options of the command; `indent` of its JSON."""
    from sisyphus import api, pipeline
    from sisyphus.cache import Cache
    from sisyphus.calibration import Calibration

    output: Path | None = options.pop("output")
    as_json, quiet, verbose = options.pop("as_json"), options.pop("quiet"), options.pop("verbose")
    given, cache, units = _given(), None if options.pop("no_cache") else Cache.of_user(), options.pop("units")
    phases, streams = options.pop("phases"), options.pop("streams")
    calibration = Calibration.of_user() if options.pop("calibration") else None
    _check_together(options, given)
    file = read_project_file(Path.cwd())
    if options["design"] is not None and file.fixes:
        note(f"{NAME} is not read: `--design` asks for no search")
        file = ProjectFile()
    kernel, target = take_kernel(options), take_target(options)
    request = api.request_of(kernel, target, binding=bool(_ordered() & BUDGET_OPTIONS), **_wanted(options, file))
    pipeline.prepare(request, output)
    if units is not None:
        shown = {"as_json": as_json, "quiet": quiet}
        _optimize_units(request, units, phases, cache, output, streams=streams, indent=indent, **shown)
        return
    try:
        with progress(kernel.path, quiet=quiet) as listen:
            design = pipeline.optimize(request, listen, cache, calibration)
    except UsageError as wrong:
        raise file.placed(wrong) from wrong
    if design.was_interrupted:
        click.echo("interrupted: going on with the best design so far", err=True)
    written = None
    try:  # a standard output that takes no more loses no design
        written = design.save(output) if output is not None else None
    finally:
        click.echo(json.dumps(design.data, indent=indent) if as_json else design)
    if written is not None and not (as_json or quiet):
        click.echo(f"\nwritten to {written}", err=True)
    if verbose:
        _tell(design, log=verbose > 1)
    design.check()
    if design.is_unverified:
        raise KeyboardInterrupt
    if design.is_late:
        raise TimeUp("time ran out in the verification", hint=LATE_HINT)


def _optimize_units(
    request: Request,
    units: Count,
    phases: Count,
    cache: Cache | None,
    output: Path | None,
    *,
    streams: bool,
    as_json: bool,
    quiet: bool,
    indent: int | None,
) -> None:
    """One kernel over several units."""
    from sisyphus.units import optimize_units

    with progress(request.source.path, quiet=quiet) as listen:
        design = optimize_units(request, units, listen, cache, phases, streams=streams)
    click.echo(json.dumps(design.data, indent=indent) if as_json else design)
    if output is not None:
        written = design.save(output)
        if not (as_json or quiet):
            click.echo(f"\nwritten to {written}", err=True)
    design.check()
    if design.is_late:
        raise TimeUp("time ran out in the verification", hint=LATE_HINT)


def _wanted(options: dict[str, Any], file: ProjectFile) -> dict[str, Any]:
    """What is left of the options, in the words of the API."""
    if options["effort"] is not None and "time_limit" not in _ordered():
        options = {name: value for name, value in options.items() if name != "time_limit"}
    how, is_off = options.pop("verify_how"), options.pop("no_verify")
    fixes, pareto = (*file.texts, *options.pop("fixes")), options.pop("front")
    verify = "full" if how == "full" else True
    return options | {"fix": fixes, "pareto": pareto, "verify": False if is_off else verify}


def _tell(design: Design, *, log: bool) -> None:
    """Where the time went, and with `log` what the solver printed."""
    if log and design.outcome is not None:
        click.echo(design.outcome.log, err=True)
    for stage, taken in design.seconds.items():
        click.echo(f"{stage:10s} {taken:8.2f} s", err=True)


def _given() -> frozenset[str]:
    """The options that stand on the command line."""
    return _options_from(ParameterSource.COMMANDLINE)


def _ordered() -> frozenset[str]:
    """The options that somebody gave, there, in the environment or in a file."""
    source = ParameterSource
    return _options_from(source.COMMANDLINE, source.ENVIRONMENT, source.DEFAULT_MAP)


def _options_from(*sources: ParameterSource) -> frozenset[str]:
    context = click.get_current_context()
    return frozenset(name for name in context.params if context.get_parameter_source(name) in sources)


def _check_together(options: dict[str, Any], given: frozenset[str]) -> None:
    """`UsageError` for options that contradict each other, or that would have no effect."""
    if options["design"] is not None:
        for name in sorted(given & SEARCH_OPTIONS):
            raise UsageError(
                f"`{_shown(name)}` asks for a search, and `--design` for none",
                hint="`--start FILE` begins a search with a saved design",
            )
    other, hint = (
        (MEASURED_OPTIONS, "leave out `--model paper`") if options["model"] == "paper" else (PAPER_OPTIONS, PAPER_HINT)
    )
    for name in sorted(given & other):
        needed = "paper's" if other is PAPER_OPTIONS else "measured"
        raise UsageError(f"`{_shown(name)}` needs the {needed} model", hint=hint)
    if {"verify_limit", "no_verify"} <= given:
        raise UsageError("`--verify-limit` and `--no-verify` contradict each other", hint="give one of them")
    if {"verify_how", "no_verify"} <= given:
        raise UsageError("`--verify` and `--no-verify` contradict each other", hint="give one of them")
    if "units" in given and "calibration" in given:
        raise UsageError("`--units` and `--calibration` cannot go together", hint="leave out one of them")
    if "phases" in given and "units" not in given:
        raise UsageError("`--phases` needs `--units`", hint="phases are each dealt over units: `--units 3`")
    if "streams" in given and "units" not in given:
        raise UsageError("`--streams` needs `--units`", hint="for example `--units 2 --streams`")
    if options["html"] and "output" not in given:
        raise UsageError("`--html` writes a page into a folder, and there is none", hint="name one with `-o DIR`")


def _shown(name: str) -> str:
    """An option as it is typed."""
    return next(p.opts[0] for p in click.get_current_context().command.params if p.name == name)
