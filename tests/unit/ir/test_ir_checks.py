"""Each promise of a Scop is checked: a scop that breaks it is caught, by the check of that name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from builders import scop

from sisyphus.errors import InternalError
from sisyphus.ir import DOUBLE, INT32, Array, Cast, Index, Literal, Ref, Role, Scalar, Scop, Statement, promises
from sisyphus.poly import const, make_set, var

GOOD = scop(
    """
    for i in range(4):
        for j in range(i, 5):
            C[i, j] += alpha * A[j]
    """,
    C=(4, 5),
    A=(5,),
)
FIRST = GOOD.statements[0]


def with_statement(**change: object) -> Scop:
    return replace(GOOD, statements=(replace(FIRST, **change),))  # type: ignore[arg-type]


def with_array(array: Array) -> Scop:
    return replace(GOOD, arrays=(array, *GOOD.arrays[1:]))


def with_domain(domain: object) -> Scop:
    return with_statement(domain=domain)


SPOILED: list[tuple[str, Scop]] = [
    ("accesses_in_bounds", with_array(replace(GOOD.arrays[0], extents=(4, 4)))),
    ("accesses_in_bounds", with_array(replace(GOOD.arrays[0], extents=(20,)))),
    ("accesses_in_bounds", with_statement(write=Ref(FIRST.write.array, (var("i"), const(5))))),
    ("one_write_per_statement", with_array(replace(GOOD.arrays[0], role=Role.IN))),
    ("one_write_per_statement", with_statement(write_type=DOUBLE)),
    ("names_unique", replace(GOOD, statements=(FIRST, FIRST))),
    ("names_unique", replace(GOOD, arrays=(*GOOD.arrays, GOOD.arrays[0]))),
    ("names_unique", replace(GOOD, arrays=(*GOOD.arrays, replace(GOOD.arrays[0], id="i")))),  # type: ignore[arg-type]
    ("names_unique", replace(GOOD, arrays=GOOD.arrays[1:])),
    ("names_unique", with_statement(iterators=("i", "i"))),
    ("domains_bounded", with_domain(make_set("S0", ["i", "j"], at_least_zero=[var("i"), var("j")]))),
    ("domains_bounded", with_domain(make_set("S1", ["i", "j"], zero=[var("i"), var("j")]))),
    ("domains_bounded", with_domain(make_set("S0", ["j", "i"], zero=[var("i"), var("j")]))),
    ("domains_bounded", with_domain(make_set("S0", ["i", "j"], zero=[var("i"), var("j"), const(1)]))),
    ("positions_in_text_order", with_statement(position=(0, 0))),
    ("positions_in_text_order", replace(GOOD, statements=(FIRST, replace(FIRST, id="S1")))),  # type: ignore[arg-type]
    ("names_known", with_statement(rhs=Index(var("k"), INT32))),
    ("names_known", with_statement(rhs=Scalar("beta", DOUBLE))),
    ("names_known", with_statement(write=Ref(FIRST.write.array, (var("i"), var("k"))))),
    ("conversions_explicit", with_statement(rhs=Cast(FIRST.rhs, FIRST.rhs.type))),
    ("conversions_explicit", with_statement(rhs=replace(FIRST.rhs, left=Literal("1", INT32)))),  # type: ignore[arg-type]
]


def test_a_good_scop_passes() -> None:
    assert promises.run(GOOD) is GOOD


@pytest.mark.parametrize(("name", "spoiled"), SPOILED, ids=[f"{n}-{at}" for at, (n, _) in enumerate(SPOILED)])
def test_a_broken_promise_is_caught(name: str, spoiled: Scop) -> None:
    by_name: dict[str, Callable[[Scop], None]] = {c.__name__: c for c in promises.AFTER_FRONTEND}
    with pytest.raises(InternalError):
        by_name[name](spoiled)


def test_every_check_has_been_seen_to_fail() -> None:
    assert {name for name, _ in SPOILED} == {c.__name__ for c in promises.AFTER_FRONTEND}


def test_the_witness_is_named() -> None:
    bad = with_statement(write=Ref(FIRST.write.array, (var("i"), var("j") + 1)))
    with pytest.raises(InternalError, match=r"is outside its array at \{'i': \d, 'j': 4\}"):
        promises.accesses_in_bounds(bad)


def test_statement_type_is_as_expected() -> None:
    assert isinstance(FIRST, Statement)
