"""DSP, BRAM18, URAM, FF and LUT of a plan as terms (MODEL.md 4.4); knows no cycle but the steps it is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sisyphus.model.addresses import address_multipliers
from sisyphus.model.algebra import EXACT
from sisyphus.model.cores import Core
from sisyphus.model.datapath import Datapath, datapath_ff, datapath_lut, datapath_of
from sisyphus.model.facts import Pipe
from sisyphus.model.movers import Mover, mover_ff, mover_lut, mover_of
from sisyphus.model.moves import move_of
from sisyphus.model.operators import cores_of, instances, is_called, shared
from sisyphus.model.schedule import Setting
from sisyphus.model.sharing import Users, bank_lut, core_lut, register_lut
from sisyphus.model.study import PipeStudy, Study, pipes_in
from sisyphus.model.terms import Term, total
from sisyphus.model.transfers import move_multipliers
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
    for work, counts in zip(found.pipe.works, found.operations, strict=True):
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
    movers = [mover_of(study.setting, move_of(study.plan, transfer)) for transfer in study.plan.transfers]
    bodies = list(_bodies(study))
    return Resources(
        dsp=total("dsp", (_cores(study, needs, "dsp"), _address_dsp(study, movers))),
        bram18k=total("bram18k", (_column(memories, "memories", "bram18k"), _column(ports, "adapters", "bram18k"))),
        uram=total("uram", (_column(memories, "memories", "uram"), _column(ports, "adapters", "uram"))),
        ff=total("ff", _ff_terms(study, needs, memories, ports, movers, bodies)),
        lut=total("lut", _lut_terms(study, needs, memories, ports, movers, bodies)),
    )


def _cores(study: Study, needs: Needs, resource: str) -> Term:
    """Cores of all kinds: instances times what one costs."""
    found = []
    for kind, count in needs.instances(study.setting).items():
        cost = needs.cores[kind].cost
        value = count * getattr(cost, resource)
        found.append(Term(f"{count} x {kind}", value, measured=cost.measured, rule=cost.source))
    return total("operators", found, rule="operations / II, shared between steps")


def _address_dsp(study: Study, movers: Iterable[Mover]) -> Term:
    """Multipliers of addresses: one per function and buffer that needs one."""
    found = [Term(mover.move.id, move_multipliers(study.setting, mover.move)) for mover in movers]
    for name, task in study.tasks.items():
        bodies = [study.pipe for study in task.pipes]
        found += [Term(f"{name}: {body.loop}", _body_address_dsp(body)) for body in bodies]
    return total("addresses", [term for term in found if term.value], rule="address multiply")


def _body_address_dsp(pipe: Pipe) -> int:
    """Multiply-adds of the addresses of a body."""
    loops = pipe.outer if pipe.loop is None else (*pipe.outer, pipe.loop)
    accesses = [access for work in pipe.works for access in (work.write, *work.reads.values())]
    return int(address_multipliers(EXACT, accesses, loops, pipe.trips))


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


@dataclass(frozen=True)
class _Named:
    """A body of a task, so many copies of it."""

    name: str
    copies: int
    datapath: Datapath

    def total(self, terms: tuple[Term, ...]) -> Term:
        """The terms of all copies."""
        found = (replace(term, value=term.value * self.copies) for term in terms if term.value)
        return total(self.name, found, rule="datapath")


def _bodies(study: Study) -> Iterable[_Named]:
    for name, task in study.tasks.items():
        copies = {id(pipe): int(n) for pipe, n in pipes_in(task.facts.parts)}
        for found in task.pipes:
            label = f"{name}: {found.pipe.loop or 'body'}"
            yield _Named(label, copies[id(found.pipe)], datapath_of(study.setting, found))


def _ff_terms(
    study: Study, needs: Needs, memories: Costs, ports: Costs, movers: Sequence[Mover], bodies: Sequence[_Named]
) -> Iterable[Term]:
    area = study.rules.area
    elements = sum(b.banks * b.copies for b in study.plan.buffers if b.in_registers)
    yield _cores(study, needs, "ff")
    yield _column(memories, "memories", "ff")
    yield _column(ports, "adapters", "ff")
    yield total("transfers", (total(m.move.id, mover_ff(study.setting, m)) for m in movers), rule="transfers")
    yield total("bodies", (body.total(datapath_ff(area, body.datapath)) for body in bodies), rule="datapath")
    yield Term("arrays in registers", elements * area.ff_per_register_element, rule="more than the elements")
    yield Term("kernel", area.ff_per_kernel, rule="control")


def _lut_terms(
    study: Study, needs: Needs, memories: Costs, ports: Costs, movers: Sequence[Mover], bodies: Sequence[_Named]
) -> Iterable[Term]:
    area, table = study.rules.area, study.setting.operators
    yield _cores(study, needs, "lut")
    yield _column(memories, "memories", "lut")
    yield _column(ports, "adapters", "lut")
    yield total("transfers", (total(m.move.id, mover_lut(study.setting, m)) for m in movers), rule="transfers")
    yield total("bodies", (body.total(datapath_lut(area, body.datapath)) for body in bodies), rule="datapath")
    yield total("banks used by several functions", _bank_terms(study, movers), rule="multiplexers")
    yield Term("cores used by several tasks", core_lut(table, needs.moments), rule="multiplexers")
    yield Term("kernel", area.lut_per_kernel, rule="control")


def _bank_terms(study: Study, movers: Sequence[Mover]) -> Iterable[Term]:
    """Multiplexers in front of the banks of each buffer."""
    table = study.setting.operators
    for buffer, users in sorted(_users(study, movers).items()):
        found = study.plan.buffer(buffer)
        each = register_lut(table, users) if found.in_registers else bank_lut(table, users)
        yield Term(buffer, found.banks * found.copies * each, rule="multiplexers")


def _users(study: Study, movers: Iterable[Mover]) -> dict[str, Users]:
    """Functions (transfers and tasks) that use each buffer."""
    found: dict[str, Users] = defaultdict(Users)
    for mover in movers:
        found[mover.move.buffer] += Users(reads=int(not mover.move.is_load), writes=int(mover.move.is_load))
    for task in study.tasks.values():
        works = [work for studied in task.pipes for work in studied.pipe.works]
        written = {work.write.buffer for work in works}
        read = {a.buffer for w in works for ref, a in w.reads.items() if not (w.from_literal and ref == w.target)}
        for buffer in written | read:
            found[buffer] += Users(int(buffer in read), int(buffer in written), int(buffer in read & written))
    return found
