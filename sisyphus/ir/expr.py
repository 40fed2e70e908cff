"""Expressions of a statement as hashable trees; equal trees are `==`, types are explicit, no isl inside.

The operations and their nesting are those of the source, so that printing a tree gives the same arithmetic, bit for
bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NewType

from sisyphus.ir.types import ScalarType
from sisyphus.poly import Affine
from sisyphus.values import dataclass, fields, replace

ArrayId = NewType("ArrayId", str)


@dataclass(frozen=True)
class Ref:
    """One array element: `array[index...]`; a scalar variable is an array without dimensions."""

    array: ArrayId
    index: tuple[Affine, ...]

    def substitute(self, values: Mapping[str, Affine]) -> Ref:
        return Ref(self.array, tuple(e.substitute(values) for e in self.index))

    def __str__(self) -> str:
        return self.array + "".join(f"[{e}]" for e in self.index)


#: Each comparison as it is with its operands the other way round.
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class _Tree:
    """What is below a node is hashed once, as expressions are looked up time and again; no hash leaves the process."""

    @cached_property
    def _hash(self) -> int:
        return hash((type(self).__name__, *(getattr(self, f.name) for f in fields(self))))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}


@dataclass(frozen=True)
class Literal:
    """A constant as the source spells it (`0.2f`), suffix kept."""

    text: str
    type: ScalarType

    @property
    def integer(self) -> int | None:
        """The value of an integer: decimal, octal (`010` is eight), hexadecimal or binary."""
        if self.type.is_float:
            return None
        digits = self.text.rstrip("uUlL")
        octal = len(digits) > 1 and digits.isdecimal() and digits[0] == "0"
        return int(digits, 8 if octal else 0)


@dataclass(frozen=True)
class Scalar:
    """A scalar argument of the kernel, never written inside the scop."""

    name: str
    type: ScalarType


@dataclass(frozen=True)
class Index:
    """An affine expression of the iterators used as data, of type int."""

    value: Affine
    type: ScalarType


@dataclass(frozen=True)
class Read(_Tree):
    """The value of one array element."""

    ref: Ref
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Unary(_Tree):
    """`op` is one of `- ~ !` (unary plus is dropped)."""

    op: str
    operand: Expr
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Binary(_Tree):
    """`op` is a C binary operator: `+ - * / % < <= > >= == != && || & | ^ << >>`."""

    op: str
    left: Expr
    right: Expr
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Call(_Tree):
    """A C math function by the name the source uses (`expf` is not `exp`)."""

    function: str
    arguments: tuple[Expr, ...]
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Select(_Tree):
    """`condition ? then : other` on data."""

    condition: Expr
    then: Expr
    other: Expr
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Cast(_Tree):
    """A conversion, written in the source or implied by C."""

    operand: Expr
    type: ScalarType

    __hash__ = _Tree.__hash__


@dataclass(frozen=True)
class Lookup(_Tree):
    """An element of a constant table, or of an array that the kernel never writes; its subscripts may be data.

    They are in range whatever the data. `loaded`: it is such an array.
    """

    table: str
    extents: tuple[int, ...]
    index: tuple[Expr, ...]
    type: ScalarType
    loaded: bool = False

    __hash__ = _Tree.__hash__


Expr = Literal | Scalar | Index | Read | Unary | Binary | Call | Select | Cast | Lookup


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct operands, left to right."""
    match expr:
        case Unary(operand=x) | Cast(operand=x):
            return (x,)
        case Binary(left=left, right=right):
            return (left, right)
        case Call(arguments=arguments):
            return arguments
        case Select(condition=c, then=t, other=o):
            return (c, t, o)
        case Lookup(index=index):
            return index
        case _:
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, operands after their parent, left to right."""
    waiting = [expr]
    while waiting:
        expr = waiting.pop()
        yield expr
        waiting += reversed(children(expr))


def reads(expr: Expr) -> tuple[Ref, ...]:
    """Array elements read, in order of appearance, repeats included."""
    return tuple(e.ref for e in walk(expr) if isinstance(e, Read))


def with_operands(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The same operation on its direct operands as `change` makes them; a leaf is left as it is."""
    match expr:
        case Unary() | Cast():
            return replace(expr, operand=change(expr.operand))
        case Binary():
            return replace(expr, left=change(expr.left), right=change(expr.right))
        case Call():
            return replace(expr, arguments=tuple(change(a) for a in expr.arguments))
        case Select():
            return replace(expr, condition=change(expr.condition), then=change(expr.then), other=change(expr.other))
        case Lookup():
            return replace(expr, index=tuple(change(i) for i in expr.index))
        case _:
            return expr


def rebuild(expr: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """The same tree with `leaf` applied to every expression without operands."""
    return with_operands(expr, lambda part: rebuild(part, leaf)) if children(expr) else leaf(expr)


def substitute(expr: Expr, values: Mapping[str, Affine]) -> Expr:
    """Iterators replaced by affine expressions, in subscripts and in data."""

    def leaf(e: Expr) -> Expr:
        if isinstance(e, Read):
            return replace(e, ref=e.ref.substitute(values))
        if isinstance(e, Index):
            return replace(e, value=e.value.substitute(values))
        return e

    return rebuild(expr, leaf)
