"""Is a kernel in another order the same kernel: every instance once, the same computation, no dependence backwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sisyphus.analysis import Dependence, Dependences, schedules
from sisyphus.forms.reordering import Ordered, Part, same_at
from sisyphus.ir import Scop, Statement, StmtId, substitute
from sisyphus.poly import Map, backwards, make_map, name_dims, sample
from sisyphus.values import replace


def faults(dependences: Dependences, ordered: Ordered) -> Iterator[str]:
    """What makes it another program, each with a witness; nothing where results stay the same bit for bit.

    Values and their order are kept where no two instances of which one depends on the other change places: additions
    into one element, too, depend on each other, but for those of integers.
    """
    source = dependences.scop
    yield from _instances(source, ordered)
    yield from _computations(source, ordered)
    runs = defaultdict[StmtId, list[Run]](list)
    for new in ordered.scop.statements:
        for part in ordered.parts[new.id]:
            runs[part.source].append((new, part, _relation(source, new, part)))
    times = schedules(ordered.scop)
    for edge in dependences.edges:
        if edge.is_kept():
            yield from _order(source, edge, runs, times)


Run = tuple[Statement, Part, Map]


def _relation(source: Scop, new: Statement, part: Part) -> Map:
    """From the instances of a statement to those of the source that they are."""
    old = source.statement(part.source)
    whole = make_map(new.id, new.iterators, old.id, old.iterators, part.values)
    return whole.intersect_domain(part.points)


def _instances(source: Scop, ordered: Ordered) -> Iterator[str]:
    left = {s.id: s.domain for s in source.statements}
    for new in ordered.scop.statements:
        rest = new.domain
        for part in ordered.parts[new.id]:
            relation = _relation(source, new, part)
            ran = relation.range()
            if not ran.is_subset(left[part.source]):
                extra = sample(ran.subtract(left[part.source]))
                yield f"instance {extra} of `{part.source}` runs twice, or is none"
            if not relation.is_injective():
                yield f"instances of `{part.source}` run several times in `{new.id}`"
            if not part.points.is_subset(rest):
                yield f"two parts of `{new.id}` run at one time"
            left[part.source], rest = left[part.source].subtract(ran), rest.subtract(part.points)
        if not rest.is_empty():
            yield f"`{new.id}` at {sample(rest)} is no instance of the source"
    for name, missing in left.items():
        if not missing.is_empty():
            yield f"instance {sample(missing)} of `{name}` never runs"


def _computations(source: Scop, ordered: Ordered) -> Iterator[str]:
    for new in ordered.scop.statements:
        for part in ordered.parts[new.id]:
            old = source.statement(part.source)
            given = dict(zip(old.iterators, part.values, strict=True))
            wanted = replace(
                new, write=old.write.substitute(given), write_type=old.write_type, rhs=substitute(old.rhs, given)
            )
            if not same_at(part.points, wanted, new):
                yield f"`{new.id}` does not compute what `{old.id}` does"


def _order(
    source: Scop, edge: Dependence, runs: Mapping[StmtId, Sequence[Run]], times: Mapping[StmtId, Map]
) -> Iterator[str]:
    names = {s.id: s.iterators for s in source.statements}
    for first, before, one in runs[edge.source]:
        for second, after, other in runs[edge.sink]:
            pairs = edge.relation.apply_domain(one.reverse()).apply_range(other.reverse())
            pairs = name_dims(pairs, first.iterators, second.iterators)
            if pairs.is_empty():
                continue
            wrong = backwards(pairs, times[first.id], times[second.id])
            if wrong is not None:
                witness = [
                    _at(names[StmtId(part.source)], part, point)
                    for part, point in zip((before, after), wrong, strict=True)
                ]
                yield f"{edge}: {edge.source}{witness[0]} must run before {edge.sink}{witness[1]}"


def _at(names: tuple[str, ...], part: Part, point: dict[str, int]) -> str:
    return f"[{', '.join(f'{n}: {v.evaluate(point)}' for n, v in zip(names, part.values, strict=True))}]"
