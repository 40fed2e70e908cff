"""Functions, loops and statements of a text, found without a compiler; what it cannot read it passes over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sisyphus.lint.tokens import Token, closing, split, tokenize
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Pragma:
    """`#pragma HLS name word option=value`; names of options in lower case, a bare word has the value None."""

    name: str
    options: Mapping[str, str | None]
    token: Token

    def value(self, option: str) -> str | None:
        return self.options.get(option)


@dataclass(frozen=True)
class Statement:
    """A declaration or an expression up to its semicolon."""

    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class If:
    """A condition or a switch with everything that it guards."""

    token: Token
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Loop:
    """`iterator` is None for a while loop, `header` the parts of the parenthesis."""

    token: Token
    iterator: str | None
    header: tuple[tuple[Token, ...], ...]
    body: tuple[Node, ...]

    def pragma(self, name: str) -> Pragma | None:
        return pragma_in(self.body, name)


Node = Statement | If | Loop | Pragma


def pragma_in(body: Sequence[Node], name: str) -> Pragma | None:
    """The pragma of this name right in a body, if it is not turned off."""
    return next((p for p in body if isinstance(p, Pragma) and p.name == name and "off" not in p.options), None)


@dataclass(frozen=True)
class Variable:
    """A declared name: its type as text, whether it is a pointer or a reference, its dimensions."""

    name: str
    type: str
    pointer: bool
    reference: bool
    dims: tuple[tuple[Token, ...], ...]
    token: Token

    @property
    def is_scalar(self) -> bool:
        return not (self.pointer or self.reference or self.dims) and not re.search(r"\bstream", self.type)


@dataclass(frozen=True)
class Function:
    token: Token
    parameters: tuple[Variable, ...]
    body: tuple[Node, ...]
    tokens: tuple[Token, ...]

    def pragma(self, name: str) -> Pragma | None:
        return pragma_in(self.body, name)

    @property
    def name(self) -> str:
        return self.token.text


@dataclass(frozen=True)
class Unit:
    """A file: its functions, pragmas outside of them, names with a value known before the program runs."""

    functions: tuple[Function, ...]
    stray: tuple[Pragma, ...]
    constants: Mapping[str, int]


@dataclass(frozen=True)
class Place:
    """A statement or pragma with what is around it, outermost first."""

    node: Statement | Pragma
    around: tuple[If | Loop, ...]

    @property
    def loops(self) -> tuple[Loop, ...]:
        return tuple(n for n in self.around if isinstance(n, Loop))


def places(nodes: Sequence[Node], around: tuple[If | Loop, ...] = ()) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, If | Loop):
            yield from places(node.body, (*around, node))
        else:
            yield Place(node, around)


def parse(text: str) -> Unit:
    tokens = tokenize(text)
    functions, stray = list[Function](), list[Pragma]()
    at = start = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "directive":
            pragma = read_pragma(token)
            stray += [pragma] if pragma else []
            start = at + 1
        elif token.is_mark("{"):
            head = tokens[start:at]
            end = closing(tokens, at)
            function = _function(head, tokens[at + 1 : end])
            if function is not None:
                functions.append(function)
            if function is not None or not _is_wrapper(head):
                at = end
            start = at + 1
        elif token.is_mark(";", "}"):
            start = at + 1
        at += 1
    return Unit(tuple(functions), tuple(stray), _constants(tokens))


def _is_wrapper(head: Sequence[Token]) -> bool:
    return any(t.text in ("namespace", "extern") for t in head)


def _function(head: Sequence[Token], body: Sequence[Token]) -> Function | None:
    """A definition, where the words before a brace are those of one."""
    opening = next((at for at, t in enumerate(head) if t.is_mark("(")), None)
    if not opening or head[opening - 1].kind != "name" or any(t.is_mark("=") for t in head[:opening]):
        return None
    if any(t.text in ("struct", "class", "enum", "union") for t in head[:1]):
        return None
    inner = head[opening + 1 : closing(head, opening)]
    parameters = [v for part in split(inner, ",") if (v := _variable(part)) is not None]
    return Function(head[opening - 1], tuple(parameters), _nodes(body), tuple(inner) + tuple(body))


_QUALIFIERS = ("const", "static", "volatile")


def _variable(part: Sequence[Token]) -> Variable | None:
    """The name that a declaration of one variable declares."""
    part = part[: next((at for at, t in enumerate(part) if t.is_mark("=")), len(part))]
    end = next((at for at, t in enumerate(part) if t.is_mark("[")), len(part))
    if end < 2 or part[end - 1].kind != "name":
        return None
    dims, at = list[tuple[Token, ...]](), end
    while at < len(part) and part[at].is_mark("["):
        close = closing(part, at)
        dims.append(tuple(part[at + 1 : close]))
        at = close + 1
    kind = part[: end - 1]
    words = [t.text for t in kind if t.kind != "mark" or t.text not in ("*", "&")]
    return Variable(
        name=part[end - 1].text,
        type=re.sub(r" ?(::|<|>|,) ?", r"\1", " ".join(w for w in words if w not in _QUALIFIERS)),
        pointer=any(t.is_mark("*") for t in kind),
        reference=any(t.is_mark("&") for t in kind),
        dims=tuple(dims),
        token=part[end - 1],
    )


_TYPES = frozenset(
    re.findall(
        r"\w+",
        """const static volatile unsigned signed char short int long float double bool half auto""",
    )
)


def declared(statement: Statement) -> tuple[Variable, ...]:
    """The variables of a declaration; nothing for any other statement."""
    tokens = statement.tokens
    if len(tokens) < 2 or tokens[0].kind != "name":
        return ()
    parts = split(tokens, ",")
    first = _variable(parts[0])
    if first is None or first.token is tokens[0]:
        return ()
    kind = tokens[: tokens.index(first.token)]
    plain = kind[0].text in _TYPES or all(t.kind in ("name", "number") or t.text in "::<>,*&" for t in kind)
    if not plain or kind[0].text in ("return", "delete", "goto", "using", "typedef", "throw"):
        return ()
    base = tuple(t for t in kind if not t.is_mark("*", "&"))
    rest = (_variable((*base, *p)) for p in parts[1:])
    return (first, *(v for v in rest if v is not None))


def _nodes(tokens: Sequence[Token]) -> tuple[Node, ...]:
    found, at = list[Node](), 0
    while at < len(tokens):
        nodes, at = _node(tokens, at)
        found += nodes
    return tuple(found)


def _node(tokens: Sequence[Token], at: int) -> tuple[tuple[Node, ...], int]:
    """The nodes of the statement at a place, and where the next one begins."""
    token = tokens[at]
    if token.kind == "directive":
        pragma = read_pragma(token)
        return ((pragma,) if pragma else ()), at + 1
    if token.is_mark("{"):
        end = closing(tokens, at)
        return _nodes(tokens[at + 1 : end]), end + 1
    if token.is_mark(";", "}"):
        return (), at + 1
    if token.kind == "name" and at + 1 < len(tokens):
        following = tokens[at + 1]
        if following.is_mark(":"):
            return (), at + 2
        if token.text in ("for", "while", "if", "switch") and following.is_mark("("):
            return _compound(tokens, at)
        if token.text in ("else", "do"):
            body, end = _node(tokens, at + 1)
            around = If(token, body) if token.text == "else" else Loop(token, None, (), body)
            return (around,), end
    end = at
    while end < len(tokens) and not tokens[end].is_mark(";", "}") and tokens[end].kind != "directive":
        end = closing(tokens, end) + 1 if tokens[end].is_mark("(", "[", "{") else end + 1
    return (Statement(tuple(tokens[at:end])),), max(end, at + 1)


def _compound(tokens: Sequence[Token], at: int) -> tuple[tuple[Node, ...], int]:
    close = closing(tokens, at + 1)
    if close + 1 >= len(tokens):
        return (), len(tokens)
    inner = tokens[at + 2 : close]
    body, end = _node(tokens, close + 1) if not tokens[close + 1].is_mark(";") else ((), close + 2)
    if tokens[at].text in ("if", "switch"):
        return (Statement(tuple(inner)), If(tokens[at], body)), end
    header = tuple(split(inner, ";")) if tokens[at].text == "for" else ()
    first = declared(Statement(header[0])) if len(header) == 3 else ()
    name = first[0].name if first else (header[0][0].text if len(header) == 3 else None)
    return (Loop(tokens[at], name, header, body),), end


def read_pragma(token: Token) -> Pragma | None:
    """An HLS pragma; None for every other directive."""
    text = re.sub(r"\\\r?\n|/\*.*?\*/", " ", token.text, flags=re.DOTALL)
    match = re.match(r"#\s*pragma\s+hls\s+(\w+)(.*)", text, re.IGNORECASE | re.DOTALL)
    if match is None:
        return None
    options: dict[str, str | None] = {}
    for word, value in re.findall(r"([\w.]+)(?:\s*=\s*([^\s,]+(?:\s*,\s*[^\s=,]+(?!\s*=))*))?", match[2]):
        options[word.lower()] = value or None
    return Pragma(match[1].lower(), options, token)


def _constants(tokens: Sequence[Token]) -> dict[str, int]:
    """`#define N 8` and `const int N = 8`."""
    found: dict[str, int] = {}
    for at, token in enumerate(tokens):
        match = re.fullmatch(r"#\s*define\s+(\w+)\s+\(?(\d+)\)?\s*", token.text) if token.kind == "directive" else None
        if match:
            found[match[1]] = int(match[2])
        if token.text in ("const", "constexpr"):
            texts = [t.text for t in tokens[at + 1 : at + 6]]
            if len(texts) == 5 and texts[0] in _TYPES and texts[2] == "=" and texts[4] == ";" and texts[3].isdigit():
                found[texts[1]] = int(texts[3])
    return found
