"""Indices that are corrected step by step get a name for every step, on the syntax tree; knows no types and no loops.

int y = i + u; if (y < 0) y = 0; b += a[y];   becomes   int y = i + u; int y.1 = y < 0 ? 0 : y; b += a[y.1];

so that each name stands for one value. Only integers that subscripts or bounds name, or that went round, and that
nothing but such steps beside their declaration changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.declarations import shaping_parts
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import TURNED

REAL = {"float", "double", "_Complex"}


def name_steps(tree: Tree) -> None:
    """Changes the functions of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef):
            parts = shaping_parts(function.body, conditions=False)
            shaping = {n.name for part in parts for n in walk(part) if isinstance(n, c_ast.ID)}
            for block in [n for n in walk(function.body) if isinstance(n, c_ast.Compound)]:
                for at, item in enumerate(block.block_items or []):
                    is_asked = isinstance(item, c_ast.Decl) and (item.name in shaping or _went_round(item.name))
                    if is_asked and is_whole(item):
                        _renamed(block.block_items, at)


def _went_round(name: str | None) -> bool:
    """Whether it is the name of a counter that turned, for which conditions ask, too."""
    return name is not None and name.endswith(TURNED)


def is_whole(node: c_ast.Decl) -> bool:
    """Whether a declaration is of a plain local number that is no floating-point one."""
    kind = node.type
    if not isinstance(kind, c_ast.TypeDecl) or not isinstance(kind.type, c_ast.IdentifierType) or node.storage:
        return False
    return not REAL & set(kind.type.names)


def _renamed(items: list[c_ast.Node], at: int) -> None:
    """The items behind a declaration, each step a declaration of its own where every change is such a step."""
    declared, name = items[at], items[at].name
    values = [value_after(item, name) for item in items[at + 1 :]]
    changed = sum(_changes(item, name) for item in items[at + 1 :])
    if not any(values) or changed != sum(_changes(i, name) for i, v in zip(items[at + 1 :], values, strict=True) if v):
        return
    last = name
    for place, value in enumerate(values, at + 1):
        if value is None:
            _rename(items[place], name, last)
            continue
        _rename(value, name, last)
        kind = deepcopy(declared.type)
        last = kind.declname = f"{name}.{place - at}"
        items[place] = c_ast.Decl(last, [], [], [], [], kind, value, None, items[place].coord)


def value_after(node: c_ast.Node, name: str) -> c_ast.Node | None:
    """What a name is after a statement that does nothing but change it; None for any other statement."""
    own = c_ast.ID(name, node.coord)
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID(name=changed), op=op, rvalue=value) if changed == name:
            found = value if op == "=" else c_ast.BinaryOp(op[:-1], own, value, node.coord)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=changed)) if changed == name:
            found = c_ast.BinaryOp(node.op[-1], own, c_ast.Constant("int", "1", node.coord), node.coord)
        case c_ast.Compound(block_items=[only]):
            return value_after(only, name)
        case c_ast.If():
            yes = value_after(node.iftrue, name)
            no = own if node.iffalse is None else value_after(node.iffalse, name)
            found = c_ast.TernaryOp(node.cond, yes, no, node.coord) if yes is not None and no is not None else None
        case _:
            return None
    return deepcopy(found)


def _changes(node: c_ast.Node, name: str) -> int:
    """How often a statement may change a name, takes its address or gives it another meaning."""
    found: Sequence[c_ast.Node] = [
        part.lvalue if isinstance(part, c_ast.Assignment) else part.expr if isinstance(part, c_ast.UnaryOp) else part
        for part in walk(node)
        if isinstance(part, c_ast.Assignment | c_ast.Decl)
        or (isinstance(part, c_ast.UnaryOp) and part.op in ("++", "--", "p++", "p--", "&"))
    ]
    return sum(isinstance(part, c_ast.ID | c_ast.Decl) and part.name == name for part in found)


def _rename(node: c_ast.Node, name: str, new: str) -> None:
    for part in walk(node):
        if isinstance(part, c_ast.ID) and part.name == name:
            part.name = new
