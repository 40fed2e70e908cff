"""Tables of tiles as C++: a ROM for each loop, what a start reads of them, and what the tool is promised."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from sisyphus.algebra import EXACT
from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.identifiers import Names, begins_of, column_of, turn_of
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import (
    FAR,
    For,
    LoopRole,
    Plan,
    Run,
    Task,
    TileList,
    Turning,
    iterations_between,
    starts_to_return,
    walk,
)
from sisyphus.poly import var

#: Integers of C, with how many bits a value of a table has at most.
INTEGERS = (("unsigned char", 8), ("unsigned short", 16), ("unsigned int", 32))


def print_table(w: Writer, names: Names, task: str, table: TileList, used: Collection[str]) -> None:
    """A constant array for each of the `used` iterators, in distributed ROM, and one of where rows of a run begin."""
    if table.around is not None:
        _print_rom(w, names.of("tiles", begins_of(task)), table.begins)
    for loop, column in table.columns():
        if loop.iterator in used:
            _print_rom(w, names.of("tiles", column_of(task, loop)), column)


def _print_rom(w: Writer, name: str, values: Sequence[int]) -> None:
    kind = next(kind for kind, bits in INTEGERS if max(values) < 1 << bits)
    with w.block(f"static const {kind} {name}[{len(values)}] =", tail="};"):
        w.lines(textwrap.wrap(", ".join(map(str, values)), 110))
    w.pragma(f"bind_storage variable={name} type=rom_np impl=lutram")


@contextmanager
def print_rows(w: Writer, affines: Affines, names: Names, task: str, table: TileList) -> Iterator[None]:
    """The loop over the rows of a table, or over those of an iteration of the loop around it."""
    turn, first, end = names.of("turn", turn_of(table)), "0", str(len(table.rows))
    if table.around is not None:
        begins, run = names.of("tiles", begins_of(task)), var(table.around.iterator) - (table.around.lower.value or 0)
        first, end = (f"{begins}[{affines.text(run + at)}]" for at in (0, 1))
    with w.block(f"for (int {turn} = {first}; {turn} < {end}; ++{turn})"):
        if table.around is not None:
            w.pragma(f"loop_tripcount min={table.fewest} max={table.most}")
        yield


def picked(names: Names, task: str, table: TileList, used: Collection[str]) -> Iterator[str]:
    """The `used` ones of the loops that the table stands for, as a start reads them: no code is between its loops."""
    turn = names.of("turn", turn_of(table))
    for loop in (loop for loop in table.loops if loop.iterator in used):
        yield f"const int {names.of('iterator', loop.iterator)} = {names.of('tiles', column_of(task, loop))}[{turn}];"


def promises(plan: Plan, task: Task, names: Names, around: Sequence[For], table: TileList) -> Iterator[str]:
    """How far apart starts of the innermost loop `around` are that touch an element which it writes, as pragmas.

    The tool cannot see that in values of a table, takes it at its word, and verification proves it.
    """
    loops = [f for f in reversed(around) if f.role is LoopRole.PIPELINED or f.listed]
    in_table = {loop.iterator: table.around is None for loop in table.loops}
    between = iterations_between(EXACT, loops[::-1], in_table, len(table.rows), interleaved=table.apart > 0)
    interleaved = table.loops if table.apart else ()
    found: dict[str, int] = {}
    for run in (node for node in walk(loops[0].body) if isinstance(node, Run)):
        write = plan.scop.statement(run.statement).write
        moved = {name for index in write.substitute(dict(run.values)).index for name in index.names}
        turning = [Turning(f.trip_count > 1, f.iterator in moved, between[f.iterator], f in interleaved) for f in loops]
        buffer = names.of("buffer", plan.buffer_for(task, write.array).id)
        distance = int(starts_to_return(EXACT, turning, table.apart))
        found[buffer] = min(distance, found.get(buffer, distance))
    for buffer, distance in found.items():
        apart = "false" if distance >= FAR else f"distance={distance} true"
        yield f"dependence variable={buffer} type=inter {apart}"
