"""Expressions: the printed C++ gives the bits that C gives for the same tree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sisyphus.backends.hls import SAME_ARITHMETIC
from sisyphus.backends.hls.express import Affines, Expressions, is_exact, library_function, literal
from sisyphus.errors import InternalError
from sisyphus.ir import (
    ALL_TYPES,
    DOUBLE,
    FLOAT,
    INT32,
    Binary,
    Call,
    Cast,
    Expr,
    Index,
    Literal,
    Read,
    Ref,
    Scalar,
    ScalarType,
    Select,
    Unary,
    promote,
)
from sisyphus.poly import Affine, const, var
from sisyphus.tools import run_tool
from sisyphus.verification.differential_run import INCLUDE_DIR

INT8, UINT8, UINT32 = (t for t in ALL_TYPES if t.key in ("int8", "uint8", "uint32"))
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
KNOWN: dict[str, ScalarType] = {"f": FLOAT, "g": FLOAT, "d": DOUBLE, "i": INT32, "c": INT8, "b": UINT8, "u": UINT32}


def printer(helpers: set[str] | None = None) -> Expressions:
    return Expressions(
        Affines({"i": "i0"}),
        scalar=lambda name: name,
        element=lambda ref: ref.array + "".join(f"[{e}]" for e in ref.index),
        helpers=set() if helpers is None else helpers,
    )


X, Y = Scalar("x", FLOAT), Scalar("y", FLOAT)
N, U = Scalar("n", INT32), Scalar("u", UINT32)


def binary(op: str, left: Expr, right: Expr, kind: ScalarType = FLOAT) -> Binary:
    return Binary(op, left, right, kind)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (binary("*", binary("+", X, Y), X), "(x + y) * x"),
        (binary("+", X, binary("+", Y, X)), "x + (y + x)"),
        (binary("-", Unary("-", X, FLOAT), Unary("-", Literal("1.0f", FLOAT), FLOAT)), "(-x) - (-1.0f)"),
        (Unary("-", Unary("-", X, FLOAT), FLOAT), "-(-x)"),
        (Unary("-", Index(const(-2), INT32), INT32), "-(-2)"),
        (Cast(binary("+", X, Y), DOUBLE), "(double)(x + y)"),
        (Index(2 * var("i") + 1, INT32), "2*i0 + 1"),
        (binary("*", Index(var("i"), INT32), N, INT32), "i0 * n"),
        (Call("sqrt", (X,), DOUBLE), "hls::sqrt((double)x)"),
        (Call("expf", (binary("*", X, Y),), FLOAT), "hls::expf(x * y)"),
        (Call("fmaxf", (X, Literal("0.f", FLOAT)), FLOAT), "hls::fmaxf(x, 0.f)"),
        (Call("abs", (N,), INT32), "int_abs(n)"),
        (Select(binary("<", X, Y, INT32), X, Y, FLOAT), "(x < y) ? x : y"),
        (Select(N, X, Literal("1", INT32), FLOAT), "(n != 0) ? x : (float)1"),
        (binary("+", binary("<", X, Y, INT32), N, INT32), "((int)(x < y)) + n"),
        (binary("<", N, U, INT32), "(int)((unsigned int)n < u)"),
        (Unary("!", binary("&&", N, binary("==", X, Y, INT32), INT32), INT32), "(int)(!((n != 0) && (x == y)))"),
        (Read(Ref("A", (var("i"),)), FLOAT), "A[i]"),  # type: ignore[arg-type]
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert printer().value(expr) == text


def test_literals() -> None:
    assert [literal(t) for t in ("0.2f", "1e-3", "10u", "0x1F", "017")] == ["0.2f", "1e-3", "10u", "0x1F", "017"]
    assert float(literal("0x1.8p-1")) == 0.75
    assert literal("0x1p4f") == "16f" or float(literal("0x1p4f").rstrip("f")) == 16.0
    assert literal("'a'") == "(int)'a'"


def test_library_functions() -> None:
    assert library_function("exp") == ("exp", DOUBLE)
    assert library_function("expf") == ("exp", FLOAT)
    assert library_function("fabsf") == ("fabs", FLOAT)
    assert library_function("printf") is None
    assert is_exact("sqrtf") and is_exact("fabs") and not is_exact("expf") and not is_exact("pow")


def test_unknown_function_is_our_fault() -> None:
    with pytest.raises(InternalError, match="rand"):
        printer().value(Call("rand", (), INT32))


def test_helpers_are_asked_for() -> None:
    helpers: set[str] = set()
    printer(helpers).value(Call("abs", (N,), INT32))
    assert helpers == {"int_abs"}


class Trees:
    """Random expressions over a few variables of every kind, with C's own types, and their C text."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def tree(self, depth: int) -> tuple[Expr, str]:
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf()
        kind = self.rng.choice(["binary"] * 4 + ["compare", "logic", "select", "cast", "unary", "call"])
        return getattr(self, kind)(depth - 1)  # type: ignore[no-any-return]

    def leaf(self) -> tuple[Expr, str]:
        pick = self.rng.randrange(4)
        if pick == 0:
            text, kind = self.rng.choice(
                [("0.1f", FLOAT), ("0.1", DOUBLE), ("3", INT32), ("1e3f", FLOAT), ("2.5", DOUBLE)]
            )
            return Literal(text, kind), text
        if pick == 1:
            value = self.rng.choice([Affine.of({"i": 2}, -1), var("i"), const(-3)])
            return Index(value, INT32), f"({value})"
        name = self.rng.choice(list(KNOWN))
        return Scalar(name, KNOWN[name]), name

    def binary(self, depth: int) -> tuple[Expr, str]:
        (left, a), (right, b) = self.tree(depth), self.tree(depth)
        op = self.rng.choice("+-*/") if promote(left.type, right.type).is_float else self.rng.choice("&|^")
        return Binary(op, left, right, promote(left.type, right.type)), f"({a} {op} {b})"

    def compare(self, depth: int) -> tuple[Expr, str]:
        (left, a), (right, b), op = self.tree(depth), self.tree(depth), self.rng.choice(COMPARISONS)
        return Binary(op, left, right, INT32), f"({a} {op} {b})"

    def logic(self, depth: int) -> tuple[Expr, str]:
        (left, a), (right, b), op = self.tree(depth), self.tree(depth), self.rng.choice(["&&", "||"])
        return Binary(op, left, right, INT32), f"({a} {op} {b})"

    def select(self, depth: int) -> tuple[Expr, str]:
        (test, t), (then, a), (other, b) = self.tree(depth), self.tree(depth), self.tree(depth)
        return Select(test, then, other, promote(then.type, other.type)), f"({t} ? {a} : {b})"

    def cast(self, depth: int) -> tuple[Expr, str]:
        operand, a = self.tree(depth)
        kind = self.rng.choice([FLOAT, DOUBLE] if operand.type.is_float else [FLOAT, DOUBLE, INT8, INT32, UINT8])
        return Cast(operand, kind), f"(({kind.c_name}){a})"

    def unary(self, depth: int) -> tuple[Expr, str]:
        operand, a = self.tree(depth)
        if operand.type.is_float:
            return Unary("-", operand, operand.type), f"(-{a})"
        op = self.rng.choice("~!")
        return Unary(op, operand, INT32 if op == "!" else promote(operand.type, INT32)), f"({op}{a})"

    def call(self, depth: int) -> tuple[Expr, str]:
        operand, a = self.tree(depth)
        name = self.rng.choice(["sqrt", "sqrtf", "fabs", "expf", "exp", "floor", "cosf"])
        return Call(name, (operand,), FLOAT if name.endswith("f") else DOUBLE), f"{name}({a})"


