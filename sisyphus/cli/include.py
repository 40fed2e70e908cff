"""`sisy include`: where the headers for kernels are."""

from __future__ import annotations

import click


@click.command(short_help="The folder of sisy_types.h for C compilers.")
def include() -> None:
    """Print the folder of sisy_types.h, for a C compiler: gcc -I"$(sisy include)" kernel.c.

    The header has integers of 1 to 64 bits and fixed-point numbers; sisy itself finds it without an option.
    """
    from sisyphus.ir.any_width import INCLUDE_DIR

    click.echo(str(INCLUDE_DIR))
