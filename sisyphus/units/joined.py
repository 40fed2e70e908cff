"""Units that streams join: the steps of a kernel dealt over SLRs, each unit a phase of its own; writes nothing."""

from __future__ import annotations

from collections.abc import Collection

from sisyphus.analysis import (
    Cut,
    Dependences,
    Phase,
    Stream,
    apart,
    dependences,
    handed_over,
    phase_of,
    work_of,
)
from sisyphus.errors import KernelError
from sisyphus.ir import Role, Scop
from sisyphus.part_search import Listen
from sisyphus.request import Request
from sisyphus.units.beside import Beside
from sisyphus.units.limits import Purse
from sisyphus.units.phases import Placed, split_of
from sisyphus.units.places import AUTO, Count
from sisyphus.units.shares import Find, Split
from sisyphus.units.streams import incoming, with_streams
from sisyphus.values import replace


def joined(scop: Scop, request: Request, count: Count, find: Find, listen: Listen) -> Placed:
    """A kernel on so many units, each on an SLR of its own, with `auto` on as many as help, joined by streams.

    `KernelError` where it cannot be dealt over them, `UsageError` where there are fewer SLRs, `NoDesignError` where a
    unit has no design.
    """
    temporaries, target = request.source.temporaries, request.target
    counts = range(2, target.device.slrs + 1) if count == AUTO else [count]
    cut = best_cut(dependences(scop), counts, temporaries)
    phases = [phase_of(scop, cut, at, temporaries) for at in range(len(cut))]
    purse, handed = Purse(request.limits), handed_over(cut, scop)
    splits, streams = list[Split](), tuple[Stream, ...]()
    for at, phase in enumerate(phases):
        ports, new, blocks = incoming(target, streams, [u for s in splits for u in s.units], at, phase.scop)
        sends = handed & {s.write.array for s in phase.scop.statements}
        beside = Beside(at, at, sends=sends, receives=ports, blocks=blocks, apart=len(phases))
        asked = replace(request, limits=purse.part(1 / (len(phases) - at)))
        splits.append(split_of(phase, asked, 1, find, listen, beside))
        streams += new
    found = [replace(one, units=tuple(with_streams(unit, streams) for unit in one.units)) for one in splits]
    return Placed(scop, tuple(found), target.clock_mhz, cut, streams=streams)


def best_cut(found: Dependences, counts: Collection[int], temporaries: Collection[str]) -> Cut:
    """The cut with the fewest operations on any way through its units, then of the busiest unit, then of fewest units.

    `KernelError` where there is none of which all that is handed over can be streams.
    """
    refused, rated = "", list[tuple[int, int, int, Cut]]()
    for cut in (cut for count in counts for cut in apart(found, count)):
        reason = _no_streams(found.scop, cut, temporaries)
        refused = refused or reason
        if not reason:
            phases = [phase_of(found.scop, cut, at, temporaries) for at in range(len(cut))]
            work = [sum((work_of(phase.scop) or {}).values()) for phase in phases]
            rated.append((longest_way(phases, work), max(work), len(cut), cut))
    if not rated:
        told = f"{min(counts)} units" if len(counts) == 1 else "several units"
        reason = refused or "all its statements write one array, or need each other"
        raise KernelError(
            f"`{found.scop.name}` cannot be dealt over {told} that streams join: {reason}",
            hint="leave out `--streams`" + " or name what nobody needs with `--local`" * bool(refused),
        )
    return min(rated)[-1]


def _no_streams(scop: Scop, cut: Cut, temporaries: Collection[str]) -> str:
    """Why an array that is handed over cannot be a stream; empty where all can."""
    for array in sorted(handed_over(cut, scop)):
        if scop.array(array).role in (Role.OUT, Role.INOUT) and array not in temporaries:
            return f"`{array}` is a result, and a stream leaves nothing of it in memory"
        readers = {s.id for s in scop.statements if any(ref.array == array for ref in s.reads)}
        writers = {s.id for s in scop.statements if s.write.array == array}
        units = [at for at, part in enumerate(cut) if readers & set(part) and not writers & set(part)]
        if len(units) > 1:
            return f"`{array}` is read by {len(units)} of them, and a stream joins two units"
    return ""


def longest_way(phases: list[Phase], work: list[int]) -> int:
    """The most operations that follow one another, where a unit begins when all that it receives is complete."""
    done = list[int]()
    for at, phase in enumerate(phases):
        read = {ref.array for s in phase.scop.statements for ref in s.reads}
        before = [
            done[earlier] for earlier in range(at) if read & {s.write.array for s in phases[earlier].scop.statements}
        ]
        done.append(max(before, default=0) + work[at])
    return max(done)
