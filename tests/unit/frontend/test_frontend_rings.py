"""Counters that go round are a value of the loops that move them; C says which."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled_scops import run, run_bodies

from sisyphus.frontend import read
from sisyphus.ir import Scop

ROUNDS = """#include <stdint.h>
#define N 12
static void turns(int b[8]) {
  int now = 0;
  for (int t = 0; t < 5; t++) {
    b[!now] += 3 * b[now];
    b[now ^ 1] -= t;
    now = !now;
  }
  b[7] = now;
}
static void ring(const int a[8], int b[8]) {
  int ring[N]; uint8_t w = N - 1; unsigned r = 0, k = 0;
  for (int i = 0; i < N; i++) ring[i] = i;
  for (int j = 0; j < 3; j++) {
    r = 3;
    for (int i = 0; i < 20; i++) {
      ring[w] = a[i % 8] + j;
      b[i % 8] += ring[(w + 5) % N] - ring[r] + ring[k & 7];
      w = (w == 0) ? N - 1 : w - 1;
      if (r == N - 1) r = 0; else r += 1;
      k++;
    }
  }
  b[1] += ring[w] + w;
}
static void behind(const int a[8], int b[8]) {
  int put = 0, got = 2;
  while (got < 5) {
    int ring[4] = {1, 2, 3, 4};
    for (int i = 0; i < 9; i++) {
      ring[put++] = a[i & 7];
      if (put >= 4) put = 0;
      b[i & 7] += ring[put];
    }
    got++;
  }
}
void f(const int a[8], int b[8], int c[8]) { turns(b); ring(a, b); behind(a, c); }
"""
STEPS = (
    "w = (w + {c}) % {m};",
    "w++; if (w == {m}) w = 0;",
    "if (w == {m} - 1) w = 0; else w++;",
    "w = w ? w - 1 : {m} - 1;",
    "w = (w - 1 + {m}) % {m};",
    "w = w + {c} >= {m} ? w + {c} - {m} : w + {c};",
    "w += 1; w %= {m};",
    "if (++w == {m}) w = 0;",
)


def test_rings_and_buffers_in_turn_compute_what_c_does(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(ROUNDS)
    scop = read(path, function="f")
    assert run(scop, path, tmp_path) == "equal"


def drawn(rng: random.Random) -> str:
    """A counter that goes round in one or two loops, in any of many ways."""
    many = rng.randint(2, 8)
    step = rng.choice(STEPS).format(m=many, c=rng.randrange(1, many))
    body = f"b[w] += a[i & 7] * {rng.randint(1, 5)};"
    inner = f"for (int i = 0; i < {rng.randint(1, 12)}; i++) {{ {rng.choice((body + step, step + body))} }}"
    if rng.random() < 0.5:
        before, behind = rng.choice((("", ""), ("", step), ("b[w] -= j;", ""), (f"w = {rng.randrange(many)};", "")))
        inner = f"for (int j = 0; j < {rng.randint(1, 4)}; j++) {{ {before} {inner} {behind} }}"
    return f"int w = {rng.randrange(many)}; {inner} b[0] += w;"


def test_random_counters_compute_what_c_does(tmp_path: Path) -> None:
    rng = random.Random(3)
    assert run_bodies([drawn(rng) for _ in range(40)], tmp_path) == "equal"


@pytest.mark.parametrize(
    "step",
    [
        "if (b[0] > 1) w = (w + 1) % 4;",  # moved on by data
        "w = (3 * w + 2) % 7;",  # round, but not by one amount
        "w = w + i; if (w > 3) w = 0;",
    ],
)
def test_other_counters_are_data(refusal: Callable[..., list[str]], step: str) -> None:
    refused = refusal(f"void k(int b[8]) {{ int w = 0; for (int i = 0; i < 8; i++) {{ b[w] = i; {step} }} }}")
    assert any("indirect-access" in found for found in refused)


def test_sums_that_wrap_around_on_purpose_stay_data(kernel: Callable[..., Scop]) -> None:
    """The sum of XTEA leaves `unsigned`, which no index may."""
    scop = kernel("""void k(const unsigned key[4], unsigned b[32]) { unsigned sum = 0;
        for (int i = 0; i < 32; i++) { b[i] += key[sum & 3]; sum += 0x9E3779B9; } }""")
    assert any("sum" in str(array.id) for array in scop.arrays)
