"""Which constructs a design consists of, by the entries of the register of evidence; counts nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from sisyphus.algebra import EXACT, Condition
from sisyphus.ir import children
from sisyphus.ir import walk as nodes_of
from sisyphus.model.alone import MoveStudy, TaskStudy
from sisyphus.model.facts.task_facts import Beside, Guarded, Part, Pipe, Replicated, Work, placed
from sisyphus.model.formulas.addresses import call_address, moves_with_two_loops
from sisyphus.model.formulas.aliases import alias_pairs
from sisyphus.model.formulas.burst_cycles import move_interval, move_remainders
from sisyphus.model.formulas.copies import reduction_copies
from sisyphus.model.formulas.core_counts import cores_of
from sisyphus.model.formulas.iteration_latency import Timing, is_tree
from sisyphus.model.formulas.latency import loops_of_a_run
from sisyphus.model.formulas.pipes import PipeStudy
from sisyphus.model.formulas.recurrence import update_of
from sisyphus.model.study import Study
from sisyphus.plan import FAR, Buffer, For, Hold, LoopRole, Plan, Task, Transfer, as_it_lies, walk
from sisyphus.plan.ranges import Ranges
from sisyphus.plan.walks import Walk, is_clipped, settled, transfer_ranges, walk_of
from sisyphus.space import COLUMNS, DIRECT_BITS, MEASURED_BEAT, added_in

#: The owner of what belongs to no task, transfer or buffer.
KERNEL = "kernel"


def constructs_of(study: Study) -> Mapping[str, tuple[str, ...]]:
    """The constructs of each task, transfer and buffer of a plan, and of the kernel around them."""
    plan = study.plan
    found = {KERNEL: tuple(dict.fromkeys(_of_kernel(plan)))}
    for buffer in plan.buffers:
        found[buffer.id] = tuple(dict.fromkeys(_of_buffer(plan, buffer)))
    places = transfer_ranges(plan)
    for transfer in plan.transfers:
        known = (*_walked(plan, transfer, places), *_of_transfer(plan, transfer, study.move(transfer)))
        found[transfer.id] = tuple(dict.fromkeys(known))
    for name, task in study.tasks.items():
        found[name] = tuple(dict.fromkeys(_of_task(plan, plan.task(name), task)))
    return found


def _of_kernel(plan: Plan) -> Iterator[str]:
    yield from ("calls-in-steps", "interface", "area-of-designs")
    if any(isinstance(node, For) for node in plan.body):
        yield "outer-loop"


def _of_buffer(plan: Plan, buffer: Buffer) -> Iterator[str]:
    for extent, factor in zip(buffer.extents, buffer.partition, strict=True):
        if factor >= extent > 1:
            yield "partition-complete"
        elif factor > 1:
            yield "partition-uneven" if extent % factor else "partition-cyclic"
    if plan.stripes_of(buffer) > 1:
        yield "transfer-over-ports"
    if buffer.type != buffer.type.stored:
        yield "integers-of-any-width"
    if buffer.storage != "auto":
        yield "asked-storage"
    if buffer.array in plan.scop.looked_up:
        yield "table-by-data"
    array = plan.scop.array(buffer.array)
    if array.view_of is not None and not array.lasting:
        yield "view"
    elif array.view_of is not None:
        is_written = any(s.write.array == array.home for s in plan.scop.statements)
        yield "copy-of-array" if is_written else "copy-for-readers"


def _walked(plan: Plan, transfer: Transfer, places: Mapping[str, Ranges]) -> Iterator[str]:
    """The loops of a transfer, as they are printed where it runs."""
    if transfer.id not in places:
        return
    buffer, port = as_it_lies(plan.buffer(transfer.buffer), plan.port_of(transfer))
    match walk_of(buffer, port, settled(buffer, places[transfer.id])):
        case Walk.RUN:
            yield "transfer-by-counters"
        case Walk.ELEMENT | Walk.ROWS:
            yield "transfer-by-nested-loops"
    if is_clipped(plan, transfer.id, places[transfer.id]):
        yield "transfer-clipped"


def _of_transfer(plan: Plan, transfer: Transfer, moved: MoveStudy) -> Iterator[str]:
    move, setting = moved.move, moved.setting
    if int(move_interval(setting, move)) > 1:
        yield "transfer-by-lane-groups"
    if plan.port_of(transfer).kind == "stream":
        yield "transfer-between-units"
    if transfer.stream:
        yield "transfer-through-fifo"
    elif move.is_load and int(move.width) * move.bits > DIRECT_BITS:
        yield "transfer-wide-and-direct"
    if int(move.width) > MEASURED_BEAT:
        yield "transfer-of-narrow-elements"
    if int(move.stripes) > 1:
        yield "transfer-over-ports"
    if plan.port_of(transfer).layout == COLUMNS:
        yield "transfer-by-columns"
    if any(int(cycles) for cycles in move_remainders(setting, move)):
        yield "transfer-with-remainder"
    if int(move.bursts) > 1:
        yield "transfer-by-rows"
    elif move.is_tile:
        yield "transfer-of-tiles"
    if len(plan.filled_by(transfer)) > 1 or transfer.joins:
        yield "load-into-copies"
    if len({other.buffer for other in plan.transfers if other.port == transfer.port and not other.joins}) > 1:
        yield "port-in-turns"


def _of_task(plan: Plan, task: Task, study: TaskStudy) -> Iterator[str]:
    nodes = list(walk(task.body))
    yield "perfect-nest"
    if any(isinstance(node, Hold) for node in nodes):
        yield "held-sum"
    moving = [n for n in nodes if isinstance(n, For) and n.role is LoopRole.TILE and not n.is_constant]
    if moving and all(loop.listed for loop in moving):
        yield "listed-tiles"
    elif moving:
        apart = {loop for found in study.pipes for loop in found.pipe.outer if not _is_in_run(study, found.pipe)[loop]}
        yield "restarts-in-moving-bounds" if any(f.iterator in apart for f in moving) else "semi-perfect-nest"
    if any(isinstance(n, For) and n.role is LoopRole.PIPELINED and not n.is_constant for n in nodes):
        yield "variable-bounds"
    if len({tuple(work.statement for work in body.pipe.works) for body in study.pipes}) < len(study.pipes):
        yield "full-tiles-apart"
    if plan.adders == "fabric" and any(added_in(work.expr) for body in study.pipes for work in body.pipe.works):
        yield "adders-in-fabric"
    yield from _of_parts(study.facts.parts)
    for pipe in study.pipes:
        yield from _of_pipe(study, pipe)


def _in_common(works: Sequence[Work]) -> bool:
    """Whether statements of one body compute the same of more than one operator."""
    values = [{node for node in nodes_of(work.expr) if any(map(children, children(node)))} for work in works]
    return any(one & other for one, other in combinations(values, 2))


def _of_parts(parts: tuple[Part, ...]) -> Iterator[str]:
    for here in placed(parts):
        match here.part:
            case Guarded():
                yield "skipped-part"
            case Replicated(turns=turns):
                yield "copies" if turns == 1 else "copies-in-turns"
            case Beside(back=back):
                yield "tiles-loaded-ahead" if back is None else "tiles-stored-late"


def _of_pipe(study: TaskStudy, found: PipeStudy) -> Iterator[str]:
    """A pipelined body, by its loops, statements and subscripts."""
    pipe, setting = found.pipe, study.setting
    left, whole = (int(call_address(setting.alg, setting.rules, pipe, counts=counts)) for counts in (True, False))
    if left:
        yield "bank-by-argument"
    if whole > left:
        yield "bank-counted-outside"
    if not pipe.pipelined:
        yield "body-not-pipelined"
        return
    if not found.body.flattened and any(int(pipe.trips[loop]) > 1 for loop in pipe.outer):
        yield "unflattened-reduction"
    if len(pipe.works) > 1:
        yield "several-statements"
        if _in_common(pipe.works):
            yield "values-in-common"
    if any(work.branches for work in pipe.works):
        yield "guard-as-branch"
    if any(work.guarded and not work.branches for work in pipe.works):
        yield "guard-as-select"
    if any(core.cost.latency and not core.cost.measured for core in cores_of(setting, pipe).values()):
        yield "core-elsewhere"
    else:
        yield "core"
    if alias_pairs(pipe):
        yield "read-beside-an-update"
    if any(not sure and cycles > 1 for cycles, why, sure in found.interval.causes if "earlier start" in why):
        yield "value-from-an-earlier-start"
    for work, timing in zip(pipe.works, found.timings, strict=True):
        yield from _of_update(study, pipe, work, timing)
        yield from _of_subscripts(study, pipe, work)


def _is_in_run(study: TaskStudy, pipe: Pipe) -> Mapping[str, Condition]:
    """The loops around a pipelined one, each with whether it is one loop with that."""
    return dict.fromkeys(pipe.outer, False) | loops_of_a_run(study.setting, study.facts.parts, pipe)


def _of_update(study: TaskStudy, pipe: Pipe, work: Work, timing: Timing) -> Iterator[str]:
    """A statement that reads the element it writes."""
    update = update_of(study.setting, pipe, work, timing)
    if update is None:
        return
    copies, tree = int(reduction_copies(study.setting.alg, pipe, work)), is_tree(pipe, work)
    if copies > 1:
        yield "tree-in-a-body" if tree else "chained-updates"
    if update.is_reduction and tree and pipe.asked:
        yield "tree-in-fabric"
    elif update.is_reduction:
        yield "tree-along-the-pipeline" if tree else "sum-along-the-pipeline"
    elif update.as_registers:
        yield "update-of-registers"
    elif int(update.distance) >= FAR:
        yield "update-of-new-elements"
    else:
        yield "update-at-short-distance" if update.returns_early(study.setting.alg) else "update-in-place"


def _of_subscripts(study: TaskStudy, pipe: Pipe, work: Work) -> Iterator[str]:
    """Copies along one loop of a subscript, and subscripts that move with two loops that are not unrolled."""
    within = _is_in_run(study, pipe)
    around = {loop: not is_one for loop, is_one in within.items()}
    for access in (work.write, *work.reads.values()):
        for dim in access.dims:
            moving = [loop for loop, stride in dim.strides.items() if int(stride) and int(pipe.trips.get(loop, 1)) > 1]
            if any(loop in work.unrolled for loop in moving):
                yield "lanes-of-one-loop"
            if moves_with_two_loops(EXACT, dim, pipe, within):
                yield "two-loops-in-one-subscript" if work.updates(access) else "two-loops-in-another-subscript"
            if moves_with_two_loops(EXACT, dim, pipe, around) and work.updates(access):
                yield "tile-loop-around-a-subscript"
