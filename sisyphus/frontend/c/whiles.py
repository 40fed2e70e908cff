"""`while`, `do` and headless `for` loops that count as `for` loops, on the syntax tree; knows no types and no values.

int i = 0; while (i < n) { a[i] = 0; i += 2; b[i] = 1; }   becomes
for (int i = 0; i < n; i += 2) { a[i] = 0; const int i.next = i + 2; b[i.next] = 1; }

A loop is taken as one without end, of which one test on top leaves it and one statement on top moves what it tests.
What comes before the test, as in `do`, runs once more than the test passes: then the first test must be known to pass
(`Holds`). All other loops stay as they are, and are refused where they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.asides import apart, without_step
from sisyphus.frontend.c.jumps import jumps
from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import (
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
    renamed,
    step_of,
    value_at,
    with_name,
    with_value,
)
from sisyphus.values import dataclass

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}
REACHES = {"+": "<=", "-": ">="}
#: By how much a counter that moves by one is beyond the other side of its test where that first fails.
BEYOND = {("<", "+"): "0", ("<=", "+"): "1", (">", "-"): "0", (">=", "-"): "1", ("!=", "+"): "0", ("!=", "-"): "0"}


class Holds(c_ast.Node):  # type: ignore[misc,unused-ignore]
    """A condition that must hold wherever the program comes here, for the loop that `word` names."""

    __slots__ = ("cond", "coord", "word")

    def __init__(self, cond: c_ast.Node, word: str, coord: object) -> None:
        self.cond, self.word, self.coord = cond, word, coord

    def children(self) -> list[tuple[str, c_ast.Node]]:
        return [("cond", self.cond)]

    def __iter__(self) -> Iterator[c_ast.Node]:
        yield self.cond


class Exit(c_ast.Node):  # type: ignore[misc,unused-ignore]
    """The place in a loop where it ends unless it goes `on`."""

    __slots__ = ("coord", "on")

    def __init__(self, on: c_ast.Node, coord: object) -> None:
        self.on, self.coord = on, coord

    def children(self) -> list[tuple[str, c_ast.Node]]:
        return [("on", self.on)]

    def statement(self) -> c_ast.Node:
        return c_ast.If(_opposite(self.on), c_ast.Break(self.coord), None, self.coord)


@dataclass(frozen=True, eq=False)
class Round:
    """What a loop does in turn, its tests among it; a `continue` leads to the item at `goes_on`.

    It `leaves_moved` where a test itself moves what it tests, also when it fails.
    """

    word: str
    items: list[c_ast.Node]
    goes_on: int
    leaves_moved: bool = False


@dataclass(frozen=True, eq=False)
class Counter:
    """A name, and where in a round it is tested and moved, by which sign and amount."""

    name: str
    test: int
    move: int
    sign: str
    amount: c_ast.Node

    @property
    def is_by_one(self) -> bool:
        return isinstance(self.amount, c_ast.Constant) and bool(self.amount.value == "1")

    def moved(self, value: c_ast.Node, by: c_ast.Node | None = None, *, back: bool = False) -> c_ast.Node:
        """A value after one move, or after several of them; or before."""
        sign = {"+": "-", "-": "+"}[self.sign] if back else self.sign
        far: c_ast.Node = deepcopy(self.amount)
        if by is not None:
            far = by if self.is_by_one else c_ast.BinaryOp("*", far, by, value.coord)
        return c_ast.BinaryOp(sign, deepcopy(value), far, value.coord)


def count_whiles(tree: Tree) -> None:
    """Changes the functions of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef) and any(_is_candidate(n) for n in walk(function.body)):
            in_blocks(function.body)
            whiles = _Whiles(function)
            whiles.block(function.body.block_items, None, None)
            drop_unused(function.body, whiles.counters)


def _is_candidate(node: c_ast.Node) -> bool:
    match node:
        case c_ast.While():
            return True
        case c_ast.DoWhile():
            return not (isinstance(node.cond, c_ast.Constant) and node.cond.value == "0")
        case c_ast.For():
            return None in (node.init, node.cond, node.next)
    return False


