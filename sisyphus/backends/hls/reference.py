"""reference.c: the original source in one file, with one function of flat pointers that calls it; knows no design.

Headers of the user's are written into the text where they are included, command-line macros stand at its top, `main`
and the kernel get other names (the emitted kernel has the kernel's own).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import prod
from pathlib import Path

from sisyphus.backends.hls.quoting import c_comment
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import FLOAT, HALF, Argument, ArrayId, Kept, Member, Origin, Role, Scop, any_width
from sisyphus.ir.prints import PRINTS
from sisyphus.ir.types import BOOL
from sisyphus.values import replace

ENTRY = "sisy_reference"
BENCH_FLAGS = "-O1 -ffp-contract=off -fno-fast-math"
#: With these every compiler computes what C says: integers wrap, a function of math.h is a call of it (of two zeros,
#: `fmaxf` may return either), and induction variables stay (GCC 12 mixes up `A[17 - i]` and `A[i + 4]` without them).
SAME_ARITHMETIC = f"{BENCH_FLAGS} -fno-builtin -fwrapv -fno-strict-aliasing -fno-ivopts"
#: What C computes in `_Float16` is rounded at once; without this, GCC keeps `float` until it is stored.
HALF_ARITHMETIC = "-fexcess-precision=16"
#: What is called behind the declaration of a variable that lives on, which has what is given at the first call.
#: `many` and `far` are how many elements there are by dimension, and how many bytes lie between them.
_KEEP = """static void sisy_move(int at, int back)
{
  unsigned long all = 1, size = sisy_kept[at].size;
  for (int d = 0; d < SISY_DIMS; d++) all *= sisy_kept[at].many[d];
  for (unsigned long e = 0, left = 0; e < all; e++) {
    char *given = sisy_kept[at].given + e * size, *place = sisy_kept[at].place;
    left = e;
    for (int d = SISY_DIMS - 1; d >= 0; left /= sisy_kept[at].many[d--])
      place += left % sisy_kept[at].many[d] * sisy_kept[at].far[d];
    for (unsigned long i = 0; i < size; i++) if (back) given[i] = place[i]; else place[i] = given[i];
  }
}
static void sisy_keep(int at, void *place, unsigned long size, const unsigned long *many, const unsigned long *far)
{
  int first = !sisy_kept[at].place && sisy_kept[at].given;
  sisy_kept[at].place = (char *)place;
  sisy_kept[at].size = size;
  for (int d = 0; d < SISY_DIMS; d++) {
    sisy_kept[at].many[d] = many[d];
    sisy_kept[at].far[d] = far[d];
  }
  if (first) sisy_move(at, 0);
}"""
_KEPT = re.compile(r" sisy_keep\([0-9]+, [^;]*\);")
_NO_MAIN = "#define main static __attribute__((unused)) sisy_main"
_INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)')
_PRINT = re.compile(rf"\b({'|'.join(sorted(PRINTS))})\s*\(")
_COMPLEX = re.compile(r"\b(complex|_Complex)\b")
_ONCE = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+once\b")
_DEEPEST = 40


def print_reference(scop: Scop) -> str:
    origin = scop.origin
    w = Writer()
    w.line(f"{heading(origin.path)} {origin.digest or 'unknown'}: what the kernel must compute. */")
    for define in origin.defines:
        name, _, value = define.partition("=")
        w.line(f"#define {name} {value if '=' in define else '1'}".rstrip())
    if any(a.type == BOOL for a in entry_arguments(scop)):
        w.line("#include <stdbool.h>")
    # Unused and static, `main` and what only it needs need not be linked.
    if _COMPLEX.search(whole_text(origin)):
        # Products and quotients by the formulas of the textbook, as C allows it.
        w.line('#pragma GCC optimize ("cx-limited-range")')
    calls = list(_calls(scop))
    if calls:
        fields = "char *given, *place; unsigned long size, many[SISY_DIMS], far[SISY_DIMS];"
        w.line(f"#define SISY_DIMS {_most_dims(scop)}")
        w.lines([f"static struct {{ {fields} }} sisy_kept[{len(calls)}];", *_KEEP.splitlines()])
    text = _with_calls(origin.text, calls)
    whole = whole_text(replace(origin, text=text))
    prints = sorted(set(_PRINT.findall(whole)))
    if prints:  # what it prints would stand between the results
        w.lines(
            ["#include <stdio.h>", *(line for name in prints for line in (f"#undef {name}", f"#define {name}(...) 0"))]
        )
    w.line(_NO_MAIN)
    w.line(f"#define {origin.function} sisy_source_{origin.function}")
    w.line()
    w.lines(whole.splitlines())
    w.line()
    _entry(w, scop)
    return w.text()


def exact_flags(reference: str) -> str:
    """Options with which a compiler computes what C says in a reference.c, and in the code emitted beside it."""
    return f"{SAME_ARITHMETIC} {HALF_ARITHMETIC}" if re.search(rf"\b{HALF.c99_name}\b", reference) else SAME_ARITHMETIC


def _most_dims(scop: Scop) -> int:
    return max(len(scop.array(ArrayId(a.name)).extents) for a in scop.arguments if a.kept is not None)


def _calls(scop: Scop) -> Iterator[tuple[Kept, str]]:
    """The variables that live on, each with the call that is told where its elements are."""
    for at, argument in enumerate(a for a in scop.arguments if a.kept is not None):
        kept, extents = argument.kept, scop.array(ArrayId(argument.name)).extents
        if kept is None:
            continue
        place, dims = kept.place, kept.place.count("{}")
        first = place.format(*("0" * dims))
        many, far = [1] * _most_dims(scop), ["0"] * _most_dims(scop)
        for d in range(dims):
            many[d - dims] = extents[d]
            far[d - dims] = (
                f"(char *)&{place.format(*('1' if d == e else '0' for e in range(dims)))} - (char *)&{first}"
            )
        values = (f"(const unsigned long[]){{{', '.join(map(str, numbers))}}}" for numbers in (many, far))
        yield kept, f" sisy_keep({at}, &{first}, sizeof {first}, {', '.join(values)});"


def _with_calls(text: str, calls: Sequence[tuple[Kept, str]]) -> str:
    """The source with a call behind each declaration of a variable that lives on."""
    lines = text.splitlines(keepends=True)
    for one, call in sorted(calls, key=lambda pair: (pair[0].line, pair[0].column), reverse=True):
        line = lines[one.line - 1]
        lines[one.line - 1] = line[: one.column] + call + line[one.column :]
    return "".join(lines)


def heading(path: str) -> str:
    """How a reference.c begins that was printed for the file at `path`."""
    return f"/* {c_comment(Path(path).name)}, sha256"


def whole_text(origin: Origin) -> str:
    """The source with the user's own headers written into it."""
    return _inlined(origin.text, Path(origin.path).parent, origin, depth=0)


