"""`sisy batch`: many kernels, sizes and devices in one run that can be killed and goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from sisyphus.cli.options import WORK, Grouped, sandbox_option
from sisyphus.errors import UsageError, worst

if TYPE_CHECKING:
    from sisyphus.batch import JobChange, JobResult, Sweep, Workers

#: A comparison found something worse than its threshold.
WORSE = 7
#: Seconds for reading, proving and running a kernel, beside its searches: some have several forms.
JOB_S = 1800.0
#: Rows of the live table.
ROWS = 25


class GroupedBatch(Grouped):
    """Help with the headings of a batch."""

    groups: ClassVar = {
        "What runs": "sweep sets devices tree_reduction time_limit effort sandboxed more synthesize",
        "Where": "workers dask queue",
        "Results": "output compare threshold as_json quiet",
    }


@click.command(
    cls=GroupedBatch,
    context_settings={"ignore_unknown_options": True},
    short_help="Optimize and verify many kernels, resumably.",
)
@click.argument("kernels", nargs=-1, type=click.Path())
@click.option("--sweep", type=click.Path(path_type=Path), metavar="FILE", help="A TOML file that says what to run.")
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Data set of the sizes.toml beside a kernel.")
@click.option("--device", "devices", multiple=True, metavar="NAME|FILE", help="Board; may be given several times.")
@click.option("--tree-reduction", type=click.Choice(["no", "yes", "both"]), help="Without, with, or both.")
@click.option("--time-limit", metavar="TIME", help="Of each search.")
@click.option("--effort", type=WORK, metavar="N", help="Of each search, in counted work: alike on every machine.")
@sandbox_option
@click.option("--option", "more", multiple=True, metavar="WORD", help="A further word for each `sisy optimize`.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder of it all.")
@click.option("-j", "workers", type=click.IntRange(min=1), default=1, show_default=True, help="Jobs at a time.")
@click.option("--dask", metavar="ADDRESS", help="Run on this Dask cluster, as in tcp://scheduler:8786.")
@click.option("--slurm", "queue", flag_value="slurm", help="Run -j workers through Slurm (dask-jobqueue).")
@click.option("--lsf", "queue", flag_value="lsf", help="The same through LSF.")
@click.option("--pbs", "queue", flag_value="pbs", help="The same through PBS.")
@click.option("--synthesize", is_flag=True, help="Run `make csynth` in each folder, too; needs Vitis.")
@click.option("--compare", type=click.Path(path_type=Path), metavar="FILE", help="results.jsonl of an earlier batch.")
@click.option("--threshold", default="0%", show_default=True, metavar="PERCENT", help="More cycles than that fail.")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON per result on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No talk on standard error.")
def batch(**options: Any) -> None:
    """Optimize and verify KERNELS: C files, or folders of them.

    Results are written as they come; the same command goes on where an earlier run stopped and repeats nothing that is
    finished and unchanged. Exit status: 0 all done; 7 something got worse than `--threshold`; else that of the worst
    job.

    \b
    sisy batch kernels/polybench --set MEDIUM -j 2 -o build/polybench --time-limit 20s
    sisy batch kernels/polybench -o build/new --compare build/polybench/results.jsonl --threshold 2%
    """
    from sisyphus.batch import changes, jobs_of, left_out, missing, page, run_all, tables
    from sisyphus.batch.results import read_results
    from sisyphus.files import write_file

    typed = click.get_current_context().get_parameter_source("threshold")
    if options["compare"] is None and typed is click.core.ParameterSource.COMMANDLINE:
        raise UsageError("`--threshold` is for a comparison, and there is none", hint="give `--compare FILE`")
    before = None if options["compare"] is None else read_results(options["compare"])
    threshold, out = _threshold(options["threshold"]), options["output"]
    sweep = _sweep(options)
    jobs, notes = jobs_of(sweep), left_out(sweep)
    if before is not None:
        notes += [
            f"{name}: in {options['compare']}, but not in this batch"
            for name in missing(before, [j.name for j in jobs])
        ]
    if not options["quiet"]:
        asked = [] if options["queue"] is None else [f"{options['workers']} of {options['queue']}"]
        for note in (*notes, *(f"workers were asked for ({told}): jobs run once one has started" for told in asked)):
            click.echo(f"note: {note}", err=True)
    with _shown(len(jobs), quiet=options["quiet"], as_json=options["as_json"]) as hear:
        results = run_all(jobs, out, _place(options), hear, synthesize=options["synthesize"])
    changed = () if before is None else changes(before, results)
    for name, text in {**tables(results), "index.html": page(results, changed, notes, out)}.items():
        write_file(out / name, text)
    _conclude(results, changed, threshold, out, quiet=options["quiet"])


def _sweep(options: dict[str, Any]) -> Sweep:
    """The sweep of the file, with what the command line says in place of it."""
    from sisyphus.api.inputs import seconds_of
    from sisyphus.batch import Sweep, read_sweep

    if options["sweep"] is None and not options["kernels"]:
        raise UsageError("no kernels", hint="name C files or folders of them, or give a `--sweep FILE`")
    sweep = Sweep(()) if options["sweep"] is None else read_sweep(options["sweep"])
    given = {name: options[name] for name in ("kernels", "sets", "devices", "tree_reduction") if options[name]}
    effort = [] if options["effort"] is None else ["--effort", f"{options['effort']:g}"]
    more = (*effort, *options["more"], *(["--sandbox-includes"] if options["sandboxed"] else []))
    sweep = replace(sweep, **given, options=(*sweep.options, *more))
    limit = options["time_limit"]
    if limit is None:
        return sweep
    allowed = seconds_of(limit)
    timeout = None if allowed is None else allowed + JOB_S
    return replace(sweep, options=(*sweep.options, "--time-limit", limit), timeout_s=sweep.timeout_s or timeout)


def _place(options: dict[str, Any]) -> Workers:
    from sisyphus.batch import Workers

    if options["dask"] is not None and options["queue"] is not None:
        raise UsageError(f"`--dask` and `--{options['queue']}` are two places", hint="give one of them")
    return Workers(options["workers"], options["dask"], options["queue"])


def _threshold(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip())
    if match is None:
        raise UsageError(f"`--threshold {text}` is no percentage", hint="as in 2%")
    return float(match[1]) / 100


@contextmanager
def _shown(count: int, *, quiet: bool, as_json: bool) -> Iterator[Callable[[JobResult, bool], None]]:
    """Yields a listener: a live table on a terminal, else a line for each result."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    rows: list[tuple[JobResult, bool]] = []
    is_live = console.is_terminal and not quiet

    def hear(result: JobResult, is_known: bool) -> None:
        rows.append((result, is_known))
        if as_json:
            click.echo(result.line)
        if is_live:
            live.refresh()
        elif not (quiet or as_json):
            click.echo(_line(result, len(rows), count, is_known))

    if not is_live:
        yield hear
        return
    begun = time.monotonic()
    with Live(get_renderable=lambda: _table(rows, count, time.monotonic() - begun), console=console) as live:
        yield hear


