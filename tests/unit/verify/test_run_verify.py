"""`verify`: proof and run in one verdict; a very large kernel may be run smaller, and the verdict says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import gemm_resident

import sisyphus.verification
from sisyphus.analysis import dependences
from sisyphus.backends.hls import project
from sisyphus.plan import Copy, Plan
from sisyphus.verification import verify


def names(plan: Plan, **options: bool) -> list[str]:
    def unused() -> str:
        return "it is not wanted"

    verdict = verify(plan, project(plan), dependences(plan.scop), seed=7, smaller=unused, **options)
    assert verdict.passed and verdict.compiler
    return [c.name for c in verdict.checks]


def test_proof_comes_first_and_the_run_after_it() -> None:
    found = names(gemm_resident())
    assert found[0].startswith("instances of") and found[-1].startswith("run ") and "compile" in found
    assert "size of the run" not in found


def test_wrong_plan_fails_in_both() -> None:
    plan = gemm_resident()
    wrong = replace(plan, body=tuple(n for n in plan.body if n != Copy("store_C")))
    verdict = verify(wrong, project(wrong), dependences(plan.scop))
    assert not verdict.passed and any(c.name == "run random" for c in verdict.failures)


def test_very_large_kernel_is_not_run_at_its_own_sizes_unless_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sisyphus.verification, "work", lambda _: 10**10)
    found = names(gemm_resident())
    assert "size of the run" in found and "compile" in found and "run random" not in found
    found = names(gemm_resident(), full=True)
    assert "size of the run" not in found and "run random" in found
