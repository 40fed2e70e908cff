"""Units that streams join: verified together in any interleaving, spoiled on purpose, run by the host, and chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from plain_points import pipelined_point
from unit_boards import run_host

from sisyphus.analysis import Cut, Dealer, Dependences, Stream, apart, cuts, dependences, phase_of, restricted
from sisyphus.errors import KernelError, UsageError
from sisyphus.ir import ArrayId
from sisyphus.kernel_forms import forms_of
from sisyphus.plan import Direction, Plan, not_in_one_pass, streams_between
from sisyphus.request import Request, Source, read_kernel
from sisyphus.schemas import schema
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target
from sisyphus.units import Unit, UnitsDesign, optimize_units, places, recheck_units
from sisyphus.units.design import project_of, verdict_of
from sisyphus.units.joined import best_cut, longest_way
from sisyphus.units.shares import made, unwanted
from sisyphus.units.streams import cycles_together, deep_enough, exceeded, results_of, with_streams
from sisyphus.verification import Check, Verdict
from sisyphus.verification.differential_run import run_files
from sisyphus.verification.streams import check_streams

ROOT = Path(__file__).parents[3]
SIZES = {"2mm": "NI=7 NJ=5 NK=4 NL=6", "3mm": "NI=4 NJ=4 NK=3 NL=4 NM=3", "gemver": "N=5"}
LOCAL: dict[str, tuple[str, ...]] = {"2mm": ("tmp",), "3mm": ("E", "F"), "gemver": ()}
TARGET = make_target(load_device("u200"), budget="routable")


def known(name: str, count: int = 2) -> tuple[Source, Dependences, Cut]:
    path = str(ROOT / "kernels" / "polybench" / f"{name}.c")
    source = Source(path, defines=tuple(SIZES[name].split()), temporaries=LOCAL[name])
    found = dependences(read_kernel(source))
    return source, found, next(iter(cuts(found))) if count == 2 else best_cut(found, [count], LOCAL[name])


def joined(name: str, depths: Mapping[str, int], count: int = 2) -> tuple[Dependences, Cut, list[Unit]]:
    """A unit of a plain design for each phase, with streams that are so deep."""
    source_of, found, cut = known(name, count)
    units = list[Unit]()
    for at, place in enumerate(places(TARGET, len(cut))):
        phase = phase_of(found.scop, cut, at, source_of.temporaries)
        dealer = Dealer(dependences(phase.scop), phase.temporaries)
        share = dealer.share(dealer.dealings[0].dealing, 0, dealer.dealings[0].dealing.extent)
        assert share is not None
        part = restricted(phase.scop, share)
        kernel = forms_of(part.scop, replace(source_of, temporaries=unwanted(part.scop, share, phase.temporaries)))[0]
        point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
        units.append(replace(made(at, place, share, part, kernel, point), phase=at))
    streams = list[Stream]()
    for sink, unit in enumerate(units):
        for source, array in product(units[:sink], depths):
            given, sent = ({p.name: p.direction for p in one.plan.ports} for one in (unit, source))
            if array in given and sent.get(array, "in") != "in":
                streams.append(Stream(array, source.number, sink, 1, depths[array]))
    results = results_of(found.scop, source_of.temporaries)
    return found, cut, [with_streams(unit, streams, results) for unit in units]


def verdict(name: str, depths: Mapping[str, int], count: int = 2) -> Verdict:
    found, cut, units = joined(name, depths, count)
    project = project_of(found.scop, units, None, LOCAL[name])
    return verdict_of(found, units, project, LOCAL[name], cut=cut, full=False, listen=lambda stage: None)


def ran(name: str, depths: Mapping[str, int], file: str, old: str, new: str, count: int = 2) -> str:
    """What a run says where the text of a file is changed; empty where it passes."""
    found, _, units = joined(name, depths, count)
    files = dict(project_of(found.scop, units, None, LOCAL[name]).files)
    assert re.search(old, files[file]), (old, files[file])
    files[file] = re.sub(old, new, files[file], count=1)
    checks = run_files(files, ("random",), time_limit_s=60).checks
    return " ".join(check.detail for check in checks if not check.passed)


def failed(found: Verdict) -> dict[str, str]:
    return {check.name: check.detail for check in found.failures}


#: The receiving unit takes F before E, and the sending unit sends E before F.
OTHER_ORDER = ("kernel_1.cpp", r"( +load_E\(.*;\n)((?:.*\n)*?)( +load_F\(.*;\n)", r"\3\2\1")


@pytest.mark.parametrize(
    ("name", "count", "depths"),
    [
        ("2mm", 2, {"tmp": 1}),
        ("3mm", 2, {"E": 16, "F": 16}),
        ("3mm", 3, {"E": 1, "F": 2}),
        ("gemver", 3, {"A": 25, "x": 5}),
    ],
)
def test_units_pass(name: str, count: int, depths: Mapping[str, int]) -> None:
    found = verdict(name, depths, count)
    assert failed(found) == {}
    names = {check.name for check in found.checks}
    assert "units never wait for ever" in names and "run random" in names
    assert any(name.startswith("stream of ") for name in names)


def test_a_stream_that_is_too_shallow_is_told_by_the_proof_and_by_the_run() -> None:
    """In the order of the text nothing goes wrong; a tool may take another one, in which the run does not end."""
    told = failed(verdict("3mm", {"E": 2, "F": 2}))
    assert list(told) == ["units never wait for ever"]
    assert "E (2 of 16 beats)" in told["units never wait for ever"]
    told = ran("3mm", {"E": 2, "F": 2}, *OTHER_ORDER)
    assert "units wait for each other: unit 0 to send E, unit 1 to receive F" in told


def test_streams_that_are_deep_enough_pass_in_another_order() -> None:
    assert ran("3mm", {"E": 16, "F": 16}, *OTHER_ORDER) == ""


def test_swapped_connections_are_found() -> None:
    given, swapped = "stream_0_1_F, stream_0_1_E", "stream_0_1_E, stream_0_1_F"
    told = ran("3mm", {"E": 16, "F": 16}, "testbench.cpp", rf"(turns\.add.*3mm_1\(.*){given}", rf"\1{swapped}")
    assert "of 16 elements differ" in told


@pytest.mark.parametrize(
    ("file", "beats", "depth", "fault"),
    [
        ("kernel_0.cpp", 34, 4, "units wait for each other: unit 1 to receive tmp"),
        ("kernel_1.cpp", 30, 1, "units wait for each other: unit 0 to send tmp"),
        ("kernel_1.cpp", 34, 4, "beats are left in stream_0_1_tmp"),
    ],
)
def test_lost_and_left_beats_are_found(file: str, beats: int, depth: int, fault: str) -> None:
    assert fault in ran("2mm", {"tmp": depth}, file, r"(_tmp(?:_to_1)?\(hls(?:.*\n)*?.*beat < )35", rf"\g<1>{beats}")


def ends_of(units: Sequence[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    return [(unit.plan, unit.part.elements) for unit in units]


def spoiled_port(plan: Plan, **changes: object) -> Plan:
    return replace(plan, ports=tuple(replace(p, **changes) if p.name == "tmp" else p for p in plan.ports))  # type: ignore[arg-type]


Spoil = Callable[[list[Unit]], list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]]


def other_beats(units: list[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    (sends, first), (gets, second) = ends_of(units)
    return [(sends, first), (spoiled_port(gets, layout="padded"), second)]


def other_rows(units: list[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    one, (gets, second) = ends_of(units)
    return [one, (gets, {**second, ArrayId("tmp"): (1, 0)})]


def open_end(units: list[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    one, (gets, second) = ends_of(units)
    return [one, (spoiled_port(gets, name="tmp2"), second)]


def in_memory(units: list[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    """The array is also written to memory, and read from there."""
    (sends, first), (gets, second) = ends_of(units)
    port = next(p for p in gets.ports if p.name == "C")
    return [(replace(sends, ports=(*sends.ports, replace(port, direction="out"))), first), (gets, second)]


def twice(units: list[Unit]) -> list[tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]]:
    (sends, first), other = ends_of(units)
    return [(replace(sends, body=(*sends.body, sends.body[-1])), first), other]


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (other_beats, "stream of tmp from unit 0 to unit 1"),
        (other_rows, "stream of tmp from unit 0 to unit 1"),
        (twice, "stream of tmp from unit 0 to unit 1"),
        (open_end, "unit 1: end of the stream of tmp2"),
        (in_memory, "unit 1: C"),
    ],
)
def test_the_proof_finds(spoil: Spoil, check: str) -> None:
    _, _, units = joined("2mm", {"tmp": 1})
    assert [c.name for c in check_streams(ends_of(units)) if not c.passed] == []
    told: list[Check] = [c for c in check_streams(spoil(units)) if not c.passed]
    assert check in [c.name for c in told]


def test_a_unit_with_streams_has_no_memory_for_them_and_pays_for_a_fifo() -> None:
    _, _, units = joined("2mm", {"tmp": 4096})
    assert [s.array for s in streams_between([unit.plan for unit in units])] == ["tmp"]
    sends, gets = units
    assert (sends.plan.ports[-1].name, gets.plan.ports[-1].name) == ("tmp_to_1", "tmp")
    assert sends.plan.ports[-1].kind == gets.plan.ports[-1].kind == "stream" and gets.plan.ports[-1].depth == 4096
    assert not_in_one_pass(sends.plan, "tmp_to_1", Direction.STORE) == ""
    assert not_in_one_pass(gets.plan, "tmp", Direction.LOAD) == ""
    text = project_of(read_kernel(known("2mm")[0]), units, None, ("tmp",)).files["kernel_0.cpp"]
    assert "interface mode=axis port=tmp_to_1\n" in text and "port=tmp bundle" not in text
    memory = made(1, gets.place, gets.share, gets.part, gets.kernel, gets.point).estimate
    port = gets.plan.ports[-1]
    fifo = TARGET.memories.fifo_blocks(port.type.bits, 4096)
    adapter = TARGET.memories.m_axi(port.type.bits).bram18k
    assert gets.estimate.bram18k == memory.bram18k - adapter + fifo == memory.bram18k - adapter + 8
    assert gets.estimate.bytes_moved == memory.bytes_moved - 7 * 5 * 4
    assert "transfer-between-units" in gets.estimate.constructs["load_tmp"] and not gets.estimate.is_trusted


def test_all_units_run_at_the_same_time() -> None:
    """One pass of beats is shared, and loads of the later unit are done by then."""
    _, _, units = joined("2mm", {"tmp": 1})
    streams = streams_between([unit.plan for unit in units])
    together = cycles_together(units, streams)
    assert max(u.cycles for u in units) < together < sum(u.cycles for u in units) - 35


def test_beats_take_three_cycles_over_each_boundary_of_slrs() -> None:
    _, _, units = joined("2mm", {"tmp": 1})
    streams = streams_between([unit.plan for unit in units])
    sends, gets = units
    assert (sends.place.slr, gets.place.slr) == (0, 2)

    def together(slr: int) -> int:
        return cycles_together([sends, replace(gets, place=replace(gets.place, slr=slr))], streams)

    assert [together(slr) - together(0) for slr in (1, 2)] == [3, 6]


def test_only_streams_that_close_a_cycle_are_deep() -> None:
    e, f = Stream("E", 0, 1, 2000, 1024), Stream("F", 0, 1, 3000, 1024)
    assert [s.depth for s in deep_enough((), [e, f])] == [2048, 4096]
    apart = replace(f, source=2, sink=1)
    assert deep_enough((), [e, apart]) == (e, apart)
    with pytest.raises(KernelError, match="would have to hold 40,000 beats"):
        deep_enough((), [replace(e, beats=40_000), replace(f, beats=50_000)])


def test_the_host_starts_all_units_and_gives_nothing_for_streams(tmp_path: Path) -> None:
    found, _, units = joined("2mm", {"tmp": 4})
    done = run_host(units, tmp_path, "--repeat", "3", found=found, temporaries=("tmp",))
    assert done.status == 0 and done.output.count("mismatches=0") == 3, done.output + done.errors
    host = (tmp_path / "host.cpp").read_text()
    assert "unit_0_tmp" not in host and "unit_1_tmp" not in host and "hand_over" not in host


def test_what_is_sent_to_several_units_and_is_a_result_is_stored_as_well(tmp_path: Path) -> None:
    """A of gemver is read from memory, updated, stored, and sent to both of the other units; x is sent and stored."""
    found, _, units = joined("gemver", {"A": 25, "x": 5}, 3)
    streams = streams_between([unit.plan for unit in units])
    assert {(s.array, s.source, s.sink) for s in streams} == {("A", 0, 1), ("A", 0, 2), ("x", 1, 2)}
    kinds = {p.name: (p.kind, p.direction) for p in units[0].plan.ports if p.name.startswith("A")}
    assert kinds == {"A": ("array", "inout"), "A_to_1": ("stream", "out"), "A_to_2": ("stream", "out")}
    done = run_host(units, tmp_path, "--repeat", "2", found=found)
    assert done.status == 0 and done.output.count("mismatches=0") == 3, done.output + done.errors
    told = ran("gemver", {"A": 25, "x": 5}, "kernel_0.cpp", r"(    )(send_A_to_2\()", r"\1if (false) \2", count=3)
    assert "unit 2 to receive A" in told


#: t is a local array, and so no result.
CHAIN = """
void chain(float A[6][8], float B[8][8], float C[8][8], float y[6][8]) {
    float t[6][8];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            t[i][j] = 0.0f;
            for (int k = 0; k < 8; k++) t[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            y[i][j] = 0.0f;
            for (int k = 0; k < 8; k++) y[i][j] += t[i][k] * C[k][j];
        }
}
"""


def chain(folder: Path, **asked: object) -> UnitsDesign:
    (folder / "chain.c").write_text(CHAIN)
    target = make_target(load_device("u55c"), budget="routable", dsp=60)
    request = Request(Source(str(folder / "chain.c")), target, limits=Limits(effort=0.1), html=True)
    return optimize_units(replace(request, **asked), "auto", streams=True)  # type: ignore[arg-type]


@pytest.mark.long
def test_streams_are_chosen_written_and_checked_again(tmp_path: Path) -> None:
    design = chain(tmp_path)
    design.check()
    (stream,) = design.placed.streams
    assert (stream.array, stream.source, stream.sink) == ("t", 0, 1)
    assert len({unit.place.slr for unit in design.placed.units}) == 2
    assert design.cycles == cycles_together(design.placed.units, [stream]) == design.data["cycles"]
    assert "streams of `t` from 0 to 1" in str(design)
    assert [*Draft202012Validator(dict(schema("units"))).iter_errors(json.loads(json.dumps(design.design_data)))] == []
    folder = design.save(tmp_path / "out")
    assert "stream_connect=chain_0_1.t_to_1:chain_1_1.t:1024\n" in (folder / "system.cfg").read_text()
    again = recheck_units(folder)
    assert again.verdict.passed and "file design.json, streams" in {c.name for c in again.verdict.checks}
    data = json.loads((folder / "design.json").read_text())
    data["streams"][0]["depth"] = 512
    (folder / "design.json").write_text(json.dumps(data))
    assert {"file system.cfg", "file testbench.cpp"} <= set(failed(recheck_units(folder).verdict))


def test_an_argument_that_is_called_as_a_stream_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clash.c").write_text(CHAIN.replace(" A[6]", " t_to_1[6]").replace("A[i]", "t_to_1[i]"))
    request = Request(Source(str(tmp_path / "clash.c")), TARGET, limits=Limits(effort=0.1), verify=False)
    with pytest.raises(KernelError, match="`t_to_1` is an argument, and a stream would be called so"):
        optimize_units(request, 2, streams=True)


def test_what_cannot_be_streamed_is_refused(tmp_path: Path) -> None:
    source, _, _ = known("2mm")
    request = Request(source, TARGET, limits=Limits(effort=0.1), verify=False)
    bicg = Source(str(ROOT / "kernels" / "polybench" / "bicg.c"))
    with pytest.raises(KernelError, match=r"over 2 units that streams join: none needs anything of another one"):
        optimize_units(replace(request, source=bicg), 2, streams=True)
    with pytest.raises(KernelError, match=r"over 3 units .* all its statements write one array, or need each other"):
        optimize_units(request, 3, streams=True)
    with pytest.raises(UsageError, match="`--streams` needs several units"):
        optimize_units(request, 1, streams=True)
    with pytest.raises(UsageError, match="`--streams` and `--phases` cannot go together"):
        optimize_units(request, 2, phases=2, streams=True)
    with pytest.raises(UsageError, match="`--trust measured`"):
        options = replace(request.options, trust="measured")
        optimize_units(replace(request, options=options), 2, streams=True)


def test_other_parts_of_an_array_are_no_stream(tmp_path: Path) -> None:
    """The later unit reads an element that the earlier one knows nothing of."""
    (tmp_path / "part.c").write_text(
        "void part(float A[10], float t[11], float y[10]) {\n"
        "    for (int i = 0; i < 10; i++) t[i + 1] = A[i] * 2.0f;\n"
        "    for (int i = 0; i < 10; i++) y[i] = t[i] + t[i + 1];\n"
        "}\n"
    )
    request = Request(Source(str(tmp_path / "part.c")), TARGET, limits=Limits(effort=0.1), verify=False)
    with pytest.raises(KernelError, match="`t`: unit 1 needs another part of it than unit 0"):
        optimize_units(request, 2, streams=True)


@pytest.mark.long
def test_what_streams_take_beyond_a_budget_is_reserved(tmp_path: Path) -> None:
    """A result is sent beside its store, which no search counts."""
    (tmp_path / "chain.c").write_text(
        CHAIN.replace("float y[6][8]) {\n    float t[6][8];", "float y[6][8], float t[6][8]) {")
    )
    source = Source(str(tmp_path / "chain.c"))
    roomy = make_target(load_device("u55c"), budget="routable", dsp=60)
    request = Request(source, roomy, limits=Limits(effort=0.1), verify=False)
    used = optimize_units(request, 2, streams=True).placed.units[0].estimate.lut
    tight = make_target(load_device("u55c"), budget="routable", dsp=60, lut=used - 1)
    found = optimize_units(replace(request, target=tight), 2, streams=True).placed.units[0]
    assert {p.name: p.kind for p in found.plan.ports if p.name.startswith("t")} == {"t": "array", "t_to_1": "stream"}
    assert found.estimate.lut < used and exceeded(found) == {}
    assert exceeded(replace(found, estimate=replace(found.estimate, dsp=70))) == {"dsp": 10}


def test_nests_that_need_nothing_of_each_other_have_units_of_their_own() -> None:
    _, found, cut = known("3mm", 3)
    assert cut == (("S0", "S1"), ("S2", "S3"), ("S4", "S5"))
    assert len([*apart(found, 2)]) == 3 and [*apart(found, 4)] == []
    assert best_cut(found, [2, 3], LOCAL["3mm"]) == cut
    phases = [phase_of(found.scop, cut, at, LOCAL["3mm"]) for at in range(3)]
    assert longest_way(phases, [5, 7, 10]) == 17
    _, _, units = joined("3mm", {"E": 1, "F": 1}, 3)
    streams = streams_between([unit.plan for unit in units])
    assert cycles_together(units, streams) < units[1].cycles + units[2].cycles


def test_phases_of_apart_are_all_that_no_dependence_forbids() -> None:
    """Brute force over owners of statements, each array with its writers in one phase."""
    for name in SIZES:
        _, found, _ = known(name)
        ids = [s.id for s in found.scop.statements]
        for count in (2, 3):
            wanted = set()
            for owners in product(range(count), repeat=len(ids)):
                at = dict(zip(ids, owners, strict=True))
                together = all(
                    at[a.id] == at[b.id]
                    for a, b in combinations(found.scop.statements, 2)
                    if a.write.array == b.write.array
                )
                if (
                    set(owners) == set(range(count))
                    and together
                    and all(at[e.source] <= at[e.sink] for e in found.edges)
                ):
                    wanted.add(frozenset(frozenset(i for i in ids if at[i] == phase) for phase in range(count)))
            assert {frozenset(map(frozenset, cut)) for cut in apart(found, count)} == wanted
