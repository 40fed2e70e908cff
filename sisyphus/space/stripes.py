"""Arrays dealt over several ports, and how nests may run through the rows of one; knows no cost and no code.

Element j of a row is in stripe j % n of the array (`ports.py`). Where the loops around a body move a subscript by
multiples of n only, each unrolled copy of the body finds its elements in one stripe, which the emitted text names. What
a nest reads without copies may also move from stripe to stripe; a nest that writes must name the stripe, as no tool
sees how far apart the writes of a moving one are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis import Nest, refs_to
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.poly import Affine
from sisyphus.space.point import KERNEL_PLACE, PACKED, PLAIN, Tile
from sisyphus.space.ports import STRIPES, dealt_widths, may_be_dealt
from sisyphus.space.space import ArrayUse, NestSpace, Space
from sisyphus.values import dataclass, replace

#: More beats than a transfer waits for the first one: only with so many are ports offered unasked.
DEALT_BEATS = 64


@dataclass(frozen=True)
class RowUse:
    """Where a nest finds elements in the rows of an array: its different subscripts there, `loops` of its band in them.

    `may_move`: they are one subscript, with one of these loops at most, of an array that the nest does not write.
    """

    subscripts: frozenset[Affine]
    loops: frozenset[str]
    may_move: bool

    @staticmethod
    def of(scop: Scop, nest: Nest, array: ArrayId) -> RowUse:
        """How a nest uses an array."""
        subscripts = frozenset(last_subscripts(scop, nest, array))
        loops = frozenset(nest.iterators) & {name for subscript in subscripts for name in subscript.names}
        is_written = any(scop.statement(s).write.array == array for s in nest.statements)
        return RowUse(subscripts, loops, len(subscripts) == 1 and len(loops) <= 1 and not is_written)

    def keeps(self, stripes: int, tiles: Mapping[str, Tile]) -> bool:
        """Whether the nest may have these tiles while rows are dealt over so many stripes.

        Of the loops without a tile nothing is asked.
        """
        own = {loop: tile for loop, tile in tiles.items() if loop in self.loops}
        stays = not any(self._turns(name, factor, stripes, own) for s in self.subscripts for name, factor in s.terms)
        return stays or (self.may_move and all(tile.level2 == 1 for tile in own.values()))

    def _turns(self, name: str, factor: int, stripes: int, tiles: Mapping[str, Tile]) -> bool:
        """Whether a loop, of the band or outside of it, moves a copy of the body on to another stripe."""
        if name not in self.loops:
            return bool(factor % stripes)
        tile = tiles.get(name)
        return tile is not None and tile.level0 * tile.level1 > 1 and bool(factor * tile.level2 % stripes)


def last_subscripts(scop: Scop, nest: Nest, array: ArrayId) -> list[Affine]:
    """What a nest has in the last dimension of an array, by its own loops."""
    return [ref.index[-1] for ref in refs_to(scop, nest, array) if ref.index]


def long_arrays(space: Space) -> tuple[ArrayId, ...]:
    """The arrays that take many beats through one port and may have several, the largest first."""
    many = [a for a in space.scop.arrays if a.home == a.id and a.elements > DEALT_BEATS * space.port_width(a.id)]
    ordered = [a.id for a in sorted(many, key=lambda a: -a.elements * a.type.bytes)]
    return tuple(a for a in ordered if max(dealt_over_ports(space, a).widths[a]) > space.port_width(a))


def dealt_over_ports(space: Space, array: ArrayId) -> Space:
    """The space in which an array may also be dealt over several ports, with beats as wide as one port is.

    The paper has no such arrays, and the ports of a processor share one memory. Copies of the array are dealt as it is,
    through its ports or through some of their own. All arrays together have no more ports than may be
    connected to the banks, and one as many as `STRIPES` has. Every nest has tiles that keep to the stripes, and others.
    """
    same = [a.id for a in space.scop.arrays if a.home == space.scop.home(array)]
    stays = all(u.array not in same or KERNEL_PLACE in u.places for nest in space.nests for u in nest.arrays)
    found = _several(space, array) if stays else ()
    if not found:
        return space
    widths = dict.fromkeys(same, tuple(dict.fromkeys((*space.widths[array], *found))))
    return replace(space, widths={**space.widths, **widths})


def over_ports(space: Space, array: ArrayId, count: int) -> Space | None:
    """The space in which an array has just so many ports, and its tiles as well; None where it cannot.

    Tiles keep to whole stripes: they begin with a whole beat of all ports, and grow to such. Of an array with copies
    beside it, and of one with banks that the user fixed for a tile, none is dealt: these stay on chip, if they may.
    """
    same = [a.id for a in space.scop.arrays if a.port == a.id and a.home == space.scop.home(array)]
    kept = tuple(w for w in _several(space, array) if space.ports(array, w) == count)
    nests = in_stripes(space, same, count)
    if not kept or nests is None:
        return None
    may_be_tiled = len(same) == 1 and not any(pinned.partition("@")[0] == array for pinned in space.pinned)
    uses = [[_over(use, count, is_tiled=may_be_tiled) if use.array in same else use for use in n.arrays] for n in nests]
    if any(use is None for own in uses for use in own):
        return None
    nests = tuple(replace(n, arrays=tuple(u for u in own if u)) for n, own in zip(nests, uses, strict=True))
    return replace(space, nests=nests, widths={**space.widths, **dict.fromkeys(same, kept)})


def _over(use: ArrayUse, count: int, *, is_tiled: bool) -> ArrayUse | None:
    """What a nest does with an array that has so many ports; None where it would have to be tiled and cannot."""
    if is_tiled:
        layout = PLAIN if use.packed else use.layout
        return replace(use, stripes=count, layout=layout) if use.can_be_tiled else use
    return replace(use, places=(KERNEL_PLACE,)) if KERNEL_PLACE in use.places else None


def _several(space: Space, array: ArrayId) -> tuple[int, ...]:
    """The beats over several ports of which some tiles of every nest keep to the stripes."""
    declared, options, device = space.scop.array(array), space.options, space.target.device
    widest, known = space.port_width(array), space.widths[array]
    same = [a.id for a in space.scop.arrays if a.home == declared.home]
    is_free = not options.whole_beats and space.layouts.get(declared.home) != PACKED
    if not is_free or widest not in known or not may_be_dealt(space.scop, array):
        return ()
    others = [a for a in space.scop.arrays if a.port == a.id not in same and a.role is not Role.LOCAL]
    left = device.banks * device.ports_per_bank - sum(space.ports(a.id, max(space.widths[a.id])) for a in others)
    behind = sum(not space.arrives_with_another(a) for a in same)
    found = dealt_widths(
        declared.extents, widest, min(device.banks, left // behind, max(STRIPES)), padding=options.padding
    )
    for count in range(len(found), 0, -1):
        if in_stripes(space, same, found[count - 1] // widest) is not None:
            return found[:count]
    return ()


def in_stripes(space: Space, arrays: Sequence[ArrayId], stripes: int) -> tuple[NestSpace, ...] | None:
    """The nests with tiles that keep to so many stripes of some arrays; None where one has none."""
    found = []
    for nest in space.nests:
        for array in (a for a in arrays if nest.use(a) is not None):
            use = RowUse.of(space.scop, nest.nest, array)
            loops = tuple(
                replace(s, tiles=tuple(t for t in s.tiles if use.keeps(stripes, {s.iterator: t})))
                if s.iterator in use.loops
                else s
                for s in nest.loops
            )
            if not use.keeps(stripes, {}) or not all(loop.tiles for loop in loops):
                return None
            nest = replace(nest, loops=loops)
        found.append(nest)
    return tuple(found)
