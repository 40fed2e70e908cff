"""Compiles emitted kernels and their sources, runs both on the same data and compares every bit.

It shares nothing with `sisyphus.verification` but the headers that stand for the vendor's: data, packing of ports,
build and comparison are its own. Many designs are one program, since a compiler takes longer to start than for any.
"""

from __future__ import annotations

import random
import re
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

HEADERS = Path(__file__).parents[2] / "sisyphus" / "verification" / "include"
#: C and C++ as they are written: no optimization, no contraction, integers wrap.
PLAIN = ("-O0", "-w", "-ffp-contract=off", "-fwrapv", "-fno-builtin")
#: Half precision rounds at once, complex products are those of the textbook.
EXACT_C = ("-std=gnu11", "-fno-strict-aliasing", "-fexcess-precision=16", "-fcx-limited-range")
KINDS = ("_Float16", "float", "double", "int", "unsigned", "short", "signed char", "unsigned char", "long")
FORMATS = dict(zip(KINDS, "efdiIhbBq", strict=True))
#: Where sisy_types.h is, and the type of C that holds one of its types, by bits.
TYPES = Path(__file__).parents[2] / "sisyphus" / "ir" / "include"
HOLDING = {12: "short", 5: "unsigned char", 33: "long"}
COMPILE_S, RUN_S = 600, 120


Box = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Part:
    """An emitted kernel, and its arguments as design.json lists them.

    A unit has boxes of arrays that begin at `first`, and gives back the boxes of `delivers`, of which those of `adds`
    begin with zeros and are added up. What is not named there is whole.
    """

    top: str
    header: str
    kernel: str
    interface: Sequence[Mapping[str, Any]]
    first: Mapping[str, Sequence[int]] = field(default_factory=dict)
    delivers: Mapping[str, Box] | None = None
    adds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Subject:
    """One design: the C source, and the kernel or those of all units.

    The source has a function `void source_NAME` that takes all arguments of these, or `void NAME` does.
    """

    name: str
    source: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The source, in which `source_NAME` is what is called."""
        called = f"source_{self.name}("
        return re.sub(rf"\b{self.name}\(", f"own_{called}" if called in self.source else called, self.source)


class BuildError(Exception):
    """Some compiler refused some of the code."""


def compare(subjects: Sequence[Subject], folder: Path, seed: int) -> dict[str, str]:
    """What is wrong with each subject, by its name: nothing where all bits agree."""
    try:
        printed = _printed(subjects, folder, seed)
    except BuildError as refused:
        if len(subjects) == 1:
            return {subjects[0].name: f"does not compile: {refused}"}
        halves = subjects[: len(subjects) // 2], subjects[len(subjects) // 2 :]
        return {name: wrong for half in halves for name, wrong in compare(half, folder, seed).items()}
    return {s.name: wrong for s in subjects if (wrong := _judged(s, printed.get(s.name)))}


def _printed(subjects: Sequence[Subject], folder: Path, seed: int) -> dict[str, list[tuple[str, bytes, bytes]]]:
    """Per subject and array: its name, and the bytes that the kernel and the source left in it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "source.c").write_text("\n".join(s.text for s in subjects))
    (folder / "kernels.cpp").write_text(_unit(subjects, seed))
    _build(["gcc", *PLAIN, *EXACT_C, "-I", str(TYPES), "-c", "source.c"], folder)
    flags = [*PLAIN, "-std=c++14", "-isystem", str(HEADERS)]
    _build(["g++", *flags, "kernels.cpp", "source.o", "-o", "both", "-lm"], folder)
    found: dict[str, list[tuple[str, bytes, bytes]]] = {}
    for subject in subjects:
        try:
            done = subprocess.run(
                ["./both", subject.name], cwd=folder, capture_output=True, timeout=RUN_S, env={}, check=False
            )
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0:
            rows = (line.split() for line in done.stdout.decode().splitlines())
            found[subject.name] = [(name, bytes.fromhex(got), bytes.fromhex(want)) for name, got, want in rows]
    return found


