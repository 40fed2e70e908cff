"""Sums of integers in loops of their own: what they compute, and what has to keep its order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from compiled_scops import run

from sisyphus import kernel_forms
from sisyphus.analysis import dependences, distribute
from sisyphus.forms import SUMS_APART, rewritten, sums_apart
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.request import Source

RING = """void f(const {t} a[12], {t} b[12]) {{
  for (int i = 0; i < 12; i++) {{ {t} c = i; for (int k = -2; k <= 2; k++) c += a[(i + k + 12) % 12]; b[i] = c; }}
}}
"""
#: Bodies over `i` and `k` of a kernel that adds to `c`, and whether the sums come apart.
BODIES = {
    "c[i] += a[k]; c[i] -= a[i + k] * 3;": True,
    "c[i] += a[k]; c[7 - i] = a[i] + (long)c[7 - i] + 1;": True,
    "c[i] += a[k]; c[(i + k) % 8] += 1;": True,
    "c[i] += a[k]; c[i] += c[k];": False,
    "c[i] += a[k]; c[i] = (short)(c[i] + a[i]);": False,
    "c[i] += a[k]; c[i] *= a[i];": False,
    "c[i] += a[k]; d[k] = c[i];": False,
    "c[i] += a[k]; c[i] = c[i] + 0.5f;": False,
    "c[i] += a[k]; if (a[k] > 0) c[i] += 2;": False,
    "c[i] += a[k]; a[k + 1] += 1;": False,
}


def scop_of(body: str, folder: Path) -> tuple[Path, Scop]:
    path = folder / "kernel.c"
    loops = "for (int i = 0; i < 8; i++) for (int k = 0; k < 8; k++)"
    path.write_text(f"void f(int a[16], int c[8], int d[8]) {{ {loops} {{ {body} }} }}\n")
    return path, read(path)


@pytest.mark.parametrize("body", BODIES)
def test_only_whole_sums_of_integers_come_apart(body: str, tmp_path: Path) -> None:
    path, scop = scop_of(body, tmp_path)
    apart = sums_apart(dependences(scop))
    assert (apart is not None) == BODIES[body]
    again = rewritten(scop, [SUMS_APART])
    assert [s.position for s in again.statements] == [s.position for s in (apart or scop).statements]
    if apart is not None:
        assert all(not s.shared_loops(t) for s in apart.statements for t in apart.statements if s.id != t.id)
        assert run(apart, path, tmp_path) == "equal"


@pytest.mark.parametrize("kind", ["int", "unsigned char", "short", "long"])
def test_cases_of_one_addition_are_nests_that_nothing_ties(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(RING.format(t=kind))
    scop = read(path)
    apart = sums_apart(dependences(scop))
    assert apart is not None and run(apart, path, tmp_path) == "equal"
    expanded = kernel_forms.load_kernels(Source(str(path)))
    assert any(
        SUMS_APART in kernel.rewrites and all(len(nest.statements) == 1 and not nest.outer for nest in nests)
        for kernel in expanded
        for nests in [distribute(kernel.scop, kernel.dependences).nests]
    )


def test_sums_of_floating_point_numbers_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(RING.format(t="float"))
    assert sums_apart(dependences(read(path))) is None


def test_random_sums_compute_the_same(tmp_path: Path) -> None:
    rng = random.Random(7)
    places = ("c[i]", "c[k]", "c[(i + k) % 8]", "c[7 - k]")
    came_apart = 0
    for _ in range(6):
        adds = [
            f"{rng.choice(places)} {rng.choice(('+=', '-='))} a[{rng.choice(('i', 'k', 'i + k'))}] + k;" for _ in "ab"
        ]
        before, behind = (rng.choice(("", "c[0] = a[1] - c[2];")) for _ in "ab")
        body = f"{adds[0]} {adds[1]} }} {behind} for (int i = 0; i < 3; i++) {{ d[i] = c[i];"
        path, scop = scop_of(f"{before} for (int j = 0; j < 2; j++) {{ {body} }}", tmp_path)
        apart = sums_apart(dependences(scop))
        came_apart += apart is not None
        assert run(apart or scop, path, tmp_path) == "equal"
    assert came_apart
