"""testbench.cpp of several units: each gets its boxes of arrays, runs by itself, and gives its own back.

The test bench runs the units of a phase in another order for every data set: nothing may depend on it. It counts how
often each element is delivered, so that shares that overlap are found, and compares all with the original source. What
it does with boxes of arrays, the host does, too; but what one phase hands over to the next it puts together first.
Units that streams join run together, with FIFOs that are full at the depth they have on the board.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from sisyphus.analysis import Box, Stream
from sisyphus.backends.hls import interface
from sisyphus.backends.hls.host import print_compare
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.reference import ENTRY
from sisyphus.backends.hls.testbench import (
    TestArray,
    arguments_of_reference,
    asked_stack,
    dealt,
    divides_integers,
    memories,
    pitch,
    print_block,
    print_main,
    print_reference,
    print_scalars,
    stack_of,
)
from sisyphus.backends.hls.testbench_library import HALVES, LIBRARY, STACK, TRAP, VECTORS
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import HALF, Array, ArrayId, Scop
from sisyphus.plan import Plan, Port, beats, streams_between
from sisyphus.values import dataclass

SLABS = r"""
namespace {

// A box inside of an array: where its elements, in their own order, lie in the array.
struct Slab {
    std::size_t dimensions;
    const std::size_t *first, *extents, *whole;
    std::size_t at(std::size_t number) const {
        std::size_t found = 0, step = 1;
        for (std::size_t d = dimensions; d-- > 0;) {
            found += (first[d] + number % extents[d]) * step;
            number /= extents[d];
            step *= whole[d];
        }
        return found;
    }
    std::size_t count() const {
        std::size_t all = 1;
        for (std::size_t d = 0; d < dimensions; ++d) all *= extents[d];
        return all;
    }
};

// A unit is given its box of an array.
template <typename T, typename Port>
void deal(const T *data, const Slab &box, Port port, std::size_t last, std::size_t padded) {
    for (std::size_t n = 0; n < box.count(); ++n) element(port, place(n, last, padded)) = data[box.at(n)];
}

// What a unit delivers, `from` its own array `to` that of the source; `taken` counts.
template <typename T, typename Port>
void gather(Port port, const Slab &from, std::size_t last, std::size_t padded, T *data, const Slab &to,
            unsigned char *taken) {
    for (std::size_t n = 0; n < to.count(); ++n) {
        data[to.at(n)] = element(port, place(from.at(n), last, padded));
        if (taken[to.at(n)] < 255) ++taken[to.at(n)];
    }
}

// What units add up begins with zeros in all but the first of them, and is added to what that one delivers.
template <typename Port>
void clear(const Slab &box, Port port, std::size_t last, std::size_t padded) {
    for (std::size_t n = 0; n < box.count(); ++n) element(port, place(n, last, padded)) = 0;
}

template <typename T, typename Port>
void add(Port port, const Slab &from, std::size_t last, std::size_t padded, T *data, const Slab &to) {
    for (std::size_t n = 0; n < to.count(); ++n) data[to.at(n)] += element(port, place(from.at(n), last, padded));
}

// No element comes from two units.
void check_taken(const char *name, const unsigned char *taken, std::size_t count, Tally &tally) {
    for (std::size_t at = 0; at < count; ++at) {
        if (taken[at] < 2) continue;
        ++tally.mismatches;
        std::snprintf(tally.first, sizeof tally.first, "element %zu of %.40s comes from two units", at, name);
        return;
    }
}

}  // namespace
""".strip()


@dataclass(frozen=True, eq=False)
class UnitProgram:
    """What the programs know of a unit: its plan and names, the first element of each of its arrays, what it delivers.

    `slr` and `banks` are where it sits; `delivers` are boxes of the arrays of the source. Those of `adds` begin with
    zeros and are added to what others deliver. It runs after all units of lower phases, and gets what these deliver.
    """

    plan: Plan
    names: Names
    elements: Mapping[ArrayId, tuple[int, ...]]
    delivers: Mapping[ArrayId, Box]
    slr: int
    banks: tuple[int, ...]
    adds: frozenset[ArrayId] = frozenset()
    phase: int = 0

    @property
    def top(self) -> str:
        return self.names.of("top", self.plan.scop.name)

    @property
    def ports(self) -> tuple[Port, ...]:
        return interface.live_ports(self.plan)

    @property
    def delivered(self) -> tuple[Port, ...]:
        """The ports that results are taken from."""
        return tuple(p for p in interface.arrays(self.plan) if p.name in self.delivers and interface.is_written(p))

    @property
    def filled(self) -> tuple[Port, ...]:
        """The arrays that hold something before it starts."""
        return tuple(p for p in interface.arrays(self.plan) if p.direction != "out")

    def box(self, port: Port) -> Box:
        """What it has of an array, first and last element in each dimension, in the places of the source."""
        first = self.elements[ArrayId(port.copies or port.name)]
        return tuple((low, low + extent - 1) for low, extent in zip(first, port.extents, strict=True))

    def dealing(self, number: int, port: Port, memory: str, data: str) -> str:
        """The call that fills an array of this unit; `memory` as `gathering` has it."""
        box, array = f"box_{number}_{port.name}", port.copies or port.name
        return f"clear({box}, {memory});" if array in self.adds else f"deal({data}, {box}, {memory});"

    def gathering(self, number: int, port: Port, memory: str, data: str, taken: str) -> str:
        """The call that takes what this unit delivers of an array.

        `memory` says where it lies, its elements per row, and those from one row to the next.
        """
        place, last, padded = memory.rsplit(", ", 2)
        name = f"{number}_{port.name}"
        given = f"{place}, from_{name}, {last}, {padded}, {data}, to_{name}"
        return f"add({given});" if port.name in self.adds else f"gather({given}, {taken});"


def phases_of(units: Sequence[UnitProgram]) -> list[list[tuple[int, UnitProgram]]]:
    """The units that run at the same time, with their numbers, in the order of phases."""
    numbered = sorted(enumerate(units), key=lambda unit: unit[1].phase)
    return [list(members) for _, members in groupby(numbered, key=lambda unit: unit[1].phase)]


def joined(units: Sequence[UnitProgram]) -> tuple[Stream, ...]:
    """The streams between units."""
    return streams_between([unit.plan for unit in units])


def stream_name(stream: Stream) -> str:
    """What a stream is called in programs."""
    return f"stream_{stream.source}_{stream.sink}_{stream.array}"


def whole_of(scop: Scop, units: Sequence[UnitProgram]) -> Plan:
    """The source as a plan that moves nothing, for what the programs say of the source alone."""
    tree = any(unit.plan.tree_reduction or unit.adds for unit in units)
    return Plan(scop, ports=(), buffers=(), transfers=(), tasks=(), body=(), tree_reduction=tree)


def print_unit_testbench(scop: Scop, units: Sequence[UnitProgram], temporaries: Collection[str]) -> str:
    w, whole = Writer(), whole_of(scop, units)
    w.line(
        "// Runs all units, in orders that change, and the original source on the same data; compares every element."
    )
    w.lines(["#include <algorithm>", *(f'#include "kernel_{number}.h"' for number in range(len(units)))])
    if joined(units):
        w.lines(["#ifdef SISY_HLS_STREAM_H", "#include <sisy_turns.h>", "#endif"])
    w.line()
    vectors = any(p.width > 1 for unit in units for p in interface.arrays(unit.plan))
    stack = max((asked_stack(u.plan) for u in units), default=0)
    _library(w, scop, [(VECTORS, vectors)], [(STACK, bool(stack)), (TRAP, divides_integers(scop))])
    blocks = print_reference(w, whole, temporaries)
    print_slabs(w, scop, units)
    _run(w, whole, units, blocks)
    w.line()
    print_main(w, whole, stack)
    return w.text()


def _library(w: Writer, scop: Scop, before: Sequence[tuple[str, bool]], after: Sequence[tuple[str, bool]]) -> None:
    for part, needed in (*before, (LIBRARY, True), (HALVES, HALF in scop.types), (SLABS, True), *after):
        if needed:
            w.lines([*part.splitlines(), ""])


def print_slabs(w: Writer, scop: Scop, units: Sequence[UnitProgram]) -> None:
    """The box of each array of each unit, and of what it delivers inside of both."""
    for number, unit in enumerate(units):
        for port in (p for p in unit.ports if p.kind == "array"):
            array = ArrayId(port.copies or port.name)
            first, whole = unit.elements[array], scop.array(array).extents
            _slab(w, f"box_{number}_{port.name}", first, port.extents, whole)
            if port in unit.delivered:
                box = unit.delivers[array]
                print_box(w, f"from_{number}_{port.name}", unit, port, box)
                _slab(w, f"to_{number}_{port.name}", *_sides(box), whole)
    w.line()


def print_box(w: Writer, name: str, unit: UnitProgram, port: Port, box: Box) -> None:
    """A box in the places of the source, inside of the array of a unit."""
    low, extents = _sides(box)
    first = unit.elements[ArrayId(port.copies or port.name)]
    _slab(w, name, [at - start for at, start in zip(low, first, strict=True)], extents, port.extents)


def _sides(box: Box) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where a box begins, and its extents."""
    return tuple(low for low, _ in box), tuple(high - low + 1 for low, high in box)


