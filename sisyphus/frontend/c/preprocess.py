"""Preprocessing: C text to a list of tokens that each know their place in the user's file; knows no grammar."""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pcpp
from pcpp.evaluator import Value
from pcpp.parser import default_lexer

from sisyphus.errors import UsageError
from sisyphus.frontend.c import builtins
from sisyphus.frontend.c.diagnostics import Collector, Refused
from sisyphus.frontend.c.sandbox import Sandbox
from sisyphus.ir import any_width
from sisyphus.source import SourceFile, Span, read_bytes
from sisyphus.values import dataclass

# A macro may stand for so many tokens, and a long text grow so many times by those it uses.
MOST_TOKENS = 50_000
MOST_GROWTH = 20
MOST_INCLUDES = 50
STUBS = Path(__file__).resolve().parent.parent / "include"
WHOLE = re.compile(r"(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)|\.\.\.|\^=")
# What gcc knows and C99 does not: words without meaning for a kernel vanish, others get their standard spelling.
PREDEFINED = (
    "__STDC__ 1",
    "__STDC_VERSION__ 201112L",
    "__STDC_HOSTED__ 1",
    "__attribute__(x)",
    "__asm__(x)",
    "__extension__",
    "__restrict restrict",
    "__restrict__ restrict",
    "__inline inline",
    "__inline__ inline",
    "__const const",
    "__const__ const",
    "__volatile__ volatile",
    "__signed__ signed",
    "__builtin_expect(x,y) (x)",
)
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*")
CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".cu")
CPP_TEXT = re.compile(
    r"^[ \t]*(#[ \t]*include[ \t]*<((ap|hls)_\w+\.h|c(math|stdint|stdlib|string)|algorithm|vector|complex|iostream)>"
    r"|template[ \t]*<|namespace[ \t]+\w+|using[ \t]+namespace[ \t]+\w+|class[ \t]+\w+[ \t]*[{:])",
    re.M,
)
MACHINE_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

_shift = Value.__lshift__


def _short_shift(value: Any, by: Any) -> Any:
    """A shift in a condition of the preprocessor, which pcpp computes in full before it keeps 64 bits of it."""
    return _shift(value, by) if int(by) < 64 else Value(0, value.unsigned, value.exception or by.exception)


Value.__lshift__ = _short_shift


@dataclass(frozen=True)
class Token:
    """One preprocessing token after macro expansion, or a whole `#pragma` line."""

    text: str
    span: Span


class _EndlessError(Exception):
    """Preprocessing would not end."""


class _Place(str):
    """The path that pcpp carries along with a token, enriched by the exact span."""

    __slots__ = ("span",)

    span: Span


