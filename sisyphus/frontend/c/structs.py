"""Structures of numbers as one variable per field, on the syntax tree; knows no loops and no values.

struct { float re, im; } z[N];  z[i].re = w.im;   becomes   float z.re[N], z.im[N];  z.re[i] = w.im;

The name with a dot is one that no source can have.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c.parse import Tree, walk

#: A field's name and its type: a number, or an array of numbers.
Fields = dict[str, c_ast.Node]


class Structures:
    """Rewrites the functions of a file; `spelled` says how C writes the type of a parameter that was split."""

    def __init__(self, tree: Tree) -> None:
        self.spelled: dict[tuple[str, str], str] = {}
        self._kinds: dict[str, Fields] = {}
        self._known: dict[str, Fields] = {}
        for node in tree.root.ext:
            if isinstance(node, c_ast.FuncDef):
                self._function(node)
            else:
                self._declared(node)

    def _declared(self, node: c_ast.Node) -> None:
        """Structures that a declaration or a `typedef` of the file defines."""
        for inner in walk(node):
            if isinstance(inner, c_ast.Struct) and inner.decls is not None and inner.name:
                self._define(f"struct {inner.name}", inner)
        if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl):
            kind = node.type.type
            if isinstance(kind, c_ast.Struct) and kind.decls is not None:
                self._define(node.name, kind)
            elif isinstance(kind, c_ast.Struct) and f"struct {kind.name}" in self._kinds:
                self._kinds[node.name] = self._kinds[f"struct {kind.name}"]

    def _define(self, name: str, struct: c_ast.Struct) -> None:
        fields = {d.name: d.type for d in struct.decls if isinstance(d, c_ast.Decl) and d.name and d.bitsize is None}
        if len(fields) == len(struct.decls) and all(_holds_numbers(kind) for kind in fields.values()):
            self._kinds[name] = fields

    # -- functions ---------------------------------------------------------------------------------------------

    def _function(self, node: c_ast.FuncDef) -> None:
        self._known = {}
        arguments = node.decl.type.args if isinstance(node.decl.type, c_ast.FuncDecl) else None
        if arguments is not None:
            for parameter in (p for p in arguments.params if isinstance(p, c_ast.Decl) and p.name):
                spelled = self._spelling(parameter.type)
                if spelled is not None:
                    self.spelled[node.decl.name, parameter.name] = spelled
            arguments.params = self._split(arguments.params)
        self._rewrite(node.body)

    def _spelling(self, node: c_ast.Node) -> str | None:
        """The name of the structure that a declarator is of."""
        leaf = _leaf(node)
        if isinstance(leaf.type, c_ast.Struct):
            name = f"struct {leaf.type.name}"
        else:
            name = " ".join(leaf.type.names) if isinstance(leaf.type, c_ast.IdentifierType) else ""
        return name if name in self._kinds else None

    def _split(self, declarations: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        """Declarations, every one of a structure as one per field."""
        found = list[c_ast.Node]()
        for node in declarations:
            spelled = self._spelling(node.type) if isinstance(node, c_ast.Decl) and node.name else None
            if spelled is None or isinstance(node.type, c_ast.FuncDecl):
                found.append(node)
                continue
            self._known[node.name] = self._kinds[spelled]
            found += [self._field(node, at, name) for at, name in enumerate(self._kinds[spelled])]
        return found

    def _field(self, node: c_ast.Decl, at: int, name: str) -> c_ast.Decl:
        kind = deepcopy(self._kinds[self._spelling(node.type) or ""][name])
        leaf = _leaf(kind)
        leaf.quals = [*leaf.quals, *_leaf(node.type).quals]
        field = c_ast.Decl(
            f"{node.name}.{name}", node.quals, node.align, node.storage, node.funcspec, kind, None, None, node.coord
        )
        if not isinstance(node.type, c_ast.TypeDecl):
            field.type = deepcopy(node.type)
            inner = field.type
            while not isinstance(inner.type, c_ast.TypeDecl):
                inner = inner.type
            inner.type = kind
        if isinstance(node.init, c_ast.InitList):
            given = [e for e in node.init.exprs if isinstance(e, c_ast.NamedInitializer)]
            named = {e.name[0].name: e.expr for e in given if isinstance(e.name[0], c_ast.ID)}
            zero = c_ast.Constant("int", "0", node.init.coord)
            plain = node.init.exprs[at] if at < len(node.init.exprs) else zero
            field.init = named.get(name, zero) if given else plain
        elif node.init is not None:
            field.init = self._member(node.init, name) or node.init
        return field

    # -- statements and expressions ----------------------------------------------------------------------------

    def _rewrite(self, node: c_ast.Node) -> None:
        """Everything below a node, in the order of the text."""
        if isinstance(node, c_ast.Compound):
            items = list[c_ast.Node]()
            for item in node.block_items or []:
                for part in self._split([item]):
                    items += self._copied(part)
            node.block_items = items
        elif isinstance(node, c_ast.FuncCall) and node.args is not None:
            node.args.exprs = [part for e in node.args.exprs for part in self._given(e)]
        for name, child in node.children():
            _put(node, name, self._replaced(child))
            self._rewrite(_get(node, name))

    def _replaced(self, node: c_ast.Node) -> c_ast.Node:
        """A member of a structure as its own variable; an assignment of a whole structure in braces."""
        if isinstance(node, c_ast.StructRef):
            base = node.name if node.type == "." else c_ast.UnaryOp("*", node.name, node.coord)
            return self._member(base, node.field.name) or node
        copied = self._copied(node)
        return node if copied == [node] else c_ast.Compound(copied, node.coord)

    def _copied(self, node: c_ast.Node) -> list[c_ast.Node]:
        """The assignment of a structure as assignments of its fields."""
        if isinstance(node, c_ast.Assignment) and node.op == "=":
            fields = self._fields_of(node.lvalue)
            if fields is not None and self._fields_of(node.rvalue) == fields:
                pairs = [(self._member(node.lvalue, f), self._member(node.rvalue, f)) for f in fields]
                return [c_ast.Assignment("=", left, right, node.coord) for left, right in pairs]
        return [node]

    def _given(self, node: c_ast.Node) -> list[c_ast.Node]:
        """An argument of a call: a structure, or the address of some, field by field."""
        fields = self._fields_of(node)
        return [node] if fields is None else [self._member(node, name) or node for name in fields]

    def _fields_of(self, node: c_ast.Node) -> Fields | None:
        while not isinstance(node, c_ast.ID):
            if isinstance(node, c_ast.ArrayRef):
                node = node.name
            elif isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&"):
                node = node.expr
            else:
                return None
        return self._known.get(node.name)

    def _member(self, node: c_ast.Node, field: str) -> c_ast.Node | None:
        """The field of a structure, or of an address of some; None where that is none."""
        if field not in (self._fields_of(node) or {}):
            return None
        match node:
            case c_ast.ID(name=name):
                return c_ast.ID(f"{name}.{field}", node.coord)
            case c_ast.ArrayRef():
                return c_ast.ArrayRef(self._member(node.name, field), node.subscript, node.coord)
        return c_ast.UnaryOp(node.op, self._member(node.expr, field), node.coord)


def _holds_numbers(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType)


def _leaf(node: c_ast.Node) -> c_ast.Node:
    while not isinstance(node, c_ast.TypeDecl):
        node = node.type
    return node


def _get(node: c_ast.Node, name: str) -> c_ast.Node:
    key, _, at = name.partition("[")
    value = getattr(node, key)
    return value[int(at.rstrip("]"))] if at else value


def _put(node: c_ast.Node, name: str, value: c_ast.Node) -> None:
    key, _, at = name.partition("[")
    if at:
        getattr(node, key)[int(at.rstrip("]"))] = value
    else:
        setattr(node, key, value)
