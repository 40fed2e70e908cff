"""Forms in blocks on boards with little memory: as large as their windows have room, and none too large for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from compiled_scops import kernel_at
from plan_interpreter import computes_the_same

from sisyphus import pipeline, too_large
from sisyphus.asked_forms import form_of, with_other_word
from sisyphus.cache import Answer, Cache
from sisyphus.errors import NothingFits
from sisyphus.forms import INSIDE, INSIDE_OF, LOCAL_BLOCKS, PANELS, PIVOT_BLOCKS, STRIPS, TABLE_TILES, rewritten
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.kernel_orders import shortest
from sisyphus.parts import Parts
from sisyphus.request import Kernel, Request, Source
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.stages import StageClock
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays, is_in_blocks, local_without_room, with_room

PYNQ = make_target(load_device("pynq-z2"))
U200 = make_target(load_device("u200"))
POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"
KERNELS = {PIVOT_BLOCKS: "floyd-warshall", PANELS: "lu", TABLE_TILES: "nussinov"}


def forms(name: str, size: int) -> tuple[Kernel, ...]:
    return load_kernels(Source(str(POLYBENCH / f"{name}.c"), defines=(f"N={size}",)))


#: A table of which the last element is wanted; and gaps, one row of each table at a time, with borders of one constant.
LCS, GAPS = (
    (POLYBENCH.parent / "board" / f"{name}.c").read_text().replace(size, "72")
    for name, size in (("lcs", "1024"), ("alignment", "800"))
)


def size_of(kernel: Kernel) -> int:
    [word] = [word for word in kernel.rewrites if word.startswith(too_large.IN_BLOCKS)]
    return int(word.rsplit(" ", 1)[1])


@pytest.mark.parametrize("word", KERNELS)
def test_blocks_are_as_large_as_their_windows_have_room(word: str) -> None:
    written, *others = forms(KERNELS[word], 700)
    kernel = next(k for k in others if any(w.startswith(word) for w in k.rewrites))
    assert local_without_room(kernel, PYNQ) is not None and local_without_room(kernel, U200) is None
    smaller = with_room(kernel, written, PYNQ)
    assert local_without_room(smaller, PYNQ) is None
    assert 4 <= size_of(smaller) < size_of(kernel) and smaller.name == kernel.name
    again = form_of((written,), DesignPoint(smaller.scop.name, (), (), rewrites=smaller.rewrites))
    assert again is not None and dump(again.scop) == dump(smaller.scop)
    assert with_room(kernel, written, U200) is kernel


@pytest.mark.parametrize("word", KERNELS)
def test_smaller_blocks_compute_the_same(word: str) -> None:
    written, *others = forms(KERNELS[word], 24)
    kernel = next(k for k in others if any(w.startswith(word) for w in k.rewrites))
    own = next(w for w in kernel.rewrites if w.startswith(word))
    smaller = with_other_word(kernel, written, own, f"{word}4")
    assert smaller is not None and f"{word}4" in smaller.rewrites
    assert all(computes_the_same(written.scop, smaller.scop, seed) for seed in range(3))


def test_a_form_stays_where_no_blocks_have_room() -> None:
    written, *others = forms("floyd-warshall", 700)
    kernel = next(k for k in others if is_in_blocks(k))
    tiny = make_target(load_device("pynq-z2"), onchip_bytes=4096)
    assert with_room(kernel, written, tiny) is kernel


def test_what_is_searched_has_room() -> None:
    kernels = forms("floyd-warshall", 700)
    parts = Parts(kernels, Request(Source("k.c"), PYNQ), None, best=lambda: None)
    blocked = [part.kernel for part in parts if is_in_blocks(part.kernel)]
    assert blocked and all(local_without_room(kernel, PYNQ) is None for kernel in blocked)


@pytest.mark.parametrize("text", [LCS, pytest.param(GAPS, marks=pytest.mark.long)])
def test_tables_in_other_orders_are_cut_where_they_leave_no_room(tmp_path: Path, text: str) -> None:
    path = kernel_at(tmp_path, text)
    kernels = load_kernels(Source(str(path)))
    assert not for_large_arrays(kernels, U200)[0]
    found, _ = for_large_arrays(kernels, make_target(load_device("pynq-z2"), onchip_bytes=9000))
    assert found and all(LOCAL_BLOCKS[0] in " ".join(kernel.rewrites) for kernel in found)
    assert shortest(found) < shortest(kernels[:1])
    for kernel in found:
        assert computes_the_same(kernels[0].scop, kernel.scop, 0), kernel.rewrites


#: Sums of a convolution, whose places for all iterations, or for those of one map, are more than what maps have.
MAPS = """#define N 400
void maps(const float in[4][N][N], const float w[4][4][3], float out[4][N][N]) {
  for (int o = 0; o < 4; o++)
    for (int y = 0; y < N; y++)
      for (int x = 1; x < N - 1; x++) {
        float s = 0;
        for (int i = 0; i < 4; i++)
          for (int q = 0; q < 3; q++)
            s += w[o][i][q] * in[i][y][x + q - 1];
        out[o][y][x] = s > 0 ? s : 0;
      }
}
"""


def test_places_are_those_of_as_many_loops_as_have_room(tmp_path: Path) -> None:
    written, *others = load_kernels(Source(str(kernel_at(tmp_path, MAPS))))
    [inside] = [kernel for kernel in others if kernel.rewrites == (INSIDE,)]
    assert with_room(inside, written, U200) is inside
    deeper = with_room(inside, written, PYNQ)
    assert deeper.rewrites == (f"{INSIDE_OF}2",) and [a.extents for a in too_large._local_arrays(deeper)] == [(398,)]
    small = load_kernels(Source(str(kernel_at(tmp_path, MAPS.replace("400", "9")))))[0].scop
    assert computes_the_same(small, rewritten(small, [f"{INSIDE_OF}2"]), 0)


def test_a_local_array_of_time_steps_has_a_window_alone(tmp_path: Path) -> None:
    """Also where it lies in memory, as an argument whose values nobody wants: nothing of it is loaded or stored."""
    text = """#define N 600
    void steps(float a[N][N]) {
      static float b[N][N];
      for (int t = 0; t < 8; t++) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) b[i][j] = 2.0f * a[i][j];
        for (int i = 1; i < N - 1; i++) for (int j = 0; j < N; j++) a[i][j] = b[i - 1][j] + b[i + 1][j];
      }
    }
    """
    path = kernel_at(tmp_path, text)
    for given in ((), ("b",)):
        forms = for_large_arrays(load_kernels(Source(str(path), temporaries=given)), PYNQ)[0]
        strips = next(kernel for kernel in forms if any(word.startswith(STRIPS) for word in kernel.rewrites))
        assert all(too_large.have_room(too_large._local_arrays(kernel), PYNQ) for kernel in forms)
        assert not any("b" in statement.touched for statement in strips.scop.statements)


@pytest.mark.parametrize("is_known", [pytest.param(True, marks=pytest.mark.long), False])
def test_large_local_arrays_lie_in_memory_where_nothing_fits_with_their_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """As where blocks of many statements take more LUTs than there are; not where they are not large."""
    asked, answer = list[tuple[str, ...]](), pipeline._answer

    def refusing(clock: StageClock, kernels: Sequence[Kernel], request: Request, cache: Cache | None) -> Answer:
        asked.append(request.source.temporaries)
        if len(asked) == 1:
            raise NothingFits("too few LUTs")
        return answer(clock, kernels, request, cache)

    monkeypatch.setattr(pipeline, "_answer", refusing)
    target = make_target(load_device("pynq-z2"), onchip_bytes=9000 if is_known else None)
    request = Request(Source(str(kernel_at(tmp_path, LCS))), target, limits=Limits(effort=0.5), verify=False)
    if not is_known:
        with pytest.raises(NothingFits):
            pipeline.optimize(request)
        return
    design = pipeline.optimize(request)
    assert asked == [(), ("L",)] and any("`L`: in memory then" in note for note in design.notes)
