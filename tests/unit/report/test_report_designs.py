"""Several designs side by side, the picture of a front, and an explanation in words."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from sisyphus.ir import ArrayId, StmtId
from sisyphus.model import Estimate, Term
from sisyphus.report import (
    Explanation,
    Front,
    Rated,
    explanation_data,
    explanation_text,
    front_data,
    top_data,
)
from sisyphus.report.designs import difference, differences, front_rows, front_told, top_rows
from sisyphus.report.explanation import Neighbour, Pace, Part, Share, Step
from sisyphus.report.pictures import _unbeaten, front_svg
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.target import load_device, make_target

NEST = NestPoint((StmtId("S0"),), ("i", "j"), (("i", Tile(2, 1, 4)), ("j", Tile(1, 5, 2))), "j")
BUFFER = BufferPoint(ArrayId("A"), ("S0",), "kernel", (4, 2))
POINT = DesignPoint("f", (NEST,), (BUFFER,), (TransferPoint("A", 4),))


def cost(cycles: int, dsp: int, bram18k: int) -> Estimate:
    return Estimate(
        cycles, dsp, bram18k, 0, 10, 10, 0, 0, {}, {"cycles": Term("cycles", cycles)}, "2023.2", (cycles, cycles), None
    )


def front(*figures: tuple[int, int, int], complete: bool = True) -> Front:
    return Front(tuple(Rated(POINT, cost(*f)) for f in figures), len(figures), complete)


OTHERS = [
    (replace(POINT, nests=(replace(NEST, order=("j", "i")),)), "S0: order j i"),
    (replace(POINT, nests=(replace(NEST, tiles=(("i", Tile(4, 1, 2)), NEST.tiles[1])),)), "S0: i=4x1x2"),
    (replace(POINT, nests=(replace(NEST, unroll=(("i", 2),)),)), "S0: copies i in 2"),
    (replace(POINT, buffers=(replace(BUFFER, place="i"),)), "S0: `A` at i"),
    (replace(POINT, transfers=(TransferPoint("A", 2),)), "`A` moves 2 per beat"),
    (replace(POINT, buffers=(replace(BUFFER, partition=(4, 4)),)), "`A` in 4x4 banks"),
    (replace(POINT, expanded=(ArrayId("t"),)), "another form of the kernel, with `t` expanded"),
    (replace(POINT, rewrites=("pivots",)), "another form of the kernel, pivots"),
]


@pytest.mark.parametrize(("other", "said"), OTHERS, ids=[said for _, said in OTHERS])
def test_every_kind_of_choice_is_told(other: DesignPoint, said: str) -> None:
    assert list(differences(POINT, other)) == [said]
    assert list(differences(POINT, POINT)) == []


def test_designs_with_other_adders_are_told_apart_by_their_tiles() -> None:
    """Else two rows of `--top` with adders in fabric would say the same."""
    nests = [replace(NEST, tiles=(("i", Tile(4, 1, 2)), ("j", tile))) for tile in (Tile(1, 5, 2), Tile(1, 2, 5))]
    told = [difference(POINT, replace(POINT, adders="fabric", nests=(nest,))) for nest in nests]
    assert told == ["adders in fabric; S0: i=4x1x2", "adders in fabric; S0: i=4x1x2, j=1x2x5"]
    other = replace(POINT, adders="fabric", nests=(replace(NEST, tiles=(("k", Tile(1, 1, 2)),), order=()),))
    assert difference(POINT, other) == "adders in fabric", "loops of another form are not compared"


def test_many_differences_are_counted() -> None:
    nests = tuple(replace(NEST, statements=(StmtId(f"S{n}"),)) for n in range(6))
    best = replace(POINT, nests=nests, buffers=())
    other = replace(best, nests=tuple(replace(n, order=("j", "i")) for n in nests))
    assert difference(best, other).endswith("; 2 more")


def test_designs_are_numbered_as_their_files() -> None:
    designs = [Rated(POINT, cost(100, 5, 2)), Rated(OTHERS[0][0], cost(120, 4, 2))]
    assert [row[0] for row in top_rows(designs)] == ["1", "2"]
    assert top_rows(designs)[1][1:] == ("120", "4", "2", "S0: order j i")
    told = top_data(designs)
    assert [d["number"] for d in told] == [1, 2]
    assert DesignPoint.from_json(told[1]["design"]) == OTHERS[0][0]
    assert told[1]["difference"] == ["S0: order j i"]


def test_a_front_says_whether_it_is_whole() -> None:
    target = make_target(load_device("u200"), budget="chip")
    whole = front((100, 50, 9), (900, 5, 3))
    assert front_rows(whole, target)[1][:5] == ("2", "900", "3.6", "5", "3")
    assert front_told(whole).endswith("to the end")
    assert front_told(front((100, 50, 9), complete=False)).endswith(
        "ended by the limit: there may be more such designs"
    )
    assert [d["cycles"] for d in front_data(whole)["front"]] == [100, 900]


def test_every_design_is_in_both_panels_of_the_picture() -> None:
    figures = [(100 * 3**n, 5000 >> n, n) for n in range(9)]
    designs, budget = front_data(front(*figures))["front"], {"dsp": 6840, "bram18k": 4320}
    text = front_svg(designs, budget, "f <1> & $o on", 40)
    assert text == front_svg(designs, budget, "f <1> & $o on", 40)
    root = ElementTree.fromstring(text)
    points = [e for e in root.iter() if e.get("id", "").startswith("design-")]
    assert len(points) == 2 * len(figures)
    assert points[1][0].text is not None and points[1][0].text.startswith("design 2: 300 cycles, 2,500 DSP, 1 BRAM18")
    told = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")]
    assert "f <1> & $o on" in told and told.count("budget") == 2 and told.count("limit of any design") == 2


def test_numbers_that_would_lie_on_each_other_are_left_out() -> None:
    crowd = [(1000, 500, 100)] * 39 + [(100_000, 5, 1)]
    root = ElementTree.fromstring(front_svg(front_data(front(*crowd))["front"], {}, "crowd", None))
    told = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")]
    shown = [number for number in range(1, 41) if str(number) in told]
    assert 0 < len(shown) < 20 and 40 in shown
    assert len([e for e in root.iter() if e.get("id", "").startswith("design-")]) == 80


def test_a_line_joins_what_no_other_design_beats() -> None:
    assert _unbeaten([(5, 90), (1, 200), (5, 100), (7, 90), (9, 20), (3, 300)]) == [(1, 200), (5, 90), (9, 20)]


EXPLANATION = Explanation(
    cycles=1000,
    shares=(Share("--lut", "LUTs", 10, 100), Share("--dsp", "DSPs", 95, 100)),
    parts=(Part("step 1", 900, "kernel steps"), Part("starts", 800, "(trip - 1) x II")),
    paces=(
        Pace("S0", 4, ((4, "accumulation in `A`"), (2, "memory ports")), ("schedule of i1", "  0..2 S0: read A[i]")),
        Pace("S1", 1, (), tuple(f"  {n}..{n + 1} S1" for n in range(12))),
    ),
    steps=(
        Step("--dsp", "DSPs", 110, 900, complete=True, beyond=100),
        Step("--lut", "LUTs", 110, 1000, complete=True),
        Step("--mem", "bytes on chip", 11, 1000, complete=False),
    ),
    neighbours=(
        Neighbour("S0", "tile", "i=4x1x2, not 2x1x4", cycles=1500),
        Neighbour("S0", "tile", "i=1x1x8, not 2x1x4", cycles=700, breaks=(Share("--dsp", "DSPs", 190, 100),)),
        Neighbour("S0", "order", "order j i, not i j", refused="not legal: RAW"),
        Neighbour("S0", "width", "`A` moves 8", cycles=990),
    ),
    complete=True,
)


def test_an_explanation_says_what_was_computed_and_no_more() -> None:
    text = explanation_text(EXPLANATION)
    assert text.index("95 of 100 DSPs") < text.index("10 of 100 LUTs")
    assert "· starts: 800 of 1,000 cycles, 80.0 % ((trip - 1) x II)" in text
    assert "the pipelined loop of S0 starts an iteration every 4 cycles, for accumulation in `A`" in text
    assert "the pipelined loop of S1 starts an iteration every cycle" in text
    assert "one iteration of S0\n  schedule of i1\n    0..2 S0: read A[i]\n\n" in text
    assert "9..10 S1\n  and 2 more (--json)" in text and "10..11 S1" not in text
    assert re.search(r"--dsp 110 +900 cycles +-100 \(-10.0 %\) +the device has 100", text)
    assert "no faster design found with `--lut 110`" in text
    assert "none found in the time there was with `--mem 11`" in text
    assert "4 looked at: 2 within the budgets (1 faster), 1 beyond, 1 no design" in text
    assert re.search(r"i=1x1x8, not 2x1x4 +190 of 100 DSPs", text)
    assert text.index("`A` moves 8") < text.index("i=4x1x2") < text.index("i=1x1x8") < text.index("order j i")
    assert "time ran out" not in text
    assert "time ran out" in explanation_text(replace(EXPLANATION, complete=False))


def test_the_same_for_machines() -> None:
    data = explanation_data(EXPLANATION)
    assert [s["difference"] for s in data["steps"]] == [-100, 0, 0]
    assert [n["difference"] for n in data["neighbours"]] == [500, -300, None, -10]
