"""Jumps to the end of a body as `if` and `else` on the syntax tree; knows no types and no loops' bounds.

{ A; if (c) continue; B; }   becomes   { A; if (c) { } else { B; } }
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import reduce

from pycparser import c_ast

from sisyphus.frontend.c.parse import walk

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
MOST_COPIES = 64

#: What stands in the place of a jump.
Leave = Callable[[c_ast.Node], list[c_ast.Node]]


class TooTangled(Exception):  # noqa: N818 - travels inside the front end only
    """What follows a jump would have to be written out too often, or would see other names."""


class Leaving(c_ast.Node):  # type: ignore[misc,unused-ignore]
    """A jump to the end of some statements, whatever loops of theirs it is in."""

    __slots__ = ("coord",)

    def __init__(self, coord: object) -> None:
        self.coord = coord

    def children(self) -> list[tuple[str, c_ast.Node]]:
        return []

    def __iter__(self) -> Iterator[c_ast.Node]:
        return iter(())


def jumps(node: c_ast.Node | None, kind: type[c_ast.Node]) -> bool:
    """Whether a jump of this kind leaves the body that the node is part of."""
    own = {c_ast.Return: (), Leaving: (), c_ast.Break: (*LOOPS, c_ast.Switch)}.get(kind, LOOPS)
    if node is None or isinstance(node, own):
        return False
    return isinstance(node, kind) or any(jumps(child, kind) for _, child in node.children())


def structured(items: Sequence[c_ast.Node], kind: type[c_ast.Node], leave: Leave) -> list[c_ast.Node]:
    """The statements of a body with what follows a jump under the condition that it is reached."""
    return _Structure(kind, leave).items(items)


def leaves_loops(items: Sequence[c_ast.Node], kind: type[c_ast.Node] = c_ast.Return) -> bool:
    """Whether one of the statements has such a jump inside of a loop."""
    return any(isinstance(n, LOOPS) and jumps(n, kind) for item in items for n in walk(item))


def out_of_loops(
    items: Sequence[c_ast.Node], leave: Leave, flag: str, kind: type[c_ast.Node] = c_ast.Return
) -> list[c_ast.Node]:
    """The statements with a jump inside of loops as a `break` out of each of them, and behind the outermost one.

    for (...) { if (c) return e; }   becomes   for (...) { if (c) { r = e; flag = 1; break; } } if (flag) return;

    `leave` says what else stands in the place of the jump, as `r = e` here; `flag` is a variable that is 0 before.
    """
    return _OutOfLoops(kind, leave, flag).all(items, is_inside=False)


class _OutOfLoops:
    def __init__(self, kind: type[c_ast.Node], leave: Leave, flag: str) -> None:
        self.kind, self.leave, self.flag = kind, leave, flag

    def all(self, items: Sequence[c_ast.Node], *, is_inside: bool) -> list[c_ast.Node]:
        return [part for item in items for part in self._one(item, is_inside)]

    def _one(self, node: c_ast.Node, is_inside: bool) -> list[c_ast.Node]:
        if not jumps(node, self.kind):
            return [node]
        coord = node.coord
        match node:
            case self.kind() if is_inside:
                mark = c_ast.Assignment("=", c_ast.ID(self.flag, coord), c_ast.Constant("int", "1", coord), coord)
                return [c_ast.Compound([*self.leave(node), mark, c_ast.Break(coord)], coord)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                loop = copy(node)
                loop.stmt = self._body(node.stmt, is_inside=True)
                return [loop, c_ast.If(c_ast.ID(self.flag, coord), self._again(coord, is_inside), None, coord)]
            case c_ast.If():
                branches = (b and self._body(b, is_inside=is_inside) for b in (node.iftrue, node.iffalse))
                return [c_ast.If(node.cond, *branches, coord)]
            case c_ast.Compound():
                return [self._body(node, is_inside=is_inside)]
            case c_ast.Switch() if (choices := as_choices(node)) is not None:
                return self._one(choices, is_inside)
        return [node]

    def _again(self, coord: object, is_inside: bool) -> c_ast.Node:
        """The jump behind a loop that was left."""
        if is_inside:
            return c_ast.Break(coord)
        return c_ast.Return(None, coord) if self.kind is c_ast.Return else self.kind(coord)

    def _body(self, part: c_ast.Node, *, is_inside: bool) -> c_ast.Compound:
        inner = (part.block_items or []) if isinstance(part, c_ast.Compound) else [part]
        return c_ast.Compound(self.all(inner, is_inside=is_inside), part.coord)


def as_choices(node: c_ast.Switch) -> c_ast.Node | None:
    """A `switch` as a chain of `if` and `else`, each with all that its case runs into; None where that is too much.

    switch (x) { case 0: A; case 1: B; if (c) break; C; }   becomes
    if (x == 0) { A; B; if (c) { } else { C; } } else if (x == 1) { B; if (c) { } else { C; } }
    """
    items = list(node.stmt.block_items or []) if isinstance(node.stmt, c_ast.Compound) else []
    labels = (c_ast.Case, c_ast.Default)
    if not all(isinstance(item, labels) for item in items) or any(_is_entered(item) for item in items):
        return None
    chosen = list[tuple[c_ast.Node, c_ast.Node]]()
    waiting, otherwise = list[c_ast.Node](), c_ast.EmptyStatement(node.coord)
    copies, has_default = 0, False
    for at, item in enumerate(items):
        if isinstance(item, c_ast.Case):
            waiting.append(c_ast.BinaryOp("==", node.cond, item.expr, item.coord))
        else:
            has_default = True
        if not item.stmts and at + 1 < len(items):
            continue
        inside, copied = _run_into(items[at:])
        copies += copied
        if copies > MOST_COPIES:
            return None
        try:
            body = c_ast.Compound(structured(inside, c_ast.Break, lambda _: []), item.coord)
        except TooTangled:
            return None
        if has_default:
            otherwise, has_default = body, False
        else:
            chosen.append((reduce(lambda a, b: c_ast.BinaryOp("||", a, b, a.coord), waiting), body))
        waiting = []
    for test, body in reversed(chosen):
        otherwise = c_ast.If(test, body, otherwise, body.coord)
    return otherwise


def _run_into(cases: Sequence[c_ast.Node]) -> tuple[list[c_ast.Node], int]:
    """What runs from the first of the cases on, up to where one surely ends, and how many others that goes through."""
    found = list[c_ast.Node]()
    for at, case in enumerate(cases):
        inside = case.stmts or []
        found += inside
        if inside and isinstance(inside[-1], c_ast.Break | c_ast.Return | c_ast.Continue):
            return found, at
    return found, len(cases) - 1


def _is_entered(case: c_ast.Node) -> bool:
    """Whether statements inside of a case have labels of the same `switch`."""

    def has_label(node: c_ast.Node) -> bool:
        if isinstance(node, c_ast.Switch):
            return False
        return isinstance(node, c_ast.Case | c_ast.Default) or any(has_label(child) for _, child in node.children())

    return any(has_label(part) for part in case.stmts or [])


class _Structure:
    def __init__(self, kind: type[c_ast.Node], leave: Leave) -> None:
        self.kind, self.leave, self.copies = kind, leave, 0

    def items(self, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        found = list[c_ast.Node]()
        for at, item in enumerate(items):
            rest = list(items[at + 1 :])
            if isinstance(item, c_ast.Switch) and jumps(item, self.kind):
                item = as_choices(item) or item
            if isinstance(item, self.kind):
                return [*found, *self.leave(item)]
            if not jumps(item, self.kind) or isinstance(item, LOOPS):
                found.append(item)
            elif isinstance(item, c_ast.If):
                return [*found, self._choice(item, rest)]
            elif isinstance(item, c_ast.Compound):
                return [*found, self._joined(item, rest)]
            else:
                found.append(item)
        return found

    def _choice(self, node: c_ast.If, rest: list[c_ast.Node]) -> c_ast.If:
        """Both branches with what follows behind them."""
        yes, no = (self._joined(branch, rest) for branch in (node.iftrue, node.iffalse))
        return c_ast.If(node.cond, yes, no, node.coord)

    def _joined(self, branch: c_ast.Node | None, rest: list[c_ast.Node]) -> c_ast.Compound:
        self.copies += 1
        if self.copies > MOST_COPIES:
            raise TooTangled
        first = [] if branch is None else branch.block_items or [] if isinstance(branch, c_ast.Compound) else [branch]
        declared = {n.name for n in first if isinstance(n, c_ast.Decl)}
        if rest and any(isinstance(n, c_ast.ID) and n.name in declared for part in rest for n in walk(part)):
            raise TooTangled
        behind = [c_ast.Compound(rest)] if declared and rest else rest
        return c_ast.Compound(self.items([*first, *behind]), None if branch is None else branch.coord)
