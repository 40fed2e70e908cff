"""Transfer functions: one function of bursts, or where a load is a stream, a dataflow region of several.

It knows which function calls which, not how a tile is walked.
"""

from __future__ import annotations

from sisyphus.backends.hls.bursts import BurstPrinter, Side, TransferSignature, function, return_beyond
from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.interface import beat_type
from sisyphus.backends.hls.loop_bounds import Iterators
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import FIFO_DEPTH, Plan, Transfer, copies_in
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine


def print_transfer(
    w: Writer, plan: Plan, names: Names, transfer: Transfer, *, ranges: Ranges, helpers: set[str]
) -> TransferSignature:
    """Writes one function and says how to call it; `ranges` are those of the loops outside its copies.

    A load of later tiles returns at once where there is no later tile, as those did that were measured.
    """
    within = _within(plan, transfer)
    if transfer.stream:
        return _print_region(w, plan, names, transfer, ranges, helpers, within)
    return BurstPrinter(w, plan, names, transfer, ranges, helpers, Side.WHOLE, within).print()


def _within(plan: Plan, transfer: Transfer) -> tuple[Affine, ...]:
    """What must be at least 0 for the transfer to move anything."""
    copies = (copy for task in plan.tasks for copy in copies_in(task.body))
    return next((copy.within for copy in copies if copy.transfer == transfer.id), ())


def _print_region(
    w: Writer,
    plan: Plan,
    names: Names,
    transfer: Transfer,
    ranges: Ranges,
    helpers: set[str],
    within: tuple[Affine, ...],
) -> TransferSignature:
    """The processes of a load, one for each port and one for the buffer, and the dataflow region that joins them.

    The region is called where there is a tile.
    """
    stripes = range(plan.port_of(transfer).stripes)
    sides = (*((Side.FETCH, (at,)) for at in stripes), (Side.SPREAD, tuple(stripes)))
    printers = [BurstPrinter(w, plan, names, transfer, ranges, helpers, side, stripes=part) for side, part in sides]
    inside = [printer.print() for printer in printers]
    needed = tuple(sorted({i for signature in inside for i in signature.iterators}))
    whole = TransferSignature(names.of("region" if within else "transfer", transfer.id), needed)
    *fetches, spread = printers
    parameters = [*(text for fetch in fetches for text in fetch.port_parameter), *spread.buffer_parameter]
    with function(w, whole.name, parameters, needed, Iterators(names, ranges, (), helpers)), w.indented():
        w.pragma("dataflow")
        for fifo in spread.fifos:
            w.line(f"hls::stream<{beat_type(spread.port)}> {fifo};")
            w.pragma(f"stream variable={fifo} depth={FIFO_DEPTH}")
        for printer, signature in zip(printers, inside, strict=True):
            ends = [*printer.fifos, *spread.buffers] if printer is spread else [*printer.ports, *printer.fifos]
            given = [names.of("iterator", i) for i in signature.iterators]
            w.line(f"{signature.name}({', '.join([*ends, *given])});")
    if not within:
        return whole
    affines = Affines(names.iterators())
    body = Writer()
    with body.indented():
        return_beyond(body, affines, within)
        ends = [*(port for fetch in fetches for port in fetch.ports), *spread.buffers]
        body.line(f"{whole.name}({', '.join([*ends, *(names.of('iterator', i) for i in needed)])});")
    signature = TransferSignature(names.of("transfer", transfer.id), tuple(sorted({*needed, *affines.used})))
    with function(w, signature.name, parameters, signature.iterators, Iterators(names, ranges, (), helpers)):
        w.lines(body.text().splitlines())
    return signature
