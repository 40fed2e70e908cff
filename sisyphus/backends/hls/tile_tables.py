"""Tables of tiles as C++: a ROM for each loop, what a start reads of them, and what the tool is promised."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from sisyphus.algebra import EXACT
from sisyphus.backends.hls.identifiers import Names, column_of, turn_of
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import FAR, For, LoopRole, Plan, Run, Task, TileList, starts_to_return, turns_between, walk


def print_table(w: Writer, names: Names, task: str, table: TileList) -> None:
    """A constant array for each loop of the table, in distributed ROM."""
    for loop, column in table.columns():
        name = names.of("tiles", column_of(task, loop))
        kind = "unsigned char" if max(column) < 1 << 8 else "unsigned short"
        with w.block(f"static const {kind} {name}[{len(column)}] =", tail="};"):
            w.lines(textwrap.wrap(", ".join(map(str, column)), 110))
        w.pragma(f"bind_storage variable={name} type=rom_np impl=lutram")


def picked(names: Names, task: str, table: TileList) -> Iterator[str]:
    """The iterators of the loops that the table stands for, as a start reads them: no code is between its loops."""
    turn = names.of("iterator", turn_of(table))
    for loop in table.loops:
        yield f"const int {names.of('iterator', loop.iterator)} = {names.of('tiles', column_of(task, loop))}[{turn}];"


def promises(plan: Plan, task: Task, names: Names, around: Sequence[For]) -> Iterator[str]:
    """How far apart starts of the innermost loop `around` are that touch an element which it writes, as pragmas.

    The tool cannot see that in values of a table, takes it at its word, and verification proves it.
    """
    loops = [loop for loop in reversed(around) if loop.role is not LoopRole.UNROLLED]
    found: dict[str, int] = {}
    for run in (node for node in walk(loops[0].body) if isinstance(node, Run)):
        write = plan.scop.statement(run.statement).write
        moved = {name for index in write.substitute(dict(run.values)).index for name in index.names}
        turning = ((loop.trip_count > 1, loop.iterator in moved, turns_between(EXACT, loop)) for loop in loops)
        buffer = names.of("buffer", plan.buffer_for(task, write.array).id)
        distance = int(starts_to_return(EXACT, turning))
        found[buffer] = min(distance, found.get(buffer, distance))
    for buffer, distance in found.items():
        apart = "false" if distance >= FAR else f"distance={distance} true"
        yield f"dependence variable={buffer} type=inter {apart}"
