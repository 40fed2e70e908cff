"""What we emit is clean: hand-written points, designs that the search chooses, random points in all but their banks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from point_files import ALL, case
from random_kernels import random_point

from sisyphus import pipeline
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls import project
from sisyphus.frontend import read
from sisyphus.lint import lint_paths, lint_text
from sisyphus.plan import build_plan
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"
CHOSEN = {
    "trmm": ("M=12", "N=14", "DATA_TYPE_IS_DOUBLE"),
    "jacobi-2d": ("N=14", "TSTEPS=3"),
    "atax": ("M=18", "N=22"),
    "cholesky": ("N=10", "DATA_TYPE_IS_DOUBLE"),
}


@pytest.mark.parametrize("name", ALL)
def test_hand_written_point(name: str) -> None:
    found = lint_text(project(case(name).plan).files["kernel.cpp"])
    promises = [one for one in found if one.rule == "unproved-dependence"]  # of a text alone nobody knows the proof
    assert len(promises) == len(found) == (2 if name.endswith("-listed") else 0)


PLANTED = {
    "port-conflict": ("#pragma HLS array_partition", "// "),
    "burst-stride": ("port[", "port[2 * "),
    "obsolete-pragma": ("HLS array_partition", "HLS array_map"),
    "bare-type": ("type=complete", "complete"),
    "m-axi-scalar": ("mode=s_axilite port=alpha", "mode=m_axi port=alpha"),
    "unknown-pragma": ("HLS pipeline", "HLS pipline"),
    "unproved-dependence": (
        "#pragma HLS pipeline\n",
        "#pragma HLS dependence variable=buf_C type=inter dependent=false\n",
    ),
    "double-literal": (" * buf_", " * 0.5 * buf_"),
}


@pytest.mark.parametrize("rule", PLANTED)
def test_a_fault_planted_in_our_text_is_found(rule: str) -> None:
    old, new = PLANTED[rule]
    text = project(case("gemm-registers").plan).files["kernel.cpp"]
    assert old in text
    assert rule in {f.rule for f in lint_text(text.replace(old, new))}


@pytest.mark.parametrize("name", CHOSEN)
def test_chosen_design(name: str, tmp_path: Path) -> None:
    source = pipeline.Source(str(POLYBENCH / f"{name}.c"), defines=CHOSEN[name])
    target = make_target(load_device("u200"), budget="chip", dsp=300)
    request = pipeline.Request(source, target, limits=Limits(effort=0.5), fixes=("adders=dsp",), verify=False)
    pipeline.optimize(request).save(tmp_path / "out")
    assert lint_paths([tmp_path / "out"]) == ()


@pytest.mark.parametrize("name", ["gemm", "correlation", "nussinov", "durbin", "seidel-2d", "lu"])
def test_random_points_have_banks_as_their_only_fault(name: str) -> None:
    sizes = ("N=7", "M=6", "TSTEPS=3", "NI=6", "NJ=7", "NK=8")
    doubles = ("DATA_TYPE_IS_DOUBLE",) if len(name) % 2 else ()
    scop = read(POLYBENCH / f"{name}.c", defines=(*sizes, *doubles))
    distribution, live = distribute(scop, dependences(scop)), liveness(scop)
    for number in range(6):
        point = random_point(random.Random(f"{name} {number}"), scop, distribution, split=True)
        text = project(build_plan(scop, distribution, live, point)).files["kernel.cpp"]
        assert {f.rule for f in lint_text(text)} <= {"port-conflict"}
