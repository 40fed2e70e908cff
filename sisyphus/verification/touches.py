"""What is read and written inside of a place of a plan, and when two such touches meet; judges nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.ir import Ref
from sisyphus.plan import Plan, Run
from sisyphus.poly import Affine, var
from sisyphus.values import dataclass
from sisyphus.verification.sites import Site, Spot, Tree, touched


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


@dataclass(frozen=True, eq=False)
class Meeting:
    """Iterations in which `one` (t0, t1, …) and `other` (s0, s1, …) touch one element, by what is 0 and at least 0.

    The `outside` outermost loops stand alike in both.
    """

    one: Touch
    other: Touch
    outside: int

    def later(self, value: Affine) -> Affine:
        """What is said of the loops around, of those of the other touch."""
        return value.substitute({dim: var(f"s{dim[1:]}") for dim in self.other.site.dims})

    @property
    def dims(self) -> tuple[str, ...]:
        return (*self.one.site.dims, *(f"s{dim[1:]}" for dim in self.other.site.dims))

    @property
    def zero(self) -> list[Affine]:
        elements = zip(touched(self.one.site, self.one.ref), touched(self.other.site, self.other.ref), strict=True)
        alike = [var(f"t{at}") - var(f"s{at}") for at in range(self.outside)]
        return [*(a - self.later(b) for a, b in elements), *alike]

    @property
    def at_least_zero(self) -> list[Affine]:
        return [*self.one.site.place.conditions, *map(self.later, self.other.site.place.conditions)]
