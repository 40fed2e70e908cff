"""Reading a saved design: what is wrong with it, and how it was made where it does not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from unit.choosing.small_kernels import BLEND, asked, read

from sisyphus.budgets import with_amounts
from sisyphus.choice import find
from sisyphus.choose import choose
from sisyphus.errors import KernelError
from sisyphus.parts import Known
from sisyphus.record import Record
from sisyphus.request import Request, Source
from sisyphus.saved import fitted, read_point
from sisyphus.space import DesignPoint

SIZED = BLEND.replace("[4]", "[N]").replace("i < 4", "i < N")


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Request, Path, dict[str, Any]]:
    request = asked(tmp_path, "#ifndef N\n#define N 4\n#endif\n" + SIZED, budgets={"dsp": 5})
    (kernel,) = read(request)
    choice = find((kernel,), request)
    data = {
        "version": 1,
        "kernel": "blend",
        "design": choice.point.to_json(),
        "source": {
            "path": request.source.path,
            "function": "blend",
            "defines": [],
            "parameters": {},
            "sha256": kernel.scop.origin.digest,
        },
        "target": {"device": "u200", "part": request.target.device.part, "clock_mhz": 250.0, "max_partition": 16}
        | {"budget": {"dsp": 5, "bram18k": 9, "uram": 8, "lut": 7, "ff": 6, "onchip_bytes": 4}},
        "search": {"fixes": ["S0.pipeline=i"], "options": {"reuse": "optimistic", "of_another_version": 1}},
    }
    path = tmp_path / "design.json"
    path.write_text(json.dumps(data))
    return request, path, data


def test_a_design_for_other_sizes_names_the_options_that_it_was_made_with(
    saved: tuple[Request, Path, dict[str, Any]],
) -> None:
    request, path, data = saved
    other = Source(request.source.path, defines=("N=8",))
    with pytest.raises(KernelError) as failed:
        fitted(read(Request(other, request.target)), other, path)
    told = "made for other sizes, with no `-D`, `--param` and `--extent`, and this is with `-D N=8`"
    assert told in (failed.value.hint or "")
    data["source"]["defines"] = ["N=8"]
    data["source"]["sha256"] = "of another file"
    path.write_text(json.dumps(data))
    with pytest.raises(KernelError) as failed:
        fitted(read(Request(other, request.target)), other, path)
    assert "has changed" in (failed.value.hint or "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file"),
        (b"\xff\xfe\x00", "no text"),
        (b"{", "not JSON"),
        (b"[]", "JSON object"),
        (b"{}", "version: is missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "design.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KernelError, match=said) as failed:
        read_point(path)
    assert failed.value.hint
    assert "Errno" not in failed.value.message


def test_a_record_gives_back_budgets_options_and_fixes(saved: tuple[Request, Path, dict[str, Any]]) -> None:
    _, path, data = saved
    record = Record.of(path)
    target = record.whole_target(None)
    assert (target.budget.dsp, target.budget.onchip_bytes, target.max_partition) == (5, 4, 16)
    assert (target.level, target.ordered) == ("chip", ()), "as before it was recorded"
    request = record.request(target, replace(record.source, path="elsewhere.c"))
    assert request.fixes == ("S0.pipeline=i",)
    assert request.source.path == "elsewhere.c"
    data["target"] |= {"level": "routable", "platform": "xilinx_u200", "ordered": ["dsp"]}
    path.write_text(json.dumps(data))
    target = Record.of(path).whole_target(None)
    assert (target.level, target.ordered, target.budget.dsp) == ("routable", ("dsp",), 5)
    assert target.platform is not None and target.platform.name == "xilinx_u200"
    without = {name: told for name, told in data["target"].items() if name != "budget"}
    for spoiled in (data["target"] | {"level": "most"}, without):
        path.write_text(json.dumps(data | {"target": spoiled}))
        with pytest.raises(KernelError, match="not as sisy writes it"):
            Record.of(path).whole_target(None)


def test_a_search_that_starts_from_a_design_is_never_worse(saved: tuple[Request, Path, dict[str, Any]]) -> None:
    request, path, _ = saved
    kernels = read(request)
    point: DesignPoint = read_point(path)
    again = find(kernels, request, start=Known(kernels[0], point))
    assert again.point == point
    assert again.notes == ()


def test_a_start_that_is_no_design_of_the_space_is_said(saved: tuple[Request, Path, dict[str, Any]]) -> None:
    request, path, _ = saved
    target = with_amounts(request.target, {"dsp": 100})
    fixed = Request(request.source, target, limits=request.limits, start=path, fixes=("S0.i=2x1x2",))
    choice = choose(read(request), fixed)
    assert len(choice.notes) == 1
    assert choice.notes[0].startswith("`--start` is no design of this space")
