"""host.cpp: the kernel as a function on the arrays of the source, through the native XRT API, and a check of it.

It packs and pads as the ports need, refuses arrays that overlap, and compares with the original.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from sisyphus.backends.hls import interface
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.reference import ENTRY
from sisyphus.backends.hls.testbench import (
    TestArray,
    allowed_error,
    arguments_of_reference,
    dealt,
    kernel_arguments,
    memories,
    pitch,
    print_block,
    print_reference,
    print_scalars,
)
from sisyphus.backends.hls.testbench_library import HALVES, LIBRARY
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import HALF
from sisyphus.plan import Plan, Port, beats

INCLUDES = r"""
#include <chrono>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
""".strip()

DISJOINT = r"""
namespace {

struct Extent {
    const char *name;
    const void *data;
    std::size_t bytes;
};

// The kernel reads and writes its arrays in an order of its own: none may overlap another.
void check_disjoint(std::initializer_list<Extent> extents) {
    for (const Extent *one = extents.begin(); one != extents.end(); ++one) {
        for (const Extent *other = one + 1; other != extents.end(); ++other) {
            const std::uintptr_t a = reinterpret_cast<std::uintptr_t>(one->data);
            const std::uintptr_t b = reinterpret_cast<std::uintptr_t>(other->data);
            if (a < b + other->bytes && b < a + one->bytes) {
                throw std::invalid_argument(std::string(one->name) + " and " + other->name + " overlap");
            }
        }
    }
}

}  // namespace
""".strip()

UNPACK = r"""
namespace {

template <typename T, typename Port>
void unpack(Port memory, T *data, std::size_t count, std::size_t last, std::size_t padded) {
    for (std::size_t at = 0; at < count; ++at) data[at] = element(memory, place(at, last, padded));
}

}  // namespace
""".strip()


def print_host(plan: Plan, names: Names, *, temporaries: tuple[str, ...] = ()) -> str:
    w = Writer()
    w.line("// Runs the kernel on a board through XRT and compares it with the original source.")
    w.lines(INCLUDES.splitlines())
    w.line()
    w.lines(LIBRARY.splitlines())
    w.line()
    if HALF in plan.scop.types:
        # As in reference.c: the headers of Vitis are not there.
        w.lines([f"#define {HALF.c_name} {HALF.c99_name}", "", *HALVES.splitlines(), ""])
    for part in (DISJOINT, UNPACK):
        w.lines([*part.splitlines(), ""])
    blocks = print_reference(w, plan, temporaries)
    _kernel(w, plan, names)
    w.line()
    _compare(w, plan, blocks)
    w.line()
    print_host_main(w)
    return w.text()


def _kernel(w: Writer, plan: Plan, names: Names) -> None:
    """The class that owns device and kernel, and is called like the source's function."""
    top, ports = names.of("top", plan.scop.name), interface.live_ports(plan)
    with w.block("class Kernel", tail="};"):
        w.line("public:")
        w.line("Kernel(const std::string &xclbin, unsigned device)")
        w.line(f'    : device_(device), kernel_(device_, device_.load_xclbin(xclbin), "{top}") {{}}')
        w.line()
        w.line("// Arrays as in the source; returns seconds on the board, without transfers.")
        with w.block(f"double operator()({', '.join(_parameter(p) for p in ports if p.copies is None)})"):
            _call(w, ports)
        w.line()
        w.line("private:")
        w.line("xrt::device device_;")
        w.line("xrt::kernel kernel_;")


def _parameter(port: Port) -> str:
    kind = port.type.c_name
    if port.kind == "scalar":
        return f"{kind} scalar_{port.name}"
    return f"{'' if interface.is_written(port) else 'const '}{kind} *data_{port.name}"


def _call(w: Writer, ports: tuple[Port, ...]) -> None:
    firsts = [sum(before.stripes for before in ports[:at]) for at in range(len(ports))]
    arrays = [(first, p) for first, p in zip(firsts, ports, strict=True) if p.kind == "array"]
    extents = [
        f'{{"{p.name}", data_{p.name}, {prod(p.extents) * p.type.bytes}}}' for _, p in arrays if p.copies is None
    ]
    w.line(f"check_disjoint({{{', '.join(extents)}}});")
    for at, port in arrays:
        kind, size = port.type.c_name, beats(port) * port.width // port.stripes * port.type.bytes
        last, padded = pitch(port)
        for argument, (bo, memory) in enumerate(zip(memories("bo", port), memories("map", port), strict=True), at):
            w.line(f"xrt::bo {bo}(device_, {size}, kernel_.group_id({argument}));")
            w.line(f"{kind} *{memory} = {bo}.map<{kind} *>();")
        if port.direction != "out":
            whole = dealt(port, kind, memories("map", port))
            w.line(f"pack(data_{port.copies or port.name}, {whole}, {prod(port.extents)}, {last}, {padded});")
            w.lines(f"{bo}.sync(XCL_BO_SYNC_BO_TO_DEVICE);" for bo in memories("bo", port))
    w.line("const auto begin = std::chrono::steady_clock::now();")
    given = [name for p in ports for name in ([f"scalar_{p.name}"] if p.kind == "scalar" else memories("bo", p))]
    w.line(f"auto run = kernel_({', '.join(given)});")
    w.line('if (run.wait() != ERT_CMD_STATE_COMPLETED) throw std::runtime_error("the kernel did not complete");')
    w.line("const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;")
    for _, port in arrays:
        if interface.is_written(port):
            last, padded = pitch(port)
            w.lines(f"{bo}.sync(XCL_BO_SYNC_BO_FROM_DEVICE);" for bo in memories("bo", port))
            whole = dealt(port, port.type.c_name, memories("map", port))
            w.line(f"unpack({whole}, data_{port.name}, {prod(port.extents)}, {last}, {padded});")
    w.line("return seconds.count();")


