"""Pointers that one sets in headers of loops, or compares, on the syntax tree; knows no types and no values.

float *p; for (p = a; p < a + n; p++) *p = 0;   becomes   { float *p = a; for (; p < a + n; p++) *p = 0; }

and, once it has an index (`pointers.py`), `&p[p.at] < a + n` becomes `p.at < n`: of two places in one array the
offsets are compared, or subtracted. All others stay as they are, and are refused where they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from itertools import pairwise

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.places import COMPARES, blocks_in, changes_in, is_pure, names_in, renamed, set_by
from sisyphus.frontend.c.returns import put
from sisyphus.values import dataclass

Block = list[c_ast.Node]


# -- where pointers are set ------------------------------------------------------------------------------------------


def declare_where_set(body: c_ast.Compound) -> None:
    """Declares pointers with the place that they begin with; every body is a block."""
    for block in [n for n in walk(body) if isinstance(n, c_ast.Compound)]:
        for declared in [n for n in block.block_items if _is_open(n)]:
            _declare(block.block_items, declared, declared.name)
        block.block_items = [_headless(item) for item in block.block_items]


def _is_open(node: c_ast.Node) -> bool:
    """Whether it declares a pointer that it does not set."""
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.PtrDecl) and not node.storage and not node.init


def _declare(items: Block, declared: c_ast.Decl, name: str) -> None:
    """Declares a pointer where statements of its block set it, or in each loop that names it."""
    own = next(at for at, item in enumerate(items) if item is declared)
    users = [at for at, item in enumerate(items) if at != own and name in names_in(item)]
    if not users:
        return
    starts = [at for at in users if _is_set(items[at], name)]
    is_hidden = any(isinstance(n, c_ast.Decl) and n.name == name for at in users for n in walk(items[at]))
    if users[0] in starts and not is_hidden:
        items[own] = c_ast.EmptyStatement(declared.coord)
        for number, (at, end) in reversed(list(enumerate(pairwise([*starts, len(items)])))):
            items[at:end] = _stretch(items[at:end], declared, f"{name}.{number}" if number else name)
        return
    loops = [n for at in users for n in walk(items[at]) if isinstance(n, c_ast.For) and _is_set(n, name)]
    inside, nested = ({id(n) for part in parts for n in walk(part)} for parts in (loops, [loop.stmt for loop in loops]))
    named = [n for at in users for n in walk(items[at]) if isinstance(n, c_ast.ID) and n.name == name]
    if all(id(n) in inside for n in named) and not any(id(loop) in nested for loop in loops):
        items[own] = c_ast.EmptyStatement(declared.coord)
        for loop in loops:
            values = [(part, set_by(part, name)) for part in _begin(loop)]
            parts = [part if value is None else _with_place(declared, value) for part, value in values]
            loop.init = c_ast.DeclList(parts, loop.coord)  # and other parts, which `_headless` takes out


def _stretch(items: Block, declared: c_ast.Decl, new: str) -> Block:
    """Statements of which the first sets a pointer, up to where it is set anew, with one of its own."""
    first, rest = items[0], items[1:]
    value = next(value for part in _begin(first) if (value := set_by(part, declared.name)) is not None)
    if isinstance(first, c_ast.For):
        others = [part for part in _begin(first) if set_by(part, declared.name) is None]
        first.init = _together(others)
        rest = items
    own = _with_place(declared, value)
    for item in rest:
        renamed(item, declared.name, new)
    own.name = new
    return [own, *rest]


def _together(parts: Block) -> c_ast.Node | None:
    """Expressions as one, or as none."""
    return c_ast.ExprList(parts, parts[0].coord) if len(parts) > 1 else parts[0] if parts else None


def _begin(node: c_ast.Node) -> Block:
    """The parts of a header that run before its loop; any other statement itself."""
    if not isinstance(node, c_ast.For):
        return [node]
    return list(getattr(node.init, "exprs", None) or getattr(node.init, "decls", None) or [node.init])


def _is_set(node: c_ast.Node, name: str) -> bool:
    values = [set_by(part, name) for part in _begin(node)]
    return any(value is not None and name not in names_in(value) for value in values)


def _with_place(declared: c_ast.Decl, value: c_ast.Node) -> c_ast.Decl:
    found = deepcopy(declared)
    found.init, found.coord = value, value.coord
    return found


def _headless(node: c_ast.Node) -> c_ast.Node:
    """A loop whose header declares pointers behind their declarations, in a block of its own."""
    if isinstance(node, c_ast.Label):
        node.stmt = _headless(node.stmt)
    parts = (node.init.decls if isinstance(node.init, c_ast.DeclList) else []) if isinstance(node, c_ast.For) else []
    places = [n for n in parts if isinstance(n, c_ast.Decl) and isinstance(n.type, c_ast.PtrDecl)]
    if not places:
        return node
    rest = [n for n in parts if n not in places]
    if rest and all(isinstance(n, c_ast.Decl) for n in rest):
        node.init = c_ast.DeclList(rest, node.coord)
    else:
        node.init = _together(rest)
    return c_ast.Compound([*places, node], node.coord)


# -- offsets in place of addresses -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Start:
    """What a pointer is declared with, and the statements in which it has its name."""

    name: str
    place: c_ast.Node
    users: Block

    def is_kept(self) -> bool:
        """Whether nothing there changes the pointer, or a name that its place is told with."""
        names = {self.name, *names_in(self.place)}
        return not any(changes_in(item, name) for item in self.users for name in names)


@dataclass(frozen=True, eq=False)
class Offset:
    """A place in an array: the text of the array or row, how far it is from there, and whether it is surely a place."""

    base: str
    far: c_ast.Node | None
    is_address: bool

    def moved(self, op: str, by: c_ast.Node, *, is_address: bool) -> Offset:
        far = by if self.far is None and op == "+" else c_ast.BinaryOp(op, self.far or _zero(by), by, by.coord)
        return Offset(self.base, far, self.is_address or is_address)


def _zero(node: c_ast.Node) -> c_ast.Constant:
    return c_ast.Constant("int", "0", node.coord)


def compare_offsets(body: c_ast.Compound) -> None:
    """Compares and subtracts offsets where all pointers that move have an index; every body is a block."""
    _in_block(body.block_items, {})


def _in_block(items: Block, outer: Mapping[str, Start]) -> None:
    starts = dict(outer)
    for at, item in enumerate(items):
        for inner, _ in blocks_in(item):
            _in_block(inner, starts)
        items[at] = _with_offsets(item, starts)
        if isinstance(item, c_ast.Decl) and item.name:
            starts.pop(item.name, None)
            if isinstance(item.type, c_ast.PtrDecl) and item.init is not None:
                starts[item.name] = Start(item.name, item.init, items[at + 1 :])


def _with_offsets(node: c_ast.Node, starts: Mapping[str, Start]) -> c_ast.Node:
    if isinstance(node, c_ast.BinaryOp) and node.op in (*COMPARES, "-"):
        left, right = _offset(node.left, starts), _offset(node.right, starts)
        are_places = left and right and left.base == right.base and (left.is_address or right.is_address)
        if left and right and are_places:
            found = c_ast.BinaryOp(node.op, left.far or _zero(node), right.far or _zero(node), node.coord)
            for part in walk(found):
                part.coord = node.coord  # where the offsets are asked for, not where the pointers begin
            return found
    for part, child in node.children():
        if not isinstance(child, c_ast.Compound) and not isinstance(node, c_ast.Case | c_ast.Default):
            put(node, part, _with_offsets(child, starts))
    return node


def _offset(node: c_ast.Node, starts: Mapping[str, Start]) -> Offset | None:
    """The place that an address names; None of what may be none."""
    match node:
        case c_ast.ID(name=name) if name in starts:
            found = _offset(starts[name].place, starts) if starts[name].is_kept() else None
            return found and Offset(found.base, found.far, is_address=True)
        case c_ast.ID(name=name):
            return Offset(name, None, is_address=False)
        case c_ast.BinaryOp(op="+" | "-" as op, left=address, right=by) if is_pure(by):
            found = _offset(address, starts)
            return found and found.moved(op, deepcopy(by), is_address=False)
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=row, subscript=by)) if is_pure(by):
            found = _offset(row, starts)
            return found and found.moved("+", deepcopy(by), is_address=True)
        case c_ast.ArrayRef(name=row, subscript=by) if is_pure(by):
            found = _offset(row, starts)
            if found is not None and found.far is None:
                return Offset(f"{found.base}[{CGenerator().visit(by)}]", None, found.is_address)
    return None
