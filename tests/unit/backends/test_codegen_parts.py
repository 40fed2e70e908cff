"""Figures and texts that the printer puts into its files, each by itself, without a compiler."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from types import ModuleType

import pytest
from hand_plans import GEMM_SOURCE, gemm_resident, loop

from sisyphus.backends.hls import handing_over, host, interface, project, testbench_library, unit_host, unit_programs
from sisyphus.backends.hls.identifiers import Names, column_of
from sisyphus.backends.hls.reference import source_in
from sisyphus.backends.hls.testbench import LIBRARY_TOLERANCE, TREE_TOLERANCE, stack_of, tolerance
from sisyphus.backends.hls.tile_tables import print_table
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import DOUBLE, FLOAT, HALF, INT32, ScalarType
from sisyphus.plan import LoopRole, Port, TileList, banks_of, spread
from sisyphus.target import load_device


def test_only_reassociated_sums_of_floats_may_differ() -> None:
    plan = gemm_resident()
    assert tolerance(plan, FLOAT) == tolerance(plan, DOUBLE) == 0.0
    tree = replace(plan, tree_reduction=True)
    assert tolerance(tree, FLOAT) == TREE_TOLERANCE[32] > tolerance(tree, DOUBLE) == TREE_TOLERANCE[64] > 0.0
    assert tolerance(tree, INT32) == 0.0


def test_the_stack_holds_what_is_on_chip_twice_in_whole_pages() -> None:
    plan = gemm_resident()
    assert stack_of(plan) % 4096 == 0
    assert 0 <= stack_of(plan) - (2 * plan.onchip_bytes + (16 << 20)) < 4096


def test_buffers_of_the_host_have_the_bytes_of_their_arrays() -> None:
    text = project(gemm_resident()).files["host.cpp"]
    for name, elements in {"C": 8 * 12, "A": 8 * 10, "B": 10 * 12}.items():
        assert f"xrt::bo bo_{name}(device_, {4 * elements}, " in text


def test_the_array_of_most_bytes_has_the_first_bank() -> None:
    """C has 96 elements, A 80 and B 120; with doubles A is the largest."""
    ports, three = interface.arrays(gemm_resident()), replace(load_device("u200"), banks=3)
    assert banks_of(ports, three) == {"B": (0,), "C": (1,), "A": (2,)}
    wide: list[Port] = [replace(p, type=DOUBLE) if p.name == "A" else p for p in ports]
    assert banks_of(wide, three) == {"A": (0,), "B": (1,), "C": (2,)}
    assert banks_of(ports, replace(three, banks=1)) == {"A": (0,), "B": (0,), "C": (0,)}


def test_a_bank_has_no_more_ports_than_may_be_connected_to_it() -> None:
    """Twenty small arrays together are less than any of three large ones."""
    device = load_device("u200")
    large, small = {f"L{n}": (1 << 20, 1) for n in range(3)}, {f"S{n}": (64, 1) for n in range(20)}
    used = Counter(bank for own in spread({**large, **small}, device).values() for bank in own)
    assert max(used.values()) == device.ports_per_bank == 15
    assert sum(used.values()) == 23


def test_a_source_is_found_only_where_the_printer_put_it() -> None:
    text = project(gemm_resident()).files["reference.c"]
    source = source_in(text)
    assert source is not None and source.strip().splitlines() == GEMM_SOURCE.strip().splitlines()
    lines = text.splitlines()
    for missing in (line for line in lines if line.startswith(("void sisy_", "#define main"))):
        assert source_in("\n".join(line for line in lines if line != missing)) is None


#: Types, constants and variables; functions of other arguments may share a name.
DECLARED = re.compile(
    r"^(?:class|struct|(?:static |const )+[\w:]+|static sigjmp_buf) (\w+)(?= [{=]|[;\[])", re.MULTILINE
)


@pytest.mark.parametrize("module", [testbench_library, host, unit_host, unit_programs, handing_over])
def test_no_kernel_is_called_as_what_its_programs_declare(module: ModuleType) -> None:
    plan = gemm_resident()
    texts = [text for name, text in vars(module).items() if name.isupper() and isinstance(text, str)]
    declared = {name for text in texts for name in DECLARED.findall(text)}
    assert declared
    for name in declared:
        named = replace(plan, scop=replace(plan.scop, name=name))
        assert project(named).top == f"kernel_{name}"


def test_a_column_of_a_table_is_as_wide_as_its_values() -> None:
    loops = tuple(loop(name, 300, LoopRole.TILE) for name in "ij")
    w, names = Writer(), Names()
    for one in loops:
        names.give("tiles", column_of("task0", one), f"{one.iterator}_of")
    print_table(w, names, "task0", TileList(loops, ((0, 0), (255, 256)), ()), "ij")
    assert "unsigned char i_of[2] = {\n    0, 255\n" in w.text() and "unsigned short j_of[2]" in w.text()


@pytest.mark.parametrize(("kind", "epsilon"), [(HALF, 2.0**-10), (FLOAT, 2.0**-23), (DOUBLE, 2.0**-52)])
def test_functions_of_a_library_may_be_some_roundings_off(kind: ScalarType, epsilon: float) -> None:
    assert epsilon < LIBRARY_TOLERANCE[kind.bits] < 1e4 * epsilon
    assert LIBRARY_TOLERANCE[kind.bits] < TREE_TOLERANCE[kind.bits]
