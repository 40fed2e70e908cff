"""Quotients and remainders of loop counters are affine in loops over quotients and remainders; C says what they are."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from compiled_scops import run, run_bodies

from sisyphus.errors import KernelError
from sisyphus.frontend import read

BODIES = {
    "ping-pong": """for (int t = 0; t < 7; t++) for (int i = 1; i < 7; i++)
      c[(t + 1) % 2][i] = c[t % 2][i - 1] + c[t & 1][i];""",
    "names for buffers": """for (int t = 0; t < 5; t++) { int now = t % 2; const int next = 1 - now;
      for (int i = 0; i < 8; i++) c[next][i] += 2 * c[now][i]; }""",
    "ring": "for (int i = 0; i < 21; i++) { a[i & 7] = i; for (int k = 0; k < 4; k++) b[i] += a[(i - k + 8) % 8]; }",
    "rows and columns": "for (int i = 0; i < 24; i++) c[i / 8][i % 8] = b[i % 8 * 3 + i / 8];",
    "three subscripts": "for (int i = 0; i < 24; i++) d[i / 12][i / 4 % 3][i % 4] = b[i];",
    "decimated": "for (int i = 0; i < 26; i++) { b[i / 4] += a[i % 8]; if (i % 4 == 3) a[i >> 2] = b[i / 4]; }",
    "from below zero": """for (int i = -5; i < 6; i++) {
      b[i % 4 + 3] += i; b[i / 4 + 8] += 1; b[(i & 3) + 20] -= i >> 1; }""",
    "falling": "for (int i = 21; i > 2; i -= 1) { a[i % 8] += b[i / 3]; }",
    "by steps": """for (int i = 3; i < 30; i += 3) {
      a[i % 6] += b[i / 6]; a[(i / 3) & 3] -= b[(2 * i + 1) % 4]; }""",
    "falling by steps": "for (int i = 29; i >= 3; i -= 2) a[i / 2 % 4] += b[i % 4];",
    "two numbers": "for (int i = 0; i < 20; i++) { a[i % 2] += b[i % 3]; a[i % 6] -= i % 2; }",
    "sums of counters": """for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++)
      if ((i + j) % 2 == 0) c[i % 4][j] += i; else c[0][j] -= j;""",
    "a border that wraps": """for (int i = 0; i < 8; i++) b[i] = a[(i + 1) % 8] - a[(i + 7) % 8];
      for (int i = 0; i < 8; i++) a[i] += b[i];""",
    "divided by a remainder": "for (int i = 0; i < 8; i++) { int q = b[i] % ((i & 1) + 1); if (q > 0) a[i] = q; }",
    "bounds": "for (int i = 0; i < 18; i++) for (int j = i % 4; j < 4 + i / 6; j++) a[j] += i;",
    "unsigned": "for (unsigned i = 0; i < 20u; i++) a[i % 8u] += b[i / 5u];",
    "triangle": """for (int i = 0; i < 9; i++) for (int j = i; j < 16; j++)
      c[j % 4][i % 2 + j / 4] += a[j & 3];""",
    "in functions": "for (int t = 0; t < 5; t++) add(c[t % 3], c[(t + 1) % 3], t & 7);",
    "names by cases in functions": "for (int i = 0; i < 8; i++) turned(a, b, i);",
    "under data": """for (int i = 0; i < 20; i++) {
      if (b[i] > 0) a[i % 4] = b[i];
      if (i % 2 && b[i] < 1) a[4] += i / 2; }""",
    "an end that is data": "for (int i = 0; i < 20; i++) { if (b[i] == 77) break; a[i % 4] += b[i]; }",
}
HEAD = """
static void add(int to[8], const int from[8], int i) {
  to[i] += from[i] + 1;
  for (int k = 0; k < 4; k++) to[k % 2] ^= k;
}
static void turned(int a[8], int b[32], int j) {
  for (int i = 0; i < 8; i++) {
    int y = i == 3 ? 0 : i;
    b[i] += a[y];
    if ((i > 2 ? i - 1 : 2) == j) b[(i + j) % 9] += a[j];
  }
}
"""
GROUPS = [[*BODIES][at : at + 5] for at in range(0, len(BODIES), 5)]


@pytest.mark.parametrize("names", GROUPS, ids=[names[0].replace(" ", "-") for names in GROUPS])
def test_what_is_divided_computes_what_c_does(names: list[str], tmp_path: Path) -> None:
    given, rows = "int a[8], int b[32], int c[4][8], int d[2][3][4]", len(names)
    parts = [f"static void f{at}({given})\n{{\n{BODIES[name]}\n}}\n" for at, name in enumerate(names)]
    calls = "".join(f"  f{at}(a[{at}], b[{at}], c[{at}], d[{at}]);\n" for at in range(rows))
    whole = f"void k(int a[{rows}][8], int b[{rows}][32], int c[{rows}][4][8], int d[{rows}][2][3][4])"
    path = tmp_path / "kernel.c"
    path.write_text(f"{HEAD}{''.join(parts)}{whole}\n{{\n{calls}}}\n")
    assert run(read(path, function="k"), path, tmp_path) == "equal"


def drawn(rng: random.Random) -> str:
    """A loop whose iterator is divided, added to and divided again before it names an element."""
    value = "i"
    for _ in range(rng.randint(1, 3)):
        op = rng.choice(("/", "%", "%", ">>", "&", "+", "+", "*"))
        by = {">>": rng.randint(1, 3), "&": rng.choice((1, 3, 7)), "*": rng.choice((2, 3, -1)), "+": rng.randint(-9, 9)}
        value = f"({value} {op} {by.get(op, rng.randint(2, 7))})"
    first, many, step = rng.randint(-6, 9), rng.randint(3, 24), rng.choice((1, 1, 2, 3))
    header = f"int i = {first}; i < {first + many * step}; i += {step}"
    if rng.random() < 0.3:
        header = f"int i = {first + many * step}; i >= {first}; i -= {step}"
    return f"for ({header}) b[{value} & 7] += i * a[(i + {rng.randint(0, 7)}) & 7];"


def test_random_quotients_compute_what_c_does(tmp_path: Path) -> None:
    """Most of what is drawn is accepted; all of that computes the same."""
    rng, accepted = random.Random(5), list[str]()
    loops = [drawn(rng) for _ in range(60)]
    for loop in loops:
        path = tmp_path / "one.c"
        path.write_text(f"void f(const int a[8], int b[8]) {{ {loop} }}")
        with contextlib.suppress(KernelError):
            read(path)
            accepted.append(loop)
    assert len(accepted) > 50
    assert run_bodies(accepted, tmp_path) == "equal"


BITS = [
    "for (int i = 0; i < 8; i++) { b[i ^ 4] += a[i]; b[i & 2] -= a[i | 1]; if ((i & 4) == 0) b[i] += 3 * a[i ^ 1]; }",
    "for (int i = 7; i > 1; i--) { int l = i ^ 2; if (l > i) { b[i] -= a[l]; b[l] += i ^ 4; } }",
    "for (int i = -8; i < 8; i++) if ((i & 8) && (i | 2) != i) b[(i ^ 4) + 8] += a[(i & 4) + 1] * i;",
    "for (int k = 2; k <= 8; k <<= 1) for (int j = k >> 1; j > 0; j >>= 1) for (int i = 0; i < 8; i++) { int l = i ^ j;"
    " if (l > i && ((i & k) ? b[i] < b[l] : b[i] > b[l])) { int t = b[i]; b[i] = b[l]; b[l] = t; } }",
    "for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) b[(2 * i + j) ^ 2] += a[(i + 2 * j) | 4] + a[i + j & 2];",
]


def test_single_bits_of_counters_are_digits(tmp_path: Path) -> None:
    assert run_bodies(BITS, tmp_path) == "equal"
