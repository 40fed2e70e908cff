"""`--trust measured`: nothing in the design that is only inferred, and a note of what that costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.errors import NothingFits
from sisyphus.pipeline import Design, Request, Source, optimize
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

GEMM = Path(__file__).parents[2] / "kernels" / "polybench" / "gemm.c"
SIZES = ("NI=48", "NJ=40", "NK=36")


def gemm(options: Options) -> Design:
    target = make_target(load_device("u200"), budget="chip", dsp=600)
    return optimize(
        Request(Source(str(GEMM), defines=SIZES), target, options=options, limits=Limits(seconds=20), verify=False)
    )


@pytest.fixture(scope="module")
def trusted() -> Design:
    return gemm(Options(trust="measured"))


def test_every_construct_is_measured_or_documented(trusted: Design) -> None:
    found = trusted.estimate.evidence
    assert found.is_trusted
    assert found.shares["cycles"]["inferred"] == 0
    assert "every construct is measured or documented" in trusted.text


def test_what_trust_costs_is_told(trusted: Design) -> None:
    [note] = [note for note in trusted.notes if "--trust measured" in note]
    free = gemm(Options())
    assert free.estimate.cycles <= trusted.estimate.cycles
    assert f"{free.estimate.cycles:,} were found without it" in note


ALONE = """
void alone(float x[16], float y[16]) {
  y[0] = 1.0f;
  for (int i = 1; i < 16; i++)
    y[i] = y[i - 1] * x[i] + x[i - 1];
}
"""


def test_where_nothing_is_measured_a_refusal_names_what_is_not(tmp_path: Path) -> None:
    """No report shows a statement outside of all loops."""
    path = tmp_path / "alone.c"
    path.write_text(ALONE)
    asked = Request(
        Source(str(path)), make_target(load_device("u200")), options=Options(trust="measured"), verify=False
    )
    with pytest.raises(NothingFits, match="no design of `alone` was found whose constructs are all measured") as told:
        optimize(asked)
    assert "body-not-pipelined" in told.value.message
    assert told.value.hint is not None and "leave out `--trust measured`" in told.value.hint
