"""Every script can be loaded with the package as it is now."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_a_script_is_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(path, monkeypatch).__doc__


def test_the_problems_of_the_paper_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded(next(path for path in SCRIPTS if path.stem == "solve_all"), monkeypatch)
    assert len(list(script.jobs(script.options_of([])))) == 36


def test_a_problem_is_a_row_of_a_comparison_and_is_run_with_the_options_that_a_side_knows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compare, solve = (
        loaded(SCRIPTS[0].parent / f"{name}.py", monkeypatch) for name in ("compare_commits", "solve_all")
    )
    [job, tree] = map(asdict, solve.jobs(solve.options_of(["bert_100_64"])))
    side = compare.Side(1.0, 1.0, "proved", 1.0, 1.0)
    assert [list(compare.cells(one, side, side))[2] for one in (job, tree)] == ["no", "yes"]
    told = {**tree, "path": "nn/bert_100_64.c", "options": {**tree["options"], "later": 1}}
    seen: list[Any] = []
    monkeypatch.setitem(sys.modules, "solve_all", solve)
    monkeypatch.setattr(sys, "argv", ["", json.dumps(told)])

    def run_alone(job: Any) -> Any:
        solve.load_kernels(solve.Source(job.path))
        seen.append(job.options)
        return solve.Row(job, 1, 1, 0, 0, 0, 0, "proved")

    monkeypatch.setattr(solve, "run_alone", run_alone)
    exec(compare.ONE, {})
    assert seen[0].tree_reduction
    assert json.loads(capsys.readouterr().out)[0] == 1


def test_a_mutant_meets_the_tests_that_run_its_line_the_quickest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = loaded(SCRIPTS[0].parent / "mutants.py", monkeypatch)
    module = tmp_path / "part.py"
    module.write_text(
        "LIMIT = 3\n\n\ndef rule(x):\n    y = x + LIMIT\n    return (\n        y\n    )\n\n\ndef m():\n    return 1\n"
    )
    found = script.Coverage()
    found.lines["part.py"].update({1: {""}, 4: {"loads"}, 5: {"slow", "quick"}, 6: {"slow"}, 12: {"third"}})
    found.seconds.update(slow=3.0, quick=0.5, third=1.0, loads=2.0)

    def tests_of(line: int, seconds: float = 60.0) -> list[str]:
        return list(found.tests_of(tmp_path, module, first=line, last=line, seconds=seconds))

    assert tests_of(5) == ["quick", "slow"]
    assert tests_of(5, seconds=1.0) == ["quick"]
    assert tests_of(7) == ["slow"]  # inside of a statement that begins above
    assert tests_of(1) == tests_of(4) == ["quick", "third", "loads", "slow"]  # run as the module is loaded
    low, high = script.interval(100, 120)
    assert 0.75 < low < 100 / 120 < high < 0.9


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_a_lever_that_a_design_does_not_use_is_worth_nothing_and_one_that_it_needs_has_no_design(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ablation = loaded(SCRIPTS[0].parent / "ablation.py", monkeypatch)
    asked = "--budget chip --effort 1"
    ours = [
        ablation.Found("one", "all", asked, 100, proved=True, used=("ports", "form panels", "place"), inferred=0.3),
        ablation.Found("two", "all", asked, 80),
    ]
    off = [
        ablation.Found("one", lever, asked, cycles)
        for lever, cycles in [("ports", 150), ("form panels", 400), ("place", None), ("trees", 50)]
    ]
    header, _, one, two, means = ablation.told(ours, {found.key: found for found in off}).splitlines()
    assert header == "| kernel | all levers | inferred | ports | place | form | with trees |"
    assert one == "| one | 100 | 30 % | 1.50x | no design | 4.00x | 0.50x |"
    assert two == "| two | 80 (not proved) | 0 % |  |  |  |  |"
    assert means == "| geometric mean |  |  | 1.22x |  | 2.00x | 0.71x |"


def test_levers_of_a_design_are_those_without_which_it_is_none_of_the_space(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ablation = loaded(SCRIPTS[0].parent / "ablation.py", monkeypatch)
    kernel = tmp_path / "kernel.c"
    kernel.write_text(
        "void kernel(float A[12][20]) { for (int i = 0; i < 12; i++) for (int j = 0; j < 20; j++) A[i][j] += 1; }"
    )
    request = ablation.Request(
        ablation.Source(str(kernel)), ablation.make_target(ablation.load_device("u200"), budget="chip"), verify=False
    )
    wide, narrow = (ablation.optimize(one) for one in (request, ablation.without(request, "width")))
    assert "width" in ablation.used(wide)
    assert not {"width", "ports", "layout", "split"} & {*ablation.used(narrow)}


def test_cycles_of_an_operation_stand_beside_those_of_the_size_before(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = loaded(SCRIPTS[0].parent / "scale.py", monkeypatch)
    row = list(scale.grow("gemm:NI,NJ=4,8,16"))
    assert row == [("gemm", "NI=4,NJ=4"), ("gemm", "NI=8,NJ=8"), ("gemm", "NI=16,NJ=16")]
    small = scale.Found(*row[0], 1.0, operations=100, cycles=50, limit=25, search="proved")
    large = scale.Found(*row[2], 1.0, operations=400, cycles=300)
    _, _, first, second, third = scale.by_size(row, {small.key: small, large.key: large}).splitlines()
    assert first == "| gemm | NI=4,NJ=4 | 50 | 500.000 |  | 2.00x | proved |"
    assert second == "| gemm | NI=8,NJ=8 | none |  |  |  |  |"
    assert third == "| gemm | NI=16,NJ=16 | 300 | 750.000 | 1.50x |  |  |"


def test_a_score_tells_what_is_inferred_and_the_design_of_which_little_is(monkeypatch: pytest.MonkeyPatch) -> None:
    score = loaded(SCRIPTS[0].parent / "score.py", monkeypatch)

    def scored(trust: str, report: int, inferred: float) -> Any:
        shares = {"measured": 1 - inferred, "documented": 0.0, "inferred": inferred}
        rests = (("transfer-over-ports", inferred),) if inferred else ()
        asked = f"u200, trust {trust}, 30 s"
        return score.Score("one", "chip", {"allo_u55c": 90}, 20, 25, report, (1, 2), "", shares, rests, {}, asked=asked)

    free, trusted = scored("any", 60, 0.3), scored("measured", 80, 0.0)
    known = {(one.kernel, one.budget, one.asked): one for one in (free, trusted)}
    assert (score.backed(free, {}), score.backed(free, known), score.backed(trusted, known)) == (None, 80, 80)
    table = score._told([free], known)
    assert "transfer-over-ports 30 %" in table and "3.00x" in table and "2.40x" in table
    assert "more than 20 % inferred: 1 of 1: one" in table
    assert "more than 2.0x the limit of their order: 1 of 1: one" in table
