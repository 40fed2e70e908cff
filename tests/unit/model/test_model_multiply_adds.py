"""A product of integers and the sum that it feeds are one DSP, which nothing else uses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from model_candidates import candidates_of, figures_of, kernel_of
from random_kernels import random_point

from sisyphus.frontend import read
from sisyphus.ir import Call, Expr, Scop, children, walk
from sisyphus.model import NestModel, estimate
from sisyphus.model.facts.multiply_adds import PRODUCT, bits_of, has_multiply_add, with_multiply_adds
from sisyphus.model.formulas.cores import core_of
from sisyphus.model.formulas.iteration_latency import path_to
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
SOURCE = """#include <stdint.h>
void sums({type} A[16][24], {type} B[24], {to} C[16], {to} D[16])
{{
#pragma scop
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 24; k++)
            C[i] = {value};
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 24; k++)
            D[i] += A[i][k] * B[k];
#pragma endscop
}}
"""
SUM = "C[i] + A[i][k] * B[k]"


def scop_of(folder: Path, value: str = SUM, type: str = "int8_t", to: str = "int32_t") -> Scop:
    path = folder / "sums.c"
    path.write_text(SOURCE.format(value=value, type=type, to=to))
    return read(path)


def products_in(expr: Expr) -> list[Expr]:
    return [part for part in walk(expr) if isinstance(part, Call) and part.function == PRODUCT]


@pytest.mark.parametrize(
    ("value", "type", "to", "count"),
    [
        (SUM, "int8_t", "int32_t", 1),
        (SUM, "uint8_t", "uint16_t", 1),
        (SUM, "int16_t", "int32_t", 1),
        ("C[i] - A[i][k] * B[k]", "int8_t", "int32_t", 1),
        ("A[i][k] * B[k] - C[i]", "int8_t", "int32_t", 1),
        ("C[i] + A[i][k] * 77", "uint8_t", "int32_t", 1),
        ("A[i][k] * B[k] + B[k] * B[k]", "int8_t", "int32_t", 1),
        ("C[i] + (A[i][k] * B[k] + B[k] * B[k])", "int8_t", "int32_t", 1),
        ("(C[i] + A[i][k] * B[k]) + B[k] * B[k]", "int8_t", "int32_t", 2),
        ("C[i] + (A[i][k] - 3) * (B[k] + 5)", "int8_t", "int32_t", 1),
        ("C[i] + (B[k] * B[k] - (A[i][k] >> 3)) * B[k]", "int8_t", "int32_t", 1),
        ("C[i] + (A[i][k] > 3 ? A[i][k] : 3) * B[k]", "int8_t", "int32_t", 1),
        ("C[i] + (A[i][k] - 3u) * B[k]", "uint8_t", "uint32_t", 0),  # 3 may be more, and the difference wraps around
        ("C[i] + A[i][k] * 4", "int8_t", "int32_t", 0),
        ("C[i] + (A[i][k] * B[k] >> 7)", "int8_t", "int32_t", 0),
        ("C[i] + (int8_t)(A[i][k] * B[k])", "int8_t", "int32_t", 0),
        ("C[i] * (A[i][k] * B[k])", "int8_t", "int32_t", 0),
        (SUM, "int32_t", "int32_t", 0),
        (SUM, "int16_t", "int64_t", 0),
        (SUM, "float", "float", 0),
    ],
)
def test_which_products_are_one_with_their_sum(tmp_path: Path, value: str, type: str, to: str, count: int) -> None:
    plain = scop_of(tmp_path, value, type, to).statements[0].rhs
    found = with_multiply_adds(plain)
    assert len(products_in(found)) == count
    assert [len(children(part)) for part in walk(found)] == [len(children(part)) for part in walk(plain)]
    assert found == plain or count


def test_what_is_made_of_narrow_numbers_is_little_wider(tmp_path: Path) -> None:
    rng = random.Random(1)
    text = "(A[i][k] - 3) * ((B[k] >> 2) + 5) - (A[i][k] > B[k] ? A[i][k] : B[k] - 1)"
    value = scop_of(tmp_path, text).statements[0].rhs
    seen = 0
    for _ in range(2000):
        a, b = (rng.choice((-128, 127, rng.randrange(-128, 128))) for _ in range(2))
        result = (a - 3) * ((b >> 2) + 5) - (a if a > b else b - 1)
        seen = max(seen, (result if result >= 0 else ~result).bit_length() + 1)
    assert seen <= bits_of(value) <= seen + 3


def test_a_sum_waits_for_its_product_alone(tmp_path: Path) -> None:
    """The product takes the stages of the DSP; an accumulation in it goes on in each cycle, as its register adds."""
    statement = scop_of(tmp_path).statements[0]
    found = with_multiply_adds(statement.rhs)
    [product], table = products_in(found), TARGET.operators
    assert has_multiply_add(found) and not has_multiply_add(statement.rhs)
    core = core_of(table, product)
    assert core is not None and (core.cost.latency, core.cost.dsp, core.cost.lut) == (4, 1, 0)
    own = core_of(table, found)
    assert own is not None and (own.cost.latency, own.cost.dsp, own.cost.lut) == (0, 0, 0)
    assert path_to(table, found, statement.write) == (0, 1)


def test_each_unrolled_product_has_a_dsp_of_its_own(tmp_path: Path) -> None:
    """No other statement uses it, and it takes no look-up tables: two nests take as many as both together."""
    found = set()
    kernel = kernel_of(scop_of(tmp_path), TARGET)
    for seed in range(8):
        point = random_point(random.Random(seed), kernel.scop, kernel.distribution)
        copies = [1, 1]
        for at, nest in enumerate(point.nests):
            for _, tile in nest.tiles:
                copies[at] *= tile.level2
        cost = estimate(kernel.plan(point), TARGET)
        [data] = [term for term in cost.terms["dsp"].children if term.name == "sums of products"]
        assert data.value == sum(copies)
        found.add(data.value)
    assert len(found) > 2


def test_candidates_cost_what_their_plans_cost(tmp_path: Path) -> None:
    kernel = kernel_of(scop_of(tmp_path), TARGET)
    rng = random.Random(3)
    points = [random_point(rng, kernel.scop, kernel.distribution) for _ in range(20)]
    plans = [kernel.plan(point) for point in points]
    for nest in kernel.space.nests:
        costs = NestModel(kernel.scop, nest, TARGET).costs(candidates_of(kernel, nest, points, plans))
        for at, plan in enumerate(plans):
            wanted = figures_of(plan, TARGET, nest)
            assert wanted is not None
            assert (costs.cycles[at], costs.dsp[at]) == (wanted.cycles, wanted.dsp), points[at]
