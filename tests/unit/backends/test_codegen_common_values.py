"""Values that a body computes several times: which get a name, that text has each once, that faults show."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from builders import scop

import sisyphus as sisy
from sisyphus.backends.hls import project
from sisyphus.backends.hls.common_values import common_values
from sisyphus.ir import Expr, Scop, walk
from sisyphus.target import load_device, make_target

RATIOS = """
void kernel(const float x[2400], const float m[2400], float u[2400], float v[2400])
{
    for (int i = 0; i < 2400; i++) {
        float d = m[i] / (x[i] * x[i] + 0.5f);
        u[i] = d * x[i];
        v[i] = d;
    }
}
"""


def statements(*bodies: str) -> Scop:
    text = "for i in range(8):\n" + "".join(f"    {body}\n" for body in bodies)
    return scop(text, X=(9,), Y=(8,), A=(8,), B=(8,))


def names(*bodies: str) -> list[Expr]:
    source = statements(*bodies)
    written = {s.write.array for s in source.statements}
    return common_values([s.rhs for s in source.statements], written)


def test_parts_come_before_what_they_are_part_of() -> None:
    first, second = names("X[i] = (A[i] + 1.0) * (A[i] + 1.0)", "Y[i] = -((A[i] + 1.0) * (A[i] + 1.0))")
    assert first in walk(second) and first != second


@pytest.mark.parametrize(
    "bodies",
    [
        ["X[i] = A[i] + 1.0", "Y[i] = A[i] + 2.0"],
        ["X[i] = A[i]", "Y[i] = A[i]"],
        ["X[i] = -A[i]", "Y[i] = -A[i]"],
        ["X[i] = A[i] + 1.0", "A[i] = (A[i] + 1.0) * 2.0"],
        ["X[i] = (X[i + 1] + 1.0) * B[i]", "Y[i] = X[i + 1] + 1.0"],
        ["X[i] = A[i] / B[i] if B[i] > 0.0 else 1.0", "Y[i] = A[i] / B[i] if B[i] > 0.0 else 2.0"],
    ],
)
def test_what_has_no_name(bodies: list[str]) -> None:
    """Other values, elements, signs, what the body writes, what a condition may leave out, conditions."""
    assert names(*bodies) == []


def test_what_one_statement_computes_in_any_case_has_one() -> None:
    assert len(names("X[i] = A[i] / B[i] if B[i] > 0.0 else 1.0", "Y[i] = A[i] / B[i]")) == 1


def test_what_has_a_name_around_a_condition_has_none_inside() -> None:
    """The second name was used by nobody where the whole value had one, which compilers are told to refuse."""
    [value] = names("X[i] = (A[i] + 1.0) * (A[i] + 1.0)")
    source = statements("X[i] = (A[i] + 1.0) * (A[i] + 1.0)")
    assert common_values([source.statements[0].rhs], set(), {value: "value_0"}) == []


def designed(folder: Path, text: str, **options: Any) -> sisy.Design:
    path = folder / "kernel.c"
    path.write_text(text)
    return sisy.optimize(path, make_target(load_device("u200"), budget="chip"), effort=0.3, cache=False, **options)


def test_a_body_computes_each_once(tmp_path: Path) -> None:
    design = designed(tmp_path, RATIOS, fix=["form=together"])
    text = project(design.plan).files["kernel.cpp"]
    assert 0 < text.count(" / ") == text.count("const float value_") < text.count(" = value_")
    assert design.verdict is not None and design.verdict.passed


STATES = """
void kernel(const int a[64], int s[1], int t[1], int y[64])
{
    for (int i = 0; i < 64; i++) {
        s[0] = s[0] * 3 + a[i];
        t[0] = t[0] - s[0] * 3;
        y[i] = t[0];
    }
}
"""


def test_a_value_of_another_moment_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verification notices a name for what a statement of the body gives another value meanwhile."""
    sound = designed(tmp_path, STATES).verdict
    assert sound is not None and sound.passed
    module = import_module("sisyphus.backends.hls.common_values")
    monkeypatch.setattr(module, "_reads_any", lambda *_: False)
    wrong = designed(tmp_path, STATES).verdict
    assert wrong is not None and any("run" in str(failure) for failure in wrong.failures)
