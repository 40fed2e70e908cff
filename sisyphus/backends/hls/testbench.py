"""testbench.cpp: runs the kernel and the original on the same data and compares every element; knows no loop.

It prints one line per data set, which `verify` reads back, and returns non-zero on any difference.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sisyphus.backends.hls import interface
from sisyphus.backends.hls.express import is_exact
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.reference import ENTRY, entry_arguments, entry_parameters
from sisyphus.backends.hls.testbench_library import HALVES, LIBRARY, STACK, TRAP, VECTORS
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import HALF, Array, Binary, Call, Role, ScalarType, Scop, walk
from sisyphus.plan import Plan, Port, beats, layout_extents
from sisyphus.values import dataclass

FLOAT_SETS = ("random", "dominant", "zeros", "negatives", "denormals", "large")
#: The kernel runs with subnormal numbers flushed to zero, as on AMD's cores, and its results are compared, not judged.
FLUSHED = "flushed_"
FLUSHED_SETS = (f"{FLUSHED}random", f"{FLUSHED}denormals")
INTEGER_SETS = ("random", "dominant", "zeros", "negatives")
#: For integer division: without zeros, and numbers of the whole width, which are seldom any given divisor.
DIVIDING_SETS = ("dominant", "negatives", "wide")
#: For integers of a width that C has not: what they hold at most is tried.
WIDE_SETS = ("wide",)
TREE_TOLERANCE = {16: 2e-2, 32: 1e-4, 64: 1e-10}
LIBRARY_TOLERANCE = {16: 2e-3, 32: 1e-5, 64: 1e-12}
# Beyond this a larger stack is asked for: on-chip arrays are local variables to a C++ compiler.
STACK_BYTES = 1 << 20


@dataclass(frozen=True)
class TestArray:
    """One array of the source: its port in the kernel if it has one, whether its final value counts.

    `copies` are further ports that are given the same data.
    """

    array: Array
    port: Port | None
    compared: bool
    copies: tuple[Port, ...] = ()


def data_sets(plan: Plan) -> tuple[str, ...]:
    """Names of the data sets that make sense for a kernel, most telling first.

    Integer division rules out data with many zeros; reassociated sums of huge values overflow differently.
    """
    types = {a.type for a in plan.scop.arrays} | {a.type for a in plan.scop.scalars}
    if divides_integers(plan.scop):
        return DIVIDING_SETS
    whole = WIDE_SETS if any(t != t.stored for t in types) else ()
    if not any(t.is_float for t in types):
        return (*INTEGER_SETS, *whole)
    return tuple(s for s in (*FLOAT_SETS, *whole, *FLUSHED_SETS) if not (plan.tree_reduction and s == "large"))


def divides_integers(scop: Scop) -> bool:
    """Whether some data make the source stop at a division by zero."""
    parts = (expr for statement in scop.statements for expr in walk(statement.rhs))
    return any(isinstance(e, Binary) and e.op in ("/", "%") and not e.type.is_float for e in parts)


def tolerance(plan: Plan, kind: ScalarType) -> float:
    """Largest relative error allowed against the original; 0 is bit for bit."""
    return TREE_TOLERANCE[kind.bits] if plan.tree_reduction and kind.is_float else 0.0


def print_testbench(plan: Plan, names: Names, *, temporaries: Collection[str] = ()) -> str:
    """The final values of all arrays that the source writes are compared, those in `temporaries` excepted."""
    w = Writer()
    w.line("// Runs the kernel and the original source on the same data and compares every element.")
    w.line('#include "kernel.h"')
    w.line()
    vectors = any(p.width > 1 for p in interface.arrays(plan))
    stack, trap = asked_stack(plan), divides_integers(plan.scop)
    halves = HALF in plan.scop.types
    for part, needed in ((VECTORS, vectors), (LIBRARY, True), (HALVES, halves), (STACK, bool(stack)), (TRAP, trap)):
        if needed:
            w.lines(part.splitlines())
            w.line()
    blocks = print_reference(w, plan, temporaries)
    _run(w, plan, names, blocks)
    w.line()
    print_main(w, plan, stack)
    return w.text()


def print_reference(w: Writer, plan: Plan, temporaries: Collection[str]) -> list[TestArray]:
    """The entry of the original source, and how far results may be from its own; returns the arrays to compare."""
    w.line(f'extern "C" void {ENTRY}({", ".join(entry_parameters(plan.scop))});')
    w.line()
    blocks = _blocks_of(plan, temporaries)
    _print_library_tolerances(w, plan, blocks)
    return blocks


def _blocks_of(plan: Plan, temporaries: Collection[str]) -> list[TestArray]:
    ports = {p.name: p for p in interface.arrays(plan)}
    found = []
    known = {a.id: a for a in plan.scop.arrays}
    for argument in plan.scop.arguments:
        if argument.kind == "array" and argument.name in known:
            array = known[argument.name]  # type: ignore[index]
            compared = array.role in (Role.OUT, Role.INOUT) and array.id not in temporaries
            copies = tuple(port for port in ports.values() if port.copies == argument.name)
            found.append(TestArray(array, ports.get(argument.name), compared, copies))
    return found


def _run(w: Writer, plan: Plan, names: Names, blocks: list[TestArray]) -> None:
    traps = divides_integers(plan.scop)
    with w.block(f"static {'bool' if traps else 'void'} run(const char *asked, std::uint64_t seed, Tally &tally)"):
        w.line("const char *const set = data_of(asked);")
        print_scalars(w, plan)
        for block in blocks:
            _allocate(w, block)
        given = [text for port in interface.live_ports(plan) for text in kernel_arguments(port)]
        call = f"{names.of('top', plan.scop.name)}({', '.join(given)})"
        source = f"{ENTRY}({', '.join(arguments_of_reference(plan.scop, blocks))})"
        if traps:
            w.line("if (sigsetjmp(divided, 1) != 0) return false;")
            w.line(f"std::signal(SIGFPE, on_trap), {source}, std::signal(SIGFPE, SIG_DFL);")
        with w.block(""):
            w.line("const Flushing flushing(is_flushed(asked));")
            w.line(f"{call};")
        if not traps:
            w.line(f"{source};")
        for block in blocks:
            _compare(w, plan, block)
        if traps:
            w.line("return true;")


def arguments_of_reference(scop: Scop, blocks: list[TestArray]) -> list[str]:
    """What the entry is called with; an array that no statement touches is a null pointer."""
    known = {b.array.id for b in blocks}
    return [
        f"scalar_{a.name}" if a.kind == "scalar" else f"data_{a.name}.data()" if a.name in known else "nullptr"
        for a in entry_arguments(scop)
    ]


def stack_of(plan: Plan) -> int:
    """Bytes: what is on chip or local in the source, sanitizers' red zones, and the rest of the program."""
    return (2 * _large(plan) + (16 << 20) + 4095) // 4096 * 4096


