"""When arrays travel between memory and their buffers outside of tasks: loads early, stores late; knows no burst.

call task0 (writes A); call task1 (reads A)   with A resident, live in and out, becomes
copy load_A; call task0; call task1; copy store_A
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.plan.plan import Direction
from sisyphus.values import dataclass, field


@dataclass(frozen=True)
class Usage:
    """What a part of a body does with an array: through a buffer that lives outside of it, or in memory itself.

    `copied`: through such a buffer, while it reads a copy of what memory holds.
    """

    resident: bool
    reads: bool
    writes: bool
    copied: bool = False


@dataclass(frozen=True)
class Resident:
    """A buffer that lives for a whole body: what each entry of the body does with its array (None: nothing).

    `load_first`: its first reader needs what memory holds at the start; `store_last`: what it holds at the end is
    needed in memory. `store_early`: another buffer of the array may live beside it and be loaded soon.
    """

    buffer: str
    usages: Sequence[Usage | None]
    load_first: bool
    store_last: bool
    store_early: bool = False


@dataclass
class _Slots:
    """Copies to run before each entry of a body, and after the last."""

    stores: dict[int, list[str]] = field(default_factory=dict)
    loads: dict[int, list[tuple[int, str]]] = field(default_factory=dict)


def transfers_around(residents: Sequence[Resident], entries: int) -> list[list[tuple[Direction, str]]]:
    """For each entry of a body what to move before it, and at last what to move behind the last one.

    A load stands right behind the last entry that changed memory (at the front if there is none), a store right
    before the first entry that touches memory itself, or early right behind the last that writes the buffer. In one
    place stores come first, then loads by first use.
    """
    slots = _Slots()
    for resident in residents:
        _place(resident, slots)
    return [
        [
            *((Direction.STORE, buffer) for buffer in slots.stores.get(at, [])),
            *((Direction.LOAD, buffer) for _, buffer in sorted(slots.loads.get(at, []), key=lambda load: load[0])),
        ]
        for at in range(entries + 1)
    ]


def _place(resident: Resident, slots: _Slots) -> None:
    """Follow one buffer through the body: is it as new as memory, and does memory lack what it holds?"""
    valid, dirty, memory_since, written_at = not resident.load_first, False, 0, 0
    for at, usage in enumerate(resident.usages):
        if usage is None:
            continue
        if usage.resident:
            if dirty and usage.copied:
                slots.stores.setdefault(written_at + 1, []).append(resident.buffer)
                dirty = False
            if not valid:
                slots.loads.setdefault(memory_since, []).append((at, resident.buffer))
                valid = True
            if usage.writes:
                dirty, written_at = True, at
            continue
        if dirty:
            slots.stores.setdefault(written_at + 1 if resident.store_early else at, []).append(resident.buffer)
            dirty = False
        if usage.writes:
            valid, memory_since = False, at + 1
    if dirty and resident.store_last:
        slots.stores.setdefault(len(resident.usages), []).append(resident.buffer)


def merged(usages: Sequence[Usage | None], array: ArrayId, loop: str) -> Usage | None:
    """What the body of an outer loop does with an array as a whole; all its nests must agree on where it lives."""
    found = [u for u in usages if u is not None]
    if not found:
        return None
    if len({u.resident for u in found}) > 1:
        raise KernelError(
            f"`{array}` stays on chip in some of the nests under loop `{loop}` and not in others",
            hint="give it one place for all nests under an outer loop",
        )
    reads, writes = any(u.reads for u in found), any(u.writes for u in found)
    return Usage(found[0].resident, reads, writes, any(u.copied for u in found))
