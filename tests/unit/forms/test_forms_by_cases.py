"""Statements apart by where their variables have values from: which come of it, that results stay, what stays whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled_scops import kernel_at, run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import form_to_keep

from sisyphus.analysis import dependences
from sisyphus.forms import BY_CASES, INLINED, rewritten
from sisyphus.forms.by_cases import MOST_MORE, by_cases
from sisyphus.frontend import read
from sisyphus.ir import Scop, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays


def around(dims: int, n: int = 6, steps: int = 2) -> str:
    """A step of diffusion on a grid that repeats its border outwards, neighbours in variables."""
    names = "ijk"[:dims]
    extents, here = f"[{n}]" * dims, "".join(f"[{i}]" for i in names)
    loops = "".join(f"for (int {i} = 0; {i} < {n}; {i}++) " for i in names)
    lines, sums = [], []
    for at, i in enumerate(names):
        for word, condition, step in (("below", f"{i} > 0", "- 1"), ("above", f"{i} < {n} - 1", "+ 1")):
            there = "".join(f"[{m} {step}]" if m == i else f"[{m}]" for m in names)
            lines.append(f"float {word}_{at} = {condition} ? a{there} : w;")
            sums.append(f"{word}_{at}")
    return f"""
void kernel(float a{extents}, float b{extents})
{{
    for (int t = 0; t < {steps}; t++) {{
        {loops}{{
            float w = a{here};
            {" ".join(lines)}
            b{here} = w + 0.1f * ({" + ".join(sums)} - {2 * dims}.0f * w);
        }}
        {loops}
            a{here} = b{here};
    }}
}}
"""


def variables(scop: Scop) -> list[str]:
    return [a.id for a in scop.arrays if not a.extents]


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_neighbours_beyond_a_border_are_cases_of_a_statement(dims: int, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, around(dims))
    found = rewritten(read(path), [BY_CASES, INLINED])
    assert not variables(found) and len(found.statements) == 3**dims + 1
    assert run(promises.run(found), path, tmp_path) == "equal"


BODIES = {
    "sums under conditions": """
        for (int i = 0; i < 9; i++) {
            float s = 2 * x[i];
            if (i >= 1) s += x[i - 1] * 3;
            if (i + 2 < 9) s += x[i + 2];
            y[i] = s;
        }""",
    "one of several values": """
        for (int i = 0; i < 9; i++) {
            float c = 1;
            if (i > 2) c = x[i];
            if (i > 5) c = x[8 - i];
            y[i] = c * x[0] + i;
        }""",
    "all but one iteration": """
        for (int i = 0; i < 9; i++) {
            float c = x[i];
            if (i != 4) c = c * c;
            y[i] = c;
        }""",
    "one that nobody reads": """
        for (int i = 0; i < 9; i++) {
            float c = x[i];
            if (i > 3) c = x[0];
            if (i > 2) c = x[1];
            y[i] = c;
        }""",
    "read by two statements": """
        for (int i = 0; i < 9; i++) {
            float c = x[0];
            if (i < 4) c = x[i];
            y[i] = c + 1;
            if (i > 6) z[i] = c;
        }""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=[*BODIES])
def test_results_stay_and_variables_go(body: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, f"void kernel(const float x[9], float y[9], float z[9])\n{{{body}\n}}\n")
    source = read(path)
    assert by_cases(dependences(source)) is not None
    found = rewritten(source, [BY_CASES, INLINED])
    assert not variables(found)
    assert run(promises.run(found), path, tmp_path) == "equal"


WHOLE = {
    "one value": "for (int i = 0; i < 9; i++) { float c = x[i]; y[i] = c; }",
    "carried on": "float c = 0; for (int i = 0; i < 9; i++) { if (i > 3) c = x[i]; y[i] = c; }",
    "from an earlier iteration": "float c = 1; for (int i = 0; i < 9; i++) { y[i] = c; if (i % 2) c = x[i]; }",
    "over a loop": "for (int i = 0; i < 9; i++) { float c = 0; for (int j = 0; j < i; j++) c += x[j]; y[i] = c; }",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=[*WHOLE])
def test_what_has_one_value_or_carries_it_on_stays_whole(body: str, tmp_path: Path) -> None:
    path = kernel_at(tmp_path, f"void kernel(const float x[9], float y[9], float z[9])\n{{{body}\n}}\n")
    assert by_cases(dependences(read(path))) is None


def test_many_cases_stay_whole(tmp_path: Path) -> None:
    steps = " ".join(f"if (i > {at}) c = c + x[{at % 9}];" for at in range(MOST_MORE + 8))
    body = f"for (int i = 0; i < 900; i++) {{ float c = x[0]; {steps} y[i] = c; }}"
    path = kernel_at(tmp_path, f"void kernel(const float x[9], float y[900])\n{{{body}}}\n")
    assert by_cases(dependences(read(path))) is None


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 8), st.integers(0, 9), st.booleans()), min_size=1, max_size=4))
def test_any_conditions_leave_the_results(
    tmp_path_factory: pytest.TempPathFactory, given: list[tuple[int, int, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("conditions")
    steps = " ".join(
        f"if (i > {low} && i < {high}) c = {'c * 3 + ' if adds else ''}x[{at}];"
        for at, (low, high, adds) in enumerate(given)
    )
    body = f"for (int i = 0; i < 9; i++) {{ float c = x[i]; {steps} y[i] = c; }}"
    path = kernel_at(folder, f"void kernel(const float x[9], float y[9])\n{{{body}}}\n")
    found = rewritten(read(path), [BY_CASES, INLINED])
    assert not variables(found)
    assert run(promises.run(found), path, folder) == "equal"


@pytest.mark.long
def test_such_forms_are_searched_and_cut_into_strips(tmp_path: Path) -> None:
    """Places for all iterations of five variables would be larger than the arrays, and have no strips."""
    kernels = load_kernels(Source(str(kernel_at(tmp_path, around(2, n=4096, steps=20)))))
    assert [k.rewrites for k in kernels if k.name == BY_CASES] == [(BY_CASES, INLINED)]
    first, _ = for_large_arrays(kernels, make_target(load_device("u200")))
    assert any(BY_CASES in kernel.rewrites and kernel.name == "strips" for kernel in first)


def test_the_form_is_built_again_and_its_designs_compute_the_same(tmp_path: Path) -> None:
    form_to_keep(kernel_at(tmp_path, around(2)), BY_CASES, seed=5)
