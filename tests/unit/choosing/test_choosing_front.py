"""The front between latency and area: what is on it, its ends, that it is the same twice, and that Ctrl-C keeps it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from unit.choosing.small_kernels import BLEND, TWICE, asked, read

from sisyphus import front as front_module
from sisyphus.budgets import with_amounts
from sisyphus.choice import find
from sisyphus.choose import choose
from sisyphus.errors import NothingFits
from sisyphus.front import front_of
from sisyphus.model import Estimate
from sisyphus.part_search import Choice, silent
from sisyphus.report import Front
from sisyphus.request import Request, estimate_of
from sisyphus.space import DesignPoint


def made(request: Request) -> tuple[Choice, Choice, Front]:
    kernels = read(request)
    first = choose(kernels, request)
    return (first, *front_of(kernels, request, first, silent, None))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Request, Choice, Choice, Front]:
    request = asked(tmp_path_factory.mktemp("front"), TWICE, budgets={"dsp": 12})
    return (request, *made(request))


def test_no_design_of_the_front_beats_another_and_each_fits(run: tuple[Request, Choice, Choice, Front]) -> None:
    request, first, chosen, front = run
    (kernel,) = read(request)
    figures = []
    for design in front.designs:
        cost = estimate_of(kernel, design.point, request.target)
        assert cost.to_json() == design.estimate.to_json()
        assert cost.dsp <= 12
        figures.append((cost.cycles, cost.dsp, cost.bram18k))
    assert figures == sorted(set(figures))
    assert not any(all(a <= b for a, b in zip(one, two, strict=True)) for one, two in permutations(figures, 2))
    assert chosen.point == front.designs[0].point
    assert front.designs[0].estimate.cycles == estimate_of(kernel, first.point, request.target).cycles
    assert front.complete
    assert len(front.designs) > 1


@pytest.mark.parametrize("axis", ["dsp", "bram18k"])
def test_the_ends_of_the_front_are_the_smallest_there_are(
    run: tuple[Request, Choice, Choice, Front], axis: str
) -> None:
    request, *_, front = run
    least = min(getattr(d.estimate, axis) for d in front.designs)
    assert least > 0
    with pytest.raises(NothingFits):
        find(read(request), replace(request, target=with_amounts(request.target, {axis: least - 1})))


def test_the_front_is_the_same_twice(run: tuple[Request, Choice, Choice, Front]) -> None:
    request, *_, front = run
    again = made(request)[-1]
    assert [d.point for d in again.designs] == [d.point for d in front.designs]
    assert again.searches == front.searches


def test_the_next_best_designs_stay_when_a_smaller_one_is_as_fast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first search may return a design that a later one beats in area; both are then among the best."""
    request = asked(tmp_path, BLEND, top=2)
    kernels = read(request)
    first = choose(kernels, request)
    smaller = replace(first, point=first.others[0].point, others=())
    monkeypatch.setattr(front_module, "find", lambda *_, **__: smaller)
    cost = estimate_of(first.kernel, first.point, request.target)

    def rated(_: object, point: DesignPoint, __: object) -> Estimate:
        return replace(cost, dsp=cost.dsp // 2) if point == smaller.point else cost

    monkeypatch.setattr(front_module, "estimate_of", rated)
    chosen, _ = front_of(kernels, request, first, silent, None)
    assert chosen.point == smaller.point
    assert [k.point for k in chosen.others] == [first.point]


@pytest.mark.long
def test_fewer_designs_than_were_asked_for_are_told(tmp_path: Path) -> None:
    request = asked(tmp_path, BLEND, top=99)
    found = choose(read(request), request)
    assert len(found.others) < 98
    assert any(f"--top 99`: the search met no more than {1 + len(found.others)}" in note for note in found.notes)
    assert not any("--top" in note for note in choose(read(request), replace(request, top=1)).notes)


def test_ctrl_c_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = asked(tmp_path, BLEND)
    kernels = read(request)
    first = choose(kernels, request)

    def interrupted(*_: object, **__: object) -> Choice:
        raise KeyboardInterrupt

    monkeypatch.setattr(front_module, "find", interrupted)
    chosen, front = front_of(kernels, request, first, silent, None)
    assert chosen.point == first.point
    assert [d.point for d in front.designs] == [first.point]
    assert not front.complete


def test_without_time_the_front_says_that_it_is_not_whole(tmp_path: Path) -> None:
    request = asked(tmp_path, BLEND)
    kernels = read(request)
    first = choose(kernels, request)
    _, front = front_of(kernels, request, first, silent, 0.0)
    assert len(front.designs) == 1
    assert not front.complete
