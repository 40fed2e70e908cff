"""Random affine C programs of many shapes, small enough to be run at once; they are run here to make arrays fit."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

HALF = "_Float16"
FLOATS, INTEGERS = ("float", "double", HALF), ("int", "unsigned", "short", "signed char", "unsigned char", "long")
#: Types of sisy_types.h: what is stored says that it wraps.
WIDTHS = ("sisy_int12", "sisy_uint5", "sisy_int33")
#: What an element of an array may be made of: itself, two numbers of a structure, or those of a complex number.
PLAIN, PAIR, COMPLEX = "", "pair", "complex"
FIELDS = {PLAIN: ("",), PAIR: ("x", "y"), COMPLEX: ("re", "im")}
NAMES = "ijlm"
#: Iterations of all statements together, and elements of an array, beyond which another program is drawn.
MOST_STEPS, MOST_ELEMENTS = 3000, 600


@dataclass(frozen=True)
class Affine:
    """`sum of factor * iterator + constant`, or a part of it: the quotient or the remainder by a number."""

    factors: tuple[tuple[str, int], ...]
    constant: int = 0
    part: str = ""  # "/ 2", "% 3"

    def value(self, at: Mapping[str, int]) -> int:
        whole = self.constant + sum(f * at[name] for name, f in self.factors)
        if not self.part:
            return whole
        op, by = self.part.split()
        if whole < 0:
            raise ValueError("C rounds this to zero, which is not affine")
        return whole // int(by) if op == "/" else whole % int(by)

    def shifted(self, by: int) -> str:
        """The text of it, `by` added."""
        if self.part:
            return f"({replace(self, part='')}) {self.part}" + (f" + {by}" if by else "").replace("+ -", "- ")
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
    role: str  # "argument", "local" (written first), "scalar" (an argument that is read)
    made_of: str = PLAIN

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
    """From `low` while below `high`, or downwards where `step` is negative."""

    name: str
    low: Affine
    high: Affine
    step: int
    body: tuple[Node, ...]


Node = Assign | Jump | Test | If | For


@dataclass(frozen=True)
class Program:
    """A kernel; `shifts` make the least subscript of each array 0, `extents` hold the greatest."""

    name: str
    arrays: tuple[Array, ...]
    body: tuple[Node, ...]

    def text(self) -> str:
        """The C file; `ValueError` where it would be too large."""
        boxes = dict(_boxes(self))
        if any(_size(box) > MOST_ELEMENTS for box in boxes.values()):
            raise ValueError("an array is too large")
        used = [a for a in self.arrays if a.name in boxes]
        arguments = [_declared(a, boxes) for a in used if a.role != "local"]
        if not any(a.role == "argument" for a in used):
            raise ValueError("nothing comes out")
        lines = [f"void {self.name}({', '.join(arguments)})", "{"]
        lines += [f"  {_declared(a, boxes)};" for a in used if a.role == "local"]
        lines += _initial(used, boxes)
        lines += [line for node in self.body for line in _lines(node, boxes, self.arrays, 1)]
        text = "\n".join([*lines, "}"]) + "\n"
        before = ["#include <math.h>", *(['#include "sisy_types.h"'] if "sisy_" in text else [])]
        before += ["#include <complex.h>"] if "_Complex" in text else []
        pairs = sorted({(a.element, a.type) for a in used if a.made_of == PAIR})
        before += [f"{name} {{ {kind} x; {kind} y; }};" for name, kind in pairs]
        before += [HELPERS[name] for name in HELPERS if f"{name}(" in text or f"{name}[" in text]
        # Programs stand side by side in one file.
        return "\n".join([*before, text]).replace("F_", f"{self.name}_")

    def smaller(self) -> Iterator[Program]:
        """The program with one thing less."""
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
    if array.role == "scalar" or (array.role == "local" and not dims):
        return f"{array.element} {array.name}"
    return f"{array.element} {array.name}{dims}" if dims else f"{array.element} {array.name}[1]"


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
            yield f"{pad}for (int {n} = {start}; {test}; {move}) {{"
            for child in node.body:
                yield from _lines(child, boxes, arrays, depth + 1)
            yield f"{pad}}}"


def _ref(ref: Ref, boxes: Mapping[str, Box], arrays: Sequence[Array]) -> str:
    array = next(a for a in arrays if a.name == ref.array)
    if not ref.index:
        return _part(ref.array if array.role in ("scalar", "local") else f"{ref.array}[0]", array, ref.field)
    shifted = (i.shifted(-low) for i, (low, _) in zip(ref.index, boxes[ref.array], strict=True))
    return _part(ref.array + "".join(f"[{i}]" for i in shifted), array, ref.field)


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
    if any(id(assign) not in ran for assign in _assigns(program.body)):
        raise ValueError("a statement never runs")
    yield from ((name, tuple(box)) for name, box in found.items())


def _assigns(nodes: Sequence[Node]) -> Iterator[Assign]:
    for node in nodes:
        match node:
            case Assign():
                yield node
            case If() | Test():
                yield from _assigns((*node.body, *node.other))
            case For():
                yield from _assigns(node.body)


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


def draw(seed: str, name: str = "k") -> Program:
    """The program of a seed."""
    rng, kind = random.Random(seed), random.Random(f"{seed} kind").random()
    while True:
        shape = _stencil if kind < 0.06 else _elimination if kind < 0.1 else _rows if kind < 0.13 else _draw
        program = shape(rng, name)
        program = _with_parts(rng, program) if kind > 0.9 else program
        try:
            program.text()
        except ValueError:
            continue
        return program


def _draw(rng: random.Random, name: str) -> Program:
    float_kind = rng.choices(FLOATS, (4, 4, 1))[0]
    kinds = rng.choices(((float_kind,), (*FLOATS, *INTEGERS), (*INTEGERS, *WIDTHS), WIDTHS), (10, 4, 2, 1))[0]
    arrays = []
    for letter in "ABCDE"[: rng.randint(2, 5)]:
        kind = rng.choice(kinds)
        role = rng.choices(("argument", "local"), (5, 1))[0]
        rank = rng.choice((0, 1, 1, 2, 2, 3))
        made_of = rng.choices((PLAIN, PAIR, COMPLEX if kind in ("float", "double") else PAIR), (12, 1, 1))[0]
        arrays.append(Array(letter, kind, rank, role, made_of))
    scalars = "xy"[: rng.randint(0, 2)]
    arrays += [Array(letter, rng.choice((float_kind, "int")), 0, "scalar") for letter in scalars]
    maker = _Maker(rng, tuple(arrays), rng.randint(1, 5))
    body = list[Node]()
    while maker.left > 0:
        body.append(maker.block(()))
    return Program(name, tuple(arrays), tuple(body))


def _stencil(rng: random.Random, name: str) -> Program:
    """Time steps over rows of arrays: one or two sweeps, sometimes a row alone, sometimes a statement before."""
    kind = rng.choice(FLOATS[:2])
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, 2, "argument"), Array("C", kind, 1, "argument")]
    rows, columns = rng.randint(4, 9), rng.randint(2, 5)

    def at(reach: int) -> tuple[Affine, ...]:
        moved = (rng.randint(-reach, reach), rng.randint(-reach, reach))
        return tuple(Affine(((n, 1),), by) for n, by in zip("jl", moved, strict=True))

    def sweep(target: str) -> For:
        reads = tuple(Ref(rng.choice("AB"), at(1)) for _ in range(rng.randint(1, 3)))
        shape = "0.5f * (" + f" {rng.choice(REAL[:2])} ".join(f"{{{n}}}" for n in range(len(reads))) + ")"
        body = Assign(Ref(target, at(0)), rng.choice(("=", "=", "+=")), shape, reads)
        inner = For("l", Affine((), 1), Affine((), 1 + columns), 1, (body,))
        return For("j", Affine((), 1), Affine((), 1 + rows), 1, (inner,))

    def row() -> For:
        where = (Affine((), rng.randint(0, rows)), Affine((("l", 1),)))
        body = Assign(Ref(rng.choice("AB"), where), "=", "{0}", (Ref("C", (Affine((("i", 1),)),)),))
        return For("l", Affine((), 0), Affine((), 1 + columns), 1, (body,))

    sweeps: list[Node] = [sweep(t) for t in rng.choice(("A", "AB", "BA", "BA"))]
    steps = For("i", Affine((), 0), Affine((), rng.randint(2, 6)), 1, (*([row()] * (rng.random() < 0.3)), *sweeps))
    before = [sweep("B")] if rng.random() < 0.3 else []
    return Program(name, tuple(arrays), (*before, steps))


def _elimination(rng: random.Random, name: str) -> Program:
    """Steps that update all that is left, of a matrix or of a vector by columns."""
    kind, size, first = rng.choice(FLOATS[:2]), rng.randint(8, 12), rng.choice((0, 1))
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, rng.choice((1, 2)), "argument")]
    end, after = Affine((), size), Affine((("i", 1),), 1)
    step, row, column = (Affine(((n, 1),)) for n in "ijl")
    triangle = For("l", rng.choice((after, row)), end, 1, ()) if rng.random() < 0.4 else For("l", after, end, 1, ())
    scale = Assign(Ref("A", (row, step)), rng.choice(("*=", "=")), "0.5f * {0}", (Ref("A", (step, step)),))
    if arrays[1].rank == 1:
        reads = (Ref("A", (row, step)), Ref("B", (step,)))
        update: tuple[Node, ...] = (Assign(Ref("B", (row,)), rng.choice(("-=", "+=")), "{0} * {1}", reads),)
    else:
        source = rng.choice("AAB")
        reads = (Ref("A", (row, step)), Ref(source, (step, column)))
        inner = Assign(Ref("A", (row, column)), rng.choice(("-=", "+=")), "{0} * {1}", reads)
        update = (replace(triangle, body=(inner,)),)
    steps = [For("j", after, end, 1, (scale,))] if rng.random() < 0.7 else []
    body = For("i", Affine((), first), end, 1, (*steps, For("j", after, end, 1, update)))
    return Program(name, tuple(arrays), (body,))


def _rows(rng: random.Random, name: str) -> Program:
    """Statements that cannot be separated, row by row, so that rows may have copies; what is beside has no loop."""
    kind, rows, columns = rng.choice(FLOATS[:2]), rng.choice((4, 6, 8)), rng.randint(2, 5)
    arrays = [Array("A", kind, 2, "argument"), Array("B", kind, 1, "argument"), Array("C", kind, 0, "argument")]
    row = Affine((("i", 1),))
    here, after = (Ref("A", (row, Affine((("j", 1),), by))) for by in (0, 1))
    one = Assign(Ref("B", (row,)), rng.choice(("=", "+=")), "0.5f * ({0} + {1})", (Ref("B", (row,)), here))
    other = Assign(after, rng.choice(("=", "-=")), "{0}", (Ref("B", (row,)),))
    inner = For("j", Affine((), 0), Affine((), columns), 1, (one, other))
    outer = For("i", Affine((), 0), Affine((), rows), 1, (inner,))
    place = Ref("B", (Affine((), rng.randrange(rows)),))
    alone = Assign(*rng.choice(((Ref("C"), "+=", "{0}", (place,)), (place, "*=", "{0}", (Ref("C"),)))))
    return Program(name, tuple(arrays), rng.choice(((outer,), (outer, alone), (alone, outer))))


def _with_parts(rng: random.Random, program: Program) -> Program:
    """Some subscripts of arguments that nothing writes become quotients or remainders."""
    written = {a.target.array for a in _assigns(program.body) if isinstance(a, Assign)}
    legal = {a.name for a in program.arrays if a.role == "argument"} - written

    def part(index: Affine) -> Affine:
        moves = index.factors and rng.random() < 0.5
        return replace(index, part=f"{rng.choice('/%')} {rng.choice((2, 3, 4))}") if moves else index

    def read(ref: Ref) -> Ref:
        return replace(ref, index=tuple(map(part, ref.index))) if ref.array in legal else ref

    def changed(node: Node) -> Node:
        match node:
            case Assign():
                return replace(node, reads=tuple(map(read, node.reads)))
            case If() | Test():
                return replace(node, body=tuple(map(changed, node.body)), other=tuple(map(changed, node.other)))
            case For():
                return replace(node, body=tuple(map(changed, node.body)))
        return node

    return replace(program, body=tuple(map(changed, program.body)))


@dataclass
class _Maker:
    """Draws blocks until `left` statements are made."""

    rng: random.Random
    arrays: tuple[Array, ...]
    left: int

    def block(self, loops: tuple[str, ...]) -> Node:
        rng = self.rng
        if len(loops) == len(NAMES) or (loops and rng.random() < 0.45):
            self.left -= 1
            assign = self.assign(loops)
            if loops and rng.random() < 0.2:
                return self.test(loops, assign)
            if loops and rng.random() < 0.25:
                other = (self.assign(loops),) if rng.random() < 0.4 else ()
                condition = (self.affine(loops), rng.choice(("<", ">=", "==")))
                return If(condition, (assign,), other)
            return assign
        name = NAMES[len(loops)]
        inner = (*loops, name)
        body = [self.block(inner)]
        while self.left > 0 and rng.random() < 0.45:
            body.append(self.block(inner))
        low = self.bound(loops, rng.choice((0, 0, 0, 1, 2)))
        high = self.bound(loops, rng.choice((2, 3, 4, 5, 7, 8, 12)))
        return For(name, low, high, rng.choice((1, 1, 1, 1, 1, -1, 2, 3, -2)), tuple(body))

    def test(self, loops: tuple[str, ...], assign: Assign) -> Test:
        """The assignment on a condition on data, which may end the iteration or the loop instead."""
        rng, left = self.rng, self.ref(loops)
        op = rng.choice(("<", ">", "==", ">="))
        if rng.random() < 0.2:
            return Test(left, op, (Jump(rng.choice(("continue", "continue", "break"))),), (assign,))
        return Test(left, op, (assign,), (self.assign(loops),) if rng.random() < 0.4 else ())

    def bound(self, loops: tuple[str, ...], constant: int) -> Affine:
        if loops and self.rng.random() < 0.25:
            return Affine(((self.rng.choice(loops), self.rng.choice((1, 1, -1))),), constant)
        return Affine((), constant)

    def affine(self, loops: tuple[str, ...]) -> Affine:
        rng = self.rng
        picked = [n for n in loops if rng.random() < 0.5]
        factors = tuple((n, rng.choice((1, 1, 1, 1, 2, -1, -2, 3))) for n in picked)
        return Affine(factors, rng.choice((0, 0, 0, 1, -1, 2)))

    def ref(self, loops: tuple[str, ...], *, written: bool = False, whole: bool = False) -> Ref:
        """`whole`: a complex number need not be taken apart."""
        rng = self.rng
        array = rng.choice([a for a in self.arrays if not (written and a.role == "scalar")])
        place = self.place(array, loops)
        apart = array.made_of == PAIR or not (written or whole)
        return replace(place, field=rng.choice(FIELDS[array.made_of])) if apart else place

    def place(self, array: Array, loops: tuple[str, ...]) -> Ref:
        rng = self.rng
        if rng.random() < 0.6 and len(loops) >= array.rank:
            names = rng.sample(loops, array.rank) if rng.random() < 0.5 else sorted(rng.sample(loops, array.rank))
            return Ref(array.name, tuple(Affine(((n, 1),), rng.choice((0, 0, 0, 1))) for n in names))
        return Ref(array.name, tuple(self.affine(loops) for _ in range(array.rank)))

    def assign(self, loops: tuple[str, ...]) -> Assign:
        rng = self.rng
        target = self.ref(loops, written=True)
        kind, made_of = next((a.type, a.made_of) for a in self.arrays if a.name == target.array)
        if made_of == COMPLEX:
            return self.complex_assign(target, loops)
        reads = tuple(self.ref(loops) for _ in range(rng.randint(1, 3)))
        types = {kind} | {a.type for a in self.arrays if a.name in {r.array for r in reads}}
        real = bool(types & set(FLOATS))
        shape = "{0}"
        for at in range(1, len(reads)):
            shape = f"({shape}) {rng.choice(REAL if real else WHOLE)} {{{at}}}"
        around = rng.choice(REAL_AROUND if real else WHOLE_AROUND)
        if real and kind in WIDTHS:  # what a float leaves in an integer is no value where it is too large
            around = "({0} > 1.0f ? 3 : -2)"
        iterators = loops[-1:] if rng.random() < 0.2 else ()
        shape = around.format(shape)
        if iterators and not (real and kind in WIDTHS):
            shape = f"{shape} + {{{len(reads)}}}"
        op = rng.choice(("=", "=", "+=", "+=", "-=", "*="))
        return Assign(target, op, shape, reads, iterators)

    def complex_assign(self, target: Ref, loops: tuple[str, ...]) -> Assign:
        """Products, sums and differences of complex and of other numbers."""
        rng = self.rng
        reads = tuple(self.ref(loops, whole=True) for _ in range(rng.randint(1, 3)))
        shape = "{0}"
        for at in range(1, len(reads)):
            shape = f"({shape}) {rng.choice(REAL)} {{{at}}}"
        return Assign(target, rng.choice(("=", "=", "+=", "-=", "*=")), shape, reads)


REAL, WHOLE = ("+", "-", "*"), ("+", "-", "*", "&", "|", "^")
REAL_AROUND = (
    *("{0}",) * 8,
    "0.5f * ({0})",
    "fmaxf({0}, 0.25f)",
    "fminf({0}, {{0}})",
    "fabsf({0})",
    "sqrtf(fabsf({0}))",
    "({{0}} > 0.5f ? {0} : -{{0}})",
    "({{0}} >= {{0}} ? {0} : 2.0f)",
    "(float)(int)(({0}) < 1000.0f ? 3.0f : 4.0f)",
    "F_pickf({0}, {{0}})",
    "F_sumf({{0}}, {0})",
    "F_pairf({0}, {{0}})",
    "F_flut[({{0}} > 0.5f) + 2 * ({0} > 1.0f)]",
)
WHOLE_AROUND = (
    *("{0}",) * 8,
    "({0}) / 3",
    "({0}) % 7",
    "(({0}) >> 1)",
    "({{0}} > 255 ? 1 : {0})",
    "({{0}} == {{0}}) + ({0})",
    "~({0})",
    "!({0})",
    "F_picki({0}, {{0}})",
    "F_sumi({{0}}, {0})",
    "F_pairi({0}, {{0}})",
    "F_lut[({0}) & 7]",
)
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
