"""Outputs dealt over units: who computes what, and that units run in any order give what the whole kernel gives."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from builders import scop
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plan_interpreter import Memory, copied, run_source, some_memory
from random_kernels import random_kernel

from sisyphus.analysis import (
    Dealer,
    Dealing,
    Dealt,
    Restricted,
    Share,
    cuts,
    dependences,
    phase_of,
    restricted,
    summary,
    sums_of,
)
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Role, ScalarType, Scop, StmtId
from sisyphus.ir.scop_text import whole_text_of
from sisyphus.values import asdict

KERNELS = Path(__file__).parents[3] / "kernels"
#: Kernels that units help with, and sizes that divide by nothing in common.
SIZES = {
    "polybench/gemm": "NI=7 NJ=5 NK=4",
    "polybench/2mm": "NI=7 NJ=3 NK=4 NL=5",
    "polybench/3mm": "NI=6 NJ=3 NK=4 NL=5 NM=2",
    "polybench/atax": "M=5 N=6",
    "polybench/bicg": "M=5 N=7",
    "polybench/mvt": "N=7",
    "polybench/gesummv": "N=6",
    "polybench/doitgen": "NQ=3 NR=2 NP=5",
    "polybench/symm": "M=5 N=6",
    "polybench/syrk": "M=3 N=7",
    "polybench/syr2k": "M=3 N=7",
    "polybench/trmm": "M=5 N=6",
    "polybench/covariance": "M=6 N=4",
    "polybench/correlation": "M=6 N=4",
    "polybench/gemver": "N=7",
    "polybench/deriche": "W=6 H=7",
    "nn/cnn": "I=3 J=4 H=3 W=4 P=2 Q=2",
    "nn/conv_relu_pool": "CO=3 CI=2 H=4 W=6 P=2 Q=2",
}


def small(name: str) -> Scop:
    return read(str(KERNELS / f"{name}.c"), defines=tuple(SIZES[name].split()))


def shares(dealer: Dealer, dealing: Dealing, count: int) -> list[Share]:
    """Without slabs that nothing writes; what isl gave up after other questions is asked anew."""
    bounds = [dealing.extent * at // count for at in range(count + 1)]
    pairs = [(low, high) for low, high in pairwise(bounds) if low < high]
    found = [dealer.share(dealing, *pair) or Dealer(dealer.found).share(dealing, *pair) for pair in pairs]
    return [share for share in found if share is not None]


def dealt_data(unit: Restricted, memory: Memory, adds: frozenset[ArrayId] = frozenset()) -> Memory:
    """The boxes of its arrays; local ones hold nothing yet."""
    return {
        a.id: {
            at: math.nan
            if a.role is Role.LOCAL
            else 0.0
            if a.id in adds
            else memory[a.id][tuple(n + low for n, low in zip(at, unit.elements[a.id], strict=True))]
            for at in places(a.extents)
        }
        for a in unit.scop.arrays
    }


def places(extents: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for extent in extents:
        found = [(*at, n) for at in found for n in range(extent)]
    return found


def gathered(source: Scop, memory: Memory, parts: list[Share], order: tuple[int, ...]) -> Memory:
    """What the host has when units ran in some order, each on its own copy of its data."""
    result = copied(memory)
    for number in order:
        share = parts[number]
        unit = restricted(source, share)
        got = run_source(unit.scop, dealt_data(unit, memory, share.adds))
        for array, box in share.delivers.items():
            for at in places(tuple(high - low + 1 for low, high in box)):
                place = tuple(n + low for n, (low, _) in zip(at, box, strict=True))
                own = tuple(n - low for n, low in zip(place, unit.elements[array], strict=True))
                result[array][place] = got[array][own] + (result[array][place] if array in share.adds else 0)
    return result


def differing(source: Scop, one: Memory, other: Memory) -> list[str]:
    outputs = [a.id for a in source.arrays if a.role in (Role.OUT, Role.INOUT)]
    return [a for a in outputs if not all(same(one[a][at], other[a][at]) for at in one[a])]


def unlike(source: Scop, one: Memory, other: Memory) -> list[str]:
    """Outputs that differ by more than another order of additions explains."""
    outputs = [a.id for a in source.arrays if a.role in (Role.OUT, Role.INOUT)]
    return [
        a
        for a in outputs
        if not all(other[a][at] == pytest.approx(v, rel=1e-6, nan_ok=True) for at, v in one[a].items())
    ]


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize("name", sorted(SIZES))
def test_units_in_any_order_give_what_the_kernel_gives(name: str) -> None:
    source = small(name)
    dealer, memory = Dealer(dependences(source)), some_memory(source)
    wanted = run_source(source, memory)
    assert dealer.dealings
    for dealt in dealer.dealings:
        parts = shares(dealer, dealt.dealing, 3)
        for order in list(permutations(range(len(parts))))[::5]:
            assert differing(source, wanted, gathered(source, memory, parts, order)) == [], dealt.dealing.name


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(2, 3))
@example(59031, 3)
def test_units_of_a_random_kernel_give_what_it_gives(seed: int, count: int) -> None:
    """The interpreter knows nothing of shares, nor how isl followed values to what they rest on."""
    rng = random.Random(seed)
    source = random_kernel(rng)
    dealer, memory = Dealer(dependences(source), tree=True), some_memory(source)
    wanted = run_source(source, memory)
    for dealt in dealer.dealings:
        parts = shares(dealer, dealt.dealing, count)
        if dealt.dealing.added is None:
            order = tuple(rng.sample(range(len(parts)), len(parts)))
            assert differing(source, wanted, gathered(source, memory, parts, order)) == [], dealt.dealing.name
        elif parts[0].low == 0:  # a split whose first unit would have no share is refused
            got = gathered(source, memory, parts, tuple(range(len(parts))))
            assert unlike(source, wanted, got) == [], dealt.dealing.name


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(2, 3))
def test_wide_shares_deliver_the_same_of_more(seed: int, count: int) -> None:
    """Units that also compute what others deliver, in any order, give what the kernel gives."""
    rng = random.Random(seed)
    source = random_kernel(rng)
    dealer, memory = Dealer(dependences(source)), some_memory(source)
    wanted = run_source(source, memory)
    for dealt in dealer.dealings:
        narrow = shares(dealer, dealt.dealing, count)
        width = max((share.high - share.low for share in narrow), default=0) + rng.randrange(2)
        found = [dealer.share(dealt.dealing, share.low, share.high, width) for share in narrow]
        wide = [share for share in found if share is not None]
        if len(wide) < len(narrow):  # isl gave up
            continue
        assert all(share.delivers.keys() >= own.delivers.keys() for share, own in zip(wide, narrow, strict=True))
        order = tuple(rng.sample(range(len(wide)), len(wide)))
        assert differing(source, wanted, gathered(source, memory, wide, order)) == [], dealt.dealing.name


@pytest.mark.parametrize("extent", [7, 10, 11, 13])
def test_wide_shares_are_one_kernel_where_outputs_have_other_extents(extent: int) -> None:
    """Parts of E in proportion to those of F are of 2 and of 3 rows."""
    source = read(str(KERNELS / "polybench/3mm.c"), defines=("NI=8", f"NJ={extent}", "NK=3", "NL=4", "NM=2"))
    (cut,) = cuts(dependences(source))
    first = phase_of(source, cut, 0).scop
    dealer = Dealer(dependences(first))
    dealing = next(d.dealing for d in dealer.dealings if d.dealing.slabs[0].dim == 0)
    bounds = [*range(0, dealing.extent, -(-dealing.extent // 3)), dealing.extent]
    found = [dealer.share(dealing, low, high, bounds[1]) for low, high in pairwise(bounds)]
    assert len({whole_text_of(restricted(first, share).scop) for share in found if share is not None}) == 1


@pytest.mark.parametrize("spoil", ["lost row", "lost instances"])
def test_the_check_sees_a_share_that_lacks_something(spoil: str) -> None:
    source = small("polybench/2mm")
    dealer, memory = Dealer(dependences(source)), some_memory(source)
    first, *others = shares(dealer, dealer.dealings[0].dealing, 3)
    name, writer = ArrayId("D"), StmtId("S1")
    (low, high), *rest = first.boxes[name]
    if spoil == "lost row":
        first = replace(first, delivers={**first.delivers, name: ((low, high - 1), *rest)})
    else:
        domain = first.domains[writer]
        first = replace(first, domains={**first.domains, writer: domain.subtract(domain.lexmin())})
    got = gathered(source, memory, [first, *others], (0, 1, 2))
    assert differing(source, run_source(source, memory), got)


def test_what_of_the_arrays_is_dealt() -> None:
    best = {name: Dealer(dependences(small(name))).dealings[0] for name in ("polybench/2mm", "polybench/bicg")}
    told = {name: (d.dealing.name, d.dealt, d.replicated, d.repeated) for name, d in best.items()}
    assert told == {
        "polybench/2mm": ("D.0", ("tmp", "A", "D"), ("B", "C"), ()),
        "polybench/bicg": ("q.0", ("s", "q"), ("A", "p", "r"), ()),
    }


def test_an_intermediate_that_all_need_is_computed_by_all() -> None:
    (by_rows,) = [d for d in of("polybench/3mm") if d.dealing.name == "G.0"]
    assert (by_rows.repeated, by_rows.refused) == (("S2", "S3"), "")
    (by_vector,) = [d for d in of("polybench/atax") if not d.dealing.apart]
    assert by_vector.repeated == ("S1", "S2")


def of(name: str) -> tuple[Dealt, ...]:
    return Dealer(dependences(small(name))).dealings


def test_values_that_wander_through_all_rows_leave_nothing_to_deal() -> None:
    text = """
    for t in range(6):
        for i in range(1, 30):
            A[i] = A[i - 1] + A[i]
    """
    (dealt,) = Dealer(dependences(scop(text, name="sweep", A=(30,)))).dealings
    assert dealt.refused == "a unit of two would run 100% of the operations"


def test_of_an_output_the_places_are_those_that_are_written() -> None:
    """Ten of a hundred, all on one side: of halves of the array, one of two units would have nothing to do."""
    source = scop("for i in range(10, 20):\n    B[i] = A[i]", A=(100,), B=(100,))
    dealer, memory = Dealer(dependences(source)), some_memory(source)
    (dealt,) = dealer.dealings
    assert dealt.work == 0.5 and [(slab.low, slab.extent) for slab in dealt.dealing.slabs] == [(10, 10)]
    parts = shares(dealer, dealt.dealing, 3)
    assert [share.delivers[ArrayId("B")] for share in parts] == [((10, 12),), ((13, 15),), ((16, 19),)]
    assert differing(source, run_source(source, memory), gathered(source, memory, parts, (2, 0, 1))) == []
    wide = [dealer.share(dealt.dealing, low, high, 4) for low, high in pairwise((0, 3, 6, 10))]
    assert [share and share.boxes[ArrayId("B")] for share in wide] == [((10, 13),), ((12, 15),), ((16, 19),)]


def test_outputs_apart_begin_where_they_are_written() -> None:
    text = "for i in range(2, 8):\n    B[i] = A[i]\nfor i in range(5):\n    C[i] = A[i]"
    dealer = Dealer(dependences(scop(text, A=(9,), B=(9,), C=(5,))))
    (apart,) = [d.dealing for d in dealer.dealings if d.dealing.apart]
    assert apart.stretches == (6, 5)
    delivered = [share.delivers for share in shares(dealer, apart, 3)]
    assert delivered == [{"B": ((2, 4),)}, {"B": ((5, 7),), "C": ((0, 0),)}, {"C": ((1, 4),)}]


def test_a_single_element_beside_others_comes_from_the_first_unit() -> None:
    """As what a function returns, which is written last."""
    source = scop("for i in range(8):\n    B[i] = A[i]\nS[0] = 7.0", A=(8,), B=(8,), S=(1,))
    dealer, memory = Dealer(dependences(source)), some_memory(source)
    (dealt,) = dealer.dealings
    assert str(dealt.dealing) == "B by dimension 0, S whole" and not dealt.refused
    parts = shares(dealer, dealt.dealing, 3)
    assert [set(share.delivers) for share in parts] == [{"B", "S"}, {"B"}, {"B"}]
    assert differing(source, run_source(source, memory), gathered(source, memory, parts, (2, 1, 0))) == []


def test_a_sum_may_be_written_before_other_outputs() -> None:
    text = "for i in range(8):\n    S[0] = S[0] + A[i]\n    B[i] = A[i]"
    source = scop(text, A=(8,), B=(8,), S=(1,))
    dealer, memory = Dealer(dependences(source), tree=True), some_memory(source)
    (added,) = [d for d in dealer.dealings if d.dealing.added]
    assert added.dealing.name == "S over i" and not added.refused
    parts = shares(dealer, added.dealing, 3)
    assert [share.delivers[ArrayId("B")] for share in parts] == [((0, 1),), ((2, 4),), ((5, 7),)]
    assert unlike(source, run_source(source, memory), gathered(source, memory, parts, (0, 1, 2))) == []


@pytest.mark.parametrize(
    ("text", "count", "told", "adds"),
    [
        ("S[0] = A[0]", 2, "of each a single element is written", False),
        ("for i in range(8):\n    S[0] = S[0] + A[i]", 2, "of each a single element is written", True),
        ("for i in range(2):\n    A[i] = 1.0", 3, "they have 2 places", False),
        ("for i in range(1, 8):\n    A[i] = A[i - 1]", 2, "a unit of two would run 100% of the operations", False),
    ],
)
def test_why_outputs_cannot_be_dealt(text: str, count: int, told: str, adds: bool) -> None:
    dealer = Dealer(dependences(scop(text, A=(8,), S=(1,))))
    assert (dealer.none_for(count), dealer.could_add) == (told, adds)
    assert dealer.whole is not None and {slab.dim for slab in dealer.whole.slabs} == {None}


def test_a_temporary_argument_that_nobody_wants_is_no_output() -> None:
    source = small("polybench/2mm")
    assert {s.array for d in Dealer(dependences(source), ("tmp",)).dealings for s in d.dealing.slabs} == {"D"}


#: The first output of each of them, and the loop that is dealt where units add it up.
ADDED = {
    "polybench/gemm": "C over k",
    "polybench/atax": "y over i",
    "polybench/mvt": "x2 over j",
    "nn/cnn": "output over j",
}


@pytest.mark.parametrize("name", sorted(ADDED))
def test_units_that_add_up_an_output_give_what_the_kernel_gives(name: str) -> None:
    source = small(name)
    dealer, memory = Dealer(dependences(source), tree=True), some_memory(source)
    (dealt,) = [d for d in dealer.dealings if d.dealing.added is not None]
    assert dealt.dealing.name == ADDED[name] and not dealt.refused
    parts = shares(dealer, dealt.dealing, 3)
    lead = dealt.dealing.slabs[0].array
    assert [lead in share.adds for share in parts] == [False, True, True]
    assert unlike(source, run_source(source, memory), gathered(source, memory, parts, (0, 1, 2))) == []


@pytest.mark.parametrize("name", ["polybench/atax", "polybench/bicg", "polybench/gemm"])
def test_dealings_are_read_back(name: str) -> None:
    for dealt in Dealer(dependences(small(name)), tree=True).dealings:
        assert Dealing.of_json(json.loads(json.dumps(asdict(dealt.dealing)))) == dealt.dealing


def test_a_sum_that_is_read_or_changed_later_is_not_added_up() -> None:
    text = """
    for i in range(6):
        for k in range(8):
            B[i] = B[i] + A[i, k]
    for i in range(6):
        {}
    """
    arrays = {"A": (6, 8), "B": (7,), "C": (6,)}
    for later in ("C[i] = B[i]", "B[i] = 2.0 * B[i]", "B[i] = B[i] + B[i + 1]"):
        dealer = Dealer(dependences(scop(text.format(later), **arrays)), ("C",), tree=True)
        assert not [d for d in dealer.dealings if d.dealing.added]
    before = "for i in range(6):\n    C[i] = B[i]\n" + text.format("C[i] = A[i, 0]")
    assert not [d for d in Dealer(dependences(scop(before, **arrays)), ("C",), tree=True).dealings if d.dealing.added]
    alone = Dealer(dependences(scop(text.format("C[i] = A[i, 0]"), **arrays)), ("C",), tree=True)
    assert [d.dealing.name for d in alone.dealings if d.dealing.added] == ["B over k"]
    assert not [d for d in Dealer(alone.found, ("C",)).dealings if d.dealing.added]


def test_an_output_of_which_the_first_unit_lacks_elements_is_not_added_up() -> None:
    """Others would add to what no unit delivers."""
    text = "for k in range(8):\n    for i in range({}):\n        B[i] = B[i] + A[k, i]"
    for rows, names in ((8, ["B over k"]), ("k + 1", [])):
        dealer = Dealer(dependences(scop(text.format(rows), A=(8, 8), B=(8,))), tree=True)
        assert [d.dealing.name for d in dealer.dealings if d.dealing.added] == names


def test_an_output_of_a_width_that_c_has_not_is_not_added_up() -> None:
    """The host adds in the type that holds it, which wraps elsewhere."""
    found = scop("for k in range(8):\n    for i in range(3):\n        B[i] = B[i] + A[k, i]", A=(8, 3), B=(3,))
    for bits, loops in ((64, ["k"]), (33, [])):
        kind = ScalarType("int", bits)
        typed = replace(found, statements=tuple(replace(s, write_type=kind) for s in found.statements))
        assert [one.loop for one in sums_of(dependences(typed), ArrayId("B"))] == loops


def test_outputs_that_need_nothing_of_each_other_are_also_dealt_apart() -> None:
    (apart,) = [d for d in of("polybench/bicg") if d.dealing.apart]
    assert (apart.dealing.name, apart.dealing.stretches, apart.refused) == ("s.0 | q.0", (5, 7), "")
    dealer = Dealer(dependences(small("polybench/bicg")))
    one, both, other = (dealer.share(apart.dealing, *bounds) for bounds in ((0, 5), (4, 6), (5, 12)))
    assert one is not None and both is not None and other is not None
    assert [set(share.delivers) for share in (one, both, other)] == [{"s"}, {"s", "q"}, {"q"}]
    assert [set(share.boxes) for share in (one, other)] == [{"A", "s", "r"}, {"A", "q", "p"}]
    assert {a.name for a in restricted(dealer.scop, one).scop.arguments} == {"A", "s", "r"}


def test_outputs_of_which_one_needs_the_other_are_not_dealt_apart() -> None:
    assert [d.refused for d in of("polybench/atax") if d.dealing.apart] == [
        "a unit of two would run 100% of the operations"
    ]
    assert not [d for d in of("polybench/gemm") if d.dealing.apart]


def test_equal_shares_are_the_same_kernel() -> None:
    text = """
    for i in range(12):
        for j in range(5):
            C[i, j] = C[i, j] + A[i + 1, j] * B[j]
    """
    source = scop(text, name="rows", A=(13, 5), B=(5,), C=(12, 5))
    dealer = Dealer(dependences(source))
    by_rows = next(d.dealing for d in dealer.dealings if d.dealing.name == "C.0")
    one, other = (summary(restricted(source, share).scop) for share in shares(dealer, by_rows, 2))
    assert one == other
    assert one["arrays"][0]["extents"] == [6, 5]


def test_a_unit_says_what_it_only_reads_and_only_writes() -> None:
    text = "for i in range(8):\n    for j in range(6):\n        B[i, j] = A[i, j] * C[j]"
    source = scop(text, A=(8, 6), B=(8, 6), C=(6,))
    dealer = Dealer(dependences(source))
    second = shares(dealer, dealer.dealings[0].dealing, 2)[1]
    unit = restricted(source, second)
    assert unit.scop.name == source.name
    roles = {a.id: a.role for a in unit.scop.arrays}
    assert roles == {"A": Role.IN, "B": Role.OUT, "C": Role.IN}
    assert unit.elements == {"A": (4, 0), "B": (4, 0), "C": (0,)}


def test_a_kernel_that_writes_no_argument_has_no_dealing() -> None:
    source = small("polybench/gemm")
    dealer = Dealer(dependences(source), ("C",))
    assert (dealer.dealings, dealer.whole, dealer.none_for(2)) == ((), None, "nobody wants any")