def asked_stack(plan: Plan) -> int:
    """Bytes of the stack that a program has to ask for; 0 where every program has them."""
    return stack_of(plan) if _large(plan) > STACK_BYTES else 0


def _large(plan: Plan) -> int:
    return plan.onchip_bytes + plan.scop.origin.local_bytes


def kernel_arguments(port: Port) -> list[str]:
    """What the kernel is called with for a port."""
    return [f"scalar_{port.name}"] if port.kind == "scalar" else [f"{block}.data()" for block in memories("port", port)]


def memories(kind: str, port: Port) -> list[str]:
    """The names of what each stripe of an array lies in."""
    return [f"{kind}_{port.name}"] if port.stripes == 1 else [f"{kind}_{port.name}_{n}" for n in range(port.stripes)]


def dealt(port: Port, beat: str, pointers: Sequence[str]) -> str:
    """An array in memory, whose elements are found in all of its stripes, or in tiles that lie one after another."""
    kind, memory = f"{beat} *", pointers[0]
    if port.stripes > 1:
        kind = f"Dealt<{beat}, {port.stripes}>"
        memory = f"{kind}{{{{{', '.join(pointers)}}}}}"
    if not port.tile:
        return memory
    sizes = ", ".join(f"{{{', '.join(map(str, own))}}}" for own in (port.extents, port.tile))
    return f"Tiled<{kind}, {len(port.tile)}>{{{memory}, {sizes}, {layout_extents(port)[-1]}}}"


def _as_port(block: TestArray) -> Port:
    """The block's port; an array that the kernel does not take is kept as it was, to compare with."""
    array = block.array
    return block.port or Port(name=array.id, kind="array", type=array.type.stored, extents=array.extents)


def print_block(w: Writer, block: TestArray) -> None:
    """An array of the source with its data."""
    array, name, extents = block.array, block.array.id, block.array.extents
    diagonal = extents[0] if len(extents) == 2 and extents[0] == extents[1] else 0
    w.line(f"Block<{array.type.stored.c_name}> data_{name}({array.elements});")
    w.line(f"fill(data_{name}.data(), {array.elements}, set, random, {diagonal});")
    if array.type != array.type.stored:
        w.line(f"for (std::size_t at = 0; at < {array.elements}; ++at) {{")
        with w.indented():
            w.line(f"data_{name}.data()[at] = low_bits<{array.type.bits}>(data_{name}.data()[at]);")
        w.line("}")


def print_scalars(w: Writer, plan: Plan) -> None:
    """The source of random data, and the scalar arguments with their values."""
    w.line("Random random(seed);")
    for argument in (a for a in entry_arguments(plan.scop) if a.kind == "scalar"):
        kind = argument.type.stored.c_name
        drawn = f"draw<{kind}>(set, random)"
        value = drawn if argument.type == argument.type.stored else f"low_bits<{argument.type.bits}>({drawn})"
        w.line(f"const {kind} scalar_{argument.name} = {value};")