def _slab(w: Writer, name: str, first: Sequence[int], extents: Sequence[int], whole: Sequence[int]) -> None:
    for kind, values in (("first", first), ("extents", extents), ("whole", whole)):
        w.line(f"static const std::size_t {name}_{kind}[] = {{{', '.join(map(str, values)) or '0'}}};")
    w.line(f"static const Slab {name} = {{{len(extents)}, {name}_first, {name}_extents, {name}_whole}};")


def memories_of(number: int, port: Port) -> list[str]:
    return memories(f"unit_{number}", port)


def _run(w: Writer, whole: Plan, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> None:
    traps = divides_integers(whole.scop)
    with w.block(f"static {'bool' if traps else 'void'} run(const char *asked, std::uint64_t seed, Tally &tally)"):
        w.line("const char *const set = data_of(asked);")
        print_scalars(w, whole)
        for block in blocks:
            print_block(w, block)
        kept = _kept(whole.scop, units, blocks)
        print_gathered(w, blocks, kept)
        together = {a.id for a in kept} | {b.array.id for b in blocks if b.compared}
        for number, unit in enumerate(units):
            for port in interface.arrays(unit.plan):
                for name in memories_of(number, port):
                    w.line(f"Block<{interface.beat_type(port)}> {name}({beats(port)});")
        source = f"{ENTRY}({', '.join(arguments_of_reference(whole.scop, list(blocks)))})"
        if traps:
            w.line("if (sigsetjmp(divided, 1) != 0) return false;")
            w.line(f"std::signal(SIGFPE, on_trap), {source}, std::signal(SIGFPE, SIG_DFL);")
        w.line("static unsigned turn = 0;")
        for members in phases_of(units):
            _phase(w, members, together, joined(units))
        w.line("++turn;")
        if not traps:
            w.line(f"{source};")
        print_compared(w, whole, blocks, kept)
        if traps:
            w.line("return true;")


def _layout(number: int, port: Port) -> str:
    """An array of a unit in its memory, with the elements of a row and from one row to the next."""
    pointers = [f"{name}.data()" for name in memories_of(number, port)]
    last, padded = pitch(port)
    return f"{dealt(port, interface.beat_type(port), pointers)}, {last}, {padded}"


def _kept(scop: Scop, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> list[Array]:
    """The arrays that phases hand over and nobody else wants."""
    compared = {b.array.id for b in blocks if b.compared}
    delivered = {p.name for unit in units for p in unit.delivered}
    return [array for array in scop.arrays if array.id in delivered - compared]


def _phase(
    w: Writer, members: Sequence[tuple[int, UnitProgram]], together: Collection[str], streams: Sequence[Stream]
) -> None:
    """Deals to the units of a phase, runs them, and gathers; what is put `together` is as the phases before left it."""
    for number, unit in members:
        for port in interface.arrays(unit.plan):
            name = port.copies or port.name
            data = f"{'whole' if name in together else 'data'}_{name}.data()"
            w.line(unit.dealing(number, port, _layout(number, port), data))
    if streams:
        _at_the_same_time(w, members, streams)
    else:
        _in_turn(w, members)
    for number, unit in members:
        for port in interface.arrays(unit.plan):
            w.lines(f'check_fence("{port.name}", {name}, tally);' for name in memories_of(number, port))
        for port in unit.delivered:
            to = f"whole_{port.name}.data()", f"taken_{port.name}.data()"
            w.line(unit.gathering(number, port, _layout(number, port), *to))


def _in_turn(w: Writer, members: Sequence[tuple[int, UnitProgram]]) -> None:
    """All units of a phase, one after another, in the next order of all."""
    with w.block(""):
        w.line(f"unsigned order[] = {{{', '.join(str(number) for number, _ in members)}}};")
        w.line(f"for (unsigned n = 0; n < turn; ++n) std::next_permutation(order, order + {len(members)});")
        with w.block("for (const unsigned next : order)"):
            w.line("const Flushing flushing(is_flushed(asked));")
            for number, unit in members:
                w.line(f"if (next == {number}) {_call(number, unit)};")


def _call(number: int, unit: UnitProgram, streams: Sequence[Stream] = ()) -> str:
    """A run of a unit on what the test bench has for it."""
    own = {s.array: stream_name(s) for s in streams if s.sink == number}
    own |= {s.port: stream_name(s) for s in streams if s.source == number}
    given = list[str]()
    for port in unit.ports:
        blocks = [f"{name}.data()" for name in memories_of(number, port)] if port.kind == "array" else []
        given += blocks or [f"scalar_{port.name}" if port.kind == "scalar" else own[port.name]]
    return f"{unit.top}({', '.join(given)})"


def _at_the_same_time(w: Writer, members: Sequence[tuple[int, UnitProgram]], streams: Sequence[Stream]) -> None:
    """All units at the same time; where streams have no bounds, as in C simulation, in the order of phases."""
    kinds = {port.name: interface.stream_type(port) for _, unit in members for port in interface.streams(unit.plan)}
    with w.block(""):
        w.line("const Flushing flushing(is_flushed(asked));")
        w.lines(f'{kinds[stream.array]} {stream_name(stream)}("{stream.array}");' for stream in streams)
        w.lines(["#ifdef SISY_HLS_STREAM_H", "Turns turns(seed + turn);"])
        w.lines(f"{stream_name(stream)}.between(turns, {stream.depth});" for stream in streams)
        for number, unit in members:
            w.line(f"turns.add({stack_of(unit.plan)}u, [&] {{ {_call(number, unit, streams)}; }});")
        w.line("if (!turns.run()) {")
        with w.indented():
            w.line("++tally.mismatches;")
            w.line('std::snprintf(tally.first, sizeof tally.first, "%s", turns.told());')
        w.lines(["}", "#else"])
        w.lines(f"{_call(number, unit, streams)};" for number, unit in members)
        w.line("#endif")
        for name in map(stream_name, streams):
            w.line(f"if (tally.mismatches == 0 && !{name}.empty()) {{")
            with w.indented():
                w.line("++tally.mismatches;")
                w.line(f'std::snprintf(tally.first, sizeof tally.first, "beats are left in {name}");')
            w.line("}")


def print_gathered(w: Writer, blocks: Sequence[TestArray], kept: Sequence[Array] = ()) -> None:
    """Where results come together: what the host has of each output, and how often each element was delivered.

    Of arrays that are `kept` between phases, locals begin with what no test sets.
    """
    begun = {b.array.id for b in blocks}
    for array in (*(b.array for b in blocks if b.compared), *kept):
        kind = array.type.stored
        w.line(f"Block<{kind.c_name}> whole_{array.id}({array.elements});")
        if array.id in begun:
            w.line(f"std::memcpy(whole_{array.id}.data(), data_{array.id}.data(), {array.elements * kind.bytes});")
        w.line(f"Block<unsigned char> taken_{array.id}({array.elements});")
        w.line(f"std::memset(taken_{array.id}.data(), 0, {array.elements});")


def print_compared(w: Writer, whole: Plan, blocks: Sequence[TestArray], kept: Sequence[Array] = ()) -> None:
    for block in (b for b in blocks if b.compared):
        print_compare(w, whole, block, "whole")
    for array in (*(b.array for b in blocks if b.compared), *kept):
        w.line(f'check_taken("{array.id}", taken_{array.id}.data(), {array.elements}, tally);')
