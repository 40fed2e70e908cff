"""The parts of a plan while it is built: names, buffers, transfers and tasks by the ids of the design point."""

from __future__ import annotations

from collections.abc import Collection

from sisyphus.analysis import Distribution, Nest
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Scop, Statement
from sisyphus.plan.checks import arrays_of, check_width
from sisyphus.plan.names import Names
from sisyphus.plan.plan import Buffer, Direction, Task, Transfer
from sisyphus.plan.tiles import Box
from sisyphus.poly import Affine
from sisyphus.space import KERNEL_PLACE, PACKED, STREAM, BufferPoint, DesignPoint, port_names
from sisyphus.target import storage_of
from sisyphus.values import dataclass, field, replace


@dataclass(eq=False)
class Parts:
    """What has been made so far. `choices` are the buffers of the point, by array and then by first nest."""

    scop: Scop
    distribution: Distribution
    point: DesignPoint
    names: Names
    choices: tuple[BufferPoint, ...]
    task_names: dict[str, str]
    buffer_names: dict[str, str]
    transfer_names: dict[tuple[str, Direction], str]
    buffers: dict[str, Buffer] = field(default_factory=dict)
    transfers: dict[tuple[str, Direction], Transfer] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)

    @staticmethod
    def of(scop: Scop, distribution: Distribution, point: DesignPoint) -> Parts:
        """Nothing made yet, but functions and buffers named, so that no loop takes their names."""
        names = Names([scop.name, *(a.name for a in scop.arguments), *(a.id for a in scop.arrays)])
        arrays, nests = [a.id for a in scop.arrays], [n.id for n in distribution.nests]
        rank = {b.id: (arrays.index(b.array), min(nests.index(n) for n in b.nests), b.id) for b in point.buffers}
        choices = tuple(sorted(point.buffers, key=lambda b: rank[b.id]))
        labels = {b.id: b.id.replace("@", "_") for b in choices}
        return Parts(
            scop=scop,
            distribution=distribution,
            point=point,
            names=names,
            choices=choices,
            task_names={nest: names.take(f"task{at}") for at, nest in enumerate(nests)},
            buffer_names={b: names.take(f"buf_{label}") for b, label in labels.items()},
            transfer_names={(b, d): names.take(f"{d.value}_{label}") for b, label in labels.items() for d in Direction},
        )

    def choice(self, array: ArrayId, nest: Nest) -> BufferPoint:
        """The buffer that a nest uses for an array."""
        return self.point.buffer_of(array, nest.id)

    def buffer(self, choice: BufferPoint) -> Buffer:
        if choice.id not in self.buffers:
            raise KernelError(
                f"buffer `{choice.id}`: its nests are not under one loop `{choice.place}`",
                hint="give each loop a buffer of its own",
            )
        return self.buffers[choice.id]

    def buffers_of(self, nest: Nest) -> dict[ArrayId, Buffer]:
        """The buffer of every array that a nest touches."""
        return {array: self.buffer(self.choice(array, nest)) for array in arrays_of(self.scop, nest)}

    def add_buffer(
        self, choice: BufferPoint, box: Box, beside: tuple[tuple[str, int], ...] = (), turn: Affine | None = None
    ) -> Buffer:
        """A partition factor above the extent means a bank for every element; `beside` and `turn` as in Buffer."""
        array = self.scop.array(choice.array)
        buffer = Buffer(
            id=self.buffer_names[choice.id],
            array=array.id,
            type=array.type,
            extents=box.extents,
            origin=box.origin,
            partition=tuple(min(f, e) for f, e in zip(choice.partition, box.extents, strict=True)),
            place=choice.place,
            copies=choice.copies,
            beside=beside,
            turn=turn,
        )
        storage = storage_of(choice.storage, buffer.words_per_bank, array.type.bits)
        self.buffers[choice.id] = replace(buffer, storage=storage)
        return self.buffers[choice.id]

    def port(self, choice: BufferPoint) -> str:
        """Where the transfers of a buffer go through: views of an array share one, copies of what is given do not."""
        return self.scop.array(choice.array).port

    def transfer(self, choice: BufferPoint, direction: Direction, joins: str = "") -> str:
        """The id of the transfer that moves a buffer this way; `joins` another load, whose port it shares."""
        key = (choice.id, direction)
        if key not in self.transfers:
            buffer, chosen = self.buffer(choice), self.point.transfer_of(choice.id)
            width, layout, ports = chosen.width, chosen.layout, chosen.stripes
            check_width(buffer, self.scop.array(choice.array).extents, width, layout, ports)
            self.transfers[key] = Transfer(
                id=self.transfer_names[key],
                direction=direction,
                array=self.scop.home(choice.array),
                buffer=buffer.id,
                width=width,
                port=self.scop.home(choice.array) if joins else self.port(choice),
                stream=direction is Direction.LOAD and bool(buffer.extents) and self._streams(choice),
                joins=joins,
            )
        return self.transfers[key].id

    def joined(self, choice: BufferPoint, loaded: Collection[str]) -> str:
        """The load among those of the whole buffers `loaded` that fills a copy, too; empty where it has one of its own.

        A copy whose transfer names the ports of its array arrives with it, and takes no port and no bank's time. No
        report shows such a load.
        """
        array = self.scop.array(choice.array)
        chosen = self.point.transfer_of(choice.id)
        is_named = array.own_port and chosen.stripes > 1 and chosen.ports == port_names(array.home, chosen.stripes)
        if not is_named or choice.place != KERNEL_PLACE or array.home not in loaded:
            return ""
        return self.transfer_names[array.home, Direction.LOAD]

    def _streams(self, choice: BufferPoint) -> bool:
        return self.point.transfer_of(choice.id).form == STREAM

    def shared_beat(self, choice: BufferPoint) -> int:
        """Elements of a beat that two tiles may share, so that both hold all of it; packed tiles share none."""
        chosen = self.point.transfer_of(choice.id)
        return 1 if chosen.layout == PACKED else chosen.width

    def layouts(self, array: ArrayId) -> set[str]:
        """How memory holds an array, by all transfers made of it."""
        made = {choice for choice, _ in self.transfers}
        mine = (c for c in self.choices if self.scop.home(c.array) == array)
        return {self.point.transfer_of(c.id).layout for c in mine if c.id in made}

    def same_memory(self, one: ArrayId, other: ArrayId) -> bool:
        """Are they one array, or views of one?"""
        return self.scop.home(one) == self.scop.home(other)

    def statements(self, nest: Nest) -> tuple[Statement, ...]:
        return tuple(self.scop.statement(s) for s in nest.statements)

    def made_buffers(self) -> tuple[Buffer, ...]:
        return tuple(self.buffers[c.id] for c in self.choices if c.id in self.buffers)

    def made_transfers(self) -> tuple[Transfer, ...]:
        keys = ((c.id, direction) for c in self.choices for direction in Direction)
        return tuple(self.transfers[key] for key in keys if key in self.transfers)
