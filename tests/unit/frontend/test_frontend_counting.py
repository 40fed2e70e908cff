"""Loops and numbers that count otherwise than in the header of a `for` compute what C makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run, run_bodies

from sisyphus.errors import KernelError
from sisyphus.frontend import read

Refusal = Callable[..., list[str]]

LOOPS = [
    "int i = 0; while (i < 8) { b[i] = a[i]; i++; }",
    "int i; i = 0; while (8 > i) { b[i] = a[i]; i += 1; }",
    "int i = 0; while (i != 8) { int j = i; i = i + 1; b[j] = a[i - 1]; }",
    "int i = 7; while (i >= 0) { b[i] = a[i]; --i; }",
    "int i = 8; while (i--) b[i] = a[i];",
    "unsigned i = 8; while (i-- > 0) b[i] = a[i];",
    "int i = -1; while (++i < 8) { b[i] = a[i]; }",
    "int i = 0; do { b[i] = a[i]; i++; } while (i < 8);",
    "int i = 0; do b[i] = a[i]; while (++i < 8);",
    "int i = 8; do { --i; b[i] = a[i]; } while (i);",
    "int i = 0, x = 1; do { x = 3 * x + a[i]; b[i] = x; } while (++i < 8 && x < 900);",
    "int i = 7, x = 0; do { x += a[i]; i--; b[i + 1] = x; } while (i >= 0 && a[i] != 3 && x < 2000);",
    "int i = 8; do { i = i - 1; b[i] = a[i]; if (a[i] > 9) continue; b[i] += 1; } while (i != 0);",
    "int i = 0; for (;;) { if (i >= 8) break; b[i] = a[i]; i++; }",
    "int i = 7; while (1) { b[i] = a[i]; if (i == 0) break; i--; }",
    "int i = 0; for (;;) { b[i] = a[i]; if (++i == 8) break; }",
    "int i = 8; while (1) { if (--i < 2) break; b[i] = a[i]; }",
    "int i = 0; while (1) { b[i] += 1; if (i < 7) b[i] = a[i]; else break; i++; }",
    "int i = 0; for (; i < 8; i++) { if (a[i] > 3) continue; b[i] = a[i]; }",
    "for (int i = 0; i < 8;) { b[i] = a[i]; i++; }",
    "int i; for (i = 0; ; ) { if (i > 7) break; b[i] = a[i]; ++i; }",
    "int i = 0; while (i < 8) { b[i] = a[i]; i++; if (i > 2) continue; b[0] += a[0]; }",
    "int i = 0; while (i < 8 && a[i] < 90) { b[i] = a[i]; i++; }",
    "int i = 0; while (i < 8) { if (a[i] > 90) break; b[i] = a[i]; i++; }",
    "int i = 1, j = 0; while (i < 8) { j = i; while (j > 0) { b[j] += a[j - 1]; j--; } i++; }",
    "int i = 0, j; do { j = 7; while (j > i) b[j--] += a[i]; i++; } while (i < 7);",
    "int i = 0; while (i < 5) { b[i] = a[i]; i += 2; } b[i] += 7; while (i < 8) b[i++] += 1;",
    "int i = 8; while (--i >= 4) b[i] = a[i]; b[i] = 5; while (i >= 0) { b[i] += 2; i--; }",
    "int i = 0, n = 8; while (n--) { b[i] = a[i]; i++; }",
    "for (int t = 0; t < 2; t++) { int i = 0; while (i < 8) { b[i] += a[i]; i++; } }",
    "int k = 0; for (int i = 7; i >= 0; i--) b[k++] = a[i];",
    "int k = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) { b[k] = a[k]; k++; }",
    "int k = 7; for (int i = 0; i < 3; i += 2) { b[k--] = a[i]; b[k] = a[i + 1]; k--; b[k - 1] = a[k]; k -= 2; }",
    "int k = 0; for (int i = 0; i < 4; i++) { b[k] = a[i]; k++; } for (int i = 0; i < 4; i++) { b[k] = a[i]; ++k; }",
    "int k, i; for (i = 0; i < 2; i++) { k = 4 * i; for (int j = 0; j < 4; j++) { b[k] = a[j]; k++; } }",
    "int k = 0; for (int i = 0; i < 8; i++) { if (a[i] > 3) break; b[k] = a[i]; k++; }",
    "int k = 0; for (int i = 0; i < 8; i++) { k++; if (a[i] > 3) continue; b[k - 1] = a[i]; }",
    "int k = 0; for (int i = 0; i < 4; i++, k += 2) b[k] = a[i];",
    "int k = 0, i; for (i = 7; i >= 0; k++, --i) { b[k] = a[i]; if (a[i] > 90) break; }",
    "for (int v = a[0], k = 0; k < 8; k++, v >>= 1) b[k] += v & 1;",
    "for (int i = 7, x = a[1], y = 0; i >= 0; y = x, x += a[i] + y, i--) b[i] = x - y;",
    "for (int x = 1, i = 0; i < 8; x *= 3, i++) { int x = a[i]; if (x < 50) b[i] = x; }",
    "int k = 0, m = 7; for (int i = 0; i < 8; i++) b[k++] = a[m--];",
    "int l = 0, h = 7; while (l < h) { b[l] = a[h]; b[h] = a[l]; l++; h--; }",
    "int l = 0, h = 8; while (l + 1 < h) { b[--h] = a[l]; b[l++] = 3; }",
]


def test_loops_that_count_otherwise_compute_the_same(tmp_path: Path) -> None:
    assert run_bodies(LOOPS, tmp_path) == "equal"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("int i = 0; while (i < 8) { if (a[i] > 3) continue; b[i] = 1; i++; }", "while-loop"),
        ("int i = 0; while (i < 8) { b[i] = 1; if (a[i] > 3) i++; }", "while-loop"),
        ("int i = 0, n = 8; while (i < n) { b[i] = 1; i++; n = a[0]; }", "data-dependent-condition"),
        ("int i = 0; while (i < 8) { if (a[i] > 3) break; i++; } b[0] = i;", "while-loop"),
        ("for (int t = 0; t < 10; t++) { int i = t; while (i < 8) i++; b[i] = 1; }", "while-loop"),
        ("for (int t = 0; t < 9; t++) { int i = t; do b[i] = 1; while (++i < 8); }", "while-loop"),
        ("int k = 0; for (int i = 0; i < 8; i++) for (int j = 0; j < i; j++) b[k++] = 1;", "indirect-access"),
        ("int k = 0; for (int i = 0; i < 8; i++) { if (a[i] > 3) continue; b[k++] = 1; }", "indirect-access"),
        ("int k = 0; for (int i = 0; i < 8; i++) { if (a[i] > 3) k++; b[k] = 1; }", "indirect-access"),
        ("int k = 0; for (int i = 0; i < 8; i++, k++) { if (a[i] > 3) continue; b[k] = 1; }", "loop-form"),
        ("int l = 0, h = 7; while (l < h) { if (a[l] > 3) l++; else h--; b[l] = 1; }", "while-loop"),
    ],
)
def test_what_does_not_count_is_refused(refusal: Refusal, body: str, place: str) -> None:
    assert place in str(refusal(f"void f(const int a[8], int b[8]) {{ {body} }}"))


WRAPPING = """#include <stdint.h>
static const int sine[16] = {0, 3, 6, 8, 9, 8, 6, 3, 0, -3, -6, -8, -9, -8, -6, -3};
static int at(const int a[8], uint32_t n) { return (n & 3) == 1 ? a[1] : a[2]; }
void f(const int a[8], int b[64])
{
  uint16_t phase = 0; uint32_t sum = 0; uint8_t k = 250;
  for (int i = 0; i < 64; i++) {
    b[i] = sine[phase >> 12] + at(a, sum) + sine[k & 15];
    phase += 5000; sum += 0x9E3779B9u; k++;
  }
}
"""


def test_what_wraps_around_stays_data(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(WRAPPING)
    assert run(read(path, function="f"), path, tmp_path) == "equal"


class Counting:
    """Nested loops of every kind that move, test, set and read two counters at random places."""

    def __init__(self, seed: int) -> None:
        self.random, self.loops = random.Random(seed), 0

    def text(self) -> str:
        body = "".join(self.statement(0) for _ in range(self.random.randint(2, 4)))
        first = ", ".join(f"{name} = {self.random.randint(0, 3)}" for name in "pq")
        return f"void f(const int a[40], int b[40])\n{{\n  int {first};\n{body}}}\n"

    def statement(self, depth: int) -> str:
        kinds = [self.access, self.access, self.step, self.setting]
        kinds += [self.loop, self.counted, self.loop] if depth < 2 else []
        return self.random.choice(kinds[:-1] if depth else kinds)(depth)

    def name(self) -> str:
        return self.random.choice("pq")

    def access(self, _: int) -> str:
        left, right = (self.random.choice([f"{self.name()} + {self.random.randint(0, 9)}", "p", "q"]) for _ in "ab")
        if self.random.random() < 0.3:
            left = self.random.choice(["p++", "q++", "--p", "++q", "q--"])
        return f"b[{left}] += a[{right}];\n" if left[0] not in right else f"b[{left}] += 3;\n"

    def step(self, _: int) -> str:
        return self.random.choice(["{0}++;\n", "--{0};\n", "{0} += 2;\n", "{0} = {0} + 1;\n"]).format(self.name())

    def setting(self, _: int) -> str:
        return f"{self.name()} = {self.random.randint(0, 6)};\n"

    def body(self, depth: int, *needed: str) -> str:
        parts = [self.statement(depth + 1) for _ in range(self.random.randint(1, 2))]
        if self.random.random() < 0.15:
            parts.append("if (a[3] > 5) continue;\n")
        for part in needed:
            parts.insert(self.random.randint(0, len(parts)), part)
        return "{\n" + "".join(parts) + "}\n"

    def counted(self, depth: int) -> str:
        self.loops += 1
        name, step = f"i{self.loops}", self.random.choice(["{0}++", "{0} += 2"])
        head = f"for (int {name} = 0; {name} < {self.random.randint(1, 4)}; {step.format(name)}) "
        return head + self.body(depth)

    def loop(self, depth: int) -> str:
        name, end = self.name(), self.random.randint(2, 7)
        step = self.random.choice([f"{name}++;\n", f"{name} += 2;\n", f"{name} = {name} + 1;\n"])
        test, other = self.random.choice(
            [(f"{name} < {end}", f"{name} >= {end}"), (f"{name} <= {end}", f"{end} < {name}")]
        )
        first = self.random.choice(["", f"{name} = {self.random.randint(0, 3)};\n"])
        down = f"{name} = {end};\n"
        return self.random.choice(
            [
                lambda: f"{first}while ({test}) {self.body(depth, step)}",
                lambda: f"{first}do {self.body(depth, step)} while ({test});\n",
                lambda: f"{first}for (;;) {self.body(depth, step, f'if ({other}) break;' + chr(10))}",
                lambda: f"{first}for (; {test}; {name}++) {self.body(depth)}",
                lambda: f"{down}while ({name}--) {self.body(depth)}",
                lambda: f"{down}while (--{name} > 0) {self.body(depth)}",
                lambda: f"{down}do {self.body(depth)} while ({name}-- > 0);\n",
            ]
        )()


def test_random_counters_compute_the_same(tmp_path: Path) -> None:
    """Those that are accepted; enough of them are."""
    accepted = 0
    path = tmp_path / "kernel.c"
    for seed in range(20):
        path.write_text(Counting(seed).text())
        try:
            scop = read(path)
        except KernelError:
            continue
        accepted += 1
        assert run(scop, path, tmp_path) == "equal", seed
    assert accepted >= 3


RINGS = """
void f(const int a[8], int b[8], int c[2][8])
{
  int ring[12];
  for (int i = 0; i < 4; i++) ring[i] = 0;
  for (int i = 0; i < 8; i++) {
    ring[i + 4] = a[i];
    for (int t = 0; t < 4; t++) b[i] += ring[i + 4 - t];
  }
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < 7; i++) c[1][i] = c[0][i - 1] + c[0][i + 1];
    for (int i = 1; i < 7; i++) c[0][i] = c[1][i - 1] + c[1][i + 1];
  }
}
"""


def test_rings_and_buffers_in_turn_are_read_as_the_hint_has_them(tmp_path: Path) -> None:
    """A place for each value in place of `ring[i % 4]`, and both steps of a loop in place of `c[t % 2]`."""
    (tmp_path / "kernel.c").write_text(RINGS)
    assert run(read(tmp_path / "kernel.c"), tmp_path / "kernel.c", tmp_path) == "equal"
