"""Loops with more iterators in their header than one, on the syntax tree; knows no types.

for (int i = 0, j = n - 1; i < n; i++, j--) a[i] = b[j];   becomes
for (int i = 0; i < n; i++) { const int j.0 = n - 1 - (i - 0); a[i] = b[j.0]; }

Only of iterators that nobody sees behind the loop. A number that the header moves otherwise, or that begins with data,
is set before the loop and moved at the end of its body, where no `continue` passes that.
"""

from __future__ import annotations

from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.jumps import jumps
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import (
    changed_in,
    in_blocks,
    is_pure,
    names_in,
    set_by,
    setting,
    step_of,
    with_name,
    with_value,
)


def one_iterator_each(tree: Tree) -> None:
    """Changes the loops of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef):
            for loop in [n for n in walk(function.body) if isinstance(n, c_ast.For)]:
                _with_one_counter(loop, function)
            if any(_beside(n) for n in walk(function.body)):
                in_blocks(function.body)
                for block in [n for n in walk(function.body) if isinstance(n, c_ast.Compound)]:
                    block.block_items = [_alone(item) for item in block.block_items]


def _beside(node: c_ast.Node) -> list[c_ast.Decl]:
    """Declarations in a header of numbers that its condition does not name, where these may stand before the loop."""
    if not isinstance(node, c_ast.For) or not isinstance(node.init, c_ast.DeclList) or node.cond is None:
        return []
    asked = names_in(node.cond)
    others = [d for d in node.init.decls if d.name not in asked]
    main = {d.name for d in node.init.decls} - {d.name for d in others}
    reads = {name for d in others for name in names_in(d.init)}
    is_passed = jumps(node.stmt, c_ast.Continue)
    return others if len(main) == 1 and others and not reads & main and not is_passed else []


def _alone(node: c_ast.Node) -> c_ast.Node:
    """A loop whose header has one iterator left, in a block with what it set beside that."""
    others = _beside(node)
    if not others:
        return node
    names, steps = {d.name for d in others}, node.next.exprs if isinstance(node.next, c_ast.ExprList) else [node.next]
    moves = [step for step in steps if step is not None and changed_in(step) & names]
    rest = [step for step in steps if step not in moves]
    if len(rest) != 1:
        return node
    behind = steps[steps.index(rest[0]) + 1 :]
    if any(names_in(step) & changed_in(rest[0]) or names_in(rest[0]) & changed_in(step) for step in behind):
        return node
    node.init.decls = [d for d in node.init.decls if d not in others]
    node.next = rest[0]
    node.stmt.block_items = [c_ast.Compound(node.stmt.block_items, node.stmt.coord), *moves]
    return c_ast.Compound([*others, node], node.coord)


def _with_one_counter(loop: c_ast.For, function: c_ast.FuncDef) -> None:
    """The loop with the iterator that its condition names alone, others as values of it; as it is where that fails."""
    starts, steps = _starts(loop.init), _steps(loop.next)
    main = [name for name in starts if loop.cond is not None and name in names_in(loop.cond)][:1]
    others = [name for name in starts if name not in main]
    if len(main) != 1 or not others or set(steps) != set(starts) or abs(steps[main[0]]) != 1:
        return  # nearly every loop, so that it is asked before the whole function is walked
    kinds = {n.name: n for n in walk(function.body) if isinstance(n, c_ast.Decl) and n.name}
    if not set(starts) <= set(kinds) or (names_in(loop.init) | set(starts)) & changed_in(loop.stmt):
        return
    own = {d.name for d in loop.init.decls} if isinstance(loop.init, c_ast.DeclList) else set[str]()
    if any(name not in own and _is_seen(name, loop, function) for name in others):
        return
    body, at = [loop.stmt], loop.init.coord
    for name in reversed(others):
        count = c_ast.BinaryOp("-", c_ast.ID(main[0], at), deepcopy(starts[main[0]]), at)
        moved = c_ast.BinaryOp("*", c_ast.Constant("int", str(abs(steps[name])), at), count, at)
        sign = "+" if (steps[name] > 0) == (steps[main[0]] > 0) else "-"
        value = c_ast.BinaryOp(sign, deepcopy(starts[name]), moved, at)
        loop.cond = with_value(loop.cond, name, value)
        body = with_name(body, name, f"{name}.0", value, kinds[name])
    if isinstance(loop.init, c_ast.DeclList):
        loop.init.decls = [d for d in loop.init.decls if d.name == main[0]]
    else:
        loop.init = c_ast.Assignment("=", c_ast.ID(main[0], at), starts[main[0]], at)
    op = "p++" if steps[main[0]] > 0 else "p--"
    loop.next = c_ast.UnaryOp(op, c_ast.ID(main[0], loop.next.coord), loop.next.coord)
    loop.stmt = c_ast.Compound(body, loop.stmt.coord)


def _starts(init: c_ast.Node | None) -> dict[str, c_ast.Node]:
    """What several iterators are set to, none of which needs another one; nothing of any other header."""
    found = dict[str, c_ast.Node]()
    for part in init.exprs if isinstance(init, c_ast.ExprList) else getattr(init, "decls", None) or []:
        start = setting(part)
        if start is None:
            return {}
        found[start[0]] = start[1]
    is_apart = all(not names_in(value) & found.keys() for value in found.values())
    return found if len(found) > 1 and is_apart and all(map(is_pure, found.values())) else {}


def _steps(change: c_ast.Node | None) -> dict[str, int]:
    """By how much each iterator moves at the end; nothing where one moves twice, or otherwise."""
    found = dict[str, int]()
    for part in change.exprs if isinstance(change, c_ast.ExprList) else []:
        match step_of(part):
            case (name, sign, c_ast.Constant(type="int", value=amount)) if name not in found and _is_decimal(amount):
                found[name] = int(amount) if sign == "+" else -int(amount)
            case _:
                return {}
    return found


def _is_decimal(text: str) -> bool:
    return text.isdecimal() and (text == "0" or text[0] != "0")


def _is_seen(name: str, loop: c_ast.For, function: c_ast.FuncDef) -> bool:
    """Whether anything but this loop, and loops that set it anew, names a variable."""
    inside = [n for n in walk(function.body) if isinstance(n, c_ast.For) and (n is loop or _sets(n, name))]
    named = {id(n) for part in inside for n in walk(part)}
    return any(isinstance(n, c_ast.ID) and n.name == name and id(n) not in named for n in walk(function.body))


def _sets(loop: c_ast.For, name: str) -> bool:
    return name in _starts(loop.init) or set_by(loop.init, name) is not None
