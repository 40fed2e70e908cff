"""Loops over which temporaries were expanded, cut into blocks: a place for each iteration of a block is enough.

for i: for j: { t[i][j] = 0   for k < i: t[i][j] += B[k][j] * A[i][k]   C[i][j] = t[i][j] }   becomes, in blocks of 64,
for ib: for i < 64: for j: { t[i][j] = 0   for k < 64 ib + i: t[i][j] += B[k][j] * A[64 ib + i][k]   … }

Blocks follow one another, and inside of one loops distribute as over the whole array. Knows no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sisyphus.analysis import Expansion, dependences
from sisyphus.analysis.rewrite import range_of, with_refs
from sisyphus.errors import InternalError
from sisyphus.forms.building import Cut, Names
from sisyphus.forms.order_proof import faults
from sisyphus.forms.reordering import Moved, ordered
from sisyphus.ir import ArrayId, Ref, Scop, Statement, StmtId
from sisyphus.values import replace

#: Iterations of a block at most. Each block reads anew what all iterations read: twice as many halve that.
MOST_IN_BLOCK = 128
#: A loop that is cut makes at least so many blocks.
FEWEST_BLOCKS = 4
#: Rows of what a block keeps begin and end with a beat of the widest port where its steps are a multiple of so many.
BEAT = 16


def near(steps: int, most: int, wanted: int) -> int:
    """A number of steps in whole beats that makes whole blocks, no more than twice or half of what is wanted."""
    whole = (size for size in range(BEAT, most + 1, BEAT) if steps % size == 0)
    fitting = [size for size in whole if wanted <= 2 * size <= 4 * wanted]
    return min(fitting, key=lambda size: abs(size - wanted), default=wanted)


def in_blocks(expansion: Expansion) -> Scop | None:
    """An expanded scop in blocks of its outermost loops; None where no local array has a place for each of many.

    Values of an expanded array stay in one iteration of the loop, and so in one block: the next one may have its place.
    Where they may, statements that use no such array run after all blocks, uncut.
    """
    scop = expansion.scop
    cuts, arrays = dict[int, Cut](), dict[ArrayId, int]()
    for array in expansion.expanded:
        users = [scop.statement(name) for name in array.statements]
        if not array.argument and len(array.over) > 1 and array.over[0] == users[0].iterators[0]:
            place = users[0].position[0]
            cuts[place] = _cut(scop, place)
            arrays[array.name] = range_of(users, 0).start
    if not any(scop.array(name).extents[0] >= FEWEST_BLOCKS * MOST_IN_BLOCK for name in arrays):
        return None
    found = dependences(scop)
    inside = [s for s in scop.statements if s.position[0] in cuts]
    using = [s for s in inside if any(access.array in arrays for access in s.accesses)]
    for some in (using, inside):
        cut = {s.id: cuts[s.position[0]] for s in some}
        blocks = ordered(scop, _moved(scop, cut))
        if next(faults(found, blocks), None) is None:
            return _contracted(blocks.scop, cut, arrays)
    raise InternalError("blocks of a loop make another program")


def _cut(scop: Scop, place: int) -> Cut:
    """The loop around all statements at a place of the outermost level; blocks divide its iterations where some do."""
    group = [s for s in scop.statements if s.position[0] == place]
    values, name = range_of(group, 0), Names(scop).wanted(f"{group[0].iterators[0]}_block")
    fitting = [size for size in range(MOST_IN_BLOCK, MOST_IN_BLOCK // 4, -1) if len(values) % size == 0]
    return Cut(name, values.start, next(iter(fitting), MOST_IN_BLOCK))


def _moved(scop: Scop, cuts: Mapping[StmtId, Cut]) -> Iterator[Moved]:
    """The same instances in the same order, with a loop over blocks around each loop that is cut; others after it."""
    for old in scop.statements:
        cut, place = cuts.get(old.id), 2 * old.position[0]
        if cut is None:
            yield old, replace(old, position=(place + 1, *old.position[1:])), {}
        else:
            new, given = cut.at(old, 0)
            yield old, replace(new, position=(place, 0, *old.position[1:])), given


def _contracted(scop: Scop, cuts: Mapping[StmtId, Cut], arrays: Mapping[ArrayId, int]) -> Scop:
    """The scop in which `arrays`, whose first dimension begins with an iteration, have a place for each of a block.

    Statements in `cuts` touch the element of an iteration by its number less that of the first, which `arrays` have.
    """
    sizes = dict[ArrayId, int]()
    statements = list[Statement]()
    for statement in scop.statements:
        cut = cuts.get(statement.id)

        def move(ref: Ref, cut: Cut | None = cut) -> Ref:
            if cut is None or ref.array not in arrays:
                return ref
            sizes[ref.array] = cut.size
            return replace(ref, index=(ref.index[0] - cut.first + arrays[ref.array], *ref.index[1:]))

        statements.append(with_refs(statement, move))
    kept = (replace(a, extents=(sizes[a.id], *a.extents[1:])) if a.id in sizes else a for a in scop.arrays)
    return replace(scop, statements=tuple(statements), arrays=tuple(kept))
