"""Measured designs as Plans: reads entries in the form of `plans.json`, for tests and scripts only.

The designs come from another generator: guarded statements are functions of their own there, a scalar accumulator may
be written to a buffer that a loop adds up later, and the iterators of a statement all start from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from sisyphus.algebra import EXACT
from sisyphus.ir import (
    DOUBLE,
    FLOAT,
    Argument,
    Array,
    ArrayId,
    Binary,
    Cast,
    Expr,
    Literal,
    Origin,
    Read,
    Ref,
    Role,
    Scalar,
    ScalarType,
    Scop,
    Statement,
    StmtId,
)
from sisyphus.model import VITIS_2021_1, VITIS_2023_2, Estimate, GuardForm, estimate
from sisyphus.plan import (
    Bound,
    Buffer,
    Call,
    Copy,
    Direction,
    For,
    Guard,
    Hold,
    LoopRole,
    Node,
    Plan,
    Port,
    Run,
    Task,
    Transfer,
    side_by_side,
)
from sisyphus.poly import Affine, const, make_set, var
from sisyphus.source import Span
from sisyphus.space import KERNEL_PLACE
from sisyphus.target import load_device, make_target

DATA = Path(__file__).parent / "data" / "measured_designs.json"
SPAN = Span("measured", 1, 1, 1)
TERM = re.compile(r"([+-]?)\s*([^+\-\s][^+\-]*)")


def measured_designs() -> list[dict[str, Any]]:
    """All measured designs, configuration and figures."""
    designs: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["designs"]
    return designs


#: Kernels whose designs the coefficients of `sisyphus.model.formulas.rules.Area` are fitted to; the others check them.
FITTED_ON = frozenset({"2mm", "3mm", "atax", "bicg", "gemm", "gesummv", "symm", "trmm"})
DEVICES = {"xcu200-fsgd2104-2-e": "u200", "xcu55c-fsvh2892-2L-e": "u55c"}
CLOCK_MHZ = 250


def estimate_of(entry: Mapping[str, Any]) -> Estimate:
    """The model's figures for an entry, from its configuration alone."""
    target = make_target(load_device(DEVICES[entry["part"]]), budget="chip", clock_mhz=CLOCK_MHZ)
    rules = VITIS_2023_2 if entry["vitis"] == "2023.2" else VITIS_2021_1
    return estimate(plan_of(entry), target, rules=rules, guards=GuardForm.CALLED)


def plan_of(entry: Mapping[str, Any]) -> Plan:
    """The plan of an entry, with the kernel that it needs."""
    return _Importer(entry).plan()


def affine(text: str) -> Affine:
    """A sum such as `i0*90 + i2 - 1`."""
    total = const(0)
    for sign, term in TERM.findall(text):
        factors = [f.strip() for f in term.split("*")]
        number = prod(int(f) for f in factors if f.isdigit()) * (-1 if sign == "-" else 1)
        names = [f for f in factors if not f.isdigit()]
        total = total + (var(names[0]) * number if names else const(number))
    return total


def _condition(text: str) -> Affine:
    """`j < i + 1` as an expression that is at least 0."""
    left, relation, right = re.split(r"\s*(<=|>=|<|>)\s*", text)
    apart = affine(right) - affine(left) if "<" in relation else affine(left) - affine(right)
    return apart if "=" in relation else apart - 1


@dataclass
class _Importer:
    entry: Mapping[str, Any]
    statements: list[Statement] = field(default_factory=list)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)

    @property
    def type(self) -> ScalarType:
        return DOUBLE if self.entry["dtype"] == "double" else FLOAT

    def plan(self) -> Plan:
        for name, found in self.entry["arrays"].items():
            if found["dims"]:
                self._add_buffer(name, tuple(found["dims"]), tuple(found["partition"]))
        tasks = tuple(self._task(call) for call in self.entry["calls"] if call["fn"] in self.entry["tasks"])
        transfers = tuple(self._transfer(fn, found) for fn, found in self.entry["transfers"].items())
        body = tuple(Call(c["fn"]) if c["fn"] in self.entry["tasks"] else Copy(c["fn"]) for c in self.entry["calls"])
        return Plan(
            scop=self._scop(),
            ports=tuple(self._ports(transfers)),
            buffers=tuple(self.buffers.values()),
            transfers=transfers,
            tasks=tasks,
            body=body,
            tree_reduction=self.entry["tree_reduction"],
        )

    def _scop(self) -> Scop:
        origin = Origin("measured", "", self.entry["kernel"], "")
        arguments = tuple(Argument(a.id, "array", self.type) for a in self.arrays.values())
        return Scop(self.entry["id"], arguments, tuple(self.arrays.values()), tuple(self.statements), origin)

    def _add_buffer(self, name: str, extents: tuple[int, ...], partition: tuple[int, ...]) -> None:
        array = ArrayId(re.sub(r"_S\d+$", "", name))
        origin = tuple(const(0) for _ in extents)
        factors = tuple(min(f, e) for f, e in zip(partition, extents, strict=True))
        self.buffers[name] = Buffer(name, array, self.type, extents, origin, factors, KERNEL_PLACE)
        self.arrays.setdefault(array, Array(array, self.type, extents, Role.INOUT, SPAN))

    def _transfer(self, name: str, found: Mapping[str, Any]) -> Transfer:
        suffix = name.split("_")[-1]
        buffer = found["array"] if found["array"] in self.buffers else f"{found['array']}_{suffix}"
        direction = Direction.LOAD if name.startswith("load") else Direction.STORE
        array = self.buffers[buffer].array
        return Transfer(name, direction, array, buffer, found["burst"], port=array)

    def _ports(self, transfers: Sequence[Transfer]) -> Iterator[Port]:
        widths = {t.array: t.width for t in transfers}
        stored = {t.array for t in transfers if t.direction is Direction.STORE}
        for array in self.arrays.values():
            if array.id in widths:
                way = "inout" if array.id in stored else "in"
                yield Port(array.id, "array", self.type, array.extents, widths[array.id], f"v{array.id}", way)

    def _task(self, call: Mapping[str, Any]) -> Task:
        task = self.entry["tasks"][call["fn"]]
        return _TaskImporter(self, task, dict(zip(task["params"], call["args"], strict=True))).task()


