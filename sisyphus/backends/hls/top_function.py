"""kernel.h and kernel.cpp of a plan: the top function, its interface, and the order of copies and calls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from sisyphus.backends.hls import interface
from sisyphus.backends.hls.apart import Counted, count_on, counting, with_banks_apart
from sisyphus.backends.hls.buffers import declare_buffer
from sisyphus.backends.hls.bursts import TransferSignature
from sisyphus.backends.hls.express import Affines, Expressions
from sisyphus.backends.hls.identifiers import Names, plan_names
from sisyphus.backends.hls.loop_bounds import HELPERS, NARROW, UPDATED, Bounds
from sisyphus.backends.hls.loops import print_loop
from sisyphus.backends.hls.tasks import TaskPrinter, copy_calls, is_local
from sisyphus.backends.hls.transfers import print_transfer
from sisyphus.backends.hls.writer import Writer
from sisyphus.errors import InternalError
from sisyphus.ir import HALF
from sisyphus.ir import Call as MathCall
from sisyphus.ir import walk as walk_expr
from sisyphus.plan import Call, Copy, For, Guard, Node, Plan, beats, copies_in, walk
from sisyphus.plan.ranges import Ranges
from sisyphus.plan.walks import ranges_at, transfer_ranges
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class TopFunction:
    """The two files and the name of the top function in them."""

    header: str
    source: str
    top: str


def print_kernel(plan: Plan, header: str = "kernel.h") -> TopFunction:
    """`header` is the name of the file that declares the top function."""
    names = plan_names(plan)
    plan = with_banks_apart(plan)
    return TopFunction(_header(plan, names), _Source(plan, names, header).text(), names.of("top", plan.scop.name))


def _signature(plan: Plan, names: Names) -> str:
    ports = interface.live_ports(plan)
    parameters = [text for p in ports for text in interface.parameters(p, interface.pointers(p, names))]
    return f"void {names.of('top', plan.scop.name)}({', '.join(parameters)})"


def _header(plan: Plan, names: Names) -> str:
    w = Writer()
    guard = f"SISY_{names.of('top', plan.scop.name).upper()}_H"
    w.lines([f"#ifndef {guard}", f"#define {guard}", ""])
    streams = interface.streams(plan)
    if streams:
        w.lines(["#include <hls_stream.h>", ""])
    if any(p.width > 1 for p in (*interface.arrays(plan), *streams)):
        w.lines(["#include <hls_vector.h>", ""])
    if HALF in plan.scop.types:
        w.lines(["#include <hls_half.h>", ""])
    w.line('extern "C" {')
    for port in (p for p in interface.arrays(plan) if p.copies is not None):
        data = names.of("port", port.copies or port.name)
        w.line(f"// `{names.of('port', port.name)}` is given the data of `{data}` a second time, in memory of its own.")
    for port in (p for p in interface.arrays(plan) if p.stripes > 1):
        told = ", ".join(f"`{name}`" for name in interface.pointers(port, names))
        w.line(f"// The elements of each row of `{port.name}` are dealt in turn over {told}.")
    w.lines([f"{_signature(plan, names)};", "}", "", "#endif"])
    return w.text()


class _Source:
    def __init__(self, plan: Plan, names: Names, header: str) -> None:
        self.plan, self.names, self.tasks, self.header = plan, names, plan.called, header
        self.helpers: set[str] = set()
        self.outer = ranges_at(plan.body, {})
        self.body = Writer()
        self.signatures: dict[str, tuple[TransferSignature, ...]] = {}
        self.arguments: dict[str, tuple[str, ...]] = {}
        self.counted: dict[str, set[Counted]] = {}

    def text(self) -> str:
        self._transfers()
        for task in self.tasks:
            printer = TaskPrinter(self.plan, task, self.names, self.signatures, outer=self.outer, helpers=self.helpers)
            self.arguments[task.name] = printer.print(self.body)
            self.counted[task.name] = {counted for counted, _ in printer.elements.counted}
        self._top()
        head = Writer()
        head.line(f'#include "{self.header}"')
        if self._calls_math():
            head.line("#include <hls_math.h>")
        if any(t.stream and self.plan.port_of(t).kind == "array" for t in self.plan.transfers):
            head.line("#include <hls_stream.h>")
        if NARROW in self.helpers or self._has_widths():
            head.line(f"#include <{NARROW}>")
        head.line()
        self._tables(head)
        for name in sorted(self.helpers - {NARROW}):
            declaration, *lines = HELPERS[name]
            with head.block(declaration):
                if name.startswith(UPDATED):
                    head.pragma("inline")
                for line in lines:
                    head.line(line)
            head.line()
        return head.text() + self.body.text()

    def _tables(self, w: Writer) -> None:
        """Constant tables, which every function may read."""

        def unknown(part: object) -> str:
            raise InternalError(f"{part} in a constant table")

        values = Expressions(Affines({}), scalar=unknown, element=unknown, helpers=self.helpers)
        for table in self.plan.scop.tables:
            name, extents = self.names.of("table", table.id), "".join(f"[{e}]" for e in table.extents)
            with w.block(f"static const {table.type.c_name} {name}{extents} =", tail="};"):
                # Without braces of their own, rows follow each other as in memory.
                w.lines(textwrap.wrap(", ".join(values.value(value) for value in table.values), 110))
            w.line()

    def _calls_math(self) -> bool:
        return any(isinstance(e, MathCall) for s in self.plan.scop.statements for e in walk_expr(s.rhs))

    def _has_widths(self) -> bool:
        """Whether there are integers of a width that C has not."""
        return any(kind != kind.stored for kind in self.plan.scop.types)

    def _transfers(self) -> None:
        """Every transfer that is copied somewhere, for the iterators of all places where it is."""
        places = transfer_ranges(self.plan)
        for transfer in (t for t in self.plan.transfers if t.id in places and not t.joins):
            self.signatures[transfer.id] = print_transfer(
                self.body, self.plan, self.names, transfer, ranges=places[transfer.id], helpers=self.helpers
            )

    def _top(self) -> None:
        w = self.body
        w.line('extern "C" {')
        w.line(f"{_signature(self.plan, self.names)} {{")
        self._pragmas(w)
        with w.indented():
            used = self._buffers_at_top()
            for buffer in self.plan.buffers:
                if buffer.id in used:
                    is_table = buffer.array in self.plan.scop.looked_up
                    name, stripes = self.names.of("buffer", buffer.id), self.plan.stripes_of(buffer)
                    declare_buffer(w, buffer, name, stripes=stripes, looked_up=is_table)
            affines = Affines(self.names.iterators())
            self._nodes(self.plan.body, Bounds(affines, self.helpers), {})
        w.line("}")
        w.line("}")

    def _is_needed(self, quotient: str, inside: Sequence[Node]) -> bool:
        """Whether a task or a transfer of these is given it; a tile that is as wide as its array needs none."""
        called = (node.task for node in walk(inside) if isinstance(node, Call))
        copied = (self.signatures.get(copy.transfer, ()) for copy in copies_in(inside))
        return any(self.names.of("iterator", quotient) in self.arguments[task] for task in called) or any(
            quotient in one.iterators for signatures in copied for one in signatures
        )

    def _pragmas(self, w: Writer) -> None:
        for port in interface.arrays(self.plan):
            pairs = zip(interface.pointers(port, self.names), interface.bundles(port, self.names), strict=True)
            for name, bundle in pairs:
                w.pragma(f"interface mode=m_axi port={name} bundle={bundle} offset=slave depth={beats(port)}")
        for port in interface.streams(self.plan):
            w.pragma(f"interface mode=axis port={self.names.of('port', port.name)}")
        for port in (p for p in interface.live_ports(self.plan) if p.kind != "stream"):
            for name in interface.pointers(port, self.names):
                w.pragma(f"interface mode=s_axilite port={name}")
        w.pragma("interface mode=s_axilite port=return")

    def _buffers_at_top(self) -> set[str]:
        """Buffers that are passed to some task or copy by the top function."""
        used = {self.plan.transfer(copy.transfer).buffer for copy in copies_in(self.plan.body)}
        named = {self.names.of("buffer", b.id): b.id for b in self.plan.buffers}
        for task in self.tasks:
            used |= {named[a] for a in self.arguments[task.name] if a in named}
        local = {b.id for t in self.tasks for b in self.plan.buffers if b.id in t.buffers and is_local(b, t)}
        return used - local

    def _nodes(self, nodes: Sequence[Node], bounds: Bounds, ranges: Ranges) -> None:
        w = self.body
        for node in nodes:
            match node:
                case For():
                    self._loop(node, bounds, ranges)
                case Guard(conditions=conditions, body=body):
                    with w.block(f"if ({bounds.affines.conditions(conditions)})"):
                        self._nodes(body, bounds, ranges)
                case Copy(transfer=transfer) if self.plan.transfer(transfer).joins:
                    pass  # the call of the load that it joins fills its buffer
                case Copy(transfer=transfer):
                    w.lines(copy_calls(self.plan, self.names, transfer, self.signatures[transfer]))
                case Call(task=task):
                    w.line(f"{self.names.of('task', task)}({', '.join(self.arguments[task])});")
                case _:
                    raise InternalError(f"{type(node).__name__} outside a task in the plan of `{self.plan.scop.name}`")

    def _loop(self, loop: For, bounds: Bounds, ranges: Ranges) -> None:
        """A loop around calls, which counts banks and words for the tasks that it calls."""
        needed = replace(loop, quotients=tuple(q for q in loop.quotients if self._is_needed(q[0], loop.body)))
        called = [node.task for node in walk(loop.body) if isinstance(node, Call)]
        found = {counted for name in called for counted in self.counted[name] if counted.iterator == loop.iterator}
        counters = sorted(found, key=str)
        with (
            counting(self.body, loop, counters, self.names, self.outer),
            print_loop(self.body, needed, bounds, self.names, ranges) as inside,
        ):
            self._nodes(loop.body, bounds, inside)
            count_on(self.body, counters, self.names)
