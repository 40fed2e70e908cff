"""Expressions of a kernel as C++ text with the meaning they have in C; knows no loop and no memory.

The nesting of the tree is kept by parentheses, so the arithmetic happens in the order of the source. Where C++ reads
the same text differently than C (a comparison is `bool`, `sqrt` of a float is a float), the text says what C means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from sisyphus.errors import InternalError
from sisyphus.ir import (
    DOUBLE,
    FLOAT,
    HALF,
    INT32,
    PICKS,
    Binary,
    Call,
    Cast,
    Expr,
    Index,
    Literal,
    Lookup,
    Read,
    Ref,
    Scalar,
    ScalarType,
    Select,
    Unary,
    promote,
)
from sisyphus.ir.types import INT64, REINTERPRET
from sisyphus.poly import Affine, comparisons

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_LOGIC = frozenset({"&&", "||"})
_FLOAT_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
    fma fmax fmin fmod hypot lgamma log log10 log1p log2 logb nearbyint nextafter pow remainder rint round sin sinh sqrt
    tan tanh tgamma trunc""",
    )
)
_INTEGER_ABS = {"abs": INT32, "labs": INT64, "llabs": INT64}
# The others may differ from the C library in the last place, in hardware and in the vendor's simulation of it.
_EXACT_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        "abs labs llabs ceil copysign fabs fdim floor fma fmax fmin logb nearbyint nextafter rint round sqrt trunc",
    )
)


