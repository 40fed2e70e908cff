"""How much each unit gets: shares of the outputs so that all units take about as long; writes nothing.

A unit is the kernel of its share on the target of its SLR, and goes through the same search as any kernel. Units of
equal shares on nearly equal SLRs are the same kernel on the same target, so that one search serves them all. A search
of another share begins with a design that is known, with tiles of its own.
"""

from __future__ import annotations

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
from sisyphus.part_search import Choice, Listen
from sisyphus.plan import Plan
from sisyphus.request import Kernel, Request, plan_of
from sisyphus.solve import Stop
from sisyphus.space import DesignPoint
from sisyphus.units.beside import Beside
from sisyphus.units.limits import Purse
from sisyphus.units.places import Count, Place, capacities
from sisyphus.units.refit import refitted
from sisyphus.units.sizes import alike, bounds_of, rounded, rounded_apart
from sisyphus.values import dataclass, replace

#: Searches for one share, out of all shares that are tried.
Find = Callable[[Sequence[Kernel], Request], Choice]
#: Shares that are tried of the best dealing after those in proportion.
ROUNDS = 5
#: The part of what is left of the limit for a search that begins with a design of another share.
BEGUN = 0.25
#: The part of what is left for the slowest unit, once the shares are chosen.
AGAIN = 0.6
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
        self.designs = list[tuple[Share, Place, Choice]]()
        self.interrupted = False

    def over(self, count: int, purse: Purse) -> Split:
        """The best split over so many units: first in proportion to what each SLR can compute, then by its cycles."""
        where, found = self.beside.seats(self.request.target, count), list[Split]()
        dealings = self._dealings(count)
        for number, dealing in enumerate(dealings):  # neither work nor extents tell which of these is best
            own = Purse(purse.part(1 / (len(dealings) - number)))
            found += [] if found and self.interrupted else filter(None, [self._by_turns(dealing, where, own)])
        if not found:
            raise NoDesignError(
                f"no design of a share of `{self.scop.name}` fits an SLR of `{self.request.target.device.name}`",
                hint="raise the budget or the time limit, or take fewer units",
            )
        return min(found, key=lambda split: split.cycles)

    def _dealings(self, count: int) -> list[Dealing]:
        known = self.dealer.dealings
        helpful = [d for d in known if not d.refused] if count > 1 else list(known)
        helpful = [d for d in helpful if d.dealing.extent >= count]
        helpful = [d for d in helpful if self.beside.suits(d.dealing)] or helpful
        if not helpful:
            reason = f": {known[0].refused}" if known and known[0].refused else ""
            raise KernelError(
                f"the outputs of `{self.scop.name}` cannot be dealt over {count} units{reason}",
                hint="`sisy analyze` lists what can be dealt; leave out `--units` for one design on the whole board",
            )
        near = [d.dealing for d in helpful if d.work <= NEARLY * helpful[0].work]
        plain = [d for d in near if not (d.apart or d.added)]
        return [*plain[:DEALINGS], *(d for d in near if d not in plain)] if count > 1 else near[:1]

    def _by_turns(self, dealing: Dealing, where: Sequence[Place], purse: Purse) -> Split | None:
        """Shares in proportion to what SLRs can compute, then as the cycles of units ask for; the best of them.

        What is left of the limit then goes to the units that are slowest.
        """
        best, seen, paces = None, set[tuple[int, ...]](), list[float]()
        weights = capacities(tuple(place.target for place in where))
        wanted = self._of_equal_work(dealing, [float(w) for w in weights])
        for _ in range(ROUNDS):
            hoped = rounded(wanted, dealing.extent, where)
            if dealing.apart:
                hoped = rounded_apart(wanted, dealing.stretches, where)
            elif best is not None:
                hoped = [s for s in hoped if max(map(mul, s, paces)) < (1 - BALANCED) * best.cycles]
            sizes = next((s for s in hoped if s not in seen), None)
            if sizes is None or (best is not None and self._is_over(purse)):
                break
            seen.add(sizes)
            found = self._of_sizes(dealing, where, sizes, purse)
            if found is None:
                break
            best = found if best is None or found.cycles < best.cycles else best
            if not dealing.apart:  # units of one output take as long as they do
                paces = _paces(best, wanted)
                wanted = [dealing.extent / pace / sum(1 / p for p in paces) for pace in paces]
        return None if best is None else self._searched_again(best, purse)

    def _is_over(self, purse: Purse) -> bool:
        return self.interrupted or purse.is_empty

    def _searched_again(self, split: Split, purse: Purse) -> Split:
        """The same shares with what is left of the limit for the slowest units, which begin with what they have."""
        tried = set[_Key]()
        while not self._is_over(purse):
            slowest = max(split.units, key=lambda unit: unit.cycles)
            asked = self._asked(slowest.share, slowest.place)
            known = self.known[asked.key]
            if known is None or slowest.proved or asked.key in tried:
                break
            tried.add(asked.key)
            self.listen(f"unit {slowest.number} once more, of shares {'+'.join(map(str, split.sizes))}")
            request = replace(asked.request, start=known.point, limits=purse.part(AGAIN))
            self.known[asked.key] = self._searched(asked.kernels, request) or known
            units = [self._made(u.number - self.beside.first, u.share, u.place) or u for u in split.units]
            split = replace(split, units=tuple(units))
        return split

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

    def _of_sizes(self, dealing: Dealing, where: Sequence[Place], sizes: Sequence[int], purse: Purse) -> Split | None:
        """The design of each unit; None where one has none."""
        shares = self._shares(dealing, where, sizes)
        units = []
        for number, (share, place) in enumerate(zip(shares, where, strict=True)):
            self.listen(f"unit {number} of shares {'+'.join(map(str, sizes))} of {dealing.name}")
            kinds = {later.kind for later in where[number:]} - {known.kind for _, known, _ in self.designs}
            part = 1.0 if len(where) == 1 else 1 / (1 + max(len(kinds), 1))
            unit = None if share is None else self._unit(number, share, place, purse, part)
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

    def _unit(self, number: int, share: Share, place: Place, purse: Purse, part: float) -> Unit | None:
        """One unit, by a search within a part of the limit unless its design is known."""
        asked = self._asked(share, place)
        if asked.key not in self.known:
            start = self._beginning(share, place, asked)
            limits = purse.part(part if start is None else BEGUN)
            found = self._searched(asked.kernels, replace(asked.request, start=start, limits=limits))
            self.known[asked.key] = found
            self.designs += [] if found is None else [(share, place, found)]
        return self._made(number, share, place)

    def _made(self, number: int, share: Share, place: Place) -> Unit | None:
        """The unit of a design that is known; None where a search found none."""
        asked = self._asked(share, place)
        found = self.known[asked.key]
        if found is None:
            return None
        is_proved = found.outcome is not None and found.outcome.stop is Stop.PROVED
        unit = made(self.beside.first + number, place, share, asked.part, found.kernel, found.point, is_proved)
        return replace(unit, phase=self.beside.phase)

    def _asked(self, share: Share, place: Place) -> _Asked:
        part = restricted(self.scop, share)
        source = replace(self.request.source, temporaries=unwanted(part.scop, share, self.request.source.temporaries))
        fixes = (*self.request.fixes, *self.beside.fixes(part.scop))
        target = self.beside.searched(place.target)
        return _Asked(part, replace(self.request, source=source, target=target, fixes=fixes))

    def _beginning(self, share: Share, place: Place, asked: _Asked) -> DesignPoint | None:
        """A known design as one of this share: of the same kind of SLR rather than of another, of about its size."""

        def distance(known: tuple[Share, Place, Choice]) -> tuple[bool, int]:
            return known[1].kind != place.kind, abs(known[0].high - known[0].low - share.high + share.low)

        for _, _, choice in sorted(self.designs, key=distance)[:BEGINNINGS]:
            point = refitted(choice, asked.kernels, asked.request)
            if point is not None:
                return point
        return None

    def _searched(self, kernels: Sequence[Kernel], request: Request) -> Choice | None:
        try:
            choice = self.find(kernels, request)
        except (NoDesignError, TimeUp):
            return None
        self.interrupted = self.interrupted or choice.was_interrupted
        return choice


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
