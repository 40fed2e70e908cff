"""Tokens know where they stand, numbers stay whole, and macros point at their use."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.frontend.c.preprocess import Token, preprocess
from sisyphus.ir import Scop
from sisyphus.ir.scop_text import expression
from sisyphus.source import SourceFile


def tokens(text: str, *defines: str) -> tuple[Token, ...]:
    collector = Collector()
    found = preprocess(SourceFile("t.c", text), defines=defines, include_dirs=(), collector=collector).tokens
    collector.stop_if_failed()
    return found


NUMBERS = ["1", "1.0", "1.", ".5", "1.f", ".5f", "1e5", "1E-5f", "1.5e+3F", "0x1F", "0x1.8p-3", "10UL", "7LLu", "017"]


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_stay_whole(number: str) -> None:
    assert [t.text for t in tokens(f"{number}+x")] == [number, "+", "x"]
    assert [t.text for t in tokens(f"-N-{number}", f"N={number}")] == ["-", number, "-", number]


def test_operators_stay_whole() -> None:
    text = "a^=b|=c<<=d>>=e&&f||g->h++ -- ... %= &= *= /= += -= <= >= == != << >>"
    assert "".join(t.text for t in tokens(text)) == text.replace(" ", "")
    assert {"^=", "...", "<<=", "->", "%="} <= {t.text for t in tokens(text)}


@pytest.mark.parametrize("shift", ["1 << 10000000000", "(1u << 64)", "1 << (1 << 40)", "3 << 62 << 62 << 2"])
def test_a_shift_beyond_all_bits_leaves_none(shift: str) -> None:
    assert [t.text for t in tokens(f"#if {shift}\nwrong\n#else\nright\n#endif\n")] == ["right"]


def test_places_survive_comments_continuations_and_macros() -> None:
    text = "/* two\nlines */ int x; // end\n#define ADD(a, b) a + \\\n  b\n\tx = ADD(x,\n  y1) + AD\\\nD;\n"
    places = {t.text: (t.span.line, t.span.column, t.span.width) for t in tokens(text)}
    assert places["int"] == (2, 10, 3)
    assert places["="] == (5, 4, 1)
    assert places["y1"] == (5, 6, 3), "what a macro makes stands where the macro is used"
    assert places[";"][0] >= 6


def test_pasted_and_stringised_tokens() -> None:
    assert [t.text for t in tokens("#define V(x) x##f\n#define S(x) #x\nV(1.0) V(-2.5) S(a b)")] == [
        "1.0f",
        "-",
        "2.5f",
        '"a b"',
    ]


def test_gnu_words_vanish() -> None:
    text = "__attribute__((aligned(64))) static __inline__ int __restrict x __extension__;"
    assert [t.text for t in tokens(text)] == ["static", "inline", "int", "restrict", "x", ";"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("1", "float(1)"),
        ("1.5", "float(1.5)"),
        ("1.5F", "1.5f"),
        ("0x1.8p1f", "3.0f"),
        ("'a'", "float(97)"),
        ("'\\n'", "float(10)"),
        ("-3", "float((-3))"),
        ("0xffffffff", "float(0xffffffff)"),
        ("2147483648", "float(2147483648)"),
        ("(int)2.5", "float(int32(2.5))"),
        ("+A[0]", "A[0]"),
        ("(float)A[0]", "A[0]"),
        ("n", "float(7)"),
        ("2 * i - 1", "float((2*i - 1))"),
        ("i * i", "float(((i) * (i)))"),
        ("i / 2", "float(((i) / 2))"),
        ("A[0] + 1", "(A[0] + float(1))"),
        ("A[0] + 1.0", "float((double(A[0]) + 1.0))"),
        ("c[0] + 1", "float((int32(c[0]) + 1))"),
        ("u[0] + c[0]", "float((u[0] + uint32(c[0])))"),
        ("c[0] << 2u", "float((int32(c[0]) << 2u))"),
        ("!A[0]", "float((!A[0]))"),
        ("A[0] && c[0]", "float((A[0] && c[0]))"),
        ("A[0] > 1", "float((A[0] > float(1)))"),
        ("i > 3 ? 1.0f : c[0]", "(((i) > 3) ? 1.0f : float(c[0]))"),
        ("sqrt(A[0])", "float(sqrt(double(A[0])))"),
        ("fmaxf(A[0], 0)", "fmaxf(A[0], float(0))"),
        ("~c[0]", "float((~int32(c[0])))"),
        ("sizeof(double) + 1", "float((8ULL + uint64(1)))"),
        ("z - 1", "float((uint32((i)) - uint32(1)))"),
    ],
)
def test_conversions_are_made_explicit(written: str, kept: str, kernel: Callable[..., Scop]) -> None:
    scop = kernel(
        f"""
        #include <math.h>
        void f(int n, float A[10], signed char c[10], unsigned u[10])
        {{
          for (int i = 0; i < n; i++) {{
            unsigned z = i;
            A[i] = {written};
          }}
        }}""",
        params={"n": 7},
    )
    assert expression(scop.statements[-1].rhs) == kept
