"""Two batches beside each other: what got better, what got worse; runs nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sisyphus.batch.jobs import JobResult
from sisyphus.errors import UsageError
from sisyphus.values import dataclass


@dataclass(frozen=True)
class JobChange:
    """A job that two batches share. `ratio` is of cycles, new over old; None where one of them has no design."""

    name: str
    before: JobResult
    after: JobResult

    @property
    def ratio(self) -> float | None:
        if not (self.before.is_done and self.after.is_done):
            return None
        return self.after.figures["cycles"] / self.before.figures["cycles"]

    def is_worse(self, threshold: float) -> bool:
        """A design is lost, or takes more cycles by more than `threshold` (0.02: 2 %)."""
        if self.before.is_done and not self.after.is_done:
            return True
        return self.ratio is not None and self.ratio > 1 + threshold

    @property
    def text(self) -> str:
        """One line for people."""
        if self.ratio is not None:
            old, new = (int(r.figures["cycles"]) for r in (self.before, self.after))
            return f"{self.name}: {old:,} -> {new:,} cycles ({100 * (self.ratio - 1):+.1f} %)"
        old_state, new_state = ("a design" if r.is_done else f"exit {r.exit_code}" for r in (self.before, self.after))
        return f"{self.name}: {old_state} -> {new_state}"


def missing(before: Sequence[JobResult], names: Collection[str]) -> list[str]:
    """Jobs of an earlier batch that this one has none of the same name for; `UsageError` where that is all of them."""
    old = {result.name for result in before}
    gone = sorted(old - set(names))
    if not old & set(names):
        raise UsageError(
            f"the batches have no job in common: there were {_some(gone)}, now there are {_some(sorted(names))}",
            hint="the name of a job has its kernel, set, device and budget: compare batches of the same ones",
        )
    return gone


def _some(names: Sequence[str]) -> str:
    return (", ".join(f"`{name}`" for name in names[:2]) or "none") + ", …" * (len(names) > 2)


def changes(before: Sequence[JobResult], after: Sequence[JobResult]) -> list[JobChange]:
    """The jobs of both batches that differ, by name: worst first."""
    old = {result.name: result for result in before}
    shared = [JobChange(new.name, old[new.name], new) for new in after if new.name in old]
    differing = [c for c in shared if c.before.exit_code != c.after.exit_code or (c.ratio or 1.0) != 1.0]
    return sorted(differing, key=lambda c: (-(c.ratio or (0.0 if c.after.is_done else float("inf"))), c.name))
