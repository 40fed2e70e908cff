"""Names that a plan gives."""

from __future__ import annotations

import keyword

from sisyphus.plan.names import RESERVED, Names


def test_first_come_first_served() -> None:
    names = Names({"A"})
    assert [names.take("A"), names.take("A"), names.take("B")] == ["A_2", "A_3", "B"]


def test_words_of_cpp_hls_and_isl_are_taken() -> None:
    names = Names()
    assert [names.take(w) for w in ("class", "ap_int", "mod", "log2")] == ["class_2", "ap_int_2", "mod_2", "log2_2"]
    assert "register" in RESERVED and not keyword.iskeyword("register")


def test_anything_becomes_an_identifier() -> None:
    assert Names().take("load_A_S1+S2") == "load_A_S1_S2"
    assert Names().take("+") == "x"


def test_what_a_child_takes_stays_free_outside() -> None:
    names = Names()
    child = names.child()
    assert child.take("i0") == "i0" and names.take("i0") == "i0" and child.take("i0") == "i0_2"


def test_a_clash_is_with_all_that_is_taken() -> None:
    names = Names({"A", "i0"})
    assert names.clash(["B", "j0"]) == frozenset()
    assert names.clash(["B", "i0"]) >= {"A", "i0"}
