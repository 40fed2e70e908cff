"""On every kernel of the collection at tiny sizes, isl and a run through all instances find the same things."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import brute
import pytest

from sisyphus.analysis import Dependences, dependences, distribute, expand, flows, is_legal, legal_orders, liveness
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
FILES = sorted(p for folder in ("polybench", "nn") for p in (KERNELS / folder).glob("*.c"))

#: Tiny extents, different from each other where there are few of them.
FEW, MANY = (4, 5, 3), (3, 2, 4, 3, 2, 2, 2)


@cache
def tiny(path: Path) -> tuple[Scop, Dependences, dict[brute.Edge, set[brute.Pair]]]:
    names = list(next(iter(tomllib.loads((path.parent / "sizes.toml").read_text())[path.stem].values())))
    values = FEW if len(names) <= len(FEW) else MANY
    scop = read(path, defines=[f"{n}={3 if n == 'TSTEPS' else v}" for n, v in zip(names, values, strict=False)])
    return scop, dependences(scop), brute.dependences(scop)


def test_the_collection_is_whole() -> None:
    assert len(FILES) == 43


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_dependences_and_reductions(path: Path) -> None:
    _, deps, found = tiny(path)
    assert not deps.approximate
    assert brute.isl_dependences(deps) == found
    assert {r.statement for r in deps.reductions} == {s for key in found if key[2] for (s, _), _ in found[key]}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_flows_and_liveness(path: Path) -> None:
    scop, deps, _ = tiny(path)
    found = {(f.array, ((f.source, a), (f.sink, b))) for f in flows(deps) for a, b in brute.map_pairs(f.relation)}
    assert found == brute.flows(scop)
    exposed, written = brute.exposed(scop), brute.written(scop)
    for array in scop.arrays:
        live = liveness(scop)[array.id]
        first_read = {e for e in exposed if e[0] == array.id}
        whole = {e for e in written if e[0] == array.id}
        is_argument = array.role is not Role.LOCAL
        assert {(array.id, p) for p in brute.set_points(live.upward_exposed)} == first_read
        assert live.store == (is_argument and bool(whole))
        assert live.load == (is_argument and bool(first_read or (whole and len(whole) < array.elements)))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_loop_kinds_and_legal_orders(path: Path) -> None:
    scop, deps, found = tiny(path)
    check_nests(scop, deps, found)
    expansion = expand(scop, deps)
    if expansion is not None:
        check_nests(expansion.scop, dependences(expansion.scop), brute.dependences(expansion.scop))


def check_nests(scop: Scop, deps: Dependences, found: dict[brute.Edge, set[brute.Pair]]) -> None:
    pairs = {pair for edge in found.values() for pair in edge}
    for nest in distribute(scop, deps).nests:
        assert [loop.kind for loop in nest.band] == brute.kinds(scop, nest, found), nest.id
        legal = brute.legal_orders(scop, nest, pairs)
        assert sorted(legal_orders(nest)) == sorted(legal), nest.id
        assert all(is_legal(nest, order) for order in legal)
