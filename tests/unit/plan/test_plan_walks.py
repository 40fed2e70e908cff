"""In which order transfers visit their beats, where their loops follow an edge, and beats that no port has."""

from __future__ import annotations

import pytest

from sisyphus.errors import KernelError
from sisyphus.ir import DOUBLE, FLOAT, ArrayId, ScalarType
from sisyphus.plan import Bound, Buffer, Port, Quotient
from sisyphus.plan.checks import check_width
from sisyphus.plan.walks import Walk, hangs_over, walk_of
from sisyphus.poly import const, var


def buffer(*extents: int, type: ScalarType = FLOAT) -> Buffer:
    return Buffer("b", ArrayId("A"), type, extents, (const(0),) * len(extents), (1,) * len(extents), "kernel")


def test_a_run_has_whole_rows() -> None:
    port = Port("A", "array", FLOAT, (9, 8))
    assert walk_of(buffer(3, 8), port, (var("i"), const(0))) is Walk.RUN
    assert walk_of(buffer(3, 7), port, (var("i"), const(0))) is Walk.ROWS
    assert walk_of(buffer(3, 8), port, (var("i"), var("j"))) is Walk.ROWS


@pytest.mark.parametrize(
    ("low", "high", "unit", "before", "behind"),
    [
        (0, 0, 1, False, False),
        (0, 6, 1, False, False),  # six and four are ten
        (0, 7, 1, False, True),
        (-1, 6, 1, True, False),
        (0, 7, 4, False, False),  # three elements are a beat, as four are
        (0, 8, 2, False, True),
    ],
)
def test_a_tile_of_four_hangs_over_an_array_of_ten(low: int, high: int, unit: int, before: bool, behind: bool) -> None:
    assert hangs_over(var("i"), {"i": (low, high)}, size=4, extent=10, unit=unit) == (before, behind)


def test_a_bound_of_several_terms_is_no_number_though_one_of_them_is() -> None:
    assert Bound((Quotient(const(3)),)).value == 3
    assert Bound((Quotient(const(3)), Quotient(var("i")))).value is None


def test_a_beat_has_no_more_bits_than_a_port() -> None:
    for kind, widest in ((FLOAT, 16), (DOUBLE, 8)):
        whole = buffer(64, type=kind)
        check_width(whole, (64,), widest, "plain")
        with pytest.raises(KernelError, match="is wider than 512 bits"):
            check_width(whole, (64,), 2 * widest, "plain")
