"""What there is to search: every form of a kernel that is worth it, in each of its spaces, the promising ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import inf, prod

from sisyphus.analysis import LoopKind, OuterLoop, read_at_once
from sisyphus.asked_forms import of_fixed_form
from sisyphus.errors import UsageError
from sisyphus.forms import FINISHED, SHORTER
from sisyphus.kernel_views import freed, with_copies, with_views
from sisyphus.model.limit import limit_of
from sisyphus.promise import by_promise, for_temporaries, longest_chain, of_temporaries
from sisyphus.request import Form, Kernel, Model, Request, estimate_of, space_of
from sisyphus.space import DesignPoint, NestSpace, Options, may_add_in_fabric, may_be_listed, stores_late
from sisyphus.target import ADDERS, Adders, Target
from sisyphus.too_large import (
    for_large_arrays,
    have_room,
    is_in_blocks,
    oversized,
    with_room,
    with_views_of_large,
)
from sisyphus.values import dataclass, replace

#: Combinations of tiles in a nest above which a smaller space is searched first, and of those that are counted, as one
#: loop of a nest at most is pipelined.
LARGE, MANY = 1_000_000, 1_000_000

#: What other forms count for together, where one is far better by its chains or was made for arrays that do not fit,
#: and all spaces with other adders before the first of them is searched, where they were not probed.
REST = 0.25

#: Share of the first round for which the first space is searched with each kind of adders, before one comes first.
PROBE = 1 / 4

#: Share of the first round in which forms have first designs, before one after another is searched.
BEGIN = 1 / 4

#: Share of the DSPs from which on a design would have more operators if adders needed none.
HELD = 0.5

#: Share of the least cycles of any design from which on it is adders that designs wait for.
BOUND = 0.9


@dataclass(frozen=True, eq=False)
class Known:
    """A known design: a point and the form of the kernel that it is a point of."""

    kernel: Kernel
    point: DesignPoint


@dataclass(frozen=True, eq=False)
class Part:
    """A form of the kernel and the options of its space; `is_seed`: a later part contains all of it.

    `share` of the time of a round is all that its search may take for now, since the part comes again.
    """

    kernel: Kernel
    options: Options
    is_seed: bool = False
    start: DesignPoint | None = None
    share: float = 1.0

    @property
    def may_grow(self) -> bool:
        """Whether larger spaces of its kind may be searched beside it: of no seed and no probe, nor around a start."""
        return not self.is_seed and self.share == 1 and self.start is None

    def is_same(self, other: Part) -> bool:
        """Whether another part is the same space, begun at the same design."""
        own, its = (self.kernel, self.options, self.start), (other.kernel, other.options, other.start)
        return own[0] is its[0] and own[1:] == its[1:]


class Parts:
    """Every form of the kernel once, in each of its spaces; `left` is how many are to come, the next one included.

    Forms made for arrays that do not fit are by far the best where they are any good, and so are those with chains far
    shorter than all others: what comes after such a form counts as a small part. In the end all spaces come once more
    with other adders, those of the form of the `best` design first: in fabric, where they are not before, if DSPs or
    sums hold that design back. Where adders in fabric are likely to be better, the first space is probed with both
    kinds, and the kind of the better design comes first: LUTs may hold designs back that no bound of theirs tells.
    The other kind counts as much then.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        request: Request,
        start: Known | None,
        *,
        best: Callable[[], Known | None],
        cost: Callable[[Kernel], float] = lambda kernel: inf,
    ) -> None:
        self.request, self.start, self._best, self._cost = request, start, best, cost
        self._adders = _adders(kernels[0], request, start)
        self._first: list[Kernel] = []
        larger, crowded = ([], []) if request.model == "paper" else for_large_arrays(kernels, request.target)
        written, kernels = kernels[0], of_fixed_form([*kernels, *larger, *crowded], request.fixes)
        if request.model == "paper":
            self._kernels: tuple[Kernel, ...] = tuple(k for k in kernels if not k.rewrites)
        else:
            kernels = [with_room(kernel, written, request.target) for kernel in kernels]
            panels = [kernel for kernel in kernels if is_in_blocks(kernel)]
            needless = [] if len(kernels) == len(panels) else [k for k in panels if not oversized(k, request.target)]
            if len(kernels) > 1:
                needless += [k for k in kernels if FINISHED in k.rewrites and oversized(k, request.target)]
            others = [kernel for kernel in of_temporaries(kernels, request.target) if kernel not in needless]
            first = [*larger, *(k for k in panels if k not in needless)], for_temporaries(others, request.target)
            self._first = [kernel for group in first for kernel in group]
            promising = tuple(by_promise(others, first))
            copies = [with_copies(kernel) for kernel in promising if not kernel.views]
            copied = _freed(copies, request.target)
            apart = [_with_copies_for_readers(k, request.target) for k in promising if not k.views]
            for_readers = _freed(apart, request.target)
            self._kernels = _copies_first(promising, [*for_readers, *copied], request.target)
            if request.options.trust == "measured":
                self._kernels = _that_may_be_measured(promising, copied, for_readers) or self._kernels
        known = () if start is None else (start.kernel,)
        self._forms = chain(
            known, forms(self._kernels, request.target, request.model, nothing_yet=lambda: best() is None)
        )
        self._made: list[Kernel] = []
        self._begun: list[Kernel] = []
        self.left = 0.0

    def begins(self) -> Iterator[Part]:
        """Each form in the first of its spaces, for a first design; those of the fewest statements have one soonest.

        What promises much takes longest to begin with, and may be worse than what promises little. None begins where
        there are forms in panels, or for arrays that do not fit: their promise is what they move, and it holds.
        """
        forms = sorted({k.form: k for k in self._kernels}.values(), key=lambda kernel: len(kernel.scop.statements))
        if len(forms) == 1 or self._first or self.start is not None:
            return
        for left, kernel in zip(range(len(forms), 0, -1), forms, strict=True):
            self.left = left
            self._begun.append(kernel)
            yield replace(_adding(self._of(kernel)[0], self._adders[0]), share=BEGIN)

    def __iter__(self) -> Iterator[Part]:
        """All parts; asked once more, the same forms, with the adders of the best design first."""
        is_first = not self._made
        if not is_first:
            self._put_best_adders_first()
        every = self._of_all_forms()
        begin = next(every, None)
        if begin is None:
            return
        is_likely = self._adders[0] == "fabric"
        is_probed = is_likely and len(self._adders) > 1 and self.start is None and is_first
        if is_probed:
            yield from self._probes(begin)
        first, *second = self._adders
        searched: list[Part] = []
        waits = is_probed and begin.options.listed and self._best() is None
        for part in chain(every, [begin]) if waits else chain([begin], every):
            self.left += len(searched) + self.left if is_probed else REST * len(second)
            searched.append(part)
            yield _adding(part, first)
        best = self._best()
        if not second or not (is_likely or best is None or _held_by_adders(best, self.request.target)):
            return
        searched.sort(key=lambda part: best is not None and part.kernel is not best.kernel)
        for at, part in enumerate(searched):
            self.left = len(searched) - at
            yield _adding(part, *second)

    def _probes(self, part: Part) -> Iterator[Part]:
        """A part with each kind of adders for a short time, after which the kind of the better design comes first."""
        left = self.left
        for adders in self._adders:
            self.left = 1.0
            yield replace(_adding(part, adders), share=PROBE)
        self.left = left
        self._put_best_adders_first()

    def _put_best_adders_first(self) -> None:
        best = self._best()
        if best is not None:
            adders = best.point.adders
            self._adders = sorted(self._adders, key=lambda kind: kind != adders)

    def _of_all_forms(self) -> Iterator[Part]:
        seen, waiting = set[Form](), len({kernel.form for kernel in self._kernels})
        for kernel in self._every_form():
            if kernel.form in seen:
                continue
            seen.add(kernel.form)
            waiting = max(waiting - 1, 0)
            parts = self._of(kernel)
            if may_list := self._may_list(kernel):
                # as a rule no tile that does the work of a square is as fast
                parts = [*(replace(p, options=replace(p.options, listed=True)) for p in parts), *parts]
            while parts:
                rest = min(REST, waiting) if self._is_best(kernel) else waiting * len(parts)
                self.left = len(parts) + rest
                part = parts.pop(0)
                # where a table has a design, a small space without one is no better start for the large one
                if may_list and part.is_seed and not part.options.listed and self._cost(kernel) < inf:
                    continue
                yield part
                if part.options.listed and self._cost(kernel) == inf:  # designs without a table are found sooner
                    parts.sort(key=lambda one: one.options.listed)

    def _every_form(self) -> Iterator[Kernel]:
        """Forms, of which each is made when it is asked for first."""
        yield from self._made
        for kernel in self._forms:
            self._made.append(kernel)
            yield kernel

    def _is_best(self, kernel: Kernel) -> bool:
        """Whether no other form is likely to be as good: two of them differ by twice what makes one worth a search.

        Not where it was begun, and others are ahead.
        """
        if kernel in self._begun and self._cost(kernel) > min(map(self._cost, self._begun)):
            return False
        others = (longest_chain(other) for other in self._kernels if other.rewrites != kernel.rewrites)
        return kernel in self._first or min(others, default=0) >= SHORTER**2 * longest_chain(kernel)

    def _of(self, kernel: Kernel) -> list[Part]:
        """The spaces of a form; the one with the start comes first.

        Additions that may be reassociated need not be: as a rule, what is found in the one space rules out the other. A
        large space with ragged tiles comes after one with few of them, in which a good design is found sooner.
        """
        own, start = self.request.options, self.start
        if self.request.model == "paper":
            return [Part(kernel, own)]
        point = start.point if start is not None and start.kernel.form == kernel.form else None
        spaces = [own, replace(own, tree_reduction=False)] if own.tree_reduction else [own]
        if point is not None:
            spaces.sort(key=lambda options: options.tree_reduction != point.tree_reduction)
            late = stores_late(kernel.scop, kernel.distribution.nests, point)
            ports, columns = point.dealt_tiles, point.in_columns
            spaces = [replace(o, dealt=point.dealt, striped=ports, columns=columns, late=late) for o in spaces]
        first, *others = spaces
        smaller = None if point is not None else self._smaller(kernel, first)
        if smaller is not None:
            # the largest space is last and has all the time that is left
            return [Part(kernel, smaller, is_seed=True), *(Part(kernel, options) for options in (*others, first))]
        return [Part(kernel, first, start=point), *(Part(kernel, options) for options in others)]

    def _smaller(self, kernel: Kernel, options: Options) -> Options | None:
        """A space with fewer tiles of each loop, where those of all loops together are too many to begin with."""
        nests = self._nests(kernel, options)
        if nests is None or options.tiles == "divisors":
            return None
        few, fewest = (replace(options, tiles=tiles) for tiles in ("few", "fewest"))
        if LARGE < _combinations(nests) > _combinations(self._nests(kernel, few) or nests):
            return few
        return fewest if _counted(nests) > MANY else None

    def _may_list(self, kernel: Kernel) -> bool:
        """Whether tiles in moving bounds may stand in tables, which no report shows: in spaces of their own."""
        if self.request.model == "paper" or self.request.options.trust == "measured":
            return False
        return any(may_be_listed(kernel.scop, nest) for nest in kernel.distribution.nests)

    def _nests(self, kernel: Kernel, options: Options) -> Sequence[NestSpace] | None:
        """The nests of a space; None where a tile that the user fixed is in a larger space only."""
        try:
            return space_of(kernel, replace(self.request, options=options)).nests
        except UsageError:
            return None


