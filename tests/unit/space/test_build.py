"""The values of the knobs: what a space holds for kernels small enough to see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

import pytest
from builders import scop

from sisyphus.analysis import LoopKind, dependences, distribute, liveness
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId, Scop
from sisyphus.space import (
    KERNEL_PLACE,
    NestSpace,
    Options,
    Space,
    apply_fixes,
    build_space,
    dealt_over_ports,
    knob_names,
    levers_off,
    long_arrays,
)
from sisyphus.space.fix import EXAMPLE
from sisyphus.space.ports import beat_widths
from sisyphus.space.tilings import divisors
from sisyphus.target import load_device, make_target

GEMM = """
for i in range(20):
    for j in range(22):
        C[i, j] = C[i, j] * beta
    for k in range(24):
        for j in range(22):
            C[i, j] += alpha * A[i, k] * B[k, j]
"""


def space_of(kernel: Scop, *, max_partition: int = 1024, dealt: Iterable[str] = (), whole_beats: bool = False) -> Space:
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip", max_partition=max_partition)
    options = Options(dealt=tuple(map(ArrayId, dealt)), whole_beats=whole_beats)
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)


@pytest.fixture(scope="module")
def gemm() -> Space:
    return space_of(scop(GEMM, C=(20, 22), A=(20, 24), B=(24, 22)))


def test_tiles_are_all_ordered_factorisations(gemm: Space) -> None:
    loop = gemm.nest("S1").loop("k")
    assert loop.kind is LoopKind.REDUCTION
    assert all(t.level0 * t.level1 * t.level2 == 24 for t in loop.tiles)
    expected = sum(len(divisors(24 // d)) for d in divisors(24))
    assert len(set(loop.tiles)) == len(loop.tiles) == expected


def test_a_sequential_loop_is_never_unrolled() -> None:
    space = space_of(scop("for i in range(1, 16):\n    A[i] = A[i - 1] * x", A=(16,)))
    loop = space.nests[0].loops[0]
    assert loop.kind is LoopKind.SEQUENTIAL
    assert {t.level2 for t in loop.tiles} == {1}


def test_footprint_of_a_tile(gemm: Space) -> None:
    use = gemm.nest("S1").use(ArrayId("A"))
    assert use is not None
    assert use.footprint({"i": 20, "k": 24, "j": 22}) == 20 * 24
    assert use.footprint({"i": 5, "k": 2, "j": 1}) == 10
    assert use.places == (KERNEL_PLACE, "i", "k", "j")


def test_footprint_of_overlapping_windows() -> None:
    space = space_of(
        scop("for y in range(8):\n    for p in range(3):\n        O[y] += I[2 * y + p] * W[p]", O=(8,), I=(17,), W=(3,))
    )
    use = space.nests[0].use(ArrayId("I"))
    assert use is not None
    assert use.footprint({"y": 8, "p": 3}) == 17
    assert use.footprint({"y": 4, "p": 3}) == 9
    assert use.footprint({"y": 1, "p": 3}) == 3


def test_references_that_differ_in_loops_take_the_whole_dimension() -> None:
    kernel = scop(
        "for i in range(6):\n  for j in range(6):\n    for k in range(4):\n      C[i, j] += A[i, k] * A[j, k]",
        C=(6, 6),
        A=(6, 4),
    )
    use = space_of(kernel).nests[0].use(ArrayId("A"))
    assert use is not None
    assert use.dims[0].coefficients is None
    assert use.footprint({"i": 1, "j": 1, "k": 1}) == 6


WAVES = """
for w in range(2, 14):
    for i in range(1, 8):
        A[i, w - i] = A[i - 1, w - i] + A[i, w - i - 1] + B[3 * i, w + i]
