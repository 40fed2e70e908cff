"""The template, feature by feature: a C kernel with a design point, its tasks as printed, and the run of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sisyphus.analysis import Distribution, dependences, distribute, liveness
from sisyphus.backends.hls import project
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.plan import Plan, build_plan
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.verification import verify

Tiles = Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Feature:
    """A kernel, and for nests (by their first statement) the pipelined loop and the tiles of loops.

    `split`: full tiles run apart from the others.
    """

    source: str
    pipelines: Mapping[str, str] = field(default_factory=dict)
    tiles: Mapping[str, Tiles] = field(default_factory=dict)
    split: bool = False


FEATURES = {
    "descending_and_strided_loops": Feature(
        """
void f(float A[20], float B[20]) {
  for (int i = 19; i >= 1; i -= 3)
    for (int j = 0; j < 20; j += 2)
      A[j] = A[j] * B[i] - B[j];
}""",
        {"S0": "j"},
        {"S0": {"i": (7, 1, 1), "j": (1, 5, 2)}},
    ),
    "trapezoid_in_tiles": Feature(
        """
void f(float A[8][16], float B[8]) {
  for (int i = 0; i < 8; i++)
    for (int j = i; j <= i + 8; j++)
      B[i] += 0.5f * A[i][j];
}""",
        {"S0": "i"},
        {"S0": {"i": (2, 4, 1), "j": (4, 1, 4)}},
    ),
    "ragged_last_tiles": Feature(
        """
void f(float A[11][13], float B[11][13]) {
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 13; j++)
      A[i][j] = A[i][j] + 2 * B[i][j];
}""",
        {"S0": "j"},
        {"S0": {"i": (3, 1, 4), "j": (2, 4, 2)}},
    ),
    "full_tiles_apart_from_the_diagonal": Feature(
        """
void f(float A[12][12], float B[12]) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j <= i; j++)
      B[i] += 0.5f * A[i][j];
}""",
        {"S0": "i"},
        {"S0": {"i": (3, 4, 1), "j": (4, 1, 3)}},
        split=True,
    ),
    "full_tiles_apart_from_ragged_ones": Feature(
        """
void f(float A[11][13], float B[11][13]) {
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 13; j++)
      A[i][j] = A[i][j] + 2 * B[i][j];
}""",
        {"S0": "j"},
        {"S0": {"i": (3, 1, 4), "j": (2, 4, 2)}},
        split=True,
    ),
    "pipelined_loop_bounded_by_an_outer_loop": Feature(
        """
void f(float A[10], float B[10]) {
  for (int t = 1; t < 10; t++) {
    for (int i = 0; i < t; i++) B[i] = A[i] + A[t - i - 1];
    for (int i = 0; i < t; i++) A[i] = 0.5f * B[i];
  }
}""",
        {"S0": "i", "S1": "i"},
        {"S0": {"i": (1, 9, 1)}, "S1": {"i": (1, 5, 2)}},
    ),
    "outer_loop_with_distributed_bodies": Feature(
        """
void f(float A[18], float B[18]) {
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < 17; i++) B[i] = 0.25f * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < 17; i++) A[i] = B[i];
  }
}""",
        {"S0": "i", "S1": "i"},
        {"S0": {"i": (1, 4, 4)}, "S1": {"i": (1, 8, 2)}},
    ),
    "several_statements_in_one_nest": Feature(
        """
void f(float A[12], float B[12]) {
  for (int i = 1; i < 12; i++) {
    A[i] = B[i - 1] * 3;
    if (i > 4) B[i] = A[i] + A[i - 1];
  }
}""",
        {"S0": "i"},
        {"S0": {"i": (1, 11, 1)}},
    ),
    "literals_keep_their_type": Feature(
        """
void f(float A[8], double B[8], int C[8]) {
  for (int i = 0; i < 8; i++) {
    A[i] = 0.2f * A[i] + 1e-3f;
    B[i] = 0.2 * B[i] + 0x1p-3;
    C[i] = 3 * C[i] + (int)2u;
  }
}""",
        {"S0": "i", "S1": "i", "S2": "i"},
        {s: {"i": (1, 8, 1)} for s in ("S0", "S1", "S2")},
    ),
}


def point_of(scop: Scop, distribution: Distribution, feature: Feature) -> DesignPoint:
    nests = []
    for nest in distribution.nests:
        first = nest.statements[0]
        chosen = feature.tiles.get(first, {})
        tiles = tuple((x.iterator, Tile(*chosen.get(x.iterator, (x.trip_count, 1, 1)))) for x in nest.band)
        pipelined = feature.pipelines.get(first)
        nests.append(NestPoint(nest.statements, nest.iterators, tiles, pipelined, split=feature.split))
    everywhere = tuple(n.id for n in distribution.nests)
    used = {a.id: tuple(n for n in everywhere if touches(scop, n, a.id)) for a in scop.arrays}
    buffers = tuple(BufferPoint(a.id, used[a.id], KERNEL_PLACE, (1,) * len(a.extents)) for a in scop.arrays)
    return DesignPoint(scop.name, tuple(nests), buffers)


def touches(scop: Scop, nest: str, array: str) -> bool:
    return any(access.array == array for s in scop.statements if s.id in nest.split("+") for access in s.accesses)


def plan_of(name: str, folder: Path) -> Plan:
    (folder / "f.c").write_text(FEATURES[name].source)
    scop = read(folder / "f.c")
    distribution = distribute(scop, dependences(scop))
    return build_plan(scop, distribution, liveness(scop), point_of(scop, distribution, FEATURES[name]))


def functions(plan: Plan) -> str:
    """The tasks and the top function, without what it says of its arguments."""
    text = project(plan).files["kernel.cpp"]
    lines = text[text.index("static void task") :].splitlines(keepends=True)
    return "".join(line for line in lines if "HLS interface" not in line)


@pytest.mark.parametrize("name", FEATURES)
def test_template(name: str, tmp_path: Path, expect) -> None:  # type: ignore[no-untyped-def]
    plan = plan_of(name, tmp_path)
    expect(functions(plan), ".cpp")
    assert "loop_flatten" not in functions(
        plan
    )  # docs/model.md: what can be flattened is, and that is never the slower
    verdict = verify(plan, project(plan), dependences(plan.scop), live=liveness(plan.scop), sanitize=True)
    assert verdict.passed and verdict.worst_error == 0, verdict.failures
