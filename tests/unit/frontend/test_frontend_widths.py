"""sisy_types.h: which values its types hold unsaid, what its conversions become, and that they are exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.errors import KernelError
from sisyphus.ir import Scop, any_width
from sisyphus.ir.scop_text import expression
from sisyphus.plan import build_plan
from sisyphus.verification import run

Kernel = Callable[..., Scop]
HEAD = '#include "sisy_types.h"\n'
ARGUMENTS = "sisy_int12 x[8], sisy_uint5 u[8], sisy_fixed16_6 f[8], sisy_fixed18_4 w[8], double d[8], sisy_uint5 k"


def text(statement: str) -> str:
    return HEAD + f"void g({ARGUMENTS}, sisy_int12 o[8]) {{ for (int i = 0; i < 8; i++) {statement} }}"


FITTING = [
    "o[i] = x[i] > 2046 ? 0 : x[i] + 1;",
    "o[i] = u[i] * u[i] + 31;",
    "o[i] = x[i] / 2;",
    "{ int v = x[i] * 3; if (v > 2047) v = 2047; if (v < -2048) v = -2048; o[i] = v; }",
    "o[i] = sisy_int12_wrap(d[i]);",
    "o[i] = sisy_uint5_saturate(x[i]) + k;",
]


@pytest.mark.parametrize("statement", FITTING)
def test_a_value_that_always_fits_is_accepted(kernel: Kernel, statement: str) -> None:
    assert kernel(text(statement)).array("o").type.key == "int12"  # type: ignore[arg-type]


LOSING = [("o[i] = x[i] + 1;", "-2047 to 2048"), ("o[i] += u[i];", "to 2078"), ("o[i] = d[i];", "floating point")]


@pytest.mark.parametrize(("statement", "words"), LOSING)
def test_a_value_that_may_lose_bits_is_refused(kernel: Kernel, statement: str, words: str) -> None:
    with pytest.raises(KernelError, match=words) as refused:
        kernel(text(statement))
    (found,) = refused.value.diagnostics
    assert found.rule == "fixed-width" and "sisy_int12_wrap" in (found.hint or "")


VALUES = {
    "sisy_int12_wrap(2048)": "int12(2048)",
    "sisy_fixed16_6_of(-0.00001)": "int16((-1))",
    "sisy_fixed16_6_of(3 * 0.5)": "int16(1536)",
    "sisy_fixed18_4_of(-8.0)": "int18((-131072))",
}


@pytest.mark.parametrize("value", VALUES)
def test_constants_are_numbers_of_the_type(kernel: Kernel, value: str) -> None:
    found = kernel(text(f"{{ f[i] = 0; w[i] = 0; o[i] = ({value}) > 0; }}")).statements[-1].rhs
    assert VALUES[value] in expression(found)


def test_the_functions_of_the_header_are_no_kernels(kernel: Kernel) -> None:
    scop = kernel(text("o[i] = sisy_fixed16_6_to_int(sisy_fixed16_6_mul(f[i], f[i]));"))
    assert scop.name == "g" and scop.origin.widths == (
        *("sisy_fixed16_6", "sisy_fixed18_4"),
        *("sisy_int12", "sisy_uint5"),
    )


def test_the_shipped_header_is_the_one_made() -> None:
    shipped = (any_width.INCLUDE_DIR / any_width.HEADER).read_text()
    assert shipped == any_width.whole_header(), "run scripts/make_types_header.py"


EVERYTHING = """{
    o[i] = sisy_int12_wrap(x[i] * 7 + u[i]);
    u[i] = sisy_uint5_saturate(x[i] - k);
    f[i] = sisy_fixed16_6_add(f[i], sisy_fixed16_6_mul(f[i], sisy_fixed16_6_of(-1.3)));
    w[i] = sisy_fixed18_4_saturate(w[i] * 3 - f[i]);
    d[i] = sisy_fixed18_4_to_double(sisy_fixed18_4_of(d[i])) + sisy_fixed18_4_to_int(w[i]);
    if (x[i] > 2000) x[i] = sisy_int12_wrap(sisy_fixed16_6_div(f[i], 5));
}"""


SPOILT = [("ap_int<12>)(", "ap_int<11>)("), ("ap_uint<5>)(", "ap_uint<4>)("), (">> 10", "/ 1024")]


@pytest.mark.parametrize("spoil", [("", ""), *SPOILT])
def test_the_emitted_code_has_every_bit_that_c_has(spoil: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(text(EVERYTHING))
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, pipelined_point(kernel.scop, kernel.distribution))
    printed = project(plan)
    code = printed.files["kernel.cpp"]
    assert spoil[0] in code and "ap_int<18> buf_w[8]" in code and "#include <ap_int.h>" in code
    files = {**printed.files, "kernel.cpp": code.replace(*spoil)}
    ran = run(replace(printed, files=files), plan)
    assert ran.passed == (not spoil[0]), ran.checks