class _Whiles:
    def __init__(self, function: c_ast.FuncDef) -> None:
        self.function, self.counters = function, set[str]()

    def block(self, items: list[c_ast.Node], loop: c_ast.Node | None, outer: Place | None) -> None:
        """The loops of a block, inner ones first."""
        at = 0
        while at < len(items):
            place = Place(items, at, loop, outer)
            for inner, own in blocks_in(items[at]):
                self.block(inner, own, place)
            owner = items[at]
            if isinstance(owner, c_ast.Label):
                found = self._counted(owner.stmt, place)
                owner.stmt = c_ast.Compound(found, owner.coord) if found else owner.stmt
            else:
                found = self._counted(owner, place)
                items[at : at + 1] = found or [owner]
            at += max(len(found), 1)

    def _counted(self, node: c_ast.Node, place: Place) -> list[c_ast.Node]:
        """What takes the place of a loop; nothing where it is no such loop."""
        if not _is_candidate(node):
            return []
        if isinstance(node, c_ast.For) and node.init is not None:
            first = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]
            headless = c_ast.For(None, node.cond, node.next, node.stmt, node.coord)
            block = [*deepcopy(first), headless]
            counted = self._counted(headless, Place(block, len(first), None, place))
            return [c_ast.Compound([*block[:-1], *counted], node.coord)] if counted else []
        found = _round(node)
        counter = _counter(found)
        if counter is None:
            return []
        declared = declaration_of(counter.name, place, self.function)
        start, is_read = value_at(place, counter.name), is_read_behind(place, counter.name, self.function)
        if declared is None or not _is_sound(found, counter, is_read=is_read):
            return []
        self.counters.add(counter.name)
        is_alone = start is not None and not is_read and forget(place, counter.name)
        name = counter.name if is_alone else f"{counter.name}.0"
        return _Written(node, found, counter, declared).loop(name, start, is_read=is_read)


def _is_sound(found: Round, counter: Counter, *, is_read: bool) -> bool:
    """Whether a `for` does the same: nothing jumps past its test or its move, and what both name stays as it is."""
    own, items = (counter.test, counter.move), found.items
    others = [item for at, item in enumerate(items) if at not in own]
    changed, on = set[str]().union(*map(changed_in, others)), items[counter.test].on
    is_first = counter.test == 0 or (counter.move, counter.test) == (0, 1)
    if names_in(counter.amount) & changed:
        return False
    if (not is_first or is_read) and (names_in(on) & changed or not is_pure(on)):
        return False
    skipped = [n for n in range(found.goes_on, len(items)) if n not in own]
    for at, item in enumerate(items):
        if jumps(item, c_ast.Continue) and (skipped or any(at < n < found.goes_on for n in own)):
            return False
    is_left = any(jumps(item, c_ast.Break) or isinstance(item, Exit) for item in others)
    return not is_read or not (found.leaves_moved or is_left or limit_of(counter, on) is None)


def limit_of(counter: Counter, on: c_ast.Node) -> c_ast.Node | None:
    """The first value at which a test fails, of a counter that takes them all; None where that is not in the text."""
    if not isinstance(on, c_ast.BinaryOp) or not isinstance(counter.amount, c_ast.Constant):
        return None
    sides = [(on.op, on.left, on.right), (MIRRORED.get(on.op, on.op), on.right, on.left)]
    for op, side, end in sides:
        beyond = BEYOND.get((op, counter.sign))
        is_it = isinstance(side, c_ast.ID) and side.name == counter.name
        if is_it and counter.name not in names_in(end) and is_pure(end) and beyond is not None:
            more = c_ast.Constant("int", beyond, on.coord)
            return c_ast.BinaryOp(counter.sign, end, more, on.coord) if beyond != "0" else end
    return None


