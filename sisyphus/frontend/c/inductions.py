"""Whole numbers that a `for` loop moves by one amount in every round as values of its iterator, on the syntax tree.

int k = 0; for (int i = 0; i < n; i++) { b[k] = a[i]; k += 2; c[k] = 0; }   becomes
for (int i = 0; i < n; i++) { const int k.at1 = 0 + 2 * (i - 0); b[k.at1] = a[i]; const int k.at2 = ... + 2; ... }

Only of names that subscripts and bounds ask for. Where a value is read behind the loop, `k += 2 * (n - 0)` follows it,
so that a loop around it moves the name in turn; that the loop does not begin beyond its end must hold then. It knows no
types and no values.
"""

from __future__ import annotations

from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.asides import apart
from sisyphus.frontend.c.declarations import shaping_parts
from sisyphus.frontend.c.jumps import jumps
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import (
    TURNED,
    Place,
    blocks_in,
    changed_in,
    changes_in,
    declaration_of,
    drop_unused,
    forget,
    in_blocks,
    is_pure,
    is_read_behind,
    names_in,
    set_by,
    step_of,
    value_at,
    with_name,
    with_value,
)
from sisyphus.frontend.c.rings import unwind
from sisyphus.frontend.c.whiles import REACHES, Counter, Holds, limit_of, rounds
from sisyphus.values import dataclass

#: Types of few values, in which a number may be meant to begin anew after its largest one.
NARROW = {"char", "short", "int8_t", "uint8_t", "int16_t", "uint16_t"}
#: As many digits has an amount that is no wrap around: 0x9E3779B9 of a checksum has more.
DIGITS_OF_SMALL = 4


@dataclass(frozen=True, eq=False)
class Head:
    """The iterator of a loop, what it begins with, and how it moves."""

    counter: Counter
    start: c_ast.Node
    cond: c_ast.Node


