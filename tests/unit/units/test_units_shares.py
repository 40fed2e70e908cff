"""Shares: equal ones share a search, unequal SLRs get unequal ones, and what cannot be dealt is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sisyphus import pipeline
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.part_search import Choice
from sisyphus.request import Kernel, Request, Source, read_kernel
from sisyphus.solve import Limits, Stop
from sisyphus.space import Options
from sisyphus.target import Level, load_device, make_target
from sisyphus.units import Count, Split, split
from sisyphus.values import replace

POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"


class Searches:
    """Finds designs as the command does, and remembers for which extents and with which knobs it was asked."""

    def __init__(self, *, is_late: bool = False) -> None:
        self.is_late = is_late
        self.asked = list[tuple[int, ...]]()
        self.fixed = list[tuple[str, ...]]()
        self.begun = list[bool]()

    def find(self, kernels: Sequence[Kernel], request: Request) -> Choice:
        self.asked.append(kernels[0].scop.arrays[0].extents)
        self.fixed.append(request.fixes)
        self.begun.append(request.start is not None)
        choice = pipeline.search(kernels, request)
        if not self.is_late or choice.outcome is None:
            return choice
        return replace(choice, outcome=replace(choice.outcome, stop=Stop.TIME))


def of_text(folder: Path, text: str, units: Count, *, tree: bool = False) -> Split:
    path = folder / "kernel.c"
    path.write_text(text)
    source, target = Source(str(path)), make_target(load_device("u200"), budget="routable")
    request = Request(source, target, Options(tree_reduction=tree), limits=Limits(effort=0.5))
    return split(read_kernel(source), request, units, Searches().find, lambda stage: None)


def dealt(
    name: str,
    *defines: str,
    device: str = "u55c",
    units: Count = 3,
    dsp: int = 60,
    budget: Level = "routable",
    is_late: bool = False,
) -> tuple[Split, Searches]:
    source = Source(str(POLYBENCH / f"{name}.c"), defines=defines)
    target = make_target(load_device(device), budget=budget, dsp=dsp)
    request = Request(source, target, Options(tiles="divisors"), limits=Limits(effort=0.5))
    searches = Searches(is_late=is_late)
    return split(read_kernel(source), request, units, searches.find, lambda stage: None), searches


def test_equal_shares_on_equal_slrs_share_one_search() -> None:
    found, searches = dealt("gemm", "NI=12", "NJ=6", "NK=5", device="u200", budget="chip")
    assert found.sizes == (4, 4, 4) and len({u.cycles for u in found.units}) == 1
    first = [extents for extents, fixes in zip(searches.asked, searches.fixed, strict=True) if fixes == ("adders=dsp",)]
    assert first.count((4, 6)) == 2, "SLR1 has two banks, the others one"
    assert found.units[0].point is found.units[2].point
    assert [unit.plan.scop.name for unit in found.units] == ["kernel_gemm_0", "kernel_gemm_1", "kernel_gemm_2"]
    assert [unit.part.elements[ArrayId("A")] for unit in found.units] == [(0, 0), (4, 0), (8, 0)]


@pytest.mark.long
def test_every_way_is_tried_with_adders_of_either_kind_and_the_best_goes_on() -> None:
    found, searches = dealt("gemm", "NI=12", "NJ=6", "NK=5")
    assert searches.fixed == [("adders=dsp",), ("adders=fabric",)] * 2, "by rows and by columns"
    assert all(unit.proved for unit in found.units), "both kinds of adders were searched to the end"
    found, searches = dealt("gemm", "NI=12", "NJ=6", "NK=5", is_late=True)
    assert not any(unit.proved for unit in found.units)
    assert searches.fixed == [("adders=dsp",), ("adders=fabric",)] * 2 + [()] and searches.begun == [False] * 4 + [True]


@pytest.mark.long
def test_a_smaller_slr_gets_less() -> None:
    found, _ = dealt("gemm", "NI=60", "NJ=16", "NK=20", device="u200", dsp=2265)
    first, second, third = found.sizes
    assert first == third > second
    assert found.units[1].place.target.budget.lut < found.units[0].place.target.budget.lut
    assert found.cycles == max(unit.cycles for unit in found.units)


@pytest.mark.long
def test_rows_of_a_triangle_are_dealt_by_their_work() -> None:
    found, _ = dealt("syrk", "N=12", "M=4")
    first, _, last = found.sizes
    assert first > last


def test_a_rest_of_a_few_rows_has_the_design_of_the_others() -> None:
    found, searches = dealt("gemm", "NI=29", "NJ=7", "NK=5")
    assert found.sizes[:2] != found.sizes[1:] and len({u.cycles for u in found.units}) == 1
    assert len({*searches.asked}) == 1 and len({id(u.point) for u in found.units}) == 1
    assert {u.share.width for u in found.units} == {max(found.sizes)}
    delivered = [u.share.delivers[ArrayId("C")][0 if found.dealing.name == "C.0" else 1] for u in found.units]
    assert delivered == [(u.share.low, u.share.high - 1) for u in found.units]


def test_what_all_units_need_of_an_intermediate_each_computes_and_one_delivers() -> None:
    found, _ = dealt("3mm", "NI=6", "NJ=4", "NK=3", "NL=5", "NM=3")
    delivered = [set(unit.share.delivers) for unit in found.units]
    assert set.union(*delivered) == {"E", "F", "G"}


@pytest.mark.long
def test_as_many_units_as_help() -> None:
    found, _ = dealt("gemm", "NI=24", "NJ=4", "NK=6", device="u200", units="auto")
    assert len(found.units) > 1
    alone, _ = dealt("trisolv", "N=8", device="u200", units="auto")
    assert len(alone.units) == 1


@pytest.mark.parametrize("units", [1, "auto"])
def test_one_unit_takes_whatever_cannot_be_dealt(tmp_path: Path, units: Count) -> None:
    found = of_text(tmp_path, "void k(float a[9], float s[1]) { for (int i = 0; i < 9; i++) s[0] += a[i]; }", units)
    assert str(found.dealing) == "s whole" and found.sizes == (1,)


def test_a_unit_may_add_nothing_where_another_one_does(tmp_path: Path) -> None:
    """Adders in fabric, which others ask for, are not asked for there."""
    loop = "for (int i = 0; i < 9; i++) { s[0] += a[i]; b[i] = 2 * a[i]; }"
    text = f"void k(float a[9], float b[9], float s[1]) {{ {loop} }}"
    found = of_text(tmp_path, text, 2)
    assert [set(unit.share.delivers) for unit in found.units] == [{"b", "s"}, {"b"}]


def test_what_units_could_add_up_is_said(tmp_path: Path) -> None:
    text = "void k(float a[9], float s[1]) { for (int i = 0; i < 9; i++) s[0] += a[i]; }"
    with pytest.raises(KernelError, match="2 units: of each a single element is written") as refused:
        of_text(tmp_path, text, 2)
    assert "`--tree-reduction`" in (refused.value.hint or "")
    assert of_text(tmp_path, text, 2, tree=True).dealing.name == "s over i"


def test_what_cannot_be_dealt_is_refused() -> None:
    with pytest.raises(KernelError, match="`kernel_trisolv` cannot be dealt over 2 units"):
        dealt("trisolv", "N=8", units=2)
    with pytest.raises(KernelError, match="cannot be dealt over 3 units"):
        dealt("gemm", "NI=2", "NJ=2", "NK=8")
