"""The forms of a kernel: which there are of one that is read, and which one a point, a name or an array asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sisyphus.analysis import (
    Dependences,
    LoopKind,
    dependences,
    distribute,
    expand,
    expand_inside,
    liveness,
    privatise,
)
from sisyphus.errors import KernelError, UsageError
from sisyphus.forms import (
    BLOCKS,
    CASES,
    FINISHED,
    FORWARD,
    FUSED,
    GATHERED,
    IN_PLACE,
    INLINED,
    INNER,
    INSIDE,
    LATCH,
    LONG_ROWS,
    PANELS,
    PIVOT_BLOCKS,
    PIVOTS,
    PRIVATE,
    REWRITES,
    SCHEDULE,
    SHADOW,
    SHIFTED,
    SHIFTED_STRIPS,
    SHORTER,
    STRIPS,
    SUCCESSIVE,
    SUMS_APART,
    TABLE_TILES,
    TOGETHER,
    UNTILED,
    WRITTEN_OUT,
    Strips,
    finished_apart,
    free_loops,
    in_blocks,
    in_panels,
    in_place,
    in_table_tiles,
    in_tiles,
    latched,
    order_in_strips,
    proposals,
    rewritten,
    schedule_text,
    scheduled,
    shadowed,
    sizes_of_blocks,
    sizes_of_panels,
    sizes_of_tiles,
    steps_of,
    sunk,
    untiled,
    with_pivots,
    worth_long_rows,
)
from sisyphus.ir import ArrayId, Scop
from sisyphus.kernel_views import freed, with_copies, with_views
from sisyphus.request import FIX_FORM, GIVEN_FORM, SOURCE_FORM, Kernel, Source, read_kernel
from sisyphus.space import KERNEL_PLACE, DesignPoint
from sisyphus.values import replace


def load_kernels(source: Source) -> tuple[Kernel, ...]:
    """Front end and analysis: all forms of `forms_of`."""
    return tuple(load_in_turn(source))


def load_written(source: Source) -> Kernel:
    """Front end and analysis of the kernel as it is written, without any other form of it."""
    return next(load_in_turn(source))


def load_in_turn(source: Source) -> Iterator[Kernel]:
    """The forms of `load_kernels`, each as soon as it is known: the kernel as it is written first."""
    scop = read_kernel(source)
    yield from _forms(scop, source, long_rows=worth_long_rows(scop))


def forms_of(scop: Scop, source: Source) -> tuple[Kernel, ...]:
    """The kernel as it is, with expanded temporaries where that frees nests, in other orders.

    These are forms that any target may have; `with_views` makes more of them. Rows stay, as what deals boxes of arrays
    to parts of a kernel goes by their dimensions.
    """
    return tuple(_forms(scop, source, long_rows=False))


def _forms(scop: Scop, source: Source, *, long_rows: bool) -> Iterator[Kernel]:
    """As written, or without tiles and copies where that is far shorter; with expanded temporaries; in other orders."""
    found = dependences(scop)
    written = _analysed(scop, found, source)
    flat = _without_tiles(written, source)
    whole = flat or written
    long = (_rewritten_by(LONG_ROWS, whole, source) if long_rows else None) or whole
    split = _rewritten_by(CASES, long, source) or long
    apart = _rewritten_by(SUMS_APART, split, source) or split
    base = _rewritten_by(TOGETHER, apart, source) or _rewritten_by(INLINED, apart, source) or apart
    plain = [*dict.fromkeys([written, long, split, apart, base]), *_with_expanded(base, source)]
    if base is not apart:
        plain += _with_expanded(apart, source)  # a place for each value may be shorter than what computes it
    direct = _rewritten_by(FORWARD, base, source)
    if direct is not None:
        without = [direct, *_with_expanded(direct, source)]
        if _shortest(without) <= _shortest(plain) // SHORTER:
            base, plain, direct = direct, [written, *without], None
    yield from plain
    collected = _rewritten_by(GATHERED, base, source)
    if collected is not None and _shortest([collected]) <= _shortest(plain) // SHORTER:
        yield collected
    yield from _with_pivots(base, source)
    yield from _with_written_out(base, plain, source)
    if source.schedule:
        ordered = dependences(scheduled(found, source.schedule))
        yield _in_order(ordered, (SCHEDULE + source.schedule,), GIVEN_FORM, source)
    else:
        bases = _bases(base)
        yield from _in_one_body(FUSED, bases, source)
        steps = _in_one_body(SUCCESSIVE, bases, source)
        yield from (kernel for kernel in steps if _shortest([kernel]) <= _shortest(plain) // SHORTER)
        shifted = _rewritten_by(SHIFTED, base, source)
        if shifted is not None:
            yield shifted
        orders = list(_in_other_orders(base, bases, source))
        others = list(_in_other_orders(direct, _bases(direct), source)) if direct is not None else []
        yield from others if others and (not orders or _shortest(others) < _shortest(orders)) else orders


def _with_pivots(base: Kernel, source: Source) -> Iterator[Kernel]:
    """The kernel with pivots of its steps apart, one step after another and in blocks."""
    for size in (None, *sizes_of_blocks(base.scop)):
        made = with_pivots(base.scop, size)
        if made is not None:
            word = PIVOTS if size is None else f"{PIVOT_BLOCKS}{size}"
            yield _analysed(made, dependences(made), source, rewrites=(*base.rewrites, word), name=word.split()[0])


def _without_tiles(kernel: Kernel, source: Source) -> Kernel | None:
    """The kernel without loops over tiles of the source's own, if need be with elements in place of variables."""
    if not in_tiles(kernel.scop):
        return None
    placed = in_place(kernel.dependences)
    bases = [((), kernel.dependences), *([((IN_PLACE,), dependences(placed))] if placed is not None else [])]
    found = [(before, flat) for before, base in bases if (flat := untiled(base)) is not None]
    if not found:
        return None
    before, flat = min(found, key=lambda one: max(len(s.iterators) for s in one[1].statements))
    return _analysed(flat, dependences(flat), source, rewrites=(*before, UNTILED), name=UNTILED)


