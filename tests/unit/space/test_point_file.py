"""Design points in files: every field is built or refused, with its place and a sentence; the schema is the reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import sisy
from point_files import KERNELS, POINTS, case

from sisyphus.backends.hls.buffers import STORAGE_PRAGMAS
from sisyphus.errors import KernelError
from sisyphus.plan import build_plan
from sisyphus.space import DesignPoint, place_of
from sisyphus.space.point import schema

GEMM = json.loads((POINTS / "gemm-padded.json").read_text())
Spoil = Callable[[dict[str, Any]], object]

WRONG: list[tuple[Spoil, str, str]] = [
    (lambda d: d["buffers"][0].update(copies=3), "buffers[0].copies", "1, or 2: while"),
    (lambda d: d["buffers"][0].update(copies=-5), "buffers[0].copies", "`-5`"),
    (lambda d: d["nests"][0].update(slr=7), "nests[0].slr", "no nest can be placed on an SLR"),
    (lambda d: d["nests"][1].update(slr=99), "nests[1].slr", "`99`"),
    (lambda d: d["nests"][0].update(slrs=0), "nests[0].slrs", "no such field; did you mean `slr`?"),
    (lambda d: d["transfers"][0].update(colour="red"), "transfers[0].colour", "known: buffer, width"),
    (lambda d: d.update(nest=[]), "nest", "did you mean `nests`?"),
    (lambda d: d["nests"][0]["tiles"].update(i=[10**30, 1, 1]), "nests[0].tiles.i[0]", "from 1 to 2147483647"),
    (lambda d: d["nests"][0]["tiles"].update(i=[0, 1, 1]), "nests[0].tiles.i[0]", "`0`"),
    (lambda d: d["nests"][0]["tiles"].update(i=[1, 2]), "nests[0].tiles.i", "three trip counts"),
    (lambda d: d["buffers"][0].update(partition=[True, 1]), "buffers[0].partition[0]", "`true`"),
    (lambda d: d["buffers"][0].update(partition="44"), "buffers[0].partition", "as a list"),
    (lambda d: d["nests"][0].update(pipeline=["i"]), "nests[0].pipeline", "or null for none"),
    (lambda d: d["nests"][0].update(order="ij"), "nests[0].order", "a list of names"),
    (lambda d: d.update(kernel=["gemm"]), "kernel", "a name"),
    (lambda d: d.update(tree_reduction="no"), "tree_reduction", "true or false"),
    (lambda d: d.update(adders="lut"), "adders", "`dsp`, or `fabric`"),
    (lambda d: d["buffers"][0].update(storage="register"), "buffers[0].storage", "`uram` or `lutram`"),
    (lambda d: d["transfers"][0].update(layout="woven"), "transfers[0].layout", "`plain`, `padded`, `packed`"),
    (lambda d: d["transfers"][0].pop("width"), "transfers[0].width", "is missing"),
    (lambda d: d.update(version=99), "version", "version of this format"),
    (lambda d: d.update(nests=3), "nests", "a list of nests"),
]


def spoilt(spoil: Spoil) -> dict[str, Any]:
    data = json.loads(json.dumps(GEMM))
    spoil(data)
    return data  # type: ignore[no-any-return]


@pytest.mark.parametrize(("spoil", "place", "sentence"), WRONG, ids=[f"{place}-{s[:12]}" for _, place, s in WRONG])
def test_what_cannot_be_built_is_refused_with_its_place(spoil: Spoil, place: str, sentence: str) -> None:
    with pytest.raises(KernelError) as refused:
        DesignPoint.from_json(spoilt(spoil))
    assert refused.value.message.startswith(f"design point: {place}: ")
    assert sentence in refused.value.message
    assert refused.value.exit_code == 1


def test_every_fault_is_told_up_to_a_few() -> None:
    data = spoilt(lambda d: [b.update(copies=3) for b in d["buffers"]])
    with pytest.raises(KernelError) as refused:
        DesignPoint.from_json(data)
    assert refused.value.message.count("the other copy") == len(GEMM["buffers"])
    data = spoilt(lambda d: d.update({f"x{n}": 1 for n in range(20)}))
    with pytest.raises(KernelError, match="and 12 more"):
        DesignPoint.from_json(data)


@pytest.mark.parametrize("path", sorted(POINTS.glob("*.json")), ids=lambda p: p.stem)
def test_points_that_are_written_are_read(path: Path) -> None:
    point = DesignPoint.from_json(json.loads(path.read_text()))
    assert DesignPoint.from_json(json.loads(json.dumps(point.to_json()))) == point


def test_the_schema_lists_just_the_fields_that_are_written() -> None:
    written, defs = DesignPoint.from_json(GEMM).to_json(), schema()["$defs"]
    assert sorted(schema()["properties"]) == sorted(written)
    for name in ("nest", "buffer", "transfer"):
        assert sorted(defs[name]["properties"]) == sorted(written[f"{name}s"][0])
    assert tuple(defs["buffer"]["properties"]["storage"]["enum"]) == ("auto", "deep", *STORAGE_PRAGMAS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"copies": 3}, "copies `3` is none of `1`, `2`"),
        ({"copies": 2}, "cannot be loaded ahead"),
        ({"storage": "register"}, "storage `register` is none of"),
    ],
)
def test_a_point_made_in_memory_is_no_way_around(change: dict[str, Any], said: str) -> None:
    gemm = case("gemm-tiled")
    point = replace(gemm.point, buffers=(replace(gemm.point.buffers[0], **change), *gemm.point.buffers[1:]))
    with pytest.raises(KernelError, match=said):
        build_plan(gemm.scop, gemm.distribution, gemm.live, point)
    point = replace(gemm.point, nests=(replace(gemm.point.nests[0], slr=7), *gemm.point.nests[1:]))
    with pytest.raises(KernelError, match="slr `7` is none of `0`"):
        build_plan(gemm.scop, gemm.distribution, gemm.live, point)


@pytest.mark.parametrize("command", ["optimize", "estimate"])
def test_commands_refuse_such_a_file_with_its_name(command: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    text = json.dumps({"design": spoilt(lambda d: d["buffers"][0].update(copies=3)), "source": {"path": 3}}, indent=1)
    path.write_text(text)
    done = sisy(command, str(KERNELS / "gemm.c"), "--design", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    lines = text.splitlines()
    for key, said in (
        ('"path": 3', "source.path: `3` is not what is wanted here"),
        ('"copies": 3', "design.buffers[0].copies: `3` is not what is wanted here (1, or 2: while"),
    ):
        [number] = [n for n, line in enumerate(lines, start=1) if key in line]
        place = f"{number}:{lines[number - 1].index(key) + len(key)}"
        assert f"{path}:{place}: {said}" in done.stderr


@pytest.mark.parametrize("indent", [None, 1])
def test_every_value_has_its_place(indent: int | None) -> None:
    data = {"a": [1, {'b"]{': "}x,", "c": [[], {}, None]}], "d": -2.5e3, "": {"e": [True]}}
    text = json.dumps(data, indent=indent)
    paths: list[tuple[tuple[str | int, ...], str]] = [
        ((), "{"),
        (("a", 0), "1"),
        (("a", 1, 'b"]{'), '"}x,"'),
        (("a", 1, "c", 2), "null"),
        (("d",), "-2500.0"),
        (("", "e", 0), "true"),
        (("a", 1, "missing"), "{"),
        (("d", "below"), "-2500.0"),
    ]
    for path, begins in paths:
        line, column = place_of(text, path)
        assert text.splitlines()[line - 1][column - 1 :].startswith(begins), path
