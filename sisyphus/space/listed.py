"""Tiles that stand in a table: level-0 loops whose bounds move, run as one loop over all tiles that they visit.

Loops in moving bounds are never flattened with those outside of them, so that the pipeline fills anew in each of their
iterations. A loop over a table of the tiles has constant bounds, and all loops of the nest are one (docs/model.md). So
nothing may stand between them: no transfers, no coarse-grained copies, no full tiles apart; and the table is the same
in every run, with no outer loop around. Knows no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import Nest
from sisyphus.ir import Ref, Scop
from sisyphus.space.point import BufferPoint, NestPoint
from sisyphus.space.space import NestSpace
from sisyphus.values import replace


def may_be_listed(scop: Scop, nest: Nest) -> bool:
    """Whether some tiling of a nest has bounds that move, and a table of its tiles is the same in every run.

    The tool knows nothing of values in a table, so that it has to be told how far apart two starts are that touch one
    element: of every array that the nest writes it touches one element in each iteration, which single loops pick.
    """
    if nest.is_box or nest.outer or len(nest.band) < 2:
        return False
    statements = [scop.statement(s) for s in nest.statements]
    written = {s.write.array for s in statements}
    touched = [ref for s in statements for ref in (s.write, *s.reads)]
    others = [scop.array(ref.array) for ref in touched if ref.array not in written]
    if any(other.home in written and not other.lasting for other in others):
        return False
    elements = {array: {ref for ref in touched if ref.array == array} for array in written}
    return all(len(refs) == 1 and _is_picked_by_loops(ref) for refs in elements.values() for ref in refs)


def _is_picked_by_loops(ref: Ref) -> bool:
    """Whether each subscript is of one loop, so that iterations touch one element where these loops stand alike."""
    return all(len(index.terms) <= 1 for index in ref.index)


def with_tiles_listed(space: NestSpace) -> NestSpace:
    """The knobs of a nest whose tiles are listed: a pipelined loop, and nothing that would stand between its loops."""
    band = set(space.nest.iterators)
    return replace(
        space,
        loops=tuple(replace(loop, unroll=(1,)) for loop in space.loops),
        arrays=tuple(replace(use, places=tuple(p for p in use.places if p not in band)) for use in space.arrays),
        pipelines=tuple(pipeline for pipeline in space.pipelines if pipeline is not None),
        split=False,
        ahead=False,
        listed=True,
    )


def faults_listed(scop: Scop, nest: Nest, point: NestPoint, buffers: Sequence[BufferPoint]) -> Iterator[str]:
    """What is wrong with a nest whose tiles are listed, a sentence each."""
    if not point.listed:
        return
    if not may_be_listed(scop, nest):
        yield f"tiles of nest `{nest.id}` cannot be listed"
    if point.pipeline is None or point.unroll or point.split:
        yield f"nest `{nest.id}`: listed tiles need a pipelined loop, no copies, and no full tiles apart"
    for buffer in buffers:
        if nest.id in buffer.nests and buffer.place in nest.iterators:
            yield f"buffer `{buffer.id}` is transferred between the tiles of nest `{nest.id}`, which are listed"
