"""The paper's model gives, at the paper's solutions, the objectives that the paper's solver reported."""

from __future__ import annotations

from typing import Any

import pytest
from paper_designs import entries, published

from sisyphus.model import paper


@pytest.mark.parametrize("entry", entries(), ids=lambda e: str(e["id"]).removeprefix("sisyphus/"))
def test_the_published_objective_comes_out(entry: dict[str, Any]) -> None:
    design = published(entry)
    assert paper.evaluate(design.space, design.point).objective == pytest.approx(design.objective, rel=1e-3)


def test_another_tile_is_another_objective() -> None:
    entry = next(e for e in entries() if e["id"].endswith("without_tree_red/2mm"))
    entry["statements"][1]["tiles"]["k"] = [21, 1, 10]
    design = published(entry)
    assert paper.evaluate(design.space, design.point).objective != pytest.approx(design.objective, rel=1e-3)
