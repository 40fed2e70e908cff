"""`sisy cache`: the finished searches that are kept."""

from __future__ import annotations

import click


@click.command(short_help="The finished searches that are kept.")
@click.option("--clear", is_flag=True, help="Remove all of them.")
@click.option("--info", is_flag=True, help="Say where they are, how many, and what they take (default).")
def cache(clear: bool, info: bool) -> None:
    """Finished searches: `sisy optimize` takes the same question's answer from here.

    A proved answer holds for any time limit, any other one for the limit it was found within. Another text, option,
    target or version is another question. `--no-cache`, or SISY_NO_CACHE in the environment, leaves it alone.
    """
    from sisyphus.cache import OFF, Cache

    found = Cache.of_user()
    if found is None:
        click.echo(f"{OFF} is set: nothing is kept")
        return
    if clear:
        click.echo(f"{found.clear()} removed from {found.folder}")
    if info or not clear:
        entries = found.entries()
        count = "1 finished search" if len(entries) == 1 else f"{len(entries)} finished searches"
        size = sum(entry.stat().st_size for entry in entries)
        click.echo(f"{count}, {size / 1e3:,.0f} kB, in {found.folder}")