def _combinations(nests: Sequence[NestSpace]) -> int:
    """Combinations of tiles in the largest nest."""
    return max(prod(len(loop.tiles) for loop in nest.loops) for nest in nests)


def _counted(nests: Sequence[NestSpace]) -> int:
    """The same of those with one pipelined loop at most."""
    found = []
    for nest in nests:
        still, pipelined = 1, 0
        for loop in nest.loops:
            own = sum(tile.level1 == 1 for tile in loop.tiles)
            still, pipelined = still * own, pipelined * own + still * (len(loop.tiles) - own)
        found.append(still + pipelined)
    return max(found)


def _adders(kernel: Kernel, request: Request, start: Known | None) -> Sequence[Adders]:
    """What additions may run on, in the order of the searches: that of the start, or what is likely faster, first."""
    may_choose = request.model == "measured" and not any(fix.startswith("adders=") for fix in request.fixes)
    if not may_choose or not may_add_in_fabric(kernel.scop, request.target):
        return (request.options.adders,)
    likely: Adders = "fabric" if _may_be_held_by_adders(kernel, request) else request.options.adders
    first = likely if start is None else start.point.adders
    return sorted(ADDERS, key=lambda adders: adders != first)


def _may_be_held_by_adders(kernel: Kernel, request: Request) -> bool:
    """Whether operations or sums, with additions on DSPs, are what bounds the cycles of any design."""
    tree = request.options.tree_reduction
    limit = limit_of(kernel.scop, kernel.dependences, kernel.live, request.target, tree=tree)
    return max(limit.compute, limit.chain) >= BOUND * limit.cycles


