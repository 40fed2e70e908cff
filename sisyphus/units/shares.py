"""How much each unit gets: shares of the outputs so that all units take about as long; writes nothing.

A unit is the kernel of its share on the target of its SLR, and goes through the same search as any kernel. Units of
equal shares on nearly equal SLRs are the same kernel on the same target, so that one search serves them all. A search
of another share begins with a design that is known, with tiles of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from operator import mul

from sisyphus.analysis import Dealer, Dealing, Restricted, Share, dependences, liveness, restricted
from sisyphus.errors import KernelError, NoDesignError, TimeUp
from sisyphus.ir import Role, Scop
from sisyphus.ir.scop_text import whole_text_of
from sisyphus.kernel_forms import forms_of
from sisyphus.model import Estimate, estimate
from sisyphus.part_search import Choice, Listen, cost_of
from sisyphus.plan import Plan
from sisyphus.request import Kernel, Request, plan_of
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint, may_add_in_fabric
from sisyphus.target import ADDERS
from sisyphus.units.beside import Beside
from sisyphus.units.limits import Purse
from sisyphus.units.places import Count, Place, capacities
from sisyphus.units.refit import refitted
from sisyphus.units.refusals import cannot_be_dealt
from sisyphus.units.sizes import alike, bounds_of, rounded, rounded_apart
from sisyphus.values import dataclass, replace

#: Searches for one share, out of all shares that are tried.
Find = Callable[[Sequence[Kernel], Request], Choice]
#: Shares that are tried of the best dealing, those in proportion among them.
ROUNDS = 5
#: The part of what is left of the limit for a search that begins with a design of another share.
BEGUN = 0.25
#: The part of what is left for the slowest unit, once the shares are chosen, where there are units unlike it.
AGAIN = 0.6
#: The part of the limit in which all ways are tried, where there are several.
TRIED = 0.5
#: Designs that are tried as the beginning of a search.
BEGINNINGS = 3
#: Dealings that are tried: those of nearly the least work.
DEALINGS, NEARLY = 2, 1.1
#: Units whose cycles differ by no more than this share are in balance.
BALANCED = 0.01


@dataclass(frozen=True, eq=False)
class Unit:
    """One unit: where it sits, which share it has of its phase, the kernel of it, and the design that was chosen."""

    number: int
    place: Place
    share: Share
    part: Restricted
    kernel: Kernel
    point: DesignPoint
    plan: Plan
    estimate: Estimate
    proved: bool = False
    phase: int = 0
    at_once: bool = False

    @property
    def cycles(self) -> int:
        return self.estimate.cycles

    @property
    def turn(self) -> int:
        """When it is started: after the units of earlier phases, or with all others where streams join them."""
        return 0 if self.at_once else self.phase


@dataclass(frozen=True, eq=False)
class Split:
    """A kernel dealt over units; the whole takes as long as the slowest of them."""

    scop: Scop
    dealing: Dealing
    units: tuple[Unit, ...]

    @property
    def cycles(self) -> int:
        return max(unit.cycles for unit in self.units)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(unit.share.high - unit.share.low for unit in self.units)


def split(
    scop: Scop, request: Request, count: Count, find: Find, listen: Listen, beside: Beside | None = None
) -> Split:
    """The best split that was found; with `auto` over as many units as help.

    `KernelError` where no output can be dealt, `NoDesignError` where no share has a design.
    """
    splitter, purse = _Splitter(scop, request, find, listen, beside or Beside()), Purse(request.limits)
    if count != "auto":
        return splitter.over(count, purse)
    counts = range(1, request.target.device.slrs + 1)
    best = splitter.over(1, Purse(purse.part(1 / sum(counts))))
    for more in counts[1:]:
        with suppress(KernelError, NoDesignError):
            found = splitter.over(more, Purse(purse.part(more / sum(counts[more - 1 :]))))
            best = min(best, found, key=lambda split: split.cycles)
    return best


#: What tells searches apart: a kernel, a target, and the arguments that nobody wants.
_Key = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is searched for a unit: the kernel of its share on its SLR."""

    part: Restricted
    request: Request

    @cached_property
    def key(self) -> _Key:
        target = self.request.target
        return whole_text_of(self.part.scop), f"{target.budget} {target.device.banks}", self.request.source.temporaries

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        return forms_of(self.part.scop, self.request.source)


