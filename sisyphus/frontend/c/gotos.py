"""Jumps ahead to a label behind them as loops that are left early and `if`, on the syntax tree; knows no types.

{ for (...) { if (c) goto out; A; } B; out: C; }   becomes
{ int left = 0; for (...) { if (c) { left = 1; break; } A; } if (left) { } else { B; } C; }
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.jumps import Leaving, TooTangled, jumps, leaves_loops, out_of_loops, structured
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import blocks_in, in_blocks
from sisyphus.frontend.c.returns import put


def write_out_jumps(tree: Tree) -> None:
    """Changes the functions of a file; a jump back, or into a block, stays as it is."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef) and any(isinstance(n, c_ast.Goto) for n in walk(function.body)):
            in_blocks(function.body)
            _Jumps(tree, function).block(function.body.block_items)


def _targets(node: c_ast.Node) -> Counter[str]:
    """How many jumps below a node go to each label."""
    return Counter(n.name for n in walk(node) if isinstance(n, c_ast.Goto))


class _Jumps:
    def __init__(self, tree: Tree, function: c_ast.FuncDef) -> None:
        self.everywhere = _targets(function.body)
        self.taken = {str(n.name) for n in walk(tree.root) if isinstance(n, c_ast.ID | c_ast.Decl)}

    def block(self, items: list[c_ast.Node]) -> None:
        """The labels of a block, after those of the blocks in it."""
        for item in items:
            for inner, _ in blocks_in(item):
                self.block(inner)
        at = 0
        while at < len(items):
            label = items[at]
            if isinstance(label, c_ast.Label) and self.everywhere[label.name]:
                before = c_ast.Compound(items[:at], label.coord)
                is_ahead = _targets(before)[label.name] == self.everywhere[label.name]
                without = self._without(before, label.name) if is_ahead else None
                if without is not None:
                    items[: at + 1] = [*without, label.stmt]
                    at = len(without)
            at += 1

    def _without(self, before: c_ast.Compound, label: str) -> list[c_ast.Node] | None:
        """What stands before a label without jumps to it; None where it would have to be written too often."""
        marked = deepcopy(before)
        _mark(marked, label)
        items, first = marked.block_items, list[c_ast.Node]()
        if leaves_loops(items, Leaving):
            flag = self._name(f"{label}_next")
            kind = c_ast.TypeDecl(flag, [], None, c_ast.IdentifierType(["int"], before.coord), before.coord)
            zero = c_ast.Constant("int", "0", before.coord)
            first = [c_ast.Decl(flag, [], [], [], [], kind, zero, None, before.coord)]
            items = out_of_loops(items, lambda _: [], flag, Leaving)
        try:
            found = structured(items, Leaving, lambda _: [])
        except TooTangled:
            return None
        return None if any(jumps(item, Leaving) for item in found) else [*first, *found]

    def _name(self, wanted: str) -> str:
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


def _mark(node: c_ast.Node, label: str) -> None:
    for name, child in node.children():
        if isinstance(child, c_ast.Goto) and child.name == label:
            put(node, name, Leaving(child.coord))
        else:
            _mark(child, label)