PARAMETERS = "float f, float g, double d, int i, signed char c, unsigned char b, unsigned int u"
MAIN = """
static unsigned long long state = 12345;
static unsigned next() { state = state * 6364136223846793005ull + 1442695040888963407ull; return state >> 33; }
static const float scales[] = {1.0f, 0.0f, -1.0f, 1e-40f, 1e20f, 3.5f};
static float number() { const float scale = scales[next() % 6]; return scale * (next() % 1000); }
int main() {
    for (int at = 0; at < COUNT; ++at) {
        for (int turn = 0; turn < 40; ++turn) {
            const float f = number(), g = number();
            const double d = number() / 3.0;
            const int i = next() % 201 - 100;
            const signed char c = next() % 256;
            const unsigned char b = next() % 256;
            const unsigned int u = next();
            const double got = ours[at](f, g, d, i, c, b, u), wanted = theirs[at](f, g, d, i, c, b, u);
            if (std::memcmp(&got, &wanted, 8) && !(got != got && wanted != wanted)) {
                std::printf("%d: %.17g, must be %.17g\\n", at, got, wanted);
                return 1;
            }
        }
    }
    return 0;
}
"""


def test_random_trees_mean_what_they_mean_in_c(tmp_path: Path) -> None:
    trees = [Trees(seed).tree(4) for seed in range(150)]
    count = len(trees)
    c_lines = ["#include <math.h>"]
    cpp_lines = ["#include <hls_math.h>", "#include <cstdio>", "#include <cstring>"]
    text = Expressions(Affines({}), scalar=str, element=str, helpers=set())
    for at, (expr, c_text) in enumerate(trees):
        c_lines.append(f"double c{at}({PARAMETERS}) {{ {expr.type.c_name} r = {c_text}; return r; }}")
        cpp_lines.append(f'extern "C" double c{at}({PARAMETERS});')
        unused = "(void)f, (void)g, (void)d, (void)i, (void)c, (void)b, (void)u;"
        printed = f"{expr.type.c_name} r = {text.value(expr)}; return r;"
        cpp_lines.append(f"static double p{at}({PARAMETERS}) {{ {unused} {printed} }}")
    for array, letter in (("ours", "p"), ("theirs", "c")):
        cpp_lines.append(
            f"static double (*{array}[])({PARAMETERS}) = {{{', '.join(f'{letter}{n}' for n in range(count))}}};"
        )
    (tmp_path / "original.c").write_text("\n".join(c_lines) + "\n")
    (tmp_path / "printed.cpp").write_text("\n".join(cpp_lines) + MAIN.replace("COUNT", str(count)))
    flags = ["g++", *SAME_ARITHMETIC.split()]
    run_tool([*flags, "-x", "c", "-w", "-c", "original.c", "-o", "original.o"], cwd=tmp_path, timeout_s=300)
    # Random trees divide by zero and compare what is always so; what we write about types must not be warned of.
    warnings = [f"-Werror={w}" for w in ("sign-compare", "parentheses", "int-in-bool-context", "bool-operation")]
    include = ["-isystem", str(INCLUDE_DIR)]
    command = [*flags, "-std=c++14", *warnings, *include, "printed.cpp", "original.o", "-o", "both", "-lm"]
    run_tool(command, cwd=tmp_path, timeout_s=300)
    run_tool([tmp_path / "both"], cwd=tmp_path, timeout_s=300)
