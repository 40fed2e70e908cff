"""Who is to blame, and the exit status that says so; knows nothing of what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from sisyphus.source import Diagnostic


class SisyphusError(Exception):
    """Root of everything raised on purpose; never raised itself.

    `hint` is one line that tells what to try; it is printed behind the message. `kind` is what machines read in place
    of a sentence.
    """

    exit_code = 70
    kind = "internal"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def render(self) -> str:
        """The paragraph a user sees on stderr, without colour."""
        text = f"error: {self.message}"
        return f"{text}\nhint: {self.hint}" if self.hint else text

    def to_json(self) -> dict[str, Any]:
        """The same for machines; `place` is where in the source, where that is known."""
        return failure_data(self.kind, self.message, self.exit_code, hint=self.hint)


#: Exit statuses, worst first: what ends a run of several kernels.
_WORST = (70, 4, 5, 2, 1, 3, 6)


def worst(codes: Collection[int]) -> int:
    """The exit status of a run of several kernels that ended with these."""
    return next((code for code in _WORST if code in codes), SisyphusError.exit_code)


def failure_data(
    kind: str,
    message: str,
    exit_code: int,
    *,
    hint: str | None = None,
    place: dict[str, Any] | None = None,
    diagnostics: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    """What `--json` prints for a run that failed."""
    return {
        "error": {
            "kind": kind,
            "message": message,
            "hint": hint,
            "place": place,
            "diagnostics": list(diagnostics),
            "exit_code": exit_code,
        }
    }


class InternalError(SisyphusError):
    """A broken promise of ours: shown with its traceback and a request to report it."""


class KernelError(SisyphusError):
    """The kernel or the target cannot be accepted; carries every fault found in one run."""

    exit_code = 1
    kind = "kernel"

    def __init__(self, message: str = "", *, diagnostics: Iterable[Diagnostic] = (), hint: str | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(message or "\n".join(d.headline() for d in self.diagnostics), hint=hint)

    def render(self) -> str:
        if not self.diagnostics:
            return super().render()
        return "\n\n".join(d.render() for d in self.diagnostics)

    def to_json(self) -> dict[str, Any]:
        found = [_diagnostic_data(d) for d in self.diagnostics]
        first: dict[str, Any] = found[0] if found else {"hint": self.hint, "place": None}
        return failure_data(
            self.kind, self.message, self.exit_code, hint=first["hint"], place=first["place"], diagnostics=found
        )


def _diagnostic_data(diagnostic: Diagnostic) -> dict[str, Any]:
    span = diagnostic.span
    return {
        "rule": diagnostic.rule,
        "message": diagnostic.message,
        "place": None if span is None else {"path": span.path, "line": span.line, "column": span.column},
        "notes": list(diagnostic.notes),
        "hint": diagnostic.hint,
    }


class UsageError(SisyphusError):
    """An option asks for something that does not exist or is not legal."""

    exit_code = 2
    kind = "usage"


class NoDesignError(SisyphusError):
    """No design fits, or the solver asked for is not to be had."""

    exit_code = 3
    kind = "no-design"


class NothingFits(NoDesignError):  # noqa: N818 - an outcome of the search, not an "error" of anybody
    """No design was found within the budgets; larger ones may help."""


class VerifyError(SisyphusError):
    """The emitted code is wrong; everything is kept for inspection."""

    exit_code = 4
    kind = "verify"


class ToolError(SisyphusError):
    """An external tool (g++, Vitis, Verilator) is missing or failed."""

    exit_code = 5
    kind = "tool"


class MemoryUp(SisyphusError):  # noqa: N818 - as `TimeUp`
    """A stage took more memory than it may."""

    exit_code = 6
    kind = "memory"


class TimeUp(SisyphusError):  # noqa: N818 - an outcome by its field name, not an "error" of anybody
    """Time ran out and there is no design to show."""

    exit_code = 6
    kind = "time"


class EffortUp(TimeUp):
    """The same of counted work, which the same inputs would run out of again."""

    kind = "effort"
