"""Units that were spoiled on purpose: the proof of shares and the run of all units each find what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from plain_points import pipelined_point
from unit_boards import run_host

from sisyphus.analysis import Dealer, Dependences, Share, dependences, restricted
from sisyphus.ir import ArrayId, StmtId
from sisyphus.kernel_forms import forms_of
from sisyphus.poly import fix
from sisyphus.request import Source, read_kernel
from sisyphus.target import load_device, make_target
from sisyphus.units import Unit, places
from sisyphus.units.design import project_of, verdict_of
from sisyphus.units.shares import made, unwanted
from sisyphus.verification import Check
from sisyphus.verification.units import UnitParts, check_shares

ROOT = Path(__file__).parents[3]
SOURCE = Source(str(ROOT / "kernels" / "polybench" / "2mm.c"), defines=("NI=7", "NJ=5", "NK=4", "NL=6"))
FOUND = dependences(read_kernel(SOURCE))
D, A, TMP = ArrayId("D"), ArrayId("A"), ArrayId("tmp")
Spoil = Callable[[list[Share]], list[Share]]


def shares(bounds: Sequence[int] = (0, 3, 5, 7), found: Dependences = FOUND) -> list[Share]:
    dealer = Dealer(found)
    cut = [dealer.share(dealer.dealings[0].dealing, low, high) for low, high in pairwise(bounds)]
    return [share for share in cut if share is not None]


def units_of(parts: Sequence[Share], source: Source = SOURCE, found: Dependences = FOUND) -> list[Unit]:
    """Units of plain designs, each in its own place."""
    seats = places(make_target(load_device("u200"), budget="routable"), len(parts))
    units = []
    for number, (share, place) in enumerate(zip(parts, seats, strict=True)):
        part = restricted(found.scop, share)
        kernel = forms_of(part.scop, replace(source, temporaries=unwanted(part.scop, share, ())))[0]
        point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
        units.append(made(number, place, share, part, kernel, point))
    return units


def checks(parts: Sequence[Share], plans: Sequence[Unit] | None = None) -> list[Check]:
    """Of the shares alone."""
    pairs = zip(plans or units_of(parts), parts, strict=True)
    told = [UnitParts(u.part, s.delivers, u.plan, u.kernel.dependences, u.kernel.live) for u, s in pairs]
    return list(check_shares(FOUND, told))


def failures(parts: Sequence[Share]) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in checks(parts) if not check.passed]


def run(parts: Sequence[Share]) -> list[str]:
    """What is wrong with the runs of these units."""
    units = units_of(parts)
    project = project_of(FOUND.scop, units, None, ())
    verdict = verdict_of(FOUND, units, project, (), full=False, listen=lambda stage: None)
    return [f"{c.name}: {c.detail}" for c in verdict.failures if c.name.startswith(("run", "compile"))]


def overlapping(parts: list[Share]) -> list[Share]:
    return [*shares((0, 4))[:1], *parts[1:]]


def lost_row(parts: list[Share]) -> list[Share]:
    return [*shares((0, 2))[:1], *parts[1:]]


def lost_iteration(parts: list[Share]) -> list[Share]:
    """The second unit leaves a column out of its first product."""
    second, name = parts[1], StmtId("S1")
    domain = second.domains[name].subtract(fix(second.domains[name], {"k": 0}))
    return [parts[0], replace(second, domains={**second.domains, name: domain}), parts[2]]


def too_much(parts: list[Share]) -> list[Share]:
    """The second unit delivers a row that it does not compute."""
    second = parts[1]
    (low, high), *rest = second.delivers[D]
    box = ((low, high + 1), *rest)
    wide = {**second.boxes, D: box}
    third = replace(parts[2], delivers={**parts[2].delivers, D: ((high + 2, 6), *rest)})
    return [parts[0], replace(second, delivers={**second.delivers, D: box}, boxes=wide), third]


def test_units_that_are_right_pass() -> None:
    assert failures(shares()) == []
    assert run(shares()) == []


def test_units_that_also_compute_what_others_deliver_pass() -> None:
    dealer = Dealer(FOUND)
    dealing = dealer.dealings[0].dealing
    parts = [dealer.share(dealing, low, high, 3) for low, high in pairwise((0, 3, 6, 7))]
    wide = [share for share in parts if share is not None]
    assert [share.domains[StmtId("S1")].count_val().to_python() for share in wide] == [3 * 5 * 4] * 3
    assert failures(wide) == [] and run(wide) == []


@pytest.mark.parametrize(
    ("spoil", "proved", "ran"),
    [
        (overlapping, "shares of D: apart: [3]", "comes from two units"),
        (
            lost_row,
            "shares of D: complete: [2]",
            "elements differ",
        ),
        (lost_iteration, "unit 1: values of tmp from S1 to S1", "elements differ"),
        (too_much, "unit 1: last values of D by S", "elements differ"),
    ],
)
def test_what_is_wrong_is_proved_and_seen(spoil: Spoil, proved: str, ran: str) -> None:
    parts = spoil(shares())
    assert any(proved in told for told in failures(parts)), failures(parts)
    assert any(ran in told for told in run(parts))


def test_an_array_at_the_wrong_place_is_found() -> None:
    units = units_of(shares())
    part = units[1].part
    elements = {**part.elements, A: (part.elements[A][0] + 1, 0)}
    units[1] = replace(units[1], part=replace(part, elements=elements))
    told = [c.name for c in checks(shares(), units) if not c.passed]
    assert "unit 1: S1 is the source's" in told
    project = project_of(FOUND.scop, units, None, ())
    verdict = verdict_of(FOUND, units, project, (), full=False, listen=lambda stage: None)
    assert any(c.name == "run random" for c in verdict.failures)


def test_an_instance_that_the_source_has_not_is_found() -> None:
    units = units_of(shares())
    part = units[0].part
    iterations = {**part.iterations, StmtId("S3"): (6, 0, 0)}
    units[0] = replace(units[0], part=replace(part, iterations=iterations))
    assert "unit 0: instances of S3" in [c.name for c in checks(shares(), units) if not c.passed]


def test_the_host_deals_runs_and_gathers(tmp_path: Path) -> None:
    done = run_host(units_of(shares()), tmp_path, found=FOUND)
    assert done.status == 0, done.output + done.errors
    assert done.output.count("mismatches=0") == 2 and "sisy: PASS" in done.output
    told = re.findall(
        r"^sisy set=(\w+) seconds=\S+ GF/s=\S+ deal=\S+ send=\S+ run=\S+ fetch=\S+ gather=\S+$", done.output, re.M
    )
    assert told == ["dominant", "random"] and "repeat" not in done.output


@pytest.mark.parametrize("count", [1, 5])
def test_the_host_repeats_with_two_executions_in_flight(tmp_path: Path, count: int) -> None:
    """The board of the tests runs a unit when it is waited for, so that data of the next execution lie beside it."""
    done = run_host(units_of(shares()), tmp_path, "--repeat", str(count), found=FOUND)
    assert done.status == 0, done.output + done.errors
    assert done.output.count("mismatches=0") == 3 and f"sisy repeat={count} seconds=" in done.output
    assert f"started at most {3 * min(count, 2)} at once" in done.errors


def test_executions_that_share_buffers_are_seen(tmp_path: Path) -> None:
    done = run_host(units_of(shares()), tmp_path, "--repeat", "3", spoil=("lanes[n % 2]", "lanes[0]"), found=FOUND)
    assert done.status == 1 and done.output.count("mismatches=0") == 2


def test_the_host_sees_a_lost_row(tmp_path: Path) -> None:
    done = run_host(units_of(lost_row(shares())), tmp_path, "--repeat", "3", found=FOUND)
    assert done.output.count("mismatches=0") == 0
    assert done.status == 1 and "sisy: FAIL" in done.output


#: Kernels with an intermediate, with two outputs, with a border of the input, and with outputs dealt apart.
RUN = {
    "polybench/3mm": "NI=6 NJ=4 NK=3 NL=5 NM=3",
    "polybench/atax": "M=5 N=6",
    "polybench/mvt": "N=7",
    "polybench/gesummv": "N=6",
    "nn/cnn": "I=5 J=2 H=4 W=6 P=2 Q=2",
    "polybench/bicg apart": "M=5 N=7",
    "polybench/atax added": "M=5 N=7",
    "polybench/gemm added": "NI=4 NJ=5 NK=7",
}


def of_small(name: str) -> tuple[Source, Dependences, list[Share]]:
    """Three shares of a kernel."""
    path = ROOT / "kernels" / f"{name.split()[0]}.c"
    source = Source(str(path), defines=tuple(RUN[name].split()))
    found = dependences(read_kernel(source))
    dealer, (_, _, kind) = Dealer(found, tree=True), name.partition(" ")
    kinds = [("apart" if d.dealing.apart else "added" if d.dealing.added else "", d.dealing) for d in dealer.dealings]
    (dealing, *_) = [dealing for known, dealing in kinds if known == kind]
    bounds = (0, 3, 5, 12) if dealing.apart else (0, 2, 3, dealing.extent)
    cut = [dealer.share(dealing, low, high) for low, high in pairwise(bounds)]
    return source, found, [share for share in cut if share is not None]


@pytest.mark.parametrize("name", sorted(RUN))
def test_units_of_other_kernels_pass(name: str) -> None:
    source, found, parts = of_small(name)
    units = units_of(parts, source, found)
    project = project_of(found.scop, units, None, ())
    verdict = verdict_of(found, units, project, (), full=False, listen=lambda stage: None)
    assert verdict.passed and any(check.name == "run random" for check in verdict.checks)


def failing(parts: Sequence[Share], source: Source, found: Dependences) -> tuple[list[str], list[str]]:
    """The checks of shares that fail, and what is wrong with runs."""
    units = units_of(parts, source, found)
    project = project_of(found.scop, units, None, ())
    verdict = verdict_of(found, units, project, (), full=False, listen=lambda stage: None)
    proved = [f"{c.name}: {c.detail}" for c in verdict.failures if not c.name.startswith("run")]
    return proved, [c.name for c in verdict.failures if c.name.startswith("run")]


def test_what_is_added_twice_or_by_nobody_is_found() -> None:
    source, found, parts = of_small("polybench/gemm added")
    (dealing,) = [d.dealing for d in Dealer(found, tree=True).dealings if d.dealing.added]
    one, twice, less = (Dealer(found).share(dealing, *bounds) for bounds in ((0, 2), (1, 3), (3, 6)))
    assert one is not None and twice is not None and less is not None
    proved, ran = failing([one, twice, parts[2]], source, found)
    assert [told.partition(": [")[0] for told in proved] == ["sums of C: apart"] and "run random" in ran
    proved, ran = failing([*parts[:2], less], source, found)
    assert [told.partition(": [")[0] for told in proved] == ["sums of C: complete"] and "run random" in ran


def test_a_sum_that_begins_twice_is_found() -> None:
    source, found, parts = of_small("polybench/gemm added")
    proved, ran = failing([parts[0], replace(parts[1], adds=frozenset()), parts[2]], source, found)
    assert any(told.startswith("shares of C: apart") for told in proved) and "run random" in ran
    assert any(told.startswith("sums of C: beginning") for told in proved)


def test_the_host_adds_up(tmp_path: Path) -> None:
    source, found, parts = of_small("polybench/gemm added")
    done = run_host(units_of(parts, source, found), tmp_path, "--repeat", "3", found=found)
    assert done.status == 0, done.output + done.errors
    assert done.output.count("mismatches=0") == 3


def test_a_returned_number_and_elements_that_nothing_writes(tmp_path: Path) -> None:
    """The number is of the first unit alone; of what is around the written rows, no unit delivers anything."""
    loops = "for (int i = 5; i < 9; i++) for (int j = 0; j < 3; j++) b[i][j] = 2 * a[i][j];"
    path = tmp_path / "scale.c"
    path.write_text(f"int scale(float a[9][3], float b[9][3]) {{ {loops} return 7; }}")
    source = Source(str(path))
    found = dependences(read_kernel(source))
    units = units_of(shares((0, 1, 3, 4), found), source, found)
    assert [set(unit.share.delivers) for unit in units] == [{"b", "scale_result"}, {"b"}, {"b"}]
    verdict = verdict_of(found, units, project_of(found.scop, units, None, ()), (), full=False, listen=lambda _: None)
    assert verdict.passed and any(check.name == "run random" for check in verdict.checks)
    done = run_host(units, tmp_path, "--repeat", "3", found=found)
    assert done.status == 0, done.output + done.errors
    assert done.output.count("mismatches=0") == 3


def test_an_output_that_no_unit_delivers_is_found() -> None:
    source, found, parts = of_small("polybench/bicg apart")
    units = units_of([*parts[:2], replace(parts[2], delivers={})], source, found)
    told = [UnitParts(u.part, u.share.delivers, u.plan, u.kernel.dependences, u.kernel.live) for u in units]
    assert [c.name for c in check_shares(found, told) if not c.passed] == ["shares of q: complete"]


def test_a_unit_stores_only_what_it_delivers() -> None:
    source = Source(str(ROOT / "kernels" / "polybench" / "3mm.c"), defines=("NI=6", "NJ=4", "NK=3", "NL=5", "NM=3"))
    found = dependences(read_kernel(source))
    units = units_of(shares((0, 2, 3, Dealer(found).dealings[0].dealing.extent), found), source, found)
    stored = [{p.name for p in u.plan.ports if p.kind == "array" and p.direction != "in"} for u in units]
    assert stored == [set(unit.share.delivers) for unit in units]
