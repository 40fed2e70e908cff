"""`sisy completion`: the script that completes commands, options, boards, solvers and knobs in a shell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from sisyphus.cli.options import VARIABLE
from sisyphus.errors import ToolError

#: Where shells look by themselves, below the home; zsh looks where its `fpath` says.
PLACES: Mapping[str, str] = {
    "bash": ".local/share/bash-completion/completions/sisy",
    "fish": ".config/fish/completions/sisy.fish",
    "zsh": ".zfunc/_sisy",
}
HINTS: Mapping[str, str] = {
    "bash": "a new shell has it, where the package bash-completion is installed",
    "fish": "a new shell has it",
    "zsh": "put `fpath+=~/.zfunc; autoload -Uz compinit; compinit` into ~/.zshrc",
}


@click.command()
@click.argument("shell", type=click.Choice(sorted(PLACES)))
@click.option("--install", is_flag=True, help="Write it to where the shell looks for it, below your home.")
@click.pass_context
def completion(context: click.Context, shell: str, install: bool) -> None:
    """Print the completion of SHELL, or install it.

    \b
    sisy completion bash --install
    source <(sisy completion bash)        # for this shell alone
    """
    made = get_completion_class(shell)
    if made is None:
        raise ToolError(f"no completion for {shell} is known to this version of click")
    text = made(context.find_root().command, {}, "sisy", VARIABLE).source()
    if not install:
        click.echo(text)
        return
    from sisyphus.files import write_file

    place = Path.home() / PLACES[shell]
    write_file(place, text)
    click.echo(f"{place}: {HINTS[shell]}")
