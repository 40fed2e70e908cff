"""Which files a kernel of a stranger may include: those of its own folder and of `-I`; reads directives, not C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.source import Span
from sisyphus.values import dataclass

HINT = (
    "`--sandbox-includes` lets a kernel include what is in its own folder, in those of `-I`, and headers of the system"
)
#: Comments and texts, of which only the former vanish; a directive in whatever spelling, and what follows it.
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)
_DIRECTIVE = re.compile(r"^[ \t\f\v]*(?:#|%:|\?\?=)[ \t\f\v]*(include|include_next|import|embed)\b([^\n]*)", re.M)
_NAME = re.compile(r'\s*(?:"([^"]+)"|<([^>]+)>)\s*')
_ASSEMBLER = re.compile(r"\b(__asm__|__asm|asm)\b")


@dataclass(frozen=True)
class Sandbox:
    """The folders that a kernel may read from."""

    roots: tuple[Path, ...]

    @staticmethod
    def of(kernel: str, include_dirs: Sequence[str]) -> Sandbox:
        """The folder that the kernel's file is named in, and those of `-I`, links followed."""
        return Sandbox(tuple(Path(folder).resolve() for folder in (str(Path(kernel).absolute().parent), *include_dirs)))

    def has(self, path: Path) -> bool:
        """Whether a file is inside, wherever links lead."""
        return any(path.resolve().is_relative_to(root) for root in self.roots)

    def check(self, text: str, shown: str, folder: Path, collector: Collector) -> None:
        """Reports every include of a text that reaches beyond, under whatever condition: compilers know other macros.

        Assembler is refused, too, since it can include files.
        """
        whole = re.sub(r"(?:\\|\?\?/)[ \t]*\n", "", text)
        plain = _COMMENT.sub(lambda found: found[1] or " ", whole)
        for match in _DIRECTIVE.finditer(plain):
            if not self._allows(match[1], match[2], folder):
                what = (
                    f"`#{match[1]}{match[2].rstrip()}` is outside of the kernel's folder, or says not what it includes"
                )
                collector.report("include-outside", what, Span(shown, _line(text, match[1], match[2])), hint=HINT)
        if _ASSEMBLER.search(_COMMENT.sub(" ", whole)):
            collector.report("include-outside", "assembler can include files", Span(shown, 1), hint=HINT)

    def _allows(self, directive: str, rest: str, folder: Path) -> bool:
        name = _NAME.fullmatch(rest)
        if directive != "include" or name is None:
            return False
        path = PurePosixPath(name[1] or name[2])
        found = [place / path for place in (folder, *self.roots) if (place / path).exists()]
        if found:
            return all(map(self.has, found))
        return not path.is_absolute() and ".." not in path.parts


def _line(text: str, directive: str, rest: str) -> int:
    """The line of a directive in the text as it is written; 1 where comments or line ends hide it."""
    lines = enumerate(text.splitlines(), start=1)
    return next((number for number, line in lines if directive in line and rest.strip() in line), 1)
