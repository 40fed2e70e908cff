"""Expressions as keys."""

from __future__ import annotations

import pickle

from sisyphus.ir import FLOAT, ArrayId, Binary, Read, Ref, Unary
from sisyphus.poly import var


def _sum(name: str) -> Binary:
    element = Read(Ref(ArrayId("A"), (var(name),)), FLOAT)
    return Binary("+", element, Unary("-", element, FLOAT), FLOAT)


def test_equal_trees_are_one_key() -> None:
    assert {_sum("i"): 1, _sum("j"): 2}[_sum("i")] == 1
    assert hash(_sum("i")) == hash(_sum("i"))


def test_no_hash_leaves_the_process() -> None:
    """Hashes of text differ from process to process."""
    tree = _sum("i")
    hash(tree)
    copy = pickle.loads(pickle.dumps(tree))
    assert vars(copy).keys() == {"op", "left", "right", "type"}
    assert copy == tree
