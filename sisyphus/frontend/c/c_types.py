"""C types and conversions: declared types resolved, and the conversions that C implies made explicit."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping

from pycparser import c_ast

from sisyphus.ir import DOUBLE, FLOAT, HALF, INT32, Cast, Expr, Literal, ScalarType, Unary, promote
from sisyphus.ir.types import BOOL, INT8, INT16, INT64, UINT8, UINT16, UINT32, UINT64
from sisyphus.values import dataclass, replace

SPELLINGS: dict[tuple[str, ...], ScalarType] = {
    ("_Float16",): HALF,
    ("float",): FLOAT,
    ("double",): DOUBLE,
    ("_Bool",): BOOL,
    ("char",): INT8,
    ("char", "signed"): INT8,
    ("char", "unsigned"): UINT8,
    ("short",): INT16,
    ("short", "unsigned"): UINT16,
    (): INT32,
    ("unsigned",): UINT32,
    ("long",): INT64,
    ("long", "unsigned"): UINT64,
    ("long", "long"): INT64,
    ("long", "long", "unsigned"): UINT64,
}
REFUSED_WORDS = {
    "_Complex": "complex numbers",
    "__int128": "128-bit integers",
    "double long": "`long double` has no hardware to map to",
    "void": "`void`",
}


@dataclass(frozen=True)
class Declared:
    """The type of a declarator: its scalar, what surrounds it (a dimension or a pointer, outermost first)."""

    scalar: ScalarType | None
    layers: tuple[c_ast.Node, ...] = ()
    const: bool = False
    problem: str | None = None

    @property
    def is_scalar(self) -> bool:
        return not self.layers

    @property
    def is_function(self) -> bool:
        return bool(self.layers) and isinstance(self.layers[0], c_ast.FuncDecl)

    @property
    def is_void(self) -> bool:
        return self.scalar is None and self.problem == "void" and not self.layers

    @property
    def dims(self) -> tuple[c_ast.Node | None, ...] | None:
        """Extents as written, None for an open one; None as a whole if this is no array (of an array) at all."""
        if not self.layers or not all(isinstance(n, c_ast.ArrayDecl) for n in self.layers[1:]):
            return None
        first = self.layers[0]
        if isinstance(first, c_ast.PtrDecl):
            return (None, *(n.dim for n in self.layers[1:])) if len(self.layers) > 1 else None
        return tuple(n.dim for n in self.layers) if isinstance(first, c_ast.ArrayDecl) else None


def declared(node: c_ast.Node, typedefs: Mapping[str, Declared]) -> Declared:
    """The type that a declaration's `type` subtree spells."""
    if isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.FuncDecl):
        inner = declared(node.type, typedefs)
        return replace(inner, layers=(node, *inner.layers))
    if isinstance(node, c_ast.Typename):
        return declared(node.type, typedefs)
    if not isinstance(node, c_ast.TypeDecl):
        return Declared(None, problem="a type of this kind")
    quals = set(node.quals or ())
    named = _named(node.type, typedefs)
    if quals & {"volatile", "_Atomic"}:
        named = replace(named, problem="`volatile` and atomic variables")
    return replace(named, const=named.const or "const" in quals)


def enum_key(node: c_ast.Enum) -> str:
    """Under what the type of an `enum` stands beside typedefs, which is no name of C."""
    return f"enum {node.name or node.coord}"


def _named(node: c_ast.Node, typedefs: Mapping[str, Declared]) -> Declared:
    if isinstance(node, c_ast.Enum):
        return typedefs.get(enum_key(node), Declared(None, problem="an `enum` that is not declared before"))
    if not isinstance(node, c_ast.IdentifierType):
        words = {c_ast.Struct: "structures", c_ast.Union: "unions"}
        return Declared(None, problem=words.get(type(node), "a type of this kind"))
    names = list(node.names)
    if len(names) == 1 and names[0] in typedefs:
        return typedefs[names[0]]
    count = Counter(names)
    if not count.keys() & {"char", "float", "double", "void", "_Bool", "_Complex", "__int128", "_Float16"}:
        # `int` says nothing beside a width or a sign, nor does `signed`; with the others it says too much.
        count["int"] = count["int"] - 1
        count["signed"] = 0
    key = tuple(sorted(count.elements()))
    if key in SPELLINGS:
        return Declared(SPELLINGS[key])
    if key == ("void",):
        return Declared(None, problem="void")
    reason = REFUSED_WORDS.get(" ".join(key)) or next((REFUSED_WORDS[k] for k in key if k in REFUSED_WORDS), None)
    return Declared(None, problem=reason or f"the type `{' '.join(names)}`")


def limits(kind: ScalarType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    if kind == BOOL:
        return 0, 1
    if kind.kind == "uint":
        return 0, (1 << kind.bits) - 1
    return -(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1


def fits(value: int, kind: ScalarType) -> bool:
    low, high = limits(kind)
    return low <= value <= high


def convert(expr: Expr, kind: ScalarType) -> Expr:
    """The expression with a conversion to `kind` made explicit where there is one."""
    if kind == HALF and isinstance(expr, Literal) and expr.type != HALF:
        return _rounded_to_half(expr) or Cast(expr, kind)
    return expr if expr.type == kind else Cast(expr, kind)


def _rounded_to_half(constant: Literal) -> Literal | None:
    """The constant rounded once, as C does; headers of C++ would go through `float`. None where there is no number."""
    try:
        value = float(constant.text.rstrip("fF") if constant.integer is None else constant.integer)
        if constant.type == FLOAT:
            [value] = struct.unpack("f", struct.pack("f", value))
        [rounded] = struct.unpack("e", struct.pack("e", value))
    except (ValueError, OverflowError):
        return None
    return Literal(repr(rounded), HALF)


def balance(left: Expr, right: Expr) -> tuple[Expr, Expr, ScalarType]:
    """Both operands after C's usual arithmetic conversions, and their common type."""
    kind = promote(left.type, right.type)
    return convert(left, kind), convert(right, kind), kind


def integer_literal(text: str) -> tuple[int, ScalarType] | None:
    """Value and type of an integer constant by C's rules, or None where it fits no type."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    decimal = digits[0] != "0" or digits == "0"
    try:
        prefixed = digits[:2] in ("0x", "0X", "0b", "0B")
        value = int(digits, 0 if prefixed else 10 if decimal else 8)
    except ValueError:
        return None
    for kind in (INT32, UINT32, INT64, UINT64):
        unsigned = kind.kind == "uint"
        if "l" in suffix and kind.bits < 64:
            continue
        if unsigned != ("u" in suffix) and ("u" in suffix or decimal):
            continue
        if fits(value, kind):
            return value, kind
    return None


def integer_expression(value: int, kind: ScalarType) -> Expr:
    """A known integer in a type; narrow types have no literals of their own."""
    wide = kind.promoted
    expr: Expr = number(abs(value), wide)
    return convert(Unary("-", expr, wide) if value < 0 else expr, kind)


def number(value: int, kind: ScalarType = INT32) -> Literal:
    """A non-negative integer as a literal of the given type."""
    suffix = {UINT32: "U", INT64: "LL", UINT64: "ULL"}.get(kind, "")
    return Literal(f"{value}{suffix}", kind)
