"""The figures of measured designs, predicted from their configuration alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from oracle_import import FITTED_ON, estimate_of, measured_designs

from sisyphus.model import Estimate

LABELS = {"cycles": "cycles", "dsp": "DSP", "bram18k": "BRAM", "uram": "URAM", "ff": "FF", "lut": "LUT"}
#: Where the published designs lie beside a checkout; the compact copy is made from them.
SHARED = Path(__file__).parents[4] / "shared" / "oracle" / "plans.json"


@cache
def estimates() -> dict[str, tuple[dict[str, Any], Estimate]]:
    return {entry["id"]: (entry, estimate_of(entry)) for entry in measured_designs()}


def designs(dtype: str) -> list[tuple[dict[str, Any], Estimate]]:
    return [found for found in estimates().values() if found[0]["dtype"] == dtype]


def errors(dtype: str, name: str, *, held_out: bool = False) -> list[float]:
    """Relative errors of one figure."""
    found = []
    for entry, predicted in designs(dtype):
        if held_out and entry["kernel"] in FITTED_ON:
            continue
        measured = entry["measured"]
        truth = measured["total_latency"] if name == "cycles" else measured["resources"][LABELS[name]]
        value = getattr(predicted, name)
        found.append(abs(value / truth - 1) if truth else float(value != 0))
    return found


def test_all_designs_are_there() -> None:
    assert (len(designs("float")), len(designs("double"))) == (38, 3)


def test_latency() -> None:
    found = errors("float", "cycles")
    assert mean(found) <= 0.0005 and max(found) <= 0.02


def test_latency_of_the_double_designs() -> None:
    assert mean(errors("double", "cycles")) <= 0.20


def test_dsp() -> None:
    assert mean(errors("float", "dsp")) <= 0.001 and max(errors("float", "dsp")) <= 0.001


@pytest.mark.parametrize("name", ["bram18k", "uram"])
def test_memories_are_exact(name: str) -> None:
    found = errors("float", name)
    # the one design that is not reads beyond the end of a tile, and got a bank for every row it might mean
    assert sum(error == 0 for error in found) >= len(found) - 1


@pytest.mark.parametrize(("name", "most", "held_out"), [("ff", 0.04, 0.06), ("lut", 0.04, 0.06)])
def test_registers_and_logic(name: str, most: float, held_out: float) -> None:
    assert mean(errors("float", name)) <= most
    assert mean(errors("float", name, held_out=True)) <= held_out
    assert max(errors("float", name)) <= 0.25


def pipelined_loops() -> Iterator[tuple[str, str, int, int]]:
    for entry, predicted in designs("float"):
        for task, intervals in predicted.intervals.items():
            measured = entry["measured"]["loops"][task][0]
            yield entry["id"], task, intervals[0], measured


def test_every_initiation_interval() -> None:
    wrong = [found for found in pipelined_loops() if found[2] != found[3]]
    assert wrong == []
    assert len(list(pipelined_loops())) == 119


def test_nothing_but_the_configuration_is_read() -> None:
    """A design with its measured figures taken away costs the same."""
    for entry in measured_designs()[3:6]:
        bare = {key: value for key, value in entry.items() if key != "measured"}
        assert estimate_of(bare).cycles == estimates()[entry["id"]][1].cycles


def test_the_compact_copy_holds_the_published_figures() -> None:
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not here: the copy is taken at its word")
    published = {entry["id"]: entry for entry in json.loads(SHARED.read_text())}
    for entry in measured_designs():
        truth = published[entry["id"]]
        assert entry["measured"]["total_latency"] == truth["measured"]["total_latency"]
        assert entry["measured"]["resources"] == truth["measured"]["resources"]
        assert entry["arrays"] == {
            name: {"dims": found["dims"], "partition": found["partition"]} for name, found in truth["arrays"].items()
        }
        full = estimate_of({**truth, "measured": {}})
        assert full.cycles == estimates()[entry["id"]][1].cycles
