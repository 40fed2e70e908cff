"""The forms of a kernel share the time that a search may take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sisyphus import choice
from sisyphus.errors import NothingFits, TimeUp
from sisyphus.request import Kernel, Request, Source, load_kernels
from sisyphus.solve import Limits, Stop
from sisyphus.target import load_device, make_target

SUMS = """
void sums(float a[8][8], float b[8][8])
{
    float s;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            s = a[i][j] * 2.0f;
            b[i][j] = s + a[j][i] * s;
        }
}
"""


@pytest.mark.parametrize(("limit", "shares"), [(9.0, [4.5, 6.0, 3.0]), (2.0, [1.0, 1.0, 1.0]), (None, [None] * 3)])
def test_forms_share_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float | None, shares: list[float | None]
) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    kernels = load_kernels(Source(str(path)))
    assert len(kernels) == 2
    clock, asked = [0.0], list[float | None]()

    def search(kernel: Kernel, request: Request, *_: object, **__: object) -> choice.Choice:
        asked.append(request.limits.seconds)
        clock[0] += 3.0
        raise TimeUp("the time is over")

    monkeypatch.setattr(choice, "_search", search)
    monkeypatch.setattr(choice.time, "monotonic", lambda: clock[0])
    request = Request(Source(str(path)), make_target(load_device("u200"), budget="chip"))
    with pytest.raises(TimeUp):
        choice.find(kernels, replace(request, limits=Limits(seconds=limit)))
    assert asked[: len(shares)] == shares[: len(asked)] and len(asked) >= 2


@pytest.mark.parametrize("cut", [True, False])
def test_a_proof_of_one_form_is_none_of_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, cut: bool
) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    kernels = load_kernels(Source(str(path)))
    request = Request(Source(str(path)), make_target(load_device("u200"), budget="chip"))
    own = choice._search

    def search(kernel: Kernel, *given: Any, **named: Any) -> choice.Choice:
        if kernel.form == kernels[0].form:
            return own(kernel, *given, **named)
        raise TimeUp("the time is over") if cut else NothingFits("nothing fits")

    monkeypatch.setattr(choice, "_search", search)
    outcome = choice.find(kernels, request).outcome
    assert outcome is not None
    assert outcome.stop is (Stop.TIME if cut else Stop.PROVED)
    assert (outcome.bound is None) == cut