class _Splitter:
    def __init__(self, scop: Scop, request: Request, find: Find, listen: Listen, beside: Beside) -> None:
        self.scop, self.request, self.find, self.listen, self.beside = scop, request, find, listen, beside
        tree = request.options.tree_reduction and beside.may_add(scop)
        self.dealer = Dealer(dependences(scop), request.source.temporaries, tree=tree)
        self.known = dict[_Key, Choice | None]()
        self.seated = dict[_Key, tuple[Share, Place]]()
        self.fixes, self.proofs = tuple[str, ...](), defaultdict[_Key, set[tuple[str, ...]]](set)
        self.interrupted = False

    def over(self, count: int, purse: Purse) -> Split:
        """The best split over so many units: of the best way, first in proportion to what each SLR can compute, then
        by its cycles.

        Neither work nor extents tell which way is best, so that each is tried, and the best one has what is left of the
        limit.
        """
        where, dealings, tried = self.beside.seats(self.request.target, count), self._dealings(count), list[Split]()
        for number, dealing in enumerate(dealings if count > 1 else ()):
            own = Purse(purse.part(TRIED / (len(dealings) - TRIED * number)))
            tried += [] if tried and self.interrupted else filter(None, [self._tried(dealing, where, own)])
        best = min(tried, key=lambda split: split.cycles, default=None)
        dealing = dealings[0] if best is None else best.dealing
        best = self._by_turns(dealing, where, purse, best)
        if best is None:
            raise NoDesignError(
                f"no design of a share of `{self.scop.name}` fits an SLR of `{self.request.target.device.name}`",
                hint="raise the budget or the time limit, or take fewer units",
            )
        again = set[_Key]()
        while (better := self._searched_again(best, purse, again)) is not None:
            best = self._by_turns(dealing, where, purse, better) or better
        return best

    @cached_property
    def _adders(self) -> list[tuple[str, ...]]:
        """What additions may run on, as `--fix` has it."""
        is_fixed = any(fix.startswith("adders=") for fix in self.request.fixes)
        if is_fixed or not may_add_in_fabric(self.scop, self.request.target):
            return [()]
        return [(f"adders={adders}",) for adders in ADDERS]

    def _tried(self, dealing: Dealing, where: Sequence[Place], purse: Purse) -> Split | None:
        """Shares in proportion, with half of the limit for either kind of adders; each unit has the better design.

        Budgets do not tell which kind is better, and a whole search has most of its limit for one of them.
        """
        before, merged = self.known, dict[_Key, Choice | None]()
        for number, fixes in enumerate(self._adders):
            own = Purse(purse.part(1 / (len(self._adders) - number)))
            self.known, self.seated, self.fixes = {}, {}, fixes
            self._by_turns(dealing, where, own, rounds=1)
            for key, choice in self.known.items():
                found = [c for c in (merged.get(key), choice) if c is not None]
                merged[key] = min(found, key=lambda c: cost_of(c, self.request), default=None)
        self.known, self.fixes = {**before, **merged}, ()
        return self._by_turns(dealing, where, purse, rounds=1)

    def _dealings(self, count: int) -> list[Dealing]:
        known, whole = self.dealer.dealings, self.dealer.whole
        if count == 1 and whole is not None and not known:
            return [whole]
        helpful = [d for d in known if not d.refused] if count > 1 else list(known)
        helpful = [d for d in helpful if d.dealing.extent >= count]
        helpful = [d for d in helpful if self.beside.suits(d.dealing)] or helpful
        if not helpful:
            raise cannot_be_dealt(self.dealer, count)
        near = [d.dealing for d in helpful if d.work <= NEARLY * helpful[0].work]
        plain = [d for d in near if not (d.apart or d.added)]
        return [*plain[:DEALINGS], *(d for d in near if d not in plain)] if count > 1 else near[:1]

    def _by_turns(
        self,
        dealing: Dealing,
        where: Sequence[Place],
        purse: Purse,
        best: Split | None = None,
        rounds: int = ROUNDS,
    ) -> Split | None:
        """Shares in proportion to what SLRs can compute, then as the cycles of units ask for; the best of them."""
        seen, paces = {best.sizes} if best is not None else set[tuple[int, ...]](), list[float]()
        weights = capacities(tuple(place.target for place in where))
        wanted = self._of_equal_work(dealing, [float(w) for w in weights])
        for _ in range(rounds):
            if best is not None and not dealing.apart:  # units of one output take as long as they do
                paces = _paces(best, wanted)
                wanted = [dealing.extent / pace / sum(1 / p for p in paces) for pace in paces]
            hoped = rounded(wanted, dealing.extent, where)
            if dealing.apart:
                hoped = rounded_apart(wanted, dealing.stretches, where)
            elif best is not None:
                hoped = [s for s in hoped if max(map(mul, s, paces)) < (1 - BALANCED) * best.cycles]
            sizes = next((s for s in hoped if s not in seen), None)
            if sizes is None or (best is not None and self._is_over(purse)):
                break
            seen.add(sizes)
            found = self._of_sizes(dealing, where, sizes, purse, is_last=rounds == 1)
            if found is None:
                break
            best = found if best is None or found.cycles < best.cycles else best
        return best

    def _is_over(self, purse: Purse) -> bool:
        return self.interrupted or purse.is_empty

    def _searched_again(self, split: Split, purse: Purse, tried: set[_Key]) -> Split | None:
        """The same shares with more of the limit for the slowest unit that has no proof and was not `tried` before.

        Others than the slowest of all may take on more of the work then. None where there is no such unit.
        """
        asked = {unit.number: self._asked(unit.share, unit.place) for unit in split.units}
        waiting = [unit for unit in split.units if not unit.proved and asked[unit.number].key not in tried]
        if not waiting or self._is_over(purse):
            return None
        slowest = max(waiting, key=lambda unit: unit.cycles)
        again = asked[slowest.number]
        tried.add(again.key)
        is_alone = all(one.key == again.key for one in asked.values())
        self.listen(f"unit {slowest.number} once more, of shares {'+'.join(map(str, split.sizes))}")
        self._search(again, slowest.point, purse.part(1.0 if is_alone else AGAIN))
        units = [self._made(u.number - self.beside.first, u.share, u.place) or u for u in split.units]
        return replace(split, units=tuple(units))

    def _of_equal_work(self, dealing: Dealing, weights: Sequence[float]) -> list[float]:
        """Sizes of shares whose operations are in proportion to `weights`, nearly."""
        total = sum(weights)
        sizes = [weight * dealing.extent / total for weight in weights]
        for _ in range(4):
            bounds = bounds_of([round(size) for size in sizes], dealing.extent)
            work = [self._work(dealing, low, high) for low, high in pairwise(bounds)]
            if 0 in work:
                break
            sizes = [size * weight / done for size, weight, done in zip(sizes, weights, work, strict=True)]
            sizes = [size * dealing.extent / sum(sizes) for size in sizes]
        return sizes

    def _work(self, dealing: Dealing, low: int, high: int) -> int:
        share = self.dealer.share(dealing, low, high) if low < high else None
        return 0 if share is None else self.dealer.work(share) or 0

    def _of_sizes(
        self, dealing: Dealing, where: Sequence[Place], sizes: Sequence[int], purse: Purse, *, is_last: bool
    ) -> Split | None:
        """The design of each unit; None where one has none. Nothing of the limit is kept for others after the last."""
        shares = self._shares(dealing, where, sizes)
        units = []
        for number, (share, place) in enumerate(zip(shares, where, strict=True)):
            self.listen(f"unit {number} of shares {'+'.join(map(str, sizes))} of {dealing.name}")
            kinds = {later.kind for later in where[number:]} - {known.kind for _, known in self.seated.values()}
            part = 1.0 if len(where) == 1 else 1 / ((0 if is_last else 1) + max(len(kinds), 1))
            unit = None if share is None else self._unit(number, share, place, purse, part, part if is_last else BEGUN)
            if unit is None:
                return None
            units.append(unit)
        return Split(self.scop, dealing, tuple(units))

    def _shares(self, dealing: Dealing, where: Sequence[Place], sizes: Sequence[int]) -> list[Share | None]:
        """The share of each unit.

        Units on SLRs of one kind compute as much as the largest of them where they are one and the same kernel then: so
        a rest of a few places less, with other divisors, needs no design of its own.
        """
        bounds = [*pairwise(bounds_of(sizes, dealing.extent))]
        found = [self.dealer.share(dealing, low, high) for low, high in bounds]
        for kind in {place.kind for place in where}:
            members = [at for at, place in enumerate(where) if place.kind == kind]
            if len(self._texts([found[at] for at in members])) > 1:
                most = max(sizes[at] for at in members)
                wide = [self.dealer.share(dealing, *bounds[at], most) for at in members]
                if len(self._texts(wide)) == 1:
                    for at, share in zip(members, wide, strict=True):
                        found[at] = share
        return found

    def _texts(self, shares: Sequence[Share | None]) -> set[str]:
        """The kernels of shares, told apart by all that they are."""
        return {"" if share is None else whole_text_of(restricted(self.scop, share).scop) for share in shares}

    def _unit(self, number: int, share: Share, place: Place, purse: Purse, part: float, begun: float) -> Unit | None:
        """One unit; unless known, by a search in a part of the limit, in the part `begun` where it has a start."""
        asked = self._asked(share, place)
        if asked.key not in self.known:
            start = self._beginning(share, place, asked)
            self._search(asked, start, purse.part(part if start is None else begun))
        if self.known[asked.key] is not None:
            self.seated[asked.key] = share, place
        return self._made(number, share, place)

    def _made(self, number: int, share: Share, place: Place) -> Unit | None:
        """The unit of a design that is known; None where a search found none."""
        asked = self._asked(share, place)
        found = self.known[asked.key]
        if found is None:
            return None
        proofs = self.proofs[asked.key]
        is_proved = () in proofs or proofs >= {*self._adders}
        unit = made(self.beside.first + number, place, share, asked.part, found.kernel, found.point, is_proved)
        return replace(unit, phase=self.beside.phase)

    def _asked(self, share: Share, place: Place) -> _Asked:
        part = restricted(self.scop, share)
        source = replace(self.request.source, temporaries=unwanted(part.scop, share, self.request.source.temporaries))
        adders = self.fixes if may_add_in_fabric(part.scop, self.request.target) else ()  # a part may add nothing
        fixes = (*self.request.fixes, *adders, *self.beside.fixes(part.scop))
        target = self.beside.searched(place.target)
        return _Asked(part, replace(self.request, source=source, target=target, fixes=fixes))

    def _beginning(self, share: Share, place: Place, asked: _Asked) -> DesignPoint | None:
        """A known design as one of this share: of the same kind of SLR rather than of another, of about its size."""

        def distance(key: _Key) -> tuple[bool, int]:
            other, there = self.seated[key]
            return there.kind != place.kind, abs(other.high - other.low - share.high + share.low)

        near = [self.known[key] for key in sorted(self.seated, key=distance)[:BEGINNINGS]]
        points = (refitted(choice, asked.kernels, asked.request) for choice in near if choice is not None)
        return next((point for point in points if point is not None), None)

    def _search(self, asked: _Asked, start: DesignPoint | None, limits: Limits) -> None:
        """Looks for a design, which is known then; what was known stays where there is no better one."""
        try:
            choice = self.find(asked.kernels, replace(asked.request, start=start, limits=limits))
        except (NoDesignError, TimeUp):
            self.known.setdefault(asked.key, None)
            return
        self.known[asked.key] = choice
        if choice.outcome is not None and choice.outcome.stop is Stop.PROVED:
            self.proofs[asked.key].add(self.fixes)
        self.interrupted = self.interrupted or choice.was_interrupted