def source_in(reference: str) -> str | None:
    """The source, headers included, as `print_reference` put it into a reference.c; None where it is not there."""
    lines = reference.splitlines()
    ends = [at for at, line in enumerate(lines) if line.startswith(f"void {ENTRY}(")]
    if _NO_MAIN not in lines or not ends:
        return None
    # Behind it the kernel's own name and an empty line; before the entry another one.
    return _KEPT.sub("", "\n".join(lines[lines.index(_NO_MAIN) + 3 : ends[-1] - 1]) + "\n")


def entry_parameters(scop: Scop, *, in_c: bool = False) -> list[str]:
    """Declared parameters of the entry: the source's, without those fixed to a value.

    C and C++ call it alike, so that a single half, which they hand over in different ways, arrives as `float`.
    """
    return [
        f"{a.type.c99_name if in_c else a.type.stored.c_name} *sisy_a{at}"
        if a.kind == "array"
        else f"{FLOAT.c_name if a.type == HALF else a.type.stored.c_name} sisy_a{at}"
        for at, a in enumerate(entry_arguments(scop))
    ]


def entry_arguments(scop: Scop) -> tuple[Argument, ...]:
    return tuple(a for a in scop.arguments if a.kind != "parameter")


def _entry(w: Writer, scop: Scop) -> None:
    places = {a.name: f"sisy_a{at}" for at, a in enumerate(entry_arguments(scop))}
    values = {a.name: places.get(a.name) or str(a.value) for a in scop.arguments}
    members: dict[Member, Argument] = {a.member: a for a in scop.arguments if a.member is not None}
    given: dict[str, str] = {}
    for argument in scop.arguments:
        value = values[argument.name]
        member = argument.member
        name = f"sisy_of_{member.argument}" if member is not None else value
        is_address = argument.kind == "array" if member is None else not member.by_value
        if argument.is_in_c:
            given[name] = f"(void *){name}" if is_address else name
    outside = [a for a in scop.arguments if a.outside]
    results = [
        f"*{places[a.name]}" if a.member is None else f"*sisy_of_{a.member.argument}"
        for a in scop.arguments
        if a.returned
    ]
    w.line(f"void {ENTRY}({', '.join(entry_parameters(scop, in_c=True)) or 'void'})")
    w.line("{")
    with w.indented():
        w.lines(f"(void){places[a.name]};" for a in scop.arguments if a.is_local)
        _structures(w, scop, members)
        for member, argument in members.items():
            _moved(w, scop, member, argument, values[argument.name], back=False)
        for argument in outside:
            _taken(w, scop, argument, values[argument.name], back=False)
        living = [a.name for a in scop.arguments if a.kept is not None]
        for at, name in enumerate(living):
            w.line(f"sisy_kept[{at}].given = (char *){values[name]}; sisy_kept[{at}].place = 0;")
        result = f"{results[0]} = " if results else ""
        w.line(f"{result}{scop.origin.function}({', '.join(given.values())});")
        for at in range(len(living)):
            w.line(f"if (sisy_kept[{at}].place) sisy_move({at}, 1);")
        for argument in outside:
            if argument.kind == "array" and scop.array(ArrayId(argument.name)).role is not Role.IN:
                _taken(w, scop, argument, values[argument.name], back=True)
        for member, argument in members.items():
            if not member.by_value:
                _moved(w, scop, member, argument, values[argument.name], back=True)
    w.line("}")


