"""Who is to blame, and the exit status that says so; knows nothing of what went wrong."""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.source import Diagnostic


class SisyphusError(Exception):
    """Root of everything raised on purpose; never raised itself.

    `hint` is one line that tells what to try; it is printed behind the message.
    """

    exit_code = 70

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def render(self) -> str:
        """The paragraph a user sees on stderr, without colour."""
        text = f"error: {self.message}"
        return f"{text}\nhint: {self.hint}" if self.hint else text


class InternalError(SisyphusError):
    """A broken promise of ours: shown with its traceback and a request to report it."""


class KernelError(SisyphusError):
    """The kernel or the target cannot be accepted; carries every fault found in one run."""

    exit_code = 1

    def __init__(self, message: str = "", *, diagnostics: Iterable[Diagnostic] = (), hint: str | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(message or "\n".join(d.headline() for d in self.diagnostics), hint=hint)

    def render(self) -> str:
        if not self.diagnostics:
            return super().render()
        return "\n\n".join(d.render() for d in self.diagnostics)


class UsageError(SisyphusError):
    """An option asks for something that does not exist or is not legal."""

    exit_code = 2


class NoDesignError(SisyphusError):
    """No design fits, or the solver asked for is not to be had."""

    exit_code = 3


class VerifyError(SisyphusError):
    """The emitted code is wrong; everything is kept for inspection."""

    exit_code = 4


class ToolError(SisyphusError):
    """An external tool (g++, Vitis, Verilator) is missing or failed."""

    exit_code = 5


class TimeUp(SisyphusError):  # noqa: N818 - an outcome by its field name, not an "error" of anybody
    """Time ran out and there is no design to show."""

    exit_code = 6
