"""What turns a kernel into another form of it, as words that can be saved; each is checked where it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from sisyphus.analysis import Dependences, dependences, expand, expand_inside, privatise
from sisyphus.errors import KernelError
from sisyphus.forms.batches import in_batches
from sisyphus.forms.blocks import in_blocks
from sisyphus.forms.by_cases import by_cases
from sisyphus.forms.coalesced import coalesced
from sisyphus.forms.finished import finished_apart
from sisyphus.forms.forwarding import forwarded, forwarded_elements
from sisyphus.forms.fused import fused
from sisyphus.forms.gathered import gathered
from sisyphus.forms.histories import with_histories, with_histories_of_rows
from sisyphus.forms.in_place import in_place
from sisyphus.forms.inlined import inlined
from sisyphus.forms.interiors import interiors_apart
from sisyphus.forms.latches import latched
from sisyphus.forms.line_blocks import in_line_blocks
from sisyphus.forms.local_blocks import in_local_blocks
from sisyphus.forms.long_rows import in_long_rows
from sisyphus.forms.margins import with_margins
from sisyphus.forms.order_proof import faults
from sisyphus.forms.panels import in_panels
from sisyphus.forms.pivots import with_pivots
from sisyphus.forms.reordering import reordered
from sisyphus.forms.rounds import in_one_loop
from sisyphus.forms.shadows import shadowed
from sisyphus.forms.shifted import in_shifted_strips, shifted
from sisyphus.forms.strips import Strips, in_strips
from sisyphus.forms.successive import successive
from sisyphus.forms.sums_apart import sums_apart
from sisyphus.forms.table_tiles import in_table_tiles
from sisyphus.forms.together import computed_together
from sisyphus.forms.untiled import untiled
from sisyphus.forms.webs_apart import webs_apart
from sisyphus.forms.written_out import cases_apart, sums_written_out, turns_apart, written_out
from sisyphus.ir import Scop
from sisyphus.poly import read_times

PRIVATE, INSIDE, BLOCKS, SCHEDULE, LATCH = "private", "inside", "blocks", "schedule ", "latch"
STRIPS, PANELS, IN_PLACE, FORWARD = "strips ", "panels ", "in-place", "forward"
FINISHED, PIVOTS, PIVOT_BLOCKS, SHADOW = "finished", "pivots", "pivot-blocks ", "shadow"
UNTILED, FUSED, BATCHES, SUMS_APART = "untiled", "fused", "batches ", "sums-apart"
LINE_BLOCKS, INLINED, WRITTEN_OUT, TABLE_TILES = "line-blocks ", "inlined", "written-out", "table-tiles "
SHIFTED, SHIFTED_STRIPS, LONG_ROWS, TOGETHER = "shifted", "strips-shifted ", "long-rows", "together"
CASES, SUCCESSIVE, GATHERED, WEBS_APART = "cases", "successive", "gathered", "webs-apart "
SUMS_WRITTEN_OUT, HISTORY, ROW_HISTORY, INTERIORS = "sums-written-out", "history", "history-of-rows", "interiors"
COALESCED, FORWARD_ELEMENTS, ROUNDS, TURNS = "coalesced", "forward-elements", "rounds", "turns"
BY_CASES, MARGINS = "by-cases", "margins"
#: Places for iterations of loops inside of so many.
INSIDE_OF = "inside-of "
#: Blocks of what is passed on, by the dimension whose rows these are.
LOCAL_BLOCKS = "local-blocks ", "local-blocks-1 ", "local-blocks-2 "


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


def _inside_of(found: Dependences, loops: int) -> Scop | None:
    inside = expand_inside(found.scop, found, loops)
    return None if inside is None else inside.scop


#: The forms that have a name alone, and those with a size in their name, of so many of something.
REWRITES: Mapping[str, Callable[[Dependences], Scop | None]] = {
    LATCH: latched,
    FINISHED: finished_apart,
    FORWARD: forwarded,
    FORWARD_ELEMENTS: forwarded_elements,
    COALESCED: coalesced,
    FUSED: fused,
    SHIFTED: shifted,
    SUCCESSIVE: successive,
    GATHERED: gathered,
    HISTORY: with_histories,
    ROW_HISTORY: with_histories_of_rows,
    ROUNDS: in_one_loop,
    SUMS_APART: sums_apart,
    UNTILED: untiled,
    TOGETHER: computed_together,
    SHADOW: shadowed,
    PIVOTS: lambda found: with_pivots(found.scop),
    IN_PLACE: in_place,
    INLINED: inlined,
    LONG_ROWS: in_long_rows,
    MARGINS: with_margins,
    WRITTEN_OUT: written_out,
    BY_CASES: by_cases,
    CASES: cases_apart,
    INTERIORS: interiors_apart,
    TURNS: turns_apart,
    SUMS_WRITTEN_OUT: sums_written_out,
    PRIVATE: lambda found: None if (private := privatise(found.scop, found)) is None else private.scop,
    INSIDE: lambda found: _inside_of(found, 1),
    BLOCKS: lambda found: None if (whole := expand(found.scop, found)) is None else in_blocks(whole),
}
SIZED: Mapping[str, tuple[Callable[[Dependences, int], Scop | None], str]] = {
    BATCHES: (in_batches, "iterations"),
    LINE_BLOCKS: (in_line_blocks, "lines"),
    **{word: (partial(in_local_blocks, dim=dim), "rows") for dim, word in enumerate(LOCAL_BLOCKS)},
    PANELS: (in_panels, "steps"),
    PIVOT_BLOCKS: (lambda found, size: with_pivots(found.scop, size), "steps"),
    TABLE_TILES: (in_table_tiles, "rows and columns"),
    INSIDE_OF: (_inside_of, "loops"),
}
#: The forms whose name ends in the steps of a block and the rows of a strip.
STRIPED: Mapping[str, Callable[[Dependences, Strips], Scop | None]] = {
    STRIPS: in_strips,
    SHIFTED_STRIPS: in_shifted_strips,
}


def rewritten(scop: Scop, rewrites: Sequence[str]) -> Scop:
    """The form of a kernel that some rewrites make, one after another; `KernelError` where it has none of that name."""
    for rewrite in rewrites:
        found = dependences(scop)
        sized, striped = (_of_forms(forms, rewrite) for forms in (SIZED, STRIPED))
        if rewrite in REWRITES:
            scop = REWRITES[rewrite](found) or scop
        elif sized is not None:
            scop = _in_size(found, sized, rewrite.removeprefix(sized))
        elif rewrite.startswith(WEBS_APART):
            scop = _with_webs_apart(found, rewrite.removeprefix(WEBS_APART))
        elif rewrite.startswith(SCHEDULE):
            scop = scheduled(found, rewrite.removeprefix(SCHEDULE))
        elif striped is not None:
            scop = _in_strips(found, striped, rewrite.removeprefix(striped))
        else:
            raise KernelError(f"no such rewrite of a kernel: `{rewrite[:60]}`")
    return scop


def _of_forms(forms: Iterable[str], rewrite: str) -> str | None:
    """The form of these that a rewrite is of."""
    return next((form for form in forms if rewrite.startswith(form)), None)


def _in_strips(found: Dependences, form: str, text: str) -> Scop:
    """The kernel in a form of strips of such sizes."""
    try:
        strips = Strips.read(text)
    except ValueError as wrong:
        raise KernelError(f"no sizes of strips: `{text[:60]}`", hint=f"steps and rows, as in `{form}10x64`") from wrong
    scop = STRIPED[form](found, strips)
    if scop is None:
        raise KernelError(f"this kernel has no {form}of {strips.rows} rows")
    return scop


def _with_webs_apart(found: Dependences, text: str) -> Scop:
    """The kernel with values of some arguments apart, whose names are the text."""
    scop = webs_apart(found, text.split(","))
    if scop is None:
        raise KernelError(f"not all of these have values that are gone before the end: `{text[:60]}`")
    return scop


def _in_size(found: Dependences, form: str, text: str) -> Scop:
    """The kernel in a form of such a size."""
    if not text.isdecimal() or not int(text):
        raise KernelError(f"no size of {form.strip()}: `{text[:60]}`", hint=f"a number, as in `{form}64`")
    build, what = SIZED[form]
    scop = build(found, int(text))
    if scop is None:
        raise KernelError(f"this kernel has no {form}of {int(text)} {what}")
    return scop
