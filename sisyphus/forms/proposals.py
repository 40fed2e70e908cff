"""Which other orders of a kernel are worth a search, by isl's schedulers; knows no cost of hardware.

A scheduler's outermost loops are kept, and inside of them the order of the source, one group of statements after
another where no dependence ties them: what is left to choose, the space has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from sisyphus.analysis import Dependences, Distribution, LoopKind, Nest, OuterLoop, dependences, distribute
from sisyphus.analysis.distribution import strong_components
from sisyphus.forms.completion import Prefix, completed, inner_times, pruned
from sisyphus.forms.rewrites import ScheduleError, scheduled
from sisyphus.forms.sinking import free_iterators, free_loops, sunk
from sisyphus.forms.successive import successive
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.poly import (
    Affine,
    CountError,
    Map,
    Set,
    TooLongError,
    between_iterations,
    computed_times,
    const,
    count,
    pairs_onto,
    project_onto,
    read_times,
    renamed,
    united,
    var,
)
from sisyphus.values import dataclass, replace

#: Regions that a domain is counted in at most, to know beforehand that no order is worth anything.
REGIONS = 64
#: Orders that are kept.
MOST = 2
#: An order is worth a search where its longest chain of iterations is shorter by this factor for the statements that it
#: changes, and leaves such a share of the chain of the whole kernel.
SHORTER, LEFT = 4, 0.75
#: Dependences between statements up to which isl is asked: its schedulers cannot be interrupted.
MOST_PAIRS = 40

#: How orders are named whose innermost loops were outer ones.
INNER = "inner"

#: The name of all statements of a body together.
_BODY = "body"

#: Statements that one may be split into.
MOST_PIECES = 9


@dataclass(frozen=True)
class Timing:
    """Instances `where` a condition holds run at `times`; both as text in isl's notation, of a `statement` so, too."""

    statement: str
    times: tuple[str, ...]
    where: str = ""

    @staticmethod
    def of(statement: Statement, times: Sequence[Affine], where: str = "") -> Timing:
        """Of all instances of a statement, or those where a condition holds."""
        return Timing(str(statement), tuple(map(str, times)), where)

    def __str__(self) -> str:
        condition = f" : {self.where}" if self.where else ""
        return f"{self.statement} -> [{', '.join(self.times)}]{condition}"


@dataclass(frozen=True, eq=False)
class Proposal:
    """An order that was proved, and `steps`, its longest chain of iterations."""

    name: str
    timings: tuple[Timing, ...]
    scop: Scop
    dependences: Dependences
    distribution: Distribution
    steps: int

    @property
    def text(self) -> str:
        """The times in isl's notation."""
        return _text(self.timings)


def proposals(found: Dependences, distribution: Distribution, *, joint: bool = False) -> tuple[Proposal, ...]:
    """Other orders of a kernel with shorter chains of iterations, the shortest first.

    Statements that depend on each other in a cycle are put into another order together, all others apart. `joint`:
    what follows each other in a body counts as one nest, so that an order that keeps it together is better.
    """
    statements = found.scop.statements
    groups = [_part(found, group) for group in strong_components(statements, [(e.source, e.sink) for e in found.edges])]
    alternatives = [_alternatives(group, joint=joint) for group in groups]
    most = LEFT * max(steps_of(distribution.body), steps_of(distribute(found.scop, found).body))
    kept: dict[str, Proposal] = {}
    for choice in range(MOST):
        chosen = [some[min(choice, len(some) - 1)] if some else None for some in alternatives]
        if any(chosen):
            timings = tuple(_together(groups, chosen))
            proposal = proved(found, timings, next(p.name for p in chosen if p is not None))
            if proposal is not None and proposal.steps <= most:
                kept.setdefault(proposal.text, proposal)
    ranked = sorted(kept.values(), key=lambda p: (p.steps, len(p.text), p.text))
    return tuple(_named_apart([p for p in ranked if p.steps <= SHORTER * ranked[0].steps]))


def _part(found: Dependences, group: Sequence[Statement]) -> Dependences:
    """Some statements with the dependences among them."""
    return Dependences(replace(found.scop, statements=tuple(group)), found.among(frozenset(s.id for s in group)))


def _alternatives(group: Dependences, *, joint: bool) -> list[Proposal]:
    """Orders of statements that depend on each other with shorter chains than the source's, the best first.

    Of those with the same outermost loop, the one with the shortest chains.
    """
    if not group.edges:
        return []
    most = steps_of(distribute(group.scop, group).body) // SHORTER
    if any(least_steps(statement) > most for statement in group.scop.statements):
        return []
    proposed: dict[int, Proposal] = {}
    for way in (_by_schedulers, _by_bodies, _by_sinking, _by_splitting):
        for name, orders in way(group):
            proposal = next((found for order in orders if (found := proved(group, order, name)) is not None), None)
            if proposal is None:
                continue
            steps = proposal.steps
            if way is _by_bodies and (joint or steps > most):
                steps = _joined(proposal)
            if steps <= most:
                proposed.setdefault(steps if joint else proposal.steps, proposal)
    shortest: dict[frozenset[tuple[str, str]], Proposal] = {}
    for steps in sorted(proposed):
        shortest.setdefault(_outermost(proposed[steps].timings), proposed[steps])
    return list(shortest.values())