"""


@pytest.mark.parametrize(("whole_beats", "asking"), [(False, [("i",), ("w",)]), (True, [("i",), ("w", "i")])])
def test_copies_on_a_diagonal_ask_for_banks_of_one_dimension(
    *, whole_beats: bool, asking: list[tuple[str, ...]]
) -> None:
    """In the paper they ask for those of each dimension. Steps of one place need the fewest banks: columns of B."""
    kernel = scop(WAVES, A=(8, 13), B=(22, 21))
    space = space_of(kernel, whole_beats=whole_beats)
    one, other = (space.nests[0].use(ArrayId(name)) for name in "AB")
    assert one is not None and other is not None
    assert [dim.banked for dim in one.dims] == asking
    assert [dim.loops for dim in one.dims] == [("i",), ("w", "i")]
    assert [dim.banked for dim in other.dims] == ([("i",), ("w", "i")] if whole_beats else [(), ("w", "i")])


def test_partitions_are_closed_under_common_multiples_and_limited(gemm: Space) -> None:
    values = gemm.partitions[ArrayId("C")]
    assert values[0] == (1, 2, 4, 5, 10, 20)
    assert all(v <= 22 for v in values[1])
    small = space_of(scop(GEMM, C=(20, 22), A=(20, 24), B=(24, 22)), max_partition=5)
    assert max(small.partitions[ArrayId("C")][0]) <= 5


@pytest.mark.parametrize(
    ("last", "widths"),
    [(190, (1, 2)), (220, (1, 2, 4)), (200, (1, 2, 4, 8)), (240, (1, 2, 4, 8, 16)), (7, (1,))],
)
def test_beat_widths(last: int, widths: tuple[int, ...]) -> None:
    assert beat_widths((3, last), 32, 512, padding=False) == widths


@pytest.mark.parametrize(
    ("last", "widths"),
    [(190, (1, 2, 4, 8, 16)), (9, (1, 2, 4, 8, 16)), (8, (1, 2, 4, 8)), (5, (1, 2, 4, 8)), (3, (1, 2, 4)), (1, (1,))],
)
def test_padded_rows_take_any_beat_that_a_row_half_fills(last: int, widths: tuple[int, ...]) -> None:
    assert beat_widths((3, last), 32, 512, padding=True) == widths
    assert beat_widths((last,), 32, 512, padding=True) == widths
    assert beat_widths((3, last), 64, 512, padding=True) == tuple(w for w in widths if w <= 8)


def test_a_scalar_has_no_row_to_pad() -> None:
    assert beat_widths((), 32, 512, padding=True) == (1,)


def test_beats_fit_the_port() -> None:
    assert beat_widths((16,), 64, 512, padding=False) == (1, 2, 4, 8)
    assert beat_widths((16,), 32, 64, padding=False) == (1, 2)
    assert beat_widths((192,), 8, 512, padding=False) == (1, 2, 4, 8, 16, 32, 64)
    assert beat_widths((96,), 16, 1024, padding=False) == (1, 2, 4, 8, 16, 32)


FIXES = [
    "S1.order=k,i,j",
    "S1.k=12x1x2",
    "S1.pipeline=j",
    "S1.A.place=k",
    "A@S1.partition=5,2",
    "C.partition=20,2",
    "C.width=2",
    "C.width=16",
    "C.layout=plain",
    "C.layout=packed",
    "S0.pipeline=none",
    "S0.C.place=kernel",
]


@pytest.mark.parametrize("fix", FIXES)
def test_a_fix_narrows_and_never_widens(gemm: Space, fix: str) -> None:
    fixed = apply_fixes(gemm, [fix])
    assert all(_tiles(n) <= _tiles(gemm.nest(n.id)) for n in fixed.nests)
    assert fixed != gemm


@pytest.mark.parametrize(
    ("fixes", "widths"),
    [
        (["C.layout=plain"], (1, 2)),
        (["C.layout=padded"], (4, 8, 16)),
        (["C.width=16"], (16,)),
        (["C.layout=padded", "C.width=8"], (8,)),
        (["C.layout=packed"], (1, 2, 4, 8, 16)),
    ],
)
def test_a_layout_is_a_choice_of_beats(gemm: Space, fixes: list[str], widths: tuple[int, ...]) -> None:
    assert apply_fixes(gemm, fixes).widths[ArrayId("C")] == widths


@pytest.mark.parametrize(
    ("fixes", "widths"),
    [
        (["C.ports=1"], (1, 2, 4, 8, 16)),
        (["C.ports=2"], (32,)),
        (["C.ports=2", "C.width=32"], (32,)),
        (["C.ports=any"], (1, 2, 4, 8, 16, 32)),
    ],
)
def test_ports_are_a_choice_of_beats(gemm: Space, fixes: list[str], widths: tuple[int, ...]) -> None:
    fixed = apply_fixes(gemm, fixes)
    assert fixed.widths[ArrayId("C")] == widths
    uses = [use for nest in fixed.nests for use in nest.arrays if use.array == "C"]
    assert {use.stripes for use in uses} == {2 if widths == (32,) else 1}
    assert all(use.can_be_tiled for use in uses)


def test_banks_of_a_tile_over_several_ports_are_not_fixed(gemm: Space) -> None:
    """Those that its ports share are its own."""
    with pytest.raises(UsageError, match="tiles of `C` travel through several ports"):
        apply_fixes(gemm, ["C.ports=2", "C@S1.partition=1,2"])
    with pytest.raises(UsageError, match="`C` cannot have 2 ports"):
        apply_fixes(gemm, ["C@S1.partition=1,2", "C.ports=2"])


def test_packed_tiles_have_one_port(gemm: Space) -> None:
    for fixes in (["C.layout=packed", "C.ports=2"], ["C.ports=2", "C.layout=packed"]):
        with pytest.raises(UsageError, match=r"cannot (have 2 ports|lie in memory as `packed`)"):
            apply_fixes(gemm, fixes)


def test_long_arrays_may_be_dealt() -> None:
    """Rows of 16 elements are no longer than half a beat of two ports, and Y is loaded in a moment."""
    rows = "for i in range(130):\n    B[i, 0] = A[i, 3] * A[i, 4] + X[i, 1] + Y[i]"
    space = space_of(scop(rows, A=(130, 64), B=(130, 40), X=(130, 16), Y=(130,)))
    assert long_arrays(space) == ("A", "B")
    assert all(max(widths) == 16 for widths in space.widths.values())
    assert long_arrays(replace(space, options=space.options.as_in_paper())) == ()


def test_arrays_have_no_more_ports_than_may_be_connected() -> None:
    """Twenty arrays of which each could have four, and sixty ports."""
    names = [f"A{n}" for n in range(20)]
    read = " + ".join(f"{name}[i, j]" for name in names)
    text = f"for i in range(130):\n    for j in range(64):\n        X[j] = {read}"
    space = space_of(scop(text, **dict.fromkeys(names, (130, 64)), X=(64,)), dealt=names)
    counts = {a: space.ports(a, max(space.widths[a])) for a in space.widths}
    device = space.target.device
    assert sum(counts.values()) <= device.banks * device.ports_per_bank == 60
    assert counts[ArrayId("A0")] == 4 and counts[ArrayId("A19")] == counts[ArrayId("X")] == 1
    with pytest.raises(UsageError, match="`A19` cannot have 4 ports"):
        apply_fixes(space, ["A19.ports=4"])


@pytest.mark.parametrize("fix", ["C.ports=3", "C.ports=4", "C.ports=two"])
def test_ports_that_there_are_not(gemm: Space, fix: str) -> None:
    """A row of 22 elements is no longer than half a beat of four ports."""
    with pytest.raises(UsageError, match="cannot have") as caught:
        apply_fixes(gemm, [fix])
    assert caught.value.hint == "legal: 1, 2, any"


def test_the_paper_and_processors_have_one_port(gemm: Space) -> None:
    paper = replace(gemm, options=gemm.options.as_in_paper())
    processor = replace(gemm, target=make_target(load_device("zcu104"), budget="chip"))
    for space in (paper, processor):
        assert dealt_over_ports(space, ArrayId("C")).widths == gemm.widths


@pytest.mark.parametrize("fixes", [["C.layout=plain", "C.width=16"], ["C.width=16", "C.layout=plain"]])
def test_a_layout_and_a_beat_that_contradict_each_other(gemm: Space, fixes: list[str]) -> None:
    with pytest.raises(UsageError, match=r"cannot (lie|move)"):
        apply_fixes(gemm, fixes)


def test_padding_can_be_turned_off() -> None:
    kernel = scop(GEMM, C=(20, 22), A=(20, 24), B=(24, 22))
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    options = Options(padding=False)
    space = build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)
    assert dict(space.widths) == {"A": (1, 2, 4, 8), "B": (1, 2), "C": (1, 2)}


def _tiles(nest: NestSpace) -> int:
    return prod(len(loop.tiles) for loop in nest.loops)


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        ("S1.order=k,i", "each of its loops once"),
        ("S1.k=5x5x1", "24 iterations"),
        ("S1.k=12", "24 iterations"),
        ("S1.pipeline=z", "cannot be pipelined"),
        ("S1.Z.place=k", "no array `Z`"),
        ("S0.A.place=i", "does not use `A`"),
        ("S1.A.place=t", "cannot be placed"),
        ("A@S1.partition=3,1", "no factor of dimension 0"),
        ("A.partition=1", "2 dimensions"),
        ("A.width=32", "elements per beat"),
        ("A.layout=woven", "cannot lie in memory as `woven`"),
        ("Z.layout=plain", "no array `Z`"),
        ("Z.place=k", "no array `Z`"),
        ("S9.*.place=kernel", "stands for no knob"),
        ("*.order=k,i,j", "each of its loops once"),
        ("A.place=k", "has a place in each nest"),
        ("S9.order=i", "no nest `S9`"),
        ("S1.q=1x1x1", "no loop `q`"),
        ("nonsense", "not of the form"),
        ("a.b.c.d=1", "names no knob"),
    ],
)
def test_an_illegal_fix_says_what_is_legal(gemm: Space, fix: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        apply_fixes(gemm, [fix])


def test_every_knob_that_is_offered_is_taken(gemm: Space) -> None:
    names = list(knob_names(gemm))
    assert len(names) == len(set(names)) and {"S1.order", "S1.k", "S1.A.place", "A@S1.partition", "A.width"} <= set(
        names
    )
    for name in names:
        with pytest.raises(UsageError) as refused:
            apply_fixes(gemm, [f"{name}=?"])
        assert "names no knob" not in refused.value.message and refused.value.hint != EXAMPLE, name


def test_a_star_stands_for_all_nests_loops_or_arrays(gemm: Space) -> None:
    widths = {array: {min(found)} for array, found in gemm.widths.items()}
    assert {a: {*found} for a, found in apply_fixes(gemm, ["*.width=1"]).widths.items()} == widths
    resident = apply_fixes(gemm, ["S1.*.place=kernel"])
    assert [any(use.can_be_tiled for use in nest.arrays) for nest in resident.nests] == [True, False]
    assert {nest.split for nest in apply_fixes(gemm, ["*.split=no"]).nests} == {False}
    ordered = apply_fixes(gemm, ["*.order=source"])
    assert [nest.order for nest in ordered.nests] == [tuple(s.iterator for s in n.loops) for n in gemm.nests]


def test_every_lever_can_be_turned_off(gemm: Space) -> None:
    assert {"ports", "ahead", "split", "unroll", "place", "copy", "view"} <= levers_off().keys()
    for fix in levers_off().values():
        off = apply_fixes(gemm, [fix])
        assert apply_fixes(off, [fix]).widths == off.widths  # and is off then
