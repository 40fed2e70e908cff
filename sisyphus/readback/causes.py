"""Why a loop could not be pipelined as asked, in words of the kernel: statements, arrays, ports, what to change.

Knows what was predicted of a design, and reads no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sisyphus.backends.hls import bundles, of_stripe, plan_names
from sisyphus.ir import ArrayId, Statement
from sisyphus.plan import EXCHANGE, TILE, Plan, Task, Transfer
from sisyphus.readback.csynth import ReportedLoop
from sisyphus.readback.hls_log import Warned
from sisyphus.space import KERNEL_PLACE
from sisyphus.values import dataclass

#: What of the emitted code runs the loops of a task, or a part of a transfer.
_OF_TASKS, _OF_TRANSFERS = ("task", "copy", TILE, EXCHANGE), ("transfer", "fetch", "spread", "region")
#: What the tool appends to the name of a function that it has made twice.
_CLONE = re.compile(r"_\d+$")


@dataclass(frozen=True)
class Violation:
    """A loop that the tool could not pipeline as asked, in words of the kernel.

    `statements` are those of the loop, as `S1 (gemm.c:20)`; `arrays` those that may be the cause, with their ports, and
    just those that it is where the log names them. `said` is what the log says.
    """

    function: str
    loop: ReportedLoop
    statements: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    hint: str = ""
    said: str | None = None


def violation(
    function: str, loop: ReportedLoop, warned: Warned | None, plan: Plan | None, pipelined: str | None
) -> Violation:
    """A loop of `function`; `pipelined` is the loop of the source that it is a part of, where that is known."""
    said = None if warned is None else warned.told
    if plan is not None and (task := _task(plan, function)) is not None:
        running = [plan.scop.statement(s) for s in task.running]
        suspects = _logged(plan, warned) or _suspects(running, is_dependence=_is_dependence(loop))
        guilty = [s for s in running if set(suspects) & set(s.touched)]
        arrays = tuple(_with_port(plan, array) for array in suspects)
        hint = _task_hint(loop, plan, task, guilty, suspects, pipelined)
        return Violation(function, loop, _places(plan, guilty), arrays, hint, said)
    if plan is not None and (transfer := _transfer(plan, function)) is not None:
        users = [s for s in plan.scop.statements if plan.buffer(transfer.buffer).array in s.touched]
        arrays = (_with_port(plan, transfer.array),)
        return Violation(function, loop, _places(plan, users), arrays, _transfer_hint(plan, transfer), said)
    named = () if warned is None else (*warned.arrays, *warned.ports)
    return Violation(function, loop, (), named, _hint(loop), said)


def _task(plan: Plan, function: str) -> Task | None:
    name = _emitted(plan, _OF_TASKS, function)
    return None if name is None else plan.task(name)


def _transfer(plan: Plan, function: str) -> Transfer | None:
    name = _emitted(plan, _OF_TRANSFERS, function)
    return None if name is None else plan.transfer(name)


def _emitted(plan: Plan, kinds: Sequence[str], function: str) -> str | None:
    """What a function of the emitted code stands for, also one that the tool has made twice."""
    names, most = plan_names(plan), max((port.stripes for port in plan.ports), default=1)
    parts = {*kinds, *(of_stripe(kind, most, at) for kind in kinds for at in range(most))}
    known = {text: name for kind in parts for name, text in names.all_of(kind).items()}
    return known.get(function, known.get(_CLONE.sub("", function)))


def _logged(plan: Plan, warned: Warned | None) -> list[ArrayId]:
    """The arrays whose buffers or ports the log names; a bank is called after its buffer, as `buf_A_3`."""
    names = plan_names(plan)
    by_name = {text: plan.buffer(name).array for name, text in names.all_of("buffer").items()}
    by_name |= {bundle: ArrayId(p.name) for p in plan.ports if p.kind == "array" for bundle in bundles(p, names)}
    found = dict[ArrayId, None]()
    for told in () if warned is None else (*warned.arrays, *warned.ports):
        known = [own for own in by_name if told == own or told.startswith(f"{own}_")]
        if known:
            found[by_name[max(known, key=len)]] = None
    return list(found)


def _suspects(statements: Sequence[Statement], *, is_dependence: bool) -> list[ArrayId]:
    """The arrays that statements update for a dependence, all that they touch for a lack of ports."""
    touched = (array for s in statements for array in ((s.write.array,) if is_dependence else s.touched))
    return list(dict.fromkeys(touched))


def _places(plan: Plan, statements: Iterable[Statement]) -> tuple[str, ...]:
    path = plan.scop.origin.path
    return tuple(f"{s.id} ({path}:{s.span.line})" if s.span else str(s.id) for s in statements)


def _with_port(plan: Plan, array: ArrayId) -> str:
    """An array with its m_axi bundles, as the emitted code calls them."""
    home = plan.scop.home(array)
    port = next((port for port in plan.ports if port.name == home and port.kind == "array"), None)
    if port is None:
        return str(array)
    first, *others = bundles(port, plan_names(plan))
    return f"{array} ({first} to {others[-1]})" if others else f"{array} ({first})"


def _is_dependence(loop: ReportedLoop) -> bool:
    return "depend" in (loop.cause or "").lower()


def _lacks_ports(loop: ReportedLoop) -> bool:
    return any(word in (loop.cause or "").lower() for word in ("port", "resource", "memory"))


def _hint(loop: ReportedLoop) -> str:
    """Where nothing is known of the code."""
    if _is_dependence(loop):
        return "let more starts pass between updates of an element: another pipelined loop, or longer tiles in it"
    if _lacks_ports(loop):
        return "give the array more banks (array_partition), or unroll less"
    if not loop.cause:
        return "csynth.rpt names no cause: read csynth.xml or the log back, which the same run writes"
    return "see the schedule viewer for what the loop waits for"


def _task_hint(
    loop: ReportedLoop,
    plan: Plan,
    task: Task,
    statements: Sequence[Statement],
    arrays: Sequence[ArrayId],
    pipelined: str | None,
) -> str:
    """What to change of a nest, as options of `sisy optimize`."""
    if _is_dependence(loop):
        moving = [i for s in statements for i in s.iterators if any(i in e.names for e in s.write.index)]
        others = [f"`--fix {task.nest}.pipeline={i}`" for i in dict.fromkeys(moving) if i != pipelined]
        if pipelined in moving:
            others.insert(0, f"a longer level 1 of `{pipelined}` (`--fix {task.nest}.{pipelined}=…`)")
        if others:
            return f"let more starts pass between two updates of an element: {' or '.join(others)}"
    elif _lacks_ports(loop):
        banks = [_banks(plan, task.nest, array) for array in arrays]
        return f"more banks ({', '.join(filter(None, banks))}), or smaller level-2 tiles of `{task.nest}`"
    return _hint(loop)


def _banks(plan: Plan, nest: str, array: ArrayId) -> str:
    """The knob of an array's banks with what it is now; empty for what is no array."""
    buffer = next((b for b in plan.buffers if b.array == array and b.partition), None)
    if buffer is None:
        return ""
    owner = array if buffer.place == KERNEL_PLACE else f"{array}@{nest}"
    return f"`--fix {owner}.partition=…`, now {','.join(map(str, buffer.partition))}"


def _transfer_hint(plan: Plan, transfer: Transfer) -> str:
    banks = _banks(plan, "NEST", plan.buffer(transfer.buffer).array)
    more = f" or more banks ({banks})" if banks else ""
    return f"narrower beats (`--fix {transfer.array}.width=…`, now {transfer.width}){more}"
