"""A design of one share as a first design of another: the same choices, with tiles for other trip counts; no search."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from sisyphus.asked_forms import form_of
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.part_search import Choice
from sisyphus.request import Kernel, Request, estimate_of, space_of_point
from sisyphus.space import Choices, DesignPoint, LoopSpace, NestChoices, NotADesign, Space, Tile, choices, decode
from sisyphus.target import KINDS
from sisyphus.values import replace

#: How much worse another unroll factor is than as much of a difference in the tiles, and how much worse a loop is that
#: has several tiles, or is pipelined, where the other one has not, or is not. Only one loop of a nest can be pipelined.
UNROLLED, SEVERAL_TILES, PIPELINED = 3.0, 100.0, 200.0


def refitted(known: Choice, kernels: Sequence[Kernel], request: Request) -> DesignPoint | None:
    """The design of `known` with the nearest tiles of these kernels; None where it has no like that fits."""
    kernel = form_of(kernels, known.point)
    if kernel is None or _arrays(kernel) != _arrays(known.kernel):  # as those of outputs that are dealt apart
        return None
    point = known.point
    anywhere = replace(request, options=replace(request.options, tiles="ragged"))  # as the known design's may be
    space, before = space_of_point(kernel, request, point), space_of_point(known.kernel, anywhere, point)
    if _loops(space) != _loops(before):
        return None
    try:
        point = kernel.point(decode(space, _nearest(space, choices(before, known.point))))
        cost = estimate_of(kernel, point, request.target)
    except (NotADesign, KernelError):  # no partition serves these tiles, or no beat divides them
        return None
    used = {kind.name: getattr(cost, kind.name) for kind in KINDS}
    return None if request.target.budget.exceeded_by(used) else point


def _arrays(kernel: Kernel) -> set[ArrayId]:
    return {array.id for array in kernel.scop.arrays}


def _loops(space: Space) -> list[tuple[str, list[str]]]:
    return [(nest.id, [loop.iterator for loop in nest.loops]) for nest in space.nests]


def _nearest(space: Space, known: Choices) -> Choices:
    nests = dict[str, NestChoices]()
    for nest in space.nests:
        own = known.nests[nest.id]
        tiles = {loop.iterator: _nearest_tile(loop, own.tiles[loop.iterator]) for loop in nest.loops}
        copies = {name: n if tiles[name].level0 % n == 0 else 1 for name, n in own.copies.items()}
        nests[nest.id] = replace(own, tiles=tiles, copies=copies)
    widths = {
        array: max((w for w in space.widths[array] if w <= width), default=min(space.widths[array]))
        for array, width in known.widths.items()
    }
    return replace(known, nests=nests, widths=widths)


def _nearest_tile(loop: LoopSpace, known: Tile) -> Tile:
    """The most alike that unrolls no more; of a loop of the same trip count, the same tile."""

    def distance(tile: Tile) -> tuple[float, Tile]:
        ratios = [abs(log(new / old)) for new, old in zip(tile, known, strict=True)]
        shape = SEVERAL_TILES * ((tile.level0 > 1) != (known.level0 > 1))
        shape += PIPELINED * ((tile.level1 > 1) != (known.level1 > 1))
        return ratios[0] + ratios[1] + UNROLLED * ratios[2] + shape, tile

    return min((tile for tile in loop.tiles if tile.level2 <= known.level2), key=distance)
