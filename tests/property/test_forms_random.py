"""Forms that rewrite values of local variables: random programs compute the same, whatever is asked for."""

from __future__ import annotations

import random
from pathlib import Path

import brute
import pytest
from fuzz import kinds
from fuzz.drawing import draw
from fuzz.programs import Program

from sisyphus.errors import KernelError
from sisyphus.forms import (
    BATCHES,
    BLOCKS,
    FINISHED,
    FORWARD,
    IN_PLACE,
    INSIDE,
    LINE_BLOCKS,
    PRIVATE,
    TABLE_TILES,
    rewritten,
)
from sisyphus.frontend import read
from sisyphus.ir import Scop

ASKED = (
    (FINISHED,),
    (FORWARD,),
    (IN_PLACE,),
    (PRIVATE,),
    (INSIDE,),
    (BLOCKS,),
    (f"{BATCHES}2",),
    (f"{BATCHES}3",),
    (f"{LINE_BLOCKS}2",),
    (f"{LINE_BLOCKS}3",),
    (f"{TABLE_TILES}2",),
    (f"{TABLE_TILES}3",),
    (FORWARD, IN_PLACE),
    (IN_PLACE, PRIVATE),
)
#: Programs of each kind, each with some form at least; the first two were once computed wrongly in place.
SEEDS = {
    "any": ("any 20", "4343:343", "any 2"),
    "held": ("1", "2", "3"),
    "delayed": ("1", "2", "3", "4"),
    "elimination": ("7", "8", "15"),
    "faces": ("1", "2"),
    "lines": ("1", "2", "3", "4", "5", "7", "8"),
    "intervals": ("1", "2", "3", "4", "5", "6", "7", "8"),
}


def program(kind: str, seed: str) -> Program:
    if kind == "any":
        return draw(seed)
    shape = {
        "held": kinds.held,
        "delayed": kinds.delayed,
        "elimination": kinds.elimination,
        "faces": kinds.faces,
        "lines": kinds.lines,
        "intervals": kinds.intervals,
    }[kind]
    return shape(random.Random(seed), "k")


def differences(one: Scop, other: Scop) -> list[object]:
    """Elements that the first one leaves with another value than the second one does."""
    numbers: dict[object, int] = {}
    first, second = brute.results(one, numbers), brute.results(other, numbers)
    return [at for at, value in first.items() if second.get(at, numbers.get(at)) != value]


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds])
def test_every_form_computes_the_same(kind: str, seed: str, tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(program(kind, seed).text())
    source, made = read(path), 0
    for words in ASKED:
        try:
            found = rewritten(source, words)
        except KernelError:
            continue
        made += found is not source
        assert differences(source, found) == [], words
    assert made
