"""DSP, BRAM18, URAM, FF and LUT of a plan as terms (MODEL.md 4.4); knows no cycle but the steps it is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sisyphus.model.addresses import has_product, moving
from sisyphus.model.algebra import EXACT
from sisyphus.model.cores import Core
from sisyphus.model.datapath import datapath_ff, datapath_lut
from sisyphus.model.facts import Move, Pipe
from sisyphus.model.movers import mover_dsp, mover_ff, mover_lut
from sisyphus.model.moves import move_of
from sisyphus.model.operators import cores_of, instances, is_called, operations, shared
from sisyphus.model.schedule import Setting
from sisyphus.model.sharing import Users, bank_lut, core_lut, register_lut
from sisyphus.model.study import PipeStudy, Study, pipes_in
from sisyphus.model.terms import Term, total
from sisyphus.plan import Call, Copy, Plan, walk
from sisyphus.plan.conflicts import reads_writes, task_transfers
from sisyphus.target import BankCost


@dataclass(frozen=True)
class Needs:
    """Cores by kind: of each task that may share them, step after step, and of guarded functions, which may not."""

    moments: tuple[tuple[Mapping[str, int], ...], ...]
    alone: Mapping[str, int]
    cores: Mapping[str, Core]

    def instances(self, setting: Setting) -> dict[str, int]:
        """Cores of the kernel after sharing."""
        found = dict(shared(setting, self.moments))
        for kind, count in self.alone.items():
            found[kind] = found.get(kind, 0) + count
        return {kind: int(count) for kind, count in sorted(found.items())}


def needs_of(study: Study, moments: Sequence[Sequence[str]]) -> Needs:
    """What the tasks need; parts of one task follow each other and share."""
    setting = study.setting
    alone: dict[str, int] = defaultdict(int)
    cores: dict[str, Core] = {}
    by_task: dict[str, dict[str, int]] = {}
    for name, task in study.tasks.items():
        by_task[name] = {}
        copies = {id(pipe): int(n) for pipe, n in pipes_in(task.facts.parts)}
        for found in task.pipes:
            cores.update(cores_of(setting, found.pipe.works))
            mine, guarded = _pipe_needs(setting, found)
            for kind, count in mine.items():
                by_task[name][kind] = max(by_task[name].get(kind, 0), count * copies[id(found.pipe)])
            for kind, count in guarded.items():
                alone[kind] += count * copies[id(found.pipe)]
    return Needs(tuple(tuple(by_task[name] for name in step) for step in moments), alone, cores)


def _pipe_needs(setting: Setting, found: PipeStudy) -> tuple[dict[str, int], dict[str, int]]:
    """Cores of a body that it may share, and those of its guarded functions."""
    mine: dict[str, int] = defaultdict(int)
    guarded: dict[str, int] = defaultdict(int)
    for work in found.pipe.works:
        counts = operations(setting, found.pipe, work)
        if is_called(setting, work):
            for kind, count in instances(setting, counts, found.body.interval).items():
                guarded[kind] += int(count)
        else:
            for kind, count in counts.items():
                mine[kind] += int(count)
    return {kind: int(n) for kind, n in instances(setting, mine, found.body.interval).items()}, guarded


@dataclass(frozen=True)
class Resources:
    """One term per resource."""

    dsp: Term
    bram18k: Term
    uram: Term
    ff: Term
    lut: Term


def resources_of(study: Study, moments: Sequence[Sequence[str]]) -> Resources:
    """All resources of a plan, its tasks running in these steps."""
    needs = needs_of(study, moments)
    memories, ports = _memories(study), _ports(study)
    moves = [move_of(study.plan, transfer) for transfer in study.plan.transfers]
    return Resources(
        dsp=total("dsp", (_cores(study, needs, "dsp"), _address_dsp(study, moves))),
        bram18k=total("bram18k", (_column(memories, "memories", "bram18k"), _column(ports, "adapters", "bram18k"))),
        uram=total("uram", (_column(memories, "memories", "uram"), _column(ports, "adapters", "uram"))),
        ff=total("ff", _ff_terms(study, needs, memories, ports, moves)),
        lut=total("lut", _lut_terms(study, needs, memories, ports, moves)),
    )


def _cores(study: Study, needs: Needs, resource: str) -> Term:
    """Cores of all kinds: instances times what one costs."""
    found = []
    for kind, count in needs.instances(study.setting).items():
        cost = needs.cores[kind].cost
        value = count * getattr(cost, resource)
        found.append(Term(f"{count} x {kind}", value, measured=cost.measured, rule=cost.source))
    return total("operators", found, rule="operations / II, shared between steps")


def _address_dsp(study: Study, moves: Iterable[Move]) -> Term:
    """Multipliers of addresses: one per function and buffer that needs one."""
    found = [Term(move.id, mover_dsp(study.setting, move)) for move in moves]
    for name, task in study.tasks.items():
        bodies = [study.pipe for study in task.pipes]
        found += [Term(f"{name}: {body.loop}", _body_address_dsp(body)) for body in bodies]
    return total("addresses", [term for term in found if term.value], rule="address multiply")


def _body_address_dsp(pipe: Pipe) -> int:
    """Buffers of a body with an in-bank address of two terms and a product."""
    loops = pipe.outer if pipe.loop is None else (*pipe.outer, pipe.loop)
    buffers: set[str] = set()
    for work in pipe.works:
        for access in (work.write, *work.reads.values()):
            moves = [(dim, moving(EXACT, dim, loops, pipe.trips)[0]) for dim in access.dims]
            if has_product(EXACT, moves)[1]:
                buffers.add(access.buffer)
    return len(buffers)


def _memories(study: Study) -> list[tuple[str, BankCost]]:
    """All banks of each buffer; every copy of a buffer is a memory of its own."""
    table = study.target.memories
    found = []
    for buffer in study.plan.buffers:
        bank = table.bank(max(buffer.words_per_bank, 1), buffer.type.bits, buffer.storage)
        found.append((buffer.id, bank.times(buffer.banks * buffer.copies)))
    return found


def _ports(study: Study) -> list[tuple[str, BankCost]]:
    """The adapter of each bundle, as wide as its widest port, and the control interface."""
    table, plan = study.target.memories, study.plan
    bits: dict[str, int] = {}
    arrays = {transfer.array for transfer in plan.transfers}
    live = [p for p in plan.ports if p.kind == "array" and p.name in arrays]
    for port in live:
        bundle = port.bundle or port.name
        bits[bundle] = max(bits.get(bundle, 0), port.width * port.type.bits)
    scalars = [p for p in plan.ports if p.kind == "scalar"]
    found = [(f"{bundle}, {width} bits", table.m_axi(width)) for bundle, width in sorted(bits.items())]
    return [*found, ("control", table.s_axilite(2 * len(live) + len(scalars)))]


def _column(costs: Iterable[tuple[str, BankCost]], name: str, resource: str) -> Term:
    found = (Term(what, getattr(cost, resource), measured=cost.measured) for what, cost in costs)
    return total(name, [term for term in found if term.value], rule=name)


Costs = list[tuple[str, BankCost]]


def _ff_terms(study: Study, needs: Needs, memories: Costs, ports: Costs, moves: Sequence[Move]) -> Iterable[Term]:
    area = study.rules.area
    elements = sum(b.banks * b.copies for b in study.plan.buffers if b.in_registers)
    yield _cores(study, needs, "ff")
    yield _column(memories, "memories", "ff")
    yield _column(ports, "adapters", "ff")
    yield total("transfers", (total(m.id, mover_ff(study.setting, m)) for m in moves))
    yield total("bodies", _bodies(study, lambda found: datapath_ff(study.setting, found)))
    yield Term("arrays in registers", elements * area.ff_per_register_element, rule="more than the elements")
    yield Term("kernel", area.ff_per_kernel, rule="control")


def _lut_terms(study: Study, needs: Needs, memories: Costs, ports: Costs, moves: Sequence[Move]) -> Iterable[Term]:
    table = study.setting.operators
    yield _cores(study, needs, "lut")
    yield _column(memories, "memories", "lut")
    yield _column(ports, "adapters", "lut")
    yield total("transfers", (total(m.id, mover_lut(study.setting, m)) for m in moves))
    yield total("bodies", _bodies(study, lambda found: datapath_lut(study.setting, found)))
    yield total("banks used by several functions", _bank_terms(study))
    yield Term("cores used by several tasks", core_lut(table, needs.moments), rule="multiplexers")
    yield Term("kernel", study.rules.area.lut_per_kernel, rule="control")


def _bodies(study: Study, terms: Callable[[PipeStudy], tuple[Term, ...]]) -> Iterable[Term]:
    """Terms of every pipelined body; copies that work side by side count each."""
    for name, task in study.tasks.items():
        copies = {id(pipe): int(n) for pipe, n in pipes_in(task.facts.parts)}
        for found in task.pipes:
            parts = [replace(t, value=t.value * copies[id(found.pipe)]) for t in terms(found)]
            yield total(f"{name}: {found.pipe.loop or 'body'}", [t for t in parts if t.value])


def _bank_terms(study: Study) -> Iterable[Term]:
    """Multiplexers in front of the banks of each buffer."""
    table = study.setting.operators
    for buffer, users in sorted(_users(study.plan).items()):
        found = study.plan.buffer(buffer)
        each = register_lut(table, users) if found.in_registers else bank_lut(table, users)
        yield Term(buffer, found.banks * found.copies * each, rule="multiplexers")


def _users(plan: Plan) -> dict[str, Users]:
    """Functions (transfers and tasks) that use each buffer."""
    reads: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    nodes = [node for node in walk(plan.body) if isinstance(node, Copy | Call)]
    for task in plan.tasks:
        nodes += [Copy(transfer.id) for transfer in task_transfers(plan, task)]
    for node in dict.fromkeys(nodes):
        for buffer, read, written in _touched(plan, node):
            found = reads[buffer]
            found[0], found[1], found[2] = found[0] + read, found[1] + written, found[2] + (read and written)
    return {buffer: Users(*counts) for buffer, counts in reads.items()}


def _touched(plan: Plan, node: Copy | Call) -> Iterable[tuple[str, bool, bool]]:
    """Buffers that a function uses, with whether it reads and writes them; a task uses its tile buffers too."""
    found = reads_writes(plan, node)
    for buffer in sorted(found.reads | found.writes):
        yield buffer, buffer in found.reads, buffer in found.writes
    if isinstance(node, Call):
        task = plan.task(node.task)
        own = {transfer.buffer for transfer in task_transfers(plan, task)}
        statements = [plan.scop.statement(s) for s in task.statements]
        for buffer in sorted(own):
            array = plan.buffer(buffer).array
            read = any(ref.array == array for s in statements for ref in s.reads)
            yield buffer, read, any(s.write.array == array for s in statements)
