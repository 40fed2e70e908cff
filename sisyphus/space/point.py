"""DesignPoint: one choice in the design space, as plain data with a JSON form; knows neither cost nor code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, StmtId
from sisyphus.space.point_file import few, point_faults

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
    """How a buffer travels: `width` elements per beat, dealt over `ports`; none is the one port of its array.

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

    def with_nest(self, nest: NestPoint) -> DesignPoint:
        """The point with another choice for this nest."""
        return replace(self, nests=tuple(nest if n.id == nest.id else n for n in self.nests))

    def buffer_of(self, array: ArrayId, nest_id: str) -> BufferPoint:
        """The buffer that a nest uses for an array."""
        return self._buffers[array, nest_id]

    def width_of(self, buffer_id: str) -> int:
        """Elements per beat of a buffer's transfers, 1 where the point does not say."""
        return self._transfers[buffer_id].width if buffer_id in self._transfers else 1

    def ports_of(self, buffer_id: str) -> int:
        """Over how many ports a buffer travels, one where the point does not say."""
        return max(1, len(self._transfers[buffer_id].ports)) if buffer_id in self._transfers else 1

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
                _json(n, tiles={loop: list(astuple(t)) for loop, t in n.tiles}, unroll=dict(n.unroll))
                for n in self.nests
            ],
            "buffers": [_json(b) for b in self.buffers],
            "transfers": [_json(t) for t in self.transfers],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], *, path: str = "design point") -> DesignPoint:
        """The inverse of `to_json`; raises `KernelError` with the place of every field that is missing or wrong.

        `path` is the file, and the place of the point in it.
        """
        faults = point_faults(data)
        if faults:
            raise KernelError(
                f"{path}: {'; '.join(few([str(fault) for fault in faults]))}",
                hint="compare with the `design` part of a design.json that `sisy optimize` wrote (docs/designs.md)",
            )
        data = json.loads(
            json.dumps(data), parse_float=lambda text: int(float(text))
        )  # every number is a whole one, 4.0 as well
        known = _fields(DesignPoint, data)
        known["nests"] = tuple(_nest(nest) for nest in data["nests"])
        known["buffers"] = tuple(BufferPoint(**_fields(BufferPoint, buffer)) for buffer in data["buffers"])
        known["transfers"] = tuple(TransferPoint(**_fields(TransferPoint, one)) for one in data.get("transfers", ()))
        return DesignPoint(**known)

    def sort_key(self) -> str:
        """Breaks ties between designs of equal cost."""
        return json.dumps(self.to_json(), sort_keys=True)


def _json(part: NestPoint | BufferPoint | TransferPoint, **other: Any) -> dict[str, Any]:
    """The fields by their names, some of them in an `other` form."""
    own = {f.name: getattr(part, f.name) for f in fields(part)} | other
    return {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}


def _fields(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Those that data have, as arguments; the others have their defaults."""
    own = {f.name: data[f.name] for f in fields(kind) if f.name in data}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}


def _nest(data: Mapping[str, Any]) -> NestPoint:
    known = _fields(NestPoint, data)
    known["tiles"] = tuple((loop, Tile(*counts)) for loop, counts in data["tiles"].items())
    known["unroll"] = tuple((loop, factor) for loop, factor in data.get("unroll", {}).items() if factor != 1)
    return NestPoint(**known)
