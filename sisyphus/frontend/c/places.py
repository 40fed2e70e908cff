"""Where a statement stands in a function, and what the text before and behind it says of a name; knows no types.

Every body is a block here (`in_blocks`), so that a place is an index in a list of statements inside of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.jumps import LOOPS
from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.returns import BODIES, put
from sisyphus.values import dataclass

NO_COUNTERS = {"float", "double", "_Complex", "_Bool", "bool"}
#: Ends the name of a counter that goes on where the one of the source goes round.
TURNED = ".turned"
STEPS = ("++", "--", "p++", "p--")
COMPARES = ("<", "<=", ">", ">=", "==", "!=")


@dataclass
class Place:
    """A statement of a block; `outer` is where the owner of that stands.

    `loop` is the loop whose body the block is, or the `case`: not always is such a block entered from what is before.
    """

    items: list[c_ast.Node]
    at: int
    loop: c_ast.Node | None = None
    outer: Place | None = None


def in_blocks(node: c_ast.Node) -> None:
    """Puts braces around every body below a node."""
    for part in walk(node):
        for name in BODIES.get(type(part), ()):
            inner = getattr(part, name)
            if inner is not None and not isinstance(inner, c_ast.Compound) and not isinstance(part, c_ast.Label):
                setattr(part, name, c_ast.Compound([inner], inner.coord))
        if isinstance(part, c_ast.Compound) and part.block_items is None:
            part.block_items = []


def blocks_in(node: c_ast.Node) -> Iterator[tuple[list[c_ast.Node], c_ast.Node | None]]:
    """The blocks that a statement has itself, each with the loop or case that it is the body of."""
    if isinstance(node, c_ast.Compound):
        yield node.block_items, None
    if isinstance(node, c_ast.Case | c_ast.Default):
        yield node.stmts or [], node
    for name in BODIES.get(type(node), ()):
        inner = getattr(node, name)
        if isinstance(inner, c_ast.Compound):
            yield inner.block_items, node if isinstance(node, LOOPS) else None
        elif inner is not None:
            yield from blocks_in(inner)


def names_in(node: c_ast.Node | None) -> set[str]:
    """The names that occur below a node."""
    return {str(n.name) for n in walk(node) if isinstance(n, c_ast.ID)}


def is_pure(node: c_ast.Node) -> bool:
    """Whether an expression has numbers and names alone, and changes none of them."""
    odd = (c_ast.FuncCall, c_ast.ArrayRef, c_ast.StructRef, c_ast.Assignment, c_ast.InitList, c_ast.Compound)
    return not any(
        isinstance(n, odd) or (isinstance(n, c_ast.UnaryOp) and n.op in (*STEPS, "&", "*")) for n in walk(node)
    )


def changes_in(node: c_ast.Node | None, name: str) -> int:
    """How often a text changes a name, takes its address or gives it another meaning."""
    found = 0
    for part in walk(node):
        match part:
            case c_ast.Assignment(lvalue=c_ast.ID(name=same)) if same == name:
                found += 1
            case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=same)) if same == name and op in (*STEPS, "&"):
                found += 1
            case c_ast.Decl(name=same) if same == name:
                found += 1
    return found


def changed_in(node: c_ast.Node) -> set[str]:
    """All that a text may change, whole or in part, or name anew; of what it calls only what it gives the address of.

    A function may change elements of the arrays that it is given, too: no pure text (`is_pure`) asks for these.
    """
    found = set[str]()
    for part in walk(node):
        match part:
            case c_ast.Decl(name=str(name)):
                found.add(name)
            case c_ast.Assignment(lvalue=target):
                found |= base_of(target)
            case c_ast.UnaryOp(op=op, expr=target) if op in (*STEPS, "&"):
                found |= base_of(target)
    return found


def base_of(target: c_ast.Node) -> set[str]:
    """The names that may be what an assignment changes: of an element its array."""
    while isinstance(target, c_ast.ArrayRef | c_ast.StructRef):
        target = target.name
    return names_in(target)


def setting(node: c_ast.Node | None) -> tuple[str, c_ast.Node] | None:
    """The name that a statement sets which does nothing else, and its value."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            return name, value
        case c_ast.Decl(name=name, type=c_ast.TypeDecl(), init=value) if value is not None:
            return name, value
    return None


def set_by(node: c_ast.Node | None, name: str) -> c_ast.Node | None:
    """The value that a statement which does nothing else gives a name."""
    found = setting(node)
    return found[1] if found is not None and found[0] == name else None


def value_at(place: Place, name: str) -> c_ast.Node | None:
    """What a name was set to last, where that still has its value at this place."""
    between = set[str]()
    here: Place | None = place
    while here is not None:
        for item in reversed(here.items[: here.at]):
            value = set_by(item, name)
            if value is not None:
                return value if is_pure(value) and not names_in(value) & {name, *between} else None
            if changes_in(item, name):
                return None
            between |= changed_in(item)
        here = here.outer if here.loop is None else None
    return None


def forget(place: Place, name: str) -> bool:
    """Takes away what sets a name before a statement in its block, or around that, where nothing between reads it."""
    here: Place | None = place
    while here is not None:
        for at in reversed(range(here.at)):
            item = here.items[at]
            if set_by(item, name) is not None:
                if isinstance(item, c_ast.Decl):
                    item.init = None
                else:
                    here.items[at] = c_ast.EmptyStatement(item.coord)
                return True
            if free(item, name):
                return False
        here = here.outer if _is_plain(here) else None
    return False


