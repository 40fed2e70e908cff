"""Loop headers and conditions against C: the iterations found by isl are those that running the loop gives."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.frontend import read
from sisyphus.ir import Scop, Statement
from sisyphus.poly import each_point

LIMIT = 4000
COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def values(statement: Statement) -> list[tuple[int, ...]]:
    """What the statement's subscripts are, in the order of its instances."""
    points = sorted(each_point(statement.domain, LIMIT), key=lambda p: [p[n] for n in statement.iterators])
    return [tuple(e.evaluate(p) for e in statement.write.index) for p in points]


def scop_of(text: str, tmp_path_factory: pytest.TempPathFactory) -> Scop:
    path = tmp_path_factory.mktemp("loops") / "kernel.c"
    path.write_text(text)
    return read(path)


start = st.sampled_from(["{c}", "i", "i + {c}", "2 * i - {c}", "-i + {c}", "3 * i"])
number = st.integers(-4, 9)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(start, number, start, number, st.sampled_from([1, 2, 3, 4]), st.booleans(), st.booleans(), st.integers(0, 3))
def test_a_loop_runs_through_the_values_that_c_gives_it(
    tmp_path_factory: pytest.TempPathFactory,
    low: str,
    low_c: int,
    high: str,
    high_c: int,
    step: int,
    descending: bool,
    closed: bool,
    form: int,
) -> None:
    begin, end = low.format(c=low_c), high.format(c=high_c)
    operator = (">" if descending else "<") + ("=" if closed else "")
    change = [f"j {'-' if descending else '+'}= {step}", f"j = j {'-' if descending else '+'} {step}"][form % 2]
    test = f"j {operator} {end}" if form < 2 else f"{end} {operator.translate(str.maketrans('<>', '><'))} j"
    text = f"""
    void f(float A[6][200])
    {{
      A[0][0] = 0.0f;
      for (int i = 0; i < 6; i++)
        for (int j = {begin}; {test}; {change})
          A[i][j + 100] = 1.0f;
    }}"""
    wanted = []
    for i in range(6):
        j = eval(begin, {"i": i})
        while COMPARE[operator](j, eval(end, {"i": i})):
            wanted.append((i, j + 100))
            j += -step if descending else step
    scop = scop_of(text, tmp_path_factory)
    found = values(scop.statements[1]) if len(scop.statements) > 1 else []
    assert found == wanted
    assert all(re.fullmatch(r"[ij]", n) for s in scop.statements for n in s.iterators)


term = st.sampled_from(["i", "j", "2 * i", "i + j", "i - j", "3", "0", "7 - j", "N", "-i"])
comparison = st.builds(lambda a, o, b: f"{a} {o} {b}", term, st.sampled_from(list(COMPARE)), term)
condition = st.recursive(
    comparison | st.sampled_from(["i", "j - 2", "1", "0"]),
    lambda inner: (
        st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from(["&&", "||"]), inner)
        | st.builds(lambda a: f"!({a})", inner)
    ),
    max_leaves=5,
)


def holds(text: str, i: int, j: int) -> bool:
    python = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    return bool(eval(python, {"i": i, "j": j, "N": 5}))


@pytest.mark.long
@settings(max_examples=120, deadline=None, derandomize=True)
@given(condition, condition)
def test_both_branches_run_where_c_says(tmp_path_factory: pytest.TempPathFactory, outer: str, inner: str) -> None:
    text = f"""
    #define N 5
    void f(float A[6][7], float B[6][7], float C[6][7])
    {{
      C[0][0] = 0.0f;
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++)
          if ({outer}) {{
            if ({inner}) A[i][j] = 1.0f; else B[i][j] = 1.0f;
          }} else
            C[i][j] = 1.0f;
    }}"""
    scop = scop_of(text, tmp_path_factory)
    grid = [(i, j) for i in range(6) for j in range(7)]
    wanted = {
        "A": [p for p in grid if holds(outer, *p) and holds(inner, *p)],
        "B": [p for p in grid if holds(outer, *p) and not holds(inner, *p)],
        "C": [p for p in grid if not holds(outer, *p)],
    }
    found: dict[str, list[tuple[int, ...]]] = {"A": [], "B": [], "C": []}
    for statement in scop.statements[1:]:
        found[statement.write.array] = values(statement)
    assert found == wanted


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 3), st.integers(-3, 3), st.integers(0, 4), st.integers(1, 3), st.integers(-2, 3), st.booleans())
def test_uninitialised_reads_are_those_that_running_finds(
    tmp_path_factory: pytest.TempPathFactory,
    stride: int,
    offset: int,
    first: int,
    read_stride: int,
    read_offset: int,
    inside: bool,
) -> None:
    """Writes t[stride*i + offset] and reads t[read_stride*i + read_offset], in one loop or in two."""
    write, take = f"t[{stride} * i + {offset} + 3] = A[i];", f"A[i] = t[{read_stride} * i + {read_offset} + 2];"
    between = "" if inside else "} for (int i = 0; i < 5; i++) {"
    text = f"void f(float A[8]) {{ float t[32]; for (int i = {first}; i < 5; i++) {{ {write} {between} {take} }} }}"
    written, bad = set[int](), False
    for i in range(first, 5):
        written.add(stride * i + offset + 3)
        bad |= inside and read_stride * i + read_offset + 2 not in written
    if not inside:
        bad = any(read_stride * i + read_offset + 2 not in written for i in range(5))
    path = tmp_path_factory.mktemp("uninitialised") / "kernel.c"
    path.write_text(text)
    if bad:
        with pytest.raises(Exception, match="uninitialised"):
            read(path)
    else:
        assert read(path).statements


def test_normalised_loops_ascend_by_one_and_keep_their_names(kernel: Callable[..., Scop]) -> None:
    scop = kernel(
        """
        void f(float A[20])
        {
          int i, j;
          for (i = 19; i >= 4; i -= 3)
            for (j = i; j > 0; j--)
              A[j] = i;
          for (i = 0; i < 20; i++)
            A[i] = 0.0f;
        }"""
    )
    first, second = scop.statements
    assert first.iterators == ("i", "j") and second.iterators == ("i",)
    assert str(first.write) == "A[-j + 19]", "a unit step down does not couple the loops"
    assert first.position == (0, 0, 0) and second.position == (1, 0)