class _Lexer:
    """pcpp's lexer, with numbers kept whole as C99 wants them (`1.0f`, `1.`, `1E-5`), and two operators."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def lineno(self) -> int:
        return int(self._inner.lineno)

    @lineno.setter
    def lineno(self, line: int) -> None:
        self._inner.lineno = line

    def clone(self) -> _Lexer:
        return _Lexer(self._inner.clone())

    def input(self, text: str) -> None:
        self._inner.input(text)

    def token(self) -> Any:
        token = self._inner.token()
        whole = WHOLE.match(self._inner.lexdata, token.lexpos) if token is not None else None
        if whole:
            token.value = whole.group()
            self._inner.lexpos = whole.end()
            if whole["number"]:
                token.type = "CPP_INTEGER" if INTEGER.fullmatch(token.value) else "CPP_FLOAT"
        return token


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]
    """pcpp with exact places, faults collected instead of printed, and our stub headers behind the user's."""

    def __init__(self, main: SourceFile, collector: Collector, sandbox: Sandbox | None = None) -> None:
        self._sandbox = sandbox
        self._given = set[str]()
        self.overridden: list[str] = []
        self.has_widths = False
        super().__init__(_Lexer(default_lexer()))
        self.rewrite_paths: list[tuple[str, str]] = []
        self.line_directive = None
        self._collector = collector
        self._main = main.path
        self._shown = dict[str, str]()
        collector.files[main.path] = main

    def group_lines(self, text: str, abssource: str) -> Iterator[list[Any]]:
        """Lines of tokens, each token with its span as source."""
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
        lexer = self.lexer.clone()
        lexer.input(text)
        lexer.lineno = 1
        path = self._shown.setdefault(abssource, self._main)
        starts = [0, *(m.end() for m in re.finditer("\n", text))]
        line = list[Any]()
        for token in iter(lexer.token, None):
            row = bisect_right(starts, token.lexpos) - 1
            place = _Place(abssource or "")
            place.span = Span(path, row + 1, token.lexpos - starts[row] + 1, len(token.value.split("\n")[0]) or 1)
            token.source = place
            line.append(token)
            if token.value == "\n" and token.type == self.t_NEWLINE:
                yield line
                line = []
        if line:
            yield line

    def given(self, definition: str) -> None:
        """A macro from the command line."""
        self.define(definition)
        self._given.add(re.split(r"\W", definition)[0])

    def define(self, tokens: Any) -> None:
        """A macro of the file; one that undoes a definition of the command line is remembered."""
        name = tokens[0].value if isinstance(tokens, list) and tokens else ""
        before = self.macros.get(name)
        super().define(tokens)
        if name in self._given and (before is None or _words(before) != _words(self.macros[name])):
            self.overridden.append(name)

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        """Macros replaced; what grows beyond all bounds is given up."""
        given = len(tokens)
        found: list[Any] = super().expand_macros(tokens, list(expanding_from))
        if len(found) > MOST_GROWTH * given + MOST_TOKENS:
            raise _EndlessError("macros grow without end")
        return found

    def on_error(self, file: str, line: int, msg: str) -> None:
        span = getattr(file, "span", None) or Span(self._shown.get(str(file), str(file)), max(line, 1))
        self._collector.report("preprocess", " ".join((msg[:1].lower() + msg[1:]).split()), span)

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        if self.include_depth > MOST_INCLUDES:
            raise _EndlessError("files include each other without end")
        path = Path(includepath)
        if path.name == any_width.HEADER:
            # What the file uses of it is defined once the file is known.
            self.has_widths = True
            return io.StringIO("")
        if path.is_relative_to(STUBS):
            path = STUBS / "_".join(path.relative_to(STUBS).parts)
        confined = self._sandbox is not None and not path.is_relative_to(STUBS)
        if self._sandbox is not None and confined and not self._sandbox.has(path):
            raise OSError("outside of the sandbox")
        try:
            text = _one_line_end(read_bytes(path).decode("utf-8-sig", errors="replace"))
        except ValueError as fault:
            raise OSError(str(fault)) from fault
        here = Path.cwd()
        shown = str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
        self._shown[includepath] = shown
        if self._sandbox is not None and confined:
            self._sandbox.check(text, shown, path.parent, self._collector)
        self._collector.files[shown] = SourceFile(shown, text)
        return io.StringIO(text)

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> str:
        if not is_malformed and (STUBS / includepath.replace("/", "_")).is_file():
            return str(STUBS)
        if not is_malformed and Path(includepath).name == any_width.HEADER:
            return str(any_width.INCLUDE_DIR)
        span = self.lastdirective.source.span
        if is_malformed:
            self._collector.report("preprocess", f"`#include {includepath}` names no file", span)
        else:
            self._collector.report(
                "include-not-found",
                f"cannot find `{includepath}`",
                span,
                hint="name its folder with `-I`, or drop the include if the kernel does not need it",
            )
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> bool | None:
        if directive.value == "pragma":
            return None
        if directive.value == "error":
            words = "".join(t.value for t in toks)
            self._collector.report("preprocess", f"the file says `#error {words}`", directive.source.span)
        elif directive.value not in ("warning", "line", "ident"):
            self._collector.report("preprocess", f"unknown directive `#{directive.value}`", directive.source.span)
        return True


def _one_line_end(text: str) -> str:
    """Only line feeds end a line; the other separators that Python knows become spaces."""
    return re.sub("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", " ", text)


def _words(macro: Any) -> list[str]:
    return [token.value for token in macro.value]


@dataclass(frozen=True)
class Preprocessed:
    """The tokens of a file, macros of the command line that it defines otherwise, types of sisy_types.h it uses."""

    tokens: tuple[Token, ...]
    overridden: tuple[str, ...] = ()
    widths: tuple[str, ...] = ()


