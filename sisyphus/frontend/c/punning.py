"""Numbers of which one looks at the bits, as those of another type of the same size, on the syntax tree.

union { float f; uint32_t u; } c; c.f = x; c.u >>= 1; y = c.f;   becomes
uint32_t c; c = bits of x; c >>= 1; y = c as the bits of a float;   and so does   c = *(uint32_t *)&x;

Knows the texts of types, not what they are. A union with other members than numbers stays, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import STEPS
from sisyphus.frontend.c.returns import put
from sisyphus.values import dataclass

#: Words of types that are no whole numbers.
FLOATING = frozenset({"float", "double", "_Float16", "half"})


class Bits(c_ast.Node):  # type: ignore[misc,unused-ignore]
    """The bits of a value as a number of another type."""

    __slots__ = ("coord", "expr", "to_type")

    def __init__(self, to_type: c_ast.Typename, expr: c_ast.Node, coord: object) -> None:
        self.to_type, self.expr, self.coord = to_type, expr, coord

    def children(self) -> list[tuple[str, c_ast.Node]]:
        return [("expr", self.expr)]

    def __iter__(self) -> Iterator[c_ast.Node]:
        yield self.expr


@dataclass(frozen=True, eq=False)
class Members:
    """The words of the types of a union's members by name; the value is kept as `stored`, a whole number."""

    words: Mapping[str, tuple[str, ...]]
    stored: tuple[str, ...]

    @staticmethod
    def of(union: c_ast.Union) -> Members | None:
        """None where a member is no number, or all have a point."""
        words = dict[str, tuple[str, ...]]()
        for member in union.decls or []:
            match member:
                case c_ast.Decl(bitsize=None, type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=names))):
                    words[member.name] = tuple(names)
                case _:
                    return None
        stored = next((w for w in words.values() if not FLOATING & set(w)), None)
        return None if stored is None else Members(words, stored)


def typename(words: tuple[str, ...], coord: object = None) -> c_ast.Typename:
    """A type of these words, as in a cast."""
    return c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, c_ast.IdentifierType([*words]), coord), coord)


def look_at_bits(tree: Tree) -> None:
    """Changes the functions of a file."""
    known = _unions(tree.root)
    for function in (f for f in tree.root.ext if isinstance(f, c_ast.FuncDef)):
        if known or any(isinstance(n, c_ast.Cast) for n in walk(function.body)):
            _Function(known).below(function.body)


def _unions(root: c_ast.Node) -> dict[str, Members]:
    """The unions of a file by tag (`union x`) and by the names of their types."""
    found, typedefs = dict[str, Members](), [n for n in walk(root) if isinstance(n, c_ast.Typedef)]
    for union in (n for n in walk(root) if isinstance(n, c_ast.Union) and n.decls and n.name):
        if (members := Members.of(union)) is not None:
            found[f"union {union.name}"] = members
    for typedef in typedefs:
        inner = typedef.type.type if isinstance(typedef.type, c_ast.TypeDecl) else None
        if isinstance(inner, c_ast.Union) and (own := _members(inner, found)) is not None:
            found[typedef.name] = own
    return found


def _members(kind: c_ast.Node, known: Mapping[str, Members]) -> Members | None:
    """The members of a type, where it is a union that can be a number."""
    match kind:
        case c_ast.Union(decls=None, name=name):
            return known.get(f"union {name}")
        case c_ast.Union():
            return Members.of(kind)
        case c_ast.IdentifierType(names=[name]):
            return known.get(name)
    return None


class _Function:
    """Writes unions of one function as numbers; `variables` are those that are known where it goes."""

    def __init__(self, known: Mapping[str, Members]) -> None:
        self.known, self.variables = known, dict[str, Members]()

    def below(self, node: c_ast.Node) -> None:
        """Everything below a node, blocks with names of their own."""
        outer = dict(self.variables)
        for name, child in node.children():
            put(node, name, self._changed(child))
        if isinstance(node, c_ast.Compound):
            self.variables = outer

    def _changed(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.Decl(type=c_ast.TypeDecl(type=kind)) if not node.storage:
                members = _members(kind, self.known)
                if members is not None:
                    return self._declared(node, members)
                self.variables.pop(node.name, None)
            case c_ast.Assignment(lvalue=place) if (found := self._member(place)) is not None:
                return self._assigned(node, *found)
            case c_ast.UnaryOp(op=op, expr=place) if op in STEPS and (found := self._member(place)) is not None:
                if found[1].words[place.field.name] == found[1].stored:
                    return c_ast.UnaryOp(op, c_ast.ID(found[0], node.coord), node.coord)
            case c_ast.StructRef() if (found := self._member(node)) is not None:
                return self._value(found[0], found[1].words[node.field.name], found[1], node.coord)
            case c_ast.UnaryOp(op="*", expr=c_ast.Cast(to_type=pointer, expr=c_ast.UnaryOp(op="&", expr=place))):
                kind = pointer.type.type if isinstance(pointer.type, c_ast.PtrDecl) else None
                if isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.IdentifierType):
                    return Bits(typename(tuple(kind.type.names), node.coord), self._changed(place), node.coord)
        self.below(node)
        return node

    def _member(self, node: c_ast.Node) -> tuple[str, Members] | None:
        """The variable that a text names a member of."""
        match node:
            case c_ast.StructRef(type=".", name=c_ast.ID(name=name)) if name in self.variables:
                return name, self.variables[name]
        return None

    def _declared(self, node: c_ast.Decl, members: Members) -> c_ast.Decl:
        self.variables[node.name] = members
        kind = c_ast.TypeDecl(node.name, node.quals, None, c_ast.IdentifierType([*members.stored]), node.coord)
        first = None
        match node.init:
            case c_ast.InitList(exprs=[c_ast.NamedInitializer(name=[c_ast.ID(name=member)], expr=value)]):
                first = member, value
            case c_ast.InitList(exprs=[value]):
                first = next(iter(members.words)), value
            case c_ast.ID(name=name) if name in self.variables:
                first = next(m for m, words in members.words.items() if words == members.stored), node.init
        value = None if first is None else self._stored(self._changed(first[1]), members.words[first[0]], members)
        return c_ast.Decl(node.name, node.quals, [], [], [], kind, value, None, node.coord)

    def _assigned(self, node: c_ast.Assignment, name: str, members: Members) -> c_ast.Assignment:
        words, coord, value = members.words[node.lvalue.field.name], node.coord, self._changed(node.rvalue)
        place = c_ast.ID(name, node.lvalue.coord)
        if words == members.stored:
            return c_ast.Assignment(node.op, place, value, coord)
        if node.op != "=":
            value = c_ast.BinaryOp(node.op[:-1], self._value(name, words, members, coord), value, coord)
        return c_ast.Assignment("=", place, self._stored(value, words, members), coord)

    def _stored(self, value: c_ast.Node, words: tuple[str, ...], members: Members) -> c_ast.Node:
        """What is kept of a value that a member gets."""
        if words == members.stored:
            return value
        given = c_ast.Cast(typename(words, value.coord), value, value.coord)
        return Bits(typename(members.stored, value.coord), given, value.coord)

    def _value(self, name: str, words: tuple[str, ...], members: Members, coord: object) -> c_ast.Node:
        kept = c_ast.ID(name, coord)
        return kept if words == members.stored else Bits(typename(deepcopy(words), coord), kept, coord)
