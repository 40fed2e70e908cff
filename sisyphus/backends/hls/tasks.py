"""A task as a C++ function: loops by role, guards, held scalars and statements; knows no port beyond its copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from math import prod

from sisyphus.backends.hls.buffers import (
    array_parameter,
    buffer_name,
    declare_buffer,
    declared_names,
    looked_up_storage,
    stripes_along,
)
from sisyphus.backends.hls.bursts import TransferSignature, return_beyond
from sisyphus.backends.hls.common_values import common_values
from sisyphus.backends.hls.elements import Elements
from sisyphus.backends.hls.express import Affines, Expressions
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.interface import parameters, pointers
from sisyphus.backends.hls.loop_bounds import UPDATED, Bounds, Iterators
from sisyphus.backends.hls.loops import print_loop
from sisyphus.backends.hls.tile_tables import picked, print_rows, print_table, promises
from sisyphus.backends.hls.writer import Writer
from sisyphus.errors import InternalError
from sisyphus.ir import ALL_TYPES, ArrayId, Expr, Ref, substitute
from sisyphus.plan import (
    EXCHANGE,
    Bound,
    Buffer,
    Call,
    Copy,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Run,
    Skip,
    Task,
    TileList,
    Together,
    is_copied_work,
    tables_in,
    walk,
)
from sisyphus.plan.ranges import Ranges, ranges_of
from sisyphus.poly import Affine, const, var
from sisyphus.target import table_storage


def is_local(buffer: Buffer, task: Task) -> bool:
    """Whether a buffer lives under a tile loop of this task."""
    tiles = (node for node in walk(task.body) if isinstance(node, For) and node.role is LoopRole.TILE)
    return any(buffer.place in (loop.source, loop.iterator) for loop in tiles)


def _alone(node: Node) -> tuple[Run, bool] | None:
    """The statement that a node is, and whether its value is computed for certain; None where there is more to it."""
    match node:
        case Run():
            return node, True
        case Guard(body=(Run() as run,), skip=skip):
            return run, skip is Skip.SELECT
    return None


class TaskPrinter:
    """Prints one task; afterwards `declared` says which buffers live inside its function alone.

    What its coarse-grained copies do, or what is done with a tile while the next one is loaded, becomes a function of
    its own, as only calls can run side by side: printed in the same way, as a task of `kind` copy, tile or exchange,
    that returns at once where one of `within` is below 0.
    """

    def __init__(
        self,
        plan: Plan,
        task: Task,
        names: Names,
        signatures: Mapping[str, Sequence[TransferSignature]],
        *,
        outer: Ranges,
        helpers: set[str],
        kind: str = "task",
        within: tuple[Affine, ...] = (),
    ) -> None:
        self.within = within
        self.plan, self.task, self.names, self.signatures, self.kind = plan, task, names, signatures, kind
        self.outer, self.helpers = outer, helpers
        self.affines = Affines(names.iterators())
        self.elements = Elements(plan, task, names, self.affines, helpers)
        self.bounds = Bounds(self.affines, helpers, self.elements.quotient)
        self.w = Writer()
        self._copies: list[str] = []
        self._buffers: set[str] = set()
        self._scalars: set[str] = set()
        self._tables: set[str] = set()
        self._looked_up: set[str] = set()
        self._ports: set[str] = set()
        self.expressions = Expressions(
            self.affines, scalar=self._scalar, element=self._element, helpers=helpers, table=self._table
        )
        self._numbers = count()
        self._held: dict[ArrayId, str] = {}
        self._around: list[For] = []
        self._lists: list[TileList] = []
        self._ranges = outer
        self._tables_at = {id(table.loops[0]): table for table in tables_in(plan, task)}
        self.declared: set[str] = set()

    def print(self, w: Writer) -> tuple[str, ...]:
        """Writes the function; returns the arguments of a call, in order, as identifiers of the caller."""
        with self.w.indented():
            return_beyond(self.w, self.affines, self.within)
            self._nodes(self.task.body, self.outer)
        local = [
            b for b in map(self.plan.buffer, self.task.buffers) if is_local(b, self.task) and b.id in self._buffers
        ]
        self.declared = {buffer.id for buffer in local}
        parameters, arguments = self._parameters(local)
        w.lines(self._copies)
        w.line(f"static void {self.names.of(self.kind, self.task.name)}({', '.join(parameters)}) {{")
        w.pragma("inline off")
        for table in sorted(self._tables):
            w.pragma(f"bind_storage variable={self.names.of('table', table)} type=rom_np impl={self._impl(table)}")
        for table in sorted(self._looked_up):
            storage = looked_up_storage(self.plan.buffer(table))
            w.pragma(f"bind_storage variable={self.names.of('buffer', table)} {storage}")
        with w.indented():
            self._given().begin(w, self._outer_iterators())
            for tiles in self._lists:
                print_table(w, self.names, self.task.name, tiles, self.affines.used)
            for buffer in local:
                for name in declared_names(self.names, buffer):
                    declare_buffer(w, buffer, name, stripes=self.plan.stripes_of(buffer))
        w.lines(self.w.text().splitlines())
        w.line("}")
        w.line()
        return arguments

    def _parameters(self, local: Sequence[Buffer]) -> tuple[list[str], tuple[str, ...]]:
        """Ports, buffers, scalars and outer iterators that the body uses, declared and by name."""
        found: list[tuple[str, str]] = []
        for port in self.plan.ports:
            if port.kind == "array" and port.name in self._ports:
                given = pointers(port, self.names)
                found += zip(parameters(port, given), given, strict=True)
        for buffer in self.plan.buffers:
            if buffer.id in self._buffers and buffer not in local:
                name = self.names.of("buffer", buffer.id)
                declared = array_parameter(buffer, name, self.plan.stripes_of(buffer))
                found.append((declared, buffer_name(self.names, buffer)))
        for port in self.plan.ports:
            if port.kind == "scalar" and port.name in self._scalars:
                given = pointers(port, self.names)
                found += zip(parameters(port, given), given, strict=True)
        iterators = self._outer_iterators()
        names = (self.names.of("iterator", iterator) for iterator in iterators)
        found += zip(self._given().parameters(iterators), names, strict=True)
        for counted, digit in self.elements.counted:
            name = counted.name(digit, self.names)
            found.append((f"{counted.type(digit, self.outer)} {name}", name))
        return [declaration for declaration, _ in found], tuple(name for _, name in found)

    def _outer_iterators(self) -> list[str]:
        """Those that the body uses."""
        inside = {node.iterator for node in walk(self.task.body) if isinstance(node, For)}
        return [iterator for iterator in self.task.iterators if iterator in self.affines.used - inside]

    def _given(self) -> Iterators:
        used = [buffer for buffer in self.plan.buffers if buffer.id in self._buffers]
        return Iterators(self.names, self.outer, used, self.helpers)

    def _nodes(self, nodes: Sequence[Node], ranges: Ranges) -> None:
        self._ranges = ranges
        before = dict(self.expressions.named)
        self._name_common_values(nodes)
        for node in nodes:
            self._ranges = ranges
            self._node(node, ranges)
        self.expressions.named = before

    def _name_common_values(self, nodes: Sequence[Node]) -> None:
        """What statements of a body without loops have in common, where it is computed for certain."""
        runs = [found for node in nodes if (found := _alone(node)) is not None]
        if len(runs) < len(nodes):
            return
        values = [self._value(run) for run, is_certain in runs if is_certain]
        written = {self.plan.scop.statement(run.statement).write.array for run, _ in runs}
        for value in common_values(values, written, self.expressions.named):
            number = next(self._numbers)
            name = self.names.give("value", str(number), f"value_{number}")
            self.w.line(f"const {value.type.c_name} {name} = {self.expressions.value(value)};")
            self.expressions.named[value] = name

    def _node(self, node: Node, ranges: Ranges) -> None:
        match node:
            case For() if (table := self._tables_at.get(id(node))) is not None:
                self._listed(table, ranges)
            case For():
                self._loop(node, ranges)
            case Guard(conditions=conditions, body=(Run() as run,), skip=Skip.KEEP | Skip.SELECT):
                self._run(run, node)
            case Guard(conditions=conditions, body=body):
                with self.w.block(f"if ({self.affines.conditions(conditions)})"):
                    self._nodes(body, ranges)
            case Hold():
                self._hold(node, ranges)
            case Together(body=body) if any(isinstance(part, Function) for part in body):
                self._in_versions(body, ranges)
            case Together(body=body):
                self._nodes(body, ranges)
            case Run():
                self._run(node)
            case Copy():
                self._copy(node)
            case Function():
                raise InternalError(f"task `{self.task.name}` has a function beside nothing")
            case Call(task=task):
                raise InternalError(f"task `{self.task.name}` calls task `{task}`")

    def _loop(self, node: For, ranges: Ranges) -> None:
        if (stripes := stripes_along(self.plan, self.task, node)) > 1:
            self._written_out(node, stripes, ranges)
            return
        self._around.append(node)
        with print_loop(self.w, node, self.bounds, self.names, ranges) as inside:
            if node.role is LoopRole.PIPELINED:
                self._picks()
            if is_copied_work(node):
                self._call_copy(node.body, inside)
            else:
                self._nodes(node.body, inside)
        self._around.pop()

    def _written_out(self, node: For, stripes: int, ranges: Ranges) -> None:
        """An unrolled loop whose body stands there once for each stripe, so that the text names the stripe.

        What is left of the iterations, fewer than stripes, comes behind it.
        """
        first, trips = node.lower.value or 0, node.trip_count
        turns = trips // stripes
        loop = replace(node, lower=Bound.constant(0), upper=Bound.constant(turns - 1), trip_count=turns)
        inside = {**ranges, **ranges_of(node, ranges)}
        with print_loop(self.w, loop, self.bounds, self.names, ranges) if turns > 1 else nullcontext():
            turn = var(node.iterator) if turns > 1 else const(0)
            for stripe in range(min(stripes, trips)):
                self._iteration(node, turn * stripes + (first + stripe), inside)
        for left in range(max(turns, 1) * stripes, trips):
            self._iteration(node, const(first + left), inside)

    def _iteration(self, node: For, value: Affine, ranges: Ranges) -> None:
        """The body of a loop for one value of its iterator."""
        before = self.affines.given
        self.affines.given = {**before, node.iterator: value}
        with self.w.block("", tail="}") if any(isinstance(n, Hold) for n in node.body) else nullcontext():
            self._nodes(node.body, ranges)
        self.affines.given = before

    def _listed(self, table: TileList, ranges: Ranges) -> None:
        """One loop over a table, whose rows are read where the pipelined loop needs them: nothing stands between."""
        values = {loop.iterator: (min(column), max(column)) for loop, column in table.columns()}
        self._lists.append(table)
        self._around += table.loops
        with print_rows(self.w, self.affines, self.names, self.task.name, table):
            self._nodes(table.body, {**ranges, **values})
        del self._around[-len(table.loops) :]

    def _picks(self) -> None:
        """What a start of the pipelined loop reads of a table, and how far apart starts are that share an element."""
        for table in self._lists:
            for promise in promises(self.plan, self.task, self.names, self._around, table):
                self.w.pragma(promise)
            self.w.later(partial(picked, self.names, self.task.name, table, self.affines.used))

    def _in_versions(self, body: tuple[Node, ...], ranges: Ranges) -> None:
        """Calls beside each other for every copy of the buffers between them, each with arrays of its own."""
        copied = [buffer for buffer in map(self.plan.buffer, self.task.buffers) if buffer.turn is not None]
        [turn], [copies] = {buffer.turn for buffer in copied}, {buffer.copies for buffer in copied}
        parts = [part for part in body if isinstance(part, Function)]
        functions = [(part.name, *self._function(part.name, part.body, ranges, part.within)) for part in parts]
        given = {self.names.of("buffer", buffer.id): buffer for buffer in copied}
        which = f"{self.affines.factor(turn or const(0))} % {copies}"
        for version in range(copies):
            word = "if" if version == 0 else "else if"
            with self.w.block(f"{word} ({which} == {version})"):
                for copy in (part for part in body if isinstance(part, Copy)):
                    self._copy(copy, version)
                for kind, function, arguments in functions:
                    own = version + (kind == EXCHANGE)
                    named = (buffer_name(self.names, given[a], own) if a in given else a for a in arguments)
                    self.w.line(f"{function}({', '.join(named)});")

    def _call_copy(self, body: tuple[Node, ...], ranges: Ranges) -> None:
        """The function of one copy, printed before this one, and its call."""
        function, arguments = self._function("copy", body, ranges)
        self.w.line(f"{function}({', '.join(arguments)});")

    def _function(
        self, kind: str, body: tuple[Node, ...], ranges: Ranges, within: tuple[Affine, ...] = ()
    ) -> tuple[str, tuple[str, ...]]:
        """A function of some kind, printed before this one, and the arguments of a call."""
        around = tuple(name for name in ranges if name not in self.outer)
        work = replace(self.task, body=body, iterators=(*self.task.iterators, *around))
        printer = TaskPrinter(
            self.plan, work, self.names, self.signatures, outer=ranges, helpers=self.helpers, kind=kind, within=within
        )
        function = Writer()
        arguments = printer.print(function)
        self._copies += function.text().splitlines()
        self._buffers |= printer._buffers - printer.declared
        self._scalars |= printer._scalars
        self._ports |= printer._ports
        self.affines.used |= printer.affines.used
        self.elements.counted |= printer.elements.counted
        return self.names.of(kind, self.task.name), arguments

    def _hold(self, node: Hold, ranges: Ranges) -> None:
        if node.ref.array in self._held:
            raise InternalError(f"`{node.name}` holds an element of `{node.ref.array}` inside another one")
        element, name = self._element(node.ref), self.names.of("hold", node.name)
        kind = self.plan.buffer_for(self.task, node.ref.array).type.c_name
        with ExitStack() as scope:
            if self._is_crowded(node):
                scope.enter_context(self.w.block("", tail="}"))
            self.w.line(f"{kind} {name} = {element};")
            self._held[node.ref.array] = name
            self._nodes(node.body, ranges)
            del self._held[node.ref.array]
            self.w.line(f"{element} = {name};")

    def _is_crowded(self, node: Hold) -> bool:
        """Whether another held scalar of this name may live in the same block."""
        return sum(isinstance(n, Hold) and n.name == node.name for n in walk(self.task.body)) > 1

    def _value(self, run: Run) -> Expr:
        """The right side of a statement where it runs."""
        return substitute(self.plan.scop.statement(run.statement).rhs, dict(run.values))

    def _run(self, node: Run, guard: Guard | None = None) -> None:
        """The assignment; under a guard that keeps the element, one that always happens."""
        statement = self.plan.scop.statement(node.statement)
        values = dict(node.values)
        target = self._element(statement.write.substitute(values))
        expressions, value = self.expressions, self._value(node)
        kind = self.plan.scop.array(statement.write.array).type
        if guard is None:
            self.w.line(f"{target} = {expressions.value(value)};")
            return
        conditions = self.affines.conditions(guard.conditions)
        if guard.skip is Skip.SELECT and kind in ALL_TYPES:
            helper = f"{UPDATED}{kind.key}"
            self.helpers.add(helper)
            self.w.line(f"{target} = {helper}({conditions}, {target}, {expressions.value(value)});")
        else:
            self.w.line(f"{target} = {conditions} ? {expressions.converted(value, kind)} : {target};")

    def _impl(self, name: str) -> str:
        """What a constant table is kept in."""
        table = next(table for table in self.plan.scop.tables if table.id == name)
        return table_storage(prod(table.extents), table.type.bits)

    def _table(self, name: str) -> str:
        if name in self.plan.scop.looked_up:
            buffer = self.plan.buffer_for(self.task, ArrayId(name))
            self._buffers.add(buffer.id)
            self._looked_up.add(buffer.id)
            return self.names.of("buffer", buffer.id)
        self._tables.add(name)
        return self.names.of("table", name)

    def _scalar(self, name: str) -> str:
        self._scalars.add(name)
        return self.names.of("port", name)

    def _element(self, ref: Ref) -> str:
        """An array element in its buffer, or the scalar that holds it."""
        if ref.array in self._held:
            return self._held[ref.array]
        buffer = self.plan.buffer_for(self.task, ref.array)
        self._buffers.add(buffer.id)
        return self.elements.text(buffer, ref, self._ranges)

    def _copy(self, node: Copy, turn: int = 0) -> None:
        """A transfer where the copies of its buffer take this turn: of a later tile, into the one of its own turn."""
        transfer, at = self.plan.transfer(node.transfer), dict(node.at)
        buffer, port = self.plan.buffer(transfer.buffer), self.plan.port_of(transfer)
        self._ports.add(port.name)
        self._buffers.add(transfer.buffer)
        which: int | None = turn
        if self.kind == EXCHANGE:
            which = None  # the caller says with which copy
        elif buffer.turn is not None:
            there = buffer.turn.substitute(at)
            which = turn + (there if there.is_constant else there - buffer.turn).constant
        signatures = self.signatures[transfer.id]
        given = [self.affines.text(at.get(i, var(i))) for i in signatures[0].iterators]
        self.w.lines(copy_calls(self.plan, self.names, transfer.id, signatures, given, which))


def copy_calls(
    plan: Plan,
    names: Names,
    transfer_id: str,
    signatures: Sequence[TransferSignature],
    given: Sequence[str] | None = None,
    turn: int | None = None,
) -> list[str]:
    """The statements that run a transfer once, one for each stripe, its iterators `given` or as they are."""
    transfer, found = plan.transfer(transfer_id), []
    buffers = [buffer_name(names, buffer, turn) for buffer in plan.filled_by(transfer)]
    ports = pointers(plan.port_of(transfer), names)
    for number, (port, signature) in enumerate(zip(ports, signatures, strict=True)):
        iterators = given if given is not None else [names.of("iterator", i) for i in signature.iterators]
        parts = buffers if len(ports) == 1 else [f"{buffer}[{number}]" for buffer in buffers]
        found.append(f"{signature.name}({', '.join([port, *parts, *iterators])});")
    return found
