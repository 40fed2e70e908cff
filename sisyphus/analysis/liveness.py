"""Which arrays must be loaded and which stored; knows nothing of how."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from sisyphus.analysis.dependence import in_order
from sisyphus.analysis.footprint import Box, box_around, elements_touched
from sisyphus.analysis.isl_limits import Patience
from sisyphus.errors import UsageError
from sisyphus.ir import Access, Array, ArrayId, Role, Scop, Statement
from sisyphus.poly import Map, Set, empty_set, make_box, through
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Live:
    """What an array needs from and leaves to the world outside the kernel.

    `load`: some element is read before the kernel writes it, or an array that is stored whole has an element that the
    kernel never writes. `store`: an argument that is written. `upward_exposed` are the elements read before any
    write, `written` is the box around all elements written (empty: none, or a scalar), `written_whole` says that
    every element of the array is written. So a caller that stores only `written` may still need `load` where
    `written` has holes; one that stores exactly what is written needs it only for `upward_exposed`.
    """

    load: bool
    store: bool
    upward_exposed: Set
    written: Box
    written_whole: bool


def liveness(scop: Scop, locals_: Collection[str] = ()) -> dict[ArrayId, Live]:
    """Per array; `locals_` names arguments that the user declares temporaries.

    `UsageError` where there is no such argument, or the kernel reads elements of it before it writes them.
    """
    arguments = {a.id for a in scop.arrays if a.role != Role.LOCAL}
    for name in locals_:
        if name not in arguments:
            known = ", ".join(f"`{a}`" for a in sorted(arguments))
            raise UsageError(f"no array argument `{name}` to declare local", hint=f"array arguments: {known}")
    patience = Patience()
    live = {a.id: _live(scop, a, a.role is Role.LOCAL or a.id in locals_, patience) for a in scop.arrays}
    for name in sorted(locals_):
        if patience.ask(live[ArrayId(name)].upward_exposed.is_empty) is not True:
            raise UsageError(
                f"`{name}` cannot be local: the kernel reads elements of it that it has not written",
                hint=f"drop `--local {name}`",
            )
    return live


def _live(scop: Scop, array: Array, is_local: bool, patience: Patience) -> Live:
    whole = make_box(array.id, array.extents)
    written = elements_touched(scop.statements, array, reads=False)
    exposed = _upward_exposed(scop, array, patience)
    written_whole = patience.ask(lambda: bool(whole.is_subset(written))) is True
    store = not is_local and patience.ask(written.is_empty) is not True
    load = not is_local and (patience.ask(exposed.is_empty) is not True or (store and not written_whole))
    return Live(load, store, exposed, box_around(written, array, patience.ask), written_whole)


def _upward_exposed(scop: Scop, array: Array, patience: Patience) -> Set:
    """Elements that some instance reads before any instance has written them; all that are read, if isl gives up."""
    if array.id in scop.looked_up:
        return make_box(array.id, array.extents)
    writes = [(s, a) for s in scop.writers(array.id) for a in s.accesses if a.is_write]
    exposed = empty_set(array.id, [f"d{at}" for at in range(len(array.extents))])
    for reader in scop.readers(array.id):
        for access in reader.accesses:
            if access.array == array.id and not access.is_write:
                first = patience.ask(partial(unfed, reader, access, writes))
                exposed = exposed.union((access.relation if first is None else first).range())
    simpler = patience.ask(exposed.coalesce)
    return exposed if simpler is None else simpler


def unfed(reader: Statement, read: Access, writes: Sequence[tuple[Statement, Access]]) -> Map:
    """The part of one read access, instance to element, without a write to the element that runs earlier."""
    remaining: Map = read.relation
    for writer, write in writes:
        if remaining.is_empty():
            break
        touching = through(write.relation, read.relation, writer.iterators, reader.iterators)
        for _, earlier in in_order(writer, reader, touching):
            remaining = remaining.subtract_domain(earlier.range())
    return remaining
