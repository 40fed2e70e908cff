"""Functions of bursts between ports, FIFOs and buffers; knows ports, buffers and tiles, not what is computed.

A transfer walks the rows of its tile; the dimensions that a buffer holds whole, and the one outside them, make one run
of consecutive beats:

    for (row0 ...) for (beat ...) { line = port[start + beat]; buffer[row0][column] = line; }

A load in the form of a stream is a dataflow region (`transfers.py`) of two such functions, with a FIFO between them:

    for (row0 ...) for (beat ...) fifo.write(port[start + beat]);
    for (row0 ...) for (beat ...) { line = fifo.read(); buffer[row0][column] = line; }

An array that comes from another unit has the second of them alone, whose FIFO is a port; one that goes to another unit:

    for (row0 ...) for (beat ...) { line = buffer[row0][column]; fifo.write(line); }

Where an array lies in memory in columns of beats, its transfers walk the columns, and in each the rows:

    for (column ...) for (row0 ...) { line = port[start + rows * column + row0]; buffer[row0][column] = line; }

An array that is dealt over several ports has such functions for each stripe: each knows its own port and the part of a
buffer that it fills or reads, and nothing of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from math import ceil, prod

from sisyphus.backends.hls.buffers import array_parameter, subscripts
from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.identifiers import Names, of_stripe
from sisyphus.backends.hls.interface import beat_type, stream_type
from sisyphus.backends.hls.loop_bounds import NARROW, Iterators, divides_by, narrowest
from sisyphus.backends.hls.writer import Writer
from sisyphus.errors import InternalError
from sisyphus.plan import Buffer, Direction, Plan, Transfer, as_it_lies, layout_extents
from sisyphus.plan.ranges import Ranges
from sisyphus.plan.walks import Walk, hangs_over, settled, walk_of
from sisyphus.poly import Affine, affine_range, const
from sisyphus.space import COLUMNS
from sisyphus.values import dataclass


class Side(Enum):
    """What a loop over beats stands between."""

    WHOLE = "port and buffer"
    FETCH = "port and FIFO"
    SPREAD = "FIFO and buffer"
    SEND = "buffer and FIFO"


@dataclass(frozen=True)
class TransferSignature:
    """How a transfer function is called: the iterators it needs after its port and its buffer."""

    name: str
    iterators: tuple[str, ...]


def buffer_names(filled: Sequence[Buffer]) -> list[str]:
    """What a transfer calls the buffers that it fills, or the one that it reads."""
    return ["buffer", *(f"buffer{at}" for at in range(1, len(filled)))]


def return_beyond(w: Writer, affines: Affines, within: tuple[Affine, ...]) -> None:
    """Lines that leave the function where there is nothing to move."""
    for limit in within:
        w.line(f"if ({affines.conditions((-limit - 1,))}) return;")


@contextmanager
def function(
    w: Writer, name: str, parameters: list[str], iterators: tuple[str, ...], given: Iterators
) -> Iterator[None]:
    """A function that is a module of its own."""
    w.line(f"static void {name}({', '.join([*parameters, *given.parameters(iterators)])}) {{")
    w.pragma("inline off")
    with w.indented():
        given.begin(w, iterators)
    yield
    w.line("}")
    w.line()


class BurstPrinter:
    """Writes one function of bursts, for one side of a transfer."""

    def __init__(
        self,
        w: Writer,
        plan: Plan,
        names: Names,
        transfer: Transfer,
        ranges: Ranges,
        helpers: set[str],
        side: Side,
        within: tuple[Affine, ...] = (),
        stripe: int = 0,
    ) -> None:
        self.side, self.within = side, within
        self.w, self.names, self.transfer, self.ranges, self.helpers = w, names, transfer, ranges, helpers
        whole, filled = plan.port_of(transfer), plan.filled_by(transfer)
        self.stripe, self.stripes, self.port = stripe, whole.stripes, whole.of_one_stripe
        self.filled = filled if whole.stripes == 1 else tuple(b.of_one_stripe(whole.stripes) for b in filled)
        self.buffer, self.buffers, self.in_columns = self.filled[0], buffer_names(self.filled), whole.layout == COLUMNS
        in_rows = self.buffer, self.port
        self.buffer, self.port = as_it_lies(*in_rows)
        # the lanes of a beat are elements of a row, of the buffer and the array as they are, or as a packed tile lies
        self.held, self.array = in_rows if self.in_columns else (self.buffer, self.port)
        self.affines = Affines(names.iterators())
        self.load = transfer.direction is Direction.LOAD
        self.width = self.port.width
        self.sizes = self.buffer.extents
        self.origin = settled(self.buffer, ranges)
        if transfer.width != whole.width:
            raise InternalError(f"transfer `{transfer.id}` is {transfer.width} wide on a port of {whole.width}")

    @property
    def port_parameter(self) -> str:
        return f"{'const ' if self.load else ''}{beat_type(self.port)} *port"

    @property
    def fifo(self) -> str:
        """The type of what beats pass through between two processes."""
        return stream_type(self.port)

    @property
    def buffer_parameter(self) -> list[str]:
        return [array_parameter(buffer, name) for buffer, name in zip(self.filled, self.buffers, strict=True)]

    def print(self) -> TransferSignature:
        body = Writer()
        outer, self.w = self.w, body
        with body.indented():
            return_beyond(body, self.affines, self.within)
            self._body()
        fifo = f"{self.fifo} &fifo"
        kind, parameters = {
            Side.WHOLE: ("transfer", [self.port_parameter, *self.buffer_parameter]),
            Side.FETCH: ("fetch", [self.port_parameter, fifo]),
            Side.SPREAD: ("spread", [fifo, *self.buffer_parameter]),
            Side.SEND: ("transfer", [fifo, *self.buffer_parameter]),
        }[self.side]
        kind = "transfer" if self.port.kind == "stream" else kind
        name = self.names.of(of_stripe(kind, self.stripes, self.stripe), self.transfer.id)
        signature = TransferSignature(name, tuple(sorted(self.affines.used)))
        divided = () if self.side is Side.FETCH else self.filled
        given = Iterators(self.names, self._asked(), divided, self.helpers)
        with function(outer, signature.name, parameters, signature.iterators, given):
            outer.lines(body.text().splitlines())
        return signature

    def _asked(self) -> Ranges:
        """What the iterators are called with: where a load looks for a tile, also those just behind the last one.

        Where tiles are stored late, also two before the first and behind the last one.
        """
        late = {name for limit in self.within for name in limit.names}
        before = 2 * (self.buffer.copies > 1 and len(self.within) > 1)
        ahead = before or self.buffer.copies - 1
        asked = ((name, bounds, name in late) for name, bounds in self.ranges.items())
        return {name: (low - before * on, high + ahead * on) for name, (low, high), on in asked}

    def _body(self) -> None:
        match walk_of(self.buffer, self.port, self.origin):
            case Walk.ELEMENT:
                self.w.line("buffer = port[0];" if self.load else self._put("0", "buffer"))
            case Walk.RUN:
                self._flat()
            case Walk.ROWS:
                self._rows()

    def _row_beats(self) -> int:
        """Beats from one row of the last dimension to the next."""
        return layout_extents(self.port)[-1] // self.width

    def _rows(self) -> None:
        """A run of beats for every row of the tile, or every column of beats."""
        last_at, counters = len(self.sizes) - 1, self._counters("beat")
        strides = [prod(self.port.extents[at + 1 : -1]) * self._row_beats() for at in range(last_at)]
        terms, start = list[str](), self._in_beats(self.origin[-1])
        with ExitStack() as nest:
            for at in range(last_at):
                self._loop(nest, counters[at], *self._clip(at), self._trips(at))
                terms.append(counters[at] if strides[at] == 1 else f"{strides[at]} * {counters[at]}")
                start = start + self.origin[at] * strides[at]
            self._loop(nest, counters[-1], *self._clip(last_at, self.width), self._trips(last_at, self.width))
            self._pipeline()
            self._beat(start, [*terms, counters[-1]], counters)

    def _flat(self) -> None:
        """One run of beats; counters follow the dimensions."""
        wraps, counters = [*self.sizes[1:-1], self._row_beats()], self._counters("column")
        beats = prod(wraps)
        first, last = self._clip(0)
        counts = self.side is not Side.FETCH
        for at, counter in enumerate(counters if counts else ()):
            most = self.sizes[0] if at == 0 else wraps[at - 1]
            self.w.line(f"{self._counter(at, most)} {counter} = {first if at == 0 else '0'};")
        total = str(int(last) * beats) if last.isdigit() else f"{beats} * {last}"
        begin = str(int(first) * beats) if first.isdigit() else f"{beats} * {first}"
        with ExitStack() as nest:
            least, most = self._trips(0)
            self._loop(nest, "beat", begin, total, (least * beats, most * beats))
            self._pipeline()
            self._beat(self.origin[0] * beats, ["beat"], counters)
            if counts:
                self._advance(counters, wraps)

    def _counters(self, column: str) -> list[str]:
        """The counters of the loops, outermost first: of rows, then of beats in one; or of columns, then of rows."""
        rows = [f"row{at}" for at in range(len(self.sizes) - 1)]
        return ["column", *rows] if self.in_columns else [*rows, column]

    def _counter(self, at: int, most: int) -> str:
        """The type of a counter that goes up to `most`: no wider where a remainder of it picks the bank."""
        dim = (at - self.in_columns) % len(self.sizes)
        if not any(divides_by(buffer, dim) for buffer in self.filled):
            return "int"
        self.helpers.add(NARROW)
        return narrowest(0, most)

    def _advance(self, counters: list[str], wraps: list[int]) -> None:
        """The innermost counter goes on; one that is through starts again and moves the next."""
        with ExitStack() as carry:
            for counter, wrap in zip(reversed(counters[1:]), reversed(wraps), strict=True):
                carry.enter_context(self.w.block(f"if (++{counter} == {wrap})"))
                self.w.line(f"{counter} = 0;")
            self.w.line(f"++{counters[0]};")

    def _clip(self, at: int, unit: int = 1) -> tuple[str, str]:
        """First index and first index past the end, in a buffer dimension, that lie inside the array."""
        size, extent = self.sizes[at], self.port.extents[at]
        before, behind = hangs_over(self.origin[at], self.ranges, size=size, extent=extent, unit=unit)
        first, last = "0", str(-(-size // unit))
        if before:
            self.helpers.add("larger")
            outside = self._over(-self.origin[at], unit, up=False)
            first = f"larger(0, {outside})"
        if behind:
            self.helpers.add("smaller")
            inside = self._over(-self.origin[at] + extent, unit, up=True)
            last = f"smaller({last}, {inside})"
        return first, last

    def _trips(self, at: int, unit: int = 1) -> tuple[int, int]:
        """How many indices of a buffer dimension lie inside the array, at least and at most."""
        low, high = affine_range(self.origin[at], self.ranges)
        size, extent = self.sizes[at], self.port.extents[at]
        inside = [max(0, min(size, extent - origin) - max(0, -origin)) for origin in (low, high)]
        return ceil(min(inside) / unit), ceil(size / unit)

    def _over(self, value: Affine, unit: int, *, up: bool) -> str:
        """A count of elements as a count of beats."""
        if unit == 1:
            return self.affines.text(value)
        rounded = value + (unit - 1) if up and value.constant % unit else value
        if all(c % unit == 0 for _, c in value.terms):
            whole = Affine.of(((n, c // unit) for n, c in value.terms), rounded.constant // unit)
            return self.affines.text(whole)
        raise self._misplaced()

    def _in_beats(self, value: Affine) -> Affine:
        if any(c % self.width for _, c in value.terms) or value.constant % self.width:
            raise self._misplaced()
        return Affine.of(((n, c // self.width) for n, c in value.terms), value.constant // self.width)

    def _misplaced(self) -> InternalError:
        return InternalError(
            f"transfer `{self.transfer.id}`: a tile of `{self.transfer.array}` does not start at a whole beat of "
            f"{self.width} elements"
        )

    def _loop(self, nest: ExitStack, counter: str, first: str, last: str, trips: tuple[int, int]) -> None:
        nest.enter_context(self.w.block(f"for (int {counter} = {first}; {counter} < {last}; ++{counter})"))
        if not (first.isdigit() and last.isdigit()):
            self.w.pragma(f"loop_tripcount min={trips[0]} max={trips[1]}")

    def _pipeline(self) -> None:
        """Each bank has two ports (docs/model.md): more lanes of a beat than that in one bank take further cycles."""
        if self.side is Side.FETCH:
            self.w.pragma("pipeline II=1")
            return
        row = self.held.extents[-1]
        banks = min(row, *(buffer.partition[-1] for buffer in self.filled))
        lanes = ceil(min(self.width, row) / banks)
        self.w.pragma(f"pipeline II={ceil(lanes / 2)}")

    def _sum(self, start: Affine, *terms: str) -> str:
        text = " + ".join(terms)
        if start == const(0):
            return text
        return f"{self.affines.text(start)} + {text}"

    def _begin(self, address: str) -> None:
        """The line of the beat that the body is about: read from port or FIFO, or still to be filled."""
        kind = beat_type(self.port)
        self.w.line(f"const {kind} line = {self._source(address)};" if self.load else f"{kind} line;")

    def _source(self, address: str) -> str:
        return "fifo.read()" if self.side is Side.SPREAD else f"port[{address}]"

    def _put(self, address: str, held: str) -> str:
        """The statement that stores a beat."""
        return f"fifo.write({held});" if self.side is Side.SEND else f"port[{address}] = {held};"

    def _beat(self, start: Affine, terms: list[str], counters: list[str]) -> None:
        """The body of the innermost loop: one beat between the port, or the FIFO, and its lanes in the buffer."""
        column, rows = (counters[0], counters[1:]) if self.in_columns else (counters[-1], counters[:-1])
        address = "" if self.side in (Side.SPREAD, Side.SEND) else self._sum(start, *terms)
        if self.side is Side.FETCH:
            self.w.line(f"fifo.write({self._source(address)});")
            return
        if self.width == 1:
            element = f"buffer{subscripts(self.filled[0], (*rows, column))}"
            self.w.line(f"{element} = {self._source(address)};" if self.load else self._put(address, element))
            return
        self._begin(address)
        for buffer, name in zip(self.filled, self.buffers, strict=True):
            self._lanes(buffer, name, rows, column)
        if not self.load:
            self.w.line(self._put(address, "line"))

    def _lanes(self, buffer: Buffer, name: str, rows: Sequence[str], column: str) -> None:
        """All lanes of a beat and their places in a buffer."""
        factor, row = buffer.partition[-1], self.held.extents[-1]
        if factor & (factor - 1) and factor < row:
            # a loop over the lanes would take as many cycles as a bank without partition (docs/model.md)
            for at in range(self.width):
                index = f"{self.width} * {column} + {at}" if at else f"{self.width} * {column}"
                element = name + subscripts(buffer, (*rows, index))
                self._lane(element, index, f"line[{at}]", always=at < row % self.width)
        else:
            with self.w.block(f"for (int lane = 0; lane < {self.width}; ++lane)"):
                self.w.pragma("unroll")
                index = f"{self.width} * {column} + lane"
                self._lane(name + subscripts(buffer, (*rows, index)), index, "line[lane]", always=False)

    def _lane(self, element: str, index: str, held: str, *, always: bool) -> None:
        """`always`: the lane holds an element of the tile in the last beat of a row too."""
        size, zero = self.held.extents[-1], f"({self.port.type.c_name})0"
        hangs_over = size % self.width != 0 and not always
        if self.load:
            self.w.line(f"{f'if ({index} < {size}) ' if hangs_over else ''}{element} = {held};")
        elif hangs_over:
            self._check_padding()
            self.w.line(f"{held} = {index} < {size} ? {self._stored(element)} : {zero};")
        else:
            self.w.line(f"{held} = {element};")

    def _stored(self, element: str) -> str:
        """An element as the port has it."""
        kind = self.port.type
        return element if self.buffer.type == kind else f"({kind.c_name}){element}"

    def _check_padding(self) -> None:
        """What a store writes beside the tile must be padding, not elements of the array."""
        low, _ = affine_range(self.held.origin[-1], self.ranges)
        if low + self.held.extents[-1] < self.array.extents[-1]:
            raise InternalError(f"store `{self.transfer.id}` would overwrite elements beside its tile")
