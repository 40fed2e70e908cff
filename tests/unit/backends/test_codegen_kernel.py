"""kernel.cpp and kernel.h: short designs in full, each also compiled and run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import NI, gemm_resident, gemm_tiled, loop, run, triangle_plan

from sisyphus.backends.hls import project
from sisyphus.errors import InternalError
from sisyphus.ir import FLOAT
from sisyphus.plan import Bound, Buffer, Call, LoopRole, Plan, Port, Quotient, beats, layout_extents
from sisyphus.poly import const, var
from sisyphus.verification import run as run_project


def passes(plan: Plan) -> bool:
    ran = run_project(project(plan), plan)
    assert ran.passed, [c for c in ran.checks if not c.passed]
    return True


def functions(plan: Plan, first: str) -> str:
    text = project(plan).files["kernel.cpp"]
    return text[text.index(f"static void {first}") :]


def test_gemm_resident(expect) -> None:  # type: ignore[no-untyped-def]
    plan = gemm_resident()
    expect(functions(plan, "task_S0"), ".cpp")
    assert passes(plan)


def test_gemm_with_tiles_and_a_held_sum(expect) -> None:  # type: ignore[no-untyped-def]
    plan = gemm_tiled()
    expect(functions(plan, "task_S1"), ".cpp")
    assert passes(plan)


def test_triangle_with_guards_and_rounded_bounds(expect) -> None:  # type: ignore[no-untyped-def]
    plan = triangle_plan()
    expect(functions(plan, "task0"), ".cpp")
    assert passes(plan)


def test_header(expect) -> None:  # type: ignore[no-untyped-def]
    expect(project(gemm_resident()).files["kernel.h"], ".h")


def test_arguments_that_nothing_uses_leave_the_top_function() -> None:
    plan = gemm_resident()
    spare = (Port("gamma", "scalar", FLOAT), Port("D", "array", FLOAT, (4,)))
    wide = project(replace(plan, ports=(*plan.ports, *spare)))
    assert [p.name for p in wide.interface] == ["alpha", "beta", "C", "A", "B"]
    assert "gamma" not in wide.files["kernel.cpp"] and "gamma" not in wide.files["kernel.h"]


def test_storage_and_full_partition() -> None:
    plan = gemm_resident()
    c, a, b = plan.buffers
    stored = (replace(c, storage="bram"), replace(a, partition=(8, 10)), replace(b, storage="uram", partition=(1, 6)))
    plan = replace(plan, buffers=stored)
    text = project(plan).files["kernel.cpp"]
    assert "#pragma HLS bind_storage variable=buf_C type=ram_t2p impl=bram" in text
    assert "#pragma HLS array_partition variable=buf_A type=complete dim=1" in text
    assert "#pragma HLS array_partition variable=buf_A type=complete dim=2" in text
    assert "#pragma HLS bind_storage variable=buf_B type=ram_t2p impl=uram" in text
    assert passes(plan)


def test_loops_that_must_not_be_pipelined() -> None:
    plan = gemm_resident()
    scale, update = plan.tasks
    body = (
        loop(
            "i0",
            NI,
            LoopRole.TILE,
            loop("j0", 12, LoopRole.SEQUENTIAL, run("S0", i=var("i0"), j=var("j0"))),
        ),
    )
    text = project(replace(plan, tasks=(replace(scale, body=body), update))).files["kernel.cpp"]
    assert "#pragma HLS pipeline off\n" in text


@pytest.mark.parametrize(("layout", "extents", "count"), [("plain", (4, 8), 8), ("padded", (4, 7), 8)])
def test_layouts(layout: str, extents: tuple[int, ...], count: int) -> None:
    assert beats(Port("A", "array", FLOAT, extents, 4, layout=layout)) == count


def test_layouts_that_do_not_fit_are_our_fault() -> None:
    with pytest.raises(InternalError, match="do not divide"):
        layout_extents(Port("A", "array", FLOAT, (4, 7), 4))
    with pytest.raises(InternalError, match="unknown layout"):
        layout_extents(Port("A", "array", FLOAT, (4, 8), 4, layout="spiral"))


def test_broken_plans_are_our_fault() -> None:
    plan = gemm_resident()
    with pytest.raises(InternalError, match="outside a task"):
        project(replace(plan, body=(*plan.body, run("S0", i=const(0), j=const(0)))))
    calling = replace(plan.tasks[0], body=(Call("task_S1"),))
    with pytest.raises(InternalError, match="calls task"):
        project(replace(plan, tasks=(calling, plan.tasks[1])))


def test_single_elements_and_rounded_bounds_stay_small() -> None:
    assert Bound((Quotient(var("i"), 2),)).value is None
    assert Buffer("b", "A", FLOAT, (), (), (), "kernel").banks == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["exp", "set", "Random"])
def test_a_kernel_called_like_something_in_a_program_around_it(name: str) -> None:
    plan = gemm_resident()
    renamed = replace(plan, scop=replace(plan.scop, name=name))
    assert project(renamed).top == f"kernel_{name}"
    assert passes(renamed)