def _table(rows: Sequence[tuple[JobResult, bool]], count: int, seconds: float) -> Any:
    """The newest results, under how many there are after so many seconds."""
    from rich.table import Table
    from rich.text import Text

    from sisyphus.batch.pages import meaning

    failed = sum(not result.is_done for result, _ in rows)
    title = f"{len(rows)} of {count} jobs have ended{f', {failed} without a design' * bool(failed)}"
    minutes, rest = divmod(int(seconds), 60)
    table = Table(title=f"{title}, {minutes}:{rest:02d}", title_justify="left")
    for heading in ("job", "result", "cycles", "gap %", "seconds", "message"):
        table.add_column(heading, justify="right" if heading in ("cycles", "gap %", "seconds") else "left")
    for result, is_known in rows[-ROWS:]:
        gap = "" if result.gap is None else f"{100 * result.gap:.2f}"
        taken = "known" if is_known else f"{result.seconds.get('total', 0.0):.1f}"
        cells = [result.name, meaning(result), _cycles(result), gap, taken, result.message[:80]]
        table.add_row(*(Text(cell) for cell in cells), style=None if result.is_done else "red")
    return table


def _line(result: JobResult, at: int, count: int, is_known: bool) -> str:
    from sisyphus.batch.pages import meaning

    taken = "known" if is_known else f"{result.seconds.get('total', 0.0):.1f} s"
    what = f"{_cycles(result)} cycles" if result.is_done else result.message
    return f"{at:4d}/{count} {result.name:40s} {meaning(result):13s} {taken:>9s}  {what}"


def _cycles(result: JobResult) -> str:
    return f"{int(result.figures['cycles']):,}" if "cycles" in result.figures else ""


def _conclude(
    results: Sequence[JobResult], changed: Sequence[JobChange], threshold: float, out: Path, *, quiet: bool
) -> None:
    """Says what came of it all, and ends with the status of the worst."""
    worse = [change for change in changed if change.is_worse(threshold)]
    if not quiet:
        for change in changed:
            click.echo(f"{'worse ' if change in worse else ''}{change.text}", err=True)
        done = sum(result.is_done for result in results)
        click.echo(f"{done} of {len(results)} done; results, page and JUnit XML are in {out}", err=True)
    codes = {result.exit_code for result in results if not result.is_done}
    if codes:
        click.get_current_context().exit(worst(codes))
    if worse:
        click.get_current_context().exit(WORSE)
