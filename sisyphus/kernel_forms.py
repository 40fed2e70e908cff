"""The forms of a kernel that is read: which there are, the kernel as it is written first; searches none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sisyphus.analysis import (
    Dependences,
    LoopKind,
    Nest,
    OuterLoop,
    dependences,
    distribute,
    expand,
    expand_inside,
    liveness,
    privatised,
)
from sisyphus.analysis.rewrite import most_places
from sisyphus.forms import (
    BLOCKS,
    CASES,
    COALESCED,
    FINISHED,
    FORWARD,
    FORWARD_ELEMENTS,
    FUSED,
    GATHERED,
    HISTORY,
    IN_PLACE,
    INLINED,
    INSIDE,
    INTERIORS,
    LATCH,
    LONG_ROWS,
    PANELS,
    PIVOT_BLOCKS,
    PIVOTS,
    PRIVATE,
    REWRITES,
    ROUNDS,
    ROW_HISTORY,
    SCHEDULE,
    SHADOW,
    SHIFTED,
    SHORTER,
    SUCCESSIVE,
    SUMS_APART,
    SUMS_WRITTEN_OUT,
    TABLE_TILES,
    TOGETHER,
    UNTILED,
    WRITTEN_OUT,
    finished_apart,
    in_blocks,
    in_panels,
    in_place,
    in_table_tiles,
    in_tiles,
    latched,
    proposals,
    scheduled,
    shadowed,
    sizes_of_blocks,
    sizes_of_panels,
    sizes_of_tiles,
    steps_of,
    untiled,
    with_pivots,
    worth_long_rows,
)
from sisyphus.ir import ArrayId, Scop
from sisyphus.request import GIVEN_FORM, SOURCE_FORM, Kernel, Source, read_kernel
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
    written = analysed(scop, found, source)
    flat = _without_tiles(written, source)
    whole = flat or written
    long = (rewritten_by(LONG_ROWS, whole, source) if long_rows else None) or whole
    split = rewritten_by(CASES, long, source) or long
    apart = rewritten_by(SUMS_APART, split, source) or split
    base = rewritten_by(TOGETHER, apart, source) or rewritten_by(INLINED, apart, source) or apart
    plain = [*dict.fromkeys([written, long, split, apart, base]), *_with_expanded(base, source)]
    if base is not apart:
        plain += _with_expanded(apart, source)  # a place for each value may be shorter than what computes it
    direct = rewritten_by(FORWARD, base, source)
    if direct is not None:
        without = [direct, *_with_expanded(direct, source)]
        if shortest(without) <= shortest(plain) // SHORTER:
            base, plain, direct = direct, [written, *without], None
    yield from plain
    sums = _written_out(SUMS_WRITTEN_OUT, apart, source)
    if sums is not None and shortest([sums]) <= shortest(plain):
        yield replace(sums, name=SUMS_WRITTEN_OUT)
    yield from _with_interiors(apart, plain, source)
    collected = rewritten_by(GATHERED, base, source)
    if collected is not None and shortest([collected]) <= shortest(plain) // SHORTER:
        yield collected
    kept = rewritten_by(HISTORY, base, source)
    if kept is not None:
        yield from _with_histories(kept, plain, source)
    yield from _with_pivots(base, source)
    short = _written_out(WRITTEN_OUT, base, source)
    if short is not None and 2 * shortest([short]) <= shortest(plain):
        yield replace(short, name=WRITTEN_OUT)
    if source.schedule:
        ordered = dependences(scheduled(found, source.schedule))
        yield in_order(ordered, (SCHEDULE + source.schedule,), GIVEN_FORM, source)
        return
    orders = list(_other_orders(base, direct, plain, source))
    orders = list(_orders_of_histories(base, kept, orders, source))
    yield from orders
    if short is not None:
        yield from _in_steps(short, base, [*plain, *orders], source)


def _other_orders(base: Kernel, direct: Kernel | None, plain: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel with statements in one nest, or in other orders; those of the `direct` one where they are shorter."""
    bases = _bases(base)
    yield from _in_one_body(FUSED, bases, source)
    steps = _in_one_body(SUCCESSIVE, bases, source)
    yield from (kernel for kernel in steps if shortest([kernel]) <= shortest(plain) // SHORTER)
    shifted = rewritten_by(SHIFTED, base, source)
    if shifted is not None:
        yield shifted
    orders = list(_in_other_orders(base, bases, source))
    others = list(_in_other_orders(direct, _bases(direct), source)) if direct is not None else []
    yield from others if others and (not orders or shortest(others) < shortest(orders)) else orders


def _with_interiors(base: Kernel, others: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel with windows of pictures written out, apart from borders, where no chain of `others` is shorter."""
    cut = rewritten_by(INTERIORS, base, source)
    short = None if cut is None else _written_out(SUMS_WRITTEN_OUT, cut, source)
    if short is not None:
        found = [short, *_with_expanded(short, source)]
        best = min(found, key=lambda kernel: shortest([kernel]))
        if shortest([best]) <= shortest(others):
            yield replace(best, name=INTERIORS)


def _with_histories(kept: Kernel, others: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel with a place for each value of what loops carry on, where that is far shorter than the `others`."""
    found = [kept, *(replace(kernel, name=f"{HISTORY}-{kernel.name}") for kernel in _with_expanded(kept, source))]
    best = min(found, key=lambda kernel: shortest([kernel]))
    if shortest([best]) <= shortest(others) // SHORTER:
        yield best
        private = rewritten_by(PRIVATE, kept, source) if best.expanded else None
        if private is not None and shortest([private]) <= shortest([best]):
            yield replace(private, name=f"{HISTORY}-{PRIVATE}")  # may be cut into blocks


def _orders_of_histories(
    base: Kernel, kept: Kernel | None, others: Sequence[Kernel], source: Source
) -> Iterator[Kernel]:
    """Other orders that a kernel has once values have places, where there are no `others` or these are far shorter.

    Places are those of variables where that gives orders, and else of all rows of local arrays.
    """
    found = [] if kept is None or others else list(_in_other_orders(kept, _bases(kept), source))
    rows = base
    for word in (ROUNDS, ROW_HISTORY):
        rows = rows if found else rewritten_by(word, rows, source) or rows
    if rows is not base:
        for word in (INLINED, COALESCED, FORWARD_ELEMENTS):  # what values are computed of stays now
            rows = rewritten_by(word, rows, source) or rows
        found = list(_in_other_orders(rows, _bases(rows), source, joint=True))
        if found and not (others and shortest(found) > shortest(others) // SHORTER):
            yield from [rows, *found]
            return
    yield from others or found


def _with_pivots(base: Kernel, source: Source) -> Iterator[Kernel]:
    """The kernel with pivots of its steps apart, one step after another and in blocks."""
    for size in (None, *sizes_of_blocks(base.scop)):
        made = with_pivots(base.scop, size)
        if made is not None:
            word = PIVOTS if size is None else f"{PIVOT_BLOCKS}{size}"
            yield analysed(made, dependences(made), source, rewrites=(*base.rewrites, word), name=word.split()[0])


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
    return analysed(flat, dependences(flat), source, rewrites=(*before, UNTILED), name=UNTILED)


def rewritten_by(word: str, kernel: Kernel, source: Source) -> Kernel | None:
    """The form that the rewrite of a name makes of a kernel, by this name; None where it makes none."""
    made = REWRITES[word](kernel.dependences)
    if made is None:
        return None
    return analysed(made, dependences(made), source, rewrites=(*kernel.rewrites, word), name=word)


def joined_by(word: str, kernel: Kernel, source: Source) -> Kernel | None:
    """The kernel with nests that a rewrite makes one, named so, too; None where it makes none of any."""
    made = rewritten_by(word, kernel, source)
    return None if made is None else replace(made, name=f"{kernel.name}-{word}")


def _written_out(word: str, base: Kernel, source: Source) -> Kernel | None:
    """The kernel with short loops written out by the rewrite of a name, values of variables where they are read."""
    short = rewritten_by(word, base, source)
    whole = None if short is None else rewritten_by(TOGETHER, short, source) or rewritten_by(INLINED, short, source)
    return whole or short


def _in_steps(written: Kernel, base: Kernel, others: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """With short loops written out, places for all values of variables, and what follows each other in one nest.

    Where that leaves a chain far shorter than that of `others`, and no more nests than before.
    """
    private = rewritten_by(PRIVATE, written, source)
    steps = [rewritten_by(SUCCESSIVE, kernel, source) for kernel in (written, private) if kernel is not None]
    most = len(base.distribution.nests)
    found = [kernel for kernel in (private, *steps) if kernel is not None and len(kernel.distribution.nests) <= most]
    best = min(found, key=lambda kernel: shortest([kernel]), default=None)
    if best is not None and SHORTER * shortest([best]) <= shortest([written, *others]):
        yield replace(best, name=f"{WRITTEN_OUT}-{best.name}")


def _in_one_body(word: str, bases: Sequence[Base], source: Source) -> list[Kernel]:
    """The form in which statements are together that the rewrite of a name makes, with variables where it is best."""
    found = _shortest_with(REWRITES[word], bases)
    return [analysed(s, dependences(s), source, rewrites=(*before, word), name=word) for before, _, s in found]


def shortest(kernels: Sequence[Kernel]) -> int:
    """The shortest of the longest chains of iterations of some forms."""
    return min(steps_of(kernel.distribution.body) for kernel in kernels)


def _with_expanded(base: Kernel, source: Source) -> Iterator[Kernel]:
    """The kernel with a place for every iteration, or of a block of them, for temporaries that tie statements."""
    scop, found, before = base.scop, base.dependences, base.rewrites
    expansion = expand(scop, found)
    if expansion is None:
        return
    names = tuple(ArrayId(e.name) for e in expansion.expanded)
    expanded = analysed(expansion.scop, dependences(expansion.scop), source, names, before, "expanded")
    yield expanded
    if max(expansion.scop.array(name).elements for name in names) > most_places(scop):
        private = rewritten_by(PRIVATE, base, source)
        if private is not None and shortest([private]) <= shortest([expanded]):
            yield private
    inside = expand_inside(scop, found) if any(len(e.over) > 1 for e in expansion.expanded) else None
    if inside is not None:
        yield analysed(inside.scop, dependences(inside.scop), source, rewrites=(*before, INSIDE), name=INSIDE)
        blocks = in_blocks(expansion)
        if blocks is not None:
            whole = analysed(blocks, dependences(blocks), source, rewrites=(*before, BLOCKS), name=BLOCKS)
            yield whole
            fused = joined_by(FUSED, whole, source)
            if fused is not None:
                yield fused


#: What a kernel's statements are distributed over.
Part = OuterLoop | Nest
#: A kernel by the rewrites that make it, and its dependences; and one in another order, by its name, too.
Base = tuple[tuple[str, ...], Dependences]
Order = tuple[tuple[str, ...], Dependences, str]


def _bases(kernel: Kernel) -> list[Base]:
    """The kernel as it is, with elements in place of local variables, and with these of every iteration's own."""
    bases: list[Base] = [(kernel.rewrites, kernel.dependences)]
    placed = in_place(kernel.dependences)
    if placed is not None:
        bases.append(((*kernel.rewrites, IN_PLACE), dependences(placed)))
    before, found = bases[-1]
    private = privatised(found)
    if private is not found:
        bases.append(((*before, PRIVATE), private))
    return bases


def _in_other_orders(kernel: Kernel, bases: Sequence[Base], source: Source, *, joint: bool = False) -> Iterator[Kernel]:
    """The kernel, with local variables as it is or elsewhere, in the orders that are worth a search.

    Where none is better than that of the source, reads there can have latches all the same, and steps panels.
    """
    orders = [
        ((*before, SCHEDULE + other.text), other.dependences, other.name)
        for before, found in bases
        for other in proposals(found, kernel.distribution, joint=joint)
    ]
    if not orders:
        orders = [(rewrites, found, "") for rewrites, found, _ in _shortest_with(latched, bases)]
    if not orders:
        for rewrites, found, _ in _shortest_with(shadowed, bases):
            yield from _with_shadow(found, rewrites, "", source)
            yield from _in_sizes(TABLE_TILES, found, rewrites, source)
    yield from of_orders(orders, source, joint=joint)


def of_orders(orders: Iterable[Order], source: Source, *, joint: bool = False) -> Iterator[Kernel]:
    """The forms of some orders: with steps in one nest, latches, elements apart, panels and tiles.

    `joint`: steps in one nest also where that leaves half of what is in steps.
    """
    for rewrites, ordered, name in orders:
        if name:  # what follows each other in the source's own order is one nest in a form of its own
            yield from _in_one_nest(ordered, rewrites, name, source, joint=joint)
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
            yield in_order(dependences(made), (*rewrites, f"{word}{size}"), word.strip(), source)


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
        yield in_order(dependences(shadow), (*rewrites, SHADOW), joined, source)


def _in_one_nest(
    ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source, *, joint: bool
) -> Iterator[Kernel]:
    """An order with what follows each other in a step in one nest, where that leaves far less of its chain."""
    one = REWRITES[SUCCESSIVE](ordered)
    if one is not None:
        steps = analysed(one, dependences(one), source, rewrites=(*rewrites, SUCCESSIVE), name=f"{name}-{SUCCESSIVE}")
        before, after = distribute(ordered.scop, ordered).body, steps.distribution.body
        if joint:
            before, after = _but_for_common(before, after)
        if steps_of(after) <= steps_of(before) // (2 if joint else SHORTER):
            yield steps


def _but_for_common(one: Sequence[Part], other: Sequence[Part]) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Nests and loops around nests, without nests of the same statements that no loop is around in both."""
    both = {p.statements for p in one if isinstance(p, Nest)} & {p.statements for p in other if isinstance(p, Nest)}
    before, after = (
        tuple(p for p in body if not (isinstance(p, Nest) and p.statements in both)) for body in (one, other)
    )
    return before, after


def _kept_apart(ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source) -> Iterator[Kernel]:
    """An order, and the same with finished elements apart; that of the source, without a name, is named by these."""
    yield from _with_shadow(ordered, rewrites, name, source)
    yield in_order(ordered, rewrites, name or LATCH, source)
    apart = finished_apart(ordered)
    if apart is not None:
        joined = f"{name}-{FINISHED}" if name else FINISHED
        yield in_order(dependences(apart), (*rewrites, FINISHED), joined, source)


def in_order(ordered: Dependences, rewrites: tuple[str, ...], name: str, source: Source) -> Kernel:
    """The form that some rewrites made, with latches where reads can have some."""
    still = latched(ordered)
    if still is None:
        return analysed(ordered.scop, ordered, source, rewrites=rewrites, name=name)
    return analysed(still, dependences(still), source, rewrites=(*rewrites, LATCH), name=name)


def analysed(
    scop: Scop,
    found: Dependences,
    source: Source,
    expanded: tuple[ArrayId, ...] = (),
    rewrites: tuple[str, ...] = (),
    name: str = SOURCE_FORM,
) -> Kernel:
    """A kernel as one of its forms, with its dependences `found`: in nests, by a name and what made it."""
    distribution, live = distribute(scop, found), liveness(scop, source.temporaries)
    return Kernel(scop, found, distribution, live, expanded, (), rewrites, name, source.temporaries)


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
