"""Structures that functions return, as variables whose address the function gets, on the syntax tree.

y = add(mul(a, b), c);   becomes   T t1, t2; mul(&t1, a, b); add(&t2, t1, c); y = t2;

A literal `(T){...}` becomes a variable, too. Knows neither fields nor values.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.jumps import leaves_loops

#: The parameter that stands for the result.
RESULT = "sisy_result"
#: Where statements stand, by the kind of what is around them.
BODIES: dict[type[c_ast.Node], tuple[str, ...]] = {
    c_ast.If: ("iftrue", "iffalse"),
    c_ast.For: ("stmt",),
    c_ast.While: ("stmt",),
    c_ast.DoWhile: ("stmt",),
    c_ast.Switch: ("stmt",),
    c_ast.Label: ("stmt",),
}


class Returns:
    """Rewrites functions in the order of the file; `is_structure` says it of a declarator.

    `functions` are those that return structures, `misplaced` their calls that may not be computed whenever the
    statement around them is, and stay as they are.
    """

    def __init__(self, is_structure: Callable[[c_ast.Node], bool]) -> None:
        self.functions: dict[str, c_ast.TypeDecl] = {}
        self.misplaced: list[c_ast.FuncCall] = []
        self._is_structure = is_structure
        self._temporaries = 0

    def lower(self, function: c_ast.FuncDef) -> None:
        """One function: the calls in it, and its own result."""
        self.declared(function.decl)
        kind = self.functions.get(function.decl.name)
        if kind is not None and leaves_loops(function.body.block_items or []):
            _begin_with_zeros(function, kind)
        self._block(function.body, returns=kind is not None)
        if kind is None:
            return
        coord, signature = function.decl.coord, function.decl.type
        result = c_ast.Decl(RESULT, [], [], [], [], c_ast.PtrDecl([], _named(kind, RESULT), coord), None, None, coord)
        given = [p for p in (signature.args.params if signature.args else []) if isinstance(p, c_ast.Decl)]
        signature.args = c_ast.ParamList([result, *given], coord)
        signature.type = c_ast.TypeDecl(function.decl.name, [], None, c_ast.IdentifierType(["void"], coord), coord)

    def declared(self, node: c_ast.Decl) -> None:
        """A function that is declared or defined."""
        kind = node.type.type if isinstance(node.type, c_ast.FuncDecl) else None
        if isinstance(kind, c_ast.TypeDecl) and self._is_structure(kind):
            self.functions[node.name] = deepcopy(kind)

    def _block(self, node: c_ast.Compound, *, returns: bool) -> None:
        node.block_items = [part for item in node.block_items or [] for part in self._statement(item, returns)]

    def _statement(self, node: c_ast.Node, returns: bool) -> list[c_ast.Node]:
        """A statement without such calls, behind those that take their place."""
        before = list[c_ast.Node]()
        match node:
            case c_ast.Compound():
                self._block(node, returns=returns)
            case c_ast.Case() | c_ast.Default():
                node.stmts = [part for item in node.stmts or [] for part in self._statement(item, returns)]
            case c_ast.Decl(init=c_ast.FuncCall() as call) if self._returns(call):
                node.init = None
                if call.args is not None:
                    call.args.exprs = [self._without(given, before) for given in call.args.exprs]
                return [*before, node, self._called(call, node.name)]
            case c_ast.Return(expr=c_ast.Node()) if returns:
                node.expr = self._without(node.expr, before)
                place = c_ast.UnaryOp("*", c_ast.ID(RESULT, node.coord), node.coord)
                return [
                    c_ast.Compound(
                        [*before, c_ast.Assignment("=", place, node.expr, node.coord), c_ast.Return(None, node.coord)],
                        node.coord,
                    )
                ]
            case c_ast.If():
                node.cond = self._without(node.cond, before)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
                pass
            case _:
                for name, child in node.children():
                    put(node, name, self._without(child, before))
        for name in BODIES.get(type(node), ()):
            inner = getattr(node, name)
            if inner is not None:
                parts = self._statement(inner, returns)
                setattr(node, name, parts[0] if len(parts) == 1 else c_ast.Compound(parts, inner.coord))
        return [*before, node]

    def _without(self, node: c_ast.Node, before: list[c_ast.Node], *, always: bool = True) -> c_ast.Node:
        """An expression without such calls and literals; `before` gets what computes them."""
        sometimes = isinstance(node, c_ast.TernaryOp) or (isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"))
        for at, (name, child) in enumerate(node.children()):
            put(node, name, self._without(child, before, always=always and not (sometimes and at)))
        is_literal = isinstance(node, c_ast.CompoundLiteral) and self._is_structure(node.type.type)
        if not (is_literal or (isinstance(node, c_ast.FuncCall) and self._returns(node))):
            return node
        if not always:
            self.misplaced += [node] if isinstance(node, c_ast.FuncCall) else []
            return node
        self._temporaries += 1
        name = f"sisy_value_{self._temporaries}"
        kind = node.type.type if is_literal else self.functions[node.name.name]
        init = node.init if is_literal else None
        before.append(c_ast.Decl(name, [], [], [], [], _named(kind, name), init, None, node.coord))
        if not is_literal:
            before.append(self._called(node, name))
        return c_ast.ID(name, node.coord)

    def _returns(self, call: c_ast.FuncCall) -> bool:
        return isinstance(call.name, c_ast.ID) and call.name.name in self.functions

    def _called(self, call: c_ast.FuncCall, name: str) -> c_ast.FuncCall:
        """The call with the address of what gets its result."""
        address = c_ast.UnaryOp("&", c_ast.ID(name, call.coord), call.coord)
        given = [address, *(call.args.exprs if call.args is not None else [])]
        return c_ast.FuncCall(call.name, c_ast.ExprList(given, call.coord), call.coord)


def hand_back(function: c_ast.FuncDef) -> None:
    """Lets a function that returns a number write it to the address that it gets behind its arguments.

    float f(...) { ... return e; }   becomes   void f(..., float *sisy_result) { ... { *sisy_result = e; return; } }
    """
    coord, signature, name = function.decl.coord, function.decl.type, function.decl.name
    kind = deepcopy(signature.type)
    kind.declname, kind.quals = RESULT, []
    result = c_ast.Decl(RESULT, [], [], [], [], c_ast.PtrDecl([], kind, coord), None, None, coord)
    given = [p for p in (signature.args.params if signature.args else []) if isinstance(p, c_ast.Decl)]
    signature.args = c_ast.ParamList([*given, result], coord)
    signature.type = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["void"], coord), coord)
    if leaves_loops(function.body.block_items or []):  # the result is a choice then, and needs a first value
        zero = c_ast.Constant("int", "0", coord)
        first = c_ast.Assignment("=", c_ast.UnaryOp("*", c_ast.ID(RESULT, coord), coord), zero, coord)
        function.body.block_items.insert(0, first)
    _handed_back(function.body)


def _begin_with_zeros(function: c_ast.FuncDef, kind: c_ast.TypeDecl) -> None:
    """Lets a structure that is returned from inside of loops have a first value, of which later ones are choices."""
    coord, zeros = function.decl.coord, f"{RESULT}_zeros"
    nothing = c_ast.InitList([c_ast.Constant("int", "0", coord)], coord)
    first = c_ast.Decl(zeros, [], [], [], [], _named(kind, zeros), nothing, None, coord)
    place = c_ast.UnaryOp("*", c_ast.ID(RESULT, coord), coord)
    written = c_ast.Assignment("=", place, c_ast.ID(zeros, coord), coord)
    function.body.block_items[:0] = [first, written]


def _handed_back(node: c_ast.Node) -> c_ast.Node:
    """Everything below a node with its results written."""
    if isinstance(node, c_ast.Return) and node.expr is not None:
        place = c_ast.UnaryOp("*", c_ast.ID(RESULT, node.coord), node.coord)
        written = c_ast.Assignment("=", place, node.expr, node.coord)
        return c_ast.Compound([written, c_ast.Return(None, node.coord)], node.coord)
    for name, child in node.children():
        put(node, name, _handed_back(child))
    return node


def always_returns(node: c_ast.Node | None) -> bool:
    """Whether the end of a statement is never reached, as far as its text says."""
    match node:
        case c_ast.Return():
            return node.expr is not None
        case c_ast.Compound():
            return bool(node.block_items) and any(map(always_returns, node.block_items))
        case c_ast.If():
            return always_returns(node.iftrue) and always_returns(node.iffalse)
        case c_ast.Label():
            return always_returns(node.stmt)
    return False


def _named(kind: c_ast.TypeDecl, name: str) -> c_ast.TypeDecl:
    return c_ast.TypeDecl(name, [], None, deepcopy(kind.type), kind.coord)


def put(node: c_ast.Node, name: str, value: c_ast.Node) -> None:
    """Sets the child that `children` calls by this name."""
    key, _, at = name.partition("[")
    if at:
        getattr(node, key)[int(at.rstrip("]"))] = value
    else:
        setattr(node, key, value)