def _build(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=COMPILE_S, check=False)
    if done.returncode:
        raise BuildError(done.stderr[:600])


def _judged(subject: Subject, rows: Sequence[tuple[str, bytes, bytes]] | None) -> str:
    if rows is None:
        return "the program of kernel and source did not end as it should"
    types = {
        f"{name}_{part}" if part else name: FORMATS[_held(kind)]
        for kind, name, _ in _parameters(subject)
        for part in _fields(kind)
    }
    for name, got, want in rows:
        for at, (one, other) in enumerate(zip(_bits(got, types[name]), _bits(want, types[name]), strict=True)):
            if one != other:
                return f"{name}[{at}] is {one}, and {other} in the source"
    return ""


def _bits(data: bytes, kind: str) -> Iterator[str]:
    """Each element by its bits; every NaN is the same."""
    size = struct.calcsize(kind)
    for at in range(0, len(data), size):
        piece = data[at : at + size]
        [value] = struct.unpack(kind, piece)
        yield "nan" if value != value else f"{value!r}"


def _unit(subjects: Sequence[Subject], seed: int) -> str:
    """All kernels, each in a namespace of its own, and a main that runs those of the subject that is asked for."""
    parts = [(f"of_{s.name}_{number}", part) for s in subjects for number, part in enumerate(s.parts)]
    whole = "".join(part.header + part.kernel for _, part in parts)
    includes = sorted({line for line in _INCLUDE.findall(whole) if '"' not in line})
    lines = ["#include <cstdio>", "#include <cstdlib>", "#include <cstring>", *includes, _ANY]
    texts = ((name, _without_includes(part.header) + _without_includes(part.kernel)) for name, part in parts)
    lines += [f"namespace {name} {{\n{text}\n}}" for name, text in texts]
    lines += [_runner(s, seed) for s in subjects]
    cases = [f'  if (!std::strcmp(argv[1], "{s.name}")) return run_{s.name}();' for s in subjects]
    return "\n".join([*lines, "int main(int, char **argv) {", *cases, "  return 9;", "}"]) + "\n"


_INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


def _without_includes(text: str) -> str:
    return re.sub(r"^#(include|ifndef|define|endif|pragma once).*$", "", text, flags=re.MULTILINE)


def _runner(subject: Subject, seed: int) -> str:
    """A function that fills arrays, packs those of each kernel, calls all and the source, prints what both left."""
    rng = random.Random(f"{seed} {subject.name}")
    order = _parameters(subject)
    declared, filled, tail = [], list[str](), list[str]()
    dealt, gathered = list[str](), list[str]()
    for written, name, extents in order:
        kind = _held(written)
        fields = _fields(written)
        declared.append(f"{kind} {'*' if extents else ''}")
        if not extents:
            filled.append(f"  {kind} {name} = ({kind}){_number(rng, written)};")
            continue
        values = ", ".join(f"({kind}){_number(rng, _scalar(written))}" for _ in range(prod(extents) * len(fields)))
        size = prod(extents) * len(fields)
        filled.append(f"  static {kind} {name}[{size}] = {{{values}}}, left_{name}[{size}];")
        filled.append(f"  std::memcpy(left_{name}, {name}, sizeof {name});")
        for at, part in enumerate(fields):
            port = f"{name}_{part}" if part else name
            for number, one in enumerate(subject.parts):
                memory = _Memory(one, number, port, extents, f"[{{}} * {len(fields)} + {at}]")
                dealt += memory.dealt(kind, name)
                gathered += memory.gathered(f"left_{name}")
            place = f"[e * {len(fields)} + {at}]"
            tail.append(_print(port, kind, prod(extents), f"left_{name}{place}", f"{name}{place}"))
    head = [f'extern "C" void source_{subject.name}({", ".join(declared)});', f"static int run_{subject.name}() {{"]
    calls = list[str]()
    for number, part in rng.sample([*enumerate(subject.parts)], len(subject.parts)):
        given = ", ".join(text for argument in part.interface for text in _given(number, argument))
        calls.append(f"  of_{subject.name}_{number}::{part.top}({given});")
    source = f"  source_{subject.name}({', '.join(name for _, name, _ in order)});"
    return "\n".join([*head, *filled, *dealt, *calls, *gathered, source, *tail, "  return 0;", "}"])


