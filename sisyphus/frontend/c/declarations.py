"""Arrays and locals of the function: their ids, extents and types, and which names shape the loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import EXTENT
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.c_types import Declared
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.file import assigned_names
from sisyphus.frontend.c.parse import walk
from sisyphus.frontend.c.safe_names import fresh
from sisyphus.frontend.c.scope import MOST_ELEMENTS, Unusable, Variable
from sisyphus.ir import ArrayId, ScalarType
from sisyphus.source import Span
from sisyphus.values import dataclass


@dataclass(frozen=True)
class NameFacts:
    """What the text of a function says about its names: written, shaping loops, counting them, occurring, jumped to,
    and shaping loops otherwise than by conditions."""

    assigned: set[str]
    shaping: set[str]
    counting: set[str]
    occurring: set[str]
    jumped_to: set[str]
    bounding: set[str]


def facts_of(decl: c_ast.Decl, body: c_ast.Compound | None) -> NameFacts:
    counting = {
        n.init.lvalue.name
        for n in walk(body)
        if isinstance(n, c_ast.For) and isinstance(n.init, c_ast.Assignment) and isinstance(n.init.lvalue, c_ast.ID)
    }
    occurring = {n.name for n in walk(body) if isinstance(n, c_ast.ID)}
    jumped_to = {n.name for n in walk(body) if isinstance(n, c_ast.Goto)}
    bounding = {n.name for part in shaping_parts(body, conditions=False) for n in walk(part) if isinstance(n, c_ast.ID)}
    return NameFacts(assigned_names(body), shaping_names(decl, body), counting, occurring, jumped_to, bounding)


class Variables:
    """Makes the variables of one function, with ids that are unique in it."""

    def __init__(self, function: c_ast.FuncDef) -> None:
        self.function = str(function.decl.name)
        self.facts = facts_of(function.decl, function.body)
        self.all: list[Variable] = []
        self.statics: dict[int, Variable] = {}  # by the declarations of functions
        self._taken = {self.function}
        self._iterators = set[str]()

    def shapes_loops(self, name: str) -> bool:
        """Whether a name occurs in a bound, a subscript, a condition or an extent, directly or through a local."""
        return name in self.facts.shaping

    def written(self) -> set[ArrayId]:
        """The variables that were written so far."""
        return {v.id for v in self.all if v.written}

    @contextmanager
    def as_written(self, ids: set[ArrayId]) -> Iterator[None]:
        """Within, only some variables count as written: another way leads here, past the writes of others."""
        others = [v for v in self.all if v.written and v.id not in ids]
        for variable in others:
            variable.written = False
        yield
        for variable in others:
            variable.written = True

    def iterator(self, name: str, around: tuple[str, ...]) -> str:
        """A name for a normalised loop inside the loops `around`."""
        safe = fresh(name.replace(".", "_"), {*self._taken, *around})
        self._iterators.add(safe)
        return safe

    def reserve(self, name: str) -> str:
        """A name for an argument or an array; names of iterators are kept free."""
        safe = fresh(name.replace(".", "_"), {*self._taken, *self._iterators})
        self._taken.add(safe)
        return safe

    def counter(self, name: str, kind: ScalarType, span: Span) -> Variable:
        """A variable that only counts a loop."""
        return Variable(ArrayId(name), name, kind, (), span, counts=True)

    def array(
        self,
        name: str,
        kind: ScalarType,
        extents: tuple[int, ...],
        span: Span,
        *,
        depth: int = 0,
        guards: int = 0,
        const: bool = False,
    ) -> Variable:
        """A variable that holds data, under an id of its own."""
        own = ArrayId(self.reserve(name))
        variable = Variable(own, name, kind, extents, span, depth=depth, guards=guards, const=const)
        self.all.append(variable)
        return variable

    def local(self, node: c_ast.Decl, kind: Declared, affines: Affines, guards: int = 0) -> Variable:
        """A local scalar or array as its declaration says, inside so many conditions on data."""
        storage = set(node.storage or ())
        if id(node) in self.statics:
            return self.statics[id(node)]
        if "extern" in storage:
            raise affines.fault("global-variable", f"`{node.name}` is a variable outside the function", node)
        scalar = element_type(node, kind, affines)
        dims = kind.dims if kind.layers else ()
        if dims is None:
            raise affines.fault("unsupported-type", f"`{node.name}` is neither a number nor an array", node)
        extents = self.extents(node, dims, None, affines)
        span = affines.tree.start(node)
        if not extents and node.name in self.facts.counting:
            return self.counter(node.name, scalar, span)
        depth = len(affines.context.loops)
        return self.array(node.name, scalar, extents, span, depth=depth, guards=guards, const=kind.const)

    def extents(
        self,
        node: c_ast.Decl,
        dims: tuple[c_ast.Node | None, ...],
        first: int | None,
        affines: Affines,
        hint: str | None = None,
    ) -> tuple[int, ...]:
        """Constant extents; `first` is what callers say about an open first one, `hint` how it may be given else."""
        sizes = list[int]()
        for dim in dims:
            if dim is None:
                sizes.append(0)
                continue
            sizes.append(affines.constant(dim, EXTENT))
            if sizes[-1] <= 0:
                raise affines.fault("array-extent", f"an extent of `{node.name}` is {sizes[-1]}", dim)
        if dims and dims[0] is None and first is None and isinstance(node.init, c_ast.InitList):
            first = _first_extent(node.init, sizes[1:])
        if dims and dims[0] is None and first is not None:
            sizes[0] = first
        if 0 in sizes:
            at = sizes.index(0)
            raise open_extent(node, at, affines, hint if at == 0 else None)
        if prod(sizes) > MOST_ELEMENTS:
            words = f"`{node.name}` has {prod(sizes)} elements, more than 2^31 - 1"
            raise affines.fault("extent-overflow", words, node)
        return tuple(sizes)


def open_extent(node: c_ast.Decl, at: int, affines: Affines, hint: str | None) -> Refused:
    """The fault of an extent that nothing says."""
    return affines.fault("array-extent", f"the extent of dimension {at + 1} of `{node.name}` is open", node, hint)


def _first_extent(init: c_ast.InitList, inner: Sequence[int]) -> int:
    """The open first extent that an initialiser implies."""
    if any(isinstance(e, c_ast.InitList) for e in init.exprs):
        return len(init.exprs)
    return -(-len(init.exprs) // prod(inner))


def undeclared_yet(node: c_ast.Decl) -> Unusable:
    """What a name means inside its own declaration."""
    return Unusable("undeclared", f"`{node.name}` is used in its own declaration")


def element_type(node: c_ast.Decl, kind: Declared, affines: Affines) -> ScalarType:
    if kind.problem or kind.scalar is None:
        words = kind.problem or "no arithmetic type"
        raise affines.fault(
            "unsupported-type",
            f"`{node.name}` has a type that a kernel cannot hold: {words}",
            node,
            "use float, double or an integer type of 8 to 64 bits",
        )
    return kind.scalar


def shaping_names(decl: c_ast.Decl, body: c_ast.Compound | None) -> set[str]:
    """Names in bounds, subscripts, conditions and extents, and in the initialisers of locals found there."""
    return {n.name for part in shaping_parts(decl, body) for n in walk(part) if isinstance(n, c_ast.ID)}


def shaping_parts(*texts: c_ast.Node | None, conditions: bool = True) -> list[c_ast.Node]:
    """Bounds, subscripts, conditions (or not) and extents, and the initialisers of locals that occur in them."""
    initialisers = dict[str, c_ast.Node]()
    waiting, found, seen = list[c_ast.Node | None](), list[c_ast.Node](), set[str]()
    for node in (n for text in texts for n in walk(text)):
        match node:
            case c_ast.For():
                waiting += [node.init, node.cond, node.next]
            case c_ast.ArrayRef():
                waiting.append(node.subscript)
            case c_ast.If() if conditions:
                waiting.append(node.cond)
            case c_ast.FuncCall(name=c_ast.ID(), args=c_ast.ExprList(exprs=given)):
                # A number given to a function of the file may shape its loops.
                waiting += [part for part in given if isinstance(part, c_ast.ID | c_ast.Constant | c_ast.BinaryOp)]
            case c_ast.ArrayDecl():
                waiting.append(node.dim)
            case c_ast.Decl(init=init) if node.name and init is not None:
                initialisers[node.name] = init
    while waiting:
        part = waiting.pop()
        if part is None:
            continue
        found.append(part)
        for inner in walk(part):
            if isinstance(inner, c_ast.ID) and inner.name not in seen:
                seen.add(inner.name)
                waiting.append(initialisers.get(inner.name))
    return found
