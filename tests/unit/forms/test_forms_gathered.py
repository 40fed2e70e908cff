"""Sums whose terms are scattered, gathered: which are, that terms keep their order, and that it is worth a search."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from brute import is_same
from builders import scop
from compiled_scops import run
from hypothesis import given, settings
from hypothesis import strategies as st
from points_run import differences_of_points

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute
from sisyphus.forms import GATHERED, gathered
from sisyphus.frontend import read
from sisyphus.ir import Scop, StmtId, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.promise import by_promise
from sisyphus.request import Source
from sisyphus.target import load_device, make_target

#: A transposed convolution: each input pixel adds to 3 x 3 pixels of an image of twice the size.
UPSAMPLE = """
void upsample(const float in[2][5][6], const float w[2][3][3][3], float out[3][11][13])
{
    for (int o = 0; o < 3; o++)
        for (int y = 0; y < 11; y++)
            for (int x = 0; x < 13; x++)
                out[o][y][x] = 0.5f;
    for (int o = 0; o < 3; o++)
        for (int c = 0; c < 2; c++)
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 6; x++)
                    for (int p = 0; p < 3; p++)
                        for (int q = 0; q < 3; q++)
                            out[o][2 * y + p][2 * x + q] += in[c][y][x] * w[c][o][p][q];
}
"""
LINE = """
void line(const float in[4][64], const float w[4][8][5], float out[8][131])
{
    for (int o = 0; o < 8; o++)
        for (int x = 0; x < 131; x++)
            out[o][x] = 0.5f;
    for (int o = 0; o < 8; o++)
        for (int c = 0; c < 4; c++)
            for (int x = 0; x < 64; x++)
                for (int p = 0; p < 5; p++)
                    out[o][2 * x + p] += in[c][x] * w[c][o][p];
}
"""
#: One space of each form is enough.
FIXED = "*.ports=1", "adders=dsp"
SHAPES = {"C": (40,), "D": (40, 40), "X": (8,), "W": (8,)}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "upsample.c"
    path.write_text(UPSAMPLE)
    return path


def sums(found: Scop) -> list[str]:
    return [str(index) for index in found.statement(StmtId("S1")).write.index]


def test_terms_of_a_pixel_follow_each_other(source: Path, tmp_path: Path) -> None:
    """What is left to run one after another are the terms: two of each loop, and the channels."""
    found = gathered(dependences(read(source)))
    assert found is not None
    promises.run(found)
    nest = distribute(found, dependences(found)).nest_of(StmtId("S1"))
    kinds = {loop.iterator: loop.kind.value for loop in nest.band}
    terms, elements = ("c", "p_1", "q_1"), ("o", "y_1", "x_1", "p_2", "q_2")
    assert kinds == dict.fromkeys(elements, "parallel") | dict.fromkeys(terms, "reduction")
    assert sums(found) == ["o", "p_2 + 2*y_1", "q_2 + 2*x_1"]
    assert run(found, source, tmp_path) == "equal"


def test_a_term_elsewhere_is_seen(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms that would run in another order make no form: here loops that are inside of others would go down."""
    module = import_module("sisyphus.forms.gathered")
    moved = module._moved

    def down(old, some, names):  # type: ignore[no-untyped-def]
        new, values = moved(old, some, names)
        return new, {**values, **({"y": values["y"] + 1} if "y" in values else {})}

    monkeypatch.setattr(module, "_moved", down)
    assert gathered(dependences(read(source))) is None


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("for i in range(8):\n    for j in range(8):\n        C[i + j] += X[i] * W[j]", True),
        ("for i in range(8):\n    for j in range(8):\n        C[i + j] = X[i] * W[j]", False),  # no sum
        ("for i in range(8):\n    for j in range(4):\n        C[4 * i + j] += X[i] * W[j]", False),  # one term each
        ("for i in range(8):\n    for j in range(8):\n        C[2 * i + 3 * j] += X[i] * W[j]", False),
        ("for i in range(8):\n    for j in range(8):\n        D[i + j, j] += X[i] * W[j]", False),  # one term each
        (  # the loop that places are made of is shared with another statement
            "for i in range(8):\n    X[i] = 0.5\n    for j in range(8):\n        C[i + j] += X[i] * W[j]",
            False,
        ),
        ("for i in range(8):\n    for j in range(i + 1):\n        C[i + j] += X[i] * W[j]", True),
    ],
)
def test_which_sums_are_gathered(text: str, *, is_found: bool) -> None:
    assert (gathered(dependences(scop(text, **SHAPES))) is not None) == is_found


@settings(max_examples=25, deadline=None)
@given(
    step=st.integers(1, 4),
    lengths=st.tuples(st.integers(1, 6), st.integers(1, 7)),
    low=st.integers(0, 2),
    swapped=st.booleans(),
    guarded=st.booleans(),
)
def test_elements_get_their_terms_in_the_order_of_the_source(
    *, step: int, lengths: tuple[int, int], low: int, swapped: bool, guarded: bool
) -> None:
    """Bit for bit: steps, lengths that they do not divide, loops from other than 0, either of both loops outside."""
    loops = [f"for i in range({lengths[0]}):", f"for j in range({low}, {low + lengths[1]}):"]
    outer, inner = reversed(loops) if swapped else loops
    body = (
        f"C[{step} * i + j] += X[i] * W[j]" if not guarded else f"C[{step} * i + j] = C[{step} * i + j] * W[j] + X[i]"
    )
    kernel = scop(f"{outer}\n    {inner}\n        {body}", C=(40,), X=(8,), W=(10,))
    found = gathered(dependences(kernel))
    if found is None:
        assert lengths[1] <= step or 1 in lengths or (step == 1 and min(lengths) == 1)
    else:
        promises.run(found)
        assert is_same(kernel, found)


def test_points_compute_what_the_source_computes(source: Path) -> None:
    found = gathered(dependences(read(source)))
    assert found is not None
    assert differences_of_points(found, seed=5, points=8) == []


@pytest.mark.long
def test_it_is_searched_first_and_faster(source: Path) -> None:
    source.write_text(LINE)
    kernels = load_kernels(Source(str(source)))
    assert by_promise(kernels)[0].name == GATHERED
    target = make_target(load_device("u200"), dsp=400, lut=150_000)
    scattered, together = (
        sisy.optimize(source, target, effort=0.5, cache=False, verify=word == GATHERED, fix=[f"form={word}", *FIXED])
        for word in ("source", GATHERED)
    )
    assert together.verdict is not None and together.verdict.passed
    assert together.outcome is not None and scattered.outcome is not None
    assert (together.outcome.objective or 0) < 0.95 * (scattered.outcome.objective or 0)
