"""Choices that random points do not draw by themselves: ports, memories, beats, intervals, forms; knows no cost."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from math import lcm

from random_kernels import keeps_precedence

from sisyphus import asked_forms, kernel_forms, kernel_views, request
from sisyphus.analysis import LoopKind, Nest, read_at_once
from sisyphus.errors import KernelError
from sisyphus.forms import (
    BATCHES,
    BLOCKS,
    BY_CASES,
    CASES,
    COALESCED,
    FINISHED,
    FORWARD,
    FORWARD_ELEMENTS,
    GATHERED,
    HISTORY,
    IN_PLACE,
    INLINED,
    INSIDE,
    INTERIORS,
    LINE_BLOCKS,
    LOCAL_BLOCKS,
    LONG_ROWS,
    MARGINS,
    PANELS,
    PIVOT_BLOCKS,
    PRIVATE,
    ROUNDS,
    ROW_HISTORY,
    SHADOW,
    SHIFTED,
    SUCCESSIVE,
    SUMS_APART,
    SUMS_WRITTEN_OUT,
    TABLE_TILES,
    TOGETHER,
    TURNS,
    WEBS_APART,
    WRITTEN_OUT,
    Strips,
    arrays_with_webs,
    independent,
    making_lines,
    rows_passed_on,
    sizes_of_blocks,
    sizes_of_panels,
    sizes_of_tiles,
    to_be_batched,
)
from sisyphus.forms.strips import steps_of_rows
from sisyphus.ir import Array, Role, Scop, walk
from sisyphus.plan import build_plan
from sisyphus.plan.checks import arrays_of
from sisyphus.request import Kernel
from sisyphus.space import (
    COLUMNS,
    FORMS,
    KERNEL_PLACE,
    NEST_PLACE,
    PACKED,
    STRIPES,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
    layout_for,
    may_be_listed,
    port_names,
    port_width,
)
from sisyphus.space.point import STORAGES
from sisyphus.space.ports import beats_up_to, may_be_dealt
from sisyphus.target import ADDERS


def only_integers(kernel: Kernel) -> bool:
    """Whether sums may be reassociated without another bit."""
    return not any(e.type.is_float for s in kernel.scop.statements for e in walk(s.rhs))


def other_form(rng: random.Random, kernel: Kernel, source: request.Source, *, whole: bool = True) -> Kernel:
    """Often another form of a kernel: in strips of rows, by the rewrites that a search tries, with views or copies.

    One that is but a part of a kernel, not the `whole`, keeps its rows: boxes of arrays are dealt to it.
    """
    steps = steps_of_rows(kernel.scop)
    if steps is not None and rng.random() < 0.6:
        most = min(len(steps.times), 5), min(len(steps.rows), 9)
        made = rng.choice((asked_forms.in_strips, asked_forms.in_shifted_strips))
        found = made(kernel, Strips(*(rng.randint(1, n) for n in most)))
        return kernel if found is None else found
    for share, made in ((0.3, _in_panels), (0.3, partial(_as_asked, whole=whole))):
        other = made(rng, kernel) if rng.random() < share else None
        if other is not None:
            return other
    if rng.random() < 0.4:  # looking for these takes longer than all the rest
        kernel = rng.choice(kernel_forms.forms_of(kernel.scop, source))
    viewed = rng.choice(
        (
            *(kernel_views.with_views,) * 3,
            *(kernel_views.with_copies,) * 2,
            *(_free,) * 2,
            *(_for_readers,) * 3,
            *(_same,) * 11,
        )
    )
    return viewed(kernel) or kernel


def _in_panels(rng: random.Random, kernel: Kernel) -> Kernel | None:
    """Panels, or pivots in blocks, of some steps of the loops that can have some, batches of some lines, or tiles."""
    sizes = ((PANELS, sizes_of_panels(kernel.dependences)), (PIVOT_BLOCKS, sizes_of_blocks(kernel.scop)))
    offered = [(form, max(found)) for form, found in sizes if found]
    offered += [(BATCHES, len(group.values) - 2) for group in independent(to_be_batched(kernel.dependences))[:1]]
    offered += [(LINE_BLOCKS, len(made.values) - 2) for made in [making_lines(kernel.scop)] if made is not None]
    passing = ((word, rows_passed_on(kernel.dependences, dim)) for dim, word in enumerate(LOCAL_BLOCKS))
    offered += [(word, len(found.values) - 2) for word, found in passing if found is not None]
    offered += [(TABLE_TILES, 2 * size) for size in sizes_of_tiles(kernel.dependences)]
    words = [f"{form}{rng.randint(1, max(most, 0) + 1)}" for form, most in offered]
    webs = arrays_with_webs(kernel.dependences)
    words += [WEBS_APART + ",".join(webs)] if webs else []
    if not words:
        return None
    wanted = DesignPoint(kernel.scop.name, (), (), rewrites=(rng.choice(words),))
    try:
        return asked_forms.form_of((kernel,), wanted)
    except KernelError:  # not proved to be the same program
        return None


#: How often forms are asked for that a search takes for far shorter chains alone.
ASKED = {
    FORWARD: 3,
    IN_PLACE: 5,
    FINISHED: 3,
    PRIVATE: 1,
    INSIDE: 1,
    BLOCKS: 3,
    SHADOW: 2,
    SUMS_APART: 9,
    SUMS_WRITTEN_OUT: 9,
    INTERIORS: 9,
    BY_CASES: 9,
    MARGINS: 9,
    INLINED: 3,
    WRITTEN_OUT: 3,
    SHIFTED: 5,
    LONG_ROWS: 3,
    TOGETHER: 9,
    CASES: 9,
    SUCCESSIVE: 9,
    GATHERED: 9,
    HISTORY: 5,
    ROW_HISTORY: 5,
    ROUNDS: 5,
    TURNS: 5,
    COALESCED: 5,
    FORWARD_ELEMENTS: 3,
}


def _as_asked(rng: random.Random, kernel: Kernel, *, whole: bool) -> Kernel | None:
    """A form that a search would take for far shorter chains alone, or for arrays that do not fit."""
    for word in rng.sample(list(ASKED), len(ASKED), counts=list(ASKED.values())):
        found = asked_forms.form_of((kernel,), DesignPoint(kernel.scop.name, (), (), rewrites=(word,)))
        if found is not None and found.scop is not kernel.scop:
            return found if whole or word != LONG_ROWS else None
    return None


def _for_readers(kernel: Kernel) -> Kernel | None:
    """Copies for nests that else could not read an array at the same time."""
    arrays = read_at_once(kernel.scop, kernel.distribution)
    return kernel_views.with_copies(kernel, arrays) if arrays else None


def _free(kernel: Kernel) -> Kernel | None:
    """With copies of what the kernel was given, for which no loop waits, where these free one."""
    copied = kernel_views.with_copies(kernel)
    return None if copied is None else kernel_views.freed(copied) or copied


def _same(kernel: Kernel) -> Kernel:
    return kernel


def varied(rng: random.Random, kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """The point with some more choices, each of which the kernel can have."""
    for change in (_intervals, _storage, _at_nest, _listed, _beats, _ports, _adders):
        if rng.random() < (0.6 if change is _listed else 0.3):  # few kernels can have tables of tiles
            other = change(rng, kernel, point)
            point = other if _is_built(kernel, other) else point
    return point


def _is_built(kernel: Kernel, point: DesignPoint) -> bool:
    try:
        build_plan(kernel.scop, kernel.distribution, kernel.live, point)
    except KernelError:
        return False
    return True


def _intervals(rng: random.Random, _kernel: Kernel, point: DesignPoint) -> DesignPoint:
    if not point.tree_reduction:
        return point
    asked = (replace(n, interval=int(n.pipeline is not None and rng.random() < 0.7)) for n in point.nests)
    return replace(point, nests=tuple(asked))


def _storage(rng: random.Random, _kernel: Kernel, point: DesignPoint) -> DesignPoint:
    return replace(point, buffers=tuple(replace(b, storage=rng.choice(STORAGES)) for b in point.buffers))


def _at_nest(_rng: random.Random, kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """Buffers of their own around nests in no loop that have none themselves."""
    alone = [nest for nest in kernel.distribution.nests if not nest.band and not nest.outer]
    own = {
        (array, nest.id)
        for nest in alone
        for array in arrays_of(kernel.scop, nest)
        if kernel.scop.array(array).role is not Role.LOCAL and array not in kernel.scop.looked_up
    }

    def apart() -> Iterator[BufferPoint]:
        for buffer in point.buffers:
            mine = tuple(nest for nest in buffer.nests if (buffer.array, nest) in own)
            others = tuple(nest for nest in buffer.nests if nest not in mine)
            if others:
                yield replace(buffer, nests=others)
            for nest in mine:
                yield replace(buffer, nests=(nest,), place=NEST_PLACE, copies=1)

    buffers = tuple(apart())
    ids = {b.id for b in buffers}
    return replace(point, buffers=buffers, transfers=tuple(t for t in point.transfers if t.buffer in ids))


def _listed(rng: random.Random, kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """Tables of tiles for the nests that can have some; arrays that moved between their tiles are whole on chip."""
    mine = {nest.id: nest for nest in kernel.distribution.nests if may_be_listed(kernel.scop, nest)}
    asked = (_small_tiles(rng, mine[n.id], n) if n.id in mine else n for n in point.nests)
    moved = {b.array for b in point.buffers for nest in b.nests if nest in mine and b.place in mine[nest].iterators}
    held = {array: [b for b in point.buffers if b.array == array] for array in moved}
    whole = [
        BufferPoint(array, tuple(nest for b in own for nest in b.nests), KERNEL_PLACE, own[0].partition)
        for array, own in held.items()
    ]
    buffers = (*(b for b in point.buffers if b.array not in moved), *whole)
    ids = {b.id for b in buffers}
    transfers = tuple(t for t in point.transfers if t.buffer in ids)
    return replace(point, nests=tuple(asked), buffers=buffers, transfers=transfers)


def _small_tiles(rng: random.Random, nest: Nest, point: NestPoint) -> NestPoint:
    """The nest with several listed tiles of several starts each: a table has rows only of such."""
    after = [loop.iterator for loop in nest.band if loop.kind is not LoopKind.SEQUENTIAL]
    pipeline, tiles = rng.choice(after), list[tuple[str, Tile]]()
    for loop in nest.band:
        trip, name = max(loop.trip_count, 1), loop.iterator
        own = rng.randint(1, max(1, trip // 3)) if name in after else 1
        starts = rng.randint(2, max(2, trip // (2 * own))) if name == pipeline else 1
        tiles.append((name, Tile(-(-trip // (starts * own)), starts, own)))
    order = sorted(point.order, key=lambda name: name in after)
    small = replace(
        point, order=tuple(order), tiles=tuple(tiles), pipeline=pipeline, listed=True, split=False, unroll=()
    )
    return small if keeps_precedence(nest, small) else point


def _beats(rng: random.Random, kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """Another beat of one array, in one of the two forms, and perhaps its tiles, or columns of beats, after another."""
    array = _any(rng, kernel.scop)
    buffers = [b.id for b in point.buffers if kernel.scop.home(b.array) == array.id]
    width, form = rng.choice(beats_up_to(port_width(array.type.stored.bits))), rng.choice(FORMS)
    layout = rng.choice((PACKED, COLUMNS, layout_for(array.extents, width)))
    mine = (TransferPoint(b, width, layout=layout, form=form) for b in buffers)
    return replace(point, transfers=(*(t for t in point.transfers if t.buffer not in buffers), *mine))


def _ports(rng: random.Random, kernel: Kernel, point: DesignPoint) -> DesignPoint:
    """Arrays dealt over several ports: whole on chip with their copies, or in tiles and without any."""
    for array in (a for a in kernel.scop.arrays if a.view_of is None and may_be_dealt(kernel.scop, a.id)):
        same = [a.id for a in kernel.scop.arrays if a.home == array.id]
        held = [b for b in point.buffers if b.array in same]
        is_whole = len(held) == len(same) and all(b.place == KERNEL_PLACE for b in held)
        if array.extents and (is_whole or len(same) == 1) and rng.random() < 0.7:
            count, form = rng.choice(STRIPES), rng.choice(FORMS)
            lanes = rng.choice(beats_up_to(port_width(array.type.stored.bits))[1:])
            width = count * lanes
            layout = rng.choice((layout_for(array.extents, width), *[COLUMNS] * (len(array.extents) > 1)))
            owners, ids = {a: rng.choice((a, array.id)) for a in same}, {b.id for b in held}
            dealt = (TransferPoint(b.id, width, port_names(owners[b.array], count), layout, form) for b in held)
            others = (t for t in point.transfers if t.buffer not in ids)
            banks = (replace(b, partition=_dealt_evenly(b, array, count)) if b in held else b for b in point.buffers)
            other = replace(point, buffers=tuple(banks), transfers=(*others, *dealt))
            point = other if _is_built(kernel, other) else point
    return point


def _dealt_evenly(buffer: BufferPoint, array: Array, stripes: int) -> tuple[int, ...]:
    """The partition with as many banks along the rows as stripes share evenly, or one for each element."""
    return (*buffer.partition[:-1], min(lcm(buffer.partition[-1], stripes), array.extents[-1]))


def _adders(rng: random.Random, _kernel: Kernel, point: DesignPoint) -> DesignPoint:
    return replace(point, adders=rng.choice(ADDERS))


def _any(rng: random.Random, scop: Scop) -> Array:
    return rng.choice([a for a in scop.arrays if a.view_of is None])


#: What the count calls a design that has a lever, by the last word of its `--fix`; None: hardly any design lacks it.
LEVERS = {
    "width": "beats of 2",
    "ports": "several ports",
    "layout": "padded rows",
    "copy": "copies read",
    "view": "views",
    "order": None,
    "split": "full tiles apart",
    "ahead": "loaded ahead",
    "listed": "listed tiles",
    "interval": "interval asked",
    "unroll": "copies of a nest",
    "place": "around one nest",
    "adders": "adders in fabric",
}
#: And one of a form, by the first word of the rewrite that makes it.
FORMED = {
    word: f"form {word}"
    for word in (
        "private",
        "inside",
        "inside-of",
        "blocks",
        "schedule",
        "latch",
        "strips",
        "strips-shifted",
        "shifted",
        "panels",
        "pivots",
        "pivot-blocks",
        "shadow",
        "in-place",
        "inlined",
        "written-out",
        "cases",
        "long-rows",
        "together",
        "forward",
        "finished",
        "untiled",
        "fused",
        "gathered",
        "history",
        "history-of-rows",
        "rounds",
        "turns",
        "coalesced",
        "forward-elements",
        "batches",
        "successive",
        "sums-apart",
        "sums-written-out",
        "interiors",
        "by-cases",
        "margins",
        "line-blocks",
        *(word.strip() for word in LOCAL_BLOCKS),
        "webs-apart",
        "table-tiles",
    )
}


def words(point: DesignPoint) -> Iterator[str]:
    """What a point has, for the count of what was covered."""
    yield from (FORMED[rewrite.split()[0]] for rewrite in point.rewrites)
    had = {
        "form expanded": bool(point.expanded),
        LEVERS["view"]: bool(point.viewed),
        LEVERS["copy"]: bool(point.copied),
        "tree reduction": point.tree_reduction,
        LEVERS["interval"]: any(n.interval for n in point.nests),
        LEVERS["split"]: any(n.split for n in point.nests),
        LEVERS["unroll"]: any(n.unroll for n in point.nests),
        LEVERS["adders"]: point.adders == "fabric",
        LEVERS["listed"]: any(n.listed for n in point.nests),
        LEVERS["ahead"]: any(b.copies == 2 for b in point.buffers),
        LEVERS["place"]: any(b.place == NEST_PLACE for b in point.buffers),
        "memory asked": any(b.storage != "auto" for b in point.buffers),
        LEVERS["ports"]: any(len(t.ports) > 1 for t in point.transfers),
        "tiles over ports": bool(point.dealt_tiles),
        LEVERS["layout"]: any(t.layout == "padded" for t in point.transfers),
        "packed tiles": any(t.layout == PACKED for t in point.transfers),
        "columns of beats": any(t.layout == COLUMNS for t in point.transfers),
        "streamed": any(t.form == "stream" for t in point.transfers),
    }
    yield from (word for word, is_there in had.items() if word and is_there)
    yield from {f"beats of {t.width}" for t in point.transfers if t.width > 1}


def never_drawn(covered: Iterable[str]) -> list[str]:
    """The levers that no design had."""
    wanted = {*filter(None, LEVERS.values()), *FORMED.values(), "form expanded", "memory asked", "streamed"}
    wanted |= {"packed tiles", "columns of beats", "tiles over ports"}
    return sorted(wanted - {*covered})
