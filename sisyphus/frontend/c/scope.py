"""What names mean: constants, parameters, iterators, arrays; knows no syntax beyond the nodes it carries."""

from __future__ import annotations

from pycparser import c_ast

from sisyphus.frontend.c.bound import SourceBound
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.ir import ArrayId, Expr, Literal, ScalarType, Table
from sisyphus.poly import Affine
from sisyphus.source import Span
from sisyphus.values import dataclass, field

#: Of an array: subscripts of emitted code are of type int.
MOST_ELEMENTS = 2**31 - 1


@dataclass(frozen=True)
class Constant:
    """A name with a value known now: an enumerator, a `const` number of the file."""

    value: Literal | Expr
    integer: int | None
    type: ScalarType


@dataclass
class Parameter:
    """A scalar parameter of the function; `value` is set where it is fixed."""

    name: str
    type: ScalarType
    span: Span
    value: int | None = None
    shapes_loops: bool = False
    const: bool = False
    callers_differ: bool = False

    @property
    def is_data(self) -> bool:
        """Whether it is a number like others where it is written: no value of it shapes the kernel."""
        return not self.shapes_loops or self.value is None


@dataclass(frozen=True)
class Alias:
    """A local integer that stands for an affine expression and is never written again.

    Without a value it is one only in each case of where it is used: then its text is read there again.
    """

    value: SourceBound | None
    type: ScalarType
    node: c_ast.Node | None = None
    scope: Scope | None = None


@dataclass
class Variable:
    """An array or a local scalar; a scalar may serve as loop iterator instead.

    `depth` loops surround its declaration and `guards` conditions on data. One that `counts` holds no data, `binding`
    is its value inside its loop. A `table` never changes, what `is_static` lives from call to call. `looked_up` is
    where no affine subscript says what is read. The first extent of an argument may be `open`, which it says there.
    """

    id: ArrayId
    name: str
    type: ScalarType
    extents: tuple[int, ...]
    span: Span
    is_argument: bool = False
    const: bool = False
    is_static: bool = False
    depth: int = 0
    guards: int = 0
    binding: SourceBound | None = None
    counts: bool = False
    read: bool = False
    written: bool = False
    table: Table | None = None
    looked_up: Span | None = None
    open: Refused | None = None


@dataclass(frozen=True)
class SubArray:
    """A part of an array under a name of its own: its leading subscripts, and what is added to the next one.

    Without an `offset` it is a single element, as a pointer to a scalar is.
    """

    variable: Variable
    index: tuple[Affine, ...]
    offset: Affine | None
    const: bool = False

    @property
    def rank(self) -> int:
        """How many subscripts name an element."""
        return len(self.variable.extents) - len(self.index)


@dataclass(frozen=True)
class Function:
    """A function of the file: its body is None where it is only declared."""

    name: str
    decl: c_ast.Decl
    body: c_ast.Compound | None

    @property
    def parameters(self) -> list[c_ast.Decl]:
        """The parameters that have names."""
        arguments = self.decl.type.args
        return [p for p in (arguments.params if arguments else []) if isinstance(p, c_ast.Decl)]


@dataclass(frozen=True)
class Unusable:
    """A name whose use is refused: rule, message and hint to give; no rule if its declaration was refused already."""

    rule: str = ""
    message: str = ""
    hint: str | None = None


Entity = Constant | Parameter | Alias | Variable | SubArray | Function | Unusable


@dataclass
class Scope:
    """One block's names, inside those of the blocks around it."""

    outer: Scope | None = None
    names: dict[str, Entity] = field(default_factory=dict)

    def find(self, name: str) -> Entity | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    @property
    def outermost(self) -> Scope:
        """The names of the file."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


def names_number(node: c_ast.Node, scope: Scope) -> bool:
    """Whether a name stands for a number that nothing changes: a parameter that is a pointer to one does, too."""
    return isinstance(node, c_ast.ID) and isinstance(scope.find(node.name), Constant | Parameter | Alias)
