"""What units of a phase leave to those of others on the board, and how arrays pass between them; searches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sisyphus.analysis import Dealing
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Port
from sisyphus.space import KERNEL_PLACE, PLAIN, STREAM
from sisyphus.target import Target
from sisyphus.units.places import Place, places
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Beside:
    """What units of a phase leave to those of others: the rest of each budget, and lower numbers to `first` units.

    Arrays that are `handed` over are dealt by rows where they can be, so that a copy is of one piece of memory, and not
    added up, which only the host could. By streams each is sent from one unit to others: those that units here send,
    and ports of the units that send what they receive. What is `reserved` no search may use, and where phases sit
    `apart`, so many in all, each has SLRs of its own.
    """

    phase: int = 0
    first: int = 0
    part: Fraction = Fraction(1)
    handed: frozenset[ArrayId] = frozenset()
    sends: frozenset[ArrayId] = frozenset()
    receives: tuple[Port, ...] = ()
    reserved: tuple[tuple[str, int], ...] = ()
    apart: int = 0

    def seats(self, target: Target, count: int) -> tuple[Place, ...]:
        """Where units sit, and what they may have there."""
        if not self.apart:
            return places(target, count, self.part)
        return places(target, count * self.apart)[self.phase * count :][:count]

    def searched(self, target: Target) -> Target:
        """What a search may use of the target of a unit."""
        left = {name: max(getattr(target.budget, name) - amount, 0) for name, amount in self.reserved}
        return replace(target, budget=target.budget.with_amounts(left))

    def suits(self, dealing: Dealing) -> bool:
        return all(not slab.dim for slab in dealing.slabs if slab.array in self.handed)

    def may_add(self, scop: Scop) -> bool:
        return not any(s.write.array in self.handed | self.sends for s in scop.statements)

    def fixes(self, scop: Scop) -> tuple[str, ...]:
        """How arrays of a unit lie in memory that are handed over, as `--fix` has it: so that rows go over in one copy.

        They have one port, since a copy between others is one for each element. Rows follow one another as in C, which
        all beats fit that divide them: padding is that of beats, and the other phase may need narrower ones.
        """
        arrays = [array for array in scop.arrays if array.id in self.handed]
        ports = [f"{array.id}.ports=1" for array in arrays]
        rows = [f"{array.id}.layout={PLAIN}" for array in arrays if len(array.extents) > 1]
        return (*ports, *rows, *self._streaming())

    def _streaming(self) -> Iterator[str]:
        """Arrays that come or go by streams are whole on chip, and come in the beats in which they are sent."""
        for array in sorted(self.sends | {port.name for port in self.receives}):
            yield from (f"{array}.ports=1", f"*.{array}.place={KERNEL_PLACE}")
        for port in self.receives:
            yield from (f"{port.name}.width={port.width}", f"{port.name}.layout={port.layout}")
            yield f"{port.name}.transfer={STREAM}"
