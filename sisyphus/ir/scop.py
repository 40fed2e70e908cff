"""What a kernel is: a static control part as frozen values; knows neither C syntax nor hardware.

Every loop is normalised: it ascends by one. Parameters have been replaced by their values, so domains are sets of
integer points without parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum
from functools import cached_property
from typing import NewType

from sisyphus.errors import InternalError
from sisyphus.ir.expr import ArrayId, Expr, Index, Lookup, Ref, reads, walk
from sisyphus.ir.types import ScalarType
from sisyphus.poly import Map, Set, make_map
from sisyphus.source import Span
from sisyphus.values import dataclass, field, replace

StmtId = NewType("StmtId", str)


class Role(Enum):
    """How the kernel uses an array: the text decides, not the data flow."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    LOCAL = "local"


@dataclass(frozen=True)
class Array:
    """A named block of elements; extents are empty for a scalar variable that is written in the scop.

    A view is another name for the memory of the array `view_of`, in one nest: it has no argument of its own. `still`
    are the loops of that nest that must stand still while a copy of some of its elements is used. A `lasting` one is
    read beside the array itself, and of nothing that is written while its nest runs: it may live as long as any array.
    With an `own_port` nothing at all writes before that, so that it has an argument with the same data, or arrives with
    the array itself. A `given` one is filled before anything is stored, and read in any order.
    """

    id: ArrayId
    type: ScalarType
    extents: tuple[int, ...]
    role: Role
    span: Span
    view_of: ArrayId | None = None
    still: tuple[str, ...] = ()
    lasting: bool = False
    own_port: bool = False
    given: bool = False

    @property
    def port(self) -> ArrayId:
        """The argument that the elements arrive by."""
        return self.id if self.own_port else self.home

    @property
    def home(self) -> ArrayId:
        """The array whose memory holds the elements."""
        return self.view_of or self.id

    @property
    def elements(self) -> int:
        total = 1
        for extent in self.extents:
            total *= extent
        return total


