"""The command group and the one place where an exception becomes an exit status.

Nothing here imports pyomo or islpy: a command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from sisyphus.allowance import keep_freed
from sisyphus.cli.analyze import analyze
from sisyphus.cli.batch import batch
from sisyphus.cli.cache import cache
from sisyphus.cli.completion import completion
from sisyphus.cli.devices import devices
from sisyphus.cli.diff import diff
from sisyphus.cli.doctor import doctor
from sisyphus.cli.estimate import estimate
from sisyphus.cli.explain import explain
from sisyphus.cli.include import include
from sisyphus.cli.lint import lint
from sisyphus.cli.optimize import optimize
from sisyphus.cli.project_file import defaults
from sisyphus.cli.readback import readback
from sisyphus.cli.report import report
from sisyphus.cli.schema import schema
from sisyphus.cli.session import Terminated, limit_memory, plain_streams, session
from sisyphus.cli.solvers import solvers
from sisyphus.cli.talk import say
from sisyphus.cli.verify import verify
from sisyphus.errors import (
    InternalError,
    KernelError,
    MemoryUp,
    SisyphusError,
    TimeUp,
    ToolError,
    UsageError,
    VerifyError,
    failure_data,
)
from sisyphus.settings import PREFIX

INTERRUPTED, BROKEN_PIPE = 130, 141
#: What ended the command for want of time or memory, with all that it was about: nobody has to take that apart.
_STANDING: list[SisyphusError] = []
#: Python looks for garbage after 700 new objects, and finds next to none; imports alone make 60,000 that stay.
COLLECT_AFTER = (200_000, 20, 20)
#: NumPy starts threads for linear algebra, of which there is none here, as it is imported: 0.03 to 0.06 s.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
REPORT_HINT = "this is a fault of sisy, not of your kernel; please report it with the kernel and the command"
#: Shown by `--version --verbose`.
PACKAGES = ("islpy", "numpy", "networkx", "pyomo", "click")
#: Headings of the commands.
SECTIONS: Mapping[str, tuple[click.Command, ...]] = {
    "A design": (optimize, verify, explain, estimate, report, diff, readback),
    "A kernel, or HLS C++ of any kind": (analyze, lint),
    "Many designs": (batch,),
    "What there is": (devices, solvers, doctor, schema, cache, completion, include),
}


#: What files give to commands, among the things that click keeps for a run.
GIVEN = "sisyphus.given"


class Sections(click.Group):
    """A group whose help has its commands under headings, and whose options files may give."""

    def invoke(self, context: click.Context) -> Any:
        """The command; where the value of an option is wrong that a file gave, the file is named."""
        try:
            return super().invoke(context)
        except (UsageError, KernelError) as wrong:
            given = context.meta.get(GIVEN)
            raise wrong if given is None else given.placed(context.invoked_subcommand, wrong) from wrong.__cause__

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command once, in the order of the headings."""
        width = formatter.width - 6 - max(len(name) for name in self.commands)
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(str(c.name), c.get_short_help_str(width)) for c in commands])


@click.group(
    cls=Sections,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "auto_envvar_prefix": PREFIX},
)
@click.option("--version", "is_version", is_flag=True, help="Show the version; with --verbose, of all that it uses.")
@click.option("--verbose", is_flag=True, help="With --version.")
@click.pass_context
def sisy(context: click.Context, is_version: bool, verbose: bool) -> None:
    """From an affine C kernel and an FPGA's resources to a verified HLS C++ design.

    \b
    sisy optimize kernels/polybench/gemm.c -o build/gemm
    sisy optimize --help

    Options may also stand in a sisy.toml, here or of the user, or in the environment (docs/settings.md).

    Exit status: 0 done; 1 kernel or target not accepted; 2 usage; 3 no feasible design or no such solver;
    4 verification failed; 5 a tool or the system failed; 6 time or memory ran out; 7 a batch is worse than the one it
    was compared with; 70 a fault of sisy.
    """
    if context.invoked_subcommand is not None:
        given = context.meta[GIVEN] = defaults(sisy.commands)
        context.default_map = given.values
    if is_version:
        _tell_version(verbose=verbose)
    elif context.invoked_subcommand is None:
        click.echo(context.get_help())


