"""Schedules, strip-mined loops and pairs that run backwards."""

from __future__ import annotations

from itertools import product

import islpy as isl
import pytest

from sisyphus.errors import InternalError
from sisyphus.poly import (
    Remainder,
    TileNumber,
    Timed,
    all_pairs,
    backwards,
    box_in,
    box_of,
    compare,
    const,
    constant_distance,
    inverse,
    is_product,
    last_before,
    last_write_times,
    last_writers,
    make_box,
    make_set,
    name_dims,
    original_schedule,
    renamed,
    schedule,
    split_loop,
    through,
    var,
)


def value(relation: isl.Map, *point: int) -> tuple[int, ...]:
    """The image of one point."""
    image = isl.Set(f"{{ S[{', '.join(map(str, point))}] }}").apply(relation).sample_point()
    count = image.get_space().dim(isl.dim_type.set)
    return tuple(int(image.get_coordinate_val(isl.dim_type.set, at).to_python()) for at in range(count))


def test_the_order_of_the_source_is_padded() -> None:
    order = original_schedule("S", ["i", "j"], (2, 0, 1), 7)
    assert value(order, 5, 6) == (2, 5, 0, 6, 1, 0, 0)
    with pytest.raises(InternalError, match="position"):
        original_schedule("S", ["i", "j"], (2, 0), 7)


def test_the_last_write_is_found_where_isl_takes_another_one_for_it() -> None:
    """`lexmax` of these times with strides is [2, 2, 0, 2]; [2, 6, 1, 1] writes the cell as well, and later."""
    run = "2 <= i <= 4 and 2 <= j <= 6 and 0 <= a and 0 <= b <= 2 and 3a + b <= 6"
    to_cell = isl.Map(f"{{ W[i, j, a, b] -> [i + j - 6a - 2b + 8] : {run} }}")
    order = isl.Map("{ W[i, j, a, b] -> [i, j, a, b] }")
    found = last_before(isl.Set("{ [3, 3, 0, 0] }"), isl.Set("{ [8] }"), [("W", to_cell, order)])
    assert found is not None
    assert found[0] == "W" and found[1].is_equal(isl.Set("{ W[2, 6, 1, 1] }"))


@pytest.mark.parametrize("inner", [(), (4,), (3, 5), (1, 5), (3, 1), (1, 1), (2, 3, 4)])
def test_a_split_loop_counts_like_nested_loops(inner: tuple[int, ...]) -> None:
    order = schedule("S", ["i"], split_loop("i", 7, inner))
    trips = [range(9), *map(range, inner)]
    expected = list(product(*trips))
    assert [value(order, 7 + at) for at in range(min(len(expected), 60))] == expected[:60]


def test_places_of_tiles_are_those_of_larger_tiles() -> None:
    order = schedule("S", ["i"], [TileNumber(var("i") - 2, 4), Remainder(var("i"), 12, 4), Remainder(var("i") * 2, 5)])
    assert [value(order, at) for at in range(1, 40)] == [
        ((at - 2) // 4, at % 12 // 4, 2 * at % 5) for at in range(1, 40)
    ]


def test_comparing_and_distances() -> None:
    pairs = isl.Map("{ S[i, j] -> T[i', k] : 0 <= i < 5 and i' = i + 1 and 0 <= j, k < 9 and k > j }")
    named = pairs.set_dim_name(isl.dim_type.out, 0, "i")
    assert constant_distance(named, "i", "i") == 1
    assert constant_distance(named, "j", "k") is None
    assert compare(named, "i", 0, "i").is_empty()
    assert compare(named, "i", -1, "i").is_empty()
    assert compare(named, "j", 1, "k").is_equal(named)
    with pytest.raises(InternalError, match="no dimension"):
        compare(named, "x", 0, "i")


def test_two_parts_with_different_distances_have_none() -> None:
    one, two = (name_dims(isl.Map(f"{{ S[i] -> T[i + {d}] : 0 <= i < 4 }}"), ["i"], ["j"]) for d in (1, 2))
    assert constant_distance(one.union(one), "i", "j") == 1
    assert constant_distance(one.union(two), "i", "j") is None
    assert one.union(two).is_subset(all_pairs("S", ["i"], "T", ["j"]))


def test_through_keeps_the_names() -> None:
    write, read = isl.Map("{ S[i] -> A[i] : 0 <= i < 5 }"), isl.Map("{ T[j] -> A[j - 1] : 0 <= j < 5 }")
    assert constant_distance(through(write, read, ["i"], ["j"]), "i", "j") == 1


def test_backwards_finds_a_pair_and_ties_count() -> None:
    pairs = through(
        isl.Map("{ S[i] -> A[i] : 0 <= i < 9 }"), isl.Map("{ T[j] -> A[j - 1] : 0 <= j < 9 }"), ["i"], ["j"]
    )
    first, second = schedule("S", ["i"], [var("i")]), schedule("T", ["j"], [var("j")])
    assert backwards(pairs, first, second) is None
    tied = backwards(pairs, first, schedule("T", ["j"], [var("j") - 1]))
    assert tied is not None
    assert tied[1]["j"] == tied[0]["i"] + 1
    assert backwards(pairs, first, schedule("T", ["j"], [-var("j")])) is not None
    with pytest.raises(InternalError, match="differ"):
        backwards(pairs, first, schedule("T", ["j"], [var("j"), var("j")]))


def test_last_writers() -> None:
    writes = [isl.Map("{ S[i] -> A[0] : 0 <= i < 5 }"), isl.Map("{ T[i] -> A[0] : i = 2 }")]
    reads = [isl.Map("{ R[] -> A[0] }")]
    order = [isl.Map("{ S[i] -> [0, i, 0] }"), isl.Map("{ T[i] -> [0, i, 1] }"), isl.Map("{ R[] -> [1, 0, 0] }")]
    ((writer, reader, relation),) = last_writers(reads, writes, order)
    assert (writer, reader) == ("S", "R")
    assert relation.is_equal(isl.Map("{ S[4] -> R[] }"))
    assert box_of(last_write_times(writes, order[:2])) == ((0, 0), (4, 4), (0, 0))


def test_boxes() -> None:
    box = make_box("A", (4, 5))
    assert box_of(box) == ((0, 3), (0, 4))
    assert box_in(box, "d1", 0, 4)
    assert not box_in(box, "d1", 0, 5)
    assert is_product(box, ["d0", "d1"])
    triangle = isl.Set("{ A[d0, d1] : 0 <= d1 <= d0 < 4 }")
    assert not is_product(triangle, ["d0", "d1"])
    assert is_product(triangle, ["d1"])
    assert not box_in(triangle, "d1", 0, 3)
    striped = isl.Set("{ A[d0] : 0 <= d0 < 9 and d0 mod 2 = 0 }")
    assert not is_product(striped, ["d0"])
    assert is_product(isl.Set("{ A[] }"), [])
    assert renamed(box, "B", ["x", "y"]).is_equal(isl.Set("{ B[x, y] : 0 <= x < 4 and 0 <= y < 5 }"))


def test_instances_are_known_by_times_that_say_the_same_twice() -> None:
    """Where j is 0, 2 i + j and i are both times of i: what has no quotient says it."""
    points = make_set("S", ["i", "j"], at_least_zero=[var("i"), const(9) - var("i")], zero=[var("j")])
    times = (var("i") * 2 + var("j"), var("i"))
    assert inverse(Timed("S", points, times), ["w", "k"]) == (var("k"), const(0))
    assert inverse(Timed("S", points, times[:1]), ["w"]) is None
