"""What a kernel is in other orders, and by the name of a rewrite: forms that others are made of; searches none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sisyphus.analysis import (
    Dependences,
    Nest,
    OuterLoop,
    dependences,
    distribute,
    liveness,
    privatised,
)
from sisyphus.forms import (
    FINISHED,
    IN_PLACE,
    LATCH,
    PANELS,
    PRIVATE,
    REWRITES,
    SCHEDULE,
    SHADOW,
    SHORTER,
    SUCCESSIVE,
    TABLE_TILES,
    finished_apart,
    in_panels,
    in_place,
    in_table_tiles,
    latched,
    proposals,
    shadowed,
    sizes_of_panels,
    sizes_of_tiles,
    steps_of,
)
from sisyphus.ir import ArrayId, Scop
from sisyphus.request import SOURCE_FORM, Kernel, Source
from sisyphus.values import replace

#: What a kernel's statements are distributed over.
Part = OuterLoop | Nest
#: A kernel by the rewrites that make it, and its dependences; and one in another order, by its name, too.
Base = tuple[tuple[str, ...], Dependences]
Order = tuple[tuple[str, ...], Dependences, str]


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


def shortest(kernels: Sequence[Kernel]) -> int:
    """The shortest of the longest chains of iterations of some forms."""
    return min(steps_of(kernel.distribution.body) for kernel in kernels)


def bases_of(kernel: Kernel) -> list[Base]:
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


def in_other_orders(kernel: Kernel, bases: Sequence[Base], source: Source, *, joint: bool = False) -> Iterator[Kernel]:
    """The kernel, with local variables as it is or elsewhere, in the orders that are worth a search.

    Where none is better than that of the source, reads there can have latches all the same, and steps panels.
    """
    orders = [
        ((*before, SCHEDULE + other.text), other.dependences, other.name)
        for before, found in bases
        for other in proposals(found, kernel.distribution, joint=joint)
    ]
    if not orders:
        orders = [(rewrites, found, "") for rewrites, found, _ in shortest_with(latched, bases)]
    if not orders:
        for rewrites, found, _ in shortest_with(shadowed, bases):
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


def shortest_with(
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
