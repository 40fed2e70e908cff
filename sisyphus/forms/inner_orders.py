"""Other orders of what is inside of an outermost loop, which stays there; knows no cost of hardware.

for ib: for i < 64: for j: h[i][j] = f(h[i - 1][j - 1], h[i - 1][j], h[i][j - 1])   becomes
for ib: for w: for i < 64: h[i][w - i] = f(h[i - 1][w - i - 1], h[i - 1][w - i], h[i][w - i - 1])

Between iterations of the loop everything may depend on everything, as where they use one window of an array. So orders
are looked for in one iteration that has the instances of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import Dependences, dependences, distribute
from sisyphus.forms.completion import inner_times
from sisyphus.forms.proposals import Proposal, Timing, proposals, proved
from sisyphus.ir import Scop, Statement
from sisyphus.poly import fix, wherever
from sisyphus.values import replace


def proposals_inside(found: Dependences, place: int) -> Iterator[Proposal]:
    """Orders of the statements in the outermost loop at a place with shorter chains of iterations than the source's."""
    statements = found.scop.statements
    inside = [s for s in statements if s.position[0] == place]
    loop = inside[0].iterators[0]
    once = _once(found.scop, inside, loop)
    known = dependences(once)
    for proposal in proposals(known, distribute(once, known)):
        own = [
            replace(t, times=(str(place), loop, *(time for time in t.times if time != loop))) for t in proposal.timings
        ]
        others = [Timing.of(s, list(inner_times(s, statements))) for s in statements if s not in inside]
        order = proved(found, (*others, *own), proposal.name)
        if order is not None:
            yield order


def _once(scop: Scop, inside: Sequence[Statement], loop: str) -> Scop:
    """Statements in a loop alone, each at all points that it has in any iteration."""
    return replace(
        scop, statements=tuple(replace(s, domain=fix(wherever(s.domain, [loop]), {loop: 0})) for s in inside)
    )
