"""testbench.cpp and host.cpp of several units: each gets its boxes of arrays, runs by itself, and gives its own back.

The test bench runs the units in another order for every data set: nothing may depend on it. Both programs count how
often each element is delivered, so that shares that overlap are found, and compare all with the original source.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from sisyphus.analysis import Box
from sisyphus.backends.hls import interface
from sisyphus.backends.hls.host import DISJOINT, INCLUDES, print_compare, print_host_main
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.reference import ENTRY
from sisyphus.backends.hls.testbench import (
    STACK_BYTES,
    TestArray,
    arguments_of_reference,
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
from sisyphus.ir import HALF, ArrayId, Scop
from sisyphus.plan import Plan, Port, beats
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

    `slr` and `banks` are where it sits; `delivers` are boxes of the arrays of the source.
    """

    plan: Plan
    names: Names
    elements: Mapping[ArrayId, tuple[int, ...]]
    delivers: Mapping[ArrayId, Box]
    slr: int
    banks: tuple[int, ...]

    @property
    def top(self) -> str:
        return self.names.of("top", self.plan.scop.name)

    @property
    def ports(self) -> tuple[Port, ...]:
        return interface.live_ports(self.plan)

    @property
    def delivered(self) -> tuple[Port, ...]:
        """The ports that results are taken from."""
        return tuple(p for p in self.ports if p.name in self.delivers and interface.is_written(p))


def whole_of(scop: Scop, units: Sequence[UnitProgram]) -> Plan:
    """The source as a plan that moves nothing, for what the programs say of the source alone."""
    tree = any(unit.plan.tree_reduction for unit in units)
    return Plan(scop, ports=(), buffers=(), transfers=(), tasks=(), body=(), tree_reduction=tree)


def print_unit_testbench(scop: Scop, units: Sequence[UnitProgram], temporaries: Collection[str]) -> str:
    w, whole = Writer(), whole_of(scop, units)
    w.line(
        "// Runs all units, in orders that change, and the original source on the same data; compares every element."
    )
    w.lines(["#include <algorithm>", *(f'#include "kernel_{number}.h"' for number in range(len(units)))])
    w.line()
    vectors = any(p.width > 1 for unit in units for p in interface.arrays(unit.plan))
    stack = max((stack_of(u.plan) for u in units if u.plan.onchip_bytes > STACK_BYTES), default=0)
    _library(w, scop, [(VECTORS, vectors)], [(STACK, bool(stack)), (TRAP, divides_integers(scop))])
    blocks = print_reference(w, whole, temporaries)
    _slabs(w, scop, units)
    _run(w, whole, units, blocks)
    w.line()
    print_main(w, whole, stack)
    return w.text()


def _library(w: Writer, scop: Scop, before: Sequence[tuple[str, bool]], after: Sequence[tuple[str, bool]]) -> None:
    for part, needed in (*before, (LIBRARY, True), (HALVES, HALF in scop.types), (SLABS, True), *after):
        if needed:
            w.lines([*part.splitlines(), ""])


def _slabs(w: Writer, scop: Scop, units: Sequence[UnitProgram]) -> None:
    """The box of each array of each unit, and of what it delivers inside of both."""
    for number, unit in enumerate(units):
        for port in (p for p in unit.ports if p.kind == "array"):
            array = ArrayId(port.copies or port.name)
            first, whole = unit.elements[array], scop.array(array).extents
            _slab(w, f"box_{number}_{port.name}", first, port.extents, whole)
            if port in unit.delivered:
                box = unit.delivers[array]
                extents, low = tuple(high - low + 1 for low, high in box), tuple(low for low, _ in box)
                inside = tuple(at - start for at, start in zip(low, first, strict=True))
                _slab(w, f"from_{number}_{port.name}", inside, extents, port.extents)
                _slab(w, f"to_{number}_{port.name}", low, extents, whole)
    w.line()


def _slab(w: Writer, name: str, first: Sequence[int], extents: Sequence[int], whole: Sequence[int]) -> None:
    for kind, values in (("first", first), ("extents", extents), ("whole", whole)):
        w.line(f"static const std::size_t {name}_{kind}[] = {{{', '.join(map(str, values)) or '0'}}};")
    w.line(f"static const Slab {name} = {{{len(extents)}, {name}_first, {name}_extents, {name}_whole}};")


def _memories(number: int, port: Port) -> list[str]:
    return memories(f"unit_{number}", port)