def _allocate(w: Writer, block: TestArray) -> None:
    print_block(w, block)
    array = block.array
    for port in ([_as_port(block)] if block.port is not None or block.compared else []) + list(block.copies):
        for block_name in memories("port", port):
            w.line(f"Block<{interface.beat_type(port)}> {block_name}({beats(port)});")
        last, padded = pitch(port)
        w.line(f"pack(data_{array.id}.data(), {_in_memory(port)}, {array.elements}, {last}, {padded});")


def _in_memory(port: Port) -> str:
    return dealt(port, interface.beat_type(port), kernel_arguments(port))


def pitch(port: Port) -> tuple[int, int]:
    """Elements of a row, and from one row to the next in memory."""
    last = port.extents[-1] if port.extents else 1
    return last, last if interface.is_dense(port) else layout_extents(port)[-1]


def _compare(w: Writer, plan: Plan, block: TestArray) -> None:
    name, port, extents = block.array.id, _as_port(block), block.array.extents
    if block.port is not None:
        for memory in memories("port", port):
            w.line(f'check_fence("{name}", {memory}, tally);')
    if not block.compared:
        return
    kind = block.array.type
    with w.block(""):
        w.line(f"const std::size_t extents[] = {{{', '.join(map(str, extents)) or '1'}}};")
        w.line(
            f'compare("{name}", data_{name}.data(), {_in_memory(port)}, extents, {len(extents)}, {pitch(port)[1]}, '
            f"{allowed_error(plan, kind)}, tally);"
        )


def _print_library_tolerances(w: Writer, plan: Plan, blocks: list[TestArray]) -> None:
    """How far results may be off where the vendor's math library is not the C library; `verify` allows nothing."""
    kinds = {b.array.type for b in blocks if b.compared and _depends_on_library(plan, b.array.type)}
    for kind in sorted(kinds, key=lambda k: k.bits):
        w.line("#ifdef SISY_BITWISE")
        w.line(f"static const double library_tolerance_{kind.bits} = 0;")
        w.line("#else")
        w.line(f"static const double library_tolerance_{kind.bits} = {LIBRARY_TOLERANCE[kind.bits]:g};")
        w.line("#endif")
        w.line()


def allowed_error(plan: Plan, kind: ScalarType) -> str:
    """The tolerance of an array as text of the emitted program."""
    if _depends_on_library(plan, kind):
        return f"library_tolerance_{kind.bits}"
    return f"{tolerance(plan, kind):g}"


def _depends_on_library(plan: Plan, kind: ScalarType) -> bool:
    return kind.is_float and not plan.tree_reduction and calls_inexact(plan.scop)


def calls_inexact(scop: Scop) -> bool:
    """Whether the kernel calls a function whose last bits depend on the library."""
    calls = (e for s in scop.statements for e in walk(s.rhs) if isinstance(e, Call))
    return any(not is_exact(call.function) for call in calls)


def print_main(w: Writer, plan: Plan, stack: int) -> None:
    """One run per data set; `stack` are the bytes that the program needs, 0 where every program has them."""
    sets = data_sets(plan)
    w.line("// Arguments: the seed, then data sets; without any, those in SISY_SETS, or else all of them.")
    with w.block("int main(int argc, char **argv)"):
        if stack:
            w.line(f"need_stack({stack}u, argv);")
        w.line("const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;")
        w.line('const char *wanted = std::getenv("SISY_SETS");')
        w.line("char sets[200];")
        w.line(f'std::snprintf(sets, sizeof sets, "%s", wanted ? wanted : "{" ".join(sets)}");')
        w.line("int failures = 0, next = 2;")
        w.line('const char *set = argc > 2 ? argv[next] : std::strtok(sets, " ");')
        with w.block("while (set != nullptr)"):
            w.line("Tally tally;")
            if divides_integers(plan.scop):
                w.line("std::uint64_t tried = 0;")
                w.line("while (tried < TRIES && !run(set, seed + tried, tally)) ++tried;")
                w.line(r'if (tried == TRIES) std::printf("sisy set=%s skipped\n", set);')
                w.line("if (tried < TRIES) report(set, tally);")
            else:
                w.line(r'if (is_flushed(set) && !CAN_FLUSH) std::printf("sisy set=%s skipped\n", set);')
                w.line("else run(set, seed, tally), report(set, tally);")
            w.line("failures += tally.mismatches != 0 && !is_flushed(set);")
            w.line('set = argc > 2 ? argv[++next] : std::strtok(nullptr, " ");')
        w.line(r'std::printf("sisy: %s\n", failures ? "FAIL" : "PASS");')
        w.line("return failures ? 1 : 0;")
