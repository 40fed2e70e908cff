"""Schedules as affine times per statement: isl's schedulers, its notation, and their inverse; knows no kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from sisyphus.interrupts import unbroken
from sisyphus.poly.affine import Affine
from sisyphus.poly.sets import CONTEXT, Map, Set, constraints, dim_names, make_set, whole
from sisyphus.tools import apart
from sisyphus.values import dataclass

#: Seconds of the processor for one schedule: most take less than a tenth of one, and isl's schedulers heed no limit.
MOST_S = 1


class TooLongError(Exception):
    """A schedule took more time than it may."""


@dataclass(frozen=True, eq=False)
class Timed:
    """Instances of the statement `name` that lie in `instances` run at `times`, which are affine in its dimensions."""

    name: str
    instances: Set
    times: tuple[Affine, ...]


def read_times(text: str, domains: Mapping[str, Set]) -> list[Timed]:
    """The parts of a schedule in isl's notation, `{ S0[i, j] -> [j, 0, i] : i < j; … }`, over domains by name.

    `ValueError` where it is none, or has times that are not affine.
    """
    try:
        relation = isl.UnionMap.read_from_str(CONTEXT, text)
    except isl.Error as failure:
        raise ValueError("not a relation in isl's notation") from failure
    if relation.dim(isl.dim_type.param):
        raise ValueError("it has a parameter: sizes are numbers here")
    return _parts(relation, domains)


def computed_times(
    domains: Mapping[str, Set], relations: Sequence[Map], *, feautrier: bool, outer_parallel: bool
) -> list[Timed] | None:
    """Times by one of isl's schedulers that keep both ends of every relation in order; None where it gives up.

    `TooLongError` where it takes more than `MOST_S` seconds.
    """
    instances = isl.UnionSet.empty(next(iter(domains.values())).get_space())
    for domain in domains.values():
        instances = instances.union(domain)
    pairs = isl.UnionMap.empty(instances.get_space())
    for relation in relations:
        pairs = pairs.union(relation)
    asked = isl.ScheduleConstraints.on_domain(instances).set_validity(pairs)
    asked = asked.set_proximity(pairs).set_coincidence(pairs)

    def schedule() -> str:
        CONTEXT.set_schedule_algorithm(int(feautrier))
        CONTEXT.set_schedule_outer_coincidence(int(outer_parallel))
        try:
            return str(asked.compute_schedule().get_map())
        except isl.Error:
            return ""

    text = apart(schedule, MOST_S)
    if text is None:
        raise TooLongError
    try:
        return read_times(text, domains) if text else None
    except ValueError:
        return None


def _parts(relation: isl.UnionMap, domains: Mapping[str, Set]) -> list[Timed]:
    listed = relation.get_map_list()
    found: list[Timed] = []
    for one in (listed.get_at(at) for at in range(relation.n_map())):
        name = one.get_tuple_name(isl.dim_type.in_) or ""
        domain = domains.get(name)
        if domain is None or one.dim(isl.dim_type.in_) != domain.dim(isl.dim_type.set):
            raise ValueError(f"no statement `{name}` with {one.dim(isl.dim_type.in_)} iterators")
        if not one.intersect_domain(domain).is_single_valued():
            raise ValueError(f"instances of `{name}` have several times")
        for points, times in _pieces(isl.PwMultiAff.from_map(one), dim_names(domain)):
            inside = points.set_tuple_name(name).intersect(domain)
            if not inside.is_empty():
                known = equations(inside)
                found.append(Timed(name, inside, tuple(time.substitute(known) for time in times)))
    return sorted(found, key=lambda part: (part.name, str(part.instances)))


def equations(points: Set) -> dict[str, Affine]:
    """The inner dimensions that the outer ones fix, by equations that hold for all points: where i = k, i is k."""
    [(_, left)] = constraints(isl.Set.from_basic_set(points.affine_hull().remove_divs()))
    solved: dict[str, Affine] = {}
    for name in reversed(dim_names(points)):
        for equation in left:
            factor = equation.coefficient(name)
            if abs(factor) == 1:
                value = (equation - Affine.of({name: factor})) * -factor
                left = [e.substitute({name: value}) for e in left if e is not equation]
                solved = {n: v.substitute({name: value}) for n, v in solved.items()} | {name: value}
                break
    return solved


def functions(relation: Map, names: Sequence[str]) -> list[tuple[Set, tuple[Affine, ...]]]:
    """The parts of a relation to one instance each: where, and its dimensions as affine expressions of `names`.

    `ValueError` where it leads to several instances, or to one that is not affine.
    """
    if not relation.is_single_valued():
        raise ValueError("it leads to several instances")
    return _pieces(isl.PwMultiAff.from_map(relation), names)


def agree(points: Set, names: Sequence[str], one: Sequence[Affine], other: Sequence[Affine]) -> bool:
    """Whether two functions are the same on some points, as i and i + r - 2 are where r is 2."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    apart = [make_set("", names, at_least_zero=[sign * gap - 1]) for gap in differences for sign in (1, -1)]
    inside = points.reset_tuple_id()
    return all(inside.intersect(beyond).is_empty() for beyond in apart)