def _run(w: Writer, whole: Plan, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> None:
    traps = divides_integers(whole.scop)
    with w.block(f"static {'bool' if traps else 'void'} run(const char *asked, std::uint64_t seed, Tally &tally)"):
        w.line("const char *const set = data_of(asked);")
        print_scalars(w, whole)
        for block in blocks:
            print_block(w, block)
        _gathered(w, blocks)
        for number, unit in enumerate(units):
            for port in interface.arrays(unit.plan):
                for name in _memories(number, port):
                    w.line(f"Block<{interface.beat_type(port)}> {name}({beats(port)});")
                w.line(
                    f"deal(data_{port.copies or port.name}.data(), box_{number}_{port.name}, {_layout(number, port)});"
                )
        source = f"{ENTRY}({', '.join(arguments_of_reference(whole.scop, list(blocks)))})"
        if traps:
            w.line("if (sigsetjmp(divided, 1) != 0) return false;")
            w.line(f"std::signal(SIGFPE, on_trap), {source}, std::signal(SIGFPE, SIG_DFL);")
        _in_turn(w, units)
        if not traps:
            w.line(f"{source};")
        for number, unit in enumerate(units):
            for port in interface.arrays(unit.plan):
                w.lines(f'check_fence("{port.name}", {name}, tally);' for name in _memories(number, port))
            for port in unit.delivered:
                _gather(w, number, port, _layout(number, port))
        _compare(w, whole, blocks)
        if traps:
            w.line("return true;")


def _layout(number: int, port: Port) -> str:
    """An array of a unit in its memory, with the elements of a row and from one row to the next."""
    pointers = [f"{name}.data()" for name in _memories(number, port)]
    last, padded = pitch(port)
    return f"{dealt(port, interface.beat_type(port), pointers)}, {last}, {padded}"


def _in_turn(w: Writer, units: Sequence[UnitProgram]) -> None:
    """All units, one after another, in the next order of all."""
    count = len(units)
    w.line("static unsigned turn = 0;")
    w.line(f"unsigned order[] = {{{', '.join(map(str, range(count)))}}};")
    w.line(f"for (unsigned n = 0; n < turn; ++n) std::next_permutation(order, order + {count});")
    w.line("++turn;")
    with w.block("for (const unsigned next : order)"):
        w.line("const Flushing flushing(is_flushed(asked));")
        for number, unit in enumerate(units):
            given = [
                text
                for port in unit.ports
                for text in (
                    [f"scalar_{port.name}"]
                    if port.kind == "scalar"
                    else [f"{name}.data()" for name in _memories(number, port)]
                )
            ]
            w.line(f"if (next == {number}) {unit.top}({', '.join(given)});")


def _gathered(w: Writer, blocks: Sequence[TestArray]) -> None:
    """Where results come together: what the host has of each output, and how often each element was delivered."""
    for block in (b for b in blocks if b.compared):
        array = block.array
        w.line(f"Block<{array.type.stored.c_name}> whole_{array.id}({array.elements});")
        w.line(
            f"std::memcpy(whole_{array.id}.data(), data_{array.id}.data(), {array.elements * array.type.stored.bytes});"
        )
        w.line(f"Block<unsigned char> taken_{array.id}({array.elements});")
        w.line(f"std::memset(taken_{array.id}.data(), 0, {array.elements});")


def _gather(w: Writer, number: int, port: Port, layout: str) -> None:
    place, last, padded = layout.rsplit(", ", 2)
    to = f"whole_{port.name}.data(), to_{number}_{port.name}, taken_{port.name}.data()"
    w.line(f"gather({place}, from_{number}_{port.name}, {last}, {padded}, {to});")


def _compare(w: Writer, whole: Plan, blocks: Sequence[TestArray]) -> None:
    for block in (b for b in blocks if b.compared):
        print_compare(w, whole, block, "whole")
        name = block.array.id
        w.line(f'check_taken("{name}", taken_{name}.data(), {block.array.elements}, tally);')


def print_unit_host(scop: Scop, units: Sequence[UnitProgram], temporaries: Collection[str]) -> str:
    w, whole = Writer(), whole_of(scop, units)
    w.line("// Runs all units on a board through XRT, at the same time, and compares with the original source.")
    w.lines([*INCLUDES.splitlines(), ""])
    halves = [f"#define {HALF.c_name} {HALF.c99_name}", ""] if HALF in scop.types else []
    w.lines([*LIBRARY.splitlines(), "", *halves, *(HALVES.splitlines() if halves else []), "", *SLABS.splitlines(), ""])
    w.lines([*DISJOINT.splitlines(), ""])
    blocks = print_reference(w, whole, temporaries)
    _slabs(w, scop, units)
    _board(w, scop, units, blocks)
    w.line()
    _host_run(w, whole, units, blocks)
    w.line()
    print_host_main(w)
    return w.text()


def _used(units: Sequence[UnitProgram]) -> frozenset[str]:
    """The arrays and scalars of the source that some unit takes."""
    return frozenset(p.copies or p.name for unit in units for p in unit.ports)


def _given(units: Sequence[UnitProgram]) -> frozenset[str]:
    """The arrays of the source whose data some unit is given."""
    return frozenset(p.copies or p.name for u in units for p in u.ports if p.kind == "array" and p.direction != "out")


def _delivered(units: Sequence[UnitProgram]) -> frozenset[str]:
    """The arrays of the source that some unit delivers a part of."""
    return frozenset(p.name for unit in units for p in unit.delivered)


def _taken_scalars(scop: Scop, units: Sequence[UnitProgram]) -> list[str]:
    used = _used(units)
    return [f"{a.type.stored.c_name} scalar_{a.name}" for a in scop.scalars if a.name in used]


def _board(w: Writer, scop: Scop, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> None:
    """The class that owns device and units, and is called like the source's function."""
    used = _used(units)
    mine = [b for b in blocks if b.array.id in used]
    with w.block("class Kernel", tail="};"):
        w.line("public:")
        starts = [f'unit_{n}_(device_, uuid_, "{u.top}:{{{u.top}_1}}")' for n, u in enumerate(units)]
        w.line("Kernel(const std::string &xclbin, unsigned device)")
        w.line(f"    : device_(device), uuid_(device_.load_xclbin(xclbin)), {', '.join(starts)} {{}}")
        w.line()
        w.line("// Arrays as in the source; returns seconds on the board, without transfers.")
        parameters = _taken_scalars(scop, units)
        for block in mine:
            kind, name = block.array.type.stored.c_name, block.array.id
            parameters += [f"const {kind} *data_{name}"] if name in _given(units) else []
            parameters += [f"{kind} *whole_{name}, unsigned char *taken_{name}"] if name in _delivered(units) else []
        with w.block(f"double operator()({', '.join(parameters)})"):
            _board_call(w, units)
        w.line()
        w.line("private:")
        w.lines(["xrt::device device_;", "xrt::uuid uuid_;", *(f"xrt::kernel unit_{n}_;" for n in range(len(units)))])


def _board_call(w: Writer, units: Sequence[UnitProgram]) -> None:
    for number, unit in enumerate(units):
        firsts = [sum(before.stripes for before in unit.ports[:at]) for at in range(len(unit.ports))]
        for at, port in ((at, p) for at, p in zip(firsts, unit.ports, strict=True) if p.kind == "array"):
            kind, size = port.type.c_name, beats(port) * port.width // port.stripes * port.type.bytes
            for argument, name in enumerate(_memories(number, port), at):
                w.line(f"xrt::bo bo_{name}(device_, {size}, unit_{number}_.group_id({argument}));")
                w.line(f"{kind} *{name} = bo_{name}.map<{kind} *>();")
            if port.direction != "out":
                w.line(f"deal(data_{port.copies or port.name}, box_{number}_{port.name}, {_mapped(number, port)});")
                w.lines(f"bo_{name}.sync(XCL_BO_SYNC_BO_TO_DEVICE);" for name in _memories(number, port))
    w.line("const auto begin = std::chrono::steady_clock::now();")
    for number, unit in enumerate(units):
        given = [
            text
            for p in unit.ports
            for text in ([f"scalar_{p.name}"] if p.kind == "scalar" else [f"bo_{n}" for n in _memories(number, p)])
        ]
        w.line(f"auto run_{number} = unit_{number}_({', '.join(given)});")
    for number in range(len(units)):
        w.line(
            f"if (run_{number}.wait() != ERT_CMD_STATE_COMPLETED) "
            f'throw std::runtime_error("unit {number} did not complete");'
        )
    w.line("const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;")
    for number, unit in enumerate(units):
        for port in unit.delivered:
            w.lines(f"bo_{name}.sync(XCL_BO_SYNC_BO_FROM_DEVICE);" for name in _memories(number, port))
            place, last, padded = _mapped(number, port).rsplit(", ", 2)
            to = f"whole_{port.name}, to_{number}_{port.name}, taken_{port.name}"
            w.line(f"gather({place}, from_{number}_{port.name}, {last}, {padded}, {to});")
    w.line("return seconds.count();")


def _mapped(number: int, port: Port) -> str:
    last, padded = pitch(port)
    return f"{dealt(port, port.type.c_name, _memories(number, port))}, {last}, {padded}"


def _host_run(w: Writer, whole: Plan, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> None:
    used = _used(units)
    with w.block("static double run(Kernel &kernel, const char *set, std::uint64_t seed, Tally &tally)"):
        print_scalars(w, whole)
        for block in blocks:
            print_block(w, block)
        _gathered(w, blocks)
        given = [f"scalar_{a.name}" for a in whole.scop.scalars if a.name in used]
        extents = []
        for block in (b for b in blocks if b.array.id in used):
            name = block.array.id
            extents.append(
                f'{{"{name}", data_{name}.data(), {prod(block.array.extents) * block.array.type.stored.bytes}}}'
            )
            given += [f"data_{name}.data()"] if name in _given(units) else []
            given += [f"whole_{name}.data(), taken_{name}.data()"] if name in _delivered(units) else []
        w.line(f"check_disjoint({{{', '.join(extents)}}});")
        w.line(f"const double seconds = kernel({', '.join(given)});")
        w.line(f"{ENTRY}({', '.join(arguments_of_reference(whole.scop, list(blocks)))});")
        _compare(w, whole, blocks)
        w.line("return seconds;")
