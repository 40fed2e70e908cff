"""What a scop does, found by running through all its instances one after the other; for tiny sizes only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations

import islpy as isl

from sisyphus.analysis import Dependences, DepKind, LoopKind, Nest, reduction_of
from sisyphus.ir import ArrayId, Expr, Index, Read, Ref, Role, Scop, Statement, StmtId, children
from sisyphus.poly import Map, Set, each_point

Instance = tuple[StmtId, tuple[int, ...]]
Element = tuple[ArrayId, tuple[int, ...]]
Pair = tuple[Instance, Instance]
Edge = tuple[DepKind, ArrayId, bool]


def trace(scop: Scop) -> list[Instance]:
    """All instances in the order of the source."""
    timed = [(_time(s, point), (s.id, point)) for s in scop.statements for point in points(s)]
    return [instance for _, instance in sorted(timed)]


def points(statement: Statement) -> Iterator[tuple[int, ...]]:
    for point in each_point(statement.domain, 100_000):
        yield tuple(point[name] for name in statement.iterators)


def _time(statement: Statement, point: tuple[int, ...]) -> tuple[int, ...]:
    time = [statement.position[0]]
    for value, place in zip(point, statement.position[1:], strict=True):
        time += [value, place]
    return tuple(time)


def element(statement: Statement, point: tuple[int, ...], ref: Ref) -> Element:
    values = dict(zip(statement.iterators, point, strict=True))
    return ref.array, tuple(e.evaluate(values) for e in ref.index)


def touches(scop: Scop) -> dict[Element, list[tuple[Instance, bool, Ref]]]:
    """Per element, every access to it in order: the instance, whether it writes, the reference."""
    found: dict[Element, list[tuple[Instance, bool, Ref]]] = defaultdict(list)
    for name, point in trace(scop):
        s = scop.statement(name)
        for access in (*s.accesses[1:], s.accesses[0]):
            found[element(s, point, access.ref)].append(((name, point), access.is_write, access.ref))
    return found


def dependences(scop: Scop) -> dict[Edge, set[Pair]]:
    """Pairs of instances per kind, array and whether both ends are the accumulator of one reduction."""
    found: dict[Edge, set[Pair]] = defaultdict(set)
    for (array, _), users in touches(scop).items():
        for at, (second, second_writes, second_ref) in enumerate(users):
            for first, first_writes, first_ref in users[:at]:
                if first != second and (first_writes or second_writes):
                    kind = DepKind.WAR if not first_writes else DepKind.WAW if second_writes else DepKind.RAW
                    s = scop.statement(first[0])
                    own = first[0] == second[0] and first_ref == s.write and second_ref == s.write
                    found[kind, array, own and reduction_of(s) is not None].add((first, second))
    return dict(found)


def flows(scop: Scop) -> set[tuple[ArrayId, Pair]]:
    """Per read, the instance that wrote the value."""
    found: set[tuple[ArrayId, Pair]] = set()
    for (array, _), users in touches(scop).items():
        last: Instance | None = None
        for instance, writes, _ in users:
            if writes:
                last = instance
            elif last is not None:
                found.add((array, (last, instance)))
    return found


def exposed(scop: Scop) -> set[Element]:
    """Elements whose first access is a read."""
    return {e for e, users in touches(scop).items() if not users[0][1]}


def written(scop: Scop) -> set[Element]:
    return {e for e, users in touches(scop).items() if any(writes for _, writes, _ in users)}


def map_pairs(relation: Map) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of a bounded relation."""
    width, found = relation.dim(isl.dim_type.in_), set[tuple[tuple[int, ...], tuple[int, ...]]]()

    def take(point: isl.Point) -> None:
        size = relation.wrap().dim(isl.dim_type.set)
        values = [int(point.get_coordinate_val(isl.dim_type.set, at).to_python()) for at in range(size)]
        found.add((tuple(values[:width]), tuple(values[width:])))

    relation.wrap().foreach_point(take)
    return found