def rounds(counter: Counter, start: c_ast.Node, end: c_ast.Node, *, up: bool = False) -> c_ast.Node:
    """How often a counter moved from its start to its end, rounded up where it may step over that."""
    left, right = (end, start) if counter.sign == "+" else (start, end)
    way = c_ast.BinaryOp("-", deepcopy(left), deepcopy(right), end.coord)
    if counter.is_by_one:
        return way
    if up:
        less = c_ast.BinaryOp("-", deepcopy(counter.amount), c_ast.Constant("int", "1", end.coord), end.coord)
        way = c_ast.BinaryOp("+", way, less, end.coord)
    return c_ast.BinaryOp("/", way, deepcopy(counter.amount), end.coord)


class _Written:
    """Writes a loop as `for`."""

    def __init__(self, node: c_ast.Node, found: Round, counter: Counter, declared: c_ast.Decl) -> None:
        self.coord, self.word, self.counter, self.declared = node.coord, found.word, counter, declared
        first, second = sorted((counter.test, counter.move))
        rest = [item.statement() if isinstance(item, Exit) else item for item in found.items]
        self.before, self.between, self.after = rest[:first], rest[first + 1 : second], rest[second + 1 :]
        self.on, self.holds = found.items[counter.test].on, list[c_ast.Node]()

    def loop(self, name: str, start: c_ast.Node | None, *, is_read: bool) -> list[c_ast.Node]:
        """The loop, behind what must hold, and before what sets its counter for those who read that."""
        own, coord = self.counter.name, self.coord
        named = next(n for n in walk(self.on) if isinstance(n, c_ast.ID) and n.name == own)
        begin: c_ast.Node = deepcopy(start) if start is not None else c_ast.ID(own, named.coord)
        on, limit = self.on, deepcopy(limit_of(self.counter, self.on)) if is_read else None
        if self.counter.test < self.counter.move:
            body = [*self.between, *self._moved_in(self.after)]
            if self.before:
                asked = [c_ast.If(deepcopy(on), c_ast.Compound(body, coord), None, coord)] if body else []
                body = [*self.before, *asked]
                on = with_value(deepcopy(on), own, self.counter.moved(c_ast.ID(own, coord), back=True))
                self._must_hold(on, begin)
        elif self.before or self.between:
            asked = [c_ast.If(deepcopy(on), c_ast.Compound(self.after, coord), None, coord)] if self.after else []
            body = [*self.before, *self._moved_in([*self.between, *asked])]
            self._must_hold(on, begin)
        else:
            begin, body = self.counter.moved(begin), self.after
        kind = deepcopy(self.declared.type)
        kind.declname, kind.quals = name, []
        step = c_ast.Assignment(f"{self.counter.sign}=", c_ast.ID(own, coord), self.counter.amount, coord)
        result = c_ast.For(None, on, step, c_ast.Compound(body, coord), coord)
        renamed(result, own, name)
        result.init = c_ast.DeclList([c_ast.Decl(name, [], [], [], [], kind, begin, None, coord)], coord)
        behind = list[c_ast.Node]()
        if limit is not None:
            last = self.counter.moved(begin, rounds(self.counter, begin, limit, up=True))
            last = deepcopy(limit) if self.counter.is_by_one else last
            behind = [c_ast.Assignment("=", c_ast.ID(own, coord), last, coord)]
            self._must_hold(c_ast.BinaryOp(REACHES[self.counter.sign], c_ast.ID(own, coord), limit, coord), begin)
        return [*self.holds, result, *behind]

    def _must_hold(self, on: c_ast.Node, begin: c_ast.Node) -> None:
        self.holds.append(Holds(with_value(deepcopy(on), self.counter.name, begin), self.word, self.coord))

    def _moved_in(self, items: list[c_ast.Node]) -> list[c_ast.Node]:
        """Statements behind the move, where the counter has its next value."""
        own = self.counter.name
        return with_name(items, own, f"{own}.next", self.counter.moved(c_ast.ID(own, self.coord)), self.declared)


# -- loops as rounds -----------------------------------------------------------------------------------------------


