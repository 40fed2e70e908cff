"""Pointers that change places as a counter of the turn, on the syntax tree; knows no types and no values.

float *now = a, *next = b; for (...) { S(now, next); float *t = now; now = next; next = t; }   becomes
int now.turn = 0; for (...) { if (now.turn == 0) S(a, b) else S(b, a); now.turn = (now.turn + 1) % 2; }

So do three that change places in a ring, and pointers that are parameters. The counter goes round (`rings.py`), so that
the loop falls into its turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.parse import Tree, walk
from sisyphus.frontend.c.places import blocks_in, changes_in, free, in_blocks, names_in, with_value
from sisyphus.frontend.c.returns import put
from sisyphus.values import dataclass

TURN = ".turn"
#: Turns after which all pointers are where they were; a statement is written once for each.
MOST_TURNS = 4

Block = list[c_ast.Node]


@dataclass(frozen=True, eq=False)
class Swap:
    """Statements of a block that do nothing but let pointers change places.

    `moved` has the pointer that each gets the value of, `carriers` are those that only hold one meanwhile.
    """

    statements: Block
    moved: dict[str, str]
    carriers: frozenset[str]

    @property
    def first(self) -> c_ast.Node:
        return self.statements[0]


def count_turns(tree: Tree) -> None:
    """Changes the functions of a file."""
    for function in tree.root.ext:
        if isinstance(function, c_ast.FuncDef):
            pointers = _pointers(function)
            if any(_move(n, pointers) for n in walk(function.body)):
                in_blocks(function.body)
                _in_turns(function, pointers)


def _pointers(function: c_ast.FuncDef) -> dict[str, c_ast.Decl]:
    """The declarations of pointers by name, of those that one declaration alone names."""
    given = function.decl.type.args.params if function.decl.type.args else []
    every = [n for n in (*given, *walk(function.body)) if isinstance(n, c_ast.Decl) and n.name]
    names = [n.name for n in every]
    is_given = {id(n) for n in given}
    return {
        n.name: n
        for n in every
        if names.count(n.name) == 1
        and (isinstance(n.type, c_ast.PtrDecl) or (id(n) in is_given and isinstance(n.type, c_ast.ArrayDecl)))
    }


def _move(node: c_ast.Node, pointers: dict[str, c_ast.Decl]) -> tuple[str, str] | None:
    """Pointer and the pointer that it gets the value of, where a statement does nothing else."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.ID(name=other)):
            pass
        case c_ast.Decl(name=name, init=c_ast.ID(name=other)):
            pass
        case _:
            return None
    return (name, other) if name in pointers and other in pointers else None


def _in_turns(function: c_ast.FuncDef, pointers: dict[str, c_ast.Decl]) -> None:
    """Rewrites the body of a function, where all that moves some pointers is one change of places."""
    swaps = [s for items in _blocks(function.body) for s in _swaps(items, pointers)]
    if not swaps or any(s.moved != swaps[0].moved for s in swaps):
        return
    for items in _blocks(function.body):
        items[:] = [part for item in items for part in _named_first(item, swaps[0].moved)]
    moved, carriers = swaps[0].moved, frozenset().union(*(s.carriers for s in swaps))
    turns, bases = _turns(moved), {name: _base(pointers[name], function) for name in moved}
    if turns is None or any(base is None or names_in(base) & (moved.keys() - {n}) for n, base in bases.items()):
        return
    local = [pointers[name] for name in moved if pointers[name].init is not None]
    home = next((items for items in _blocks(function.body) if local and local[0] in items), function.body.block_items)
    if (local and len(local) < len(moved)) or any(declared not in home for declared in local):
        return
    kept = [pointers[name] for name in carriers if pointers[name].init is None]
    if not _only_swapped(function.body, [*moved, *carriers], swaps, [*local, *kept]):
        return
    for items in _blocks(function.body):
        items[:] = [c_ast.EmptyStatement(item.coord) if item in kept else item for item in items]
    states = [{name: bases[at[name]] for name in moved} for at in turns]
    _Turns(f"{min(moved)}{TURN}", states, swaps).begin(home, local, function.body.coord)


def _named_first(node: c_ast.Node, moved: Collection[str]) -> Block:
    """The declaration of a pointer into an array behind one of a name for that place, which nothing moves."""
    if not isinstance(node, c_ast.Decl) or node.name not in moved or not isinstance(node.init, c_ast.BinaryOp):
        return [node]
    first = deepcopy(node)
    first.name = f"{node.name}.first"
    node.init = c_ast.ID(first.name, node.init.coord)
    return [first, node]


def _only_swapped(body: c_ast.Node, names: list[str], swaps: list[Swap], declared: Block) -> bool:
    """Whether nothing but these declarations and swaps changes any of these names."""
    own = [*declared, *(item for s in swaps for item in s.statements)]
    return all(changes_in(body, name) == sum(changes_in(item, name) for item in own) for name in names)


def _blocks(node: c_ast.Node) -> list[Block]:
    return [n.block_items for n in walk(node) if isinstance(n, c_ast.Compound)]


def _swaps(items: Block, pointers: dict[str, c_ast.Decl]) -> Iterator[Swap]:
    """The changes of places in a block, each with as many statements as there are."""
    at = 0
    while at < len(items):
        end, now, found = at, dict[str, str](), list[Swap]()
        while end < len(items) and (move := _move(items[end], pointers)) is not None:
            now[move[0]] = now.get(move[1], move[1])
            end += 1
            moved = {name: source for name, source in now.items() if name in now.values()}
            if moved and moved.keys() == set(moved.values()):
                found = [Swap(items[at:end], moved, frozenset(now.keys() - moved.keys()))]
        yield from found
        at += len(found[0].statements) if found else 1