def _taken(w: Writer, scop: Scop, argument: Argument, value: str, *, back: bool) -> None:
    """A variable of the file from or to the argument of the entry that stands for it."""
    if argument.kind != "array":
        w.line(f"{argument.outside} = {value};")
        return
    array = scop.array(ArrayId(argument.name))
    if "{}" in argument.outside:
        names = [f"i{d}" for d in range(len(array.extents))]
        loops = "".join(f"for (int {n} = 0; {n} < {e}; {n}++) " for n, e in zip(names, array.extents, strict=True))
        at = reduce(
            lambda whole, part: f"({whole}) * {part[1]} + {part[0]}", zip(names, array.extents, strict=True), "0"
        )
        left, right = argument.outside.format(*names), f"{value}[{at}]"
        w.line(f"{loops}{right} = {left};" if back else f"{loops}{left} = {right};")
        return
    place = f"(({array.type.c99_name} *)&{argument.outside})[i]"
    left, right = (f"{value}[i]", place) if back else (place, f"{value}[i]")
    w.line(f"for (unsigned long i = 0; i < {array.elements}; i++) {left} = {right};")


def _structures(w: Writer, scop: Scop, members: Mapping[Member, Argument]) -> None:
    """The structures that the source works on, put together from their fields."""
    for name in dict.fromkeys(member.argument for member in members):
        parts = [(m, a) for m, a in members.items() if m.argument == name]
        counts = [_count(scop, m, a) for m, a in parts if _is_known(scop, a)]
        size = "" if parts[0][0].by_value else f"[{min(counts, default=1)}]"
        w.line(f"static {parts[0][0].type} sisy_of_{name}{size};")


def _is_known(scop: Scop, argument: Argument) -> bool:
    return any(a.id == argument.name for a in scop.arrays)


def _inner(scop: Scop, member: Member, argument: Argument) -> tuple[int, ...]:
    """The extents behind those of the argument."""
    extents = scop.array(ArrayId(argument.name)).extents
    return extents[len(extents) - member.field.count("{}") :]


def _count(scop: Scop, member: Member, argument: Argument) -> int:
    """How many structures there are."""
    return scop.array(ArrayId(argument.name)).elements // prod(_inner(scop, member, argument))


def _moved(w: Writer, scop: Scop, member: Member, argument: Argument, value: str, *, back: bool) -> None:
    """One field from or to the argument of the entry that has it."""
    name = f"sisy_of_{member.argument}" + ("" if member.by_value else "[i]")
    if argument.kind != "array":
        w.line(f"{member.field.format(place=name)} = {value};")
        return
    if not _is_known(scop, argument):
        return
    inner, at = _inner(scop, member, argument), "i"
    loops = f"for (unsigned long i = 0; i < {_count(scop, member, argument)}; i++) "
    for number, extent in enumerate(inner):
        loops += f"for (unsigned long i{number} = 0; i{number} < {extent}; i{number}++) "
        at = f"({at}) * {extent} + i{number}"
    field = member.field.format(*(f"i{number}" for number in range(len(inner))), place=name)
    left, right = (f"{value}[{at}]", field) if back else (field, f"{value}[{at}]")
    w.line(f"{loops}{left} = {right};")


def _inlined(text: str, folder: Path, origin: Origin, *, depth: int) -> str:
    """The text with the user's own headers in place of the lines that include them."""
    lines = []
    for line in text.splitlines():
        match = _INCLUDE.match(line)
        if match and Path(match["quoted"] or match["angled"]).name == any_width.HEADER:
            lines += any_width.definitions(origin.widths).splitlines()
            continue
        header = _find(match, folder, origin) if match and depth < _DEEPEST else None
        if header is None:
            lines.append(line)
            continue
        content = _inlined(header.read_text(encoding="utf-8", errors="replace"), header.parent, origin, depth=depth + 1)
        lines += _once(content, header) if any(_ONCE.match(own) for own in content.splitlines()) else [content]
    return "\n".join(lines)


def _find(match: re.Match[str], folder: Path, origin: Origin) -> Path | None:
    """A header of the user's; those of the system stay includes."""
    dirs = [Path(d) for d in origin.include_dirs]
    name = match["quoted"] or match["angled"]
    for place in [folder, *dirs] if match["quoted"] else dirs:
        if (place / name).is_file():
            return place / name
    return None


def _once(content: str, header: Path) -> list[str]:
    guard = "SISY_ONCE_" + re.sub(r"\W", "_", header.name.upper())
    return [f"#ifndef {guard}", f"#define {guard}", *(c for c in content.splitlines() if not _ONCE.match(c)), "#endif"]
