"""What one operator costs, by type, width and clock period; knows no expression and no design."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

from sisyphus.errors import InternalError
from sisyphus.target import fabric
from sisyphus.target.cost import OpCost
from sisyphus.target.data_files import package_csv, package_toml
from sisyphus.values import dataclass, field, replace

FLOATING = ("half", "float", "double")
#: What additions and subtractions of floating point are made of: DSPs, as tools have them unasked, or look-up tables.
Adders = Literal["dsp", "fabric"]
ADDERS: tuple[Adders, ...] = get_args(Adders)
#: No report has a core of half precision: it is taken to cost what the one of single precision does, at most.
_AS_FLOAT = {"half": "float"}
_INTEGER = re.compile(r"(u?)int([1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of cores.csv; `period_ns` is None where the clock does not matter."""

    period_ns: float | None
    family: str
    cost: OpCost


@dataclass(frozen=True)
class OperatorTable:
    """Costs of operators at one clock period on one family of parts.

    An operator of floating point has one row per measured clock period. The row taken is the slowest one that is not
    slower than the period asked for, so that the core it names meets the clock; below the fastest row, the fastest.
    The figures count as measured only if a report had this family and this period, within 1 %. Integer operators
    do not depend on the clock (wide products excepted, which are marked). `adders` says which rows the adders and
    subtracters of floating point have.
    """

    period_ns: float
    family: str
    adders: Adders = "dsp"
    _known: dict[tuple[Any, ...], OpCost] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cost(self, op: str, ctype: str, bits: int | None = None, other_bits: int | None = None) -> OpCost:
        """Cost of `op` on operands of `ctype` (half, float, double, int8 … uint64).

        `bits` narrows or widens integer operands, `other_bits` the second one of a product. `cast` here is the
        dearest conversion into `ctype`; `cast()` is exact. InternalError where there is no such operator.
        """
        key = (op, ctype, bits, other_bits)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find(op, ctype, bits, other_bits)
        return found

    def cast(self, *, source: str, target: str) -> OpCost:
        """Cost of the conversion from one type to the other; between integers it is wiring."""
        key = ("cast", source, target)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find_cast(_kind(source), _kind(target))
        return found

    def mux(self, inputs: int) -> OpCost:
        """A multiplexer of that many inputs; its width does not matter. One input is a wire."""
        key = ("mux", inputs)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._marked(fabric.multiplexer(inputs))
        return found

    def table(self, *, words: int, bits: int, loaded: bool = False) -> OpCost:
        """One port of a table of that many words: a constant one, or a copy of one that is loaded."""
        key = ("loaded table" if loaded else "table", words, bits)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._marked(fabric.table(words, bits, loaded=loaded))
        return found

    def multiply_add(self) -> OpCost:
        """A product of integers, in an address or of data, and the sum that it feeds: one DSP."""
        return self._marked(fabric.multiply_add())

    def operation(self, function: str, ctype: str) -> str:
        """The operator that a function of the C library is: `sqrtf` and `sqrt` are sqrt, `rint` is round."""
        base = function.removesuffix("f") if ctype == "float" else function
        return str(package_toml("operators.toml")["functions"].get(base, base))

    def delay_ps(self, op: str) -> int:
        """Picoseconds of a combinational operator of integers, at any width; of those without a figure the most."""
        known = package_toml("operators.toml")["delay"]
        return int(known.get(op, known["mul"]))

    @property
    def usable_ps(self) -> int:
        """Picoseconds of a clock period that operations may fill."""
        return int(1000 * self.period_ns * package_toml("operators.toml")["delay"]["usable"])

    def knows_in_fabric(self, ctype: str) -> bool:
        """Whether a report has the adder of a floating-point type in fabric, on this family and at this clock."""
        return self.cost("add_fabric", ctype).measured

    def _find(self, op: str, ctype: str, bits: int | None, other_bits: int | None) -> OpCost:
        kind = _kind(ctype)
        if kind in _AS_FLOAT:
            return _assumed(self.cost(op, _AS_FLOAT[kind]))
        if op == "cast":
            sources = [k for k in ("float", "double", "int", "uint") if k != kind]
            return max((self._find_cast(s, kind) for s in sources), key=lambda c: (c.latency, c.dsp, c.lut))
        if kind in FLOATING:
            in_fabric = self.adders == "fabric" and op in ("add", "sub")
            rows = _cores().get((f"{op}_fabric" if in_fabric else op, ctype))
            if rows is not None:
                return self._choose(rows)
        else:
            width = bits if bits is not None else int(ctype[len(kind) :])
            other = other_bits if other_bits is not None else width
            if width < 1 or other < 1:
                raise InternalError(f"operator `{op}` on `{ctype}` with {width} x {other} bits")
            found = fabric.integer(op, width, other)
            if found is not None:
                return self._marked(found)
        return self._composed(op, ctype, bits, other_bits)

    def _composed(self, op: str, ctype: str, bits: int | None, other_bits: int | None) -> OpCost:
        group = ctype if ctype in FLOATING else "integer"
        recipe = _recipes().get((op, group))
        if recipe is None:
            raise InternalError(f"no cost is known for operator `{op}` on `{ctype}`")
        parts = [self.cost(part, ctype, bits, other_bits if part == "mul" else None) for part in recipe["parts"]]
        return OpCost(
            latency=sum(p.latency for p in parts),
            ii=max(p.ii for p in parts),
            dsp=sum(p.dsp for p in parts),
            ff=sum(p.ff for p in parts),
            lut=sum(p.lut for p in parts),
            measured=recipe.get("measured", False) and all(p.measured for p in parts),
            source="composed of " + " + ".join(recipe["parts"]),
        )

    def _find_cast(self, source: str, target: str) -> OpCost:
        if source == target or (source not in FLOATING and target not in FLOATING):
            return OpCost(0, 1, 0, 0, 0, True, "conversion between integers, or none: wiring")
        if "half" in (source, target):
            return _assumed(self._by_float(source, target))
        return self._choose(_cores()[("cast", f"{source}->{target}")])

    def _by_float(self, source: str, target: str) -> OpCost:
        """Conversions of half precision: from and to float as between float and double, others by way of float."""
        if "float" in (source, target):
            return self._find_cast(*(("float", "double") if target == "float" else ("double", "float")))
        steps = (self._find_cast(source, "float"), self._find_cast("float", target))
        parts = ((step.latency, step.dsp, step.ff, step.lut) for step in steps)
        latency, dsp, ff, lut = (sum(figures) for figures in zip(*parts, strict=True))
        return OpCost(latency, 1, dsp, ff, lut, False, " and ".join(step.source for step in steps))

    def _choose(self, rows: Sequence[_Row]) -> OpCost:
        """The row of the class docstring's rule, marked unmeasured where it was seen elsewhere."""
        own = [row for row in rows if row.family == self.family] or rows
        if own[0].period_ns is None:
            return self._marked(own[0].cost, family=own[0].family)
        slack = package_toml("operators.toml")["clock_tolerance"] * self.period_ns
        periods = [(row.period_ns or 0.0, row) for row in own]
        fitting = [entry for entry in periods if entry[0] <= self.period_ns + slack]
        period, row = fitting[-1] if fitting else periods[0]
        cost = self._marked(row.cost, family=row.family)
        if abs(period - self.period_ns) <= slack:
            return cost
        return replace(cost, measured=False, source=f"{cost.source}; row of {period:g} ns")

    def _marked(self, cost: OpCost, family: str | None = None) -> OpCost:
        """`cost`, unmeasured if it was seen on another family than this table's."""
        family = family or package_toml("operators.toml")["seen_on"]
        if family == self.family:
            return cost
        return replace(cost, measured=False, source=f"{cost.source}; seen on {family}")


