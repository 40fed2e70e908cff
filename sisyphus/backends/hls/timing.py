"""timing.c: runs the original source alone and prints the seconds of its fastest run; knows no design."""

from __future__ import annotations

from sisyphus.backends.hls.reference import ENTRY, entry_arguments, entry_parameters
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import ArrayId, Scop

_HEAD = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
/* Of the kernel's size at the least, so that no run is lost in the clock's own steps. */
#define LEAST_SECONDS 0.3
#define MOST_RUNS 1000
/* Of this process: what else the machine does is not counted. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}"""


def print_timing(scop: Scop) -> str:
    """A main that fills the arguments anew for every run, so that values neither overflow nor die out."""
    w = Writer()
    w.lines(_HEAD.splitlines())
    w.line(f"void {ENTRY}({', '.join(entry_parameters(scop, in_c=True)) or 'void'});")
    arguments = entry_arguments(scop)
    with w.block("int main(void)"):
        for at, argument in enumerate(arguments):
            if argument.kind == "array":
                count, kind = scop.array(ArrayId(argument.name)).elements, argument.type.c99_name
                w.line(f"{kind} *a{at} = malloc({count} * sizeof({kind}));")
                w.line(f"if (!a{at}) return 1;")
        w.line("double best = 1e30, spent = 0;")
        w.line("int runs = 0;")
        with w.block("for (; runs < 2 || (spent < LEAST_SECONDS && runs < MOST_RUNS); ++runs)"):
            w.line("unsigned long state = 12345;")
            for at, argument in enumerate(arguments):
                if argument.kind == "array":
                    _fill(w, at, scop, ArrayId(argument.name), is_float=argument.type.is_float)
            w.line("double begun = now();")
            given = [f"a{at}" if a.kind == "array" else "1" for at, a in enumerate(arguments)]
            w.line(f"{ENTRY}({', '.join(given)});")
            w.line("double taken = now() - begun;")
            w.line("spent += taken;")
            w.line("if (taken < best) best = taken;")
        w.line('printf("%.9f %d\\n", best, runs);')
        w.line("return 0;")
    return w.text()


def _fill(w: Writer, at: int, scop: Scop, array: ArrayId, *, is_float: bool) -> None:
    """Numbers from 0.5 to 1.5, with a dominant diagonal where a matrix is square: factorizations then stay finite."""
    extents = scop.array(array).extents
    elements = scop.array(array).elements
    value = "0.5 + (state >> 33) / 4294967296.0" if is_float else "(state >> 33) % 4"
    with w.block(f"for (long k = 0; k < {elements}; ++k)"):
        w.line("state = state * 6364136223846793005ul + 1442695040888963407ul;")
        w.line(f"a{at}[k] = {value};")
    if is_float and len(extents) == 2 and extents[0] == extents[1]:
        w.line(f"for (long k = 0; k < {extents[0]}; ++k) a{at}[k * {extents[0] + 1}] += {extents[0]};")
