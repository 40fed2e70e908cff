"""The cache of finished searches: the same question, and no other, is answered from it, and the report says so."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sisyphus import choose, pipeline
from sisyphus.cache import Answer, Cache
from sisyphus.design import Design
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Request, Source
from sisyphus.solve import Limits, Stop
from sisyphus.target import load_device, make_target

SOURCE = """void scale(float a[4][2], float b[4][2]) {
  for (int r = 0; r < 4; r++) for (int c = 0; c < 2; c++) b[r][c] = 2.0f * a[r][c];
}
"""


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    (tmp_path / "k.c").write_text(SOURCE)
    target = make_target(load_device("u200"), budget="routable", dsp=64)
    return Request(Source(str(tmp_path / "k.c")), target, limits=Limits(seconds=600.0), verify=False)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def searched(request: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> tuple[Design, bool]:
    """The design, and whether there was a search."""
    searches: list[str] = []
    whole = choose.find

    def find(*args: object, **more: object) -> object:
        searches.append("")
        return whole(*args, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(choose, "find", find)
        return pipeline.optimize(request, cache=cache), bool(searches)


def test_the_same_question_is_answered_at_once(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first, was_searched = searched(asked, cache, monkeypatch)
    assert was_searched and first.remembered is None and len(cache.entries()) == 1
    again, was_searched = searched(asked, cache, monkeypatch)
    assert not was_searched and again.remembered is not None
    differing = {"run.json"}
    assert {n: t for n, t in first.files.items() if n not in differing} == {
        n: t for n, t in again.files.items() if n not in differing
    }
    assert "taken from the cache" in again.text and "taken from the cache" not in first.text
    assert json.loads(again.files["run.json"])["cache"]["seconds"] > 0
    assert json.loads(first.files["run.json"])["cache"] is None


@pytest.mark.long
def test_another_question_is_not(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    searched(asked, cache, monkeypatch)
    others = [
        replace(asked, target=make_target(load_device("u200"), budget="routable", dsp=32)),
        replace(asked, options=replace(asked.options, padding=False)),
        replace(asked, fixes=("S0.pipeline=c",)),
        replace(asked, limits=replace(asked.limits, gap=0.01)),
        replace(asked, top=2),
        replace(asked, source=replace(asked.source, defines=("X",))),
    ]
    for other in others:
        assert searched(other, cache, monkeypatch)[1], other
    Path(asked.source.path).write_text(SOURCE.replace("2.0f", "3.0f"))
    assert searched(asked, cache, monkeypatch)[1]


def test_other_versions_are_another_question(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    searched(asked, cache, monkeypatch)
    monkeypatch.setattr("sisyphus.cache.versions", lambda: {"sisyphus": "another"})
    assert searched(asked, cache, monkeypatch)[1]


@pytest.mark.parametrize("spoiled", ["{", '{"sha256": "", "body": "{}"}', "[]"])
def test_a_spoiled_entry_is_none(spoiled: str, asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    searched(asked, cache, monkeypatch)
    [entry] = cache.entries()
    entry.write_text(spoiled)
    assert searched(asked, cache, monkeypatch)[1]
    assert not searched(asked, cache, monkeypatch)[1]


@pytest.mark.long
def test_a_cut_entry_is_none(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    searched(asked, cache, monkeypatch)
    [entry] = cache.entries()
    text = entry.read_text()
    for length in range(1, len(text), len(text) // 5):
        entry.write_text(text[:length])
        assert searched(asked, cache, monkeypatch)[1]


def stopped(asked: Request, cache: Cache, stop: Stop) -> None:
    """Keeps an answer that ended so."""
    kernels = load_kernels(asked.source)
    found = choose.choose(kernels, asked)
    assert found.outcome is not None
    cache.keep(kernels, asked, Answer(replace(found, outcome=replace(found.outcome, stop=stop)), None), 1.0)


def test_what_time_ended_holds_for_the_same_time_only(
    asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(asked, cache, Stop.TIME)
    assert not searched(asked, cache, monkeypatch)[1]
    assert searched(replace(asked, limits=Limits(seconds=900.0)), cache, monkeypatch)[1]
    assert not searched(replace(asked, limits=Limits(seconds=5.0)), cache, monkeypatch)[1], "now proved: for any limit"


def test_what_the_user_ended_is_no_answer(asked: Request, cache: Cache) -> None:
    stopped(asked, cache, Stop.INTERRUPTED)
    assert cache.entries() == []


@pytest.mark.long
def test_a_front_is_kept_whole(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = replace(asked, front=True, top=2, limits=Limits(seconds=4.0))
    first, again = searched(wanted, cache, monkeypatch)[0], searched(wanted, cache, monkeypatch)[0]
    assert first.front is not None and again.front is not None and again.remembered is not None
    assert [d.point for d in first.front.designs] == [d.point for d in again.front.designs]
    assert [d.estimate.cycles for d in first.front.designs] == [d.estimate.cycles for d in again.front.designs]
    assert [d.point for d in first.others] == [d.point for d in again.others]


def test_no_cache_and_a_disk_that_takes_nothing(asked: Request, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert pipeline.optimize(asked, cache=Cache(tmp_path / "file" / "cache")).cycles == pipeline.optimize(asked).cycles


def _optimized(request: Request, folder: Path) -> int:
    return pipeline.optimize(request, cache=Cache(folder)).cycles


def test_two_at_once(asked: Request, cache: Cache) -> None:
    with ProcessPoolExecutor(2) as pool:
        cycles = {future.result() for future in [pool.submit(_optimized, asked, cache.folder) for _ in range(4)]}
    assert len(cycles) == 1 and len(cache.entries()) == 1
    assert [path.name for path in cache.folder.iterdir()] == [cache.entries()[0].name]
    assert cache.clear() == 1 and cache.entries() == []


def test_only_the_newest_are_kept(asked: Request, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sisyphus.cache.MOST", 2)
    for dsp in (16, 32, 64):
        pipeline.optimize(replace(asked, target=make_target(load_device("u200"), budget="chip", dsp=dsp)), cache=cache)
    assert len(cache.entries()) == 2
