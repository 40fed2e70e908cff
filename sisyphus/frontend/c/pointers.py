"""Pointers that move from element to element as an index each, on the syntax tree; knows no types and no values.

const float *p = a; for (int i = 0; i < n; i++) s += *p++;   becomes
const float *p = a; int p.at = 0; for (int i = 0; i < n; i++) s += p[p.at++];

A pointer that is compared with a place in the same array becomes a comparison of offsets (`addresses.py`). One that
anything else asks for stays as it is, and is refused where it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.addresses import compare_offsets, declare_where_set
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import COMPARES, STEPS, in_blocks
from sisyphus.frontend.c.returns import put

ADDS = ("+=", "-=")


def index_pointers(tree: Tree) -> None:
    """Changes the functions of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef) and (moved := _moved_in(function.body)):
            in_blocks(function.body)
            declare_where_set(function.body)
            given = function.decl.type.args.params if function.decl.type.args else []
            pointers = [p for p in given if isinstance(p, c_ast.Decl) and _is_pointer(p)]
            for parameter in pointers:
                _index(function.body.block_items, 0, parameter)
            _index_below(function.body)
            if moved & {n.name for n in (*pointers, *walk(function.body)) if _is_place(n)}:
                compare_offsets(function.body)


def _index_below(node: c_ast.Node) -> None:
    """Gives the pointers that blocks below a node declare an index, those of outer blocks first."""
    if isinstance(node, c_ast.Compound):
        for at, item in enumerate(node.block_items):  # an index is put behind the pointer that it is of
            if isinstance(item, c_ast.Decl) and _is_pointer(item) and item.init is not None:
                _index(node.block_items, at + 1, item)
    for _, child in node.children():
        _index_below(child)


def _is_place(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and _is_pointer(node)


def _is_pointer(node: c_ast.Decl) -> bool:
    """Whether a declaration is of a pointer that every call sets anew."""
    return isinstance(node.type, c_ast.PtrDecl | c_ast.ArrayDecl) and not node.storage


def _moved_in(node: c_ast.Node | None) -> set[str]:
    """Names that a text steps, or adds to."""
    found = set[str]()
    for part in walk(node):
        match part:
            case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=name)) if op in STEPS:
                found.add(name)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                found.add(name)
    return found


def _index(items: list[c_ast.Node], at: int, declared: c_ast.Decl) -> None:
    """Gives a pointer an index of its own in the statements behind its declaration, where these ask for elements."""
    at = next((n for n in range(at, len(items)) if declared.name in _moved_in(items[n])), len(items))
    rest = items[at:]
    if not rest or any(isinstance(n, c_ast.Decl) and n.name == declared.name for item in rest for n in walk(item)):
        return
    index = _Index(declared)
    changed = [index.changed(deepcopy(item), alone=True) for item in rest]
    kept = {id(base) for base in index.bases}
    if all(id(n) in kept for item in changed for n in walk(item) if isinstance(n, c_ast.ID) and n.name == index.name):
        kind = c_ast.TypeDecl(index.at, [], None, c_ast.IdentifierType(["int"]), declared.coord)
        zero = c_ast.Constant("int", "0", declared.coord)
        items[at:] = [c_ast.Decl(index.at, [], [], [], [], kind, zero, None, declared.coord), *changed]


