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
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Subject:
    """One design: the C source, the emitted kernel, and its arguments as design.json lists them."""

    name: str
    source: str
    header: str
    kernel: str
    interface: Sequence[Mapping[str, Any]]


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
    (folder / "source.c").write_text(
        "\n".join(s.source.replace(f"void {s.name}(", f"void source_{s.name}(") for s in subjects)
    )
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
        f"{name}_{field}" if field else name: FORMATS[_held(kind)]
        for kind, name, _ in _parameters(subject.source)
        for field in _fields(kind)
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
    """All kernels, each in a namespace of its own, and a main that runs the one asked for."""
    texts = [_without_includes(s.header) + _without_includes(s.kernel) for s in subjects]
    includes = sorted({line for s in subjects for line in _INCLUDE.findall(s.header + s.kernel) if '"' not in line})
    lines = ["#include <cstdio>", "#include <cstdlib>", "#include <cstring>", *includes, _ANY]
    lines += [f"namespace of_{s.name} {{\n{text}\n}}" for s, text in zip(subjects, texts, strict=True)]
    lines += [_runner(s, seed) for s in subjects]
    cases = [f'  if (!std::strcmp(argv[1], "{s.name}")) return run_{s.name}();' for s in subjects]
    return "\n".join([*lines, "int main(int, char **argv) {", *cases, "  return 9;", "}"]) + "\n"


_INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


def _without_includes(text: str) -> str:
    return re.sub(r"^#(include|ifndef|define|endif|pragma once).*$", "", text, flags=re.MULTILINE)


def _runner(subject: Subject, seed: int) -> str:
    """A function that fills arrays, packs those of the kernel, calls both and prints what both left."""
    rng = random.Random(f"{seed} {subject.name}")
    order = _parameters(subject.source)
    known = {a["name"]: a for a in subject.interface}
    declared, body, tail = [], list[str](), list[str]()
    for written, name, count in order:
        kind = _held(written)
        fields = _fields(written)
        declared.append(f"{kind} {'*' if count else ''}")
        if not count:
            body.append(f"  {kind} {name} = ({kind}){_number(rng, written)};")
            continue
        values = ", ".join(f"({kind}){_number(rng, _scalar(written))}" for _ in range(count * len(fields)))
        body.append(f"  static {kind} {name}[{count * len(fields)}] = {{{values}}};")
        for at, field in enumerate(fields):
            port = f"{name}_{field}" if field else name
            if port not in known:
                continue
            told = known[port]
            last = told["extents"][-1] if told["extents"] else 1
            pitch = told["padded_extents"][-1] if told["layout"] == "padded" else last
            width = told["vector_elements"]
            total = -(-(count // last * pitch) // width) * width
            place, own = f"(e / {last} * {pitch} + e % {last})", f"{name}[e * {len(fields)} + {at}]"
            body += _memories(port, kind, total, len(told["ports"]))
            lanes = width // len(told["ports"])
            mine = f"port_{port}[{place} % {width} / {lanes}][{place} / {width} * {lanes} + {place} % {lanes}]"
            body.append(f"  for (long e = 0; e < {count}; e++) {mine} = {own};")
            tail.append(_print(port, kind, count, mine, own))
    given = [text for a in subject.interface for text in _given(a)]
    head = [f'extern "C" void source_{subject.name}({", ".join(declared)});', f"static int run_{subject.name}() {{"]
    calls = [
        f"  of_{subject.name}::{subject.name}({', '.join(given)});",
        f"  source_{subject.name}({', '.join(name for _, name, _ in order)});",
    ]
    return "\n".join([*head, *body, *calls, *tail, "  return 0;", "}"])


def _memories(port: str, kind: str, total: int, count: int) -> Iterator[str]:
    """An array in memory, its beats dealt over some ports."""
    names = [f"memory_{port}_{number}" for number in range(count)]
    for name in names:
        yield f"  static {kind} {name}[{total // count}] __attribute__((aligned(4096)));"
    yield f"  {kind} *const port_{port}[] = {{{', '.join(names)}}};"


def _given(argument: Mapping[str, Any]) -> list[str]:
    """What the kernel is called with; the class that stands for half is made of a float."""
    if argument["kind"] == "array":
        name = argument["copies"] or argument["name"]
        return [f"Any{{port_{name}[{number}]}}" for number in range(len(argument["ports"]))]
    return [f"{'(float)' if argument['type'] == 'half' else ''}{argument['name']}"]


#: A pointer that becomes whatever the kernel takes: an element or a vector of some.
_ANY = "struct Any { void *p; template <typename T> operator T *() const { return static_cast<T *>(p); } };"
_PARAMETER = re.compile(r"(?P<type>[A-Za-z_0-9 ]+?)\s*(?P<name>\w+)(?P<dims>(\[\d+\])*)$")


def _parameters(source: str) -> list[tuple[str, str, int]]:
    """Type, name and number of elements (0: a scalar) of what the source function takes, as written."""
    [text] = re.findall(r"^void \w+\((.*)\)$", source, re.MULTILINE)
    found = []
    for one in text.split(", "):
        match = _PARAMETER.fullmatch(one)
        assert match is not None, one
        sizes = [int(n) for n in re.findall(r"\d+", match["dims"])]
        count = 1
        for size in sizes:
            count *= size
        found.append((match["type"], match["name"], count if sizes else 0))
    return found


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
