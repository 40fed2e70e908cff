"""Tables that waves fill from rows and columns, in tiles: results stay bit for bit, what has none, that faults show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from plan_interpreter import computes_the_same

from sisyphus.analysis import OuterLoop, dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import SCHEDULE, TABLE_TILES, in_table_tiles, rewritten, sizes_of_tiles, table_tiles
from sisyphus.forms.diagonals import COLUMNS, ROWS, diagonals
from sisyphus.ir import Role, Scop, promises
from sisyphus.ir.scop_text import dump

#: Stretches by their length; the same from their first element up, as folds of sequences are often written.
INTERVALS = "for w in range(1, 8):\n for i in range(8 - w):\n  for k in range(i, i + w):\n   "
SHAPES = {
    "split": INTERVALS + "T[i, i + w] = fmax(T[i, i + w], T[i, k] + T[k + 1, i + w])",
    "sum": "for i in range(8):\n T[i, i] = C[i]\n" + INTERVALS + "T[i, i + w] += T[i, k] * T[k + 1, i + w]",
    "weights": INTERVALS
    + "T[i, i + w] += T[i, k] * T[k + 1, i + w]\n for i in range(8 - w):\n  T[i, i + w] *= W[i, i + w]",
    "neighbours": "for w in range(1, 8):\n for i in range(8 - w):\n  T[i, i + w] -= T[i, i + w - 1]\n"
    " for i in range(8 - w):\n"
    "  T[i, i + w] -= T[i + 1, i + w] * T[i + 1, i + w - 1]\n"
    " for i in range(8 - w):\n  for k in range(i + 1, i + w):\n   T[i, i + w] += T[i, k] * T[k + 1, i + w]",
    "two tables": INTERVALS + "T[i, i + w] += T[i, k] * W[k + 1, i + w]\n for i in range(8 - w):\n"
    "  W[i, i + w] += T[i, i + w - 1] * W[i + 1, i + w]",
    "by ends": "for w in range(1, 8):\n for j in range(w, 8):\n  for k in range(j - w, j):\n"
    "   T[j - w, j] += T[j - w, k] * T[k + 1, j]",
    "rows alone": INTERVALS + "T[i, i + w] += T[i, k]",
    "before they change": "for w in range(1, 8):\n for i in range(8 - w):\n  for k in range(i):\n"
    "   T[i, i + w] -= T[k, i + w]",
    "from the corner": "for w in range(15):\n for i in range(max(0, w - 7), min(8, w + 1)):\n"
    "  for k in range(w - i):\n   T[i, w - i] += T[i, k]\n"
    " for i in range(max(0, w - 7), min(8, w + 1)):\n  for k in range(i):\n   T[i, w - i] -= T[k, w - i] * C[k]",
    "upside down": "for w in range(1, 8):\n for i in range(8 - w):\n  for k in range(i, i + w):\n"
    "   T[i + w, i] += T[k, i] * T[i + w, k + 1]",
}
EXTENTS = {"T": (8, 8), "W": (8, 8), "C": (8,)}
#: Rows from the last one up, as they are in the source of nussinov.
ROWS_UP = (
    "for i in range(8):\n for j in range(8 - i, 8):\n  for k in range(7 - i, j):\n"
    "   T[7 - i, j] += T[7 - i, k] * T[k + 1, j]"
)


def source(name: str) -> Scop:
    return scop(SHAPES[name], **{array: size for array, size in EXTENTS.items() if f"{array}[" in SHAPES[name]})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("name", SHAPES)
def test_results_stay(name: str, size: int) -> None:
    kernel = source(name)
    found = in_table_tiles(dependences(kernel), size)
    assert found is not None
    promises.run(found)
    assert dump(rewritten(kernel, (f"{TABLE_TILES}{size}",))) == dump(found)
    assert all(computes_the_same(kernel, found, seed) for seed in range(3)), dump(found)


def test_an_order_by_waves_has_tiles() -> None:
    kernel = scop(ROWS_UP, T=(8, 8))
    order = f"{SCHEDULE}{{ S0[i, j, k] -> [i + j, i, k] }}"
    assert diagonals(dependences(kernel)) is None
    found = rewritten(kernel, (order, f"{TABLE_TILES}3"))
    promises.run(found)
    assert all(computes_the_same(kernel, found, seed) for seed in range(3)), dump(found)


def test_a_tile_has_its_elements_and_its_rows_and_columns() -> None:
    found = in_table_tiles(dependences(source("neighbours")), 3)
    assert found is not None
    windows = [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL]
    assert windows == [("T_1", (3, 3)), ("T_2", (4, 8)), ("T_3", (8, 3))]
    [columns] = [part for part in distribute(found, dependences(found)).body if isinstance(part, OuterLoop)]
    [rows] = [part for part in columns.body if isinstance(part, OuterLoop)]
    [waves] = [part for part in rows.body if isinstance(part, OuterLoop)]
    assert (columns.iterator, rows.iterator) == ("column_block", "row_block")
    assert (columns.trip_count, rows.trip_count, waves.trip_count) == (3, 3, 5)


def test_which_elements_a_wave_writes() -> None:
    made = diagonals(dependences(source("two tables")))
    assert made is not None
    assert (made.weights, made.start, made.along, made.extents) == ((-1, 1), 0, ROWS, (8, 8))
    assert [str(array.id) for array in made.updated] == ["T", "W"]
    ends = diagonals(dependences(source("by ends")))
    assert ends is not None and (ends.weights, ends.along) == ((-1, 1), COLUMNS)


@pytest.mark.parametrize("fault", ["rows", "columns", "filled", "written"])
def test_faults_are_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel that a wave does not bring up to date, windows that are not filled, a tile that is not written back."""
    kernel, kept = source("sum"), table_tiles.with_copies
    window = {"rows": "T_2", "columns": "T_3"}.get(fault)

    def spoiled(group, copied, *given):  # type: ignore[no-untyped-def]
        group = [s for s in group if s.write.array != window]
        ways = {"filled": (False,), "written": (True,)}
        return kept(
            group, [(w, points, ways.get(fault, to) if len(to) > 1 else to) for w, points, to in copied], *given
        )

    monkeypatch.setattr(table_tiles, "with_copies", spoiled)
    found = in_table_tiles(dependences(kernel), 3)
    assert found is not None
    assert not all(computes_the_same(kernel, found, seed) for seed in range(3))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (INTERVALS + "T[i, i + w] += T[k, k]", "elements of other rows and columns"),
        (INTERVALS + "T[i, i + w] += T[i, k + 1]", "written in the same wave"),
        (INTERVALS + "C[i] += T[i, k] * T[k + 1, i + w]", "no table is written"),
        ("for w in range(1, 8):\n for i in range(8 - w):\n  T[i, i + w] += T[i, i + w - 1]", "no rows or columns"),
        (
            INTERVALS + "T[i, i + w] += T[i, k]\n for i in range(8 - w):\n  T[7 - w - i, 7 - i] *= C[i]",
            "counted up and down",
        ),
        (
            "for w in range(1, 8):\n for i in range(8):\n  for k in range(w):\n   T[w, i] += T[k, i]",
            "rows, no diagonals",
        ),
        (
            "for w in range(1, 8):\n for i in range(1, 8 - w):\n  for k in range(i, i + w - 1):\n"
            "   T[i, i + w] += T[i - 1, k]",
            "rows of tiles that come later",
        ),
    ],
)
def test_what_has_no_tiles(text: str, why: str) -> None:
    kernel = scop(text, **{array: size for array, size in EXTENTS.items() if f"{array}[" in text})
    assert in_table_tiles(dependences(kernel), 4) is None, why
    with pytest.raises(KernelError, match="no table-tiles of 4 rows and columns"):
        rewritten(kernel, (f"{TABLE_TILES}4",))


@pytest.mark.parametrize(("size", "wanted"), [(3, ()), (8, (2,)), (256, (64,)), (640, (128,)), (2500, (128,))])
def test_tiles_are_whole_beats_and_whole_tiles_where_they_can_be(size: int, wanted: tuple[int, ...]) -> None:
    text = SHAPES["split"].replace("8", str(size))
    assert sizes_of_tiles(dependences(scop(text, T=(size, size)))) == wanted


def test_a_table_of_the_kernel_alone_has_no_tiles() -> None:
    kernel = source("split")
    local = replace(kernel, arrays=tuple(replace(a, role=Role.LOCAL) for a in kernel.arrays))
    assert diagonals(dependences(local)) is None
