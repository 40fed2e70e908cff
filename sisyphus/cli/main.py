"""The command group and the one place where an exception becomes an exit status.

Nothing here imports pyomo or islpy: a command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import sys
import traceback
from importlib.metadata import version

import click

from sisyphus.cli.analyze import analyze
from sisyphus.cli.estimate import estimate
from sisyphus.cli.lint import lint
from sisyphus.cli.optimize import optimize
from sisyphus.cli.solvers import solvers
from sisyphus.cli.verify import verify
from sisyphus.errors import InternalError, SisyphusError

INTERRUPTED = 130
REPORT_HINT = "this is a fault of sisy, not of your kernel; please report it with the kernel and the command"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("sisyphus-hls"), prog_name="sisy")
def sisy() -> None:
    """From an affine C kernel and an FPGA's resources to a verified HLS C++ design.

    Exit status: 0 done; 1 kernel or target not accepted; 2 usage; 3 no feasible design or no such solver;
    4 verification failed; 5 an external tool is missing or failed; 6 time ran out; 70 a fault of sisy.
    """


sisy.add_command(analyze)
sisy.add_command(estimate)
sisy.add_command(lint)
sisy.add_command(optimize)
sisy.add_command(solvers)
sisy.add_command(verify)


def main() -> None:
    """Entry point of the console script."""
    try:
        sisy.main(standalone_mode=False)
    except InternalError as fault:
        traceback.print_exc()
        _say(f"{fault.render()}\nhint: {REPORT_HINT}")
        sys.exit(fault.exit_code)
    except SisyphusError as fault:
        _say(fault.render())
        sys.exit(fault.exit_code)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.ClickException as fault:
        fault.show()
        sys.exit(fault.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort):
        _say("interrupted")
        sys.exit(INTERRUPTED)
    except Exception:  # noqa: BLE001 - the last door: whatever is left is our fault and is shown whole
        traceback.print_exc()
        _say(f"error: unexpected failure\nhint: {REPORT_HINT}")
        sys.exit(InternalError.exit_code)


def _say(text: str) -> None:
    click.echo(text, err=True)
