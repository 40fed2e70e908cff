"""Moves the values of an array to a new array with a copy per iteration; does not decide which nor why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count

from sisyphus.analysis.footprint import elements_touched
from sisyphus.analysis.webs import Web, last_iteration
from sisyphus.ir import Array, ArrayId, Expr, Read, Ref, Role, Scop, Statement, StmtId, rebuild
from sisyphus.poly import Set, const, dim_range, renamed, var
from sisyphus.values import dataclass, replace

#: Elements that a new array may have which keeps values of iterations apart, unless the kernel has a larger one: those
#: of a table of 256 x 256.
SMALL = 2**16


def most_places(scop: Scop) -> int:
    """How many elements a new array may have that keeps values of iterations apart."""
    return max(SMALL, *(array.elements for array in scop.arrays))


@dataclass(frozen=True)
class Expanded:
    """`name` replaces `array` in `statements`, with one leading dimension per loop in `over`.

    `argument`: the array is an argument of the kernel; a last statement copies its final values out.
    """

    array: ArrayId
    name: ArrayId
    over: tuple[str, ...]
    statements: tuple[StmtId, ...]
    argument: bool


@dataclass(frozen=True, eq=False)
class Expansion:
    """An equivalent scop that distributes further; `refused` has (array, reason) for those that had to stay."""

    scop: Scop
    expanded: tuple[Expanded, ...]
    refused: tuple[tuple[ArrayId, str], ...]


def rewrite(scop: Scop, webs: Sequence[tuple[Web, list[int]]], refused: Mapping[ArrayId, str]) -> Expansion:
    """The scop with every web that has depths to be expanded over moved to an array of its own."""
    taken = {a.id for a in scop.arrays} | {ArrayId(a.name) for a in scop.arguments}
    statements, arrays = list(scop.statements), {a.id: [a] for a in scop.arrays}
    expanded: list[Expanded] = []
    for web, depths in webs:
        if not depths:
            continue
        old = web.array
        is_argument = old.role is not Role.LOCAL
        alone = not is_argument and sum(w.array.id == old.id for w, _ in webs) == 1
        name = old.id if alone else fresh_name(old.id, taken)
        taken.add(name)
        ranges = [range_of(web.statements, depth) for depth in depths]
        extents = tuple(map(len, ranges)) + old.extents
        new = replace(old, id=name, extents=extents, role=Role.LOCAL)
        arrays[old.id] = [new] if alone else [*arrays[old.id], new]
        inside = {s.id for s in web.statements}
        shifts = [(depth, low) for depth, low in zip(depths, (r.start for r in ranges), strict=True)]
        statements = [_moved(s, old.id, name, shifts) if s.id in inside else s for s in statements]
        if is_argument:
            statements.append(_copy_out(scop, web, name, shifts, statements))
        over = tuple(web.statements[0].iterators[depth] for depth in depths)
        expanded.append(Expanded(old.id, name, over, tuple(s.id for s in web.statements), is_argument))
    kept = tuple(_kept([a for group in arrays.values() for a in group], statements))
    rewritten = replace(scop, statements=tuple(statements), arrays=kept)
    return Expansion(rewritten, tuple(expanded), tuple(sorted(refused.items())))


def _kept(arrays: Sequence[Array], statements: Sequence[Statement]) -> Iterator[Array]:
    """The arrays still in use; an argument of which only the final values are written is an output now."""
    written = {s.write.array for s in statements}
    read = {ref.array for s in statements for ref in s.reads}
    for array in arrays:
        if array.role is Role.INOUT and array.id in written - read:
            yield replace(array, role=Role.OUT)
        elif array.role is not Role.LOCAL or array.id in written | read:
            yield array


def names_of(scop: Scop) -> set[str]:
    """What arrays and arguments are called."""
    return {str(a.id) for a in scop.arrays} | {a.name for a in scop.arguments}


def fresh_name(name: str, taken: Collection[str]) -> ArrayId:
    """A name like the given one that nothing has."""
    return next(ArrayId(f"{name}_{n}") for n in count(1) if f"{name}_{n}" not in taken)


def range_of(statements: Sequence[Statement], depth: int) -> range:
    """All values of the loop at this depth around some statements."""
    ranges = [dim_range(s.domain, s.iterators[depth]) for s in statements if not s.domain.is_empty()]
    return range(min(low for low, _ in ranges), max(high for _, high in ranges) + 1)


def _moved(statement: Statement, old: ArrayId, new: ArrayId, shifts: Sequence[tuple[int, int]]) -> Statement:
    """The statement with every reference to one array turned into one to its copy of this iteration."""
    leading = tuple(var(statement.iterators[depth]) - low for depth, low in shifts)

    def move(ref: Ref) -> Ref:
        return Ref(new, leading + ref.index) if ref.array == old else ref

    return with_refs(statement, move)


def with_refs(statement: Statement, move: Callable[[Ref], Ref]) -> Statement:
    """The statement with every reference replaced by what `move` makes of it."""

    def leaf(expr: Expr) -> Expr:
        return replace(expr, ref=move(expr.ref)) if isinstance(expr, Read) else expr

    return replace(statement, write=move(statement.write), rhs=rebuild(statement.rhs, leaf))


def _copy_out(
    scop: Scop, web: Web, name: ArrayId, shifts: Sequence[tuple[int, int]], statements: Sequence[Statement]
) -> Statement:
    """A last statement that gives an argument the values of the iterations that wrote last."""
    written = elements_touched(web.statements, web.array, reads=False)
    leading = tuple(const((last_iteration(scop, web, depth) or 0) - low) for depth, low in shifts)
    return copied_back(web.array, Ref(name, leading), written, statements)


def copied_back(array: Array, origin: Ref, written: Set, statements: Sequence[Statement]) -> Statement:
    """A statement after all others that gives some elements of an array what stands at their subscripts in `origin`.

    These come behind the subscripts that `origin` has. The place in the source is that of the last write.
    """
    dims = tuple(f"d{at}" for at in range(len(array.extents)))
    label = f"out_{array.id}"
    if any(s.id == label for s in statements):
        label = fresh_name(label, {s.id for s in statements})
    here = tuple(var(d) for d in dims)
    place = max(s.position[0] for s in statements) + 1
    return Statement(
        id=StmtId(label),
        iterators=dims,
        domain=renamed(written, label, dims),
        position=(place, *(0 for _ in dims)),
        write=Ref(array.id, here),
        write_type=array.type,
        rhs=Read(Ref(origin.array, origin.index + here), array.type),
        span=[s for s in statements if s.write.array in (array.id, origin.array)][-1].span,
    )
