"""How long isl may think about a kernel, and what happens when it gives up; asks no question itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sisyphus.errors import KernelError
from sisyphus.ir import Scop
from sisyphus.poly import within
from sisyphus.source import Diagnostic, SourceFile, Span

T = TypeVar("T")

#: isl operations for one question, at worst about a second. The kernels in `kernels/` take less than 100 000.
LEASH = 500_000

#: What a question may still take after many others were given up.
LEAST = 5_000


class Patience:
    """Asks isl many questions; each one given up halves what the next may take, so that all together end soon."""

    def __init__(self) -> None:
        self.left = LEASH

    def ask(self, question: Callable[[], T]) -> T | None:
        """The answer, or None where isl gave up."""
        answer = within(self.left, question)
        if answer is None:
            self.left = max(self.left // 2, min(LEAST, self.left))
        return answer


def ask(question: Callable[[], T]) -> T | None:
    """The answer to a single question, or None where isl gave up."""
    return within(LEASH, question)


def demand(scop: Scop, span: Span, what: str, question: Callable[[], T]) -> T:
    """The answer to a question without which nothing can go on; blames the statement where isl gives up."""
    answer = ask(question)
    if answer is None:
        fault = Diagnostic(
            "too-complex",
            f"{what} takes too long to find",
            span,
            SourceFile(span.path, scop.origin.text).line(span.line),
            hint="simplify the bounds and subscripts, or split the statement",
        )
        raise KernelError(diagnostics=[fault])
    return answer