def made(
    number: int, place: Place, share: Share, part: Restricted, kernel: Kernel, point: DesignPoint, proved: bool = False
) -> Unit:
    """A unit of a design that was chosen, with a name of its own."""
    named = replace(kernel, scop=replace(kernel.scop, name=f"{kernel.scop.name}_{number}"))
    plan = plan_of(named, point)
    return Unit(number, place, share, part, named, point, plan, estimate(plan, place.target), proved)


def unwanted(scop: Scop, share: Share, temporaries: Sequence[str]) -> tuple[str, ...]:
    """The arguments of a unit whose last values nobody takes from it, so that it need not store them."""
    exposed = {name: live.upward_exposed for name, live in liveness(scop).items()}
    return tuple(
        sorted(
            a.id
            for a in scop.arrays
            if a.role is Role.OUT or (a.role is Role.INOUT and exposed[a.id].is_empty())
            if a.id in temporaries or a.id not in share.delivers
        )
    )


def _paces(split: Split, wanted: Sequence[float]) -> list[float]:
    """Cycles per place of each unit; of units that are alike, those of the largest share."""
    paces = [unit.cycles / size for unit, size in zip(split.units, split.sizes, strict=True)]
    for members in alike(wanted, [unit.place for unit in split.units]):
        largest = max(members, key=lambda at: (split.sizes[at], paces[at]))
        for at in members:
            paces[at] = paces[largest]
    return paces