def _rewritten_by(word: str, kernel: Kernel, source: Source) -> Kernel | None:
    """The form that the rewrite of a name makes of a kernel, by this name; None where it makes none."""
    made = REWRITES[word](kernel.dependences)
    if made is None:
        return None
    return _analysed(made, dependences(made), source, rewrites=(*kernel.rewrites, word), name=word)


def _with_written_out(base: Kernel, plain: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel with short loops inside of sequential ones written out, where that leaves half of the chain."""
    short = _rewritten_by(WRITTEN_OUT, base, source)
    if short is not None:
        whole = _rewritten_by(TOGETHER, short, source) or _rewritten_by(INLINED, short, source) or short
        if 2 * _shortest([whole]) <= _shortest(plain):
            yield replace(whole, name=WRITTEN_OUT)


def _in_one_body(word: str, bases: Sequence[Base], source: Source) -> list[Kernel]:
    """The form in which statements are together that the rewrite of a name makes, with variables where it is best."""
    found = _shortest_with(REWRITES[word], bases)
    return [_analysed(s, dependences(s), source, rewrites=(*before, word), name=word) for before, _, s in found]


def _shortest(kernels: Sequence[Kernel]) -> int:
    return min(steps_of(kernel.distribution.body) for kernel in kernels)


def _with_expanded(base: Kernel, source: Source) -> Iterator[Kernel]:
    """The kernel with a place for every iteration, or of a block of them, for temporaries that tie statements."""
    scop, found, before = base.scop, base.dependences, base.rewrites
    expansion = expand(scop, found)
    if expansion is None:
        return
    names = tuple(ArrayId(e.name) for e in expansion.expanded)
    yield _analysed(expansion.scop, dependences(expansion.scop), source, names, before, "expanded")
    inside = expand_inside(scop, found) if any(len(e.over) > 1 for e in expansion.expanded) else None
    if inside is not None:
        yield _analysed(inside.scop, dependences(inside.scop), source, rewrites=(*before, INSIDE), name=INSIDE)
        blocks = in_blocks(expansion)
        if blocks is not None:
            yield _analysed(blocks, dependences(blocks), source, rewrites=(*before, BLOCKS), name=BLOCKS)


#: A kernel by the rewrites that make it, and its dependences.
Base = tuple[tuple[str, ...], Dependences]


def _bases(kernel: Kernel) -> list[Base]:
    """The kernel as it is, with elements in place of local variables, and with these of every iteration's own."""
    bases: list[Base] = [(kernel.rewrites, kernel.dependences)]
    placed = in_place(kernel.dependences)
    if placed is not None:
        bases.append(((*kernel.rewrites, IN_PLACE), dependences(placed)))
    before, found = bases[-1]
    private = privatise(found.scop, found)
    if private is not None:
        bases.append(((*before, PRIVATE), dependences(private.scop)))
    return bases


def _in_other_orders(kernel: Kernel, bases: Sequence[Base], source: Source) -> Iterator[Kernel]:
    """The kernel, with local variables as it is or elsewhere, in the orders that are worth a search.

    Where none is better than that of the source, reads there can have latches all the same, and steps panels.
    """
    orders = [
        ((*before, SCHEDULE + other.text), other.dependences, other.name)
        for before, found in bases
        for other in proposals(found, kernel.distribution)
    ]
    if not orders:
        orders = [(rewrites, found, "") for rewrites, found, _ in _shortest_with(latched, bases)]
    if not orders:
        for rewrites, found, _ in _shortest_with(shadowed, bases):
            yield from _with_shadow(found, rewrites, "", source)
            yield from _in_sizes(TABLE_TILES, found, rewrites, source)
    for rewrites, ordered, name in orders:
        yield from _kept_apart(ordered, rewrites, name, source)
        for word in OF_ORDERS:
            yield from _in_sizes(word, ordered, rewrites, source)


#: Forms of an order that come in sizes: which these are, and how a size is made.
OF_ORDERS: Mapping[str, tuple[Callable[[Dependences], tuple[int, ...]], Callable[[Dependences, int], Scop | None]]] = {
    PANELS: (sizes_of_panels, in_panels),
    TABLE_TILES: (sizes_of_tiles, in_table_tiles),
}


def _in_sizes(word: str, ordered: Dependences, rewrites: tuple[str, ...], source: Source) -> Iterator[Kernel]:
    """An order in a form of each of the sizes that are worth a search."""
    sizes, build = OF_ORDERS[word]
    for size in sizes(ordered):
        made = build(ordered, size)
        if made is not None:
            yield _in_order(dependences(made), (*rewrites, f"{word}{size}"), word.strip(), source)


def _shortest_with(
    rewrite: Callable[[Dependences], Scop | None], bases: Sequence[Base]
) -> Iterator[tuple[tuple[str, ...], Dependences, Scop]]:
    """Of the kernel with its variables in one place and in others, the one that a rewrite leaves the shortest chain."""
    made = [(rewrites, found, scop) for rewrites, found in bases if (scop := rewrite(found)) is not None]
    if len(made) > 1:
        made.sort(key=lambda one: steps_of(distribute(one[2], dependences(one[2])).body))
    yield from made[:1]


def _with_shadow(ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source) -> Iterator[Kernel]:
    """An order with second copies of arrays that its steps read, where there are such."""
    shadow = shadowed(ordered)
    if shadow is not None:
        joined = f"{name}-{SHADOW}" if name else SHADOW
        yield _in_order(dependences(shadow), (*rewrites, SHADOW), joined, source)


def _kept_apart(ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source) -> Iterator[Kernel]:
    """An order, and the same with finished elements apart; that of the source, without a name, is named by these."""
    yield from _with_shadow(ordered, rewrites, name, source)
    yield _in_order(ordered, rewrites, name or LATCH, source)
    apart = finished_apart(ordered)
    if apart is not None:
        joined = f"{name}-{FINISHED}" if name else FINISHED
        yield _in_order(dependences(apart), (*rewrites, FINISHED), joined, source)


def _in_order(ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source) -> Kernel:
    """The form that some rewrites made, with latches where reads can have some."""
    still = latched(ordered)
    if still is None:
        return _analysed(ordered.scop, ordered, source, rewrites=rewrites, name=name)
    return _analysed(still, dependences(still), source, rewrites=(*rewrites, LATCH), name=name)


def _analysed(
    scop: Scop,
    found: Dependences,
    source: Source,
    expanded: tuple[ArrayId, ...] = (),
    rewrites: tuple[str, ...] = (),
    name: str = SOURCE_FORM,
) -> Kernel:
    distribution, live = distribute(scop, found), liveness(scop, source.temporaries)
    return Kernel(scop, found, distribution, live, expanded, (), rewrites, name, source.temporaries)


def in_strips(kernel: Kernel, strips: Strips, order: Kernel | None = None) -> Kernel | None:
    """The kernel with its time steps in strips of rows, each of them in the order of a form that is but another order.

    None where it has no strips, or the form is more than another order of it.
    """
    rewrite = f"{STRIPS}{strips}"
    if order is None:
        return _rebuilt(kernel, (rewrite,), STRIPS.strip())
    if len(order.rewrites) != 1 or not order.rewrites[0].startswith(SCHEDULE):
        return None
    text = order_in_strips(kernel.dependences, strips, order.rewrites[0].removeprefix(SCHEDULE))
    name = f"{STRIPS.strip()}-{order.name}"
    return None if text is None else _rebuilt(kernel, (rewrite, SCHEDULE + text), name)


def in_shifted_strips(kernel: Kernel, strips: Strips) -> Kernel | None:
    """The kernel in strips whose statements are one nest, rows behind each other; None where it has none such."""
    return _if_any(kernel, f"{SHIFTED_STRIPS}{strips}", SHIFTED_STRIPS.strip())


def with_word(kernel: Kernel, word: str, size: int) -> Kernel | None:
    """The kernel as a rewrite of so many iterations or lines makes it; None where it is another program, or none."""
    return _if_any(kernel, f"{word}{size}", word.strip())


def with_inner(kernel: Kernel) -> Kernel | None:
    """A form with loops that carry nothing inside of all others; None where its chains are not far shorter then."""
    loops = free_loops(kernel.dependences)
    if not loops:
        return None
    text = SCHEDULE + schedule_text(sunk(kernel.scop.statements, loops))
    ordered = dependences(rewritten(kernel.scop, [text]))
    source = Source("", temporaries=kernel.temporaries)
    made = _in_order(ordered, (*kernel.rewrites, text), f"{kernel.name}-{INNER}", source)
    return made if _shortest([made]) <= _shortest([kernel]) // SHORTER else None


def _if_any(kernel: Kernel, rewrite: str, name: str) -> Kernel | None:
    """The kernel as a rewrite makes it; None where that makes none of it."""
    try:
        return _rebuilt(kernel, (rewrite,), name)
    except KernelError:
        return None


def all_in_strips(kernels: Sequence[Kernel], strips: Strips) -> list[Kernel]:
    """The first form, which is as written, in strips, and those with strips in the orders of the others."""
    every = (in_strips(kernels[0], strips, order) for order in (None, *(k for k in kernels if k.rewrites)))
    return [kernel for kernel in every if kernel is not None]


def form_of(kernels: Sequence[Kernel], point: DesignPoint) -> Kernel | None:
    """The form of a kernel that a point is one of, made of those that any target may have; None where there is none."""
    same = (k for k in kernels if (k.rewrites, k.expanded) == (point.rewrites, point.expanded) and not k.views)
    kernel = next(same, None) or _rebuilt(kernels[0], point.rewrites)
    if kernel is None or not (point.viewed or point.copied):
        return kernel
    found = with_views(kernel, point.viewed) if point.viewed else with_copies(kernel, point.copied)
    if found is None or (found.viewed, found.copied) != (point.viewed, point.copied):
        return None
    free = freed(found)
    if free is None:
        return found
    given = {array.id for array in free.scop.arrays if array.given}
    return free if all(b.place == KERNEL_PLACE for b in point.buffers if b.array in given) else found


def _rebuilt(source: Kernel, rewrites: tuple[str, ...], name: str = GIVEN_FORM) -> Kernel | None:
    """A form that is not among those that are searched: of an order that was given, or that a scheduler found once."""
    if not rewrites:
        return None
    scop, words = rewritten(source.scop, rewrites), (*source.rewrites, *rewrites)
    return _analysed(scop, dependences(scop), Source("", temporaries=source.temporaries), rewrites=words, name=name)


def of_fixed_form(kernels: Sequence[Kernel], fixes: Sequence[str]) -> Sequence[Kernel]:
    """The forms that `--fix form=NAME[,NAME]` leaves; `UsageError` lists them where there is none of such a name."""
    for fix in fixes:
        if fix.startswith(FIX_FORM):
            names, asked = [kernel.name for kernel in kernels], fix.removeprefix(FIX_FORM).split(",")
            if not {*asked} <= {*names}:
                raise UsageError(f"`--fix {fix}`: no such form", hint=f"forms: {', '.join(names)}")
            kernels = [kernel for kernel in kernels if kernel.name in asked]
    return kernels


def form_data(kernel: Kernel) -> dict[str, Any]:
    """A form as plain data: its longest chain of iterations, what is parallel in its nests, and how it was made."""
    return {
        "name": kernel.name,
        "steps": steps_of(kernel.distribution.body),
        "parallel": {
            nest.id: [loop.iterator for loop in nest.band if loop.kind is LoopKind.PARALLEL]
            for nest in kernel.distribution.nests
            if any(loop.kind is LoopKind.PARALLEL for loop in nest.band)
        },
        "rewrites": list(kernel.rewrites),
    }
