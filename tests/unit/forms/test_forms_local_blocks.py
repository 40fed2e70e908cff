"""What loops pass on in local arrays, in blocks of rows: which are, that results stay, and where it is offered."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from compiled_scops import run
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.analysis.rewrite import with_refs
from sisyphus.asked_forms import form_of
from sisyphus.errors import KernelError
from sisyphus.forms import LOCAL_BLOCKS, passing_rows, rewritten
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.plan import build_plan
from sisyphus.request import Source
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

#: Two layers: what the first one makes of a row the second one uses for the same row.
LAYERS = """
void layers(const float x[T][D], const float w[D][F], const float v[F][D], float y[T][D])
{
    static float h[T][F];
    for (int t = 0; t < T; t++)
        for (int f = 0; f < F; f++) {
            float s = 0.0f;
            for (int d = 0; d < D; d++)
                s += x[t][d] * w[d][f];
            h[t][f] = s > 0.0f ? s : 0.0f;
        }
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) {
            float s = 0.0f;
            for (int f = 0; f < F; f++)
                s += h[t][f] * v[f][d];
            y[t][d] = s;
        }
}
"""


def layers(folder: Path, t: int = 10, d: int = 3, f: int = 4, text: str = LAYERS) -> Path:
    path = folder / "layers.c"
    path.write_text(f"#define T {t}\n#define D {d}\n#define F {f}\n{text}")
    return path


@pytest.mark.parametrize("size", [1, 4, 5, 9])
def test_blocks_compute_the_same(size: int, tmp_path: Path) -> None:
    """Also where the last block has fewer rows; each array has those of one block, and all loops are in its loop."""
    path = layers(tmp_path)
    found = rewritten(read(path), [f"{LOCAL_BLOCKS}{size}"])
    promises.run(found)
    locals_ = [array.extents for array in found.arrays if array.id in ("h", "s", "s_1")]
    assert locals_ == [(size, 4), (size, 4), (size, 3)]
    assert {nest.outer for nest in distribute(found, dependences(found)).nests} == {("t_block",)}
    assert run(found, path, tmp_path) == "equal"


def test_rows_in_one_place_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of results notices it."""
    module = import_module("sisyphus.forms.local_blocks")
    contracted = module.contracted

    def in_one_row(scop: Scop, cuts: object, arrays: Mapping[ArrayId, int]) -> Scop:
        made = contracted(scop, cuts, arrays)
        row = lambda ref: replace(ref, index=(ref.index[0] * 0, *ref.index[1:])) if ref.array in arrays else ref  # noqa: E731
        return replace(made, statements=tuple(with_refs(s, row) for s in made.statements))

    monkeypatch.setattr(module, "contracted", in_one_row)
    path = layers(tmp_path)
    assert run(rewritten(read(path), [f"{LOCAL_BLOCKS}4"]), path, tmp_path) != "equal"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s += h[t][f] * v[f][d];", "s += h[f][t % F] * v[f][d];"),  # other rows than its own
        ("static float h[T][F];", "static float h[T + 1][F];"),  # (all rows are made and used by two loops still)
    ],
)
def test_which_arrays_pass_rows(old: str, new: str, tmp_path: Path) -> None:
    path = layers(tmp_path, t=4, text=LAYERS.replace(old, new))
    passing = passing_rows(dependences(read(path)))
    assert (passing is not None and "h" in {array.id for array in passing.arrays}) == ("T + 1" in new)


def test_loops_that_need_all_rows_before_stay(tmp_path: Path) -> None:
    """A sum over all rows that later ones are scaled by: blocks would use it too early."""
    text = LAYERS.replace(
        "    for (int t = 0; t < T; t++)\n        for (int d",
        "    SUM\n    for (int t = 0; t < T; t++)\n        for (int d",
    )
    text = text.replace("SUM", "float a = 0.0f;\n    for (int t = 0; t < T; t++) a += h[t][0];", 1).replace(
        "= s;\n        }\n}", "= s * a;\n        }\n}"
    )
    with pytest.raises(KernelError):
        rewritten(read(layers(tmp_path, text=text)), [f"{LOCAL_BLOCKS}4"])


@settings(max_examples=10, deadline=None)
@given(size=st.integers(1, 5), seed=st.integers(0, 99))
def test_points_compute_what_the_source_computes(
    size: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = rewritten(read(layers(tmp_path_factory.mktemp("layers"), 6, 2, 3)), [f"{LOCAL_BLOCKS}{size}"])
    distribution, live = distribute(found, dependences(found)), liveness(found)
    memory = some_memory(found)
    wanted = run_source(found, memory)
    plan = build_plan(found, distribution, live, random_point(random.Random(seed), found, distribution))
    assert differences(found, wanted, run_plan(plan, memory)) == []


def test_it_is_offered_where_what_is_passed_on_leaves_no_room(tmp_path: Path) -> None:
    target = make_target(load_device("u200"))
    small, large = (load_kernels(Source(str(layers(tmp_path, t, 64, 4096)))) for t in (256, 2048))
    offered = [
        [k for k in for_large_arrays(forms, target)[0] if k.name == LOCAL_BLOCKS.strip()] for forms in (small, large)
    ]
    assert not offered[0]
    [kernel] = offered[1]
    again = form_of(large, DesignPoint(kernel.scop.name, (), (), rewrites=kernel.rewrites))
    assert again is not None and [a.extents for a in again.scop.arrays] == [a.extents for a in kernel.scop.arrays]


def test_layers_whose_rows_do_not_fit_have_a_design(tmp_path: Path) -> None:
    """Without blocks there is none: the rows of the first layer are larger than all memory of the device."""
    path = layers(tmp_path, 2048, 64, 4096)
    design = sisy.optimize(path, effort=1, cache=False)
    assert LOCAL_BLOCKS.strip() in design.point.rewrites[-1]
    assert design.verdict is not None and design.verdict.passed