@dataclass
class _TaskImporter:
    whole: _Importer
    found: Mapping[str, Any]
    arguments: Mapping[str, str]
    own: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.loops = {n["loop"]: n["tc"] for n in self.found["nest"]}
        self.copies = {name: self._without_single(affine(text)) for name, text in self.found["index"].items()}
        self.iterators = tuple(dict.fromkeys(re.sub(r"\d$", "", n["loop"]) for n in self.found["nest"]))
        for declared in self.found["decls"]:
            if isinstance(declared, str):
                name, size = re.fullmatch(r"\w+ (\w+)\[(\d+)\]", declared).groups()  # type: ignore[union-attr]
                self.whole._add_buffer(name, (int(size),), (1,))
                self.own.append(name)

    def task(self) -> Task:
        name = self.found["name"]
        body = self._nest(self._runs())
        body += tuple(self._extra(loop) for loop in self.found["extra_loops"])
        used = [a for a in self.arguments.values() if a in self.whole.buffers]
        statements = tuple(s.id for s in self.whole.statements if s.id.startswith(f"{name}."))
        return Task(name, name, statements, body, (*used, *self.own), ())

    def _without_single(self, value: Affine) -> Affine:
        return value.substitute({n: const(0) for n in value.names if self.loops[n] == 1})

    def _index(self, text: str) -> Affine:
        """A subscript over the source loops; one over their copies alone is inside a tile of the source loop."""
        value = affine(text)
        sources = {re.sub(r"\d$", "", n) for n in value.names}
        return var(sources.pop()) if value.names and value.names <= self.loops.keys() else value

    def _ref(self, found: Mapping[str, Any]) -> Ref:
        name = self.arguments.get(found["array"], found["array"])
        buffer = self.whole.buffers[name]
        index = tuple(self._index(text) for text in found["index"])
        inner = tuple(affine(text) for text in found["index"])
        if any(i.names and i.names <= self.loops.keys() for i in inner):
            self._place(name, index, inner)
        return Ref(buffer.array, index)

    def _place(self, name: str, index: Sequence[Affine], inner: Sequence[Affine]) -> None:
        """A tile: what its subscripts lack of the source loops is where it starts."""
        buffer, whole = self.whole.buffers[name], []
        origin = []
        for value, inside, extent in zip(index, inner, buffer.extents, strict=True):
            moves = inside.names and inside.names <= self.loops.keys()
            full = value.substitute(self.copies)
            origin.append(full - self._without_single(inside) if moves else const(0))
            whole.append(1 + sum(c * (self.loops[n] - 1) for n, c in full.terms) if moves else extent)
        self.whole.buffers[name] = Buffer(
            name, buffer.array, buffer.type, buffer.extents, tuple(origin), buffer.partition, self._under(name)
        )
        self.whole.arrays[buffer.array] = Array(buffer.array, buffer.type, tuple(whole), Role.INOUT, SPAN)

    def _under(self, name: str) -> str:
        return str(next(t["under"] for t in self.found["transfers"] if t["fn"].endswith(name)))

    def _expr(self, found: Any, target: Ref) -> Expr:
        kind = self.whole.type
        match found:
            case "red":
                return Read(target, kind)
            case str():
                return Scalar(found, kind)
            case float() | int():
                return Literal(f"{found}" + ("f" if kind == FLOAT else ""), kind)
            case [op, left, right]:
                first, second = self._expr(left, target), self._expr(right, target)
                if kind == FLOAT and any(isinstance(x, float) and x != int(x) for x in (left, right)):
                    return Cast(Binary(op, self._as_double(first), self._as_double(second), DOUBLE), FLOAT)
                return Binary(op, first, second, kind)
        return Read(self._ref(found), kind)

    @staticmethod
    def _as_double(part: Expr) -> Expr:
        """The designs have such literals without the suffix that would keep them floats."""
        return Literal(part.text.rstrip("f"), DOUBLE) if isinstance(part, Literal) else Cast(part, DOUBLE)

    def _statement(self, name: str, target: Ref, rhs: Expr, guard: str | None = None) -> Statement:
        sizes = {s: prod(tc for n, tc in self.loops.items() if re.sub(r"\d$", "", n) == s) for s in self.iterators}
        conditions = [c for s in self.iterators for c in (var(s), sizes[s] - 1 - var(s))]
        conditions += [_condition(guard)] if guard else []
        place = len(self.whole.statements)
        statement = Statement(
            id=StmtId(f"{self.found['name']}.{name}"),
            iterators=self.iterators,
            domain=make_set(f"{self.found['name']}_{name}", self.iterators, at_least_zero=conditions),
            position=(place, *(0 for _ in self.iterators)),
            write=target,
            write_type=self.whole.type,
            rhs=rhs,
            span=SPAN,
        )
        self.whole.statements.append(statement)
        return statement

    def _run(self, statement: Statement) -> Run:
        return Run(statement.id, tuple((name, self.copies.get(name, const(0))) for name in statement.iterators))

    def _runs(self) -> tuple[Node, ...]:
        """The unrolled loops around the statement, with a scalar accumulator where there is one."""
        first = self.found["stmts"][0]
        held = first["lhs"] == "red"
        target = self._ref(self.found["stmts"][1]["lhs"] if held else first["lhs"])
        statement = self._statement("S", target, self._expr(first["rhs"], target), first["guard"])
        body: tuple[Node, ...] = (self._run(statement),)
        if first["guard"]:
            body = (Guard((_condition(first["guard"]).substitute(self.copies),), body),)
        at = next(i for i, n in enumerate(self.found["nest"]) if n["pipelined"])
        for loop in reversed(self.found["nest"][at + 1 :]):
            if held and any(isinstance(d, dict) and d["at"] == loop["loop"] for d in self.found["decls"]):
                start = self._statement("start", target, Literal("0.0f", self.whole.type))
                body = (Hold("red", target.substitute(self.copies), (self._run(start), *body)),)
            body = self._loop(loop, LoopRole.UNROLLED, body)
        return body

    def _nest(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        nest = self.found["nest"]
        at = next(i for i, n in enumerate(nest) if n["pipelined"])
        body = self._loop(nest[at], LoopRole.PIPELINED, body)
        for loop in reversed(nest[:at]):
            copies = [t for t in self.found["transfers"] if t["under"] == loop["loop"]]
            before, after = (
                side_by_side(EXACT, [(Copy(t["fn"]), t["fn"]) for t in copies if t["before_inner"] is first])
                for first in (True, False)
            )
            body = self._loop(loop, LoopRole.TILE, (*before, *body, *after), keep=bool(copies))
        return body

    @staticmethod
    def _loop(
        loop: Mapping[str, Any], role: LoopRole, body: tuple[Node, ...], *, keep: bool = False
    ) -> tuple[Node, ...]:
        trip = loop["tc"]
        if trip == 1 and not keep and role is not LoopRole.PIPELINED:
            return body
        name = loop["loop"]
        bounds = Bound.constant(0), Bound.constant(trip - 1)
        return (For(name, re.sub(r"\d$", "", name), *bounds, trip, role, body),)

    def _extra(self, loop: Mapping[str, Any]) -> Node:
        """A loop that adds a buffer of partial sums to its array."""
        [name] = self.own
        array, kind = ArrayId(name.removesuffix("_red")), self.whole.type
        target = Ref(array, (var("e"),))
        rhs = Binary("+", Read(target, kind), Read(Ref(ArrayId(name), (var("e"),)), kind), kind)
        statement = Statement(
            id=StmtId(f"{self.found['name']}.extra"),
            iterators=("e",),
            domain=make_set(f"{self.found['name']}_extra", ["e"], at_least_zero=[var("e"), loop["tc"] - 1 - var("e")]),
            position=(len(self.whole.statements), 0),
            write=target,
            write_type=kind,
            rhs=rhs,
            span=SPAN,
        )
        self.whole.statements.append(statement)
        body = (Run(statement.id, (("e", var("e1")),)),)
        return For("e1", "e", Bound.constant(0), Bound.constant(loop["tc"] - 1), loop["tc"], LoopRole.PIPELINED, body)
