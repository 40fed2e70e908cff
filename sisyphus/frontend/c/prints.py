"""Calls that only print, which hardware leaves out: for a look at values while the source runs on a processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pycparser import c_ast

from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import STEPS, blocks_in, in_blocks
from sisyphus.ir.prints import PRINTS


def leave_out_prints(tree: Tree) -> dict[str, list[str]]:
    """Changes the functions of a file; what is left out, by the function. A call that changes something stays."""
    own = {n.decl.name for n in tree.root.ext if isinstance(n, c_ast.FuncDef)}
    found = dict[str, list[str]]()
    for function in (n for n in tree.root.ext if isinstance(n, c_ast.FuncDef) and n.decl.name != "main"):
        if any(_prints(n, own) for n in walk(function.body)):
            in_blocks(function.body)
            _leave_out(function.body.block_items, own, found.setdefault(function.decl.name, []))
    return found


def left_out(found: Mapping[str, Sequence[str]], kernel: c_ast.FuncDef, functions: Sequence[c_ast.FuncDef]) -> set[str]:
    """What is left out of a kernel and of the functions that it calls."""
    reached, waiting = {kernel.decl.name}, [kernel]
    while waiting:
        called = {n.name for n in walk(waiting.pop().body) if isinstance(n, c_ast.ID)}
        new = [f for f in functions if f.decl.name in called - reached]
        reached |= {f.decl.name for f in new}
        waiting += new
    return {name for function in reached for name in found.get(function, ())}


def _leave_out(items: list[c_ast.Node], own: set[str], found: list[str]) -> None:
    kept = list[c_ast.Node]()
    for item in items:
        for inner, _ in blocks_in(item):
            _leave_out(inner, own, found)
        if _prints(item, own):
            found.append((item.expr if isinstance(item, c_ast.Cast) else item).name.name)
        else:
            kept.append(item)
    items[:] = kept


def _prints(node: c_ast.Node, own: set[str]) -> bool:
    match node:
        case c_ast.Cast(expr=c_ast.FuncCall() as call):
            return _prints(call, own)
        case c_ast.FuncCall(name=c_ast.ID(name=name), args=args) if name in PRINTS - own:
            return not any(_changes(n) for n in walk(args))
    return False


def _changes(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.UnaryOp):
        return node.op in STEPS
    return isinstance(node, c_ast.Assignment | c_ast.FuncCall)