def set_points(elements: Set) -> set[tuple[int, ...]]:
    return {tuple(p.values()) for p in each_point(elements, 100_000)}


def isl_dependences(deps: Dependences) -> dict[Edge, set[Pair]]:
    """The edges of the analysis in the form of `dependences`."""
    found: dict[Edge, set[Pair]] = defaultdict(set)
    for e in deps.edges:
        pairs = {((e.source, a), (e.sink, b)) for a, b in map_pairs(e.relation)}
        assert pairs, f"{e} has no pair"
        found[e.kind, e.array, e.is_reduction] |= pairs
    return dict(found)


def inner_pairs(scop: Scop, nest: Nest, pairs: set[Pair]) -> list[tuple[tuple[int, ...], tuple[int, ...], int, int]]:
    """Pairs within one iteration of the outer loops of a nest: both points of the band, both places in the text."""
    depth = len(nest.outer)
    return [
        (a[depth:], b[depth:], nest.statements.index(s), nest.statements.index(t))
        for (s, a), (t, b) in pairs
        if s in nest.statements and t in nest.statements and a[:depth] == b[:depth]
    ]


def legal_orders(scop: Scop, nest: Nest, pairs: set[Pair]) -> list[tuple[str, ...]]:
    """The permutations of the band in which no pair of the nest runs backwards or ties."""
    inside, names = inner_pairs(scop, nest, pairs), nest.iterators
    return [
        tuple(names[at] for at in order)
        for order in permutations(range(len(names)))
        if all((*(a[at] for at in order), s) < (*(b[at] for at in order), t) for a, b, s, t in inside)
    ]


def kinds(scop: Scop, nest: Nest, found: dict[Edge, set[Pair]]) -> list[LoopKind]:
    """What each loop of the band carries, all loops outside it held fixed."""
    carried: list[set[bool]] = [set() for _ in nest.band]
    for (_, _, is_reduction), pairs in found.items():
        for a, b, _, _ in inner_pairs(scop, nest, pairs):
            leading = next((at for at in range(len(a)) if a[at] != b[at]), None)
            if leading is not None:
                carried[leading].add(is_reduction)
    return [LoopKind.PARALLEL if not c else LoopKind.REDUCTION if c == {True} else LoopKind.SEQUENTIAL for c in carried]


def results(scop: Scop, numbers: dict[object, int]) -> dict[Element, int]:
    """What every element of an argument holds at the end, as the number of the expression that computed it.

    Equal numbers (of one `numbers`) are the same operations in the same nesting on the same inputs, bit for bit.
    """
    held: dict[Element, int] = {}

    def number(key: object) -> int:
        return numbers.setdefault(key, len(numbers))

    def value(expr: Expr, statement: Statement, point: tuple[int, ...]) -> int:
        if isinstance(expr, Read):
            place = element(statement, point, expr.ref)
            return held[place] if place in held else number(place)
        if isinstance(expr, Index):
            return number(expr.value.evaluate(dict(zip(statement.iterators, point, strict=True))))
        inside = tuple(value(child, statement, point) for child in children(expr))
        return number((type(expr), *(getattr(expr, n, None) for n in ("op", "function", "name", "text")), inside))

    for name, point in trace(scop):
        statement = scop.statement(name)
        held[element(statement, point, statement.write)] = value(statement.rhs, statement, point)
    arguments = {a.id for a in scop.arrays if a.role is not Role.LOCAL}
    return {place: found for place, found in held.items() if place[0] in arguments}


def is_same(one: Scop, other: Scop) -> bool:
    """Whether two kernels compute the same, where what no statement updates keeps the value that it had.

    Windows are written back whole, and bring such elements along.
    """
    numbers: dict[object, int] = {}
    first, second = results(one, numbers), results(other, numbers)
    return all(first.get(at, numbers.get(at)) == second.get(at, numbers.get(at)) for at in {*first, *second})
