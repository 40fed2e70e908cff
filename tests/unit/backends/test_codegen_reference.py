"""reference.c: one file that holds the original as it was, callable with flat pointers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hand_plans import gemm_scop

from sisyphus.backends.hls.reference import print_reference
from sisyphus.ir import FLOAT, INT32, Argument, Origin, Scop
from sisyphus.tools import run_tool

CALLER = """
#include <stdio.h>
void sisy_reference(float factor, float *x);
int main(void) { float x[6] = {1, 2, 3, 4, 5, 6}; sisy_reference(2, x); printf("%g %g", x[0], x[5]); return 0; }
"""
ARGUMENTS = (
    Argument("n", "parameter", INT32, 2),
    Argument("m", "parameter", INT32, 3),
    Argument("factor", "scalar", FLOAT),
    Argument("x", "array", FLOAT),
)
BODY = "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i][j] *= factor; }"
VLA = "void scale(int n, int m, float factor, float x[n][m]) " + BODY


def scale(text: str, folder: Path, **origin: tuple[str, ...]) -> Scop:
    whence = Origin(str(folder / "scale.c"), text, "scale", "", **origin)
    return replace(gemm_scop(), arguments=ARGUMENTS, origin=whence)


def answer(scop: Scop, folder: Path) -> str:
    build = folder / "build"
    build.mkdir()
    (build / "reference.c").write_text(print_reference(scop))
    (build / "caller.c").write_text(CALLER)
    command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-O1", "-ffunction-sections"]
    command += ["-Wl,--gc-sections", "reference.c", "caller.c", "-o", "both"]
    run_tool(command, cwd=build, timeout_s=300)
    return run_tool([build / "both"], cwd=build, timeout_s=300).output


SOURCES: Mapping[str, str] = {
    "variable_length": VLA,
    "static": f"static {VLA}",
    "pointer_to_rows": VLA.replace("float x[n][m]", "float (*x)[3]"),
    "with_a_main": f"{VLA}\nint main(int argc, char **argv) {{ (void)argv; return argc; }}",
    "with_a_main_that_needs_more": f"void gone(void);\nstatic void helper(void) {{ gone(); }}\n{VLA}\n"
    "int main(void) { helper(); return 0; }",
    "const_and_restrict": VLA.replace("float x[n][m]", "float x[restrict n][m]"),
    "other_names_in_the_way": f"#define a0 zero\n#define of_f 1\n#define PI 3\n{VLA}",
}


@pytest.mark.parametrize("name", SOURCES)
def test_original_is_called_with_its_arguments(name: str, tmp_path: Path) -> None:
    assert answer(scale(SOURCES[name], tmp_path), tmp_path) == "2 12"


@pytest.mark.parametrize("name", ["a0", "a1", "i", "sisy_x"])
def test_a_kernel_may_have_any_name(name: str, tmp_path: Path) -> None:
    """Also that of an argument of the function that calls it."""
    scop = scale(VLA.replace("scale", name), tmp_path)
    assert scop.origin is not None
    named = replace(scop, origin=replace(scop.origin, function=name))
    assert answer(named, tmp_path) == "2 12"


def test_macros_of_the_command_line_stand_on_top(tmp_path: Path) -> None:
    text = "#ifdef TWICE\n#define MORE(x) (2 * (x))\n#endif\n" + VLA.replace("*= factor", "*= MORE(factor) + ZERO")
    scop = scale(text, tmp_path, defines=("TWICE", "ZERO=0"))
    assert answer(scop, tmp_path) == "4 24"


def test_own_headers_are_written_into_the_text(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "local.h").write_text('#pragma once\n#include "deep/type.h"\n#include <math.h>\n')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "type.h").write_text("#ifndef TYPE_H\n#define TYPE_H\ntypedef float type;\n#endif\n")
    (tmp_path / "include" / "bench.h").write_text("#define BENCH 1\n")
    head = '#include "local.h"\n#include "local.h"\n # include <bench.h>\n#include <stdio.h>\n'
    scop = scale(head + VLA.replace("float x", "type x"), tmp_path, include_dirs=(str(tmp_path / "include"),))
    text = print_reference(scop)
    assert '#include "' not in text and "bench.h" not in text
    assert text.count("#include <stdio.h>") == 1
    for header in ("local.h", "deep/type.h", "include/bench.h"):
        (tmp_path / header).unlink()
    assert "#include <math.h>" in text


def test_headers_are_found_when_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "local.h").write_text("#pragma once\n#include <math.h>\ntypedef float type;\n")
    scop = scale('#include "local.h"\n#include "local.h"\n' + VLA.replace("float x", "type x"), tmp_path)
    assert answer(scop, tmp_path) == "2 12"


def test_missing_headers_and_circles_stay_includes(tmp_path: Path) -> None:
    (tmp_path / "round.h").write_text('#include "round.h"\n')
    text = print_reference(scale('#if 0\n#include "gone.h"\n#include "round.h"\n#endif\n' + VLA, tmp_path))
    assert '#include "gone.h"' in text and text.count('#include "round.h"') == 1


def test_strange_file_names_cannot_end_the_comment(tmp_path: Path) -> None:
    scop = scale(VLA, tmp_path)
    odd = replace(scop, origin=replace(scop.origin, path="a*/b.c"))
    assert print_reference(odd).splitlines()[0].count("*/") == 1