def _pieces(function: isl.PwMultiAff, names: Sequence[str]) -> list[tuple[Set, tuple[Affine, ...]]]:
    found: list[tuple[Set, list[isl.Aff]]] = []

    @unbroken
    def take(points: Set, value: isl.MultiAff) -> None:
        found.append((points, [value.get_at(at) for at in range(value.dim(isl.dim_type.out))]))

    function.foreach_piece(take)
    return [(points, tuple(_affine(value, names) for value in values)) for points, values in found]


def _affine(value: isl.Aff, names: Sequence[str]) -> Affine:
    if value.dim(isl.dim_type.div) or not value.get_denominator_val().is_one():
        raise ValueError("a time is not affine in the iterators")
    terms = {n: whole(value.get_coefficient_val(isl.dim_type.in_, at)) for at, n in enumerate(names)}
    return Affine.of(terms, whole(value.get_constant_val()))


def inverse(part: Timed, names: Sequence[str]) -> tuple[Affine, ...] | None:
    """The dimensions of an instance as affine expressions of its times, which are called `names`; None without such.

    Of times that say the same the outer ones are left out where they say it with a quotient: of 2 i and i the first.
    """
    fresh = [f"t__{at}" for at in range(len(part.times))]
    dims, inside = dim_names(part.instances), isl.Set.from_basic_set(part.instances.reset_tuple_id().affine_hull())
    for first in range(len(fresh) + 1):
        ties = [f"{f} = {t}" for f, t in zip(fresh[first:], part.times[first:], strict=True)]
        text = f"{{ [{', '.join(fresh)}] -> [{', '.join(dims)}] : {' and '.join(ties) or 'true'} }}"
        back = isl.Map.read_from_str(CONTEXT, text).intersect_range(inside)
        if not back.is_single_valued():
            break
        try:
            [(_, values)] = _pieces(isl.PwMultiAff.from_map(back), names)
        except ValueError:
            continue
        return values
    return None


def follows(row: Affine, rows: Sequence[Affine]) -> bool:
    """Whether the values of some affine expressions fix that of another one, as those of i and i + j do that of j."""
    solved: list[tuple[str, Affine]] = []
    for other in rows:
        other = _reduced(other, solved)
        if not other.is_constant:
            solved.append((other.terms[0][0], other))
    return _reduced(row, solved).is_constant


def _reduced(row: Affine, solved: Sequence[tuple[str, Affine]]) -> Affine:
    """A multiple of the expression without the names that others were solved for."""
    for name, by in solved:
        row = row * by.coefficient(name) - by * row.coefficient(name)
    return row
