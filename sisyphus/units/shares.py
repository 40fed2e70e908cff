"""How much each unit gets: shares of the outputs so that all units take about as long; writes nothing.

A unit is the kernel of its share on the target of its SLR, and goes through the same search as any kernel. Units of
equal shares on equal SLRs are the same kernel, so that one search serves them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import accumulate, pairwise

from sisyphus.analysis import Dealer, Dealing, Restricted, Share, dependences, liveness, restricted
from sisyphus.choice import Choice, Listen
from sisyphus.errors import KernelError, NoDesignError, TimeUp
from sisyphus.ir import Role, Scop
from sisyphus.ir.scop_text import whole_text_of
from sisyphus.model import Estimate, estimate
from sisyphus.plan import Plan
from sisyphus.request import Kernel, Request, forms_of, plan_of
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint
from sisyphus.units.places import Count, Place, capacities, places
from sisyphus.values import dataclass, replace

#: Searches for one share, out of all shares that are tried.
Find = Callable[[Sequence[Kernel], Request], Choice]
#: Shares that are tried of the best dealing after those in proportion.
ROUNDS = 5
#: Searches over one number of units, after which no more shares are tried.
MOST_SEARCHES = 12
#: The part of what is left of the time (or of all work) that a search of several has, and the seconds it has at least.
PART, LEAST_S = 0.3, 1.0
#: Dealings that are tried: those of nearly the least work.
DEALINGS, NEARLY = 2, 1.1
#: Units whose cycles differ by no more than this share are in balance.
BALANCED = 0.01
#: Share sizes are also tried as multiples of these, which have more divisors.
STEPS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, eq=False)
class Unit:
    """One unit: where it sits, which share it has, the kernel of it, and the design that was chosen for that."""

    number: int
    place: Place
    share: Share
    part: Restricted
    kernel: Kernel
    point: DesignPoint
    plan: Plan
    estimate: Estimate
    proved: bool = False

    @property
    def cycles(self) -> int:
        return self.estimate.cycles


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


def split(scop: Scop, request: Request, count: Count, find: Find, listen: Listen) -> Split:
    """The best split that was found; with `auto` over as many units as help.

    `KernelError` where no output can be dealt, `NoDesignError` where no share has a design.
    """
    slrs = request.target.device.slrs
    splitter = _Splitter(scop, request, find, listen)
    if count != "auto":
        return splitter.over(count)
    best = splitter.over(1)
    for more in range(2, slrs + 1):
        with suppress(KernelError, NoDesignError):
            best = min(best, splitter.over(more), key=lambda split: split.cycles)
    return best


class _Splitter:
    def __init__(self, scop: Scop, request: Request, find: Find, listen: Listen) -> None:
        self.scop, self.request, self.find, self.listen = scop, request, find, listen
        self.dealer = Dealer(dependences(scop), request.source.temporaries)
        self.known = dict[tuple[str, str, tuple[str, ...]], tuple[Kernel, DesignPoint, bool] | None]()
        self.searches, self.interrupted = 0, False
        self.begun, self.part = time.monotonic(), 1.0

    def over(self, count: int) -> Split:
        """The best split over so many units: first in proportion to what each SLR can compute, then by its cycles."""
        where, self.searches = places(self.request.target, count), 0
        self.part = 1.0 if count == 1 else PART
        weights = capacities(tuple(place.target for place in where))
        found = list[Split]()
        for dealing in self._dealings(count):
            if not (found and self._is_over):
                found += filter(None, [self._by_turns(dealing, where, weights)])
        if not found:
            raise NoDesignError(
                f"no design of a share of `{self.scop.name}` fits an SLR of `{self.request.target.device.name}`",
                hint="raise the budget or the time limit, or take fewer units",
            )
        return min(found, key=lambda split: split.cycles)

    @property
    def _is_over(self) -> bool:
        """Whether what was found has to do."""
        return self.interrupted or self.searches >= MOST_SEARCHES or self._limits().seconds == LEAST_S

    def _limits(self) -> Limits:
        """Of the next search: a part of the time that is left, or of all work."""
        limits = self.request.limits
        if limits.effort is not None:
            return replace(limits, effort=limits.effort * self.part)
        if limits.seconds is None:
            return limits
        left = limits.seconds - (time.monotonic() - self.begun)
        return replace(limits, seconds=max(left * self.part, LEAST_S))

    def _dealings(self, count: int) -> list[Dealing]:
        known = self.dealer.dealings
        helpful = [d for d in known if not d.refused] if count > 1 else list(known)
        helpful = [d for d in helpful if d.dealing.extent >= count]
        if not helpful:
            reason = f": {known[0].refused}" if known and known[0].refused else ""
            raise KernelError(
                f"the outputs of `{self.scop.name}` cannot be dealt over {count} units{reason}",
                hint="`sisy analyze` lists what can be dealt; leave out `--units` for one design on the whole board",
            )
        return [d.dealing for d in helpful if d.work <= NEARLY * helpful[0].work][: 1 if count == 1 else DEALINGS]

    def _by_turns(self, dealing: Dealing, where: Sequence[Place], weights: Sequence[Fraction]) -> Split | None:
        """Shares in proportion to `weights`, then as the cycles of units ask for; the best of them."""
        best, seen = None, set[tuple[int, ...]]()
        wanted = self._of_equal_work(dealing, [float(w) for w in weights])
        for _ in range(ROUNDS):
            sizes = next((s for s in _rounded(wanted, dealing.extent, weights) if s not in seen), None)
            if sizes is None or (best is not None and self._is_over):
                break
            seen.add(sizes)
            found = self._of_sizes(dealing, where, sizes)
            if found is None:
                break
            best = found if best is None or found.cycles < best.cycles else best
            cycles = [unit.cycles for unit in best.units]
            if len(where) == 1 or max(cycles) <= (1 + BALANCED) * min(cycles):
                break
            rates = [size / cycle for size, cycle in zip(best.sizes, cycles, strict=True)]
            wanted = [rate * dealing.extent / sum(rates) for rate in rates]
        return best

    def _of_equal_work(self, dealing: Dealing, weights: Sequence[float]) -> list[float]:
        """Sizes of shares whose operations are in proportion to `weights`, nearly."""
        total = sum(weights)
        sizes = [weight * dealing.extent / total for weight in weights]
        for _ in range(4):
            bounds = _bounds([round(size) for size in sizes], dealing.extent)
            work = [self._work(dealing, low, high) for low, high in pairwise(bounds)]
            if 0 in work:
                break
            sizes = [size * weight / done for size, weight, done in zip(sizes, weights, work, strict=True)]
            sizes = [size * dealing.extent / sum(sizes) for size in sizes]
        return sizes

    def _work(self, dealing: Dealing, low: int, high: int) -> int:
        share = self.dealer.share(dealing, low, high) if low < high else None
        return 0 if share is None else self.dealer.work(share) or 0

    def _of_sizes(self, dealing: Dealing, where: Sequence[Place], sizes: Sequence[int]) -> Split | None:
        """The design of each unit; None where one has none."""
        shares = [self.dealer.share(dealing, low, high) for low, high in pairwise(_bounds(sizes, dealing.extent))]
        units = []
        for number, (share, place) in enumerate(zip(shares, where, strict=True)):
            self.listen(f"unit {number} of shares {'+'.join(map(str, sizes))} of {dealing.name}")
            unit = None if share is None else self._unit(number, share, place)
            if unit is None:
                return None
            units.append(unit)
        return Split(self.scop, dealing, tuple(units))

    def _unit(self, number: int, share: Share, place: Place) -> Unit | None:
        part = restricted(self.scop, share)
        source = replace(self.request.source, temporaries=unwanted(part.scop, share, self.request.source.temporaries))
        key = (whole_text_of(part.scop), f"{place.target.budget} {len(place.banks)}", source.temporaries)
        if key not in self.known:
            self.searches += 1
            asked = replace(self.request, source=source, target=place.target, limits=self._limits())
            self.known[key] = self._searched(part.scop, asked)
        found = self.known[key]
        return None if found is None else made(number, place, share, part, *found)

    def _searched(self, scop: Scop, request: Request) -> tuple[Kernel, DesignPoint, bool] | None:
        try:
            choice = self.find(forms_of(scop, request.source), request)
        except (NoDesignError, TimeUp):
            return None
        self.interrupted = self.interrupted or choice.was_interrupted
        is_proved = choice.outcome is not None and choice.outcome.stop is Stop.PROVED
        return choice.kernel, choice.point, is_proved


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


def _bounds(sizes: Sequence[int], extent: int) -> list[int]:
    bounds = [0, *accumulate(sizes)]
    return [*bounds[:-1], extent]


def _rounded(wanted: Sequence[float], extent: int, weights: Sequence[Fraction]) -> Iterator[tuple[int, ...]]:
    """Whole sizes near the wanted ones: those of equal SLRs are equal where they can be, the others round numbers.

    The first SLRs get what is left over.
    """
    largest = max(weights)
    main = [at for at, weight in enumerate(weights) if weight == largest]
    for step in STEPS:
        if step > 1 and step * 4 * len(wanted) > extent:
            return
        for extra in (0, step):
            sizes = [max(step, round(size / step) * step + extra) for size in wanted]
            left = extent - sum(size for at, size in enumerate(sizes) if at not in main)
            for turn, at in enumerate(main):
                sizes[at] = left // len(main) + (turn < left % len(main))
            if min(sizes) > 0 and sum(sizes) == extent:
                yield tuple(sizes)
