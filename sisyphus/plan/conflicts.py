"""Which copies and calls may run at the same time: steps; knows no cycles."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cached_property, reduce

from sisyphus.algebra import EXACT, Algebra, Condition
from sisyphus.ir import ArrayId
from sisyphus.plan.banks import in_registers
from sisyphus.plan.plan import Direction, Plan, Task
from sisyphus.plan.tree import Call, Copy, For, Node, Together, body_of, walk
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Touched:
    """What a node does to memories: on-chip buffers by id, off-chip arrays, and m_axi bundles by direction.

    `shared_reads` are the buffers read that are not wholly in registers, so that two readers are in each other's way.
    A tile buffer lives inside its task and is not listed.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    shared_reads: frozenset[str] = frozenset()
    loads: frozenset[ArrayId] = frozenset()
    stores: frozenset[ArrayId] = frozenset()
    bundles: frozenset[tuple[str, Direction]] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(
            self.reads | other.reads,
            self.writes | other.writes,
            self.shared_reads | other.shared_reads,
            self.loads | other.loads,
            self.stores | other.stores,
            self.bundles | other.bundles,
        )

    @cached_property
    def shared(self) -> frozenset[tuple[str, Hashable]]:
        """What others may use beside it, each by its kind and name."""
        return frozenset([*(("on chip", b) for b in self.reads), *(("off chip", a) for a in self.loads)])

    @cached_property
    def claimed(self) -> frozenset[tuple[str, Hashable]]:
        """What nothing else may use beside it."""
        written = [*(("on chip", b) for b in self.writes), *(("off chip", a) for a in self.stores)]
        ports = [*(("port", b) for b in self.shared_reads), *(("bundle", b) for b in self.bundles)]
        return frozenset([*written, *ports])

    def conflicts(self, other: Touched) -> bool:
        return bool(self.claimed & (other.shared | other.claimed) or self.shared & other.claimed)


def reads_writes(plan: Plan, node: Node) -> Touched:
    """Everything that a node of the plan's body, or of an outer loop, touches."""
    if isinstance(node, Copy):
        return _copy(plan, node.transfer)
    if isinstance(node, Call):
        return _task(plan, plan.task(node.task))
    return reduce(Touched.__or__, (reads_writes(plan, child) for child in body_of(node)), Touched())


def steps_of(plan: Plan, nodes: Sequence[Node]) -> tuple[tuple[Node, ...], ...]:
    """Nodes that follow each other, as steps: one more than the largest step of the earlier nodes in conflict.

    A loop is a step of its own, since nothing runs beside it.
    """
    loops = {at for at, node in enumerate(nodes) if _has_loop(node)}
    steps = in_steps([reads_writes(plan, node) for node in nodes], loops)
    return tuple(tuple(nodes[at] for at in step) for step in steps)


def in_steps(touched: Sequence[Touched], alone: Collection[int]) -> tuple[tuple[int, ...], ...]:
    """Numbers of what is touched, in their order, as steps: each after the last step with an earlier one in conflict.

    Beside those `alone` nothing runs. What was used last says it, without a look at all pairs.
    """
    steps: list[list[int]] = []
    shared, claimed = dict[Hashable, int](), dict[Hashable, int]()
    first = 0
    for at, one in enumerate(touched):
        before = [claimed.get(key, -1) for key in one.shared | one.claimed]
        before += [shared.get(key, -1) for key in one.claimed]
        step = len(steps) if at in alone else max([first, *(last + 1 for last in before)])
        first = step + 1 if at in alone else first
        steps += [[]] * (step == len(steps))
        steps[step] = [*steps[step], at]
        shared |= {key: max(step, shared.get(key, -1)) for key in one.shared}
        claimed |= dict.fromkeys(one.claimed, step)
    return tuple(map(tuple, steps))


def _has_loop(node: Node) -> bool:
    return any(isinstance(n, For) for n in walk((node,)))


def _copy(plan: Plan, transfer_id: str) -> Touched:
    transfer = plan.transfer(transfer_id)
    buffer = plan.buffer(transfer.buffer)
    on_chip, off_chip = frozenset({buffer.id}), frozenset({transfer.array})
    bundles = frozenset[tuple[str, Direction]]() if transfer.joins else frozenset({(transfer.port, transfer.direction)})
    if transfer.direction is Direction.LOAD:
        return Touched(writes=on_chip, loads=off_chip, bundles=bundles)
    shared = frozenset() if buffer.in_registers else on_chip
    return Touched(reads=on_chip, shared_reads=shared, stores=off_chip, bundles=bundles)


def _task(plan: Plan, task: Task) -> Touched:
    moved = tuple(map(plan.transfer, task.copies))
    own = {t.buffer for t in moved}
    outside = [plan.buffer(b) for b in task.buffers if b not in own]
    statements = [plan.scop.statement(s) for s in task.running]
    read = {ref.array for statement in statements for ref in statement.reads}
    written = {statement.write.array for statement in statements}
    reads = frozenset(b.id for b in outside if b.array in read)
    return Touched(
        reads=reads,
        writes=frozenset(b.id for b in outside if b.array in written),
        shared_reads=frozenset(b.id for b in outside if b.id in reads and not b.in_registers),
        loads=frozenset(t.array for t in moved if t.direction is Direction.LOAD),
        stores=frozenset(t.array for t in moved if t.direction is Direction.STORE),
        bundles=frozenset((t.port, t.direction) for t in moved),
    )


def side_by_side(alg: Algebra, copies: Sequence[tuple[Copy, str]]) -> tuple[Node, ...]:
    """Transfers, each with its port, as steps: no two of a step use one port; those take turns as they stand.

    Where it is not the same for all candidates which are active, a transfer is in several steps, active in one.
    """
    rounds: list[list[Copy]] = []
    for at, (copy, port) in enumerate(copies):
        before = [other for other, its in copies[:at] if its == port]
        turn = sum(alg.select(other.active, 1, 0) for other in before)
        is_certain = all(other.active is True for other in before)
        for number in range(len(before), len(before) + 1) if is_certain else range(len(before) + 1):
            rounds += [[]] * (number == len(rounds))
            own = copy if is_certain else replace(copy, active=alg.both(copy.active, alg.equals(turn, number)))
            rounds[number] = [*rounds[number], own]
    return tuple(one[0] if len(one) == 1 else Together(tuple(one)) for one in rounds)


def in_turn(plan: Plan, task: Task, copies: For, alg: Algebra = EXACT) -> Condition:
    """Whether coarse-grained copies get into each other's way, so that they run one after another.

    They do where they share an array that the task writes, or one that is not wholly in registers.
    """
    written = {plan.scop.statement(s).write.array for s in task.statements}
    waits: list[Condition] = []
    for buffer in map(plan.buffer, task.buffers):
        shared = alg.exceeds(copies.trip_count, dict(buffer.beside).get(copies.iterator, 1))
        reached = buffer.array in written or alg.negation(in_registers(alg, buffer.partitioned))
        waits.append(alg.both(shared, reached))
    return alg.either(*waits)
