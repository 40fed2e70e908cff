"""How often operators are evaluated at least: by hand, and never more often than running every instance finds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from random_scops import Sample, samples

from sisyphus.analysis import evaluations
from sisyphus.frontend import read
from sisyphus.ir import Expr, Index, Read, Ref, Scop, StmtId, children, moved_by, reads, walk
from sisyphus.poly import each_point

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
MOST = 5_000

Value = tuple[object, ...]


def by_running(scop: Scop) -> Counter[tuple[StmtId, Expr]]:
    """Different values of each operator, with the iterators that it reads with, by running with symbols for values.

    What an operator makes is another value wherever it reads with other iterators.
    """
    runs = []
    for statement in scop.statements:
        for point in each_point(statement.domain, MOST):
            places = [*zip(statement.position, [point[name] for name in statement.iterators], strict=False)]
            runs.append(([n for pair in places for n in pair] + [statement.position[-1]], statement, point))
    runs.sort(key=lambda run: run[0])
    memory, numbers, found = dict[Value, int](), dict[Value, int](), set[tuple[StmtId, Expr, Value]]()
    for _, statement, point in runs:

        def value(expr: Expr, point: dict[str, int] = point) -> int:
            """Equal numbers for equal expressions of equal values."""
            key: Value = (expr,)
            if isinstance(expr, Read):
                key = element(expr.ref, point)
                if key in memory:
                    return memory[key]
            elif isinstance(expr, Index):
                key = (expr, *(point[n] for n in sorted(expr.value.names)))
            elif children(expr):
                key = (
                    type(expr),
                    getattr(expr, "op", getattr(expr, "function", None)),
                    expr.type,
                    *map(value, children(expr)),
                )
            return numbers.setdefault(key, len(numbers))

        for expr in {e for e in walk(statement.rhs) if children(e)}:
            names = frozenset(statement.iterators) if statement.write in reads(expr) else moved_by(expr)
            found.add((statement.id, expr, (value(expr), *(point[name] for name in sorted(names)))))
        made = value(statement.rhs)
        if children(statement.rhs):
            read_with = statement.iterators if statement.write in statement.reads else moved_by(statement.rhs)
            key: Value = (made, *(point[name] for name in sorted(read_with)))
            made = numbers.setdefault(key, len(numbers))
        memory[element(statement.write, point)] = made
    return Counter((name, expr) for name, expr, _ in found)


def element(ref: Ref, point: dict[str, int]) -> Value:
    return ref.array, *(i.constant + sum(factor * point[n] for n, factor in i.terms) for i in ref.index)


def counted(scop: Scop) -> Counter[tuple[StmtId, Expr]]:
    found: Counter[tuple[StmtId, Expr]] = Counter()
    for statement, expr, times in evaluations(scop):
        if children(expr):
            found[statement.id, expr] = times
    return found


def scop_of(text: str, tmp_path: Path) -> Scop:
    (tmp_path / "k.c").write_text(text)
    return read(str(tmp_path / "k.c"))


def times_of(scop: Scop) -> dict[str, list[int]]:
    """By statement, largest expressions first."""
    found = dict[str, list[int]]()
    for (name, _), times in counted(scop).items():
        found.setdefault(str(name), []).append(times)
    return found


def test_steps_in_time_count_each(tmp_path: Path) -> None:
    """But for A[0] + A[2], which counts by what is read of it first and is never written."""
    text = """void k(float A[12], float B[12]) { for (int t = 0; t < 5; t++) {
      for (int i = 1; i < 11; i++) B[i] = A[i - 1] + A[i + 1];
      for (int i = 1; i < 11; i++) A[i] = 2.0f * B[i]; } }"""
    assert times_of(scop_of(text, tmp_path)) == {"S0": [46], "S1": [50]}


def test_what_nothing_changes_is_computed_once(tmp_path: Path) -> None:
    """Each step writes the values of the step before into b, and c moves with the loop that it is computed in."""
    text = """void k(float y[12], const float a[12], float s) { float b[12], c; for (int t = 0; t < 5; t++) {
      c = s * 2.0f;
      for (int i = 0; i < 12; i++) b[i] = c * a[i];
      for (int i = 0; i < 12; i++) y[i] += b[i] * b[i]; } }"""
    assert times_of(scop_of(text, tmp_path)) == {"S0": [1], "S1": [12], "S2": [60, 12]}


def test_elements_that_are_never_written_count_once(tmp_path: Path) -> None:
    text = """void k(float A[12]) { for (int t = 0; t < 5; t++) for (int i = 1; i < 12; i++)
      A[i] = A[i] + 2.0f * A[0]; }"""
    assert times_of(scop_of(text, tmp_path)) == {"S0": [55, 1]}


SIZES = {
    "adi": ("TSTEPS=3", "N=6"),
    "cholesky": ("N=9",),
    "deriche": ("W=6", "H=5"),
    "durbin": ("N=12",),
    "fdtd-2d": ("TMAX=3", "NX=5", "NY=6"),
    "gramschmidt": ("M=5", "N=6"),
    "heat-3d": ("TSTEPS=3", "N=5"),
    "jacobi-2d": ("TSTEPS=4", "N=7"),
    "seidel-2d": ("TSTEPS=3", "N=7"),
    "symm": ("M=5", "N=6"),
    "2mm": ("NI=3", "NJ=4", "NK=5", "NL=6"),
}


@pytest.mark.parametrize("name", SIZES)
def test_no_more_than_running_finds(name: str) -> None:
    scop = read(str(KERNELS / f"{name}.c"), defines=SIZES[name])
    found, most = counted(scop), by_running(scop)
    assert found.keys() == most.keys()
    assert {key: times for key, times in found.items() if times > most[key]} == {}


@pytest.mark.parametrize("name", ["adi", "fdtd-2d", "heat-3d", "jacobi-2d", "seidel-2d"])
def test_steps_in_time_are_found(name: str) -> None:
    """Half of what running finds at least, for every operator of these kernels."""
    scop = read(str(KERNELS / f"{name}.c"), defines=SIZES[name])
    found = counted(scop)
    assert {key: n for key, n in by_running(scop).items() if n > 2 * found[key]} == {}


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(samples())
def test_random_scops_have_no_more_than_running_finds(sample: Sample) -> None:
    found, most = counted(sample.scop), by_running(sample.scop)
    assert {key: times for key, times in found.items() if times > most[key]} == {}
