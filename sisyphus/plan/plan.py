"""Plan: what is built for a design point; costed by the model, printed by code generation, checked by verify.

It says what exists and in which order things happen, never how a tool is told to do it.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property

from sisyphus.algebra import EXACT, Condition, Value
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId, ScalarType, Scop, StmtId
from sisyphus.plan.banks import bank_count, in_registers, words_per_bank
from sisyphus.plan.tree import Call, Node, Run, body_of, copies_in, walk
from sisyphus.poly import Affine
from sisyphus.target import Adders
from sisyphus.values import dataclass, replace

#: Beats between the two processes of a load, as in the designs whose loads were measured in RTL (docs/model.md).
FIFO_DEPTH = 1024


class Direction(Enum):
    LOAD = "load"
    STORE = "store"


@dataclass(frozen=True)
class Buffer:
    """An on-chip array: element (x0, x1, …) of it holds element origin + x of the off-chip array.

    Of several `copies`, number `turn` modulo `copies` holds an iteration's part: consecutive iterations have one each.
    `array` may be a view, whose memory is that of another one. `origin` is over the iterators of the loops outside its
    place (all zero for a whole array); `extents` are its own;
    `partition` has one cyclic factor per dimension, between 1 and the extent; `place` and `copies` as in BufferPoint.
    `beside` are iterators over coarse-grained copies, with their counts: each copy has such an array of its own.
    `apart` are the dimensions that a back end declares as two, of banks and of words.
    Numbers are values of an algebra; the properties are those of a plan, whose numbers are integers.
    """

    id: str
    array: ArrayId
    type: ScalarType
    extents: tuple[Value, ...]
    origin: tuple[Affine, ...]
    partition: tuple[Value, ...]
    place: str
    copies: int = 1
    storage: str = "auto"
    beside: tuple[tuple[str, Value], ...] = ()
    turn: Affine | None = None
    apart: tuple[int, ...] = ()

    @property
    def partitioned(self) -> tuple[tuple[Value, Value], ...]:
        """Extent and factor of each dimension."""
        return tuple(zip(self.extents, self.partition, strict=True))

    @property
    def declared(self) -> tuple[int, ...]:
        """Extents with every bank as long as the longest, which takes no memory more: a ragged tile stays inside."""
        return tuple(-(-int(e) // int(f)) * int(f) for e, f in self.partitioned)

    @property
    def memories(self) -> int:
        """How many arrays of this shape there are: `copies` of each coarse-grained copy's own."""
        total = self.copies
        for _, count in self.beside:
            total *= count
        return total

    @property
    def banks(self) -> int:
        return int(bank_count(EXACT, self.partitioned))

    @property
    def words_per_bank(self) -> int:
        return int(words_per_bank(EXACT, self.partitioned))

    @property
    def bytes(self) -> int:
        """What `--mem` counts: words x banks x element size, every copy."""
        return self.banks * self.words_per_bank * self.type.bytes * self.memories

    @property
    def in_registers(self) -> bool:
        """Every element is a bank of its own."""
        return bool(in_registers(EXACT, self.partitioned))

    def of_one_stripe(self, stripes: int) -> Buffer:
        """The part that holds the elements of one of so many stripes; all are as long as the longest.

        A tile begins with an element of the first stripe (`checks.py`), and so its parts begin at one place of all.
        Where a bank for each element is not dealt evenly, the last parts have one that nothing reads: it is not built.
        """
        extents, partition = (
            (*n[:-1], *(-(-last // stripes) for last in n[-1:])) for n in (self.extents, self.partition)
        )
        origin = (*self.origin[:-1], *(self._in_stripes(first, stripes) for first in self.origin[-1:]))
        return replace(self, extents=extents, origin=origin, partition=partition)

    def _in_stripes(self, first: Affine, stripes: int) -> Affine:
        """The place of an element in its stripe, which is the first one."""
        if any(number % stripes for number in (first.constant, *(factor for _, factor in first.terms))):
            raise InternalError(f"buffer `{self.id}` does not begin with the first of {stripes} stripes")
        return Affine.of(((name, factor // stripes) for name, factor in first.terms), first.constant // stripes)


@dataclass(frozen=True)
class Transfer:
    """A burst copy between an off-chip array and a buffer, `width` elements per beat along the last dimension.

    `array` is the one whose memory it is, also where the buffer is one of a view.
    It moves the elements of the buffer that lie inside the array (a tile at the edge may hang over). `width` divides
    the buffer's last extent, the array's last extent and every origin of the last dimension; where the port's layout
    is padded, not the array's last extent, nor the buffer's if its rows reach the end of the array's. A store may then
    write anything into the padding. `stream`: one process reads the port and passes the beats through a FIFO to another
    one, which fills the buffer; loads only. `joins`: the load, of the same array, whose beats fill this buffer as well.
    """

    id: str
    direction: Direction
    array: ArrayId
    buffer: str
    width: Value
    port: str
    stream: Condition = False
    joins: str = ""


@dataclass(frozen=True)
class Task:
    """A nest as a function: its tree, the buffers and scalar arguments it needs, the outer iterators it is given."""

    name: str
    nest: str
    statements: tuple[StmtId, ...]
    body: tuple[Node, ...]
    buffers: tuple[str, ...]
    scalars: tuple[str, ...]
    iterators: tuple[str, ...] = ()

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.nest, self.body, self.buffers, self.iterators))

    def __hash__(self) -> int:
        """Found once: plans of one kernel share most of their tasks, and a tree is long."""
        return self._hash

    @cached_property
    def copies(self) -> tuple[str, ...]:
        """The transfers that it runs itself, under its tile loops."""
        return tuple(copy.transfer for copy in copies_in(self.body))

    @cached_property
    def running(self) -> tuple[StmtId, ...]:
        """The statements that its tree runs."""
        return tuple(dict.fromkeys(n.statement for n in walk(self.body) if isinstance(n, Run)))


@dataclass(frozen=True)
class Port:
    """An argument of the top function, in its order.

    `kind` is "array", "scalar" or "stream", an array that comes from another unit or goes to one and lies in no memory
    (`streamed.py`); `bundle` the m_axi bundle of an array; `width` elements per beat; `extents` those of the source;
    `direction` "in", "out" or "inout" as the emitted kernel uses it; `layout` as in TransferPoint, `tile` the extents
    of the tiles of one that lies in memory in tiles (`packed.py`). `copies`: the argument of the source whose data
    it is given a second time. `stripes`: so many pointers, each with a bundle of its own, in place of one, over
    which rows are dealt (`space/ports.py`); a beat is one of each. `depth`: how many beats the FIFO in front of a
    stream that comes in can hold.
    """

    name: str
    kind: str
    type: ScalarType
    extents: tuple[int, ...] = ()
    width: int = 1
    bundle: str | None = None
    direction: str = "in"
    layout: str = "plain"
    copies: str | None = None
    stripes: int = 1
    depth: int = 0
    tile: tuple[int, ...] = ()

    @property
    def of_one_stripe(self) -> Port:
        """What lies behind one of its pointers: an array with rows as long as the longest stripe."""
        extents = (*self.extents[:-1], *(-(-last // self.stripes) for last in self.extents[-1:]))
        tile = (*self.tile[:-1], *(last // self.stripes for last in self.tile[-1:]))
        return replace(self, extents=extents, width=self.width // self.stripes, stripes=1, tile=tile)


@dataclass(frozen=True, eq=False)
class Plan:
    """The one truth about a design. `body` holds copies, calls and outer loops in order of execution."""

    scop: Scop
    ports: tuple[Port, ...]
    buffers: tuple[Buffer, ...]
    transfers: tuple[Transfer, ...]
    tasks: tuple[Task, ...]
    body: tuple[Node, ...]
    tree_reduction: bool = False
    adders: Adders = "dsp"

    @cached_property
    def _transfers(self) -> dict[str, Transfer]:
        return {t.id: t for t in self.transfers}

    @cached_property
    def _moving(self) -> dict[str, list[Transfer]]:
        found: dict[str, list[Transfer]] = {}
        for transfer in self.transfers:
            found.setdefault(transfer.buffer, []).append(transfer)
        return found

    @cached_property
    def _arrays(self) -> dict[str, Port]:
        return {port.name: port for port in self.ports if port.kind != "scalar"}

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        return {t.name: t for t in self.tasks}

    @cached_property
    def _by_id(self) -> dict[str, Buffer]:
        return {b.id: b for b in self.buffers}

    def buffer(self, buffer_id: str) -> Buffer:
        if buffer_id not in self._by_id:
            raise InternalError(f"no buffer `{buffer_id}` in the plan of `{self.scop.name}`")
        return self._by_id[buffer_id]

    def buffer_for(self, task: Task, array: ArrayId) -> Buffer:
        """The one buffer of a task that holds an array."""
        for buffer_id in task.buffers:
            if self.buffer(buffer_id).array == array:
                return self.buffer(buffer_id)
        raise InternalError(f"task `{task.name}` holds no buffer of `{array}`")

    def transfer(self, transfer_id: str) -> Transfer:
        return self._transfers[transfer_id]

    def transfers_of(self, task: Task) -> tuple[Transfer, ...]:
        """Everything that moves a buffer which the task uses."""
        return tuple(t for buffer in task.buffers for t in self._moving.get(buffer, ()))

    def stripes_of(self, buffer: Buffer) -> int:
        """How many parts an array on chip has, as what it holds travels through so many ports."""
        return max((self.port_of(t).stripes for t in self._moving.get(buffer.id, ())), default=1)

    def filled_by(self, transfer: Transfer) -> tuple[Buffer, ...]:
        """The buffers that the beats of a transfer go to: its own, then those of the loads that join it."""
        joining = (t.buffer for t in self.transfers if t.joins == transfer.id)
        return tuple(map(self.buffer, (transfer.buffer, *joining)))

    def port_of(self, transfer: Transfer) -> Port:
        """The argument of the top function that a transfer goes through."""
        if transfer.port not in self._arrays:
            raise InternalError(f"transfer `{transfer.id}` has no port in the plan of `{self.scop.name}`")
        return self._arrays[transfer.port]

    def task(self, name: str) -> Task:
        return self._tasks[name]

    @property
    def called(self) -> tuple[Task, ...]:
        """Tasks that the plan runs; one that nothing calls is not emitted."""
        names = {node.task for node in walk(self.body) if isinstance(node, Call)}
        return tuple(task for task in self.tasks if task.name in names)

    def below(self, node: Node) -> tuple[Node, ...]:
        """What runs while a node does: its children, or the body of the task that it calls."""
        return self.task(node.task).body if isinstance(node, Call) else body_of(node)

    @property
    def onchip_bytes(self) -> int:
        """Sum over all buffers of words x banks x element bytes."""
        return sum(b.bytes for b in self.buffers)