def _tell_version(*, verbose: bool) -> None:
    from sisyphus.versions import own_digest, version_of

    click.echo(f"sisy, version {version_of('sisyphus-hls')}")
    if verbose:
        click.echo(f"files    {own_digest()[:12]} (SHA-256), {Path(__file__).parents[1]}")
        click.echo(f"python   {sys.version.split()[0]}, {sys.executable}")
        for name in PACKAGES:
            click.echo(f"{name:8s} {version_of(name) or '-'}")


for _command in (command for commands in SECTIONS.values() for command in commands):
    sisy.add_command(_command)


def main() -> None:
    """Entry point of the console script.

    Where time or memory ran out, the process ends as it stands: to take apart gigabytes of objects, one by one, takes
    seconds that a limit does not have. Otherwise Python looks for garbage three times as it ends, in all that there is:
    a tenth of a second after a short search, which `gc.freeze` spares.
    """
    try:
        command_line()
    except SystemExit as end:
        if not _STANDING:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(int(end.code or 0))
    finally:
        gc.freeze()


def command_line() -> None:
    """The command that was typed, for a process that goes on behind it; `SystemExit` where its status is not 0."""
    _STANDING.clear()
    gc.set_threshold(*COLLECT_AFTER)
    os.environ.setdefault(*ONE_THREAD)
    keep_freed()
    plain_streams()
    try:
        with session():
            code = _run()
            sys.stdout.flush()
    except Terminated as ended:
        code = ended.exit_code
    except KeyboardInterrupt:  # before or after the command
        code = INTERRUPTED
    except OSError as refused:
        code = _refused(refused)
    if code:
        sys.exit(code)


def _run() -> int:
    """The exit status of the command that was typed."""
    try:
        status = sisy.main(standalone_mode=False, obj=limit_memory)
        return status if isinstance(status, int) else 0
    except InternalError as fault:
        traceback.print_exc()
        _fail(fault.render(), REPORT_HINT, fault.to_json())
        return fault.exit_code
    except VerifyError as fault:  # the results that are on standard output already say so
        say(fault.render())
        return fault.exit_code
    except SisyphusError as fault:
        _fail(fault.render(), None, fault.to_json())
        if isinstance(fault, TimeUp | MemoryUp):
            _STANDING.append(fault)
        return fault.exit_code
    except click.ClickException as fault:
        fault.show()
        _fail(None, None, failure_data(UsageError.kind, fault.format_message(), fault.exit_code))
        return fault.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        _fail("interrupted", None, failure_data("interrupted", "interrupted", INTERRUPTED))
        return INTERRUPTED
    except MemoryError:
        full = MemoryUp("memory ran out", hint="raise --memory-limit")
        _fail(full.render(), None, full.to_json())
        return full.exit_code
    except (OSError, SystemExit):
        raise
    except Exception as fault:  # noqa: BLE001 - the last door: whatever is left is our fault and is shown whole
        traceback.print_exc()
        code = InternalError.exit_code
        _fail("error: unexpected failure", REPORT_HINT, failure_data(InternalError.kind, repr(fault), code))
        return code


def _refused(failure: OSError) -> int:
    """What the system does not give: room, a folder, somebody who reads."""
    # Nothing more can be said on it, and Python must not try when it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(failure, BrokenPipeError):
        return BROKEN_PIPE
    where = f"`{failure.filename}`: " if failure.filename else ""
    with suppress(OSError):  # nowhere to say it
        say(f"error: {where}{failure.strerror or failure}")
    return ToolError.exit_code


def _fail(text: str | None, hint: str | None, data: dict[str, Any]) -> None:
    """A sentence for people on standard error; where results were asked for as JSON, the failure is one, too."""
    if text is not None:
        say(f"{text}\nhint: {hint}" if hint else text)
    if "--json" in sys.argv[1:]:
        click.echo(json.dumps(data, indent=2))