def name_inductions(tree: Tree) -> None:
    """Changes the functions of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef):
            for name in sorted(_counters(function.body)):
                _unwind(function, name)
            _name_in(function)


def _name_in(function: c_ast.FuncDef) -> None:
    shaping = _asked_for(function.body)
    if shaping & _stepped(function.body):
        in_blocks(function.body)
        _Inductions(function, shaping).block(function.body.block_items, None, None)
        drop_unused(function.body, shaping)


def _counters(body: c_ast.Compound) -> set[str]:
    """Names in subscripts and conditions that loops set anew."""
    asked = {n for part in shaping_parts(body) for n in names_in(part)}
    return asked & {name for n in walk(body) if isinstance(n, c_ast.For) for name in changed_in(n.stmt)}


def _unwind(function: c_ast.FuncDef, name: str) -> None:
    """Lets a counter that goes round have a value for each round of loops, where nothing moves it in them then."""
    before = function.body
    function.body = deepcopy(before)
    in_blocks(function.body)
    if not unwind(function.body, name):
        function.body = before
        return
    unwound = deepcopy(function.body)
    _name_in(function)
    loops = [n for n in walk(function.body) if isinstance(n, c_ast.For)]
    is_left = any(
        _grows(n.block_items, name + TURNED) for loop in loops for n in walk(loop) if isinstance(n, c_ast.Compound)
    )
    function.body = before if is_left else unwound


def _grows(items: list[c_ast.Node], name: str) -> bool:
    """Whether statements move a name on from what it was before them."""
    known = False
    for item in items:
        known |= set_by(item, name) is not None
        found = step_of(item)
        if found is not None and found[0] == name and not known:
            return True
    return False


def _asked_for(body: c_ast.Node) -> set[str]:
    """Names that subscripts and bounds have in sums and products, or divide; what large steps move may wrap around.

    Conditions ask for counters that went round.
    """
    few = _moved_little(body)
    waiting, found = list[c_ast.Node | None](), set[str]()
    values = {n.name: n.init for n in walk(body) if isinstance(n, c_ast.Decl) and n.name}
    for node in walk(body):
        if isinstance(node, c_ast.ArrayRef):
            waiting.append(node.subscript)
        elif isinstance(node, c_ast.For):
            waiting += [node.init, node.cond]
        elif isinstance(node, c_ast.If):
            found |= {name for name in names_in(node.cond) if name.endswith(TURNED)}
    while waiting:
        match waiting.pop():
            case c_ast.ID(name=name) if name not in found:
                found.add(name)
                waiting.append(values.get(name))
            case c_ast.BinaryOp(op="+" | "-" | "*" | "<" | "<=" | ">" | ">=" | "!=") as node:
                waiting += [node.left, node.right]
            case c_ast.BinaryOp(op="/" | "%" | ">>" | "&", left=divided) if names_in(divided) & few:
                waiting.append(divided)
            case c_ast.Cast(expr=inner):
                waiting.append(inner)
            case c_ast.UnaryOp(op="+" | "-" | "++" | "--" | "p++" | "p--") as node:
                waiting.append(node.expr)
            case c_ast.DeclList() | c_ast.ExprList() as node:
                waiting += [child for _, child in node.children()]
            case c_ast.Decl(init=value) | c_ast.Assignment(rvalue=value):
                waiting.append(value)
    return found


def _moved_little(body: c_ast.Node) -> set[str]:
    """Names all of whose steps are small constants."""
    steps = [found for n in walk(body) if (found := step_of(n)) is not None]
    large = {n for n, _, by in steps if not isinstance(by, c_ast.Constant) or len(by.value) > DIGITS_OF_SMALL}
    return {name for name, _, _ in steps} - large


def _stepped(body: c_ast.Node) -> set[str]:
    """Names that statements in bodies of `for` loops step, or their headers beside the iterator."""
    loops = [n for n in walk(body) if isinstance(n, c_ast.For)]
    bodies = [n.stmt for n in loops] + [n.next for n in loops if isinstance(n.next, c_ast.ExprList)]
    return {found[0] for b in bodies for n in walk(b) if (found := step_of(n)) is not None}


class _Inductions:
    def __init__(self, function: c_ast.FuncDef, shaping: set[str]) -> None:
        self.function, self.shaping, self.made = function, shaping, 0

    def block(self, items: list[c_ast.Node], loop: c_ast.Node | None, outer: Place | None) -> None:
        """The loops of a block, inner ones first; what sets a name behind a loop is put there."""
        at = 0
        while at < len(items):
            is_plain = isinstance(items[at], c_ast.Assignment | c_ast.Decl)
            parts = apart(deepcopy(items[at])) if is_plain else []
            if any(found[0] in self.shaping for part in parts if (found := step_of(part)) is not None):
                items[at : at + 1] = parts
            place = Place(items, at, loop, outer)
            for inner, own in blocks_in(items[at]):
                self.block(inner, own, place)
            node = items[at].stmt if isinstance(items[at], c_ast.Label) else items[at]
            behind = self._loop(node, place) if isinstance(node, c_ast.For) else []
            items[at + 1 : at + 1] = behind
            at += 1 + len(behind)

    def _loop(self, node: c_ast.For, place: Place) -> list[c_ast.Node]:
        """Names what a loop moves; the statements that must follow it."""
        _step_in_body(node)
        head, behind = _head(node), list[c_ast.Node]()
        if head is None:
            return []
        names = [found[0] for item in node.stmt.block_items if (found := step_of(item)) is not None]
        for name in dict.fromkeys(names):
            if name in self.shaping and changes_in(node.stmt, name) == names.count(name):
                behind += self._moved(node, head, name, place)
        return behind

    def _moved(self, node: c_ast.For, head: Head, name: str, place: Place) -> list[c_ast.Node]:
        """Names what a loop moves by statements on top alone, and gives the statements that must follow the loop."""
        items, coord, declared = node.stmt.block_items, node.coord, declaration_of(name, place, self.function)
        moves = [(at, found) for at, item in enumerate(items) if (found := step_of(item)) and found[0] == name]
        changed = changed_in(node.stmt) | {head.counter.name}
        is_moving = any(names_in(amount) & changed for _, (_, _, amount) in moves)
        is_jumped = any(jumps(item, c_ast.Continue) for item in items[: moves[-1][0]])
        if (
            declared is None
            or NARROW & set(declared.type.type.names)
            or is_moving
            or is_jumped
            or names_in(head.start) & changed
        ):
            return []
        sign, total = _sum([(sign, amount) for _, (_, sign, amount) in moves])
        behind = list[c_ast.Node]()
        is_read = is_read_behind(place, name, self.function)
        if is_read:
            end = limit_of(head.counter, head.cond)
            is_left = any(jumps(item, c_ast.Break) or jumps(item, c_ast.Return) for item in items)
            if end is None or is_left or names_in(end) & changed:
                return []
            times = rounds(head.counter, head.start, end, up=True)
            order = c_ast.BinaryOp(REACHES[head.counter.sign], deepcopy(head.start), end, coord)
            far = c_ast.BinaryOp("*", deepcopy(total), times, coord)
            behind = [Holds(order, "for", coord), c_ast.Assignment(f"{sign}=", c_ast.ID(name, coord), far, coord)]
        start = value_at(place, name)
        if start is not None and not is_read:
            forget(place, name)
        begin = deepcopy(start) if start is not None else c_ast.ID(name, coord)
        way = rounds(head.counter, head.start, c_ast.ID(head.counter.name, coord))
        value = c_ast.BinaryOp(sign, begin, c_ast.BinaryOp("*", total, way, coord), coord)
        node.cond = with_value(node.cond, name, value)
        named, last = list[c_ast.Node](), 0
        for at, (_, own, amount) in moves:
            named += self._named(name, value, items[last:at], declared)
            value, last = c_ast.BinaryOp(own, deepcopy(value), deepcopy(amount), coord), at + 1
        node.stmt.block_items = [*named, *self._named(name, value, items[last:], declared)]
        return behind

    def _named(self, name: str, value: c_ast.Node, items: list[c_ast.Node], declared: c_ast.Decl) -> list[c_ast.Node]:
        """Statements with a name of their own for a value, where they ask for it."""
        found = with_name(items, name, f"{name}.at{self.made + 1}", value, declared)
        self.made += len(found) - len(items)
        return found


def _step_in_body(node: c_ast.For) -> None:
    """Takes constant steps of other names than the iterator out of a header, to the end of the body."""
    if not isinstance(node.next, c_ast.ExprList) or not isinstance(node.stmt, c_ast.Compound):
        return
    asked = names_in(node.cond)
    own = [part for part in node.next.exprs if (found := step_of(part)) and found[0] in asked]
    others = [found for part in node.next.exprs if part not in own and (found := step_of(part))]
    is_constant = all(isinstance(amount, c_ast.Constant) for _, _, amount in others)
    if len(own) != 1 or len(others) + 1 < len(node.next.exprs) or not is_constant:
        return
    if not jumps(node.stmt, c_ast.Continue):
        node.stmt.block_items += [part for part in node.next.exprs if part not in own]
        (node.next,) = own


def _head(node: c_ast.For) -> Head | None:
    """The iterator of a loop with one, which its body leaves alone; None for any other."""
    init = node.init.decls[0] if isinstance(node.init, c_ast.DeclList) and len(node.init.decls) == 1 else node.init
    step = step_of(node.next) if node.next is not None else None
    start = set_by(init, step[0]) if init is not None and step is not None else None
    if step is None or start is None or node.cond is None or not isinstance(node.stmt, c_ast.Compound):
        return None
    if not is_pure(start) or changes_in(node.stmt, step[0]) or not isinstance(step[2], c_ast.Constant):
        return None
    return Head(Counter(step[0], 0, 0, step[1], step[2]), start, node.cond)


def _sum(moves: list[tuple[str, c_ast.Node]]) -> tuple[str, c_ast.Node]:
    """All moves of a round as one."""
    signs = {sign for sign, _ in moves}
    (sign, total), *others = moves
    if signs == {"+", "-"}:
        nothing = c_ast.Constant("int", "0", total.coord)
        sign, total, others = "+", nothing, moves
    for own, amount in others:
        total = c_ast.BinaryOp("+" if own == sign else "-", total, deepcopy(amount), amount.coord)
    return sign, deepcopy(total)
