"""What is read and written inside of a place of a plan; judges nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.ir import Ref
from sisyphus.plan import Plan, Run
from sisyphus.values import dataclass
from sisyphus.verification.sites import Site, Spot, Tree


@dataclass(frozen=True, eq=False)
class Touch:
    """A place where a statement reads or writes an element."""

    site: Site
    ref: Ref
    writes: bool

    def __str__(self) -> str:
        return f"{getattr(self.site.node, 'statement', '')} {'writes' if self.writes else 'reads'} `{self.ref}`"


def touches_in(plan: Plan, tree: Tree, inside: Spot) -> Iterator[Touch]:
    """All touches of statements inside of a loop, given by the place in it."""
    for site in tree.runs:
        if site.place.times[: len(inside.times)] == inside.times and isinstance(site.node, Run):
            statement = plan.scop.statement(site.node.statement)
            yield Touch(site, statement.write, True)
            yield from (Touch(site, ref, False) for ref in statement.reads)
