"""Subscripts as linear forms, trip counts of loops, and the references of a statement; knows no rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.lint.syntax import Loop, Statement
from sisyphus.lint.tokens import Token, closing
from sisyphus.values import dataclass

Linear = dict[str, int]
CONSTANT = ""


@dataclass(frozen=True)
class Reference:
    """`name[..][..]` in a statement; `chosen` where a `?` or `&&` in front of it decides whether it is evaluated."""

    token: Token
    index: tuple[tuple[Token, ...], ...]
    written: bool
    chosen: bool

    @property
    def name(self) -> str:
        return self.token.text


_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


def references(statement: Statement) -> Iterator[Reference]:
    tokens = statement.tokens
    for at, token in enumerate(tokens):
        if token.kind != "name" or at + 1 == len(tokens) or not tokens[at + 1].is_mark("["):
            continue
        end, index = at + 1, list[tuple[Token, ...]]()
        while end < len(tokens) and tokens[end].is_mark("["):
            close = closing(tokens, end)
            index.append(tuple(tokens[end + 1 : close]))
            end = close + 1
        written = end < len(tokens) and tokens[end].is_mark(*_ASSIGN)
        chosen = any(t.is_mark("?", "&&", "||") for t in tokens[:at])
        yield Reference(token, tuple(index), written, chosen)


def linear(tokens: Sequence[Token], constants: Mapping[str, int]) -> Linear | None:
    """Factors by name, the constant under the empty name; None where the text is no such sum."""
    try:
        form, at = _sum(tokens, 0, constants)
    except (_NotLinearError, RecursionError):
        return None
    return form if at == len(tokens) else None


def number(tokens: Sequence[Token], constants: Mapping[str, int]) -> int | None:
    form = linear(tokens, constants)
    return form[CONSTANT] if form is not None and set(form) == {CONSTANT} else None


class _NotLinearError(Exception):
    pass


def _sum(tokens: Sequence[Token], at: int, constants: Mapping[str, int]) -> tuple[Linear, int]:
    total, at = _product(tokens, at, constants)
    while at < len(tokens) and tokens[at].is_mark("+", "-"):
        sign = 1 if tokens[at].text == "+" else -1
        term, at = _product(tokens, at + 1, constants)
        total = {n: total.get(n, 0) + sign * term.get(n, 0) for n in {**total, **term}}
    return {n: f for n, f in total.items() if f or n == CONSTANT}, at


def _product(tokens: Sequence[Token], at: int, constants: Mapping[str, int]) -> tuple[Linear, int]:
    total, at = _factor(tokens, at, constants)
    while at < len(tokens) and tokens[at].is_mark("*"):
        factor, at = _factor(tokens, at + 1, constants)
        if set(total) != {CONSTANT}:
            total, factor = factor, total
        if set(total) != {CONSTANT}:
            raise _NotLinearError
        total = {n: f * total[CONSTANT] for n, f in factor.items()}
    return total, at


def _factor(tokens: Sequence[Token], at: int, constants: Mapping[str, int]) -> tuple[Linear, int]:
    if at >= len(tokens):
        raise _NotLinearError
    token = tokens[at]
    if token.is_mark("("):
        close = closing(tokens, at)
        inner, end = _sum(tokens[at + 1 : close], 0, constants)
        if end != close - at - 1:
            raise _NotLinearError
        return inner, close + 1
    if token.is_mark("-"):
        inner, end = _factor(tokens, at + 1, constants)
        return {n: -f for n, f in inner.items()}, end
    if token.kind == "number":
        digits = token.text.rstrip("uUlL")
        if not digits.isdigit():
            raise _NotLinearError
        return {CONSTANT: int(digits)}, at + 1
    if token.kind != "name" or (at + 1 < len(tokens) and tokens[at + 1].is_mark("(", "[", ".", "->", "::")):
        raise _NotLinearError
    if token.text in constants:
        return {CONSTANT: constants[token.text]}, at + 1
    return {CONSTANT: 0, token.text: 1}, at + 1


def trip_count(loop: Loop, constants: Mapping[str, int]) -> int | None:
    """Iterations of `for (int i = 0; i < 8; ++i)`; None where a bound is not a number."""
    if len(loop.header) != 3 or not loop.iterator:
        return None
    start, test, _ = loop.header
    equals = next((at for at, t in enumerate(start) if t.is_mark("=")), None)
    compare = next((at for at, t in enumerate(test) if t.is_mark("<", "<=", "!=")), None)
    if equals is None or compare is None or [t.text for t in test[:compare]] != [loop.iterator]:
        return None
    low, high = number(start[equals + 1 :], constants), number(test[compare + 1 :], constants)
    by = step_of(loop, constants)
    if low is None or high is None or not by:
        return None
    return max(-(-(high + (test[compare].text == "<=") - low) // by), 0)


def step_of(loop: Loop, constants: Mapping[str, int]) -> int | None:
    """What the iterator of an ascending loop grows by."""
    step = loop.header[2] if len(loop.header) == 3 else ()
    if any(t.is_mark("++") for t in step):
        return 1
    if len(step) == 3 and step[1].is_mark("+="):
        by = number(step[2:], constants)
        return by if by and by > 0 else None
    return None


def unrolled(loops: Sequence[Loop], constants: Mapping[str, int], *, inside: bool) -> dict[str, int]:
    """Copies per iterator: what an unroll pragma asks for, and all of a loop `inside` a pipelined loop or function."""
    found = dict[str, int]()
    for loop in loops:
        pragma, trips = loop.pragma("unroll"), trip_count(loop, constants)
        asked = pragma.value("factor") if pragma else None
        if loop.iterator and trips is not None and (pragma or inside):
            found[loop.iterator] = min(trips, int(asked)) if asked and asked.isdigit() else trips
        inside = inside or loop.pragma("pipeline") is not None
    return found