def _is_plain(place: Place) -> bool:
    """Whether the block of a statement is entered always, and once."""
    owner = place.outer.items[place.outer.at] if place.outer is not None else None
    return isinstance(owner, c_ast.Compound) and owner.block_items is place.items


def drop_unused(body: c_ast.Compound, names: set[str]) -> None:
    """Takes away declarations without a value of names that nothing in their block uses any more."""
    for block in [n for n in walk(body) if isinstance(n, c_ast.Compound)]:
        items = block.block_items
        for at, item in enumerate(items):
            is_empty = isinstance(item, c_ast.Decl) and item.name in names and item.init is None
            if is_empty and not any(free(other, item.name) for other in items):
                items[at] = c_ast.EmptyStatement(item.coord)


def is_read_behind(place: Place, name: str, function: c_ast.FuncDef) -> bool:
    """Whether anything that may run behind a statement reads the value that a name has then."""
    here: Place | None = place
    while here is not None:
        verdict = _reads_first(here.items[here.at + 1 :], name)
        if verdict is not None:
            return verdict
        if here.loop is not None and (_in_header(here.loop, name) or _reads_first(here.items[: here.at + 1], name)):
            return True
        if any(isinstance(item, c_ast.Decl) and item.name == name for item in here.items[: here.at]):
            return False
        here = here.outer
    arguments = function.decl.type.args
    return not any(p.name == name for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl))


def _reads_first(items: list[c_ast.Node], name: str) -> bool | None:
    """Whether the first of the statements that names it reads a name; None where none does."""
    for item in items:
        begin = item.init if isinstance(item, c_ast.For) else item
        for first in begin.exprs if isinstance(begin, c_ast.ExprList) else [begin]:
            value = set_by(first, name)
            if value is not None and name not in names_in(value):
                return False
        if free(item, name):
            return True
    return None


def _in_header(loop: c_ast.Node, name: str) -> bool:
    parts = (getattr(loop, part, None) for part in ("cond", "next"))
    return any(name in names_in(part) for part in parts)


def free(node: c_ast.Node, name: str) -> bool:
    """Whether a text names a variable, and not another one of its own `for` header."""
    if isinstance(node, c_ast.ID):
        return bool(node.name == name)
    if isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList):
        own = [d for d in node.init.decls if isinstance(d, c_ast.Decl)]
        if any(d.name == name for d in own):
            return any(free(d.init, name) for d in own if d.init is not None)
    return any(free(child, name) for _, child in node.children())


def with_value(node: c_ast.Node, name: str | c_ast.Node, value: c_ast.Node) -> c_ast.Node:
    """A text with a value in place of a name, or of one of its parts."""
    if node is name or (isinstance(node, c_ast.ID) and node.name == name):
        return deepcopy(value)
    for part, child in node.children():
        put(node, part, with_value(child, name, value))
    return node


def renamed(node: c_ast.Node, name: str, new: str) -> None:
    """Another name in place of one, below a node."""
    for part in walk(node):
        if isinstance(part, c_ast.ID) and part.name == name:
            part.name = new


def with_name(
    items: list[c_ast.Node], name: str, new: str, value: c_ast.Node, declared: c_ast.Decl
) -> list[c_ast.Node]:
    """Statements with a constant of their own, `new`, for the value of a declared name, where they ask for that."""
    if not any(name in names_in(item) for item in items):
        return items
    kind = deepcopy(declared.type)
    kind.declname = new
    for item in items:
        renamed(item, name, new)
    return [c_ast.Decl(new, ["const"], [], [], [], kind, value, None, value.coord), *items]


def declaration_of(name: str, place: Place, function: c_ast.FuncDef) -> c_ast.Decl | None:
    """The declaration of a plain whole number that a name means here: a local or a parameter."""
    here: Place | None = place
    arguments = function.decl.type.args
    while here is not None:
        found = [i for i in here.items[: here.at] if isinstance(i, c_ast.Decl) and i.name == name]
        if found:
            return found[0] if _is_counter(found[0]) else None
        own = here.loop.init if isinstance(here.loop, c_ast.For) else None
        if isinstance(own, c_ast.DeclList) and any(d.name == name for d in own.decls):
            return None
        here = here.outer
    given = [p for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl) and p.name == name]
    return given[0] if given and _is_counter(given[0]) else None


def _is_counter(node: c_ast.Decl) -> bool:
    kind = node.type
    is_plain = isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.IdentifierType) and not node.storage
    return is_plain and not NO_COUNTERS & set(kind.type.names)


def step_of(node: c_ast.Node) -> tuple[str, str, c_ast.Node] | None:
    """Name, sign and amount of a statement that only moves a name by something."""
    match node:
        case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=name)) if op in STEPS:
            return name, op.strip("p")[0], c_ast.Constant("int", "1", node.coord)
        case c_ast.Assignment(op="+=" | "-=" as op, lvalue=c_ast.ID(name=name), rvalue=amount):
            found = name, op[0], amount
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=name),
            rvalue=c_ast.BinaryOp(op="+" | "-" as op, left=c_ast.ID(name=same), right=amount),
        ) if same == name:
            found = name, op, amount
        case c_ast.Assignment(
            op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.BinaryOp(op="+", left=amount, right=c_ast.ID(name=same))
        ) if same == name:
            found = name, "+", amount
        case _:
            return None
    return found if is_pure(found[2]) and found[0] not in names_in(found[2]) else None