class _Index:
    """Writes what a text does with a pointer as what it does with an index; `bases` are the names that may stay."""

    def __init__(self, declared: c_ast.Decl) -> None:
        self.name, self.at, self.bases = declared.name, f"{declared.name}.at", list[c_ast.ID]()
        self.array = _array_of(declared.init)

    def changed(self, node: c_ast.Node, *, alone: bool = False) -> c_ast.Node:
        """`alone`: as a statement, of which nobody takes the value."""
        coord = node.coord
        match node:
            case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op=op, expr=moved)) if op in STEPS and self._is_it(moved):
                return self._element(c_ast.UnaryOp(op, self._place(coord), coord))
            case c_ast.UnaryOp(op="*", expr=address) if self._is_it(_first(address)):
                return self._element(self._from_place(address))
            case c_ast.ArrayRef(name=moved, subscript=far) if self._is_it(moved):
                return self._element(c_ast.BinaryOp("+", self._place(coord), self.changed(far), coord))
            case c_ast.UnaryOp(op=op, expr=moved) if alone and op in STEPS and self._is_it(moved):
                return c_ast.UnaryOp(op, self._place(coord), coord)
            case c_ast.Assignment(op=op, lvalue=moved, rvalue=far) if alone and op in ADDS and self._is_it(moved):
                return c_ast.Assignment(op, self._place(coord), self.changed(far), coord)
            case c_ast.Assignment(
                op="=", lvalue=moved, rvalue=c_ast.BinaryOp(op="+" | "-" as op, left=same, right=far)
            ) if alone and self._is_it(moved) and self._is_it(same):
                return c_ast.Assignment(f"{op}=", self._place(coord), self.changed(far), coord)
            case c_ast.Assignment(op="=", lvalue=moved, rvalue=place) if alone and self._begins_anew(moved, place):
                far = c_ast.BinaryOp("-", place, self._first(coord), coord)  # an offset: `compare_offsets`
                return c_ast.Assignment("=", self._place(coord), far, coord)
            case c_ast.BinaryOp(op=op, left=left, right=right) if op in (*COMPARES, "-"):
                node.left, node.right = self._address(left), self._address(right)
                return node
            case c_ast.Decl(type=c_ast.PtrDecl(), init=c_ast.Node() as place):
                node.init = self._address(place)
                return node
            case c_ast.FuncCall(args=c_ast.ExprList(exprs=given)):
                node.args.exprs = [self._address(part) for part in given]
                return node
        for part, child in node.children():
            is_item = isinstance(node, c_ast.Compound | c_ast.Case | c_ast.Default) or part in STATEMENTS
            is_listed = alone and isinstance(node, c_ast.ExprList)
            put(node, part, self.changed(child, alone=is_item or is_listed))
        return node

    def _is_it(self, node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.ID) and bool(node.name == self.name)

    def _place(self, coord: object) -> c_ast.ID:
        return c_ast.ID(self.at, coord)

    def _first(self, coord: object) -> c_ast.ID:
        """The place that the pointer begins with, which its name stands for from here on."""
        self.bases.append(c_ast.ID(self.name, coord))
        return self.bases[-1]

    def _element(self, place: c_ast.Node) -> c_ast.ArrayRef:
        return c_ast.ArrayRef(self._first(place.coord), place, place.coord)

    def _address(self, node: c_ast.Node) -> c_ast.Node:
        """A text that may be an address, which the pointer may be the begin of."""
        if not self._is_it(_first(node)):
            return self.changed(node)
        return c_ast.UnaryOp("&", self._element(self._from_place(node)), node.coord)

    def _begins_anew(self, moved: c_ast.Node, place: c_ast.Node) -> bool:
        """Whether the pointer is set to another place in the array that it begins in."""
        return self._is_it(moved) and self.array != self.name and _array_of(place) == self.array is not None

    def _from_place(self, address: c_ast.Node) -> c_ast.Node:
        """The sum that begins with the pointer, with its place instead."""
        if isinstance(address, c_ast.BinaryOp):
            left = self._from_place(address.left)
            return c_ast.BinaryOp(address.op, left, self.changed(address.right), address.coord)
        return self._place(address.coord)


def _first(address: c_ast.Node) -> c_ast.Node:
    """What a sum or difference begins with."""
    while isinstance(address, c_ast.BinaryOp) and address.op in ("+", "-"):
        address = address.left
    return address


def _array_of(address: c_ast.Node | None) -> str | None:
    """The array or row that a text seems to name a place in, whatever that is."""
    while isinstance(address, c_ast.BinaryOp | c_ast.UnaryOp | c_ast.ArrayRef):
        match address:
            case c_ast.BinaryOp(op="+" | "-"):
                address = address.left
            case c_ast.UnaryOp(op="&" | "*"):
                address = address.expr
            case c_ast.ArrayRef():
                address = address.name
            case _:
                return None
    return str(address.name) if isinstance(address, c_ast.ID) else None


#: Parts of a node that are statements, of which nobody takes the value.
STATEMENTS = ("stmt", "iftrue", "iffalse", "next")


def is_one_element(
    name: str, function: c_ast.FuncDef, functions: Sequence[c_ast.FuncDef], around: tuple[str, ...] = ()
) -> bool:
    """Whether a function, and those that it gives a pointer to, name no other element than the one at its place."""

    def is_it(node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.ID) and bool(node.name == name)

    named, found = 0, 0
    for node in walk(function.body):
        named += is_it(node)
        match node:
            case c_ast.UnaryOp(op="*", expr=place) | c_ast.ArrayRef(name=place, subscript=c_ast.Constant(value="0")):
                found += is_it(place)
            case c_ast.FuncCall(name=c_ast.ID(name=called), args=c_ast.ExprList(exprs=given)) if called not in around:
                inner = next((f for f in functions if f.decl.name == called), None)
                own = inner.decl.type.args.params if inner is not None and inner.decl.type.args else []
                taken = [p.name for p, e in zip(own, given, strict=False) if is_it(e) and isinstance(p, c_ast.Decl)]
                found += sum(is_one_element(p, inner, functions, (*around, called)) for p in taken if inner is not None)
    return named == found
