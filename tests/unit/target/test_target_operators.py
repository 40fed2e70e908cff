"""Costs of operators against the facts they were taken from."""

import csv
import importlib.util
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.backends.hls.express import library_function
from sisyphus.errors import InternalError
from sisyphus.frontend.c.mathlib import MATH as C_MATH
from sisyphus.target import OpCost, OperatorTable, operator_table, table_storage
from sisyphus.target.data_files import package_csv

ROOT = Path(__file__).parents[3]
ORACLE = ROOT.parent / "shared" / "oracle" / "operators.csv"
SEEDED = settings(derandomize=True, max_examples=200, deadline=None)

MHZ = {3.33: 300.0, 4.0: 250.0, 4.55: 220.0, 5.0: 200.0, 10.0: 100.0}
FLOATS = ("float", "double")
INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
COMMON = ("add", "sub", "mul", "div", "rem", "abs", "neg", "max", "min", "cmp", "select", "cast", "fma")
BITWISE = ("and", "or", "not", "xor", "shl", "shr")
MATH = (
    *("sqrt", "exp", "log", "pow", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asin", "acos", "atan", "atan2"),
    *("exp2", "exp10", "expm1", "log2", "log10", "log1p", "cbrt", "hypot", "floor", "ceil", "round", "trunc"),
    *("copysign", "recip", "add_fabric", "sub_fabric"),
)


def table(period_ns: float = 4.0, family: str = "ultrascale+") -> OperatorTable:
    return operator_table(clock_mhz=MHZ[period_ns], family=family)


def figures(cost: OpCost) -> tuple[int, int, int, int]:
    return cost.latency, cost.dsp, cost.ff, cost.lut


@pytest.mark.parametrize(
    ("op", "ctype", "period_ns", "expected"),
    [
        ("mul", "float", 4.0, (4, 3, 143, 78)),
        ("mul", "float", 3.33, (4, 3, 143, 78)),
        ("mul", "float", 4.55, (4, 3, 143, 78)),
        ("mul", "float", 5.0, (4, 3, 143, 78)),
        ("mul", "float", 10.0, (3, 3, 128, 135)),
        ("add", "float", 4.0, (7, 2, 318, 198)),
        ("sub", "float", 4.0, (7, 2, 318, 198)),
        ("add", "float", 3.33, (7, 2, 318, 198)),
        ("sub", "float", 4.55, (5, 2, 205, 220)),
        ("add", "float", 10.0, (4, 2, 227, 214)),
        ("add_fabric", "float", 3.33, (5, 0, 243, 338)),
        ("add_fabric", "float", 4.0, (4, 0, 168, 338)),
        ("div", "float", 3.33, (12, 0, 0, 0)),
        ("div", "float", 10.0, (9, 0, 0, 0)),
        ("recip", "float", 3.33, (14, 8, 286, 115)),
        ("exp", "float", 3.33, (14, 7, 316, 748)),
        ("sqrt", "float", 10.0, (8, 0, 0, 0)),
        ("cmp", "float", 3.33, (2, 0, 0, 0)),
        ("select", "float", 4.0, (0, 0, 0, 32)),
        ("select", "double", 4.0, (0, 0, 0, 63)),
        ("mul", "double", 4.0, (6, 8, 373, 119)),
        ("mul", "double", 3.33, (8, 8, 388, 127)),
        ("add", "double", 4.0, (5, 3, 457, 698)),
        ("add_fabric", "double", 4.0, (5, 0, 469, 651)),
        ("div", "double", 10.0, (22, 0, 0, 0)),
        ("mul", "int8", 4.0, (0, 0, 0, 40)),
        ("mul", "uint16", 4.0, (0, 1, 0, 5)),
        ("div", "int32", 4.0, (36, 0, 2283, 1738)),
        ("rem", "uint64", 4.0, (68, 0, 8651, 6607)),
        ("div", "int16", 4.0, (20, 0, 635, 457)),
        ("rem", "int8", 4.0, (12, 0, 189, 106)),
        ("add", "int32", 4.0, (0, 0, 0, 39)),
        ("sub", "int64", 4.0, (0, 0, 0, 71)),
        ("cmp", "int8", 4.0, (0, 0, 0, 15)),
        ("cmp", "uint16", 4.0, (0, 0, 0, 23)),
        ("select", "int64", 4.0, (0, 0, 0, 63)),
        ("xor", "int64", 4.0, (0, 0, 0, 64)),
        ("shl", "int32", 4.0, (0, 0, 0, 92)),
        ("max", "int32", 4.0, (0, 0, 0, 71)),
    ],
)
def test_measured_facts(op: str, ctype: str, period_ns: float, expected: tuple[int, int, int, int]) -> None:
    cost = table(period_ns).cost(op, ctype)
    assert figures(cost) == expected
    assert cost.ii == 1
    assert cost.measured
    assert cost.source


def test_what_is_not_known_says_so() -> None:
    at_250_mhz = table()
    unknown = [("sqrt", "double"), ("div", "double"), ("exp", "float"), ("log", "float"), ("pow", "double")]
    for op, ctype in [*unknown, ("mul", "int32"), ("mul", "int64"), ("max", "float"), ("tanh", "float")]:
        assert not at_250_mhz.cost(op, ctype).measured, (op, ctype)
    assert at_250_mhz.cost("sqrt", "double").latency == 21
    assert figures(at_250_mhz.cost("mul", "int32")) == (2, 3, 165, 49)


def test_clock_rule() -> None:
    """The slowest row that is not slower than the clock; measured only at the clock itself."""
    between = operator_table(clock_mhz=1000 / 4.3, family="ultrascale+").cost("add", "float")
    assert (between.latency, between.measured) == (7, False)
    assert "row of 4 ns" in between.source
    slow = table(5.0).cost("add", "float")
    assert (slow.latency, slow.measured) == (5, False)
    fast = operator_table(clock_mhz=500.0, family="ultrascale+").cost("add", "float")
    assert (fast.latency, fast.measured) == (7, False)
    assert not table(4.0).cost("div", "float").measured
    assert operator_table(clock_mhz=100.0, family="ultrascale+").cost("cmp", "int32").measured


def test_other_families_are_not_measured() -> None:
    zynq = table(10.0, "7series")
    assert (zynq.cost("div", "float").latency, zynq.cost("div", "float").measured) == (16, True)
    assert zynq.cost("add", "float").latency == 5
    for op, ctype in (("mul", "double"), ("add", "int32"), ("select", "float")):
        cost = zynq.cost(op, ctype)
        assert not cost.measured
        assert "seen on ultrascale+" in cost.source
    assert not zynq.mux(4).measured


@pytest.mark.parametrize(
    ("inputs", "lut"),
    [(1, 0), (2, 9), (3, 14), (8, 43), (12, 65), (16, 65), (17, 81), (32, 148), (64, 273), (600, 2693)],
)
def test_multiplexers(inputs: int, lut: int) -> None:
    cost = table().mux(inputs)
    assert (cost.latency, cost.dsp, cost.ff, cost.lut) == (0, 0, 0, lut)
    assert cost.measured is (inputs != 600)


def test_multiplexers_grow_and_then_stay() -> None:
    luts = [table().mux(n).lut for n in range(1, 3000)]
    assert luts == sorted(luts)
    assert luts[-1] == 2693


def test_address_arithmetic() -> None:
    assert figures(table().multiply_add()) == (4, 1, 0, 0)
    assert figures(table().cost("rem", "int32", 9)) == (13, 0, 235, 150)
    assert table().cost("add", "int32", 13).lut == 20
    assert figures(table().cost("mul", "int32", 24, 4)) == (0, 0, 0, 42)
    assert figures(table().cost("mul", "int64", 66, 64)) == (5, 16, 441, 249)
    assert table().cost("mul", "int64", 66, 64).measured
    assert figures(table().cost("mul", "int64", 62, 9)) == (5, 4, 429, 237)
    assert figures(table().cost("fma", "int16")) == (4, 1, 0, 0)


def test_conversions() -> None:
    at_250_mhz = table()
    for source, target in (("float", "double"), ("double", "float")):
        cost = at_250_mhz.cast(source=source, target=target)
        assert (figures(cost), cost.measured) == ((2, 0, 0, 0), True)
    assert figures(at_250_mhz.cast(source="int8", target="uint64")) == (0, 0, 0, 0)
    assert figures(at_250_mhz.cast(source="float", target="float")) == (0, 0, 0, 0)
    assert at_250_mhz.cast(source="int32", target="double").latency == 4
    assert table(10.0).cast(source="int16", target="double").measured
    assert at_250_mhz.cost("cast", "float") == at_250_mhz.cast(source="int32", target="float")


@pytest.mark.parametrize("family", ["ultrascale+", "7series", "versal", "unknown"])
@pytest.mark.parametrize("period_ns", sorted(MHZ))
def test_every_operator_has_a_cost(period_ns: float, family: str) -> None:
    costs = table(period_ns, family)
    wanted = [(op, ctype) for op in COMMON for ctype in FLOATS + INTEGERS]
    wanted += [(op, ctype) for op in MATH for ctype in FLOATS]
    wanted += [(op, ctype) for op in BITWISE for ctype in INTEGERS]
    for op, ctype in wanted:
        cost = costs.cost(op, ctype)
        assert min(figures(cost)) >= 0
        assert cost.ii == 1
        assert cost.source
        assert costs.cost(op, ctype) is cost


def test_unknown_operators_are_our_fault() -> None:
    for op, ctype in (("frobnicate", "float"), ("sqrt", "int32"), ("xor", "float"), ("add", "quad"), ("add", "int0")):
        with pytest.raises(InternalError):
            table().cost(op, ctype)
    with pytest.raises(InternalError):
        table().cost("add", "int32", 0)
    with pytest.raises(InternalError):
        table().mux(0)


@SEEDED
@given(st.sampled_from(("add", "cmp", "select", "or", "xor", "shl", "div", "rem", "max")), st.integers(1, 127))
def test_wider_costs_no_less(op: str, bits: int) -> None:
    narrow, wide = (table().cost(op, "int64", b) for b in (bits, bits + 1))
    assert all(a <= b for a, b in zip(figures(narrow), figures(wide), strict=True))


@SEEDED
@given(st.integers(1, 200), st.integers(1, 200))
def test_products(left: int, right: int) -> None:
    cost = table().cost("mul", "int64", left, right)
    assert min(figures(cost)) >= 0
    assert cost == table().cost("mul", "int64", right, left)
    assert cost.dsp <= table().cost("mul", "int64", left + 40, right + 40).dsp


@SEEDED
@given(
    st.sampled_from(("sqrt", "exp", "add", "mul", "div")), st.sampled_from(FLOATS), st.floats(50, 500), st.floats(1, 2)
)
def test_a_slower_clock_needs_no_more_stages(op: str, ctype: str, mhz: float, factor: float) -> None:
    fast = operator_table(clock_mhz=mhz * factor, family="ultrascale+").cost(op, ctype)
    slow = operator_table(clock_mhz=mhz, family="ultrascale+").cost(op, ctype)
    assert slow.latency <= fast.latency


CORES = {
    ("mul", "float"): "fmul", ("add", "float"): "fadd", ("div", "float"): "fdiv", ("recip", "float"): "frecip",
    ("exp", "float"): "fexp", ("sqrt", "float"): "fsqrt", ("cmp", "float"): "fcmp", ("add_fabric", "float"): "fadd",
    ("mul", "double"): "dmul", ("add", "double"): "dadd", ("add_fabric", "double"): "dadd", ("div", "double"): "ddiv",
    ("cast", "float->double"): "fpext", ("cast", "double->float"): "fptrunc", ("cast", "int->double"): "sitodp",
    ("select", "float"): "select", ("select", "double"): "select",
}  # fmt: skip


def test_measured_rows_are_in_the_reports() -> None:
    if not ORACLE.exists():
        pytest.skip(f"{ORACLE} is absent: the table cannot be compared with the measured one")
    with ORACLE.open(newline="") as stream:
        reports = list(csv.DictReader(stream))
    compared = 0
    for row in package_csv("cores.csv"):
        if row["measured"] != "yes" or row["clock_ns"] == "any":
            continue
        op = row["op"].split("/")[0]
        core = CORES[op, row["type"]]
        same = [
            r
            for r in reports
            if r["operator"] == core
            and r["clock_ns"] == row["clock_ns"]
            and [r[k] for k in ("latency", "dsp", "ff", "lut")] == [row[k] for k in ("latency", "dsp", "ff", "lut")]
            and r["part"].startswith("xc7") == (row["family"] == "7series")
            and ("no_dsp" in r["note"]) == ("no_dsp" in row["source"])
            and any(version == r["vitis"] for version in re.findall(r"20\d\d\.\d", row["source"]))
        ]
        assert same, row
        compared += 1
    assert compared >= 25


def test_fabric_table_is_what_the_script_makes(tmp_path: Path) -> None:
    if not ORACLE.exists():
        pytest.skip(f"{ORACLE} is absent: the width tables cannot be made again")
    spec = importlib.util.spec_from_file_location("make_target_data", ROOT / "scripts" / "make_target_data.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = {(table_, width): cost for (table_, width), cost in script.condense(ORACLE).items()}
    kept = {(r["table"], int(r["width"])): (int(r["ff"]), int(r["lut"])) for r in package_csv("fabric.csv")}
    assert kept == made


@pytest.mark.parametrize("mhz", [220.0, 250.0, 300.0])
def test_every_function_that_a_kernel_may_call_has_a_cost_and_a_text(mhz: float) -> None:
    table = operator_table(clock_mhz=mhz, family="ultrascale+")
    for name, signature in C_MATH.items():
        assert table.cost(table.operation(name, signature.result.key), signature.result.key).source, name
        assert library_function(name) is not None, name


def test_tables_grow_by_64_words_and_bits() -> None:
    table = operator_table(clock_mhz=250.0, family="ultrascale+")
    assert [table.table(words=n, bits=8).lut for n in (1, 64, 65, 256)] == [8, 8, 16, 32]
    assert [table.table(words=n, bits=8).measured for n in (64, 256)] == [False, True]


def test_a_table_larger_than_a_block_memory_is_in_block_memories() -> None:
    table = operator_table(clock_mhz=250.0, family="ultrascale+")
    small, large = table.table(words=1152, bits=16), table.table(words=1153, bits=16)
    assert (small.lut, small.bram18k, large.lut, large.bram18k, large.measured) == (288, 0, 0, 2, False)
    assert [table_storage(words, 16) for words in (1152, 1153)] == ["lutram", "bram"]
    assert [table.table(words=n, bits=16, loaded=True).bram18k for n in (4096, 65536)] == [4, 64]


def test_half_precision_counts_as_float_and_as_not_measured() -> None:
    for op in ("add", "mul", "div", "add_fabric", "cmp"):
        half, single = table().cost(op, "half"), table().cost(op, "float")
        assert (half.latency, half.dsp, half.lut, half.measured) == (single.latency, single.dsp, single.lut, False)
    back, whole = table().cast(source="half", target="float"), table().cast(source="half", target="int32")
    assert back.latency == table().cast(source="float", target="double").latency and not back.measured
    assert whole.latency == back.latency + table().cast(source="float", target="int32").latency
