"""Forms have first designs before one of them is searched, so that what promises much has to show it."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from unit.choosing.small_kernels import LU, asked, read

from sisyphus import choice, clock
from sisyphus.course import Course
from sisyphus.part_search import silent
from sisyphus.parts import BEGIN, Part, Parts
from sisyphus.request import Kernel, Request
from sisyphus.solve import Limits
from sisyphus.too_large import is_in_blocks

#: Three filters, one behind the other, for each of eight channels: in other orders the channels come inside.
CASCADE = """
void cascade(float y[8][64], const float x[8][64], const float a[3]) {
  for (int c = 0; c < 8; c++) {
    float s[3];
    for (int f = 0; f < 3; f++) s[f] = 0.0f;
    for (int t = 0; t < 64; t++) {
      float v = x[c][t];
      for (int f = 0; f < 3; f++) { v = a[f] * s[f] + v; s[f] = v; }
      y[c][t] = v;
    }
  }
}
"""
#: Its diagonals are 127 steps for 3,969 elements.
TABLE = """
void table(float t[64][64], const float a[64][64]) {
  for (int i = 1; i < 64; i++)
    for (int j = 1; j < 64; j++)
      t[i][j] = t[i-1][j] > t[i][j-1] ? t[i-1][j] + a[i][j] : t[i][j-1] + a[i][j];
}
"""


def limited(folder: Path, effort: float | None, text: str = CASCADE) -> Request:
    return asked(folder, text, limits=Limits(seconds=effort), fixes=("adders=dsp",))


def searched(request: Request, kernels: tuple[Kernel, ...], each: float) -> list[Part]:
    """What is searched where each search takes so much of the time and finds nothing."""
    found = list[Part]()
    with clock.counting():
        course = Course(request, silent, None, improve=False)
        parts = Parts(kernels, request, None, best=lambda: None)
        assert next(course.rounds())
        for one in choice._begins(parts, course):
            found.append(one.part)
            clock.did(int(each * clock.WORK_OF_ONE))
    return found


def test_forms_of_the_fewest_statements_begin(tmp_path: Path) -> None:
    request = limited(tmp_path, 8.0)
    kernels = read(request)
    begun = searched(request, kernels, 0.01)
    sizes = [len(part.kernel.scop.statements) for part in begun]
    assert sizes == sorted(sizes) and len({part.kernel.form for part in begun}) == len(begun) > 2
    assert {part.share for part in begun} == {BEGIN}


def test_they_have_a_share_of_the_time(tmp_path: Path) -> None:
    request = limited(tmp_path, 8.0)
    kernels = read(request)
    assert len(searched(request, kernels, 1.5)) == 2  # after two of them it is over
    assert searched(limited(tmp_path, None), kernels, 1.5) == []  # without a limit each is searched to its end


@pytest.mark.parametrize(("own", "others", "counts"), [(100.0, 10.0, False), (10.0, 100.0, True), (inf, inf, True)])
def test_a_promise_that_others_are_ahead_of_leaves_them_their_time(
    tmp_path: Path, own: float, others: float, *, counts: bool
) -> None:
    request = limited(tmp_path, 8.0, TABLE)
    kernels = read(request)
    promising = next(iter(Parts(kernels, request, None, best=lambda: None))).kernel
    parts = Parts(kernels, request, None, best=lambda: None, cost=lambda kernel: own if kernel is promising else others)
    assert len(list(parts.begins())) > 1 and promising.rewrites
    assert parts._is_best(promising) == counts


def test_forms_in_panels_are_not_kept_waiting(tmp_path: Path) -> None:
    request = limited(tmp_path, 8.0, LU.replace("512", "4096"))
    kernels = read(request)
    assert len({kernel.form for kernel in kernels}) > 1
    assert not list(Parts(kernels, request, None, best=lambda: None).begins())


def test_panels_of_arrays_that_fit_keep_no_form_from_beginning(tmp_path: Path) -> None:
    request = limited(tmp_path, 8.0, LU)
    kernels = read(request)
    begun = list(Parts(kernels, request, None, best=lambda: None).begins())
    assert any(is_in_blocks(kernel) for kernel in kernels)
    assert len(begun) > 1 and not any(is_in_blocks(part.kernel) for part in begun)
