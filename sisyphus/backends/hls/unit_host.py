"""host.cpp of several units: it deals, runs all of them at the same time, gathers, and says where the time goes.

What one execution needs on the board is a lane; with `--repeat`, several are in flight: while units run, the host deals
for the next execution and gathers of the one before. Of units in several phases, those of the first phase of the next
execution then run beside the later ones of this one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import prod

from sisyphus.analysis import float_operations
from sisyphus.backends.hls.handing_over import HAND_OVER, handings, is_handed_whole
from sisyphus.backends.hls.host import DISJOINT, INCLUDES, print_host_main
from sisyphus.backends.hls.reference import ENTRY
from sisyphus.backends.hls.testbench import (
    TestArray,
    arguments_of_reference,
    dealt,
    pitch,
    print_block,
    print_reference,
    print_scalars,
)
from sisyphus.backends.hls.testbench_library import HALVES, LIBRARY
from sisyphus.backends.hls.unit_programs import (
    SLABS,
    UnitProgram,
    memories_of,
    phases_of,
    print_box,
    print_compared,
    print_gathered,
    print_slabs,
    whole_of,
)
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import HALF, ArrayId, Scop
from sisyphus.plan import Plan, Port, beats

PHASES = r"""
namespace {

// Seconds of one execution, or of several together.
struct Seconds {
    double deal = 0, send = 0, run = 0, fetch = 0, gather = 0;
};

// Seconds since it was made, or since the last look at it.
class Watch {
public:
    double look() {
        const auto before = last_;
        last_ = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(last_ - before).count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// What a number of seconds is worth, where the operations of an execution are known.
void report_speed(double seconds) {
    if (operations > 0 && seconds > 0) std::printf(" GF/s=%.4g", operations / seconds * 1e-9);
}

void report_phases(const char *set, const Seconds &s) {
    std::printf("sisy set=%s seconds=%.9g", set, s.run);
    report_speed(s.run);
    std::printf(" deal=%.6g send=%.6g run=%.6g fetch=%.6g gather=%.6g\n", s.deal, s.send, s.run, s.fetch, s.gather);
}

}  // namespace
""".strip()

#: Executions that are in flight with `--repeat`.
LANES = 2


def print_unit_host(scop: Scop, units: Sequence[UnitProgram], temporaries: Collection[str]) -> str:
    w, whole = Writer(), whole_of(scop, units)
    w.line("// Runs all units on a board through XRT, at the same time, and compares with the original source.")
    w.lines([*INCLUDES.splitlines(), ""])
    halves = [f"#define {HALF.c_name} {HALF.c99_name}", ""] if HALF in scop.types else []
    w.lines([*LIBRARY.splitlines(), "", *halves, *(HALVES.splitlines() if halves else []), "", *SLABS.splitlines(), ""])
    w.lines([*DISJOINT.splitlines(), ""])
    w.line("// Of floating point in one execution of the source; 0: not known.")
    w.lines([f"static const double operations = {float_operations(scop) or 0};", "", *PHASES.splitlines(), ""])
    blocks = print_reference(w, whole, temporaries)
    print_slabs(w, scop, units)
    _print_handings(w, scop, units)
    _board(w, _Signature(scop, units, blocks), units)
    w.line()
    _run(w, whole, _Signature(scop, units, blocks))
    w.line()
    _repeated(w, whole, _Signature(scop, units, blocks))
    w.line()
    print_host_main(w, phases=True)
    return w.text()


def _print_handings(w: Writer, scop: Scop, units: Sequence[UnitProgram]) -> None:
    """The boxes that phases hand over, inside of the array of either unit."""
    known = handings(units)
    if known:
        w.lines([*HAND_OVER.splitlines(), ""])
    for handing in known:
        for kind, number, port in (("taken", handing.source, handing.taken), ("given", handing.sink, handing.given)):
            print_box(w, f"{kind}_{handing.name}", units[number], port, handing.box)
    w.lines([""] if known else [])


class _Signature:
    """The arguments of what the class of the board does, as parameters and as what the host gives for them."""

    def __init__(self, scop: Scop, units: Sequence[UnitProgram], blocks: Sequence[TestArray]) -> None:
        used = {p.copies or p.name for unit in units for p in unit.ports}
        given = {p.copies or p.name for _, unit, p in _sent(units) if p.name not in unit.adds}
        delivered = {p.name for unit in units for p in unit.delivered}
        self.blocks = blocks
        self.used = [b for b in blocks if b.array.id in used]
        self.scop, self.phases = scop, phases_of(units)
        self.sent = [b for b in self.used if b.array.id in given]
        self.fetched = [b for b in self.used if b.compared and b.array.id in delivered]

    @property
    def sending(self) -> tuple[list[str], list[str]]:
        kinds = [(b.array.type.stored.c_name, b.array.id) for b in self.sent]
        return [f"const {kind} *data_{name}" for kind, name in kinds], [f"data_{name}.data()" for _, name in kinds]

    @property
    def starting(self) -> tuple[list[str], list[str]]:
        """What units of the first phase are started with."""
        return self._scalars(self.phases[:1])

    @property
    def waiting(self) -> tuple[list[str], list[str]]:
        """What units of later phases are started with."""
        return self._scalars(self.phases[1:])

    @property
    def scalars(self) -> tuple[list[str], list[str]]:
        """What any unit is started with."""
        return self._scalars(self.phases)

    def _scalars(self, phases: Sequence[Sequence[tuple[int, UnitProgram]]]) -> tuple[list[str], list[str]]:
        used = {p.name for members in phases for _, unit in members for p in unit.ports}
        given = [a for a in self.scop.scalars if a.name in used]
        names = [f"scalar_{a.name}" for a in given]
        return [f"{a.type.stored.c_name} {n}" for a, n in zip(given, names, strict=True)], names

    @property
    def fetching(self) -> tuple[list[str], list[str]]:
        kinds = [(b.array.type.stored.c_name, b.array.id) for b in self.fetched]
        taken = [f"{kind} *whole_{name}, unsigned char *taken_{name}" for kind, name in kinds]
        return taken, [f"whole_{name}.data(), taken_{name}.data()" for _, name in kinds]


def _sent(units: Sequence[UnitProgram]) -> list[tuple[int, UnitProgram, Port]]:
    """The arrays of units that the host fills before all begin."""
    known = handings(units)
    return [
        (number, unit, port)
        for number, unit in enumerate(units)
        for port in unit.filled
        if not is_handed_whole(number, port, known)
    ]


def _board(w: Writer, signature: _Signature, units: Sequence[UnitProgram]) -> None:
    """The class that owns device and units, does the phases of an execution, and all of them one after another."""
    sending, starting, fetching = (part[0] for part in (signature.sending, signature.starting, signature.fetching))
    sent = [text.split()[-1].lstrip("*") for text in sending]
    with w.block("class Kernel", tail="};"):
        w.line("public:")
        starts = [f'unit_{n}_(device_, uuid_, "{u.top}:{{{u.top}_1}}")' for n, u in enumerate(units)]
        w.line("Kernel(const std::string &xclbin, unsigned device)")
        w.line(f"    : device_(device), uuid_(device_.load_xclbin(xclbin)), {', '.join(starts)} {{}}")
        w.line()
        _lane(w, units)
        w.line()
        w.line("// Deals arrays, which are as in the source, and brings the parts to the board.")
        with w.block(f"void send({', '.join(['Lane &lane', *sending, 'Seconds &seconds'])})"):
            _send(w, units)
        w.line()
        w.line(f"// Starts all units{' of the first phase' * (len(signature.phases) > 1)}, and returns at once.")
        with w.block(f"void start({', '.join(['Lane &lane', *starting])})"):
            _start(w, signature.phases[0])
        w.line()
        with w.block(f"void wait({', '.join(['Lane &lane', *signature.waiting[0]])})"):
            _wait(w, units)
        w.line()
        w.line("// Brings results from the board, and puts them together.")
        with w.block(f"void fetch({', '.join(['Lane &lane', *fetching, 'Seconds &seconds'])})"):
            _fetch(w, units, [b.array.id for b in signature.fetched])
        w.line()
        w.line("// One execution, one phase after another.")
        with w.block(f"Seconds operator()({', '.join([*signature.scalars[0], *sending, *fetching])})"):
            w.lines(["Seconds seconds;", "Lane lane(*this);"])
            w.line(f"send({', '.join(['lane', *sent, 'seconds'])});")
            w.line("Watch watch;")
            started, waited = (", ".join(["lane", *part[1]]) for part in (signature.starting, signature.waiting))
            w.lines([f"start({started});", f"wait({waited});", "seconds.run = watch.look();"])
            arrays = [text for b in signature.fetched for text in (f"whole_{b.array.id}", f"taken_{b.array.id}")]
            w.lines([f"fetch({', '.join(['lane', *arrays, 'seconds'])});", "return seconds;"])
        w.line()
        w.line("private:")
        w.lines(["xrt::device device_;", "xrt::uuid uuid_;", *(f"xrt::kernel unit_{n}_;" for n in range(len(units)))])


def _buffers(units: Sequence[UnitProgram]) -> Iterator[tuple[int, int, str, Port]]:
    """Every buffer on the board: unit, number of its argument, name, and the array that it is (a stripe) of."""
    for number, unit in enumerate(units):
        argument = 0
        for port in unit.ports:
            names = memories_of(number, port) if port.kind == "array" else []
            yield from ((number, argument + at, name, port) for at, name in enumerate(names))
            argument += port.stripes


def _lane(w: Writer, units: Sequence[UnitProgram]) -> None:
    w.line("// What one execution has on the board.")
    with w.block("struct Lane", tail="};"):
        firsts = []
        for number, argument, name, port in _buffers(units):
            size = beats(port) * port.width // port.stripes * port.type.bytes
            firsts.append(f"{name}(kernel.device_, {size}, kernel.unit_{number}_.group_id({argument}))")
        w.line("explicit Lane(Kernel &kernel)")
        w.lines(f"    {', ' if at else ': '}{text}" for at, text in enumerate(firsts))
        w.line("    {}")
        w.lines(f"xrt::bo {name};" for _, _, name, _ in _buffers(units))
        w.lines(f"xrt::run run_{number};" for number in range(len(units)))


def _send(w: Writer, units: Sequence[UnitProgram]) -> None:
    w.line("Watch watch;")
    into = _sent(units)
    for number, unit, port in into:
        _print_mapped(w, number, port)
        w.line(unit.dealing(number, port, _mapped(number, port), f"data_{port.copies or port.name}"))
    w.line("seconds.deal += watch.look();")
    for number, _, port in into:
        w.lines(f"lane.{name}.sync(XCL_BO_SYNC_BO_TO_DEVICE);" for name in memories_of(number, port))
    w.line("seconds.send += watch.look();")


def _start(w: Writer, members: Sequence[tuple[int, UnitProgram]]) -> None:
    for number, unit in members:
        given = [
            text
            for p in unit.ports
            if p.kind != "stream"
            for text in ([f"scalar_{p.name}"] if p.kind == "scalar" else [f"lane.{n}" for n in memories_of(number, p)])
        ]
        w.line(f"lane.run_{number} = unit_{number}_({', '.join(given)});")


def _wait(w: Writer, units: Sequence[UnitProgram]) -> None:
    """Waits for the first phase, and does all further ones."""
    for at, members in enumerate(phases_of(units)):
        if at:
            numbers = {number for number, _ in members}
            for h in (h for h in handings(units) if h.sink in numbers):
                sides = [
                    f"{_placed(h.source, h.taken)}, taken_{h.name}",
                    f"{_placed(h.sink, h.given)}, given_{h.name}",
                ]
                w.line(f"hand_over({', '.join(sides)}, {h.taken.type.bytes});")
            _start(w, members)
        for number, _ in members:
            state = f"lane.run_{number}.wait() != ERT_CMD_STATE_COMPLETED"
            w.line(f'if ({state}) throw std::runtime_error("unit {number} did not complete");')


def _placed(number: int, port: Port) -> str:
    buffers = ", ".join(f"&lane.{name}" for name in memories_of(number, port))
    last, padded = pitch(port)
    return f"{{{{{buffers}}}, {last}, {padded}}}"


def _fetch(w: Writer, units: Sequence[UnitProgram], wanted: Collection[ArrayId]) -> None:
    w.line("Watch watch;")
    out = [(number, unit, port) for number, unit in enumerate(units) for port in unit.delivered if port.name in wanted]
    for number, _, port in out:
        w.lines(f"lane.{name}.sync(XCL_BO_SYNC_BO_FROM_DEVICE);" for name in memories_of(number, port))
    w.line("seconds.fetch += watch.look();")
    for number, unit, port in out:
        _print_mapped(w, number, port)
        w.line(unit.gathering(number, port, _mapped(number, port), f"whole_{port.name}", f"taken_{port.name}"))
    w.line("seconds.gather += watch.look();")


def _print_mapped(w: Writer, number: int, port: Port) -> None:
    for name in memories_of(number, port):
        w.line(f"{port.type.c_name} *{name} = lane.{name}.map<{port.type.c_name} *>();")


def _mapped(number: int, port: Port) -> str:
    """An array of a unit in the memory of the host, its elements per row, and those from one row to the next."""
    last, padded = pitch(port)
    return f"{dealt(port, port.type.c_name, memories_of(number, port))}, {last}, {padded}"


def _data(w: Writer, whole: Plan, signature: _Signature) -> None:
    print_scalars(w, whole)
    for block in signature.blocks:
        print_block(w, block)
    print_gathered(w, signature.blocks)


def _run(w: Writer, whole: Plan, signature: _Signature) -> None:
    with w.block("static Seconds run(Kernel &kernel, const char *set, std::uint64_t seed, Tally &tally)"):
        _data(w, whole, signature)
        extents = [
            f'{{"{b.array.id}", data_{b.array.id}.data(), {prod(b.array.extents) * b.array.type.stored.bytes}}}'
            for b in signature.used
        ]
        w.line(f"check_disjoint({{{', '.join(extents)}}});")
        given = [*signature.scalars[1], *signature.sending[1], *signature.fetching[1]]
        w.line(f"const Seconds seconds = kernel({', '.join(given)});")
        _checked(w, whole, signature)
        w.line("return seconds;")


def _checked(w: Writer, whole: Plan, signature: _Signature) -> None:
    w.line(f"{ENTRY}({', '.join(arguments_of_reference(whole.scop, list(signature.blocks)))});")
    print_compared(w, whole, signature.blocks)


def _repeated(w: Writer, whole: Plan, signature: _Signature) -> None:
    """Many executions on the same data; the results of the last one are compared."""
    w.line("// So many executions, several in flight: seconds from the first to the last, and the sum of each phase.")
    head = "const char *set, std::uint64_t seed, Tally &tally, Seconds &seconds"
    with w.block(f"static double repeated(Kernel &kernel, unsigned count, {head})"):
        _data(w, whole, signature)
        w.line(f"Kernel::Lane lanes[] = {{{', '.join(['Kernel::Lane(kernel)'] * LANES)}}};")
        w.line("Watch watch, waiting;")
        with w.block(f"for (unsigned n = 0; n < count + {LANES}; ++n)"):
            w.line(f"Kernel::Lane &lane = lanes[n % {LANES}];")
            with w.block(f"if (n >= {LANES})"):
                w.lines(
                    [
                        "waiting.look();",
                        f"kernel.wait({', '.join(['lane', *signature.waiting[1]])});",
                        "seconds.run += waiting.look();",
                    ]
                )
                for block in (b for b in signature.blocks if b.compared):
                    w.line(f"std::memset(taken_{block.array.id}.data(), 0, {block.array.elements});")
                w.line(f"kernel.fetch({', '.join(['lane', *signature.fetching[1], 'seconds'])});")
            with w.block("if (n < count)"):
                w.line(f"kernel.send({', '.join(['lane', *signature.sending[1], 'seconds'])});")
                w.line(f"kernel.start({', '.join(['lane', *signature.starting[1]])});")
        w.line("const double all = watch.look();")
        _checked(w, whole, signature)
        w.line("return all;")
