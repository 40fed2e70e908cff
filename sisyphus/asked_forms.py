"""The form of a kernel that is asked for: by a design point, by its name, in strips or sizes; searches none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import dependences
from sisyphus.errors import KernelError, UsageError
from sisyphus.forms import (
    INNER,
    SCHEDULE,
    SHIFTED_STRIPS,
    SHORTER,
    STRIPS,
    WEBS_APART,
    Strips,
    free_loops,
    order_in_strips,
    proposals_inside,
    rewritten,
    schedule_text,
    sunk,
)
from sisyphus.kernel_orders import analysed, in_order, joined_by, of_orders, shortest
from sisyphus.kernel_views import freed, with_copies, with_views
from sisyphus.request import FIX_FORM, GIVEN_FORM, Kernel, Source
from sisyphus.space import KERNEL_PLACE, DesignPoint


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
    return _if_any(kernel, (f"{SHIFTED_STRIPS}{strips}",), SHIFTED_STRIPS.strip())


def with_word(kernel: Kernel, word: str, size: int) -> Kernel | None:
    """The kernel as a rewrite of so many iterations or lines makes it; None where it is another program, or none."""
    return _if_any(kernel, (f"{word}{size}",), word.strip())


def with_other_word(kernel: Kernel, written: Kernel, word: str, other: str) -> Kernel | None:
    """The same form of a kernel as it is written with another word in place of one; None where it has none."""
    return _if_any(written, tuple(other if own == word else own for own in kernel.rewrites), kernel.name)


def with_webs_apart(kernel: Kernel, names: Sequence[str]) -> Kernel:
    """The kernel with values of some arguments that are gone before the end in arrays of their own, if any."""
    made = _rebuilt(kernel, (WEBS_APART + ",".join(names),), WEBS_APART.strip()) if names else None
    return made or kernel


def with_inner(kernel: Kernel) -> Kernel | None:
    """A form with loops that carry nothing inside of all others; None where its chains are not far shorter then."""
    loops = free_loops(kernel.dependences)
    if not loops:
        return None
    text = SCHEDULE + schedule_text(sunk(kernel.scop.statements, loops))
    ordered = dependences(rewritten(kernel.scop, [text]))
    source = Source("", temporaries=kernel.temporaries)
    made = in_order(ordered, (*kernel.rewrites, text), f"{kernel.name}-{INNER}", source)
    return made if shortest([made]) <= shortest([kernel]) // SHORTER else None


def joined(kernel: Kernel, rewrite: str) -> Kernel | None:
    """The kernel with nests that a rewrite makes one, named so, too; None where it makes none of any."""
    return joined_by(rewrite, kernel, Source("", temporaries=kernel.temporaries))


def in_inner_orders(kernel: Kernel) -> Iterator[Kernel]:
    """The forms of a kernel with what is inside of an outermost loop around several nests in another order."""
    scop = kernel.scop
    nests = (scop.statement(nest.statements[0]) for nest in kernel.distribution.nests if nest.outer)
    places = dict.fromkeys(first.position[0] for first in nests)
    found = (order for place in places for order in proposals_inside(kernel.dependences, place))
    orders = (((*kernel.rewrites, SCHEDULE + o.text), o.dependences, f"{kernel.name}-{o.name}") for o in found)
    yield from of_orders(orders, Source("", temporaries=kernel.temporaries))


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


def of_fixed_form(kernels: Sequence[Kernel], fixes: Sequence[str]) -> Sequence[Kernel]:
    """The forms that `--fix form=NAME[,NAME]` leaves; `UsageError` lists them where there is none of such a name."""
    for fix in fixes:
        if fix.startswith(FIX_FORM):
            names, asked = [kernel.name for kernel in kernels], fix.removeprefix(FIX_FORM).split(",")
            if not {*asked} <= {*names}:
                raise UsageError(f"`--fix {fix}`: no such form", hint=f"forms: {', '.join(names)}")
            kernels = [kernel for kernel in kernels if kernel.name in asked]
    return kernels


def _if_any(kernel: Kernel, rewrites: tuple[str, ...], name: str) -> Kernel | None:
    """The kernel as rewrites make it; None where one of them makes none of it."""
    try:
        return _rebuilt(kernel, rewrites, name)
    except KernelError:
        return None


def _rebuilt(source: Kernel, rewrites: tuple[str, ...], name: str = GIVEN_FORM) -> Kernel | None:
    """A form that is not among those that are searched: of an order that was given, or that a scheduler found once."""
    if not rewrites:
        return None
    scop, words = rewritten(source.scop, rewrites), (*source.rewrites, *rewrites)
    return analysed(scop, dependences(scop), Source("", temporaries=source.temporaries), rewrites=words, name=name)
