"""Values that statements of one body read, computed in one nest: which are, that results stay, that faults show."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import run

import sisyphus as sisy
from sisyphus.analysis import dependences
from sisyphus.forms import TOGETHER, computed_together, inlined, rewritten
from sisyphus.frontend import read
from sisyphus.ir import Scop, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import estimate
from sisyphus.request import Source
from sisyphus.target import load_device, make_target

FORCES = """
    for (int i = 0; i < 12; i++) {
        float p = 0.0f, q = 0.0f;
        for (int j = 0; j < 9; j++) {
            float d = x[j] - x[i];
            float f = m[j] / (d * d + 0.5f);
            p += f * d;
            q += f;
        }
        u[i] = p;
        v[i] = q;
    }
"""


def kernel(folder: Path, body: str) -> Path:
    path = folder / "kernel.c"
    path.write_text(f"void kernel(const float x[12], const float m[12], float u[12], float v[12])\n{{\n{body}}}\n")
    return path


def found_in(folder: Path, body: str) -> Scop | None:
    return computed_together(dependences(read(kernel(folder, body))))


def test_forces_are_one_body(tmp_path: Path) -> None:
    """Both sums have the distance, and one of them reads it itself."""
    path = kernel(tmp_path, FORCES)
    source = read(path)
    found = computed_together(dependences(source))
    assert found is not None
    promises.run(found)
    assert {str(a.id) for a in source.arrays} - {str(a.id) for a in found.arrays} == {"d", "f"}
    [group] = found.fused
    assert len(group) == 2 and {str(found.statement(name).write.array) for name in group} == {"p", "q"}
    assert run(found, path, tmp_path) == "equal"
    # to compute a value of floating point twice is no choice of its own
    alone = inlined(dependences(source))
    assert alone is None or {"d", "f"} <= {str(a.id) for a in alone.arrays}


WINDOWS = """
    for (int i = 1; i < 11; i++) {
        float p = 0.0f, q = 0.0f;
        for (int j = -1; j <= 1; j++)
            for (int k = 0; k < 2; k++) {
                float d = x[i + j] - m[k];
                p += d * d;
                q += d * m[k];
            }
        float r = p * q + 0.5f;
        u[i] = p / r;
        v[i] = q / r;
        float s = p * m[i];
        u[i - 1] += s;
        v[i] -= s * u[i];
    }
"""


def test_sums_over_windows_are_one_nest_and_what_is_read_of_them_another(tmp_path: Path) -> None:
    """The values of sums are those of all iterations at the end: they have a place for each, others have none."""
    path = kernel(tmp_path, WINDOWS)
    forms = load_kernels(Source(str(path)))
    found = forms[1].scop
    assert forms[1].rewrites == (TOGETHER,)
    assert run(found, path, tmp_path) == "equal"
    gone = {str(a.id) for a in forms[0].scop.arrays} - {str(a.id) for a in found.arrays}
    assert gone == {"d", "r"}  # what reads `s` depends on what else reads it
    [expanded] = [form for form in forms if form.name == "expanded" and form.rewrites[:1] == (TOGETHER,)]
    together = [nest for nest in expanded.distribution.nests if len(nest.statements) == 2]
    assert [nest.iterators for nest in together] == [("i", "j", "k"), ("i",)]


def test_its_sums_are_one_nest_where_each_iteration_has_its_own(tmp_path: Path) -> None:
    path = kernel(tmp_path, FORCES)
    forms = [form for form in load_kernels(Source(str(path))) if form.rewrites[:1] == (TOGETHER,)]
    assert {form.name for form in forms} >= {TOGETHER, "expanded"}
    expanded = next(form for form in forms if form.name == "expanded")
    assert [len(nest.statements) for nest in expanded.distribution.nests if len(nest.statements) > 1] == [2]
    assert rewritten(read(path), [TOGETHER]).fused == forms[0].scop.fused


STEPS = """
    float w[12];
    for (int t = 0; t < 7; t++) {
        for (int i = 0; i < 12; i++) {
            float p = 0.0f, q = 0.0f;
            for (int j = 0; j < 12; j++) {
                float d = u[j] - v[i];
                p += m[j] * d;
                q += d * d;
            }
            w[i] = p / (q + 0.5f);
        }
        for (int i = 0; i < 12; i++) {
            v[i] += w[i];
            u[i] += v[i];
        }
    }
"""


def test_where_another_order_sets_statements_apart_nothing_ties_them(tmp_path: Path) -> None:
    """The sums of a body share no loop any more in some of the orders of steps that are asked for."""
    forms = load_kernels(Source(str(kernel(tmp_path, STEPS))))
    assert {form.name for form in forms if form.rewrites[:1] == (TOGETHER,)} >= {TOGETHER, "expanded"}


STAYS = {
    "one reader": "for (int i = 0; i < 12; i++) { float d = x[i] * m[i]; u[i] = d * d; }",
    "other iterations": "for (int i = 0; i < 12; i++) { float d = x[i] * m[i]; u[i] = d; if (i < 9) v[i] = d + 1.0f; }",
    "one depends on the other": "for (int i = 0; i < 12; i++) { float d = x[i] * m[i]; u[i] = d; v[i] = u[i] + d; }",
    "other loops": """
    for (int i = 0; i < 12; i++) {
        float d = x[i] * m[i];
        u[i] = d;
        for (int j = 0; j < 3; j++)
            v[i] += d * x[j];
    }
""",
    "no loops": "float d = x[0] * m[0] + 0.5f; u[0] = d; v[0] = d + 1.0f;",
    "no loops of their own": """
    for (int i = 1; i < 12; i++) {
        float d = u[i - 1] * v[i - 1] + x[i];
        u[i] = d;
        v[i] = d + 1.0f;
    }
""",
    "cheap": "for (int i = 0; i < 12; i++) { float d = x[i]; u[i] = d + 1.0f; v[i] = d; }",
}


@pytest.mark.parametrize("body", STAYS.values(), ids=[*STAYS])
def test_what_is_no_such_body(body: str, tmp_path: Path) -> None:
    assert found_in(tmp_path, body) is None


def test_a_value_of_another_iteration_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices a variable that is taken to hold what it held before it was given a new value."""
    module = import_module("sisyphus.forms.inlined")
    monkeypatch.setattr(module.Walk, "_forget", lambda *_: None)
    body = "for (int i = 0; i < 12; i++) { float d = u[i] * m[i]; u[i] = 2.0f; v[i] = d * d; x2[i] = d; }"
    path = kernel(tmp_path, body)
    path.write_text(path.read_text().replace("float v[12]", "float v[12], float x2[12]"))
    found = computed_together(dependences(read(path)))
    assert found is not None and run(found, path, tmp_path) != "equal"


def test_a_design_is_verified_and_says_that_the_tool_has_to_find_what_is_common(tmp_path: Path) -> None:
    body = "for (int i = 0; i < 12; i++) { float d = x[i] * m[i] + 0.5f; u[i] = d * d; v[i] = d; }"
    target = make_target(load_device("u200"), budget="chip")
    path = kernel(tmp_path, body)
    path.write_text(path.read_text().replace("12", "2400"))  # too many iterations to be all at once
    design = sisy.optimize(path, target, effort=0.3, cache=False, fix=["form=together"])
    assert design.verdict is not None and design.verdict.passed
    [nest] = design.point.nests
    assert len(nest.statements) == 2
    assert "values-in-common" in estimate(design.plan, target).constructs["task0"]
