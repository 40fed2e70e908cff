"""Compiles a scop, instance by instance, beside its source and runs both on the same data."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from straight_c import source

from sisyphus.backends.hls.reference import print_reference
from sisyphus.frontend import read
from sisyphus.ir import PICKS, Array, Scop
from sisyphus.ir.types import REINTERPRET

INPUTS = Path(__file__).parent / "frontend_inputs"
# Integers wrap on both sides; what is undefined in C must not decide this test.
FLAGS = ["-O0", "-std=gnu17", "-ffp-contract=off", "-fwrapv", "-w"]
DRIVER = """
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long long state = 88172645463325252ull;
static unsigned next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 33; }
"""
BITS = "".join(
    f"static {target.c_name} {name}({source.c_name} value)\n"
    f"{{ {target.c_name} bits; __builtin_memcpy(&bits, &value, sizeof bits); return bits; }}\n"
    for (source, target), name in REINTERPRET.items()
)

CHOICES = "".join(
    f"#define {name}(left, right) "
    f"({{ __auto_type left_ = (left); __auto_type right_ = (right); left_ {op} right_ ? left_ : right_; }})\n"
    for op, name in PICKS.items()
)


def kernel_at(folder: Path, text: str) -> Path:
    """A file of this text."""
    path = folder / "k.c"
    path.write_text(text)
    return path


def run(scop: Scop, path: Path, folder: Path) -> str:
    """What the driver says after it has run the original and the scop on the same data."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed, so nothing was compiled")
    options = [*(f"-D{d}" for d in scop.origin.defines), *(f"-I{d}" for d in scop.origin.include_dirs)]
    again = folder / "again.c"
    again.write_text(BITS + CHOICES + source(scop).replace(f"void {scop.name}(", "void again("))
    original = folder / "original.c"
    if any(a.kept or "{}" in a.outside for a in scop.arguments):
        original.write_text(print_reference(scop) + by_reference(scop))
    else:
        original.write_text(f'#define main sisy_main\n#include "{path}"\n{wrapper(scop)}')
    driver = folder / "driver.c"
    driver.write_text(DRIVER + main(scop))
    program = folder / "program"
    command = [gcc, *FLAGS, *options, str(original), str(again), str(driver), str(INPUTS / "utilities/polybench.c")]
    subprocess.run([*command, "-lm", "-o", str(program)], check=True, timeout=300)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, check=False)
    return done.stdout.strip()


def run_bodies(bodies: Sequence[str], folder: Path, before: str = "") -> str:
    """The same of a kernel that calls a function of `a` and a row of `B` for each body, behind other functions."""
    functions = "".join(f"static void f{at}(const int a[8], int b[8]) {{ {body} }}\n" for at, body in enumerate(bodies))
    calls = "".join(f"  f{at}(a, B[{at}]);\n" for at in range(len(bodies)))
    path = folder / "kernel.c"
    path.write_text(f"{before}{functions}void f(const int a[8], int B[{len(bodies)}][8])\n{{\n{calls}}}\n")
    return run(read(path, function="f"), path, folder)


def arrays(scop: Scop) -> dict[str, Array]:
    return {str(a.id): a for a in scop.arrays}


def formal(scop: Scop) -> str:
    return ", ".join(
        f"void *p{at}" if a.kind == "array" else f"{a.type.c_name} p{at}" for at, a in enumerate(scop.arguments)
    )


def wrapper(scop: Scop) -> str:
    named = [(f"p{at}", argument) for at, argument in enumerate(scop.arguments)]
    given = ", ".join(name for name, argument in named if not argument.outside and not argument.returned)
    result = "".join(f"*({argument.type.c_name} *){name} = " for name, argument in named if argument.returned)
    before, after = [], []
    for name, argument in named:
        if argument.outside and argument.kind == "array":
            before.append(f"memcpy(&{argument.outside}, {name}, sizeof {argument.outside});")
            after.append(f"memcpy({name}, &{argument.outside}, sizeof {argument.outside});")
        elif argument.outside:
            before.append(f"{argument.outside} = {name};")
    body = " ".join([*before, f"{result}{scop.origin.function}({given});", *after])
    return f"#include <string.h>\nvoid original({formal(scop)}) {{ {body} }}\n"


def by_reference(scop: Scop) -> str:
    """The original by the entry of reference.c, which alone gets at local variables that live on."""
    given = ", ".join(f"p{at}" for at, argument in enumerate(scop.arguments) if argument.kind != "parameter")
    return f"void original({formal(scop)}) {{ sisy_reference({given}); }}\n"


def main(scop: Scop) -> str:
    lines, compare = [f"void original({formal(scop)}); void again({formal(scop)});", "int main(void) {"], []
    given: dict[str, list[str]] = {"x": [], "y": []}
    for at, argument in enumerate(scop.arguments):
        kind = argument.type
        number = "(int)(next() % 2000001) - 1000000"
        fill = f"({number}) / 299999.0" if kind.is_float else f"next() % {90 if kind.bits == 8 else 1000}"
        if argument.kind == "array":
            count = arrays(scop)[argument.name].elements
            lines.append(f"  static {kind.c_name} x{at}[{count}], y{at}[{count}];")
            lines.append(f"  for (int i = 0; i < {count}; i++) x{at}[i] = y{at}[i] = {fill};")
            compare.append(f"memcmp(x{at}, y{at}, sizeof x{at})")
            for side, names in given.items():
                names.append(f"{side}{at}")
        else:
            value = str(argument.value) if argument.kind == "parameter" else "0.75" if kind.is_float else "3"
            for names in given.values():
                names.append(value)
    lines += [f"  original({', '.join(given['x'])});", f"  again({', '.join(given['y'])});"]
    return "\n".join([*lines, f'  puts({" || ".join(compare)} ? "different" : "equal");', "}"]) + "\n"
