"""Counters that go round as counters that do not, on the syntax tree; knows no types.

int w = 0; for (...) { ring[w] = x[i]; w++; if (w == 8) w = 0; }   becomes
int w.turned = 0; for (...) { ring[w.turned % 8] = x[i]; w.turned += 1; }

Of a local number that begins with constants and only takes steps that are `(w + c) % m` for all that it can be: so do
`w = 1 - w`, `w ^= 1`, `w = (w + 1) & 7`, `w = w == 0 ? 7 : w - 1`. Whoever asks for it says whether nothing is left of
the counter that does not end: its values may be too large for its type.
"""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from sisyphus.frontend.c.arithmetic import OPERATIONS
from sisyphus.frontend.c.asides import apart
from sisyphus.frontend.c.c_types import integer_literal
from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.places import TURNED, changes_in, names_in
from sisyphus.frontend.c.returns import put
from sisyphus.frontend.c.steps import is_whole, value_after

#: Values that a counter is followed through.
MOST_VALUES = 4096
#: Types whose values are those of an `int` where they are small; another one is named where the counter is read.
PLAIN = {"int", "short", "char", "signed", "long", "_Bool", "bool", "int8_t", "uint8_t", "int16_t", "uint16_t"}

Block = list[c_ast.Node]


def unwind(body: c_ast.Node, name: str) -> bool:
    """Changes a text in which every body is a block, if a name is a counter that goes round in it."""
    declared = [n for n in walk(body) if isinstance(n, c_ast.Decl) and n.name == name]
    if len(declared) != 1 or not is_whole(declared[0]):
        return False
    blocks = [n.block_items for n in walk(body) if isinstance(n, c_ast.Compound)]
    for items in blocks:
        _step_apart(items, name)
    runs = [run for items in blocks for run in _runs(items, name)]
    inside = {id(n) for _, run in runs for item in run for n in walk(item) if n is not item}
    runs = [(items, run) for items, run in runs if id(run[0]) not in inside]
    sets = [item for items in blocks for item in items if _is_set(item, name) and id(item) not in inside]
    inits = [declared[0].init] if declared[0].init is not None else []
    known = [changes_in(item, name) for item in (*sets, *(item for _, run in runs for item in run))]
    starts = [_value(node, name, 0) for node in (*inits, *(item.rvalue for item in sets))]
    if not runs or not starts or None in starts or sum(known) + 1 != changes_in(body, name):
        return False
    found = _moves([run for _, run in runs], [start for start in starts if start is not None], name)
    if found is None:
        return False
    many, moves = found
    for (items, run), by in zip(runs, moves, strict=True):
        at, coord = next(at for at, item in enumerate(items) if item is run[0]), run[0].coord
        step = c_ast.Constant("int", str(by), coord)
        items[at : at + len(run)] = [c_ast.Assignment("+=", c_ast.ID(name + TURNED, coord), step, coord)]
    for item in sets:
        item.lvalue = c_ast.ID(name + TURNED, item.coord)
    _read(body, name, many, declared[0].type)
    number = c_ast.IdentifierType(["int"], declared[0].coord)
    declared[0].name, declared[0].type = (
        name + TURNED,
        c_ast.TypeDecl(name + TURNED, [], None, number, declared[0].coord),
    )
    return True


def _step_apart(items: Block, name: str) -> None:
    """Steps of the name inside of expressions as statements of their own."""
    for at in reversed(range(len(items))):
        if not isinstance(items[at], c_ast.Decl) or items[at].name != name:
            parts = apart(items[at])
            items[at : at + 1] = parts


def _runs(items: Block, name: str) -> Iterable[tuple[Block, Block]]:
    """Statements one after another that only change the name to what it was before in another way, with their block."""
    run = Block()
    for item in items:
        value = value_after(item, name)
        if value is not None and name in names_in(value):
            run.append(item)
        elif run:
            yield items, run
            run = []
    if run:
        yield items, run


def _is_set(item: c_ast.Node, name: str) -> bool:
    is_plain = isinstance(item, c_ast.Assignment) and item.op == "=" and isinstance(item.lvalue, c_ast.ID)
    return is_plain and item.lvalue.name == name and name not in names_in(item.rvalue)


def _moves(runs: list[Block], starts: list[int], name: str) -> tuple[int, list[int]] | None:
    """How many values the counter has, and by how much each run moves it on; None where it does not go round."""
    steps = [[value_after(item, name) for item in run] for run in runs]

    def after(values: list[c_ast.Node | None], now: int) -> int | None:
        found: int | None = now
        for value in values:
            found = None if found is None else _value(value, name, found)
        return found

    seen, waiting = set(starts), list(starts)
    if min(starts) < 0:
        return None
    while waiting:
        now = waiting.pop()
        for following in (after(values, now) for values in steps):
            if following is None or not 0 <= following < MOST_VALUES:
                return None
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    first = min(seen)
    for many in range(max(seen) + 1, 2 * max(seen) + 3):
        moves = [((after(values, first) or 0) - first) % many for values in steps]
        if all(after(v, now) == (now + by) % many for v, by in zip(steps, moves, strict=True) for now in seen):
            return many, moves
    return None


def _value(node: c_ast.Node | None, name: str, now: int) -> int | None:
    """The value of an expression of the name and of constants; None for any other."""
    match node:
        case c_ast.Constant(type=kind, value=text) if "int" in kind:
            found = integer_literal(text)
            return found[0] if found else None
        case c_ast.ID(name=same) if same == name:
            return now
        case c_ast.UnaryOp(op="!" | "-" | "+" as op):
            inner = _value(node.expr, name, now)
            return None if inner is None else {"!": int(not inner), "-": -inner, "+": inner}[op]
        case c_ast.BinaryOp(op=op):
            left, right = _value(node.left, name, now), _value(node.right, name, now)
            if left is None or right is None or (op in ("/", "%") and not right) or (op in ("<<", ">>") and right > 31):
                return None
            return OPERATIONS[op](left, right) if op not in ("<<", ">>") or right >= 0 else None
        case c_ast.TernaryOp():
            holds = _value(node.cond, name, now)
            return None if holds is None else _value(node.iftrue if holds else node.iffalse, name, now)
    return None


def _read(node: c_ast.Node, name: str, many: int, kind: c_ast.TypeDecl) -> c_ast.Node:
    """The text with the value that the counter has in place of the name."""
    if isinstance(node, c_ast.ID) and node.name == name:
        turned, coord = c_ast.ID(name + TURNED, node.coord), node.coord
        rest = c_ast.BinaryOp("%", turned, c_ast.Constant("int", str(many), coord), coord)
        if not set(kind.type.names) - PLAIN:
            return rest
        return c_ast.Cast(c_ast.Typename(None, [], None, c_ast.TypeDecl(None, [], None, kind.type, coord)), rest, coord)
    for part, child in node.children():
        put(node, part, _read(child, name, many, kind))
    return node
