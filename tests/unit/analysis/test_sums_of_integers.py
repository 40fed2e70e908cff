"""Sums of integers come to the same in any order; those of floats, and minima that are cut, do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.analysis import Nest, dependences, distribute, legal_orders, violations
from sisyphus.frontend import read
from sisyphus.ir import StmtId
from sisyphus.poly import schedule, var
from sisyphus.verification.execution_order import check_order

SOURCE = """#include <stdint.h>
void taps({of} A[6][5][4], {to} C[6])
{{
#pragma scop
    for (int i = 0; i < 6; i++)
        for (int p = 0; p < 5; p++)
            for (int q = 0; q < 4; q++)
                {update};
#pragma endscop
}}
"""
SUM, MINIMUM = "C[i] += A[i][p][q]", "C[i] = A[i][p][q] < C[i] ? A[i][p][q] : C[i]"


def nest_of(tmp_path: Path, of: str, to: str, update: str) -> Nest:
    path = tmp_path / "taps.c"
    path.write_text(SOURCE.format(of=of, to=to, update=update))
    scop = read(path)
    [nest] = distribute(scop, dependences(scop)).nests
    return nest


@pytest.mark.parametrize(
    ("of", "to", "update", "is_free"),
    [
        ("int", "int", SUM, True),
        ("int8_t", "int32_t", SUM, True),
        ("int32_t", "uint8_t", SUM, True),
        ("int", "int", SUM.replace("+", "*"), True),
        ("int", "int", SUM.replace("+", "-"), True),
        ("int64_t", "int64_t", "C[i] = (int32_t)C[i] + A[i][p][q]", False),
        ("int", "int", "C[i] = (_Bool)C[i] + A[i][p][q]", False),
        ("float", "float", SUM, False),
        ("int", "float", SUM, False),
        ("int", "int", MINIMUM, False),
        ("int", "int", SUM.replace("+=", "= 2 * C[i] +"), False),
    ],
)
def test_sums_and_products_of_integers_order_nothing(
    of: str, to: str, update: str, is_free: bool, tmp_path: Path
) -> None:
    nest = nest_of(tmp_path, of, to, update)
    assert {edge.in_any_order for edge in nest.edges} == {is_free}
    assert len(legal_orders(nest)) == (6 if is_free else 3)
    assert bool(nest.precedence) is not is_free


@pytest.mark.parametrize("kind", ["int", "float"])
def test_their_order_is_not_asked_for(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "taps.c"
    path.write_text(SOURCE.format(of=kind, to=kind, update=SUM))
    scop = read(path)
    found = dependences(scop)
    back = {StmtId("S0"): schedule("S0", ["i", "p", "q"], [var("i"), -var("p"), var("q")])}
    assert (violations(found, back) is None) is (kind == "int")
    assert len(list(check_order(found, [], tree_reduction=False))) == (0 if kind == "int" else 3)
