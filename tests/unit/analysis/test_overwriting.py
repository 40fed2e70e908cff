"""Dependences that a whole overwrite between implies are left out of long kernels, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import brute
import networkx as nx
import pytest
from builders import scop

from sisyphus.analysis import dependences, overwriting
from sisyphus.ir import Scop

TEXTS = (
    "for i in range(6):\n    x[i] = x[i] * a\n",
    "for i in range(6):\n    y[i] = x[i] + y[5 - i]\n",
    "for i in range(1, 5):\n    x[i] = y[i - 1] + y[i + 1]\n",
    "for i in range(1, 5):\n    x[i] = x[i - 1] + y[i]\n",
    "for i in range(3):\n    x[2 * i] = y[i]\n",
    "for i in range(6):\n    for j in range(i):\n        y[i] = y[i] + x[j]\n",
    "for t in range(2):\n    for i in range(6):\n        x[i] = y[i]\n    for i in range(6):\n        y[i] = x[i]\n",
)
ORDERS = ((0, 0, 0, 1, 2, 0), (2, 3, 2, 1, 4, 2, 0, 5), (1, 1, 6, 0, 6, 1, 5), (4, 4, 0, 3, 0, 2, 1, 0, 1))


def long_kernel(order: Iterable[int]) -> Scop:
    return scop("".join(TEXTS[at] for at in order), x=(6,), y=(6,))


def closed(pairs: Iterable[brute.Pair]) -> set[brute.Pair]:
    graph: nx.DiGraph[brute.Instance] = nx.DiGraph()
    graph.add_edges_from(pairs)
    return set(nx.transitive_closure_dag(graph).edges())


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_left_implies_what_is_not(order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = long_kernel(order)
    whole = brute.isl_dependences(dependences(kernel))
    monkeypatch.setattr(overwriting, "MANY_STATEMENTS", 0)
    fewer = brute.isl_dependences(dependences(kernel))
    for array in ("x", "y"):
        every = {pair for key, pairs in whole.items() if key[1] == array for pair in pairs}
        left = {pair for key, pairs in fewer.items() if key[1] == array for pair in pairs}
        assert left <= every
        assert closed(left) == closed(every)


def test_a_chain_of_loops_on_one_vector_has_edges_between_neighbours_alone() -> None:
    many = overwriting.MANY_STATEMENTS
    kernel = long_kernel([0] * many)
    edges = {(e.source, e.sink) for e in dependences(kernel).edges}
    names = [s.id for s in kernel.statements]
    assert edges == {*pairwise(names)}


def test_a_partial_overwrite_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overwriting, "MANY_STATEMENTS", 0)
    kernel = long_kernel((0, 4, 0))
    assert len({(e.source, e.sink) for e in dependences(kernel).edges}) == 3
