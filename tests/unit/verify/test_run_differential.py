"""The differential run: good designs pass, and every planted bug is seen, with a witness."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hand_plans import gemm_overlapped, gemm_resident, gemm_scop, gemm_tiled, loop, triangle_plan
from hand_plans import run as statement_run
from straight_c import with_source

from sisyphus.backends.hls import Project, data_sets, project
from sisyphus.errors import KernelError, ToolError
from sisyphus.ir import FLOAT, INT32, Binary, Literal, Origin
from sisyphus.plan import Copy, For, LoopRole, Plan
from sisyphus.poly import var
from sisyphus.verification import run

DIFFERENTIAL_RUN = importlib.import_module("sisyphus.verification.differential_run")


def test_all_data_sets_agree() -> None:
    plan = gemm_tiled()
    ran = run(project(plan), plan)
    assert [c.name for c in ran.checks] == ["compile", *(f"run {s}" for s in data_sets(plan))]
    assert ran.passed and ran.worst_error == 0 and "g++" in ran.compiler
    assert all("bit for bit" in c.detail for c in ran.checks[1:] if "flushed" not in c.name)


def spoiled(plan: Plan, pattern: str, replacement: str, file: str = "kernel.cpp") -> Project:
    good = project(plan)
    text, count = re.subn(pattern, replacement, good.files[file], count=1)
    assert count == 1, f"nothing like {pattern} in {file}"
    return replace(good, files=MappingProxyType({**good.files, file: text}))


WRONG_TEXT: Mapping[str, tuple[str, str]] = {
    "wrong bank": (r"\[4\*j1 \+ j2\] \* beta", "[4*j1 + (j2 ^ 1)] * beta"),
    "burst too short": (r"beat < 24", "beat < 23"),
    "burst starts late": (r"port\[beat\]", "port[beat + 1]"),
    "lane lost": (r"lane < 4", "lane < 3"),
    "counter wraps late": (r"\+\+column == 3", "++column == 4"),
    "last tile dropped": (r"k0 < 10", "k0 < 9"),
    "widened bound": (r"j1 < 3", "j1 < 4"),
    "write-back forgotten": (r"port\[beat\] = line;", "if (beat < 0) port[beat] = line;"),
    "load forgotten": (r"    load_A\(A, buf_A\);\n", "    if (A == nullptr) load_A(A, buf_A);\n"),
    "scalar lost": (r"\(alpha \* buf_A\[i0\]\[k0\]\)", "(((void)alpha, 1.0f) * buf_A[i0][k0])"),
    "wrong start of a sum": (r"= buf_C\[i0\]\[4\*j1 \+ j2\] \+", "= 0 +"),
    "stale buffer": (r"    load_C\(C, buf_C\);", "    if (C == nullptr) load_C(C, buf_C);"),
    "duplicated run": (r"(    task_S0\(buf_C, beta\);\n)", r"\1\1"),
    "order of additions": (r"\(alpha \* buf_A\[i0\]\[k0\]\) \* (buf_B\S+ \+ j2\])", r"alpha * (buf_A[i0][k0] * \1)"),
    "double in the middle": (r"\(alpha \* ", "((double)alpha * "),
}


@pytest.mark.parametrize("name", WRONG_TEXT)
def test_planted_text_bug_is_seen(name: str) -> None:
    ran = run(spoiled(gemm_resident(), *WRONG_TEXT[name]), gemm_resident(), sets=["random"])
    assert not ran.passed and ran.checks[0].passed, ran.checks


WRONG_AHEAD: Mapping[str, tuple[str, str]] = {
    "copy that is still filled": (r"task_S1_tile\(buf_C, buf_A_0,", "task_S1_tile(buf_C, buf_A_1,"),
    "copies exchanged": (r"k0 % 2 == 0", "k0 % 2 != 0"),
    "the same tile again": (r"load_B\(B, buf_B_1, k0 \+ 1\)", "load_B(B, buf_B_1, k0)"),
    "first tile forgotten": (r"    load_A\(A, buf_A_0, 0\);\n", ""),
    "last tile forgotten": (r"if \(k0 >= 5\) return;", "if (k0 >= 4) return;"),
}


@pytest.mark.parametrize("name", WRONG_AHEAD)
def test_wrong_text_of_tiles_loaded_ahead_is_seen(name: str) -> None:
    plan = gemm_overlapped()
    ran = run(spoiled(plan, *WRONG_AHEAD[name]), plan, sets=["random"])
    assert not ran.passed and ran.checks[0].passed, ran.checks


def drop_store(plan: Plan) -> Plan:
    return replace(plan, body=tuple(n for n in plan.body if n != Copy("store_C")))


def swap_calls(plan: Plan) -> Plan:
    *loads, first, second, store = plan.body
    return replace(plan, body=(*loads, second, first, store))


def forget_guard(plan: Plan) -> Plan:
    def without(node: object) -> object:
        if isinstance(node, For):
            return replace(node, body=tuple(without(n) for n in node.body))  # type: ignore[misc]
        return getattr(node, "body", (node,))[0]

    (task,) = plan.tasks
    return replace(plan, tasks=(replace(task, body=tuple(without(n) for n in task.body)),))  # type: ignore[arg-type]


def reverse_sum(plan: Plan) -> Plan:
    scale, update = plan.tasks
    backwards = statement_run("S1", i=var("i0"), k=9 - var("k0"), j=var("j0"))
    nest = loop("i0", 8, LoopRole.TILE, loop("j0", 12, LoopRole.TILE, loop("k0", 10, LoopRole.PIPELINED, backwards)))
    return replace(plan, tasks=(scale, replace(update, body=(nest,))))


WRONG_PLANS: Mapping[str, tuple[Plan, Callable[[Plan], Plan]]] = {
    "unstored array": (gemm_resident(), drop_store),
    "calls swapped": (gemm_resident(), swap_calls),
    "sum reversed": (gemm_resident(), reverse_sum),
    "guard missing": (triangle_plan(), forget_guard),
}


@pytest.mark.parametrize("name", WRONG_PLANS)
def test_planted_plan_bug_is_seen(name: str) -> None:
    plan, spoil = WRONG_PLANS[name]
    wrong = spoil(plan)
    assert not run(project(wrong), wrong, sets=["random"]).passed


def test_witness_names_the_element() -> None:
    ran = run(spoiled(gemm_resident(), *WRONG_TEXT["burst too short"]), gemm_resident(), sets=["random"])
    (failed,) = [c for c in ran.checks if not c.passed]
    assert re.search(r"^\d+ of 96 elements differ; C\[7\]\[\d+\] is \S+, must be \S+$", failed.detail)


def test_sum_in_another_order_passes_only_as_tree_reduction() -> None:
    wrong = reverse_sum(gemm_resident())
    tree = replace(wrong, tree_reduction=True)
    assert not run(project(wrong), wrong, sets=["random"]).passed
    ran = run(project(tree), tree)
    assert ran.passed and 0 < ran.worst_error < 1e-4
    assert "large" not in data_sets(tree)


OUT_OF_BOUNDS = {
    "on chip": (r"k0 < 10", "k0 < 11", "AddressSanitizer|runtime error"),
    "load past the end": (
        r"beat < 40(.*\n)(.*\n.*= )port\[beat\]",
        r"beat < 40\1\2port[beat + (beat == 39)]",
        "AddressSanitizer",
    ),
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_sanitizers_see_an_access_outside(name: str) -> None:
    pattern, replacement, word = OUT_OF_BOUNDS[name]
    ran = run(spoiled(gemm_resident(), pattern, replacement), gemm_resident(), sets=["zeros"], sanitize=True)
    (failed,) = [c for c in ran.checks if not c.passed]
    assert re.search(word, failed.detail)


def test_sanitizers_are_silent_about_good_designs() -> None:
    for plan in (gemm_resident(), gemm_tiled(), gemm_overlapped(), gemm_overlapped(3, 2), triangle_plan()):
        assert run(project(plan), plan, sets=["random", "large"], sanitize=True).passed


def test_store_past_the_end_breaks_the_fence() -> None:
    wrong = spoiled(gemm_resident(), r"port\[beat\] = line;", "port[beat] = line; if (beat == 23) port[24] = line;")
    (failed,) = [c for c in run(wrong, gemm_resident(), sets=["random"]).checks if not c.passed]
    assert "C is written outside its elements" in failed.detail


def test_crash_and_hang_are_failed_checks() -> None:
    plan = gemm_resident()
    crash = spoiled(plan, r"    load_C\(", "    __builtin_trap();\n    load_C(")
    assert "signal" in run(crash, plan, sets=["random"]).checks[-1].detail
    hang = spoiled(plan, r"    load_C\(", "    for (volatile int x = 0; x == 0;) {}\n    load_C(")
    assert "did not end" in run(hang, plan, sets=["random"], time_limit_s=1).checks[-1].detail


def test_warning_in_the_emitted_code_fails_the_compile_check() -> None:
    ran = run(spoiled(gemm_resident(), r"    load_C\(", "    int unused;\n    load_C("), gemm_resident())
    assert [c.name for c in ran.checks] == ["compile"] and "unused" in ran.checks[0].detail


def test_code_that_cannot_be_linked_fails_the_compile_check() -> None:
    text = "    extern void nowhere();\n    nowhere();\n    load_C("
    ran = run(spoiled(gemm_resident(), r"    load_C\(", text), gemm_resident())
    assert [(c.name, c.passed) for c in ran.checks] == [("compile", False)] and "nowhere" in ran.checks[0].detail


def test_source_that_is_no_c_is_the_users_fault() -> None:
    scop = replace(gemm_scop(), origin=Origin("gemm.c", "int f( {", "kernel_gemm", ""))
    plan = replace(gemm_resident(), scop=scop)
    with pytest.raises(KernelError, match="does not compile as C"):
        run(project(plan), plan)


def test_missing_compiler_is_an_external_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DIFFERENTIAL_RUN, "COMPILER", "no-such-compiler")
    with pytest.raises(ToolError, match="no-such-compiler") as caught:
        run(project(gemm_resident()), gemm_resident())
    assert caught.value.exit_code == 5 and caught.value.hint


def test_files_and_logs_stay_in_a_given_folder(tmp_path: Path) -> None:
    plan = gemm_resident()
    run(project(plan), plan, sets=["random"], workdir=tmp_path / "a b")
    assert {"kernel.cpp", "testbench", "kernel.log", "run.log"} <= {f.name for f in (tmp_path / "a b").iterdir()}


def test_seed_changes_the_data(tmp_path: Path) -> None:
    plan = drop_store(gemm_resident())
    details = {run(project(plan), plan, sets=["random"], seed=s).checks[-1].detail for s in (0, 0, 1)}
    assert len(details) == 2


def test_integer_kernels_never_overflow_or_divide_by_zero() -> None:
    scop = gemm_scop()
    integers = replace(
        scop,
        arrays=tuple(replace(a, type=INT32) for a in scop.arrays),
        arguments=tuple(replace(a, type=INT32) for a in scop.arguments),
        statements=tuple(replace(s, write_type=INT32) for s in scop.statements),
    )
    plan = replace(gemm_resident(), scop=integers)
    assert data_sets(plan) == ("random", "dominant", "zeros", "negatives")
    assert DIFFERENTIAL_RUN.sets_for(plan, full=False, sanitize=True)[-1] == "zeros"
    scale = scop.statements[0]

    def computing(operation: Binary) -> Plan:
        changed = replace(scale, rhs=operation)
        return replace(plan, scop=replace(integers, statements=(changed, *integers.statements[1:])))

    assert data_sets(computing(Binary("+", scale.rhs, Literal("2", INT32), INT32))) == data_sets(plan)
    assert data_sets(computing(Binary("/", scale.rhs, Literal("2", FLOAT), FLOAT))) == data_sets(plan)
    dividing = computing(Binary("/", scale.rhs, Literal("2", INT32), INT32))
    assert data_sets(dividing) == ("dominant", "negatives", "wide")
    assert DIFFERENTIAL_RUN.sets_for(dividing, full=False, sanitize=True) == ("dominant",)


def test_large_kernels_run_fewer_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    module, plan = DIFFERENTIAL_RUN, gemm_resident()
    copied = 2 * 8 * 12 + 8 * 10 + 10 * 12
    assert module.work(plan) == 2 * (8 * 12 * 2 + 8 * 12 * 10 * 4) + copied
    sizes = {10**8: data_sets(plan), 10**9: ("random", "dominant"), 10**10: ("dominant",)}
    for size, sets in sizes.items():
        monkeypatch.setattr(module, "work", lambda _, size=size: size)
        assert module.sets_for(plan, full=False) == sets
        assert module.sets_for(plan, full=True) == data_sets(plan)


def test_stack_of_the_size_of_the_chip() -> None:
    plan = gemm_resident()
    wide = tuple(replace(b, extents=(8, 500_000)) if b.id == "buf_A" else b for b in plan.buffers)
    large = replace(plan, buffers=wide)
    text = project(large).files["testbench.cpp"]
    assert run(project(large), large, sets=["random"]).passed
    assert "need_stack(" in text and "need_stack(" not in project(plan).files["testbench.cpp"]


def test_straight_source_is_the_same_program() -> None:
    plan = replace(gemm_resident(), scop=with_source(gemm_scop()))
    assert run(project(plan), plan, sets=["random"]).passed


def test_flushing_subnormals_is_told_and_fails_nothing() -> None:
    plan = gemm_resident()
    ran = run(project(plan), plan, sets=["random", "flushed_random", "flushed_denormals", "denormals"])
    told = {check.name: check.detail for check in ran.checks}
    assert ran.passed and ran.worst_error == 0
    assert "all 96 results are the same where subnormals are flushed" in told["run flushed_random"]
    assert re.search(r"\d+ of 96 results differ where subnormals are flushed to zero", told["run flushed_denormals"])
    assert "agree bit for bit" in told["run denormals"], "the flag must not stay set"


def test_a_bug_is_no_less_a_bug_beside_flushed_runs() -> None:
    broken = spoiled(gemm_tiled(), *WRONG_TEXT["wrong bank"])
    ran = run(broken, gemm_tiled(), sets=["random", "flushed_random"])
    assert [check.passed for check in ran.checks[1:]] == [False, True]
