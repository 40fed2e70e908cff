"""Parsing: tokens to pycparser's syntax tree, and from its nodes back to places; knows no meaning.

Every token is handed to pycparser on a line of its own, so the line of a node is the number of its first token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser, ParseError

from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.preprocess import MACHINE_FAULTS, Token
from sisyphus.ir import any_width
from sisyphus.source import Span

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: opening for opening, close in OPENING.items()}
#: Types that pycparser does not know: where `float` may stand, they may.
LIKE_FLOAT = {"_Float16"}
#: A constant with the suffix of `_Float16`.
_HALF = re.compile(r"^(\.?[0-9][\w.+-]*)[fF]16$")
PREFIX_OPERATORS = {"-", "+", "!", "~", "*", "&", "++", "--", "sizeof"}


class Tree:
    """A translation unit and where each of its nodes stands."""

    def __init__(self, root: c_ast.FileAST, tokens: Sequence[Token]) -> None:
        self.root = root
        self._tokens = tokens

    def span(self, *nodes: c_ast.Node) -> Span:
        """The text of one node, or from the first to the last of several, as far as it stands on one line."""
        ranges = [r for r in (self._range(n) for n in nodes) if r]
        if not ranges:
            return self._tokens[0].span if self._tokens else Span("", 1)
        low, high = self._balanced(min(r[0] for r in ranges), max(r[1] for r in ranges))
        first, last = self._tokens[low].span, self._tokens[high].span
        if (last.path, last.line) != (first.path, first.line) or last.column < first.column:
            return first
        return Span(first.path, first.line, first.column, last.column + last.width - first.column)

    def is_written_out(self, node: c_ast.Node) -> bool:
        """Whether the node stands on one line as it is, not behind a macro."""
        found = self._range(node)
        if not found:
            return False
        spans = [t.span for t in self._tokens[found[0] : found[1] + 1]]
        return len(set(spans)) == len(spans) and len({(s.path, s.line) for s in spans}) == 1

    def start(self, node: c_ast.Node) -> Span:
        """The first token of a node only."""
        found = self._range(node)
        return self._tokens[found[0]].span if found else self.span(node)

    def end_of(self, node: c_ast.Decl) -> Span | None:
        """The `;` behind a declaration; None where there is none."""
        at, depth = _number(node), 0
        for token in self._tokens[len(self._tokens) if at is None else at :]:
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == ";" and not depth:
                return token.span
        return None

    def _range(self, node: c_ast.Node) -> tuple[int, int] | None:
        """Numbers of the first and the last token that belong to a node."""
        own = _number(node)
        low, high = (own, own) if own is not None else (len(self._tokens), -1)
        for _, child in node.children():
            inner = self._range(child)
            if inner:
                low, high = min(low, inner[0]), max(high, inner[1])
        if high < 0:
            return None
        if isinstance(node, c_ast.UnaryOp):
            low, high = self._with_operator(node.op, low, high)
        elif isinstance(node, c_ast.FuncCall):
            low, high = self._balanced(low, high)
            if high + 2 < len(self._tokens) and node.args is None:
                high += 2
        return low, min(high, len(self._tokens) - 1)

    def _with_operator(self, op: str, low: int, high: int) -> tuple[int, int]:
        low, high = self._balanced(low, high)
        if op in ("p++", "p--"):
            return low, high + 1
        at = low - 1
        while at > 0 and self._tokens[at].text == "(":
            at -= 1
        return (at, high) if at >= 0 and self._tokens[at].text == op and op in PREFIX_OPERATORS else (low, high)

    def _balanced(self, low: int, high: int) -> tuple[int, int]:
        """The range widened until its brackets match."""
        missing_left, open_right = list[str](), list[str]()
        for token in self._tokens[low : high + 1]:
            if token.text in OPENING:
                open_right.append(token.text)
            elif token.text in CLOSING:
                if open_right:
                    open_right.pop()
                else:
                    missing_left.append(CLOSING[token.text])
        for bracket in missing_left:
            if low > 0 and self._tokens[low - 1].text == bracket:
                low -= 1
        while open_right and high + 1 < len(self._tokens):
            high += 1
            text = self._tokens[high].text
            if text in OPENING:
                open_right.append(text)
            elif text in CLOSING:
                open_right.pop()
        return low, high


def _number(node: c_ast.Node) -> int | None:
    coord = getattr(node, "coord", None)
    return coord.line - 1 if coord is not None else None


class _Lexer(CLexer):  # type: ignore[misc,unused-ignore]
    """pycparser's lexer, remembering how far it got, for faults that do not say where they are."""

    reached = 0

    def token(self) -> Any:
        token = super().token()
        if token is not None and token.value in LIKE_FLOAT:
            token.type = "FLOAT"
        if token is not None:
            _Lexer.reached = max(_Lexer.reached, token.lineno)
        return token