def _assumed(cost: OpCost) -> OpCost:
    return replace(cost, measured=False, source=f"{cost.source}; assumed for half precision")


def _kind(ctype: str) -> str:
    """half, float, double, int or uint."""
    if ctype in FLOATING:
        return ctype
    match = _INTEGER.fullmatch(ctype)
    if match is None:
        raise InternalError(f"unknown operand type `{ctype}`")
    return match.group(1) + "int"


@cache
def _cores() -> Mapping[tuple[str, str], tuple[_Row, ...]]:
    """cores.csv by operator and type, fastest clock first."""
    table: dict[tuple[str, str], list[_Row]] = defaultdict(list)
    for line in package_csv("cores.csv"):
        period = None if line["clock_ns"] == "any" else float(line["clock_ns"])
        latency, dsp, ff, lut = (int(line[key]) for key in ("latency", "dsp", "ff", "lut"))
        cost = OpCost(latency, 1, dsp, ff, lut, line["measured"] == "yes", line["source"])
        for op in line["op"].split("/"):
            table[op, line["type"]].append(_Row(period, line["family"], cost))
    return {key: tuple(sorted(rows, key=lambda r: r.period_ns or 0.0)) for key, rows in table.items()}


@cache
def _recipes() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Composed operators by operator and group of types."""
    recipes = package_toml("operators.toml")["composed"]
    return {(op, group): recipe for recipe in recipes for op in recipe["ops"] for group in recipe["types"]}


@cache
def operator_table(*, clock_mhz: float, family: str, adders: Adders = "dsp") -> OperatorTable:
    """The table for a clock and a family of parts; one and the same for equal arguments."""
    return OperatorTable(period_ns=1000.0 / clock_mhz, family=family, adders=adders)
