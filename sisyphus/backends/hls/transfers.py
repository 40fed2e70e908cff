"""Transfer functions: one function of bursts, or for a load through a FIFO a dataflow region of several; by stripes.

It knows which function calls which, not how a tile is walked.
"""

from __future__ import annotations

from sisyphus.backends.hls.bursts import BurstPrinter, Side, TransferSignature, function, return_beyond
from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.identifiers import Names, of_stripe
from sisyphus.backends.hls.loop_bounds import Iterators
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import FIFO_DEPTH, Direction, Plan, Transfer, copies_in
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine


def print_transfer(
    w: Writer, plan: Plan, names: Names, transfer: Transfer, *, ranges: Ranges, helpers: set[str]
) -> tuple[TransferSignature, ...]:
    """Writes a function for each stripe and says how to call it; `ranges` are those of the loops outside its copies.

    A load of later tiles returns at once where there is no later tile, as those did that were measured.
    """
    within = _within(plan, transfer)

    def printer(side: Side, stripe: int, within: tuple[Affine, ...] = ()) -> BurstPrinter:
        return BurstPrinter(w, plan, names, transfer, ranges, helpers, side, within, stripe)

    if plan.port_of(transfer).kind == "stream":
        return (printer(Side.SPREAD if transfer.direction is Direction.LOAD else Side.SEND, 0).print(),)
    stripes = range(plan.port_of(transfer).stripes)
    if not transfer.stream:
        return tuple(printer(Side.WHOLE, stripe, within).print() for stripe in stripes)
    pairs = ((printer(Side.FETCH, stripe), printer(Side.SPREAD, stripe)) for stripe in stripes)
    return tuple(_print_region(w, names, fetch, spread, within) for fetch, spread in pairs)


def _within(plan: Plan, transfer: Transfer) -> tuple[Affine, ...]:
    """What must be at least 0 for the transfer to move anything."""
    copies = (copy for task in plan.tasks for copy in copies_in(task.body))
    return next((copy.within for copy in copies if copy.transfer == transfer.id), ())


def _print_region(
    w: Writer, names: Names, fetch: BurstPrinter, spread: BurstPrinter, within: tuple[Affine, ...]
) -> TransferSignature:
    """The two processes of a load, and the dataflow region that joins them, which is called where there is a tile."""
    transfer, stripes, stripe = fetch.transfer, fetch.stripes, fetch.stripe
    inside = [fetch.print(), spread.print()]
    needed = tuple(sorted({i for signature in inside for i in signature.iterators}))
    kind = of_stripe("region" if within else "transfer", stripes, stripe)
    whole = TransferSignature(names.of(kind, transfer.id), needed)
    parameters, given = [fetch.port_parameter, *spread.buffer_parameter], ["port", *spread.buffers]
    iterators = Iterators(names, fetch.ranges, (), fetch.helpers)
    with function(w, whole.name, parameters, needed, iterators), w.indented():
        w.pragma("dataflow")
        w.line(f"{spread.fifo} fifo;")
        w.pragma(f"stream variable=fifo depth={FIFO_DEPTH}")
        for signature, ends in zip(inside, (["port", "fifo"], ["fifo", *spread.buffers]), strict=True):
            w.line(f"{signature.name}({', '.join([*ends, *(names.of('iterator', i) for i in signature.iterators)])});")
    if not within:
        return whole
    affines = Affines(names.iterators())
    body = Writer()
    with body.indented():
        return_beyond(body, affines, within)
        body.line(f"{whole.name}({', '.join([*given, *(names.of('iterator', i) for i in needed)])});")
    name = names.of(of_stripe("transfer", stripes, stripe), transfer.id)
    signature = TransferSignature(name, tuple(sorted({*needed, *affines.used})))
    with function(w, signature.name, parameters, signature.iterators, iterators):
        w.lines(body.text().splitlines())
    return signature
