"""DesignPoint: one choice in the design space, as plain data with a JSON form; knows neither cost nor code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, StmtId
from sisyphus.space.point_file import Fault, Rule, faults_by, few
from sisyphus.target import ADDERS, Adders
from sisyphus.values import dataclass, fields, replace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FORMAT_VERSION = 2
KERNEL_PLACE = "kernel"
#: Around one nest that no loop surrounds and that has none itself.
NEST_PLACE = "nest"
#: How beats get from a port into a buffer: by one loop, or by two processes with a FIFO between them.
DIRECT, STREAM = FORMS = ("direct", "stream")
#: How an array may lie in memory: as C has it, with every row rounded up to whole beats, tile after tile, or with the
#: beats of each column one below another.
PLAIN, PADDED, PACKED, COLUMNS = LAYOUTS = ("plain", "padded", "packed", "columns")
#: Those in which it lies in tiles of its own.
IN_TILES = (PACKED, COLUMNS)
#: What a buffer may be asked to lie in; `auto`: the tool chooses.
STORAGES = ("auto", "deep", "bram", "uram", "lutram")


class Tile(NamedTuple):
    """Trip counts of the three copies of one loop: level 0 (tiles), level 1 (pipelined), level 2 (unrolled)."""

    level0: int
    level1: int
    level2: int

    @property
    def size(self) -> int:
        """Iterations of the original loop inside one level-0 tile."""
        return self.level1 * self.level2

    def __str__(self) -> str:
        return f"{self.level0}x{self.level1}x{self.level2}"


@dataclass(frozen=True)
class NestPoint:
    """The choices of one nest.

    `order` lists the level-0 loops outermost first (all loops of the band), `tiles` has one entry per loop in band
    order, `pipeline` is the loop whose level-1 copy is pipelined (None: the nest runs sequentially), `unroll` holds
    coarse-grained factors above 1 in band order: how many tiles of a loop have a copy of the nest each. `split`: tiles
    that are full run in loops of their own, without the guards that those on a boundary of the domain have; not in a
    nest with copies. `interval`: the initiation interval that the tool is asked for, 0 where it is not. `listed`: the
    tiles of loops whose bounds move stand in a table, over which one loop runs.
    """

    statements: Annotated[tuple[StmtId, ...], "names of statements"]
    order: Annotated[tuple[str, ...], "level-0 loops, outermost first"]
    tiles: Annotated[tuple[tuple[str, Tile], ...], "three trip counts per loop, as an object: level 0, 1 and 2"]
    pipeline: Annotated[str | None, "the pipelined loop, or null for none"]
    unroll: Annotated[tuple[tuple[str, int], ...], "factors of copies per loop, as an object"] = ()
    slr: Annotated[int, "0: a design is one function, and no nest can be placed on an SLR yet", (0,)] = 0
    split: Annotated[bool, "whether full tiles run in loops of their own, true or false"] = False
    interval: Annotated[int, "the initiation interval that the tool is asked for: 1, or 0 for none", (0, 1)] = 0
    listed: Annotated[bool, "whether tiles in moving bounds stand in a table, true or false"] = False

    @cached_property
    def id(self) -> str:
        return "+".join(self.statements)

    def tile(self, loop: str) -> Tile:
        return dict(self.tiles)[loop]

    def outside(self, place: str) -> tuple[str, ...]:
        """The level-0 loops outside of transfers at a place; none where these stand around the nest."""
        return self.order[: self.order.index(place) + 1] if place in self.order else ()


@dataclass(frozen=True)
class BufferPoint:
    """One on-chip copy of an array.

    `place` is `kernel` (the whole array, one buffer for all of `nests`), the iterator of an outer sequential loop,
    the level-0 loop of its single nest under which its tile is transferred, or `nest` where that nest stands in no loop
    and has none. `partition` has one cyclic factor per array dimension. In `deep` storage banks of many words are in
    URAM, others where the tool puts them.
    """

    array: Annotated[ArrayId, "name of an array"]
    nests: Annotated[tuple[str, ...], "names of nests"]
    place: Annotated[str, "`kernel`, `nest` or a loop"]
    partition: Annotated[tuple[int, ...], "a factor from 1 to 2147483647 for each dimension, as a list"]
    copies: Annotated[
        int, "1, or 2: while a tile is computed with, the next one is loaded into the other copy", (1, 2)
    ] = 1
    storage: Annotated[str, "`auto` (the tool chooses), `deep`, `bram`, `uram` or `lutram`", STORAGES] = "auto"

    @cached_property
    def id(self) -> str:
        return self.array if self.place == KERNEL_PLACE else f"{self.array}@{'+'.join(self.nests)}"


@dataclass(frozen=True)
class TransferPoint:
    """How a buffer travels: `width` elements per beat, dealt over `ports`; none is the one port of its array.

    `layout` is that of the array in memory, one of LAYOUTS; `form` says how loads reach the buffer, one of FORMS.
    """

    buffer: Annotated[str, "a buffer: ARRAY, or ARRAY@NESTS"]
    width: Annotated[int, "elements per beat"]
    ports: Annotated[tuple[str, ...], "names of ports"] = ()
    layout: Annotated[str, "`plain`, `padded`, `packed` (tile after tile), or `columns` (of beats)", LAYOUTS] = PLAIN
    form: Annotated[str, "how loads reach the buffer: `direct`, or `stream` (through a FIFO)", FORMS] = DIRECT

    @property
    def stripes(self) -> int:
        """Over how many ports the buffer travels."""
        return max(1, len(self.ports))


@dataclass(frozen=True)
class DesignPoint:
    """Everything that was chosen for a kernel; with the Scop and a Target it determines the Plan.

    `expanded` are the temporaries that have a place for every iteration, `viewed` the arrays that nests use through
    views, `copied` those of which nests read a copy, `rewrites` how the kernel was rewritten before (`forms/`):
    they say which form of the kernel the point is one of. `adders` are what all additions of floating point run on.
    """

    kernel: Annotated[str, "name of the kernel's function"]
    nests: Annotated[tuple[NestPoint, ...], "a list of nests"]
    buffers: Annotated[tuple[BufferPoint, ...], "a list of buffers"]
    transfers: Annotated[tuple[TransferPoint, ...], "a list of transfers"] = ()
    tree_reduction: Annotated[bool, "whether additions may be reassociated, true or false"] = False
    expanded: Annotated[tuple[ArrayId, ...], "temporaries with a place for every iteration"] = ()
    viewed: Annotated[tuple[ArrayId, ...], "arrays that nests use through views"] = ()
    copied: Annotated[tuple[ArrayId, ...], "arrays of which nests read a copy beside the array itself"] = ()
    rewrites: Annotated[
        tuple[Annotated[str, "a rewrite, as `schedule { ... }`"], ...],
        "what makes this form of the kernel, one after another: schedules in isl's notation",
    ] = ()
    adders: Annotated[Adders, "what floating-point additions run on: `dsp`, or `fabric` (look-up tables)", ADDERS] = (
        "dsp"
    )

    @cached_property
    def _nests(self) -> dict[str, NestPoint]:
        return {n.id: n for n in reversed(self.nests)}

    @cached_property
    def _buffers(self) -> dict[tuple[ArrayId, str], BufferPoint]:
        return {(b.array, nest): b for b in reversed(self.buffers) for nest in b.nests}

    @cached_property
    def _transfers(self) -> dict[str, TransferPoint]:
        return {t.buffer: t for t in reversed(self.transfers)}

    def nest(self, nest_id: str) -> NestPoint:
        return self._nests[nest_id]

    def with_nest(self, nest: NestPoint) -> DesignPoint:
        """The point with another choice for this nest."""
        return replace(self, nests=tuple(nest if n.id == nest.id else n for n in self.nests))

    def buffer_of(self, array: ArrayId, nest_id: str) -> BufferPoint:
        """The buffer that a nest uses for an array."""
        return self._buffers[array, nest_id]

    @property
    def dealt(self) -> tuple[ArrayId, ...]:
        """The arrays that are whole on chip and have several ports."""
        return tuple(b.array for b in self.buffers if b.place == KERNEL_PLACE and self.transfer_of(b.id).stripes > 1)

    @property
    def dealt_tiles(self) -> tuple[tuple[ArrayId, int], ...]:
        """The arrays with tiles that travel through several ports, and through how many."""
        tiles = ((b.array, self.transfer_of(b.id).stripes) for b in self.buffers if b.place != KERNEL_PLACE)
        return tuple(dict.fromkeys((array, count) for array, count in tiles if count > 1))

    @property
    def in_columns(self) -> tuple[ArrayId, ...]:
        """The arrays that lie in memory in columns of beats."""
        return tuple(dict.fromkeys(b.array for b in self.buffers if self.transfer_of(b.id).layout == COLUMNS))

    def stripes_of(self, array: ArrayId) -> int:
        """Over how many ports an array is dealt, which is the same for all of its buffers."""
        return max((self.transfer_of(b.id).stripes for b in self.buffers if b.array == array), default=1)

    @property
    def is_listed(self) -> bool:
        """Whether tiles of some nest stand in a table."""
        return any(nest.listed for nest in self.nests)

    def transfer_of(self, buffer_id: str) -> TransferPoint:
        """How a buffer travels: as plainly as can be where the point does not say."""
        return self._transfers.get(buffer_id) or TransferPoint(buffer_id, 1)

    def to_json(self) -> dict[str, Any]:
        own = {"version": FORMAT_VERSION} | _json(self)
        return own | {name: [_json(part) for part in own.pop(name)] for name in PARTS}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> DesignPoint:
        """The inverse of `to_json`; raises `KernelError` with the place of every field that is missing or wrong."""
        faults = point_faults(data)
        if faults:
            raise KernelError(
                f"design point: {'; '.join(few([str(fault) for fault in faults]))}",
                hint="compare with the `design` part of a design.json that `sisy optimize` wrote (docs/designs.md)",
            )
        data = json.loads(
            json.dumps(data), parse_float=lambda text: int(float(text))
        )  # every number is a whole one, 4.0 as well
        known = _fields(DesignPoint, data)
        parts = {n: tuple(kind(**_fields(kind, one)) for one in data.get(n, ())) for n, kind in PARTS.items()}
        return DesignPoint(**known | parts)

    def sort_key(self) -> str:
        """Breaks ties between designs of equal cost."""
        return json.dumps(self.to_json(), sort_keys=True)


#: The lists of parts in a design point, which a file has last.
PARTS: Mapping[str, type[NestPoint | BufferPoint | TransferPoint]] = {
    "nests": NestPoint,
    "buffers": BufferPoint,
    "transfers": TransferPoint,
}
_LARGEST = 2**31 - 1
#: What a file has for a value of a type.
_DEFINED: Mapping[str, Rule] = {
    "name": {"description": "a name", "type": "string", "minLength": 1, "maxLength": 1000},
    "names": {"description": "a list of names", "type": "array", "items": {"$ref": "#/$defs/name"}},
    "count": {
        "description": f"a whole number from 1 to {_LARGEST}",
        "type": "integer",
        "minimum": 1,
        "maximum": _LARGEST,
    },
}
_RULES: Mapping[object, Rule] = {
    str: {"$ref": "#/$defs/name"},
    tuple[str, ...]: {"$ref": "#/$defs/names"},
    int: {"$ref": "#/$defs/count"},
    bool: {"type": "boolean"},
    str | None: {"type": ["string", "null"]},
    Tile: {
        "description": "three trip counts: level 0, 1 and 2",
        "type": "array",
        "minItems": 3,
        "maxItems": 3,
        "items": {"$ref": "#/$defs/count"},
    },
    **{part: {"$ref": f"#/$defs/{name.removesuffix('s')}"} for name, part in PARTS.items()},
}


def _rule(kind: Any) -> Rule:
    """The rule of a type: pairs of a name and something are an object, a text with words of its own is no name."""
    if kind in _RULES:
        return _RULES[kind]
    if get_origin(kind) is Annotated:
        return {"description": kind.__metadata__[0], "type": "string", "minLength": 1}
    if get_origin(kind) is not tuple:
        return _rule(kind.__supertype__)
    inside, _ = get_args(kind)
    if get_origin(inside) is tuple:
        return {"type": "object", "additionalProperties": _rule(get_args(inside)[1])}
    return _rule(tuple[str, ...]) if _rule(inside) == _RULES[str] else {"type": "array", "items": _rule(inside)}


@cache
def _rules() -> Mapping[type, Mapping[str, Rule]]:
    """What a file has for the fields of a design point and of its parts: in words, and by type or as listed."""
    found: dict[type, dict[str, Rule]] = {}
    for part in (DesignPoint, *PARTS.values()):
        for name, hint in get_type_hints(part, include_extras=True).items():
            words, *listed = hint.__metadata__
            rule = {"enum": [*listed[0]]} if listed else _rule(hint.__origin__)
            found.setdefault(part, {})[name] = {"description": words, **rule}
    return found


def unlisted(
    part: DesignPoint | NestPoint | BufferPoint | TransferPoint,
) -> Iterator[tuple[str, object, Sequence[object]]]:
    """The fields of a part whose values are none of those that they list: names, values, the list."""
    for name, rule in _rules()[type(part)].items():
        if "enum" in rule and getattr(part, name) not in rule["enum"]:
            yield name, getattr(part, name), rule["enum"]


@cache
def schema() -> Mapping[str, Any]:
    """The JSON schema of a design point, as published; shared, so never to be changed."""
    version = {"description": "version of this format, 1 or 2 (in 1, every transfer is direct)", "enum": [1, 2]}
    own = {"version": version, **_rules()[DesignPoint]}
    own |= {name: own.pop(name) for name in PARTS}
    parts = {name.removesuffix("s"): part for name, part in PARTS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "an object",
        "title": "A design point of sisy: the `design` part of a design.json, or a file that is just a point",
        **_object(DesignPoint),
        "required": ["version", *_object(DesignPoint)["required"]],
        "properties": own,
        "$defs": {**_DEFINED, **{n: {"description": f"a {n}, as an object", **_object(p)} for n, p in parts.items()}},
    }


def _object(part: type[DataclassInstance]) -> Rule:
    """The rule of an object with the fields of a part, of which those with a default may be left out."""
    required = [f.name for f in fields(part) if f.default is MISSING]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": _rules()[part]}


def point_faults(data: object) -> list[Fault]:
    """Every fault of what a file has for a design point."""
    return faults_by(schema(), data)


def _json(part: DesignPoint | NestPoint | BufferPoint | TransferPoint) -> dict[str, Any]:
    """The fields by their names; pairs of a loop and what it has as an object."""
    found = {}
    for name, rule in _rules()[type(part)].items():
        value = getattr(part, name)
        if rule.get("type") == "object":
            value = {loop: list(own) if isinstance(own, Tile) else own for loop, own in value}
        found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _fields(kind: type[DataclassInstance], data: Mapping[str, Any]) -> dict[str, Any]:
    """Those that data have, as arguments; the others have their defaults."""
    own = {f.name: data[f.name] for f in fields(kind) if f.name in data}
    if "tiles" in own:
        own["tiles"] = [(loop, Tile(*counts)) for loop, counts in own["tiles"].items()]
    if "unroll" in own:
        own["unroll"] = [(loop, factor) for loop, factor in own["unroll"].items() if factor != 1]
    return {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}