@dataclass(frozen=True)
class Table:
    """An array that never changes: its elements in the order of memory, as expressions of literals."""

    id: str
    type: ScalarType
    extents: tuple[int, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class Member:
    """The field of a structure that the source passes as one argument, by its value or its address.

    `type` is as C spells it, `field` too, with `{}` for each subscript behind those of the argument `{place}`.
    """

    argument: str
    type: str
    field: str
    by_value: bool


@dataclass(frozen=True)
class Kept:
    """A local variable that lives from call to call: its name, line and column of the `;` behind its declaration.

    `place` is how C writes it, with `{}` for each subscript where it is a field of a structure.
    """

    name: str
    place: str
    line: int
    column: int


@dataclass(frozen=True)
class Argument:
    """A parameter of the C function, in the order of its signature.

    `kind` is "array", "scalar", or "parameter": an integer that was fixed to `value` and left the top function.
    `outside` is the variable of the file that it stands for, as C writes it, with `{}` for each subscript where it is a
    field of a structure; `kept` is a local one that lives on, `returned` what gets the function's result, `is_local` a
    local array that lies in memory, where no chip has room for it: C's function does not have these.
    """

    name: str
    kind: str
    type: ScalarType
    value: int | None = None
    member: Member | None = None
    outside: str = ""
    returned: bool = False
    kept: Kept | None = None
    is_local: bool = False

    @property
    def is_in_c(self) -> bool:
        """Whether the C function has it, too."""
        return not self.outside and not self.returned and self.kept is None and not self.is_local

    @property
    def is_subscripted(self) -> bool:
        """Whether the source's entry writes it with a subscript for each dimension, as a field of structures."""
        kept, field = ("" if self.kept is None else self.kept.place), ("" if self.member is None else self.member.field)
        return any("{}" in text for text in (self.outside, kept, field))


@dataclass(frozen=True, eq=False)
class Access:
    """One reference of a statement as a relation from its domain to array elements."""

    array: ArrayId
    is_write: bool
    ref: Ref
    relation: Map


@dataclass(frozen=True, eq=False)
class Statement:
    """An assignment `write = rhs` executed for every point of its domain.

    `iterators` are the loops around it, outermost first; `position` (one longer) is its place among its siblings at
    every depth, so that (position[0], iterators[0], position[1], …) orders instances as the source does; two statements
    share a loop exactly when their positions agree up to it. A compound assignment has its left side inside `rhs`.
    """

    id: StmtId
    iterators: tuple[str, ...]
    domain: Set
    position: tuple[int, ...]
    write: Ref
    write_type: ScalarType
    rhs: Expr
    span: Span

    @cached_property
    def reads(self) -> tuple[Ref, ...]:
        """Distinct elements read, in order of first appearance."""
        return tuple(dict.fromkeys(reads(self.rhs)))

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The write first, then the distinct reads."""
        return (self._access(self.write, is_write=True), *(self._access(r, is_write=False) for r in self.reads))

    def _access(self, ref: Ref, *, is_write: bool) -> Access:
        dims = [f"d{at}" for at in range(len(ref.index))]
        relation = make_map(self.id, self.iterators, ref.array, dims, ref.index)
        return Access(ref.array, is_write, ref, relation.intersect_domain(self.domain))

    @cached_property
    def looked_up(self) -> tuple[ArrayId, ...]:
        """Arrays of which only data say which elements are read."""
        found = (e for e in walk(self.rhs) if isinstance(e, Lookup) and e.loaded)
        return tuple(dict.fromkeys(ArrayId(e.table) for e in found))

    @cached_property
    def touched(self) -> tuple[ArrayId, ...]:
        """The arrays that it writes, reads and looks up, each once."""
        reads = (r.array for r in self.reads)
        return tuple(dict.fromkeys((self.write.array, *reads, *self.looked_up)))

    @property
    def body(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The innermost loop that it stands in: equal for statements that have all of their loops in common."""
        return self.position[:-1], self.iterators

    def shared_loops(self, other: Statement) -> int:
        """How many outermost loops the two have in common."""
        depth = 0
        limit = min(len(self.iterators), len(other.iterators))
        while depth < limit and self.position[depth] == other.position[depth]:
            depth += 1
        return depth

    def __str__(self) -> str:
        return f"{self.id}[{', '.join(self.iterators)}]"


@dataclass(frozen=True)
class Origin:
    """Where a scop came from: enough to compile its source again as the reference.

    `defines`, `include_dirs` and `extents` are those given on the command line (`NAME=VALUE`), `digest` the SHA-256 of
    the text, `widths` the types of sisy_types.h that it uses, `local_bytes` how large its local arrays are together.
    """

    path: str
    text: str
    function: str
    digest: str
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    widths: tuple[str, ...] = ()
    local_bytes: int = 0


@dataclass(frozen=True, eq=False)
class Scop:
    """A whole kernel: statements in textual order over named arrays; those `fused` stay in one nest.

    `temporaries` are arguments whose last values nobody wants.
    """

    name: str
    arguments: tuple[Argument, ...]
    arrays: tuple[Array, ...]
    statements: tuple[Statement, ...]
    origin: Origin
    notes: tuple[str, ...] = field(default=())
    tables: tuple[Table, ...] = field(default=())
    fused: tuple[tuple[StmtId, ...], ...] = field(default=())
    temporaries: tuple[str, ...] = field(default=())

    @cached_property
    def _arrays_by_id(self) -> dict[ArrayId, Array]:
        return {a.id: a for a in self.arrays}

    @cached_property
    def _statements_by_id(self) -> dict[StmtId, Statement]:
        return {s.id: s for s in self.statements}

    def array(self, name: ArrayId) -> Array:
        if name not in self._arrays_by_id:
            raise InternalError(f"no array `{name}` in `{self.name}`")
        return self._arrays_by_id[name]

    def home(self, name: ArrayId) -> ArrayId:
        """The array whose memory holds the elements of an array: itself, or what it is a view of."""
        return self.array(name).home

    def statement(self, name: StmtId) -> Statement:
        if name not in self._statements_by_id:
            raise InternalError(f"no statement `{name}` in `{self.name}`")
        return self._statements_by_id[name]

    @cached_property
    def variables(self) -> tuple[ArrayId, ...]:
        """Local variables that are no arrays."""
        return tuple(a.id for a in self.arrays if a.role is Role.LOCAL and not a.extents)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        """Scalar arguments that stay in the top function's signature."""
        return tuple(a for a in self.arguments if a.kind == "scalar")

    @cached_property
    def types(self) -> frozenset[ScalarType]:
        """Every type that is read, written or computed."""
        kept = {a.type for a in self.arrays} | {a.type for a in self.scalars} | {t.type for t in self.tables}
        return frozenset(kept | {e.type for s in self.statements for e in walk(s.rhs)})

    @cached_property
    def looked_up(self) -> frozenset[ArrayId]:
        """Arrays of which only data say which elements are read; the kernel writes none of them."""
        return frozenset(array for s in self.statements for array in s.looked_up)

    def writers(self, array: ArrayId) -> Iterator[Statement]:
        return (s for s in self.statements if s.write.array == array)

    def readers(self, array: ArrayId) -> Iterator[Statement]:
        return (s for s in self.statements if any(r.array == array for r in s.reads))


def with_temporaries(scop: Scop, names: Collection[str]) -> Scop:
    """The kernel with arrays whose last values nobody wants: arguments, or local ones, which become arguments."""
    local = [a for a in scop.arrays if a.id in names and a.role is Role.LOCAL and a.extents]
    arrays = (replace(a, role=Role.INOUT) if a in local else a for a in scop.arrays)
    added = (Argument(a.id, "array", a.type, is_local=True) for a in local)
    return replace(scop, arrays=tuple(arrays), arguments=(*scop.arguments, *added), temporaries=tuple(names))


def moved_by(expr: Expr) -> frozenset[str]:
    """Iterators that the value of an expression depends on: in subscripts of what it reads, or as data."""
    data = (e.value.names for e in walk(expr) if isinstance(e, Index))
    return frozenset[str]().union(*map(index_names, reads(expr)), *data)


def index_names(ref: Ref) -> frozenset[str]:
    """Iterators that occur in any subscript of a reference."""
    return frozenset(name for e in ref.index for name in e.names)
