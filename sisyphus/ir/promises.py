"""What every Scop promises to the stages behind the front end; a broken promise is ours, never the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sisyphus.errors import InternalError
from sisyphus.ir.expr import Binary, Cast, Expr, Index, Lookup, Read, Ref, Scalar, Select, Unary, children, walk
from sisyphus.ir.scop import Role, Scop, Statement
from sisyphus.ir.types import INT32, ScalarType
from sisyphus.poly import Set, const, dim_names, dim_range, make_set, sample

LOGICAL = {"&&", "||", "<", "<=", ">", ">=", "==", "!="}


def accesses_in_bounds(scop: Scop) -> None:
    """Every reference has as many subscripts as its array extents, and stays inside for the whole domain."""
    for statement in scop.statements:
        for ref in (statement.write, *statement.reads):
            extents = scop.array(ref.array).extents
            if len(extents) != len(ref.index):
                raise InternalError(f"{statement}: `{ref}` has {len(ref.index)} subscripts, not {len(extents)}")
            for point in _outside(statement, ref, extents):
                raise InternalError(f"{statement}: `{ref}` is outside its array at {point}")


def _outside(statement: Statement, ref: Ref, extents: tuple[int, ...]) -> Iterable[dict[str, int]]:
    for value, extent in zip(ref.index, extents, strict=True):
        for bad in (const(-1) - value, value - extent):
            if bad.is_constant:
                if bad.constant >= 0 and not statement.domain.is_empty():
                    yield {}
                continue
            beyond = make_set(statement.id, statement.iterators, at_least_zero=[bad])
            found = sample(statement.domain.intersect(beyond))
            if found is not None:
                yield found


def one_write_per_statement(scop: Scop) -> None:
    """A statement writes one declared array, with its type, and no argument that is only read."""
    for statement in scop.statements:
        array = scop.array(statement.write.array)
        if array.role is Role.IN:
            raise InternalError(f"{statement} writes `{array.id}`, which is an input")
        if statement.write_type != array.type or statement.rhs.type != array.type:
            raise InternalError(f"{statement} puts {statement.rhs.type} into `{array.id}` of {array.type}")


def names_unique(scop: Scop) -> None:
    """Statements, arrays, scalars and loops that enclose each other have names of their own."""
    _distinct("statement", (s.id for s in scop.statements))
    scalars = (a.name for a in scop.arguments if a.kind != "array")
    _distinct("name", (*(a.id for a in scop.arrays), *(t.id for t in scop.tables), *scalars))
    arrays = {str(a.id) for a in scop.arrays}
    for statement in scop.statements:
        _distinct(f"iterator of {statement}", statement.iterators)
        for name in statement.iterators:
            if name in arrays:
                raise InternalError(f"iterator `{name}` of {statement} has the name of an array")
    for argument in scop.arguments:
        if argument.kind == "array" and argument.name not in arrays:
            raise InternalError(f"argument `{argument.name}` has no array")


def _distinct(what: str, names: Iterable[str]) -> None:
    seen = set[str]()
    for name in names:
        if name in seen:
            raise InternalError(f"{what} `{name}` occurs twice")
        seen.add(name)


def domains_bounded(scop: Scop) -> None:
    """Every domain lives in the space of its statement, has a point, no parameter, and finitely many points."""
    for statement in scop.statements:
        domain: Set = statement.domain
        if dim_names(domain) != statement.iterators or domain.get_tuple_name() != statement.id:
            raise InternalError(f"the domain of {statement} is in another space: {domain}")
        if domain.is_empty() or domain.n_param():
            raise InternalError(f"the domain of {statement} is empty or has parameters")
        for name in statement.iterators:
            dim_range(domain, name)


def positions_in_text_order(scop: Scop) -> None:
    """Positions have one place more than there are loops, and ascend as the text does."""
    before: tuple[int, ...] = ()
    for statement in scop.statements:
        if len(statement.position) != len(statement.iterators) + 1 or statement.position <= before:
            raise InternalError(f"position {statement.position} of {statement} is out of order")
        before = statement.position


def names_known(scop: Scop) -> None:
    """Expressions use iterators of their statement, scalars of the signature and arrays with their types only."""
    scalars = {a.name: a.type for a in scop.scalars}
    written = {s.write.array for s in scop.statements}
    tables: dict[bool, dict[str, tuple[tuple[int, ...], ScalarType]]] = {
        True: {a.id: (a.extents, a.type) for a in scop.arrays if a.id not in written},
        False: {t.id: (t.extents, t.type) for t in scop.tables},
    }
    for statement in scop.statements:
        known = set(statement.iterators)
        for expr in walk(statement.rhs):
            match expr:
                case Read(ref=ref) if scop.array(ref.array).type != expr.type:
                    raise InternalError(f"{statement}: `{ref}` is read as {expr.type}")
                case Scalar(name=name) if scalars.get(name) != expr.type:
                    raise InternalError(f"{statement}: no scalar `{name}` of type {expr.type}")
                case Lookup(table=table, loaded=loaded) if tables[loaded].get(table) != (expr.extents, expr.type):
                    raise InternalError(f"{statement}: no table `{table}` of {expr.type}")
                case Lookup(index=index, extents=extents) if len(index) != len(extents):
                    raise InternalError(f"{statement}: a subscript too many or too few for `{expr.table}`")
                case Index(value=value) if not value.names <= known or expr.type.is_float:
                    raise InternalError(f"{statement}: index `{value}` is not made of its iterators")
        for ref in (statement.write, *statement.reads):
            if not all(e.names <= known for e in ref.index):
                raise InternalError(f"{statement}: `{ref}` uses an iterator that is not around it")


def conversions_explicit(scop: Scop) -> None:
    """Operands have the type of their operation; only casts convert."""
    for statement in scop.statements:
        for expr in walk(statement.rhs):
            if not _well_typed(expr):
                raise InternalError(f"{statement}: operand types do not fit {expr}")


def _well_typed(expr: Expr) -> bool:
    kinds = [child.type for child in children(expr)]
    match expr:
        case Binary(op="&&" | "||") | Unary(op="!"):
            return expr.type == INT32
        case Binary(op="<<" | ">>"):
            return kinds[0] == expr.type
        case Binary(op=op):
            return kinds[0] == kinds[1] and expr.type == (INT32 if op in LOGICAL else kinds[0])
        case Unary():
            return kinds[0] == expr.type
        case Select():
            return kinds[1] == kinds[2] == expr.type
        case Cast():
            return kinds[0] != expr.type
        case _:
            return True


Check = Callable[[Scop], None]
AFTER_FRONTEND: tuple[Check, ...] = (
    names_unique,
    positions_in_text_order,
    domains_bounded,
    one_write_per_statement,
    names_known,
    conversions_explicit,
    accesses_in_bounds,
)


def run(scop: Scop, checks: Iterable[Check] = AFTER_FRONTEND) -> Scop:
    """The same Scop, once every check has passed."""
    for check in checks:
        check(scop)
    return scop
