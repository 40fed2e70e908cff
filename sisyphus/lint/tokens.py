"""HLS C++ text as tokens with places; knows words and directives, no grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sisyphus.values import dataclass

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<directive>\#(?:\\\r?\n|/\*.*?\*/|(?!//)[^\n])*)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    |(?P<number>0[xX][\da-fA-F'.]*(?:[pP][+-]?\d+)?\w*|(?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>::|->|\+\+|--|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||<<|.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A word of the text; `kind` is name, number, string, mark or directive; line and column count from 1."""

    kind: str
    text: str
    line: int
    column: int

    def is_mark(self, *texts: str) -> bool:
        return self.kind == "mark" and self.text in texts


def tokenize(text: str) -> tuple[Token, ...]:
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    line, start = 1, 0
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup or "skip", match.group()
        if kind != "skip":
            yield Token(kind, word, line, match.start() - start + 1)
        if "\n" in word:
            line += word.count("\n")
            start = match.start() + word.rfind("\n") + 1


OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")


def closing(tokens: Sequence[Token], at: int) -> int:
    """The place of the bracket that closes the one at `at`; the last token where there is none."""
    depth = 0
    for place in range(at, len(tokens)):
        if tokens[place].is_mark(*OPEN):
            depth += 1
        elif tokens[place].is_mark(*CLOSE):
            depth -= 1
            if depth == 0:
                return place
    return len(tokens) - 1


def split(tokens: Sequence[Token], mark: str) -> list[tuple[Token, ...]]:
    """Parts between marks that stand in no bracket; template brackets count where names alone surround them."""
    parts: list[list[Token]] = [[]]
    depth = angles = 0
    for at, token in enumerate(tokens):
        depth += token.is_mark(*OPEN)
        depth -= token.is_mark(*CLOSE)
        if token.is_mark("<") and at and tokens[at - 1].text in TEMPLATES:
            angles += 1
        elif token.is_mark(">") and angles:
            angles -= 1
        if token.is_mark(mark) and depth == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(p) for p in parts if p]


TEMPLATES = frozenset(
    re.findall(
        r"\w+",
        """vector stream ap_int ap_uint ap_fixed ap_ufixed array axis stream_of_blocks""",
    )
)
