"""Elements of arrays on chip in the text of a task: stripe, banks and words, and what callers count of these."""

from __future__ import annotations

from sisyphus.backends.hls.apart import Counted, Digit, counted_by, counted_in
from sisyphus.backends.hls.buffers import dealt
from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.loop_bounds import NARROW
from sisyphus.ir import Ref
from sisyphus.plan import Buffer, Plan, Task
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine


class Elements:
    """Prints elements for one task; `counted` has what the text takes of the caller's counters.

    A header that the text needs is added to `helpers`.
    """

    def __init__(self, plan: Plan, task: Task, names: Names, affines: Affines, helpers: set[str]) -> None:
        self._plan, self._task, self._names, self._affines, self._helpers = plan, task, names, affines, helpers
        self.counted: dict[tuple[Counted, Digit], None] = {}

    def text(self, buffer: Buffer, ref: Ref, ranges: Ranges) -> str:
        """The element of a buffer that a reference is, where the iterators have these values."""
        stripes, last = self._plan.stripes_of(buffer), len(ref.index) - 1
        found, which = list[str](), ""
        for at, (index, origin) in enumerate(zip(ref.index, buffer.origin, strict=True)):
            inner, parts = index - origin, stripes if at == last else 1
            if at in buffer.apart:
                bank, word = self._in_bank(buffer, at, inner, ranges)
                found += [bank if parts == 1 else f"{bank} / {parts}", word]
                which = f"[{bank} % {parts}]" if parts > 1 else which
            elif parts > 1:
                stripe, place = dealt(self._affines, inner, parts, ranges)
                found.append(place)
                which = f"[{stripe}]"
            else:
                found.append(self._affines.text(inner))
        return self._names.of("buffer", buffer.id) + which + "".join(f"[{text}]" for text in found)

    def quotient(self, value: Affine, by: int) -> str | None:
        """The text of a quotient that the caller counts; None for all others."""
        counted = counted_by(self._plan, self._task, value, by)
        return None if counted is None else self._digit(counted, Digit.WORD)

    def _in_bank(self, buffer: Buffer, at: int, inner: Affine, ranges: Ranges) -> tuple[str, str]:
        """The bank of a subscript, of those of all stripes, and its word."""
        counted = counted_in(self._plan, self._task, buffer, at, inner)
        if counted is None:
            return dealt(self._affines, inner, int(buffer.partition[at]), ranges)
        return self._digit(counted, Digit.BANK), self._digit(counted, Digit.WORD)

    def _digit(self, counted: Counted, digit: Digit) -> str:
        self.counted[counted, digit] = None
        self._helpers.add(NARROW)
        return counted.name(digit, self._names)
