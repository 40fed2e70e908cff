"""Arrays in columns of beats: in designs whose tiles take much of the cycles, and then in all spaces of the form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.choosing.small_kernels import asked, read

from sisyphus import beside
from sisyphus.choice import find
from sisyphus.course import Course
from sisyphus.part_search import Answer, Choice
from sisyphus.parts import Part
from sisyphus.request import Limits, Request, estimate_of, space_of_point
from sisyphus.solve import Stop

#: Tiles of A and of B are bursts of a few beats for each row, whatever they are: one nest reads A the other way.
TURNED = """
void turned(const float A[128][128], float B[128][128], float C[128][128]) {
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 128; j++)
      B[i][j] = A[j][i];
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 128; j++)
      C[i][j] = A[i][j] + B[i][j];
}
"""


def turned(folder: Path, *fixes: str) -> tuple[Request, Choice]:
    limits, budgets = Limits(effort=1), {"onchip_bytes": 12_000}
    request = asked(folder, TURNED, budgets=budgets, limits=limits, fixes=("adders=dsp", *fixes))
    return request, find(read(request), request)


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Request, Choice]:
    return turned(tmp_path_factory.mktemp("chosen"))


@pytest.fixture(scope="module")
def in_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Request, Choice]:
    return turned(tmp_path_factory.mktemp("rows"), "*.layout=plain")


def cycles(request: Request, choice: Choice) -> int:
    return estimate_of(choice.kernel, choice.point, request.target).cycles


@pytest.mark.long
def test_arrays_lie_in_columns_where_that_is_faster(
    chosen: tuple[Request, Choice], in_rows: tuple[Request, Choice]
) -> None:
    request, choice = chosen
    assert {"A", "B"} <= {*choice.point.in_columns}
    assert {*space_of_point(choice.kernel, request, choice.point).options.columns} == {*choice.point.in_columns}
    _, plain = in_rows
    assert not plain.point.in_columns
    assert cycles(request, choice) < 0.5 * cycles(request, plain)


def test_where_only_measured_code_counts_there_is_no_such_space(in_rows: tuple[Request, Choice]) -> None:
    request, plain = in_rows
    part = Part(plain.kernel, plain.space.options)
    for trust, fixes, offered in (
        ("any", (), {"A", "B", "C"}),
        ("any", ("A.layout=plain",), {"B", "C"}),
        ("any", ("*.layout=plain",), set()),
        ("measured", (), set()),
    ):
        options = replace(request.options, trust=trust)  # type: ignore[arg-type]
        course = Course(replace(request, options=options, fixes=fixes), lambda *_: None, None, improve=True)
        course.found.append(Answer(part, Stop.TIME, None, plain))
        found = beside._with_columns(part, course)
        assert (set() if found is None else {*found.options.columns}) == offered


@pytest.mark.long
def test_a_space_of_its_own_finds_more_than_turning_the_best_design(
    tmp_path: Path, chosen: tuple[Request, Choice], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose tiles were chosen for rows."""
    request, choice = chosen
    monkeypatch.setattr(beside, "_with_columns", lambda *_: None)
    _, turned_alone = turned(tmp_path)
    assert turned_alone.point.in_columns
    assert cycles(request, choice) <= cycles(request, turned_alone)