def _turns(moved: dict[str, str]) -> list[dict[str, str]] | None:
    """By turn the pointer that each had the place of at first; None where there are too many."""
    found = [{name: name for name in moved}]
    while len(found) <= MOST_TURNS:
        following = {name: found[-1][source] for name, source in moved.items()}
        if following == found[0]:
            return found
        found.append(following)
    return None


def _base(declared: c_ast.Decl, function: c_ast.FuncDef) -> c_ast.Node | None:
    """What a pointer points to at first, as long as nothing changes what that is."""
    value = c_ast.ID(declared.name, declared.coord) if declared.init is None else declared.init
    given = function.decl.type.args.params if function.decl.type.args else []
    if declared.init is None and not any(declared is parameter for parameter in given):
        return None
    match value:  # the first element of a row stands for the row
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=row, subscript=c_ast.Constant(value="0"))):
            value = row
    kinds = (c_ast.ID, c_ast.Constant, c_ast.ArrayRef)
    is_place = isinstance(value, c_ast.ID | c_ast.ArrayRef) and all(isinstance(n, kinds) for n in walk(value))
    inside = {n.name for n in walk(function.body) if isinstance(n, c_ast.Decl)}
    names = names_in(value) - {declared.name}
    is_fixed = all(changes_in(function.body, name) == (name in inside) for name in names)
    return value if is_place and is_fixed else None


def _subscripted(node: c_ast.Node, names: Collection[str]) -> c_ast.Node:
    """A text with `p[0]` for `*p` and `p[i]` for `*(p + i)`, of some pointers."""
    match node:
        case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name) as pointer) if name in names:
            return c_ast.ArrayRef(pointer, c_ast.Constant("int", "0", node.coord), node.coord)
        case c_ast.UnaryOp(op="*", expr=c_ast.BinaryOp(op="+", left=c_ast.ID(name=name) as pointer, right=far)):
            if name in names:
                return c_ast.ArrayRef(pointer, _subscripted(far, names), node.coord)
    for part, child in node.children():
        put(node, part, _subscripted(child, names))
    return node


@dataclass(frozen=True, eq=False)
class _Turns:
    """Writes statements once for each turn; `states` are what each pointer stands for in it."""

    name: str
    states: list[dict[str, c_ast.Node]]
    swaps: list[Swap]

    def begin(self, home: Block, local: Block, coord: object) -> None:
        """The counter in place of the pointers, and all behind them in turns."""
        kind = c_ast.TypeDecl(self.name, [], None, c_ast.IdentifierType(["int"]), coord)
        zero = c_ast.Constant("int", "0", coord)
        at = max((home.index(declared) + 1 for declared in local), default=0)
        behind = home[at:]
        self._block(behind)
        kept = [item for item in home[:at] if not any(item is declared for declared in local)]
        home[:] = [*kept, c_ast.Decl(self.name, [], [], [], [], kind, zero, None, coord), *behind]

    def _block(self, items: Block) -> None:
        """Statements that name a pointer as a choice of the turn, swaps as its next one."""
        made, at, firsts = Block(), 0, {id(s.first): s for s in self.swaps}
        while at < len(items):
            swap = firsts.get(id(items[at]))
            if swap is not None:
                made.append(self._next_turn(items[at].coord))
                at += len(swap.statements)
            elif self._swaps_in(items[at]):
                for inner, _ in blocks_in(items[at]):
                    self._block(inner)
                made.append(items[at])
                at += 1
            else:
                length = self._alike(items[at:])
                made += self._choice(items[at : at + length]) if length else [items[at]]
                at += max(length, 1)
        items[:] = made

    def _swaps_in(self, node: c_ast.Node) -> bool:
        return any(n is s.first for n in walk(node) for s in self.swaps)

    def _alike(self, items: Block) -> int:
        """How many statements become one choice: up to the last one before a swap that names a pointer."""
        length = 0
        for at, item in enumerate(items):
            if self._swaps_in(item):
                break
            length = at + 1 if any(free(item, name) for name in self.states[0]) else length
            if not length:
                break
        return length

    def _choice(self, items: Block) -> Block:
        """if (turn == 0) S(a, b) else if (turn == 1) S(b, a) ..."""
        coord, chosen = items[0].coord, None
        for number, state in reversed(list(enumerate(self.states))):
            held = _subscripted(c_ast.Compound(deepcopy(items), coord), state)
            for name in state:  # another name first: what two parameters point to is called as they are
                held = with_value(held, name, c_ast.ID(f"{name}{TURN}", coord))
            for name, base in state.items():
                held = with_value(held, f"{name}{TURN}", base)
            test = c_ast.BinaryOp("==", c_ast.ID(self.name, coord), c_ast.Constant("int", str(number), coord), coord)
            chosen = held if chosen is None else c_ast.If(test, held, chosen, coord)
        return [chosen] if chosen is not None else []

    def _next_turn(self, coord: object) -> c_ast.Node:
        one, many = (c_ast.Constant("int", str(n), coord) for n in (1, len(self.states)))
        step = c_ast.BinaryOp("%", c_ast.BinaryOp("+", c_ast.ID(self.name, coord), one, coord), many, coord)
        return c_ast.Assignment("=", c_ast.ID(self.name, coord), step, coord)
