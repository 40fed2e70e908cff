"""Structures of numbers as one variable per field, on the syntax tree; knows no loops and no values.

struct { float re, im; } z[N];  z[i].re = w.im;   becomes   float z.re[N], z.im[N];  z.re[i] = w.im;

The name with a dot is one that no source can have; fields of structures inside of structures have one dot more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy

from pycparser import c_ast

from sisyphus.frontend.c import complexes
from sisyphus.frontend.c.parse import Tree, counted, walk
from sisyphus.frontend.c.returns import Returns, put
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Structure:
    """Members in their order: the type of each as declared, and its own members where it is a structure, too."""

    members: Mapping[str, tuple[c_ast.Node, Structure | None]]
    #: The type of both parts of a complex number.
    real: str = ""

    def fields(self) -> Iterator[tuple[str, c_ast.Node]]:
        """All numbers and arrays of numbers by their paths (`a.re`), in types with every dimension around them."""
        for name, (kind, inner) in self.members.items():
            if inner is None:
                yield name, kind
            else:
                yield from ((f"{name}.{path}", _around(kind, leaf)) for path, leaf in inner.fields())

    def written(self, path: str, place: str = "{place}") -> str:
        """How C writes a field of `{place}`, with `{}` for each subscript: `{place}.a[{}].re`."""
        name, _, rest = path.partition(".")
        kind, inner = self.members[name]
        if self.real:
            return f"(({self.real} *)&{place})[{list(self.members).index(name)}]"
        own = f"{place}.{name}" + "[{}]" * _dims(kind)
        return own if inner is None else inner.written(rest, own)

    def at(self, path: str) -> Structure | None:
        """The structure at a path, itself where that is empty; None where there is none."""
        name, _, rest = path.partition(".")
        if not name:
            return self
        inner = self.members[name][1] if name in self.members else None
        return None if inner is None else inner.at(rest)

    def initial(self, init: c_ast.Node, path: str, dims: int = 0) -> c_ast.Node:
        """What an initialiser of `dims` dimensions of such structures says of a field."""
        name, _, rest = path.partition(".")
        kind, inner = self.members[name]
        if dims and isinstance(init, c_ast.InitList):
            parts = [self._of_element(part, path, dims - 1) for part in init.exprs]
            return c_ast.InitList(parts, init.coord)
        at = list(self.members).index(name)
        if self.real:
            return c_ast.StructRef(init, "complex", c_ast.ID(name, init.coord), init.coord)
        if isinstance(init, c_ast.InitList):
            given = {e.name[0].name: e.expr for e in init.exprs if _names_member(e)}
            plain = init.exprs[at] if at < len(init.exprs) and not given else None
            found = given.get(name, plain)
        else:
            found = c_ast.StructRef(init, ".", c_ast.ID(name, init.coord), init.coord)
        if found is None:
            zero = c_ast.Constant("int", "0", init.coord)
            is_array = isinstance(dict(self.fields())[path], c_ast.ArrayDecl)
            return c_ast.InitList([zero], init.coord) if is_array else zero
        return found if inner is None else inner.initial(found, rest, _dims(kind))

    def _of_element(self, init: c_ast.Node, path: str, dims: int) -> c_ast.Node:
        if isinstance(init, c_ast.NamedInitializer):
            return c_ast.NamedInitializer(init.name, self.initial(init.expr, path, dims), init.coord)
        return self.initial(init, path, dims)


@dataclass(frozen=True)
class Spelled:
    """How C writes a parameter that was split: its type, and whether the function gets it by value."""

    type: str
    structure: Structure
    by_value: bool


class Structures:
    """Rewrites a file; `spelled` are the parameters that were split, by function and name.

    `places` are how C writes fields of variables, by function (none for variables of the file) and name, with `{}` for
    each subscript.
    """

    def __init__(self, tree: Tree) -> None:
        self.spelled: dict[tuple[str, str], Spelled] = {}
        self.places: dict[tuple[str, str], str] = {}
        self._inside = ""
        self._kinds = {name: _complex(real) for name, real in complexes.KINDS.items()}
        self._known: dict[str, Structure] = {}
        #: Local structures that a function is called with the address of: each array in them is a row of one more.
        self._given_away: set[str] = set()
        self._complexes = complexes.Complexes(self._pair)
        self.returns = Returns(lambda kind: self._structure(kind) is not None)
        items = list[c_ast.Node]()
        for node in tree.root.ext:
            if not isinstance(node, c_ast.FuncDef):
                self._declared(node)
                if isinstance(node, c_ast.Decl):
                    self.returns.declared(node)
                items += self._split([node])
                continue
            outer = dict(self._known)
            self._function(node)
            self._known, self._inside = outer, ""
            items.append(node)
        tree.root.ext = items

    def _declared(self, node: c_ast.Node) -> None:
        """Structures that a declaration or a `typedef` of the file defines."""
        for inner in reversed([n for n in walk(node) if isinstance(n, c_ast.Struct)]):
            found = self._made(inner)
            if found is not None and inner.name:
                self._kinds[f"struct {inner.name}"] = found
        if isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.TypeDecl):
            kind = self._structure(node.type)
            if kind is not None:
                self._kinds[node.name] = kind

    def _made(self, struct: c_ast.Struct) -> Structure | None:
        """The structure that a definition is; None where it is none, or holds something else than numbers."""
        members = dict[str, tuple[c_ast.Node, Structure | None]]()
        for part in struct.decls or []:
            if not isinstance(part, c_ast.Decl) or not part.name or part.bitsize is not None:
                return None
            inner = self._structure(part.type)
            if inner is None and not _holds_numbers(part.type):
                return None
            members[part.name] = part.type, inner
        return Structure(members) if members else None

    # -- functions ---------------------------------------------------------------------------------------------

    def _function(self, node: c_ast.FuncDef) -> None:
        self.returns.lower(node)
        self._inside = node.decl.name
        arguments = node.decl.type.args if isinstance(node.decl.type, c_ast.FuncDecl) else None
        if arguments is not None:
            for parameter in (p for p in arguments.params if isinstance(p, c_ast.Decl) and p.name):
                kind = self._structure(parameter.type)
                if kind is not None:
                    by_value = isinstance(parameter.type, c_ast.TypeDecl)
                    spelled = Spelled(_name_of(_leaf(parameter.type)), kind, by_value)
                    self.spelled[node.decl.name, parameter.name] = spelled
            arguments.params = self._split(arguments.params)
        self._given_away = _declared_in(node.body) & _addressed_in(node.body) - set(self._known)
        self._rewrite(node.body)

    def _structure(self, node: c_ast.Node) -> Structure | None:
        """The structure that a declarator is of."""
        if not isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
            return None
        leaf = _leaf(node)
        found = self._kinds.get(_name_of(leaf))
        is_new = isinstance(leaf.type, c_ast.Struct) and leaf.type.decls is not None
        return self._made(leaf.type) if found is None and is_new else found

    def _split(self, declarations: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        """Declarations, every one of a structure as one per field."""
        found = list[c_ast.Node]()
        for node in declarations:
            is_variable = type(node) is c_ast.Decl and node.name and not isinstance(node.type, c_ast.FuncDecl)
            kind = self._structure(node.type) if is_variable else None
            if kind is None:
                found.append(node)
                continue
            self._known[node.name] = kind
            for path, leaf in kind.fields():
                field = self._field(node, path, leaf, kind)
                found.append(field)
                if isinstance(leaf, c_ast.ArrayDecl) and isinstance(field.init, c_ast.StructRef):
                    # An array gets its values from another one element by element.
                    field.init, source = None, field.init
                    place = self._path(c_ast.ID(node.name, node.coord), path)
                    found.append(_assigned(place, self._resolved(source), leaf, node))
        return found

    def _field(self, node: c_ast.Decl, path: str, kind: c_ast.Node, structure: Structure) -> c_ast.Decl:
        kind = _around(node.type, kind)
        field = c_ast.Decl(
            f"{node.name}.{path}", node.quals, node.align, node.storage, node.funcspec, kind, None, None, node.coord
        )
        place = node.name + "[{}]" * _dims(node.type)
        if node.init is not None:
            field.init = deepcopy(structure.initial(node.init, path, _dims(node.type)))
        if (
            node.name in self._given_away
            and isinstance(kind, c_ast.ArrayDecl)
            and isinstance(node.type, c_ast.TypeDecl)
        ):
            field.type = c_ast.ArrayDecl(kind, c_ast.Constant("int", "1", node.coord), [], node.coord)
            place = f"(&{node.name})[{{}}]"
            if isinstance(field.init, c_ast.InitList):
                field.init = c_ast.InitList([field.init], node.coord)
        self.places[self._inside, field.name] = structure.written(path, place)
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
            put(node, name, self._replaced(child))
            self._rewrite(_get(node, name))

    def _replaced(self, node: c_ast.Node) -> c_ast.Node:
        """A member of a structure as its own variable; an assignment of a whole structure in braces."""
        while (real := self._complexes.real(node)) is not None:
            node = real
        if isinstance(node, c_ast.StructRef):
            return self._resolved(node)
        copied = self._copied(node)
        return node if copied == [node] else c_ast.Compound(copied, node.coord)

    def _resolved(self, node: c_ast.Node) -> c_ast.Node:
        """A place with its members in the name: `p[i].a.re` is `p.a.re[i]`."""
        match node:
            case c_ast.StructRef():
                base = self._resolved(node.name)
                base = base if node.type == "." else c_ast.UnaryOp("*", base, node.coord)
                found = self._member(base, node.field.name)
                return node if found is None else found
            case c_ast.ArrayRef():
                return c_ast.ArrayRef(self._resolved(node.name), node.subscript, node.coord)
            case c_ast.UnaryOp(op="*" | "&"):
                return c_ast.UnaryOp(node.op, self._resolved(node.expr), node.coord)
        return node

    def _copied(self, node: c_ast.Node) -> list[c_ast.Node]:
        """The assignment of a structure as assignments of its fields."""
        of_parts = self._complexes.assigned(node) if isinstance(node, c_ast.Assignment) else None
        if of_parts is not None:
            return of_parts
        if isinstance(node, c_ast.Assignment) and node.op == "=":
            left, right = self._resolved(node.lvalue), self._resolved(node.rvalue)
            kind, other = self._structure_of(left), self._structure_of(right)
            if kind is not None and other is not None and list(kind.members) == list(other.members):
                parts = [(self._path(left, p), self._path(right, p), leaf) for p, leaf in kind.fields()]
                return [_assigned(one, two, leaf, node) for one, two, leaf in parts]
        return [node]

    def _given(self, node: c_ast.Node) -> list[c_ast.Node]:
        """An argument of a call: a structure, or the address of some, field by field."""
        pair = self._complexes.parts(node)
        if pair is not None:
            return [deepcopy(pair.re), deepcopy(pair.im)]
        node = self._resolved(node)
        kind = self._structure_of(node)
        return [node] if kind is None else [self._path(node, path) for path, _ in kind.fields()]

    def _pair(self, node: c_ast.Node) -> complexes.Pair | None:
        """The parts of a complex variable or element; None for everything else."""
        place = self._resolved(node)
        kind = self._structure_of(place)
        is_place = not (isinstance(node, c_ast.UnaryOp) and node.op == "&") and kind is not None and kind.real
        if kind is None or not is_place:
            return None
        return complexes.Pair(self._path(place, "re"), self._path(place, "im"), kind.real)

    def _structure_of(self, node: c_ast.Node) -> Structure | None:
        """What structure a place is of, or an address of some."""
        while not isinstance(node, c_ast.ID):
            if isinstance(node, c_ast.ArrayRef):
                node = node.name
            elif isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&"):
                node = node.expr
            else:
                return None
        name, _, path = node.name.partition(".")
        return self._known[name].at(path) if name in self._known else None

    def _member(self, node: c_ast.Node, name: str) -> c_ast.Node | None:
        """The member of a structure, or of an address of some; None where that is none."""
        kind = self._structure_of(node)
        return self._path(node, name) if kind is not None and name in kind.members else None

    def _leaf_of(self, name: str, path: str) -> c_ast.Node | None:
        """The type of a field; None for what is no field."""
        return dict(self._known[name].fields()).get(path) if name in self._known else None

    def _path(self, node: c_ast.Node, path: str) -> c_ast.Node:
        """A place with a path behind its name."""
        match node:
            case c_ast.ID(name=name):
                found = c_ast.ID(f"{name}.{path}", node.coord)
                base, _, whole = found.name.partition(".")
                if base not in self._given_away or not isinstance(self._leaf_of(base, whole), c_ast.ArrayDecl):
                    return found
                return c_ast.ArrayRef(found, c_ast.Constant("int", "0", node.coord), node.coord)
            case c_ast.ArrayRef():
                return c_ast.ArrayRef(self._path(node.name, path), deepcopy(node.subscript), node.coord)
            case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)):
                pointed, (base, _, before) = self._path(node.expr, path), name.partition(".")
                whole = ".".join(filter(None, (before, path)))
                if isinstance(self._leaf_of(base, whole), c_ast.ArrayDecl):
                    return c_ast.ArrayRef(pointed, c_ast.Constant("int", "0", node.coord), node.coord)
                return c_ast.UnaryOp("*", pointed, node.coord)
        return c_ast.UnaryOp(node.op, self._path(node.expr, path), node.coord)


def _declared_in(body: c_ast.Node) -> set[str]:
    """Names of plain variables that a function declares once."""
    found = [n.name for n in walk(body) if isinstance(n, c_ast.Decl) and isinstance(n.type, c_ast.TypeDecl)]
    return {name for name in found if found.count(name) == 1}


def _addressed_in(body: c_ast.Node) -> set[str]:
    """Names that a function takes the address of."""
    return {
        n.expr.name for n in walk(body) if isinstance(n, c_ast.UnaryOp) and n.op == "&" and isinstance(n.expr, c_ast.ID)
    }


def _assigned(left: c_ast.Node, right: c_ast.Node, kind: c_ast.Node, node: c_ast.Node, depth: int = 0) -> c_ast.Node:
    """The assignment of a field, an array of numbers element by element."""
    if not isinstance(kind, c_ast.ArrayDecl):
        return c_ast.Assignment("=", left, right, node.coord)
    name, coord = f"copied.{depth}", node.coord
    one, other = (c_ast.ArrayRef(side, c_ast.ID(name, coord), coord) for side in (left, right))
    return counted(name, deepcopy(kind.dim), _assigned(one, other, kind.type, node, depth + 1), coord)


def _complex(real: str) -> Structure:
    """A complex number as a structure of its parts."""
    parts = ((name, c_ast.TypeDecl(name, [], None, c_ast.IdentifierType([real]))) for name in ("re", "im"))
    return Structure({name: (kind, None) for name, kind in parts}, real)


def _names_member(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.NamedInitializer) and isinstance(node.name[0], c_ast.ID)


def _holds_numbers(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType)


def _around(declarator: c_ast.Node, kind: c_ast.Node) -> c_ast.Node:
    """A type with the dimensions, the pointer and the qualifiers of a declarator around it."""
    found, kind = deepcopy(declarator), deepcopy(kind)
    leaf = _leaf(kind)
    leaf.quals = [*leaf.quals, *_leaf(found).quals]
    if isinstance(found, c_ast.TypeDecl):
        return kind
    inner = found
    while not isinstance(inner.type, c_ast.TypeDecl):
        inner = inner.type
    inner.type = kind
    return found


def _dims(node: c_ast.Node) -> int:
    """How many dimensions a declarator has."""
    count = 0
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
        count, node = count + 1, node.type
    return count


def _name_of(leaf: c_ast.TypeDecl) -> str:
    """How C spells the type of a declarator."""
    if isinstance(leaf.type, c_ast.Struct):
        return f"struct {leaf.type.name}"
    return complexes.spelled(leaf.type.names) if isinstance(leaf.type, c_ast.IdentifierType) else ""


def _leaf(node: c_ast.Node) -> c_ast.TypeDecl:
    while not isinstance(node, c_ast.TypeDecl):
        node = node.type
    return node


def _get(node: c_ast.Node, name: str) -> c_ast.Node:
    key, _, at = name.partition("[")
    value = getattr(node, key)
    return value[int(at.rstrip("]"))] if at else value
