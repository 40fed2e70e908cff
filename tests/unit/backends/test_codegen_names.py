"""Identifiers: legal in C++, kept where they can be, never shared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import gemm_resident

from sisyphus.backends.hls.identifiers import Names, identifier, is_reserved, plan_names
from sisyphus.errors import InternalError


@pytest.mark.parametrize("word", ["new", "class", "and", "hls", "NULL", "M_PI", "a__b", "_Big", "lane", "row3", "I"])
def test_words_that_are_taken(word: str) -> None:
    assert is_reserved(word)
    given = Names().give("port", word, word)
    assert given != word and not is_reserved(given)


@pytest.mark.parametrize("word", ["alpha", "A", "i0", "_low", "news", "tmp2", "y1"])
def test_words_that_stay(word: str) -> None:
    assert Names().give("port", word, word) == word


def test_one_identifier_for_one_entity() -> None:
    names = Names()
    assert names.give("port", "A", "A") == "A"
    assert names.give("buffer", "A", "A") == "A_2"
    assert names.give("hold", "A", "A") == "A_3"
    assert names.give("port", "A", "A") == "A"
    assert names.of("buffer", "A") == "A_2"


def test_unknown_entity_is_our_fault() -> None:
    with pytest.raises(InternalError, match="no identifier"):
        Names().of("port", "A")


def test_any_text_becomes_an_identifier() -> None:
    assert [identifier(t) for t in ("A@S0+S1", "2mm", "a-b", "@")] == ["A_S0_S1", "v_2mm", "a_b", "v_"]


def test_arguments_keep_the_names_of_the_source() -> None:
    names = plan_names(gemm_resident())
    assert [names.of("port", p) for p in ("alpha", "beta", "C", "A", "B")] == ["alpha", "beta", "C", "A", "B"]


def test_bundles_are_in_lower_case_and_never_shared_by_accident() -> None:
    plan = gemm_resident()
    ports = tuple(replace(p, bundle={"A": "x", "B": "X", "C": "x"}[p.name]) if p.bundle else p for p in plan.ports)
    names = plan_names(replace(plan, ports=ports))
    assert [names.of("bundle", b) for b in ("x", "X")] == ["gmem_x", "gmem_x_2"]