def _round(node: c_ast.Node) -> Round:
    """A loop as what it does in turn, on a copy of its text."""
    block = node.stmt.block_items if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
    body = [part for item in deepcopy(block) for part in _in_turn(item)]
    asked, leaves_moved = _tests(deepcopy(node.cond))
    match node:
        case c_ast.DoWhile():
            # Each part is asked where those before it hold, so that it leaves the loop behind them.
            tests = [_tests(part) for part in _parts(deepcopy(node.cond))]
            asked, leaves_moved = [item for own, _ in tests for item in own], any(moved for _, moved in tests)
            return Round("do", [*body, *asked], len(body), leaves_moved)
        case c_ast.For():
            step = deepcopy(node.next)
            steps = step.exprs if isinstance(step, c_ast.ExprList) else [step] if step is not None else []
            return Round("for", [*asked, *body, *steps], len(asked) + len(body), leaves_moved)
    return Round("while", [*asked, *body], len(asked) + len(body), leaves_moved)


def _parts(cond: c_ast.Node) -> list[c_ast.Node]:
    """What must all hold for a condition to hold, in the order in which it is asked."""
    if isinstance(cond, c_ast.BinaryOp) and cond.op == "&&":
        return [*_parts(cond.left), *_parts(cond.right)]
    return [cond]


def _tests(cond: c_ast.Node | None) -> tuple[list[c_ast.Node], bool]:
    """What the condition of a loop does, and whether it moves what it tests also when it fails."""
    if cond is None or (isinstance(cond, c_ast.Constant) and cond.value == "1"):
        return [], False
    kept, step, is_before = without_step(cond)
    test = Exit(_compared(kept), cond.coord)
    if step is None:
        return [test], False
    return ([step, test], False) if is_before else ([test, step], True)


def _compared(node: c_ast.Node) -> c_ast.Node:
    """A number that is asked for its truth as a comparison."""
    if isinstance(node, c_ast.ID):
        return c_ast.BinaryOp("!=", node, c_ast.Constant("int", "0", node.coord), node.coord)
    return node


def _in_turn(node: c_ast.Node) -> list[c_ast.Node]:
    """A statement of a loop, its tests and the steps inside of expressions apart."""
    if not isinstance(node, c_ast.If):
        return apart(node)
    ends = _is_break(node.iftrue)
    rest = node.iffalse if ends else node.iftrue
    if not ends and (node.iffalse is None or not _is_break(node.iffalse)):
        return [node]
    cond, step, is_before = without_step(deepcopy(node.cond))
    if step is None or not is_before:
        cond, step = node.cond, None
    test = Exit(_opposite(cond) if ends else _compared(cond), node.coord)
    return [*([step] if step is not None else []), test, *([rest] if rest is not None else [])]


def _is_break(node: c_ast.Node) -> bool:
    inside = node.block_items if isinstance(node, c_ast.Compound) else [node]
    return len(inside) == 1 and isinstance(inside[0], c_ast.Break)


def _opposite(node: c_ast.Node) -> c_ast.Node:
    match node:
        case c_ast.BinaryOp(op=op) if op in OPPOSITE:
            return c_ast.BinaryOp(OPPOSITE[op], node.left, node.right, node.coord)
        case c_ast.UnaryOp(op="!", expr=inner):
            return _compared(inner)
        case c_ast.ID():
            return c_ast.BinaryOp("==", node, c_ast.Constant("int", "0", node.coord), node.coord)
    return c_ast.UnaryOp("!", node, node.coord)


def _counter(found: Round) -> Counter | None:
    """The first name that a test on top asks for and one statement on top moves, and nothing else changes."""
    for test, item in enumerate(found.items):
        if not isinstance(item, Exit):
            continue
        for name in sorted(names_in(item.on)):
            if sum(changes_in(other, name) for other in found.items) != 1:
                continue
            for move, other in enumerate(found.items):
                step = step_of(other)
                if step is not None and step[0] == name:
                    return Counter(name, test, move, step[1], step[2])
    return None