def _adding(part: Part, adders: Adders) -> Part:
    """The part with such adders, and with its start where that is of its space."""
    options, start = replace(part.options, adders=adders), part.start
    begins = start is None or (start.is_listed, start.adders) == (options.listed, adders)
    return replace(part, options=options, start=start if begins else None)


def _held_by_adders(best: Known, target: Target) -> bool:
    """Whether a design takes many of the DSPs, or some pipeline of it waits before it starts again."""
    cost = estimate_of(best.kernel, best.point, target)
    return cost.dsp >= HELD * target.budget.dsp or any(
        cycles > 1 for each in cost.intervals.values() for cycles in each
    )


def _that_may_be_measured(
    kernels: Sequence[Kernel], copied: Sequence[Kernel], for_readers: Sequence[Kernel]
) -> tuple[Kernel, ...]:
    """Forms without loops around several nests, and with copies where these help: no report backs others."""
    helped = {(kernel.expanded, kernel.rewrites) for kernel in copied}
    best = (*(k for k in kernels if (k.expanded, k.rewrites) not in helped), *copied, *for_readers)
    return tuple(k for k in best if not any(isinstance(part, OuterLoop) for part in k.distribution.body))


def _with_copies_for_readers(kernel: Kernel, target: Target) -> Kernel | None:
    """The kernel with copies of arrays that several nests could else not read at the same time, beside all others.

    What may lie in registers is read by all of them in any case.
    """
    read = read_at_once(kernel.scop, kernel.distribution)
    large = [a for a in read if kernel.scop.array(a).elements > target.max_partition]
    updated = with_copies(kernel) if large else None
    return with_copies(kernel, (*(updated.copied if updated else ()), *large)) if large else None


