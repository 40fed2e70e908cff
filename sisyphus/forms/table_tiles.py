"""A table that waves fill diagonal by diagonal from whole rows and columns, in tiles of it on chip; knows no target.

for w: for i: for k: T[i][i + w] = f(T[i][i + w], T[i][k], T[k + 1][i + w])   becomes, in tiles of 64 by 64,
for cb: {
    for k: for c < 64: T_3[k][c] = T[k][64 cb + c]
    for rb, the last rows first: {
        for r < 64: for c < 64: T_1[r][c] = T[64 rb + r][64 cb + c]   for r < 64: for k: T_2[r][k] = T[64 rb + r][k]
        for w < 127: {
            for i: for k: T_1[i][i + w - 63] = f(T_1[i][i + w - 63], T_2[i][k], T_3[k + 1][i + w - 63])
            for i: T_2[i][64 cb + i + w - 63] = T_1[i][i + w - 63]   for i: T_3[64 rb + i][…] = T_1[i][…] }
        for r < 64: for c < 64: T[64 rb + r][64 cb + c] = T_1[r][c] } }

What an element is made of comes from the rows and columns of its tile (panels), which get the elements of the tile at
the end of each wave. So rows pass once for each tile in them, not in each wave. Each element takes the same values in
the same order as in the waves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import Dependences
from sisyphus.forms.blocks import near
from sisyphus.forms.building import Names, copying, over, placed
from sisyphus.forms.diagonals import COLUMNS, ROWS, Diagonals, diagonals, offsets, pinned
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.forms.windows import Copied, Window, with_copies
from sisyphus.ir import Array, Ref, Scop, Statement
from sisyphus.poly import (
    Affine,
    Set,
    box_around,
    convex_parts,
    make_map,
    pull_back,
    renamed,
    shadow_over,
    union_of,
    var,
)
from sisyphus.values import dataclass, replace

#: Tiles that the rows, and the columns, of a table make at least.
FEWEST_TILES = 4
#: Rows and columns of a tile, if there are so many: waves of large ones are longer, and panels take more memory.
LINES = 128


def sizes_of_tiles(found: Dependences) -> tuple[int, ...]:
    """How many rows and columns a tile has best, in whole tiles where it can; none where no table has tiles."""
    made = diagonals(found)
    shortest = min(made.extents) if made is not None else 0
    most = shortest // FEWEST_TILES
    return (near(shortest, most, min(LINES, most)),) if most else ()


def in_table_tiles(found: Dependences, size: int) -> Scop | None:
    """The kernel in tiles of so many rows and columns; None without such a table, or if it is not proved the same."""
    made = diagonals(found)
    if made is None or max(made.extents) <= size:
        return None
    build = _Tiles(found.scop, made, size)
    tiles = ordered(found.scop, build.moved())
    return build.windowed(tiles.scop) if next(faults(found, tiles), None) is None else None


@dataclass(frozen=True)
class _Blocks:
    """Rows or columns in `count` blocks of `size`, which the loop `name` counts, from the last one if it `falls`."""

    name: str
    size: int
    count: int
    falls: bool

    @property
    def first(self) -> Affine:
        """The first row or column of a block."""
        return ((self.count - 1 - var(self.name)) if self.falls else var(self.name)) * self.size


class _Tiles:
    """The loops over blocks of columns and, inside, of rows, then windows of the tables."""

    def __init__(self, scop: Scop, made: Diagonals, size: int) -> None:
        self.scop, self.made, self.size = scop, made, size
        self.names = Names(scop)
        self.place = made.statements[0].position[0]
        self.waves = {s.id: s.iterators[0] for s in made.statements}
        self.blocks = tuple(
            _Blocks(self.names.wanted(f"{word}_block"), size, -(-extent // size), falls=weight < 0)
            for word, extent, weight in zip(("row", "column"), made.extents, made.weights, strict=True)
        )
        self.around = (self.blocks[COLUMNS].name, self.blocks[ROWS].name)
        self.first = tuple(block.first for block in self.blocks)
        self.least = sum(min(weight, 0) * (size - 1) for weight in made.weights)

    def moved(self) -> Iterator[Moved]:
        """Tiles, and in each the waves that cross it: they, and what counts along them, begin with its first ones."""
        weights, along = self.made.weights, self.made.along
        start = sum((first * weight for first, weight in zip(self.first, weights, strict=True)), Affine())
        for old in self.scop.statements:
            if old.id not in self.made.counters:
                yield old, old, {}
                continue
            wave, (counter, factor) = old.iterators[0], self.made.counters[old.id]
            ahead = (self.first[along] - old.write.index[along].constant) * factor
            given = {
                wave: var(wave) + start + self.made.start + self.least,
                counter: var(counter) + ahead - (self.size - 1 if factor < 0 else 0),
            }
            inside = [e for at in self.in_tile(old) for e in (at, self.size - 1 - at)]
            new = over(old, (*self.around, *old.iterators), given, inside)
            yield old, replace(new, position=(self.place, 0, 0, *old.position[1:])), given

    def in_tile(self, statement: Statement) -> tuple[Affine, Affine]:
        """Row and column in its tile of what a statement writes, by the names of its loops, which stay in tiles."""
        weights, along = self.made.weights, self.made.along
        wave, (counter, factor) = self.waves[statement.id], self.made.counters[statement.id]
        one = var(counter) if factor > 0 else self.size - 1 - var(counter)
        other = (var(wave) + self.least - one * weights[along]) * weights[1 - along]
        return (one, other) if along == ROWS else (other, one)

    def loops_along(self, statement: Statement) -> tuple[str, ...]:
        """The loops of a statement in tiles that run through what a wave writes."""
        return (*self.around, self.waves[statement.id], self.made.counters[statement.id][0])

    def windowed(self, scop: Scop) -> Scop:
        """Every tile with windows of its own elements and of its rows and columns, kept up to date in each wave."""
        group = [s for s in scop.statements if s.id in self.made.counters]
        tables = [_Table(self, group, table) for table in self.made.tables]
        known = {table.array.id: table for table in tables}

        def instead(statement: Statement, ref: Ref) -> Ref:
            return known[ref.array].instead(statement, ref) if ref.array in known else ref

        kept = [copy for table in tables for copy in table.kept_up()]
        behind = 1 + max(s.position[len(self.around) + 1] for s in group)
        group += [placed(s, (self.place, 0, 0, behind + at)) for at, s in enumerate(kept)]
        of_tiles = [copied for table in tables for copied in table.copied(self.around)]
        inner = with_copies(group, of_tiles, (self.place, 0), self.names, instead)
        of_blocks = [copied for table in tables for copied in table.copied(self.around[:1])]
        whole = with_copies(inner, of_blocks, (self.place,), self.names, lambda _, ref: ref)
        others = [s for s in scop.statements if s.id not in self.made.counters]
        arrays = (*scop.arrays, *(window.kept for table in tables for window in table.windows))
        return replace(scop, arrays=arrays, statements=tuple(sorted([*others, *whole], key=lambda s: s.position)))


class _Table:
    """The windows of a table: its tile, and a panel of the rows or columns that statements read at other places."""

    def __init__(self, tiles: _Tiles, group: Sequence[Statement], array: Array) -> None:
        self.tiles, self.group, self.array = tiles, group, array
        self.is_updated = array in tiles.made.updated
        uses = [(s, access.ref) for s in group for access in s.accesses if access.array == array.id]
        self.reads = {dim: [(s, ref) for s, ref in uses if pinned(s, ref) == dim] for dim in (ROWS, COLUMNS)}
        self.touching = [s for s, ref in uses if pinned(s, ref) is None]
        size, first = tiles.size, dict(enumerate(tiles.first))
        self.tile = Window(array, tiles.names.array(array.id), tiles.around, first, (size, size))
        self.panels = {dim: self._panel(dim, reads) for dim, reads in self.reads.items() if reads}
        self.windows = [*([self.tile] if self.touching else []), *self.panels.values()]

    def _panel(self, dim: int, reads: Sequence[tuple[Statement, Ref]]) -> Window:
        """The rows or columns of a tile, with those before and behind them that are read from it."""
        tiles = self.tiles
        moved = [offset for s, ref in reads if (offset := offsets(s, ref)[dim]) is not None]
        low, high = min(0, *moved), max(0, *moved)
        extents = tuple(tiles.size + high - low if at == dim else n for at, n in enumerate(self.array.extents))
        around = tiles.around[:1] if dim == COLUMNS else tiles.around
        return Window(self.array, tiles.names.array(self.array.id), around, {dim: tiles.first[dim] + low}, extents)

    def instead(self, statement: Statement, ref: Ref) -> Ref:
        """The element of a window that stands for one of the table."""
        dim, at = pinned(statement, ref), self.tiles.in_tile(statement)
        if dim is None:
            return Ref(self.tile.own, at)
        moved = zip(self._in_panel(dim, at), offsets(statement, ref), ref.index, strict=True)
        return Ref(self.panels[dim].own, tuple(e if by is None else own + by for own, by, e in moved))

    def _in_panel(self, dim: int, at: tuple[Affine, Affine]) -> tuple[Affine, Affine]:
        """The place in a panel of an element of the tile."""
        first, window = self.tiles.first, self.panels[dim]
        rows, columns = (own + first[d] - window.first.get(d, Affine()) for d, own in enumerate(at))
        return rows, columns

    def kept_up(self) -> Iterator[Statement]:
        """Copies of what a wave wrote into the panels, which have no place yet."""
        writers = [s for s in self.group if s.write.array == self.array.id]
        if not writers or not self.panels:
            return
        like, tiles = writers[0], self.tiles
        loops = tiles.loops_along(like)
        written = [renamed(shadow_over(s.domain, "", tiles.loops_along(s)), "", loops) for s in writers]
        at = tiles.in_tile(like)
        for points in convex_parts(union_of(written)):
            for dim, panel in self.panels.items():
                name, to = tiles.names.statement(like.id), Ref(panel.own, self._in_panel(dim, at))
                moved = to, Ref(self.tile.own, at)
                yield copying(name, like.span, loops, points, (), self.array.type, moved)

    def copied(self, around: tuple[str, ...]) -> Iterator[Copied]:
        """What is filled before, and written back after, what is inside of some loops over blocks."""
        if self.tile.around == around and self.tile in self.windows:
            for tiles in convex_parts(union_of([shadow_over(s.domain, "", around) for s in self.touching])):
                points = self.tile.existing(pull_back(tiles, self.tile.loops, tuple(map(var, around))))
                yield self.tile, points, (True, False) if self.is_updated else (True,)
        for dim, panel in self.panels.items():
            if panel.around == around:
                yield panel, self._read(dim, panel), (True,)

    def _read(self, dim: int, panel: Window) -> Set:
        """What all tiles read of a panel together, over the loops of its copies."""
        target = (*panel.around, "row", "column")
        reached = []
        for statement, ref in self.reads[dim]:
            values = (*map(var, panel.around), *ref.index)
            one = make_map(statement.id, statement.iterators, "", target, values)
            reached.append(one.intersect_domain(statement.domain).range())
        box = box_around(reached, *panel.around)
        return panel.existing(pull_back(box, panel.loops, (*map(var, panel.around), *panel.there)))
