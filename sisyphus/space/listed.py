"""Tiles that stand in a table: level-0 loops whose bounds move, run as one loop over all tiles that they visit.

Loops in moving bounds are never flattened with those outside of them, so that the pipeline fills anew in each of their
iterations. A loop over the rows of a table is one with all loops inside of it (docs/model.md). So nothing may stand
between them: no transfers, no coarse-grained copies, no full tiles apart. Where one loop around has to run one
iteration after another, an outer one or the sequential one of the nest itself, each of its iterations has rows of its
own, as each step of an elimination and each wavefront has. Knows no cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.analysis import LoopKind, Nest, elements_updated
from sisyphus.ir import Scop
from sisyphus.space.narrowing import Fix, Knob
from sisyphus.space.point import DesignPoint
from sisyphus.space.space import NestSpace, Space
from sisyphus.values import replace


def may_be_listed(scop: Scop, nest: Nest) -> bool:
    """Whether some tiling of a nest has bounds that move, and a table of its tiles needs one loop around at most.

    The tool knows nothing of values in a table, so that it has to be told how far apart two starts are that touch one
    element. No two do in loops that are all parallel; else each iteration touches one element of every array that the
    nest writes.
    """
    listed = [loop for loop in nest.band if loop.kind is not LoopKind.SEQUENTIAL]
    around = len(nest.outer) + len(nest.band) - len(listed)
    if nest.is_box or around > 1 or len(listed) < 2:
        return False
    statements = [scop.statement(s) for s in nest.statements]
    written = {s.write.array for s in statements}
    others = [scop.array(ref.array) for s in statements for ref in s.reads if ref.array not in written]
    if any(other.home in written and not other.lasting for other in others):
        return False
    return all(loop.kind is LoopKind.PARALLEL for loop in listed) or elements_updated(statements) is not None


def with_tiles_listed(space: NestSpace) -> NestSpace:
    """The knobs of a nest whose tiles are listed: a pipelined loop, and nothing that would stand between its loops.

    A sequential loop stays outside of all others.
    """
    nest, band = space.nest, set(space.nest.iterators)
    around = _sequential(nest)
    pairs = {(loop, other) for loop in around for other in nest.iterators if other != loop}
    return replace(
        space,
        nest=replace(nest, precedence=nest.precedence | pairs),
        loops=tuple(replace(loop, unroll=(1,)) for loop in space.loops),
        arrays=tuple(replace(use, places=tuple(p for p in use.places if p not in band)) for use in space.arrays),
        pipelines=tuple(p for p in space.pipelines if p is not None and p not in around),
        split=False,
        ahead=False,
        listed=True,
    )


def _sequential(nest: Nest) -> tuple[str, ...]:
    """The loops of a nest of which each iteration has rows of its own: one at most where tiles may be listed."""
    return tuple(loop.iterator for loop in nest.band if loop.kind is LoopKind.SEQUENTIAL)


def _faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """What is wrong with a nest whose tiles are listed, a sentence each."""
    chosen = point.nest(nest.id)
    if not chosen.listed:
        return
    if not may_be_listed(scop, nest):
        yield f"tiles of nest `{nest.id}` cannot be listed"
    around = _sequential(nest)
    if chosen.pipeline is None or chosen.pipeline in around or chosen.unroll or chosen.split:
        yield f"nest `{nest.id}`: listed tiles need a pipelined loop, no copies, and no full tiles apart"
    if chosen.order[: len(around)] != around:
        yield f"nest `{nest.id}`: listed tiles stand inside of loop `{around[0]}`, which is sequential"
    for buffer in point.buffers:
        if nest.id in buffer.nests and buffer.place in nest.iterators:
            yield f"buffer `{buffer.id}` is transferred between the tiles of nest `{nest.id}`, which are listed"


def _unmet(_space: Space, nest: NestSpace, point: DesignPoint) -> Iterator[str]:
    chosen = point.nest(nest.id)
    if chosen.listed != (nest.listed and chosen.pipeline is not None):
        yield f"nest `{nest.id}`: its tiles are {'' if nest.listed else 'not '}listed in this space"


def _fix(fix: Fix, _space: Space, nest: NestSpace) -> NestSpace:
    """The nest of a space with or without listed tiles: each of them is a search of its own."""
    legal = "yes" if nest.listed else "no"
    fix.one_of((legal,), f"tiles of `{nest.id}` are {'all' if nest.listed else 'not'} listed in this space")
    return nest


LISTED = Knob(
    "NEST.listed",
    "`yes`: tiles in moving bounds stand in a table, run by one loop; or `no`",
    _fix,
    off="no",
    faults=_faults,
    unmet=_unmet,
)
