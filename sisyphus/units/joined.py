"""Units that streams join: the steps of a kernel dealt over SLRs, each unit a phase of its own; writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

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
from sisyphus.errors import KernelError, NoDesignError
from sisyphus.ir import ArrayId, Scop
from sisyphus.part_search import Listen
from sisyphus.request import Request
from sisyphus.units.beside import Beside
from sisyphus.units.limits import Purse
from sisyphus.units.phases import Placed, split_of
from sisyphus.units.places import AUTO, Count
from sisyphus.units.shares import Find, Split, Unit
from sisyphus.units.streams import exceeded, incoming, results_of, with_streams
from sisyphus.values import replace

#: Searches for a unit, each of which leaves what the one before used too much: shares of what is left of the limit.
ATTEMPTS = (0.7, 0.6, 1.0)


def joined(scop: Scop, request: Request, count: Count, find: Find, listen: Listen) -> Placed:
    """A kernel on so many units, each on an SLR of its own, with `auto` on as many as help, joined by streams.

    `KernelError` where it cannot be dealt over them, `UsageError` where there are fewer SLRs, `NoDesignError` where a
    unit has no design.
    """
    temporaries, target = request.source.temporaries, request.target
    counts = range(2, target.device.slrs + 1) if count == AUTO else [count]
    cut = best_cut(dependences(scop), counts, temporaries)
    phases = [phase_of(scop, cut, at, temporaries) for at in range(len(cut))]
    purse, handed, results = Purse(request.limits), handed_over(cut, scop), results_of(scop, temporaries)
    splits, streams = list[Split](), tuple[Stream, ...]()
    for at, phase in enumerate(phases):
        ports, new = incoming(streams, [unit for known in splits for unit in known.units], at)
        sends = handed & {s.write.array for s in phase.scop.statements}
        goes = [Stream(a, at, sink, 1, 1) for a in sorted(sends) for sink in _readers(phases, a) if sink > at]
        beside = Beside(at, at, sends=sends, receives=tuple(ports), apart=len(phases))
        asked = replace(request, limits=purse.part(1 / (len(phases) - at)))
        joins = partial(with_streams, streams=(*new, *goes), results=results)
        splits.append(_within_budget(phase, asked, beside, joins, find, listen))
        streams += new
        _check_parts([unit for known in splits for unit in known.units], new)
    return Placed(scop, tuple(splits), target.clock_mhz, cut, streams=streams)


def _check_parts(units: Sequence[Unit], streams: Sequence[Stream]) -> None:
    """`KernelError` where a unit needs another part of an array than the one that sends it has."""
    for stream in streams:
        array = ArrayId(stream.array)
        ends = [units[at].part for at in (stream.source, stream.sink)]
        if len({(part.elements[array], part.scop.array(array).extents) for part in ends}) > 1:
            raise KernelError(
                f"`{array}`: unit {stream.sink} needs another part of it than unit {stream.source} writes or reads",
                hint="leave out `--streams`",
            )


def _readers(phases: Sequence[Phase], array: str) -> list[int]:
    """The phases that read an array."""
    read = [{ref.array for s in phase.scop.statements for ref in s.reads} for phase in phases]
    return [at for at, names in enumerate(read) if array in names]


def _within_budget(
    phase: Phase, request: Request, beside: Beside, joins: Callable[[Unit], Unit], find: Find, listen: Listen
) -> Split:
    """A phase on one unit that keeps to its budget with its streams, of which a search knows stores and loads alone.

    Of what is exceeded, the next attempt reserves what streams took more.
    """
    purse = Purse(request.limits)
    for share in ATTEMPTS:
        found = split_of(phase, replace(request, limits=purse.part(share)), 1, find, listen, beside)
        [alone] = found.units
        unit = joins(alone)
        over = exceeded(unit)
        if not over:
            return replace(found, units=(unit,))
        known = dict(beside.reserved)
        for name in over:
            more = getattr(unit.estimate, name) - getattr(alone.estimate, name)
            known[name] = max(known.get(name, 0) + over[name], more)
        beside = replace(beside, reserved=tuple(sorted(known.items())))
    raise NoDesignError(
        f"no design of unit {unit.number} with its streams fits an SLR: {', '.join(over)} exceeded",
        hint="raise the budget or the time limit, or leave out `--streams`",
    )


def best_cut(found: Dependences, counts: Collection[int], temporaries: Collection[str]) -> Cut:
    """The cut with the fewest operations on any way through its units, then of the busiest unit, then of fewest units.

    `KernelError` where there is none of which all that is handed over can be streams.
    """
    refused, rated = "", list[tuple[int, int, int, Cut]]()
    for cut in (cut for count in counts for cut in apart(found, count)):
        reason = _no_streams(found.scop, cut)
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
            hint="leave out `--streams`",
        )
    return min(rated)[-1]


def _no_streams(scop: Scop, cut: Cut) -> str:
    """Why what is handed over cannot be streams; empty where it can."""
    handed = sorted(handed_over(cut, scop))
    single = [array for array in handed if not scop.array(array).extents]
    if single:
        return f"`{single[0]}` is a single element"
    return "" if handed else "none needs anything of another one"


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
