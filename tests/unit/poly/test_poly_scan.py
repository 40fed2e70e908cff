"""Bounds and guards of loops that scan a set."""

from __future__ import annotations

import random
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.poly import (
    Affine,
    Set,
    comparisons,
    const,
    dim_names,
    each_point,
    each_preceded,
    extend,
    first_pair,
    first_point,
    largest_extent,
    loop_bounds,
    make_map,
    make_set,
    project_onto,
    pull_back,
    relation_on,
    remaining_conditions,
    union_of,
    var,
)

I, J = var("i"), var("j")  # noqa: E741


def triangle(size: int) -> Set:
    return make_set("", ["i", "j"], at_least_zero=[J, I - J, size - 1 - I])


def test_pull_back_replaces_dimensions() -> None:
    tiles = pull_back(triangle(8), ["t", "u", "j"], [4 * var("t") + var("u"), J])
    assert dim_names(tiles) == ("t", "u", "j")
    assert first_point(tiles.intersect(make_set("", ["t", "u", "j"], at_least_zero=[var("t") - 1, var("u")]))) == {
        "t": 1, "u": 0, "j": 0,
    }  # fmt: skip


def test_loop_bounds_of_a_triangle() -> None:
    context = make_set("", ["i"], at_least_zero=[I, 7 - I])
    bounds = loop_bounds(triangle(8), "j", context)
    assert bounds.lower == ((const(0), 1),) and bounds.upper == ((I, 1),)


def test_loop_bounds_are_quotients_where_a_tile_is_cut() -> None:
    place, value = var("r"), 4 * J + var("r")
    inside = make_set("", ["i", "j", "r"], at_least_zero=[value, place, 3 - place, I - value])
    tiles = project_onto(inside, ["i", "j"])
    bounds = loop_bounds(tiles, "j", make_set("", ["i"], at_least_zero=[I, 30 - I]))
    assert bounds.lower == ((const(0), 1),) and bounds.upper == ((I, 4),)


def test_no_condition_remains_inside_and_no_part_outside() -> None:
    context = make_set("", ["i"], at_least_zero=[I - 2, 5 - I])
    assert remaining_conditions(make_set("", ["i"], at_least_zero=[I, 9 - I]), context) == [[]]
    assert remaining_conditions(make_set("", ["i"], at_least_zero=[I - 8]), context) == []
    assert remaining_conditions(make_set("", ["i"], at_least_zero=[I - 3, 9 - I]), context) == [[I - 3]]


def test_largest_extent() -> None:
    assert largest_extent(triangle(5), "j") == 5
    band = make_set("", ["i", "j"], at_least_zero=[I, 9 - I, J - I, I + 2 - J])
    assert largest_extent(band, "j") == 3 and largest_extent(band.subtract(band), "j") == 0


def test_extend_adds_free_dimensions() -> None:
    assert dim_names(extend(make_set("", ["i"]), ["i", "j"])) == ("i", "j")
    assert dim_names(extend(make_set("", []), ["j"])) == ("j",)


def test_first_point_and_pair() -> None:
    assert first_point(triangle(3)) == {"i": 0, "j": 0}
    assert first_point(triangle(0)) is None
    domain = make_set("A", ["i"], at_least_zero=[I - 3, 5 - I])
    relation = make_map("A", ["i"], "B", ["x"], [I + 1]).intersect_domain(domain)
    assert first_pair(relation) == ((3,), (4,))
    assert first_pair(relation.subtract(relation)) is None


def test_each_preceded() -> None:
    line = make_set("", ["i"], at_least_zero=[I, 5 - I])
    later = make_set("", ["i"], at_least_zero=[I - 1, 5 - I])
    read = relation_on(later, [I - 1])
    assert each_preceded(read, [(relation_on(line, [I]), False)])
    assert not each_preceded(relation_on(line, [I]), [(relation_on(line, [I]), False)])
    assert each_preceded(relation_on(line, [I]), [(relation_on(line, [I]), True)])


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_guards_split_a_set_into_parts_that_exclude_each_other(seed: int) -> None:
    rng = random.Random(seed)
    context = make_set("", ["i", "j"], at_least_zero=[I, 6 - I, J, 6 - J])
    parts = [make_set("", ["i", "j"], at_least_zero=[_condition(rng) for _ in range(2)]) for _ in range(2)]
    wanted = union_of(parts).intersect(context)
    guards = remaining_conditions(wanted, context)
    inside = {(p["i"], p["j"]) for p in each_point(wanted, 100)}
    for i, j in product(range(7), repeat=2):
        ran = sum(all(c.evaluate({"i": i, "j": j}) >= 0 for c in guard) for guard in guards)
        assert ran == ((i, j) in inside)


def _condition(rng: random.Random) -> Affine:
    return rng.randint(-2, 2) * I + rng.randint(-2, 2) * J + rng.randint(-3, 6)


def test_conditions_read_as_comparisons() -> None:
    i, j, k = var("i"), var("j"), var("k")

    def text(*conditions: Affine) -> list[str]:
        return [f"{left} {operator} {right}" for left, operator, right in comparisons(conditions)]

    assert text(k - i) == ["k >= i"]
    assert text(j - 11 * k - i - 1, 6 - k) == ["j >= i + 11*k + 1", "k <= 6"]
    assert text(k - i + 12) == ["k + 12 >= i"]
    assert text(i - 4) == ["i >= 4"]
    assert text(i + j - 60, k, 60 - i - j, -k) == ["i + j == 60", "k == 0"]


def test_lines_equally_far_apart_are_conditions_without_a_modulus() -> None:
    """isl joins `i + j = 0` and `i + j = 3` to `(i + j) mod 3 = 0`."""
    i, j = var("i"), var("j")
    box = make_set("", ["i", "j"], at_least_zero=[i, j, 2 - i, 2 - j])
    lines = [make_set("", ["i", "j"], at_least_zero=[i, j, 2 - i, 2 - j], zero=[i + j - n]) for n in (0, 3)]
    parts = remaining_conditions(union_of(lines), box)
    wanted = {(a, b) for a in range(3) for b in range(3) if (a + b) % 3 == 0}
    met = [
        (a, b)
        for part in parts
        for a in range(3)
        for b in range(3)
        if all(condition.evaluate({"i": a, "j": b}) >= 0 for condition in part)
    ]
    assert sorted(met) == sorted(wanted)
