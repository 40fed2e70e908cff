"""The linter reads any text: real forms of C++ that the planted files do not have, and no text makes it fall."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import sisy
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.errors import UsageError
from sisyphus.lint import lint_paths, lint_text

PIECES = re.findall(
    r"\S+",
    """for ( ) { } [ ] ; , = < > ++ + - * / ? : :: if else while do switch case int float double const a b i 0 8 0.5
    1e3f 'x' "s" // /* */ \\ #define #pragma HLS unroll pipeline dataflow array_partition variable=a type=cyclic
    factor=2 interface mode=m_axi port=a m_axi bundle=g return struct namespace extern static void f hls vector""",
)

LOOP = """
void top(const float *a, float *b) {{
#pragma HLS interface mode=m_axi port=a
#pragma HLS interface mode=m_axi port=b bundle=out
    {before}
    for (int i = 0; i < 16; ++i) {{
#pragma HLS pipeline
        {body}
    }}
}}
"""


def rules(text: str) -> list[str]:
    return [f.rule for f in lint_text(text)]


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", "b[i] = a[i];", []),
        ("", "b[i + 3] = a[3 + i];", []),
        ("int k = 5;", "b[16 * k + i] = a[k * k + i];", []),
        ("int k = 5;", "b[i] = a[k * i];", ["burst-stride"]),
        ("", "b[15 - i] = a[i];", ["burst-stride"]),
        ("", "b[2 * (i + 1)] = a[i];", ["burst-stride"]),
        ("", "int at = 4 * i; b[i] = a[at];", []),
        ("int at = 0;", "b[i] = a[at]; ++at;", []),
        ("", "if (i > 2) { float x = a[i]; b[i] = x; }", ["burst-condition", "burst-condition"]),
        ("", "/* if (i) */ b[i] = a[i]; // a[2 * i]", []),
        ("", "if (i > 2)\n b[i] = 0;\n else\n b[i] = a[i];", ["burst-condition"] * 3),
    ],
)
def test_bursts(before: str, body: str, expected: list[str]) -> None:
    assert rules(LOOP.format(before=before, body=body)) == expected


def test_banks_follow_arguments_reshape_and_the_asked_interval() -> None:
    text = """
    static void use(float buffer[16][32], float out[16]) {{
        for (int i = 0; i < 16; ++i) {{
    #pragma HLS pipeline II={interval}
            float sum = 0;
            for (int j = 0; j < 8; ++j)
                sum += buffer[i][j];
            out[i] = sum;
        }}
    }}
    void top(float out[16]) {{
        float buffer[16][32];
    #pragma HLS {pragma}
        use(buffer, out);
    }}
    """
    enough = "array_partition variable=buffer type=cyclic factor=4 dim=2"
    assert rules(text.format(interval=1, pragma=enough)) == []
    assert rules(text.format(interval=1, pragma=enough.replace("partition", "reshape"))) == []
    assert rules(text.format(interval=1, pragma="array_partition variable=buffer dim=0")) == []
    few = enough.replace("factor=4", "factor=2")
    assert rules(text.format(interval=1, pragma=few)) == ["port-conflict"]
    assert rules(text.format(interval=2, pragma=few)) == []
    assert rules(text.format(interval=1, pragma=enough.replace("dim=2", "dim=1"))) == ["port-conflict"]


def test_a_pipelined_function_unrolls_its_loops() -> None:
    text = """
    void top(float out[16], const float in[16]) {
    #pragma HLS pipeline II=1
        for (int i = 0; i < 16; ++i)
            out[i] = in[i];
    }
    """
    assert rules(text) == ["port-conflict", "port-conflict"]
    assert rules(text.replace("II=1", "II=8")) == []
    assert rules(text.replace("II=1", "off")) == []


def test_a_clean_dataflow_region_and_forms_that_are_no_functions() -> None:
    text = """
    template <typename T> struct Box { T value; T get() const { return value; } };
    static const int table[] = {1, 2, 3};
    namespace deep { enum kind { left, right }; }
    static void one(const float a[8], float b[8]) { label: for (int i = 0; i < 8; i++) b[i] = a[i]; }
    void top(const float a[8], float b[8]) {
    #pragma HLS DATAFLOW
        float middle[8];
        one(a, middle);
        one(middle, b);
    }
    """
    assert rules(text) == []


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "\n", "\n#pragma HLS "]), max_size=60))
def test_no_text_makes_it_fall(pieces: list[str]) -> None:
    lint_text(" ".join(pieces))
    lint_text("void f(float *a) {\n" + " ".join(pieces))


def test_nesting_without_end() -> None:
    assert rules("void f(float a[8]) { a[" + "(" * 2000 + "0" + ")" * 2000 + "] = 1; }") == []
    with pytest.raises(UsageError, match="nested too deeply"):
        lint_text("void f() " + "{" * 1500 + "}" * 1500)


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        lint_paths([tmp_path / "absent.cpp"])
    (tmp_path / "host.cpp").write_text("int main() { return 0; }\n")
    with pytest.raises(UsageError, match="no C"):
        lint_paths([tmp_path])
    (tmp_path / "top.cpp").write_text("void top() {\n#pragma HLS unrol\n}\n")
    (tmp_path / "clean.cpp").write_text("void top() {\n#pragma HLS inline off\n}\n")
    assert [(p.name, f.rule) for p, f in lint_paths([tmp_path])] == [("top.cpp", "unknown-pragma")]
    done = sisy("lint", "--json", ".", cwd=tmp_path)
    assert done.returncode == 1
    (one,) = json.loads(done.stdout)
    assert (one["path"], one["line"], one["hint"]) == ("top.cpp", 2, "did you mean `unroll`?")
    good = sisy("lint", "clean.cpp", cwd=tmp_path)
    assert (good.returncode, good.stdout) == (0, "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1e-40f", ["subnormal"]),
        ("1.2e-38f", []),
        ("0.0f", []),
        ("0x1p-130f", ["subnormal"]),
        ("0e-99f", []),
        ("FLT_TRUE_MIN", ["subnormal"]),
        ("1e-37f", []),
    ],
)
def test_subnormal_numbers_are_zeros_on_the_device(value: str, expected: list[str]) -> None:
    assert rules(LOOP.format(before="", body=f"b[i] = a[i] + {value};")) == expected