def _compare(w: Writer, plan: Plan, blocks: list[TestArray]) -> None:
    """Like the test bench, with copies of the arrays in place of ports."""
    with w.block("static double run(Kernel &kernel, const char *set, std::uint64_t seed, Tally &tally)"):
        print_scalars(w, plan)
        for block in blocks:
            print_block(w, block)
            array = block.array
            w.line(f"Block<{array.type.stored.c_name}> port_{array.id}({array.elements});")
            w.line(f"pack(data_{array.id}.data(), port_{array.id}.data(), {array.elements}, 1, 1);")
        ports = [replace(p, stripes=1) for p in interface.live_ports(plan) if p.copies is None]
        given = [text for port in ports for text in kernel_arguments(port)]
        w.line(f"const double seconds = kernel({', '.join(given)});")
        w.line(f"{ENTRY}({', '.join(arguments_of_reference(plan.scop, blocks))});")
        for block in blocks:
            if block.compared:
                print_compare(w, plan, block, "port")
        w.line("return seconds;")


def print_compare(w: Writer, plan: Plan, block: TestArray, copy: str) -> None:
    """Compares an array with the copy of it that the kernel wrote, which is called `copy` before its name."""
    name, extents = block.array.id, block.array.extents
    last = extents[-1] if extents else 1
    with w.block(""):
        w.line(f"const std::size_t extents[] = {{{', '.join(map(str, extents)) or '1'}}};")
        w.line(
            f'compare("{name}", data_{name}.data(), {copy}_{name}.data(), extents, {len(extents)}, {last}, '
            f"{allowed_error(plan, block.array.type)}, tally);"
        )


def print_host_main(w: Writer, *, phases: bool = False) -> None:
    """`phases`: the host tells the seconds of each phase, and repeats executions."""
    with w.block("int main(int argc, char **argv)"):
        if phases:
            w.line("unsigned count = 0;")
            with w.block('if (argc > 3 && std::strcmp(argv[argc - 2], "--repeat") == 0)'):
                w.line("count = static_cast<unsigned>(std::strtoul(argv[argc - 1], nullptr, 10));")
                w.line("argc -= 2;")
        with w.block("if (argc < 2)"):
            more = " [--repeat N]" if phases else ""
            w.line(rf'std::fprintf(stderr, "usage: %s FILE.xclbin [device index] [seed]{more}\n", argv[0]);')
            w.line("return 2;")
        w.line("const unsigned device = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;")
        w.line("const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;")
        with w.block("try", tail="} catch (const std::exception &failure) {"):
            w.line("Kernel kernel(argv[1], device);")
            w.line("int failures = 0;")
            with w.block('for (const char *set : {"dominant", "random"})'):
                w.line("Tally tally;")
                w.line(f"const {'Seconds' if phases else 'double'} seconds = run(kernel, set, seed, tally);")
                w.line("failures += tally.mismatches != 0;")
                w.line("report(set, tally);")
                told = r'std::printf("sisy set=%s seconds=%.9g\n", set, seconds);'
                w.line("report_phases(set, seconds);" if phases else told)
            if phases:
                with w.block("if (count > 0)"):
                    w.lines(["Tally tally;", "Seconds seconds;"])
                    w.line('const double all = repeated(kernel, count, "random", seed, tally, seconds);')
                    w.line("failures += tally.mismatches != 0;")
                    w.line('report("random", tally);')
                    w.line(r'std::printf("sisy repeat=%u seconds=%.9g", count, all);')
                    w.lines(
                        ["report_speed(all / count);", r'std::printf("\n");', 'report_phases("repeated", seconds);']
                    )
            w.line(r'std::printf("sisy: %s\n", failures ? "FAIL" : "PASS");')
            w.line("return failures ? 1 : 0;")
        with w.indented():
            w.line(r'std::fprintf(stderr, "%s\n", failure.what());')
            w.line("return 3;")
        w.line("}")