def _joined(proposal: Proposal) -> int:
    """The longest chain of an order once what follows each other in a step is one nest."""
    joined = successive(proposal.dependences)
    return proposal.steps if joined is None else steps_of(distribute(joined, dependences(joined)).body)


def _outermost(timings: Sequence[Timing]) -> frozenset[tuple[str, str]]:
    """Which loop is around all others of each statement."""
    return frozenset((t.statement, next((time for time in t.times if not time.isdigit()), "")) for t in timings)


def least_steps(statement: Statement) -> int:
    """Iterations that write an element, on average: in every order they follow one another. 0 where isl cannot say."""
    [write] = (access for access in statement.accesses if access.is_write)
    try:
        written = count(write.relation.intersect_domain(statement.domain).range(), REGIONS)
        return count(statement.domain, REGIONS) // written if written else 0
    except CountError:
        return 0


def _together(groups: Sequence[Dependences], chosen: Sequence[Proposal | None]) -> Iterator[Timing]:
    """One group after another, in the order chosen for it or that of the source."""
    for at, (group, proposal) in enumerate(zip(groups, chosen, strict=True)):
        statements = group.scop.statements
        inner = proposal.timings if proposal else [Timing.of(s, list(inner_times(s, statements))) for s in statements]
        yield from (replace(t, times=(str(at), *t.times)) if len(groups) > 1 else t for t in inner)


def schedule_text(times: Mapping[Statement, Sequence[Affine]]) -> str:
    """An order of whole statements in isl's notation."""
    return _text([Timing.of(statement, own) for statement, own in times.items()])


def _text(timings: Sequence[Timing]) -> str:
    return f"{{ {'; '.join(map(str, timings))} }}"


def _named_apart(ranked: Sequence[Proposal]) -> Iterator[Proposal]:
    seen: dict[str, int] = {}
    for proposal in ranked:
        number = seen[proposal.name] = seen.get(proposal.name, 0) + 1
        yield proposal if number == 1 else replace(proposal, name=f"{proposal.name}-{number}")


def proved(found: Dependences, timings: tuple[Timing, ...], name: str) -> Proposal | None:
    """The order with all that is known of it; None where it is no order of loops, or not proved to be the same."""
    try:
        scop = scheduled(found, _text(timings))
    except ScheduleError:
        return None
    again = dependences(scop)
    distribution = distribute(scop, again)
    return Proposal(name, timings, scop, again, distribution, steps_of(distribution.body))


def steps_of(
    body: Sequence[OuterLoop | Nest], serial: Collection[StmtId] = (), free: Collection[LoopKind] = (LoopKind.PARALLEL,)
) -> int:
    """The longest chain of iterations, one nest after another: `free` loops take one step, but of `serial` nests."""
    total = 0
    for part in body:
        if isinstance(part, OuterLoop):
            total += part.trip_count * steps_of(part.body, serial, free)
        else:
            steps = 1
            for loop in part.band:
                at_once = loop.kind in free and not {*serial} & {*part.statements}
                steps *= 1 if at_once else max(loop.trip_count, 1)
            total += steps
    return total


#: Orders by name, of which the first that is proved is taken.
Named = Iterator[tuple[str, Sequence[tuple[Timing, ...]]]]


def _by_schedulers(found: Dependences) -> Named:
    yield from _completed(found, _prefixes(found, {}))


def _completed(found: Dependences, prefixes: Iterator[Prefix]) -> Named:
    for prefix in prefixes:
        every = (completed(found, prefix, with_faces=with_faces) for with_faces in (True, False))
        orders = dict.fromkeys(tuple(Timing.of(s, times) for s, times in one.items()) for one in every)
        yield _name(prefix), list(orders)


def _by_sinking(found: Dependences) -> Named:
    """Loops that carry nothing inside of all others: a batch takes each step at once, those of a scheduler too."""
    loops = free_loops(found)
    if loops:
        names = dict.fromkeys(group[0].iterators[len(place) - 1] for place, group in loops.items())
        times = sunk(found.scop.statements, loops)
        yield f"{INNER}-{','.join(names)}", [tuple(Timing.of(s, own) for s, own in times.items())]
        yield from _completed(found, _prefixes(found, free_iterators(loops)))


