"""The synchronised steps of a kernel for a set of resident arrays, before there is a plan; knows no cycles."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import Nest, OuterLoop
from sisyphus.ir import ArrayId, Role
from sisyphus.plan.conflicts import Touched, in_steps
from sisyphus.space import Space
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Stage:
    """What runs side by side: nests, and whole arrays that are loaded or stored."""

    nests: tuple[str, ...] = ()
    loads: tuple[ArrayId, ...] = ()
    stores: tuple[ArrayId, ...] = ()


@dataclass(frozen=True)
class _Call:
    """A member of a stage with the memories that it touches; beside `alone` nothing runs."""

    stage: Stage
    touched: Touched
    alone: tuple[Stage, ...] = ()


def small_arrays(space: Space) -> frozenset[ArrayId]:
    """Arrays that can lie in registers."""
    return frozenset(a.id for a in space.scop.arrays if a.elements <= space.target.max_partition)


def stages(
    space: Space, residents: frozenset[ArrayId], registers: frozenset[ArrayId] | None = None
) -> tuple[Stage, ...]:
    """The synchronised steps of a kernel (docs/model.md), those inside of outer loops among them.

    Two calls that read one array conflict unless it lies in registers (`registers`; None: all residents that can). So
    they do where both transfer it tile by tile, through its one port.
    """
    free = residents & small_arrays(space) if registers is None else registers
    moved = [a for a in space.used_arrays if a in residents and space.scop.array(a).role is not Role.LOCAL]
    loads = [_Call(Stage(loads=(a,)), _touched(set(), {a}, free)) for a in moved if space.live[a].load]
    stores = [_Call(Stage(stores=(a,)), _touched({a}, set(), free)) for a in moved if space.live[a].store]
    return _stages([*loads, *_calls(space, space.distribution.body, residents, free), *stores])


def _touched(reads: set[ArrayId], writes: set[ArrayId], free: frozenset[ArrayId]) -> Touched:
    return Touched(frozenset(reads), frozenset(writes), shared_reads=frozenset(reads) - free)


def _calls(
    space: Space, entries: Sequence[OuterLoop | Nest], residents: frozenset[ArrayId], free: frozenset[ArrayId]
) -> list[_Call]:
    calls = []
    for entry in entries:
        if isinstance(entry, Nest):
            uses = space.nest(entry.id).arrays
            reads = {_memory(space, u.array, residents) for u in uses if u.reads}
            writes = {_memory(space, u.array, residents) for u in uses if u.writes}
            calls.append(_Call(Stage(nests=(entry.id,)), _touched(reads, writes, free)))
        else:
            calls.append(_Call(Stage(), Touched(), alone=_stages(_calls(space, entry.body, residents, free))))
    return calls


def _memory(space: Space, array: ArrayId, residents: frozenset[ArrayId]) -> ArrayId:
    """What a nest touches: a copy that is on chip, or has a port of its own to what nothing changes, is apart."""
    declared = space.scop.array(array)
    is_apart = array in residents or not space.live[declared.home].store
    return declared.port if is_apart else declared.home


def _stages(calls: Sequence[_Call]) -> tuple[Stage, ...]:
    found: list[Stage] = []
    apart = {at for at, call in enumerate(calls) if call.alone}
    for step in in_steps([call.touched for call in calls], apart):
        here = [calls[at] for at in step]
        found += here[0].alone or [_merged([c.stage for c in here])]
    return tuple(found)


def _merged(parts: Sequence[Stage]) -> Stage:
    return Stage(
        nests=tuple(n for s in parts for n in s.nests),
        loads=tuple(a for s in parts for a in s.loads),
        stores=tuple(a for s in parts for a in s.stores),
    )
