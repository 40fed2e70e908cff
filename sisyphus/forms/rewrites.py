"""What turns a kernel into another form of it, as words that can be saved; each is checked where it is applied."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import Dependences, dependences, expand, expand_inside, privatise
from sisyphus.errors import KernelError
from sisyphus.forms.batches import in_batches
from sisyphus.forms.blocks import in_blocks
from sisyphus.forms.finished import finished_apart
from sisyphus.forms.forwarding import forwarded
from sisyphus.forms.fused import fused
from sisyphus.forms.in_place import in_place
from sisyphus.forms.latches import latched
from sisyphus.forms.line_blocks import in_line_blocks
from sisyphus.forms.order_proof import faults
from sisyphus.forms.panels import in_panels
from sisyphus.forms.pivots import with_pivots
from sisyphus.forms.reordering import reordered
from sisyphus.forms.shadows import shadowed
from sisyphus.forms.strips import Strips, in_strips
from sisyphus.forms.sums_apart import sums_apart
from sisyphus.forms.untiled import untiled
from sisyphus.ir import Scop
from sisyphus.poly import read_times

PRIVATE, INSIDE, BLOCKS, SCHEDULE, LATCH = "private", "inside", "blocks", "schedule ", "latch"
STRIPS, PANELS, IN_PLACE, FORWARD = "strips ", "panels ", "in-place", "forward"
FINISHED, PIVOTS, PIVOT_BLOCKS, SHADOW = "finished", "pivots", "pivot-blocks ", "shadow"
UNTILED, FUSED, BATCHES, SUMS_APART = "untiled", "fused", "batches ", "sums-apart"
LINE_BLOCKS = "line-blocks "


class ScheduleError(KernelError):
    """A schedule that cannot be had as loops, or that makes another program of the kernel."""


def scheduled(found: Dependences, text: str) -> Scop:
    """The kernel in the order of a schedule in isl's notation; `ScheduleError` unless it is proved the same program."""
    hint = "write a time for every instance: `{ S0[i, j] -> [j, i]; S1[i] -> [i, 0] }` (names by `sisy analyze`)"
    try:
        ordered = reordered(found.scop, read_times(text, {s.id: s.domain for s in found.scop.statements}))
    except ValueError as wrong:
        raise ScheduleError(f"this schedule cannot be used: {wrong}", hint=hint) from wrong
    fault = next(faults(found, ordered), None)
    if fault is not None:
        raise ScheduleError(f"this schedule makes another program: {fault}", hint="`sisy analyze` lists dependences")
    return ordered.scop


def rewritten(scop: Scop, rewrites: Sequence[str]) -> Scop:
    """The form of a kernel that some rewrites make, one after another; `KernelError` where it has none of that name."""
    for rewrite in rewrites:
        found = dependences(scop)
        if rewrite.startswith(SCHEDULE):
            scop = scheduled(found, rewrite.removeprefix(SCHEDULE))
        elif rewrite == LATCH:
            scop = latched(found) or scop
        elif rewrite == FINISHED:
            scop = finished_apart(found) or scop
        elif rewrite == FORWARD:
            scop = forwarded(found) or scop
        elif rewrite == FUSED:
            scop = fused(found) or scop
        elif rewrite == SUMS_APART:
            scop = sums_apart(found) or scop
        elif rewrite == UNTILED:
            scop = untiled(found) or scop
        elif rewrite == SHADOW:
            scop = shadowed(found) or scop
        elif rewrite == PIVOTS:
            scop = with_pivots(scop) or scop
        elif rewrite == IN_PLACE:
            scop = in_place(found) or scop
        elif rewrite == PRIVATE:
            private = privatise(scop, found)
            scop = scop if private is None else private.scop
        elif rewrite == INSIDE:
            inside = expand_inside(scop, found)
            scop = scop if inside is None else inside.scop
        elif rewrite == BLOCKS:
            expansion = expand(scop, found)
            scop = (in_blocks(expansion) if expansion else None) or scop
        elif rewrite.startswith(STRIPS):
            scop = _in_strips(found, rewrite.removeprefix(STRIPS))
        elif rewrite.startswith(BATCHES):
            size = _size(BATCHES, rewrite)
            scop = _there(in_batches(found, size), BATCHES, size, "iterations")
        elif rewrite.startswith(LINE_BLOCKS):
            size = _size(LINE_BLOCKS, rewrite)
            scop = _there(in_line_blocks(found, size), LINE_BLOCKS, size, "lines")
        elif rewrite.startswith(PANELS):
            size = _size(PANELS, rewrite)
            scop = _there(in_panels(found, size), PANELS, size)
        elif rewrite.startswith(PIVOT_BLOCKS):
            size = _size(PIVOT_BLOCKS, rewrite)
            scop = _there(with_pivots(scop, size), PIVOT_BLOCKS, size)
        else:
            raise KernelError(f"no such rewrite of a kernel: `{rewrite[:60]}`")
    return scop


def _in_strips(found: Dependences, text: str) -> Scop:
    """The kernel in strips of such sizes."""
    try:
        strips = Strips.read(text)
    except ValueError as wrong:
        raise KernelError(f"no sizes of strips: `{text[:60]}`", hint="steps and rows, as in `strips 10x64`") from wrong
    scop = in_strips(found, strips)
    if scop is None:
        raise KernelError(f"this kernel has no strips of {strips.rows} rows")
    return scop


def _size(form: str, rewrite: str) -> int:
    """How many steps a form has that is named with them."""
    text = rewrite.removeprefix(form)
    if not text.isdecimal() or not int(text):
        raise KernelError(f"no size of {form.strip()}: `{text[:60]}`", hint=f"a number, as in `{form}64`")
    return int(text)


def _there(scop: Scop | None, form: str, size: int, what: str = "steps") -> Scop:
    if scop is None:
        raise KernelError(f"this kernel has no {form}of {size} {what}")
    return scop