def _by_splitting(found: Dependences) -> Named:
    """A statement that reads what it updates elsewhere, cut where the two meet, as at row and column k of the paths.

    The outermost loop stays outside, and the pieces follow one another inside where the dependences allow it.
    """
    [statement, *others] = found.scop.statements
    cuts = [] if others else list(_meetings(statement))
    if not cuts or 3 ** len(cuts) > MOST_PIECES:
        return
    where = [" and ".join(signs) for signs in product(*([f"{cut} {sign} 0" for sign in "<=>"] for cut in cuts))]
    order = [str(name) for name in statement.iterators]
    every = (Timing(str(statement), (*order, str(at)), text) for at, text in enumerate(where))
    try:
        pieces = tuple(piece for piece in every if read_times(_text([piece]), {statement.id: statement.domain}))
    except ValueError:
        return  # they meet in every other iteration, or rarer still
    split = proved(found, pieces, "split")
    if split is not None and len(split.scop.statements) == len(pieces) and _stay_under(order[0], split.scop.statements):
        conditions = {s.id: piece.where for s, piece in zip(split.scop.statements, pieces, strict=True)}
        prefix = {s.id: (var(statement.iterators[0]),) for s in split.scop.statements}
        times = completed(split.dependences, prefix, apart=True)
        name = f"split-{','.join(map(str, cuts))}".replace(" ", "")
        yield (
            name,
            [tuple(replace(Timing.of(s, t, conditions[s.id]), statement=str(statement)) for s, t in times.items())],
        )


def _stay_under(loop: str, pieces: Sequence[Statement]) -> bool:
    """Whether each piece has the loop; one that runs in a single iteration of it has lost it."""
    return all(loop in map(str, piece.iterators) for piece in pieces)


def _meetings(statement: Statement) -> Iterator[Affine]:
    """What is zero where a subscript of a read has the value of that of the write."""
    seen: set[Affine] = set()
    for ref in statement.reads:
        if ref.array == statement.write.array:
            for written, read in zip(statement.write.index, ref.index, strict=True):
                cut = written - read
                if not cut.is_constant and cut not in seen:
                    seen.add(cut)
                    yield cut


def _prefixes(found: Dependences, free: Mapping[StmtId, Collection[str]]) -> Iterator[Prefix]:
    """The outermost one or two loops of every schedule that isl finds of all loops but some that are free."""
    kept = {s.id: [name for name in s.iterators if name not in free.get(s.id, ())] for s in found.scop.statements}
    domains = {str(s.id): project_onto(s.domain, kept[s.id]).set_tuple_name(str(s.id)) for s in found.scop.statements}
    pairs = united(((e.source, e.sink), pairs_onto(e.relation, kept[e.source], kept[e.sink])) for e in found.edges)
    if len(pairs) <= MOST_PAIRS:
        yield from _scheduled(domains, [pair.coalesce() for pair in pairs.values()])


def _scheduled(domains: Mapping[str, Set], relations: Sequence[Map]) -> Iterator[Prefix]:
    """The outermost one or two loops of every schedule that isl finds."""
    for feautrier, outer_parallel in ((False, True), (True, False), (False, False)):
        try:
            times = computed_times(domains, relations, feautrier=feautrier, outer_parallel=outer_parallel)
        except TooLongError:
            return
        if times is None or len({t.name for t in times}) != len(times):
            continue
        rows = {StmtId(t.name): t.times for t in times}
        length = min(map(len, rows.values()))
        moving = [at for at in range(length) if any(not row[at].is_constant for row in rows.values())]
        for last in moving[:2]:
            yield {name: row[: last + 1] for name, row in rows.items()}


def _by_bodies(found: Dependences) -> Named:
    """Statements of one body as they follow each other there, whole iterations in an order of a scheduler.

    On its own each could run earlier than others, in a loop that they do not share.
    """
    first, *others = statements = found.scop.statements
    if not others or len({s.position[:-1] for s in statements}) > 1:
        return
    domain = renamed(first.domain, _BODY, first.iterators)
    for other in others:
        domain = domain.union(renamed(other.domain, _BODY, first.iterators))
    pairs = [between_iterations(edge.relation, _BODY, first.iterators) for edge in found.edges]
    for prefix in _scheduled({_BODY: domain.coalesce()}, [pair for pair in pairs if not pair.is_empty()]):
        times = pruned([*prefix[StmtId(_BODY)], *map(var, first.iterators)])
        order = tuple(Timing.of(s, [*times, const(at)]) for at, s in enumerate(statements))
        yield _name(prefix), [order]


def _name(prefix: Prefix) -> str:
    """By the outermost loop: that of an old iterator, or a sum of some."""
    rows = [row[-1] for row in prefix.values()]
    longest = max(rows, key=lambda row: (len(row.terms), str(row)))
    if len(longest.terms) > 1:
        return "wave-" + str(longest - longest.constant).replace(" ", "").replace("*", "")
    names = [row.terms[0][0] for row in rows if row.terms]
    return f"outer-{max(names, key=lambda name: (names.count(name), name))}"