class Affines:
    """Affine expressions as text in the identifiers of the emitted code; remembers which iterators it printed.

    `given` says what iterators are where the text stands, in terms of those that it has there.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.used: set[str] = set()
        self.given: dict[str, Affine] = {}

    def here(self, value: Affine) -> Affine:
        """The value in terms of the iterators that the text has."""
        return value.substitute(self.given)

    def text(self, value: Affine) -> str:
        return self.text_here(self.here(value))

    def text_here(self, value: Affine) -> str:
        """What is in these terms already."""
        self.used |= value.names
        return str(value.rename(self._names))

    def conditions(self, conditions: Sequence[Affine]) -> str:
        """Conditions (each >= 0) that all hold."""
        found = comparisons(conditions)
        return " && ".join(f"{self.text(left)} {operator} {self.text(right)}" for left, operator, right in found)

    def factor(self, value: Affine) -> str:
        """The same as an operand of `*`, `/` or a cast."""
        return as_factor(self.text(value))


def as_factor(text: str) -> str:
    """A sum as an operand of `*`, `/`, `%` or a cast."""
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def pick_name(function: str, kind: ScalarType) -> str:
    """Name of one of `PICKS` in emitted code; it is inlined."""
    return f"{function}_{kind.key}"


def library_function(name: str) -> tuple[str, ScalarType] | None:
    """Base name and precision of a C math function, or None where it is not one that can be emitted."""
    if name in _INTEGER_ABS:
        return name, _INTEGER_ABS[name]
    if name in _FLOAT_FUNCTIONS:
        return name, DOUBLE
    if name.endswith("f") and name[:-1] in _FLOAT_FUNCTIONS:
        return name[:-1], FLOAT
    return None


def is_exact(name: str) -> bool:
    """Whether every correct implementation of the function returns the same bits."""
    if name in REINTERPRET.values() or name in PICKS.values():
        return True
    known = library_function(name)
    return known is not None and known[0] in _EXACT_FUNCTIONS


def literal(text: str) -> str:
    """A C constant as C++14 spells it: only hexadecimal floats and characters differ."""
    if text.startswith("'"):
        return f"(int){text}"
    if text[:2].lower() == "0x" and re.search(r"[.pP]", text):
        suffix = text[-1] if text[-1] in "fFlL" else ""
        exact = format(Decimal(float.fromhex(text[: len(text) - len(suffix)])), "e")
        return exact + suffix
    return text


class Expressions:
    """Prints expressions; `scalar`, `element` and `table` say how an argument, an array element and a table are
    written.

    Helper functions that the text calls are added to `helpers`; what is `named` stands by its name.
    """

    def __init__(
        self,
        affines: Affines,
        *,
        scalar: Callable[[str], str],
        element: Callable[[Ref], str],
        helpers: set[str],
        table: Callable[[str], str] = str,
    ) -> None:
        self._affines, self._scalar, self._element, self._helpers = affines, scalar, element, helpers
        self._tables = table
        self.named: dict[Expr, str] = {}

    def value(self, expr: Expr) -> str:
        """The expression as the right side of an assignment."""
        return self._bare(expr)

    def converted(self, expr: Expr, kind: ScalarType) -> str:
        """The expression as an operand of that type."""
        return self._as(expr, kind)

    def _operand(self, expr: Expr) -> str:
        """In parentheses unless it is one word, a call or an element."""
        text = self._bare(expr)
        if isinstance(expr, Scalar | Read | Call | Lookup) or expr in self.named:
            return text
        if isinstance(expr, Literal) and not text.startswith(("-", "(")):
            return text
        if isinstance(expr, Index) and expr.type == INT32 and re.fullmatch(r"\w+", text):
            return text
        return f"({text})"

    def _bare(self, expr: Expr) -> str:
        if expr in self.named:
            return self.named[expr]
        match expr:
            case Literal(text=text, type=kind):
                return f"(half){text}f" if kind == HALF else literal(text)
            case Scalar(name=name):
                return self._scalar(name)
            case Index(value=value, type=kind):
                text = self._affines.text(value)
                return text if kind == INT32 else f"({kind.c_name})({text})"
            case Read(ref=ref):
                return self._element(ref)
            case Cast(operand=operand, type=kind):
                return self._cast(operand, kind)
            case Select(condition=condition, then=then, other=other, type=kind):
                return f"{self._condition(condition)} ? {self._as(then, kind)} : {self._as(other, kind)}"
            case Lookup(table=table, index=index):
                return self._tables(table) + "".join(f"[{self._bare(i)}]" for i in index)
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments)
            case Unary(op="!") | Binary(op="&&" | "||" | "<" | "<=" | ">" | ">=" | "==" | "!="):
                return f"(int)({self._truth(expr)})"
            case Unary(op=op, operand=operand):
                return f"{op}{self._operand(operand)}"
            case Binary(op=op, left=left, right=right, type=kind):
                text = f"{self._operand(left)} {op} {self._operand(right)}"
                # Some compilers compute it as float: it is rounded at once, as C says.
                return f"(half)({text})" if kind == HALF else text
        raise InternalError(f"no text for {expr!r}")

    def _as(self, expr: Expr, kind: ScalarType) -> str:
        """An operand converted to the type that C gives it, where that is another."""
        return self._operand(expr) if expr.type == kind else self._cast(expr, kind)

    def _cast(self, operand: Expr, kind: ScalarType) -> str:
        """Between `half` and integers by way of `float`: integers beyond it are beyond half, too."""
        source, text = operand.type, self._operand(operand)
        through = HALF in (source, kind) and not (source.is_float and kind.is_float)
        return f"({kind.c_name})(float){text}" if through else f"({kind.c_name}){text}"

    def _condition(self, expr: Expr) -> str:
        """In parentheses, as a `bool`."""
        return f"({self._truth(expr)})"

    def _truth(self, expr: Expr) -> str:
        match expr:
            case Unary(op="!", operand=operand):
                return f"!{self._condition(operand)}"
            case Binary(op=op, left=left, right=right) if op in _LOGIC:
                return f"{self._condition(left)} {op} {self._condition(right)}"
            case Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                common = promote(left.type, right.type)
                if {left.type.kind, right.type.kind} == {"int", "uint"}:
                    return f"{self._as(left, common)} {op} {self._as(right, common)}"
                return f"{self._operand(left)} {op} {self._operand(right)}"
        return f"{self._as(expr, FLOAT) if expr.type == HALF else self._operand(expr)} != 0"

    def _call(self, function: str, arguments: tuple[Expr, ...]) -> str:
        known = library_function(function)
        if function in REINTERPRET.values():
            self._helpers.add(function)
            return f"{function}({self._bare(arguments[0])})"
        if function in PICKS.values():
            kind = arguments[0].type
            self._helpers.add(pick_name(function, kind))
            return f"{pick_name(function, kind)}({', '.join(self._as(a, kind) for a in arguments)})"
        if known is None:
            raise InternalError(f"`{function}` has no counterpart in the emitted code")
        base, kind = known
        given = [self._bare(a) if a.type == kind else self._as(a, kind) for a in arguments]
        name = f"hls::{base}{'f' if kind == FLOAT else ''}"
        if base in _INTEGER_ABS:
            name = "int_abs" if kind == INT32 else "long_abs"
            self._helpers.add(name)
        return f"{name}({', '.join(given)})"
