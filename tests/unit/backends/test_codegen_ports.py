"""Arrays that are dealt over several ports: kernel, test bench and connectivity agree, and faults are seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import copy_plan

from sisyphus.backends.hls import project
from sisyphus.ir import FLOAT
from sisyphus.lint import lint_text
from sisyphus.plan import Plan, Port, banks_of
from sisyphus.target import load_device, make_target
from sisyphus.verification import run


def dealt(*, stream: bool, stripes: int = 2, layout: str = "padded") -> Plan:
    """Rows of 27 elements, whose last beat is padded; banks for every lane, or too few."""
    partition = (1, 4 * stripes) if stream else (1, 3)
    return copy_plan((4, 27), (4, 27), 4 * stripes, layout, partition, stream=stream, stripes=stripes)


@pytest.mark.parametrize("stripes", [2, 4])
@pytest.mark.parametrize("stream", [False, True])
def test_every_element_is_copied_once(stream: bool, stripes: int) -> None:
    plan = dealt(stream=stream, stripes=stripes)
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]
    assert lint_text(project(plan).files["kernel.cpp"]) == ()


@pytest.mark.parametrize(
    ("stream", "right", "wrong"),
    [
        (True, "load_A_1(A_1, buf_A[1]);", "load_A_1(A_0, buf_A[1]);"),  # two stripes of one port
        (True, "load_A_0(A_0, buf_A[0]);", "load_A_0(A_0, buf_A[1]);"),
        (True, "load_A_1(A_1, buf_A[1]);", ""),
        (True, "line = fifo.read()", "line = fifo.read(); fifo.read()"),
        (True, "buf_A[i1e % 2]", "buf_A[0]"),
        (True, "[i1e / 2] = buf_A", "[(i1e + 1) / 2] = buf_A"),
        (False, "line = port[beat];", "line = port[0];"),
        (False, "store_B_0(B_0, buf_B[0]);", "store_B_0(B_0, buf_B[1]);"),
    ],
)
def test_a_stripe_dealt_wrongly_is_seen(stream: bool, right: str, wrong: str) -> None:
    plan = dealt(stream=stream)
    if stream:  # rows one by one
        plan = copy_plan((4, 24), (4, 24), 8, "plain", (1, 8), stream=True, stripes=2)
    good = project(plan)
    kernel = good.files["kernel.cpp"]
    assert right in kernel, kernel
    bad = replace(good, files={**good.files, "kernel.cpp": kernel.replace(right, wrong)})
    assert not run(bad, plan, sets=["random"]).passed


def test_a_test_bench_that_deals_otherwise_is_seen() -> None:
    plan = dealt(stream=True)
    good = project(plan)
    bench = good.files["testbench.cpp"]
    right = "{{port_A_0.data(), port_A_1.data()}}"
    assert right in bench
    swapped = bench.replace(right, "{{port_A_1.data(), port_A_0.data()}}")
    assert not run(replace(good, files={**good.files, "testbench.cpp": swapped}), plan, sets=["random"]).passed


def test_each_stripe_has_a_pointer_a_bundle_and_a_bank() -> None:
    files = project(dealt(stream=True), make_target(load_device("u200"), budget="chip")).files
    for number in (0, 1):
        pragma = f"#pragma HLS interface mode=m_axi port=A_{number} bundle=gmem_a_{number} offset=slave depth=16"
        assert pragma in files["kernel.cpp"]
    placed = [line for line in files["system.cfg"].splitlines() if line.startswith("sp=")]
    assert placed == [f"sp=copy_1.{p}:DDR[{bank}]" for bank, p in enumerate(("A_0", "A_1", "B_0", "B_1"))]


def test_stripes_of_one_array_share_no_bank() -> None:
    large, dealt_twice = Port("A", "array", FLOAT, (64, 64)), Port("B", "array", FLOAT, (8, 64), 32, stripes=2)
    three = replace(load_device("u200"), banks=3)
    assert banks_of([dealt_twice, large], three) == {"B": (1, 2), "A": (0,)}
    assert banks_of([large, dealt_twice], replace(three, banks=2)) == {"A": (0,), "B": (1, 0)}
