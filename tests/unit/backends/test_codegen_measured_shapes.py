"""The code that is printed for published configurations has the shape that was synthesised: loops, pragmas, statements.

`tests/data/measured_designs.json` records that shape beside the reports, as the configuration of each design.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from oracle_import import measured_designs, plan_of

from sisyphus.backends.hls.top_function import print_kernel
from sisyphus.ir import FLOAT
from sisyphus.plan import Plan, Port

#: A loop as (role, trip count), or a statement as its kind, in the order of the text.
Shape = list[tuple[str, int] | str]

LOOP = re.compile(r"for \(int \w+ = 0; \w+ < (\d+); \+\+\w+\) \{")
STATEMENT = re.compile(r"(buf_)?\w+(\[[^=]*\])+ = (.*);")


def is_plain(entry: Mapping[str, Any]) -> bool:
    """Nests of 2023.2 without the guards, scalars and transfers that other shapes of the template have."""
    nests = entry["tasks"].values()
    plain = all(not (n["transfers"] or n["decls"] or n["extra_loops"]) for n in nests)
    return plain and entry["vitis"] == "2023.2" and not any(s["guard"] for n in nests for s in n["stmts"])


DESIGNS = {entry["id"]: entry for entry in measured_designs() if is_plain(entry)}


def recorded(nest: Mapping[str, Any]) -> Shape:
    """A nest as it was synthesised: tile loops, the pipelined loop, unrolled loops, then what it assigns."""
    trips = [(loop["tc"], loop["pipelined"]) for loop in nest["nest"]]
    at = next((at for at, (_, pipelined) in enumerate(trips) if pipelined), len(trips))
    roles = ["tile"] * at + ["pipelined"] + ["unrolled"] * (len(trips) - at - 1)
    loops = [(role, trip) for role, (trip, _) in zip(roles, trips, strict=False) if trip > 1]
    kinds = ["update" if _reads(s["rhs"], s["lhs"]) else "assignment" for s in nest["stmts"]]
    return [*loops, *kinds]


def _reads(rhs: Any, lhs: Any) -> bool:
    return rhs == lhs or (isinstance(rhs, list) and any(_reads(part, lhs) for part in rhs[1:]))


def printed(text: str) -> Shape:
    """A function of the emitted code in the same form."""
    found: Shape = []
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines):
        if loop := LOOP.fullmatch(line):
            pragma = lines[at + 1].removeprefix("#pragma HLS ")
            role = {"pipeline": "pipelined", "unroll": "unrolled"}.get(pragma, "tile")
            found.append((role, int(loop[1])))
        elif statement := STATEMENT.fullmatch(line):
            target = line[: line.index(" = ")]
            found.append("update" if target in statement[3] else "assignment")
    return found


def source_of(entry: Mapping[str, Any]) -> str:
    plan: Plan = plan_of(entry)
    scalars = tuple(Port(name, "scalar", FLOAT) for name in ("alpha", "beta"))
    return print_kernel(replace(plan, ports=(*plan.ports, *scalars))).source


def functions(source: str) -> dict[str, str]:
    parts = re.split(r"^static void (\w+)\(", source, flags=re.M)
    return dict(zip(parts[1::2], (body.split("\n}\n")[0] for body in parts[2::2]), strict=True))


def test_there_are_ten_of_them() -> None:
    assert len(DESIGNS) >= 10


@pytest.mark.parametrize("name", DESIGNS)
def test_loops_pragmas_and_statements_are_the_measured_ones(name: str) -> None:
    entry = DESIGNS[name]
    source = source_of(entry)
    printed_functions = functions(source)
    for task, nest in entry["tasks"].items():
        assert printed(printed_functions[task]) == recorded(nest), task


@pytest.mark.parametrize("name", DESIGNS)
def test_arrays_are_partitioned_as_they_were(name: str) -> None:
    entry = DESIGNS[name]
    found = re.findall(r"array_partition variable=\w+ type=(complete|cyclic factor=\d+) dim=(\d)", source_of(entry))
    wanted = []
    for array in entry["arrays"].values():
        for dim, (extent, factor) in enumerate(zip(array["dims"], array["partition"], strict=True), start=1):
            if min(extent, factor) > 1:
                wanted.append(("complete" if factor >= extent else f"cyclic factor={factor}", str(dim)))
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", DESIGNS)
def test_no_dependence_is_denied(name: str) -> None:
    """No reported loop whose elements come back late enough needed such a pragma, and it is obeyed unchecked."""
    assert "dependence" not in source_of(DESIGNS[name])


def swapped(text: str) -> str:
    """The same with the first two loops exchanged."""
    heads = [match[0] for match in LOOP.finditer(text)][:2]
    return text.replace(heads[0], "@").replace(heads[1], heads[0]).replace("@", heads[1])


SPOILED: Mapping[str, Callable[[str], str]] = {
    "a pipelined loop more": lambda text: text.replace("#pragma HLS unroll", "#pragma HLS pipeline", 1),
    "an interval is asked for": lambda text: text.replace("#pragma HLS pipeline", "#pragma HLS pipeline II=1"),
    "loops that are not flattened": lambda text: text.replace("#pragma HLS pipeline", "#pragma HLS pipeline off"),
    "a trip more": lambda text: re.sub(r"< (\d+);", lambda match: f"< {int(match[1]) + 1};", text, count=1),
    "loops in another order": swapped,
    "a statement less": lambda text: re.sub(r"\n[^\n]*\] = [^\n]*;(?=\n)", "", text, count=1),
    "an assignment for an update": lambda text: re.sub(r"(\w+(\[[^=\n]*\])+) = \1", r"\1 = 0 *", text, count=1),
}


@pytest.mark.parametrize("spoil", SPOILED)
def test_another_shape_is_told_apart(spoil: str) -> None:
    seen = set[bool]()
    for entry in DESIGNS.values():
        for name, text in functions(source_of(entry)).items():
            if name in entry["tasks"]:
                spoiled = SPOILED[spoil](text)
                seen.add(spoiled != text and printed(spoiled) != recorded(entry["tasks"][name]))
    assert True in seen