def preprocess(
    source: SourceFile,
    *,
    defines: Sequence[str],
    include_dirs: Sequence[str],
    collector: Collector,
    sandboxed: bool = False,
) -> Preprocessed:
    """A file without its directives; faults go to the collector. `sandboxed`: nothing outside is opened."""
    source = SourceFile(source.path, _one_line_end(source.text))
    sandbox = Sandbox.of(source.path, include_dirs) if sandboxed else None
    if sandbox is not None:
        sandbox.check(source.text, source.path, Path(source.path).absolute().parent, collector)
        if collector.failed:
            return Preprocessed(())
    machine = _Preprocessor(source, collector, sandbox)
    for text in PREDEFINED:
        machine.define(text)
    machine.undef("__PCPP__")
    for folder in include_dirs:
        machine.add_path(str(Path(folder).absolute()))
    for define in defines:
        machine.given(_definition(define))
    found = list[Token]()
    try:
        machine.parse(source.text, str(Path(source.path).absolute()))
        found.extend(_tokens(machine))
    except _EndlessError as reason:
        at = machine.lastdirective
        collector.report("preprocess", str(reason), at.source.span if at is not None else Span(source.path, 1))
    except MACHINE_FAULTS:
        last = found[-1].span if found else Span(source.path, 1)
        collector.report("preprocess", "a directive or macro near here cannot be understood", last)
    known = builtins.definitions(token.text for token in found)
    if known:
        header = _Preprocessor(SourceFile(builtins.HEADER, known), collector)
        header.parse(known, builtins.HEADER)
        found[:0] = _tokens(header)
    overridden = tuple(dict.fromkeys(machine.overridden))
    if not machine.has_widths:
        return Preprocessed(tuple(found), overridden)
    named = sorted({kind.name for kind, _ in filter(None, (any_width.used(token.text) for token in found))})
    header = _Preprocessor(SourceFile(any_width.HEADER, any_width.definitions(named)), collector)
    header.parse(any_width.definitions(named), any_width.HEADER)
    return Preprocessed((*_tokens(header), *found), overridden, tuple(named))


def _definition(define: str) -> str:
    name, equals, value = define.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*(\([\w\s,.]*\))?", name.strip()):
        raise UsageError(f"`-D {define}` names no macro", hint="write `-D NAME` or `-D NAME=VALUE`")
    return f"{name.strip()} {value if equals else '1'}"


def _tokens(machine: _Preprocessor) -> Iterator[Token]:
    """Tokens that mean something; a `#pragma` line becomes one token."""
    pragma = list[Any]()
    while token := machine.token():
        if pragma:
            if "\n" in token.value:
                first = pragma[0].source.span
                text = "".join(t.value for t in pragma)
                yield Token(text, Span(first.path, first.line, first.column, len(text)))
                pragma = []
            else:
                pragma.append(token)
        elif token.value == "#":
            pragma.append(token)
        elif token.value.strip() and token.type not in machine.t_WS:
            yield Token(token.value, token.source.span)


def read_source(path: str, given: bytes | None, collector: Collector) -> SourceFile:
    """The text of a file, unless it is given; what is no text is refused."""
    fault: Refused
    try:
        data = read_bytes(Path(path)) if given is None else given
    except (OSError, ValueError) as reason:
        words = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        fault = collector.fault("unreadable-file", f"cannot read `{path}`: {words.lower()}", None)
        raise fault from reason
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    control = sum(1 for c in text if ord(c) < 32 and c not in "\t\n\r\f\v")
    if "\0" in text or control > len(text) // 50:
        raise collector.fault("not-text", f"`{path}` is not a text file", Span(path, 1))
    return SourceFile(path, text)


def refuse_cpp(source: SourceFile, collector: Collector) -> None:
    """C++ is told apart by what only its files have, before a parser of C stumbles over it."""
    if Path(source.path).suffix.lower() in CPP_SUFFIXES:
        words = f"`{Path(source.path).name}` is a C++ file by its name, and kernels are read as C"
        raise collector.fault("not-c", words, Span(source.path, 1))
    found = CPP_TEXT.search(source.text)
    if found is not None:
        line = source.text.count("\n", 0, found.start()) + 1
        start = found.start() - (source.text.rfind("\n", 0, found.start()) + 1)
        text = found.group().strip()
        place = Span(source.path, line, start + 1 + len(found.group()) - len(found.group().lstrip()), len(text))
        raise collector.fault("not-c", f"`{text}` is C++, and kernels are read as C", place)
