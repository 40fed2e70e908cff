"""A search that is limited by counted work finds the same on a machine of any speed, and whatever the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest
from unit.choosing.small_kernels import MULTIPLY

import sisyphus as sisy
from sisyphus import clock
from sisyphus.errors import TimeUp, UsageError
from sisyphus.solve import Stop

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
#: Not proved with this effort, which takes a fraction of a second.
HARD, SIZE, EFFORT = KERNELS / "lu.c", {"N": 24}, 0.05


def test_the_clock_counts_work_in_its_block_alone() -> None:
    with clock.counting():
        clock.did(clock.WORK_OF_ONE)
        assert clock.now() == 1.0 and clock.raised() == "--effort"
        with clock.counting():
            assert clock.now() == 0.0
        with clock.counting(work=False):
            clock.did(clock.WORK_OF_ONE)
        assert clock.now() == 2.0
    before = time.monotonic()
    clock.did(clock.WORK_OF_ONE)
    assert before <= clock.now() <= time.monotonic() and clock.raised() == "--time-limit"


def test_what_is_made_once_is_work_once_in_each_block() -> None:
    for _ in range(2):
        with clock.counting():
            for _ in range(3):
                clock.did_once("formulas", clock.WORK_OF_ONE)
            assert clock.now() == 1.0


@pytest.mark.long
def test_a_second_search_of_a_kernel_counts_what_the_first_one_wrote_down() -> None:
    """Formulas stay with the kernel: a search that finds them there has no more effort than one that does not."""
    kernel = sisy.read(HARD, defines=SIZE)
    one, two = (sisy.optimize(kernel, effort=EFFORT, verify=False, cache=False) for _ in range(2))
    assert one.point == two.point
    assert [(m.cost, m.bound, m.seconds) for m in one.trace] == [(m.cost, m.bound, m.seconds) for m in two.trace]


def searched(path: Path = HARD, effort: float = EFFORT, size: Mapping[str, int] = SIZE, *fix: str) -> sisy.Design:
    return sisy.optimize(sisy.read(path, defines=size), effort=effort, fix=fix, verify=False, cache=False)


@pytest.fixture(scope="module")
def quick() -> sisy.Design:
    return searched()


def test_a_search_within_an_effort_does_not_look_at_the_time(
    quick: sisy.Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = count(step=3600.0)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    slow = searched()
    assert quick.outcome is not None and slow.outcome is not None
    assert quick.outcome.stop is slow.outcome.stop is Stop.TIME
    assert quick.point == slow.point and quick.outcome.bound == slow.outcome.bound
    assert [(m.cost, m.bound) for m in quick.trace] == [(m.cost, m.bound) for m in slow.trace]
    assert "stopped by its effort" in quick.text and quick.data["search"]["effort"] == EFFORT


@pytest.mark.long
def test_effort_enough_proves_and_too_little_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "multiply.c"
    path.write_text(MULTIPLY)
    design = searched(path, 50.0)
    assert design.outcome is not None and design.outcome.stop is Stop.PROVED
    with pytest.raises(TimeUp, match="effort ran out before `exact` found a design") as failure:
        searched(KERNELS / "3mm.c", 0.0001, {"NI": 1600, "NJ": 1800, "NK": 2000, "NL": 2200, "NM": 2400}, "adders=dsp")
    assert failure.value.hint == "raise --effort"


def test_another_hash_seed_finds_the_same_design(quick: sisy.Design) -> None:
    """That of this process is another one."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command = [sys.executable, "-m", "sisyphus", "optimize", str(HARD), "-D", f"N={SIZE['N']}", "--effort", str(EFFORT)]
    told = subprocess.run(
        [*command, "--no-verify", "--no-cache", "--json", "-q"],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout)["design"] == json.loads(json.dumps(quick.data["design"]))


def test_an_effort_is_of_our_own_search_and_more_than_nothing() -> None:
    with pytest.raises(UsageError, match="`--effort` counts the work of our own search, and `--solver scip`"):
        sisy.optimize(HARD, effort=1, solver="scip")
    with pytest.raises(UsageError, match="`--effort 0` is nothing"):
        sisy.optimize(HARD, effort=0)
