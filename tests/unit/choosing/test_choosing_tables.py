"""Spaces with tiles in tables beside those without: which of them are searched, and in what order."""

from __future__ import annotations

from itertools import groupby
from math import inf
from pathlib import Path

import pytest

from sisyphus.kernel_forms import load_kernels
from sisyphus.parts import Known, Parts
from sisyphus.request import Kernel, Request, Source
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target

POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"


@pytest.fixture(scope="module", params=["trmm", "syrk"])
def kernel(request: pytest.FixtureRequest) -> Kernel:
    """One with triangles, of which tables of tiles are likely to have the best designs."""
    return load_kernels(Source(str(POLYBENCH / f"{request.param}.c")))[0]


def order(kernel: Kernel, *, has_design: bool) -> list[list[bool]]:
    """For each kind of adders, once both were probed, whether one space after another has tables."""
    point = DesignPoint((), (), (), adders="fabric")
    known, cost = (Known(kernel, point), 1.0) if has_design else (None, inf)
    parts = Parts(
        [kernel],
        Request(Source("k.c"), make_target(load_device("u200"))),
        None,
        best=lambda: known,
        cost=lambda _: cost,
    )
    searched = [part.options for part in parts if part.share == 1]
    return [[options.listed for options in own] for _, own in groupby(searched, lambda options: options.adders)]


def test_those_with_tables_come_first(kernel: Kernel) -> None:
    first = order(kernel, has_design=True)[0]
    assert first == sorted(first, reverse=True) and {*first} == {True, False}


def test_one_without_comes_first_where_the_first_table_has_no_design(kernel: Kernel) -> None:
    first = order(kernel, has_design=False)[0]
    assert not first[0] and True in first
