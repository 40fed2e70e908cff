"""DSP, BRAM18, URAM, FF and LUT of a plan as terms (docs/model.md); knows no cycle but the steps it is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sisyphus.model.alone import MoveStudy
from sisyphus.model.area.multiplexers import Users, bank_lut, core_lut, register_lut
from sisyphus.model.formulas.core_counts import shared
from sisyphus.model.formulas.cores import Core
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.terms import Term, total
from sisyphus.model.study import Study
from sisyphus.plan import FIFO_DEPTH, Plan, tables_in
from sisyphus.target import BankCost
from sisyphus.values import dataclass, replace

#: What a look-up table of six inputs holds as a ROM.
WORDS_OF_A_LUT = 64


@dataclass(frozen=True)
class Needs:
    """Cores by kind: of each task that may share them, step after step, and of guarded functions, which may not."""

    moments: tuple[tuple[Mapping[str, int], ...], ...]
    alone: Mapping[str, int]
    cores: Mapping[str, Core]

    def instances(self, setting: Setting) -> dict[str, int]:
        """Cores of the kernel after sharing, in the order of their kinds."""
        found = dict(shared(setting, self.moments))
        for kind, count in self.alone.items():
            found[kind] = found.get(kind, 0) + count
        return {kind: int(count) for kind, count in sorted(found.items())}


def needs_of(study: Study, moments: Sequence[Sequence[str]]) -> Needs:
    """What the tasks need, step after step."""
    alone: dict[str, int] = defaultdict(int)
    cores: dict[str, Core] = {}
    for task in study.tasks.values():
        cores.update(task.needs.cores)
        for kind, count in task.needs.alone.items():
            alone[kind] += count
    return Needs(tuple(tuple(study.tasks[name].needs.shared for name in step) for step in moments), alone, cores)


@dataclass(frozen=True)
class AreaTerms:
    """One term per resource."""

    dsp: Term
    bram18k: Term
    uram: Term
    ff: Term
    lut: Term


def resources_of(study: Study, moments: Sequence[Sequence[str]]) -> AreaTerms:
    """All resources of a plan, its tasks running in these steps."""
    needs = needs_of(study, moments)
    instances = needs.instances(study.setting)
    memories, ports = _memories(study), _ports(study)
    moves = [study.move(transfer) for transfer in study.plan.transfers]

    def parts(resource: str) -> tuple[Term, Term, Term]:
        cores = _cores(needs, instances, resource)
        return cores, _column(memories, "memories", resource), _column(ports, "adapters", resource)

    return AreaTerms(
        dsp=total("dsp", (_cores(needs, instances, "dsp"), _data_dsp(study), _address_dsp(study, moves))),
        bram18k=total("bram18k", parts("bram18k")),
        uram=total("uram", (_column(memories, "memories", "uram"), _column(ports, "adapters", "uram"))),
        ff=total("ff", (*parts("ff"), *_area_terms(study, moves, 0), *_ff_terms(study))),
        lut=total("lut", (*parts("lut"), *_area_terms(study, moves, 1), *_lut_terms(study, needs, moves))),
    )


def _cores(needs: Needs, instances: Mapping[str, int], resource: str) -> Term:
    """Cores of all kinds: instances times what one costs."""
    found = []
    for kind, count in instances.items():
        cost = needs.cores[kind].cost
        value = count * getattr(cost, resource)
        found.append(
            Term(f"{count} x {kind}", value, construct="core" if cost.measured else "core-elsewhere", rule=cost.source)
        )
    return total("operators", found, rule="operations / II, shared between steps")


def _data_dsp(study: Study) -> Term:
    """Products of integers with the sums that they feed: one each."""
    found = [term for task in study.tasks.values() for term in task.data_dsp if term.value]
    return total("sums of products", found)


def _address_dsp(study: Study, moves: Iterable[MoveStudy]) -> Term:
    """Multipliers of addresses: one per function and buffer that needs one."""
    found = [*(move.address_dsp for move in moves), *(t for task in study.tasks.values() for t in task.address_dsp)]
    return total("addresses", [term for term in found if term.value], rule="address multiply")


def _memories(study: Study) -> list[tuple[str, BankCost]]:
    """All banks of each buffer, every copy of which is a memory of its own, and the FIFOs of loads."""
    table = study.target.memories
    found = []
    for buffer in study.plan.buffers:
        bank = table.bank(max(buffer.words_per_bank, 1), buffer.type.bits, buffer.storage)
        found.append((buffer.id, bank.times(buffer.banks * buffer.memories)))
    for transfer in (t for t in study.plan.transfers if t.stream and not t.joins):
        port = study.plan.port_of(transfer)
        stripes = port.stripes
        bits = transfer.width // stripes * study.plan.buffer(transfer.buffer).type.stored.bits
        cost = table.fifo(bits, port.depth or FIFO_DEPTH)
        if port.kind == "stream":  # a memory of its own between two kernels, of which no report counts less
            cost = replace(cost, bram18k=max(cost.bram18k, table.fifo_blocks(bits, port.depth)), measured=False)
        found.append((f"{transfer.id}, FIFO of {bits} bits", cost.times(stripes)))
    return found


def _ports(study: Study) -> list[tuple[str, BankCost]]:
    """The adapter of each bundle, as wide as its widest port, and the control interface."""
    table, plan = study.target.memories, study.plan
    bits, adapters = dict[str, int](), dict[str, int]()
    used = {transfer.port for transfer in plan.transfers}
    live = [p for p in plan.ports if p.kind == "array" and p.name in used]
    for port in live:
        bundle = port.bundle or port.name
        bits[bundle] = max(bits.get(bundle, 0), port.width // port.stripes * port.type.bits)
        adapters[bundle] = port.stripes
    scalars = [p for p in plan.ports if p.kind == "scalar"]
    pairs = sorted(bits.items())
    found = [(f"{bundle}, {width} bits", table.m_axi(width).times(adapters[bundle])) for bundle, width in pairs]
    return [*found, ("control", table.s_axilite(2 * sum(p.stripes for p in live) + len(scalars)))]


def _column(costs: Iterable[tuple[str, BankCost]], name: str, resource: str) -> Term:
    found = (
        Term(what, getattr(cost, resource), construct="memory" if cost.measured else "memory-elsewhere")
        for what, cost in costs
    )
    return total(name, [term for term in found if term.value], rule=name)


def _area_terms(study: Study, moves: Iterable[MoveStudy], at: int) -> Iterable[Term]:
    """FF (0) or LUT (1) of what the functions have besides operators."""
    yield total("transfers", (move.areas[at] for move in moves), rule="transfers")
    yield total("bodies", (body for task in study.tasks.values() for body in task.areas[at]), rule="datapath")


def _ff_terms(study: Study) -> Iterable[Term]:
    area = study.rules.area
    elements = sum(b.banks * b.memories for b in study.plan.buffers if b.in_registers)
    yield Term("arrays in registers", elements * area.ff_per_register_element, rule="more than the elements")
    yield Term("kernel", area.ff_per_kernel, rule="control")


def _lut_terms(study: Study, needs: Needs, moves: Sequence[MoveStudy]) -> Iterable[Term]:
    area, table = study.rules.area, study.setting.operators
    yield total("banks used by several functions", _bank_terms(study, moves), rule="multiplexers")
    yield Term("cores used by several tasks", core_lut(table, needs.moments), rule="multiplexers")
    if tables := _tile_tables(study.plan):
        yield Term("tables of tiles", tables, construct="listed-tiles", rule="distributed ROM")
    yield Term("kernel", area.lut_per_kernel, rule="control")


def _tile_tables(plan: Plan) -> int:
    """Look-up tables that hold the columns of all tables of tiles, a bit of 64 rows each (unmeasured)."""
    tables = (table for task in plan.called for table in tables_in(plan, task))
    columns = (column for table in tables for column in (*(c for _, c in table.columns()), table.begins) if column)
    return sum(-(-len(column) // WORDS_OF_A_LUT) * max(column).bit_length() for column in columns)


def _bank_terms(study: Study, moves: Sequence[MoveStudy]) -> Iterable[Term]:
    """Multiplexers in front of the banks of each buffer."""
    table = study.setting.operators
    for buffer, users in sorted(_users(study, moves).items()):
        found = study.plan.buffer(buffer)
        each = register_lut(table, users) if found.in_registers else bank_lut(table, users)
        yield Term(buffer, found.banks * found.memories * each, rule="multiplexers")


def _users(study: Study, moves: Iterable[MoveStudy]) -> dict[str, Users]:
    """Functions (transfers and tasks) that use each buffer."""
    found: dict[str, Users] = defaultdict(Users)
    for study_of in moves:
        move = study_of.move
        found[move.buffer] += Users(reads=int(not move.is_load), writes=int(move.is_load))
    for task in study.tasks.values():
        for buffer, users in task.users.items():
            found[buffer] += users
    return found