class _Memory:
    """What a kernel has in memory of an array, or of one number of its elements; nothing where it takes none of it.

    `own` makes the place of an element in the source's array of its number there.
    """

    def __init__(self, part: Part, number: int, port: str, whole: Sequence[int], own: str) -> None:
        self.told = next((a for a in part.interface if a["name"] == port), None)
        self.part, self.number, self.port, self.whole, self.own = part, number, port, whole, own

    def dealt(self, kind: str, data: str) -> Iterator[str]:
        """Its beats, dealt over some ports, with what the array is before, or zeros."""
        if self.told is None:
            return
        last, pitch, width, count = self._rows()
        total = -(-prod(self.told["extents"]) // last * pitch // width) * width
        total = prod(self.told["padded_extents"]) if self.told["tile"] else total
        names = [f"memory_{self.number}_{self.port}_{stripe}" for stripe in range(count)]
        for name in names:
            yield f"  static {kind} {name}[{total // count}] __attribute__((aligned(4096)));"
        yield f"  {kind} *const port_{self.number}_{self.port}[] = {{{', '.join(names)}}};"
        for own, whole in self._pairs(None):
            yield f"  {self._at(own)} = {'0' if self.port in self.part.adds else data + self.own.format(whole)};"

    def gathered(self, left: str) -> Iterator[str]:
        """What is taken from it."""
        box = None if self.part.delivers is None else self.part.delivers.get(self.port)
        if self.told is None or (self.part.delivers is not None and box is None):
            return
        for own, whole in self._pairs(box):
            yield f"  {left}{self.own.format(whole)} {'+=' if self.port in self.part.adds else '='} {self._at(own)};"

    def _pairs(self, box: Box | None) -> Iterator[tuple[int, int]]:
        """Numbers of elements here and in the source, of those in a box of the source's."""
        assert self.told is not None
        extents = self.told["extents"]
        if len(extents) < len(self.whole):  # rows are joined, and no box is cut out of these
            yield from ((number, number) for number in range(prod(extents)))
            return
        first = self.part.first.get(self.port, [0] * len(extents))
        for own, place in enumerate(product(*map(range, extents))):
            there = [low + at for low, at in zip(first, place, strict=True)]
            if box is None or all(low <= at <= high for at, (low, high) in zip(there, box, strict=True)):
                number = 0
                for at, extent in zip(there, self.whole, strict=True):
                    number = number * extent + at
                yield own, number

    def _rows(self) -> tuple[int, int, int, int]:
        """Elements of a row, elements from one row to the next, elements of a beat, ports that it is dealt over."""
        assert self.told is not None
        last = self.told["extents"][-1]
        pitch = self.told["padded_extents"][-1] if self.told["layout"] == "padded" else last
        return last, pitch, self.told["vector_elements"], len(self.told["ports"])

    def _at(self, number: int) -> str:
        last, pitch, _, count = self._rows()
        place = number // last * pitch + number % last
        if self.told is not None and self.told["tile"]:
            place = _in_tiles(number, self.told["extents"], self.told["tile"], self.told["padded_extents"][-1])
        stripe, at = place % count, place // count
        return f"port_{self.number}_{self.port}[{stripe}][{at}]"


def _in_tiles(number: int, extents: Sequence[int], tile: Sequence[int], row: int) -> int:
    """The place of an element where tiles lie one after another, each with rows of so many elements."""
    index = list[int]()
    for extent in reversed(extents):
        number, at = divmod(number, extent)
        index.insert(0, at)
    which, inside = 0, 0
    for at, extent, size in zip(index, extents, tile, strict=True):
        which = which * len(range(0, extent, size)) + at // size
        inside = inside * size + at % size
    rows, column = divmod(inside, tile[-1])
    return which * prod(tile[:-1]) * row + rows * row + column


def _given(number: int, argument: Mapping[str, Any]) -> list[str]:
    """What the kernel is called with; the class that stands for half is made of a float."""
    if argument["kind"] == "array":
        name = argument["copies"] or argument["name"]
        return [f"Any{{port_{number}_{name}[{stripe}]}}" for stripe in range(len(argument["ports"]))]
    return [f"{'(float)' if argument['type'] == 'half' else ''}{argument['name']}"]


#: A pointer that becomes whatever the kernel takes: an element or a vector of some.
_ANY = "struct Any { void *p; template <typename T> operator T *() const { return static_cast<T *>(p); } };"
_PARAMETER = re.compile(r"(?P<type>[A-Za-z_0-9 ]+?)\s*(?P<name>\w+)(?P<dims>(\[\d+\])*)$")


def _parameters(subject: Subject) -> list[tuple[str, str, tuple[int, ...]]]:
    """Type, name and extents (a scalar has none) of what the source function takes, as written."""
    [text] = re.findall(rf"^void source_{subject.name}\((.*)\)$", subject.text, re.MULTILINE)
    matches = [_PARAMETER.fullmatch(one) for one in text.split(", ")]
    return [(m["type"], m["name"], tuple(map(int, re.findall(r"\d+", m["dims"])))) for m in matches if m is not None]


_WIDTH = re.compile(r"sisy_(u?)int(\d+)")


_PAIR = re.compile(r"struct k[0-9]+_two_(\w+)|(\w+) _Complex")


def _fields(kind: str) -> tuple[str, ...]:
    """The numbers that an element is made of, by the names that ports have for them."""
    match = _PAIR.fullmatch(kind)
    return ("",) if match is None else ("x", "y") if match[1] else ("re", "im")


def _scalar(kind: str) -> str:
    """The type of a number, of which an element may have two."""
    match = _PAIR.fullmatch(kind)
    if match is None:
        return kind
    words = match[1] or match[2]
    return next(t for t in (*FORMATS, words) if t.replace(" ", "_") == words)


def _held(kind: str) -> str:
    """The type that lies in memory."""
    kind = _scalar(kind)
    match = _WIDTH.fullmatch(kind)
    return HOLDING[int(match[2])] if match else kind


def _number(rng: random.Random, kind: str) -> str:
    match = _WIDTH.fullmatch(kind)
    if match:
        bits = int(match[2])
        least = 0 if match[1] else -(1 << (bits - 1))
        return str(rng.choice((least, least + (1 << bits) - 1, 0, 1, least + rng.randrange(1 << bits))))
    if kind in ("_Float16", "float", "double"):
        return rng.choice(("0.0", "-0.0", "1.0", *(repr(rng.uniform(-2, 2)) for _ in range(12)), "1e-40", "3e18"))
    return str(rng.choice((0, 1, -1, rng.randrange(-5, 6), rng.randrange(-5, 6), rng.randrange(-(1 << 31), 1 << 31))))


def _print(name: str, kind: str, count: int, got: str, wanted: str) -> str:
    put = 'for (unsigned b = 0; b < sizeof v; b++) std::printf("%02x", ((unsigned char *)&v)[b]);'
    both = [f"  for (long e = 0; e < {count}; e++) {{ {kind} v = {what}; {put} }}" for what in (got, wanted)]
    return "\n".join([f'  std::printf("{name} ");', both[0], '  std::printf(" ");', both[1], '  std::printf("\\n");'])
