"""What entries of a nest cost next to given partitions, each counted once however often a search asks; knows no search.

Transfer limits, rechecks and windows ask for the same entries again, and a nest takes milliseconds to count, however
few its entries are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sisyphus import clock
from sisyphus.search.costs import Costs, Floats, Ints
from sisyphus.search.effort import EFFORT


class Recounts:
    """Costs of entries by the integers that tell these apart."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[float, Floats]] = {}
        self._kinds: dict[str, slice] = {}

    def costs(self, columns: Sequence[Ints], count: Callable[[Ints], Costs]) -> Costs:
        """The costs of entries, one per row of the columns; `count` is asked for the rows that are new."""
        keys = [row.tobytes() for row in np.column_stack(columns)]
        if len(keys) > EFFORT.remembered_recounts:
            return count(np.arange(len(keys)))
        new = {key: at for at, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(new) > EFFORT.remembered_recounts:
            self._known.clear()
            new = {key: at for at, key in enumerate(keys)}
        # work is counted as if nothing were remembered, so that what a search does in an effort does not depend on that
        clock.did(len(keys) - len(new) + (0 if new else clock.CALL))
        if new:
            self._remember(new, count(np.array([*new.values()], np.int64)))
        found = [self._known[key] for key in keys]
        cycles, usage = np.array([own for own, _ in found]), np.stack([used for _, used in found], axis=1)
        return Costs(cycles, {name: usage[part] for name, part in self._kinds.items()})

    def _remember(self, keys: Iterable[bytes], counted: Costs) -> None:
        ends = np.cumsum([len(used) for used in counted.usage.values()]).tolist()
        self._kinds = dict(zip(counted.usage, map(slice, [0, *ends[:-1]], ends), strict=True))
        usage = np.concatenate([*counted.usage.values()])
        for at, key in enumerate(keys):
            self._known[key] = float(counted.cycles[at]), usage[:, at].copy()
