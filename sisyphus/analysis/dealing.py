"""Which outputs can be dealt over units that never speak to each other, and what each unit must then do by itself.

A unit delivers a slab of each output, and runs every instance that a value of the slab rests on: of temporaries that
several units need, each computes what it needs. Knows neither how many units there are nor what any of them costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from typing import Any

from sisyphus.analysis.dataflow import flows
from sisyphus.analysis.dependence import Dependences, DepKind
from sisyphus.analysis.footprint import Box, count_or_none, operations
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.slabs import Dealing, Slab
from sisyphus.analysis.sums import Sum, sums_of
from sisyphus.ir import Array, ArrayId, Role, Scop, Statement, StmtId
from sisyphus.poly import Set, box_of, clipped, make_box, sides
from sisyphus.values import dataclass

#: How often the box of needed instances of a statement may grow before the sides that still do are given up.
GROWTHS = 3
#: A unit of two that has this share of all operations or more is no help.
NO_HELP = 0.9
#: Units by which dealings are compared.
PROBED = 2


_Sides = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, eq=False)
class Share:
    """What a unit that delivers places `low` to `high` (exclusive) does: instances per statement, boxes of arrays.

    `delivers` are the boxes of outputs that are taken from it, of which those of `adds` begin with zeros and are added
    to what others deliver. With a `width` it computes as much as a unit of so many places does: others deliver some.
    """

    low: int
    high: int
    domains: Mapping[StmtId, Set]
    boxes: Mapping[ArrayId, Box]
    delivers: Mapping[ArrayId, Box]
    adds: frozenset[ArrayId] = frozenset()
    width: int = 0


@dataclass(frozen=True, eq=False)
class Dealt:
    """A dealing with what two units of equal shares make of it.

    `work` is the larger part of all operations that one of them has. Of arrays that are `dealt` they have different
    boxes, of `replicated` ones the same; `repeated` are the statements of which some instances run in both.
    """

    dealing: Dealing
    work: float
    dealt: tuple[ArrayId, ...]
    replicated: tuple[ArrayId, ...]
    repeated: tuple[StmtId, ...]

    @property
    def refused(self) -> str:
        """Why units would not help; empty where they do."""
        if self.work < NO_HELP:
            return ""
        return f"a unit of two would run {self.work:.0%} of the operations"


class Dealer:
    """Shares of a kernel whose arguments in `temporaries` nobody wants; with `tree`, units may add up an output."""

    def __init__(self, found: Dependences, temporaries: Collection[str] = (), *, tree: bool = False) -> None:
        self.scop, self.patience, self.found, self.tree = found.scop, Patience(), found, tree
        known, again = flows(found), [e for e in found.edges if e.kind is DepKind.WAW]
        self.sources = {s.id: [flow for flow in known if flow.sink == s.id] for s in self.scop.statements}
        self.overwritten = {s.id: [e for e in again if e.source == s.id] for s in self.scop.statements}
        self.outputs = tuple(reversed(_outputs(self.scop, temporaries)))

    @cached_property
    def dealings(self) -> tuple[Dealt, ...]:
        """One for each dimension of the output with several elements that is written last, and one by which outputs are
        dealt apart.

        Those that help first; of those by dimensions the best first.
        """
        lead = next((slabs for slabs in map(self._slabs_of, self.outputs) if slabs), [])
        found = [d for slab in lead for d in self._completed(slab)]
        found.sort(key=lambda d: (round(d.work, 2), d.dealing.slabs[0].dim or 0))
        return tuple(sorted([*found, *self._apart(), *self._added()], key=lambda d: bool(d.refused)))

    @property
    def whole(self) -> Dealing | None:
        """All outputs from one unit; None where nobody wants any."""
        slabs = tuple(Slab(array.id, None) for array in self.outputs)
        return Dealing(slabs) if slabs else None

    @property
    def could_add(self) -> bool:
        """Whether units could add up an output, which they may only with `tree`."""
        return not self.tree and any(sum_ for array in self.outputs for sum_ in sums_of(self.found, array.id))

    def none_for(self, count: int) -> str:
        """Why so many units cannot have a part each of the outputs."""
        if not self.outputs:
            return "nobody wants any"
        if not self.dealings and not any(self._slabs_of(array) for array in self.outputs):
            return "of each a single element is written"
        if not self.dealings:
            return "isl does not tell what a part of them needs"
        most = max(dealt.dealing.extent for dealt in self.dealings)
        return self.dealings[0].refused or f"they have {most:,} places"

    def _slabs_of(self, array: Array) -> list[Slab]:
        """The dimensions by which an output can be dealt: what is written there has several places."""
        writes = [s.accesses[0].relation.range() for s in self.scop.statements if s.write.array == array.id]
        around = box_of(reduce(Set.union, writes)) if array.extents else ()
        return [Slab(array.id, dim, high - low + 1, low) for dim, (low, high) in enumerate(around) if high > low]

    def _added(self) -> Iterator[Dealt]:
        """The last output that units can add up, over the loop with which one of two has the fewest operations."""
        for array in self.outputs if self.tree else ():
            sums = sums_of(self.found, array.id)
            found = [d for s in sums for d in self._completed(Slab(s.array, None, s.extent), s)]
            if found:
                yield min(found, key=lambda dealt: dealt.work)
                return

    def _apart(self) -> Iterator[Dealt]:
        """Outputs one after another, each dealt by itself, so that no unit has to do something for several of them."""
        slabs = tuple(slab for array in reversed(self.outputs) for slab in self._best_alone(array))
        cuts = list(accumulate(slab.extent for slab in slabs))[:-1]
        if len(slabs) == len(self.outputs) > 1:
            dealing = Dealing(slabs, apart=True)
            found = [dealt for cut in cuts for dealt in self._rated(dealing, (0, cut, dealing.extent))]
            yield from sorted(found, key=lambda dealt: dealt.work)[:1]

    def _best_alone(self, array: Array) -> Iterator[Slab]:
        """The slab of an output that costs the fewest operations if it were the only one."""
        rated = [(dealt.work, slab) for slab in self._slabs_of(array) for dealt in self._rated(Dealing((slab,)))]
        yield from (slab for _, slab in sorted(rated, key=lambda rate: (round(rate[0], 3), rate[1].dim or 0))[:1])

    def share(self, dealing: Dealing, low: int, high: int, width: int = 0) -> Share | None:
        """The share of a unit, perhaps of more than it delivers; None where isl gives up, or it has nothing to do.

        Nor is there a first share of an output that is added up where others add to elements that it never touches.
        """
        return self.patience.ask(lambda: self._share(dealing, low, high, width))

    def work(self, share: Share) -> int | None:
        """Operations and assignments of a share; None where they cannot be counted."""
        counts = {name: count_or_none(domain) for name, domain in share.domains.items()}
        if None in counts.values():
            return None
        return sum((counts[s.id] or 0) * _weight(s) for s in self.scop.statements if s.id in counts)

    @cached_property
    def all_work(self) -> int | None:
        known = work_of(self.scop)
        return None if known is None else sum(known.values())

    def _completed(self, lead: Slab, added: Sum | None = None) -> Iterator[Dealt]:
        """A dealing that begins with one slab; each further output goes where it costs the fewest operations."""
        slabs: tuple[Slab, ...] = (lead,)
        for array in (array for array in self.outputs if array.id != lead.array):
            rated = [
                (dealt.work, at, option)
                for at, option in enumerate([*self._slabs_of(array), Slab(array.id, None)])
                for dealt in self._rated(Dealing((*slabs, option), added=added))
            ]
            if not rated:
                return
            slabs = (*slabs, min(rated, key=lambda rate: (round(rate[0], 3), rate[1]))[2])
        yield from self._rated(Dealing(slabs, added=added))

    def _rated(self, dealing: Dealing, cut: Sequence[int] | None = None) -> Iterator[Dealt]:
        """What two units make of a dealing, in the middle or where it is cut; nothing if that cannot be found out."""
        extent, all_work = dealing.extent, self.all_work
        bounds = cut or [extent * at // PROBED for at in range(PROBED + 1)]
        shares = [self.share(dealing, low, high) for low, high in pairwise(bounds)]
        work = [None if share is None else self.work(share) for share in shares]
        if not all_work or None in work:
            return
        known = [share for share in shares if share is not None]
        used = [a.id for a in self.scop.arrays if any(a.id in s.boxes for s in known)]
        dealt = [a for a in used if len({s.boxes.get(a) for s in known}) > 1]
        kept = [a for a in used if a not in dealt]
        repeated = [s.id for s in self.scop.statements if _meet([k.domains[s.id] for k in known if s.id in k.domains])]
        yield Dealt(dealing, max(w or 0 for w in work) / all_work, tuple(dealt), tuple(kept), tuple(repeated))

    def _share(self, dealing: Dealing, low: int, high: int, width: int) -> Share | None:
        delivered, added = self._slabs(dealing.places(low, high)), dealing.added
        computed = self._slabs(dealing.widened(low, high, width)) if width else delivered
        domains = self._needed(computed, added, low, high)
        if not domains:
            return None
        boxes = dict(self._boxes(domains))
        delivers = {
            name: box_of(around)
            for name, box in delivered.items()
            if name in boxes
            for around in [clipped(box, boxes[name])]
            if not around.is_empty()
        }
        if added is not None and not low:  # others add to what it delivers, so that it has to have all of it
            everything = dict(self._boxes({s.id: s.domain for s in self.scop.statements}))
            if boxes.get(added.array) != everything[added.array]:
                return None
        adds = frozenset([added.array] if added is not None and low else [])
        return Share(low, high, domains, boxes, delivers, adds, width)

    def _slabs(self, dealt: Iterable[tuple[Slab, range]]) -> dict[ArrayId, Set]:
        """The elements of each output that places of it stand for."""
        found = dict[ArrayId, Set]()
        for slab, places in dealt:
            array = self.scop.array(slab.array)
            box = make_box(array.id, array.extents)
            if slab.dim is not None:
                box = clipped(box, [None] * slab.dim + [(places.start, places.stop - 1)])
            if places:
                found[array.id] = box
        return found

    def _needed(self, delivered: Mapping[ArrayId, Set], added: Sum | None, low: int, high: int) -> dict[StmtId, Set]:
        """Instances that write last what is delivered, and that wrote what these read, in boxes of their domains.

        Of an output that is added up, those of the part of its loop, and in the first unit what comes before them.
        """
        wanted, boxes, grown = dict[StmtId, Set](), dict[StmtId, _Sides](), Counter[StmtId]()
        waiting = list[StmtId]()

        def want(statement: Statement, points: Set) -> None:
            name, points = statement.id, points.intersect(statement.domain)
            if points.is_empty():
                return
            grown[name] += 1
            known, new = boxes.get(name), sides(points)
            boxes[name] = new if known is None else _around(known, new, widened=grown[name] > GROWTHS)
            if boxes[name] != known:
                wanted[name] = clipped(statement.domain, boxes[name])
                waiting.append(name)

        for statement in self.scop.statements:
            array = statement.write.array
            if added is not None and added.statement == statement.id:
                want(statement, added.part(statement.domain, low, high))
            elif array in delivered and not (added is not None and added.array == array and low):
                writes = statement.accesses[0].relation.intersect_range(delivered[array]).domain()
                for later in self.overwritten[statement.id]:
                    if added is None or later.sink != added.statement:
                        writes = writes.subtract(later.relation.domain())
                want(statement, writes)
        while waiting:
            sink = waiting.pop()
            for edge in self.sources[sink]:
                if added is None or (edge.array, sink) != (added.array, added.statement):
                    want(self.scop.statement(edge.source), edge.relation.intersect_range(wanted[sink]).domain())
        return {s.id: wanted[s.id] for s in self.scop.statements if s.id in wanted}

    def _boxes(self, domains: Mapping[StmtId, Set]) -> Iterator[tuple[ArrayId, Box]]:
        """The smallest box around what is touched of each array; all of what is looked up."""
        for array in self.scop.arrays:
            touched = list[Set]()
            for name, domain in domains.items():
                statement = self.scop.statement(name)
                touched += [
                    a.relation.intersect_domain(domain).range() for a in statement.accesses if a.array == array.id
                ]
                touched += [make_box(array.id, array.extents)] if array.id in statement.looked_up else []
            if touched:
                yield array.id, box_of(reduce(Set.union, touched))


def _around(known: _Sides, new: _Sides, *, widened: bool) -> _Sides:
    """The smallest box around two; with `widened`, sides that grow are free at once instead of step by step."""
    both = []
    for old, other in zip(known, new, strict=True):
        grown = None if old is None or other is None else (min(old[0], other[0]), max(old[1], other[1]))
        both.append(None if widened and grown != old else grown)
    return tuple(both)


def dealings_data(found: Sequence[Dealt]) -> list[dict[str, Any]]:
    """What `sisy analyze` shows of them."""
    return [
        {
            "name": dealt.dealing.name,
            "extent": dealt.dealing.extent,
            "apart": dealt.dealing.apart,
            "outputs": [{"array": slab.array, "dimension": slab.dim} for slab in dealt.dealing.slabs],
            "work": round(dealt.work, 4),
            "dealt": list(dealt.dealt),
            "replicated": list(dealt.replicated),
            "repeated": list(dealt.repeated),
            "refused": dealt.refused or None,
        }
        for dealt in found
    ]


def work_of(scop: Scop) -> dict[StmtId, int] | None:
    """Operations and assignments of all instances of each statement; None where they cannot be counted."""
    counts = {s.id: count_or_none(s.domain) for s in scop.statements}
    if None in counts.values():
        return None
    return {s.id: (counts[s.id] or 0) * _weight(s) for s in scop.statements}


def _outputs(scop: Scop, temporaries: Collection[str]) -> tuple[Array, ...]:
    """The arguments whose last values are wanted, in the order of their last writes."""
    last = {s.write.array: at for at, s in enumerate(scop.statements)}
    written = [a for a in scop.arrays if a.id in last and a.role is not Role.LOCAL and a.id not in temporaries]
    return tuple(sorted(written, key=lambda a: last[a.id]))


def _weight(statement: Statement) -> int:
    return 1 + operations(statement).total()


def _meet(domains: Sequence[Set]) -> bool:
    """Whether the instances of two units have some in common."""
    return len(domains) > 1 and not reduce(Set.intersect, domains).is_empty()
