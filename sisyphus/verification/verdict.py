"""What was checked and how it came out; knows no check."""

from __future__ import annotations

from sisyphus.shown import Shown
from sisyphus.values import dataclass, replace

#: How the detail of a check begins that was given up: it is not passed, but nothing wrong was found either.
TOO_COMPLEX = "not proven (too complex)"


@dataclass(frozen=True)
class Check:
    """One check by name; `detail` has the witness where it failed, and what was shown where it passed."""

    name: str
    passed: bool
    detail: str = ""

    @property
    def gave_up(self) -> bool:
        """Neither shown nor refuted."""
        return not self.passed and self.detail.startswith(TOO_COMPLEX)


@dataclass(frozen=True)
class Verdict(Shown):
    """All checks of a design; `compiler`, `seed` and `worst_error` are None where nothing was run."""

    checks: tuple[Check, ...]
    compiler: str | None = None
    seed: int | None = None
    worst_error: float | None = None

    def __str__(self) -> str:
        lines = [f"{'passed' if c.passed else 'FAILED'}  {c.name}: {c.detail}" for c in self.checks]
        return "\n".join([f"verification {'passed' if self.passed else 'FAILED'}", *lines])

    @property
    def passed(self) -> bool:
        """Nothing was found wrong, and what could not be proven has at least been run."""
        return bool(self.checks) and not self.refuted and (not self.failures or self.worst_error is not None)

    @property
    def failures(self) -> tuple[Check, ...]:
        """Checks that did not pass; those that found a fault first."""
        return tuple(sorted((c for c in self.checks if not c.passed), key=lambda c: c.gave_up))

    @property
    def refuted(self) -> bool:
        """Some check found a fault, rather than giving up."""
        return any(not c.gave_up for c in self.failures)

    def joined(self, other: Verdict) -> Verdict:
        """Both verdicts as one; what only one of them ran is kept."""
        return replace(
            self,
            checks=(*self.checks, *other.checks),
            compiler=self.compiler or other.compiler,
            seed=self.seed if self.seed is not None else other.seed,
            worst_error=self.worst_error if self.worst_error is not None else other.worst_error,
        )
