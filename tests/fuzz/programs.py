"""Random affine C programs of many shapes, small enough to be run at once; they are run here to make arrays fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

HALF = "_Float16"
REAL = ("+", "-", "*")
FLOATS, INTEGERS = ("float", "double", HALF), ("int", "unsigned", "short", "signed char", "unsigned char", "long")
#: Types of sisy_types.h: what is stored says that it wraps.
WIDTHS = ("sisy_int12", "sisy_uint5", "sisy_int33")
#: What an element of an array may be made of: itself, two numbers of a structure, or those of a complex number.
PLAIN, PAIR, COMPLEX = "", "pair", "complex"
FIELDS = {PLAIN: ("",), PAIR: ("x", "y"), COMPLEX: ("re", "im")}
NAMES = "ijlm"
#: Iterations of all statements together, and elements of an array, beyond which another program is drawn.
MOST_STEPS, MOST_ELEMENTS = 7000, 600


@dataclass(frozen=True)
class Affine:
    """`sum of factor * iterator + constant`, or a part of it: the quotient or the remainder by a number."""

    factors: tuple[tuple[str, int], ...]
    constant: int = 0
    part: str = ""  # "/ 2", "% 3", ">> 1", "& 3"

    def value(self, at: Mapping[str, int]) -> int:
        whole = self.constant + sum(f * at[name] for name, f in self.factors)
        if not self.part:
            return whole
        op, by = self.part.split()
        quotient = abs(whole) // int(by) * (1 if whole >= 0 else -1) if op in "/%" else 0
        return {"/": quotient, "%": whole - quotient * int(by), ">>": whole >> int(by), "&": whole & int(by)}[op]

    def shifted(self, by: int) -> str:
        """The text of it, `by` added."""
        if self.part:
            return f"(({replace(self, part='')}) {self.part})" + (f" + {by}" if by else "").replace("+ -", "- ")
        return str(replace(self, constant=self.constant + by))

    def __str__(self) -> str:
        if self.part:
            return self.shifted(0)
        terms = [name if f == 1 else f"{f} * {name}" for name, f in self.factors]
        terms += [str(self.constant)] if self.constant or not terms else []
        return " + ".join(terms).replace("+ -", "- ")


@dataclass(frozen=True)
class Array:
    name: str
    type: str
    rank: int
    role: str  # "argument", "local" (written first), "scalar" (an argument that is read), "outside" (of the file)
    made_of: str = PLAIN

    @property
    def spelled(self) -> str:
        """How C calls it; programs stand side by side in one file, and what is outside must not clash."""
        return f"F_{self.name}" if self.role == "outside" else self.name

    @property
    def element(self) -> str:
        """How C spells the type of an element."""
        pair = f"struct F_two_{self.type.replace(' ', '_')}"
        return {PLAIN: self.type, PAIR: pair, COMPLEX: f"{self.type} _Complex"}[self.made_of]


@dataclass(frozen=True)
class Ref:
    array: str
    index: tuple[Affine, ...] = ()
    field: str = ""  # of an element that is made of several; without one, the whole complex number


@dataclass(frozen=True)
class Assign:
    """`target op value;` where `value` has `{0}`, `{1}` for its operands."""

    target: Ref
    op: str
    shape: str
    reads: tuple[Ref, ...]
    iterators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Jump:
    """`continue` or `break`."""

    word: str


@dataclass(frozen=True)
class Test:
    """A condition on data; whatever it is, both sides are taken into account for the extents of arrays."""

    left: Ref
    op: str
    body: tuple[Node, ...]
    other: tuple[Node, ...] = ()


@dataclass(frozen=True)
class If:
    """A condition on iterators; `other` is what else runs."""

    condition: tuple[Affine, str]
    body: tuple[Node, ...]
    other: tuple[Node, ...] = ()


@dataclass(frozen=True)
class For:
    """From `low` while below `high`, or downwards where `step` is negative.

    Where it `walks`, pointers move with it along the arguments that have its iterator alone as subscript, and counters
    go round for remainders of it.
    """

    name: str
    low: Affine
    high: Affine
    step: int
    body: tuple[Node, ...]
    walks: bool = False


Node = Assign | Jump | Test | If | For


@dataclass(frozen=True)
class Program:
    """A kernel; `shifts` make the least subscript of each array 0, `extents` hold the greatest.

    It returns the first element of the array `result`, as long as that is used.
    """

    name: str
    arrays: tuple[Array, ...]
    body: tuple[Node, ...]
    result: str = ""

    def text(self) -> str:
        """The C file; `ValueError` where it would be too large."""
        boxes = dict(_boxes(self))
        if any(_size(box) > MOST_ELEMENTS for box in boxes.values()):
            raise ValueError("an array is too large")
        used = [a for a in self.arrays if a.name in boxes]
        arguments = [_declared(a, boxes) for a in used if a.role in ("argument", "scalar")]
        result = next((a for a in used if a.name == self.result), None)
        if result is None and not any(a.role in ("argument", "outside") for a in used):
            raise ValueError("nothing comes out")
        lines = [f"static {_declared(a, boxes)};" for a in used if a.role == "outside"]
        lines += [f"{result.element if result else 'void'} {self.name}({', '.join(arguments) or 'void'})", "{"]
        lines += [f"  {_declared(a, boxes)};" for a in used if a.role == "local"]
        lines += _initial(used, boxes)
        lines += [line for node in self.body for line in _lines(node, boxes, self.arrays, 1)]
        lines += [f"  return {_first(result, boxes)};"] if result else []
        text = "\n".join([*lines, "}"]) + "\n"
        before = ["#include <math.h>", *(['#include "sisy_types.h"'] if "sisy_" in text else [])]
        before += ["#include <complex.h>"] if "_Complex" in text else []
        pairs = sorted({(a.element, a.type) for a in used if a.made_of == PAIR})
        before += [f"{name} {{ {kind} x; {kind} y; }};" for name, kind in pairs]
        before += [HELPERS[name] for name in HELPERS if f"{name}(" in text or f"{name}[" in text]
        # Programs stand side by side in one file.
        return "\n".join([*before, text]).replace("F_", f"{self.name}_")

    def entry(self) -> str:
        """A function behind it, `source_NAME`, whose arguments are all that goes in and comes out; or nothing.

        What the kernel returns is an array of one element there, and so is a number of the file that it writes.
        """
        boxes = dict(_boxes(self))
        used = [a for a in self.arrays if a.name in boxes]
        outside, result = (
            [a for a in used if a.role == "outside"],
            next((a for a in used if a.name == self.result), None),
        )
        if not outside and result is None:
            return ""
        given = [a for a in used if a.role in ("argument", "scalar")]
        arguments = [_declared(a, boxes) for a in given]
        arguments += [f"{result.element} F_result[1]"] if result else []
        lines, before, after = list[str](), list[str](), list[str]()
        written = {a.target.array for a in assigns(self.body) if isinstance(a, Assign)}
        for array in outside:
            name = array.spelled
            scalar = not boxes[array.name] and array.name not in written
            arguments.append(f"{_declared(array, boxes)}{'' if boxes[array.name] or scalar else '[1]'}")
            lines.append(f"static void *const at_{name} = &{name}; enum {{ size_{name} = sizeof {name} }};")
            before.append(f"  memcpy(at_{name}, {'&' if scalar else ''}{name}, size_{name});")
            after += [] if scalar else [f"  memcpy({name}, at_{name}, size_{name});"]
        call = f"{self.name}({', '.join(a.name for a in given)});"
        lines += [f"void source_{self.name}({', '.join(arguments)})", "{", *before]
        lines += [f"  {'F_result[0] = ' if result else ''}{call}", *after, "}"]
        return "\n".join(["#include <string.h>", *lines, ""]).replace("F_", f"{self.name}_")

    def smaller(self) -> Iterator[Program]:
        """The program with one thing less."""
        if self.result:
            yield replace(self, result="")
        for number, array in enumerate(self.arrays):
            if array.role == "outside":
                yield replace(
                    self, arrays=(*self.arrays[:number], replace(array, role="argument"), *self.arrays[number + 1 :])
                )
        for body in _less(self.body):
            yield replace(self, body=body)


Box = tuple[tuple[int, int], ...]


def _size(box: Box) -> int:
    total = 1
    for low, high in box:
        total *= high - low + 1
    return total


def _declared(array: Array, boxes: Mapping[str, Box]) -> str:
    dims = "".join(f"[{high - low + 1}]" for low, high in boxes[array.name])
    if array.role == "scalar" or (array.role in ("local", "outside") and not dims):
        return f"{array.element} {array.spelled}"
    return f"{array.element} {array.spelled}{dims}" if dims else f"{array.element} {array.name}[1]"


def _first(array: Array, boxes: Mapping[str, Box]) -> str:
    """The element with the least subscripts."""
    dims = len(boxes[array.name]) or (1 if array.role == "argument" else 0)
    return array.spelled + "[0]" * dims


def _initial(used: Sequence[Array], boxes: Mapping[str, Box]) -> Iterator[str]:
    """Locals get values first, as C leaves them undefined."""
    for array in used:
        if array.role == "local":
            box = boxes[array.name]
            loops = "".join(f"for (int z{d} = 0; z{d} < {h - lo + 1}; z{d}++) " for d, (lo, h) in enumerate(box))
            place = "".join(f"[z{d}]" for d in range(len(box)))
            fields = [".x", ".y"] if array.made_of == PAIR else [""]
            yield f"  {loops}{{ {' '.join(f'{array.name}{place}{field} = 1;' for field in fields)} }}"


def _lines(node: Node, boxes: Mapping[str, Box], arrays: Sequence[Array], depth: int) -> Iterator[str]:
    pad = "  " * depth
    match node:
        case Assign():
            operands = [_ref(r, boxes, arrays) for r in node.reads] + [f"{n}" for n in node.iterators]
            target, value = _ref(node.target, boxes, arrays), node.shape.format(*operands)
            kind = next(a.type for a in arrays if a.name == node.target.array)
            if kind not in WIDTHS:
                yield f"{pad}{target} {node.op} {value};"
            else:
                whole = value if node.op == "=" else f"{target} {node.op[0]} ({value})"
                yield f"{pad}{target} = {kind}_{'saturate' if node.op == '-=' else 'wrap'}({whole});"
        case Jump(word=word):
            yield f"{pad}{word};"
        case Test(left=left, op=op):
            yield f"{pad}if ({_ref(left, boxes, arrays)} {op} 1) {{"
            for child in node.body:
                yield from _lines(child, boxes, arrays, depth + 1)
            if node.other:
                yield f"{pad}}} else {{"
                for child in node.other:
                    yield from _lines(child, boxes, arrays, depth + 1)
            yield f"{pad}}}"
        case If(condition=(left, op)):
            yield f"{pad}if ({left} {op} 0) {{"
            for child in node.body:
                yield from _lines(child, boxes, arrays, depth + 1)
            if node.other:
                yield f"{pad}}} else {{"
                for child in node.other:
                    yield from _lines(child, boxes, arrays, depth + 1)
            yield f"{pad}}}"
        case For(name=n, step=step):
            move = {1: f"{n}++", -1: f"{n}--"}.get(step, f"{n} += {step}" if step > 0 else f"{n} -= {-step}")
            start, test = (node.low, f"{n} < {node.high}") if step > 0 else (node.high, f"{n} >= {node.low}")
            body = [line for child in node.body for line in _lines(child, boxes, arrays, depth + 1)]
            before, body, after = _walking(node, start, body, arrays) if node.walks else ([], body, [])
            yield from (f"{pad}{line}" for line in (["{", *before] if before else []))
            yield f"{pad}for (int {n} = {start}; {test}; {move}) {{"
            yield from body
            yield from (f"{pad}  {line}" for line in after)
            yield f"{pad}}}{' }' if before else ''}"


def _walking(
    node: For, start: Affine, body: list[str], arrays: Sequence[Array]
) -> tuple[list[str], list[str], list[str]]:
    """Pointers and counters before a loop, its body with these, and what moves them at its end."""
    n, text, before, after = node.name, "\n".join(body), list[str](), list[str]()
    if any(f"{word};" in text for word in ("continue", "break")):
        return [], body, []
    for array in (a for a in arrays if a.rank == 1 and a.role == "argument" and a.made_of == PLAIN):
        pointer, element = f"p_{array.name}_{n}", rf"\b{array.name}\[{n}(?: \+ (\d+))?\]"
        if re.search(element, text):
            text = re.sub(element, lambda found, p=pointer: f"{p}[{found[1] or 0}]", text)  # type: ignore[misc]
            before.append(f"{array.type} *{pointer} = {array.name} + ({start});")
            after.append(f"{pointer} {'+' if node.step > 0 else '-'}= {abs(node.step)};")
    for by in "234":
        rest = f"(({n}) % {by})"
        if rest in text and not start.factors and start.constant >= 0 and node.step > 0:
            text = text.replace(rest, f"w_{n}{by}")
            before.append(f"int w_{n}{by} = {start.constant % int(by)};")
            more = f"w_{n}{by} = (w_{n}{by} + {node.step}) % {by};"
            by_test = f"if (++w_{n}{by} == {by}) w_{n}{by} = 0;"
            after.append(by_test if node.step == 1 and by != "3" else more)
    return before, text.split("\n"), after


def _ref(ref: Ref, boxes: Mapping[str, Box], arrays: Sequence[Array]) -> str:
    array = next(a for a in arrays if a.name == ref.array)
    if not ref.index:
        return _part(f"{array.name}[0]" if array.role == "argument" else array.spelled, array, ref.field)
    shifted = (i.shifted(-low) for i, (low, _) in zip(ref.index, boxes[ref.array], strict=True))
    return _part(array.spelled + "".join(f"[{i}]" for i in shifted), array, ref.field)


def _part(element: str, array: Array, field: str) -> str:
    """The element, or one number of it."""
    if array.made_of == PAIR:
        return f"{element}.{field}"
    real = {"re": "creal", "im": "cimag"}.get(field)
    return f"{real}{'f' if array.type == 'float' else ''}({element})" if real else element


def run(nodes: Sequence[Node], at: dict[str, int], left: list[int]) -> Iterator[tuple[Assign | Test, dict[str, int]]]:
    """Every instance with the values of its iterators; `ValueError` where there are too many."""
    for node in nodes:
        match node:
            case Assign():
                left[0] -= 1
                if left[0] < 0:
                    raise ValueError("too many iterations")
                yield node, at
            case Jump():
                pass
            case Test():
                yield node, at
                yield from run((*node.body, *node.other), at, left)
            case If(condition=(left_side, op)):
                value = left_side.value(at)
                holds = {"<": value < 0, ">=": value >= 0, "==": value == 0}[op]
                yield from run(node.body if holds else node.other, at, left)
            case For(step=step):
                low, high = node.low.value(at), node.high.value(at)
                for value in range(low, high, step) if step > 0 else range(high, low - 1, step):
                    left[0] -= 1
                    if left[0] < 0:
                        raise ValueError("too many iterations")
                    yield from run(node.body, {**at, node.name: value}, left)


def _boxes(program: Program) -> Iterator[tuple[str, Box]]:
    """Least and greatest subscript of each array that is used, in each dimension."""
    found: dict[str, list[tuple[int, int]]] = {}
    ran = set[int]()
    for assign, at in run(program.body, {}, [MOST_STEPS]):
        ran.add(id(assign))
        for ref in (assign.left,) if isinstance(assign, Test) else (assign.target, *assign.reads):
            values = [i.value(at) for i in ref.index]
            have = found.setdefault(ref.array, [(v, v) for v in values])
            found[ref.array] = [(min(lo, v), max(hi, v)) for (lo, hi), v in zip(have, values, strict=True)]
    if not found:
        raise ValueError("nothing runs")
    if any(id(assign) not in ran for assign in assigns(program.body)):
        raise ValueError("a statement never runs")
    yield from ((name, tuple(box)) for name, box in found.items())


def assigns(nodes: Sequence[Node]) -> Iterator[Assign]:
    for node in nodes:
        match node:
            case Assign():
                yield node
            case If() | Test():
                yield from assigns((*node.body, *node.other))
            case For():
                yield from assigns(node.body)


def _less(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    for at, node in enumerate(nodes):
        before, after = nodes[:at], nodes[at + 1 :]
        if len(nodes) > 1:
            yield (*before, *after)
        match node:
            case If() | Test():
                yield (*before, *node.body, *after)
                yield from ((*before, replace(node, body=less), *after) for less in _less(node.body))
                if node.other:
                    yield (*before, replace(node, other=()), *after)
            case For():
                yield from ((*before, replace(node, body=less), *after) for less in _less(node.body))
                if node.step not in (1, -1):
                    yield (*before, replace(node, step=1 if node.step > 0 else -1), *after)
            case Assign() if node.shape != "{0}":
                yield (*before, replace(node, shape="{0}"), *after)


#: What the file has before the kernel where the kernel names it; `F_` becomes the name of the kernel.
HELPERS = {"F_lut": "static const int F_lut[8] = {3, -1, 4, 1, -5, 9, 2, 6};"}
HELPERS |= {"F_flut": "static const float F_flut[4] = {0.5f, -1.5f, 2.0f};"}
for _type, _letter in (("float", "f"), ("int", "i")):
    HELPERS |= {
        f"F_pick{_letter}": f"static {_type} F_pick{_letter}({_type} a, {_type} b) "
        "{ if (a < b) return b; return a; }",
        f"F_sum{_letter}": f"static {_type} F_sum{_letter}({_type} a, {_type} b) {{ {_type} s = a; "
        "for (int z = 0; z < 3; z++) s = s * 2 - b; return s; }",
        f"F_pair{_letter}": f"struct F_two{_letter} {{ {_type} x; {_type} y; }};\n"
        f"static {_type} F_pair{_letter}({_type} a, {_type} b) {{ struct F_two{_letter} p; p.x = a; p.y = b; "
        "if (p.y > p.x) p.x = p.x + p.y; return p.x - p.y; }",
    }