def parse(tokens: Sequence[Token], collector: Collector) -> Tree:
    """The syntax tree of a file; a fault of syntax is found alone, for there is no tree to look for others in."""
    text = "\n".join(_HALF.sub(r"((_Float16)\1)", t.text.replace("\n", " ")) for t in tokens)
    _Lexer.reached = 0
    try:
        tree = Tree(CParser(lexer=_Lexer).parse(text, "input"), tokens)
    except ParseError as reason:
        raise _syntax_fault(str(reason), tokens, collector) from reason
    except MACHINE_FAULTS as reason:
        at = tokens[max(0, _Lexer.reached - 1)]
        raise collector.fault("syntax", f"not understood near `{at.text}`", at.span) from reason
    for node in tree.root.ext:
        if isinstance(node, c_ast.FuncDef) and not isinstance(node.decl.type, c_ast.FuncDecl):
            raise collector.fault("syntax", "a body behind what is no function", tree.start(node.decl))
    return tree


def _syntax_fault(message: str, tokens: Sequence[Token], collector: Collector) -> Refused:
    found = re.match(r"input:(\d+)(?::\d+)?: (.*)", message, re.S)
    if message.endswith("At end of input"):
        return collector.fault("syntax", "the file ends in the middle of something", tokens[-1].span)
    line = int(found.group(1)) if found else _Lexer.reached
    at = tokens[min(max(line, 1), len(tokens)) - 1]
    words = found.group(2) if found else ""
    if not words or words.startswith("before: "):
        words = f"syntax error near `{at.text}`"
    return collector.fault("syntax", words[:1].lower() + words[1:], at.span)


def counted(name: str, extent: c_ast.Node, body: c_ast.Node, coord: object) -> c_ast.For:
    """for (int name = 0; name < extent; name++) body"""
    kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["int"], coord), coord)
    begin = c_ast.Decl(name, [], [], [], [], kind, c_ast.Constant("int", "0", coord), None, coord)
    test = c_ast.BinaryOp("<", c_ast.ID(name, coord), extent, coord)
    step = c_ast.UnaryOp("p++", c_ast.ID(name, coord), coord)
    return c_ast.For(c_ast.DeclList([begin], coord), test, step, body, coord)


def walk(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """A node and everything below it, in the order of the text."""
    waiting = [node] if node is not None else []
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for _, child in reversed(node.children())]


def base_of(node: c_ast.Node) -> c_ast.Node:
    """What stands before all subscripts."""
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
    return node


def subscripts_of(node: c_ast.Node) -> list[c_ast.Node]:
    """All subscripts, outermost first."""
    found = list[c_ast.Node]()
    while isinstance(node, c_ast.ArrayRef):
        found.insert(0, node.subscript)
        node = node.name
    return found


def is_of_widths(node: c_ast.Node, tree: Tree) -> bool:
    """Whether sisy_types.h has it."""
    return tree.start(node).path == any_width.HEADER