def _copies_first(kernels: Sequence[Kernel], copied: Sequence[Kernel], target: Target) -> tuple[Kernel, ...]:
    """Forms with copies come before all others where all arrays fit on chip, and behind them elsewhere.

    What they free is far faster as a rule, so that what is found there rules the others out.
    """
    first = [kernel for kernel in copied if have_room(kernel.scop.arrays, target)]
    return (*first, *kernels, *(kernel for kernel in copied if kernel not in first))


def _freed(copied: Sequence[Kernel | None], target: Target) -> tuple[Kernel, ...]:
    """Forms with copies, which nothing waits for where all arrays fit on chip; of those with one space the first."""
    found: dict[object, Kernel] = {}
    for kernel in (kernel for kernel in copied if kernel is not None):
        form = (freed(kernel) if have_room(kernel.scop.arrays, target) else None) or kernel
        found.setdefault(_free_loops(form) or form.form, form)
    return tuple(found.values())


def _free_loops(kernel: Kernel) -> object:
    """What is computed in which loops, where their order is free: then it does not matter which form has them."""
    nests = kernel.distribution.nests
    loops = [frozenset((p.iterator, p.lower, p.trip_count, p.kind) for p in nest.band) for nest in nests]
    held = (nest.outer or nest.precedence or any(p.kind is LoopKind.SEQUENTIAL for p in nest.band) for nest in nests)
    computed = [(s.id, s.write, s.rhs) for s in kernel.scop.statements]
    return None if any(held) else (tuple(loops), tuple(nest.statements for nest in nests), tuple(computed))


def forms(
    kernels: Sequence[Kernel], target: Target, model: Model, *, nothing_yet: Callable[[], bool]
) -> Iterator[Kernel]:
    """The forms that are worth a search: also with views of arrays that do not fit, or of all as a last resort.

    A form may come twice.
    """
    yield from kernels
    if model == "paper":
        return
    plain = [kernel for kernel in kernels if not kernel.views]
    small = (with_views_of_large(kernel, target) for kernel in plain)
    yield from (kernel for kernel in small if kernel is not None)
    if nothing_yet():
        every = (with_views(kernel) for kernel in plain)
        yield from (kernel for kernel in every if kernel is not None)
