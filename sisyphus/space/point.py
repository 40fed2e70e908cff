"""DesignPoint: one choice in the design space, as plain data with a JSON form; knows neither cost nor code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, StmtId
from sisyphus.space.point_file import point_faults

FORMAT_VERSION = 2
KERNEL_PLACE = "kernel"
#: Around one nest that no loop surrounds and that has none itself.
NEST_PLACE = "nest"
#: How beats get from a port into a buffer: by one loop, or by two processes with a FIFO between them.
DIRECT, STREAM = FORMS = ("direct", "stream")


@dataclass(frozen=True)
class Tile:
    """Trip counts of the three copies of one loop: level 0 (tiles), level 1 (pipelined), level 2 (unrolled)."""

    level0: int
    level1: int
    level2: int

    @property
    def size(self) -> int:
        """Iterations of the original loop inside one level-0 tile."""
        return self.level1 * self.level2

    def __str__(self) -> str:
        return f"{self.level0}x{self.level1}x{self.level2}"


@dataclass(frozen=True)
class NestPoint:
    """The choices of one nest.

    `order` lists the level-0 loops outermost first (all loops of the band), `tiles` has one entry per loop in band
    order, `pipeline` is the loop whose level-1 copy is pipelined (None: the nest runs sequentially), `unroll` holds
    coarse-grained factors above 1 in band order: how many tiles of a loop have a copy of the nest each. `split`: tiles
    that are full run in loops of their own, without the guards that those on a boundary of the domain have; not in a
    nest with copies. `interval`: the initiation interval that the tool is asked for, 0 where it is not.
    """

    statements: tuple[StmtId, ...]
    order: tuple[str, ...]
    tiles: tuple[tuple[str, Tile], ...]
    pipeline: str | None
    unroll: tuple[tuple[str, int], ...] = ()
    slr: int = 0
    split: bool = False
    interval: int = 0

    @cached_property
    def id(self) -> str:
        return "+".join(self.statements)

    def tile(self, loop: str) -> Tile:
        return dict(self.tiles)[loop]


@dataclass(frozen=True)
class BufferPoint:
    """One on-chip copy of an array.

    `place` is `kernel` (the whole array, one buffer for all of `nests`), the iterator of an outer sequential loop,
    the level-0 loop of its single nest under which its tile is transferred, or `nest` where that nest stands in no loop
    and has none. `partition` has one cyclic factor per array dimension.
    """

    array: ArrayId
    nests: tuple[str, ...]
    place: str
    partition: tuple[int, ...]
    copies: int = 1
    storage: str = "auto"

    @cached_property
    def id(self) -> str:
        return self.array if self.place == KERNEL_PLACE else f"{self.array}@{'+'.join(self.nests)}"


@dataclass(frozen=True)
class TransferPoint:
    """How a buffer travels: `width` elements per beat over `ports`.

    `layout` is that of the array in memory: `plain` as C has it; `padded`: every row of the last dimension rounded up
    to whole beats; `packed`: all elements in one row. `form` says how loads reach the buffer, one of FORMS.
    """

    buffer: str
    width: int
    ports: tuple[str, ...] = ()
    layout: str = "plain"
    form: str = DIRECT


@dataclass(frozen=True)
class DesignPoint:
    """Everything that was chosen for a kernel; with the Scop and a Target it determines the Plan.

    `expanded` are the temporaries that have a place for every iteration, `viewed` the arrays that nests use through
    views, `copied` those of which nests read a copy, `rewrites` how the kernel was rewritten before (`forms/`):
    they say which form of the kernel the point is one of.
    """

    kernel: str
    nests: tuple[NestPoint, ...]
    buffers: tuple[BufferPoint, ...]
    transfers: tuple[TransferPoint, ...] = ()
    tree_reduction: bool = False
    expanded: tuple[ArrayId, ...] = field(default=())
    viewed: tuple[ArrayId, ...] = field(default=())
    copied: tuple[ArrayId, ...] = field(default=())
    rewrites: tuple[str, ...] = field(default=())

    @cached_property
    def _nests(self) -> dict[str, NestPoint]:
        return {n.id: n for n in reversed(self.nests)}

    @cached_property
    def _buffers(self) -> dict[tuple[ArrayId, str], BufferPoint]:
        return {(b.array, nest): b for b in reversed(self.buffers) for nest in b.nests}

    @cached_property
    def _transfers(self) -> dict[str, TransferPoint]:
        return {t.buffer: t for t in reversed(self.transfers)}

    def nest(self, nest_id: str) -> NestPoint:
        return self._nests[nest_id]

    def buffer_of(self, array: ArrayId, nest_id: str) -> BufferPoint:
        """The buffer that a nest uses for an array."""
        return self._buffers[array, nest_id]

    def width_of(self, buffer_id: str) -> int:
        """Elements per beat of a buffer's transfers, 1 where the point does not say."""
        return self._transfers[buffer_id].width if buffer_id in self._transfers else 1

    def layout_of(self, buffer_id: str) -> str:
        """How the array of a buffer lies in memory, `plain` where the point does not say."""
        return self._transfers[buffer_id].layout if buffer_id in self._transfers else "plain"

    def form_of(self, buffer_id: str) -> str:
        """How the loads of a buffer reach it, directly where the point does not say."""
        return self._transfers[buffer_id].form if buffer_id in self._transfers else DIRECT

    def to_json(self) -> dict[str, Any]:
        return {
            "version": FORMAT_VERSION,
            "kernel": self.kernel,
            "tree_reduction": self.tree_reduction,
            "expanded": list(self.expanded),
            "viewed": list(self.viewed),
            "copied": list(self.copied),
            "rewrites": list(self.rewrites),
            "nests": [
                {
                    "statements": list(n.statements),
                    "order": list(n.order),
                    "tiles": {loop: [t.level0, t.level1, t.level2] for loop, t in n.tiles},
                    "pipeline": n.pipeline,
                    "unroll": dict(n.unroll),
                    "slr": n.slr,
                    "split": n.split,
                    "interval": n.interval,
                }
                for n in self.nests
            ],
            "buffers": [
                {
                    "array": b.array,
                    "nests": list(b.nests),
                    "place": b.place,
                    "partition": list(b.partition),
                    "copies": b.copies,
                    "storage": b.storage,
                }
                for b in self.buffers
            ],
            "transfers": [
                {"buffer": t.buffer, "width": t.width, "ports": list(t.ports), "layout": t.layout, "form": t.form}
                for t in self.transfers
            ],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], *, path: str = "design point") -> DesignPoint:
        """The inverse of `to_json`; raises `KernelError` with the place of every field that is missing or wrong.

        `path` is the file, and the place of the point in it.
        """
        faults = point_faults(data)
        if faults:
            raise KernelError(
                f"{path}: {'; '.join(faults)}",
                hint="compare with the `design` part of a design.json that `sisy optimize` wrote (docs/designs.md)",
            )
        return DesignPoint(
            kernel=data["kernel"],
            nests=tuple(_nest(n) for n in data["nests"]),
            buffers=tuple(_buffer(b) for b in data["buffers"]),
            transfers=tuple(_transfer(t) for t in data.get("transfers", ())),
            tree_reduction=data.get("tree_reduction", False),
            expanded=tuple(ArrayId(a) for a in data.get("expanded", ())),
            viewed=tuple(ArrayId(a) for a in data.get("viewed", ())),
            copied=tuple(ArrayId(a) for a in data.get("copied", ())),
            rewrites=tuple(data.get("rewrites", ())),
        )

    def sort_key(self) -> str:
        """Breaks ties between designs of equal cost."""
        return json.dumps(self.to_json(), sort_keys=True)


def _nest(data: Mapping[str, Any]) -> NestPoint:
    return NestPoint(
        statements=tuple(StmtId(s) for s in data["statements"]),
        order=tuple(data["order"]),
        tiles=tuple((loop, Tile(*map(int, counts))) for loop, counts in data["tiles"].items()),
        pipeline=data["pipeline"],
        unroll=tuple((loop, int(f)) for loop, f in data.get("unroll", {}).items() if f != 1),
        slr=int(data.get("slr", 0)),
        split=data.get("split", False),
        interval=data.get("interval", 0),
    )


def _buffer(data: Mapping[str, Any]) -> BufferPoint:
    return BufferPoint(
        array=ArrayId(data["array"]),
        nests=tuple(data["nests"]),
        place=data["place"],
        partition=tuple(map(int, data["partition"])),
        copies=int(data.get("copies", 1)),
        storage=data.get("storage", "auto"),
    )


def _transfer(data: Mapping[str, Any]) -> TransferPoint:
    return TransferPoint(
        buffer=data["buffer"],
        width=int(data["width"]),
        ports=tuple(data.get("ports", ())),
        layout=data.get("layout", "plain"),
        form=data.get("form", DIRECT),
    )
