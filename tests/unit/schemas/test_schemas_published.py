"""The published schemas hold of what is written and read, and refuse what is not."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from command_line import sisy
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from sisyphus.cli.schema import schema as command
from sisyphus.errors import KernelError
from sisyphus.saved import read_point
from sisyphus.schemas import NAMES, schema
from sisyphus.space import Options

ROOT = Path(__file__).parents[3]
KERNEL = "void k(float A[8], float B[8]) { for (int i = 0; i < 8; i++) B[i] = A[i] + B[i]; }\n"
POINT = Resource.from_contents(schema("design-point"))
REGISTRY: Any = Registry().with_resource("design-point.schema.json", POINT)


def faults(name: str, data: object) -> list[str]:
    found = Draft202012Validator(dict(schema(name)), registry=REGISTRY).iter_errors(data)
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("schemas")
    (place / "k.c").write_text(KERNEL)
    assert sisy("optimize", "k.c", "--top", "2", "-o", "out", cwd=place).returncode == 0
    return place / "out"


@pytest.mark.parametrize("name", [*NAMES, "settings"])
def test_they_are_schemas_and_printed(name: str) -> None:
    said = json.loads(sisy("schema", name).stdout)
    Draft202012Validator.check_schema(said)
    assert name == "settings" or said == schema(name)
    assert [*command.params[0].type.choices] == [*NAMES[:5], "settings"]  # type: ignore[attr-defined]


def test_what_is_written_is_what_they_say(folder: Path) -> None:
    for file, name in (("design.json", "design"), ("design-2.json", "design"), ("run.json", "run")):
        assert faults(name, json.loads((folder / file).read_text())) == [], file


def test_boards_are_what_they_say() -> None:
    boards = tomllib.loads((ROOT / "sisyphus" / "target" / "data" / "devices.toml").read_text())
    for name, table in boards.items():
        assert faults("device", {name: table}) == []
        assert faults("device", {name: table | {"dps": 3}})
        assert faults("device", {name: {key: value for key, value in table.items() if key != "part"}})


def test_settings_are_what_they_say() -> None:
    rules = Draft202012Validator(json.loads(sisy("schema", "settings").stdout))
    good = (
        '[options]\ndevice = "u55c"\n[optimize]\ntime-limit = "20s"\nD = ["N=4"]\ntree-reduction = true\ndsp = 2000\n'
    )
    assert rules.is_valid(tomllib.loads(good + '[space]\nS1.order = "k,i,j"\n'))
    for bad in ("[optimise]\n", '[optimize]\ntime-limt = "20s"\n', "[optimize]\ntree-reduction = 1\n"):
        assert not rules.is_valid(tomllib.loads(bad))


SPOILT: list[Callable[[dict[str, Any]], object]] = [
    lambda data: data.update(estimat={}),
    lambda data: data.update(version="1"),
    lambda data: data["target"].update(clock_mhz=-3),
    lambda data: data["source"].update(defines="N=3"),
    lambda data: data["design"]["buffers"][0].update(copies=-5),
    lambda data: data.pop("kernel"),
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_what_they_do_not_say_is_a_fault(spoil: Callable[[dict[str, Any]], object], folder: Path) -> None:
    data = json.loads((folder / "design.json").read_text())
    spoilt = copy.deepcopy(data)
    spoil(spoilt)
    assert faults("design", spoilt) and not faults("design", data)


@pytest.mark.parametrize("place", [(), ("source",), ("target",), ("target", "budget"), ("search",), ("estimate",)])
def test_a_field_that_is_none_is_refused_where_it_is_read(place: Sequence[str], folder: Path, tmp_path: Path) -> None:
    data = json.loads((folder / "design.json").read_text())
    inside = reduce(lambda part, name: part[name], place, data)
    known = next(iter(inside))
    inside[f"{known}s"] = 1
    (tmp_path / "design.json").write_text(json.dumps(data))
    with pytest.raises(KernelError) as caught:
        read_point(tmp_path / "design.json")
    where = ".".join((*place, f"{known}s"))
    path, line, _, told = caught.value.message.split(":", 3)
    assert (path, line) == (str(tmp_path / "design.json"), "1")
    assert told.startswith(f" {where}: no such field; did you mean `{known}`?")


def test_the_schema_knows_every_option_of_a_search() -> None:
    known = schema("design")["properties"]["search"]["properties"]["options"]["properties"]
    assert set(known) == {option.name for option in fields(Options)}
