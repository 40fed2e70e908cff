"""Why outputs cannot be dealt over so many units, and what else can be asked for; decides nothing."""

from __future__ import annotations

from sisyphus.analysis import Dealer
from sisyphus.errors import KernelError


def cannot_be_dealt(dealer: Dealer, count: int) -> KernelError:
    hint = "`sisy analyze` lists what can be dealt; leave out `--units` for one design on the whole board"
    if dealer.could_add:
        hint = "with `--tree-reduction` units may add up an output; leave out `--units` for one design"
    return KernelError(
        f"the outputs of `{dealer.scop.name}` cannot be dealt over {count} units: {dealer.none_for(count)}", hint=hint
    )
