"""Loops that count down in their condition, as those that do so at their end, on the syntax tree; knows no types.

for (size_t i = n; i-- > 0;) a[i] = 0;   becomes
for (size_t i = n; i > 0; i--) { const size_t i.0 = i - 1; a[i.0] = 0; }

so that no unsigned iterator falls below zero; only of iterators that the loop declares, as others are seen behind it.
"""

from __future__ import annotations

from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.file import assigned_names
from sisyphus.frontend.c.parse import Tree, walk


def name_countdowns(tree: Tree) -> None:
    """Changes the loops of a file."""
    for loop in [n for n in walk(tree.root) if isinstance(n, c_ast.For)]:
        match loop:
            case c_ast.For(
                init=c_ast.DeclList(decls=[c_ast.Decl(name=name, type=c_ast.TypeDecl()) as iterator]),
                cond=c_ast.BinaryOp(op=">" | "!=", left=c_ast.UnaryOp(op="p--", expr=c_ast.ID(name=counted))),
                next=None,
            ) if name == counted and name not in _changed(loop.stmt) and name not in _names(loop.cond.right):
                _renamed(loop, iterator)


def _renamed(loop: c_ast.For, iterator: c_ast.Decl) -> None:
    name, inside, coord = iterator.name, f"{iterator.name}.0", loop.cond.coord
    for part in walk(loop.stmt):
        if isinstance(part, c_ast.ID) and part.name == name:
            part.name = inside
    kind = deepcopy(iterator.type)
    kind.declname = inside
    value = c_ast.BinaryOp("-", c_ast.ID(name, coord), c_ast.Constant("int", "1", coord), coord)
    inner = c_ast.Decl(inside, ["const"], [], [], [], kind, value, None, iterator.coord)
    loop.cond.left, loop.next = c_ast.ID(name, coord), c_ast.UnaryOp("p--", c_ast.ID(name, coord), coord)
    loop.stmt = c_ast.Compound([inner, loop.stmt], loop.stmt.coord)


def _changed(node: c_ast.Node) -> set[str]:
    """Names that are written below a node, or mean something else there."""
    return assigned_names(node) | {n.name for n in walk(node) if isinstance(n, c_ast.Decl) and n.name}


def _names(node: c_ast.Node) -> set[str]:
    return {n.name for n in walk(node) if isinstance(n, c_ast.ID)}
