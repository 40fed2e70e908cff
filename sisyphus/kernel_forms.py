"""The forms of a kernel that is read: which there are, the kernel as it is written first; searches none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sisyphus.analysis import (
    LoopKind,
    dependences,
    expand,
    expand_inside,
)
from sisyphus.analysis.rewrite import most_places
from sisyphus.forms import (
    BLOCKS,
    BY_CASES,
    CASES,
    COALESCED,
    FORWARD,
    FORWARD_ELEMENTS,
    FUSED,
    GATHERED,
    HISTORY,
    IN_PLACE,
    INLINED,
    INSIDE,
    INTERIORS,
    LONG_ROWS,
    MARGINS,
    PIVOT_BLOCKS,
    PIVOTS,
    PRIVATE,
    REWRITES,
    ROUNDS,
    ROW_HISTORY,
    SCHEDULE,
    SHIFTED,
    SHORTER,
    SUCCESSIVE,
    SUMS_APART,
    SUMS_WRITTEN_OUT,
    TOGETHER,
    UNTILED,
    WRITTEN_OUT,
    in_blocks,
    in_place,
    in_tiles,
    scheduled,
    sizes_of_blocks,
    steps_of,
    untiled,
    with_pivots,
    worth_long_rows,
)
from sisyphus.ir import ArrayId, Scop
from sisyphus.kernel_orders import (
    Base,
    analysed,
    bases_of,
    in_order,
    in_other_orders,
    joined_by,
    rewritten_by,
    shortest,
    shortest_with,
)
from sisyphus.request import GIVEN_FORM, Kernel, Source, read_kernel
from sisyphus.values import replace

#: Steps of an order, but for sums, beside which tables of rows are not looked for, as that takes seconds.
FEW_STEPS = 4096


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
    cases = list(_with_cases(apart, base, plain, source))
    yield from cases
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
    is_settled = bool(cases) and shortest(cases) <= shortest(plain) // SHORTER**2
    orders = [] if is_settled else list(_other_orders(base, direct, plain, source))
    if not is_settled:
        orders = list(_orders_of_histories(base, kept, orders, source))
    yield from orders
    if short is not None:
        yield from _in_steps(short, base, [*plain, *orders], source)


def _other_orders(base: Kernel, direct: Kernel | None, plain: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel with statements in one nest, or in other orders; those of the `direct` one where they are shorter."""
    bases = bases_of(base)
    yield from _in_one_body(FUSED, bases, source)
    steps = _in_one_body(SUCCESSIVE, bases, source)
    yield from (kernel for kernel in steps if shortest([kernel]) <= shortest(plain) // SHORTER)
    shifted = rewritten_by(SHIFTED, base, source)
    if shifted is not None:
        yield shifted
    orders = list(in_other_orders(base, bases, source))
    others = list(in_other_orders(direct, bases_of(direct), source)) if direct is not None else []
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


def _with_cases(apart: Kernel, base: Kernel, others: Sequence[Kernel], source: Source) -> Iterator[Kernel]:
    """The kernel without variables that conditions on loops give one value or another, as no other form has it.

    And with statements that differ at borders as one.
    """
    cases = _written_out(BY_CASES, apart, source)
    if cases is not None and len(cases.scop.variables) < len(base.scop.variables):
        cases = replace(cases, name=BY_CASES)
        others = [*others, cases]
        yield from [cases, *_other_orders(cases, None, others, source)]
    else:
        cases = base
    whole = rewritten_by(MARGINS, cases, source)
    forms = [] if whole is None else [whole, *_with_expanded(whole, source)]
    if whole is not None and shortest(forms) <= shortest(others):
        names = [MARGINS, *(f"{MARGINS}-{form.name}" for form in forms[1:])]
        named = [replace(form, name=name) for form, name in zip(forms, names, strict=True)]
        yield from [form for form in named if shortest([form]) <= shortest(others)]
        yield from _other_orders(whole, None, [*others, *forms], source)


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
    if others and _but_for_sums(others) <= FEW_STEPS:
        yield from others
        return
    found = [] if kept is None or others else list(in_other_orders(kept, bases_of(kept), source))
    rows = base if found else _by_words((ROUNDS, ROW_HISTORY), base, source)
    if rows is not base:
        rows = _by_words((INLINED, COALESCED, FORWARD_ELEMENTS), rows, source)  # what values are computed of stays now
        found = list(in_other_orders(rows, bases_of(rows), source, joint=True))
        if found and not (others and _but_for_sums(found) > _but_for_sums(others) // SHORTER):
            yield from [rows, *found]
            return
    yield from others or found


def _by_words(words: Sequence[str], kernel: Kernel, source: Source) -> Kernel:
    """What those rewrites make of a kernel, one after another, that make something."""
    for word in words:
        kernel = rewritten_by(word, kernel, source) or kernel
    return kernel


def _but_for_sums(kernels: Sequence[Kernel]) -> int:
    """The same as `shortest` without chains of sums and the like, as the largest element of a table, which all have."""
    free = (LoopKind.PARALLEL, LoopKind.REDUCTION)
    return min(steps_of(kernel.distribution.body, free=free) for kernel in kernels)


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
    found = shortest_with(REWRITES[word], bases)
    return [analysed(s, dependences(s), source, rewrites=(*before, word), name=word) for before, _, s in found]


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
