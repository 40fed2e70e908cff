"""Do units together do what the kernel does: shares checked with isl against the source, then all of them run.

A unit is judged by its own kernel, read back into the places of the source, and not by how its share was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations

from sisyphus.analysis import (
    Box,
    Cut,
    Dependences,
    DepKind,
    Flow,
    Live,
    Restricted,
    dependences,
    elements_touched,
    flows,
    phase_of,
    sums_of,
)
from sisyphus.analysis.isl_limits import Patience
from sisyphus.backends.hls import Project, data_sets
from sisyphus.ir import ArrayId, Expr, Read, Ref, Role, Statement, StmtId, rebuild, substitute
from sisyphus.plan import Plan
from sisyphus.poly import Map, Set, clipped, make_box, pull_back, renamed, var
from sisyphus.values import dataclass, replace
from sisyphus.verification.differential_run import (
    LEAST_SECONDS,
    SECONDS_PER_OPERATION,
    VERY_MANY_OPERATIONS,
    run_files,
    work,
    worth_running,
)
from sisyphus.verification.phases import check_phases, empty
from sisyphus.verification.promises import check_promises
from sisyphus.verification.proof import prove
from sisyphus.verification.streams import check_streams
from sisyphus.verification.verdict import TOO_COMPLEX, Check, Verdict


@dataclass(frozen=True, eq=False)
class UnitParts:
    """What is checked of a unit: its kernel as a part of the source's, what is taken from it, and its design.

    What it delivers of arrays of `adds` is added to what other units deliver. It runs after all units of lower phases.
    """

    part: Restricted
    delivers: Mapping[ArrayId, Box]
    plan: Plan
    dependences: Dependences
    live: Mapping[ArrayId, Live]
    adds: frozenset[ArrayId] = frozenset()
    phase: int = 0


def verify_units(
    found: Dependences,
    whole: Plan,
    units: Sequence[UnitParts],
    project: Project,
    *,
    cut: Cut = (),
    temporaries: Sequence[str] = (),
    full: bool = False,
    listen: Callable[[str], None] = lambda stage: None,
) -> Verdict:
    """The proof of the shares and of each plan, then the run of all units; `whole` is the source without a design.

    With a `cut` into phases, the proof of that, and the shares of each phase in what the cut makes of the source.
    """
    listen("verify: proof")
    joined = check_streams([(unit.plan, unit.part.elements) for unit in units])
    verdict = Verdict((*_check_all_shares(found, units, cut, temporaries), *joined))
    for number, unit in enumerate(units):
        own = prove(unit.plan, unit.dependences, unit.live)
        promised = check_promises(unit.plan, project.files[f"kernel_{number}.cpp"])
        checks = (*promised, *own.checks)
        verdict = verdict.joined(Verdict(tuple(replace(c, name=f"unit {number}: {c.name}") for c in checks)))
    listen("verify: compiling and running")
    size = sum(work(unit.plan) for unit in units)
    sets = worth_running(data_sets(whole), 0 if full else size)
    if size > VERY_MANY_OPERATIONS and not full:
        told = Check("size of the run", True, "NOTHING WAS RUN, too many operations (`--verify full` runs them)")
        verdict, sets = verdict.joined(Verdict((told,))), ()
    seconds = LEAST_SECONDS + SECONDS_PER_OPERATION * size * len(sets)
    ran = run_files(project.files, sets, time_limit_s=seconds)
    return verdict.joined(Verdict(ran.checks, ran.compiler, 0, ran.worst_error))


def _check_all_shares(
    found: Dependences, units: Sequence[UnitParts], cut: Cut, temporaries: Sequence[str]
) -> Iterator[Check]:
    if not cut:
        yield from check_shares(found, units, temporaries)
        return
    told = list(check_phases(found, cut, [[u.delivers for u in units if u.phase == at] for at in range(len(cut))]))
    yield from told
    if not told[0].passed:  # what is no cut has no phases
        return
    for at in range(len(cut)):
        phase, members = phase_of(found.scop, cut, at, temporaries), [n for n, u in enumerate(units) if u.phase == at]
        names = {f"unit {own}": f"unit {number}" for own, number in enumerate(members)}
        for check in check_shares(dependences(phase.scop), [units[n] for n in members], phase.temporaries):
            unit, colon, rest = check.name.partition(":")
            yield replace(check, name=f"phase {at}: {names.get(unit, unit)}{colon}{rest}")


def check_shares(found: Dependences, units: Sequence[UnitParts], temporaries: Sequence[str] = ()) -> Iterator[Check]:
    """Every output is delivered once and whole, and each unit computes what it delivers as the source does."""
    scop = found.scop
    for array in scop.arrays:
        if array.role in (Role.OUT, Role.INOUT) and array.id not in temporaries:
            written = elements_touched(scop.statements, array, reads=False)
            boxes = [
                clipped(make_box(array.id, array.extents), unit.delivers[array.id])
                for unit in units
                if array.id in unit.delivers and array.id not in unit.adds
            ]
            yield from _delivered(array.id, written, boxes)
    values = _Values(found, frozenset(name for unit in units for name in unit.adds))
    yield from values.sums(units)
    for number, unit in enumerate(units):
        for check in values.checks(unit):
            yield replace(check, name=f"unit {number}: {check.name}")


def _delivered(array: ArrayId, written: Set, boxes: Sequence[Set]) -> Iterator[Check]:
    """That boxes cover what the source writes, and none has an element of another."""
    left = reduce(Set.subtract, boxes, written)
    yield empty(f"shares of {array}: complete", left, "is written by the source and delivered by no unit")
    twice = [one.intersect(other) for one, other in combinations(boxes, 2)]
    both = reduce(Set.union, twice, written.intersect(written.complement()))
    yield empty(f"shares of {array}: apart", both, "is delivered by two units")


class _Values:
    """Where the values of the source come from, and whether a unit has them."""

    def __init__(self, found: Dependences, added: frozenset[ArrayId] = frozenset()) -> None:
        self.scop, self.patience = found.scop, Patience()
        self.flows = flows(found)
        self.again = [edge for edge in found.edges if edge.kind is DepKind.WAW]
        self.added = {sum_.array: sum_.statement for name in sorted(added) for sum_ in sums_of(found, name)}
        self.refused = added - set(self.added)

    def sums(self, units: Sequence[UnitParts]) -> Iterator[Check]:
        """That what is added up is a sum of the source, each instance of which runs in one unit.

        Only one unit has what the source does before, and begins with what the array is.
        """
        for name in sorted(self.refused):
            yield Check(f"sums of {name}", False, "no one statement adds to it and writes it last, or others read it")
        for name, statement in self.added.items():
            whole = self.scop.statement(statement).domain
            parts = [self.domains(unit).get(statement) for unit in units]
            ran = [part for part in parts if part is not None]
            left = reduce(Set.subtract, ran, whole)
            yield empty(f"sums of {name}: complete", left, f"of {statement} runs in no unit")
            twice = [one.intersect(other) for one, other in combinations(ran, 2)]
            both = reduce(Set.union, twice, whole.intersect(whole.complement()))
            yield empty(f"sums of {name}: apart", both, f"of {statement} runs in two units")
            first = [unit for unit in units if name in unit.delivers and name not in unit.adds]
            writers = {s.id for s in self.scop.statements if s.write.array == name} - {statement}
            more = [u for u in units if name in u.adds and writers & {s.id for s in u.part.scop.statements}]
            told = "more than one unit begins with what it was before" if more or len(first) != 1 else "shown by isl"
            yield Check(f"sums of {name}: beginning", not more and len(first) == 1, told)

    def domains(self, unit: UnitParts) -> dict[StmtId, Set]:
        """The instances of a unit, as those of the source."""
        found = dict[StmtId, Set]()
        for own in unit.part.scop.statements:
            source = self.scop.statement(own.id)
            shift = [var(n) - low for n, low in zip(own.iterators, unit.part.iterations[own.id], strict=True)]
            found[own.id] = renamed(pull_back(own.domain, source.iterators, shift), own.id, source.iterators)
        return found

    def checks(self, unit: UnitParts) -> Iterator[Check]:
        domains = self.domains(unit)
        for own in unit.part.scop.statements:
            source, fault = self.scop.statement(own.id), _difference(self.scop.statement(own.id), own, unit.part)
            yield Check(f"{own.id} is the source's", not fault, fault or "the same on its part of the arrays")
            uninvited = domains[own.id].subtract(source.domain)
            yield empty(f"instances of {own.id}", uninvited, "is no instance of the source")
            yield from self._inside(unit, own)
        for name, question in self._questions(unit, domains):
            missing = self.patience.ask(question)
            if missing is None:
                yield Check(name, False, TOO_COMPLEX)
            else:
                yield empty(name, missing, "runs in the source before, and not in the unit")

    def _inside(self, unit: UnitParts, own: Statement) -> Iterator[Check]:
        for access in own.accesses:
            array = unit.part.scop.array(access.array)
            outside = access.relation.range().subtract(make_box(array.id, array.extents))
            yield empty(f"{own.id} inside of its part of {array.id}", outside, "is not in the part")

    def _questions(self, unit: UnitParts, domains: Mapping[StmtId, Set]) -> Iterator[tuple[str, Callable[[], Set]]]:
        """What has to run before what runs, and what writes the delivered elements last; each less what runs."""
        for flow in self.flows:
            if flow.sink in domains and not self._is_added(flow, unit):
                name = f"values of {flow.array} from {flow.source} to {flow.sink}"
                yield name, partial(_before, flow.relation, domains[flow.sink], domains.get(flow.source))
        for source in self.scop.statements:
            written = source.write.array
            adds = self.added.get(written)
            if written in unit.delivers and source.id != adds and written not in unit.adds:
                array = self.scop.array(written)
                box = clipped(make_box(array.id, array.extents), unit.delivers[array.id])
                later = [e.relation for e in self.again if e.source == source.id and (adds is None or e.sink != adds)]
                question = partial(_last, source, box, later, domains.get(source.id))
                yield f"last values of {array.id} by {source.id}", question

    def _is_added(self, flow: Flow, unit: UnitParts) -> bool:
        """Whether a value is one that the sink adds to, and another unit adds for this one."""
        adds = self.added.get(flow.array)
        return adds == flow.sink and (flow.source == adds or flow.array in unit.adds)


def _before(relation: Map, sinks: Set, there: Set | None) -> Set:
    needed: Set = relation.intersect_range(sinks).domain()
    return needed if there is None else needed.subtract(there)


def _last(source: Statement, box: Set, later: Sequence[Map], there: Set | None) -> Set:
    writes: Set = source.accesses[0].relation.intersect_range(box).domain()
    for relation in later:
        writes = writes.subtract(relation.domain())
    return writes if there is None else writes.subtract(there)


def _difference(source: Statement, own: Statement, part: Restricted) -> str:
    """What is not as in the source, in words; empty where all is."""
    shifts = part.iterations[own.id]
    values = {n: var(n) - low for n, low in zip(own.iterators, shifts, strict=True)}

    def place(ref: Ref) -> Ref:
        index = tuple(e + low for e, low in zip(ref.index, part.elements[ref.array], strict=True))
        return replace(ref, index=index)

    def leaf(expr: Expr) -> Expr:
        return replace(expr, ref=place(expr.ref)) if isinstance(expr, Read) else expr

    if own.iterators != source.iterators or own.position != source.position:
        return "its loops are others"
    if place(own.write.substitute(values)) != source.write:
        return f"it writes {place(own.write.substitute(values))}, the source {source.write}"
    if rebuild(substitute(own.rhs, values), leaf) != source.rhs:
        return "it computes something else"
    return ""
